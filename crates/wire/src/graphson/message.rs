//! Messages.

use serde_json::Value as Json;
use values::{Map, Str};

use super::reader::{Read, any, field, fields, object, text, value_map};
use super::scalar_reader::uuid;
use super::writer::{Writer, Written};
use super::{Dialect, Location, json, parse};
use crate::error::Problem;
use crate::message::{Args, Properties, RequestMessage, ResponseMessage, ResponseStatus, Results};
use crate::{DecodeError, EncodeError};

/// Decodes a request that fills `bytes`: `{"requestId", "op", "processor", "args"}`.
///
/// # Errors
/// With the JSON path of the first problem.
pub fn decode_request(bytes: &[u8]) -> Result<RequestMessage, DecodeError> {
    let json = parse(bytes)?;
    let at = &Location::ROOT;
    let o = object(&json, at)?;
    let processor = match o.get("processor") {
        None | Some(Json::Null) => Str::new(),
        Some(json) => text(json, &at.field("processor"))?.into(),
    };
    Ok(RequestMessage {
        id: uuid(field(o, "requestId"), &at.field("requestId"))?,
        op: text(field(o, "op"), &at.field("op"))?.into(),
        processor,
        args: match o.get("args") {
            None | Some(Json::Null) => Args::default(),
            Some(json) => Args(fields(json, &at.field("args"))?),
        },
    })
}

/// Appends a request to `out`.
///
/// # Errors
/// When an argument cannot be expressed.
pub fn encode_request(
    request: &RequestMessage,
    dialect: Dialect,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    Writer::new(out, dialect, Properties::Given).object(|o| {
        o.text("requestId", &request.id.to_string())?;
        o.text("op", &request.op)?;
        o.text("processor", &request.processor)?;
        o.field("args", |w| {
            w.named_map(|m| {
                request.args.0.iter().try_for_each(|(key, value)| m.entry(key, |w| w.wire_value(value)))
            })
        })
    })
}

/// Decodes a response that fills `bytes`: `{"requestId", "status": {…}, "result": {…}}`.
///
/// # Errors
/// With the JSON path of the first problem.
pub fn decode_response(bytes: &[u8]) -> Result<ResponseMessage, DecodeError> {
    let json = parse(bytes)?;
    let at = &Location::ROOT;
    let o = object(&json, at)?;
    let id = match field(o, "requestId") {
        Json::Null => None,
        json => Some(uuid(json, &at.field("requestId"))?),
    };
    let in_result = &at.field("result");
    let result = object(field(o, "result"), in_result)?;
    Ok(ResponseMessage {
        id,
        status: status(field(o, "status"), &at.field("status"))?,
        data: any(field(result, "data"), &in_result.field("data"))?,
        meta: map(field(result, "meta"), &in_result.field("meta"))?,
    })
}

fn status(json: &Json, at: &Location<'_>) -> Read<ResponseStatus> {
    let o = object(json, at)?;
    let in_code = &at.field("code");
    let code = field(o, "code").as_u64().and_then(|code| u16::try_from(code).ok());
    Ok(ResponseStatus {
        code: code.ok_or_else(|| in_code.error(Problem::expected("a status code", "another value")))?,
        message: field(o, "message").as_str().unwrap_or_default().into(),
        attributes: map(field(o, "attributes"), &at.field("attributes"))?,
    })
}

fn map(json: &Json, at: &Location<'_>) -> Read<Map> {
    if json.is_null() { Ok(Map::new()) } else { value_map(json, at) }
}

/// Appends a response with its own data to `out`.
///
/// # Errors
/// When a value cannot be expressed.
pub fn encode_response(
    response: &ResponseMessage,
    dialect: Dialect,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    encode_results(response, Results::Data(&response.data), Properties::Given, dialect, out)
}

/// Appends a response to `out` that carries `results` instead of the response's own data.
///
/// # Errors
/// When a value cannot be expressed.
pub fn encode_results(
    response: &ResponseMessage,
    results: Results<'_>,
    properties: Properties,
    dialect: Dialect,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    Writer::of_message(out, dialect, properties).object(|o| {
        match &response.id {
            Some(id) => o.text("requestId", &id.to_string())?,
            None => o.field("requestId", |w| {
                w.raw("null");
                Ok(())
            })?,
        }
        o.field("status", |w| {
            w.object(|o| {
                o.text("message", &response.status.message)?;
                o.field("code", |w| {
                    json::display(response.status.code, w.out);
                    Ok(())
                })?;
                o.field("attributes", |w| w.map(response.status.attributes.iter()))
            })
        })?;
        o.field("result", |w| {
            w.object(|o| {
                o.field("data", |w| w.results(results))?;
                o.field("meta", |w| w.map(response.meta.iter()))
            })
        })
    })
}

impl Writer<'_> {
    fn results(&mut self, results: Results<'_>) -> Written {
        match results {
            Results::None => {
                self.raw("null");
                Ok(())
            }
            Results::Values(values) => self.collection("g:List", values, Self::value),
            Results::Traversers(traversers) => self.collection("g:List", traversers, |w, (value, bulk)| {
                w.traverser(i64::try_from(*bulk).unwrap_or(i64::MAX), |w| w.value(value))
            }),
            Results::Data(data) => self.wire_value(data),
        }
    }
}
