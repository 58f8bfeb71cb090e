//! `order`: a stable sort by Gremlin's orderability, and top-k where a limit is known.

use std::cmp::Ordering;
use std::sync::Arc;

use gremlin::Order as Direction;
use planner::physical::{By, OpKind, SortKey, op};
use values::{Value, compare, watch};

use crate::batch::{Batch, Weight, bulk};
use crate::error::QueryError;
use crate::growing::Chunked;
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};

use super::ordered::ordered;
use super::per_tag::PerTag;
use super::random::Random;
use super::row_origins::trace;
use super::row_store::{Place, RowStore};
use super::seeded;
use super::slots::object;
use super::sort_keys::{NewKeys, SortKeys};
use super::sorting::Sorting;
use super::view::{Graph, View};
use crate::memory::StateMemory;

/// A kept row with its tag. Its keys are at the same place in `keys`.
#[derive(Clone, Copy, Debug)]
struct Entry {
    tag: u32,
    place: Place,
}

/// See the module.
///
/// With a limit of k, rows are gathered until there are a few times k, then sorted and cut to the first k of each tag;
/// from then on rows that sort behind the kth of their tag are not even gathered. What is gathered keeps its whole batch, so it is cut
/// as well when it is few of the rows of several batches.
#[derive(Default)]
pub(super) struct Order {
    store: RowStore,
    entries: Chunked<Entry>,
    keys: SortKeys,
    /// Per tag, the keys of the kth row at the last cut.
    bounds: PerTag<Option<Box<[Value]>>>,
    key_weight: Weight,
    random: Option<Random>,
    /// The sort that is under way: before a cut, or at the end.
    sorting: Option<Sorting>,
    /// At the end, what is left to leave.
    leaving: Option<Firsts>,
    held: StateMemory,
}

