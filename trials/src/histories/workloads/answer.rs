//! Reading answers.

use values::{Value, VertexProperty};

use super::super::history::Element;

/// What an answer should have been.
type Reading<T> = Result<T, String>;

/// A whole number, as which type it may have come.
pub(crate) fn number(value: &Value) -> Reading<Element> {
    let whole = |value: f64| (value.fract() == 0.0).then_some(value as Element);
    value
        .as_i64()
        .or_else(|| value.as_f64().and_then(whole))
        .ok_or_else(|| format!("{value} is no whole number"))
}

/// A length.
pub(crate) fn length(value: &Value) -> Reading<usize> {
    usize::try_from(number(value)?).map_err(|_| format!("{value} is no length"))
}

/// A list of whole numbers.
pub(crate) fn numbers(value: &Value) -> Reading<Vec<Element>> {
    list(value)?.iter().map(number).collect()
}

/// A list.
pub(crate) fn list(value: &Value) -> Reading<&[Value]> {
    value.as_list().ok_or_else(|| format!("{value} is no list"))
}

/// The only result.
pub(crate) fn one(results: &[Value]) -> Reading<&Value> {
    match results {
        [one] => Ok(one),
        _ => Err(format!("{} results instead of one", results.len())),
    }
}

/// The only result, or none.
pub(crate) fn at_most_one(results: &[Value]) -> Reading<Option<&Value>> {
    if results.is_empty() { Ok(None) } else { one(results).map(Some) }
}

/// The entry of a map.
pub(crate) fn entry<'v>(value: &'v Value, key: &str) -> Reading<&'v Value> {
    let map = value.as_map().ok_or_else(|| format!("{value} is no map"))?;
    map.get(&Value::str(key)).ok_or_else(|| format!("{value} has no {key}"))
}

/// The properties of a vertex that was sent with them.
pub(crate) fn properties(value: &Value) -> Reading<&[VertexProperty]> {
    match value {
        Value::Vertex(vertex) => Ok(&vertex.properties),
        _ => Err(format!("{value} is no vertex")),
    }
}

/// The values of a vertex under a key, in their order.
pub(crate) fn values_of(vertex: &Value, key: &str) -> Reading<Vec<Element>> {
    let of_key = properties(vertex)?.iter().filter(|property| &*property.key == key);
    of_key.map(|property| number(&property.value)).collect()
}
