//! Responses on their way into bytes.

use std::{borrow::Cow, fmt};

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use uuid::Uuid;
use values::{Map, Value};
use wire::{EncodeError, Format, Properties, ResponseMessage, ResponseStatus, WireValue};

use crate::{page::Page, status::StatusCode, told::fitting};

/// The format of text frames, and of HTTP responses by default: typed GraphSON 3.
pub(crate) const JSON: Format = Format::GraphSon(wire::graphson::Dialect::V3);

/// How a request went.
#[derive(Debug)]
pub(crate) struct Status(ResponseStatus);

impl Status {
    /// A status that says nothing but its code.
    pub(crate) fn new(code: StatusCode) -> Self {
        Self(ResponseStatus::new(code.code(), ""))
    }

    /// A failure: the message for people, `exception` for programs.
    pub(crate) fn failure(code: StatusCode, message: &str, exception: &str) -> Self {
        let message = fitting(message);
        let mut status = Self(ResponseStatus::new(code.code(), &*message));
        status.attribute("exceptions", Value::list([Value::str(exception)]));
        // Drivers show it; there is no stack of ours that would help their users.
        status.attribute("stackTrace", Value::str(format!("{exception}: {message}")));
        status
    }

    /// Names a further exception, for programs that look for TinkerPop's.
    pub(crate) fn or_exception(mut self, first: &str, exception: Option<&'static str>) -> Self {
        if let Some(exception) = exception {
            self.attribute("exceptions", Value::list([Value::str(first), Value::str(exception)]));
        }
        self
    }

    /// Adds the attributes of a last response: the client's address, and warnings if there are any.
    pub(crate) fn summarize(&mut self, host: &str, warnings: Vec<String>) {
        self.attribute("host", Value::str(host));
        if !warnings.is_empty() {
            let warnings: Vec<_> = warnings.into_iter().map(Value::str).collect();
            self.attribute("warnings", Value::list(warnings));
        }
    }

    fn attribute(&mut self, name: &str, value: Value) {
        self.0.attributes.insert(name, value);
    }

    fn response(self, id: Option<Uuid>) -> ResponseMessage {
        ResponseMessage { id, status: self.0, data: WireValue::NULL, meta: Map::new() }
    }
}

/// A response with a page of results.
pub(crate) fn results(
    format: Format,
    id: Uuid,
    status: Status,
    page: &Page,
    properties: Properties,
) -> Result<Vec<u8>, EncodeError> {
    let mut out = Vec::with_capacity(256 + 32 * page.len());
    format.encode_results(&status.response(Some(id)), page.results(), properties, &mut out)?;
    Ok(out)
}

/// A response without results: an empty success or a failure.
pub(crate) fn bare(format: Format, id: Option<Uuid>, status: Status) -> Vec<u8> {
    let mut out = Vec::with_capacity(512);
    format
        .encode_response(&status.response(id), &mut out)
        .expect("a status is text and lists of text, which every format has a form for");
    out
}

/// The id of a request that cannot be read as a whole, so that its client knows what the refusal is about.
pub(crate) fn salvage_id(format: Format, bytes: &[u8]) -> Option<Uuid> {
    match format {
        // Version, then the id.
        Format::GraphBinary | Format::GraphBinaryTexts => Uuid::from_slice(bytes.get(1..17)?).ok(),
        Format::GraphSon(_) => {
            let mut json = serde_json::Deserializer::from_slice(bytes);
            TextUnder("requestId").deserialize(&mut json).ok()??.parse().ok()
        }
    }
}

/// The text under a key of an object, or of the object under that key (`{"@type": …, "@value": …}`). All else is passed over and takes
/// no memory: the request may have been refused for what it would take.
struct TextUnder(&'static str);

impl<'de> DeserializeSeed<'de> for TextUnder {
    type Value = Option<String>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextUnder {
    type Value = Option<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a text, or an object with one under {}", self.0)
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(text.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = object.next_key::<Cow<'_, str>>()? {
            match key == self.0 && found.is_none() {
                true => found = object.next_value_seed(TextUnder("@value"))?,
                false => drop(object.next_value::<IgnoredAny>()?),
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_of_a_request_is_found_in_front_of_and_behind_what_is_not_read() {
        let id = Uuid::from_u128(7);
        let found = |json: String| salvage_id(JSON, json.as_bytes());
        let deep = format!("{}{}", "[".repeat(100), "]".repeat(100));
        assert_eq!(found(format!(r#"{{"args":{deep},"requestId":"{id}","op":1}}"#)), Some(id));
        let typed =
            format!(r#"{{"requestId":{{"@type":"g:UUID","x":{deep},"@value":"{id}"}},"args":{deep}}}"#);
        assert_eq!(found(typed), Some(id));
        for none in ["", "[]", "7", "{", r#"{"requestId":7}"#, r#"{"requestId":[]}"#, r#"{"requestId":"x"}"#]
        {
            assert_eq!(found(none.into()), None, "{none}");
        }
    }
}
