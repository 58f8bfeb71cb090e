//! `mangrove stats`.

use std::fmt::Write;

use mangrove::graph::GraphStats;

/// The sizes of a graph, for people.
pub fn report(stats: &GraphStats) -> String {
    let mut text = format!("{} vertices, {} edges\n", stats.vertex_count(), stats.edge_count());
    for (what, labels) in [("vertices", &stats.vertices), ("edges", &stats.edges)] {
        for (label, count) in labels.iter().filter(|(_, count)| *count > 0) {
            let _ = writeln!(text, "  {count:>12} {what} {label}");
        }
    }
    let _ = write!(
        text,
        "{} sections in memory ({:.1} MB), {} on disk; {} delta entries, {:.1} MB of log",
        stats.sections_loaded,
        stats.section_bytes as f64 / 1e6,
        stats.sections_stored,
        stats.delta_entries,
        stats.log_bytes as f64 / 1e6,
    );
    let _ = write!(
        text,
        "\n{:.1} MB of cache used; {} sections and tree nodes loaded and {} evicted since the graph was opened",
        stats.cache_bytes as f64 / 1e6,
        stats.loads,
        stats.evictions,
    );
    text
}
