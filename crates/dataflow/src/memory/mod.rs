//! What queries may hold: each, and all together; which operator of a profiled one holds how much; and freeing what is large.
//!
//! It must never know of operators and queries: whoever holds something says so here.

mod budget;
pub(crate) mod by_operator;
mod meter;
pub(crate) mod reclaim;
mod state_memory;

pub(crate) use budget::PATIENCE;
pub use budget::{Budget, Reserved};
pub(crate) use by_operator::ByOperator;
pub use meter::{Charge, MemoryMeter, WaitingResults};
pub(crate) use state_memory::StateMemory;
