//! Random graphs, exported to CSV (and to Parquet, in a build that does) and imported again.

mod imported;

use std::io::Write;
use std::path::PathBuf;

use formats::{
    CsvConvention, CsvOptions, CsvSource, CsvWriter, GraphFileWriter, ImportOptions, Pass, csv, parquet,
};
use graph::Graph;
use imported::damage::{Random, seeded};
use imported::{Look, empty_graph};
use values::{DateTime, Direction, Duration, Edge, Property, Str, Uuid, Value, Vertex, VertexProperty};

const KEYS: [&str; 6] = ["k", "a b", "x,y", "\"q\"", "semi;colon|pipe", "is:a"];
const LABELS: [&str; 3] = ["person", "a,b", "\"é\""];

fn text(random: &mut Random, alone: bool) -> String {
    let letters = ["a", "é", ",", "\"", "\n", "\r", " ", "\t", "|", "#", "~id", "😀"];
    let length = if alone { random.below(4) } else { 1 + random.below(3) };
    let text: String = (0..length).map(|_| letters[random.below(letters.len())]).collect();
    if alone && random.below(3) == 0 { format!("{text};\\") } else { text }
}

fn value(random: &mut Random, kind: usize, alone: bool) -> Value {
    let number = random.below(1 << 30) as i64 * if random.below(2) == 0 { -7 } else { 1 };
    match kind {
        0 => Value::from(text(random, alone)),
        1 => Value::Int(number as i32),
        2 => Value::Long(number << 20),
        3 => Value::Double(number as f64 / 8192.0),
        4 => Value::Float(number as f32 / 3.0),
        5 => Value::Bool(number > 0),
        6 => Value::Byte(number as i8),
        7 => Value::Short(number as i16),
        8 => Value::Char(['x', ',', 'é'][random.below(3)]),
        9 => Value::Uuid(Uuid::from_u128(number.unsigned_abs().into())),
        10 => DateTime::from_epoch_millis(number).into(),
        11 => Duration::from_nanos((number << 8).into()).unwrap().into(),
        12 => Value::from(values::BigInt::from(number) << 70),
        _ => Value::from(values::BigDecimal::new(number.into(), 5)),
    }
}

/// Keys with values of types of their own: most often the same for a key, but not always.
fn properties(random: &mut Random) -> Vec<(Str, usize)> {
    let kind = |random: &mut Random, key: usize| if random.below(5) > 0 { key * 2 } else { random.below(14) };
    let keys: Vec<usize> = (0..KEYS.len()).filter(|_| random.below(3) == 0).collect();
    keys.into_iter().map(|key| (KEYS[key].into(), kind(random, key))).collect()
}

fn vertex(random: &mut Random, number: usize) -> Vertex {
    let mut properties_of = Vec::new();
    for (key, kind) in properties(random) {
        let count = if random.below(4) == 0 { 2 + random.below(2) } else { 1 };
        for _ in 0..count {
            let value = value(random, kind, count == 1);
            let key = key.clone();
            properties_of.push(VertexProperty {
                id: Value::Null,
                key,
                value,
                properties: Vec::new(),
                vertex: None,
                owner: None,
            });
        }
    }
    let id = Value::from(format!("v{number}"));
    Vertex { properties: properties_of, ..Vertex::reference(id, LABELS[random.below(LABELS.len())]) }
}

fn edge(random: &mut Random, number: usize, vertices: &[Vertex]) -> Edge {
    let mut end = || Vertex::reference(vertices[random.below(vertices.len())].id.clone(), "");
    let (out_v, in_v) = (end(), end());
    let mut properties_of = Vec::new();
    for (key, kind) in properties(random) {
        let value = match random.below(4) {
            0 => {
                Value::list((0..1 + random.below(3)).map(|_| value(random, kind, false)).collect::<Vec<_>>())
            }
            _ => value(random, kind, true),
        };
        properties_of.push(Property { key, value, owner: None });
    }
    let label = ["knows", "likes;", "é"][random.below(3)].into();
    Edge { id: Value::from(format!("e{number}")), label, out_v, in_v, properties: properties_of }
}

