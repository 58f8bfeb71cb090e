//! `dedup`: one traverser per distinct object or combination of slots.

use std::sync::Arc;

use parking_lot::Mutex;
use planner::physical::{By, OpKind, op};
use values::{Value, VertexRef};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};

use super::row_origins::trace;
use super::seen::Seen;
use super::slots::object;
use crate::memory::StateMemory;

/// What was seen, and the memory charged for it.
#[derive(Debug, Default)]
struct Memory {
    seen: Seen,
    held: StateMemory,
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
        let (Some(mut batch), OpKind::Dedup(op::Dedup { by, across_iterations, in_pieces })) =
            (input, &cx.op.kind)
        else {
            return Ok(Step::Idle);
        };
        if *in_pieces && cx.single_tag {
            trace(&mut batch, cx.op);
            out.emit(batch);
            return Ok(Step::Idle);
        }
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
        let bytes = self.own.held.bytes();
        if bytes > reclaim::KEPT {
            reclaim::free(std::mem::take(&mut self.own), bytes);
        }
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
                self.admit_vertices(vertices, batch, single, &mut rows);
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
        self.held.set(&cx.query.memory, self.seen.bytes())?;
        Ok(rows)
    }

    /// Appends the rows whose vertices are new.
    fn admit_vertices(&mut self, vertices: &[VertexRef], batch: &Batch, single: bool, rows: &mut Vec<u32>) {
        if !single {
            let is_new = |(row, v): (usize, &VertexRef)| {
                let row = row as u32;
                self.seen.insert_vertex(single, batch.tags.get(row as usize), *v).then_some(row)
            };
            return rows.extend(vertices.iter().enumerate().filter_map(is_new));
        }
        let mut new = Vec::with_capacity(vertices.len());
        self.seen.insert_vertices(single, 0, vertices.into(), vertices.len(), &mut new);
        if new.len() == vertices.len() {
            return rows.extend(0..vertices.len() as u32);
        }
        // Of equal vertices the first is the new one, if one is: so the next new one is the first that equals it.
        let mut new = new.into_iter().peekable();
        let is_new = |(row, v): (usize, &VertexRef)| new.next_if_eq(v).map(|_| row as u32);
        rows.extend(vertices.iter().enumerate().filter_map(is_new));
    }
}
