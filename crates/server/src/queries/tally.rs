//! How many requests there were, and how long they took.

use std::{sync::atomic::AtomicU64, time::Duration};

use prometheus_client::{
    metrics::{counter::Counter, family::Family, histogram::Histogram},
    registry::Registry,
};

type Labels = Vec<(&'static str, String)>;

/// Seconds up to which requests are counted together.
const BUCKETS: [f64; 16] =
    [0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];

/// See the module.
pub(crate) struct Tally {
    requests: Family<Labels, Counter<u64, AtomicU64>>,
    seconds: Family<Labels, Histogram, fn() -> Histogram>,
    waited: Histogram,
}

impl Default for Tally {
    fn default() -> Self {
        let histogram: fn() -> Histogram = || Histogram::new(BUCKETS);
        Self {
            requests: Family::default(),
            seconds: Family::new_with_constructor(histogram),
            waited: histogram(),
        }
    }
}

impl Tally {
    /// A request is over.
    pub(crate) fn count(&self, source: &str, kind: &'static str, status: u16, took: Duration) {
        let labels = vec![("graph", source.to_owned()), ("kind", kind.to_owned())];
        self.seconds.get_or_create(&labels).observe(took.as_secs_f64());
        let labels = [labels, vec![("status", status.to_string())]].concat();
        self.requests.get_or_create(&labels).inc();
    }

    /// A query has begun that had to wait for its tenant.
    pub(crate) fn waited(&self, waited: Duration) {
        self.waited.observe(waited.as_secs_f64());
    }

    /// Shows what was counted.
    pub(crate) fn register(&self, registry: &mut Registry) {
        let requests =
            "Requests that are over, by graph, notation and the status of TinkerPop 3 that they ended with";
        registry.register("mangrove_requests", requests, self.requests.clone());
        let seconds = "How long requests took, from when they had arrived to when their results were sent";
        registry.register("mangrove_request_seconds", seconds, self.seconds.clone());
        let waited = "How long queries waited until their tenants had room for them";
        registry.register("mangrove_queue_seconds", waited, self.waited.clone());
    }
}
