//! Numbers of walks of two steps, or of neighbours that pass a test, without a traverser for any of them.

use graph::{DegreeCache, Degrees, Dir, EdgeLabelId, Ends as Reached};
use planner::physical::{EdgeLabels, Hop, OpKind, op};

use crate::batch::{Batch, bulk};
use crate::edge_part::EdgePart;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::predicate::Resolver;
use super::super::row_origins::trace;
use super::super::test::{OfEnds, Prepared};
use super::super::view::{Graph, View, Viewpoint};
use super::cursor::Cursor;
use super::degree::multiplied;
use super::neighbours::not_of_properties;
use super::pace::Pace;
use super::packed::PackedLists;
use super::{are_many, labels_of, list_at, vertex_of};
use crate::memory::StateMemory;

/// Degrees looked up in one call at most.
const DEGREES_PER_CALL: usize = 1 << 16;

fn budget() -> usize {
    #[cfg(test)]
    if let Some(forced) = super::super::chunk::forced() {
        return forced;
    }
    DEGREES_PER_CALL
}

/// `bulkByWalks`: bulk times the degrees of the neighbours, added up along the lists; `bulkByEnds`: bulk times the number
/// of those that pass.
#[derive(Default)]
pub(in crate::operators) struct Walks {
    input: Option<Batch>,
    /// Walks from the rows that are done.
    walks: Vec<u64>,
    /// Walks from the next row so far.
    total: u64,
    cursor: Cursor,
    /// What is wanted of the next input, if it is not all.
    part: Option<EdgePart>,
    viewpoint: Viewpoint,
    labels: Vec<EdgeLabelId>,
    test: Prepared,
    /// What is remembered for the second step, along each of its labels and ways.
    tables: Vec<DegreeCache>,
    held: StateMemory,
}

impl Operator for Walks {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (OpKind::BulkByWalks(op::BulkByWalks { first: hop, .. })
        | OpKind::BulkByEnds(op::BulkByEnds { hop, .. })) = &cx.op.kind
        else {
            return Ok(Step::Idle);
        };
        let fresh = input.is_some();
        if fresh {
            self.input = input;
            self.walks.clear();
            self.total = 0;
            match self.part.take() {
                Some(part) => (self.cursor, self.viewpoint) = (Cursor::of(&part), part.viewpoint),
                None => {
                    self.cursor = Cursor::default();
                    self.viewpoint.take(cx);
                }
            }
        }
        let Some(batch) = self.input.take() else { return Ok(Step::Idle) };
        let view = View::at(&self.viewpoint, cx);
        let graph = view.graph();
        if fresh {
            labels_of(hop.direction, &hop.labels, &batch, &graph, &mut self.labels);
        }
        let mut prepared = std::mem::take(&mut self.test);
        let ended = match &cx.op.kind {
            OpKind::BulkByEnds(op::BulkByEnds { test, .. }) => {
                let ready = prepared.ready(test, Resolver { cx, graph: &graph })?;
                let mut ends = OfEnds::new(ready, &batch, &graph).ok_or_else(|| not_of_properties(cx))?;
                let count = |part: Reached<'_>, row: usize| ends.count(part, row) as u64;
                self.walk(&batch, hop, 1, count, &graph, cx)?
            }
            OpKind::BulkByWalks(op::BulkByWalks { then, .. }) => {
                let mut ends = Ends::new(then, &graph);
                let mut tables = std::mem::take(&mut self.tables);
                let looks = ends.along.len();
                tables.resize_with(looks, DegreeCache::default);
                let count = |part: Reached<'_>, _| ends.count(part, &mut tables);
                let ended = self.walk(&batch, hop, looks, count, &graph, cx)?;
                self.remember(tables, cx);
                ended
            }
            _ => true,
        };
        self.test = prepared;
        if !ended {
            self.input = Some(batch);
            return Ok(Step::More);
        }
        drop(graph);
        self.viewpoint.release();
        if let Some(mut walked) = multiplied(batch, std::mem::take(&mut self.walks)) {
            trace(&mut walked, cx.op);
            out.emit(walked);
        }
        Ok(Step::Idle)
    }

    fn restrict(&mut self, part: EdgePart) {
        self.part = Some(part);
    }

    fn reset(&mut self) {
        self.input = None;
        self.part = None;
        self.viewpoint.release();
    }
}

