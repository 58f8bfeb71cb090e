//! Objects that come from nowhere.

use std::sync::Arc;

use planner::physical::{Injected, OpKind};
use values::Value;

use crate::batch::{Batch, Column, Paths, Tags};
use crate::entered::TagSet;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::reduce::owed;
use super::super::row_origins::trace;

/// `inject`: once per scope tag the given objects and the input's own traversers, whichever are first. The seed of a query is no
/// traverser of its own.
#[derive(Default)]
pub(in crate::operators) struct Inject {
    /// Tags that have got their objects.
    injected: TagSet,
}

impl Inject {
    /// Emits the objects for all tags that have not got them.
    fn inject(&mut self, like: Option<&Batch>, cx: &Context<'_>, out: &mut Output) {
        let OpKind::Inject(operands, _) = &cx.op.kind else { return };
        let seed = Batch::seed(cx.query.plan.slots as usize, cx.query.plan.paths);
        let like = like.unwrap_or(&seed);
        let objects: Vec<Value> = operands.iter().filter_map(|o| cx.operand(o, like, 0)).collect();
        let fresh: Vec<u32> = owed(cx).filter(|tag| !self.injected.contains(*tag)).collect();
        fresh.iter().for_each(|tag| self.injected.insert(*tag));
        if fresh.is_empty() || objects.is_empty() {
            return;
        }
        let len = fresh.len() * objects.len();
        let column = Column::from_values(fresh.iter().flat_map(|_| objects.iter().cloned()).collect());
        let mut batch = Batch::new(column, len);
        batch.slots = vec![None; cx.query.plan.slots as usize];
        batch.path = cx.query.plan.paths.then(|| Arc::new(Paths::empty(len)));
        if !cx.single_tag {
            let tags = fresh.iter().flat_map(|tag| std::iter::repeat_n(*tag, objects.len()));
            batch.tags = Tags::Rows(Arc::new(tags.collect()));
        }
        trace(&mut batch, cx.op);
        out.emit(batch);
    }
}

impl Operator for Inject {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if !matches!(cx.op.kind, OpKind::Inject(_, Injected::Last)) {
            self.inject(input.as_ref(), cx, out);
        }
        if let Some(mut batch) = input.filter(|batch| !is_seed(batch)) {
            // What passes is called what the new objects are.
            batch.relabel_path(&cx.op.labels);
            out.emit(batch);
        }
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.inject(None, cx, out);
        Ok(Step::Idle)
    }

    fn reset(&mut self) {
        self.injected.clear();
    }
}

/// Whether this is the seed. No operator emits a uniform null, so nothing else looks like it.
fn is_seed(batch: &Batch) -> bool {
    *batch.current == Column::Uniform(Value::Null)
        && batch.slots.iter().all(Option::is_none)
        && batch.path.as_ref().is_none_or(|paths| paths.is_empty())
}
