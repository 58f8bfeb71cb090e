//! Results on their way out: handles of elements become the elements themselves, detached from the graph.

use std::cell::RefCell;
use std::fmt::{self, Display, Formatter, Write};
use std::sync::Arc;

use graph::{EdgeLabelId, PropertyEntry, ReadNotes, ReadUnit, Reader};
use rustc_hash::FxHashMap;

use crate::vertex_property::{as_it_is_now, meta_properties, read_again};
use values::{
    BulkSet, Edge, EdgeRef, Extent, LARGE, Map, MapKind, Measure, Path, Property, Set, Value, Vertex,
    VertexProperty, VertexRef, Weighed, sequence, watch,
};

/// How much of an element leaves with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Id and label (`materializeProperties: tokens`).
    #[default]
    Tokens,
    /// Properties too (`materializeProperties: all`).
    Properties,
}

/// A result without handles: vertices, edges and entries of maps inside it, however nested, in the form that leaves
/// the engine. What holds none is shared, not copied.
pub fn detach(value: &Value, reader: &Reader<'_>, detail: Detail) -> Value {
    Detacher::new(reader, detail, u64::MAX).value(value).0
}

/// Elements that a transaction has dropped and shows all the same, with the ids that they had.
#[derive(Default)]
pub(crate) struct Gone {
    vertices: RefCell<FxHashMap<VertexRef, Value>>,
    edges: RefCell<FxHashMap<EdgeRef, Value>>,
}

/// What must be known of the results of a transaction.
#[derive(Clone, Copy)]
pub(crate) enum Noted<'a> {
    /// They are made as the transaction sees the graph now: told is what they show, and noted which elements are gone. These are
    /// looked for in the graph as it was before.
    Now { notes: &'a ReadNotes<'a>, gone: &'a Gone, before: &'a Reader<'a> },
    /// They are made once more as of its commit.
    Later(&'a Gone),
}

/// Vertices in collections that a detacher remembers.
const VERTICES: usize = 1 << 11;

/// Detaches values that may share parts: what they share before, they share after.
///
/// ```text
/// list ─┬─ list ─┬─ v[#1]           list ─┬─ list ─┬─ v[1] {name: …}
///       └────────┘ (the same twice)       └────────┘
/// ```
pub(crate) struct Detacher<'a> {
    reader: &'a Reader<'a>,
    detail: Detail,
    noted: Option<Noted<'a>>,
    /// What has become of large collections, by their address: they outlive the detacher.
    known: FxHashMap<usize, Value>,
    /// What has become of vertices in collections, of which many paths and maps have the same; no more than [`VERTICES`].
    vertices: FxHashMap<VertexRef, (Value, Extent)>,
    /// Room for the properties of a vertex.
    entries: Vec<PropertyEntry>,
    /// Bytes that were made.
    made: u64,
    /// Most bytes to make; beyond them everything becomes null.
    room: u64,
}

impl<'a> Detacher<'a> {
    pub(crate) fn new(reader: &'a Reader<'a>, detail: Detail, room: u64) -> Self {
        Self {
            reader,
            detail,
            noted: None,
            known: FxHashMap::default(),
            vertices: FxHashMap::default(),
            entries: Vec::new(),
            made: 0,
            room,
        }
    }

    /// The same for results of a transaction.
    pub(crate) fn noting(self, noted: Noted<'a>) -> Self {
        Self { noted: Some(noted), ..self }
    }

    /// Bytes that were made.
    pub(crate) fn made(&self) -> u64 {
        self.made
    }

    /// Whether there was no room for all that was to be made; then it is not whole.
    pub(crate) fn is_incomplete(&self) -> bool {
        self.made > self.room
    }

    /// The value without handles, and how large it is: each part is measured when it is made, and not once more for each
    /// collection that it is in.
    #[inline]
    pub(crate) fn value(&mut self, value: &Value) -> (Value, Extent) {
        let extent = value.extent();
        if extent.is_attached { self.attached(value, extent) } else { (value.clone(), extent) }
    }

    /// The same of a value that is nobody else's.
    #[inline]
    pub(crate) fn owned(&mut self, value: Value) -> (Value, Extent) {
        let extent = value.extent();
        if extent.is_attached { self.attached(&value, extent) } else { (value, extent) }
    }

    /// The same of what is in a collection.
    #[inline]
    fn part(&mut self, part: &Value) -> (Value, Extent) {
        if let Value::VertexRef(v) = part { self.vertex_part(*v, part) } else { self.value(part) }
    }

