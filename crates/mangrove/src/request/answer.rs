//! What the server's client is told.

use std::sync::Arc;

use server::ResultBatch;
use values::{Map, MapKind, Value, watch};

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

/// A value as the results that the server makes of it: the members of a collection, the entries of a map, or itself.
pub(crate) fn unrolled(value: Value) -> Vec<(Value, u64)> {
    match value {
        Value::List(list) => list.iter().map(once).collect(),
        Value::Set(set) => set.iter().map(once).collect(),
        Value::BulkSet(set) => set.iter().map(|(member, count)| (member.clone(), count)).collect(),
        Value::Map(map) if matches!(map.kind(), MapKind::Map | MapKind::Tree) => {
            let entry = |(key, value): (&Value, &Value)| Map::from_iter([(key.clone(), value.clone())]);
            map.iter().map(|pair| (entry(pair).into(), 1)).collect()
        }
        value => vec![(value, 1)],
    }
}

/// A member, of perhaps millions.
fn once(member: &Value) -> (Value, u64) {
    watch::tick();
    (member.clone(), 1)
}

/// A value as the only result.
pub(crate) fn only(value: impl Into<Value>) -> Vec<(Value, u64)> {
    vec![(value.into(), 1)]
}
