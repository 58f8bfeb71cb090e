//! Numbers of walks of two steps, without a traverser for any of them.

use graph::{Degrees, Dir, EdgeLabelId, Place};
use planner::physical::{EdgeLabels, Hop, OpKind};
use values::VertexRef;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::fan::trace;
use super::super::view::{Graph, View, Viewpoint};
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
    /// Walks from the next row so far, and where it stands: the list, and the place in it.
    total: u64,
    list: usize,
    place: Place,
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
            (self.total, self.list, self.place) = (0, 0, Place::default());
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
        let mut left = budget();
        let graph = ends.graph;
        let mut packed = PackedLists::of(batch, self.walks.len(), dirs, &self.labels, graph);
        while self.walks.len() < batch.len {
            while self.list < lists {
                if left == 0 {
                    return Ok(false);
                }
                let v = vertex_of(batch, self.walks.len(), graph, cx)?;
                let (dir, label) =
                    (dirs[self.list / self.labels.len()], self.labels[self.list % self.labels.len()]);
                if self.place.position == 0 {
                    graph.note_list(v, label, dir);
                }
                let run;
                let (rest, to_end) = match packed.list(v, self.list, self.walks.len(), self.place.position) {
                    Some(list) => (list, list.len()),
                    None => {
                        run = graph.reader.run(v, label, dir, &mut self.place);
                        let rest = &run.neighbours()[self.place.position - run.first()..];
                        (rest, run.total() - self.place.position)
                    }
                };
                let part = &rest[..rest.len().min(left.div_ceil(ends.along.len()))];
                self.total = self.total.checked_add(ends.count(part)).ok_or_else(|| too_many(cx))?;
                // A list costs something even if it is empty.
                left = left.saturating_sub(part.len() * ends.along.len() + 1);
                self.place.position += part.len();
                if part.len() >= to_end || rest.is_empty() {
                    (self.list, self.place) = (self.list + 1, Place::default());
                }
            }
            self.walks.push(std::mem::take(&mut self.total));
            self.list = 0;
        }
        Ok(true)
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