    fn vertex_part(&mut self, v: VertexRef, part: &Value) -> (Value, Extent) {
        if let Some((known, extent)) = self.vertices.get(&v) {
            return (known.clone(), *extent);
        }
        let (made, extent) = self.value(part);
        // What there was no room for is no vertex.
        if self.vertices.len() < VERTICES && matches!(made, Value::Vertex(_)) {
            self.vertices.insert(v, (made.clone(), extent));
        }
        (made, extent)
    }

    fn attached(&mut self, value: &Value, extent: Extent) -> (Value, Extent) {
        let address = if extent.expanded >= LARGE { value.address() } else { None };
        if let Some(known) = address.and_then(|address| self.known.get(&address)) {
            return (known.clone(), known.extent());
        }
        if self.is_incomplete() {
            return (Value::Null, Value::Null.extent());
        }
        watch::tick();
        let detached = self.made_of(value);
        let extent = if self.is_as_large(value) { extent } else { detached.extent() };
        self.made += extent.own + size_of::<Value>() as u64;
        if let Some(address) = address {
            self.known.insert(address, detached.clone());
        }
        (detached, extent)
    }

    /// Whether a value is as large when it is detached, which then needs not be measured again.
    fn is_as_large(&self, value: &Value) -> bool {
        match value {
            Value::VertexProperty(property) => {
                let all = self.detail == Detail::Properties || property.properties.is_empty();
                all && property.value.shared_place().is_none()
                    && !self.reader.sees_own()
                    && self.noted.is_none()
            }
            _ => false,
        }
    }

    /// Notes that the properties of a vertex or an edge are shown.
    fn note(&self, unit: ReadUnit) {
        if let Some(Noted::Now { notes, .. }) = self.noted {
            notes.note(unit);
        }
    }

    /// The id of a vertex, also of one that is gone.
    fn vertex_id(&self, v: VertexRef) -> Value {
        match self.noted {
            Some(Noted::Now { gone, .. }) if !self.reader.exists(v) => {
                let id = self.reader.id(v);
                gone.vertices.borrow_mut().insert(v, id.clone());
                id
            }
            Some(Noted::Later(gone)) if let Some(id) = gone.vertices.borrow().get(&v) => id.clone(),
            _ => self.reader.id(v),
        }
    }

    /// The id of an edge, also of one that is gone.
    fn edge_id(&self, e: EdgeRef) -> Value {
        match self.noted {
            Some(Noted::Now { gone, before, .. }) if !self.reader.edge_exists(e) => {
                let id = before.edge_id(e);
                gone.edges.borrow_mut().insert(e, id.clone());
                id
            }
            Some(Noted::Later(gone)) if let Some(id) = gone.edges.borrow().get(&e) => id.clone(),
            _ => self.reader.edge_id(e),
        }
    }

    fn made_of(&mut self, value: &Value) -> Value {
        match value {
            Value::VertexRef(v) => self.vertex(*v).into(),
            Value::EdgeRef(e) => self.edge(*e).into(),
            Value::List(members) => self.list(members),
            Value::Set(members) => members.iter().map(|m| self.part(m).0).collect::<Set>().into(),
            Value::BulkSet(members) => {
                members.iter().map(|(m, n)| (self.part(m).0, n)).collect::<BulkSet>().into()
            }
            Value::Map(map) => {
                let detached = map.iter().map(|(k, v)| (self.part(k).0, self.part(v).0));
                detached.collect::<Map>().of_kind(map.kind()).into()
            }
            Value::Entry(entry) => {
                let entry = (self.part(&entry.0).0, self.part(&entry.1).0);
                [entry].into_iter().collect::<Map>().into()
            }
            Value::Path(path) => self.path(path),
            Value::Property(property) => {
                let value = self.value(&property.value).0;
                Property { value, owner: None, ..(**property).clone() }.into()
            }
            Value::VertexProperty(property) => {
                let keep = self.detail == Detail::Properties;
                let property = match self.noted {
                    Some(_) => read_again(property, self.reader),
                    None => as_it_is_now(property, self.reader),
                };
                let properties = if keep { property.properties.clone() } else { Vec::new() };
                VertexProperty { properties, owner: None, ..(**property).clone() }.into()
            }
            other => other.clone(),
        }
    }

    fn list(&mut self, members: &[Value]) -> Value {
        let (members, measure) = self.parts(members);
        Value::List(Arc::new(Weighed::measured(members, measure)))
    }

    fn path(&mut self, path: &Path) -> Value {
        let (objects, measure) = self.parts(&path.objects);
        Value::Path(Arc::new(Weighed::measured(Path { labels: path.labels.clone(), objects }, measure)))
    }

