//! Sections: the unit of caching, loading and flushing. Each is an immutable *base* and a small *delta* of stamped
//! versions over it.

mod adjacency;
mod adjacency_builder;
mod bits;
mod column;
mod delta;
mod index;
mod mergeable;
mod merged_list;
mod ordered;
mod presence;
mod values;

pub(crate) use adjacency::{Adjacency, EdgeCells, EdgeChange, EdgeChangeKind, EdgePlace, FoundEdge};
#[cfg(test)]
pub(crate) use adjacency_builder::AdjacencyBuilder;
pub(crate) use bits::Bits;
pub(crate) use column::Column;
pub(crate) use index::{IndexChange, IndexPartition, PARTITIONS, entry as index_entry, partition_of};
pub(crate) use mergeable::Mergeable;
pub(crate) use merged_list::MergedList;
pub(crate) use ordered::{OrderedEntry, OrderedPartition};
pub(crate) use presence::{Presence, VertexState};
pub(crate) use values::{Rows, Values, ValuesBuilder};

/// Slots of a block.
pub(crate) const SLOTS: usize = 1024;
