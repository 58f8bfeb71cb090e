//! Files of whole graphs: what is written is read again as it was, TinkerPop's own are read, and no bytes make a reader panic.

use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

use formats::{Element, FileError, GraphFormat, Pass, graph_file_reader, graph_file_writer};
use values::{DateTime, Direction, Duration, Edge, Map, Property, Set, Uuid, Value, Vertex, VertexProperty};

const FORMATS: [GraphFormat; 3] = [GraphFormat::GraphSon, GraphFormat::GraphMl, GraphFormat::Gryo];

fn seed() -> u64 {
    let seed = std::env::var("MANGROVE_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    eprintln!("MANGROVE_FUZZ_SEED={seed}");
    seed
}

/// A graph by its elements.
#[derive(Clone, Debug, Default)]
struct Graph {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
}

fn read(format: GraphFormat, bytes: &[u8]) -> Result<Graph, FileError> {
    let from = Box::new(Cursor::new(bytes.to_vec()));
    let mut reader = graph_file_reader(format, from, Box::new(|_| true));
    let mut graph = Graph::default();
    while let Some(element) = reader.next()? {
        match element {
            Element::Vertex(vertex) => graph.vertices.push(vertex),
            Element::Edge(edge) => graph.edges.push(edge),
        }
    }
    Ok(graph)
}

/// Bytes that two can hold.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn write(format: GraphFormat, graph: &Graph) -> Result<Vec<u8>, FileError> {
    let shared = Shared::default();
    let mut writer = graph_file_writer(format, Box::new(shared.clone()), Box::new(|_| true));
    for (number, pass) in writer.passes().iter().enumerate() {
        writer.begin(number)?;
        match pass {
            Pass::Vertices => graph.vertices.iter().try_for_each(|vertex| writer.vertex(vertex))?,
            Pass::Edges => graph.edges.iter().try_for_each(|edge| writer.edge(Direction::Out, edge))?,
            Pass::Stars => {
                for vertex in &graph.vertices {
                    writer.vertex(vertex)?;
                    let mut entering: Vec<_> =
                        graph.edges.iter().filter(|e| e.in_v.id == vertex.id).collect();
                    entering.sort_by_key(|edge| edge.label.clone());
                    entering.iter().try_for_each(|edge| writer.edge(Direction::In, edge))?;
                    let mut leaving: Vec<_> =
                        graph.edges.iter().filter(|e| e.out_v.id == vertex.id).collect();
                    leaving.sort_by_key(|edge| edge.label.clone());
                    leaving.iter().try_for_each(|edge| writer.edge(Direction::Out, edge))?;
                    writer.end_vertex()?;
                }
            }
        }
    }
    writer.finish()?;
    Ok(shared.0.lock().unwrap().clone())
}

/// What a graph is, whatever the order of its elements.
fn said(graph: &Graph) -> Vec<String> {
    let property = |property: &Property| format!("{}={:?}", property.key, property.value);
    let mut said: Vec<_> = graph
        .vertices
        .iter()
        .map(|vertex| {
            let mut properties: Vec<_> = vertex
                .properties
                .iter()
                .map(|it| {
                    let mut meta: Vec<_> = it.properties.iter().map(property).collect();
                    meta.sort();
                    format!("{}={:?}{meta:?}", it.key, it.value)
                })
                .collect();
            properties.sort();
            format!("vertex {:?} {} {properties:?}", vertex.id, vertex.label)
        })
        .chain(graph.edges.iter().map(|edge| {
            let mut properties: Vec<_> = edge.properties.iter().map(property).collect();
            properties.sort();
            let (id, from, to) = (&edge.id, &edge.out_v.id, &edge.in_v.id);
            format!("edge {id:?} {} {from:?} {to:?} {properties:?}", edge.label)
        }))
        .collect();
    said.sort();
    said
}

fn text(rng: &mut fastrand::Rng) -> String {
    let letters = [
        'a', 'Z', '0', ' ', '"', '\\', '<', '&', '>', '\'', 'ä', '€', '😀', '\n', '\r', '\t', '{', ']',
        '\u{7f}',
    ];
    let length = *rng.choice(&[0, 1, 2, 3, 10, 62, 63, 64, 65, 200, 9000]).unwrap();
    if rng.bool() {
        return "x".repeat(length);
    }
    (0..length).map(|_| *rng.choice(&letters).unwrap()).collect()
}