/// Goes through sorted rows, tags in ascending order, and finds the first few traversers of each tag.
struct Firsts {
    order: Vec<u32>,
    next: usize,
    /// The tag that it is at, and how many traversers may still come of it.
    tag: Option<u32>,
    left: u64,
    limit: u64,
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
        let OpKind::Order(op::Sort { keys, limit }) = &cx.op.kind else { return Ok(Step::Idle) };
        if let Some(batch) = input {
            self.gather(batch, keys, cx);
        }
        if let Some(limit) = limit {
            let wanted = (*limit as usize).saturating_mul(self.bounds.len().max(1));
            let are_many = self.entries.len() >= wanted.saturating_mul(3).max(MIN_GATHERED);
            // Also in the middle of a sort, which goes on until it has ended.
            if are_many || self.sorting.is_some() || self.store.is_sparse(self.entries.len()) {
                let Some(order) = self.sorted(keys, cx)? else { return Ok(Step::More) };
                self.cut(keys, Firsts::of(order, *limit));
            }
        }
        self.hold(cx)?;
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::Order(op::Sort { keys, limit }) = &cx.op.kind else { return Ok(Step::Idle) };
        if self.leaving.is_none() {
            let Some(mut order) = self.sorted(keys, cx)? else { return Ok(Step::More) };
            if is_shuffle(keys) && cx.query.draws.are_seeded() {
                order = self.seeded(&order, cx);
            }
            self.leaving = Some(Firsts::of(order, limit.unwrap_or(bulk::COUNTLESS)));
        }
        Ok(self.emit_next(cx, out))
    }

    fn reset(&mut self) {
        let bytes = self.store.bytes() + self.key_weight.bytes;
        if bytes > reclaim::KEPT {
            let Self { store, entries, keys, held, random, .. } = std::mem::take(self);
            self.random = random;
            return reclaim::free((store, entries, keys, held), bytes);
        }
        self.store.clear();
        self.entries.clear();
        self.keys.clear();
        self.bounds.clear();
        (self.sorting, self.leaving) = (None, None);
        self.held.release();
        self.key_weight = Weight::default();
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
        let (width, first) = (width(keys), first_of(keys));
        for row in 0..batch.len {
            let tag = batch.tags.get(row);
            if shuffled && !keys.iter().all(|key| object(&batch, &key.by, row).is_some()) {
                // Whatever it is overruled by.
                continue;
            }
            let mut new = self.keys.begin(width);
            if shuffled && cx.query.draws.are_seeded() {
                // They are put in order at the end.
                new.push(Value::Null);
            } else if shuffled {
                let random = self.random.get_or_insert_with(|| Random::of(cx));
                new.push(Value::Long(random.bits() as i64));
            } else if !push_keys(&batch, row, keys, &graph, &mut new) {
                continue;
            }
            let beyond = match self.bounds.at(tag) {
                Some(bound) => by_keys(new.keys(), bound, keys, first).is_ge(),
                None => false,
            };
            if beyond {
                continue;
            }
            new.keys().iter().for_each(|key| self.key_weight.add(key));
            new.keep();
            let number = *number.get_or_insert_with(|| self.store.add(batch.clone()));
            let place = Place { batch: number, row: row as u32, bulk: batch.bulk(row) };
            self.entries.push(Entry { tag, place });
        }
    }

    /// All rows by tag and keys, once they are sorted: `None` if that takes more than this turn.
    fn sorted(&mut self, keys: &[SortKey], cx: &Context<'_>) -> Result<Option<Vec<u32>>, QueryError> {
        let rows = self.entries.len() as u32;
        let mut sorting =
            self.sorting.take().unwrap_or_else(|| Sorting::of_keys(rows, self.key_weight.expanded));
        let (width, first) = (width(keys), first_of(keys));
        let (entries, values) = (&self.entries, &self.keys);
        let key = |i: usize| values.row(i, width);
        let compare = |a: u32, b: u32| {
            watch::tick();
            let (a, b) = (a as usize, b as usize);
            entries[a].tag.cmp(&entries[b].tag).then_with(|| by_keys(key(a), key(b), keys, first))
        };
        if sorting.go_on(compare, || cx.quota.is_spent()) {
            return Ok(Some(sorting.sorted()));
        }
        self.sorting = Some(sorting);
        self.hold(cx)?;
        Ok(None)
    }

    /// Rows by tag, those of each tag in the order that `SeedStrategy` draws; equal ones as one.
    fn seeded(&mut self, order: &[u32], cx: &Context<'_>) -> Vec<u32> {
        let Self { entries, store, .. } = self;
        let mut shuffled = Vec::with_capacity(order.len());
        let tags: Vec<(u32, u32)> = order.iter().map(|row| (entries[*row as usize].tag, *row)).collect();
        for rows in tags.chunk_by(|(a, _), (b, _)| a == b) {
            let numbered = rows.iter().map(|(_, row)| (entries[*row as usize].place, f64::from(*row)));
            let mut rows = seeded::merged(numbered, store, cx);
            cx.query.draws.seeded(cx.op.id, |random| random.shuffle(&mut rows));
            for (place, row) in rows {
                entries[row as usize].place.bulk = place.bulk;
                shuffled.push(row as u32);
            }
        }
        shuffled
    }

    /// Charges for what is kept, and for a sort that outlasts a turn.
    fn hold(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        let sorting = if self.sorting.is_some() { 2 * size_of::<u32>() } else { 0 };
        let bytes = self.entries.bytes() + self.entries.len() * sorting + self.keys.bytes();
        self.held.set(&cx.query.memory, self.store.bytes() + bytes + self.key_weight.bytes)
    }

    /// Emits the next batch, if one is left.
    fn emit_next(&mut self, cx: &Context<'_>, out: &mut Output) -> Step {
        let Some(firsts) = &mut self.leaving else { return Step::Idle };
        let mut places = Vec::with_capacity(firsts.order.len().min(Batch::TARGET_ROWS));
        // Of those behind the first few, many may be passed over.
        let end = firsts.next + 4 * Batch::TARGET_ROWS;
        while places.len() < Batch::TARGET_ROWS
            && firsts.next < end
            && let Some((_, entry)) = firsts.next(&self.entries)
        {
            places.push(entry.place);
        }
        let is_done = firsts.next >= firsts.order.len() || (cx.single_tag && firsts.left == 0);
        if !places.is_empty() {
            let mut batch = self.store.gather(&places);
            trace(&mut batch, cx.op);
            out.emit(batch);
        }
        if is_done { Step::Idle } else { Step::More }
    }

    /// Keeps only the first few traversers of each tag.
    fn cut(&mut self, keys: &[SortKey], mut firsts: Firsts) {
        let (width, limit) = (width(keys), firsts.limit);
        let mut first = Vec::with_capacity(firsts.order.len());
        while let Some(kept) = firsts.next(&self.entries) {
            first.push(kept);
        }
        let mut places: Vec<Place> = first.iter().map(|(_, entry)| entry.place).collect();
        self.store.compact(&mut places);
        let mut kept = SortKeys::default();
        self.key_weight = Weight::default();
        for (i, _) in &first {
            let mut row = kept.begin(width);
            for key in self.keys.row(*i, width) {
                self.key_weight.add(key);
                row.push(key.clone());
            }
            row.keep();
        }
        self.entries = first.iter().zip(places).map(|((_, e), place)| Entry { tag: e.tag, place }).collect();
        self.keys = kept;
        self.bound(limit, width);
    }

    /// Notes the keys of the last row of each tag that is full.
    fn bound(&mut self, limit: u64, width: usize) {
        let mut start = 0;
        while start < self.entries.len() {
            let tag = self.entries[start].tag;
            let (mut end, mut bulk) = (start, 0);
            while let Some(entry) = self.entries.get(end).filter(|entry| entry.tag == tag) {
                bulk = bulk::sum(bulk, entry.place.bulk);
                end += 1;
            }
            *self.bounds.at(tag) = (bulk >= limit).then(|| self.keys.row(end - 1, width).into());
            start = end;
        }
    }
}

