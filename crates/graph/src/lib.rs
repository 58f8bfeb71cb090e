//! The graph store: a durable, transactional property graph with index-free adjacency.
//!
//! ```
//! use std::sync::Arc;
//! use graph::{Cardinality, Dir, Graph, GraphOptions, Value};
//! use store::MemoryStore;
//!
//! let graph = Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default())?;
//! let transaction = graph.begin();
//! let marko = transaction.add_vertex(Some(Value::Int(1)), "person")?;
//! let josh = transaction.add_vertex(Some(Value::Int(4)), "person")?;
//! transaction.set_vertex_property(josh, Cardinality::Single, "age", Value::Int(32), &[])?;
//! transaction.add_edge(None, "knows", marko, josh)?;
//! transaction.commit()?;
//!
//! let snapshot = graph.snapshot();
//! let reader = snapshot.reader();
//! let (knows, age) = (snapshot.catalog().edge_label("knows").unwrap(), snapshot.catalog().key("age").unwrap());
//! for friend in reader.list(marko, knows, Dir::Out).neighbours() {
//!     assert_eq!(reader.value(friend, age), Some(Value::Int(32)));
//! }
//! snapshot.check()?;
//! # Ok::<(), graph::GraphError>(())
//! ```
//!
//! # Where things are
//!
//! ```text
//!  Graph ── snapshot ─▶ Snapshot ── reader ─▶ Reader ─▶ List, ValueRef       reads: reader, read_property, batched, access…
//!    │                                          │
//!    │                        BlockTable ─▶ Stripe ─▶ Block ─▶ SectionCell   block, memory
//!    │                                                            │
//!    │             Presence │ Column │ Adjacency │ Index- │ OrderedPartition  section: base and delta
//!    │                                                            ▲
//!    ├── begin ─▶ Transaction ─▶ Overlay, WriteSet                │           transaction, write_vertex, write_edge
//!    │                │ commit                                    │
//!    │                └▶ timeline ─▶ CommitQueue ─▶ Log ─▶ Application        commit_queue, log, writer
//!    ├── flush ─▶ sections, then the checkpoint that names them               flush, section_store, checkpoint
//!    ├── open ──▶ checkpoint, then the log since                              recovery, replay
//!    └── bulk_load ─▶ BulkLoad                                                bulk (fed by the crate formats)
//!    ├── backup ──▶ a snapshot of the store, in files of its own; restore       backup
//!  check ── every stored pair, then every element, against each other         check
//! ```
//!
//! * *Addressing* (`block`): a [`VertexRef`] leads to its block by two shifts and one pointer.
//! * *Settled base, stamped delta* (`section`, `memory`): every section is an immutable base, and chains of stamped
//!   versions over it. Readers never lock; a section without versions costs them one branch. The one writer at a time
//!   merges versions that no reader needs any more into a new base and swaps the pointer.
//! * *Durability* (`commit_queue`, `log`): a commit is validated, written to the log in stamp order, together with
//!   whoever commits at the same time, then applied, then visible, then acknowledged.
//! * *Schema* (`schema`): what elements must look like, in numbered versions; every writing transaction has read it.
//! * *Indexes* (`indexing`): kept by the writer, built by a thread beside it; by hash or in order (`order_key`). Their
//!   entries are a superset of what a snapshot may find.
//! * *Recovery* (`flush`, `recovery`, `replay`): each section says up to which stamp it includes every change, so sections can
//!   be written in any order and at any time before the checkpoint.
//!
//! * *Memory* (`cache`): sections and tree nodes are loaded when they are needed and leave, when the budget is spent,
//!   once they are on disk as they are.
//!
//! * *Pools* (`pools`): what a request misses it loads in its turn, in the light pool or, if it loads much, the heavy one;
//!   what a batch misses (`ahead`) several threads load together, where loads take long.
//!
//! * *Statistics* (`statistics`): degrees, kept by the writer, and how the values under indexes are distributed.
//!
//! * *Edge-trees* (`tree`): a list longer than [`TreeBounds`] allows leaves its section for nodes of its own.
//!
//! * *Sort keys* (`resort`) may change while there are edges: every list is read in one order by one snapshot.
//!
//! * *Secondary edge-trees* (`secondary`): the same edges once more, sorted by another property, where that pays.
//!
//! Invariant: this crate knows nothing of Gremlin. All `unsafe` is in `memory`.

