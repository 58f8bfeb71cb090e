//! A store with flipped bytes: opening it, or asking it, is an error or the right answer; never a wrong answer, never a
//! panic.
//!
//! `MANGROVE_FUZZ_SECONDS` sets how long it runs (two seconds by default), `MANGROVE_FUZZ_SEED` where it begins.

use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    process::Command,
    sync::Arc,
    time::{Duration, Instant},
};

use fastrand::Rng;
use mangrove::{Database, DatabaseOptions, formats::ImportOptions};

/// What must be answered as before, or not at all.
const QUERIES: [&str; 7] = [
    "g.V().count()",
    "g.E().count()",
    "g.V().elementMap()",
    "g.V().properties().order().by(id)",
    "g.E().elementMap()",
    "g.V().has('late', 'n', 7).values('n')",
    "g.V().hasLabel('person').both().path().by(id)",
];

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// A graph that is partly in sections and partly in the log.
fn build(directory: &Path, options: &DatabaseOptions) {
    let modern = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap())
        .join("../../../shared/tinkerpop/data/tinkerpop-modern.json");
    let db = Database::open_with(directory, options.clone()).unwrap();
    db.import(modern, None, &ImportOptions::default(), &|_| {}).unwrap();
    db.create_index("late", "n").unwrap();
    for n in 0..10 {
        db.query(&format!("g.addV('late').property('n', {n}).addE('after').to(__.V(1))")).unwrap();
    }
    db.flush().unwrap();
    for n in 10..20 {
        db.query(&format!("g.addV('late').property('n', {n})")).unwrap();
    }
    db.query("g.V().has('late', 'n', 3).drop()").unwrap();
}

/// The answers to all queries; `Err` for those that were refused.
fn answers(db: &Database) -> Vec<Result<Vec<String>, String>> {
    let ask = |text: &str| {
        let results = db.query(text)?;
        let mut results: Vec<_> =
            results.map(|value| value.map(|v| v.to_string())).collect::<Result<_, _>>()?;
        results.sort();
        Ok::<_, mangrove::Error>(results)
    };
    QUERIES.iter().map(|text| ask(text).map_err(|error| error.to_string())).collect()
}

fn files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, found);
        } else if fs::metadata(&path).unwrap().len() > 0 {
            found.push(path);
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

/// Flips a few bits of one file; says which, and whether they hold anything.
///
/// Nothing is held by the number of the process that last had the store open, and by a log's reserve, where a crash may
/// leave anything.
fn damage(directory: &Path, rng: &mut Rng) -> (String, bool) {
    let mut all = Vec::new();
    files(directory, &mut all);
    all.sort();
    let file = rng.choice(&all).unwrap();
    let mut bytes = fs::read(file).unwrap();
    // Files are allocated ahead; most of their zeros mean nothing.
    let used = bytes.iter().rposition(|byte| *byte != 0).map_or(bytes.len(), |at| (at + 64).min(bytes.len()));
    let written = bytes.iter().rposition(|byte| *byte != 0).unwrap_or(0);
    let mut places = Vec::new();
    for _ in 0..rng.usize(1..4) {
        let at = rng.usize(0..used);
        bytes[at] ^= 1 << rng.u8(0..8);
        places.push(at);
    }
    let name = file.strip_prefix(directory).unwrap().display().to_string();
    let before = fs::read(file).unwrap();
    let changed = |at: &usize| bytes[*at] != before[*at];
    let held =
        name != "LOCK" && places.iter().any(|at| changed(at) && (*at <= written || !name.ends_with(".jnl")));
    fs::write(file, bytes).unwrap();
    (format!("{name} at {places:?}"), held)
}

/// Whether `mangrove check` finds nothing wrong.
fn check(directory: &Path) -> bool {
    let output = Command::new(env!("CARGO_BIN_EXE_mangrove"))
        .args(["--data", directory.to_str().unwrap(), "check"])
        .env_remove("MANGROVE_CONFIG")
        .output()
        .unwrap();
    let findings = String::from_utf8(output.stdout).unwrap();
    assert_ne!(findings.trim(), "", "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(i32::from(!findings.contains("is sound"))), "{findings}");
    output.status.success()
}

#[test]
fn a_damaged_store_is_an_error_or_answers_as_before() {
    let seed = setting("MANGROVE_FUZZ_SEED").unwrap_or_else(|| fastrand::u64(..));
    println!("MANGROVE_FUZZ_SEED={seed}");
    let mut rng = Rng::with_seed(seed);
    let seconds = setting("MANGROVE_FUZZ_SECONDS").unwrap_or(2);
    let engine = mangrove::start_engine(1).unwrap();
    let options = DatabaseOptions { engine: Some(Arc::clone(&engine)), ..DatabaseOptions::default() };
    let place = tempfile::tempdir().unwrap();
    let sound = place.path().join("sound");
    build(&sound, &options);
    let expected = answers(&Database::open_with(&sound, options.clone()).unwrap());
    assert!(expected.iter().all(Result::is_ok), "{expected:?}");
    let (mut refused, mut answered, mut found) = (0, 0, 0);
    let started = Instant::now();
    let mut round = 0;
    while started.elapsed() < Duration::from_secs(seconds) {
        round += 1;
        let scratch = place.path().join(format!("scratch-{round}"));
        copy(&sound, &scratch);
        let (what, held) = damage(&scratch, &mut rng);
        // A copy, since opening a store may repair what a crash would leave.
        let looked_at = place.path().join(format!("looked-at-{round}"));
        copy(&scratch, &looked_at);
        let sound = check(&looked_at);
        fs::remove_dir_all(&looked_at).unwrap();
        found += usize::from(!sound);
        assert!(!sound || !held, "the check finds no damage to {what}");
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            let Ok(db) = Database::open_with(&scratch, options.clone()) else { return None };
            Some(answers(&db))
        }));
        match outcome {
            Err(_) => panic!("a panic after damage to {what}"),
            Ok(None) => refused += 1,
            Ok(Some(answers)) => {
                for ((query, answer), expected) in QUERIES.iter().zip(&answers).zip(&expected) {
                    match answer {
                        Ok(_) => assert_eq!(answer, expected, "{query} after damage to {what}"),
                        Err(message) => {
                            assert!(!message.contains("report"), "{query} after damage to {what}: {message}");
                        }
                    }
                }
                answered += 1;
            }
        }
        fs::remove_dir_all(&scratch).unwrap();
    }
    println!("the check found {found} of {round}");
    println!("{refused} stores were refused, {answered} were opened and answered rightly or refused to");
}
