//! Banyan's CQ1–6 with scopes and without (the paper's Timely stand-in), on one executor.

use std::path::Path;

use serde_json::json;

use crate::graph_under_test::{open, run};
use crate::measure::{Latencies, millis, time};
use crate::parameters::rows;
use crate::queries::set;
use crate::report::{Report, rounded};

/// Runs per parameter row, after one to warm up.
const RUNS: usize = 5;

/// Measures and writes `scopes.json`.
///
/// # Errors
/// If the graph cannot be opened or queried, or the two ways give different numbers of results.
pub fn bench(graph: &Path, ldbc: &Path, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let database = open(graph, 1)?;
    let mut figures = Vec::new();
    for (name, text) in set("cq") {
        let off_text = text.replacen("g.", "g.with('mangrove.scopes','off').", 1);
        let (mut on, mut off) = (Latencies::default(), Latencies::default());
        for bindings in rows(ldbc, name, 10)? {
            for round in 0..=RUNS {
                let (with, a) = time(|| run(&database, text, &bindings));
                let (without, b) = time(|| run(&database, &off_text, &bindings));
                let (a, b) = (a?.len(), b?.len());
                if a != b {
                    return Err(format!("{name}: {a} results with scopes, {b} without").into());
                }
                if round > 0 {
                    on.add(with);
                    off.add(without);
                }
            }
        }
        figures.push(json!({
            "name": name, "on_ms": rounded(millis(on.median())), "off_ms": rounded(millis(off.median())),
        }));
    }
    report.rows("scopes", &figures)?;
    Ok(())
}
