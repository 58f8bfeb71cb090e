//! What a graph takes in memory and on disk, and what for.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::Arc;

use graph::{Graph, GraphOptions, SectionKind, SectionSizes};
use serde_json::{Value as Json, json};
use store::{FjallOptions, FjallStore, Store};

use crate::measure::time;
use crate::report::{Report, rounded};

/// The parts of an adjacency section that make up the edges themselves, without their properties.
const BARE: [&str; 3] = ["offsets", "neighbours", "seqs"];

/// Loads everything in `graph`, which was imported from `files`, and writes `memory.json` (the whole, with the bytes per
/// directed edge and direction) and `memory_kinds.json` (by kind of section). A megabyte is 2²⁰ bytes.
///
/// # Errors
/// If the graph cannot be opened or read, or has no edges.
pub fn bench(graph: &Path, files: &Path, report: &Report) -> Result<(), Box<dyn std::error::Error>> {
    let before = resident_mb()?;
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(graph, FjallOptions::default())?);
    let opened = Graph::open(Arc::clone(&store), GraphOptions::default())?;
    let (seconds, kinds) = time(|| opened.layout());
    let kinds = kinds?;
    let resident = resident_mb()? - before;
    let edges = opened.stats().edge_count();
    if edges == 0 {
        return Err("the graph has no edges".into());
    }
    report.rows("memory_kinds", &kinds.iter().map(|sizes| row(sizes, edges)).collect::<Vec<_>>())?;
    let mut keyspaces = Vec::new();
    for name in store.keyspace_names() {
        // Its shape is what it was made with; that of a keyspace that is there is not changed.
        let keyspace = store.keyspace(&name, store::KeyspaceShape::Small)?;
        let size = store.approximate_size(&keyspace)?;
        keyspaces.push(json!({ "keyspace": name, "keys": size.keys, "mb": mb(size.bytes) }));
    }
    report.rows("memory_keyspaces", &keyspaces)?;
    let (disk, csv) = (folder_bytes(graph, "")?, folder_bytes(files, ".csv")?);
    report.figures(
        "memory",
        &json!({
            "vertices": opened.stats().vertex_count(), "edges": edges,
            "resident_mb": rounded(resident), "sections_mb": mb(kinds.iter().map(SectionSizes::bytes).sum()),
            "load_seconds": rounded(seconds.as_secs_f64()),
            "bytes_per_edge": rounded(bare_bytes(&kinds) as f64 / (2 * edges) as f64),
            "disk_mb": mb(disk), "csv_mb": mb(csv), "disk_to_csv": rounded(disk as f64 / csv as f64),
        }),
    )?;
    Ok(())
}

/// One kind of section.
fn row(sizes: &SectionSizes, edges: u64) -> Json {
    let of = |part: &str| sizes.parts.iter().find(|(name, _)| name == part).map_or(0, |(_, bytes)| *bytes);
    let bare: u64 = BARE.iter().map(|part| of(part)).sum();
    json!({
        "kind": sizes.kind.to_string(), "sections": sizes.sections,
        "stored_mb": mb(sizes.stored_bytes), "memory_mb": mb(sizes.bytes()),
        "offsets_mb": mb(of("offsets")), "neighbours_mb": mb(of("neighbours")), "seqs_mb": mb(of("seqs")),
        "other_mb": mb(sizes.bytes() - bare),
        "memory_per_edge": rounded(sizes.bytes() as f64 / edges as f64),
    })
}

/// Bytes of all adjacency, without the properties of edges.
fn bare_bytes(kinds: &[SectionSizes]) -> u64 {
    let adjacency = kinds
        .iter()
        .filter(|sizes| matches!(sizes.kind, SectionKind::Adjacency(..) | SectionKind::Trees(..)));
    let parts = adjacency.flat_map(|sizes| &sizes.parts);
    parts.filter(|(name, _)| BARE.contains(&name.as_str())).map(|(_, bytes)| bytes).sum()
}

fn mb(bytes: u64) -> Json {
    rounded(bytes as f64 / f64::from(1 << 20))
}

/// Memory of this process that is in RAM, in megabytes.
///
/// # Errors
/// If the kernel does not say.
pub fn resident_mb() -> Result<f64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("the kernel counts no memory")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<f64>()? / 1024.0)
}

/// Bytes that the files of a folder, and of the folders in it, take on disk; those whose names end in `ending`.
fn folder_bytes(folder: &Path, ending: &str) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let metadata = entry.metadata()?;
        if metadata.is_dir() {
            bytes += folder_bytes(&entry.path(), ending)?;
        } else if entry.file_name().to_string_lossy().ends_with(ending) {
            // Allocated blocks of 512 bytes, whatever the file system's own are: part of a log may be a hole.
            bytes += metadata.blocks() * 512;
        }
    }
    Ok(bytes)
}
