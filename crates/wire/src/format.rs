//! Formats by mime type, and the frames they travel in.

use values::{Str, Uuid, Value};

use crate::error::{Problem, excerpt};
use crate::graphson::{Dialect, Version};
use crate::message::{Args, Properties, RequestMessage, ResponseMessage, Results};
use crate::{DecodeError, EncodeError, WireValue, four, graphbinary, graphson, memory};

/// How messages are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// GraphBinary 1.0.
    GraphBinary,
    /// The same with results as texts: what TinkerPop's console asks for, which only prints them.
    GraphBinaryTexts,
    /// GraphSON in one of its dialects.
    GraphSon(Dialect),
}

/// The mime types by which clients name formats. The first of a format is its canonical one.
const MIME_TYPES: [(&str, Format); 10] = [
    ("application/vnd.graphbinary-v1.0", Format::GraphBinary),
    ("application/vnd.graphbinary-v1.0-stringd", Format::GraphBinaryTexts),
    ("application/vnd.gremlin-v3.0+json", Format::json(Version::V3, true)),
    ("application/vnd.gremlin-v3.0+json;types=false", Format::json(Version::V3, false)),
    ("application/vnd.gremlin-v2.0+json", Format::json(Version::V2, true)),
    ("application/vnd.gremlin-v2.0+json;types=false", Format::json(Version::V2, false)),
    ("application/vnd.gremlin-v1.0+json;types=false", Format::json(Version::V1, false)),
    ("application/vnd.gremlin-v1.0+json", Format::json(Version::V1, false)),
    ("application/json", Format::json(Version::V3, true)),
    ("application/json;types=false", Format::json(Version::V3, false)),
];

impl Format {
    const fn json(version: Version, typed: bool) -> Self {
        Self::GraphSon(Dialect { version, typed })
    }

    /// The format of that mime type; `application/json` is typed GraphSON 3, as with Gremlin Server.
    ///
    /// GraphSON 1 is always untyped: its typed form names Java classes.
    pub fn from_mime(mime: &str) -> Option<Self> {
        let mime = plain_mime(mime);
        MIME_TYPES.iter().find(|(name, _)| *name == mime).map(|(_, format)| *format)
    }

    /// The canonical mime type.
    pub fn mime(self) -> &'static str {
        // Every format a value of this type can be made for is in the table, or is the first one.
        MIME_TYPES.iter().find(|(_, format)| *format == self).map_or(MIME_TYPES[0].0, |(name, _)| *name)
    }

    /// About how many bytes of memory a message takes when it is decoded: more for usual ones.
    pub fn memory_of(self, body: &[u8]) -> usize {
        match self {
            Self::GraphBinary | Self::GraphBinaryTexts => memory::of_binary(body),
            Self::GraphSon(_) => memory::of_json(body),
        }
    }

    /// Decodes a request that fills `body`.
    ///
    /// # Errors
    /// With the place of the first problem.
    pub fn decode_request(self, body: &[u8]) -> Result<RequestMessage, DecodeError> {
        match self {
            Self::GraphBinary | Self::GraphBinaryTexts => graphbinary::decode_request(body),
            Self::GraphSon(_) => graphson::decode_request(body),
        }
    }

    /// Appends a request to `out`.
    ///
    /// # Errors
    /// When an argument cannot be expressed.
    pub fn encode_request(self, request: &RequestMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        match self {
            Self::GraphBinary | Self::GraphBinaryTexts => graphbinary::encode_request(request, out),
            Self::GraphSon(dialect) => graphson::encode_request(request, dialect, out),
        }
    }

    /// Appends the frame of a request to `out`: the mime type, preceded by its length in a byte, and the request.
    ///
    /// # Errors
    /// When an argument cannot be expressed.
    pub fn encode_frame(self, request: &RequestMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        let mime = self.mime();
        // Mime types are constants of at most 45 bytes.
        out.push(mime.len() as u8);
        out.extend_from_slice(mime.as_bytes());
        self.encode_request(request, out)
    }

    /// Appends a response to `out` that carries `results` instead of the response's own data.
    ///
    /// # Errors
    /// When a value cannot be expressed; `out` then ends in the middle of the response.
    pub fn encode_results(
        self,
        response: &ResponseMessage,
        results: Results<'_>,
        properties: Properties,
        out: &mut Vec<u8>,
    ) -> Result<(), EncodeError> {
        match self {
            Self::GraphBinary => graphbinary::encode_results(response, results, properties, out),
            Self::GraphBinaryTexts => {
                graphbinary::encode_results(response, as_texts(results).borrowed(), properties, out)
            }
            Self::GraphSon(dialect) => graphson::encode_results(response, results, properties, dialect, out),
        }
    }

    /// Appends a response with its own data to `out`.
    ///
    /// # Errors
    /// When a value cannot be expressed; `out` then ends in the middle of the response.
    pub fn encode_response(self, response: &ResponseMessage, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        self.encode_results(response, Results::Data(&response.data), Properties::Given, out)
    }

    /// Decodes a response that fills `body`.
    ///
    /// # Errors
    /// With the place of the first problem.
    pub fn decode_response(self, body: &[u8]) -> Result<ResponseMessage, DecodeError> {
        match self {
            Self::GraphBinary | Self::GraphBinaryTexts => graphbinary::decode_response(body),
            Self::GraphSon(_) => graphson::decode_response(body),
        }
    }
}

