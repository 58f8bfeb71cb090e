//! Numbers of walks of two steps, without a traverser for any of them.

use graph::{Degrees, Dir, EdgeLabelId};
use planner::physical::{EdgeLabels, Hop, OpKind};
use values::VertexRef;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::fan::trace;
use super::super::view::{Graph, View, Viewpoint};
use super::degree::{multiplied, too_many};
use super::{labels_of, vertex_of};

/// Neighbours looked at in one call at most.
const NEIGHBOURS_PER_CALL: usize = 1 << 16;

/// `bulkByWalks`: bulk times the degrees of the neighbours, added up along the lists.
#[derive(Default)]
pub(in crate::operators) struct Walks {
    input: Option<Batch>,
    /// Walks from the rows so far; the last one may be unfinished.
    walks: Vec<u64>,
    /// Where it stands: the list of the last row, and the position in it.
    list: usize,
    position: usize,
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
            (self.list, self.position) = (0, 0);
            self.viewpoint.take(cx);
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

    fn reset(&mut self) {
        self.input = None;
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
        if lists == 0 {
            self.walks.resize(batch.len, 0);
        }
        let mut left = NEIGHBOURS_PER_CALL;
        loop {
            if (self.list, self.position) == (0, 0) {
                if self.walks.len() == batch.len {
                    return Ok(true);
                }
                self.walks.push(0);
            }
            let v = vertex_of(batch, self.walks.len() - 1, ends.graph, cx)?;
            let total = self.walks.last_mut().expect("a row is being worked on");
            while self.list < lists {
                let (dir, label) =
                    (dirs[self.list / self.labels.len()], self.labels[self.list % self.labels.len()]);
                if self.position == 0 {
                    ends.graph.note_list(v, label, dir);
                }
                let list = ends.graph.reader.list(v, label, dir);
                let rest = &list.neighbours()[self.position..];
                let part = &rest[..rest.len().min(left)];
                *total = total.checked_add(ends.count(part)).ok_or_else(|| too_many(cx))?;
                left -= part.len();
                if part.len() < rest.len() {
                    self.position += part.len();
                    return Ok(false);
                }
                (self.list, self.position) = (self.list + 1, 0);
            }
            self.list = 0;
        }
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
            vertices.iter().for_each(|&v| graph.note_list(v, *label, *dir));
            degrees.sum(vertices)
        };
        self.along.iter_mut().map(of).sum()
    }
}
