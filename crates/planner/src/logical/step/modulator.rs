//! What modulators make of objects, and where named objects come from.

use gremlin::Pop;
use values::{Direction, Str};

use super::Chain;
use crate::physical::op::write_hop;
use crate::physical::{EdgeLabels, FetchKind, Predicate, SideEffectId, Slot};
use crate::words::{InWords, Words};

/// What a `by` makes of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Modulator {
    /// A part of it: the object itself, a property, its id, …
    Fetch(FetchKind),
    /// A part of the object in a slot, whatever the current object is.
    FetchFrom(Slot, FetchKind),
    /// The number of its edges.
    Degree(Direction, EdgeLabels),
    /// The first result of a traversal.
    Chain(Chain),
}

impl Modulator {
    /// The object itself.
    pub const THIS: Self = Self::Fetch(FetchKind::This);

    /// Whether it is the object itself.
    pub fn is_this(&self) -> bool {
        *self == Self::THIS
    }
}

/// Where a named object comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// It is the current object.
    Current,
    /// The last object under an `as` label.
    Slot(Slot),
    /// An entry of the current object, which is a map.
    Entry(Str),
    /// A side-effect.
    SideEffect(SideEffectId),
    /// Found out at run time: an entry of the current map, else the slot's object, else in the path.
    Named {
        /// The name.
        name: Str,
        /// The slot, where the name is also an `as` label.
        slot: Option<Slot>,
        /// Which of several.
        pop: Pop,
    },
}

/// A comparison of objects that are not all current.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub left: (Origin, Modulator),
    /// What the slots in `predicate` stand for; they are filled before the test.
    pub operands: Vec<(Slot, Origin, Modulator)>,
    /// The comparison.
    pub predicate: Predicate,
}

impl InWords for Modulator {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Fetch(what) => words.say(what),
            Self::FetchFrom(slot, FetchKind::This) => words.slot(*slot),
            Self::FetchFrom(slot, what) => {
                words.slot(*slot);
                words.raw(".");
                words.say(what);
            }
            Self::Degree(direction, labels) => words.call("degree", |w| write_hop(*direction, labels, w)),
            Self::Chain(chain) => chain.write_in_braces(words),
        }
    }
}

impl Origin {
    /// A modulator, or a named object under it.
    pub(super) fn write_by(&self, by: &Modulator, words: &mut Words<'_>) {
        match self {
            Self::Current => return words.say(by),
            Self::Slot(slot) => words.slot(*slot),
            Self::Entry(name) => {
                words.raw("entry ");
                words.raw(name);
            }
            Self::SideEffect(id) => words.side_effect(*id),
            Self::Named { name, pop, .. } => words.show(format_args!("{} '{name}'", pop.as_str())),
        }
        if !by.is_this() {
            words.raw(" by ");
            words.say(by);
        }
    }
}

impl InWords for Comparison {
    fn write(&self, words: &mut Words<'_>) {
        self.left.0.write_by(&self.left.1, words);
        words.raw(" ");
        words.say(&self.predicate);
        for (slot, origin, by) in &self.operands {
            words.raw("; ");
            words.slot(*slot);
            words.raw(" is ");
            origin.write_by(by, words);
        }
    }
}
