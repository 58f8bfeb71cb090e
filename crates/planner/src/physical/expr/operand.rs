//! Where an operand of a test or an operator comes from.

use values::Value;

use crate::physical::slots::{Slots, Use, Visit};
use crate::physical::{SideEffectId, Slot};
use crate::words::{InWords, Words};

/// Where a predicate's operand comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// Fixed in the plan.
    Const(Value),
    /// Given with each run: index into the query's parameters.
    Param(u32),
    /// A column of the same traverser.
    Slot(Slot),
    /// A side-effect of the query, as it is when the test runs.
    SideEffect(SideEffectId),
}

impl InWords for Operand {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Const(value) => words.value(value),
            Self::Param(index) => words.show(format_args!("${index}")),
            Self::Slot(slot) => words.slot(*slot),
            Self::SideEffect(id) => words.side_effect(*id),
        }
    }
}

impl Slots for Operand {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        if let Self::Slot(slot) = self {
            visit(slot, Use::Read);
        }
    }
}
