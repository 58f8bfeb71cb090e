//! `count`, `sum`, `min`, `max`, `mean`, `fold`, `tree`.

use gremlin::Operator as Reducer;
use planner::physical::{Aggregation, OpKind};
use values::number::{self, ArithmeticError};
use values::{BulkSet, Map, Value, watch};

use crate::batch::{Batch, Column, bulk};
use crate::combine::{merge_times, once_is_enough, too_deep};
use crate::error::QueryError;
use crate::executor::LongStep;
use crate::growing::{Chunked, Chunks};
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};

use super::per_tag::PerTag;
use super::reduce::{emit_results, tags};
use super::sack::both;
use super::seen::extent;
use crate::memory::StateMemory;

/// What has been reduced so far. Which field counts depends on the aggregation.
#[derive(Debug, Default)]
struct State {
    /// Traversers (`count`), numbers (`mean`) or members (`fold`).
    count: u64,
    /// The sum, the smallest or the largest so far; `None` if nothing has come.
    value: Option<Value>,
    /// Members with their bulks.
    list: Chunked<(Value, u64)>,
}

/// The list of a tag on its way: some members at a time, for there may be millions, or a bulk of millions.
struct Folding {
    tag: u32,
    runs: Chunks<(Value, u64)>,
    /// A member and how often it is still to come.
    run: Option<(Value, u64)>,
    made: Made,
}

/// What members are gathered in.
enum Made {
    List(Vec<Value>),
    Tree(Map),
}

/// Times that one object is taken in from which on others may have the executor meanwhile.
const MANY: i64 = 1 << 12;

/// Members that go into their lists in one call.
const STRETCH: usize = 1 << 12;

/// See the module. `count` and `fold` have a result for a stream without traversers too.
#[derive(Default)]
pub(super) struct Aggregate {
    states: PerTag<State>,
    folding: Option<Folding>,
    held: StateMemory,
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
        if let Aggregation::Reduce(operator, seed) = aggregation {
            self.reduce(*operator, seed, &batch, cx)?;
            return Ok(Step::Idle);
        }
        if cx.single_tag && self.states.at(0).add_longs(aggregation, &batch) {
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
            if let Aggregation::Fold | Aggregation::Tree = aggregation {
                // Of equal paths one is enough.
                let count = if *aggregation == Aggregation::Tree { 1 } else { count };
                let copies = bulk::exact(count)? as usize;
                // Charged for the list that it will be: a bulk may be enormous. Nothing has more room than that.
                bytes += extent(&value)
                    + size_of::<u64>()
                    + size_of::<Value>().saturating_mul(copies).min(1 << 60);
                if bytes > CHARGED_AT_ONCE {
                    self.held.grow(&cx.query.memory, std::mem::take(&mut bytes))?;
                }
                state.count = bulk::sum(state.count, count);
                state.list.push((value, count));
                continue;
            }
            if let Aggregation::Sum | Aggregation::Mean = aggregation {
                bulk::exact(count)?;
            }
            let added = state.add(aggregation, value, count);
            added.map_err(|e| QueryError::step(&cx.op.step, e.to_string()))?;
        }
        self.held.grow(&cx.query.memory, bytes)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Aggregate(aggregation) = &cx.op.kind else { return Ok(Step::Idle) };
        // What has a result for nothing, too.
        let tags = if aggregation.answers_nothing() { tags(cx) } else { 0 };
        let mut results = Vec::with_capacity(self.states.len().min(Batch::TARGET_ROWS));
        let mut room = STRETCH;
        for _ in 0..Batch::TARGET_ROWS {
            if self.folding.is_none() {
                let Some((tag, state)) = self.states.take_next(tags) else {
                    emit_results(results, cx, out);
                    self.held.release();
                    return Ok(Step::Idle);
                };
                if !cx.entered.contains(tag) {
                    continue;
                }
                match aggregation {
                    Aggregation::Fold => {
                        let list = Vec::with_capacity(state.count as usize);
                        self.folding = Some(Folding::of(tag, state, Made::List(list)));
                    }
                    Aggregation::Tree => {
                        self.folding = Some(Folding::of(tag, state, Made::Tree(Map::tree())));
                    }
                    _ => results.extend(state.result(aggregation, cx)?.map(|value| (tag, value))),
                }
            }
            if let Some(folding) = &mut self.folding
                && !folding.go_on(&mut room, cx)?
            {
                break;
            }
            results.extend(self.folding.take().map(|folding| (folding.tag, folding.made.value())));
        }
        emit_results(results, cx, out);
        Ok(Step::More)
    }

    fn reset(&mut self) {
        let bytes = self.held.bytes();
        if bytes > reclaim::KEPT {
            let Self { states, folding, held } = std::mem::take(self);
            return reclaim::free((states, folding, held), bytes);
        }
        self.states.clear();
        self.folding = None;
        self.held.release();
    }
}

