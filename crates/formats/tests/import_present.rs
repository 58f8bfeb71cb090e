//! Imports into a graph that has data, against a naive model of what they should do: whatever is added or merged, however many rows a
//! transaction has, and wherever the machine stops meanwhile.
//!
//! A round makes a graph and files from its seed, and imports these again and again over a store that stops at random writes, of which
//! the last may have reached the disk, until an import comes to its end. Then the graph must be what the model is, and the import must
//! say so.

#[path = "../../graph/tests/failing/mod.rs"]
mod failing;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;

use failing::Failing;
use fastrand::Rng;
use formats::{
    BadRows, CsvOptions, CsvSource, ImportError, ImportOptions, ImportSummary, Merge, Position, Present,
    PresentOptions, csv, graphson,
};
use graph::{Cardinality, EdgeLabelId, Graph, GraphOptions, ScanCursor, Value};
use store::{MemoryStore, Store};

/// Ids of vertices that users chose are above it, those of the graph below.
const VERTEX_IDS: i64 = 1_000_000;
/// Ids of edges that users chose are among these.
const EDGE_IDS: std::ops::Range<i64> = 5_000_000..6_000_000;

type Properties = BTreeMap<&'static str, Vec<String>>;

#[derive(Clone, Debug)]
struct Vertex {
    id: Option<i64>,
    label: &'static str,
    properties: Properties,
}

#[derive(Clone, Debug)]
struct Edge {
    id: Option<i64>,
    label: &'static str,
    /// Of the model's vertices; in a file their ids.
    ends: (i64, i64),
    weight: Option<i64>,
}

/// What is in a graph, and how rows change it.
#[derive(Clone, Debug, Default)]
struct Model {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
}

/// Vertices and edges added, merged; rows refused.
type Counts = [u64; 5];

impl Model {
    fn with_id(&self, id: i64) -> Option<usize> {
        self.vertices.iter().position(|vertex| vertex.id == Some(id))
    }

    fn import(&mut self, file: &File, merge: &Merge, new_ids: bool) -> Counts {
        let mut counts = Counts::default();
        // What the vertices of the file are; none of one that was refused.
        let mut known: BTreeMap<i64, Option<usize>> = BTreeMap::new();
        for row in &file.vertices {
            let id = row.id.unwrap();
            let found = self.vertex(row, merge, new_ids);
            known.insert(id, found.ok().flatten().or_else(|| found.is_ok().then_some(self.vertices.len())));
            match found {
                Err(()) => counts[4] += 1,
                Ok(Some(there)) => {
                    self.vertices[there].properties.extend(row.properties.clone());
                    counts[2] += 1;
                }
                Ok(None) => {
                    self.vertices.push(Vertex { id: row.id.filter(|_| !new_ids), ..row.clone() });
                    counts[0] += 1;
                }
            }
        }
        for row in &file.edges {
            let end = |id: i64| match known.get(&id) {
                Some(found) => *found,
                None => self.with_id(id),
            };
            let (Some(from), Some(to)) = (end(row.ends.0), end(row.ends.1)) else {
                counts[4] += 1;
                continue;
            };
            let row = Edge { id: row.id.filter(|_| !new_ids), ends: (from as i64, to as i64), ..row.clone() };
            match self.edge(&row, merge) {
                Err(()) => counts[4] += 1,
                Ok(Some(there)) => {
                    self.edges[there].weight = row.weight.or(self.edges[there].weight);
                    counts[3] += 1;
                }
                Ok(None) => {
                    self.edges.push(row);
                    counts[1] += 1;
                }
            }
        }
        counts
    }

    /// The vertex that a row is merged with, or that it is refused.
    fn vertex(&self, row: &Vertex, merge: &Merge, new_ids: bool) -> Result<Option<usize>, ()> {
        let id = row.id.unwrap();
        let by_id = self.with_id(id);
        if *merge == Merge::ById {
            return match by_id {
                Some(found) if self.vertices[found].label != row.label => Err(()),
                found => Ok(found),
            };
        }
        if let (Merge::ByKey(_), Some(name)) = (merge, row.properties.get("name")) {
            let same = |vertex: &Vertex| {
                vertex.label == row.label && vertex.properties.get("name").is_some_and(|names| names == name)
            };
            let mut found = (0..self.vertices.len()).filter(|&there| same(&self.vertices[there]));
            match (found.next(), found.next()) {
                (Some(_), Some(_)) => return Err(()),
                (Some(one), None) => return Ok(Some(one)),
                _ => {}
            }
        }
        if by_id.is_some() && !new_ids { Err(()) } else { Ok(None) }
    }

