//! Ten thousand merges in one request, over a durable graph, by a key with an index: what is there, what is not, and both.

use std::path::Path;

use mangrove::Database;
use serde_json::json;
use values::{Map, T, Value};

use crate::graph_under_test::run;
use crate::measure::{Latencies, millis, time};
use crate::parameters::Bindings;
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Merges of a request.
const BATCH: i64 = 10_000;

/// People that are there at first.
const PEOPLE: i64 = 100_000;

/// Runs of each.
const TRIES: i64 = 7;

/// A request, and the first number of the people that its run is about.
struct Request {
    name: &'static str,
    text: &'static str,
    first: fn(run: i64) -> i64,
    /// Elements that a run adds.
    adds: i64,
    maps: fn(i64) -> Value,
}

const REQUESTS: &[Request] = &[
    Request {
        name: "mergeV, all there",
        text: "g.inject(items).unfold().mergeV().count()",
        first: |run| run * BATCH,
        adds: 0,
        maps: person,
    },
    Request {
        name: "mergeV, half there",
        text: "g.inject(items).unfold().mergeV().count()",
        first: |run| PEOPLE + run * BATCH / 2 - BATCH / 2,
        adds: BATCH / 2,
        maps: person,
    },
    Request {
        name: "mergeV, none there",
        text: "g.inject(items).unfold().mergeV().count()",
        first: |run| 10 * PEOPLE + run * BATCH,
        adds: BATCH,
        maps: person,
    },
    Request {
        name: "mergeV with onMatch, all there",
        text: "g.inject(items).unfold().mergeV().option(Merge.onMatch, [seen: 1]).count()",
        first: |run| run * BATCH,
        adds: 0,
        maps: person,
    },
    Request {
        name: "mergeE, none there",
        text: "g.inject(items).unfold().mergeE().count()",
        first: |run| run * BATCH,
        adds: BATCH,
        maps: friendship,
    },
    Request {
        name: "mergeE, all there",
        text: "g.inject(items).unfold().mergeE().count()",
        first: |run| run * BATCH,
        adds: 0,
        maps: friendship,
    },
];

fn person(number: i64) -> Value {
    let mut map = Map::new();
    map.insert(Value::T(T::Label), Value::str("person"));
    map.insert(Value::str("number"), Value::Long(number));
    map.into()
}

/// From a person to the next, by their ids.
fn friendship(number: i64) -> Value {
    let mut map = Map::new();
    map.insert(Value::T(T::Label), Value::str("knows"));
    map.insert(Value::Direction(values::Direction::Out), Value::Long(number));
    map.insert(Value::Direction(values::Direction::In), Value::Long(number + 1));
    map.into()
}

/// Measures them, and writes `merges.json`.
///
/// # Errors
/// If the graph cannot be made or written to, or a request does not add what it should.
pub fn bench(report: &Report) -> Outcome<()> {
    let folder = std::env::temp_dir().join(format!("mangrove-bench-merges-{}", std::process::id()));
    let outcome = measure(&folder, report);
    std::fs::remove_dir_all(&folder)?;
    outcome
}

fn measure(folder: &Path, report: &Report) -> Outcome<()> {
    let database = Database::open(folder)?;
    let ask = |text: &str, bindings: &Bindings| run(&database, text, bindings);
    for first in (0..PEOPLE + TRIES * BATCH).step_by(BATCH as usize) {
        // Beyond the people there are others, without a number, for edges.
        let text = if first < PEOPLE {
            "g.inject(items).unfold().as('n').addV('person').property(T.id, select('n')).property('number', select('n')).iterate()"
        } else {
            "g.inject(items).unfold().as('n').addV('other').property(T.id, select('n')).iterate()"
        };
        let numbers = Value::list((first..first + BATCH).map(Value::Long).collect::<Vec<_>>());
        ask(text, &vec![("items".into(), numbers)])?;
    }
    ask("g.call('mangrove.index.create', [label: 'person', key: 'number', wait: true])", &Vec::new())?;
    let count = |database: &Database| -> Outcome<i64> {
        let all = ["g.V().count()", "g.E().count()"].map(|text| run(database, text, &Vec::new()));
        let mut sum = 0;
        for found in all {
            sum += found?.first().and_then(Value::as_i64).ok_or("no count")?;
        }
        Ok(sum)
    };
    let mut rows = Vec::new();
    for request in REQUESTS {
        let mut latencies = Latencies::default();
        for run_number in 0..TRIES {
            let first = (request.first)(run_number);
            let list = Value::list((first..first + BATCH).map(request.maps).collect::<Vec<_>>());
            let before = count(&database)?;
            let (took, found) = time(|| ask(request.text, &vec![("items".into(), list.clone())]));
            let merged = found?.first().and_then(Value::as_i64);
            let added = count(&database)? - before;
            if (merged, added) != (Some(BATCH), request.adds) {
                return Err(format!("{}: merged {merged:?}, added {added}", request.name).into());
            }
            latencies.add(took);
        }
        rows.push(json!({
            "name": request.name, "merges": BATCH,
            "ms": rounded(millis(latencies.median())), "longest_ms": rounded(millis(latencies.quantile(1.0))),
        }));
    }
    rows.push(chain(&database)?);
    report.rows("merges", &rows)?;
    database.close()?;
    Ok(())
}

/// The same as one script with a step for each.
fn chain(database: &Database) -> Outcome<serde_json::Value> {
    let mut latencies = Latencies::default();
    for run_number in 0..TRIES {
        let first = 20 * PEOPLE + run_number * BATCH;
        let step = |number: i64| format!(".mergeV([(T.label): 'person', number: {number}L])");
        let text: String = std::iter::once("g".to_owned()).chain((first..first + BATCH).map(step)).collect();
        let (took, found) = time(|| run(database, &text, &Vec::new()));
        found?;
        latencies.add(took);
    }
    Ok(json!({
        "name": "a chain of mergeV steps, none there", "merges": BATCH,
        "ms": rounded(millis(latencies.median())), "longest_ms": rounded(millis(latencies.quantile(1.0))),
    }))
}
