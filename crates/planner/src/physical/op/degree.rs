//! Counting edges and ends instead of visiting them.

use values::Direction;

use super::expand::write_hop;
use super::{EdgeLabels, Hop};
use crate::physical::slots::{Slots, Use, Visit};
use crate::physical::{Slot, Test};
use crate::words::{InWords, Words};

/// The number of edges (`out('x').count()` per traverser).
#[derive(Clone, Debug, PartialEq)]
pub struct Degree {
    /// The way.
    pub direction: Direction,
    /// The labels.
    pub labels: EdgeLabels,
    /// Where it goes; `None`: the current object.
    pub into: Option<Slot>,
}

/// Multiplies the bulk of the current vertex by the number of its edges, and drops it if there is none: an
/// expansion whose ends nobody looks at (`out('x').count()` of a whole stream).
#[derive(Clone, Debug, PartialEq)]
pub struct BulkByDegree {
    /// The way.
    pub direction: Direction,
    /// The labels.
    pub labels: EdgeLabels,
}

/// Multiplies the bulk of the current vertex by the number of its neighbours that pass a test of their properties, and
/// drops it if there is none: an expansion with an `end_test` whose ends are only counted.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkByEnds {
    /// To the neighbours.
    pub hop: Hop,
    /// As the `end_test` of an expansion.
    pub test: Test,
}

/// Multiplies the bulk of the current vertex by the number of walks of two steps: two such expansions in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct BulkByWalks {
    /// To the neighbours.
    pub first: Hop,
    /// Beyond them; along a few labels that are named.
    pub then: Hop,
}

impl InWords for Degree {
    fn write(&self, words: &mut Words<'_>) {
        words.call("Degree", |w| write_hop(self.direction, &self.labels, w));
        words.filling(self.into);
    }
}

impl InWords for BulkByDegree {
    fn write(&self, words: &mut Words<'_>) {
        words.call("BulkByDegree", |w| write_hop(self.direction, &self.labels, w));
    }
}

impl InWords for BulkByEnds {
    fn write(&self, words: &mut Words<'_>) {
        words.call("BulkByEnds", |w| {
            w.say(&self.hop);
            w.raw("; ends with ");
            w.say(&self.test);
        });
    }
}

impl InWords for BulkByWalks {
    fn write(&self, words: &mut Words<'_>) {
        words.call("BulkByWalks", |w| {
            w.say(&self.first);
            w.raw(", ");
            w.say(&self.then);
        });
    }
}

impl Slots for Degree {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.into.iter_mut().for_each(|slot| visit(slot, Use::Fill));
    }
}

impl Slots for BulkByDegree {
    fn for_each_slot(&mut self, _: Visit<'_>) {}
}

impl Slots for BulkByEnds {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.test.for_each_slot(visit);
    }
}

impl Slots for BulkByWalks {
    fn for_each_slot(&mut self, _: Visit<'_>) {}
}
