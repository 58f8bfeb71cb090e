//! Point reads, one after the other: whose latency says how everybody else fares.

use std::sync::Arc;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::time::sleep;
use values::Value;

use super::super::field::{Field, Line};
use super::super::tally::Ending;
use crate::histories::client::{Answer, Request};

const POINT: &str = "g.V().has('Person', 'id', p).values('firstName')";

/// Reads until it is over.
pub(crate) async fn act(field: Arc<Field>, persons: Arc<Vec<Value>>, mut rng: Rng) {
    let mut line = Line::new(&field, "points", &[Ending::Busy]);
    while !field.is_over() {
        let request = Request::of(POINT).with("p", persons[rng.usize(..persons.len())].clone());
        // Making a connection is no part of it.
        if line.client().await.is_none() {
            return;
        }
        let began = Instant::now();
        let answer = line.ask(&request).await;
        if let Answer::Results(results) = answer {
            field.points.lock().push(began.elapsed().as_micros() as u64);
            if results.len() != 1 {
                field.tally.wrong(format!("points: {} results │ {}", results.len(), request.text()));
            }
        }
        sleep(Duration::from_millis(5)).await;
    }
}