impl Walks {
    /// Keeps the tables for the next call, if the query has room for them.
    fn remember(&mut self, tables: Vec<DegreeCache>, cx: &Context<'_>) {
        if self.held.set_if_room(&cx.query.memory, tables.iter().map(DegreeCache::bytes).sum()) {
            self.tables = tables;
        }
    }

    /// Goes on where it stands; `true` at the end of the batch. `count` tells what to add for some neighbours that a row
    /// leads to; it costs so many looks for each.
    fn walk(
        &mut self,
        batch: &Batch,
        hop: &Hop,
        looks: usize,
        mut count: impl FnMut(Reached<'_>, usize) -> u64,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<bool, QueryError> {
        let dirs = Dir::of(hop.direction);
        let lists = dirs.len() * self.labels.len();
        let are_many = are_many(&hop.labels, &self.labels);
        let mut left = budget();
        let mut packed = PackedLists::of(batch, self.cursor.row, dirs, &self.labels, graph);
        if lists == 0 {
            self.walks.resize(batch.len, 0);
            return Ok(true);
        }
        let (mut at, mut pace) = (self.cursor, Pace::default());
        while at.row < batch.len && left > 0 {
            let v = vertex_of(batch, at.row, graph, cx)?;
            if are_many && !at.find_list(v, dirs, self.labels.len(), graph) {
                self.walks.push(std::mem::take(&mut self.total));
                left -= 1;
                continue;
            }
            let (dir, label) = list_at(at.list, dirs, &self.labels);
            if at.is_at_beginning() {
                graph.note_list_among(v, (dir, label), &hop.labels);
            }
            let run;
            let (reached, to_end) = match packed.list(v, at.list, at.row, at.place.position) {
                Some(reached) => (reached, reached.list.len()),
                None => {
                    run = graph.reader.run(v, label, dir, &mut at.place);
                    let rest = &run.neighbours()[at.place.position - run.first()..];
                    (rest.into(), run.total() - at.place.position)
                }
            };
            let (rest, to_end) = at.wanted(reached.list, to_end);
            let part = &rest[..rest.len().min(left.div_ceil(looks))];
            self.total = bulk::sum(self.total, count(reached.part(part), at.row));
            // A list costs something even if it is empty.
            left = left.saturating_sub(part.len() * looks + 1);
            at.place.position += part.len();
            if part.len() >= to_end || rest.is_empty() {
                at.next_list(lists);
                if at.row > self.walks.len() {
                    self.walks.push(std::mem::take(&mut self.total));
                }
            }
            if pace.turn_is_over(budget() - left, cx) {
                break;
            }
        }
        self.cursor = at;
        Ok(at.row >= batch.len)
    }
}

/// The second step.
struct Ends<'g> {
    graph: &'g Graph<'g>,
    along: Vec<(EdgeLabelId, Dir, Degrees<'g>)>,
}

impl<'g> Ends<'g> {
    fn new(hop: &Hop, graph: &'g Graph<'g>) -> Self {
        let EdgeLabels::Only(labels) = &hop.labels else { unreachable!("the rule `walks` asks for labels") };
        let along = Dir::of(hop.direction)
            .iter()
            .flat_map(|&dir| labels.iter().map(move |&label| (label, dir, graph.reader.degrees(label, dir))));
        Self { graph, along: along.collect() }
    }

    /// Degrees of all of these vertices, added up.
    fn count(&mut self, vertices: Reached<'_>, tables: &mut [DegreeCache]) -> u64 {
        let mut sum = 0;
        self.graph.reader.expect_ends(vertices.list);
        for ((label, dir, degrees), table) in self.along.iter_mut().zip(tables) {
            self.graph.note_lists(vertices.list, *label, *dir);
            sum += degrees.sum_with(table, vertices);
        }
        sum
    }
}
