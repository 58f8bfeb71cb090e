//! The request in an HTTP request.

use hyper::{HeaderMap, Method, header::CONTENT_TYPE, http::request::Parts};
use uuid::Uuid;
use values::{Map, Str, Value};
use wire::{Args, Format, RequestMessage, WireValue};

use super::{four, media};

/// What the mime types of drivers' formats begin with.
const DRIVERS: &str = "application/vnd.";

/// Most parts that a query string is split into.
const MAX_PARAMETERS: usize = 256;

/// What a client asks, in the words of its protocol.
#[derive(Debug)]
pub(super) enum Question {
    /// A message of TinkerPop 3.
    Three(RequestMessage),
    /// One of TinkerPop 4.
    Four(wire::four::Request),
}

/// About how many bytes of memory the message in a body takes when it is read.
pub(super) fn memory_of(head: &Parts, body: &[u8]) -> usize {
    match Notation::of(&head.headers) {
        Notation::Four(format) => format.memory_of(body),
        Notation::Three(format, _) => format.memory_of(body),
        Notation::Json | Notation::Unknown(_) => wire::HttpFields::memory_of(body),
    }
}

/// How a body is written. What weighs it and what reads it must be of one mind, so both ask here.
enum Notation<'a> {
    /// A request of TinkerPop 4.
    Four(wire::four::Format),
    /// A driver's message, with the mime type that may be in front of it.
    Three(Format, &'a str),
    /// A plain JSON object, whatever it is said to be: `curl -d` calls it a form.
    Json,
    /// A format of drivers that nobody here speaks.
    Unknown(&'a str),
}

impl<'a> Notation<'a> {
    fn of(headers: &'a HeaderMap) -> Self {
        let mime = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default().trim();
        // Clients write mime types in capitals, too.
        let start = mime.get(..DRIVERS.len());
        if !start.is_some_and(|start| start.eq_ignore_ascii_case(DRIVERS)) {
            return Self::Json;
        }
        match (wire::four::Format::from_mime(mime), Format::from_mime(mime)) {
            (Some(format), _) => Self::Four(format),
            (None, Some(format)) => Self::Three(format, mime),
            (None, None) => Self::Unknown(mime),
        }
    }
}

/// Reads a request message from a query string (`GET`), a plain JSON object, or a driver's serialized message.
///
/// # Errors
/// For the client, with status 400.
pub(super) fn read(head: &Parts, body: &[u8]) -> Result<Question, String> {
    if head.method == Method::GET {
        return from_query_string(head.uri.query().unwrap_or_default()).map(Question::Three);
    }
    let told = |error: wire::DecodeError| error.to_string();
    match Notation::of(&head.headers) {
        Notation::Four(format) => format.decode_request(body).map(Question::Four).map_err(told),
        Notation::Three(format, mime) => {
            format.decode_request(without_mime(body, mime)?).map(Question::Three).map_err(told)
        }
        Notation::Json => from_json(&head.headers, body),
        Notation::Unknown(mime) => Err(format!("no serializer for Content-Type {mime}")),
    }
}

/// What a client calls its query: Neptune's `queryId`, in a header, the query string or the body; or the id of the request.
pub(super) fn called(head: &Parts, message: &RequestMessage) -> Str {
    /// Characters of it.
    const LONGEST: usize = 128;
    let in_header = || head.headers.get("queryid").and_then(|value| value.to_str().ok());
    let in_body = || match message.args.get("queryId") {
        Some(WireValue::Value(Value::String(id))) => Some(id.as_str()),
        _ => None,
    };
    let called = in_body().or_else(in_header).filter(|id| !id.is_empty());
    called.map_or_else(
        || message.id.to_string().into(),
        |id| id.chars().take(LONGEST).collect::<String>().into(),
    )
}

/// Drivers put the mime type in front of the message here too; it must be the one of the header.
fn without_mime<'a>(body: &'a [u8], mime: &str) -> Result<&'a [u8], String> {
    match body.split_first() {
        Some((b'{' | 0x81, _)) | None => Ok(body),
        Some((&length, rest)) => match rest.split_at_checked(usize::from(length)) {
            Some((found, message)) if found.eq_ignore_ascii_case(mime.as_bytes()) => Ok(message),
            _ => Err("Mime type mismatch. Value in content-type header is not equal payload header.".into()),
        },
    }
}

