//! What profiles say of single steps.

use mangrove::Database;
use mangrove::values::{Metrics, StepMetrics, Value};

/// Traversers that the first step of a query sends whose name begins so.
pub fn sent_by(db: &Database, query: &str, name: &str) -> u64 {
    let profile = db.query(&format!("{query}.profile()")).unwrap().next().unwrap().unwrap();
    let Value::Map(map) = &profile else { panic!("a profile expected: {profile}") };
    let steps = Metrics::of(map).steps;
    let step = steps.iter().find(|step| step.name.starts_with(name)).unwrap_or_else(|| panic!("{profile}"));
    let sent = step.counts.iter().find(|(key, _)| key.as_str() == StepMetrics::TRAVERSERS);
    sent.map_or(0, |(_, count)| *count as u64)
}
