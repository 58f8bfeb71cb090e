//! Expansion along lists that a sort key orders: only the part that is wanted is read.
//!
//! ```text
//! list by date   │ … 2009 │ 2010 2010 2011 │ 2012 … 2024 │
//! from 2010 to 2011        └─ these, found by the height of the edge-tree
//! last 3                                        └────┘ these, from the end
//! ```
//!
//! A list that is ordered otherwise is read whole: the test and the order behind the expansion make the answer right. Of
//! long lists, what that costs is noted, and may have a secondary edge-tree built (ByteGraph, section 4.3.2).

use std::cmp::Ordering;

use graph::{Dir, Filtered, KeyId, List, Run};
use planner::physical::{SortedPart, Top, op};
use values::{Value, compare};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::Context;

use super::super::predicate::Resolver;
use super::super::view::Graph;
use super::cursor::Cursor;
use super::found::Found;
use super::neighbours::{EDGES_PER_CALL, Expand};
use super::pace::Pace;
use super::visitor::Visitor;
use super::{are_many, list_at, next_vertex_of, vertex_of};

/// Which parts of the lists are wanted: one of these, whichever order a list has.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'p> {
    parts: &'p [SortedPart],
    /// Whether only lists that have edge-trees are read so.
    long_only: bool,
}

impl<'p> Wanted<'p> {
    /// Of lists that the schema orders by the key of the part.
    pub(super) fn always(part: &'p SortedPart) -> Self {
        Self { parts: std::slice::from_ref(part), long_only: false }
    }

    /// Of lists that may have secondary edge-trees.
    pub(super) fn of_long_lists(parts: &'p [SortedPart]) -> Self {
        Self { parts, long_only: true }
    }
}

/// How a list is read that has been begun.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ordered {
    /// Which of the wanted parts; none if all of the list is read.
    part: Option<usize>,
    /// The secondary tree that is read.
    tree: Option<KeyId>,
}

impl Ordered {
    /// Of the parts that the list has an order for, the one that takes the fewest nodes. A transaction notes which edges it has
    /// looked at, and whoever changes the sort key of another is in conflict with it, but not who changes what a secondary tree
    /// is sorted by: it reads the list as it lies.
    fn of(
        list: List<'_>,
        wanted: Wanted<'_>,
        in_transaction: bool,
        range: impl Fn(&SortedPart) -> Range,
    ) -> Self {
        let mut orders = wanted.parts.iter().enumerate().filter_map(|(part, wanted)| {
            let ordered = list.ordered_by(wanted.key)?;
            let may_be_used = ordered.tree().is_none() || !in_transaction;
            may_be_used.then_some((part, ordered))
        });
        let cost = |(part, ordered): &(usize, List<'_>)| {
            let range = range(&wanted.parts[*part]);
            ordered.nodes_between(range.low.as_ref(), range.high.as_ref())
        };
        let best = match (orders.next(), orders.next()) {
            (first, None) => first,
            (first, second) => first.into_iter().chain(second).chain(orders).min_by_key(cost),
        };
        let (part, tree) = best.map_or((None, None), |(part, ordered)| (Some(part), ordered.tree()));
        Self { part, tree }
    }
}

