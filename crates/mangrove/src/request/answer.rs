//! What the server's client is told.

use std::sync::Arc;

use server::ResultBatch;
use values::{Map, MapKind, Value};

use crate::Error;

/// Where the server wants results.
pub(crate) type ServerSink = Arc<dyn server::ResultSink>;

/// An error as a client sees it.
pub(crate) fn refusal(error: &Error) -> server::QueryError {
    server::QueryError::new(error.kind(), error.to_string())
}

/// Ends an answer, with some results more if there are any to add.
pub(crate) fn answer(sink: &ServerSink, results: Option<Vec<(Value, u64)>>) {
    if let Some(results) = results {
        // A sink that has seen nothing has room for one batch; one that nobody listens to needs none.
        let _ = sink.push(ResultBatch::of(results));
    }
    sink.finish(Ok(server::Summary::default()));
}

/// A value as the results that the server makes of it: the members of a collection, the objects of a path, the entries of a map, or itself.
pub(crate) fn unrolled(value: Value) -> Vec<(Value, u64)> {
    some_unrolled(&value, 0, usize::MAX)
}

/// Some of them, from a place on.
pub(super) fn some_unrolled(value: &Value, from: usize, most: usize) -> Vec<(Value, u64)> {
    let once = |member: &Value| (member.clone(), 1);
    match value {
        Value::List(list) => list.iter().skip(from).take(most).map(once).collect(),
        Value::Set(set) => set.iter().skip(from).take(most).map(once).collect(),
        // To skip members one by one, for each piece anew, would take as long as the square of their number.
        Value::BulkSet(set) => {
            let members = set.counted_from(from).take(most);
            members.map(|(member, count)| (member.clone(), count)).collect()
        }
        Value::Map(map) if matches!(map.kind(), MapKind::Map | MapKind::Tree) => {
            let entry = |(key, value): (&Value, &Value)| Map::from_iter([(key.clone(), value.clone())]);
            map.iter().skip(from).take(most).map(|pair| (entry(pair).into(), 1)).collect()
        }
        Value::Path(path) => path.objects.iter().skip(from).take(most).map(once).collect(),
        value => std::iter::once(value).skip(from).map(once).collect(),
    }
}

/// A value as the only result.
pub(crate) fn only(value: impl Into<Value>) -> Vec<(Value, u64)> {
    vec![(value.into(), 1)]
}

#[cfg(test)]
mod tests {
    use values::BulkSet;

    use super::*;

    #[test]
    fn members_come_in_pieces_each_once() {
        let set: Value = (0..10).map(|i| (Value::Int(i), 2)).collect::<BulkSet>().into();
        let map: Value = (0..10).map(|i| (Value::Int(i), Value::Int(i))).collect::<Map>().into();
        for value in [set, map, Value::list([Value::Int(7), Value::Null]), Value::Int(1)] {
            let pieces = [0, 4, 8, 12].map(|from| some_unrolled(&value, from, 4));
            assert_eq!(pieces.concat(), unrolled(value));
        }
    }
}
