//! How sections, log records and the checkpoint look in bytes. Decoding trusts nothing: whatever the bytes are, the
//! result is a structure whose invariants hold or an error.

mod edges;
mod frame;
mod input;
mod output;
mod packed;
mod section;
mod squeezed;
mod value;
mod values;

pub(crate) use edges::{EdgePiece, append_piece};
pub(crate) use frame::{open_frame, seal_frame, written_under};
pub(crate) use input::{Input, Malformed};
pub(crate) use output::Output;
pub(crate) use section::StoredSection;
pub(crate) use value::{unstorable, weight};
