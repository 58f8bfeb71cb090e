//! GraphBinary 1.0, and 4.0 in [`four`].
//!
//! Every value is a type code, a flag, and what the type defines; all numbers are big-endian:
//!
//! ```text
//! ┌───────────┬──────────────────┬───────────┐
//! │ type code │ flag             │ value     │      fe 01 is null
//! │ 1 byte    │ 0 value, 1 null  │ …         │
//! └───────────┴──────────────────┴───────────┘
//! ```
//!
//! A length is checked against what is left of the input before anything is allocated for it, and nesting is
//! bounded by [`crate::MAX_DEPTH`].

use values::Value;

use crate::{DecodeError, EncodeError, Properties, Results, WireValue};

mod bytecode_reader;
mod codes;
mod element_reader;
mod extended_reader;
mod extended_writer;
pub mod four;
mod message;
mod reader;
mod token_reader;
mod version;
mod writer;

pub use message::{decode_request, decode_response, encode_request, encode_response, encode_results};

use reader::Reader;
use version::Version;
use writer::Writer;

/// Decodes one fully qualified value that fills `bytes`.
///
/// # Errors
/// With the byte offset of the first problem.
pub fn decode(bytes: &[u8]) -> Result<WireValue, DecodeError> {
    let mut reader = Reader::new(bytes, Version::One);
    let value = reader.any()?;
    reader.finish()?;
    Ok(value)
}

/// Appends the fully qualified form of `value` to `out`. Elements carry the properties they have.
///
/// # Errors
/// When the value cannot be expressed; `out` then ends in the middle of it.
pub fn encode(value: &WireValue, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    Writer::new(out, Properties::Given, Version::One).wire_value(value)
}

/// Appends the fully qualified form of a value to `out`.
///
/// # Errors
/// When the value cannot be expressed; `out` then ends in the middle of it.
pub fn encode_value(value: &Value, properties: Properties, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    Writer::new(out, properties, Version::One).value(value)
}

/// Appends a list of results to `out`, each as a traverser that says how often it stands there.
///
/// # Errors
/// When one cannot be expressed; `out` then ends in the middle of it.
pub fn encode_traversers(
    results: &[(Value, u64)],
    properties: Properties,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    Writer::new(out, properties, Version::One).results(Results::Traversers(results))
}
