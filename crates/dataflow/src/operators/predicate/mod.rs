//! Predicates, made ready for a run of tests: operands are looked up once per batch, not once per traverser.
//!
//! Gremlin's logic has two values (since TinkerPop 3.8): comparing what cannot be compared is false, and so its negation
//! is true.

mod fault;
mod long_range;
mod members;
mod text;

use graph::ValueRef;
use gremlin::PredicateOp;
use planner::physical::{Operand, Predicate, SideEffectId, Slot};
use values::{GType, Str, Value, compare};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::Context;

use super::element::attach;
use super::ids;
use super::ordered::with_ids;
use super::view::Graph;

pub(super) use long_range::LongRange;
use members::Members;
use text::TextCheck;

/// A predicate with its operands.
#[derive(Debug)]
pub(super) enum Check {
    Compare(PredicateOp, Value),
    CompareSlot(PredicateOp, Slot),
    Within(Box<Members>),
    Text(TextCheck),
    TypeOf(GType),
    And(Vec<Check>),
    Or(Vec<Check>),
    Not(Box<Check>),
    /// Something is in the slot, whatever the candidate.
    Filled(Slot),
    /// Looks at the text of the candidate (ids written differently).
    OnText(Box<Check>),
}

/// What predicates are made ready with.
#[derive(Clone, Copy)]
pub(super) struct Resolver<'a> {
    pub(super) cx: &'a Context<'a>,
    pub(super) graph: &'a Graph<'a>,
}

/// Where a candidate comes from.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) batch: &'a Batch,
    pub(super) row: usize,
    pub(super) graph: &'a Graph<'a>,
}

impl Resolver<'_> {
    /// The value of an operand that is the same for all traversers; `None` for a slot.
    fn value(&self, operand: &Operand) -> Option<Value> {
        let value = match operand {
            Operand::Const(value) => value.clone(),
            Operand::Param(index) => self.cx.query.params.get(*index as usize).cloned().unwrap_or_default(),
            Operand::SideEffect(id) => self.cx.query.side_effects.value(*id),
            Operand::Slot(_) => return None,
        };
        Some(attach(value, self.graph))
    }
}

impl Check {
    /// Makes a predicate ready.
    ///
    /// # Errors
    /// If an operand is malformed: a regular expression, the name of a type.
    pub(super) fn new(predicate: &Predicate, with: Resolver<'_>) -> Result<Self, QueryError> {
        let all = |predicates: &[Predicate]| {
            predicates.iter().map(|p| Self::new(p, with)).collect::<Result<_, _>>()
        };
        Ok(match predicate {
            Predicate::Compare(op, operand) => match (with.value(operand), operand) {
                (None, Operand::Slot(slot)) => Self::CompareSlot(*op, *slot),
                (value, _) => Self::Compare(*op, value.unwrap_or_default()),
            },
            Predicate::Within { members, spread } => {
                Self::Within(Box::new(Members::new(members, *spread, with)))
            }
            Predicate::Text(op, operand) => Self::Text(TextCheck::new(*op, operand, with)?),
            Predicate::TypeOf(name) => Self::TypeOf(type_named(name, with.cx)?),
            Predicate::And(predicates) => Self::And(all(predicates)?),
            Predicate::Or(predicates) => Self::Or(all(predicates)?),
            Predicate::Not(predicate) => Self::Not(Box::new(Self::new(predicate, with)?)),
        })
    }

    /// Makes a predicate on ids ready: which ids are equal, `ids` says.
    ///
    /// # Errors
    /// As [`Check::new`].
    pub(super) fn on_id(predicate: &Predicate, with: Resolver<'_>) -> Result<Self, QueryError> {
        let all = |predicates: &[Predicate]| {
            predicates.iter().map(|p| Self::on_id(p, with)).collect::<Result<_, _>>()
        };
        Ok(match predicate {
            Predicate::Compare(op @ (PredicateOp::Eq | PredicateOp::Neq), operand) => {
                let one = Self::Within(Box::new(Members::of_ids(std::slice::from_ref(operand), false, with)));
                match (op, operand) {
                    (PredicateOp::Eq, _) => one,
                    (_, Operand::Slot(slot)) => {
                        Self::And(vec![Self::Not(Box::new(one)), Self::Filled(*slot)])
                    }
                    _ => Self::Not(Box::new(one)),
                }
            }
            Predicate::Within { members, spread } => {
                Self::Within(Box::new(Members::of_ids(members, *spread, with)))
            }
            Predicate::And(predicates) => Self::And(all(predicates)?),
            Predicate::Or(predicates) => Self::Or(all(predicates)?),
            Predicate::Not(predicate) => Self::Not(Box::new(Self::on_id(predicate, with)?)),
            Predicate::Text(..) => Self::OnText(Box::new(Self::new(predicate, with)?)),
            Predicate::Compare(_, operand) if matches!(with.value(operand), Some(Value::String(_))) => {
                Self::OnText(Box::new(Self::new(predicate, with)?))
            }
            Predicate::Compare(..) | Predicate::TypeOf(_) => Self::new(predicate, with)?,
        })
    }