/// Results as texts, or what is to be sent as it is.
enum Texts<'a> {
    Values(Vec<Value>),
    Traversers(Vec<(Value, u64)>),
    Same(Results<'a>),
}

fn as_texts(results: Results<'_>) -> Texts<'_> {
    let text = |value: &Value| {
        values::watch::tick();
        Value::str(value.to_string())
    };
    match results {
        Results::Values(values) => Texts::Values(values.iter().map(text).collect()),
        Results::Traversers(traversers) => {
            Texts::Traversers(traversers.iter().map(|(value, bulk)| (text(value), *bulk)).collect())
        }
        results => Texts::Same(results),
    }
}

impl Texts<'_> {
    fn borrowed(&self) -> Results<'_> {
        match self {
            Self::Values(values) => Results::Values(values),
            Self::Traversers(traversers) => Results::Traversers(traversers),
            Self::Same(results) => *results,
        }
    }
}

/// A mime type without blanks, capitals and its character set.
pub(crate) fn plain_mime(mime: &str) -> String {
    let mut mime: String =
        mime.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_ascii_lowercase();
    if let Some(at) = mime.find(";charset") {
        mime.truncate(at);
    }
    mime
}

/// Decodes the request in a binary frame of a WebSocket, and says in which format to answer.
///
/// ```text
/// ┌────────────────┬───────────┬─────────┐
/// │ length, 1 byte │ mime type │ request │
/// └────────────────┴───────────┴─────────┘
/// ```
///
/// # Errors
/// When the mime type is unknown, or with the place of the first problem in the request. Offsets count from the
/// start of the request.
pub fn decode_frame(frame: &[u8]) -> Result<(Format, RequestMessage), DecodeError> {
    let (format, body) = split_frame(frame)?;
    Ok((format, format.decode_request(body)?))
}

/// Decodes the request in a text frame of a WebSocket, which is JSON, and says in which format to answer.
///
/// # Errors
/// With the JSON path of the first problem.
pub fn decode_text_frame(frame: &str) -> Result<(Format, RequestMessage), DecodeError> {
    Ok((Format::json(Version::V3, true), graphson::decode_request(frame.as_bytes())?))
}

fn split_frame(frame: &[u8]) -> Result<(Format, &[u8]), DecodeError> {
    let (length, rest) = frame.split_first().ok_or(Problem::Truncated { needed: 1, left: 0 }.at(0))?;
    let length = usize::from(*length);
    if rest.len() < length {
        return Err(Problem::Truncated { needed: length, left: rest.len() }.at(1));
    }
    let (mime, body) = rest.split_at(length);
    let mime = String::from_utf8_lossy(mime);
    let format = Format::from_mime(&mime).ok_or_else(|| Problem::Mime(excerpt(&mime)).at(1))?;
    Ok((format, body))
}

