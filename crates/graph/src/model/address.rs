//! What the bits of a reference say: stripe, slot and tablet.
//!
//! ```text
//! VertexRef   │ stripe (16) │ slot in block (10) │ tablet (6) │
//! ```

use values::VertexRef;

use super::names::{Dir, EdgeLabelId};

/// Slots of a block.
pub(crate) const SLOTS: usize = 1024;
/// Number of stripes: what the 16 leading bits of a reference can name.
pub(crate) const STRIPES: usize = 1 << 16;
/// Vertices of a stripe.
pub(crate) const STRIPE_VERTICES: u32 = 1 << 16;
/// Blocks of a stripe: one per tablet.
pub(crate) const TABLETS: usize = VertexRef::TABLETS as usize;

/// The number of an adjacency section within its block.
#[inline]
pub(crate) fn adjacency_number(label: EdgeLabelId, dir: Dir) -> usize {
    label.index() * 2 + dir as usize
}

/// The edge label and the direction of the adjacency section with this number.
#[inline]
pub(crate) fn list_of(number: usize) -> (Dir, EdgeLabelId) {
    (if number.is_multiple_of(2) { Dir::Out } else { Dir::In }, EdgeLabelId((number / 2) as u16))
}

/// The number of a vertex's stripe.
#[inline]
pub(crate) fn stripe_of(v: VertexRef) -> usize {
    (v.0 >> 16) as usize
}

/// The slot of a vertex within its block.
#[inline]
pub(crate) fn slot_of(v: VertexRef) -> usize {
    (v.0 >> VertexRef::TABLET_BITS) as usize & (SLOTS - 1)
}

/// The vertex in a slot of a block.
pub(crate) fn vertex_at(stripe: u16, tablet: u8, slot: u16) -> VertexRef {
    VertexRef(u32::from(stripe) << 16 | u32::from(slot) << VertexRef::TABLET_BITS | u32::from(tablet))
}
