//! Messages of GraphSON 4.0, which are written piece by piece.
//!
//! ```text
//! {"result":{"data":{"@type":"g:List","@value":[ result, result … ]}},"status":{"code":200}}
//! ```

use serde_json::Value as Json;
use values::{Str, Value};

use super::reader::{Read, any, field, fields, object, text, type_of, unexpected};
use super::writer::{Writer, Written};
use super::{Dialect, Location, json, parse};
use crate::error::Problem;
use crate::four::{Request, Response, Status};
use crate::message::{Args, Properties, Results};
use crate::{DecodeError, EncodeError, WireValue};

/// Decodes a request that fills `bytes`: an object whose field `gremlin` is the script.
///
/// # Errors
/// With the JSON path of the first problem.
pub(crate) fn decode_request(bytes: &[u8]) -> Result<Request, DecodeError> {
    let at = &Location::ROOT;
    let mut fields = Args(fields(&parse(bytes)?, at)?);
    match fields.take("gremlin") {
        Some(WireValue::Value(Value::String(gremlin))) => Ok(Request { gremlin, fields }),
        Some(_) => Err(at.field("gremlin").error(Problem::expected("a script", "another value"))),
        None => Err(at.error(Problem::expected("a script called `gremlin`", "none"))),
    }
}

/// Appends a request to `out`.
///
/// # Errors
/// When a field cannot be expressed.
pub(crate) fn encode_request(request: &Request, dialect: Dialect, out: &mut Vec<u8>) -> Written {
    Writer::new(out, dialect, Properties::Given).object(|o| {
        o.text("gremlin", &request.gremlin)?;
        request.fields.0.iter().try_for_each(|(key, value)| o.field(key, |w| w.wire_value(value)))
    })
}

/// Appends what a response begins with.
pub(crate) fn begin(dialect: Dialect, out: &mut Vec<u8>) {
    out.extend_from_slice(br#"{"result":{"data":"#);
    if dialect.typed {
        out.extend_from_slice(br#"{"@type":"g:List","@value":"#);
    }
    out.push(b'[');
}

/// Appends results to a response. Traversers are written as often as they occur, so they are for those who have few.
pub(crate) fn results(
    results: Results<'_>,
    properties: Properties,
    dialect: Dialect,
    are_first: bool,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let mut writer = Writer::of_message(out, dialect, properties);
    let mut are_first = are_first;
    let mut item = |w: &mut Writer<'_>, write: &dyn Fn(&mut Writer<'_>) -> Written| {
        if !std::mem::take(&mut are_first) {
            w.raw(",");
        }
        w.one_more()?;
        write(w)
    };
    match results {
        Results::None => Ok(()),
        Results::Values(values) => values.iter().try_for_each(|value| item(&mut writer, &|w| w.value(value))),
        Results::Traversers(traversers) => traversers.iter().try_for_each(|(value, bulk)| {
            (0..*bulk).try_for_each(|_| item(&mut writer, &|w| w.value(value)))
        }),
        Results::Data(data) => item(&mut writer, &|w| w.wire_value(data)),
    }
}

/// Appends what a response ends with.
pub(crate) fn end(status: &Status, dialect: Dialect, out: &mut Vec<u8>) {
    out.extend_from_slice(if dialect.typed { b"]}}," } else { b"]}," });
    out.extend_from_slice(br#""status":{"code":"#);
    json::display(status.code, out);
    for (name, text) in [("message", &status.message), ("exception", &status.exception)] {
        if !text.is_empty() {
            out.push(b',');
            json::string(name, out);
            out.push(b':');
            json::string(text, out);
        }
    }
    out.extend_from_slice(b"}}");
}

/// Decodes a response that fills `bytes`.
///
/// # Errors
/// With the JSON path of the first problem.
pub(crate) fn decode_response(bytes: &[u8]) -> Result<Response, DecodeError> {
    let json = parse(bytes)?;
    let at = &Location::ROOT;
    let o = object(&json, at)?;
    let in_result = &at.field("result");
    let in_data = &in_result.field("data");
    let data = field(object(field(o, "result"), in_result)?, "data");
    let list = match data.as_object().and_then(|object| Some((type_of(object)?, object))) {
        Some(("g:List", object)) => field(object, "@value"),
        _ => data,
    };
    let items = list.as_array().ok_or_else(|| unexpected("a list of results", data, in_data))?;
    let item = |(i, json): (usize, &Json)| Ok((any(json, &in_data.index(i))?, 1));
    Ok(Response {
        results: items.iter().enumerate().map(item).collect::<Read<_>>()?,
        bulked: false,
        status: status(field(o, "status"), &at.field("status"))?,
    })
}

fn status(json: &Json, at: &Location<'_>) -> Read<Status> {
    let o = object(json, at)?;
    let code = field(o, "code").as_u64().and_then(|code| u16::try_from(code).ok());
    let optional = |name: &str| match field(o, name) {
        Json::Null => Ok(Str::new()),
        json => text(json, &at.field(name)).map(Str::from),
    };
    Ok(Status {
        code: code
            .ok_or_else(|| at.field("code").error(Problem::expected("a status code", "another value")))?,
        message: optional("message")?,
        exception: optional("exception")?,
    })
}
