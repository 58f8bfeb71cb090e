//! Numbers of walks of two steps, without a traverser for any of them.

use graph::{Degrees, Dir, EdgeLabelId};
use planner::physical::{EdgeLabels, Hop, OpKind};
use values::VertexRef;

use crate::batch::Batch;
use crate::edge_part::EdgePart;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::fan::trace;
use super::super::view::{Graph, View, Viewpoint};
use super::cursor::Cursor;
use super::degree::{multiplied, too_many};
use super::packed::PackedLists;
use super::{labels_of, vertex_of};

/// Degrees looked up in one call at most.
const DEGREES_PER_CALL: usize = 1 << 16;

fn budget() -> usize {
    #[cfg(test)]
    if let Some(forced) = super::super::chunk::forced() {
        return forced;
    }
    DEGREES_PER_CALL
}

/// `bulkByWalks`: bulk times the degrees of the neighbours, added up along the lists.
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
}

impl Operator for Walks {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::BulkByWalks { first, then } = &cx.op.kind else { return Ok(Step::Idle) };
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
            labels_of(&first.labels, &graph, &mut self.labels);
        }
        if !self.walk(&batch, first, &mut Ends::new(then, &graph), cx)? {
            self.input = Some(batch);
            return Ok(Step::More);
        }
        drop(graph);
        self.viewpoint.release();
        if let Some(mut walked) = multiplied(batch, std::mem::take(&mut self.walks), cx)? {
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
    /// Goes on where it stands; `true` at the end of the batch.
    fn walk(
        &mut self,
        batch: &Batch,
        first: &Hop,
        ends: &mut Ends<'_>,
        cx: &Context<'_>,
    ) -> Result<bool, QueryError> {
        let dirs = Dir::of(first.direction);
        let lists = dirs.len() * self.labels.len();
        let mut left = budget();
        let graph = ends.graph;
        let mut packed = PackedLists::of(batch, self.cursor.row, dirs, &self.labels, graph);
        if lists == 0 {
            self.walks.resize(batch.len, 0);
            return Ok(true);
        }
        let mut at = self.cursor;
        while at.row < batch.len && left > 0 {
            let v = vertex_of(batch, at.row, graph, cx)?;
            let (dir, label) = (dirs[at.list / self.labels.len()], self.labels[at.list % self.labels.len()]);
            if at.is_at_beginning() {
                graph.note_list(v, label, dir);
            }
            let run;
            let (rest, to_end) = match packed.list(v, at.list, at.row, at.place.position) {
                Some(list) => (list, list.len()),
                None => {
                    run = graph.reader.run(v, label, dir, &mut at.place);
                    (&run.neighbours()[at.place.position - run.first()..], run.total() - at.place.position)
                }
            };
            let (rest, to_end) = at.wanted(rest, to_end);
            let part = &rest[..rest.len().min(left.div_ceil(ends.along.len()))];
            self.total = self.total.checked_add(ends.count(part)).ok_or_else(|| too_many(cx))?;
            // A list costs something even if it is empty.
            left = left.saturating_sub(part.len() * ends.along.len() + 1);
            at.place.position += part.len();
            if part.len() >= to_end || rest.is_empty() {
                at.next_list(lists);
                if at.row > self.walks.len() {
                    self.walks.push(std::mem::take(&mut self.total));
                }
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
    fn count(&mut self, vertices: &[VertexRef]) -> u64 {
        let graph = self.graph;
        let of = |(label, dir, degrees): &mut (EdgeLabelId, Dir, Degrees<'_>)| {
            graph.note_lists(vertices, *label, *dir);
            degrees.sum(vertices)
        };
        self.along.iter_mut().map(of).sum()
    }
}
