//! What queries may hold: each, and all together; and freeing what is large.
//!
//! It must never know of operators and queries: whoever holds something says so here.

mod budget;
mod meter;
pub(crate) mod reclaim;
mod state_memory;

pub use budget::Budget;
pub(crate) use budget::PATIENCE;
pub use meter::{Charge, MemoryMeter, WaitingResults};
pub(crate) use state_memory::StateMemory;
