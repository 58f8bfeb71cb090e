//! What is in a graph, in short: labels with their exact counts, and the keys that a sample of each has.

use std::collections::BTreeMap;

use server::{ErrorKind, GraphSummary, KindSummary, QueryError};
use values::{Str, Value};

use crate::{Database, Error, request::refusal};

/// Elements of a label that are looked at.
const SAMPLE: u64 = 200;

/// Edges of each of them.
const EDGES: u64 = 20;

/// The summary of a graph. `left` says how many milliseconds there are for it; `None` if nobody waits for it any more.
///
/// # Errors
/// If there is no time left.
pub(crate) fn of(database: &Database, left: &dyn Fn() -> Option<u64>) -> Result<GraphSummary, QueryError> {
    let stats = database.stats();
    let there =
        |kinds: &[(Str, u64)]| kinds.iter().filter(|(_, count)| *count > 0).cloned().collect::<Vec<_>>();
    let (mut nodes, mut edges) = (Vec::new(), Vec::new());
    for (label, count) in there(&stats.vertices) {
        let keys = keys(database, "V()", (&label, count), left)?;
        nodes.push(KindSummary { keys, edges: edges_of(database, &label, left)?, label, count });
    }
    for (label, count) in there(&stats.edges) {
        let keys = keys(database, "E()", (&label, count), left)?;
        edges.push(KindSummary { keys, edges: Vec::new(), label, count });
    }
    Ok(GraphSummary { nodes, edges })
}

/// Keys, and about how many of all elements have each.
fn keys(
    database: &Database,
    all: &str,
    (label, count): (&Str, u64),
    left: &dyn Fn() -> Option<u64>,
) -> Result<Vec<(Str, u64)>, QueryError> {
    let steps = format!("{all}.hasLabel(which).limit({SAMPLE}).local(properties().key().dedup())");
    let mut counts = BTreeMap::<Str, u64>::new();
    for key in texts(database, &steps, label, left)? {
        *counts.entry(key).or_default() += 1;
    }
    let sample = count.min(SAMPLE);
    // As many as there are, if all have it.
    let scaled = |seen: u64| (u128::from(seen) * u128::from(count) / u128::from(sample.max(1))) as u64;
    Ok(counts.into_iter().map(|(key, seen)| (key, scaled(seen))).collect())
}

/// The labels of edges that leave vertices of a label.
fn edges_of(
    database: &Database,
    label: &Str,
    left: &dyn Fn() -> Option<u64>,
) -> Result<Vec<Str>, QueryError> {
    let steps = format!(
        "V().hasLabel(which).limit({SAMPLE}).local(outE().limit({EDGES}).label().dedup()).dedup().order()"
    );
    texts(database, &steps, label, left)
}

/// The texts that a traversal comes to. One that fails for another reason than its time comes to none.
fn texts(
    database: &Database,
    steps: &str,
    label: &Str,
    left: &dyn Fn() -> Option<u64>,
) -> Result<Vec<Str>, QueryError> {
    let over = || QueryError::new(ErrorKind::Timeout, "the summary exceeded the server's evaluation timeout");
    let millis = left().ok_or_else(over)?;
    let script = format!("g.with('evaluationTimeout', {millis}).{steps}");
    let ask = || -> Result<Vec<Str>, Error> {
        let mut texts = Vec::new();
        for value in database.query_with(&script, [("which", Value::String(label.clone()))])? {
            if let Value::String(text) = value? {
                texts.push(text);
            }
        }
        Ok(texts)
    };
    match ask() {
        Err(error) if refusal(&error).kind == ErrorKind::Timeout => Err(over()),
        found => Ok(found.unwrap_or_default()),
    }
}
