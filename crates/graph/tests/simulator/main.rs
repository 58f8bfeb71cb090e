//! The storage simulator: random work on a graph whose disk fails in every way the store's contract lets it fail, held
//! to a model that is too simple to be wrong.
//!
//! A seed is a history of [`OPERATIONS`] operations: writes in transactions, commits, several at once, too, flushes, bulk
//! loads, new indexes, changes of declared types, nodes and sort keys, lists that become edge-trees and go back, secondary
//! edge-trees, reads at old snapshots, restarts and power cuts. Every I/O of the graph may fail, before or after it has
//! taken effect, be refused by a full disk, be the last before the power goes, or return damaged bytes. Whatever happens:
//!
//! * what was acknowledged is there after a restart, whole: otherwise it counts as *lost*;
//! * what was refused is there whole or not at all;
//! * a read gives the model's answer or an error: anything else counts as *wrong*.
//!
//! `MANGROVE_SIM_SEED=n` repeats one seed, `MANGROVE_SIM_SEEDS=n` runs the first n. The outcome of a run that was asked
//! for is left in `target/bench/simulator.json`; `make simulate` runs 10,000.

#[path = "../naive/mod.rs"]
mod naive;
mod quiet;
mod run;
mod settings;

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use run::{OPERATIONS, Report, Run};
use serde_json::json;

/// Seeds of a run that nobody asked for: a few seconds without optimisation.
const FEW: u64 = 40;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Runs seeds on all cores.
fn run_all(seeds: u64) -> Report {
    let (next, total) = (AtomicU64::new(0), Mutex::new(Report::default()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= seeds {
                        break;
                    }
                    let report = Run::new(seed).run();
                    total.lock().unwrap().add(&report);
                }
            });
        }
    });
    total.into_inner().unwrap()
}

fn leave(seeds: u64, report: &Report, seconds: u64) {
    let faults = &report.faults;
    let outcome = json!({
        "seeds": seeds,
        "operations_per_seed": OPERATIONS,
        "lost": report.lost,
        "wrong": report.wrong,
        "acknowledged_commits": report.acknowledged,
        "groups": report.groups,
        "restarts": report.restarts,
        "refused_reads": report.refused_reads,
        "evictions": report.evictions,
        "lists_packed_again": report.packed_again,
        "secondary_trees": report.secondary_trees,
        "range_indexes": report.range_indexes,
        "rare_names": report.rare_names,
        "declared_types": report.declarations,
        "declared_nodes": report.declared_nodes,
        "changed_sort_keys": report.sort_keys,
        "sorted": report.sorted,
        "faults": {
            "writes_refused": faults.refused,
            "writes_unacknowledged": faults.unacknowledged,
            "syncs_failed": faults.failed_syncs,
            "disk_full": faults.full,
            "power_cuts": faults.power_cuts,
            "reads_failed": faults.failed_reads,
            "reads_damaged": faults.damaged_reads,
        },
        "failed_seeds": report.failed_seeds,
        "seconds": seconds,
    });
    let bench = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../target/bench");
    fs::create_dir_all(&bench).unwrap();
    fs::write(bench.join("simulator.json"), format!("{outcome}\n")).unwrap();
    println!("{outcome}");
}

#[test]
fn nothing_acknowledged_is_lost_and_nothing_wrong_is_read_whatever_the_disk_does() {
    let _alone = alone();
    quiet::install();
    if let Some(seed) = setting("MANGROVE_SIM_SEED") {
        let report = Run::new(seed).run();
        println!("{report:?}");
        assert_eq!((report.lost, report.wrong), (0, 0), "MANGROVE_SIM_SEED={seed}");
        return;
    }
    let (asked, started) = (setting("MANGROVE_SIM_SEEDS"), Instant::now());
    let seeds = asked.unwrap_or(FEW);
    let report = run_all(seeds);
    if asked.is_some() {
        leave(seeds, &report, started.elapsed().as_secs());
    }
    assert!(report.acknowledged > 0 && report.faults.power_cuts > 0, "nothing happened: {report:?}");
    assert!(report.packed_again > seeds, "lists have hardly ever gone back from their trees: {report:?}");
    assert!(report.rare_names > 20 * seeds, "hardly any names were new: {report:?}");
    let failed = &report.failed_seeds;
    assert_eq!((report.lost, report.wrong), (0, 0), "run MANGROVE_SIM_SEED=n for each of {failed:?}");
}

/// One test at a time: when memory is freed that nobody reads any more depends on all threads of a process, and groups of commits
/// are flushed by how much there is.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn a_seed_gives_the_same_history_every_time() {
    let _alone = alone();
    quiet::install();
    let histories = [0, 1].map(|_| {
        // What others have left to be freed is freed first, and a new thread begins to count its reads anew.
        (0..10_000).for_each(|_| crossbeam_epoch::pin().flush());
        thread::spawn(|| Run::new(4711).run()).join().unwrap()
    });
    assert_eq!(histories[0], histories[1]);
}
