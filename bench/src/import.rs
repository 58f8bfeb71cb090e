//! Import of an LDBC network, in a process of its own so that its peak memory is its own.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

use crate::graph_under_test::open;
use crate::report::{Report, rounded};

/// Imports each of `networks` into a fresh folder with the `mangrove` program beside this one, all of them in turn so many
/// `rounds`, and writes `import.json`: a row for each import, and how long an edge took beside the first network's, by the
/// clock and in processor time (which others on the machine disturb less); with several rounds, the medians of both are
/// compared.
///
/// The files are read once before, so that they are in memory, as far as it goes: the disk is not what is measured.
///
/// A virtual machine may give memory that is free back to its host (free page reporting: after 2 s on Linux), and then it
/// takes seconds a GB to have it again. Of imports in a row, one that needs less memory than the one before finds it at
/// hand, and one that needs more pays for it: with a `rest` before each, all of them start alike, and all of them pay.
///
/// # Errors
/// If an import fails.
pub fn bench(
    program: &Path,
    networks: &[PathBuf],
    rounds: u32,
    rest: Duration,
    report: &Report,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut runs: Vec<Vec<Measured>> = networks.iter().map(|_| Vec::new()).collect();
    for _ in 0..rounds {
        for (network, runs) in networks.iter().zip(&mut runs) {
            read_through(network)?;
            std::thread::sleep(rest);
            let folder = std::env::temp_dir().join(format!("mangrove-bench-import-{}", std::process::id()));
            let measured = measure(program, network, &folder);
            std::fs::remove_dir_all(&folder)?;
            let measured = measured?;
            eprintln!("{}: {} s", network.display(), measured.figures["seconds"]);
            runs.push(measured);
        }
    }
    report.rows("import", &compared(runs))?;
    Ok(())
}

/// The figures of all runs, network by network, each beside those of the first network.
fn compared(runs: Vec<Vec<Measured>>) -> Vec<Json> {
    let medians: Vec<[f64; 2]> = runs
        .iter()
        .map(|runs| [median(runs, |run| run.nanos_per_edge), median(runs, |run| run.cpu_nanos_per_edge)])
        .collect();
    let mut rows = Vec::new();
    for (runs, [wall, cpu]) in runs.into_iter().zip(&medians) {
        for Measured { mut figures, .. } in runs {
            figures["to_first"] = rounded(wall / medians[0][0]);
            figures["cpu_to_first"] = rounded(cpu / medians[0][1]);
            rows.push(figures);
        }
    }
    rows
}

/// The median of a figure; the greater of the two in the middle if there are two.
fn median(runs: &[Measured], figure: impl Fn(&Measured) -> f64) -> f64 {
    let mut figures: Vec<f64> = runs.iter().map(figure).collect();
    figures.sort_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Reads every file below a directory.
fn read_through(directory: &Path) -> io::Result<()> {
    let mut buffer = vec![0; 1 << 20];
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(directory)? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else {
                let mut file = File::open(path)?;
                while file.read(&mut buffer)? > 0 {}
            }
        }
    }
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
    let Watched { peak, user, system } = watch(child)?;
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), user + system);
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
        "cpu_seconds": rounded(cpu), "of_it_system": rounded(system), "cpu_nanos_per_edge": rounded(per_edge(cpu)),
        "peak_mb": rounded(peak), "reopen_seconds": rounded(reopen),
        "first_answer": first.map(|v| v.to_string()),
    });
    Ok(Measured { figures, nanos_per_edge: per_edge(seconds), cpu_nanos_per_edge: per_edge(cpu) })
}

/// What a process took.
#[derive(Default)]
struct Watched {
    /// Its peak memory in MB.
    peak: f64,
    /// Seconds in the program.
    user: f64,
    /// Seconds in the kernel: files, and each page of memory that is new.
    system: f64,
}

/// Waits for the child; what it took, as the kernel counted.
fn watch(mut child: std::process::Child) -> Result<Watched, Box<dyn std::error::Error>> {
    let process = format!("/proc/{}", child.id());
    let mut watched = Watched::default();
    loop {
        if let Some(ended) = child.try_wait()? {
            return if ended.success() { Ok(watched) } else { Err("the import failed".into()) };
        }
        let text = std::fs::read_to_string(format!("{process}/status")).unwrap_or_default();
        let high_water = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        if let Some(kib) = high_water.and_then(|l| l.trim().trim_end_matches(" kB").parse::<f64>().ok()) {
            watched.peak = watched.peak.max(kib / 1024.0);
        }
        let text = std::fs::read_to_string(format!("{process}/stat")).unwrap_or_default();
        if let Some((user, system)) = processor_seconds(&text) {
            (watched.user, watched.system) = (user, system);
        }
        std::thread::park_timeout(std::time::Duration::from_millis(20));
    }
}

/// User and system time from the text of `/proc/PID/stat`: its 14th and 15th field, in hundredths of a second on every
/// Linux that we build for.
fn processor_seconds(stat: &str) -> Option<(f64, f64)> {
    // The second field, the program's name in parentheses, may contain anything.
    let (_, fields) = stat.rsplit_once(')')?;
    let mut ticks = fields.split_whitespace().skip(11).map_while(|field| field.parse::<f64>().ok());
    Some((ticks.next()? / 100.0, ticks.next()? / 100.0))
}
