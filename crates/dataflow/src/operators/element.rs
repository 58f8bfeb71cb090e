//! Parts of objects: the id, label, properties… of elements, wherever they are.
//!
//! Elements of the graph are read from it; detached ones (parameters, injected values) carry their parts with them.

use std::sync::Arc;

use graph::{EdgeLabelId, KeyId, PropertyEntry, ValueRef};
use values::{Edge, EdgeRef, Property, Str, T, Value, Vertex, VertexProperty, VertexRef, watch};

use super::ids;
use super::view::Graph;
use crate::vertex_property::{as_it_is_now, meta_properties};

/// A property key, by name and (if the catalog knows it) by id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Key<'k> {
    pub(super) name: &'k str,
    pub(super) id: Option<KeyId>,
}

impl<'k> Key<'k> {
    /// The key, looked up once more if the plan did not know it: writes of this transaction may have introduced it.
    pub(super) fn resolve(name: &'k str, id: Option<KeyId>, graph: &Graph<'_>) -> Self {
        Self { name, id: id.or_else(|| graph.reader.snapshot().catalog().key(name)) }
    }
}

/// The id of an element; `None` if the object has none.
pub(super) fn id_of(object: &Value, graph: &Graph<'_>) -> Option<Value> {
    match object {
        Value::VertexRef(v) => Some(graph.reader.id(*v)),
        Value::EdgeRef(e) => Some(graph.reader.edge_id(*e)),
        Value::Vertex(v) => Some(v.id.clone()),
        Value::Edge(e) => Some(e.id.clone()),
        Value::VertexProperty(p) => Some(p.id.clone()),
        _ => None,
    }
}

/// The label of an element (of a vertex property: its key); `None` if the object has none.
pub(super) fn label_of(object: &Value, graph: &Graph<'_>) -> Option<Str> {
    let catalog = graph.reader.snapshot().catalog();
    match object {
        Value::VertexRef(v) => {
            graph.note_vertex(*v);
            Some(catalog.vertex_label_name(graph.reader.label(*v)).clone())
        }
        Value::EdgeRef(e) => Some(catalog.edge_label_name(EdgeLabelId(e.label)).clone()),
        Value::Vertex(v) => Some(v.label.clone()),
        Value::Edge(e) => Some(e.label.clone()),
        Value::VertexProperty(p) => Some(p.key.clone()),
        _ => None,
    }
}

/// The key of a property or of a map's entry.
pub(super) fn key_of(object: &Value) -> Option<Value> {
    match object {
        Value::VertexProperty(p) => Some(Value::String(p.key.clone())),
        Value::Property(p) => Some(Value::String(p.key.clone())),
        Value::Entry(entry) => Some(entry.0.clone()),
        _ => None,
    }
}

/// The value of a property or of a map's entry.
pub(super) fn value_of(object: &Value) -> Option<Value> {
    match object {
        Value::VertexProperty(p) => Some(p.value.clone()),
        Value::Property(p) => Some(p.value.clone()),
        Value::Entry(entry) => Some(entry.1.clone()),
        _ => None,
    }
}

/// One of the tokens of an object.
pub(super) fn token_of(object: &Value, token: T, graph: &Graph<'_>) -> Option<Value> {
    match token {
        T::Id => id_of(object, graph),
        T::Label => label_of(object, graph).map(Value::String),
        T::Key => key_of(object),
        T::Value => value_of(object),
    }
}

/// The first value under a key of an element, of a vertex property (its meta-properties), or the entry of that name
/// of a map, handed to `f` where it lies.
#[inline]
pub(super) fn with_property<R>(
    object: &Value,
    key: Key<'_>,
    graph: &Graph<'_>,
    f: impl FnOnce(Option<ValueRef<'_>>) -> R,
) -> R {
    match object {
        Value::VertexRef(v) => {
            key.id.into_iter().for_each(|id| graph.note_property(*v, Some(id)));
            f(key.id.and_then(|id| graph.reader.value_ref(*v, id)))
        }
        Value::EdgeRef(e) => {
            key.id.into_iter().for_each(|id| graph.note_edge_property(*e, Some(id)));
            f(key.id.and_then(|id| graph.reader.edge_value_ref(*e, id)))
        }
        Value::Vertex(v) => {
            f(v.properties.iter().find(|p| p.key == key.name).map(|p| ValueRef::of(&p.value)))
        }
        Value::Edge(e) => f(find(&e.properties, key.name)),
        Value::VertexProperty(p) => f(find(&as_it_is_now(p, &graph.reader).properties, key.name)),
        Value::Map(map) => f(map.get(&Value::str(key.name)).map(ValueRef::of)),
        Value::Entry(entry) => f((entry.0.as_str() == Some(key.name)).then(|| ValueRef::of(&entry.1))),
        _ => f(None),
    }
}

fn find<'a>(properties: &'a [Property], key: &str) -> Option<ValueRef<'a>> {
    properties.iter().find(|p| p.key == key).map(|p| ValueRef::of(&p.value))
}

/// A vertex property of the graph as an object.
pub(super) fn vertex_property(v: VertexRef, entry: PropertyEntry, graph: &Graph<'_>) -> VertexProperty {
    let catalog = graph.reader.snapshot().catalog();
    let id = entry.shown_id();
    VertexProperty {
        id,
        key: catalog.key_name(entry.key).clone(),
        value: entry.value,
        properties: meta_properties(entry.meta, &graph.reader),
        vertex: Some((graph.reader.id(v), catalog.vertex_label_name(graph.reader.label(v)).clone())),
        owner: Some(v),
    }
}

