//! Conditions on one value.

use gremlin::{PredicateOp, TextOp};
use values::Str;

use super::Operand;
use crate::physical::slots::{Slots, Visit};
use crate::words::{InWords, Words};

/// A condition on one value.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// A comparison (Gremlin equality and comparability).
    Compare(PredicateOp, Operand),
    /// Equal to one of these. An operand that is a collection stands for its members when `spread`.
    Within {
        /// The members.
        members: Vec<Operand>,
        /// Whether collections among the operands are spread (a parameter or side-effect that holds the whole list).
        spread: bool,
    },
    /// A test on text.
    Text(TextOp, Operand),
    /// Of a type, by TinkerPop's type name.
    TypeOf(Str),
    /// All of them hold.
    And(Vec<Predicate>),
    /// One of them holds.
    Or(Vec<Predicate>),
    /// It does not hold. Comparing what cannot be compared is false, so its negation is true (TinkerPop 3.8).
    Not(Box<Predicate>),
}

/// How many members must satisfy a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// At least one (`any(p)`).
    Any,
    /// All (`all(p)`).
    All,
    /// None (`none(p)`).
    None,
}

impl Quantifier {
    /// The subject of a predicate that holds of so many members.
    pub(super) fn of_members(self) -> &'static str {
        match self {
            Self::Any => "any member",
            Self::All => "all members",
            Self::None => "no member",
        }
    }
}

impl Predicate {
    /// Whether one of its operands is a side-effect.
    pub(super) fn looks_at_side_effects(&self) -> bool {
        let is_side_effect = |operand: &Operand| matches!(operand, Operand::SideEffect(_));
        match self {
            Self::Compare(_, operand) | Self::Text(_, operand) => is_side_effect(operand),
            Self::Within { members, .. } => members.iter().any(is_side_effect),
            Self::TypeOf(_) => false,
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::looks_at_side_effects),
            Self::Not(inner) => inner.looks_at_side_effects(),
        }
    }
}

/// As what follows its subject: `> 3`.
impl InWords for Predicate {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Compare(op, operand) => {
                words.raw(comparison(*op));
                words.raw(" ");
                words.say(operand);
            }
            Self::Within { members, spread } => {
                words.raw(if *spread { "within all of (" } else { "within (" });
                words.all(members);
                words.raw(")");
            }
            Self::Text(op, operand) => {
                words.raw(text_test(*op));
                words.raw(" ");
                words.say(operand);
            }
            Self::TypeOf(name) => {
                words.raw("is a ");
                words.raw(name);
            }
            Self::And(parts) => words.parts(parts, " and "),
            Self::Or(parts) => words.parts(parts, " or "),
            Self::Not(inner) => words.call("not ", |w| w.say(&**inner)),
        }
    }
}

/// The sign of a comparison.
fn comparison(op: PredicateOp) -> &'static str {
    match op {
        PredicateOp::Eq => "=",
        PredicateOp::Neq => "!=",
        PredicateOp::Lt => "<",
        PredicateOp::Lte => "<=",
        PredicateOp::Gt => ">",
        PredicateOp::Gte => ">=",
    }
}

fn text_test(op: TextOp) -> &'static str {
    match op {
        TextOp::StartingWith => "starts with",
        TextOp::NotStartingWith => "does not start with",
        TextOp::EndingWith => "ends with",
        TextOp::NotEndingWith => "does not end with",
        TextOp::Containing => "contains",
        TextOp::NotContaining => "does not contain",
        TextOp::Regex => "matches",
        TextOp::NotRegex => "does not match",
    }
}

impl Slots for Predicate {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::Compare(_, operand) | Self::Text(_, operand) => operand.for_each_slot(visit),
            Self::Within { members, .. } => members.for_each_slot(visit),
            Self::TypeOf(_) => {}
            Self::And(parts) | Self::Or(parts) => parts.for_each_slot(visit),
            Self::Not(inner) => inner.for_each_slot(visit),
        }
    }
}
