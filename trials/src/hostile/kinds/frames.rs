//! Messages that no driver sends: nested without end, with sizes that are not true, cut off.

use fastrand::Rng;

use super::super::needs::Needs;
use super::super::query::Hostile;
use super::{nested, pick};

const BINARY: &str = "application/vnd.graphbinary-v1.0";
const JSON: &str = "application/vnd.gremlin-v3.0+json";
/// A request's id.
const ID: &str = "41d2e28a-20a4-4ab0-b379-d810dede3786";

/// Draws one.
pub(super) fn draw(rng: &mut Rng) -> Hostile {
    let depth = [10, 100, 200, 1_000, 10_000][rng.usize(..5)];
    match rng.u8(..6) {
        0 => json_bytecode(depth),
        1 => json_values(rng, depth),
        2 => binary_bytecode(depth),
        3 => binary_values(rng, depth),
        4 => binary_sizes(rng),
        _ => cut_off(rng),
    }
}

fn json_bytecode(depth: usize) -> Hostile {
    let before = r#"{"@type":"g:Bytecode","@value":{"step":[["where","#;
    let inner = r#"{"@type":"g:Bytecode","@value":{"step":[["out"]]}}"#;
    let traversal = nested(depth, before, inner, "]]}}");
    let traversal = format!(r#"{{"@type":"g:Bytecode","@value":{{"step":[["V"],["where",{traversal}]]}}}}"#);
    let message = format!(
        r#"{{"requestId":{{"@type":"g:UUID","@value":"{ID}"}},"op":"bytecode","processor":"traversal","args":{{"@type":"g:Map","@value":["gremlin",{traversal},"aliases",{{"@type":"g:Map","@value":["g","g"]}}]}}}}"#
    );
    Hostile::frame(framed(JSON, message.as_bytes()), "GraphSON: bytecode in bytecode")
        .needs(Needs::default().depth(depth as f64))
}

fn json_values(rng: &mut Rng, depth: usize) -> Hostile {
    let (before, after) = pick(
        rng,
        &[
            (r#"{"@type":"g:List","@value":["#, "]}"),
            (r#"{"@type":"g:Map","@value":["k","#, "]}"),
            (r#"{"@type":"g:Map","@value":["#, r#","v"]}"#),
            ("[", "]"),
            (r#"{"k":"#, "}"),
        ],
    );
    let value = nested(depth, before, "1", after);
    let message = format!(
        r#"{{"requestId":{{"@type":"g:UUID","@value":"{ID}"}},"op":"eval","processor":"","args":{{"@type":"g:Map","@value":["gremlin","g.inject(x).count()","bindings",{{"@type":"g:Map","@value":["x",{value}]}}]}}}}"#
    );
    Hostile::frame(framed(JSON, message.as_bytes()), "GraphSON: values in values")
        .needs(Needs::default().depth(depth as f64 / 2.0))
}

/// A step with one argument of the type bytecode, so often.
fn binary_bytecode(depth: usize) -> Hostile {
    let mut traversal = bytecode(b"out", None);
    for _ in 0..depth.min(2_000) {
        traversal = bytecode(b"where", Some(&traversal));
    }
    let mut value = vec![0x15, 0];
    value.extend_from_slice(&traversal);
    let frame = binary(b"bytecode", b"traversal", &value, true);
    Hostile::frame(frame, "GraphBinary: bytecode in bytecode")
        .needs(Needs::default().depth(depth.min(2_000) as f64))
}

/// Bytecode with one step: steps, each with its name and its arguments, then instructions of the source.
fn bytecode(step: &[u8], argument: Option<&[u8]>) -> Vec<u8> {
    let mut bytes = 1i32.to_be_bytes().to_vec();
    bytes.extend(text(step));
    bytes.extend(i32::from(argument.is_some()).to_be_bytes());
    if let Some(argument) = argument {
        bytes.extend([0x15, 0]);
        bytes.extend_from_slice(argument);
    }
    bytes.extend(0i32.to_be_bytes());
    bytes
}

/// Lists in lists, or maps in maps.
fn binary_values(rng: &mut Rng, depth: usize) -> Hostile {
    let one = 1i32.to_be_bytes();
    let (open, close): (Vec<u8>, &[u8]) = match rng.u8(..3) {
        0 => ([&[0x09, 0], &one[..]].concat(), &[]),
        1 => ([&[0x0b, 0], &one[..]].concat(), &[]),
        // The value of each entry follows its key, which is a map.
        _ => ([&[0x0a, 0], &one[..]].concat(), &[0xfe, 1]),
    };
    let value = [open.repeat(depth), vec![0xfe, 1], close.repeat(depth)].concat();
    Hostile::frame(binary(b"eval", b"", &value, false), "GraphBinary: values in values")
        .needs(Needs::default().depth(depth as f64 / 2.0))
}

/// Sizes that nothing follows, or that are less than nothing.
fn binary_sizes(rng: &mut Rng) -> Hostile {
    let size = pick(rng, &[i32::MAX, -1, i32::MIN, 1_000_000_000, 65_536]).to_be_bytes();
    // List, map, set, text, big integer, big decimal, bytes, path, bulk set, graph.
    let code = pick(rng, &[0x09u8, 0x0a, 0x0b, 0x03, 0x23, 0x22, 0x25, 0x0e, 0x2a, 0x10]);
    let value = [&[code, 0], &size[..], &[0; 64]].concat();
    Hostile::frame(binary(b"eval", b"", &value, false), "GraphBinary: a size that is not true")
}

/// A message that ends, or goes wrong, in the middle.
fn cut_off(rng: &mut Rng) -> Hostile {
    let mut frame =
        binary(b"bytecode", b"traversal", &[&[0x15, 0], &bytecode(b"V", None)[..]].concat(), true);
    if rng.bool() {
        frame.truncate(rng.usize(..frame.len()));
    } else {
        let place = rng.usize(..frame.len());
        frame[place] = rng.u8(..);
    }
    Hostile::frame(frame, "GraphBinary: cut off, or one byte changed")
}

/// A request in GraphBinary with a value as `gremlin`, or as the variable `x` of a script.
fn binary(op: &[u8], processor: &[u8], value: &[u8], gremlin: bool) -> Vec<u8> {
    let mut body = vec![0x81];
    body.extend(uuid());
    body.extend(text(op));
    body.extend(text(processor));
    let typed = |value: &[u8]| [&[0x03, 0], &text(value)[..]].concat();
    let map = |entries: i32| [&[0x0a, 0], &entries.to_be_bytes()[..]].concat();
    body.extend(2i32.to_be_bytes());
    body.extend(typed(b"gremlin"));
    if gremlin {
        body.extend_from_slice(value);
        body.extend(typed(b"aliases"));
        body.extend([map(1), typed(b"g"), typed(b"g")].concat());
    } else {
        body.extend(typed(b"g.inject(x).count()"));
        body.extend(typed(b"bindings"));
        body.extend([map(1), typed(b"x"), value.to_vec()].concat());
    }
    framed(BINARY, &body)
}

fn uuid() -> [u8; 16] {
    values::Uuid::parse_str(ID).unwrap_or_default().into_bytes()
}

/// The bytes of a text after their number.
fn text(text: &[u8]) -> Vec<u8> {
    [&(text.len() as i32).to_be_bytes(), text].concat()
}

/// A message after its mime type.
fn framed(mime: &str, body: &[u8]) -> Vec<u8> {
    [&[mime.len() as u8], mime.as_bytes(), body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostile::query::Body;

    /// What is wrong with a message, if something is.
    fn problem(query: &Hostile) -> Option<String> {
        let Body::Frame(bytes, _) = &query.body else { panic!("no message: {query:?}") };
        wire::decode_frame(bytes).err().map(|error| error.to_string())
    }

    #[test]
    fn messages_are_well_formed_where_they_are_not_too_deep() {
        let mut rng = Rng::with_seed(1);
        assert_eq!(problem(&json_bytecode(10)), None);
        assert_eq!(problem(&binary_bytecode(10)), None);
        for _ in 0..50 {
            assert_eq!(problem(&json_values(&mut rng, 10)), None);
            assert_eq!(problem(&binary_values(&mut rng, 10)), None);
        }
    }

    #[test]
    fn messages_that_are_too_deep_are_refused() {
        assert!(problem(&json_bytecode(10_000)).is_some());
        assert!(problem(&binary_bytecode(1_000)).is_some());
    }
}