/// Decodes the body of an HTTP request to `POST /gremlin` in JSON: `{"gremlin": …, "bindings": {…}, …}`. The id
/// is `requestId`, or `fresh_id` where there is none.
///
/// # Errors
/// With the JSON path of the first problem.
pub fn decode_http(body: &[u8], fresh_id: Uuid) -> Result<RequestMessage, DecodeError> {
    HttpFields::decode(body)?.into_three(fresh_id)
}

/// The fields of a JSON body of an HTTP request, which tell what protocol it speaks.
#[derive(Debug)]
pub struct HttpFields(Args);

impl HttpFields {
    /// About how many bytes of memory they take when they are decoded.
    pub fn memory_of(body: &[u8]) -> usize {
        memory::of_json(body)
    }

    /// Decodes an object that fills `body`.
    ///
    /// # Errors
    /// With the JSON path of the first problem.
    pub fn decode(body: &[u8]) -> Result<Self, DecodeError> {
        let mut fields = graphson::decode_object(body)?;
        // graph-explorer's name for it, where it asks a server itself.
        let has_script = fields.iter().any(|(key, _)| key == "gremlin");
        if !has_script && let Some((key, _)) = fields.iter_mut().find(|(key, _)| key == "query") {
            *key = "gremlin".into();
        }
        Ok(Self(Args(fields)))
    }

    /// Whether there is a field of that name.
    pub fn has(&self, name: &str) -> bool {
        self.0.get(name).is_some()
    }

    /// The request of TinkerPop 3 that they are.
    ///
    /// # Errors
    /// If there is no script.
    pub fn into_three(mut self, fresh_id: Uuid) -> Result<RequestMessage, DecodeError> {
        self.script()?;
        let id = self.0.text("requestId").and_then(|id| Uuid::parse_str(id).ok()).unwrap_or(fresh_id);
        self.0.0.retain(|(key, _)| key != "requestId");
        Ok(RequestMessage { id, op: "eval".into(), processor: Str::new(), args: self.0 })
    }

    /// The request of TinkerPop 4 that they are.
    ///
    /// # Errors
    /// If there is no script.
    pub fn into_four(mut self) -> Result<four::Request, DecodeError> {
        let gremlin = self.script()?;
        self.0.take("gremlin");
        Ok(four::Request { gremlin, fields: self.0 })
    }

    fn script(&self) -> Result<Str, DecodeError> {
        match self.0.get("gremlin") {
            Some(WireValue::Value(Value::String(script))) => Ok(script.clone()),
            _ => {
                let problem = Problem::expected("a script called `gremlin`", "none");
                Err(DecodeError { place: crate::Place::Path("$".into()), problem })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mime_types_are_known_with_and_without_parameters() {
        let typed = Format::GraphSon(Dialect::V3);
        assert_eq!(Format::from_mime("application/json; charset=UTF-8"), Some(typed));
        assert_eq!(Format::from_mime("application/vnd.gremlin-v3.0+json"), Some(typed));
        let untyped = Format::GraphSon(Dialect::UNTYPED);
        assert_eq!(Format::from_mime("application/vnd.gremlin-v3.0+json; types=false"), Some(untyped));
        assert_eq!(Format::from_mime("application/json;types=false"), Some(untyped));
        assert_eq!(Format::from_mime("text/html"), None);
    }

    #[test]
    fn canonical_mime_types_name_their_formats() {
        for (_, format) in MIME_TYPES {
            assert_eq!(Format::from_mime(format.mime()), Some(format));
        }
    }

    #[test]
    fn a_text_frame_is_graphson() {
        let text = r#"{"requestId": "41d2e28a-20a4-4ab0-b379-d810dede3786", "op": "eval", "args": {"gremlin": "g"}}"#;
        let (format, request) = decode_text_frame(text).unwrap();
        assert_eq!(format.mime(), "application/vnd.gremlin-v3.0+json");
        assert_eq!((request.op.as_str(), request.args.text("gremlin")), ("eval", Some("g")));
    }
}