    fn edge(&self, row: &Edge, merge: &Merge) -> Result<Option<usize>, ()> {
        let same = |edge: &Edge| edge.label == row.label && edge.ends == row.ends;
        let by_id = row.id.and_then(|id| self.edges.iter().position(|edge| edge.id == Some(id)));
        match (merge, row.id) {
            (Merge::Nothing, _) if by_id.is_some() => Err(()),
            (Merge::Nothing, _) => Ok(None),
            (_, Some(_)) => match by_id {
                Some(found) if !same(&self.edges[found]) => Err(()),
                found => Ok(found),
            },
            (_, None) => {
                let mut found = (0..self.edges.len()).filter(|&there| same(&self.edges[there]));
                match (found.next(), found.next()) {
                    (Some(_), Some(_)) => Err(()),
                    (one, _) => Ok(one),
                }
            }
        }
    }

    /// All of it in words that do not depend on any order.
    fn words(&self) -> Vec<String> {
        let vertex = |vertex: &Vertex| format!("{:?} {} {:?}", vertex.id, vertex.label, vertex.properties);
        let edge = |edge: &Edge| {
            let [from, to] = [edge.ends.0, edge.ends.1].map(|end| vertex(&self.vertices[end as usize]));
            format!("{:?} {} {:?}: {from} to {to}", edge.id, edge.label, edge.weight)
        };
        let mut words: Vec<String> =
            self.vertices.iter().map(vertex).chain(self.edges.iter().map(edge)).collect();
        words.sort();
        words
    }

    /// What a graph has.
    fn of(graph: &Graph) -> Self {
        let snapshot = graph.snapshot();
        let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
        let (mut found, mut cursor) = (Vec::new(), ScanCursor::default());
        while reader.scan_vertices(None, &mut cursor, 100, &mut found) {}
        let mut places = BTreeMap::new();
        let mut model = Self::default();
        for &v in &found {
            places.insert(v, model.vertices.len() as i64);
            let id = reader.id(v).as_i64().unwrap();
            let mut entries = Vec::new();
            reader.vertex_properties(v, &[], &mut entries);
            let mut properties = Properties::new();
            for entry in entries {
                let key = name_of(catalog.key_name(entry.key));
                properties.entry(key).or_default().push(entry.value.to_string());
            }
            let label = name_of(catalog.vertex_label_name(reader.label(v)));
            model.vertices.push(Vertex { id: Some(id).filter(|id| *id >= VERTEX_IDS), label, properties });
        }
        let (mut found, mut cursor) = (Vec::new(), ScanCursor::default());
        while reader.scan_edges(None, &mut cursor, 100, &mut found) {}
        for e in found {
            let id = reader.edge_id(e).as_i64().filter(|id| EDGE_IDS.contains(id));
            let weight = catalog.key("weight").and_then(|key| reader.edge_value(e, key)?.as_i64());
            let label = name_of(catalog.edge_label_name(EdgeLabelId(e.label)));
            model.edges.push(Edge { id, label, ends: (places[&e.src], places[&e.dst]), weight });
        }
        snapshot.check().unwrap();
        model
    }
}

const NAMES: [&str; 9] = ["person", "dog", "knows", "likes", "name", "age", "tags", "weight", "since"];

fn name_of(name: &str) -> &'static str {
    NAMES.into_iter().find(|known| *known == name).unwrap()
}

/// What a file has: edges by the ids of their ends.
#[derive(Debug)]
struct File {
    vertices: Vec<Vertex>,
    edges: Vec<Edge>,
}

fn some_properties(random: &mut Rng) -> Properties {
    let mut properties = Properties::new();
    if random.u8(..5) > 0 {
        properties.insert("name", vec![format!("n{}", random.u8(..12))]);
    }
    if random.bool() {
        properties.insert("age", vec![random.u8(..90).to_string()]);
    }
    if random.u8(..3) == 0 {
        let tags = (0..random.u8(1..4)).map(|number| format!("t{number}{}", random.u8(..9)));
        properties.insert("tags", tags.collect());
    }
    properties
}

fn some_edge(random: &mut Rng, ends: impl Fn(&mut Rng) -> i64, id: Option<i64>) -> Edge {
    let (from, to) = (ends(random), ends(random));
    let label = ["knows", "likes"][random.usize(..2)];
    Edge { id, label, ends: (from, to), weight: random.bool().then(|| random.i64(..9)) }
}

