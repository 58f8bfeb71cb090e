//! Results taken apart: the fields of elements and maps, and the entries of maps with any keys.

use values::{Direction, Edge, MapKind, T, Value, Vertex, VertexProperty};

/// A name and what it stands for.
pub(super) type Field = (Value, Value);

/// What has names of its own: an element's id, label, ends and properties; the entries of a map whose keys are names.
pub(super) fn fields(value: &Value) -> Option<Vec<Field>> {
    match value {
        Value::Vertex(vertex) => Some(of_vertex(vertex)),
        Value::Edge(edge) => Some(of_edge(edge)),
        Value::Map(map) if !map.is_empty() && map.kind() != MapKind::Metrics => {
            let named = map.iter().all(|(key, _)| is_name(key));
            named.then(|| map.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        _ => None,
    }
}

/// What is a key and a value, or several of them.
pub(super) fn entries(value: &Value) -> Option<Vec<Field>> {
    match value {
        Value::Map(map) if map.kind() != MapKind::Metrics => {
            Some(map.iter().map(|(key, value)| (key.clone(), value.clone())).collect())
        }
        Value::Entry(entry) => Some(vec![(entry.0.clone(), entry.1.clone())]),
        Value::Property(property) => Some(vec![(property.key.clone().into(), property.value.clone())]),
        Value::VertexProperty(property) => Some(vec![(property.key.clone().into(), property.value.clone())]),
        _ => None,
    }
}

fn is_name(key: &Value) -> bool {
    matches!(key, Value::String(_) | Value::T(_) | Value::Direction(_))
}

/// A property that a vertex has several times is a list.
fn of_vertex(vertex: &Vertex) -> Vec<Field> {
    let mut properties: Vec<(Value, Vec<Value>)> = Vec::new();
    for VertexProperty { key, value, .. } in &vertex.properties {
        let key = Value::from(key.clone());
        match properties.iter_mut().find(|(known, _)| *known == key) {
            Some((_, values)) => values.push(value.clone()),
            None => properties.push((key, vec![value.clone()])),
        }
    }
    let tokens = [(Value::T(T::Id), vertex.id.clone()), (Value::T(T::Label), vertex.label.clone().into())];
    let one_or_all = |mut values: Vec<Value>| match values.len() {
        1 => values.remove(0),
        _ => Value::list(values),
    };
    let properties = properties.into_iter().map(|(key, values)| (key, one_or_all(values)));
    tokens.into_iter().chain(properties).collect()
}

fn of_edge(edge: &Edge) -> Vec<Field> {
    let end = |vertex: &Vertex| Value::from(vertex.clone());
    let own = [
        (Value::T(T::Id), edge.id.clone()),
        (Value::T(T::Label), edge.label.clone().into()),
        (Value::Direction(Direction::Out), end(&edge.out_v)),
        (Value::Direction(Direction::In), end(&edge.in_v)),
    ];
    let properties =
        edge.properties.iter().map(|property| (property.key.clone().into(), property.value.clone()));
    own.into_iter().chain(properties).collect()
}
