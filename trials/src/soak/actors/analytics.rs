//! Reads of large parts of the graph, so that what is in memory gives way to what is not.

use std::sync::Arc;
use std::time::Duration;

use fastrand::Rng;
use values::Value;

use super::super::field::{Field, Line};
use super::super::tally::Ending;
use crate::histories::client::Request;

const READS: [&str; 7] = [
    "g.V().hasLabel('Person').groupCount().by('browserUsed')",
    "g.V().has('Person', 'id', p).both('knows').both('knows').dedup().values('firstName').count()",
    "g.V().has('Person', 'id', p).out('knows').in('hasCreator').hasLabel('Comment').order().by('creationDate', desc).limit(20).values('content')",
    "g.V().hasLabel('Post').values('length').mean()",
    "g.V().hasLabel('Tag').order().by(__.in('hasTag').count(), desc).limit(5).values('name')",
    "g.V().hasLabel('Comment').limit(20000).values('content').order().tail(1)",
    "g.V().hasLabel('Anchor').in('holds').values('v').max()",
];

/// Reads until it is over.
pub(crate) async fn act(field: Arc<Field>, persons: Arc<Vec<Value>>, mut rng: Rng) {
    let mut line = Line::new(&field, "analytics", &[Ending::Busy]);
    while !field.is_over() {
        let read = READS[rng.usize(..READS.len())];
        let mut request = Request::of(read);
        if read.contains("'id', p") {
            request = request.with("p", persons[rng.usize(..persons.len())].clone());
        }
        line.ask(&request).await;
        field.pause(Duration::from_millis(250)).await;
    }
}