impl Firsts {
    fn of(order: Vec<u32>, limit: u64) -> Self {
        Self { order, next: 0, tag: None, left: limit, limit }
    }

    /// The next of them, with its place among the rows as they came; of a row with many traversers, so many as may come.
    fn next(&mut self, entries: &Chunked<Entry>) -> Option<(usize, Entry)> {
        while let Some(i) = self.order.get(self.next) {
            self.next += 1;
            let mut entry = entries[*i as usize];
            if self.tag != Some(entry.tag) {
                (self.tag, self.left) = (Some(entry.tag), self.limit);
            }
            entry.place.bulk = entry.place.bulk.min(self.left);
            self.left = bulk::difference(self.left, entry.place.bulk);
            if entry.place.bulk > 0 {
                return Some((*i as usize, entry));
            }
        }
        None
    }
}

/// Values per row in the table of keys.
fn width(keys: &[SortKey]) -> usize {
    if is_shuffle(keys) { 1 } else { keys.len().max(1) }
}

/// As in TinkerPop: a shuffle overrules every key before it, and one that does not come last is otherwise ignored.
fn is_shuffle(keys: &[SortKey]) -> bool {
    keys.last().is_some_and(|key| key.order == Direction::Shuffle)
}

/// Appends the keys of a row; `false` if one is absent.
fn push_keys(batch: &Batch, row: usize, keys: &[SortKey], graph: &Graph<'_>, into: &mut NewKeys<'_>) -> bool {
    let mut push = |by: &By| match object(batch, by, row) {
        Some(value) => {
            into.push(ordered(value, graph));
            true
        }
        None => false,
    };
    if keys.is_empty() { push(&By::Current) } else { keys.iter().all(|key| push(&key.by)) }
}

/// The first key that counts: behind a shuffle, which overrules those before it. Where one comes last there is one key, drawn.
fn first_of(keys: &[SortKey]) -> usize {
    let shuffle = keys.iter().rposition(|key| key.order == Direction::Shuffle);
    shuffle.map_or(0, |shuffle| shuffle + 1) % keys.len().max(1)
}

/// Compares by the keys from the first on that counts.
fn by_keys(a: &[Value], b: &[Value], keys: &[SortKey], first: usize) -> Ordering {
    for i in first..a.len().min(b.len()) {
        let ordering = compare::order(&a[i], &b[i]);
        if ordering != Ordering::Equal {
            let descends = keys.get(i).is_some_and(|key| key.order == Direction::Desc);
            return if descends { ordering.reverse() } else { ordering };
        }
    }
    Ordering::Equal
}
