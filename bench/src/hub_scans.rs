//! All edges of one vertex, scanned by one executor and by two in turns.
//!
//! ```text
//! fans ── likes, creationDate ──▶ hub ── rated, score ──▶ fans
//!         all the edges of the bench      a tenth as many; the list lies as they were committed
//! ```

use mangrove::Database;
use mangrove::graph::{Value, VertexRef};
use serde_json::{Value as Json, json};

use crate::measure::{Latencies, micros, time};
use crate::report::rounded;

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Edges of a transaction that adds them.
const BATCH: u64 = 20_000;
/// Times that a query is run.
const TRIES: usize = 20;
/// Longs that are copied together in the bare loop.
const PIECE: usize = 4096;
/// Scores are below this.
const SCORES: u64 = 100;

/// Name and traversal behind `g.V(0)`.
const SCANS: [(&str, &str); 8] = [
    ("all: edges by their sort key", "inE('likes').has('creationDate', neq(7L)).count()"),
    ("all: sum of a property", "inE('likes').values('creationDate').sum()"),
    ("all: distinct neighbours", "in('likes').dedup().count()"),
    ("all: neighbours by a property", "in('likes').has('age', lt(30L)).count()"),
    ("edges by a property", "outE('rated').has('score', gt(49L)).count()"),
    ("sum of a property", "outE('rated').values('score').sum()"),
    ("distinct neighbours", "out('rated').dedup().count()"),
    ("neighbours by a property", "out('rated').has('age', lt(30L)).count()"),
];

/// Adds so many edges from the hub to its fans.
///
/// # Errors
/// If the graph cannot be written.
pub fn insert(database: &Database, hub: VertexRef, fans: &[VertexRef], edges: u64) -> Outcome<()> {
    for first in (0..edges).step_by(BATCH as usize) {
        let transaction = database.graph().begin();
        for n in first..edges.min(first + BATCH) {
            let fan = fans[(n.wrapping_mul(7_919) % fans.len() as u64) as usize];
            let edge = transaction.add_edge(None, "rated", hub, fan)?;
            transaction.set_edge_property(edge, "score", Value::Long((n * 31 % SCORES) as i64))?;
        }
        transaction.commit()?;
    }
    Ok(())
}

/// What one and two threads take to copy and add so many longs, part by part: two are hardly faster where the memory is
/// busy with one, and no scan of a property that is not in a cache can gain more.
pub fn bare_sum(longs: u64) -> Json {
    let longs: Vec<i64> = (0..longs as i64).collect();
    let (mut alone, mut together) = (Latencies::default(), Latencies::default());
    for _ in 0..TRIES {
        let (took, expected) = time(|| added(&longs));
        alone.add(took);
        let (first, second) = longs.split_at(longs.len() / 2);
        let (took, sum) = time(|| {
            std::thread::scope(|scope| {
                let second = scope.spawn(|| added(second));
                added(first) + second.join().expect("adding does not panic")
            })
        });
        together.add(took);
        assert_eq!(sum, expected, "two threads add up to something else");
    }
    row("bare: copy and sum of an array", &alone, &together)
}

/// The sum of longs that are copied before they are added, as a scan does with what it finds.
fn added(longs: &[i64]) -> i64 {
    let mut batch = Vec::with_capacity(PIECE);
    longs.chunks(PIECE).fold(0, |sum, part| {
        batch.clear();
        batch.extend_from_slice(part);
        sum + std::hint::black_box(&batch).iter().sum::<i64>()
    })
}

fn row(name: &str, alone: &Latencies, together: &Latencies) -> Json {
    let (one, all) = (micros(alone.median()), micros(together.median()));
    json!({ "name": name, "one_us": rounded(one), "two_us": rounded(all), "speedup": rounded(one / all) })
}

/// Medians of the scans, by one executor and by as many as the database has, and how much faster these are.
///
/// # Errors
/// If a query fails, or two runs differ.
pub fn scans(database: &Database) -> Outcome<Vec<Json>> {
    let mut rows = Vec::new();
    for (name, scan) in SCANS {
        let (mut alone, mut together) = (Latencies::default(), Latencies::default());
        let mut first: Option<Vec<Value>> = None;
        for attempt in 0..TRIES + 2 {
            for (source, latencies) in
                [("g.with('mangrove.parallelism', 1)", &mut alone), ("g", &mut together)]
            {
                let query = format!("{source}.V(0).{scan}");
                let (took, results) = time(|| database.query(&query)?.collect::<Result<Vec<Value>, _>>());
                let results = results?;
                if *first.get_or_insert_with(|| results.clone()) != results {
                    return Err(format!("{query} answered {results:?} and {first:?}").into());
                }
                // The first ones load what they read.
                if attempt >= 2 {
                    latencies.add(took);
                }
            }
        }
        rows.push(row(name, &alone, &together));
    }
    Ok(rows)
}
