//! How sections, log records and the checkpoint look in bytes. Decoding trusts nothing: whatever the bytes are, the
//! result is a structure whose invariants hold or an error.

mod edges;
mod packed;
mod section;
mod squeezed;
mod values;

pub(crate) use edges::{EdgePiece, append_piece};
pub(crate) use section::StoredSection;
