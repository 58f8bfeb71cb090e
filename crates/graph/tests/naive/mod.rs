//! A graph as plain collections: what the real one is compared with.
#![allow(dead_code, reason = "each test binary uses a part of it")]

pub mod history;
mod indexes;
pub mod orders;
pub mod steps;
pub mod types;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use graph::{
    Cardinality, Dir, Direction, EdgeRef, List, Place, PropertyId, Reader, ScanCursor, Snapshot, Value,
    VertexRef,
};
use values::{Str, compare};

/// A generator of pseudo-random numbers (xorshift64*): a seed is a test case.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        ((self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize) % bound
    }
}

#[derive(Clone, Debug)]
pub struct Property {
    pub id: PropertyId,
    pub value: Value,
    pub meta: BTreeMap<String, Value>,
}

#[derive(Clone, Debug)]
pub struct Vertex {
    pub label: String,
    pub id: Option<Value>,
    pub properties: BTreeMap<String, Vec<Property>>,
}

#[derive(Clone, Debug)]
pub struct Edge {
    pub e: EdgeRef,
    pub label: String,
    pub id: Option<Value>,
    pub properties: BTreeMap<String, Value>,
}

#[derive(Clone, Debug, Default)]
pub struct Naive {
    pub vertices: BTreeMap<u32, Vertex>,
    /// In the order of insertion.
    pub edges: Vec<Edge>,
    /// By label of vertices or edges: the declared type of [`types::RANK`].
    pub types: BTreeMap<String, graph::ValueType>,
    /// Those of [`steps::RARE`] that were written with. No others may be known.
    pub names: BTreeSet<&'static str>,
}

/// Values are compared as they print: by type and content.
fn shown(value: &Value) -> String {
    format!("{value:?}")
}

impl Naive {
    pub fn add_vertex(&mut self, v: VertexRef, label: &str, id: Option<Value>) {
        let vertex = Vertex { label: label.into(), id, properties: BTreeMap::new() };
        assert!(self.vertices.insert(v.0, vertex).is_none(), "a reference was given out twice");
    }

    pub fn vertex_by_id(&self, id: &Value) -> Option<VertexRef> {
        let same = |(v, vertex): &(&u32, &Vertex)| {
            compare::equals(vertex.id.as_ref().unwrap_or(&Value::Long(i64::from(**v))), id)
        };
        self.vertices.iter().find(same).map(|(v, _)| VertexRef(*v))
    }

    pub fn edge_by_id(&self, id: &Value) -> Option<EdgeRef> {
        let same = |edge: &&Edge| {
            compare::equals(edge.id.as_ref().unwrap_or(&Value::Long(edge.e.generated_id())), id)
        };
        self.edges.iter().find(same).map(|edge| edge.e)
    }

    pub fn add_edge(&mut self, e: EdgeRef, label: &str, id: Option<Value>) {
        assert!(self.edges.iter().all(|edge| edge.e != e), "an edge was given out twice");
        self.edges.push(Edge { e, label: label.into(), id, properties: BTreeMap::new() });
    }

    pub fn edge_mut(&mut self, e: EdgeRef) -> &mut Edge {
        self.edges.iter_mut().find(|edge| edge.e == e).unwrap()
    }

    pub fn set_vertex_property(
        &mut self,
        v: VertexRef,
        cardinality: Cardinality,
        key: &str,
        value: Value,
        meta: &[(Str, Value)],
        id: PropertyId,
    ) {
        let (value, meta) = self.typed_property(v, key, value, meta);
        let values = self.vertices.get_mut(&v.0).unwrap().properties.entry(key.into()).or_default();
        if cardinality == Cardinality::Single {
            values.clear();
        }
        if cardinality == Cardinality::Set
            && let Some(same) = values.iter_mut().find(|known| known.value == value)
        {
            assert_eq!(same.id, id);
            same.meta.extend(meta);
            return;
        }
        assert!(values.iter().all(|known| known.id != id), "two values of one key have one id");
        values.push(Property { id, value, meta });
    }

