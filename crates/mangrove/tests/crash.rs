//! Kill test: `kill -9` at random moments under concurrent writers.
//!
//! A child process opens the graph, and several writers commit transactions in it. Writer *w*'s transaction number *n*
//!
//! ```text
//! adds a unit     (head n) ─▶ (part n) ─▶ (part n) ─▶ (part n)      one head, three parts, three edges
//! drops the unit  n - KEPT
//! sets            (writer).last = n
//! adds an edge    (writer) ─ wrote {n} ─▶ (hub)                    lists that become trees, ordered by n
//! ```
//!
//! The cache is far too small for the graph, trees are of a few edges, and a further thread of the child creates and drops
//! an index again and again.
//!
//! and is reported on standard output once its commit has returned. The parent kills the child, opens the graph, and
//! holds it to the one state that is possible if the last transaction of *w* was `last`: exactly the units
//! `last - KEPT + 1 ..= last` are there, each whole. `last` may exceed what was reported (the report was on its way), and
//! must not fall short of it.
//!
//! `MANGROVE_KILL_ROUNDS` sets the number of rounds, `MANGROVE_KILL_SEED` the moments. The outcome is left in
//! `target/bench/kill.json`.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, Command, Stdio},
    sync::Arc,
    thread,
    time::Duration,
};

use fastrand::Rng;
use mangrove::{Database, DatabaseOptions, Error, ErrorKind, values::Value};
use serde_json::json;

/// Set in the child: the directory of the graph.
const CHILD: &str = "MANGROVE_KILL_CHILD";

const WRITERS: i64 = 4;
const KEPT: i64 = 5;
const PARTS: i64 = 3;

fn options() -> DatabaseOptions {
    let mut options = DatabaseOptions { executors: 1, ..DatabaseOptions::default() };
    // Small, so that checkpoints are killed too.
    options.graph.log_bytes = 64 << 10;
    // So small that sections come and go, and that nodes of trees are split and merged.
    options.graph.cache_bytes = 200 << 10;
    options.graph.tree = graph::TreeBounds { min: 4, max: 8, fan_out: 4 };
    options
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The one result of a query with variables.
fn number(db: &Database, query: &str, bindings: &[(&str, i64)]) -> i64 {
    let bindings = bindings.iter().map(|(name, value)| (*name, Value::Long(*value)));
    let result = db.query_with(query, bindings).unwrap().next().unwrap().unwrap();
    result.as_i64().unwrap_or_else(|| panic!("{query}: {result}"))
}

fn last(db: &Database, writer: i64) -> i64 {
    number(
        db,
        "g.V().has('writer','w',w).values('last').fold().coalesce(unfold(), constant(-1L))",
        &[("w", writer)],
    )
}

/// One transaction of a writer.
fn commit(db: &Database, writer: i64, n: i64) -> Result<(), Error> {
    let tx = db.transaction();
    let values = |n: i64| [("w", Value::Long(writer)), ("n", Value::Long(n))];
    if n == 0 {
        tx.query_with("g.addV('writer').property('w', w).property('last', n)", values(n))?;
    } else {
        tx.query_with("g.V().has('writer','w',w).property('last', n)", values(n))?;
    }
    tx.query_with(
        "g.V().has('writer','w',w).addE('wrote').to(V().hasLabel('hub')).property('n', n)",
        values(n),
    )?;
    let unit = "g.addV('head').property('w', w).property('n', n).as('a')\
                .addV('part').property('w', w).property('n', n).as('b')\
                .addV('part').property('w', w).property('n', n).as('c')\
                .addV('part').property('w', w).property('n', n).as('d')\
                .addE('next').from('a').to('b').addE('next').from('b').to('c').addE('next').from('c').to('d')";
    tx.query_with(unit, values(n))?;
    if n >= KEPT {
        tx.query_with("g.V().hasLabel('head','part').has('w', w).has('n', n).drop()", values(n - KEPT))?;
    }
    tx.commit()
}

/// Creates and drops an index that the parent's checks use if it is there.
fn build_indexes_for_ever(db: &Database) {
    loop {
        for text in [
            "g.call('mangrove.index.create', [label: 'part', key: 'n', kind: 'range', wait: true])",
            "g.call('mangrove.index.drop', [label: 'part', keys: ['n'], kind: 'range'])",
        ] {
            if let Err(error) = db.query(text).and_then(|results| results.collect::<Result<Vec<_>, _>>()) {
                eprintln!("{text}: {error}");
                std::process::exit(1);
            }
            thread::sleep(Duration::from_millis(40));
        }
    }
}

/// The child's life: writes until it is killed.
fn write_for_ever(directory: &str) {
    let db = Arc::new(Database::open_with(directory, options()).unwrap());
    if number(&db, "g.V().hasLabel('hub').count()", &[]) == 0 {
        db.query("g.call('mangrove.schema.declare', [edges: [wrote: [sort: 'n']]])").unwrap();
        db.query("g.addV('hub')").unwrap();
    }
    let indexes = db.clone();
    thread::spawn(move || build_indexes_for_ever(&indexes));
    let writers = (0..WRITERS).map(|writer| {
        let db = db.clone();
        thread::spawn(move || {
            let mut n = last(&db, writer) + 1;
            loop {
                match commit(&db, writer, n) {
                    // Standard output is a pipe; a line this short goes through it whole.
                    Ok(()) => {
                        writeln!(std::io::stdout().lock(), "{writer} {n}").unwrap();
                        n += 1;
                    }
                    Err(error) if error.kind() == ErrorKind::Conflict => {}
                    Err(error) => {
                        eprintln!("writer {writer}, transaction {n}: {error}");
                        std::process::exit(1);
                    }
                }
            }
        })
    });
    let writers: Vec<_> = writers.collect();
    println!("ready");
    writers.into_iter().for_each(|writer| drop(writer.join()));
}

/// What the parent counts.
#[derive(Default)]
struct Tally {
    acknowledged: u64,
    /// Acknowledged transactions that are not there.
    lost: u64,
    /// Units that are there in part, or should not be there, or are missing between others.
    partial: u64,
    /// Sections that left memory while the parent looked.
    evictions: u64,
}

fn spawn(directory: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "every_acknowledged_commit_survives_kill_9_whole", "--nocapture", "--quiet"])
        .env(CHILD, directory)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Lets the child write for a while, kills it, and gives the last acknowledged transaction of each writer.
