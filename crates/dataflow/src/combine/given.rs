//! What a value that users gave (`withSideEffect`, the seed of `fold`) becomes when objects are added to it.

use std::sync::Arc;

use gremlin::Operator;
use values::{Map, MapKind, Set, Value, watch};

use super::combine;
use crate::error::QueryError;

/// What a value that users gave becomes when an object is added to it by a step.
///
/// # Errors
/// If it cannot take the object, in the words of `step`.
pub(crate) fn merge(
    reducer: Option<Operator>,
    held: Value,
    object: &Value,
    step: &str,
) -> Result<Value, QueryError> {
    match reducer.unwrap_or(Operator::AddAll) {
        Operator::AddAll => add_to(held, object, step),
        operator => combine(operator, held, object.clone(), step),
    }
}

/// The same of an object that is added so often: a bulk may be enormous.
///
/// # Errors
/// As [`merge`].
pub(crate) fn merge_times(
    reducer: Option<Operator>,
    mut held: Value,
    object: &Value,
    times: u64,
    step: &str,
) -> Result<Value, QueryError> {
    let operator = reducer.unwrap_or(Operator::AddAll);
    if let Some(sum) = sum_of_whole(operator, &held, object, times) {
        return Ok(sum);
    }
    let times = if once_is_enough(operator, &held) { times.min(1) } else { times };
    for _ in 0..times {
        watch::tick();
        held = merge(reducer, held, object, step)?;
    }
    Ok(held)
}

/// Whether an object that has been taken in changes nothing when it comes again.
pub(crate) fn once_is_enough(operator: Operator, held: &Value) -> bool {
    match operator {
        Operator::Min | Operator::Max | Operator::And | Operator::Or | Operator::Assign => true,
        Operator::AddAll => !matches!(held, Value::List(_) | Value::Null),
        _ => false,
    }
}

/// What whole numbers come to that are added so often, without adding them one by one; `None` if they are none, or it is too much for
/// their type.
fn sum_of_whole(operator: Operator, held: &Value, object: &Value, times: u64) -> Option<Value> {
    let sum =
        |held: i64, added: i64| i128::from(held).checked_add(i128::from(added).checked_mul(times.into())?);
    match (operator, held, object) {
        (Operator::Sum, Value::Int(held), Value::Int(added)) => {
            let sum = sum((*held).into(), (*added).into())?;
            i32::try_from(sum).ok().map(Value::Int)
        }
        (Operator::Sum, Value::Long(held), Value::Int(_) | Value::Long(_)) => {
            let sum = sum(*held, object.as_i64()?)?;
            i64::try_from(sum).ok().map(Value::Long)
        }
        _ => None,
    }
}

fn add_to(held: Value, object: &Value, step: &str) -> Result<Value, QueryError> {
    match held {
        Value::Null => Ok(Value::list([object.clone()])),
        Value::List(mut list) => {
            Arc::make_mut(&mut list).push(object.clone());
            Ok(Value::List(list))
        }
        Value::Set(mut set) => {
            let members: &mut Set = &mut *Arc::make_mut(&mut set);
            members.insert(object.clone());
            Ok(Value::Set(set))
        }
        Value::Map(mut map) if map.kind() != MapKind::Map => {
            let grown: &mut Map = &mut *Arc::make_mut(&mut map);
            grow(grown, object)?;
            Ok(Value::Map(map))
        }
        Value::Map(mut map) => match object {
            Value::Map(more) => {
                let entries = more.iter().map(|(k, v)| (k.clone(), v.clone()));
                Arc::make_mut(&mut map).0.extend(entries);
                Ok(Value::Map(map))
            }
            other => Err(mismatch("a map", other, step)),
        },
        other => Err(mismatch(other.type_name(), object, step)),
    }
}

/// Whether it is a tree or a graph: what is in one is in it once.
pub(crate) fn is_grown(held: &Value) -> bool {
    matches!(held, Value::Map(map) if map.kind() != MapKind::Map)
}

/// Adds a path to a tree, or an edge with its ends to a graph.
fn grow(map: &mut Map, object: &Value) -> Result<(), QueryError> {
    match (map.kind(), object) {
        (MapKind::Tree, Value::Path(path)) => match map.grow(&path.objects) {
            true => Ok(()),
            false => Err(QueryError::step("tree", too_deep(path.objects.len()))),
        },
        (MapKind::Graph, Value::EdgeRef(e)) => {
            map.gain(Map::VERTICES, Value::VertexRef(e.src));
            map.gain(Map::VERTICES, Value::VertexRef(e.dst));
            map.gain(Map::EDGES, Value::EdgeRef(*e));
            Ok(())
        }
        (MapKind::Graph, other) => {
            let message = format!("it takes edges of this graph, not a {}", other.type_name());
            Err(QueryError::step("subgraph", message))
        }
        (_, other) => Err(mismatch("a tree", other, "tree")),
    }
}

/// What is wrong with a path of so many objects.
pub(crate) fn too_deep(objects: usize) -> String {
    format!("a path of {objects} objects is too long for a tree: at most {} may be", Map::MAX_TREE_DEPTH)
}

/// What is wrong with an object that what is held cannot take.
pub(crate) fn mismatch(held: &str, object: &Value, step: &str) -> QueryError {
    let message = format!(
        "Objects must be both of Map or Collection, or fit the operator: into {held} a {} cannot be merged; give it a collection or another operator",
        object.type_name()
    );
    QueryError::step(step, message)
}
