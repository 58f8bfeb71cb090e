//! Named query sets on a graph: median, p99, rows, embedded or over the wire.

use std::path::Path;

use serde_json::{Value as Json, json};

use crate::client::Client;
use crate::graph_under_test::{open, run};
use crate::measure::{Latencies, millis, time};
use crate::parameters::{Bindings, rows};
use crate::queries::set;
use crate::report::{Report, rounded};
use crate::served::Served;

/// Parameter rows per query, and passes over them after one to warm up.
const ROWS: usize = 10;
const PASSES: usize = 5;

/// Runs a set and writes `NAME.json`.
///
/// # Errors
/// If there is no such set, or the graph cannot be opened or queried.
pub fn bench(
    name: &str,
    graph: &Path,
    ldbc: &Path,
    over_wire: bool,
    report: &Report,
) -> Result<(), Box<dyn std::error::Error>> {
    let queries = set(name);
    if queries.is_empty() {
        return Err(
            format!("there is no query set {name}; try walks, ic, is, cq, or one query such as IC5").into()
        );
    }
    let mut figures = Vec::new();
    if over_wire {
        let served = Served::start(graph, 2)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let mut client = runtime.block_on(Client::connect(served.address)).map_err(|e| e.to_string())?;
        for (query, text) in queries {
            let ask = |bindings: &Bindings| {
                runtime.block_on(client.ask(text, bindings)).map(|()| None).map_err(|e| e.to_string())
            };
            figures.push(measure(query, ldbc, ask)?);
        }
    } else {
        let database = open(graph, 1)?;
        for (query, text) in queries {
            let ask = |bindings: &Bindings| {
                run(&database, text, bindings).map(|r| Some(r.len())).map_err(|e| e.to_string())
            };
            figures.push(measure(query, ldbc, ask)?);
        }
    }
    report.rows(&name.to_lowercase(), &figures)?;
    Ok(())
}

fn measure(
    query: &str,
    ldbc: &Path,
    mut ask: impl FnMut(&Bindings) -> Result<Option<usize>, String>,
) -> Result<Json, Box<dyn std::error::Error>> {
    let (mut latencies, mut results) = (Latencies::default(), Some(0));
    for pass in 0..=PASSES {
        for bindings in rows(ldbc, query, ROWS)? {
            let (took, outcome) = time(|| ask(&bindings));
            let count = outcome.map_err(|e| format!("{query}: {e}"))?;
            if pass > 0 {
                latencies.add(took);
            } else {
                results = results.zip(count).map(|(a, b)| a + b);
            }
        }
    }
    Ok(json!({
        "name": query, "median_ms": rounded(millis(latencies.median())),
        "p99_ms": rounded(millis(latencies.quantile(0.99))), "rows": results,
    }))
}
