//! Kill test: `kill -9` at random moments under concurrent writers.
//!
//! A child process opens the graph, and several writers commit transactions in it. Writer *w*'s transaction number *n*
//!
//! ```text
//! adds a unit     (head n) ─▶ (part n) ─▶ (part n) ─▶ (part n)      one head, three parts, three edges
//! drops the unit  n - KEPT
//! sets            (writer).last = n
//! adds an edge    (writer) ─ wrote {n, mark} ─▶ (hub)              lists that become trees, ordered by n
//! changes         the mark of the edge of n - KEPT
//! ```
//!
//! and is reported on standard output once its commit has returned. The parent kills the child, opens the graph, and
//! holds it to the one state that is possible if the last transaction of *w* was `last`: exactly the units
//! `last - KEPT + 1 ..= last` are there, each whole. `last` may exceed what was reported (the report was on its way), and
//! must not fall short of it.
//!
//! The cache is far too small for the graph, trees are of a few edges, one further thread of the child creates and drops
//! an index again and again, and another one filters the lists by `mark`, which they are not ordered by, for a while and then
//! reads them whole for a while: so secondary edge-trees are built, kept beside the commits, and dropped. The parent reads
//! through those that it finds and holds what they say to the same state.
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
    time::{Duration, Instant},
};

use fastrand::Rng;
use graph::{SecondaryOptions, SecondaryState};
use mangrove::{Database, DatabaseOptions, Error, ErrorKind, values::Value};
use serde_json::json;

/// Set in the child: the directory of the graph.
const CHILD: &str = "MANGROVE_KILL_CHILD";

const WRITERS: i64 = 4;
const KEPT: i64 = 5;
const PARTS: i64 = 3;

/// Values of the property `mark`.
const MARKS: i64 = 7;

/// What the edge of a writer's transaction `n` has as its mark after transaction `last`.
fn mark(writer: i64, n: i64, last: i64) -> i64 {
    let first = (n * 5 + writer) % MARKS;
    if n + KEPT <= last { MARKS - 1 - first } else { first }
}

/// With `builders` threads for secondary edge-trees, that build eagerly and drop as eagerly.
fn options(builders: usize) -> DatabaseOptions {
    let mut options = DatabaseOptions { executors: 1, ..DatabaseOptions::default() };
    // Small, so that checkpoints are killed too.
    options.graph.log_bytes = 64 << 10;
    // So small that sections come and go, and that nodes of trees are split and merged.
    options.graph.cache_bytes = 200 << 10;
    options.graph.tree = graph::TreeBounds { min: 4, max: 8, fan_out: 4 };
    options.graph.secondary = SecondaryOptions {
        builders,
        share: 1.0,
        period: Duration::from_millis(5),
        threshold: 0.01,
        patience: 2,
        sort_edges: 1_000,
    };
    options
}

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// The results of a query with variables.
fn numbers(db: &Database, query: &str, bindings: &[(&str, i64)]) -> Vec<i64> {
    let bindings = bindings.iter().map(|(name, value)| (*name, Value::Long(*value)));
    let results = db.query_with(query, bindings).unwrap();
    let number = |result: Value| result.as_i64().unwrap_or_else(|| panic!("{query}: {result}"));
    results.map(|result| number(result.unwrap())).collect()
}

