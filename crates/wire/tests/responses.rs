//! What the server answers, pinned byte for byte in `golden/responses`.
//!
//! `golden/check_responses.py` reads those files with gremlinpython and checks what it makes of them. After a change
//! that is meant, rewrite them with `MANGROVE_WRITE_GOLDEN=1 cargo test -p wire --test responses` and run it again.

use std::path::PathBuf;
use std::sync::Arc;

use values::{
    DateTime, Direction, Duration, Edge, Map, Path, Property, Set, Str, T, Uuid, Value, Vertex,
    VertexProperty,
};
use wire::{
    Extended, Format, Metrics, Properties, ResponseMessage, ResponseStatus, Results, WireValue, graphbinary,
};

const ID: Uuid = Uuid::from_u128(0x41d2e28a_20a4_4ab0_b379_d810dede3786);

fn response(code: u16, message: &str) -> ResponseMessage {
    ResponseMessage {
        id: Some(ID),
        status: ResponseStatus::new(code, message),
        data: WireValue::NULL,
        meta: Map::new(),
    }
}

fn property(key: &str, value: impl Into<Value>) -> Property {
    Property { key: key.into(), value: value.into(), owner: None }
}

fn vertex_property(id: i64, key: &str, value: impl Into<Value>, metas: Vec<Property>) -> VertexProperty {
    VertexProperty {
        id: id.into(),
        key: key.into(),
        value: value.into(),
        properties: metas,
        vertex: None,
        owner: None,
    }
}

fn marko() -> Vertex {
    let properties = vec![
        vertex_property(0, "name", "marko", vec![]),
        vertex_property(
            6,
            "location",
            "san diego",
            vec![property("startTime", 1997), property("endTime", 2001)],
        ),
        vertex_property(7, "location", "santa cruz", vec![property("startTime", 2001)]),
    ];
    Vertex { properties, ..Vertex::reference(1, "person") }
}

fn knows() -> Edge {
    Edge {
        id: 7.into(),
        label: "knows".into(),
        out_v: Vertex::reference(1, "person"),
        in_v: Vertex::reference(2, "person"),
        properties: vec![property("weight", 0.5)],
    }
}

fn elements() -> Vec<(Value, u64)> {
    let labels: Vec<Vec<Str>> = vec![vec!["a".into(), "b".into()], vec![]];
    let path = Path { labels, objects: vec![Vertex::reference(1, "person").into(), "x".into()] };
    let mut map = Map::new();
    map.insert(T::Id, 1i64);
    map.insert(T::Label, "person");
    map.insert(Direction::Out, Value::list(vec![1.into()]));
    map.insert("name", "marko");
    vec![
        (marko().into(), 1),
        (Vertex::reference(9, "empty").into(), 3),
        (knows().into(), 1),
        (Value::VertexProperty(Arc::new(vertex_property(0, "name", "marko", vec![]))), 1),
        (property("weight", 0.5).into(), 1),
        (path.into(), 2),
        (map.into(), 1),
        (Value::entry("marko", 3i64), 1),
    ]
}

fn scalars() -> Vec<Value> {
    let decimal = values::number::parse_decimal("-12.50").unwrap();
    let big: values::BigInt = "1180591620717411303424".parse().unwrap();
    vec![
        Value::Null,
        true.into(),
        1i8.into(),
        2i16.into(),
        3.into(),
        4i64.into(),
        Value::Float(1.5),
        Value::Double(2.5),
        Value::Double(f64::NAN),
        Value::Double(f64::NEG_INFINITY),
        big.into(),
        decimal.into(),
        'é'.into(),
        "a \"quoted\"\n\\ line ✓".into(),
        ID.into(),
        "2024-02-29T12:30:15.25+02:00".parse::<DateTime>().unwrap().into(),
        Duration { seconds: 3607, nanos: 500_000_000 }.into(),
        Value::binary(*b"bytes"),
        Value::list(vec![1.into(), Value::list(vec!["x".into()])]),
        [Value::from(1), Value::from("one")].into_iter().collect::<Set>().into(),
        T::Label.into(),
    ]
}

