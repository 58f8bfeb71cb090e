//! Where a vertex lies: tablets, stripes, blocks, and who gives out free places. It must never know what is in the sections
//! of a block, nor whether they are loaded.

mod allocator;
mod block;
mod placement;

pub(crate) use allocator::{Allocator, OpenStripes};
pub(crate) use block::{
    Block, BlockTable, STRIPE_VERTICES, STRIPES, Stripe, TABLETS, adjacency_number, slot_of, stripe_of,
    vertex_at,
};
pub(crate) use placement::CellVisitor;
