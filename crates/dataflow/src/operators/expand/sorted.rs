//! Expansion along lists that a sort key orders: only the part that is wanted is read.
//!
//! ```text
//! list by date   │ … 2009 │ 2010 2010 2011 │ 2012 … 2024 │
//! from 2010 to 2011        └─ these, found by the height of the edge-tree
//! last 3                                        └────┘ these, from the end
//! ```
//!
//! A list that is ordered otherwise is read whole: the test and the order behind the expansion make the answer right.

use graph::{Dir, EdgeLabelId, List, Place, ReadUnit, Run};
use planner::physical::{SortedPart, Top};
use values::{Value, VertexRef};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::Context;

use super::super::predicate::Resolver;
use super::super::seen::Seen;
use super::super::test::{Object, Ready, Subject};
use super::super::view::Graph;
use super::neighbours::{EDGES_PER_CALL, Expand, Found, Way, is_new};
use super::vertex_of;

impl Expand {
    /// Goes on where the cursor stands.
    pub(super) fn sorted(
        &mut self,
        batch: &Batch,
        way: Way<'_>,
        part: &SortedPart,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError> {
        let target = self.chunk.rows();
        let dirs = Dir::of(way.direction);
        let lists = dirs.len() * self.labels.len();
        let mut found = Found::for_way(way, target);
        let (mut at, mut looked_at, mut rows) = (self.cursor, 0, 0);
        let test = match way.edge_test {
            Some(test) => Some(self.test.ready(test, Resolver { cx, graph })?),
            None => None,
        };
        while lists > 0 && at.row < batch.len && rows < target && looked_at < EDGES_PER_CALL {
            let v = vertex_of(batch, at.row, graph, cx)?;
            let (dir, label) = (dirs[at.list / self.labels.len()], self.labels[at.list % self.labels.len()]);
            if at.place.position == 0 && at.seek.position == 0 {
                graph.note_list(v, label, dir);
            }
            let list = graph.reader.list(v, label, dir);
            let is_ordered = list.sort_key() == Some(part.key);
            let before = rows;
            let (seen, found) = (&mut self.seen, &mut found);
            let mut visitor = Visitor { test, seen, batch, row: at.row, v, way, graph, cx, found };
            let ended = match part.top.filter(|_| is_ordered) {
                Some(top) => {
                    rows += visitor.take_top(list, top)?;
                    looked_at += rows - before + 1;
                    true
                }
                None => {
                    let range =
                        if is_ordered { Range::of(part, batch, at.row, cx) } else { Range::default() };
                    let (run, from, to) =
                        range.part(graph, (v, label, dir), part, &mut at.place, &mut at.seek);
                    let room = room_in(&run, target - rows, to - from);
                    let sure = if part.exact { range.within(&run, part) } else { 0..0 };
                    let (used, passed) = visitor.take(&run, from..to, &sure, room)?;
                    rows += passed;
                    looked_at += used + 1;
                    at.place.position += used;
                    at.seek.position += used;
                    let len = run.neighbours().len();
                    // Behind the last edge there is nothing, and a range that ends within a run ends the list.
                    from + used >= to && (to < len || from >= len || range.is_last(&run))
                }
            };
            self.origins.add(at.row, rows - before);
            if ended {
                at.next_list(lists);
                at.seek = graph::Seek::default();
            }
        }
        self.cursor = at;
        if way.distinct {
            self.held.set(cx, self.seen.bytes())?;
        }
        Ok((rows > 0).then(|| found.finish(batch, &self.origins, way)))
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

/// The ends of a range, for one row.
#[derive(Default)]
struct Range {
    low: Option<Value>,
    high: Option<Value>,
}

impl Range {
    fn of(part: &SortedPart, batch: &Batch, row: usize, cx: &Context<'_>) -> Self {
        let end = |operand: &Option<_>| {
            let value = operand.as_ref().and_then(|operand| cx.operand(operand, batch, row))?;
            is_exact(&value).then_some(value)
        };
        Self { low: end(&part.low), high: end(&part.high) }
    }

    /// The run where the place stands, and which of its edges are meant.
    fn part<'g>(
        &self,
        graph: &'g Graph<'_>,
        (v, label, dir): (VertexRef, EdgeLabelId, Dir),
        part: &SortedPart,
        place: &mut Place,
        seek: &mut graph::Seek,
    ) -> (Run<'g>, usize, usize) {
        let from_low = self.low.as_ref().and_then(|low| graph.reader.run_from(v, label, dir, low, seek));
        let (run, from) = from_low.unwrap_or_else(|| {
            let run = graph.reader.run(v, label, dir, place);
            let from = place.position.saturating_sub(run.first()).min(run.neighbours().len());
            (run, from)
        });
        let to = match &self.high {
            Some(high) => run.first_after(part.key, graph::ValueRef::of(high)),
            None => run.neighbours().len(),
        };
        (run, from, to.max(from))
    }

    /// The edges of a run whose values lie strictly between the two ends, where these are of one type: so are they.
    fn within(&self, run: &Run<'_>, part: &SortedPart) -> std::ops::Range<usize> {
        let (Some(low), Some(high)) = (&self.low, &self.high) else { return 0..0 };
        let are_alike = match (low, high) {
            (Value::String(_), Value::String(_)) | (Value::DateTime(_), Value::DateTime(_)) => true,
            (low, high) => low.as_i64().is_some() && high.as_i64().is_some(),
        };
        if !are_alike {
            return 0..0;
        }
        let first = run.first_after(part.key, graph::ValueRef::of(low));
        first..run.first_from(part.key, graph::ValueRef::of(high)).max(first)
    }

    /// Whether no run follows this one, as far as it knows.
    fn is_last(&self, run: &Run<'_>) -> bool {
        self.low.is_none() && run.end() >= run.total()
    }
}

/// Whether tests compare such a value exactly as lists are ordered. (Beside a double, a large long is rounded.)
fn is_exact(value: &Value) -> bool {
    match value {
        Value::Byte(_) | Value::Short(_) | Value::Int(_) | Value::String(_) | Value::DateTime(_) => true,
        Value::Long(v) => v.unsigned_abs() < 1 << 53,
        _ => false,
    }
}

/// Visits edges of one list.
struct Visitor<'v, 'g> {
    test: Option<&'v Ready>,
    seen: &'v mut Seen,
    batch: &'v Batch,
    row: usize,
    v: VertexRef,
    way: Way<'v>,
    graph: &'v Graph<'g>,
    cx: &'v Context<'v>,
    found: &'v mut Found,
}

impl Visitor<'_, '_> {
    /// Takes of some edges those that pass, at most `room`; how many it looked at, and how many passed. Of those in `sure`
    /// it is known that they pass the test.
    fn take(
        &mut self,
        run: &Run<'_>,
        edges: std::ops::Range<usize>,
        sure: &std::ops::Range<usize>,
        room: usize,
    ) -> Result<(usize, usize), QueryError> {
        let (mut used, mut passed) = (0, 0);
        // In a transaction the test also notes what it has read.
        let sure = if self.cx.query.transaction().is_some() { &(0..0) } else { sure };
        for i in edges {
            if passed == room {
                break;
            }
            used += 1;
            let taken = if sure.contains(&i) { self.accept(run, i) } else { self.visit(run, i)? };
            passed += usize::from(taken);
        }
        Ok((used, passed))
    }

    /// Takes the first or last few of a list that pass; how many.
    fn take_top(&mut self, list: List<'_>, top: Top) -> Result<usize, QueryError> {
        let mut passed = 0;
        if top.descending {
            for run in list.runs_back() {
                for i in (0..run.neighbours().len()).rev() {
                    if passed as u64 == top.limit {
                        return Ok(passed);
                    }
                    passed += usize::from(self.visit(&run, i)?);
                }
            }
            return Ok(passed);
        }
        // Those without a value come first, and `order` drops them.
        let mut seek = graph::Seek::default();
        while let Some((run, from)) = list.run_from(&Value::Null, &mut seek) {
            let end = run.neighbours().len();
            let (used, further) = self.take(&run, from..end, &(0..0), top.limit as usize - passed)?;
            (seek.position, passed) = (seek.position + used, passed + further);
            if from == end || passed as u64 == top.limit {
                break;
            }
        }
        Ok(passed)
    }

    /// Takes an edge if it passes.
    fn visit(&mut self, run: &Run<'_>, i: usize) -> Result<bool, QueryError> {
        if let Some(test) = self.test
            && !self.passes(test, run, i)?
        {
            return Ok(false);
        }
        Ok(self.accept(run, i))
    }

    /// Takes an edge, unless its end was met before where that matters.
    fn accept(&mut self, run: &Run<'_>, i: usize) -> bool {
        let (tag, single) = (self.batch.tags.get(self.row), self.cx.single_tag);
        if self.way.distinct && !is_new(self.seen, single, tag, self.way.to, run, i) {
            return false;
        }
        self.found.push(self.v, run, i, self.way);
        true
    }

    fn passes(&self, test: &Ready, run: &Run<'_>, i: usize) -> Result<bool, QueryError> {
        self.graph.note(|| ReadUnit::Edge(run.edge(i)));
        let object = Object::Listed(run, i);
        let (batch, row, graph, loops) = (self.batch, self.row, self.graph, self.cx.loops);
        test.holds(Subject { object, batch, row, graph, loops })
    }
}
