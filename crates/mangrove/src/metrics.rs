//! What there is to measure of a graph, for `/metrics`.

use std::borrow::Cow;
use std::cmp::Reverse;

use graph::{CommitCounts, GraphStats, PoolCounts, TreeUse};
use server::{Metric, MetricKind};
use values::Str;

/// The metrics of a graph with these sizes and counters, which has refused so many requests that lost every time, and so
/// many transactions of sessions open.
pub(crate) fn of(stats: &GraphStats, refused: u64, open: usize) -> Vec<Metric> {
    let mut metrics = Vec::new();
    metrics.push(gauge("open_transactions", "Transactions of sessions that are open", open as f64));
    for (label, count) in most(&stats.vertices, |count| *count, |a, b| a + b) {
        metrics.push(labelled(gauge("vertices", "Vertices", count as f64), "label", &label));
    }
    for (label, count) in most(&stats.edges, |count| *count, |a, b| a + b) {
        metrics.push(labelled(gauge("edges", "Edges", count as f64), "label", &label));
    }
    memory(stats, &mut metrics);
    disk(stats, &mut metrics);
    commits(&stats.commits, refused, &mut metrics);
    pool("light", &stats.pools.light, &mut metrics);
    pool("heavy", &stats.pools.heavy, &mut metrics);
    // The first ones: a counter of the others must not fall since one of them has become large.
    for (label, used) in most(&stats.tree_use, |_| 0, add_tree_use) {
        trees(&label, &used, &mut metrics);
    }
    metrics
}

/// A metric has a line for so many labels at most, and one for the others together: whoever reads it keeps a series for each
/// line, and a graph may have tens of thousands of labels.
const MOST_LABELS: usize = 200;
/// What the others are called.
const OTHERS: &str = "(other)";

/// The labels with the most of something, in their order, and what `add` makes of the rest.
fn most<T: Copy>(
    labels: &[(Str, T)],
    much: impl Fn(&T) -> u64,
    add: impl Fn(T, T) -> T,
) -> Vec<(Cow<'_, str>, T)> {
    let mut order: Vec<usize> = (0..labels.len()).collect();
    order.sort_by_key(|&i| Reverse(much(&labels[i].1)));
    let others = order.split_off(order.len().min(MOST_LABELS));
    order.sort_unstable();
    let named = order.into_iter().map(|i| (Cow::from(labels[i].0.as_str()), labels[i].1));
    let rest = others.into_iter().map(|i| labels[i].1).reduce(add);
    named.chain(rest.map(|rest| (Cow::from(OTHERS), rest))).collect()
}

fn add_tree_use(a: TreeUse, b: TreeUse) -> TreeUse {
    TreeUse {
        lists: a.lists + b.lists,
        nodes_read: a.nodes_read + b.nodes_read,
        nodes_changed: a.nodes_changed + b.nodes_changed,
        node_edges: a.node_edges.max(b.node_edges),
    }
}

fn memory(stats: &GraphStats, metrics: &mut Vec<Metric>) {
    metrics.extend([
        gauge("cache_bytes", "Bytes of sections and tree nodes in memory", stats.cache_bytes as f64),
        gauge("sections_in_memory", "Sections and tree nodes in memory", stats.sections_loaded as f64),
        gauge(
            "delta_entries",
            "Versions that wait to be merged into their sections",
            stats.delta_entries as f64,
        ),
        gauge("trees", "Edge-trees whose sections are in memory", stats.trees as f64),
        gauge("secondary_trees", "Secondary edge-trees", stats.secondary_trees as f64),
        counter(
            "lists_packed_again",
            "Lists that have gone back from an edge-tree into their section",
            stats.lists_packed_again as f64,
        ),
        counter("loads", "Sections and tree nodes read from disk", stats.loads as f64),
        counter("loaded_bytes", "Their bytes, as they are in memory", stats.loaded_bytes as f64),
        counter("evictions", "Sections and tree nodes put out of memory", stats.evictions as f64),
    ]);
}

