//! The few structures that readers and the writer share without a lock: cells that hold a section, chains of versions,
//! tables that grow. All `unsafe` of the crate lives here. It must never know what is in a cell beyond what it weighs.

mod account;
mod cell;
mod cell_table;
mod chain;
mod chain_map;
mod prefetch;

#[cfg(test)]
pub(crate) use account::Bytes;
pub(crate) use account::{Account, Resident, Weigh};
pub(crate) use cell::{SectionCell, SectionState};
pub(crate) use cell_table::CellTable;
pub(crate) use chain::{Chain, Chains, Version};
pub(crate) use chain_map::ChainMap;
pub use prefetch::prefetch;