/// The one result of a query with variables.
fn number(db: &Database, query: &str, bindings: &[(&str, i64)]) -> i64 {
    numbers(db, query, bindings)[0]
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
    let edge = |of: i64| {
        [("w", Value::Long(writer)), ("n", Value::Long(of)), ("mark", Value::Long(mark(writer, of, n)))]
    };
    if n == 0 {
        tx.query_with("g.addV('writer').property('w', w).property('last', n)", values(n))?;
    } else {
        tx.query_with("g.V().has('writer','w',w).property('last', n)", values(n))?;
    }
    tx.query_with(
        "g.V().has('writer','w',w).addE('wrote').to(V().hasLabel('hub')).property('n', n).property('mark', mark)",
        edge(n),
    )?;
    let unit = "g.addV('head').property('w', w).property('n', n).as('a')\
                .addV('part').property('w', w).property('n', n).as('b')\
                .addV('part').property('w', w).property('n', n).as('c')\
                .addV('part').property('w', w).property('n', n).as('d')\
                .addE('next').from('a').to('b').addE('next').from('b').to('c').addE('next').from('c').to('d')";
    tx.query_with(unit, values(n))?;
    if n >= KEPT {
        let marks = "g.V().has('writer','w',w).outE('wrote').has('n', n).property('mark', mark)";
        tx.query_with(marks, edge(n - KEPT))?;
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

/// The lists that are filtered by `mark`: that of the hub, and those of the writers.
const LISTS: [&str; 2] = ["V().hasLabel('hub').inE('wrote')", "V().has('writer','w',w).outE('wrote')"];

/// For a while, secondary edge-trees pay; then they do not. Says what there are: `trees <ready> <building> <dropped>`.
fn filter_for_ever(db: &Database) {
    loop {
        for (filter, millis) in [("has('mark', mark)", 120), ("values('n')", 30)] {
            let until = Instant::now() + Duration::from_millis(millis);
            for turn in (0..).take_while(|_| Instant::now() < until) {
                for list in LISTS {
                    let at = [("w", turn % WRITERS), ("mark", turn % MARKS)];
                    number(db, &format!("g.{list}.{filter}.count()"), &at);
                }
                let trees = db.graph().secondary_trees();
                let [ready, building, dropped] =
                    [SecondaryState::Ready, SecondaryState::Building, SecondaryState::Dropped]
                        .map(|state| trees.iter().filter(|tree| tree.state == state).count());
                writeln!(std::io::stdout().lock(), "trees {ready} {building} {dropped}").unwrap();
                // The writers are to get on.
                thread::sleep(Duration::from_millis(5));
            }
        }
    }
}

/// The child's life: writes until it is killed.
fn write_for_ever(directory: &str) {
    let db = Arc::new(Database::open_with(directory, options(1)).unwrap());
    if number(&db, "g.V().hasLabel('hub').count()", &[]) == 0 {
        db.query("g.call('mangrove.schema.declare', [edges: [wrote: [sort: 'n']]])").unwrap();
        db.query("g.addV('hub')").unwrap();
    }
    let indexes = db.clone();
    thread::spawn(move || build_indexes_for_ever(&indexes));
    let filters = db.clone();
    thread::spawn(move || filter_for_ever(&filters));
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
    /// Secondary trees that were there after a restart, and restarts with any.
    secondary_trees: u64,
    rounds_with_trees: u64,
    /// Rounds that were killed soon after a tree was seen being built, and being dropped.
    killed_building: u64,
    killed_dropping: u64,
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
fn run_and_kill(directory: &Path, rng: &mut Rng, most: Duration, tally: &mut Tally) -> Vec<Option<i64>> {
    let mut child = spawn(directory);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let ready = lines.by_ref().find(|line| line.as_ref().is_ok_and(|line| line.ends_with("ready")));
    assert!(ready.is_some(), "the child did not start: {:?}", child.wait());
    thread::sleep(most.mul_f64(rng.f64()));
    assert!(child.try_wait().unwrap().is_none(), "the child ended before it was killed");
    child.kill().unwrap();
    child.wait().unwrap();
    let mut acknowledged = vec![None; WRITERS as usize];
    let mut trees = [0; 3];
    for line in lines.map_while(Result::ok) {
        if let Some(seen) = line.strip_prefix("trees ") {
            let mut seen = seen.split(' ').map(|number| number.parse().unwrap());
            trees = [(); 3].map(|()| seen.next().unwrap());
            continue;
        }
        let (writer, n) = line.split_once(' ').unwrap_or_else(|| panic!("the child said: {line}"));
        let (writer, n): (usize, i64) = (writer.parse().unwrap(), n.parse().unwrap());
        acknowledged[writer] = Some(n);
        tally.acknowledged += 1;
    }
    let [_, building, dropped] = trees;
    tally.killed_building += u64::from(building > 0);
    tally.killed_dropping += u64::from(dropped > 0);
    acknowledged
}

/// Reads lists by `mark`, through secondary trees where there are any and without them: both must be what was written.
fn check_marks(db: &Database, rng: &mut Rng, tally: &mut Tally) {
    let trees = db.graph().secondary_trees();
    assert!(trees.iter().all(|tree| tree.state == SecondaryState::Ready), "{trees:?}");
    tally.secondary_trees += trees.len() as u64;
    tally.rounds_with_trees += u64::from(!trees.is_empty());
    let lasts: Vec<i64> = (0..WRITERS).map(|writer| last(db, writer)).collect();
    let (writer, wanted) = (rng.i64(0..WRITERS), rng.i64(0..MARKS));
    for (list, writers) in LISTS.into_iter().zip([0..WRITERS, writer..writer + 1]) {
        for (filter, marks) in
            [("has('mark', mark)", wanted..wanted + 1), ("has('mark', between(0, mark))", 0..wanted)]
        {
            let edges = writers.clone().flat_map(|w| (0..=lasts[w as usize]).map(move |n| (w, n)));
            let mut expected: Vec<i64> = edges
                .filter(|(w, n)| marks.contains(&mark(*w, *n, lasts[*w as usize])))
                .map(|(_, n)| n)
                .collect();
            expected.sort_unstable();
            for rule in ["", "with('mangrove.rules.off', 'secondary-trees')."] {
                let query = format!("g.{rule}{list}.{filter}.values('n')");
                let mut read = numbers(db, &query, &[("w", writer), ("mark", wanted)]);
                read.sort_unstable();
                if read != expected {
                    let (read, expected) = (read.len(), expected.len());
                    eprintln!("writer {writer}, mark {wanted}: {query}: {read} edges instead of {expected}");
                    tally.partial += 1;
                }
            }
        }
    }
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
    for round in 1..=rounds {
        // Now and then for long enough that trees have been built and stored for certain.
        let most = Duration::from_millis(if round % 10 == 0 { 3_000 } else { 300 });
        let acknowledged = run_and_kill(&directory, &mut rng, most, &mut tally);
        // What is there stays as it is while it is looked at.
        let db = Database::open_with(&directory, options(0)).unwrap();
        check(&db, &acknowledged, &mut tally);
        check_marks(&db, &mut rng, &mut tally);
        tally.evictions += db.stats().evictions;
        if rng.bool() {
            db.close().unwrap();
        }
    }
    let Tally { acknowledged, lost, partial, evictions, .. } = tally;
    let outcome = json!({
        "rounds": rounds, "acknowledged": acknowledged, "lost": lost, "partial": partial, "evictions": evictions,
        "secondary_trees": tally.secondary_trees, "rounds_with_secondary_trees": tally.rounds_with_trees,
        "killed_while_building": tally.killed_building, "killed_while_dropping": tally.killed_dropping,
    });
    println!("{outcome}");
    let bench = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../target/bench");
    fs::create_dir_all(&bench).unwrap();
    fs::write(bench.join("kill.json"), format!("{outcome}\n")).unwrap();
    assert!(acknowledged > 0, "nothing was written");
    // A few rounds on a busy machine may not fill it.
    assert!(rounds < 50 || evictions > 0, "the cache is too large");
    assert!(rounds < 50 || tally.rounds_with_trees > rounds / 10, "hardly any secondary edge-tree survived");
    assert_eq!((lost, partial), (0, 0));
}
