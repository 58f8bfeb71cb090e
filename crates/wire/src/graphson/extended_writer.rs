//! Writing the types that no query sees.

use super::writer::{Fields, Writer, Written};
use super::{Version, json};
use crate::bytecode::TRANSACTION;
use crate::wire_value::{Extended, Graph, InetAddress, Metrics, Tree, WireValue};
use crate::{EncodeError, Temporal};

/// Nanoseconds in the milliseconds that profiles are written in.
pub(super) const NANOS_PER_MILLI: f64 = 1e6;

impl<'a> Writer<'a> {
    pub(super) fn extended(&mut self, extended: &Extended) -> Written {
        match extended {
            Extended::Class(name) => self.typed_text("g:Class", name),
            Extended::Temporal(temporal) => self.temporal(temporal),
            Extended::InetAddress(InetAddress::Host(host)) => self.typed_text("gx:InetAddress", host),
            Extended::InetAddress(InetAddress::Address(address)) => {
                self.typed_text("gx:InetAddress", &address.to_string())
            }
            Extended::BulkSet(items) => {
                self.bulk_set(items.iter().map(|(item, bulk)| (item, *bulk)), Self::wire_value)
            }
            Extended::Tree(tree) => self.tree(tree),
            Extended::Traverser { bulk, value } => self.traverser(*bulk, |w| w.wire_value(value)),
            Extended::Metrics(metrics) => self.metrics(metrics),
            Extended::TraversalMetrics { duration, steps } => self.typed("g:TraversalMetrics", |w| {
                w.named_map(|m| {
                    m.entry("dur", |w| w.milliseconds(*duration))?;
                    m.entry("metrics", |w| w.collection("g:List", steps, Self::metrics))
                })
            }),
            Extended::Graph(graph) => self.graph(graph),
            Extended::Transaction(transaction) => self.source_call(TRANSACTION, |w| {
                w.string(transaction.as_str());
                Ok(())
            }),
        }
    }

    /// A result with how often it occurs.
    pub(super) fn traverser(&mut self, bulk: i64, write: impl FnOnce(&mut Self) -> Written) -> Written {
        self.typed("g:Traverser", |w| {
            w.object(|o| {
                o.field("bulk", |w| w.number("g:Int64", bulk))?;
                o.field("value", write)
            })
        })
    }

    fn temporal(&mut self, temporal: &Temporal) -> Written {
        match temporal {
            Temporal::Date(millis) | Temporal::Timestamp(millis) => self.number(temporal.type_name(), millis),
            other => self.typed_text(other.type_name(), &other.to_text()),
        }
    }

    /// Version 3 writes items and counts in turn, under a type; the others write every item as often as it occurs.
    pub(super) fn bulk_set<T: Clone>(
        &mut self,
        items: impl Iterator<Item = (T, i64)> + Clone,
        mut write: impl FnMut(&mut Self, T) -> Written,
    ) -> Written {
        if !self.dialect.wraps_collections() || self.dialect.version == Version::V4 {
            /// Most members that are written out.
            const MAX_EXPANDED: i64 = 1 << 20;
            let total = items.clone().try_fold(0i64, |sum, (_, bulk)| sum.checked_add(bulk.max(0)));
            if total.is_none_or(|total| total > MAX_EXPANDED) {
                return Err(EncodeError::Unsupported {
                    format: "GraphSON of another version than typed 3",
                    what: "a bulk set of more than a million members",
                });
            }
            let expanded = items.flat_map(|(item, bulk)| std::iter::repeat_n(item, bulk.max(0) as usize));
            return self.collection("g:List", expanded, write);
        }
        self.typed("g:BulkSet", |w| {
            w.raw("[");
            for (i, (item, bulk)) in items.enumerate() {
                if i > 0 {
                    w.raw(",");
                }
                w.one_more()?;
                write(w, item)?;
                w.raw(",");
                w.number("g:Int64", bulk)?;
            }
            w.raw("]");
            Ok(())
        })
    }

    /// An array of keys with their subtrees; in version 1 an object by the keys' text.
    fn tree(&mut self, tree: &Tree) -> Written {
        if self.dialect.version == Version::V1 {
            return self.tree_by_key(tree);
        }
        self.typed("g:Tree", |w| {
            w.array(&tree.0, |w, (key, children)| {
                w.object(|o| {
                    o.field("key", |w| w.wire_value(key))?;
                    o.field("value", |w| w.nested(|w| w.tree(children)))
                })
            })
        })
    }

    fn tree_by_key(&mut self, tree: &Tree) -> Written {
        self.object(|o| {
            tree.0.iter().try_for_each(|(key, children)| {
                let name = match key {
                    WireValue::Value(values::Value::Vertex(v)) => v.id.to_string(),
                    WireValue::Value(values::Value::Edge(e)) => e.id.to_string(),
                    WireValue::Value(key) => key.to_string(),
                    _ => {
                        return Err(EncodeError::Unsupported {
                            format: "JSON",
                            what: "a key that is no value",
                        });
                    }
                };
                o.field(&name, |w| {
                    w.object(|o| {
                        o.field("key", |w| w.wire_value(key))?;
                        o.field("value", |w| w.nested(|w| w.tree(children)))
                    })
                })
            })
        })
    }

    fn milliseconds(&mut self, nanos: i64) -> Written {
        self.typed("g:Double", |w| {
            json::double(nanos as f64 / NANOS_PER_MILLI, w.out);
            Ok(())
        })
    }

    fn metrics(&mut self, metrics: &Metrics) -> Written {
        self.typed("g:Metrics", |w| w.named_map(|m| metrics_entries(metrics, m)))
    }

    fn graph(&mut self, graph: &Graph) -> Written {
        self.typed("tinker:graph", |w| {
            w.object(|o| {
                o.field("vertices", |w| w.array(&graph.vertices, Self::vertex))?;
                o.field("edges", |w| w.array(&graph.edges, Self::edge))
            })
        })
    }
}

fn metrics_entries(metrics: &Metrics, m: &mut Fields<'_, '_>) -> Written {
    let text = |text: &str, w: &mut Writer<'_>| {
        w.string(text);
        Ok(())
    };
    m.entry("dur", |w| w.milliseconds(metrics.duration))?;
    m.entry("counts", |w| {
        w.named_map(|m| metrics.counts.iter().try_for_each(|(k, n)| m.entry(k, |w| w.number("g:Int64", n))))
    })?;
    m.entry("name", |w| text(&metrics.name, w))?;
    if !metrics.annotations.is_empty() {
        m.entry("annotations", |w| {
            w.named_map(|m| metrics.annotations.iter().try_for_each(|(k, v)| m.entry(k, |w| w.wire_value(v))))
        })?;
    }
    m.entry("id", |w| text(&metrics.id, w))?;
    if !metrics.nested.is_empty() {
        m.entry("metrics", |w| {
            w.collection("g:List", &metrics.nested, |w, nested| w.nested(|w| w.metrics(nested)))
        })?;
    }
    Ok(())
}
