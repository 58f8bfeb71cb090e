//! How large the nodes of edge-trees get.

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
