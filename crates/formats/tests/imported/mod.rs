//! What the import tests share: an empty graph to import into, a look at what came of it, and the sample data.

#![allow(dead_code, reason = "every test binary uses a part of this")]

pub mod damage;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use formats::ImportError;
use graph::{Dir, EdgeRef, Graph, GraphOptions, PropertyEntry, ScanCursor, Snapshot, Value, VertexRef};
use store::MemoryStore;

/// A graph in memory, without anything in it.
pub fn empty_graph() -> Graph {
    Graph::open(Arc::new(MemoryStore::new()), GraphOptions::default()).unwrap()
}

/// The error of an import that has to fail.
pub fn refusal<T>(result: Result<T, ImportError>) -> ImportError {
    result.err().expect("the import was accepted")
}

/// A file of the folder that is shared with the repository.
pub fn shared(path: &str) -> PathBuf {
    Path::new(&format!("{}/../../../shared", std::env::var("CARGO_MANIFEST_DIR").unwrap())).join(path)
}

/// Unpacks one of the shared archives.
pub fn unpack(archive: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let file = std::fs::File::open(shared(archive)).unwrap();
    let decoder = ruzstd::decoding::StreamingDecoder::new(file).unwrap();
    tar::Archive::new(decoder).unpack(directory.path()).unwrap();
    directory
}

/// A tiny network: file names and contents.
pub fn tiny_network() -> Vec<(&'static str, String)> {
    let file = |text: &str| text.to_owned();
    vec![
        (
            "dynamic/person_0_0.csv",
            file(
                "id|firstName|lastName|gender|birthday|creationDate|locationIP|browserUsed\n\
                 10|Ana|Silva|female|628646400000|1266161530447|10.0.0.1|Firefox\n\
                 20|Bo|Wang|male|410000000000|1266161530448|10.0.0.2|Opera\n\
                 30|Zoë|Müller|female|420000000000|1266161530449|10.0.0.3|Chrome\n",
            ),
        ),
        (
            "dynamic/person_email_emailaddress_0_0.csv",
            file("Person.id|email\n10|a@x.example\n10|b@x.example\n30|z@x.example\n"),
        ),
        ("dynamic/person_speaks_language_0_0.csv", file("Person.id|language\n10|pt\n20|zh\n10|en\n")),
        (
            "dynamic/person_knows_person_0_0.csv",
            file("Person.id|Person.id|creationDate\n10|20|1289805829104\n20|30|1289805829105\n"),
        ),
        (
            "dynamic/post_0_0.csv",
            file(
                "id|imageFile|creationDate|locationIP|browserUsed|language|content|length\n\
                 10||1313561140595|10.0.0.1|Firefox|pt|About \"quotes\", and so on|24\n\
                 11|photo11.jpg|1313561140596|10.0.0.1|Firefox|||0\n",
            ),
        ),
        ("dynamic/post_hasCreator_person_0_0.csv", file("Post.id|Person.id\n10|10\n11|30\n")),
        ("static/tag_0_0.csv", file("id|name|url\n1|Jazz|http://x.example/Jazz\n")),
        ("static/tagclass_0_0.csv", file("id|name|url\n1|Music|http://x.example/Music\n")),
        ("static/tag_hasType_tagclass_0_0.csv", file("Tag.id|TagClass.id\n1|1\n")),
        (
            "dynamic/person_workAt_organisation_0_0.csv",
            file("Person.id|Organisation.id|workFrom\n20|7|2001\n"),
        ),
        ("static/organisation_0_0.csv", file("id|type|name|url\n7|company|Acme|http://x.example/Acme\n")),
        ("updateStream_0_0_person.csv", file("1347615339076|0|1|35184372090047|not to be read\n")),
    ]
}