fn eval(id: Uuid, args: Vec<(Str, WireValue)>) -> RequestMessage {
    RequestMessage { id, op: "eval".into(), processor: Str::new(), args: Args(args) }
}

/// The parameters of a query string, or a form.
pub(super) fn parameters(query: &str) -> Result<Vec<(String, String)>, String> {
    let parts: Vec<_> = query.split('&').filter(|part| !part.is_empty()).take(MAX_PARAMETERS + 1).collect();
    if parts.len() > MAX_PARAMETERS {
        return Err(format!("more than {MAX_PARAMETERS} parameters; use POST"));
    }
    let read = |part: &str| {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        Ok((percent_decoded(key)?, percent_decoded(value)?))
    };
    parts.into_iter().map(read).collect()
}

fn from_query_string(query: &str) -> Result<RequestMessage, String> {
    let mut args = Vec::new();
    let (mut bindings, mut aliases) = (Map::new(), Map::new());
    let mut id = Uuid::new_v4();
    for (key, value) in parameters(query)? {
        // The first of several parameters of one name counts.
        let known = |map: &Map, key: &str| map.get(&Value::str(key)).is_some();
        if let Some(key) = key.strip_prefix("bindings.") {
            if !known(&bindings, key) {
                bindings.insert(key, value.as_str());
            }
        } else if let Some(key) = key.strip_prefix("aliases.") {
            if !known(&aliases, key) {
                aliases.insert(key, value.as_str());
            }
        } else if key == "requestId" {
            id = parse_id(&value)?;
        } else if !args.iter().any(|(known, _)| *known == *key) {
            let value = parameter(&key, value);
            args.push((Str::from(key), value));
        }
    }
    if !args.iter().any(|(key, value)| key == "gremlin" && *value != WireValue::Value(Value::str(""))) {
        return Err("no gremlin script supplied".into());
    }
    args.push(("bindings".into(), WireValue::Value(bindings.into())));
    args.push(("aliases".into(), WireValue::Value(aliases.into())));
    Ok(eval(id, args))
}

/// A parameter as an argument. A few are numbers, and a query string or form has only text; the others stay texts, whatever they look
/// like.
pub(super) fn parameter(name: &str, text: String) -> WireValue {
    const NUMBERS: [&str; 3] = ["evaluationTimeout", "scriptEvaluationTimeout", "batchSize"];
    let number = NUMBERS.contains(&name).then(|| text.parse::<i64>().ok()).flatten();
    WireValue::Value(number.map_or_else(|| Value::from(text), Value::Long))
}

/// Decodes `%xx` and `+`.
pub(super) fn percent_decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = rest.split_at_checked(2).and_then(|(digits, tail)| {
                    rest = tail;
                    std::str::from_utf8(digits).ok()
                });
                digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()).ok_or_else(|| {
                    "a % in the query string is not followed by two hexadecimal digits".to_owned()
                })?
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).map_err(|_| "the query string is not UTF-8".to_owned())
}

fn from_json(headers: &HeaderMap, body: &[u8]) -> Result<Question, String> {
    let fields = wire::HttpFields::decode(body).map_err(|error| error.to_string())?;
    let question = match is_of_four(headers, &fields) {
        true => fields.into_four().map(Question::Four),
        false => fields.into_three(Uuid::new_v4()).map(Question::Three),
    };
    question.map_err(|error| error.to_string())
}

