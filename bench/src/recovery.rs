//! How long a graph takes to open after a crash, with a log as long as it gets before a checkpoint trims it.

use std::path::Path;
use std::sync::Arc;

use graph::{Graph, GraphOptions, Value, VertexRef};
use serde_json::json;
use store::{FjallOptions, FjallStore, Store};

use crate::commits::{copy_folder, mix, vertices};
use crate::measure::time;
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error + Send + Sync>>;

/// Edges of a transaction.
const BATCH: u64 = 100;

/// Commits uniformly random edges into a copy of `graph` until its log is full, opens it again as after a crash, and writes
/// `recovery.json`.
///
/// # Errors
/// If the graph cannot be copied, opened or written to, or has no persons and messages.
pub fn bench(graph: &Path, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-recovery-{}", std::process::id()));
    let outcome = measure(graph, &folder, report);
    std::fs::remove_dir_all(&folder)?;
    outcome.map_err(|error| -> Box<dyn std::error::Error> { error })
}

fn measure(from: &Path, folder: &Path, report: &Report) -> Outcome<()> {
    copy_folder(from, folder)?;
    let open = || -> Outcome<Graph> {
        let store: Arc<dyn Store> = Arc::new(FjallStore::open(folder, FjallOptions::default())?);
        Ok(Graph::open(store, GraphOptions::default())?)
    };
    let (clean, graph) = time(open);
    let graph = graph?;
    let (edges, log_bytes) = fill_log(&graph)?;
    let before = graph.snapshot().edge_count(None);
    // Without a flush, as a crash would have left it.
    drop(graph);
    let (took, graph) = time(open);
    let graph = graph?;
    if graph.snapshot().edge_count(None) != before {
        return Err("edges were lost".into());
    }
    report.figures(
        "recovery",
        &json!({
            "log_mb": rounded(log_bytes as f64 / 1048576.0), "edges_in_log": edges,
            "clean_open_s": rounded(clean.as_secs_f64()), "recovery_s": rounded(took.as_secs_f64()),
            "us_per_edge": rounded(took.as_secs_f64() * 1e6 / edges as f64),
        }),
    )?;
    Ok(())
}

/// Commits edges until the next transaction might have the log flushed; how many, and the bytes of the log.
fn fill_log(graph: &Graph) -> Outcome<(u64, u64)> {
    let snapshot = graph.snapshot();
    let persons = vertices(&snapshot, &["Person"]);
    let messages = vertices(&snapshot, &["Post", "Comment"]);
    drop(snapshot);
    if persons.is_empty() || messages.is_empty() {
        return Err("the graph has no persons or no messages".into());
    }
    graph.flush()?;
    let pick = |all: &[VertexRef], random: u64| all[random as usize % all.len()];
    let (mut edges, most) = (0, GraphOptions::default().log_bytes);
    loop {
        let log_bytes = graph.stats().log_bytes;
        if log_bytes + (1 << 20) > most {
            return Ok((edges, log_bytes));
        }
        // Asking for the sizes takes a while.
        for _ in 0..100 {
            let transaction = graph.begin();
            for n in edges..edges + BATCH {
                let random = mix(n);
                let (person, message) = (pick(&persons, random >> 32), pick(&messages, random & 0xffff_ffff));
                let edge = transaction.add_edge(None, "likes", person, message)?;
                transaction.set_edge_property(edge, "creationDate", Value::Long(n as i64))?;
            }
            transaction.commit()?;
            edges += BATCH;
        }
    }
}
