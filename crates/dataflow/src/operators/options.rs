//! Which of several options a value takes: the first one whose predicate it satisfies.
//!
//! ```text
//! choose(label()).option('a', …).option('b', …).option(startingWith('c'), …)
//!     texts    a ─▶ 0, b ─▶ 1          looked up, however many there are
//!     others   2: starts with c        asked one after the other, as far as one could still be the first
//! ```

use graph::ValueRef;
use gremlin::PredicateOp;
use planner::physical::{Operand, Predicate};
use rustc_hash::FxHashMap;
use values::{Str, Value};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::Context;

use super::predicate::{At, Check, Resolver};
use super::view::Graph;

/// The options of a scope, for all runs of a query.
pub(crate) struct Options {
    /// Those that ask for one text, by it: the first of each.
    texts: FxHashMap<Str, usize>,
    /// Which the others are, ascending.
    others: Vec<usize>,
}

/// The options with the operands of the others, for one batch.
pub(crate) struct ReadyOptions<'o> {
    texts: &'o FxHashMap<Str, usize>,
    others: Vec<(usize, Check)>,
}

impl Options {
    pub(crate) fn new(predicates: &[Predicate], cx: &Context<'_>) -> Self {
        let (mut texts, mut others) = (FxHashMap::default(), Vec::new());
        for (number, predicate) in predicates.iter().enumerate() {
            match text_of(predicate, cx) {
                Some(text) => {
                    texts.entry(text).or_insert(number);
                }
                None => others.push(number),
            }
        }
        Self { texts, others }
    }

    /// Looks up operands.
    ///
    /// # Errors
    /// If one is malformed.
    pub(crate) fn ready(
        &self,
        predicates: &[Predicate],
        cx: &Context<'_>,
        graph: &Graph<'_>,
    ) -> Result<ReadyOptions<'_>, QueryError> {
        let check = |&number: &usize| Ok((number, Check::new(&predicates[number], Resolver { cx, graph })?));
        let others = self.others.iter().map(check).collect::<Result<_, QueryError>>()?;
        Ok(ReadyOptions { texts: &self.texts, others })
    }
}

impl ReadyOptions<'_> {
    /// The number of the option that a value takes.
    pub(crate) fn first(&self, value: &Value, batch: &Batch, row: usize, graph: &Graph<'_>) -> Option<usize> {
        let known = match value {
            Value::String(text) => self.texts.get(text).copied(),
            _ => None,
        };
        let mut before =
            self.others.iter().take_while(|(number, _)| known.is_none_or(|known| *number < known));
        let holds = |check: &Check| {
            values::watch::tick();
            check.holds(ValueRef::of(value), At { batch, row, graph })
        };
        before.find(|(_, check)| holds(check)).map(|(number, _)| *number).or(known)
    }
}

/// The text that a predicate asks for, and that is the same for all traversers.
fn text_of(predicate: &Predicate, cx: &Context<'_>) -> Option<Str> {
    let Predicate::Compare(PredicateOp::Eq, operand) = predicate else { return None };
    let value = match operand {
        Operand::Const(value) => value,
        Operand::Param(index) => cx.query.params.get(*index as usize)?,
        Operand::Slot(_) | Operand::SideEffect(_) => return None,
    };
    match value {
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}
