//! The barriers at which the sacks of equal traversers are merged.

use std::sync::Arc;

use gremlin::Operator as Reducer;
use planner::physical::{MergeSacks as Plan, OpKind};
use rustc_hash::FxHashMap;
use values::{Value, number, watch};

use crate::batch::{Batch, Column, bulk};
use crate::error::QueryError;
use crate::growing::GrowingMap;
use crate::memory::{StateMemory, reclaim};
use crate::operator::{Context, Operator, Output, Step};

use super::barrier::{Histories, Identity, identity};
use super::row_origins::trace;
use super::row_store::{Place, RowStore};
use super::sack::{both, sack_of};
use super::seen::extent;
use super::sorting::Sorting;

/// Rows that leave a barrier at once.
const ROWS: usize = Batch::TARGET_ROWS;

/// Sacks that are added up between two looks at the clock.
const BETWEEN_LOOKS: usize = 1 << 10;

/// A barrier that equal traversers leave as one, their sacks merged; or all of them one by one. There may be millions: what it does with all of them it does
/// little by little.
#[derive(Default)]
pub(super) struct MergeSacks {
    store: RowStore,
    /// The traversers that are kept, with their sacks.
    kept: GrowingMap<Identity, Kept>,
    /// For each scope tag the sum of its sacks, if they become parts of it; of so many traversers by now.
    totals: FxHashMap<u32, Value>,
    summed: usize,
    /// At the end, by tags, if there are several.
    sorting: Option<Sorting>,
    order: Option<Vec<u32>>,
    /// How many have left.
    left: usize,
    /// Bytes of the sacks that were merged, and those of them that are charged.
    merged: usize,
    charged: usize,
    held: StateMemory,
}

/// A traverser that is kept.
struct Kept {
    place: Place,
    sack: Value,
    /// Bytes of its sack, if that was merged: the others are in their batches. Of a set or a map, which may have had what was added,
    /// at most twice as many.
    merged: usize,
    /// What it was when it was last measured.
    measured: usize,
}

/// Bytes of merged sacks after which they are charged.
const CHARGED_AT_ONCE: usize = 1 << 20;

impl Operator for MergeSacks {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, _: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::MergeSacks(plan)) = (input, &cx.op.kind) else { return Ok(Step::Idle) };
        let batch = Arc::new(batch);
        let number = self.store.add(batch.clone());
        for row in 0..batch.len {
            watch::tick();
            let sack = sack_of(&plan.sack, &batch, row, cx);
            let place = Place { batch: number, row: row as u32, bulk: batch.bulk(row) };
            self.keep(plan, identity(&batch, row, batch.tags.get(row), Histories::of(cx)), place, sack, cx)?;
        }
        self.hold(cx)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::MergeSacks(plan) = &cx.op.kind else { return Ok(Step::Idle) };
        if plan.normalise && !self.sum(plan, cx)? || !cx.single_tag && !self.sort(cx) {
            return Ok(Step::More);
        }
        let end = self.kept.len().min(self.left + ROWS);
        if self.left == end {
            return Ok(Step::Idle);
        }
        let (mut places, mut sacks) =
            (Vec::with_capacity(end - self.left), Vec::with_capacity(end - self.left));
        for at in std::mem::replace(&mut self.left, end)..end {
            let number = self.order.as_ref().map_or(at, |order| order[at] as usize);
            let total = self.kept.key(number).and_then(|identity| self.totals.get(&identity.0));
            let Some(Kept { place, sack, .. }) = self.kept.value_mut(number) else { continue };
            sacks.push(match total {
                None => std::mem::take(sack),
                Some(total) => {
                    let whole = arithmetic(number::mul(sack, &times(plan, place)), cx)?;
                    arithmetic(number::div(&whole, total), cx)?
                }
            });
            places.push(Place { bulk: if plan.bulks { place.bulk } else { 1 }, ..*place });
        }
        let mut batch = self.store.gather(&places);
        batch.set_slot(plan.into, Arc::new(Column::from_values(sacks)));
        trace(&mut batch, cx.op);
        out.emit(batch);
        Ok(Step::More)
    }

    fn reset(&mut self) {
        let bytes = self.held.bytes();
        let old = std::mem::take(self);
        if bytes > reclaim::KEPT {
            reclaim::free(old, bytes);
        }
    }
}

