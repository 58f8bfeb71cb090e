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
        let (one, all) = (micros(alone.median()), micros(together.median()));
        rows.push(json!({
            "name": name, "one_us": rounded(one), "two_us": rounded(all), "speedup": rounded(one / all),
        }));
    }
    Ok(rows)
}
