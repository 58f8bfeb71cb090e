//! Messages.
//!
//! ```text
//! request    81 │ id │ op │ processor │ args
//! response   81 │ flag id │ code │ flag message │ attributes │ meta │ data
//! ```

use values::{Map, Str, Value};

use super::codes;
use super::reader::{Read, Reader};
use super::version::Version;
use super::writer::{Writer, Written};
use crate::error::Problem;
use crate::message::{Args, Properties, RequestMessage, ResponseMessage, ResponseStatus, Results};
use crate::{DecodeError, EncodeError};

/// Version 1 with the highest bit set.
const FIRST_BYTE: u8 = 0x81;

/// Decodes a request that fills `bytes`.
///
/// # Errors
/// With the byte offset of the first problem.
pub fn decode_request(bytes: &[u8]) -> Result<RequestMessage, DecodeError> {
    let mut reader = Reader::new(bytes, Version::One);
    reader.version_byte(FIRST_BYTE)?;
    let (id, op, processor) = (reader.uuid()?, reader.text()?.into(), reader.text()?.into());
    let args = Args(reader.args()?);
    reader.finish()?;
    Ok(RequestMessage { id, op, processor, args })
}

/// Appends a request to `out`.
///
/// # Errors
/// When an argument cannot be expressed.
pub fn encode_request(request: &RequestMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let mut writer = Writer::new(out, Properties::Given, Version::One);
    writer.bytes(&[FIRST_BYTE]);
    writer.bytes(request.id.as_bytes());
    writer.text(&request.op)?;
    writer.text(&request.processor)?;
    writer.length(request.args.0.len())?;
    request.args.0.iter().try_for_each(|(key, value)| {
        writer.string(key)?;
        writer.wire_value(value)
    })
}

/// Decodes a response that fills `bytes`.
///
/// # Errors
/// With the byte offset of the first problem.
pub fn decode_response(bytes: &[u8]) -> Result<ResponseMessage, DecodeError> {
    let mut reader = Reader::new(bytes, Version::One);
    reader.version_byte(FIRST_BYTE)?;
    let id = if reader.present()? { Some(reader.uuid()?) } else { None };
    let code = reader.status_code()?;
    let message = if reader.present()? { reader.text()?.into() } else { Str::new() };
    let attributes = reader.bare_map()?;
    let meta = reader.bare_map()?;
    let data = reader.any()?;
    reader.finish()?;
    Ok(ResponseMessage { id, status: ResponseStatus { code, message, attributes }, data, meta })
}

/// Appends a response to `out`.
///
/// # Errors
/// When a value cannot be expressed.
pub fn encode_response(response: &ResponseMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    encode_results(response, Results::Data(&response.data), Properties::Given, out)
}

/// Appends a response to `out` that carries `results` instead of the response's own data.
///
/// # Errors
/// When a value cannot be expressed.
pub fn encode_results(
    response: &ResponseMessage,
    results: Results<'_>,
    properties: Properties,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let mut writer = Writer::new(out, properties, Version::One);
    writer.bytes(&[FIRST_BYTE]);
    match &response.id {
        Some(id) => {
            writer.bytes(&[codes::PRESENT]);
            writer.bytes(id.as_bytes());
        }
        None => writer.bytes(&[codes::ABSENT]),
    }
    writer.bytes(&i32::from(response.status.code).to_be_bytes());
    writer.bytes(&[codes::PRESENT]);
    writer.text(&response.status.message)?;
    writer.bare_map(&response.status.attributes)?;
    writer.bare_map(&response.meta)?;
    writer.results(results)
}

impl Reader<'_> {
    /// The first byte of a message.
    pub(super) fn version_byte(&mut self, expected: u8) -> Read<()> {
        match self.u8()? {
            found if found == expected => Ok(()),
            found => Err(Problem::Version { found, expected }.at(0)),
        }
    }

    pub(super) fn args(&mut self) -> Read<Vec<(Str, crate::WireValue)>> {
        let count = self.count(4)?;
        self.repeat(count, |r| {
            let at = r.at();
            match r.value()? {
                Value::String(key) => Ok((key, r.any()?)),
                other => Err(Problem::expected("the name of an argument", other.type_name()).at(at)),
            }
        })
    }

    pub(super) fn status_code(&mut self) -> Read<u16> {
        let at = self.at();
        let code = self.i32()?;
        u16::try_from(code).map_err(|_| Problem::expected("a status code", code.to_string()).at(at))
    }

    /// A map of values without code and flag.
    fn bare_map(&mut self) -> Read<Map> {
        let at = self.at();
        let entries = self.entries()?.into_iter();
        entries
            .map(|(key, value)| Ok((key.into_value()?, value.into_value()?)))
            .collect::<Result<Map, Problem>>()
            .map_err(|problem| problem.at(at))
    }
}

impl Writer<'_> {
    fn bare_map(&mut self, map: &Map) -> Written {
        self.entries(map.len(), map.iter())
    }

    pub(super) fn results(&mut self, results: Results<'_>) -> Written {
        match results {
            Results::None => {
                self.null();
                Ok(())
            }
            Results::Values(values) => self.sequence(codes::LIST, values.iter(), Self::value),
            Results::Traversers(traversers) => {
                self.sequence(codes::LIST, traversers.iter(), |w, (value, bulk)| {
                    w.head(codes::TRAVERSER);
                    w.bytes(&i64::try_from(*bulk).unwrap_or(i64::MAX).to_be_bytes());
                    w.value(value)
                })
            }
            Results::Data(data) => self.wire_value(data),
        }
    }
}