fn disk(stats: &GraphStats, metrics: &mut Vec<Metric>) {
    metrics.extend([
        gauge("sections_on_disk", "Sections of the last checkpoint", stats.sections_stored as f64),
        gauge("log_bytes", "Bytes of log since the last checkpoint", stats.log_bytes as f64),
        counter("log_written_bytes", "Bytes of log records written", stats.log_bytes_written as f64),
        counter(
            "section_written_bytes",
            "Bytes of sections and tree nodes written beside the log",
            stats.section_bytes_written as f64,
        ),
    ]);
    if let Some(amplification) = stats.write_amplification() {
        let help = "Bytes handed to the store for each byte of log records";
        metrics.push(gauge("write_amplification", help, amplification));
    }
}

/// What has become of commits.
fn commits(counts: &CommitCounts, refused: u64, metrics: &mut Vec<Metric>) {
    let help = "Writing transactions that were to commit, each try of one that is run again";
    metrics.push(counter("commit_attempts", help, counts.attempts as f64));
    let conflicts = [("changed", counts.changed), ("reserved", counts.reserved)];
    for (reason, count) in conflicts {
        let help = "Those of them that did not: what they read was changed, or what they touch was reserved";
        metrics.push(labelled(counter("commit_conflicts", help, count as f64), "reason", reason));
    }
    let help = "Requests that were refused since they lost each time that they were tried";
    metrics.push(counter("commits_refused", help, refused as f64));
}

/// What one I/O pool is doing.
fn pool(name: &str, counts: &PoolCounts, metrics: &mut Vec<Metric>) {
    let mut add = |metric| metrics.push(labelled(metric, "pool", name));
    add(gauge("pool_size", "Loads that an I/O pool does at a time", counts.size as f64));
    add(gauge("pool_running", "Loads under way in an I/O pool", counts.running as f64));
    add(gauge("pool_waiting", "Loads and requests that wait for their turn", counts.waiting as f64));
    add(counter("pool_loads", "Loads that an I/O pool has done", counts.loads as f64));
    add(counter("pool_time_outs", "Requests that were not done in time", counts.time_outs as f64));
}

/// How the edge-trees of one edge label are used.
fn trees(label: &str, used: &TreeUse, metrics: &mut Vec<Metric>) {
    let TreeUse { lists, nodes_read, nodes_changed, node_edges } = *used;
    let mut add = |metric| metrics.push(labelled(metric, "edge_label", label));
    add(gauge("tree_node_edges", "Edges that a new node of an edge-tree may hold", node_edges as f64));
    add(counter("tree_reads", "Times that somebody began to read a list with an edge-tree", lists as f64));
    add(counter("tree_nodes_read", "Edge nodes read", nodes_read as f64));
    add(counter("tree_nodes_changed", "Changes of edge nodes in the midst of lists", nodes_changed as f64));
    if lists > 0 {
        let help = "Edge nodes read each time that somebody began to read a list with an edge-tree";
        add(gauge("read_amplification", help, nodes_read as f64 / lists as f64));
    }
}

fn gauge(name: &'static str, help: &'static str, value: f64) -> Metric {
    Metric { name, help, kind: MetricKind::Gauge, labels: Vec::new(), value }
}

fn counter(name: &'static str, help: &'static str, value: f64) -> Metric {
    Metric { kind: MetricKind::Counter, ..gauge(name, help, value) }
}

fn labelled(mut metric: Metric, label: &'static str, value: &str) -> Metric {
    metric.labels.push((label, value.to_owned()));
    metric
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_many_labels_the_largest_have_lines_and_the_others_one_together() {
        let labels: Vec<(Str, u64)> = (0..1_000).map(|n| (Str::from(format!("label {n}")), n)).collect();
        let shown = most(&labels, |count| *count, |a, b| a + b);
        assert_eq!(shown.len(), MOST_LABELS + 1);
        assert_eq!(shown[0], ("label 800".into(), 800));
        assert_eq!(shown[MOST_LABELS], (OTHERS.into(), (0..800).sum()));
        assert_eq!(most(&labels[..MOST_LABELS], |count| *count, |a, b| a + b).len(), MOST_LABELS);
        assert!(most(&[] as &[(Str, u64)], |count| *count, |a, b| a + b).is_empty());
    }
}
