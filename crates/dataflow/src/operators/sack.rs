//! `sack`: what each traverser carries.

use std::sync::Arc;

use gremlin::Operator;
use planner::physical::{By, OpKind, Sack};
use values::{Value, watch};

use crate::batch::{Batch, Column};
use crate::combine::combine;
use crate::error::QueryError;
use crate::operator::Context;

use super::local::{count, each};
use super::row_origins::trace;
use super::slots::{object, present};

/// Bytes of a member of a collection.
const MEMBER: usize = 4 * size_of::<Value>();

/// What a traverser has in its sack.
pub(super) fn sack_of(sack: &Sack, batch: &Batch, row: usize, cx: &Context<'_>) -> Value {
    let kept = batch.slot(sack.slot).and_then(|column| column.get(row));
    kept.or_else(|| cx.operand(&sack.initial, batch, row)).unwrap_or_default()
}

/// `sack()`: what is in it becomes the current object.
pub(super) fn sack(mut batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Sack(sack) = &cx.op.kind else { return Ok(Some(batch)) };
    let values = (0..batch.len).map(|row| sack_of(sack, &batch, row, cx)).collect();
    batch.current = Arc::new(Column::from_values(values));
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// `sack(operator)`: something is put into it. Traversers of which the `by` has no result are dropped.
pub(super) fn sack_with(batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::SackWith(with) = &cx.op.kind else { return Ok(Some(batch)) };
    let by_slot = match &with.by {
        By::Slot(slot) => present(batch, *slot),
        By::Current => Some(batch),
    };
    let Some(mut batch) = by_slot else { return Ok(None) };
    let mut sacks = Vec::with_capacity(batch.len);
    for row in 0..batch.len {
        watch::tick();
        let added = object(&batch, &with.by, row).unwrap_or_default();
        let held = sack_of(&with.sack, &batch, row, cx);
        sacks.push(both(with.operator, held, added, cx)?);
    }
    batch.set_slot(with.into, Arc::new(Column::from_values(sacks)));
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// One sack of two.
pub(super) fn both(
    operator: Operator,
    held: Value,
    added: Value,
    cx: &Context<'_>,
) -> Result<Value, QueryError> {
    match operator {
        Operator::AddAll if held.is_null() => Ok(added),
        Operator::AddAll if added.is_null() => Ok(held),
        Operator::AddAll => add_all(held, &added, cx),
        operator => combine(operator, held, added, &cx.op.step),
    }
}

/// Both collections, or both maps, in one. What leaves is charged with the batch that it is in; here there must be room for it.
fn add_all(mut held: Value, added: &Value, cx: &Context<'_>) -> Result<Value, QueryError> {
    let bytes = (count(&held).saturating_add(count(added))).saturating_mul(MEMBER).min(isize::MAX as usize);
    cx.charge(bytes as isize)?;
    cx.charge(-(bytes as isize))?;
    let is_collection = matches!(added, Value::List(_) | Value::Set(_) | Value::BulkSet(_));
    match &mut held {
        Value::Map(map) if matches!(added, Value::Map(_)) => {
            let map = Arc::make_mut(map);
            if let Value::Map(more) = added {
                for (key, value) in more.iter() {
                    watch::tick();
                    map.insert(key.clone(), value.clone());
                }
            }
        }
        Value::List(list) if is_collection => Arc::make_mut(list).extend(each(added)),
        Value::Set(set) if is_collection => {
            let set = Arc::make_mut(set);
            each(added).for_each(|member| _ = set.insert(member));
        }
        _ => {
            let (one, other) = (held.type_name(), added.type_name());
            let message = format!("Objects must be both of Map or Collection: a={one} b={other}");
            return Err(QueryError::step(&cx.op.step, message));
        }
    }
    Ok(held)
}