    /// Whether `candidate` satisfies it. Operands in slots are those of its row; an absent one satisfies nothing.
    #[inline]
    pub(super) fn holds(&self, candidate: ValueRef<'_>, at: At<'_>) -> bool {
        match self {
            Self::Compare(op, operand) => compare(*op, candidate, operand, |value| with_ids(value, at.graph)),
            Self::Within(members) => members.contain(candidate, at.batch, at.row),
            other => other.holds_rare(candidate, at),
        }
    }

    fn holds_rare(&self, candidate: ValueRef<'_>, at: At<'_>) -> bool {
        match self {
            Self::Compare(..) | Self::Within(_) => self.holds(candidate, at),
            Self::CompareSlot(op, slot) => {
                let operand = at.batch.slot(*slot).and_then(|column| column.get(at.row));
                operand.is_some_and(|operand| {
                    compare(*op, candidate, &operand, |value| with_ids(value, at.graph))
                })
            }
            Self::Text(check) => check.holds(candidate, at.batch, at.row),
            Self::TypeOf(gtype) => gtype.contains(&candidate.to_value()),
            Self::And(checks) => checks.iter().all(|check| check.holds(candidate, at)),
            Self::Or(checks) => checks.iter().any(|check| check.holds(candidate, at)),
            Self::Not(check) => !check.holds(candidate, at),
            Self::Filled(slot) => at.batch.slot(*slot).is_some_and(|column| column.get(at.row).is_some()),
            Self::OnText(check) => match candidate {
                ValueRef::Str(_) => check.holds(candidate, at),
                other => check.holds(ValueRef::Str(&ids::text(&other.to_value())), at),
            },
        }
    }

    /// Takes in what side-effects have gained since the check was made ready; `false` if it must be made anew.
    pub(super) fn refresh(&mut self, with: Resolver<'_>) -> bool {
        match self {
            Self::Within(members) => members.refresh(with),
            Self::And(checks) | Self::Or(checks) => checks.iter_mut().all(|check| check.refresh(with)),
            Self::Not(check) | Self::OnText(check) => check.refresh(with),
            _ => true,
        }
    }
}

/// Elements are equal by their handles; one before another they are by their ids, and so `by_id` makes of handles.
#[inline]
fn compare(
    op: PredicateOp,
    candidate: ValueRef<'_>,
    operand: &Value,
    by_id: impl Fn(Value) -> Value,
) -> bool {
    match op {
        PredicateOp::Eq => return candidate.equals(operand),
        PredicateOp::Neq => return !candidate.equals(operand),
        _ => {}
    }
    let ordering = match (candidate, operand) {
        (ValueRef::Long(a), Value::Long(b)) => Some(a.cmp(b)),
        (ValueRef::Long(a), Value::Int(b)) => Some(a.cmp(&i64::from(*b))),
        (ValueRef::Int(a), Value::Int(b)) => Some(a.cmp(b)),
        (ValueRef::DateTime(a), Value::DateTime(b)) => Some(a.cmp(b)),
        (ValueRef::Str(a), Value::String(b)) => Some(a.cmp(b.as_str())),
        (a, b) => compare::compare(&by_id(a.to_value()), &by_id(b.clone())),
    };
    ordering.is_some_and(|ordering| match op {
        PredicateOp::Lt => ordering.is_lt(),
        PredicateOp::Lte => ordering.is_le(),
        PredicateOp::Gt => ordering.is_gt(),
        PredicateOp::Gte => ordering.is_ge(),
        PredicateOp::Eq => ordering.is_eq(),
        PredicateOp::Neq => ordering.is_ne(),
    })
}

fn type_named(name: &Str, cx: &Context<'_>) -> Result<GType, QueryError> {
    GType::from_name(name).ok_or_else(|| {
        let name = values::excerpt(name);
        QueryError::step(
            &cx.op.step,
            format!("typeOf: `{name}` is not a type; use one of GType's names, such as INT"),
        )
    })
}

/// The side-effects whose whole value a predicate compares with. (A `within` keeps track of its own.)
pub(super) fn reads_side_effect(predicate: &Predicate, found: &mut Vec<SideEffectId>) {
    match predicate {
        Predicate::Compare(_, Operand::SideEffect(id)) | Predicate::Text(_, Operand::SideEffect(id)) => {
            found.push(*id);
        }
        Predicate::Compare(..) | Predicate::Text(..) | Predicate::Within { .. } | Predicate::TypeOf(_) => {}
        Predicate::And(all) | Predicate::Or(all) => all.iter().for_each(|p| reads_side_effect(p, found)),
        Predicate::Not(one) => reads_side_effect(one, found),
    }
}