fn run_and_kill(directory: &Path, rng: &mut Rng, tally: &mut Tally) -> Vec<Option<i64>> {
    let mut child = spawn(directory);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.by_ref().find(|line| line.as_ref().is_ok_and(|line| line.ends_with("ready")));
    assert!(ready.is_some(), "the child did not start: {:?}", child.wait());
    thread::sleep(Duration::from_micros(rng.u64(0..300_000)));
    assert!(child.try_wait().unwrap().is_none(), "the child ended before it was killed");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut acknowledged = vec![None; WRITERS as usize];
    for line in lines.map_while(Result::ok) {
        let (writer, n) = line.split_once(' ').unwrap_or_else(|| panic!("the child said: {line}"));
        let (writer, n): (usize, i64) = (writer.parse().unwrap(), n.parse().unwrap());
        acknowledged[writer] = Some(n);
        tally.acknowledged += 1;
    }
    acknowledged
}

fn check(db: &Database, acknowledged: &[Option<i64>], tally: &mut Tally) {
    for (writer, acknowledged) in (0..).zip(acknowledged) {
        let last = last(db, writer);
        let missing = acknowledged.map_or(0, |n| (n - last).max(0));
        tally.lost += missing as u64;
        let wrote = "g.V().has('writer','w',w).outE('wrote')";
        let at = [("w", writer), ("n", last - 20)];
        let listed = number(db, &format!("{wrote}.count()"), &at);
        let newest = number(db, &format!("{wrote}.has('n', gt(n)).count()"), &at);
        if (listed, newest) != (last + 1, (last + 1).min(20)) {
            eprintln!("writer {writer}, last {last}: {listed} edges to the hub, {newest} of the last 20");
            tally.partial += 1;
        }
        for n in (0.max(last - KEPT - 2))..=(last + 2) {
            let expected = n <= last && n > last - KEPT;
            let at = [("w", writer), ("n", n)];
            let heads = number(db, "g.V().hasLabel('head').has('w', w).has('n', n).count()", &at);
            let parts = number(db, "g.V().hasLabel('part').has('w', w).has('n', n).count()", &at);
            let chain = number(
                db,
                "g.V().hasLabel('head').has('w', w).has('n', n).repeat(out('next').has('n', n)).emit().count()",
                &at,
            );
            let whole = if expected { [1, PARTS, PARTS] } else { [0, 0, 0] };
            if [heads, parts, chain] != whole {
                eprintln!(
                    "writer {writer}, last {last}, unit {n}: {heads} heads, {parts} parts, chain of {chain}"
                );
                tally.partial += 1;
            }
        }
    }
    // Nothing else is there either.
    let present = |writer| KEPT.min(last(db, writer) + 1);
    let units: i64 = (0..WRITERS).map(present).sum();
    let vertices = number(db, "g.V().hasLabel('head','part').count()", &[]);
    let edges = number(db, "g.E().hasLabel('next').count()", &[]);
    let written: i64 = (0..WRITERS).map(|writer| last(db, writer) + 1).sum();
    let hub = number(db, "g.V().hasLabel('hub').inE('wrote').values('n').count()", &[]);
    if hub != written {
        eprintln!("{written} transactions, but {hub} edges at the hub");
        tally.partial += 1;
    }
    if (vertices, edges) != (units * (1 + PARTS), units * PARTS) {
        eprintln!("{units} units, but {vertices} vertices and {edges} edges");
        tally.partial += 1;
    }
}

#[test]
fn every_acknowledged_commit_survives_kill_9_whole() {
    if let Ok(directory) = std::env::var(CHILD) {
        return write_for_ever(&directory);
    }
    let rounds = setting("MANGROVE_KILL_ROUNDS").unwrap_or(8);
    let seed = setting("MANGROVE_KILL_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("MANGROVE_KILL_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let directory = tempfile::tempdir().unwrap();
    let directory = directory.path().join("graph");
    let mut tally = Tally::default();
    for _ in 0..rounds {
        let acknowledged = run_and_kill(&directory, &mut rng, &mut tally);
        let db = Database::open_with(&directory, options()).unwrap();
        check(&db, &acknowledged, &mut tally);
        tally.evictions += db.stats().evictions;
        if rng.bool() {
            db.close().unwrap();
        }
    }
    let Tally { acknowledged, lost, partial, evictions } = tally;
    let outcome = json!({ "rounds": rounds, "acknowledged": acknowledged, "lost": lost, "partial": partial, "evictions": evictions });
    println!("{outcome}");
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/bench");
    fs::create_dir_all(&bench).unwrap();
    fs::write(bench.join("kill.json"), format!("{outcome}\n")).unwrap();
    assert!(acknowledged > 0, "nothing was written");
    // A few rounds on a busy machine may not fill it.
    assert!(rounds < 50 || evictions > 0, "the cache is too large");
    assert_eq!((lost, partial), (0, 0));
}
