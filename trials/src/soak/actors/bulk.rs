//! Many rows in one request, merged: `inject(rows).unfold().mergeV()`.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use values::{Map, T, Value};

use super::super::field::{Field, Line};
use super::super::tally::Ending;
use crate::histories::client::{Answer, Request};

/// Rows of one request.
const ROWS: i64 = 200;
/// Different keys: so many vertices there are at most.
pub(crate) const KEYS: i64 = 4_000;

const MERGE: &str = "g.inject(rows).unfold().mergeV().property('batch', b).count()";
const DROP: &str = "g.V().hasLabel('Bulk').has('key', between(from, to)).drop()";

/// Makes what it looks its keys up in.
pub(crate) fn prepare() -> Request {
    Request::of("g.call('mangrove.index.create', [label: 'Bulk', key: 'key', kind: 'range', wait: true])")
}

/// Merges rows, and drops some now and then, until it is over.
pub(crate) async fn act(field: Arc<Field>, mut rng: Rng) {
    let mut line = Line::new(&field, "bulk", &[Ending::Busy]);
    while !field.is_over() {
        let first = rng.i64(0..KEYS - ROWS);
        let rows = (first..first + ROWS).map(|key| {
            let mut row = Map::new();
            row.insert(Value::T(T::Label), "Bulk");
            row.insert("key", key);
            Value::from(row)
        });
        let rows = Value::list(rows.collect::<Vec<_>>());
        let request = Request::of(MERGE).with("rows", rows).with("b", field.version());
        if let Answer::Results(results) = line.ask(&request).await
            && results.first().and_then(Value::as_i64) != Some(ROWS)
        {
            field.tally.wrong(format!("bulk: {results:?} instead of {ROWS}"));
        }
        if rng.u32(..4) == 0 {
            let from = rng.i64(0..KEYS - ROWS);
            line.ask(&Request::of(DROP).with("from", from).with("to", from + ROWS)).await;
        }
        field.pause(Duration::from_millis(400)).await;
    }
}
