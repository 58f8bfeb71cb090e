//! One value of an element into a slot: `by('key')`, `by(id)`, a property that a later step needs.

use std::sync::Arc;

use graph::{EdgeLabelId, KeyId, Single};
use gremlin::Column as Part;
use planner::physical::{By, FetchKind, OpKind};
use values::{Set, T, Value, VertexRef};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::super::column_builder::ColumnBuilder;
use super::super::element::{self, Key};
use super::super::fan::trace;
use super::super::view::{Graph, View};

/// See the module.
pub(in crate::operators) fn fetch(mut batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Fetch { from, what, into } = &cx.op.kind else { return Ok(Some(batch)) };
    let source = match from {
        By::Current => Some(batch.current.clone()),
        By::Slot(slot) => batch.slot(*slot).cloned(),
    };
    let column = match source {
        None => Arc::new(Column::Optional(vec![None; batch.len])),
        Some(source) if *what == FetchKind::This => source,
        Some(source) => {
            let view = View::of(cx);
            Arc::new(fetch_column(&source, batch.len, what, &view.graph()))
        }
    };
    batch.set_slot(*into, column);
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

fn fetch_column(source: &Column, len: usize, what: &FetchKind, graph: &Graph<'_>) -> Column {
    match (source, what) {
        (Column::Uniform(object), _) => match fetch_one(object, what, graph) {
            Some(Value::Null) => Column::Values(vec![Value::Null; len]),
            Some(value) => Column::Uniform(value),
            None => Column::Optional(vec![None; len]),
        },
        (Column::Vertices(vertices), FetchKind::Property(name, key)) => {
            match Key::resolve(name, *key, graph).id {
                Some(key) => of_vertices(vertices, key, graph),
                None => Column::Optional(vec![None; len]),
            }
        }
        (Column::Vertices(vertices), FetchKind::Token(T::Id)) => {
            let mut ids = ColumnBuilder::with_capacity(len);
            vertices.iter().for_each(|v| ids.push_value(Some(graph.reader.id(*v))));
            ids.finish()
        }
        (Column::Edges(edges), FetchKind::Property(name, key)) => match Key::resolve(name, *key, graph).id {
            Some(key) => {
                let mut values = ColumnBuilder::with_capacity(len);
                for e in edges {
                    graph.note_edge_property(*e, Some(key));
                    values.push(graph.reader.edge_value_ref(*e, key));
                }
                values.finish()
            }
            None => Column::Optional(vec![None; len]),
        },
        (Column::Edges(edges), FetchKind::Token(T::Label)) => {
            let catalog = graph.reader.snapshot().catalog();
            let label =
                |e: &values::EdgeRef| Value::String(catalog.edge_label_name(EdgeLabelId(e.label)).clone());
            Column::Values(edges.iter().map(label).collect())
        }
        _ => {
            let mut values = ColumnBuilder::with_capacity(len);
            for row in 0..len {
                values.push_value(source.get(row).and_then(|object| fetch_one(&object, what, graph)));
            }
            values.finish()
        }
    }
}

/// Vertices from which on a column is made ready for all of them.
const MANY: usize = 64;

fn of_vertices(vertices: &[VertexRef], key: KeyId, graph: &Graph<'_>) -> Column {
    let mut values = ColumnBuilder::with_capacity(vertices.len());
    graph.reader.expect(vertices);
    let mut column = graph.reader.property_column(key);
    if vertices.len() >= MANY {
        column.expect_many_near(vertices[0]);
    }
    for v in vertices {
        graph.note_property(*v, Some(key));
        match column.get(*v) {
            Single::Value(value) => values.push(Some(value)),
            Single::Absent => values.push(None),
            Single::Several => values.push(graph.reader.value_ref(*v, key)),
        }
    }
    values.finish()
}

/// What is to be fetched of one object; `None` if it has no such thing.
pub(in crate::operators) fn fetch_one(object: &Value, what: &FetchKind, graph: &Graph<'_>) -> Option<Value> {
    match what {
        FetchKind::This => Some(object.clone()),
        FetchKind::Property(name, key) => {
            let key = Key::resolve(name, *key, graph);
            element::with_property(object, key, graph, |value| value.map(graph::ValueRef::to_value))
        }
        FetchKind::Token(token) => element::token_of(object, *token, graph),
        FetchKind::Column(part) => part_of(object, *part),
    }
}

/// The keys or values of a map, an entry or a path.
pub(in crate::operators) fn part_of(object: &Value, part: Part) -> Option<Value> {
    Some(match (object, part) {
        (Value::Map(map), Part::Keys) => map.iter().map(|(k, _)| k.clone()).collect::<Set>().into(),
        (Value::Map(map), Part::Values) => map.iter().map(|(_, v)| v.clone()).collect::<Vec<_>>().into(),
        (Value::Entry(entry), Part::Keys) => entry.0.clone(),
        (Value::Entry(entry), Part::Values) => entry.1.clone(),
        (Value::Path(path), Part::Keys) => {
            let labels = |labels: &Vec<values::Str>| -> Value {
                labels.iter().map(|l| Value::String(l.clone())).collect::<Set>().into()
            };
            path.labels.iter().map(labels).collect::<Vec<_>>().into()
        }
        (Value::Path(path), Part::Values) => path.objects.clone().into(),
        _ => return None,
    })
}
