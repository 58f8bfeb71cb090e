//! `mangrove.loads`

use graph::PoolCounts;
use values::{Map, Value};

use crate::{Error, asker::Asker, database::Inner};

/// What the I/O pools are doing, a map for each, and the engine's threads.
pub(super) fn show(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let stats = inner.graph.pool_stats();
    let mut engine = Map::new();
    engine.insert("executors", whole(inner.engine.executors() as u64));
    engine.insert("threads", whole(inner.engine.threads() as u64));
    engine.insert("handovers", whole(inner.engine.handovers()));
    Ok(vec![pool("light", &stats.light), pool("heavy", &stats.heavy), engine.into()])
}

fn pool(name: &str, counts: &PoolCounts) -> Value {
    let mut row = Map::new();
    row.insert("pool", name);
    row.insert("size", whole(counts.size as u64));
    row.insert("running", whole(counts.running as u64));
    row.insert("waiting", whole(counts.waiting as u64));
    row.insert("loads", whole(counts.loads));
    row.insert("timeOuts", whole(counts.time_outs));
    row.into()
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