mod access;
mod access_order;
mod access_range;
mod ahead;
mod allocator;
mod backup;
mod batched;
mod block;
mod bulk;
mod cache;
mod catalog;
mod check;
mod checkpoint;
mod codec;
mod commit_counts;
mod commit_queue;
mod core;
mod counts;
mod edge_ids;
mod element_id;
mod error;
mod flush;
mod graph;
mod held;
mod indexing;
mod layout;
mod list;
mod log;
mod memory;
mod names;
mod naming;
mod op;
mod order_key;
mod overlay;
mod placement;
mod pools;
mod property;
mod ranked;
mod read_notes;
mod read_property;
mod read_unit;
mod reader;
mod recovery;
mod replay;
mod resort;
mod scalar_hash;
mod scan;
mod schema;
mod secondary;
mod section;
mod section_key;
mod section_store;
mod snapshot;
mod statistics;
mod stats;
mod transaction;
mod tree;
mod turn;
mod units;
mod value_ref;
mod write_edge;
mod write_rules;
mod write_set;
mod write_vertex;
mod writer;

pub use access_order::OrderCursor;
pub use access_range::RangeQuery;
pub use backup::{BackupSummary, restore};
pub use batched::{DegreeCache, Degrees, Ends, Lists, PropertyColumn, Single};
pub use bulk::{BulkCell, BulkColumn, BulkLoad, BulkProgress, BulkStrings, BulkValues};
pub use catalog::Catalog;
pub use check::{CheckProgress, Finding, check, check_within};
pub use commit_counts::CommitCounts;
pub use element_id::check as check_id;
pub use error::{GraphError, Result};
pub use graph::{Graph, GraphOptions};
pub use indexing::IndexStatus;
pub use layout::{SectionKind, SectionSizes};
pub use list::{List, Run};
pub use memory::prefetch;
pub use names::{Dir, EdgeLabelId, KeyId, VertexLabelId};
pub use naming::{NameSpace, check_name, name_hash};
pub use pools::{Bell, HeavyTurn, OnLoad, Parked, PoolCounts, PoolOptions, PoolStats, Request, on_load};
pub use property::{Cardinality, PropertyEntry, PropertyId};
pub use ranked::{StripeRanks, StripeTest};
pub use read_notes::ReadNotes;
pub use read_unit::ReadUnit;
pub use reader::Reader;
pub use resort::SortStatus;
pub use scalar_hash::{for_each_equal_hash, index_hash};
pub use scan::ScanCursor;
pub use schema::{
    EdgeDescription, EdgeKey, EdgeKeyDescription, EdgeSchema, Index, IndexDefinition, IndexDescription,
    IndexKind, IndexState, NodeBounds, Schema, SchemaDescription, SchemaError, SchemaMode, ValueType,
    VertexDescription, VertexKey, VertexKeyDescription, VertexSchema, is_storable_type,
};
pub use secondary::{Filtered, SecondaryOptions, SecondaryState, SecondaryStatus};
pub use snapshot::Snapshot;
pub use statistics::{AnalyzeProgress, DegreeHistogram, Statistics, ValueStatistics};
pub use stats::GraphStats;
pub use timeline::Stamp;
pub use transaction::{Submitted, Transaction};
pub use tree::{Place, Seek, Stretch, TreeBounds, TreeUse};
pub use turn::{Turn, TurnAnswer};
pub use value_ref::ValueRef;
pub use values::{Direction, EdgeRef, Value, VertexRef};

/// A stamp's bits, or inside a transaction the number of a write: what version chains are ordered by.
pub(crate) type Tick = u64;