impl Expand {
    /// Whether the cursor stands at the beginning of a list that has an edge-tree, or in one whose reading began so. (A list
    /// that gets one while it is read goes on as it began.)
    pub(super) fn is_at_long_list(
        &self,
        batch: &Batch,
        way: &op::Expand,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<bool, QueryError> {
        let at = self.cursor;
        if at.ordered.is_some() {
            return Ok(true);
        }
        if at.row >= batch.len || self.labels.is_empty() || !at.is_at_beginning() {
            return Ok(false);
        }
        let v = vertex_of(batch, at.row, graph, cx)?;
        let (dir, label) = list_at(at.list, Dir::of(way.direction), &self.labels);
        Ok(graph.reader.list(v, label, dir).has_tree())
    }

    /// Goes on where the cursor stands.
    pub(super) fn sorted(
        &mut self,
        batch: &Batch,
        way: &op::Expand,
        wanted: Wanted<'_>,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError> {
        let target = self.filling.chunk.rows(cx);
        let dirs = Dir::of(way.direction);
        let lists = dirs.len() * self.labels.len();
        let are_many = are_many(&way.labels, &self.labels);
        let mut found = Found::for_way(way, target);
        let (mut at, mut looked_at, mut rows) = (self.cursor, 0, 0);
        let mut pace = Pace::default();
        let mut kept = Vec::new();
        let test = match &way.edge_test {
            Some(test) => Some(self.test.ready(test, Resolver { cx, graph })?),
            None => None,
        };
        while lists > 0
            && at.row < batch.len
            && rows < target
            && !found.is_heavy()
            && looked_at < EDGES_PER_CALL
        {
            let Some(v) = next_vertex_of(batch, at.row, rows > 0, graph, cx)? else { break };
            if are_many && !at.find_list(v, dirs, self.labels.len(), graph) {
                continue;
            }
            let (dir, label) = list_at(at.list, dirs, &self.labels);
            let list = graph.reader.list(v, label, dir);
            let fresh = at.ordered.is_none();
            if fresh {
                if wanted.long_only && !list.has_tree() {
                    break;
                }
                graph.note_list_among(v, (dir, label), &way.labels);
            }
            let is_first = fresh && at.place.position == 0;
            let ordered = match at.ordered {
                Some(ordered) => ordered,
                // Who shares the list with others reads it as it was cut.
                None if at.is_partial() => Ordered { part: None, tree: at.place.tree() },
                None => {
                    let range = |part: &SortedPart| Range::of(part, batch, at.row, cx);
                    Ordered::of(list, wanted, cx.query.transaction().is_some(), range)
                }
            };
            at.ordered = Some(ordered);
            let list = list.in_tree(ordered.tree);
            let part = ordered.part.map(|part| &wanted.parts[part]);
            let (before, looked_at_before) = (rows, looked_at);
            let mut range = part.map(|part| Range::of(part, batch, at.row, cx)).unwrap_or_default();
            let top = part.and_then(|part| part.top);
            if let Some(top) = top {
                self.best.go_on(if cx.single_tag { 0 } else { batch.tags.get(at.row) });
                range.keep_to(self.best.bound(top), top);
            }
            let best = part.and_then(|part| Some((&mut self.best, part.key, part.top?)));
            let (seen, found, kept) = (&mut self.seen, &mut found, &mut kept);
            let mut visitor =
                Visitor { test, seen, best, batch, row: at.row, v, way, graph, cx, found, kept };
            let next = range.next(list, top, &mut at);
            let room = room_in(&next.run, target - rows, next.edges.len()).min(left_of(top, at.taken));
            let (all, sure) = (next.edges.len(), range.within(&next.run));
            let (used, passed) = match top {
                Some(Top { descending: true, .. }) => {
                    visitor.take_back(&next.run, next.edges, &sure, room)?
                }
                _ => visitor.take(&next.run, next.edges, &sure, room)?,
            };
            rows += passed;
            looked_at += used + 1;
            at.place.position += used;
            at.seek.position += used;
            at.taken += passed;
            let has_all = left_of(top, at.taken) == 0 || at.is_behind_part();
            let ended = has_all || next.is_last && used >= all;
            self.filling.origins.add(at.row, rows - before);
            let filtered =
                Filtered { looked_at: looked_at - looked_at_before, passed: rows - before, first: is_first };
            note(list, ordered, wanted, filtered);
            if ended {
                at.next_list(lists);
                at.seek = graph::Seek::default();
            }
            if pace.turn_is_over(looked_at, cx) {
                break;
            }
        }
        (self.cursor, self.looked_at) = (at, looked_at);
        if way.distinct {
            self.held.set(&cx.query.memory, self.seen.bytes())?;
        }
        Ok((rows > 0).then(|| found.finish(batch, &self.filling.origins, way)))
    }
}

/// Tells what it has cost to read a part of a list, or all of it where a part would have been enough.
fn note(list: List<'_>, ordered: Ordered, wanted: Wanted<'_>, filtered: Filtered) {
    if ordered.part.is_some() {
        return list.note_used(filtered);
    }
    for part in wanted.parts {
        // Of the first few, the others would not have been looked at.
        let most = part.top.map_or(usize::MAX, |top| usize::try_from(top.limit).unwrap_or(usize::MAX));
        list.note_filtered(part.key, Filtered { passed: filtered.passed.min(most), ..filtered });
    }
}

/// Rows that are taken of a part of a run, if there is room for so many: all of it, if the run was put together for this
/// call, and would have to be again for the rest.
fn room_in(run: &Run<'_>, room: usize, part: usize) -> usize {
    match run.is_merged() {
        true => room.max(part.min(Batch::TARGET_ROWS)),
        false => room,
    }
}

/// Edges of the first or last few that are still to be found; any number where all are wanted.
fn left_of(top: Option<Top>, taken: usize) -> usize {
    let limit = top.map(|top| usize::try_from(top.limit).unwrap_or(usize::MAX));
    limit.map_or(usize::MAX, |limit| limit.saturating_sub(taken))
}

/// Some edges of a list that are looked at next.
struct Next<'g> {
    run: Run<'g>,
    edges: std::ops::Range<usize>,
    /// Whether no others are wanted behind them.
    is_last: bool,
}

/// The ends of a range, for one row. Without a key, it is all of a list.
#[derive(Default)]
struct Range {
    key: Option<KeyId>,
    low: Option<Value>,
    high: Option<Value>,
    /// Whether the test behind says nothing but what the ends say.
    exact: bool,
}

