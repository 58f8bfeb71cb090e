//! What a graph can tell about itself.

use values::Str;

use crate::cache::PoolStats;
use crate::cells::SectionCell;
use crate::commit::{CommitCounts, Committer};
use crate::resident::{Memory, TreeUse};
use crate::sections::{Adjacency, Mergeable};

/// Sizes of a graph at one moment, for people, metrics and the planner.
#[derive(Clone, Debug, Default)]
pub struct GraphStats {
    /// Vertices per label, in the order of the label ids.
    pub vertices: Vec<(Str, u64)>,
    /// Edges per label, in the order of the label ids.
    pub edges: Vec<(Str, u64)>,
    /// Bytes of the sections in memory, bases only.
    pub section_bytes: u64,
    /// Bytes that count against the cache's budget: bases, versions over them, and what waits for its last readers.
    pub cache_bytes: u64,
    /// The most that they have been since the graph was opened, and while it was.
    pub most_cache_bytes: u64,
    /// Sections and tree nodes read from disk since the graph was opened.
    pub loads: u64,
    /// Sections and tree nodes put out of memory since the graph was opened.
    pub evictions: u64,
    /// What has become of commits since the graph was opened.
    pub commits: CommitCounts,
    /// What the I/O pools are doing.
    pub pools: PoolStats,
    /// Sections in memory.
    pub sections_loaded: u64,
    /// Sections that the last checkpoint has on disk.
    pub sections_stored: u64,
    /// Edge-trees whose sections are in memory.
    pub trees: u64,
    /// Lists that have gone back from an edge-tree into their section since the graph was opened.
    pub lists_packed_again: u64,
    /// Secondary edge-trees.
    pub secondary_trees: u64,
    /// Versions that are stacked on bases and wait to be merged.
    pub delta_entries: u64,
    /// How the edge-trees of each edge label are used, in the order of the label ids.
    pub tree_use: Vec<(Str, TreeUse)>,
    /// Bytes of sections and tree nodes read from disk since the graph was opened, as they are in memory.
    pub loaded_bytes: u64,
    /// Bytes of log records written since the graph was opened.
    pub log_bytes_written: u64,
    /// Bytes of sections and tree nodes written since the graph was opened, beside the log.
    pub section_bytes_written: u64,
    /// Bytes of log since the last checkpoint.
    pub log_bytes: u64,
    /// Stamp of the last commit.
    pub stamp: u64,
    /// Stamp of the last checkpoint.
    pub checkpoint: u64,
}

impl GraphStats {
    /// Vertices of all labels.
    pub fn vertex_count(&self) -> u64 {
        self.vertices.iter().map(|(_, count)| count).sum()
    }
    /// Edges of all labels.
    pub fn edge_count(&self) -> u64 {
        self.edges.iter().map(|(_, count)| count).sum()
    }

    /// Bytes handed to the store for each byte of log records, since the graph was opened. The store itself writes them to its
    /// own log, to its tables, and again when it merges these. None before anything was committed.
    pub fn write_amplification(&self) -> Option<f64> {
        let written = self.log_bytes_written + self.section_bytes_written;
        (self.log_bytes_written > 0).then(|| written as f64 / self.log_bytes_written as f64)
    }

    pub(crate) fn of(committer: &Committer) -> Self {
        let (catalog, counts) = (committer.catalog(), committer.counts.newest());
        let labels = catalog.vertex_labels();
        let vertices = labels.map(|(label, name)| (name.clone(), counts.vertices(Some(label)))).collect();
        let labels = catalog.edge_labels();
        let edges = labels.map(|(label, name)| (name.clone(), counts.edges(Some(label)))).collect();
        let labels = catalog.edge_labels();
        let tree_use = labels.map(|(label, name)| (name.clone(), committer.node_sizes.of(label))).collect();
        let mut stats = Self { vertices, edges, tree_use, ..Self::default() };
        stats.loaded_bytes = committer.cache.loaded_bytes();
        stats.log_bytes_written = committer.log.written();
        stats.section_bytes_written = committer.sections.written();
        {
            let writer = committer.lock_writer();
            (stats.stamp, stats.checkpoint, stats.log_bytes) =
                (writer.applied, writer.checkpoint, writer.log_bytes);
            stats.lists_packed_again = writer.went_back;
        }
        stats.cache_bytes = committer.cache.account.total() as u64;
        stats.most_cache_bytes = committer.cache.account.most() as u64;
        (stats.loads, stats.evictions) = (committer.cache.loaded(), committer.cache.evicted());
        stats.pools = committer.pools.stats();
        stats.commits = committer.commit_counts();
        stats.sections_stored = committer.sections_stored();
        stats.count_sections(committer);
        stats
    }

    fn count_sections(&mut self, memory: &Memory) {
        for (_, stripe) in memory.blocks.iter() {
            for tablet in stripe.tablets() {
                let block = stripe.block(tablet);
                self.count(&block.presence);
                block.columns.iter().for_each(|(_, cell)| self.count(cell));
                block.adjacency.iter().for_each(|(_, cell)| {
                    self.count(cell);
                    self.count_trees(cell);
                });
            }
        }
        for tree in memory.secondaries.live().into_iter().filter_map(|name| memory.secondaries.tree(name)) {
            self.secondary_trees += 1;
            let guard = crossbeam_epoch::pin();
            if let Some(root) = tree.root.loaded(&guard) {
                root.nodes().for_each(|node| self.count(&node.cell));
            }
        }
        memory.indexes.iter().for_each(|(_, cell)| self.count(cell));
        memory.ordered.iter().for_each(|(_, cell)| self.count(cell));
    }

    fn count_trees(&mut self, cell: &SectionCell<Adjacency>) {
        let guard = crossbeam_epoch::pin();
        for (_, tree) in cell.loaded(&guard).into_iter().flat_map(|section| section.trees()) {
            self.trees += 1;
            if let Some(root) = tree.root.loaded(&guard) {
                root.nodes().for_each(|node| self.count(&node.cell));
            }
        }
    }

    fn count<T: Mergeable>(&mut self, cell: &SectionCell<T>) {
        let guard = crossbeam_epoch::pin();
        if let Some(section) = cell.loaded(&guard) {
            self.sections_loaded += 1;
            self.section_bytes += section.bytes() as u64;
            self.delta_entries += section.delta_len() as u64;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, mpsc};
    use std::thread;
    use std::time::Duration;

    use crate::graph::Graph;
    use crate::model::GraphOptions;

    #[test]
    fn who_asks_does_not_wait_for_a_flush() {
        let graph = Graph::open(Arc::new(store::MemoryStore::new()), GraphOptions::default()).unwrap();
        let transaction = graph.begin();
        transaction.add_vertex(None, "person").unwrap();
        transaction.commit().unwrap();
        graph.flush().unwrap();
        let (answer, answered) = mpsc::channel();
        let flushing = graph.definer().hold_flushes();
        thread::scope(|scope| {
            scope.spawn(|| answer.send(graph.stats().sections_stored).unwrap());
            let stored = answered.recv_timeout(Duration::from_secs(10));
            drop(flushing);
            assert!(stored.is_ok_and(|stored| stored > 0), "{stored:?}");
        });
    }
}
