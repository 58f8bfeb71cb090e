//! Moving objects between the current place and slots: `as`, the ends of modulated steps, `project`.

use std::sync::Arc;

use planner::physical::{By, OpKind, Slot, op};
use values::{Map, Value};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::row_origins::trace;

/// `as('a')`: the current object into a slot, by sharing the column.
pub(super) fn store(mut batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    if let OpKind::Store(slot) = &cx.op.kind {
        batch.set_slot(*slot, batch.current.clone());
    }
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// A slot's object becomes the current one. Traversers without one are dropped.
pub(super) fn load(batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Load(slot) = &cx.op.kind else { return Ok(Some(batch)) };
    let Some(mut batch) = present(batch, *slot) else { return Ok(None) };
    if let Some(column) = batch.slot(*slot) {
        batch.current = match &**column {
            // A uniform null is the seed's alone.
            Column::Uniform(Value::Null) => Arc::new(Column::Values(vec![Value::Null; batch.len])),
            Column::Optional(values) => Arc::new(Column::from_optional(values.clone())),
            _ => column.clone(),
        };
    }
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// The traversers whose slot is filled.
pub(super) fn present(batch: Batch, slot: Slot) -> Option<Batch> {
    match batch.slot(slot).cloned() {
        None => None,
        Some(column) => match &*column {
            Column::Optional(values) => batch.filter(|row| values[row].is_some()),
            _ => Some(batch),
        },
    }
}

/// Frees slots that nothing downstream reads.
pub(super) fn forget(mut batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    if let OpKind::Forget(slots) = &cx.op.kind {
        for slot in slots {
            if let Some(column) = batch.slots.get_mut(slot.0 as usize) {
                *column = None;
            }
        }
    }
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// `project`: a map of what is in the slots; absent ones are left out.
pub(super) fn project(mut batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Project(op::Project { entries }) = &cx.op.kind else { return Ok(Some(batch)) };
    let maps = (0..batch.len).map(|row| {
        let mut map = Map::with_capacity(entries.len());
        for (key, by) in entries {
            if let Some(value) = object(&batch, by, row) {
                map.insert(key.clone(), value);
            }
        }
        Value::from(map)
    });
    batch.current = Arc::new(Column::Values(maps.collect()));
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// What a `by` gives for a row.
#[inline]
pub(super) fn object(batch: &Batch, by: &By, row: usize) -> Option<Value> {
    match by {
        By::Current => batch.current.get(row),
        By::Slot(slot) => batch.slot(*slot)?.get(row),
    }
}
