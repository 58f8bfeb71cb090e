//! `sack`: a value that each traverser carries. It is in a slot; a traverser that was made on the way has the first one.

use gremlin::Operator;

use super::By;
use crate::physical::slots::{Slots, Use, Visit};
use crate::physical::{Operand, Slot};
use crate::words::{InWords, Words};

/// Where the sack is. As an operator: it becomes the current object.
#[derive(Clone, Debug, PartialEq)]
pub struct Sack {
    /// The slot; absent, until something is put into the sack.
    pub slot: Slot,
    /// What is in it then: null, unless `withSack` says otherwise.
    pub initial: Operand,
}

/// What an operator makes of the sack and an object goes into the sack. A traverser without the object is dropped.
#[derive(Clone, Debug, PartialEq)]
pub struct SackWith<B> {
    /// The sack.
    pub sack: Sack,
    /// What is done.
    pub operator: Operator,
    /// The object.
    pub by: B,
    /// The slot of the sack once more.
    pub into: Slot,
}

/// A barrier that equal traversers leave as one, whatever is in their sacks, or all of them one by one.
#[derive(Clone, Debug, PartialEq)]
pub struct MergeSacks {
    /// The sack.
    pub sack: Sack,
    /// What makes one of two sacks; without it, traversers with different sacks stay apart.
    pub merge: Option<Operator>,
    /// Whether all do that have something in their sacks: nothing says what is to become of it.
    pub apart: bool,
    /// Whether each sack becomes its part of the sum of all of them (`normSack`).
    pub normalise: bool,
    /// Whether the one stands for as many as there were (not so with `withBulk(false)`).
    pub bulks: bool,
    /// The slot of the sack once more.
    pub into: Slot,
}

impl InWords for Sack {
    fn write(&self, words: &mut Words<'_>) {
        words.call("sack", |w| w.slot(self.slot));
    }
}

impl<B: InWords> InWords for SackWith<B> {
    fn write(&self, words: &mut Words<'_>) {
        words.call("sack", |w| {
            w.raw(self.operator.as_str());
            w.raw(" ");
            w.say(&self.by);
            w.filling(Some(self.into));
        });
    }
}

impl InWords for MergeSacks {
    fn write(&self, words: &mut Words<'_>) {
        words.call("mergeSacks", |w| {
            w.slot(self.sack.slot);
            if let Some(operator) = self.merge {
                w.raw(" ");
                w.raw(operator.as_str());
            }
            for (word, said) in
                [(" apart", self.apart), (" normalised", self.normalise), (" without bulks", !self.bulks)]
            {
                if said {
                    w.raw(word);
                }
            }
        });
    }
}

impl Slots for Sack {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        visit(&mut self.slot, Use::Read);
    }
}

impl Slots for SackWith<By> {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.by.for_each_slot(visit);
        self.sack.for_each_slot(visit);
        visit(&mut self.into, Use::Fill);
    }
}

impl Slots for MergeSacks {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        self.sack.for_each_slot(visit);
        visit(&mut self.into, Use::Fill);
    }
}