impl Range {
    fn of(part: &SortedPart, batch: &Batch, row: usize, cx: &Context<'_>) -> Self {
        let end = |operand: &Option<_>, side| {
            widened(operand.as_ref().and_then(|operand| cx.operand(operand, batch, row))?, side)
        };
        let (low, high) = (end(&part.low, Side::Low), end(&part.high, Side::High));
        Self { key: Some(part.key), low, high, exact: part.exact }
    }

    /// Leaves out what is worse than the bound, which the first or last few of the lists before have set.
    fn keep_to(&mut self, bound: Option<&Value>, top: Top) {
        let Some(bound) = bound else { return };
        let order_of = |end: &Option<Value>| end.as_ref().map(|end| compare::order(bound, end));
        if top.descending {
            if order_of(&self.low).is_none_or(Ordering::is_gt) {
                self.low = Some(bound.clone());
            }
        } else if order_of(&self.high).is_none_or(Ordering::is_lt) {
            self.high = Some(bound.clone());
        }
    }

    /// What comes next of a list: of the range, or of its first or last few, from their side.
    fn next<'g>(&self, list: List<'g>, top: Option<Top>, at: &mut Cursor) -> Next<'g> {
        match top {
            Some(Top { descending: true, .. }) => self.next_back(list, at),
            // Edges without a value come first, and `order` drops them.
            Some(_) => self.next_from(list, Some(self.low.as_ref().unwrap_or(&Value::Null)), at),
            None => self.next_from(list, self.low.as_ref(), at),
        }
    }

    fn next_from<'g>(&self, list: List<'g>, low: Option<&Value>, at: &mut Cursor) -> Next<'g> {
        let from_low = low.and_then(|low| list.run_from(low, &mut at.seek));
        let (run, from, is_last) = match from_low {
            Some((run, from)) => (run, from, false),
            None => {
                let run = list.run(&mut at.place);
                let from = at.place.position.saturating_sub(run.first()).min(run.neighbours().len());
                let is_last = run.end() >= run.total();
                (run, from, is_last)
            }
        };
        let len = run.neighbours().len();
        let to = match (self.key, &self.high) {
            (Some(key), Some(high)) => run.first_after(key, graph::ValueRef::of(high)),
            _ => len,
        };
        let to = to.min(at.end(run.end()).saturating_sub(run.first())).max(from);
        // Behind the last edge there is nothing, and a range that ends within a run ends the list.
        Next { run, edges: from..to, is_last: is_last || to < len || from >= len }
    }

    fn next_back<'g>(&self, list: List<'g>, at: &mut Cursor) -> Next<'g> {
        let Some((run, to)) = list.run_back(self.high.as_ref(), &mut at.seek) else {
            // It could not be read, which the snapshot remembers.
            return self.next_from(list, None, at);
        };
        let from = match (self.key, &self.low) {
            (Some(key), Some(low)) => run.first_from(key, graph::ValueRef::of(low)).min(to),
            _ => 0,
        };
        Next { run, edges: from..to, is_last: from > 0 || to == 0 }
    }

    /// The edges of a run whose values lie strictly between the two ends, where these are of one type: so are they.
    fn within(&self, run: &Run<'_>) -> std::ops::Range<usize> {
        let (true, Some(key), Some(low), Some(high)) = (self.exact, self.key, &self.low, &self.high) else {
            return 0..0;
        };
        let are_alike = match (low, high) {
            (Value::String(_), Value::String(_)) | (Value::DateTime(_), Value::DateTime(_)) => true,
            (low, high) => low.as_i64().is_some() && high.as_i64().is_some(),
        };
        if !are_alike {
            return 0..0;
        }
        let first = run.first_after(key, graph::ValueRef::of(low));
        first..run.first_from(key, graph::ValueRef::of(high)).max(first)
    }
}

#[derive(Clone, Copy)]
enum Side {
    Low,
    High,
}

/// An end of a range, such that the range has all that tests find equal to the value: they round, where they compare
/// numbers of two types, and lists are ordered by what numbers exactly are. None if there is no such end.
fn widened(value: Value, side: Side) -> Option<Value> {
    const SINGLE: i64 = 1 << 24;
    const DOUBLE: i64 = 1 << 53;
    let single = |v: f32| match side {
        _ if !v.is_finite() => None,
        Side::Low => Some(Value::Double(v.next_down().into())),
        Side::High => Some(Value::Double(v.next_up().into())),
    };
    match value {
        Value::String(_) | Value::DateTime(_) => Some(value),
        // Beside a float an int is rounded to one, and beside a double a long.
        Value::Byte(_) | Value::Short(_) => Some(value),
        Value::Int(v) if i64::from(v).abs() < SINGLE => Some(value),
        Value::Int(v) => single(v as f32),
        Value::Long(v) if v.unsigned_abs() < DOUBLE as u64 => Some(value),
        Value::Float(v) => single(v),
        Value::Double(v) if v.is_finite() => Some(Value::Double(match side {
            Side::Low => v.next_down(),
            Side::High => v.next_up(),
        })),
        _ => None,
    }
}
