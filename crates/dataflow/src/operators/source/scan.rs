//! Every vertex or edge, or those of some labels.

use graph::{EdgeLabelId, ReadUnit, ScanCursor, VertexLabelId};
use planner::physical::{ElementKind, OpKind, op};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::super::flat_map::{Fill, Filling};
use super::super::view::{Graph, Viewpoint};

/// See the module. The cursor is (input row, label, place in the scan of the label).
#[derive(Default)]
pub(in crate::operators) struct Scan {
    row: usize,
    label: usize,
    cursor: ScanCursor,
    filling: Filling,
}

impl Fill for Scan {
    fn filling(&mut self) -> &mut Filling {
        &mut self.filling
    }

    fn rewind(&mut self) -> Option<Viewpoint> {
        (self.row, self.label, self.cursor) = (0, 0, ScanCursor::default());
        None
    }

    fn fill(
        &mut self,
        batch: &Batch,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError> {
        let OpKind::Scan(op::Scan { kind, vertex_labels, edge_labels }) = &cx.op.kind else {
            return Ok(None);
        };
        let column = match kind {
            ElementKind::Vertex => {
                Column::Vertices(self.scan(batch, vertex_labels, graph, scan_vertices, cx))
            }
            ElementKind::Edge => Column::Edges(self.scan(batch, edge_labels, graph, scan_edges, cx)),
        };
        let origins = &self.filling.origins;
        Ok((origins.len() > 0).then(|| origins.derive(batch, column)))
    }

    fn is_done(&self, batch: &Batch) -> bool {
        self.row == batch.len
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
    /// The elements of one batch from the cursor on; fewer, if that takes longer than a turn: there may be little left of what there
    /// once was.
    fn scan<E, L: Copy>(
        &mut self,
        batch: &Batch,
        labels: &Option<Vec<L>>,
        graph: &Graph<'_>,
        scan: ScanOf<E, L>,
        cx: &Context<'_>,
    ) -> Vec<E> {
        let target = self.filling.chunk.rows(cx);
        let mut found = Vec::with_capacity(target);
        let count = labels.as_ref().map_or(1, Vec::len);
        while self.row < batch.len && found.len() < target {
            let before = found.len();
            let label = labels.as_ref().and_then(|labels| labels.get(self.label)).copied();
            let more =
                self.label < count && scan(graph, label, &mut self.cursor, target - before, &mut found);
            self.filling.origins.add(self.row, found.len() - before);
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
