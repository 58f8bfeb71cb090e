//! Filters of hubs by a property that their lists are not sorted by, before, while and after secondary edge-trees are
//! built by themselves: the experiment of ByteGraph's Figure 13.
//!
//! ```text
//! 16 hubs ◀── rates, weight at random ── fans       one client filters hubs by weight; beside it, edges are added
//! ```

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use mangrove::graph::{SecondaryOptions, SecondaryState, Value, VertexRef};
use mangrove::{Database, DatabaseOptions};
use serde_json::{Value as Json, json};

use crate::measure::{Latencies, millis, time};
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

const HUBS: u64 = 16;
const FANS: u64 = 10_000;
/// Different weights.
const WEIGHTS: u64 = 1_000;
/// Edges of a transaction while the graph is made.
const BATCH: u64 = 10_000;
/// How long the benefit of trees is measured before one is built.
const PERIOD: Duration = Duration::from_secs(8);
/// How long to go on when all trees are there.
const AFTER: Duration = Duration::from_secs(8);
/// How long to wait for them at most.
const LONGEST: Duration = Duration::from_secs(400);
/// Between two edges that are added.
const PAUSE: Duration = Duration::from_millis(2);

/// Makes hubs of `edges` edges each in a temporary folder, filters them, and writes `secondary.json`.
///
/// # Errors
/// If the graph cannot be written or queried, an answer is wrong, or no trees are built.
pub fn bench(edges: u64, report: &Report) -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-secondary-{}", std::process::id()));
    let outcome = measure(&folder, edges, report);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

/// What the client met.
#[derive(Default)]
struct Phases {
    before: Latencies,
    during: Latencies,
    after: Latencies,
    /// By second.
    seconds: Vec<Latencies>,
    /// Seconds until the first tree was begun, and until the last one was there.
    began: f64,
    ended: f64,
}

fn measure(folder: &Path, edges: u64, report: &Report) -> Outcome<()> {
    let mut options = DatabaseOptions { executors: 2, ..DatabaseOptions::default() };
    options.graph.secondary = SecondaryOptions { period: PERIOD, ..SecondaryOptions::default() };
    let database = Database::open_with(folder, options)?;
    let hubs = fill(&database, edges)?;
    let (stop, added) = (AtomicBool::new(false), AtomicU64::new(0));
    let phases = std::thread::scope(|scope| {
        let writer = scope.spawn(|| add_edges(&database, &hubs, &stop, &added));
        let phases = filter(&database, edges);
        stop.store(true, Ordering::Relaxed);
        writer.join().map_err(|_| "the writer panicked")??;
        phases
    })?;
    let trees = database.graph().secondary_trees();
    let p99 = |latencies: &Latencies| millis(latencies.quantile(0.99));
    let (before, during, after) = (&phases.before, &phases.during, &phases.after);
    let by_second =
        phases.seconds.iter().map(|second| rounded(millis(second.median()))).collect::<Vec<Json>>();
    report.figures(
        "secondary",
        &json!({
            "hubs": HUBS, "edges_per_hub": edges, "trees": trees.len(), "added_meanwhile": added.load(Ordering::Relaxed),
            "before_ms": rounded(millis(before.median())), "during_ms": rounded(millis(during.median())),
            "after_ms": rounded(millis(after.median())),
            "times_faster": rounded(millis(before.median()) / millis(after.median())),
            "before_p99_ms": rounded(p99(before)), "during_p99_ms": rounded(p99(during)), "after_p99_ms": rounded(p99(after)),
            "p99_during_to_before": rounded(p99(during) / p99(before)),
            "building_from_s": rounded(phases.began), "to_s": rounded(phases.ended),
            "queries": before.len() + during.len() + after.len(),
            "median_ms_by_second": by_second,
        }),
    )?;
    Ok(())
}

/// The weight of an edge: each value about as often, in no order.
fn weight(hub: u64, n: u64) -> f64 {
    (n.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(hub as u32 + 17) % WEIGHTS) as f64 / WEIGHTS as f64
}