/// A value that GraphML can tell.
fn simple(rng: &mut fastrand::Rng, kind: u8) -> Value {
    match kind {
        0 => Value::from(text(rng)),
        1 => Value::Int(rng.i32(..)),
        2 => Value::Long(rng.i64(..)),
        3 => Value::Float(rng.f32()),
        4 => *rng
            .choice(&[f64::MIN_POSITIVE, f64::MAX, -0.0, 0.1, f64::INFINITY, f64::NAN])
            .map(|it| Box::new(Value::Double(*it)))
            .unwrap(),
        _ => Value::Bool(rng.bool()),
    }
}

fn value(rng: &mut fastrand::Rng, depth: u8) -> Value {
    match rng.u8(0..if depth > 2 { 16 } else { 19 }) {
        kind @ 0..6 => simple(rng, kind),
        6 => Value::Byte(rng.i8(..)),
        7 => Value::Short(rng.i16(..)),
        8 => Value::Char(*rng.choice(&['x', 'ä', '€']).unwrap()),
        9 => Value::Uuid(Uuid::from_u128(rng.u128(..))),
        10 => DateTime::from_civil(
            (rng.i64(-900..9999), 2, 28),
            (23, 59, 1, rng.u32(..1_000_000_000)),
            rng.i32(-1000..1000) * 60,
        )
        .unwrap()
        .into(),
        11 => Duration::from_nanos(rng.i64(..).into()).unwrap().into(),
        12 => Value::from(values::BigInt::from(rng.i128(..))),
        13 => Value::from(values::BigDecimal::new(rng.i128(..).into(), rng.i64(0..40))),
        14 => Value::binary((0..rng.usize(..9)).map(|_| rng.u8(..)).collect::<Vec<_>>()),
        15 => Value::Null,
        16 => (0..rng.usize(..4)).map(|_| value(rng, depth + 1)).collect::<Vec<_>>().into(),
        17 => (0..rng.usize(..4)).map(|_| value(rng, depth + 1)).collect::<Set>().into(),
        _ => (0..rng.usize(..4))
            .map(|_| (value(rng, depth + 1), value(rng, depth + 1)))
            .collect::<Map>()
            .into(),
    }
}

/// A graph of which every element can be told in the format.
fn random(rng: &mut fastrand::Rng, format: GraphFormat) -> Graph {
    let is_simple = format == GraphFormat::GraphMl;
    let id = |rng: &mut fastrand::Rng, number: usize| match rng.u8(..4) {
        _ if is_simple => Value::from(format!("{number}<\n{}", text(rng))),
        0 => Value::Int(number as i32),
        1 => Value::Long(number as i64),
        2 => Value::from(format!("{number}{}", text(rng))),
        _ => Value::Uuid(Uuid::from_u128(number as u128)),
    };
    // Of one key all values have one type there.
    let values =
        |rng: &mut fastrand::Rng, key: u8| if is_simple { simple(rng, key % 6) } else { value(rng, 0) };
    let keys = ["k", "key", "a b", "ä", "name<", "\"quoted\""];
    let properties = |rng: &mut fastrand::Rng| {
        let all = keys
            .iter()
            .enumerate()
            .filter(|_| rng.u8(..3) == 0)
            .map(|(at, key)| (*key, at as u8))
            .collect::<Vec<_>>();
        all.into_iter()
            .map(|(key, kind)| Property { key: key.into(), value: values(rng, kind), owner: None })
            .collect::<Vec<_>>()
    };
    let mut graph = Graph::default();
    for number in 0..rng.usize(..12) {
        let mut of_vertex = Vec::new();
        for property in properties(rng) {
            for again in 0..if is_simple { 1 } else { rng.usize(1..3) } {
                let meta = if is_simple { Vec::new() } else { properties(rng) };
                let value = if again == 0 { property.value.clone() } else { value(rng, 0) };
                let id = Value::Long((number * 100 + of_vertex.len()) as i64);
                let key = property.key.clone();
                of_vertex.push(VertexProperty {
                    id,
                    key,
                    value,
                    properties: meta,
                    vertex: None,
                    owner: None,
                });
            }
        }
        let mut vertex = Vertex::reference(id(rng, number), ["person", "a&b", "ä"][rng.usize(..3)]);
        vertex.properties = of_vertex;
        graph.vertices.push(vertex);
    }
    for number in 0..if graph.vertices.is_empty() { 0 } else { rng.usize(..30) } {
        let mut end = || Vertex::reference(rng.choice(&graph.vertices).unwrap().id.clone(), "");
        let (out_v, in_v) = (end(), end());
        let label = ["knows", "likes", "<"][rng.usize(..3)].into();
        graph.edges.push(Edge { id: id(rng, number), label, out_v, in_v, properties: properties(rng) });
    }
    graph
}

