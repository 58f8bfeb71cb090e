//! Properties of elements: the expert of `values`, `properties`, `valueMap`, `elementMap`, `propertyMap`, and of what
//! `by('key')` fetches.

mod fetch;
mod maps;
mod stream;

pub(super) use fetch::{Unfit, check_one, fetch, fetch_one, part_of};
pub(super) use maps::property_map;
pub(super) use stream::PropertyStream;

use std::sync::Arc;

use graph::{KeyId, PropertyEntry};
use planner::physical::MapKeys;
use values::{Property, Str, Value, VertexProperty};

use crate::error::QueryError;
use crate::operator::Context;
use crate::vertex_property::as_it_is_now;

use super::element::{self, meta_property};
use super::view::Graph;

/// One property of an element, before it is known in what form it is wanted.
enum Found {
    OfVertex(values::VertexRef, PropertyEntry),
    OfEdge(values::EdgeRef, KeyId, Value),
    Detached(Arc<VertexProperty>, usize),
    DetachedVertex(VertexProperty),
    DetachedEdge(Property),
}

impl Found {
    fn key(&self, graph: &Graph<'_>) -> Str {
        let name = |key: &KeyId| graph.reader.snapshot().catalog().key_name(*key).clone();
        match self {
            Self::OfVertex(_, entry) => name(&entry.key),
            Self::OfEdge(_, key, _) => name(key),
            Self::Detached(owner, i) => owner.properties[*i].key.clone(),
            Self::DetachedVertex(p) => p.key.clone(),
            Self::DetachedEdge(p) => p.key.clone(),
        }
    }

    /// The length of the value, if it is a text that was copied from the graph.
    fn text_len(&self) -> usize {
        match self {
            Self::OfVertex(_, PropertyEntry { value: Value::String(text), .. })
            | Self::OfEdge(_, _, Value::String(text)) => text.len(),
            _ => 0,
        }
    }

    fn into_value(self) -> Value {
        match self {
            Self::OfVertex(_, entry) => entry.value,
            Self::OfEdge(_, _, value) => value,
            Self::Detached(owner, i) => owner.properties[i].value.clone(),
            Self::DetachedVertex(p) => p.value,
            Self::DetachedEdge(p) => p.value,
        }
    }

    fn into_property(self, graph: &Graph<'_>) -> Value {
        match self {
            Self::OfVertex(v, entry) => element::vertex_property(v, entry, graph).into(),
            Self::OfEdge(e, key, value) => element::edge_property(e, key, value, graph).into(),
            Self::Detached(owner, i) => meta_property(&owner, &owner.properties[i]).into(),
            Self::DetachedVertex(p) => p.into(),
            Self::DetachedEdge(p) => p.into(),
        }
    }
}

/// The keys asked for, as a reader wants them; `None` if none of them exists.
fn resolve_keys(keys: &MapKeys, graph: &Graph<'_>) -> Option<Vec<KeyId>> {
    if keys.ids.len() == keys.names.len() {
        return Some(keys.ids.clone());
    }
    let catalog = graph.reader.snapshot().catalog();
    let found: Vec<KeyId> = keys.names.iter().filter_map(|name| catalog.key(name)).collect();
    (!found.is_empty()).then_some(found)
}

/// Notes the keys that are read; as one, if all are.
fn note_each(keys: &[KeyId], mut note: impl FnMut(Option<KeyId>)) {
    match keys {
        [] => note(None),
        keys => keys.iter().for_each(|key| note(Some(*key))),
    }
}

/// The properties of an object under some keys (all, if none is named).
///
/// # Errors
/// If the object has no properties: it is no element.
fn properties_of(
    object: &Value,
    names: &[Str],
    keys: Option<&[KeyId]>,
    graph: &Graph<'_>,
    cx: &Context<'_>,
) -> Result<Vec<Found>, QueryError> {
    let wanted = |key: &Str| names.is_empty() || names.contains(key);
    Ok(match object {
        Value::VertexRef(v) => {
            let mut entries = Vec::new();
            if let Some(keys) = keys {
                note_each(keys, |key| graph.note_property(*v, key));
                graph.reader.vertex_properties(*v, keys, &mut entries);
            }
            entries.into_iter().map(|entry| Found::OfVertex(*v, entry)).collect()
        }
        Value::EdgeRef(e) => {
            let mut entries = Vec::new();
            if let Some(keys) = keys {
                note_each(keys, |key| graph.note_edge_property(*e, key));
                graph.reader.edge_properties(*e, keys, &mut entries);
            }
            entries.into_iter().map(|(key, value)| Found::OfEdge(*e, key, value)).collect()
        }
        Value::VertexProperty(p) => {
            let p = &*as_it_is_now(p, &graph.reader);
            let wanted = (0..p.properties.len()).filter(|i| wanted(&p.properties[*i].key));
            wanted.map(|i| Found::Detached(p.clone(), i)).collect()
        }
        Value::Vertex(v) => {
            v.properties.iter().filter(|p| wanted(&p.key)).cloned().map(Found::DetachedVertex).collect()
        }
        Value::Edge(e) => {
            e.properties.iter().filter(|p| wanted(&p.key)).cloned().map(Found::DetachedEdge).collect()
        }
        other => {
            let message = format!(
                "needs a vertex, an edge or a vertex property, but the traverser is at a value of type {}",
                other.type_name()
            );
            return Err(QueryError::step(&cx.op.step, message));
        }
    })
}
