//! Results on their way out: handles of elements become the elements themselves, detached from the graph.

use std::sync::Arc;

use graph::{EdgeLabelId, PropertyEntry, Reader};
use values::{BulkSet, Edge, EdgeRef, Map, Path, Property, Set, Value, Vertex, VertexProperty, VertexRef};

/// How much of an element leaves with it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Id and label (`materializeProperties: tokens`).
    #[default]
    Tokens,
    /// Properties too (`materializeProperties: all`).
    Properties,
}

/// Nesting beyond which collections leave as they are: no traversal builds a deeper one without recursing itself.
const MAX_DEPTH: usize = 512;

/// A result without handles: vertices, edges and entries of maps inside it, however nested, in the form that leaves
/// the engine. What holds none is shared, not copied.
pub fn detach(value: &Value, reader: &Reader<'_>, detail: Detail) -> Value {
    Detacher { reader, detail }.value(value, 0)
}

struct Detacher<'a> {
    reader: &'a Reader<'a>,
    detail: Detail,
}

impl Detacher<'_> {
    fn value(&self, value: &Value, depth: usize) -> Value {
        match value {
            Value::VertexRef(v) => self.vertex(*v).into(),
            Value::EdgeRef(e) => self.edge(*e).into(),
            other if depth >= MAX_DEPTH || !holds_handles(other, 0) => other.clone(),
            Value::List(members) => {
                members.iter().map(|m| self.value(m, depth + 1)).collect::<Vec<_>>().into()
            }
            Value::Set(members) => members.iter().map(|m| self.value(m, depth + 1)).collect::<Set>().into(),
            Value::BulkSet(members) => {
                members.iter().map(|(m, n)| (self.value(m, depth + 1), n)).collect::<BulkSet>().into()
            }
            Value::Map(map) => {
                let entry = |(k, v): (&Value, &Value)| (self.value(k, depth + 1), self.value(v, depth + 1));
                map.iter().map(entry).collect::<Map>().into()
            }
            Value::Entry(entry) => {
                let entry = (self.value(&entry.0, depth + 1), self.value(&entry.1, depth + 1));
                [entry].into_iter().collect::<Map>().into()
            }
            Value::Path(path) => Value::from(Path {
                labels: path.labels.clone(),
                objects: path.objects.iter().map(|o| self.value(o, depth + 1)).collect(),
            }),
            Value::Property(property) => {
                let value = self.value(&property.value, depth + 1);
                Property { value, owner: None, ..(**property).clone() }.into()
            }
            Value::VertexProperty(property) => {
                let keep = self.detail == Detail::Properties;
                let properties = if keep { property.properties.clone() } else { Vec::new() };
                VertexProperty { properties, owner: None, ..(**property).clone() }.into()
            }
            other => other.clone(),
        }
    }

    fn vertex(&self, v: VertexRef) -> Vertex {
        let mut vertex = self.reference(v);
        if self.detail == Detail::Properties {
            let mut entries = Vec::new();
            self.reader.vertex_properties(v, &[], &mut entries);
            vertex.properties = entries.into_iter().map(|entry| self.vertex_property(entry)).collect();
        }
        vertex
    }

    /// Id and label alone.
    fn reference(&self, v: VertexRef) -> Vertex {
        let label = self.reader.snapshot().catalog().vertex_label_name(self.reader.label(v)).clone();
        Vertex::reference(self.reader.id(v), label)
    }

    fn vertex_property(&self, entry: PropertyEntry) -> VertexProperty {
        let catalog = self.reader.snapshot().catalog();
        let meta = entry.meta.into_iter().map(|(key, value)| Property {
            key: catalog.key_name(key).clone(),
            value,
            owner: None,
        });
        VertexProperty {
            id: entry.id.to_value(),
            key: catalog.key_name(entry.key).clone(),
            value: entry.value,
            properties: meta.collect(),
            vertex: None,
            owner: None,
        }
    }

    fn edge(&self, e: EdgeRef) -> Edge {
        let catalog = self.reader.snapshot().catalog();
        let mut properties = Vec::new();
        if self.detail == Detail::Properties {
            let mut entries = Vec::new();
            self.reader.edge_properties(e, &[], &mut entries);
            let property = |(key, value)| Property { key: catalog.key_name(key).clone(), value, owner: None };
            properties.extend(entries.into_iter().map(property));
        }
        Edge {
            id: self.reader.edge_id(e),
            label: catalog.edge_label_name(EdgeLabelId(e.label)).clone(),
            out_v: self.reference(e.src),
            in_v: self.reference(e.dst),
            properties,
        }
    }
}

/// Whether something in the value must not leave as it is.
fn holds_handles(value: &Value, depth: usize) -> bool {
    let inside = |v: &Value| depth < MAX_DEPTH && holds_handles(v, depth + 1);
    match value {
        Value::VertexRef(_) | Value::EdgeRef(_) | Value::Entry(_) => true,
        Value::Property(_) | Value::VertexProperty(_) => true,
        Value::List(members) => members.iter().any(inside),
        Value::Set(members) => members.iter().any(inside),
        Value::BulkSet(members) => members.iter().any(|(m, _)| inside(m)),
        Value::Map(map) => map.iter().any(|(k, v)| inside(k) || inside(v)),
        Value::Path(path) => path.objects.iter().any(inside),
        _ => false,
    }
}

/// The text of a value as the Gremlin Console prints it, with elements of the graph by their ids.
pub(crate) fn text(value: &Value, reader: &Reader<'_>) -> String {
    if holds_handles(value, 0)
        && !matches!(value, Value::Entry(_) | Value::Property(_) | Value::VertexProperty(_))
    {
        return keep_entries(value, reader).to_string();
    }
    value.to_string()
}

/// As [`detach`], but entries stay entries.
fn keep_entries(value: &Value, reader: &Reader<'_>) -> Value {
    match value {
        Value::Entry(entry) => {
            Value::Entry(Arc::new((keep_entries(&entry.0, reader), keep_entries(&entry.1, reader))))
        }
        other => detach(other, reader, Detail::Tokens),
    }
}
