//! From edges to their ends, and along edges to an end that is known.

use super::Hop;
use crate::physical::slots::{Slots, Use, Visit};
use crate::physical::{Operand, Slot};
use crate::words::{InWords, Words};

/// Which end of the current edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeEnd {
    /// The source (`outV`).
    Out,
    /// The target (`inV`).
    In,
    /// Both, source first (`bothV`).
    Both,
    /// The one that is not in the slot (`otherV`).
    Other(Slot),
    /// The one that is not the last vertex on the path (`otherV` where nobody has kept one).
    OtherThanBefore,
}

/// From the current vertex along edges to one that is known, which becomes the current one: as often as there are such edges,
/// or not at all. They are looked for in the shorter one of the two vertices' lists.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpandInto {
    /// The edges.
    pub hop: Hop,
    /// The vertex.
    pub target: Target,
    /// Whether a traverser leaves for each edge, since a step behind can tell how many travel as one; else one leaves for all of
    /// them, with its bulk multiplied by their number.
    pub apart: bool,
}

/// A vertex that is known before it is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The vertex with an id, which is the same for all traversers.
    Id(Operand),
    /// The vertex in a slot.
    Slot(Slot),
}

impl InWords for EdgeEnd {
    fn write(&self, words: &mut Words<'_>) {
        words.call("EdgeVertex", |w| match self {
            Self::Out => w.raw("out"),
            Self::In => w.raw("in"),
            Self::Both => w.raw("both"),
            Self::OtherThanBefore => w.raw("other than before"),
            Self::Other(slot) => {
                w.raw("other than ");
                w.slot(*slot);
            }
        });
    }
}

impl InWords for ExpandInto {
    fn write(&self, words: &mut Words<'_>) {
        words.call("ExpandInto", |w| {
            w.say(&self.hop);
            match &self.target {
                Target::Id(id) => {
                    w.raw("; T.id = ");
                    w.say(id);
                }
                Target::Slot(slot) => {
                    w.raw("; it = ");
                    w.slot(*slot);
                }
            }
            if self.apart {
                w.raw("; each apart");
            }
        });
    }
}

impl Slots for EdgeEnd {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        if let Self::Other(slot) = self {
            visit(slot, Use::Read);
        }
    }
}

impl Slots for ExpandInto {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match &mut self.target {
            Target::Id(id) => id.for_each_slot(visit),
            Target::Slot(slot) => visit(slot, Use::Read),
        }
    }
}