/// Whether JSON is a request of TinkerPop 4: its client wants an answer in a format of 4, or it has a field that only 4 knows and
/// none that only 3 does.
fn is_of_four(headers: &HeaderMap, fields: &wire::HttpFields) -> bool {
    const OF_FOUR: [&str; 5] = ["g", "parameters", "timeoutMillis", "bulkResults", "transactionId"];
    const OF_THREE: [&str; 5] =
        ["bindings", "aliases", "evaluationTimeout", "scriptEvaluationTimeout", "requestId"];
    match media::version_wanted(headers) {
        Some(version) => version == 4,
        None => {
            let has = |names: &[&str]| names.iter().any(|name| fields.has(name));
            headers.contains_key(four::TRANSACTION_ID) || has(&OF_FOUR) && !has(&OF_THREE)
        }
    }
}

fn parse_id(text: &str) -> Result<Uuid, String> {
    text.parse().map_err(|_| format!("requestId [{text}] is not a UUID"))
}

#[cfg(test)]
mod tests {
    use hyper::Request;

    use super::*;

    fn argument(message: &RequestMessage, name: &str) -> Option<WireValue> {
        message.args.get(name).cloned()
    }

    #[test]
    fn a_query_string_is_a_script_with_bindings_and_aliases() {
        let message =
            from_query_string("gremlin=g.V(x)%20&bindings.x=1&aliases.g=gmodern&bindings.x=2").unwrap();
        assert_eq!(argument(&message, "gremlin"), Some(WireValue::Value(Value::str("g.V(x) "))));
        let mut bindings = Map::new();
        bindings.insert("x", "1");
        assert_eq!(argument(&message, "bindings"), Some(WireValue::Value(bindings.into())));
    }

    #[test]
    fn parameters_are_texts_but_for_those_that_are_numbers() {
        let message = from_query_string("gremlin=42&requestKey=1&evaluationTimeout=7&batchSize=x").unwrap();
        for (name, expected) in [
            ("gremlin", Value::str("42")),
            ("requestKey", Value::str("1")),
            ("evaluationTimeout", Value::Long(7)),
            ("batchSize", Value::str("x")),
        ] {
            assert_eq!(argument(&message, name), Some(WireValue::Value(expected)), "{name}");
        }
    }

    #[test]
    fn what_weighs_a_body_and_what_reads_it_agree_on_its_format() {
        let head = |mime: &str| {
            Request::post("/gremlin").header(CONTENT_TYPE, mime).body(()).unwrap().into_parts().0
        };
        let json = br#"{"gremlin":"g.inject([[],[],[],[]])","bindings":{"x":[[],[],[],[],[]]}}"#;
        let as_json = wire::HttpFields::memory_of(json);
        for mime in
            ["text/plain", "application/x-www-form-urlencoded", "application/json", "Application/JSON"]
        {
            assert!(matches!(read(&head(mime), json), Ok(Question::Three(_))), "{mime}");
            assert_eq!(memory_of(&head(mime), json), as_json, "{mime}");
        }
        for mime in ["application/vnd.graphbinary-v1.0", "Application/VND.GraphBinary-v1.0; charset=utf-8"] {
            assert!(read(&head(mime), json).is_err(), "{mime}: it is no GraphBinary");
            assert_ne!(memory_of(&head(mime), json), as_json, "{mime}");
        }
        let unknown = read(&head("Application/vnd.other"), json).unwrap_err();
        assert_eq!(unknown, "no serializer for Content-Type Application/vnd.other");
    }

    #[test]
    fn malformed_requests_are_refused_with_the_reason() {
        for (query, reason) in [
            ("", "no gremlin script supplied"),
            ("gremlin=", "no gremlin script supplied"),
            ("gremlin=%4", "hexadecimal"),
            ("gremlin=%ff", "UTF-8"),
            ("gremlin=g&requestId=7", "UUID"),
        ] {
            assert!(from_query_string(query).unwrap_err().contains(reason), "{query}");
        }
    }

    #[test]
    fn a_mime_type_in_front_of_a_message_must_match_the_header() {
        assert_eq!(without_mime(b"\x01x{}", "x"), Ok(&b"{}"[..]));
        assert_eq!(without_mime(b"{}", "x"), Ok(&b"{}"[..]));
        assert!(without_mime(b"\x01y{}", "x").is_err());
    }
}