    pub fn drop_vertex_property(&mut self, v: VertexRef, id: PropertyId) {
        let vertex = self.vertices.get_mut(&v.0).unwrap();
        vertex.properties.values_mut().for_each(|values| values.retain(|known| known.id != id));
        vertex.properties.retain(|_, values| !values.is_empty());
    }

    pub fn set_meta_property(&mut self, v: VertexRef, id: PropertyId, key: &str, value: Value) {
        let vertex = self.vertices.get_mut(&v.0).unwrap();
        let mut properties =
            vertex.properties.iter_mut().flat_map(|(of, values)| values.iter_mut().map(move |p| (of, p)));
        let (of, property) = properties.find(|(_, known)| known.id == id).unwrap();
        let value = if self.types.contains_key(&vertex.label) { types::meta(of, value) } else { value };
        property.meta.insert(key.into(), value);
    }

    pub fn drop_vertex(&mut self, v: VertexRef) {
        self.vertices.remove(&v.0);
        self.edges.retain(|edge| edge.e.src != v && edge.e.dst != v);
    }

    /// Compares one vertex with its lists, and one edge: for after every step.
    pub fn check_some(&self, snapshot: &Snapshot, random: &mut Random, seed: u64, when: &str) {
        let context = format!("seed {seed}, {when}");
        let reader = snapshot.reader();
        let (vertex, edge) =
            (random.below(self.vertices.len().max(1)), random.below(self.edges.len().max(1)));
        if let Some((&v, vertex)) = self.vertices.iter().nth(vertex) {
            self.check_vertex(&reader, VertexRef(v), vertex, &context);
        }
        if let Some(edge) = self.edges.get(edge) {
            self.check_edge(&reader, edge, &context);
        }
        assert_eq!(snapshot.vertex_count(None), self.vertices.len() as u64, "{context}: vertex count");
        assert_eq!(snapshot.edge_count(None), self.edges.len() as u64, "{context}: edge count");
        snapshot.check().unwrap();
    }

    /// Compares everything that can be read.
    pub fn check(&self, snapshot: &Snapshot, seed: u64, when: &str) {
        let context = format!("seed {seed}, {when}");
        let reader = snapshot.reader();
        for (&v, vertex) in &self.vertices {
            self.check_vertex(&reader, VertexRef(v), vertex, &context);
        }
        for edge in &self.edges {
            self.check_edge(&reader, edge, &context);
        }
        self.check_names(&reader, &context);
        self.check_scans(&reader, &context);
        self.check_indexes(&reader, &context);
        snapshot.check().unwrap();
    }

    /// No name is known that only what was refused has used.
    fn check_names(&self, reader: &Reader<'_>, context: &str) {
        let catalog = reader.snapshot().catalog();
        let labels = catalog.vertex_labels().map(|(_, name)| name);
        let names = labels.chain(catalog.edge_labels().map(|(_, name)| name));
        for name in names.chain(catalog.keys().map(|(_, name)| name)) {
            let is_known = !steps::RARE.contains(&name.as_str()) || self.names.contains(name.as_str());
            assert!(is_known, "{context}: nobody has committed with {name}");
        }
    }

    fn check_vertex(&self, reader: &Reader<'_>, v: VertexRef, vertex: &Vertex, context: &str) {
        let catalog = reader.snapshot().catalog();
        assert!(reader.exists(v), "{context}: vertex {v:?} is missing");
        assert_eq!(catalog.vertex_label_name(reader.label(v)).as_str(), vertex.label, "{context}");
        let id = vertex.id.clone().unwrap_or(Value::Long(v.0.into()));
        assert_eq!(shown(&reader.id(v)), shown(&id), "{context}: id of {v:?}");
        assert_eq!(reader.vertex_by_id(&id), Some(v), "{context}: vertex by id {id:?}");
        let mut found = Vec::new();
        reader.vertex_properties(v, &[], &mut found);
        let found: BTreeSet<String> = found
            .iter()
            .map(|entry| {
                let meta: BTreeMap<_, _> = entry
                    .meta
                    .iter()
                    .map(|(key, value)| (catalog.key_name(*key).to_string(), value))
                    .collect();
                format!("{} {:?} {:?} {:?}", catalog.key_name(entry.key), entry.id, entry.value, meta)
            })
            .collect();
        let expected: BTreeSet<String> = vertex
            .properties
            .iter()
            .flat_map(|(key, values)| {
                values.iter().map(move |p| format!("{key} {:?} {:?} {:?}", p.id, p.value, p.meta))
            })
            .collect();
        assert_eq!(found, expected, "{context}: properties of {v:?}");
        for (key, values) in &vertex.properties {
            let key = catalog.key(key).unwrap();
            assert_eq!(
                reader.value(v, key).as_ref().map(shown),
                values.first().map(|p| shown(&p.value)),
                "{context}: first value"
            );
        }
        for dir in [Dir::Out, Dir::In] {
            self.check_lists(reader, v, dir, context);
        }
    }

