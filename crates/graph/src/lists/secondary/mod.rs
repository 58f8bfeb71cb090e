//! Secondary edge-trees: a list's edges once more, sorted by another property, where that pays (ByteGraph, section 4.3.2).
//!
//! ```text
//!                       ┌─▶ primary tree     by arrival, or the label's sort key
//!  list of a hub ── ● ──┤
//!                       └─▶ secondary trees  by weight │ by price …                registry
//!
//!  reads filter by weight ─▶ notes ─▶ advisor: benefit of equation 2 ─▶ worker ─▶ build │ drop
//! ```
//!
//! * A secondary tree is an edge-tree like any other, with all properties of its edges: a read that it serves looks at
//!   nothing else. Its name is that of the list and a property (`TreeName::by`).
//! * *Advisor* (`resident/advisor.rs`): reads that filter a long list note how many edge nodes they looked at, and how few a tree by
//!   that property would have needed. Period by period that decides what is built, and what is dropped again.
//! * *Building* (`build`): a snapshot of the list is sorted part by part, in bounded memory, and written to the store past
//!   the cache. What commits meanwhile is kept in a log beside it (`resident/secondaries.rs`), applied at the end, and from then on
//!   the writer keeps the tree together with the primary one: in the same commit.
//! * *Registry* (`resident/secondaries.rs`): which trees there are, and for which snapshots. The checkpoint names them. Nodes in the store
//!   of a tree that no checkpoint names are left from a crash and deleted when the graph is opened (`reclaim`).
//! * *Dropping* (`reclaim`): a tree that was dropped is kept for the snapshots that may be reading it, and then deleted.

mod build;
mod gather;
mod reclaim;
mod status;
mod worker;

pub(crate) use gather::{Gather, Pace};
pub use status::{SecondaryState, SecondaryStatus};
pub(crate) use worker::start_building;