impl Aggregate {
    /// Takes a batch into what `fold(seed, operator)` has come to.
    fn reduce(
        &mut self,
        operator: Reducer,
        seed: &Value,
        batch: &Batch,
        cx: &Context<'_>,
    ) -> Result<(), QueryError> {
        // As in TinkerPop: to a list each object is added as its member, otherwise one collection to another.
        let joins = operator == Reducer::AddAll
            && !matches!(seed, Value::List(_) | Value::Set(_) | Value::BulkSet(_));
        let mut bytes = 0;
        for row in 0..batch.len {
            let Some(value) = batch.current.get(row) else { continue };
            let held = self.states.at(batch.tags.get(row)).value.get_or_insert_with(|| seed.clone());
            // A bulk may be enormous, and only a list has more by the same once more.
            let is_list = |one: &Value| matches!(one, Value::List(_));
            let once = once_is_enough(operator, held)
                || joins && (value.is_null() || !is_list(held) && !is_list(&value));
            let copies = if once { 1 } else { bulk::exact(batch.bulk(row))? };
            if operator == Reducer::AddAll {
                let member = extent(&value) + size_of::<Value>();
                bytes += member.saturating_mul(copies as usize).min(1 << 60);
            }
            if bytes > CHARGED_AT_ONCE {
                self.held.grow(&cx.query.memory, std::mem::take(&mut bytes))?;
            }
            let _long = (copies > MANY).then(|| LongStep::begin(|| cx.query.check())).transpose()?;
            if joins {
                for _ in 0..copies {
                    watch::tick();
                    *held = both(operator, std::mem::take(held), value.clone(), cx)?;
                }
                continue;
            }
            *held = merge_times(Some(operator), std::mem::take(held), &value, copies as u64, &cx.op.step)?;
        }
        self.held.grow(&cx.query.memory, bytes)
    }
}

impl Folding {
    fn of(tag: u32, state: State, made: Made) -> Self {
        Self { tag, runs: state.list.into_iter(), run: None, made }
    }

