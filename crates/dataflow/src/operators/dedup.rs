//! `dedup`: one traverser per distinct object or combination of slots.

use std::sync::Arc;

use parking_lot::Mutex;
use planner::physical::{By, OpKind};
use values::Value;

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::fan::trace;
use super::held::Held;
use super::seen::Seen;
use super::slots::object;

/// What was seen, and the memory charged for it.
#[derive(Debug, Default)]
struct Memory {
    seen: Seen,
    held: Held,
}

/// See the module. The first traverser with an object passes, with a bulk of one.
#[derive(Default)]
pub(super) struct Dedup {
    own: Memory,
    /// The memory that all iterations of the enclosing loop share, where the plan asks for it.
    shared: Option<Arc<Mutex<Memory>>>,
}

impl Operator for Dedup {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Dedup { by, across_iterations }) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        if let (true, Some(memory), None) = (across_iterations, cx.loop_memory, &self.shared) {
            self.shared = Some(memory.shared::<Mutex<Memory>>(cx.op.id));
        }
        let rows = match &self.shared {
            Some(shared) => shared.lock().admit(&batch, by, cx)?,
            None => self.own.admit(&batch, by, cx)?,
        };
        let mut distinct = match rows.len() {
            0 => return Ok(Step::Idle),
            n if n == batch.len => batch,
            _ => batch.gather(&rows),
        };
        distinct.bulk = None;
        trace(&mut distinct, cx.op);
        out.emit(distinct);
        Ok(Step::Idle)
    }

    fn reset(&mut self) {
        self.own.seen.clear();
        self.own.held.release();
        self.shared = None;
    }
}

impl Memory {
    /// The rows that are new.
    fn admit(&mut self, batch: &Batch, by: &[By], cx: &Context<'_>) -> Result<Vec<u32>, QueryError> {
        let mut rows = Vec::with_capacity(batch.len);
        let single = cx.single_tag;
        match (by, &*batch.current) {
            ([] | [By::Current], Column::Vertices(vertices)) => {
                for (row, v) in vertices.iter().enumerate() {
                    if self.seen.insert_vertex(single, batch.tags.get(row), *v) {
                        rows.push(row as u32);
                    }
                }
            }
            ([] | [_], _) => {
                let by = by.first().unwrap_or(&By::Current);
                for row in 0..batch.len {
                    let Some(object) = object(batch, by, row) else { continue };
                    if self.seen.insert(single, batch.tags.get(row), object) {
                        rows.push(row as u32);
                    }
                }
            }
            (several, _) => {
                for row in 0..batch.len {
                    let objects: Option<Vec<Value>> =
                        several.iter().map(|by| object(batch, by, row)).collect();
                    if objects.is_some_and(|o| self.seen.insert_combination(batch.tags.get(row), o)) {
                        rows.push(row as u32);
                    }
                }
            }
        }
        self.held.set(cx, self.seen.bytes())?;
        Ok(rows)
    }
}
