//! `has`, `is`, `where` with predicates, `simplePath`: keeps the traversers that satisfy a test. And `coin`.

use std::sync::Arc;

use planner::physical::OpKind;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::random::Random;
use super::row_origins::trace;
use super::seeded;
use super::test::Prepared;
use super::view::View;

/// See the module.
#[derive(Default)]
pub(super) struct Filter {
    test: Prepared,
}

impl Operator for Filter {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Filter(test)) = (input, &cx.op.kind) else { return Ok(Step::Idle) };
        let view = View::of(cx);
        let rows = self.test.passing(test, &batch, cx, &view.graph())?;
        let mut passed = match rows.len() {
            0 => return Ok(Step::Idle),
            n if n == batch.len => batch,
            _ => batch.gather(&rows.into_vec()),
        };
        trace(&mut passed, cx.op);
        out.emit(passed);
        Ok(Step::Idle)
    }

    fn is_blank(&self) -> bool {
        true
    }

    fn reset(&mut self) {}
}

/// `coin(p)`: each traverser stays with probability p, also of those that travel as one.
#[derive(Default)]
pub(super) struct Coin {
    random: Option<Random>,
}

impl Operator for Coin {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Coin(probability)) = (input, &cx.op.kind) else { return Ok(Step::Idle) };
        let random = self.random.get_or_insert_with(|| Random::of(cx));
        let seeded = cx.query.draws.seeded(cx.op.id, |random| {
            (0..batch.len).map(|row| seeded::coin(random, batch.bulk(row), *probability)).collect()
        });
        let bulks: Vec<u64> = seeded.unwrap_or_else(|| {
            (0..batch.len).map(|row| random.binomial(batch.bulk(row), *probability)).collect()
        });
        let rows: Vec<u32> = (0..batch.len as u32).filter(|&row| bulks[row as usize] > 0).collect();
        let mut passed = batch.gather(&rows);
        if batch.bulk.is_some() {
            passed.bulk = Some(Arc::new(bulks.into_iter().filter(|&bulk| bulk > 0).collect()));
        }
        trace(&mut passed, cx.op);
        out.emit(passed);
        Ok(Step::Idle)
    }

    fn reset(&mut self) {}
}
