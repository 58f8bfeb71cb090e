//! Imports an LDBC social network into a directory and says how long it took, then opens it again and asks one thing.
//!
//! `cargo run --release -p formats --example import_ldbc -- CSV_DIRECTORY GRAPH_DIRECTORY`

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use formats::{ImportOptions, ldbc};
use graph::{Graph, GraphOptions, Value};
use store::{FjallOptions, FjallStore, Store};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(csv), Some(directory)) = (arguments.next(), arguments.next()) else {
        return Err("usage: import_ldbc CSV_DIRECTORY GRAPH_DIRECTORY".into());
    };
    let start = Instant::now();
    let graph = open(Path::new(&directory))?;
    ldbc(Path::new(&csv), &graph, &ImportOptions::default(), &|_| {})?;
    let stats = graph.stats();
    println!(
        "{} vertices, {} edges in {:.1} s; peak {} MB",
        stats.vertex_count(),
        stats.edge_count(),
        start.elapsed().as_secs_f64(),
        peak_memory_mb(),
    );
    graph.store().close()?;
    drop(graph);

    let start = Instant::now();
    let graph = open(Path::new(&directory))?;
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let catalog = snapshot.catalog();
    let (Some(person), Some(id)) = (catalog.vertex_label("Person"), catalog.key("id")) else {
        return Err("there are no persons".into());
    };
    let mut found = Vec::new();
    reader.index_lookup(person, id, &Value::Long(933), &mut found);
    snapshot.check()?;
    println!(
        "opened, and {} persons with id 933 found, in {:.3} s",
        found.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn open(directory: &Path) -> Result<Graph, Box<dyn std::error::Error>> {
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(directory, FjallOptions::default())?);
    Ok(Graph::open(store, GraphOptions::default())?)
}

/// The most memory that the process ever had, where the system tells.
fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}
