//! Import of an LDBC network, in a process of its own so that its peak memory is its own.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use serde_json::json;

use crate::graph_under_test::open;
use crate::report::{Report, rounded};

/// Imports `ldbc` into a fresh folder with the `mangrove` program beside this one, and writes `import.json`.
///
/// # Errors
/// If the import fails.
pub fn bench(program: &Path, ldbc: &Path, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-import-{}", std::process::id()));
    let began = Instant::now();
    let child = Command::new(program)
        .arg("import")
        .arg("--data")
        .arg(&folder)
        .arg(ldbc)
        .stdout(std::process::Stdio::null())
        .spawn()?;
    let peak = watch(child)?;
    let seconds = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let database = open(&folder, 1)?;
    let first = database.query("g.V().hasLabel('Person').limit(1).count()")?.next().transpose()?;
    let reopen = began.elapsed().as_secs_f64();
    let stats = database.stats();
    let figures = json!({
        "dataset": ldbc.file_name().map(|n| n.to_string_lossy().into_owned()),
        "vertices": stats.vertex_count(), "edges": stats.edge_count(),
        "seconds": rounded(seconds), "peak_mb": rounded(peak), "reopen_seconds": rounded(reopen),
        "first_answer": first.map(|v| v.to_string()),
    });
    drop(database);
    std::fs::remove_dir_all(&folder)?;
    report.rows("import", &[figures])?;
    Ok(())
}

/// Waits for the child and says its peak memory in MB, as the kernel counted it.
fn watch(mut child: std::process::Child) -> Result<f64, Box<dyn std::error::Error>> {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0.0f64;
    loop {
        if let Some(ended) = child.try_wait()? {
            return if ended.success() { Ok(peak) } else { Err("the import failed".into()) };
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let high_water = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kib) = high_water.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok()) {
            peak = peak.max(kib / 1024.0);
        }
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
}