    fn check_lists(&self, reader: &Reader<'_>, v: VertexRef, dir: Dir, context: &str) {
        let mut all = 0;
        let direction = if dir == Dir::Out { Direction::Out } else { Direction::In };
        for (label, name) in reader.snapshot().catalog().edge_labels() {
            let mine = |edge: &&Edge| {
                edge.label == name.as_str() && v == if dir == Dir::Out { edge.e.src } else { edge.e.dst }
            };
            let mut expected: Vec<&Edge> = self.edges.iter().filter(mine).collect();
            let list = reader.list(v, label, dir);
            // While the sort key of a label changes, each list says how it lies. That of a section which a later snapshot has
            // begun may be a key that this one does not know.
            let knows = |key| reader.snapshot().catalog().keys().any(|(known, _)| known == key);
            let sorted_by = list.sort_key().filter(|&key| !list.is_empty() || knows(key));
            if let Some(key) = sorted_by {
                sort_edges(&mut expected, reader.snapshot().catalog().key_name(key), dir);
            }
            let edges: Vec<EdgeRef> = list.edges().collect();
            assert_eq!(
                edges,
                expected.iter().map(|edge| edge.e).collect::<Vec<_>>(),
                "{context}: {dir:?} {name} of {v:?}"
            );
            assert_eq!(list.len(), edges.len(), "{context}");
            if let Some(key) = sorted_by {
                check_sorted_access(list, key, &expected, reader, context);
            }
            check_secondary_trees(list, &expected, dir, reader, context);
            for edges in [1, 3, 1_000] {
                check_stretches(reader, (v, label, dir), edges, &expected, context);
            }
            for (i, edge) in expected.iter().enumerate() {
                let run = reader.run(v, label, dir, &mut Place::at(i));
                assert!((run.first()..run.end()).contains(&i), "{context}: no run has edge {i} of {v:?}");
                let at = i - run.first();
                let neighbour = if dir == Dir::Out { edge.e.dst } else { edge.e.src };
                assert_eq!(run.neighbour(at), neighbour, "{context}");
                for (key, key_name) in reader.snapshot().catalog().keys() {
                    let expected = edge.properties.get(key_name.as_str()).map(shown);
                    assert_eq!(
                        run.value(at, key).as_ref().map(shown),
                        expected,
                        "{context}: {key_name} of edge {i} of {v:?}"
                    );
                }
            }
            assert_eq!(reader.degree(v, direction, &[label]), expected.len() as u64, "{context}: degree");
            all += expected.len() as u64;
        }
        assert_eq!(reader.degree(v, direction, &[]), all, "{context}: degree along all labels");
    }

    fn check_edge(&self, reader: &Reader<'_>, edge: &Edge, context: &str) {
        assert!(reader.edge_exists(edge.e), "{context}: edge {:?} is missing", edge.e);
        let id = edge.id.clone().unwrap_or(Value::Long(edge.e.generated_id()));
        assert_eq!(shown(&reader.edge_id(edge.e)), shown(&id), "{context}");
        let found = reader.edge_by_id(&id);
        assert_eq!(
            found.map(|e| (e, e.dst, e.label)),
            Some((edge.e, edge.e.dst, edge.e.label)),
            "{context}: edge by id {id:?}"
        );
        let mut properties = Vec::new();
        reader.edge_properties(edge.e, &[], &mut properties);
        let names = reader.snapshot().catalog();
        let found: BTreeMap<String, String> =
            properties.iter().map(|(key, value)| (names.key_name(*key).to_string(), shown(value))).collect();
        let expected = edge.properties.iter().map(|(key, value)| (key.clone(), shown(value))).collect();
        assert_eq!(found, expected, "{context}: properties of {:?}", edge.e);
    }