fn fill(database: &Database, edges: u64) -> Outcome<Vec<VertexRef>> {
    let transaction = database.graph().begin();
    let vertex = |id: u64, label| transaction.add_vertex(Some(Value::Long(id as i64)), label);
    let hubs = (0..HUBS).map(|hub| vertex(hub, "film")).collect::<Result<Vec<VertexRef>, _>>()?;
    let fans = (0..FANS).map(|fan| vertex(HUBS + fan, "person")).collect::<Result<Vec<VertexRef>, _>>()?;
    transaction.commit()?;
    for (number, hub) in (0..).zip(&hubs) {
        for first in (0..edges).step_by(BATCH as usize) {
            let transaction = database.graph().begin();
            for n in first..edges.min(first + BATCH) {
                let fan = fans[(n.wrapping_mul(7_919) % FANS) as usize];
                let edge = transaction.add_edge(None, "rates", fan, *hub)?;
                transaction.set_edge_property(edge, "weight", Value::Double(weight(number, n)))?;
            }
            transaction.commit()?;
        }
    }
    database.graph().flush()?;
    Ok(hubs)
}

/// Adds edges that no filter asks for, until it is told to stop.
fn add_edges(
    database: &Database,
    hubs: &[VertexRef],
    stop: &AtomicBool,
    added: &AtomicU64,
) -> Result<(), String> {
    while !stop.load(Ordering::Relaxed) {
        let hub = hubs[added.load(Ordering::Relaxed) as usize % hubs.len()];
        let transaction = database.graph().begin();
        let add = || {
            let edge = transaction.add_edge(None, "rates", hubs[0], hub)?;
            transaction.set_edge_property(edge, "weight", Value::Double(2.0))
        };
        add().map_err(|error| error.to_string())?;
        transaction.commit().map_err(|error| error.to_string())?;
        added.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// Filters one hub after the other, until all have trees and for a while longer.
fn filter(database: &Database, edges: u64) -> Outcome<Phases> {
    let expected = |hub: u64, wanted: f64| {
        (0..edges).filter(|n| weight(hub, *n).total_cmp(&wanted).is_eq()).count() as i64
    };
    // Of each hub one weight, whose edges are counted beforehand.
    let weights: Vec<(f64, i64)> = (0..HUBS)
        .map(|hub| {
            let wanted = weight(hub, 7);
            (wanted, expected(hub, wanted))
        })
        .collect();
    let (mut phases, begun, mut done) = (Phases::default(), Instant::now(), None);
    for n in 0.. {
        let at = begun.elapsed();
        if done.is_some_and(|done| at > done + AFTER) {
            break;
        }
        if at > LONGEST {
            return Err("the trees were not built".into());
        }
        let hub = n % HUBS;
        let (wanted, count) = weights[hub as usize];
        let query = format!("g.V({hub}L).inE('rates').has('weight', {wanted:?}d).count()");
        let (took, found) = time(|| database.query(&query)?.collect::<Result<Vec<Value>, _>>());
        let found = found?;
        if found != [Value::Long(count)] {
            return Err(format!("{query} answered {found:?}, and not {count}").into());
        }
        phases.note(at, took, progress(database), &mut done);
    }
    Ok(phases)
}

/// Trees that were begun, and trees that are there.
fn progress(database: &Database) -> (usize, usize) {
    let trees = database.graph().secondary_trees();
    let ready = trees.iter().filter(|tree| tree.state == SecondaryState::Ready).count();
    (trees.len(), ready)
}

impl Phases {
    fn note(
        &mut self,
        at: Duration,
        took: Duration,
        (begun, ready): (usize, usize),
        done: &mut Option<Duration>,
    ) {
        let second = at.as_secs() as usize;
        self.seconds.resize_with(self.seconds.len().max(second + 1), Latencies::default);
        self.seconds[second].add(took);
        if begun == 0 {
            self.before.add(took);
            self.began = at.as_secs_f64();
        } else if (ready as u64) < HUBS {
            self.during.add(took);
            self.ended = at.as_secs_f64();
        } else {
            done.get_or_insert(at);
            self.after.add(took);
        }
    }
}