fn profile() -> WireValue {
    let step = Metrics {
        id: "0.0.0()".into(),
        name: "GraphStep(vertex,[])".into(),
        duration: 1_500_000,
        counts: vec![("traverserCount".into(), 6), ("elementCount".into(), 6)],
        annotations: vec![("percentDur".into(), Value::Double(100.0).into())],
        nested: vec![],
    };
    WireValue::list(vec![Extended::TraversalMetrics { duration: 1_500_000, steps: vec![step] }.into()])
}

fn encoded(name: &str, format: Format) -> Vec<u8> {
    let mut out = Vec::new();
    let (elements, scalars, profile) = (elements(), scalars(), profile());
    let mut failed = response(500, "no such property");
    failed
        .status
        .attributes
        .insert("exceptions", Value::list(vec!["java.lang.IllegalStateException".into()]));
    failed.status.attributes.insert("stackTrace", "at …");
    let (response, results, properties) = match name {
        "elements" => (response(206, ""), Results::Traversers(&elements), Properties::All),
        "tokens" => (response(200, ""), Results::Traversers(&elements), Properties::Tokens),
        "scalars" => (response(200, ""), Results::Values(&scalars), Properties::All),
        "none" => (response(204, ""), Results::None, Properties::All),
        "failed" => (failed, Results::None, Properties::All),
        "profile" => (response(200, ""), Results::Data(&profile), Properties::All),
        "unidentified" => {
            (ResponseMessage { id: None, ..response(499, "malformed") }, Results::None, Properties::All)
        }
        other => panic!("no response called {other}"),
    };
    format.encode_results(&response, results, properties, &mut out).unwrap();
    out
}

const NAMES: [&str; 7] = ["elements", "tokens", "scalars", "none", "failed", "profile", "unidentified"];

