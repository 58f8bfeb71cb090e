//! Somebody who looks after the database while the clients write: creates and drops indexes, counts, changes the schema.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use fastrand::Rng;
use tokio::time::sleep;

use super::client::{Answer, Client, Request};
use super::tally::Refusal;

/// A key that may be indexed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Indexed {
    pub label: &'static str,
    pub key: &'static str,
    /// Whether no two vertices of the label ever have the same value.
    pub is_unique: bool,
}

/// Where the operator works.
pub(crate) struct Places {
    pub indexed: Vec<Indexed>,
    /// Labels of edges of which one vertex gets many.
    pub hubs: Vec<&'static str>,
    /// Labels of edges, and what they may be sorted by.
    pub sorted: Vec<(&'static str, [&'static str; 2])>,
}

/// What the operator has done.
#[derive(Default)]
pub(crate) struct Done {
    pub indexes: u64,
    pub errors: Vec<String>,
}

/// The declaration of how many edges a node of an edge-tree holds.
pub(crate) fn declare_nodes(labels: &[&str], nodes: u32) -> Request {
    let labels: Vec<String> = labels.iter().map(|label| format!("{label}: [nodes: {nodes}]")).collect();
    Request::of(format!("g.call('mangrove.schema.declare', [edges: [{}]])", labels.join(", ")))
}

/// Works until it is told to stop, or the connection is gone.
pub(crate) async fn work(mut connection: Client, places: &Places, rng: &mut Rng, stop: &AtomicBool) -> Done {
    let mut done = Done::default();
    while !stop.load(Ordering::Relaxed) {
        for request in turn(places, rng) {
            let is_index = request.script.contains("index.create");
            match connection.ask(&request).await {
                Answer::Results(_) => done.indexes += u64::from(is_index),
                Answer::Error(code, message) => {
                    if let Refusal::Unexpected(error) = Refusal::of(code, message, true) {
                        done.errors.push(error);
                    }
                }
                Answer::Silence => return done,
            }
            sleep(Duration::from_millis(rng.u64(5..60))).await;
        }
    }
    done
}

fn turn(places: &Places, rng: &mut Rng) -> Vec<Request> {
    let Places { indexed, hubs, sorted } = places;
    match rng.u32(..8) {
        0 if !hubs.is_empty() => vec![declare_nodes(hubs, [16, 32, 64][rng.usize(..3)])],
        1 | 2 if !sorted.is_empty() => {
            let (label, keys) = sorted[rng.usize(..sorted.len())];
            let key = keys[rng.usize(..keys.len())];
            vec![Request::of(format!(
                "g.call('mangrove.schema.declare', [edges: [{label}: [sort: '{key}']]])"
            ))]
        }
        2.. if !indexed.is_empty() => build(indexed[rng.usize(..indexed.len())], rng),
        _ => vec![Request::of("g.call('mangrove.analyze')")],
    }
}

/// Builds an index, and drops it again.
fn build(Indexed { label, key, is_unique }: Indexed, rng: &mut Rng) -> Vec<Request> {
    let kinds = if is_unique { &["equality", "range", "unique"][..] } else { &["equality", "range"] };
    let kind = kinds[rng.usize(..kinds.len())];
    vec![
        Request::of(format!(
            "g.call('mangrove.index.create', [label: '{label}', key: '{key}', kind: '{kind}', wait: true])"
        )),
        Request::of(format!(
            "g.call('mangrove.index.drop', [label: '{label}', keys: ['{key}'], kind: '{kind}'])"
        )),
    ]
}
