//! `kill -9` in the midst of imports into a graph that has data: the same command goes on, and nothing is done twice.

mod program;

use std::{fs, io::Write, process::Stdio, thread, time::Duration};

use fastrand::Rng;
use program::{mangrove, output};

const PEOPLE: u64 = 3_000;
const KNOWN: u64 = 4;

/// A network of which every count and sum is known. Its ids are its own in a space, so that only what the import has remembered says
/// which vertex is which.
fn network(dir: &std::path::Path) {
    let mut people = fs::File::create(dir.join("people.csv")).unwrap();
    let mut knows = fs::File::create(dir.join("knows.csv")).unwrap();
    writeln!(people, "key:ID(P){{id-type:long}},n:long,:LABEL").unwrap();
    writeln!(knows, ":START_ID(P),:END_ID(P),:TYPE,n:long").unwrap();
    for n in 0..PEOPLE {
        writeln!(people, "{n},{n},person").unwrap();
        for step in 1..=KNOWN {
            writeln!(knows, "{n},{},knows,{}", (n + step) % PEOPLE, n * KNOWN + step).unwrap();
        }
    }
}

#[test]
fn what_was_killed_goes_on_and_nothing_is_done_twice() {
    let seed = std::env::var("MANGROVE_KILL_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("MANGROVE_KILL_SEED={seed}");
    let mut random = Rng::with_seed(seed);
    for (how, added) in
        [(&["--add"][..], true), (&["--merge", "key"], true), (&["--merge", "key", "--again"], false)]
    {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).display().to_string();
        fs::create_dir(dir.path().join("files")).unwrap();
        network(&dir.path().join("files"));
        let (data, files) = (path("graph"), path("files"));
        output(&["--data", &data, "query", "--create", "g.addV('other').property('n', -1L)"]);
        if !added {
            output(&["--data", &data, "import", &files, "--add"]);
        }
        let command = [&["--data", &data, "import", &files, "--batch", "37"][..], how].concat();
        let (mut kills, mut longest) = (0, 0);
        let said = loop {
            let mut child = mangrove(&command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
            // Long enough that each of them comes further than those before.
            longest += 100;
            thread::sleep(Duration::from_millis(random.u64(20..100 + longest)));
            let ended = child.try_wait().unwrap().is_some();
            if ended || kills >= 8 {
                let output = child.wait_with_output().unwrap();
                let said = program::text(&output.stdout);
                assert!(output.status.success(), "{}", program::text(&output.stderr));
                break said;
            }
            child.kill().unwrap();
            child.wait().unwrap();
            kills += 1;
        };
        println!("{how:?}: {kills} kills; {said}");
        let count = |query: &str| -> i64 {
            let text = output(&["--data", &data, "query", query, "--format", "plain"]);
            text.trim().parse().unwrap_or_else(|_| panic!("{query}: {text}"))
        };
        let (people, knows) = (PEOPLE as i64, (PEOPLE * KNOWN) as i64);
        assert_eq!(count("g.V().count()"), people + 1);
        assert_eq!(count("g.V().hasLabel('person').values('n').sum()"), (0..people).sum::<i64>());
        assert_eq!(count("g.E().count()"), knows);
        assert_eq!(count("g.E().values('n').sum()"), (1..=knows).sum::<i64>());
        assert_eq!(
            count(
                "g.V().hasLabel('person').where(__.out('knows').count().is(4)).where(__.in('knows').count().is(4)).count()"
            ),
            people
        );
        assert_eq!(count("g.V().has('person','n',7L).out('knows').values('n').sum()"), 8 + 9 + 10 + 11);
        let again = output(&command);
        if !how.contains(&"--again") {
            assert!(again.contains("nothing to do"), "{again}");
        }
        assert_eq!(output(&["--data", &data, "check"]).lines().count(), 1);
    }
}
