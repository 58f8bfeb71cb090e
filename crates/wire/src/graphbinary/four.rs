//! GraphBinary 4.0, in which TinkerPop 4 speaks over HTTP.
//!
//! ```text
//! request    84 │ fields, a map │ gremlin, a string
//! response   84 │ bulked │ result … │ fd 00 00 │ code │ flag message │ flag exception
//!                          └ with its bulk after it, where bulked is 1
//! ```
//!
//! What of the values differs from version 1 stands in `version.rs`. Types of a provider's own (PDT) are none here: nothing in a
//! graph has such a type, and a request can hold none.

use values::{Str, Value};

use super::codes;
use super::reader::Reader;
use super::version::Version;
use super::writer::Writer;
use crate::error::Problem;
use crate::four::{Request, Response, Status};
use crate::message::{Args, Properties, Results};
use crate::{DecodeError, EncodeError, WireValue};

/// What stands between results and status: a value of a type of its own, which has but one.
const MARKER: [u8; 3] = [codes::MARKER, codes::PRESENT, 0];

/// Version 4 with the highest bit set.
const FIRST_BYTE: u8 = 0x84;

/// Decodes one fully qualified value that fills `bytes`.
///
/// # Errors
/// With the byte offset of the first problem.
pub fn decode(bytes: &[u8]) -> Result<WireValue, DecodeError> {
    let mut reader = Reader::new(bytes, Version::Four);
    let value = reader.any()?;
    reader.finish()?;
    Ok(value)
}

/// Appends the fully qualified form of `value` to `out`.
///
/// # Errors
/// When the value cannot be expressed; `out` then ends in the middle of it.
pub fn encode(value: &WireValue, properties: Properties, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    Writer::new(out, properties, Version::Four).wire_value(value)
}

/// Decodes a request that fills `bytes`.
///
/// # Errors
/// With the byte offset of the first problem.
pub fn decode_request(bytes: &[u8]) -> Result<Request, DecodeError> {
    let mut reader = Reader::new(bytes, Version::Four);
    reader.version_byte(FIRST_BYTE)?;
    let fields = Args(reader.args()?);
    let gremlin = reader.text()?.into();
    reader.finish()?;
    Ok(Request { gremlin, fields })
}

/// Appends a request to `out`.
///
/// # Errors
/// When a field cannot be expressed.
pub fn encode_request(request: &Request, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let mut writer = Writer::new(out, Properties::Given, Version::Four);
    writer.bytes(&[FIRST_BYTE]);
    writer.length(request.fields.0.len())?;
    for (key, value) in &request.fields.0 {
        writer.string(key)?;
        writer.wire_value(value)?;
    }
    writer.text(&request.gremlin)
}

/// Appends what a response begins with. `bulked`: each result is followed by its bulk.
pub(crate) fn begin(bulked: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(&[FIRST_BYTE, u8::from(bulked)]);
}

/// Appends results of a response. Traversers are for one that is bulked.
pub(crate) fn results(
    results: Results<'_>,
    properties: Properties,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let mut writer = Writer::new(out, properties, Version::Four);
    match results {
        Results::None => Ok(()),
        Results::Values(values) => values.iter().try_for_each(|value| writer.value(value)),
        Results::Traversers(traversers) => traversers.iter().try_for_each(|(value, bulk)| {
            writer.value(value)?;
            writer.value(&Value::Long(i64::try_from(*bulk).unwrap_or(i64::MAX)))
        }),
        Results::Data(data) => writer.wire_value(data),
    }
}

/// Appends what a response ends with.
pub(crate) fn end(status: &Status, out: &mut Vec<u8>) {
    out.extend_from_slice(&MARKER);
    out.extend_from_slice(&i32::from(status.code).to_be_bytes());
    nullable(&status.message, out);
    nullable(&status.exception, out);
}

/// A flag and a text; one that is empty is null.
fn nullable(text: &str, out: &mut Vec<u8>) {
    if text.is_empty() {
        return out.push(codes::ABSENT);
    }
    out.push(codes::PRESENT);
    // A message is far below 2³¹ bytes; one that is not is cut there.
    let length = i32::try_from(text.len()).unwrap_or(i32::MAX);
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&text.as_bytes()[..length as usize]);
}

/// Decodes a response that fills `bytes`.
///
/// # Errors
/// With the byte offset of the first problem.
pub fn decode_response(bytes: &[u8]) -> Result<Response, DecodeError> {
    let mut reader = Reader::new(bytes, Version::Four);
    reader.version_byte(FIRST_BYTE)?;
    let bulked = reader.u8()? & 1 == 1;
    let mut results = Vec::new();
    while !reader.takes_marker()? {
        let (value, at) = (reader.any()?, reader.at());
        let bulk = match bulked {
            true => {
                reader.value()?.as_i64().ok_or_else(|| Problem::expected("a bulk", "another value").at(at))?
            }
            false => 1,
        };
        results.push((value, bulk));
    }
    let code = reader.status_code()?;
    let message = reader.nullable_text()?;
    let exception = reader.nullable_text()?;
    reader.finish()?;
    Ok(Response { results, bulked, status: Status { code, message, exception } })
}

impl Reader<'_> {
    /// Takes the marker if it is next.
    fn takes_marker(&mut self) -> Result<bool, DecodeError> {
        let is_next = self.rest().starts_with(&MARKER);
        if is_next {
            self.take(MARKER.len())?;
        }
        Ok(is_next)
    }

    fn nullable_text(&mut self) -> Result<Str, DecodeError> {
        if self.present()? { self.text().map(Str::from) } else { Ok(Str::new()) }
    }
}
