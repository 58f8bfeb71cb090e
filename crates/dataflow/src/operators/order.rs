//! `order`: a stable sort by Gremlin's orderability, and top-k where a limit is known.

use std::cmp::Ordering;
use std::sync::Arc;

use gremlin::Order as Direction;
use planner::physical::{By, OpKind, SortKey};
use values::{Value, compare, watch};

use crate::batch::{Batch, Weight, bulk};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::held::Held;
use super::ordered::ordered;
use super::per_tag::PerTag;
use super::random::Random;
use super::row_store::{Leaving, Place, RowStore};
use super::slots::object;
use super::view::{Graph, View};

/// A kept row with its tag. Its keys are at the same place in `keys`, times the number of keys.
#[derive(Clone, Copy, Debug)]
struct Entry {
    tag: u32,
    place: Place,
}

/// See the module.
///
/// With a limit of k, rows are gathered until there are a few times k, then sorted and cut to the first k of each tag;
/// from then on rows that sort behind the kth of their tag are not even gathered.
#[derive(Default)]
pub(super) struct Order {
    store: RowStore,
    entries: Vec<Entry>,
    keys: Vec<Value>,
    /// Per tag, the keys of the kth row at the last cut.
    bounds: PerTag<Option<Box<[Value]>>>,
    key_weight: Weight,
    random: Option<Random>,
    leaving: Leaving,
    held: Held,
    ended: bool,
}

/// Rows gathered at least before a cut.
const MIN_GATHERED: usize = 1024;

impl Operator for Order {
    fn step(
        &mut self,
        input: Option<Batch>,
        cx: &Context<'_>,
        _out: &mut Output,
    ) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Order { keys, limit }) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        self.gather(batch, keys, cx);
        if let Some(limit) = limit {
            let tags = self.bounds.len().max(1);
            let wanted = (*limit as usize).saturating_mul(tags);
            if self.entries.len() >= wanted.saturating_mul(3).max(MIN_GATHERED) {
                self.cut(keys, *limit);
            }
        }
        let bytes = self.entries.len() * size_of::<Entry>() + self.keys.len() * size_of::<Value>();
        self.held.set(cx, self.store.bytes() + bytes + self.key_weight.bytes)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Order { keys, limit } = &cx.op.kind else { return Ok(Step::Idle) };
        if !std::mem::replace(&mut self.ended, true) {
            let sorted = self.sorted(keys, limit.unwrap_or(bulk::COUNTLESS));
            self.leaving.start(sorted.into_iter().map(|(_, entry)| entry.place).collect());
        }
        Ok(self.leaving.emit_next(&self.store, cx, out))
    }

    fn reset(&mut self) {
        self.store.clear();
        self.entries.clear();
        self.keys.clear();
        self.bounds.clear();
        self.leaving.clear();
        self.held.release();
        self.key_weight = Weight::default();
        self.ended = false;
    }
}

impl Order {
    /// Takes the rows that may be among the first; rows without one of the keys are dropped.
    fn gather(&mut self, batch: Batch, keys: &[SortKey], cx: &Context<'_>) {
        let batch = Arc::new(batch);
        let mut number = None;
        let shuffled = is_shuffle(keys);
        let view = View::of(cx);
        let graph = view.graph();
        for row in 0..batch.len {
            let tag = batch.tags.get(row);
            let before = self.keys.len();
            if shuffled {
                let random = self.random.get_or_insert_with(|| Random::of(cx));
                self.keys.push(Value::Long(random.bits() as i64));
            } else if !push_keys(&batch, row, keys, &graph, &mut self.keys) {
                self.keys.truncate(before);
                continue;
            }
            let beyond = match self.bounds.at(tag) {
                Some(bound) => by_keys(&self.keys[before..], bound, keys).is_ge(),
                None => false,
            };
            if beyond {
                self.keys.truncate(before);
                continue;
            }
            self.keys[before..].iter().for_each(|key| self.key_weight.add(key));
            let number = *number.get_or_insert_with(|| self.store.add(batch.clone()));
            let place = Place { batch: number, row: row as u32, bulk: batch.bulk(row) };
            self.entries.push(Entry { tag, place });
        }
    }

