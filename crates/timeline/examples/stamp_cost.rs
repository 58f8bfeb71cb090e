//! Measures what the timeline of one gatekeeper costs beside the plain counter that it must not be slower than by much.
//!
//! `cargo run --release -p timeline --example stamp_cost`

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use timeline::{Epoch, Footprint, Gatekeeper, GatekeeperId, Standing, Timeline, Unit, UnitKind};

const TIMES: u64 = 2_000_000;

fn main() {
    let counter = AtomicU64::new(0);
    report("an atomic counter, the least possible", || counter.fetch_add(1, Ordering::AcqRel));

    let timeline = Timeline::new(1 << 20);
    report("a snapshot, taken and ended", || timeline.snapshot().stamp());
    let held: Vec<_> = (0..10_000).map(|_| timeline.snapshot()).collect();
    report("the same beside 10,000 snapshots in use", || timeline.snapshot().stamp());
    drop(held);
    report("the watermark", || timeline.watermark());

    let commit = |footprint: &Footprint| {
        let snapshot = timeline.snapshot();
        let committed = timeline.commit(snapshot.stamp(), footprint, Standing::Foremost, |_| ());
        let stamp = committed.expect("nobody else commits").stamp;
        timeline.durable(stamp);
        timeline.applied(stamp)
    };
    let mut number = 0;
    report("a commit of 4 reads and 2 writes, from snapshot to visible", || {
        number += 1;
        commit(&footprint(number))
    });
    report("building that footprint alone", || footprint(number));

    let mut gatekeeper = Gatekeeper::new(Epoch(1), GatekeeperId(0), 4);
    report("a vector timestamp of 4 gatekeepers", || gatekeeper.stamp());
}

fn footprint(number: u64) -> Footprint {
    let mut footprint = Footprint::new();
    (0..4).for_each(|at| footprint.reads(Unit::new(UnitKind::Vertex, 0, number * 7 + at)));
    footprint.replaces(Unit::new(UnitKind::Vertex, 0, number)).expect("a small footprint");
    footprint.adds(Unit::new(UnitKind::Adjacency, 3, number)).expect("a small footprint");
    footprint
}

fn report<T>(what: &str, mut work: impl FnMut() -> T) {
    let begin = Instant::now();
    for _ in 0..TIMES {
        black_box(work());
    }
    println!("{:>8.1} ns  {what}", begin.elapsed().as_nanos() as f64 / TIMES as f64);
}