    /// Adds members until all are in, or as many as there is `room` for; whether all are.
    fn go_on(&mut self, room: &mut usize, cx: &Context<'_>) -> Result<bool, QueryError> {
        while let Some((member, left)) = self.run.take().or_else(|| self.runs.next()) {
            if left <= *room as u64 {
                *room -= left as usize;
                self.made.add(member, left as usize, cx)?;
            } else {
                self.made.add(member.clone(), *room, cx)?;
                self.run = Some((member, left - *room as u64));
                *room = 0;
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Made {
    fn add(&mut self, member: Value, times: usize, cx: &Context<'_>) -> Result<(), QueryError> {
        match (self, member) {
            (Self::List(list), member) => list.extend(std::iter::repeat_n(member, times)),
            (Self::Tree(tree), Value::Path(path)) => {
                if !tree.grow(&path.objects) {
                    return Err(QueryError::step(&cx.op.step, too_deep(path.objects.len())));
                }
            }
            (Self::Tree(_), _) => {}
        }
        Ok(())
    }

    fn value(self) -> Value {
        match self {
            Self::List(list) => list.into(),
            Self::Tree(tree) => tree.into(),
        }
    }
}

/// Bytes after which they are charged even in the middle of a batch.
const CHARGED_AT_ONCE: usize = 1 << 16;

impl State {
    /// Reduces a batch of longs, one each, with what longs before have come to; `false` if it is anything else, or too much
    /// for a long: then nothing was added.
    fn add_longs(&mut self, aggregation: &Aggregation, batch: &Batch) -> bool {
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
            Aggregation::Count | Aggregation::Fold | Aggregation::Tree | Aggregation::Reduce(..) => None,
        };
        let Some(value) = value.filter(|_| count > 0) else { return false };
        self.count = bulk::sum(self.count, count);
        self.value = Some(Value::Long(value));
        true
    }

    /// Takes `count` times a value in. Nulls leave the result as it is, but are a reason to have one.
    // Once a row: out of line it costs a fortieth of a sum.
    #[inline(always)]
    fn add(&mut self, aggregation: &Aggregation, value: Value, count: u64) -> Result<(), ArithmeticError> {
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

    fn result(self, aggregation: &Aggregation, cx: &Context<'_>) -> Result<Option<Value>, QueryError> {
        Ok(match aggregation {
            Aggregation::Count => Some(Value::Long(bulk::exact(self.count)?)),
            Aggregation::Mean => match self.value {
                Some(sum) if !sum.is_null() => {
                    let mean = number::mean(&sum, bulk::exact(self.count)?);
                    Some(mean.map_err(|e| QueryError::step(&cx.op.step, e.to_string()))?)
                }
                other => other,
            },
            Aggregation::Reduce(_, seed) => Some(self.value.unwrap_or_else(|| seed.clone())),
            _ => self.value,
        })
    }
}

/// What the members of a bulk set are reduced to, each as often as it is there: what traversers that are merged come to.
///
/// # Errors
/// If they cannot be, or are more than a long can count.
pub(super) fn reduce_members(
    aggregation: &Aggregation,
    members: &BulkSet,
    cx: &Context<'_>,
) -> Result<Option<Value>, QueryError> {
    let mut state = State::default();
    // A mean of members is their sum, divided; that of traversers adds up in longs.
    let adding = if *aggregation == Aggregation::Mean { &Aggregation::Sum } else { aggregation };
    for (member, count) in members.iter() {
        bulk::exact(count)?;
        let (times, each) = if adds_up(adding, member, count) { (count, 1) } else { (1, count) };
        for _ in 0..times {
            watch::tick();
            let added = state.add(adding, member.clone(), each);
            added.map_err(|e| QueryError::step(&cx.op.step, e.to_string()))?;
        }
    }
    state.result(aggregation, cx)
}

/// Whether a member that is there `count` times is added as often: what ten times 0.1 comes to is not ten tenths, and it is what TinkerPop
/// has. Of so many that this would take long, nobody can tell.
fn adds_up(aggregation: &Aggregation, member: &Value, count: u64) -> bool {
    const MOST: u64 = 1 << 24;
    *aggregation == Aggregation::Sum && count <= MOST && matches!(member, Value::Float(_) | Value::Double(_))
}

/// A value times its bulk. A sum keeps the type of its numbers where it can; a mean adds up in longs.
fn times(aggregation: &Aggregation, value: &Value, bulk: u64) -> Result<Value, ArithmeticError> {
    if bulk == 1 && *aggregation == Aggregation::Sum && value.is_number() {
        return Ok(value.clone());
    }
    let bulk = Value::Long(bulk as i64);
    let factor = match value.number_type() {
        Some(to) if *aggregation == Aggregation::Sum => number::cast(&bulk, to).unwrap_or(bulk),
        _ => bulk,
    };
    number::mul(value, &factor)
}
