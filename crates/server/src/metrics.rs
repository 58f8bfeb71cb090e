//! `/metrics`: what there is to measure, in the text format of Prometheus.
//!
//! ```text
//! # HELP mangrove_cache_bytes Bytes of sections and tree nodes in memory.
//! # TYPE mangrove_cache_bytes gauge
//! mangrove_cache_bytes{graph="g"} 1048576.0
//! ```
//!
//! Nothing is gathered between two scrapes: each asks the graphs.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicU64;

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use access::Role;

use crate::{connections::Guest, host::Host, process};

/// One number.
#[derive(Clone, Debug, PartialEq)]
pub struct Metric {
    /// Its name without the prefix `mangrove_`; for a counter without `_total`, too.
    pub name: &'static str,
    /// What it is, in one line, without the full stop at its end.
    pub help: &'static str,
    /// Whether it only grows.
    pub kind: MetricKind,
    /// What tells it from others of its name, beside the graph.
    pub labels: Vec<(&'static str, String)>,
    /// The number.
    pub value: f64,
}

/// Kinds of metrics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MetricKind {
    /// Since the start; it only grows.
    Counter,
    /// At the moment.
    Gauge,
}

type Labels = Vec<(String, String)>;
type Gauges = Family<Labels, Gauge<f64, AtomicU64>>;
type Counters = Family<Labels, Counter<f64, AtomicU64>>;

/// All metrics of a server, of its graphs those that somebody may read, as they are sent.
pub(crate) fn page(host: &Host, guest: &Guest) -> Result<String, std::fmt::Error> {
    let mut page = Page::new();
    for process::Number { name, help, grows, value } in process::numbers() {
        let kind = if grows { MetricKind::Counter } else { MetricKind::Gauge };
        page.put(name.to_owned(), None, Metric { name, help, kind, labels: Vec::new(), value });
    }
    for (name, help, taken) in [
        ("connections", "Open connections", host.connections.taken()),
        ("sessions", "Sessions", host.sessions.taken()),
        ("requests_in_flight", "Requests that are being answered", host.requests.taken()),
    ] {
        let value = taken as f64;
        page.add(None, Metric { name, help, kind: MetricKind::Gauge, labels: Vec::new(), value });
    }
    if guest.rights("").is_some_and(|rights| rights.allow_everywhere(Role::Admin)) {
        tenants(host, &mut page);
    }
    // They name all graphs, and how much each is asked.
    if guest.rights("").is_some_and(|rights| rights.allow(Role::Admin)) {
        host.queries.tally().register(&mut page.registry);
    }
    let may_read = |source: &str| guest.rights(source).is_some_and(|rights| rights.allow(Role::Read));
    for (source, database) in host.graphs.all().iter().filter(|(source, _)| may_read(source)) {
        database.metrics().into_iter().for_each(|metric| page.add(Some(source), metric));
    }
    page.text()
}

/// What tenants have.
fn tenants(host: &Host, page: &mut Page) {
    for desk in host.desks.all() {
        let (running, waiting) = desk.queries();
        let memory = host.tenant_use.as_ref().map_or(0, |held| held.memory(desk.tenant()));
        for (name, help, value) in [
            (
                "tenant_connections",
                "Connections on which somebody of a tenant has logged in",
                desk.connections(),
            ),
            ("tenant_memory_bytes", "Bytes that the queries of a tenant hold", memory as usize),
            ("tenant_queries_running", "Queries of a tenant with bounds that run", running),
            ("tenant_queries_waiting", "Queries of a tenant that wait until it has room for them", waiting),
        ] {
            let labels = vec![("tenant", desk.tenant().name.to_string())];
            page.add(None, Metric { name, help, kind: MetricKind::Gauge, labels, value: value as f64 });
        }
    }
}

/// The metrics of one scrape.
struct Page {
    registry: Registry,
    gauges: BTreeMap<&'static str, Gauges>,
    counters: BTreeMap<&'static str, Counters>,
}

impl Page {
    fn new() -> Self {
        let registry = Registry::default();
        Self { registry, gauges: BTreeMap::new(), counters: BTreeMap::new() }
    }

    fn add(&mut self, graph: Option<&str>, metric: Metric) {
        self.put(format!("mangrove_{}", metric.name), graph, metric);
    }

    /// A metric under a name without the prefix.
    fn put(&mut self, full: String, graph: Option<&str>, metric: Metric) {
        let Metric { name, help, kind, labels, value } = metric;
        let graph = graph.map(|graph| ("graph".to_owned(), graph.to_owned()));
        let labels = labels.into_iter().map(|(label, value)| (label.to_owned(), value));
        let labels: Labels = graph.into_iter().chain(labels).collect();
        match kind {
            MetricKind::Gauge => {
                let family = self.gauges.entry(name).or_insert_with(|| {
                    let family = Gauges::default();
                    self.registry.register(full.clone(), help, family.clone());
                    family
                });
                family.get_or_create(&labels).set(value);
            }
            MetricKind::Counter => {
                let family = self.counters.entry(name).or_insert_with(|| {
                    let family = Counters::default();
                    self.registry.register(full.clone(), help, family.clone());
                    family
                });
                family.get_or_create(&labels).inc_by(value);
            }
        }
    }

    fn text(&self) -> Result<String, std::fmt::Error> {
        let mut text = String::new();
        encode(&mut text, &self.registry)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_grouped_by_name_and_their_labels_escaped() {
        let mut page = Page::new();
        let metric = |label: &str, value| Metric {
            name: "tree_nodes_read",
            help: "Edge nodes read",
            kind: MetricKind::Counter,
            labels: vec![("edge_label", label.to_owned())],
            value,
        };
        page.add(Some("g"), metric("knows", 3.0));
        page.add(Some("g"), metric("a \"quoted\"\nlabel", 4.0));
        let gauge = Metric { name: "cache_bytes", kind: MetricKind::Gauge, ..metric("", 5.5) };
        page.add(None, Metric { labels: Vec::new(), ..gauge });
        let text = page.text().unwrap();
        assert!(text.contains("# TYPE mangrove_tree_nodes_read counter"), "{text}");
        assert!(
            text.contains("mangrove_tree_nodes_read_total{graph=\"g\",edge_label=\"knows\"} 3.0"),
            "{text}"
        );
        assert!(text.contains(r#"edge_label="a \"quoted\"\nlabel""#), "{text}");
        assert!(text.contains("mangrove_cache_bytes{} 5.5"), "{text}");
        assert!(text.ends_with("# EOF\n"), "{text}");
    }
}
