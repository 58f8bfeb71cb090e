//! Where a vertex lies: tablets, stripes, blocks, and who gives out free places. It must never know what is in the sections
//! of a block, nor whether they are loaded.

mod allocator;
mod block;
mod filters;
mod ranked;

pub(crate) use allocator::{Allocator, OpenStripes};
pub(crate) use block::{Block, BlockTable, Stripe};
pub(crate) use filters::{Filter, Filters};
pub(crate) use ranked::{Array, Different, RankRange, Ranked, Ranks};
