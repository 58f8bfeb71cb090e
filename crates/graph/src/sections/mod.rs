//! How a piece of a graph looks: columns, adjacency, parts of indexes, the nodes of edge-trees, their names and their bytes.
//! Sections are the unit of caching, loading and flushing; each is an immutable *base* and a small *delta* of stamped
//! versions over it. It must never know of a store or of threads: who loads, writes and frees sections is told elsewhere.

mod adjacency;
mod adjacency_builder;
mod appended;
mod bits;
mod codec;
mod column;
mod convert;
mod delta;
mod dictionary;
mod edge_ids;
mod in_order;
mod index;
mod key;
mod mergeable;
mod merged_list;
mod order;
mod ordered;
mod parts;
mod presence;
mod stripes;
mod tree;
mod values;
mod values_builder;

pub(crate) use adjacency::{Adjacency, EdgeChange, EdgeChangeKind, EdgePlace, FoundEdge, identity};
pub(crate) use adjacency_builder::AdjacencyBuilder;
pub(crate) use appended::Added;
pub(crate) use bits::Bits;
pub(crate) use codec::{EdgePiece, StoredSection, append_piece};
pub(crate) use column::Column;
pub(crate) use convert::Convert;
pub(crate) use edge_ids::{EDGE_ID_BYTES, EdgeIdEntry, edge_id_partition, edge_id_partition_key};
pub(crate) use in_order::InOrder;
pub(crate) use index::{
    EDGE_IDS, FIRST_INDEX, IndexChange, IndexPartition, PARTITIONS, VERTEX_IDS, entry as index_entry,
    partition_of,
};
pub(crate) use key::{SectionKey, SectionName, stripe_prefixes, tree_prefix};
pub(crate) use mergeable::Mergeable;
pub(crate) use merged_list::{MergedList, OwnChanges};
pub(crate) use order::{Order, OwnPlace, SortPlace, order_values, partition_point};
pub(crate) use ordered::{EntryRef, OrderedEntry, OrderedPartition};
pub(crate) use parts::{Part, Parts};
pub(crate) use presence::{Presence, VertexState};
pub(crate) use stripes::Stripes;
pub(crate) use tree::{
    Below, EdgeNode, EdgeTree, FirstEdge, Meta, NodePlace, Span, StoredMeta, StoredRoot, Target, TreeChange,
    TreeName, TreePart, TreeRoot, Windows, encode_meta, encode_root,
};
pub(crate) use values::{Rows, Values};
pub(crate) use values_builder::ValuesBuilder;
