//! What a graph is opened with: bounds and sizes.

use std::time::Duration;

/// Bounds and sizes of a graph.
#[derive(Clone, Debug)]
pub struct GraphOptions {
    /// Whether nothing is to change it but what makes it quicker to open and to read: commits, schemas, indexes and loads are
    /// refused.
    pub read_only: bool,
    /// Bytes of log after which dirty sections are flushed and the log is trimmed.
    pub log_bytes: u64,
    /// Bytes of sections that a flush gathers for one write to the store; at most 24 MiB, and a 32nd of the cache or 1 MiB.
    pub flush_batch_bytes: usize,
    /// Versions that a section's delta must exceed, and a quarter of its base, before it is merged into the base.
    pub merge_versions: usize,
    /// Most writes that one transaction can buffer.
    pub transaction_writes: usize,
    /// Most bytes that one transaction can buffer; at most 48 MiB, since its log record is written at once.
    pub transaction_bytes: usize,
    /// Most bytes of memory that the writes of all open transactions take together, until they are committed or rolled back. A
    /// write counts 640 bytes, and its values five times. Each transaction may hold 64 KiB in any case.
    pub held_bytes: usize,
    /// How long a list gets before it becomes an edge-tree, and how large the nodes of the tree get.
    pub tree: TreeBounds,
    /// Bytes of sections and tree nodes that stay in memory. What a flush has not written yet, what old snapshots need,
    /// and what the batches that run at the moment read comes on top while it lasts.
    pub cache_bytes: usize,
    /// Bytes of edges that a bulk load keeps in memory, and a sixteenth as many of vertices; what is more goes through
    /// temporary files beside the graph, which take about the bytes that it would have taken in memory. Graphs that are not on
    /// disk keep all in memory.
    pub bulk_bytes: usize,
    /// When lists get secondary edge-trees.
    pub secondary: SecondaryOptions,
    /// Whether a thread makes room in the cache before it is needed. Without one, whoever loads something makes it.
    pub keeper: bool,
    /// Bytes of the log that are applied at a time when the graph is opened, at most an eighth of the cache or 1 MiB: their
    /// edges take some six times as much memory meanwhile, of which up to half of the cache is left to them.
    pub replay_bytes: usize,
    /// Threads that apply the log then, beside one that decodes it. At most 1: all is done by the thread that opens.
    pub replay_threads: usize,
    /// Loads at a time, of requests that load little and of requests that load much.
    pub pools: PoolOptions,
}

impl Default for GraphOptions {
    /// 256 MiB of log, flushed by 16 MiB; deltas of 256 versions; a million writes and 48 MiB per transaction, 1 GiB
    /// for all that are open; a cache of 1 GiB, and as much for bulk loads.
    fn default() -> Self {
        Self {
            read_only: false,
            log_bytes: 256 << 20,
            flush_batch_bytes: 16 << 20,
            merge_versions: 256,
            transaction_writes: 1 << 20,
            transaction_bytes: MAX_TRANSACTION_BYTES,
            held_bytes: 1 << 30,
            tree: TreeBounds::default(),
            cache_bytes: 1 << 30,
            bulk_bytes: 1 << 30,
            secondary: SecondaryOptions::default(),
            keeper: true,
            replay_bytes: 32 << 20,
            replay_threads: std::thread::available_parallelism().map_or(1, usize::from).min(8),
            pools: PoolOptions::default(),
        }
    }
}

const MAX_TRANSACTION_BYTES: usize = 48 << 20;

/// Bounds of the nodes of edge-trees as they are configured, in edges (of edge nodes) or entries (of meta nodes).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TreeBounds {
    /// Two neighbouring edge nodes below this are merged.
    pub min: usize,
    /// An edge node above this is split; a packed list above this becomes a tree, and goes back when it has half as many.
    pub max: usize,
    /// A meta node above this is split.
    pub fan_out: usize,
}

impl Default for TreeBounds {
    /// ByteGraph's: 1,000 and 2,000.
    fn default() -> Self {
        Self { min: 1000, max: 2000, fan_out: 2000 }
    }
}

impl TreeBounds {
    /// A list that has a tree and no more edges than this goes back into its section.
    ///
    /// Half of what it takes to become one: between the two moves, each of which writes no more than `max` edges of the list, there
    /// are at least `max / 2` changes of it, whatever they are. So moving costs each of them no more than two of its edges;
    /// and a move writes the other lists of the section again.
    pub(crate) fn packed_again(self) -> usize {
        self.max / 2
    }

    /// The nearest bounds that a tree can keep: nodes hold at least two, and two merged ones need no split.
    pub(crate) fn clamped(self) -> Self {
        let max = self.max.clamp(2, 1 << 20);
        Self { min: self.min.min(max / 2), max, fan_out: self.fan_out.clamp(2, 1 << 16) }
    }
}

impl GraphOptions {
    /// The nearest ones that can be kept.
    pub(crate) fn clamped(self) -> Self {
        let share = (self.cache_bytes / 32).max(1 << 20);
        Self {
            transaction_bytes: self.transaction_bytes.min(MAX_TRANSACTION_BYTES),
            tree: self.tree.clamped(),
            flush_batch_bytes: self.flush_batch_bytes.min(MAX_TRANSACTION_BYTES / 2).min(share),
            replay_bytes: self.replay_bytes.min((self.cache_bytes / 8).max(1 << 20)),
            ..self
        }
    }
}

/// When secondary edge-trees are built, and by how many threads.
#[derive(Clone, Debug, PartialEq)]
pub struct SecondaryOptions {
    /// Threads that build trees; none builds any, and those that are there are kept up to date.
    pub builders: usize,
    /// The part of a processor core that one of these threads takes while it builds: from above 0 to 1.
    pub share: f64,
    /// How long the benefit of a tree is measured before something is decided.
    pub period: Duration,
    /// The part of all edge nodes read in a period that a tree must have saved for it to be built (equation 2 of ByteGraph).
    /// Below a quarter of it, for [`SecondaryOptions::patience`] periods, a tree is dropped.
    pub threshold: f64,
    /// Periods that a tree may not pay before it is dropped.
    pub patience: u32,
    /// Edges that are sorted in memory at once.
    pub sort_edges: usize,
}

impl Default for SecondaryOptions {
    /// One thread with half a core; periods of ten seconds; a twentieth of the nodes; five minutes of patience; half a
    /// million edges.
    fn default() -> Self {
        Self {
            builders: 1,
            share: 0.5,
            period: Duration::from_secs(10),
            threshold: 0.05,
            patience: 30,
            sort_edges: 1 << 19,
        }
    }
}

/// Sizes of the I/O pools of a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolOptions {
    /// Loads that light requests do at a time; at least 1.
    pub light: usize,
    /// Loads that heavy requests do at a time, to begin with; at least 1.
    pub heavy: usize,
    /// Loads that heavy requests may come to do at a time. No more than `heavy`: the size stays as it is.
    pub most_heavy: usize,
    /// Loads of one request after which it is heavy, and writes of one commit; `u64::MAX`: there is one pool for all.
    pub heavy_after: u64,
    /// Loads of one batch that are asked for at a time, where loads take long: by who reads it and by threads that help. At
    /// most 1: one after the other.
    pub together: usize,
}

impl Default for PoolOptions {
    /// 32 light loads at a time; 4 heavy ones that may become 32; heavy after 128 loads; 16 of a batch together.
    fn default() -> Self {
        Self { light: 32, heavy: 4, most_heavy: 32, heavy_after: 128, together: 16 }
    }
}