/// A directory with these files.
pub fn written(files: &[(&str, String)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = directory.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    directory
}

/// A look at a graph, by names.
pub struct Look {
    snapshot: Snapshot,
}

impl Look {
    pub fn at(graph: &Graph) -> Self {
        Self { snapshot: graph.snapshot() }
    }

    /// Vertices and edges.
    pub fn counts(&self) -> (u64, u64) {
        (self.snapshot.vertex_count(None), self.snapshot.edge_count(None))
    }

    /// Vertices of a label.
    pub fn vertex_count(&self, label: &str) -> u64 {
        self.snapshot.catalog().vertex_label(label).map_or(0, |label| self.snapshot.vertex_count(Some(label)))
    }

    /// Edges of a label.
    pub fn edge_count(&self, label: &str) -> u64 {
        self.snapshot.catalog().edge_label(label).map_or(0, |label| self.snapshot.edge_count(Some(label)))
    }

    /// Whether there is an equality index.
    pub fn has_index(&self, label: &str, key: &str) -> bool {
        let catalog = self.snapshot.catalog();
        match (catalog.vertex_label(label), catalog.key(key)) {
            (Some(label), Some(key)) => catalog.has_index(label, key),
            _ => false,
        }
    }

    /// The one vertex whose indexed property has the value.
    pub fn indexed(&self, label: &str, key: &str, value: impl Into<Value>) -> VertexRef {
        let catalog = self.snapshot.catalog();
        let mut found = Vec::new();
        let (label, key) = (catalog.vertex_label(label).unwrap(), catalog.key(key).unwrap());
        assert!(self.snapshot.reader().index_lookup(label, key, &value.into(), &mut found), "no such index");
        assert_eq!(found.len(), 1);
        found[0]
    }

    /// The vertex with an id.
    pub fn vertex(&self, id: impl Into<Value>) -> VertexRef {
        self.snapshot.reader().vertex_by_id(&id.into()).expect("a vertex of that id")
    }

    /// The edge with an id.
    pub fn edge(&self, id: impl Into<Value>) -> EdgeRef {
        self.snapshot.reader().edge_by_id(&id.into()).expect("an edge of that id")
    }

    pub fn id(&self, vertex: VertexRef) -> Value {
        self.snapshot.reader().id(vertex)
    }

    pub fn label(&self, vertex: VertexRef) -> String {
        let label = self.snapshot.reader().label(vertex);
        self.snapshot.catalog().vertex_label_name(label).to_string()
    }

    /// All values of a vertex under a key.
    pub fn values(&self, vertex: VertexRef, key: &str) -> Vec<Value> {
        self.properties(vertex, key).into_iter().map(|entry| entry.value).collect()
    }

    /// All properties of a vertex under a key.
    pub fn properties(&self, vertex: VertexRef, key: &str) -> Vec<PropertyEntry> {
        let Some(key) = self.snapshot.catalog().key(key) else { return Vec::new() };
        let mut found = Vec::new();
        self.snapshot.reader().vertex_properties(vertex, &[key], &mut found);
        found
    }

    /// Meta-properties as (key, value).
    pub fn metas(&self, entry: &PropertyEntry) -> Vec<(String, Value)> {
        let name = |key| self.snapshot.catalog().key_name(key).to_string();
        entry.meta.iter().map(|(key, value)| (name(*key), value.clone())).collect()
    }

    /// The neighbours along a label, each with a property of the edge.
    pub fn along(
        &self,
        vertex: VertexRef,
        label: &str,
        dir: Dir,
        key: &str,
    ) -> Vec<(VertexRef, Option<Value>)> {
        let Some(label) = self.snapshot.catalog().edge_label(label) else { return Vec::new() };
        let key = self.snapshot.catalog().key(key);
        let reader = self.snapshot.reader();
        let list = reader.list(vertex, label, dir);
        let edges = list.runs().flat_map(|run| {
            let value = |i: usize| key.and_then(|key| run.value(i, key));
            (0..run.neighbours().len()).map(|i| (run.neighbour(i), value(i))).collect::<Vec<_>>()
        });
        edges.collect()
    }

    /// The neighbours that out-edges of a label lead to.
    pub fn out(&self, vertex: VertexRef, label: &str) -> Vec<VertexRef> {
        self.along(vertex, label, Dir::Out, "").into_iter().map(|(neighbour, _)| neighbour).collect()
    }

    pub fn edge_value(&self, edge: EdgeRef, key: &str) -> Option<Value> {
        self.snapshot.reader().edge_value(edge, self.snapshot.catalog().key(key)?)
    }

    /// Everything there is, as text that does not depend on references: to compare two graphs.
    pub fn everything(&self) -> Vec<String> {
        let reader = self.snapshot.reader();
        let (mut vertices, mut cursor) = (Vec::new(), ScanCursor::default());
        while reader.scan_vertices(None, &mut cursor, 1000, &mut vertices) {}
        let mut lines = Vec::new();
        let name = |v: VertexRef| format!("{} {:?}", self.label(v), self.values(v, "id"));
        for &v in &vertices {
            let mut entries = Vec::new();
            reader.vertex_properties(v, &[], &mut entries);
            let mut properties: Vec<String> = entries
                .iter()
                .map(|e| format!("{}={:?}", self.snapshot.catalog().key_name(e.key), e.value))
                .collect();
            properties.sort();
            lines.push(format!("{} {properties:?}", name(v)));
            reader.for_each_label(v, Dir::Out, |label, list| {
                for e in list.edges() {
                    let mut values = Vec::new();
                    reader.edge_properties(e, &[], &mut values);
                    let values: Vec<_> = values.into_iter().map(|(_, value)| value).collect();
                    let label = self.snapshot.catalog().edge_label_name(label);
                    lines.push(format!("{} {label} {} {values:?}", name(v), name(e.dst)));
                }
            });
        }
        lines.sort();
        lines
    }
}