impl Kept {
    /// Bytes of the sack. A collection that grows is not measured again each time: of what was added to it, it has so many at most. A
    /// list has them.
    fn bytes_with(&mut self, added: Option<usize>) -> usize {
        match added {
            Some(bytes) if matches!(self.sack, Value::List(_)) || bytes <= 2 * self.measured => bytes,
            _ => {
                self.measured = extent(&self.sack);
                self.measured
            }
        }
    }
}

impl MergeSacks {
    /// Charges for what is kept.
    fn hold(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        self.charged = self.merged;
        let entry = size_of::<Identity>() + size_of::<Kept>() + 16;
        self.held.set(&cx.query.memory, self.store.bytes() + self.kept.len() * entry + self.merged)
    }

    /// Keeps a traverser: with one that it equals, if there is one and they do not stay apart.
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
        // Nobody who carries something is what another one is.
        let history =
            if plan.apart && sack != Value::Null { (u64::MAX, self.kept.len() as u64) } else { history };
        let mut new = Some(sack);
        let make = || Kept { place, sack: new.take().unwrap_or_default(), merged: 0, measured: 0 };
        let (_, kept, is_new) = self.kept.get_or_insert((tag, object, slots, history), make);
        if is_new {
            return Ok(());
        }
        kept.place.bulk = bulk::sum(kept.place.bulk, place.bulk);
        if let (Some(operator), Some(sack)) = (plan.merge, new) {
            let added = (operator == Reducer::AddAll).then(|| kept.merged + extent(&sack));
            kept.sack = both(operator, std::mem::take(&mut kept.sack), sack, cx)?;
            let bytes = kept.bytes_with(added);
            self.merged = self.merged - std::mem::replace(&mut kept.merged, bytes) + bytes;
        }
        if self.merged > self.charged + CHARGED_AT_ONCE { self.hold(cx) } else { Ok(()) }
    }

    /// Adds up the sacks, as many as traversers have them; whether all are.
    fn sum(&mut self, plan: &Plan, cx: &Context<'_>) -> Result<bool, QueryError> {
        while self.summed < self.kept.len() {
            let tag = self.kept.key(self.summed).map_or(0, |identity| identity.0);
            if let Some(Kept { place, sack, .. }) = self.kept.value_mut(self.summed) {
                let total = self.totals.entry(tag).or_insert(Value::Double(0.0));
                let whole = arithmetic(number::mul(sack, &times(plan, place)), cx)?;
                *total = arithmetic(number::add(total, &whole), cx)?;
            }
            self.summed += 1;
            if self.summed.is_multiple_of(BETWEEN_LOOKS) && cx.quota.is_spent() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Puts those of one scope tag together; whether all are.
    fn sort(&mut self, cx: &Context<'_>) -> bool {
        if self.order.is_some() {
            return true;
        }
        let kept = &self.kept;
        let tag = |number: u32| kept.key(number as usize).map(|identity| identity.0);
        let mut sorting = self.sorting.take().unwrap_or_else(|| Sorting::of(kept.len() as u32));
        if !sorting.go_on(|a, b| tag(a).cmp(&tag(b)), || cx.quota.is_spent()) {
            self.sorting = Some(sorting);
            return false;
        }
        self.order = Some(sorting.sorted());
        true
    }
}

/// How many traversers a place stands for, as a number to multiply by: one where bulks do not count.
fn times(plan: &Plan, place: &Place) -> Value {
    if !plan.bulks {
        return Value::Long(1);
    }
    Value::Long(i64::try_from(place.bulk).unwrap_or(i64::MAX))
}

fn arithmetic(made: Result<Value, number::ArithmeticError>, cx: &Context<'_>) -> Result<Value, QueryError> {
    made.map_err(|error| QueryError::step(&cx.op.step, error.to_string()))
}
