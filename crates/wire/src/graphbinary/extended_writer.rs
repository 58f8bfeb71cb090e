//! Writing the types that no query sees.

use std::net::{IpAddr, Ipv4Addr};

use values::{Edge, Property, Vertex};

use super::codes;
use super::version::Version;
use super::writer::{Writer, Written};
use crate::bytecode::TRANSACTION;
use crate::wire_value::{Extended, Graph, InetAddress, Metrics, Tree};
use crate::{EncodeError, Temporal, WireValue};

impl Writer<'_> {
    pub(super) fn extended(&mut self, extended: &Extended) -> Written {
        if self.version == Version::Four {
            return self.extended_of_four(extended);
        }
        match extended {
            Extended::Class(name) => {
                self.head(codes::CLASS);
                self.text(name)
            }
            Extended::Temporal(temporal) => {
                self.temporal(temporal);
                Ok(())
            }
            Extended::InetAddress(address) => self.inet_address(address),
            Extended::BulkSet(items) => self.bulk_set(items),
            Extended::Tree(tree) => {
                self.head(codes::TREE);
                self.tree(tree)
            }
            Extended::Traverser { bulk, value } => {
                self.head(codes::TRAVERSER);
                self.bytes(&bulk.to_be_bytes());
                self.wire_value(value)
            }
            Extended::Metrics(metrics) => self.metrics(metrics),
            Extended::TraversalMetrics { duration, steps } => {
                self.head(codes::TRAVERSAL_METRICS);
                self.bytes(&duration.to_be_bytes());
                self.length(steps.len())?;
                steps.iter().try_for_each(|step| self.metrics(step))
            }
            Extended::Graph(graph) => self.graph(graph),
            Extended::Transaction(transaction) => {
                self.head(codes::BYTECODE);
                self.length(0)?;
                self.length(1)?;
                self.text(TRANSACTION)?;
                self.length(1)?;
                self.string(transaction.as_str())
            }
        }
    }

    /// Version 4 has few of them; of dates only those that are points in time.
    fn extended_of_four(&mut self, extended: &Extended) -> Written {
        match extended {
            Extended::BulkSet(items) => self.bulk_set(items),
            Extended::Tree(tree) => {
                self.head(codes::TREE);
                self.tree(tree)
            }
            Extended::Graph(graph) => self.graph(graph),
            Extended::Temporal(temporal) => match temporal.to_date_time() {
                Some(at) => {
                    self.offset_date_time(self.version.date_time(), &at);
                    Ok(())
                }
                None => Err(self.unsupported("a part of a date")),
            },
            other => Err(self.unsupported(other.kind())),
        }
    }

    fn bulk_set(&mut self, items: &[(WireValue, i64)]) -> Written {
        self.sequence_after(self.version.bulk_set(), items.iter(), |w, (item, bulk)| {
            w.wire_value(item)?;
            w.bytes(&bulk.to_be_bytes());
            Ok(())
        })
    }

    fn temporal(&mut self, temporal: &Temporal) {
        match temporal {
            Temporal::Date(millis) => self.long(codes::DATE, *millis),
            Temporal::Timestamp(millis) => self.long(codes::TIMESTAMP, *millis),
            Temporal::Instant(at) => {
                self.long(codes::INSTANT, at.seconds);
                self.bytes(&at.nanos.to_be_bytes());
            }
            Temporal::LocalDate(at) => {
                self.head(codes::LOCAL_DATE);
                self.local_date(at);
            }
            Temporal::LocalDateTime(at) => {
                self.head(codes::LOCAL_DATE_TIME);
                self.local_date_time(at);
            }
            Temporal::LocalTime(time) => self.long(codes::LOCAL_TIME, time.nanos()),
            Temporal::MonthDay { month, day } => {
                self.head(codes::MONTH_DAY);
                self.bytes(&[*month, *day]);
            }
            Temporal::OffsetTime { time, offset } => {
                self.long(codes::OFFSET_TIME, time.nanos());
                self.bytes(&offset.to_be_bytes());
            }
            Temporal::Period { years, months, days } => {
                self.head(codes::PERIOD);
                [years, months, days].iter().for_each(|n| self.bytes(&n.to_be_bytes()));
            }
            Temporal::Year(year) => {
                self.head(codes::YEAR);
                self.bytes(&year.to_be_bytes());
            }
            Temporal::YearMonth { year, month } => {
                self.head(codes::YEAR_MONTH);
                self.bytes(&year.to_be_bytes());
                self.bytes(&[*month]);
            }
            Temporal::ZonedDateTime { at, .. } => self.offset_date_time(codes::ZONED_DATE_TIME, at),
            Temporal::ZoneOffset(offset) => {
                self.head(codes::ZONE_OFFSET);
                self.bytes(&offset.to_be_bytes());
            }
        }
    }

    pub(super) fn long(&mut self, code: u8, v: i64) {
        self.head(code);
        self.bytes(&v.to_be_bytes());
    }

    fn inet_address(&mut self, address: &InetAddress) -> Written {
        let address = match address {
            InetAddress::Address(address) => *address,
            InetAddress::Host(host) if host == "localhost" => Ipv4Addr::LOCALHOST.into(),
            InetAddress::Host(host) => return Err(EncodeError::HostName(host.to_string())),
        };
        self.head(codes::INET_ADDRESS);
        let (v4, v6);
        let octets: &[u8] = match address {
            IpAddr::V4(address) => {
                v4 = address.octets();
                &v4
            }
            IpAddr::V6(address) => {
                v6 = address.octets();
                &v6
            }
        };
        self.length(octets.len())?;
        self.bytes(octets);
        Ok(())
    }

    fn tree(&mut self, tree: &Tree) -> Written {
        self.length(tree.0.len())?;
        tree.0.iter().try_for_each(|(key, children)| {
            self.wire_value(key)?;
            self.nested(|w| w.tree(children))
        })
    }

    fn metrics(&mut self, metrics: &Metrics) -> Written {
        self.head(codes::METRICS);
        self.text(&metrics.id)?;
        self.text(&metrics.name)?;
        self.bytes(&metrics.duration.to_be_bytes());
        self.length(metrics.counts.len())?;
        for (key, count) in &metrics.counts {
            self.string(key)?;
            self.long(codes::LONG, *count);
        }
        self.length(metrics.annotations.len())?;
        for (key, value) in &metrics.annotations {
            self.string(key)?;
            self.wire_value(value)?;
        }
        self.length(metrics.nested.len())?;
        metrics.nested.iter().try_for_each(|nested| self.nested(|w| w.metrics(nested)))
    }

    fn graph(&mut self, graph: &Graph) -> Written {
        self.head(codes::GRAPH);
        self.length(graph.vertices.len())?;
        graph.vertices.iter().try_for_each(|vertex| self.graph_vertex(vertex))?;
        self.length(graph.edges.len())?;
        graph.edges.iter().try_for_each(|edge| self.graph_edge(edge))
    }

    fn graph_vertex(&mut self, vertex: &Vertex) -> Written {
        self.value(&vertex.id)?;
        self.label(&vertex.label)?;
        self.length(vertex.properties.len())?;
        vertex.properties.iter().try_for_each(|p| {
            self.value(&p.id)?;
            self.label(&p.key)?;
            self.value(&p.value)?;
            self.null();
            self.bare_properties(&p.properties)
        })
    }

    fn graph_edge(&mut self, edge: &Edge) -> Written {
        self.value(&edge.id)?;
        self.label(&edge.label)?;
        self.value(&edge.in_v.id)?;
        self.null();
        self.value(&edge.out_v.id)?;
        self.null();
        self.null();
        self.bare_properties(&edge.properties)
    }

    fn bare_properties(&mut self, properties: &[Property]) -> Written {
        self.length(properties.len())?;
        properties.iter().try_for_each(|p| self.property(p))
    }
}
