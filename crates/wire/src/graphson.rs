//! GraphSON: values as JSON, with their types or without.
//!
//! In the typed dialects what JSON has no type for is `{"@type": "g:Int32", "@value": 1}`. Version 3 wraps
//! collections too, so that a map may have any key; version 2 writes them as plain arrays and objects. Version 4 is 3 with fewer
//! types, one prefix for their names, and labels as arrays. Reading understands all of this at once and needs no dialect.
//!
//! JSON may be nested 128 deep, the bound of `serde_json`.

use serde_json::Value as Json;
use values::{Str, Value};

use crate::message::Properties;
use crate::{DecodeError, EncodeError, WireValue};

mod base64;
mod bytecode_reader;
mod bytecode_writer;
mod element_reader;
mod element_writer;
mod extended_reader;
mod extended_writer;
pub(crate) mod four;
mod json;
mod location;
mod message;
mod reader;
mod scalar_reader;
mod writer;

pub use message::{decode_request, decode_response, encode_request, encode_response, encode_results};

use location::Location;
use writer::Writer;

/// A version of GraphSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0
    V1,
    /// 2.0
    V2,
    /// 3.0
    V3,
    /// 4.0, of [`crate::four`].
    V4,
}

/// A version of GraphSON, with types or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dialect {
    /// The version.
    pub version: Version,
    /// Whether values say their types.
    pub typed: bool,
}

impl Dialect {
    /// Typed GraphSON 3, which drivers speak.
    pub const V3: Self = Self { version: Version::V3, typed: true };
    /// Typed GraphSON 2.
    pub const V2: Self = Self { version: Version::V2, typed: true };
    /// Untyped GraphSON 3, for people and HTTP clients.
    pub const UNTYPED: Self = Self { version: Version::V3, typed: false };

    /// Typed GraphSON 4.
    pub const V4: Self = Self { version: Version::V4, typed: true };

    /// The prefix and the rest of the name of a type, which is given as version 3 has it.
    fn type_name(self, name: &str) -> (&str, &str) {
        if self.version != Version::V4 {
            return ("", name);
        }
        match name {
            "gx:OffsetDateTime" => ("g:", "DateTime"),
            "gx:ByteBuffer" => ("g:", "Binary"),
            "tinker:graph" => ("g:", "graph"),
            name => name.strip_prefix("gx:").map_or(("", name), |rest| ("g:", rest)),
        }
    }

    /// Whether graphs have a form of their own, and are no mere maps.
    fn has_graphs(self) -> bool {
        self.typed || self.version == Version::V4
    }

    /// Whether collections say their types.
    fn wraps_collections(self) -> bool {
        self.typed && matches!(self.version, Version::V3 | Version::V4)
    }
}

/// Decodes one value that fills `bytes`.
///
/// # Errors
/// With the JSON path of the first problem, or the line and column where the JSON itself is broken.
pub fn decode(bytes: &[u8]) -> Result<WireValue, DecodeError> {
    reader::any(&parse(bytes)?, &Location::ROOT)
}

/// Decodes one value of a parsed document, for instance a line of a GraphSON file.
///
/// # Errors
/// With the JSON path of the first problem.
pub fn decode_json(json: &Json) -> Result<WireValue, DecodeError> {
    reader::any(json, &Location::ROOT)
}

/// Decodes the fields of the object that fills `bytes`, in order.
///
/// # Errors
/// As [`decode`], and when it is no object.
pub fn decode_object(bytes: &[u8]) -> Result<Vec<(Str, WireValue)>, DecodeError> {
    reader::fields(&parse(bytes)?, &Location::ROOT)
}

/// Appends a value to `out`. Elements carry the properties they have.
///
/// # Errors
/// When the value cannot be expressed; `out` then ends in the middle of it.
pub fn encode(value: &WireValue, dialect: Dialect, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    Writer::new(out, dialect, Properties::Given).wire_value(value)
}

/// Appends a value to `out`.
///
/// # Errors
/// When the value cannot be expressed; `out` then ends in the middle of it.
pub fn encode_value(
    value: &Value,
    properties: Properties,
    dialect: Dialect,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    Writer::new(out, dialect, properties).value(value)
}

fn parse(bytes: &[u8]) -> Result<Json, DecodeError> {
    serde_json::from_slice(bytes).map_err(|error| DecodeError {
        place: crate::Place::Path("$".into()),
        problem: crate::Problem::Invalid(format!("not JSON: {error}")),
    })
}