/// A graph, written by hand.
fn some_graph(random: &mut Rng, graph: &Graph) -> Model {
    let mut model = Model::default();
    let transaction = graph.begin();
    let count = random.i64(1..15);
    let mut added = Vec::new();
    for number in 0..count {
        let id = VERTEX_IDS + number;
        let (label, properties) = (["person", "dog"][random.usize(..2)], some_properties(random));
        let v = transaction.add_vertex(Some(Value::Long(id)), label).unwrap();
        for (key, values) in &properties {
            for value in values {
                let (cardinality, value) = match *key {
                    "age" => (Cardinality::Single, Value::Int(value.parse().unwrap())),
                    "tags" => (Cardinality::List, Value::str(value)),
                    _ => (Cardinality::Single, Value::str(value)),
                };
                transaction.set_vertex_property(v, cardinality, key, value, &[]).unwrap();
            }
        }
        added.push(v);
        model.vertices.push(Vertex { id: Some(id), label, properties });
    }
    for number in 0..random.i64(..15) {
        let id = random.bool().then_some(EDGE_IDS.start + number);
        let edge = some_edge(random, |random| random.i64(..count), id);
        let [from, to] = [edge.ends.0, edge.ends.1].map(|end| added[end as usize]);
        let e = transaction.add_edge(id.map(Value::Long), edge.label, from, to).unwrap();
        if let Some(weight) = edge.weight {
            transaction.set_edge_property(e, "weight", Value::Int(weight as i32)).unwrap();
        }
        model.edges.push(edge);
    }
    transaction.commit().unwrap();
    model
}

fn some_file(random: &mut Rng, with_edge_ids: bool) -> File {
    let mut ids: Vec<i64> = (VERTEX_IDS..VERTEX_IDS + 30).collect();
    random.shuffle(&mut ids);
    ids.truncate(random.usize(..25));
    let vertices = ids.iter().map(|id| Vertex {
        id: Some(*id),
        label: ["person", "dog"][random.usize(..2)],
        properties: some_properties(random),
    });
    let vertices = vertices.collect();
    let mut edge_ids: Vec<i64> = (EDGE_IDS.start..EDGE_IDS.start + 40).collect();
    random.shuffle(&mut edge_ids);
    let edges = edge_ids.into_iter().take(random.usize(..30)).map(|id| {
        let end = |random: &mut Rng| VERTEX_IDS + random.i64(..32);
        some_edge(random, end, with_edge_ids.then_some(id))
    });
    File { vertices, edges: edges.collect() }
}

impl File {
    fn write_csv(&self, dir: &std::path::Path) {
        let mut text = ":ID{id-type:long},name,age:int,tags:string[],:LABEL\n".to_owned();
        for Vertex { id, label, properties } in &self.vertices {
            let of = |key: &str| properties.get(key).map_or(String::new(), |values| values.join(";"));
            writeln!(text, "{},{},{},{},{label}", id.unwrap(), of("name"), of("age"), of("tags")).unwrap();
        }
        std::fs::write(dir.join("vertices.csv"), text).unwrap();
        let with_ids = self.edges.first().is_some_and(|edge| edge.id.is_some());
        let mut text = if with_ids { ":ID{id-type:long}," } else { "" }.to_owned();
        writeln!(text, ":START_ID,:END_ID,:TYPE,weight:int").unwrap();
        for Edge { id, label, ends, weight } in &self.edges {
            let id = id.map_or(String::new(), |id| format!("{id},"));
            let weight = weight.map_or(String::new(), |weight| weight.to_string());
            writeln!(text, "{id}{},{},{label},{weight}", ends.0, ends.1).unwrap();
        }
        std::fs::write(dir.join("edges.csv"), text).unwrap();
    }

    /// Lines of GraphSON, each edge at the vertex that it leaves. It keeps those alone whose vertex is in the file, in the order of that.
    fn write_graphson(&mut self, dir: &std::path::Path) {
        let long = |number: i64| format!("{{\"@type\":\"g:Int64\",\"@value\":{number}}}");
        let (mut text, mut edges) = (String::new(), Vec::new());
        for Vertex { id, label, properties } in &self.vertices {
            let id = id.unwrap();
            let values = |(key, values): (&&str, &Vec<String>)| {
                let value = |value: &String| match *key {
                    "age" => format!("{{\"value\":{{\"@type\":\"g:Int32\",\"@value\":{value}}}}}"),
                    _ => format!("{{\"value\":\"{value}\"}}"),
                };
                format!("\"{key}\":[{}]", values.iter().map(value).collect::<Vec<_>>().join(","))
            };
            let properties: Vec<String> = properties.iter().map(values).collect();
            let mut out: BTreeMap<&str, Vec<String>> = BTreeMap::new();
            for name in ["knows", "likes"] {
                for edge in self.edges.iter().filter(|edge| edge.ends.0 == id && edge.label == name) {
                    let own = edge.id.map_or(String::new(), |id| format!("\"id\":{},", long(id)));
                    let weight = edge.weight.map_or(String::new(), |weight| {
                        format!(
                            ",\"properties\":{{\"weight\":{{\"@type\":\"g:Int32\",\"@value\":{weight}}}}}"
                        )
                    });
                    let line = format!("{{{own}\"inV\":{}{weight}}}", long(edge.ends.1));
                    out.entry(name).or_default().push(line);
                    edges.push(edge.clone());
                }
            }
            let out: Vec<String> =
                out.iter().map(|(label, edges)| format!("\"{label}\":[{}]", edges.join(","))).collect();
            writeln!(
                text,
                "{{\"id\":{},\"label\":\"{label}\",\"properties\":{{{}}},\"outE\":{{{}}}}}",
                long(id),
                properties.join(","),
                out.join(",")
            )
            .unwrap();
        }
        std::fs::write(dir.join("graph.json"), text).unwrap();
        self.edges = edges;
    }
}

