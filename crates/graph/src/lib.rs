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
//! The house has wings, one a folder, whose `mod.rs` says what it answers and is its only door. Each knows those below it
//! and nothing of those above; `tests/wings.rs` has them in order.
//!
//! ```text
//!  graph.rs    the handle: open, begin, snapshot, flush, close
//!  care        is it sound, can it be brought back          load        a graph out of columns, in one go
//!  indexes     build, resume, drop                          statistics  what planner and people know
//!  lists       second trees, other orders, sizes of nodes   define      changing a schema while the graph lives
//!  write       what a transaction wants                     commit      from validated to visible
//!  restart     from files to a graph                        flush       from memory to files
//!  read        what a snapshot sees                         apply       changing sections and trees in memory
//!  resident    what is in memory, and what differs          durable     log, sections, checkpoint as bytes
//!  cache       what stays loaded, and whose turn it is      place       where a vertex lies
//!  sections    how a piece of a graph looks                 cells       what one writer and many readers share
//!  model       names, types, values, schema, operations     bytes       reading and writing primitive fields
//!  error.rs    why a graph refuses or fails
//! ```
//!
//! What an open graph has is a chain: `Definer` (define) leads to `Committer` (commit), to `Files` (flush), to `Memory` (resident).
//! A wing takes the lowest that has what it needs; the handle alone knows them all.
//!
//! ```text
//!  Graph ── snapshot ─▶ Snapshot ── reader ─▶ Reader ─▶ List, ValueRef            read
//!    │                                          │
//!    │                        BlockTable ─▶ Stripe ─▶ Block ─▶ SectionCell        place, cells
//!    │                                                            │
//!    │             Presence │ Column │ Adjacency │ Index- │ OrderedPartition      sections: base and delta
//!    │                                                            ▲
//!    ├── begin ─▶ Transaction ─▶ Overlay, WriteSet                │               write
//!    │                │ commit                                    │
//!    │                └▶ timeline ─▶ CommitQueue ─▶ Log ─▶ Application            commit, durable, apply
//!    ├── flush ─▶ sections, then the checkpoint that names them                   flush, durable
//!    ├── open ──▶ checkpoint, then the log since                                  restart
//!    ├── bulk_load ─▶ BulkLoad                                                    load (fed by the crate formats)
//!    └── backup ──▶ a snapshot of the store, in files of its own; restore         care
//!  check ── every stored pair, then every element, against each other             care
//! ```
//!
//! * *Addressing* (`place`): a [`VertexRef`] leads to its block by two shifts and one pointer.
//! * *Settled base, stamped delta* (`sections`, `cells`): every section is an immutable base, and chains of stamped
//!   versions over it. Readers never lock; a section without versions costs them one branch. The one writer at a time
//!   merges versions that no reader needs any more into a new base and swaps the pointer.
//! * *Durability* (`commit`, `durable`): a commit is validated, written to the log in stamp order, together with
//!   whoever commits at the same time, then applied, then visible, then acknowledged.
//! * *Schema* (`model`, `define`): what elements must look like, in numbered versions; every writing transaction has read it.
//! * *Indexes* (`indexes`): kept by the writer, built by a thread beside it; by hash or in order (`model/order_key.rs`). Their
//!   entries are a superset of what a snapshot may find.
//! * *Recovery* (`flush`, `restart`): each section says up to which stamp it includes every change, so sections can
//!   be written in any order and at any time before the checkpoint.
//! * *Memory* (`cache`): sections and tree nodes are loaded when they are needed and leave, when the budget is spent,
//!   once they are on disk as they are.
//! * *Pools* (`cache/pools`): what a request misses it loads in its turn, in the light pool or, if it loads much, the heavy one;
//!   what a batch misses (`read/ahead.rs`) several threads load together, where loads take long.
//! * *Statistics* (`statistics`): degrees, kept by the writer, and how the values under indexes are distributed.
//! * *Edge-trees* (`sections/tree`): a list longer than [`TreeBounds`] allows leaves its section for nodes of its own.
//! * *Sort keys* (`lists/resort`) may change while there are edges: every list is read in one order by one snapshot.
//! * *Secondary edge-trees* (`lists/secondary`): the same edges once more, sorted by another property, where that pays.
//!
//! Invariant: this crate knows nothing of Gremlin. All `unsafe` is in `cells`.

mod apply;
mod bytes;
mod cache;
mod care;
mod cells;
mod commit;
mod define;
mod durable;
mod error;
mod flush;
mod graph;
mod indexes;
mod lists;
mod load;
mod model;
mod place;
mod read;
mod resident;
mod restart;
mod sections;
mod statistics;
mod write;

pub use crate::cache::{Bell, HeavyTurn, Loaded, OnLoad, Parked, PoolCounts, PoolStats, Request, on_load};
pub use crate::care::{BackupSummary, CheckProgress, Finding, check, check_within, restore};
pub use crate::cells::prefetch;
pub use crate::commit::CommitCounts;
pub use crate::error::{GraphError, Result};
pub use crate::graph::Graph;
pub use crate::indexes::IndexStatus;
pub use crate::lists::{SecondaryState, SecondaryStatus, SortStatus};
pub use crate::load::{BulkCell, BulkColumn, BulkLoad, BulkProgress, BulkStrings, BulkValues, refused_rows};
pub use crate::model::{
    Cardinality, Catalog, DegreeHistogram, Dir, EdgeDescription, EdgeKey, EdgeKeyDescription, EdgeLabelId,
    EdgeSchema, GraphOptions, Index, IndexDefinition, IndexDescription, IndexKind, IndexState, KeyId,
    NameSpace, NodeBounds, PoolOptions, PropertyEntry, PropertyId, RangeQuery, ReadUnit, Schema,
    SchemaDescription, SchemaError, SchemaMode, SecondaryOptions, Single, Statistics, TreeBounds, ValueRef,
    ValueStatistics, ValueType, VertexDescription, VertexKey, VertexKeyDescription, VertexLabelId,
    VertexSchema, check as check_id, check_name, for_each_equal_hash, index_hash, is_storable_type,
    name_hash,
};
pub use crate::read::{
    BlockLists, Computed, DegreeCache, Degrees, Ends, Extent, Filtered, List, Lists, OrderCursor, Place,
    PropertyColumn, Reader, Run, ScanCursor, Seek, Snapshot, Stretch, StripeRanks, StripeTest, VertexValues,
};
pub use crate::resident::TreeUse;
pub use crate::statistics::{AnalyzeProgress, GraphStats, SectionKind, SectionSizes};
pub use crate::write::{Allowance, ReadNotes, Settled, Submitted, Transaction, Turn, TurnAnswer};
pub use timeline::Stamp;
pub use values::{Direction, EdgeRef, Value, VertexRef};