/// Writes a graph into a directory.
fn written(
    vertices: &[Vertex],
    edges: &[Edge],
    convention: CsvConvention,
) -> (tempfile::TempDir, Vec<String>) {
    let directory = tempfile::tempdir().unwrap();
    let path: PathBuf = directory.path().into();
    let make = move |name: &str| {
        std::fs::File::create_new(path.join(name)).map(|file| Box::new(file) as Box<dyn Write + Send>)
    };
    let mut writer = CsvWriter::new(convention, true, Box::new(make));
    for (number, pass) in writer.passes().iter().enumerate() {
        writer.begin(number).unwrap();
        match pass {
            Pass::Vertices => vertices.iter().for_each(|vertex| writer.vertex(vertex).unwrap()),
            _ => edges.iter().for_each(|edge| writer.edge(Direction::Out, edge).unwrap()),
        }
    }
    writer.finish().unwrap();
    (directory, writer.losses())
}

fn imported(directory: &tempfile::TempDir, convention: CsvConvention) -> Graph {
    let graph = empty_graph();
    if convention == CsvConvention::Parquet {
        let sources = CsvSource::parquet_in_directory(directory.path()).unwrap();
        parquet(&sources, &graph, &ImportOptions::default(), &|_| {}).unwrap();
        return graph;
    }
    let sources = CsvSource::in_directory(directory.path()).unwrap();
    csv(&sources, CsvOptions::default(), &graph, &ImportOptions::default(), &|_| {}).unwrap();
    graph
}

/// Those that this build writes.
fn conventions() -> impl Iterator<Item = CsvConvention> {
    let parquet = cfg!(feature = "parquet").then_some(CsvConvention::Parquet);
    [CsvConvention::Neo4j, CsvConvention::Neptune].into_iter().chain(parquet)
}

#[test]
fn random_graphs_come_back_as_they_were() {
    let random = &mut seeded();
    for _ in 0..60 {
        let vertices: Vec<_> = (0..1 + random.below(12)).map(|number| vertex(random, number)).collect();
        let edges: Vec<_> = (0..random.below(20)).map(|number| edge(random, number, &vertices)).collect();
        for convention in conventions() {
            let (directory, losses) = written(&vertices, &edges, convention);
            let is_type = |loss: &String| loss.contains("have the type");
            assert!(losses.iter().all(is_type), "{losses:?}");
            let look = Look::at(&imported(&directory, convention));
            assert_eq!(look.counts(), (vertices.len() as u64, edges.len() as u64));
            for vertex in &vertices {
                let found = look.vertex(vertex.id.clone());
                assert_eq!(look.label(found), vertex.label);
                for key in KEYS {
                    let values = vertex.properties.iter().filter(|property| property.key == key);
                    let values: Vec<_> = values.map(|property| property.value.clone()).collect();
                    assert_eq!(look.values(found, key), values, "{key} of {vertex:?}, {convention:?}");
                }
            }
            for edge in &edges {
                let found = look.edge(edge.id.clone());
                let ends = (look.vertex(edge.out_v.id.clone()), look.vertex(edge.in_v.id.clone()));
                assert_eq!((found.src, found.dst), ends);
                for key in KEYS {
                    let value = edge.properties.iter().find(|property| property.key == key);
                    let value = value.map(|property| property.value.clone());
                    assert_eq!(look.edge_value(found, key), value, "{key} of {edge:?}, {convention:?}");
                }
            }
        }
    }
}

#[test]
fn parquet_is_written_by_a_build_that_does_and_refused_by_others() {
    let mut writer =
        CsvWriter::new(CsvConvention::Parquet, true, Box::new(|_| Ok(Box::new(std::io::sink()))));
    let begun = writer.begin(0).map_err(|refused| refused.to_string());
    let expected = "Parquet is not supported by this build; install one that reads it";
    match cfg!(feature = "parquet") {
        true => assert_eq!(begun, Ok(())),
        false => assert!(begun.as_ref().is_err_and(|told| told.contains(expected)), "{begun:?}"),
    }
}
