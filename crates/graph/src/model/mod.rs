//! What a graph is made of as plain data: names and their numbers, types, values, the schema's definitions, the catalog,
//! operations, units of conflict, counts and degrees, and keys in order. It must never know where anything lies, in memory
//! or on disk, nor that there are threads.

mod address;
mod catalog;
mod counts;
mod degrees;
pub(crate) mod element_id;
mod names;
mod naming;
mod op;
mod options;
pub(crate) mod order_key;
mod property;
mod range_query;
mod read_unit;
mod scalar_hash;
mod schema;
mod statistics;
mod statistics_bytes;
pub(crate) mod units;
mod value_bytes;
mod value_ref;
mod value_statistics;

pub(crate) use address::{
    SLOTS, STRIPE_VERTICES, STRIPES, TABLETS, adjacency_number, list_of, slot_of, stripe_of, vertex_at,
};
pub use catalog::Catalog;
pub(crate) use catalog::{Declared, EDGE_ID_KEY, PROPERTY_ID_KEY};
pub(crate) use counts::{Counts, PublishedCounts};
pub use degrees::DegreeHistogram;
pub(crate) use degrees::DegreeTable;
pub use element_id::check;
pub use names::{Dir, EdgeLabelId, KeyId, VertexLabelId};
pub(crate) use names::{under_key, under_key_or};
pub use naming::{NameSpace, check_name, name_hash};
pub(crate) use naming::{Named, Names, NewNames};
pub(crate) use op::{Before, EdgeCells, Op, cells_weight, value_before};
pub use options::{GraphOptions, PoolOptions, SecondaryOptions, TreeBounds};
pub(crate) use order_key::increment;
pub use property::{Cardinality, PropertyEntry, PropertyId, Single};
pub(crate) use property::{PropertyCell, PropertyState, repeated};
pub use range_query::RangeQuery;
pub(crate) use range_query::bounds_of;
pub use read_unit::ReadUnit;
pub use scalar_hash::{for_each_equal_hash, index_hash};
pub(crate) use schema::{Conversions, Definitions, LabelOf, Retypes, Rules, embeds, retype};
pub use schema::{
    EdgeDescription, EdgeKey, EdgeKeyDescription, EdgeSchema, Index, IndexDefinition, IndexDescription,
    IndexKind, IndexState, NodeBounds, Schema, SchemaDescription, SchemaError, SchemaMode, ValueType,
    VertexDescription, VertexKey, VertexKeyDescription, VertexSchema, is_storable_type,
};
pub use statistics::Statistics;
pub(crate) use statistics::has_moved;
pub(crate) use statistics_bytes::{ValueTable, decode as decode_statistics, encode as encode_statistics};
pub(crate) use value_bytes::{unstorable, weight};
pub use value_ref::ValueRef;
pub use value_statistics::ValueStatistics;
pub(crate) use value_statistics::{COMMON, PARTS};

/// A stamp's bits, or inside a transaction the number of a write: what version chains are ordered by.
pub(crate) type Tick = u64;