fn formats() -> [(&'static str, Format); 4] {
    let format = |mime| Format::from_mime(mime).unwrap();
    [
        ("graphbinary", format("application/vnd.graphbinary-v1.0")),
        ("graphson3", format("application/vnd.gremlin-v3.0+json")),
        ("graphson2", format("application/vnd.gremlin-v2.0+json")),
        ("untyped", format("application/vnd.gremlin-v3.0+json;types=false")),
    ]
}

#[test]
fn responses_are_what_gremlinpython_was_shown_to_read() {
    let folder =
        PathBuf::from(format!("{}/tests/golden/responses", std::env::var("CARGO_MANIFEST_DIR").unwrap()));
    let write = std::env::var_os("MANGROVE_WRITE_GOLDEN").is_some();
    for name in NAMES {
        for (label, format) in formats() {
            let path = folder.join(format!("{name}.{label}.bin"));
            let bytes = encoded(name, format);
            if write {
                std::fs::create_dir_all(&folder).unwrap();
                std::fs::write(&path, &bytes).unwrap();
            }
            let golden = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
            let shown = (String::from_utf8_lossy(&bytes), String::from_utf8_lossy(&golden));
            assert!(bytes == golden, "{name}.{label}:\n{}\n{}", shown.0, shown.1);
        }
    }
}

#[test]
fn responses_decode_to_what_was_encoded() {
    for name in NAMES {
        for (label, format) in &formats()[..2] {
            let bytes = encoded(name, *format);
            let back = format.decode_response(&bytes).unwrap_or_else(|e| panic!("{name}.{label}: {e}"));
            let mut again = Vec::new();
            format.encode_results(&back, Results::Data(&back.data), Properties::All, &mut again).unwrap();
            let twice = format.decode_response(&again).unwrap();
            assert_eq!(format!("{back:?}"), format!("{twice:?}"), "{name}.{label}");
            assert_eq!(back.id.is_none(), name == "unidentified");
        }
    }
}

#[test]
fn results_with_their_data_are_told_from_mere_references() {
    let empty = Value::from(Vertex::reference(9, "empty"));
    let bytes = |properties| {
        let mut out = Vec::new();
        graphbinary::encode_value(&empty, properties, &mut out).unwrap();
        out
    };
    assert!(bytes(Properties::All).ends_with(&[0x09, 0, 0, 0, 0, 0]), "an empty list of properties");
    assert!(bytes(Properties::Tokens).ends_with(&[0xfe, 0x01]), "null for properties");
    assert_eq!(bytes(Properties::Given), bytes(Properties::Tokens));
    let mut out = Vec::new();
    graphbinary::encode_value(&marko().into(), Properties::Tokens, &mut out).unwrap();
    assert!(out.ends_with(b"person\xfe\x01"));
}

#[test]
fn what_is_attached_to_the_graph_cannot_leave_it() {
    let attached = Value::list(vec![Value::VertexRef(values::VertexRef(1))]);
    for (_, format) in formats() {
        let results = [attached.clone()];
        let error = format
            .encode_results(&response(200, ""), Results::Values(&results), Properties::All, &mut Vec::new())
            .unwrap_err();
        assert_eq!(
            error.to_string(),
            "a vertex inside the graph cannot leave it; it has to be detached first"
        );
    }
}

#[test]
fn a_profile_that_is_a_value_travels_as_tinkerpops_and_comes_back() {
    let inner = values::StepMetrics {
        id: "2.0.0()".into(),
        name: "out()".into(),
        nanos: 250_000,
        counts: vec![("traverserCount".into(), 2)],
        annotations: vec![("read".into(), Value::Long(9))],
        nested: Vec::new(),
    };
    let outer = values::StepMetrics {
        id: "0.0.0()".into(),
        name: "GraphStep(vertex,[])".into(),
        nanos: 1_500_000,
        counts: vec![("traverserCount".into(), 6), ("elementCount".into(), 6)],
        annotations: vec![("percentDur".into(), Value::Double(100.0))],
        nested: vec![inner],
    };
    let value = Value::from(values::Metrics { nanos: 1_500_000, steps: vec![outer] });
    for (name, format) in formats() {
        let mut out = Vec::new();
        let results = Results::Values(std::slice::from_ref(&value));
        format.encode_results(&response(200, ""), results, Properties::All, &mut out).unwrap();
        if name == "graphbinary" {
            assert!(out.windows(2).any(|bytes| bytes == [0x2d, 0]), "TraversalMetrics");
            let read = wire::graphbinary::decode_response(&out).unwrap();
            let WireValue::List(mut items) = read.data else { panic!("a list expected") };
            assert_eq!(items.remove(0).into_value().unwrap(), value);
        } else {
            let text = String::from_utf8(out).unwrap();
            assert_eq!(text.contains("\"g:TraversalMetrics\""), name != "untyped", "{name}: {text}");
            assert!(text.contains("\"dur\"") && text.contains("1.5") && text.contains("\"read\""), "{text}");
        }
    }
    // Version 4 has no profiles: a map.
    let four = wire::four::Format::from_mime("application/vnd.graphbinary-v4.0").unwrap();
    let mut out = Vec::new();
    four.begin(false, &mut out);
    four.results(Results::Values(std::slice::from_ref(&value)), Properties::All, true, &mut out).unwrap();
    four.end(&wire::four::Status::ok(), &mut out);
    let read = four.decode_response(&out).unwrap();
    let first = format!("{:?}", read.results.first());
    assert!(first.contains("percentDur") && !first.contains("TraversalMetrics"), "{first}");
}

#[test]
fn results_without_a_message_are_a_list_of_traversers_with_how_often_each_stands_there() {
    let results = [(Value::from(marko()), 1), (Value::Null, 3), ("text".into(), 2)];
    let mut bytes = Vec::new();
    graphbinary::encode_traversers(&results, Properties::All, &mut bytes).unwrap();
    let WireValue::List(read) = graphbinary::decode(&bytes).unwrap() else { panic!("no list: {bytes:?}") };
    let traversers: Vec<_> = results
        .into_iter()
        .map(|(value, bulk)| Extended::Traverser { bulk: bulk as i64, value: value.into() }.into())
        .collect();
    assert_eq!(read, traversers);
}