    fn check_scans(&self, reader: &Reader<'_>, context: &str) {
        let (mut cursor, mut vertices) = (ScanCursor::default(), Vec::new());
        while reader.scan_vertices(None, &mut cursor, 7, &mut vertices) {}
        assert_eq!(
            vertices,
            self.vertices.keys().map(|&v| VertexRef(v)).collect::<Vec<_>>(),
            "{context}: scan"
        );
        let (mut cursor, mut edges) = (ScanCursor::default(), Vec::new());
        while reader.scan_edges(None, &mut cursor, 5, &mut edges) {}
        edges.sort();
        let mut expected: Vec<EdgeRef> = self.edges.iter().map(|edge| edge.e).collect();
        expected.sort();
        assert_eq!(edges, expected, "{context}: scan of edges");
        let snapshot = reader.snapshot();
        assert_eq!(snapshot.vertex_count(None), self.vertices.len() as u64, "{context}: vertex count");
        assert_eq!(snapshot.edge_count(None), self.edges.len() as u64, "{context}: edge count");
        for (label, name) in snapshot.catalog().vertex_labels() {
            let count = self.vertices.values().filter(|vertex| vertex.label == name.as_str()).count();
            assert_eq!(
                snapshot.vertex_count(Some(label)),
                count as u64,
                "{context}: vertices with label {name}"
            );
            let (mut cursor, mut vertices) = (ScanCursor::default(), Vec::new());
            while reader.scan_vertices(Some(label), &mut cursor, 3, &mut vertices) {}
            assert_eq!(vertices.len(), count, "{context}: scan of {name}");
        }
        for (label, name) in snapshot.catalog().edge_labels() {
            let count = self.edges.iter().filter(|edge| edge.label == name.as_str()).count();
            assert_eq!(snapshot.edge_count(Some(label)), count as u64, "{context}: edges with label {name}");
            let (mut cursor, mut edges) = (ScanCursor::default(), Vec::new());
            while reader.scan_edges(Some(label), &mut cursor, 4, &mut edges) {}
            assert_eq!(edges.len(), count, "{context}: scan of {name}");
        }
    }
}

/// Into the order of the lists one way of a label with a sort key.
fn sort_edges(edges: &mut [&Edge], key: &str, dir: Dir) {
    let place = |edge: &Edge| {
        let neighbour = if dir == Dir::Out { edge.e.dst } else { edge.e.src };
        (edge.properties.get(key).cloned(), neighbour, edge.e.seq)
    };
    edges.sort_by(|a, b| {
        let (a, b) = (place(a), place(b));
        let values = match (&a.0, &b.0) {
            (Some(a), Some(b)) => compare::order(a, b),
            (a, b) => a.is_some().cmp(&b.is_some()),
        };
        values.then_with(|| (a.1, a.2).cmp(&(b.1, b.2)))
    });
}

/// Reads a list stretch by stretch, the last one first.
fn check_stretches(
    reader: &Reader<'_>,
    (v, label, dir): (VertexRef, graph::EdgeLabelId, Dir),
    edges: usize,
    expected: &[&Edge],
    context: &str,
) {
    let stretches = reader.stretches(v, label, dir, edges);
    let (mut covered, mut found) = (expected.len(), Vec::new());
    for (i, stretch) in stretches.iter().enumerate().rev() {
        let mut place = stretch.place;
        assert!(place.position < stretch.end && stretch.end == covered, "{context}: {stretches:?} of {v:?}");
        assert!(
            i + 1 == stretches.len() || stretch.end - place.position >= edges,
            "{context}: {stretches:?}"
        );
        covered = place.position;
        let mut part = Vec::new();
        while place.position < stretch.end {
            let run = reader.run(v, label, dir, &mut place);
            let at = place.position - run.first();
            assert!(at < run.neighbours().len(), "{context}: {stretches:?} of {v:?} end at {place:?}");
            part.push(run.edge(at));
            place.position += 1;
        }
        found.splice(..0, part);
    }
    assert_eq!(covered, 0, "{context}: {stretches:?} of {v:?}");
    // Of a list with secondary trees, whichever is in memory is read.
    let mut wanted: Vec<EdgeRef> = expected.iter().map(|edge| edge.e).collect();
    if !reader.list(v, label, dir).secondary_keys().is_empty() {
        found.sort();
        wanted.sort();
    }
    assert_eq!(found, wanted, "{context}: {v:?} by stretches");
}

