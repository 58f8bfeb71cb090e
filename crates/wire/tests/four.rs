//! TinkerPop 4: its own encoded values, messages written out from the specification, and random values and damage.

use proptest::prelude::*;
use serde_json::Value as Json;
use values::{Map, Set, Str, Value, Vertex};
use wire::four::{Format, Request, Response, Status};
use wire::graphson::{self, Dialect, Version};
use wire::{Args, DecodeError, Properties, Results, WireValue, graphbinary::four};

/// What is no value here: types of a provider's own, and elements with several labels.
const NONE_HERE: [&str; 3] = ["multi-label-vertex", "point-composite-pdt", "uint8-primitive-pdt"];

fn lines(text: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_once(' ').unwrap())
}

fn binaries() -> impl Iterator<Item = (&'static str, Vec<u8>)> {
    lines(include_str!("golden/four/graphbinary.txt")).map(|(name, hex)| (name, bytes(hex)))
}

fn texts() -> impl Iterator<Item = (&'static str, &'static str)> {
    lines(include_str!("golden/four/graphson.txt"))
}

/// Bytes in hexadecimal, with blanks where one likes.
fn bytes(hex: &str) -> Vec<u8> {
    let digits: String = hex.split_whitespace().collect();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn encoded(value: &WireValue) -> Vec<u8> {
    let mut out = Vec::new();
    four::encode(value, Properties::All, &mut out).unwrap();
    out
}

fn problem(result: Result<WireValue, DecodeError>) -> String {
    result.unwrap_err().problem.to_string()
}

#[test]
fn every_graphbinary_vector_survives_byte_for_byte() {
    let mut checked = 0;
    for (name, mut bytes) in binaries().filter(|(name, _)| !NONE_HERE.contains(name)) {
        let value = four::decode(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        match name {
            // Every map has an order here, and says so.
            "empty-map" | "var-type-map" => bytes[1] = 2,
            // Any null is the null of no type.
            _ if name.starts_with("null-") && name != "null-property" => bytes[0] = 0xfe,
            _ => {}
        }
        assert_eq!(encoded(&value), bytes, "{name}: {value:?}");
        checked += 1;
    }
    assert_eq!(checked, 98);
}

#[test]
fn what_is_no_value_here_is_refused_by_name() {
    let refused: Vec<_> = binaries()
        .filter(|(name, _)| NONE_HERE.contains(name))
        .map(|(_, bytes)| problem(four::decode(&bytes)))
        .collect();
    let label = "expected one label, since an element has one here, found several";
    assert_eq!(refused, [label, "unknown type code 0xf0", "unknown type code 0xf1"]);
    // Types of GraphBinary 1 that 4 has no more: a class, bytecode, a traverser, a bulk set, an instant, a zone's offset.
    for code in [0x05, 0x06, 0x15, 0x1e, 0x21, 0x2a, 0x2d, 0x83, 0x88, 0x8e] {
        let error = problem(four::decode(&[code, 0, 0, 0, 0, 0, 0, 0, 0, 0]));
        assert_eq!(error, format!("unknown type code 0x{code:02x}"));
    }
}

/// JSON with its numbers as floats, so that `100.0` is `1e2`; the order of fields does not matter to equality.
fn normal(json: Json) -> Json {
    match json {
        Json::Number(n) => Json::String(format!("number {:?}", n.to_string().parse::<f64>().unwrap())),
        Json::Array(items) => items.into_iter().map(normal).collect(),
        Json::Object(fields) => Json::Object(fields.into_iter().map(|(k, v)| (k, normal(v))).collect()),
        other => other,
    }
}

fn same_json(name: &str, found: &[u8], expected: &str) {
    let found = normal(serde_json::from_slice(found).unwrap());
    // Java writes two digits of the smallest float, which has one.
    let expected =
        if name.contains("min-float") { expected.replace("1.4E-45", "1E-45") } else { expected.into() };
    assert_eq!(found, normal(serde_json::from_str(&expected).unwrap()), "{name}");
}

#[test]
fn every_graphson_vector_survives_as_the_same_json() {
    let mut checked = 0;
    for (name, text) in texts() {
        let plain = name.trim_end_matches("-no-types").trim_end_matches("-v4");
        if NONE_HERE.contains(&plain) {
            assert!(graphson::decode(text.as_bytes()).is_err(), "{name}");
            continue;
        }
        let typed = !name.ends_with("no-types");
        // What says no types cannot be told from a map.
        let source = if typed { text } else { texts().find(|(n, _)| *n == format!("{plain}-v4")).unwrap().1 };
        let value = graphson::decode(source.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let mut out = Vec::new();
        graphson::encode(&value, Dialect { version: Version::V4, typed }, &mut out).unwrap();
        same_json(name, &out, text);
        checked += 1;
    }
    assert_eq!(checked, 92);
}

#[test]
fn both_formats_decode_a_vector_of_one_name_to_one_value() {
    let mut checked = 0;
    for (name, bytes) in binaries().filter(|(name, _)| !NONE_HERE.contains(name)) {
        let Some((_, text)) = texts().find(|(other, _)| *other == format!("{name}-v4")) else { continue };
        let (binary, text) = (four::decode(&bytes).unwrap(), graphson::decode(text.as_bytes()).unwrap());
        // GraphSON writes the members of a bulked list one by one.
        if name.ends_with("bulklist") {
            continue;
        }
        // Elements are equal by id alone; their text tells all.
        assert_eq!(format!("{binary:?}"), format!("{text:?}"), "{name}");
        checked += 1;
    }
    assert!(checked > 80, "{checked}");
}

fn request() -> Request {
    let field = |name: &str, value: Value| (Str::from(name), WireValue::Value(value));
    let fields = vec![
        field("g", "gmodern".into()),
        field("timeoutMillis", Value::Long(1_000)),
        field("bulkResults", true.into()),
    ];
    Request { gremlin: "g.V(x)".into(), fields: Args(fields) }
}

#[test]
fn a_request_is_what_the_specification_says() {
    let written = bytes(
        "84 00000003
         03 00 00000001 67                          03 00 00000007 676d6f6465726e
         03 00 0000000d 74696d656f75744d696c6c6973  02 00 00000000000003e8
         03 00 0000000b 62756c6b526573756c7473      27 00 01
         00000006 672e562878 29",
    );
    assert_eq!(Format::GraphBinary.decode_request(&written).unwrap(), request());
    let mut out = Vec::new();
    Format::GraphBinary.encode_request(&request(), &mut out).unwrap();
    assert_eq!(out, written);
    let typed = r#"{"gremlin":"g.V(x)","g":"gmodern","timeoutMillis":{"@type":"g:Int64","@value":1000},"bulkResults":true}"#;
    let decoded = Format::GraphSon { typed: true }.decode_request(typed.as_bytes()).unwrap();
    assert_eq!(format!("{:?}", sorted(decoded)), format!("{:?}", sorted(request())));
    out.clear();
    Format::GraphSon { typed: true }.encode_request(&request(), &mut out).unwrap();
    same_json("request", &out, typed);
}

fn sorted(mut request: Request) -> Request {
    request.fields.0.sort_by(|(a, _), (b, _)| a.cmp(b));
    request
}

#[test]
fn a_request_without_a_script_is_refused_and_says_so() {
    let refused = |body: &str| {
        Format::GraphSon { typed: false }.decode_request(body.as_bytes()).unwrap_err().to_string()
    };
    assert_eq!(refused("{}"), "expected a script called `gremlin`, found none, at $");
    assert_eq!(refused(r#"{"gremlin":7}"#), "expected a script, found another value, at $.gremlin");
    let other_version = Format::GraphBinary.decode_request(&[0x81, 0, 0, 0, 0]).unwrap_err();
    assert_eq!(other_version.to_string(), "unknown message version 0x81: expected 0x84, at byte 0");
}

/// A response in two pages.
fn response(format: Format, bulked: bool, status: &Status) -> Vec<u8> {
    let mut out = Vec::new();
    format.begin(bulked, &mut out);
    let pages = [vec![(Value::Int(1), 2)], vec![(Value::str("x"), 1), (Value::Null, 1)]];
    let mut are_first = true;
    for page in &pages {
        let values: Vec<_> = page.iter().map(|(value, _)| value.clone()).collect();
        let results = if bulked { Results::Traversers(page) } else { Results::Values(&values) };
        format.results(results, Properties::All, are_first, &mut out).unwrap();
        are_first = false;
    }
    format.end(status, &mut out);
    out
}

fn failed() -> Status {
    Status { code: 500, message: "no".into(), exception: "ServerErrorException".into() }
}

#[test]
fn a_response_is_what_the_specification_says_and_may_come_in_pieces() {
    let bulked = response(Format::GraphBinary, true, &Status::ok());
    let expected = "84 01  01 00 00000001 02 00 0000000000000002  03 00 00000001 78 02 00 0000000000000001
                    fe 01 02 00 0000000000000001  fd 00 00 000000c8 01 01";
    assert_eq!(bulked, bytes(expected));
    let plain = response(Format::GraphBinary, false, &failed());
    let expected = "84 00  01 00 00000001  03 00 00000001 78  fe 01  fd 00 00 000001f4 00 00000002 6e6f
                    00 00000014 5365727665724572726f72457863657074696f6e";
    assert_eq!(plain, bytes(expected));
    let typed = response(Format::GraphSon { typed: true }, false, &Status::ok());
    let expected = r#"{"result":{"data":{"@type":"g:List","@value":[{"@type":"g:Int32","@value":1},"x",null]}},"status":{"code":200}}"#;
    assert_eq!(String::from_utf8(typed).unwrap(), expected);
    let untyped = response(Format::GraphSon { typed: false }, false, &failed());
    let expected = r#"{"result":{"data":[1,"x",null]},"status":{"code":500,"message":"no","exception":"ServerErrorException"}}"#;
    assert_eq!(String::from_utf8(untyped).unwrap(), expected);
}

#[test]
fn a_response_is_read_back() {
    for (format, bulked) in [
        (Format::GraphBinary, true),
        (Format::GraphBinary, false),
        (Format::GraphSon { typed: true }, false),
        (Format::GraphSon { typed: false }, false),
    ] {
        let Response { results, bulked: was_bulked, status } =
            format.decode_response(&response(format, bulked, &failed())).unwrap();
        let bulk = if bulked { 2 } else { 1 };
        let expected =
            [(Value::Int(1), bulk), (Value::str("x"), 1), (Value::Null, 1)].map(|(v, n)| (v.into(), n));
        assert_eq!((results.as_slice(), was_bulked, status), (&expected[..], bulked, failed()));
    }
}

#[test]
fn a_bulk_of_one_format_is_written_out_in_the_other() {
    let mut out = Vec::new();
    let format = Format::GraphSon { typed: false };
    assert!(Format::GraphBinary.has_bulks() && !format.has_bulks());
    format.results(Results::Traversers(&[(Value::Int(7), 3)]), Properties::All, true, &mut out).unwrap();
    assert_eq!(out, b"7,7,7");
}

#[test]
fn elements_without_properties_are_told_from_mere_references() {
    let vertex = Value::from(Vertex::reference(9, "empty"));
    let written = |properties| {
        let mut out = Vec::new();
        four::encode(&vertex.clone().into(), properties, &mut out).unwrap();
        out
    };
    assert_eq!(
        written(Properties::All),
        bytes("11 00 01 00 00000009 00000001 03 00 00000005 656d707479 09 00 00000000")
    );
    assert!(written(Properties::Tokens).ends_with(&[0xfe, 0x01]));
}

/// Values that nest.
fn value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i8>().prop_map(Value::Byte),
        any::<i64>().prop_map(Value::Long),
        any::<char>().prop_map(Value::Char),
        any::<String>().prop_map(Value::from),
        (0i32..100, "[a-z]{0,5}").prop_map(|(id, label)| Vertex::reference(id, label.as_str()).into()),
        (-60_000_000_000i64..250_000_000_000, -64_800i32..=64_800)
            .prop_map(|(seconds, offset)| values::DateTime::new(seconds, 7, offset).into()),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        let many = || prop::collection::vec(inner.clone(), 0..5);
        prop_oneof![
            many().prop_map(Value::from),
            many().prop_map(|v| Value::from(v.into_iter().collect::<Set>())),
            prop::collection::vec((inner.clone(), inner.clone()), 0..4)
                .prop_map(|v| Value::from(v.into_iter().collect::<Map>())),
            prop::collection::vec((inner, 1u64..9), 0..4)
                .prop_map(|v| Value::from(v.into_iter().collect::<values::BulkSet>())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn values_survive_graphbinary(value in value()) {
        let value = WireValue::from(value);
        prop_assert_eq!(format!("{:?}", four::decode(&encoded(&value)).unwrap().into_value().unwrap()),
            format!("{:?}", value.into_value().unwrap()));
    }

    #[test]
    fn untyped_graphson_is_json(value in value()) {
        let mut out = Vec::new();
        graphson::encode(&value.into(), Dialect { version: Version::V4, typed: false }, &mut out).unwrap();
        prop_assert!(serde_json::from_slice::<Json>(&out).is_ok(), "{}", String::from_utf8_lossy(&out));
    }

    #[test]
    fn random_bytes_are_an_error_or_a_message_and_never_a_panic(tail in prop::collection::vec(any::<u8>(), 0..200)) {
        let with = |head: &[u8]| [head, &tail].concat();
        let _ = Format::GraphBinary.decode_request(&with(&[0x84]));
        let _ = Format::GraphBinary.decode_response(&with(&[0x84, 1]));
        let _ = four::decode(&with(&[0x09, 2]));
        let _ = four::decode(&tail);
    }
}
