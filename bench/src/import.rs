//! Import of an LDBC network, in a process of its own so that its peak memory is its own.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value as Json, json};

use crate::graph_under_test::open;
use crate::report::{Report, rounded};

/// Imports each of `networks` into a fresh folder with the `mangrove` program beside this one, and writes `import.json`: a
/// row for each, with how long an edge took beside the first network's, by the clock and in processor time (which others on
/// the machine disturb less).
///
/// # Errors
/// If an import fails.
pub fn bench(
    program: &Path,
    networks: &[PathBuf],
    report: &Report,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut rows = Vec::new();
    let mut first = None;
    for network in networks {
        let folder = std::env::temp_dir().join(format!("mangrove-bench-import-{}", std::process::id()));
        let measured = measure(program, network, &folder);
        std::fs::remove_dir_all(&folder)?;
        let Measured { mut figures, nanos_per_edge, cpu_nanos_per_edge } = measured?;
        let (wall, cpu) = *first.get_or_insert((nanos_per_edge, cpu_nanos_per_edge));
        figures["to_first"] = rounded(nanos_per_edge / wall);
        figures["cpu_to_first"] = rounded(cpu_nanos_per_edge / cpu);
        rows.push(figures);
    }
    report.rows("import", &rows)?;
    Ok(())
}

struct Measured {
    figures: Json,
    nanos_per_edge: f64,
    cpu_nanos_per_edge: f64,
}

fn measure(program: &Path, network: &Path, folder: &Path) -> Result<Measured, Box<dyn std::error::Error>> {
    let began = Instant::now();
    let child = Command::new(program)
        .arg("import")
        .arg("--data")
        .arg(folder)
        .arg(network)
        .stdout(std::process::Stdio::null())
        .spawn()?;
    let (peak, cpu) = watch(child)?;
    let seconds = began.elapsed().as_secs_f64();
    let began = Instant::now();
    let database = open(folder, 1)?;
    let first = database.query("g.V().hasLabel('Person').limit(1).count()")?.next().transpose()?;
    let reopen = began.elapsed().as_secs_f64();
    let stats = database.stats();
    let per_edge = |seconds: f64| seconds * 1e9 / stats.edge_count().max(1) as f64;
    let figures = json!({
        "dataset": network.file_name().map(|n| n.to_string_lossy().into_owned()),
        "vertices": stats.vertex_count(), "edges": stats.edge_count(),
        "seconds": rounded(seconds), "nanos_per_edge": rounded(per_edge(seconds)),
        "cpu_seconds": rounded(cpu), "cpu_nanos_per_edge": rounded(per_edge(cpu)),
        "peak_mb": rounded(peak), "reopen_seconds": rounded(reopen),
        "first_answer": first.map(|v| v.to_string()),
    });
    Ok(Measured { figures, nanos_per_edge: per_edge(seconds), cpu_nanos_per_edge: per_edge(cpu) })
}

/// Waits for the child; its peak memory in MB and its processor time in seconds, as the kernel counted them.
fn watch(mut child: std::process::Child) -> Result<(f64, f64), Box<dyn std::error::Error>> {
    let process = format!("/proc/{}", child.id());
    let (mut peak, mut cpu) = (0.0f64, 0.0f64);
    loop {
        if let Some(ended) = child.try_wait()? {
            return if ended.success() { Ok((peak, cpu)) } else { Err("the import failed".into()) };
        }
        let text = std::fs::read_to_string(format!("{process}/status")).unwrap_or_default();
        let high_water = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kib) = high_water.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok()) {
            peak = peak.max(kib / 1024.0);
        }
        let text = std::fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
        cpu = cpu.max(processor_seconds(&text).unwrap_or(0.0));
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
}

/// User and system time from the text of `/proc/PID/stat`: its 14th and 15th field, in hundredths of a second on every
/// Linux that we build for.
fn processor_seconds(stat: &str) -> Option<f64> {
    // The second field, the program's name in parentheses, may contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11).map_while(|field| field.parse::<f64>().ok());
    Some((ticks.next()? + ticks.next()?) / 100.0)
}
