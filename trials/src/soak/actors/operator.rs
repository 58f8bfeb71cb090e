//! Somebody who looks after the graph: an index that comes and goes, statistics, other sizes of nodes.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;

use super::super::field::{Field, Line};
use super::super::tally::Ending;
use crate::histories::client::Request;

/// Works until it is over.
pub(crate) async fn act(field: Arc<Field>, mut rng: Rng) {
    let mut line = Line::new(&field, "operator", &[Ending::Busy]);
    while !field.is_over() {
        let kind = ["equality", "range"][rng.usize(..2)];
        line.ask(&Request::of(format!(
            "g.call('mangrove.index.create', [label: 'Slot', key: 'v', kind: '{kind}', wait: true])"
        )))
        .await;
        field.pause(Duration::from_secs(5)).await;
        line.ask(&Request::of(format!(
            "g.call('mangrove.index.drop', [label: 'Slot', keys: ['v'], kind: '{kind}'])"
        )))
        .await;
        let nodes = [32, 64, 128][rng.usize(..3)];
        line.ask(&Request::of(format!(
            "g.call('mangrove.schema.declare', [edges: [holds: [nodes: {nodes}]]])"
        )))
        .await;
        line.ask(&Request::of("g.call('mangrove.analyze')")).await;
        field.pause(Duration::from_secs(15)).await;
    }
}
