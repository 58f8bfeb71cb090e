//! Looking at the edges of one list.

use std::ops::Range;

use graph::{KeyId, ReadUnit, Run};
use planner::physical::{Top, op};
use values::VertexRef;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::Context;

use super::super::seen::Seen;
use super::super::test::{Met, Ready};
use super::super::view::Graph;
use super::best::Best;
use super::found::{Found, is_new};

/// Edges that are tested at a time at least.
const STRETCH: usize = 256;

/// Pace at edges of one list, a stretch of a run at a time: which of them pass, then what of these is wanted, column by
/// column.
pub(super) struct Visitor<'v, 'g> {
    pub(super) test: Option<&'v Ready>,
    pub(super) seen: &'v mut Seen,
    /// Where only the first few by a key are wanted of all lists: those there are.
    pub(super) best: Option<(&'v mut Best, KeyId, Top)>,
    pub(super) batch: &'v Batch,
    pub(super) row: usize,
    /// Whose list it is.
    pub(super) v: VertexRef,
    pub(super) way: &'v op::Expand,
    pub(super) graph: &'v Graph<'g>,
    pub(super) cx: &'v Context<'v>,
    pub(super) found: &'v mut Found,
    /// Room to work in.
    pub(super) kept: &'v mut Vec<u32>,
}

impl Visitor<'_, '_> {
    /// Takes of some edges those that pass, at most `room`, or until what is found is heavy; how many it looked at, and how many passed. Of those in `sure`
    /// it is known that they pass the test.
    pub(super) fn take(
        &mut self,
        run: &Run<'_>,
        edges: Range<usize>,
        sure: &Range<usize>,
        room: usize,
    ) -> Result<(usize, usize), QueryError> {
        // In a transaction the test also notes what it has read.
        let sure = if self.graph.is_noted() { &(0..0) } else { sure };
        let (mut at, mut passed) = (edges.start, 0);
        while at < edges.end && passed < room && !self.found.is_heavy() {
            let (is_sure, end) = match sure.contains(&at) {
                true => (true, sure.end),
                false if at < sure.start => (false, sure.start),
                false => (false, edges.end),
            };
            let (used, further) = self.stretch(run, at..end.min(edges.end), is_sure, room - passed)?;
            (at, passed) = (at + used, passed + further);
        }
        Ok((at - edges.start, passed))
    }

    /// The same from the last of the edges back, one by one.
    pub(super) fn take_back(
        &mut self,
        run: &Run<'_>,
        edges: Range<usize>,
        sure: &Range<usize>,
        room: usize,
    ) -> Result<(usize, usize), QueryError> {
        let (mut used, mut passed) = (0, 0);
        while used < edges.len() && passed < room && !self.found.is_heavy() {
            let last = edges.end - used - 1;
            passed += self.take(run, last..last + 1, sure, 1)?.1;
            used += 1;
        }
        Ok((used, passed))
    }

    /// Takes of the first edges of some those that pass, and whose ends were not met before where that matters, but at most
    /// `room`; how many it looked at, and how many passed.
    fn stretch(
        &mut self,
        run: &Run<'_>,
        mut edges: Range<usize>,
        is_sure: bool,
        room: usize,
    ) -> Result<(usize, usize), QueryError> {
        let test = self.test.filter(|_| !is_sure);
        // Where few pass there is room for what passes of more edges. In a transaction, what is looked at is noted.
        let most = if test.is_some() && !self.graph.is_noted() { room.max(STRETCH) } else { room };
        edges.end = edges.end.min(edges.start + most);
        if self.graph.is_noted() && (test.is_some() || !self.way.fetch.is_empty()) {
            edges.clone().for_each(|i| self.graph.note(|| ReadUnit::Edge(run.edge(i))));
        }
        match test {
            Some(test) => {
                let met =
                    Met { batch: self.batch, row: self.row, graph: self.graph, loops: self.cx.tag.loops };
                test.select_edges(run, edges.clone(), met, self.kept)?;
            }
            None if self.way.distinct => {
                self.kept.clear();
                self.kept.extend(edges.clone().map(|i| i as u32));
            }
            None => {
                let pushed = self.found.push_all(self.v, run, edges.clone(), self.way);
                edges.take(pushed).for_each(|i| self.note_best(run, i));
                return Ok((pushed, pushed));
            }
        }
        let behind = self.narrow(run, room).unwrap_or(edges.end);
        let pushed = self.found.push_some(self.v, run, self.kept, self.way);
        let behind = self.kept.get(pushed).map_or(behind, |edge| *edge as usize);
        self.kept.truncate(pushed);
        (0..self.kept.len()).for_each(|place| self.note_best(run, self.kept[place] as usize));
        Ok((behind - edges.start, self.kept.len()))
    }

    /// Takes note of the value of an edge that has passed, where that bounds what is read of further lists.
    fn note_best(&mut self, run: &Run<'_>, i: usize) {
        if let Some((best, key, top)) = &mut self.best
            && let Some(value) = run.value(i, *key)
        {
            best.add(value, *top);
        }
    }

    /// Keeps the first edges for which there is room, and whose ends were not met before where that matters. The first edge
    /// that was left for later, if any was.
    fn narrow(&mut self, run: &Run<'_>, room: usize) -> Option<usize> {
        if !self.way.distinct && self.kept.len() <= room {
            return None;
        }
        let (tag, single) = (self.batch.tags.get(self.row), self.cx.single_tag);
        let mut count = 0;
        for place in 0..self.kept.len() {
            let edge = self.kept[place];
            if count == room {
                self.kept.truncate(count);
                return Some(edge as usize);
            }
            self.kept[count] = edge;
            let is_new =
                !self.way.distinct || is_new(self.seen, single, tag, &self.way.to, run, edge as usize);
            count += usize::from(is_new);
        }
        self.kept.truncate(count);
        None
    }
}
