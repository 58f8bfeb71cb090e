//! LDBC's and Banyan's queries beside `../shared/limit`, a program that answers them in loops over CSR arrays.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value as Json, json};

use crate::graph_under_test::{open, run};
use crate::measure::{Latencies, millis, time};
use crate::parameters::rows;
use crate::queries::set;
use crate::report::{Report, rounded};

/// Parameter rows per query, as the limit has them.
const ROWS: usize = 10;
/// Passes that are measured, after two to warm up, as the limit has them.
const PASSES: usize = 5;
/// Queries of LDBC's that the limit answers.
const IC: [&str; 11] = ["IC1", "IC2", "IC3", "IC4", "IC5", "IC6", "IC7", "IC8", "IC9", "IC11", "IC12"];
/// The fastest peer per CQ at SF1, in milliseconds (`../shared/limit/README.md`).
const FASTEST_PEER: [(&str, f64); 6] =
    [("CQ1", 0.13), ("CQ2", 0.69), ("CQ3", 103.0), ("CQ4", 1.9), ("CQ5", 7.0), ("CQ6", 5.7)];

/// Measures and writes `ic.json`. `limit` is the folder of the limit program.
///
/// # Errors
/// If the graph cannot be opened or queried, or the limit program cannot be built or run.
pub fn bench(
    graph: &Path,
    ldbc: &Path,
    limit: &Path,
    only: Option<&str>,
    report: &Report,
) -> Result<(), Box<dyn std::error::Error>> {
    let limits = run_limit(limit, ldbc)?;
    let database = open(graph, 1)?;
    let mut figures = Vec::new();
    let names = || set("walks").into_iter().chain(set("ic")).chain(set("cq"));
    for (name, text) in names().filter(|(name, _)| only.is_none_or(|o| o.eq_ignore_ascii_case(name))) {
        let Some(limit_ms) = limits["queries"][name]["median_ms"].as_f64() else { continue };
        let mut latencies = Latencies::default();
        for pass in 0..PASSES + 2 {
            for bindings in rows(ldbc, name, ROWS)? {
                let (took, results) = time(|| run(&database, text, &bindings));
                results.map_err(|e| format!("{name}: {e}"))?;
                if pass >= 2 {
                    latencies.add(took);
                }
            }
        }
        let median = millis(latencies.median());
        figures.push(json!({
            "name": name, "median_ms": rounded(median), "limit_ms": rounded(limit_ms),
            "ratio": rounded(median / limit_ms),
        }));
    }
    report.rows("ic", &figures)?;
    summarise(&figures);
    Ok(())
}

/// The two figures that the goal speaks of.
fn summarise(figures: &[Json]) {
    let ratio = |name: &str| figures.iter().find(|f| f["name"] == name).and_then(|f| f["ratio"].as_f64());
    let ratios: Vec<f64> = IC.iter().filter_map(|name| ratio(name)).collect();
    if ratios.len() == IC.len() {
        let mean = (ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64).exp();
        println!("geometric mean over the IC queries: {mean:.1} times the limit (goal: at most 60)");
    }
    for (name, peer) in FASTEST_PEER {
        if let Some(ours) = figures.iter().find(|f| f["name"] == name).and_then(|f| f["median_ms"].as_f64()) {
            println!("{name}: {ours:.3} ms, fastest peer {peer} ms");
        }
    }
}

/// Builds the limit program and runs it on the same data.
fn run_limit(folder: &Path, ldbc: &Path) -> Result<Json, Box<dyn std::error::Error>> {
    let target = std::env::temp_dir().join("mangrove-limit");
    let copy = target.join("source");
    // The folder may be read-only and cargo writes a lock file.
    copy_folder(folder, &copy)?;
    let built = Command::new("cargo")
        .args(["build", "--release", "--quiet", "--manifest-path"])
        .arg(copy.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(target.join("target"))
        .status()?;
    if !built.success() {
        return Err("the limit program does not build".into());
    }
    let out = target.join("limit.json");
    let ran = Command::new(target.join("target/release/limit"))
        .arg("--data")
        .arg(ldbc)
        .args(["--sf", "bench", "--out"])
        .arg(&out)
        .stdout(std::process::Stdio::null())
        .status()?;
    if !ran.success() {
        return Err("the limit program failed".into());
    }
    Ok(serde_json::from_slice(&std::fs::read(out)?)?)
}

fn copy_folder(from: &Path, to: &PathBuf) -> std::io::Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            std::fs::write(target, std::fs::read(entry.path())?)?;
        }
    }
    Ok(())
}