    fn parts(&mut self, parts: &[Value]) -> (Vec<Value>, Measure) {
        let mut measure = Measure::default();
        let detached = parts.iter().map(|part| {
            watch::tick();
            let (value, extent) = self.part(part);
            measure.add(extent);
            value
        });
        (detached.collect(), measure)
    }

    fn vertex(&mut self, v: VertexRef) -> Vertex {
        let mut vertex = self.reference(v);
        if self.detail == Detail::Properties {
            self.note(ReadUnit::VertexRecord(v));
            let mut entries = std::mem::take(&mut self.entries);
            self.reader.vertex_properties(v, &[], &mut entries);
            vertex.properties = entries.drain(..).map(|entry| self.vertex_property(entry)).collect();
            self.entries = entries;
        }
        vertex
    }

    /// Id and label alone.
    fn reference(&self, v: VertexRef) -> Vertex {
        let label = self.reader.snapshot().catalog().vertex_label_name(self.reader.label(v)).clone();
        Vertex::reference(self.vertex_id(v), label)
    }

    fn vertex_property(&self, entry: PropertyEntry) -> VertexProperty {
        let catalog = self.reader.snapshot().catalog();
        let id = entry.shown_id();
        VertexProperty {
            id,
            key: catalog.key_name(entry.key).clone(),
            value: entry.value,
            properties: meta_properties(entry.meta, self.reader),
            vertex: None,
            owner: None,
        }
    }

    fn edge(&self, e: EdgeRef) -> Edge {
        let catalog = self.reader.snapshot().catalog();
        let mut properties = Vec::new();
        if self.detail == Detail::Properties {
            self.note(ReadUnit::Edge(e));
            let mut entries = Vec::new();
            self.reader.edge_properties(e, &[], &mut entries);
            let property = |(key, value)| Property { key: catalog.key_name(key).clone(), value, owner: None };
            properties.extend(entries.into_iter().map(property));
        }
        Edge {
            id: self.edge_id(e),
            label: catalog.edge_label_name(EdgeLabelId(e.label)).clone(),
            out_v: self.reference(e.src),
            in_v: self.reference(e.dst),
            properties,
        }
    }
}

/// The text of a value as the Gremlin Console prints it, with elements of the graph by their ids.
#[cfg(test)]
pub(crate) fn text(value: &Value, reader: &Reader<'_>) -> String {
    let mut text = String::new();
    write_text(value, reader, &mut text).expect("there is room for all of it");
    text
}

/// Writes that text.
///
/// # Errors
/// If `into` has no room for it.
pub(crate) fn write_text(value: &Value, reader: &Reader<'_>, into: &mut impl Write) -> fmt::Result {
    write!(into, "{}", Shown { value, reader, is_part: false })
}

/// The beginning of that text, for a message.
pub(crate) fn excerpt_of(value: &Value, reader: &Reader<'_>) -> String {
    values::excerpt(&Shown { value, reader, is_part: false })
}

/// A value with the text that it has when it has left. Elements are looked up one by one as they are written, and collections are not
/// detached as a whole: a text that is cut costs no more than what is left of it.
struct Shown<'a> {
    value: &'a Value,
    reader: &'a Reader<'a>,
    /// Whether it stands in a collection, where an entry is a map.
    is_part: bool,
}

impl Shown<'_> {
    fn part<'p>(&'p self, value: &'p Value) -> Shown<'p> {
        Shown { value, reader: self.reader, is_part: true }
    }
}

impl Display for Shown<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let one = |value: &Value, f: &mut Formatter<'_>| self.part(value).fmt(f);
        match self.value {
            Value::List(members) => sequence(("[", "]"), members.iter(), f, one),
            Value::Set(members) => sequence(("[", "]"), members.iter(), f, one),
            Value::Path(path) => sequence(("path[", "]"), path.objects.iter(), f, one),
            Value::BulkSet(members) => sequence(("{", "}"), members.iter(), f, |(member, count), f| {
                write!(f, "{}={count}", self.part(member))
            }),
            Value::Map(map) if map.kind() != MapKind::Metrics => {
                sequence(("{", "}"), map.iter(), f, |(key, value), f| {
                    write!(f, "{}={}", self.part(key), self.part(value))
                })
            }
            Value::Entry(entry) => {
                watch::tick();
                let (open, close) = if self.is_part { ("{", "}") } else { ("", "") };
                write!(f, "{open}{}={}{close}", self.part(&entry.0), self.part(&entry.1))
            }
            Value::VertexRef(_) | Value::EdgeRef(_) => detach(self.value, self.reader, Detail::Tokens).fmt(f),
            other => other.fmt(f),
        }
    }
}
