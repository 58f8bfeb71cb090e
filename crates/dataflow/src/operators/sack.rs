//! `sack`: what each traverser carries, and the barriers at which sacks are merged.

use std::sync::Arc;

use indexmap::IndexMap;
use indexmap::map::Entry;
use planner::physical::{By, MergeSacks as Plan, OpKind, Sack};
use values::{Value, number, watch};

use crate::batch::{Batch, Column, bulk};
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::{Context, Operator, Output, Step};

use super::barrier::{Identity, identity};
use super::combine::combine;
use super::row_origins::trace;
use super::row_store::{Place, RowStore};
use super::slots::{object, present};

/// Rows that leave a barrier at once.
const ROWS: usize = Batch::TARGET_ROWS;

/// What a traverser has in its sack.
fn sack_of(sack: &Sack, batch: &Batch, row: usize, cx: &Context<'_>) -> Value {
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
        sacks.push(combine(with.operator, held, added, cx)?);
    }
    batch.set_slot(with.into, Arc::new(Column::from_values(sacks)));
    trace(&mut batch, cx.op);
    Ok(Some(batch))
}

/// A barrier that equal traversers leave as one, their sacks merged.
#[derive(Default)]
pub(super) struct MergeSacks {
    store: RowStore,
    /// The traversers that are kept, with their sacks.
    kept: IndexMap<Identity, (Place, Value)>,
    /// How many have left.
    left: usize,
    held: StateMemory,
    ended: bool,
}

impl Operator for MergeSacks {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, _: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::MergeSacks(plan)) = (input, &cx.op.kind) else { return Ok(Step::Idle) };
        let batch = Arc::new(batch);
        let number = self.store.add(batch.clone());
        for row in 0..batch.len {
            watch::tick();
            let sack = sack_of(&plan.sack, &batch, row, cx);
            let place = Place { batch: number, row: row as u32, bulk: batch.bulk(row) };
            self.keep(plan, identity(&batch, row, batch.tags.get(row)), place, sack, cx)?;
        }
        let entry = size_of::<Identity>() + size_of::<(Place, Value)>() + 16;
        self.held.set(&cx.query.memory, self.store.bytes() + self.kept.len() * entry)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::MergeSacks(plan) = &cx.op.kind else { return Ok(Step::Idle) };
        if !std::mem::replace(&mut self.ended, true) {
            // Those of one scope tag leave together.
            self.kept.sort_by(|one, _, other, _| one.0.cmp(&other.0));
            if plan.normalise {
                self.normalise(cx)?;
            }
        }
        let first = self.left;
        let tag = self.kept.get_index(first).map(|(identity, _)| identity.0);
        let rest = self.kept.iter().skip(first).take(ROWS);
        let together = rest.take_while(|(identity, _)| Some(identity.0) == tag);
        let (places, sacks): (Vec<Place>, Vec<Value>) = together
            .map(|(_, (place, sack))| {
                (Place { bulk: if plan.bulks { place.bulk } else { 1 }, ..*place }, sack.clone())
            })
            .unzip();
        if places.is_empty() {
            return Ok(Step::Idle);
        }
        self.left += places.len();
        let mut batch = self.store.gather(&places);
        batch.set_slot(plan.into, Arc::new(Column::from_values(sacks)));
        trace(&mut batch, cx.op);
        out.emit(batch);
        Ok(Step::More)
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

impl MergeSacks {
    /// Keeps a traverser: with one that it equals, if there is one.
    fn keep(
        &mut self,
        plan: &Plan,
        (tag, object, mut slots, history): Identity,
        place: Place,
        sack: Value,
        cx: &Context<'_>,
    ) -> Result<(), QueryError> {
        if let Some(slot) = slots.get_mut(usize::from(plan.sack.slot.0)) {
            *slot = plan.merge.is_none().then(|| sack.clone());
        }
        match self.kept.entry((tag, object, slots, history)) {
            Entry::Vacant(entry) => _ = entry.insert((place, sack)),
            Entry::Occupied(mut entry) => {
                let (known, held) = entry.get_mut();
                known.bulk = bulk::sum(known.bulk, place.bulk);
                if let Some(operator) = plan.merge {
                    *held = combine(operator, std::mem::take(held), sack, cx)?;
                }
            }
        }
        Ok(())
    }

    /// Each sack becomes its part of the sum of those of its scope tag, as many as traversers have them.
    fn normalise(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        let problem = |error: number::ArithmeticError| QueryError::step(&cx.op.step, error.to_string());
        let times = |sack: &Value, place: &Place| {
            let bulk = i64::try_from(place.bulk).unwrap_or(i64::MAX);
            number::mul(sack, &Value::Long(bulk)).map_err(problem)
        };
        let mut totals: IndexMap<u32, Value> = IndexMap::new();
        for (identity, (place, sack)) in &self.kept {
            let total = totals.entry(identity.0).or_insert(Value::Double(0.0));
            *total = number::add(total, &times(sack, place)?).map_err(problem)?;
        }
        for (identity, (place, sack)) in &mut self.kept {
            let whole = times(sack, place)?;
            *sack = number::div(&whole, &totals[&identity.0]).map_err(problem)?;
        }
        Ok(())
    }
}
