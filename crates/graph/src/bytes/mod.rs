//! Reading and writing the fields that everything stored is made of, and the frame with version and checksum around them.
//! Decoding trusts nothing: whatever the bytes are, the result is a value or an error. It must never know what the fields mean.

mod frame;
mod input;
mod output;

pub(crate) use frame::{append_frame, open_frame, open_section, seal_frame, seal_section, written_under};
pub(crate) use input::{Input, Malformed};
pub(crate) use output::Output;
