//! Sections: the unit of caching, loading and flushing. Each is an immutable *base* and a small *delta* of stamped
//! versions over it.

mod adjacency;
mod adjacency_builder;
mod appended;
mod bits;
mod column;
mod convert;
mod delta;
mod dictionary;
mod in_order;
mod index;
mod mergeable;
mod merged_list;
mod order;
mod ordered;
mod parts;
mod presence;
mod values;
mod values_builder;

pub(crate) use adjacency::{
    Adjacency, EdgeCells, EdgeChange, EdgeChangeKind, EdgePlace, FoundEdge, identity,
};
pub(crate) use adjacency_builder::AdjacencyBuilder;
pub(crate) use appended::Added;
pub(crate) use bits::Bits;
pub(crate) use column::Column;
pub(crate) use convert::{Conversions, Convert};
pub(crate) use delta::Delta;
pub(crate) use dictionary::Dictionary;
pub(crate) use in_order::InOrder;
pub(crate) use index::{IndexChange, IndexPartition, PARTITIONS, entry as index_entry, partition_of};
pub(crate) use mergeable::Mergeable;
pub(crate) use merged_list::{MergedList, OwnChanges};
pub(crate) use order::{Order, SortPlace, order_values};
pub(crate) use ordered::{EntryRef, OrderedEntry, OrderedPartition};
pub(crate) use parts::{Part, Parts};
pub(crate) use presence::{Presence, VertexState};
pub(crate) use values::{Rows, Values};
pub(crate) use values_builder::ValuesBuilder;

/// Slots of a block.
pub(crate) const SLOTS: usize = 1024;
