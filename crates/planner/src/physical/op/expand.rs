//! Along edges.

use graph::{EdgeLabelId, KeyId};
use values::Direction;

use crate::physical::slots::{Slots, Use, Visit};
use crate::physical::{Operand, Slot, Test};
use crate::words::{InWords, Words, move_name};

/// Along edges, to the neighbours or the edges themselves.
#[derive(Clone, Debug, PartialEq)]
pub struct Expand {
    /// The way.
    pub direction: Direction,
    /// The labels.
    pub labels: EdgeLabels,
    /// What it yields.
    pub to: ExpandTo,
    /// Only edges that satisfy this (a test on the edge, pushed down).
    pub edge_test: Option<Test>,
    /// Only ends that satisfy this: tests of their properties, all of which must hold. Of expansions to vertices that
    /// look at nothing of the edges and leave no duplicates out.
    pub end_test: Option<Test>,
    /// Edge properties to fetch on the way.
    pub fetch: Vec<(KeyId, Slot)>,
    /// Whether an end that an equal tag has already reached through this operator is left out: expansion fused
    /// with a `dedup` of the current object that follows it.
    pub distinct: bool,
    /// Which part of the lists is wanted, if they are ordered by a sort key.
    pub sorted: Option<SortedPart>,
    /// Which part of a long list is wanted, if it has a secondary edge-tree by one of these keys; the first that it has
    /// is used.
    pub secondary: Vec<SortedPart>,
}

/// Edge labels to follow.
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeLabels {
    /// Any label.
    All,
    /// These labels; an empty list follows nothing.
    Only(Vec<EdgeLabelId>),
}

/// One step along edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// The way.
    pub direction: Direction,
    /// The labels.
    pub labels: EdgeLabels,
}

/// What an expansion yields.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpandTo {
    /// The neighbours (`out`).
    Vertices,
    /// The edges (`outE`). The vertex it was reached from is kept where `otherV` needs it.
    Edges {
        /// Slot that receives the vertex the edge was reached from.
        from: Option<Slot>,
    },
}

/// Which part is wanted of lists that a sort key orders. Where a list is ordered otherwise (none was there yet when the key
/// was declared), all of it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct SortedPart {
    /// The sort key.
    pub key: KeyId,
    /// No edges with smaller values. (A test that says so as well is behind it.)
    pub low: Option<Operand>,
    /// No edges with larger values. (Likewise.)
    pub high: Option<Operand>,
    /// Whether the test behind says nothing but that values are above `low` and below `high`, so that it holds for
    /// whatever lies strictly between the two.
    pub exact: bool,
    /// Of those that pass the test, the first or last few of every list.
    pub top: Option<Top>,
}

/// The first edges of every list, or the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Top {
    /// How many.
    pub limit: u64,
    /// Whether those with the largest values.
    pub descending: bool,
}

impl InWords for Expand {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Expand", |w| {
            w.raw(move_name(self.direction, matches!(self.to, ExpandTo::Edges { .. })));
            w.raw(" ");
            w.say(&self.labels);
            for (word, test) in [("; edges with ", &self.edge_test), ("; ends with ", &self.end_test)] {
                if let Some(test) = test {
                    w.raw(word);
                    w.say(test);
                }
            }
            if let ExpandTo::Edges { from: Some(slot) } = self.to {
                w.raw("; from ");
                w.slot(slot);
            }
            for (key, slot) in &self.fetch {
                w.raw("; ");
                w.key(*key);
                w.raw(" → ");
                w.slot(*slot);
            }
            w.raw(if self.distinct { "; distinct" } else { "" });
            write_parts(self.sorted.as_ref(), &self.secondary, w);
        });
    }
}

/// Which parts of its lists an expansion wants.
pub(crate) fn write_parts(sorted: Option<&SortedPart>, secondary: &[SortedPart], words: &mut Words<'_>) {
    if let Some(sorted) = sorted {
        words.raw("; ");
        words.say(sorted);
    }
    if !secondary.is_empty() {
        words.raw("; secondary by ");
        words.list(secondary, " or ", |w, part| w.key(part.key));
    }
}

impl InWords for EdgeLabels {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::All => {}
            Self::Only(labels) if labels.is_empty() => words.raw("no label"),
            Self::Only(labels) => words.edge_labels(labels),
        }
    }
}

/// As `out knows`.
impl InWords for Hop {
    fn write(&self, words: &mut Words<'_>) {
        write_hop(self.direction, &self.labels, words);
    }
}

/// A step along edges that may be no [`Hop`].
pub(crate) fn write_hop(direction: Direction, labels: &EdgeLabels, words: &mut Words<'_>) {
    words.raw(move_name(direction, false));
    words.raw(" ");
    words.say(labels);
}

impl InWords for SortedPart {
    fn write(&self, words: &mut Words<'_>) {
        let is_bounded = self.low.is_some() || self.high.is_some();
        if let Some(top) = self.top {
            words.raw(if top.descending { "last " } else { "first " });
            words.show(top.limit);
            words.raw(" by ");
            words.key(self.key);
            words.raw(if is_bounded { "; " } else { "" });
        }
        if is_bounded {
            words.key(self.key);
        }
        for (word, end) in [(" from ", &self.low), (" to ", &self.high)] {
            if let Some(operand) = end {
                words.raw(word);
                words.say(operand);
            }
        }
    }
}

impl Slots for Expand {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.edge_test.for_each_slot(visit);
        self.end_test.for_each_slot(visit);
        if let ExpandTo::Edges { from: Some(from) } = &mut self.to {
            visit(from, Use::Fill);
        }
        self.fetch.iter_mut().for_each(|(_, slot)| visit(slot, Use::Fill));
    }
}