/// A property of an edge of the graph as an object.
pub(super) fn edge_property(e: EdgeRef, key: KeyId, value: Value, graph: &Graph<'_>) -> Property {
    let key = graph.reader.snapshot().catalog().key_name(key).clone();
    Property { key, value, owner: Some(Value::EdgeRef(e)) }
}

/// A meta-property as an object that knows what it belongs to.
pub(super) fn meta_property(owner: &Arc<VertexProperty>, property: &Property) -> Property {
    Property { owner: Some(Value::VertexProperty(owner.clone())), ..property.clone() }
}

/// The handle of a detached element that is in the graph; every other object as it is. What users pass in (a vertex
/// from an earlier result as a parameter) equals what traversals visit only as a handle.
pub(in crate::operators) fn attach(object: Value, graph: &Graph<'_>) -> Value {
    let attach_all = |members: &[Value]| {
        let attached = members.iter().inspect(|_| watch::tick()).map(|m| attach(m.clone(), graph));
        attached.collect::<Vec<_>>()
    };
    let is_detached = |m: &Value| matches!(m, Value::Vertex(_) | Value::Edge(_));
    match &object {
        Value::Vertex(v) => vertex_by_id(&v.id, graph).map_or(object, Value::VertexRef),
        Value::Edge(e) => edge_by_id(&e.id, graph).map_or(object, Value::EdgeRef),
        Value::List(members) if members.iter().any(is_detached) => Value::list(attach_all(members)),
        Value::Set(members) if members.iter().any(is_detached) => {
            Value::from(members.iter().map(|m| attach(m.clone(), graph)).collect::<values::Set>())
        }
        _ => object,
    }
}

/// The vertex that an object names: a handle, a detached vertex, or an id in any notation.
pub(super) fn find_vertex(object: &Value, graph: &Graph<'_>) -> Option<VertexRef> {
    match object {
        Value::VertexRef(v) => {
            graph.note_vertex(*v);
            Some(*v).filter(|v| graph.reader.exists(*v))
        }
        Value::Vertex(v) => vertex_by_id(&v.id, graph),
        id if is_id(id) => vertex_by_id(id, graph),
        _ => None,
    }
}

/// The edge that an object names: a handle, a detached edge, or an id in any notation.
pub(super) fn find_edge(object: &Value, graph: &Graph<'_>) -> Option<EdgeRef> {
    match object {
        Value::EdgeRef(e) => {
            graph.note_edge(*e);
            Some(*e).filter(|e| graph.reader.edge_exists(*e))
        }
        Value::Edge(e) => edge_by_id(&e.id, graph),
        id if is_id(id) => edge_by_id(id, graph),
        _ => None,
    }
}

/// Whether an object names an element by its id, and not by being (or belonging to) one.
pub(super) fn is_id(object: &Value) -> bool {
    use Value as V;
    !matches!(
        object,
        V::VertexRef(_) | V::Vertex(_) | V::EdgeRef(_) | V::Edge(_) | V::VertexProperty(_) | V::Property(_)
    )
}

/// The vertices with an id: two, if one has it as a number and one as its text.
pub(super) fn vertices_by_id(id: &Value, graph: &Graph<'_>) -> impl Iterator<Item = VertexRef> {
    ids::notations(id).filter_map(move |notation| {
        graph::for_each_equal_hash(&notation, |hash| graph.note(|| graph::ReadUnit::VertexId(hash)));
        let found = graph.reader.vertex_by_id(&notation)?;
        graph.note_vertex(found);
        ids::same(&graph.reader.id(found), id).then_some(found)
    })
}

/// The edges with an id: two, if one has it as a number and one as its text.
pub(super) fn edges_by_id(id: &Value, graph: &Graph<'_>) -> impl Iterator<Item = EdgeRef> {
    ids::notations(id).filter_map(move |notation| {
        graph::for_each_equal_hash(&notation, |hash| graph.note(|| graph::ReadUnit::EdgeId(hash)));
        let found = graph.reader.edge_by_id(&notation)?;
        graph.note_edge(found);
        ids::same(&graph.reader.edge_id(found), id).then_some(found)
    })
}

/// The vertex with an id; of two, the one whose id is written as this one is.
fn vertex_by_id(id: &Value, graph: &Graph<'_>) -> Option<VertexRef> {
    vertices_by_id(id, graph).next()
}

/// The edge with an id; of two, the one whose id is written as this one is.
fn edge_by_id(id: &Value, graph: &Graph<'_>) -> Option<EdgeRef> {
    edges_by_id(id, graph).next()
}

/// Id and label of a vertex of the graph.
pub(super) fn reference(v: VertexRef, graph: &Graph<'_>) -> Vertex {
    let label = graph.reader.snapshot().catalog().vertex_label_name(graph.reader.label(v)).clone();
    Vertex::reference(graph.reader.id(v), label)
}

/// Id and label of an edge of the graph, with nothing of its ends.
pub(super) fn edge_reference(e: EdgeRef, graph: &Graph<'_>) -> Edge {
    let label = graph.reader.snapshot().catalog().edge_label_name(EdgeLabelId(e.label)).clone();
    let nowhere = || Vertex::reference(Value::Null, "");
    Edge { id: graph.reader.edge_id(e), label, out_v: nowhere(), in_v: nowhere(), properties: Vec::new() }
}