    /// The first `limit` traversers of each tag, tags in ascending order, with the place of their keys.
    fn sorted(&self, keys: &[SortKey], limit: u64) -> Vec<(usize, Entry)> {
        let width = width(keys);
        let key = |i: usize| &self.keys[i * width..(i + 1) * width];
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_by(|a, b| {
            watch::tick();
            let (a, b) = (*a as usize, *b as usize);
            self.entries[a].tag.cmp(&self.entries[b].tag).then_with(|| by_keys(key(a), key(b), keys))
        });
        let (mut first, mut tag, mut left) = (Vec::with_capacity(order.len()), None, limit);
        for i in order {
            let mut entry = self.entries[i as usize];
            if tag != Some(entry.tag) {
                (tag, left) = (Some(entry.tag), limit);
            }
            entry.place.bulk = entry.place.bulk.min(left);
            left = bulk::difference(left, entry.place.bulk);
            if entry.place.bulk > 0 {
                first.push((i as usize, entry));
            }
        }
        first
    }

    /// Keeps only the first `limit` traversers of each tag.
    fn cut(&mut self, keys: &[SortKey], limit: u64) {
        let width = width(keys);
        let first = self.sorted(keys, limit);
        let mut places: Vec<Place> = first.iter().map(|(_, entry)| entry.place).collect();
        self.store.compact(&mut places);
        let kept: Vec<Value> =
            first.iter().flat_map(|(i, _)| self.keys[i * width..(i + 1) * width].iter().cloned()).collect();
        self.key_weight = Weight::default();
        kept.iter().for_each(|key| self.key_weight.add(key));
        self.entries = first.iter().zip(places).map(|((_, e), place)| Entry { tag: e.tag, place }).collect();
        self.keys = kept;
        self.bound(limit, width);
    }

    /// Notes the keys of the last row of each tag that is full.
    fn bound(&mut self, limit: u64, width: usize) {
        let mut start = 0;
        while start < self.entries.len() {
            let tag = self.entries[start].tag;
            let rows = self.entries[start..].iter().take_while(|e| e.tag == tag).count();
            let bulks = self.entries[start..start + rows].iter().map(|e| e.place.bulk);
            let bulk = bulks.fold(0, bulk::sum);
            let last = start + rows - 1;
            *self.bounds.at(tag) = (bulk >= limit)
                .then(|| self.keys[last * width..(last + 1) * width].to_vec().into_boxed_slice());
            start += rows;
        }
    }
}

/// Values per row in the table of keys.
fn width(keys: &[SortKey]) -> usize {
    if is_shuffle(keys) { 1 } else { keys.len().max(1) }
}

/// As in TinkerPop: a shuffle that comes last overrules every key before it; any other is ignored.
fn is_shuffle(keys: &[SortKey]) -> bool {
    keys.last().is_some_and(|key| key.order == Direction::Shuffle)
}

/// Appends the keys of a row; `false` if one is absent.
fn push_keys(batch: &Batch, row: usize, keys: &[SortKey], graph: &Graph<'_>, into: &mut Vec<Value>) -> bool {
    let mut push = |by: &By| match object(batch, by, row) {
        Some(value) => {
            into.push(ordered(value, graph));
            true
        }
        None => false,
    };
    if keys.is_empty() { push(&By::Current) } else { keys.iter().all(|key| push(&key.by)) }
}

fn by_keys(a: &[Value], b: &[Value], keys: &[SortKey]) -> Ordering {
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        let direction = keys.get(i).map_or(Direction::Asc, |key| key.order);
        let ordering = match direction {
            Direction::Desc => compare::order(b, a),
            Direction::Asc => compare::order(a, b),
            Direction::Shuffle if is_shuffle(keys) => compare::order(a, b),
            Direction::Shuffle => Ordering::Equal,
        };
        if ordering != Ordering::Equal {
            return ordering;
        }
    }
    Ordering::Equal
}
