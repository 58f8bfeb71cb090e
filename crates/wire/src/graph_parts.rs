//! Parts of elements and paths, taken out of the generic values that they are encoded as.

use std::collections::HashSet;
use std::sync::Arc;

use values::{Property, Str, Value, VertexProperty};

use crate::error::Problem;

/// The labels of a path: a collection of collections of strings.
pub(crate) fn path_labels(value: &Value) -> Result<Vec<Vec<Str>>, Problem> {
    members(value, "the list of a path's labels")?.into_iter().map(label_set).collect()
}

/// The labels of one object: each once, however the collection is written.
fn label_set(value: &Value) -> Result<Vec<Str>, Problem> {
    let (mut labels, mut known) = (Vec::new(), HashSet::new());
    for member in members(value, "a set of labels")? {
        match member {
            Value::String(label) if known.insert(label) => labels.push(label.clone()),
            Value::String(_) => {}
            other => return Err(Problem::expected("a label", other.type_name())),
        }
    }
    Ok(labels)
}

fn members<'a>(value: &'a Value, expected: &'static str) -> Result<Vec<&'a Value>, Problem> {
    match value {
        Value::List(list) => Ok(list.iter().collect()),
        Value::Set(set) => Ok(set.iter().collect()),
        Value::BulkSet(set) => Ok(set.iter().map(|(member, _)| member).collect()),
        other => Err(Problem::expected(expected, other.type_name())),
    }
}

/// The properties of a vertex: a list of them, or null for none.
pub(crate) fn vertex_properties(value: Value) -> Result<Vec<VertexProperty>, Problem> {
    list(value, |item| match item {
        Value::VertexProperty(property) => Ok(Arc::unwrap_or_clone(property)),
        other => Err(Problem::expected("a vertex property", other.type_name())),
    })
}

/// The properties of an edge or the meta-properties of a vertex property: a list of them, or null for none.
pub(crate) fn properties(value: Value) -> Result<Vec<Property>, Problem> {
    list(value, |item| match item {
        Value::Property(property) => Ok(Arc::unwrap_or_clone(property)),
        other => Err(Problem::expected("a property", other.type_name())),
    })
}

fn list<T>(value: Value, read: fn(Value) -> Result<T, Problem>) -> Result<Vec<T>, Problem> {
    match value {
        Value::Null => Ok(Vec::new()),
        Value::List(items) => Arc::unwrap_or_clone(items).into_inner().into_iter().map(read).collect(),
        other => Err(Problem::expected("a list of properties", other.type_name())),
    }
}
