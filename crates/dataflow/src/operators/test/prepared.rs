//! A test that stays ready from batch to batch.

use planner::physical::{Predicate, SideEffectId, Test};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::Context;

use super::super::predicate::{Resolver, reads_side_effect};
use super::super::view::Graph;
use super::{Ready, Rows};

/// A test with its operands, made anew only when a side-effect among them has changed.
#[derive(Debug, Default)]
pub(in crate::operators) struct Prepared {
    ready: Option<Ready>,
    /// Side-effects whose values are operands, at the version they were read at.
    watched: Vec<(SideEffectId, u64)>,
}

impl Prepared {
    /// The test, ready for the next batch.
    ///
    /// # Errors
    /// If an operand is malformed.
    pub(in crate::operators) fn ready(
        &mut self,
        test: &Test,
        with: Resolver<'_>,
    ) -> Result<&Ready, QueryError> {
        let side_effects = &with.cx.query.side_effects;
        let fresh = self.watched.iter().all(|(id, version)| side_effects.version(*id) == *version)
            && self.ready.as_mut().is_some_and(|ready| ready.refresh(with));
        if !fresh {
            let mut found = Vec::new();
            side_effects_of(test, &mut found);
            self.watched = found.into_iter().map(|id| (id, side_effects.version(id))).collect();
            self.ready = None;
        }
        match &mut self.ready {
            Some(ready) => Ok(ready),
            none => Ok(none.insert(Ready::new(test, with)?)),
        }
    }

    /// The rows of a batch whose traversers pass.
    ///
    /// # Errors
    /// If an operand is malformed or the test cannot be applied.
    pub(in crate::operators) fn passing(
        &mut self,
        test: &Test,
        batch: &Batch,
        cx: &Context<'_>,
        graph: &Graph<'_>,
    ) -> Result<Rows, QueryError> {
        let ready = self.ready(test, Resolver { cx, graph })?;
        let mut rows = Rows::All(batch.len);
        ready.narrow(&mut rows, batch, cx, graph)?;
        Ok(rows)
    }
}

/// The side-effects whose whole values a test compares with.
fn side_effects_of(test: &Test, found: &mut Vec<SideEffectId>) {
    let mut of = |predicate: &Predicate| reads_side_effect(predicate, found);
    match test {
        Test::Is(p)
        | Test::SlotIs(_, p)
        | Test::Has(_, p)
        | Test::HasNamed(_, p)
        | Test::HasId(p)
        | Test::LabelIs(p)
        | Test::PropertyKey(p)
        | Test::PropertyValue(p)
        | Test::Members(_, p)
        | Test::Loops(p) => of(p),
        Test::And(tests) | Test::Or(tests) => tests.iter().for_each(|t| side_effects_of(t, found)),
        Test::Not(test) => side_effects_of(test, found),
        Test::HasKey(_)
        | Test::Label { .. }
        | Test::Mark(_)
        | Test::Present(_)
        | Test::Given(..)
        | Test::SimplePath(..)
        | Test::Constant(_) => {}
    }
}
