//! The timeline used by several threads at once.

use std::collections::BTreeMap;
use std::sync::RwLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use timeline::{CommitRefused, Epoch, Footprint, Stamp, Standing, Timeline, Unit, UnitKind};

/// A counter with all its versions.
#[derive(Default)]
struct Counter(RwLock<BTreeMap<Stamp, u64>>);

impl Counter {
    fn at(&self, stamp: Stamp) -> u64 {
        self.0.read().unwrap().range(..=stamp).next_back().map_or(0, |(_, value)| *value)
    }
}

fn increment(timeline: &Timeline, counter: &Counter, unit: Unit) -> Result<Stamp, CommitRefused> {
    let snapshot = timeline.snapshot();
    let value = counter.at(snapshot.stamp()) + 1;
    let mut footprint = Footprint::new();
    footprint.reads(unit);
    footprint.replaces(unit).unwrap();
    let stamp = timeline.commit(snapshot.stamp(), &footprint, Standing::Foremost, |_| ())?.stamp;
    timeline.durable(stamp);
    counter.0.write().unwrap().insert(stamp, value);
    timeline.applied(stamp);
    timeline.wait_visible(stamp);
    Ok(stamp)
}

#[test]
fn no_increment_is_lost_and_clients_see_what_they_were_told() {
    const THREADS: u64 = 4;
    const INCREMENTS: u64 = 500;
    let timeline = Timeline::new(1_000);
    let counters: Vec<Counter> = (0..2).map(|_| Counter::default()).collect();
    let refused = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (timeline, refused) = (&timeline, &refused);
            let which = thread % 2;
            let counter = &counters[which as usize];
            scope.spawn(move || {
                for _ in 0..INCREMENTS {
                    let unit = Unit::new(UnitKind::Vertex, 0, which);
                    let stamp = loop {
                        match increment(timeline, counter, unit) {
                            Ok(stamp) => break stamp,
                            Err(CommitRefused::Invalid(_)) => refused.fetch_add(1, Ordering::Relaxed),
                            Err(other) => panic!("{other}"),
                        };
                    };
                    assert!(timeline.snapshot().stamp() >= stamp);
                }
            });
        }
    });
    for counter in &counters {
        assert_eq!(counter.at(Stamp::MAX), THREADS / 2 * INCREMENTS);
    }
    assert_eq!(timeline.visible(), timeline.assigned());
    assert_eq!(timeline.visible().clock(), THREADS * INCREMENTS);
    assert!(timeline.snapshots().is_empty());
}

#[test]
fn a_reader_sees_a_prefix_of_the_commits_however_they_are_applied() {
    const COMMITS: u64 = 2_000;
    let timeline = Timeline::new(100);
    let applied: Vec<AtomicBool> = (0..=COMMITS).map(|_| AtomicBool::new(false)).collect();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..3_u64)
            .map(|thread| {
                let (timeline, applied) = (&timeline, &applied);
                scope.spawn(move || {
                    let mut footprint = Footprint::new();
                    footprint.adds(Unit::new(UnitKind::Adjacency, 0, 1)).unwrap();
                    loop {
                        // A thread that was paused in between may be too old; then it begins again.
                        let snapshot = timeline.snapshot().stamp();
                        let committed = timeline.commit(snapshot, &footprint, Standing::Foremost, |_| ());
                        let Ok(stamp) = committed.map(|committed| committed.stamp) else { continue };
                        if let Some(flag) = applied.get(stamp.clock() as usize) {
                            flag.store(true, Ordering::Release);
                        }
                        if stamp.clock() % 7 == thread {
                            timeline.abandoned(stamp);
                        } else {
                            timeline.durable(stamp);
                            timeline.applied(stamp);
                        }
                        if stamp.clock() >= COMMITS {
                            break;
                        }
                    }
                })
            })
            .collect();
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let snapshot = timeline.snapshot();
                let seen = snapshot.stamp().clock().min(COMMITS) as usize;
                assert!(applied[1..=seen].iter().all(|flag| flag.load(Ordering::Acquire)));
            }
        });
        let ended: Vec<_> = writers.into_iter().map(|writer| writer.join()).collect();
        stop.store(true, Ordering::Relaxed);
        ended.into_iter().for_each(|writer| writer.unwrap());
    });
    assert_eq!(timeline.visible(), timeline.assigned());
}

#[test]
fn the_log_is_queued_in_stamp_order() {
    // Remembers all commits there will be: a thread that sleeps through many of them has done nothing wrong.
    let timeline = Timeline::new(2_000);
    let log = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (timeline, log) = (&timeline, &log);
            scope.spawn(move || {
                let mut footprint = Footprint::new();
                footprint.replaces(Unit::new(UnitKind::Edge, 0, thread)).unwrap();
                for _ in 0..500 {
                    // Held: commits after a stamp that nobody holds may be forgotten at once.
                    let snapshot = timeline.snapshot();
                    let queue = |stamp| log.lock().unwrap().push(stamp);
                    let queued = timeline.commit(snapshot.stamp(), &footprint, Standing::Foremost, queue);
                    let stamp = queued.unwrap().stamp;
                    timeline.durable(stamp);
                    timeline.applied(stamp);
                    timeline.wait_visible(stamp);
                }
            });
        }
    });
    let log = log.into_inner().unwrap();
    assert!(log.is_sorted() && log.len() == 2_000);
}

#[test]
fn a_recovered_timeline_shows_what_was_durable_and_stamps_in_a_new_epoch() {
    let old = Timeline::new(10);
    let mut footprint = Footprint::new();
    footprint.replaces(Unit::new(UnitKind::Label, 0, 1)).unwrap();
    let durable = old.commit(old.visible(), &footprint, Standing::Foremost, |_| ()).unwrap().stamp;
    let recovered = Timeline::recover(durable, 10);
    assert!(recovered.snapshot().stamp() >= durable);
    let next = recovered.commit(recovered.visible(), &footprint, Standing::Foremost, |_| ()).unwrap().stamp;
    assert_eq!((next.epoch(), next.clock()), (Epoch(1), 1));
    let refused = recovered.commit(durable, &footprint, Standing::Foremost, |_| ());
    assert!(matches!(refused, Err(CommitRefused::Invalid(_))));
}
