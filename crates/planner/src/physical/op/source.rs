//! Sources: one traverser becomes many (the seed, or mid-traversal `V()`).

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use gremlin::Order;

use crate::physical::slots::{Slots, Visit};
use crate::physical::{ElementKind, Operand};
use crate::words::{InWords, Words};

/// Every vertex or edge, or those of some labels.
#[derive(Clone, Debug, PartialEq)]
pub struct Scan {
    /// Vertices or edges.
    pub kind: ElementKind,
    /// Only these vertex labels; `None` for all.
    pub vertex_labels: Option<Vec<VertexLabelId>>,
    /// Only these edge labels; `None` for all.
    pub edge_labels: Option<Vec<EdgeLabelId>>,
}

/// Where injected objects come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Injected {
    /// In front of the stream.
    First,
    /// Behind it: a child that begins with `inject` has what enters it first.
    Last,
}

/// The elements with these ids.
#[derive(Clone, Debug, PartialEq)]
pub struct ById {
    /// Vertices or edges.
    pub kind: ElementKind,
    /// The ids.
    pub ids: SourceIds,
}

/// Ids to look up. Each operand may be an id, an element (its id counts), or a collection of either.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceIds(pub Vec<Operand>);

/// The vertices of a label whose key equals one of the operands.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexLookup {
    /// The vertex label.
    pub label: VertexLabelId,
    /// The indexed key.
    pub key: KeyId,
    /// The values.
    pub values: Vec<Operand>,
    /// Whether collections among the operands are spread, as in [`crate::physical::Predicate::Within`].
    pub spread: bool,
}

/// The vertices of a label whose values are in a range of an index, and perhaps others of that label.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexRange {
    /// The vertex label.
    pub label: VertexLabelId,
    /// The index and the range.
    pub range: IndexedRange,
}

/// Which entries of a range index are meant: values equal to `equal` under the first of its keys, and a value between
/// `low` and `high`, both included, under the next one, if either is there.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedRange {
    /// The keys of the index.
    pub keys: Vec<KeyId>,
    /// Values of the first keys.
    pub equal: Vec<Operand>,
    /// The smallest value of the next key.
    pub low: Option<Operand>,
    /// The largest value of the next key.
    pub high: Option<Operand>,
    /// Whether those that are found come in the order of that key's values, ascending or descending; those that have none
    /// do not come then.
    pub order: Option<Order>,
}

impl IndexedRange {
    /// A range of an index over one key, in no order.
    pub(crate) fn of(
        key: KeyId,
        equal: Vec<Operand>,
        (low, high): (Option<Operand>, Option<Operand>),
    ) -> Self {
        Self { keys: vec![key], equal, low, high, order: None }
    }

    /// Whether it is less than the whole index.
    pub(crate) fn is_bounded(&self) -> bool {
        !self.equal.is_empty() || self.low.is_some() || self.high.is_some()
    }
}

impl InWords for Scan {
    fn write(&self, words: &mut Words<'_>) {
        let name = if self.kind == ElementKind::Vertex { "ScanVertices" } else { "ScanEdges" };
        words.call(name, |w| {
            w.vertex_labels(self.vertex_labels.as_deref().unwrap_or_default());
            w.edge_labels(self.edge_labels.as_deref().unwrap_or_default());
        });
    }
}

impl InWords for ById {
    fn write(&self, words: &mut Words<'_>) {
        let name = if self.kind == ElementKind::Vertex { "VerticesById" } else { "EdgesById" };
        words.call(name, |w| w.all(&self.ids.0));
    }
}

impl InWords for IndexLookup {
    fn write(&self, words: &mut Words<'_>) {
        words.call("IndexLookup", |w| {
            w.vertex_labels(&[self.label]);
            w.raw(".");
            w.key(self.key);
            w.raw(if self.spread { " = all of " } else { " = " });
            w.all(&self.values);
        });
    }
}

impl InWords for IndexRange {
    fn write(&self, words: &mut Words<'_>) {
        words.call("IndexRange", |w| {
            w.vertex_labels(&[self.label]);
            w.raw(": ");
            w.say(&self.range);
        });
    }
}

/// As `city = 'x', age from 3 to 9`.
impl InWords for IndexedRange {
    fn write(&self, words: &mut Words<'_>) {
        for (place, (key, operand)) in self.keys.iter().zip(&self.equal).enumerate() {
            words.raw(if place > 0 { ", " } else { "" });
            words.key(*key);
            words.raw(" = ");
            words.say(operand);
        }
        let Some(next) = self.keys.get(self.equal.len()) else { return };
        if self.low.is_some() || self.high.is_some() || self.order.is_some() {
            words.raw(if self.equal.is_empty() { "" } else { ", " });
            words.key(*next);
        }
        for (word, end) in [(" from ", &self.low), (" to ", &self.high)] {
            if let Some(operand) = end {
                words.raw(word);
                words.say(operand);
            }
        }
        match self.order {
            Some(Order::Desc) => words.raw(" descending"),
            Some(_) => words.raw(" ascending"),
            None => {}
        }
    }
}

impl Slots for Scan {
    fn for_each_slot(&mut self, _: Visit<'_>) {}
}

impl Slots for ById {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.ids.0.for_each_slot(visit);
    }
}

impl Slots for IndexLookup {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.values.for_each_slot(visit);
    }
}

impl Slots for IndexRange {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.range.for_each_slot(visit);
    }
}

impl Slots for IndexedRange {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.equal.for_each_slot(visit);
        self.low.for_each_slot(visit);
        self.high.for_each_slot(visit);
    }
}
