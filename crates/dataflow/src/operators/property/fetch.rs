//! One value of an element into a slot: `by('key')`, `by(id)`, a property that a later step needs.

use std::sync::Arc;

use graph::{EdgeLabelId, KeyId, Single, ValueRef};
use gremlin::Column as Part;
use planner::physical::{By, FetchKind, OpKind, op};
use values::{Set, Str, T, Value, VertexRef, watch};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::super::column_builder::ColumnBuilder;
use super::super::element::{self, Key};
use super::super::making::Making;
use super::super::row_origins::trace;
use super::super::view::{Graph, View};

/// See the module.
pub(in crate::operators) fn fetch(mut batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Fetch(op::Fetch { from, what, into }) = &cx.op.kind else { return Ok(Some(batch)) };
    let source = match from {
        By::Current => Some(batch.current.clone()),
        By::Slot(slot) => batch.slot(*slot).cloned(),
    };
    let column = match source {
        None => Arc::new(Column::Optional(vec![None; batch.len])),
        Some(source) if *what == FetchKind::This => source,
        Some(source) => {
            let view = View::of(cx);
            let fetched = fetch_column(&source, batch.len, what, (&view.graph(), &mut Making::new(cx)));
            Arc::new(fetched.map_err(|unfit| unfit.error(cx))?)
        }
    };
    batch.set_slot(*into, column);
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// An object of which something cannot be fetched.
#[derive(Debug)]
pub(in crate::operators) enum Unfit {
    /// A vertex that has several values of a property of which it must have one.
    Several(Str),
    /// An object of that type that has no properties at all.
    WithoutProperties(&'static str, Str),
    /// An object of that type that has no such token.
    WithoutToken(&'static str, T),
    /// An object of that type that has neither keys nor values of its own.
    WithoutParts(&'static str, Part),
    /// None: the query ends.
    Ends(QueryError),
}

impl From<QueryError> for Unfit {
    fn from(error: QueryError) -> Self {
        Self::Ends(error)
    }
}

impl Unfit {
    /// As an error of the step that asks for it.
    pub(in crate::operators) fn error(&self, cx: &Context<'_>) -> QueryError {
        let message = match self {
            Self::Ends(error) => return error.clone(),
            Self::Several(key) => {
                format!("Multiple properties exist for the provided key, use Vertex.properties({key})")
            }
            Self::WithoutProperties(found, key) => format!(
                "The by(\"{}\") modulator can only be applied to a traverser that is an Element or a Map, not to a {found}",
                values::excerpt(key)
            ),
            Self::WithoutToken(found, token) => {
                format!("by(T.{token}) can only be applied to an Element, not to a {found}")
            }
            Self::WithoutParts(found, part) => format!(
                "by({}) can only be applied to a map, an entry of one or a path, not to a {found}",
                part.as_str()
            ),
        };
        QueryError::step(&cx.op.step, message)
    }
}

fn fetch_column(
    source: &Column,
    len: usize,
    what: &FetchKind,
    (graph, making): (&Graph<'_>, &mut Making<'_>),
) -> Result<Column, Unfit> {
    let what = match (source, what) {
        (Column::Vertices(_) | Column::Edges(_), FetchKind::OrNull(what)) => what,
        _ => what,
    };
    Ok(match (source, what) {
        (Column::Uniform(object), _) => match fetch_one(object, what, graph)? {
            Some(Value::Null) => Column::Values(vec![Value::Null; len]),
            Some(value) => Column::Uniform(value),
            None => Column::Optional(vec![None; len]),
        },
        (Column::Vertices(vertices), FetchKind::Property(name, key) | FetchKind::Only(name, key)) => {
            match Key::resolve(name, *key, graph).id {
                Some(key) if matches!(what, FetchKind::Only(..)) => {
                    of_vertices(vertices, key, (graph, making), |v| check_one(v, key, graph))?
                }
                Some(key) => of_vertices(vertices, key, (graph, making), |_| Ok(()))?,
                None => Column::Optional(vec![None; len]),
            }
        }
        (Column::Vertices(vertices), FetchKind::Token(T::Id)) => {
            let mut ids = ColumnBuilder::with_capacity(len);
            vertices.iter().for_each(|v| ids.push_value(Some(graph.reader.id(*v))));
            ids.finish()
        }
        (Column::Edges(edges), FetchKind::Property(name, key) | FetchKind::Only(name, key)) => {
            match Key::resolve(name, *key, graph).id {
                Some(key) => {
                    let mut values = ColumnBuilder::with_capacity(len);
                    for e in edges {
                        graph.note_edge_property(*e, Some(key));
                        let value = graph.reader.edge_value_ref(*e, key);
                        making.add_copy(value)?;
                        values.push(value);
                    }
                    values.finish()
                }
                None => Column::Optional(vec![None; len]),
            }
        }
        (Column::Edges(edges), FetchKind::Token(T::Label)) => {
            let catalog = graph.reader.snapshot().catalog();
            let label =
                |e: &values::EdgeRef| Value::String(catalog.edge_label_name(EdgeLabelId(e.label)).clone());
            Column::Values(edges.iter().map(label).collect())
        }
        _ => {
            let mut values = ColumnBuilder::with_capacity(len);
            for row in 0..len {
                let value = match source.get(row) {
                    Some(object) => fetch_one(&object, what, graph)?,
                    None => None,
                };
                value.iter().try_for_each(|value| making.add(value))?;
                values.push_value(value);
            }
            values.finish()
        }
    })
}

/// Vertices from which on a column is made ready for all of them.
const MANY: usize = 64;

/// `admit` is asked about vertices that may have several values; of these the first is fetched.
fn of_vertices(
    vertices: &[VertexRef],
    key: KeyId,
    (graph, making): (&Graph<'_>, &mut Making<'_>),
    admit: impl Fn(VertexRef) -> Result<(), Unfit>,
) -> Result<Column, Unfit> {
    let mut values = ColumnBuilder::with_capacity(vertices.len());
    graph.reader.expect(vertices);
    let mut column = graph.reader.property_column(key);
    if vertices.len() >= MANY {
        column.expect_many_near(vertices[0]);
    }
    for v in vertices {
        graph.note_property(*v, Some(key));
        let value = match column.get(*v) {
            // Nothing behind it is copied.
            Single::Value(value @ ValueRef::Long(_)) => {
                values.push(Some(value));
                continue;
            }
            Single::Value(value) => Some(value),
            Single::Absent => None,
            Single::Several => {
                admit(*v)?;
                graph.reader.value_ref(*v, key)
            }
        };
        making.add_copy(value)?;
        values.push(value);
    }
    Ok(values.finish())
}

/// Refuses a vertex that has several values under a key.
pub(in crate::operators) fn check_one(v: VertexRef, key: KeyId, graph: &Graph<'_>) -> Result<(), Unfit> {
    if !matches!(graph.reader.single(v, key), Single::Several) {
        return Ok(());
    }
    let mut entries = Vec::new();
    graph.reader.vertex_properties(v, &[key], &mut entries);
    match entries.len() {
        0 | 1 => Ok(()),
        _ => Err(Unfit::Several(graph.reader.snapshot().catalog().key_name(key).clone())),
    }
}

/// What is to be fetched of one object; `None` if it has no such thing.
///
/// # Errors
/// [`Unfit`] of a vertex that must have one value, and of what can have no such thing.
pub(in crate::operators) fn fetch_one(
    object: &Value,
    what: &FetchKind,
    graph: &Graph<'_>,
) -> Result<Option<Value>, Unfit> {
    Ok(match what {
        FetchKind::Only(name, key) => match object {
            Value::VertexRef(v) => match Key::resolve(name, *key, graph).id {
                Some(id) => only_of_vertex(*v, id, graph)?,
                None => property_of(object, name, *key, graph),
            },
            // What a map does not have under a key is null.
            Value::Map(map) => Some(map.get(&Value::String(name.clone())).cloned().unwrap_or_default()),
            other => {
                check_only(other, name)?;
                property_of(other, name, *key, graph)
            }
        },
        FetchKind::This => Some(object.clone()),
        FetchKind::OrNull(_) if object.is_null() => Some(Value::Null),
        FetchKind::OrNull(what) => fetch_one(object, what, graph)?,
        FetchKind::Property(name, key) => property_of(object, name, *key, graph),
        FetchKind::Token(token) => match element::token_of(object, *token, graph) {
            None => return Err(Unfit::WithoutToken(object.type_name(), *token)),
            value => value,
        },
        FetchKind::Column(part) => Some(part_of(object, *part)?),
    })
}

fn property_of(object: &Value, name: &Str, key: Option<KeyId>, graph: &Graph<'_>) -> Option<Value> {
    let key = Key::resolve(name, key, graph);
    element::with_property(object, key, graph, |value| value.map(ValueRef::to_value))
}

/// The value of a vertex that may have one at most.
fn only_of_vertex(v: VertexRef, key: KeyId, graph: &Graph<'_>) -> Result<Option<Value>, Unfit> {
    graph.note_property(v, Some(key));
    let value = match graph.reader.single(v, key) {
        Single::Value(value) => Some(value),
        Single::Absent => None,
        Single::Several => {
            check_one(v, key, graph)?;
            graph.reader.value_ref(v, key)
        }
    };
    Ok(value.map(ValueRef::to_value))
}

fn check_only(object: &Value, name: &Str) -> Result<(), Unfit> {
    let has_several = match object {
        Value::Vertex(v) => v.properties.iter().filter(|property| property.key == *name).count() > 1,
        Value::EdgeRef(_) | Value::Edge(_) | Value::VertexProperty(_) | Value::Map(_) => false,
        other => return Err(Unfit::WithoutProperties(other.type_name(), name.clone())),
    };
    if has_several { Err(Unfit::Several(name.clone())) } else { Ok(()) }
}

/// The keys or values of a map, an entry or a path.
///
/// # Errors
/// [`Unfit`] of anything else.
pub(in crate::operators) fn part_of(object: &Value, part: Part) -> Result<Value, Unfit> {
    Ok(match (object, part) {
        (Value::Map(map), Part::Keys) => map.iter().map(|(k, _)| k.clone()).collect::<Set>().into(),
        (Value::Map(map), Part::Values) => list_of(map.iter().map(|(_, v)| v)),
        (Value::Entry(entry), Part::Keys) => entry.0.clone(),
        (Value::Entry(entry), Part::Values) => entry.1.clone(),
        (Value::Path(path), Part::Keys) => {
            let labels = |labels: &Vec<values::Str>| -> Value {
                labels.iter().map(|l| Value::String(l.clone())).collect::<Set>().into()
            };
            path.labels.iter().map(labels).collect::<Vec<_>>().into()
        }
        (Value::Path(path), Part::Values) => list_of(path.objects.iter()),
        (other, part) => return Err(Unfit::WithoutParts(other.type_name(), part)),
    })
}

/// A list of values, of which there may be millions.
fn list_of<'v>(values: impl Iterator<Item = &'v Value>) -> Value {
    values.inspect(|_| watch::tick()).cloned().collect::<Vec<_>>().into()
}
