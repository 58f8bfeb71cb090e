//! Which part of the graph is in memory: sections and trees that are missing are brought in, what nobody needs is put out, and
//! what differs from what is stored is known, as is what those who build trees and indexes beside the commits have to do. It must
//! never know what a change means, nor who reads. Its locks are its own: whoever wants what they guard asks [`Memory`] or its parts.

mod advisor;
mod as_of_now;
mod begin_load;
mod building;
mod entrance;
mod evict;
mod indexing;
mod known;
mod memory;
mod node_sizes;
mod orders;
mod placement;
mod resorts;
mod secondaries;
mod secondary_tasks;
mod threads;
mod together;
mod trees;
mod writer;

pub(crate) use evict::hold_still;
pub(crate) use indexing::{Indexing, Task};
pub(crate) use memory::Memory;
pub use node_sizes::TreeUse;
pub(crate) use orders::Turn;
pub(crate) use placement::CellVisitor;
pub(crate) use resorts::{Phase, Sweep};
pub(crate) use secondaries::{LoggedChange, Maintained, Secondaries};
pub(crate) use secondary_tasks::TreeTask;
pub(crate) use threads::Threads;
pub(crate) use writer::Writer;