#[test]
fn what_is_written_is_read_again_as_it_was() {
    let mut rng = fastrand::Rng::with_seed(seed());
    for round in 0..300 {
        for format in FORMATS {
            let graph = random(&mut rng, format);
            let bytes = write(format, &graph).unwrap_or_else(|error| panic!("{round} {format:?}: {error}"));
            let again = read(format, &bytes).unwrap_or_else(|error| {
                panic!("{round} {format:?}: {error}\n{}", String::from_utf8_lossy(&bytes))
            });
            assert_eq!(
                said(&graph),
                said(&again),
                "round {round}, {format:?}:\n{}",
                String::from_utf8_lossy(&bytes)
            );
        }
    }
}

const MODERN: [(&[u8], GraphFormat); 3] = [
    (include_bytes!("samples/tinkerpop-modern.kryo"), GraphFormat::Gryo),
    (include_bytes!("samples/tinkerpop-modern.json"), GraphFormat::GraphSon),
    (include_bytes!("samples/tinkerpop-modern.xml"), GraphFormat::GraphMl),
];
const CREW: &[u8] = include_bytes!("samples/tinkerpop-crew.json");

#[test]
fn tinkerpops_samples_are_read() {
    let expected = said(&read(MODERN[0].1, MODERN[0].0).unwrap());
    assert_eq!(expected.len(), 12);
    assert!(
        expected.contains(&r#"edge Int(7) knows Int(1) Int(2) ["weight=Double(0.5)"]"#.to_owned()),
        "{expected:#?}"
    );
    assert!(expected.iter().any(|it| it.starts_with("vertex Int(3) software") && it.contains("lop")));
    assert_eq!(said(&read(MODERN[1].1, MODERN[1].0).unwrap()), expected);
    // GraphML has no types of ids.
    let untyped = |said: &[String]| {
        let mut said: Vec<_> = said
            .iter()
            .map(|it| it.replace("Int(", "(").replace("String(\"", "(\"").replace('"', ""))
            .collect();
        said.sort();
        said
    };
    assert_eq!(untyped(&said(&read(MODERN[2].1, MODERN[2].0).unwrap())), untyped(&expected));
    let crew = read(GraphFormat::GraphSon, CREW).unwrap();
    let locations =
        &crew.vertices[0].properties.iter().filter(|property| property.key == "location").collect::<Vec<_>>();
    assert_eq!((locations.len(), locations[0].properties.len()), (4, 2));
}

#[test]
fn graphson_is_read_in_every_version_wrapped_and_not() {
    let expected = r#"{"id":{"@type":"g:Int32","@value":1},"label":"person","inE":{"knows":[{"id":{"@type":"g:Int64","@value":7},"outV":{"@type":"g:Int32","@value":1},"properties":{"w":{"@type":"g:Float","@value":0.5}}}]},"outE":{"knows":[{"id":{"@type":"g:Int64","@value":7},"inV":{"@type":"g:Int32","@value":1}}]},"properties":{"tags":[{"id":{"@type":"g:Int64","@value":0},"value":{"@type":"g:List","@value":["a",{"@type":"g:Int32","@value":2}]}}]}}"#;
    let two = r#"{"id":{"@type":"g:Int32","@value":1},"label":"person","inE":{"knows":[{"id":{"@type":"g:Int64","@value":7},"outV":{"@type":"g:Int32","@value":1},"properties":{"w":{"@type":"g:Float","@value":0.5}}}]},"properties":{"tags":[{"id":{"@type":"g:Int64","@value":0},"value":["a",{"@type":"g:Int32","@value":2}]}]}}"#;
    let typed_one = r#"{"@class":"java.util.HashMap","id":1,"label":"person","inE":{"@class":"java.util.HashMap","knows":["java.util.ArrayList",[{"@class":"java.util.HashMap","id":["java.lang.Long",7],"outV":1,"properties":{"@class":"java.util.HashMap","w":["java.lang.Float",0.5]}}]]},"properties":{"@class":"java.util.HashMap","tags":["java.util.ArrayList",[{"@class":"java.util.HashMap","id":["java.lang.Long",0],"value":["java.util.ArrayList",["a",2]]}]]}}"#;
    let graph = said(&read(GraphFormat::GraphSon, expected.as_bytes()).unwrap());
    assert_eq!(graph.len(), 2);
    let spread = expected.replace(',', " ,\n").replace("\":", "\" : ");
    for other in [two, typed_one, &spread, &format!("\u{feff}\n{expected}\n\n")] {
        assert_eq!(said(&read(GraphFormat::GraphSon, other.as_bytes()).unwrap()), graph, "{other}");
        let wrapped = format!("{{\"vertices\":[{}]}}", other.trim_start_matches('\u{feff}'));
        assert_eq!(said(&read(GraphFormat::GraphSon, wrapped.as_bytes()).unwrap()), graph, "{wrapped}");
    }
    let plain = r#"{"id":1,"label":"person","properties":{"n":[{"id":0,"value":1.5}]}}"#;
    let graph = read(GraphFormat::GraphSon, plain.as_bytes()).unwrap();
    assert_eq!((&graph.vertices[0].id, &graph.vertices[0].properties[0].value), (&1.into(), &1.5.into()));
}

#[test]
fn graphml_is_read_in_any_order() {
    let file = r#"<?xml version="1.0"?><!DOCTYPE graphml><g:graphml xmlns:g="x"><key id="labelV" attr.name="labelV"/>
        <key id="d0" for="node" attr.name="n&amp;" attr.type="long"/><key id="other" yfiles.type="graphics"/><graph><edge source="a" target="b"/>
        <node id="a"><data key="d0"> 5 </data><data key="other"><x/></data></node><node id="b"><!-- c -->
        <data key="labelV">x<![CDATA[<y>]]>&#x41;</data></node></graph></g:graphml>"#;
    let graph = said(&read(GraphFormat::GraphMl, file.as_bytes()).unwrap());
    let expected = [
        r#"edge Null edge String("a") String("b") []"#,
        r#"vertex String("a") vertex ["n&=Long(5)[]"]"#,
        r#"vertex String("b") x<y>A []"#,
    ];
    assert_eq!(graph, expected);
}

#[test]
fn what_is_wrong_is_said() {
    use GraphFormat::{GraphMl, GraphSon, Gryo};
    let deep = format!("{{\"id\":{}1{}}}", "[".repeat(200_000), "]".repeat(200_000));
    let deep_xml = format!("<graphml>{}", "<a>".repeat(200_000));
    let long_number = format!("{{\"id\":{}}}", "9".repeat(100_000));
    let key = r#"<graphml><key id="n" attr.name="n" attr.type="int"/><node id="1"><data key="n">"#;
    let laughs = "<!DOCTYPE x [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]>";
    for (format, file, problem) in [
        (GraphSon, "[1]", "line 1, column 1: a vertex, a JSON object, expected, found `[`"),
        (GraphSon, "{}", "no `id`"),
        (GraphSon, "{\"label\":\"x\"}", "needs an `id`"),
        (GraphSon, "{\"id\":1,\n \"label\":2}", "line 2, column 10: a text in quotes expected"),
        (GraphSon, "{\"id\":1,\"inE\":{\"a\":[{\"id\":1}]}}", "needs an `outV`"),
        (GraphSon, "{\"id\":1,\"outE\":{\"a\":[{\"id\":1,\"inV\":1}]}}", "1 edges in `outE` and 0 in `inE`"),
        (GraphSon, "{\"id\":1", "but the file ends here"),
        (GraphSon, "{\"id\":\"\\ud800\"}", "lone surrogate"),
        (GraphSon, "{\"id\":\"\x01\"}", "must be escaped"),
        (GraphSon, "{\"id\":01}", "is no number"),
        (GraphSon, "{\"id\":{\"@type\":\"g:Vertex\",\"@value\":1}}", "g:Vertex"),
        (GraphSon, "{\"@type\":\"tinker:graph\",\"@value\":{}}", "without a type around it"),
        (GraphSon, &deep, "inside one another"),
        (GraphSon, &long_number, "more than 4096 characters"),
        (GraphMl, "{}", "line 1, column 1: this is no XML"),
        (GraphMl, "<graphml><node/></graphml>", "needs the attribute `id`"),
        (
            GraphMl,
            "<graphml>\n\n <graph>\u{e4}\n  <node/></graph></graphml>",
            "line 4, column 3: `node` needs",
        ),
        (GraphMl, "<graphml>\r\n<graph>\r\n</a>", "line 3, column 1: XML expected"),
        (GraphMl, "\u{feff}<graphml>\n<node id=", "line 2, column 1: XML expected"),
        (GraphMl, "<graphml>\n <node\n id=\"1\"><b/>", "line 3, column 13: the file ends inside an element"),
        (GraphMl, &format!("{key}x</data></node></graphml>"), "`n`: a whole number of 32 bits expected"),
        (GraphMl, &format!("{key}<b/></data></node></graphml>"), "found an element"),
        (
            GraphMl,
            "<graphml>\n<node id=\"1\">\n<data key=\"n\">x</data></node></graphml>",
            "line 3, column 1: there is `data` of the key \"n\", which no element `key` declares",
        ),
        (
            GraphMl,
            r#"<graphml><key id="n" attr.name="n" attr.type="float"/><node id="1"><data key="n">1e39</data></node></graphml>"#,
            "`n`: a number of 32 bits expected",
        ),
        (GraphMl, &format!("{key}1</data></edge></graphml>"), "XML expected"),
        (GraphMl, &format!("{laughs}{key}&b;</data></node></graphml>"), "`&b;` is no character"),
        (GraphMl, "<graphml>", "ends inside an element"),
        (GraphMl, "  ", "no element `graphml`"),
        (GraphMl, "<node id=\"1\"/>", "stands where `graphml` should"),
        (GraphMl, "<graphml/><graphml/>", "should, once"),
        (GraphMl, "<graphml/>x", "outside of the element"),
        (GraphMl, "<graphml><hyperedge>", "more than two nodes"),
        (GraphMl, &deep_xml, "inside one another"),
        (Gryo, "{\"id\":1}        ", "begins with `gio`"),
    ] {
        match read(format, file.as_bytes()) {
            Err(error) => assert!(error.to_string().contains(problem), "{file:.80}: {error}"),
            Ok(_) => panic!("{file:.80} was read"),
        }
    }
}

/// A property without properties of its own.
fn property(key: &str, value: Value) -> VertexProperty {
    VertexProperty { id: 0.into(), key: key.into(), value, properties: Vec::new(), vertex: None, owner: None }
}

#[test]
fn what_a_format_cannot_tell_is_refused_by_name() {
    let with = |key: &str, value: Value| {
        let property = property(key, value);
        let vertex = Vertex { properties: vec![property.clone(), property], ..Vertex::reference(1, "x") };
        Graph { vertices: vec![vertex], edges: Vec::new() }
    };
    let once = |key: &str, value: Value| {
        let mut graph = with(key, value);
        graph.vertices[0].properties.pop();
        graph
    };
    for (format, graph, problem) in [
        (GraphFormat::GraphMl, with("k", 1.into()), "Multiple properties exist for the provided key: [k]"),
        (
            GraphFormat::GraphMl,
            once("k", "\u{1}".into()),
            "the vertex 1: the property `k`: the character U+0001 is none of XML",
        ),
        (GraphFormat::GraphMl, once("\0", 1.into()), "the key \"\\0\": the character U+0000"),
        (GraphFormat::GraphMl, once("labelV", 1.into()), "`labelV`"),
        (GraphFormat::Gryo, once("k", Value::T(values::T::Id)), "a property `k` is a T"),
        (GraphFormat::Gryo, once("k", Value::Char('😀')), "two UTF-16 units"),
        (GraphFormat::GraphSon, once("k", Value::T(values::T::Id)), "a property `k` is a T"),
    ] {
        let error = write(format, &graph).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
}

#[test]
fn no_bytes_make_a_reader_panic() {
    let mut rng = fastrand::Rng::with_seed(seed());
    let seconds = std::env::var("MANGROVE_FUZZ_SECONDS").ok().and_then(|it| it.parse().ok()).unwrap_or(3);
    let ends = std::time::Instant::now() + std::time::Duration::from_secs(seconds);
    let mut files: Vec<(Vec<u8>, GraphFormat)> =
        MODERN.iter().map(|(file, format)| (file.to_vec(), *format)).collect();
    files.extend(FORMATS.iter().map(|format| (write(*format, &random(&mut rng, *format)).unwrap(), *format)));
    let mut tried = 0;
    while std::time::Instant::now() < ends {
        let (file, format) = rng.choice(&files).unwrap();
        let mut bytes = file.clone();
        for _ in 0..rng.usize(1..6) {
            if bytes.is_empty() {
                break;
            }
            let at = rng.usize(..bytes.len());
            match rng.u8(..5) {
                0 => bytes[at] = rng.u8(..),
                1 => bytes[at] ^= 1 << rng.u8(..8),
                2 => bytes.truncate(at),
                3 => _ = bytes.splice(at..at, (0..rng.usize(..9)).map(|_| rng.u8(..)).collect::<Vec<_>>()),
                _ => {
                    let to = rng.usize(at..bytes.len());
                    bytes.drain(at..to);
                }
            }
        }
        _ = read(*format, &bytes);
        let noise: Vec<u8> = (0..rng.usize(..200)).map(|_| rng.u8(..)).collect();
        _ = read(*format, &noise);
        tried += 2;
    }
    assert!(tried > 100, "only {tried} were tried");
}

#[test]
fn what_must_be_held_is_told_and_may_be_refused() {
    let vertex = format!("{{\"id\":1,\"properties\":{{\"k\":[{{\"value\":\"{}\"}}]}}}}", "x".repeat(1 << 20));
    let mut reader = graph_file_reader(
        GraphFormat::GraphSon,
        Box::new(Cursor::new(vertex.into_bytes())),
        Box::new(|bytes| bytes < 500_000),
    );
    let error = reader.next().unwrap_err().to_string();
    assert!(error.contains("no room in memory"), "{error}");
    // What was handed out is not held any more: a vertex may have any number of edges.
    let edge = "{\"id\":\"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\",\"outV\":1},";
    let edges = edge.repeat(50_000);
    let vertex = format!("{{\"id\":1,\"inE\":{{\"a\":[{}]}}}}", edges.trim_end_matches(','));
    let mut reader = graph_file_reader(
        GraphFormat::GraphSon,
        Box::new(Cursor::new(vertex.into_bytes())),
        Box::new(|bytes| bytes < 200_000),
    );
    let mut count = 0;
    while reader.next().unwrap().is_some() {
        count += 1;
    }
    assert_eq!(count, 50_001);
}

/// Writes a graph of vertices; what the format does not say of it.
fn losses(vertices: &[Vertex]) -> Result<Vec<String>, String> {
    let mut writer = graph_file_writer(GraphFormat::GraphMl, Box::new(std::io::sink()), Box::new(|_| true));
    let written = writer.passes().iter().enumerate().try_for_each(|(number, pass)| {
        writer.begin(number)?;
        let of_vertices = *pass == Pass::Vertices;
        vertices.iter().filter(|_| of_vertices).try_for_each(|vertex| writer.vertex(vertex))
    });
    written.and_then(|()| writer.finish()).map_err(|error| error.to_string())?;
    Ok(writer.losses())
}

#[test]
fn graphml_tells_what_it_does_not_say() {
    let meta = VertexProperty {
        properties: vec![Property { key: "meta".into(), value: 1.into(), owner: None }],
        ..property("a", "b".into())
    };
    let uuid = Value::Uuid(values::Uuid::nil());
    let vertex = Vertex {
        properties: vec![meta, property("u", uuid), property("n", 1.into())],
        ..Vertex::reference(Value::Long(5), "x")
    };
    let expected = [
        "1 ids of vertices that are no texts are written as texts",
        "`a`: 1 properties of properties are left out",
        "`u`: 1 values of vertices are written as texts",
    ];
    assert_eq!(losses(&[vertex]), Ok(expected.map(String::from).to_vec()));
    assert_eq!(losses(&[Vertex::reference("a", "x")]), Ok(Vec::new()));
    let twins = [Value::Long(1), Value::str("a"), Value::str("1")].map(|id| Vertex::reference(id, "x"));
    let refused = losses(&twins).unwrap_err();
    assert!(refused.contains("two vertices have ids that are the text \"1\""), "{refused}");
    assert_eq!(losses(&twins[..2]).map(|losses| losses.len()), Ok(1));
}