fn import(dir: &std::path::Path, present: &Present<'_>) -> Result<ImportSummary, ImportError> {
    let skip = BadRows::Skip { reports: 1_000 };
    let options = ImportOptions { bad_rows: skip, ..ImportOptions::default() };
    let file = dir.join("graph.json");
    if file.exists() {
        return graphson(&file, present, &options, &|_| {});
    }
    let sources = CsvSource::in_directory(dir).unwrap();
    csv(&sources, CsvOptions::default(), present, &options, &|_| {})
}

fn round(seed: u64) {
    let random = &mut Rng::with_seed(seed);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut model = {
        let graph = Graph::open(Arc::clone(&store), GraphOptions::default()).unwrap();
        some_graph(random, &graph)
    };
    let dir = tempfile::tempdir().unwrap();
    let merge = [Merge::Nothing, Merge::ById, Merge::ByKey("name".into())][random.usize(..3)].clone();
    let new_ids = merge != Merge::ById && random.u8(..3) == 0;
    let with_edge_ids = random.bool();
    let mut file = some_file(random, with_edge_ids);
    let as_csv = random.bool();
    if as_csv {
        file.write_csv(dir.path())
    } else {
        file.write_graphson(dir.path())
    }
    let options = PresentOptions {
        merge,
        new_ids,
        rows: random.usize(1..20).try_into().unwrap(),
        bad_rows: BadRows::Skip { reports: 1_000 },
        stop: None,
    };
    let what = format!("seed {seed}: {options:?}, {}", if as_csv { "CSV" } else { "GraphSON" });
    let [vertices, edges, merged_vertices, merged_edges, refused] =
        model.import(&file, &options.merge, options.new_ids);
    let mut stops = 0;
    let summary = loop {
        let left = AtomicUsize::new(if stops < 20 { random.usize(1..25) } else { usize::MAX - 1 });
        let failing = Failing { inner: Arc::clone(&store), left, last_reaches_disk: random.bool() };
        let Ok(graph) = Graph::open(Arc::new(failing), GraphOptions::default()) else { continue };
        match import(dir.path(), &Present::new(&graph, &options, "file")) {
            Ok(summary) => break summary,
            Err(error) => assert!(error.to_string().contains("pulled the plug"), "{what}: {error}"),
        }
        stops += 1;
    };
    let graph = Graph::open(Arc::clone(&store), GraphOptions::default()).unwrap();
    assert_eq!(Model::of(&graph).words(), model.words(), "{what}");
    assert_eq!(
        [summary.vertices, summary.edges, summary.merged_vertices, summary.merged_edges, summary.skipped],
        [vertices, edges, merged_vertices, merged_edges, refused],
        "{what}"
    );
    let present = Present::new(&graph, &options, "file");
    assert!(matches!(present.position(), Ok(Position::Done(_))), "{what}");
    let mut notes = Vec::new();
    let note = |name: &str, _| {
        notes.push(name.to_owned());
        Ok(())
    };
    graph.each_note("", note).unwrap();
    assert_eq!(notes, ["import/file"], "{what}");
    assert!(graph.snapshot().check().is_ok());
    drop(graph);
    assert!(graph::check(&store, &mut |_| {}).unwrap().is_empty(), "{what}");
}

#[test]
fn an_import_does_what_the_model_does_wherever_it_stops() {
    let setting = |name: &str| std::env::var(name).ok().and_then(|value| value.parse::<u64>().ok());
    let first = setting("MANGROVE_FUZZ_SEED").unwrap_or_else(|| fastrand::u64(..1 << 40));
    println!("MANGROVE_FUZZ_SEED={first}");
    let rounds = setting("MANGROVE_IMPORT_ROUNDS").unwrap_or(150);
    (first..first + rounds).for_each(round);
}
