//! What is in a graph, in short: labels with their exact counts, and the keys that a sample of each has.

use std::collections::BTreeMap;

use server::{GraphSummary, KindSummary};
use values::{Str, Value};

use crate::{Database, Error};

/// Elements of a label that are looked at.
const SAMPLE: u64 = 200;

/// Edges of each of them.
const EDGES: u64 = 20;

/// The summary of a graph.
pub(crate) fn of(database: &Database) -> GraphSummary {
    let stats = database.stats();
    let there =
        |kinds: &[(Str, u64)]| kinds.iter().filter(|(_, count)| *count > 0).cloned().collect::<Vec<_>>();
    let nodes = there(&stats.vertices).into_iter().map(|(label, count)| KindSummary {
        keys: keys(database, "g.V()", &label, count),
        edges: edges(database, &label).unwrap_or_default(),
        label,
        count,
    });
    let nodes = nodes.collect();
    let edges = there(&stats.edges).into_iter().map(|(label, count)| KindSummary {
        keys: keys(database, "g.E()", &label, count),
        edges: Vec::new(),
        label,
        count,
    });
    GraphSummary { nodes, edges: edges.collect() }
}

/// Keys, and about how many of all elements have each.
fn keys(database: &Database, all: &str, label: &Str, count: u64) -> Vec<(Str, u64)> {
    let script = format!("{all}.hasLabel(which).limit({SAMPLE}).local(properties().key().dedup())");
    let Ok(seen) = texts(database, &script, label) else { return Vec::new() };
    let mut counts = BTreeMap::<Str, u64>::new();
    seen.into_iter().for_each(|key| *counts.entry(key).or_default() += 1);
    let sample = count.min(SAMPLE);
    // As many as there are, if all have it.
    let scaled = |seen: u64| (u128::from(seen) * u128::from(count) / u128::from(sample.max(1))) as u64;
    counts.into_iter().map(|(key, seen)| (key, scaled(seen))).collect()
}

/// The labels of edges that leave vertices of a label.
fn edges(database: &Database, label: &Str) -> Result<Vec<Str>, Error> {
    let script = format!(
        "g.V().hasLabel(which).limit({SAMPLE}).local(outE().limit({EDGES}).label().dedup()).dedup().order()"
    );
    texts(database, &script, label)
}

fn texts(database: &Database, script: &str, label: &Str) -> Result<Vec<Str>, Error> {
    let mut texts = Vec::new();
    for value in database.query_with(script, [("which", Value::String(label.clone()))])? {
        if let Value::String(text) = value? {
            texts.push(text);
        }
    }
    Ok(texts)
}
