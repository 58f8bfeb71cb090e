//! The sizes of a graph, and what is known about it: `mangrove stats`.

use std::fmt::Write;

use mangrove::graph::{Catalog, Dir, GraphStats, IndexDescription, SecondaryStatus, Statistics};

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

/// The secondary edge-trees, for people: a line each.
pub fn secondary(trees: &[SecondaryStatus]) -> String {
    trees.iter().map(|tree| format!("  secondary edge-tree: {tree}\n")).collect()
}

/// What is known about degrees and the values under indexes, for people: a line each.
pub fn known(catalog: &Catalog, statistics: &Statistics) -> String {
    let mut text = String::new();
    let about = if statistics.degrees_are_exact() { "" } else { "about " };
    for (vertex, edge, dir, histogram) in statistics.degrees() {
        let (vertex, edge) = (catalog.vertex_label_name(vertex), catalog.edge_label_name(edge));
        let way = if dir == Dir::Out { "out" } else { "in" };
        let _ = writeln!(
            text,
            "  {about}{} {vertex} have {way} {edge}: {:.1} each, at most {}",
            histogram.vertices(),
            histogram.average(),
            histogram.most(),
        );
    }
    for index in catalog.indexes() {
        let description = IndexDescription::of(&index.definition, catalog);
        let Some(values) = statistics.values(index) else {
            let _ = writeln!(text, "  index {description}: nothing known yet");
            continue;
        };
        let about = if values.is_exact() { "" } else { "about " };
        let distinct = (1..=index.definition.keys.len()).map(|keys| values.distinct(keys).to_string());
        let distinct = distinct.collect::<Vec<_>>().join(", ");
        let _ = writeln!(
            text,
            "  index {description}: {about}{} entries, {distinct} different",
            values.entries()
        );
    }
    text
}
