//! `valueMap`, `propertyMap` and `elementMap`: one map per element.

use std::sync::Arc;

use planner::physical::op::Tokens;
use planner::physical::{MapKeys, OpKind, PropertyForm, op};
use values::{Direction, Map, T, Value};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::super::element::{self, reference};
use super::super::making::Making;
use super::super::row_origins::trace;
use super::super::view::{Graph, View};
use super::{properties_of, resolve_keys};

/// Replaces each element by its map.
pub(in crate::operators) fn property_map(
    mut batch: Batch,
    cx: &Context<'_>,
) -> Result<Option<Batch>, QueryError> {
    let OpKind::Properties(op::Properties { keys, form }) = &cx.op.kind else { return Ok(Some(batch)) };
    let view = View::of(cx);
    let graph = view.graph();
    let ids = resolve_keys(keys, &graph);
    let maker = Maker { keys, ids: ids.as_deref(), form, graph: &graph, cx };
    let mut making = Making::new(cx);
    let mut make = |row| {
        let map = maker.make(&batch.current.value(row))?.into();
        making.add(&map)?;
        Ok(map)
    };
    let maps: Result<Vec<Value>, QueryError> = (0..batch.len).map(&mut make).collect();
    batch.current = Arc::new(Column::Values(maps?));
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

struct Maker<'a> {
    keys: &'a MapKeys,
    ids: Option<&'a [graph::KeyId]>,
    form: &'a PropertyForm,
    graph: &'a Graph<'a>,
    cx: &'a Context<'a>,
}

impl Maker<'_> {
    fn make(&self, object: &Value) -> Result<Map, QueryError> {
        let properties = properties_of(object, &self.keys.names, self.ids, self.graph, self.cx)?;
        let mut map = Map::new();
        let is_vertex = matches!(object, Value::VertexRef(_) | Value::Vertex(_));
        let in_lists = match self.form {
            PropertyForm::ElementMap => {
                self.put_element(object, &mut map);
                false
            }
            PropertyForm::ValueMap { tokens, unfold } => {
                self.put_tokens(object, *tokens, &mut map);
                !*unfold && is_vertex
            }
            _ => is_vertex,
        };
        let first_only = matches!(self.form, PropertyForm::ValueMap { unfold: true, .. });
        for property in properties {
            let key = Value::String(property.key(self.graph));
            let value = match self.form {
                PropertyForm::PropertyMap => property.into_property(self.graph),
                _ => property.into_value(),
            };
            if in_lists {
                push(&mut map, key, value);
            } else if !first_only {
                map.insert(key, value);
            } else if is_vertex {
                // Its values are a list, of which `unfold()` takes the first.
                map.0.entry(key).or_insert(value);
            } else if let Some(first) = unfolded(value) {
                map.insert(key, first);
            }
        }
        Ok(map)
    }

    /// `with(tokens)`: id and label; of a vertex property, id, key and value.
    fn put_tokens(&self, object: &Value, tokens: Tokens, map: &mut Map) {
        let is_property = matches!(object, Value::VertexProperty(_));
        let of_property = [(Tokens::KEYS, T::Key), (Tokens::VALUES, T::Value)];
        let named = if is_property { &of_property[..] } else { &[(Tokens::LABELS, T::Label)] };
        for (asked, token) in [(Tokens::IDS, T::Id)].iter().chain(named) {
            if tokens.has(*asked) {
                map.insert(*token, element::token_of(object, *token, self.graph));
            }
        }
    }

    /// What `elementMap` says of an element besides its properties.
    fn put_element(&self, object: &Value, map: &mut Map) {
        self.put_tokens(object, Tokens::ALL, map);
        let ends = match object {
            Value::EdgeRef(e) => Some((reference(e.dst, self.graph), reference(e.src, self.graph))),
            Value::Edge(e) => Some((e.in_v.clone(), e.out_v.clone())),
            _ => None,
        };
        if let Some((in_v, out_v)) = ends {
            map.insert(Direction::In, end(in_v));
            map.insert(Direction::Out, end(out_v));
        }
    }
}

fn end(vertex: values::Vertex) -> Map {
    [(Value::T(T::Id), vertex.id), (Value::T(T::Label), Value::String(vertex.label))].into_iter().collect()
}

fn push(map: &mut Map, key: Value, value: Value) {
    match map.0.entry(key).or_insert_with(|| Value::list([])) {
        Value::List(list) => Arc::make_mut(list).push(value),
        other => *other = value,
    }
}

/// The first that `unfold()` yields of a value.
fn unfolded(value: Value) -> Option<Value> {
    match &value {
        Value::List(members) => members.first().cloned(),
        Value::Set(members) => members.iter().next().cloned(),
        Value::BulkSet(members) => members.distinct_from(0).next().cloned(),
        Value::Map(entries) => {
            entries.iter().next().map(|(key, value)| Value::entry(key.clone(), value.clone()))
        }
        _ => Some(value),
    }
}