/// Reads a list from its end back, and from where some values are, on and back.
fn check_sorted_access(
    list: List<'_>,
    key: graph::KeyId,
    expected: &[&Edge],
    reader: &Reader<'_>,
    context: &str,
) {
    let reversed: Vec<EdgeRef> = expected.iter().rev().map(|edge| edge.e).collect();
    assert_eq!(read_back(list, None), reversed, "{context}: backwards");
    let name = reader.snapshot().catalog().key_name(key).to_string();
    for from in [Value::Long(1), Value::Double(0.5), Value::Bool(true), Value::str("v2"), Value::str("zz")] {
        let edges = |is_wanted: &dyn Fn(Option<Ordering>) -> bool| -> Vec<EdgeRef> {
            let order = |edge: &Edge| edge.properties.get(&name).map(|value| compare::order(value, &from));
            expected.iter().filter(|edge| is_wanted(order(edge))).map(|edge| edge.e).collect()
        };
        let is_from = |order: Option<Ordering>| order.is_some_and(Ordering::is_ge);
        assert_eq!(read_from(list, &from), edges(&is_from), "{context}: from {from:?}");
        let mut before = edges(&|order| order.is_none_or(Ordering::is_le));
        before.reverse();
        assert_eq!(read_back(list, Some(&from)), before, "{context}: back from {from:?}");
    }
}

fn read_from(list: List<'_>, value: &Value) -> Vec<EdgeRef> {
    one_by_one(|seek| {
        let (run, at) = list.run_from(value, seek).unwrap();
        (at < run.neighbours().len()).then(|| run.edge(at))
    })
}

fn read_back(list: List<'_>, value: Option<&Value>) -> Vec<EdgeRef> {
    one_by_one(|seek| {
        let (run, ahead) = list.run_back(value, seek).unwrap();
        ahead.checked_sub(1).map(|last| run.edge(last))
    })
}

/// What is found one at a time, from a place that is looked up again now and then.
fn one_by_one(mut edge_at: impl FnMut(&mut graph::Seek) -> Option<EdgeRef>) -> Vec<EdgeRef> {
    let (mut seek, mut found) = (graph::Seek::default(), Vec::new());
    while let Some(edge) = edge_at(&mut seek) {
        found.push(edge);
        let position = seek.position + 1;
        seek = if position % 3 == 0 { graph::Seek::default() } else { seek };
        seek.position = position;
    }
    found
}

/// Reads the secondary edge-trees of a list, with everything that its edges have there.
fn check_secondary_trees(list: List<'_>, expected: &[&Edge], dir: Dir, reader: &Reader<'_>, context: &str) {
    let catalog = reader.snapshot().catalog();
    for key in list.secondary_keys() {
        let (tree, name) = (list.in_tree(Some(key)), catalog.key_name(key));
        let context = format!("{context}: secondary tree by {name}");
        let mut expected = expected.to_vec();
        sort_edges(&mut expected, name, dir);
        assert_eq!(tree.len(), expected.len(), "{context}");
        let mut wanted = expected.iter();
        for run in tree.runs() {
            for i in 0..run.neighbours().len() {
                let edge = wanted.next().unwrap_or_else(|| panic!("{context}: more edges than there are"));
                assert_eq!(run.edge(i), edge.e, "{context}");
                for (key, key_name) in catalog.keys() {
                    let property = edge.properties.get(key_name.as_str()).map(shown);
                    assert_eq!(run.value(i, key).as_ref().map(shown), property, "{context}");
                }
            }
        }
        assert!(wanted.next().is_none(), "{context}: fewer edges than there are");
        check_sorted_access(tree, key, &expected, reader, &context);
    }
}
