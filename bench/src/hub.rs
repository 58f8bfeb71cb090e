//! One vertex with very many edges: what adding them costs from the first to the last, and what reading a few of them.
//!
//! ```text
//! fans ── likes, creationDate ──▶ hub        batches of 100 edges, each a durable transaction
//! ```
//!
//! And a tenth as many edges the other way; all edges of both kinds are then read ([`hub_scans`]).

use std::path::Path;
use std::time::{Duration, Instant};

use mangrove::graph::{Cardinality, Direction, Value, VertexRef};
use mangrove::{Database, DatabaseOptions};
use serde_json::{Value as Json, json};

use crate::hub_scans;
use crate::measure::{Latencies, micros, settle, time};
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Vertices whose edges lead to the hub.
const FANS: usize = 100_000;
/// Edges of a transaction.
const BATCH: u64 = 100;
/// Parts of which the throughput is compared.
const PARTS: u64 = 10;
/// Times that a query is run.
const TRIES: usize = 200;

/// Builds a hub of `edges` edges in a temporary folder, and writes `hub.json`.
///
/// # Errors
/// If the graph cannot be written or queried.
pub fn bench(edges: u64, report: &Report) -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-hub-{}", std::process::id()));
    let outcome = measure(&folder, edges, report);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(folder: &Path, edges: u64, report: &Report) -> Outcome<()> {
    let database =
        Database::open_with(folder, DatabaseOptions { executors: 1, ..DatabaseOptions::default() })?;
    database.graph().change_schema(|schema| {
        schema.edges.entry("likes".into()).or_default().sort_key = Some("creationDate".into());
        Ok(())
    })?;
    let (hub, fans) = vertices(&database)?;
    let parts = (0..PARTS)
        .map(|part| insert(&database, hub, &fans, part * edges / PARTS..(part + 1) * edges / PARTS))
        .collect::<Outcome<Vec<f64>>>()?;
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let (newest, range) = (newest(&database, edges)?, range(&database, edges)?);
    let stats = database.stats();
    let degree = degree(&database, hub, edges)?;
    drop(database);
    let (mut scans, is_settled) = scans(folder, hub, &fans, edges / 10)?;
    scans.push(hub_scans::bare_sum(edges));
    report.rows("hub_scans", &scans)?;
    report.figures(
        "hub",
        &json!({
            "edges": edges,
            "per_second_by_part": parts.iter().map(|rate| rounded(*rate)).collect::<Vec<Json>>(),
            "first_to_last": rounded(first / last),
            "degree_ns": rounded(degree),
            "newest_20_us": rounded(micros(newest.median())), "newest_20_p99_us": rounded(micros(newest.quantile(0.99))),
            "range_edges": edges / 1_000,
            "range_us": rounded(micros(range.median())), "range_p99_us": rounded(micros(range.quantile(0.99))),
            "sections_loaded": stats.sections_loaded, "trees": stats.trees,
            "settled_before_scans": is_settled,
        }),
    )?;
    Ok(())
}

/// What it takes one and two executors to read all of that many edges, and whether nothing else was done meanwhile.
fn scans(folder: &Path, hub: VertexRef, fans: &[VertexRef], edges: u64) -> Outcome<(Vec<Json>, bool)> {
    let open = || Database::open_with(folder, DatabaseOptions { executors: 2, ..DatabaseOptions::default() });
    let database = open()?;
    hub_scans::insert(&database, hub, fans, edges)?;
    // Flushed and opened again, nodes have no changes on top of them.
    database.graph().flush()?;
    drop(database);
    let database = open()?;
    // The store goes on compacting for a while, on one of the two cores.
    let is_settled = settle();
    Ok((hub_scans::scans(&database)?, is_settled))
}

/// The hub, whose id is 0, and its fans.
fn vertices(database: &Database) -> Outcome<(VertexRef, Vec<VertexRef>)> {
    let transaction = database.graph().begin();
    let hub = transaction.add_vertex(Some(Value::Long(0)), "message")?;
    transaction.commit()?;
    let mut fans = Vec::with_capacity(FANS);
    for part in (0..FANS).collect::<Vec<_>>().chunks(10_000) {
        let transaction = database.graph().begin();
        for n in part {
            let fan = transaction.add_vertex(Some(Value::Long(*n as i64 + 1)), "person")?;
            transaction.set_vertex_property(
                fan,
                Cardinality::Single,
                "age",
                Value::Long(*n as i64 % 90),
                &[],
            )?;
            fans.push(fan);
        }
        transaction.commit()?;
    }
    Ok((hub, fans))
}

/// Adds the edges of these numbers; how many a second.
fn insert(
    database: &Database,
    hub: VertexRef,
    fans: &[VertexRef],
    edges: std::ops::Range<u64>,
) -> Outcome<f64> {
    let (begun, count) = (Instant::now(), edges.end - edges.start);
    for first in edges.clone().step_by(BATCH as usize) {
        let transaction = database.graph().begin();
        for n in first..edges.end.min(first + BATCH) {
            let fan = fans[(n.wrapping_mul(7_919) % FANS as u64) as usize];
            let edge = transaction.add_edge(None, "likes", fan, hub)?;
            transaction.set_edge_property(edge, "creationDate", Value::Long(n as i64))?;
        }
        transaction.commit()?;
    }
    Ok(count as f64 / begun.elapsed().as_secs_f64())
}

/// Nanoseconds to learn the hub's degree.
fn degree(database: &Database, hub: VertexRef, edges: u64) -> Outcome<f64> {
    const READS: u32 = 100_000;
    let snapshot = database.snapshot();
    let likes = snapshot.catalog().edge_label("likes").ok_or("no edge was added")?;
    let reader = snapshot.reader();
    let (took, sum) = time(|| (0..READS).map(|_| reader.degree(hub, Direction::In, &[likes])).sum::<u64>());
    if sum != edges * u64::from(READS) {
        return Err(format!("the degree is not {edges}").into());
    }
    Ok(took.as_nanos() as f64 / f64::from(READS))
}

fn newest(database: &Database, edges: u64) -> Outcome<Latencies> {
    let query = "g.V(0).inE('likes').order().by('creationDate', desc).limit(20).values('creationDate')";
    repeat(database, query, &Value::Long(edges as i64 - 1), 20)
}

/// A thousandth of the edges, in the midst.
fn range(database: &Database, edges: u64) -> Outcome<Latencies> {
    let (from, to) = (edges / 2, edges / 2 + edges / 1_000);
    let query = format!("g.V(0).inE('likes').has('creationDate', between({from}L, {to}L)).count()");
    repeat(database, &query, &Value::Long((to - from) as i64), 1)
}

/// Runs a query, checks its answer, and says how long it took.
fn repeat(database: &Database, query: &str, first: &Value, count: usize) -> Outcome<Latencies> {
    let mut latencies = Latencies::default();
    for attempt in 0..TRIES + 10 {
        let (took, results) = time(|| database.query(query)?.collect::<Result<Vec<Value>, _>>());
        let results = results?;
        if results.len() != count
            || results.first().is_none_or(|value| !values::compare::equals(value, first))
        {
            return Err(format!("{query} answered {results:?}").into());
        }
        // The first ones load what they read.
        if attempt >= 10 {
            latencies.add(took.max(Duration::from_nanos(1)));
        }
    }
    Ok(latencies)
}
