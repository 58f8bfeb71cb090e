//! Every vertex or edge, or those of some labels.

use graph::{EdgeLabelId, ReadUnit, ScanCursor, VertexLabelId};
use planner::physical::{ElementKind, OpKind, op};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::chunk::ChunkSize;
use super::super::row_origins::{Origins, trace};
use super::super::view::{Graph, View, Viewpoint};

/// See the module. The cursor is (input row, label, place in the scan of the label).
#[derive(Default)]
pub(in crate::operators) struct Scan {
    input: Option<Batch>,
    row: usize,
    label: usize,
    cursor: ScanCursor,
    viewpoint: Viewpoint,
    chunk: ChunkSize,
    origins: Origins,
}

impl Operator for Scan {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if input.is_some() {
            self.input = input;
            (self.row, self.label, self.cursor) = (0, 0, ScanCursor::default());
            self.viewpoint.take(cx);
        }
        let Some(batch) = self.input.take() else { return Ok(Step::Idle) };
        let OpKind::Scan(op::Scan { kind, vertex_labels, edge_labels }) = &cx.op.kind else {
            return Ok(Step::Idle);
        };
        self.origins.start(&batch);
        let view = View::at(&self.viewpoint, cx);
        let graph = view.graph();
        let target = self.chunk.rows(cx);
        let column = match kind {
            ElementKind::Vertex => {
                Column::Vertices(self.fill(&batch, vertex_labels, &graph, scan_vertices, (target, cx)))
            }
            ElementKind::Edge => {
                Column::Edges(self.fill(&batch, edge_labels, &graph, scan_edges, (target, cx)))
            }
        };
        if self.origins.len() > 0 {
            let mut found = self.origins.derive(&batch, column);
            trace(&mut found, cx.op);
            out.emit(found);
        }
        self.chunk.grow();
        if self.row == batch.len {
            self.viewpoint.release();
            return Ok(Step::Idle);
        }
        self.input = Some(batch);
        Ok(Step::More)
    }

    fn reset(&mut self) {
        self.input = None;
        self.viewpoint.release();
        self.chunk = ChunkSize::default();
    }
}

/// Scans elements of a label (of all labels) from a cursor on; whether there may be more.
type ScanOf<E, L> = fn(&Graph<'_>, Option<L>, &mut ScanCursor, usize, &mut Vec<E>) -> bool;

fn scan_vertices(
    graph: &Graph<'_>,
    label: Option<VertexLabelId>,
    cursor: &mut ScanCursor,
    limit: usize,
    into: &mut Vec<values::VertexRef>,
) -> bool {
    graph.note(|| label.map_or(ReadUnit::AllVertices, ReadUnit::LabelMembership));
    graph.reader.scan_vertices(label, cursor, limit, into)
}

fn scan_edges(
    graph: &Graph<'_>,
    label: Option<EdgeLabelId>,
    cursor: &mut ScanCursor,
    limit: usize,
    into: &mut Vec<values::EdgeRef>,
) -> bool {
    graph.note(|| label.map_or(ReadUnit::AllEdges, ReadUnit::EdgeLabelMembership));
    graph.reader.scan_edges(label, cursor, limit, into)
}

impl Scan {
    /// Fills one batch of `target` rows from the cursor on; of fewer, if that takes longer than a turn: there may be little left of
    /// what there once was.
    fn fill<E, L: Copy>(
        &mut self,
        batch: &Batch,
        labels: &Option<Vec<L>>,
        graph: &Graph<'_>,
        scan: ScanOf<E, L>,
        (target, cx): (usize, &Context<'_>),
    ) -> Vec<E> {
        let mut found = Vec::with_capacity(target);
        let count = labels.as_ref().map_or(1, Vec::len);
        while self.row < batch.len && found.len() < target {
            let before = found.len();
            let label = labels.as_ref().and_then(|labels| labels.get(self.label)).copied();
            let more =
                self.label < count && scan(graph, label, &mut self.cursor, target - before, &mut found);
            self.origins.add(self.row, found.len() - before);
            if !more {
                self.cursor = ScanCursor::default();
                self.label += 1;
                if self.label >= count {
                    self.label = 0;
                    self.row += 1;
                }
            }
            if cx.quota.is_spent() {
                break;
            }
        }
        found
    }
}
