//! What `order()` compares of a value.

use values::{BulkSet, Map, Path, Set, Value};

use super::element::{edge_reference, reference};
use super::view::Graph;

/// Nesting beyond which parts are compared as they are.
const MAX_DEPTH: usize = 512;

/// Bytes of a value, written out, from which on it is compared as it is: what shares its parts may stand for any number of
/// them, and here each is looked at.
const MAX_EXPANDED: u64 = 16 << 20;

/// The value with what it is ordered by in the place of what it is: elements are ordered by their ids and not by their
/// handles, also inside of collections, maps and paths. A token that comes by itself is ordered by its name among texts; one
/// inside, such as a key of `elementMap()`, stands behind all texts.
pub(super) fn ordered(value: Value, graph: &Graph<'_>) -> Value {
    match value {
        Value::T(token) => Value::from(token.as_str()),
        Value::Direction(direction) => Value::from(direction.as_str()),
        other => with_ids(other, graph),
    }
}

/// The value with elements by their ids, also inside of it.
pub(super) fn with_ids(value: Value, graph: &Graph<'_>) -> Value {
    let small = value.extent().expanded <= MAX_EXPANDED;
    if small && has_handles(&value, 0) { of(&value, graph, 0) } else { value }
}

fn has_handles(value: &Value, depth: usize) -> bool {
    let inside = |v: &Value| depth < MAX_DEPTH && has_handles(v, depth + 1);
    match value {
        Value::VertexRef(_) | Value::EdgeRef(_) => true,
        Value::List(members) => members.iter().any(inside),
        Value::Set(members) => members.iter().any(inside),
        Value::BulkSet(members) => members.distinct_from(0).any(inside),
        Value::Map(map) => map.iter().any(|(key, value)| inside(key) || inside(value)),
        Value::Entry(entry) => inside(&entry.0) || inside(&entry.1),
        Value::Path(path) => path.objects.iter().any(inside),
        _ => false,
    }
}

fn of(value: &Value, graph: &Graph<'_>, depth: usize) -> Value {
    if depth >= MAX_DEPTH {
        return value.clone();
    }
    let inside = |v: &Value| of(v, graph, depth + 1);
    match value {
        Value::VertexRef(v) => reference(*v, graph).into(),
        Value::EdgeRef(e) => edge_reference(*e, graph).into(),
        Value::List(members) => members.iter().map(inside).collect::<Vec<_>>().into(),
        Value::Set(members) => members.iter().map(inside).collect::<Set>().into(),
        Value::BulkSet(members) => members.iter().map(|(m, n)| (inside(m), n)).collect::<BulkSet>().into(),
        Value::Map(map) => map.iter().map(|(k, v)| (inside(k), inside(v))).collect::<Map>().into(),
        Value::Entry(entry) => Value::entry(inside(&entry.0), inside(&entry.1)),
        Value::Path(path) => {
            Path { labels: path.labels.clone(), objects: path.objects.iter().map(inside).collect() }.into()
        }
        other => other.clone(),
    }
}
