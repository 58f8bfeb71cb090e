//! A large change beside many small ones, in release, on a machine with nothing else to do: `make measure`.

mod clients;

use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

use clients::{ask, ask_for};
use mangrove::{Database, values::Value};

const VERTICES: i64 = 60_000;
/// One small write in so long: 50 a second.
const PACE: Duration = Duration::from_millis(20);
const TRIES: usize = 5;

/// How long it takes to change all vertices, in the median.
fn time_of_update(db: &Database) -> Duration {
    let mut times: Vec<Duration> = (0..TRIES)
        .map(|n| {
            let begun = Instant::now();
            let update = format!("g.V().hasLabel('u').property('k', {n}).count()");
            ask(db, &update).outcome().unwrap_or_else(|error| panic!("{error}"));
            begun.elapsed()
        })
        .collect();
    times.sort();
    times[TRIES / 2]
}

/// Small writes to the same label, one after another, until told to stop, or for a minute: an addition and a change by turns.
fn write_a_little(db: &Database, stop: &AtomicBool) {
    let mut next = Instant::now();
    let scripts = ["g.addV('u').property('k', n)", "g.V().hasLabel('u').limit(1).property('k', n)"];
    for n in 0..3_000 {
        if stop.load(Ordering::Relaxed) {
            return;
        }
        let script = scripts[n as usize % scripts.len()];
        ask_for(db, script, &[("n", Value::Long(n))]).outcome().unwrap_or_else(|error| panic!("{error}"));
        next += PACE;
        thread::sleep(next.saturating_duration_since(Instant::now()));
    }
}

#[test]
#[ignore = "it measures"]
fn it_commits_in_at_most_ten_times_its_time_alone() {
    let folder = tempfile::tempdir().unwrap();
    let db = Database::open(folder.path()).unwrap();
    for _ in 0..2 {
        let half = VERTICES / 2;
        let add = format!(
            "g.inject(0).repeat(union(identity(), identity())).times(15).limit({half}).addV('u').property('k', 0).count()"
        );
        ask(&db, &add).outcome().unwrap();
    }
    let alone = time_of_update(&db);
    let stop = AtomicBool::new(false);
    let beside = thread::scope(|scope| {
        scope.spawn(|| write_a_little(&db, &stop));
        let beside = time_of_update(&db);
        stop.store(true, Ordering::Relaxed);
        beside
    });
    println!("{VERTICES} vertices: alone {alone:?}, beside 50 small writes a second {beside:?}");
    assert!(beside <= alone * 10, "alone {alone:?}, beside small writes {beside:?}");
}
