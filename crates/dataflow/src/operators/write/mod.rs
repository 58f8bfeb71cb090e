//! Changes of the graph: `addV`, `addE`, `mergeV`, `mergeE`, `property`, `drop`, `io`. They go into the query's transaction.

mod add;
mod drop;
mod file;
mod merge;
mod property;

use graph::Transaction;
use planner::physical::{OpKind, Operand, WriteKind};
use values::{Str, Value};

pub(super) use file::File;
pub(super) use merge::Merge;

use crate::batch::Batch;
use crate::detach::excerpt_of;
use crate::error::QueryError;
use crate::operator::Context;
use crate::operators::view::View;

/// Applies a change for each traverser.
pub(super) fn write(batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Write(kind) = &cx.op.kind else { return Ok(Some(batch)) };
    let change = change(cx)?;
    match kind {
        WriteKind::AddVertex { label, id, properties } => {
            change.add_vertices(&batch, label, id.as_ref(), properties).map(Some)
        }
        WriteKind::AddEdge { label, id, from, to, properties } => {
            let ends = (from.as_ref(), to.as_ref());
            change.add_edges(&batch, label, id.as_ref(), ends, properties).map(Some)
        }
        WriteKind::SetProperty(property) => change.set_properties(batch, property).map(Some),
        WriteKind::Update(map) => change.update_all(batch, map).map(Some),
        WriteKind::Drop => change.drop_all(&batch).map(|()| None),
        // They have operators of their own.
        WriteKind::Merge(_) | WriteKind::File(_) => Ok(Some(batch)),
    }
}

/// The change that a step makes.
fn change<'a>(cx: &'a Context<'a>) -> Result<Change<'a>, QueryError> {
    match cx.query.transaction() {
        Some(transaction) => Ok(Change { cx, transaction }),
        None => {
            let message = "a change of the graph outside of a transaction".into();
            Err(QueryError::Internal { step: cx.op.step.to_string(), message })
        }
    }
}

/// Most elements that one traverser adds: one for each of the equal traversers it stands for.
const MAX_BULK: u64 = 1_000_000;

/// Ticks of the query's watch for one change: some microseconds.
const TICKS: usize = 64;

/// The change of one step.
#[derive(Clone, Copy)]
struct Change<'a> {
    cx: &'a Context<'a>,
    transaction: &'a Transaction,
}

impl Change<'_> {
    fn error(&self, message: impl Into<String>) -> QueryError {
        QueryError::step(&self.cx.op.step, message)
    }

    /// The beginning of an object's text, for a message.
    fn excerpt_of(&self, object: &Value) -> String {
        let view = View::of(self.cx);
        excerpt_of(object, &view.graph().reader)
    }

    /// A name from an operand: a label or a key.
    fn name(&self, operand: &Operand, what: &str, batch: &Batch, row: usize) -> Result<Str, QueryError> {
        match self.cx.operand(operand, batch, row) {
            Some(Value::String(name)) => Ok(name),
            Some(other) => Err(self.error(format!("a {what} must be a string, not a {}", other.type_name()))),
            None => Err(self.error(format!("the traversal that gives the {what} has no result"))),
        }
    }
}
