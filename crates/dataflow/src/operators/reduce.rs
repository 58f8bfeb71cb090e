//! Results of barriers that reduce a stream to one object per scope tag.

use std::sync::Arc;

use values::Value;

use crate::batch::{Batch, Column, Paths, Tags};
use crate::operator::{Context, Output};

use super::row_origins::trace;

/// Emits one traverser per tag. It has no past: its path begins here.
pub(super) fn emit_results(results: Vec<(u32, Value)>, cx: &Context<'_>, out: &mut Output) {
    let (tags, values): (Vec<u32>, Vec<Value>) = results.into_iter().unzip();
    let len = tags.len();
    if len == 0 {
        return;
    }
    let mut batch = Batch::new(Column::from_values(values), len);
    batch.tags = if cx.single_tag { Tags::Uniform(0) } else { Tags::Rows(Arc::new(tags)) };
    batch.slots = vec![None; cx.query.plan.slots as usize];
    batch.path = cx.query.plan.history.is_kept().then(|| Arc::new(Paths::empty(len)));
    trace(&mut batch, cx.op);
    out.emit(batch);
}

/// The tags that are owed a result even if nothing has come so far as here.
pub(super) fn owed<'a>(cx: &Context<'a>) -> impl Iterator<Item = u32> + use<'a> {
    cx.entered.within(0..tags(cx))
}

/// How many tags there are; which of them have entered is another question.
pub(super) fn tags(cx: &Context<'_>) -> u32 {
    if cx.single_tag { 1 } else { cx.tags }
}
