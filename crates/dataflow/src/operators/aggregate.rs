//! `count`, `sum`, `min`, `max`, `mean`, `fold`.

use planner::physical::{Aggregation, OpKind};
use values::Value;
use values::number::{self, ArithmeticError};

use crate::batch::{Batch, Column, bulk};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::held::Held;
use super::per_tag::PerTag;
use super::reduce::{emit_results, owed};
use super::seen::extent;

/// What has been reduced so far. Which field counts depends on the aggregation.
#[derive(Debug, Default)]
struct State {
    /// Traversers (`count`) or numbers (`mean`).
    count: u64,
    /// The sum, the smallest or the largest so far; `None` if nothing has come.
    value: Option<Value>,
    list: Vec<Value>,
}

/// See the module. `count` and `fold` have a result for a stream without traversers too.
#[derive(Default)]
pub(super) struct Aggregate {
    states: PerTag<State>,
    held: Held,
    /// Whether the input has ended.
    ended: bool,
}

impl Operator for Aggregate {
    fn step(
        &mut self,
        input: Option<Batch>,
        cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Aggregate(aggregation)) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        if *aggregation == Aggregation::Count && cx.single_tag {
            let state = self.states.at(0);
            state.count = bulk::sum(state.count, batch.total_bulk());
            return Ok(Step::Idle);
        }
        if cx.single_tag && self.states.at(0).add_longs(*aggregation, &batch) {
            return Ok(Step::Idle);
        }
        let mut bytes = 0;
        for row in 0..batch.len {
            let state = self.states.at(batch.tags.get(row));
            let count = batch.bulk(row);
            if *aggregation == Aggregation::Count {
                state.count = bulk::sum(state.count, count);
                continue;
            }
            let Some(value) = batch.current.get(row) else { continue };
            if *aggregation == Aggregation::Fold {
                let copies = bulk::exact(count)? as usize;
                // Nothing has more room than that.
                bytes += extent(&value) + size_of::<Value>().saturating_mul(copies).min(1 << 60);
                // Charged before it is allocated: a bulk may be enormous.
                if bytes > CHARGED_AT_ONCE {
                    self.held.grow(cx, std::mem::take(&mut bytes))?;
                }
                state.list.extend(std::iter::repeat_n(value, copies));
                continue;
            }
            if let Aggregation::Sum | Aggregation::Mean = aggregation {
                bulk::exact(count)?;
            }
            let added = state.add(*aggregation, value, count);
            added.map_err(|e| QueryError::step(&cx.op.step, e.to_string()))?;
        }
        self.held.grow(cx, bytes)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Aggregate(aggregation) = &cx.op.kind else { return Ok(Step::Idle) };
        if !std::mem::replace(&mut self.ended, true)
            && matches!(aggregation, Aggregation::Count | Aggregation::Fold)
        {
            owed(cx).for_each(|tag| _ = self.states.at(tag));
        }
        let mut results = Vec::with_capacity(self.states.len().min(Batch::TARGET_ROWS));
        for _ in 0..Batch::TARGET_ROWS {
            let Some((tag, state)) = self.states.take_next() else {
                emit_results(results, cx, out);
                self.held.release();
                return Ok(Step::Idle);
            };
            if cx.entered.contains(tag) {
                results.extend(state.result(*aggregation, cx)?.map(|value| (tag, value)));
            }
        }
        emit_results(results, cx, out);
        Ok(Step::More)
    }

    fn reset(&mut self) {
        self.states.clear();
        self.held.release();
        self.ended = false;
    }
}

/// Bytes after which they are charged even in the middle of a batch.
const CHARGED_AT_ONCE: usize = 1 << 16;

impl State {
    /// Reduces a batch of longs, one each, with what longs before have come to; `false` if it is anything else, or too much
    /// for a long: then nothing was added.
    fn add_longs(&mut self, aggregation: Aggregation, batch: &Batch) -> bool {
        let (Column::Longs(longs), None) = (&*batch.current, &batch.bulk) else { return false };
        let before = match &self.value {
            None => None,
            Some(Value::Long(before)) => Some(*before),
            Some(_) => return false,
        };
        let mut longs = longs.iter().copied();
        let count = longs.len() as u64;
        let value = match aggregation {
            Aggregation::Sum | Aggregation::Mean => {
                longs.try_fold(before.unwrap_or(0), |sum: i64, long| sum.checked_add(long))
            }
            Aggregation::Min => before.into_iter().chain(longs).min(),
            Aggregation::Max => before.into_iter().chain(longs).max(),
            Aggregation::Count | Aggregation::Fold => None,
        };
        let Some(value) = value.filter(|_| count > 0) else { return false };
        self.count = bulk::sum(self.count, count);
        self.value = Some(Value::Long(value));
        true
    }

    /// Takes `count` times a value in. Nulls leave the result as it is, but are a reason to have one.
    fn add(&mut self, aggregation: Aggregation, value: Value, count: u64) -> Result<(), ArithmeticError> {
        let Some(held) = self.value.take() else {
            let first = match aggregation {
                Aggregation::Sum | Aggregation::Mean if !value.is_null() => {
                    self.count = count;
                    times(aggregation, &value, count)?
                }
                Aggregation::Min | Aggregation::Max => {
                    number::check_comparable(&value)?;
                    value
                }
                _ => value,
            };
            self.value = Some(first);
            return Ok(());
        };
        let result = match aggregation {
            Aggregation::Min => number::min(&held, &value)?,
            Aggregation::Max => number::max(&held, &value)?,
            _ if value.is_null() => held,
            _ => {
                self.count = bulk::sum(self.count, count);
                let more = times(aggregation, &value, count)?;
                if held.is_null() { more } else { number::add(&held, &more)? }
            }
        };
        self.value = Some(result);
        Ok(())
    }

    fn result(self, aggregation: Aggregation, cx: &Context<'_>) -> Result<Option<Value>, QueryError> {
        Ok(match aggregation {
            Aggregation::Count => Some(Value::Long(bulk::exact(self.count)?)),
            Aggregation::Fold => Some(self.list.into()),
            Aggregation::Mean => match self.value {
                Some(sum) if !sum.is_null() => {
                    let mean = number::mean(&sum, bulk::exact(self.count)?);
                    Some(mean.map_err(|e| QueryError::step(&cx.op.step, e.to_string()))?)
                }
                other => other,
            },
            _ => self.value,
        })
    }
}

/// A value times its bulk. A sum keeps the type of its numbers where it can; a mean adds up in longs.
fn times(aggregation: Aggregation, value: &Value, bulk: u64) -> Result<Value, ArithmeticError> {
    if bulk == 1 && aggregation == Aggregation::Sum && value.is_number() {
        return Ok(value.clone());
    }
    let bulk = Value::Long(bulk as i64);
    let factor = match value.number_type() {
        Some(to) if aggregation == Aggregation::Sum => number::cast(&bulk, to).unwrap_or(bulk),
        _ => bulk,
    };
    number::mul(value, &factor)
}
