//! Expansion to vertices that are known: from the side that has fewer edges.

use graph::{Degrees, Dir, EdgeLabelId, Place, ReadUnit};
use planner::physical::{Hop, OpKind, Target, op};
use values::{Value, VertexRef};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::element;
use super::super::repeated::Repeated;
use super::super::row_origins::trace;
use super::super::view::{Graph, View, Viewpoint};
use super::degree::multiplied;
use super::pace::Pace;
use super::{are_many, labels_of, list_at, next_list, vertex_of};

/// Edges looked at in one call at most.
const EDGES_PER_CALL: usize = 1 << 18;

/// Rows from which on it pays to remember where the degrees of many vertices are.
const SOME_ROWS: usize = 8;

/// Pace in one call that finding and beginning a list counts for.
const PER_LIST: usize = 16;

fn budget() -> usize {
    #[cfg(test)]
    if let Some(forced) = super::super::chunk::forced() {
        return forced;
    }
    EDGES_PER_CALL
}

/// `expandInto`: makes the known vertex the current one, as often as there are edges to it.
///
/// ```text
/// fan (3 edges out)  ── follows ──▶  star (a million in)      the three are looked at, whichever end the row is at
/// ```
#[derive(Default)]
pub(in crate::operators) struct ExpandInto {
    input: Option<Batch>,
    /// The known vertex of each row of the input, if there is one.
    targets: Vec<Option<VertexRef>>,
    /// Edges to it from the rows that are done.
    found: Vec<u64>,
    /// From the next row so far.
    total: u64,
    /// Which (direction, label) pair of that row is next, directions first.
    list: usize,
    /// Where in a list that was begun.
    side: Option<Side>,
    /// What goes on once for each edge.
    leaving: Repeated,
    viewpoint: Viewpoint,
    labels: Vec<EdgeLabelId>,
}

/// The list that is looked through for one pair: of one of the two vertices.
#[derive(Clone, Copy)]
struct Side {
    of: VertexRef,
    dir: Dir,
    wanted: VertexRef,
    place: Place,
}

impl Operator for ExpandInto {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let OpKind::ExpandInto(op::ExpandInto { hop, target, apart }) = &cx.op.kind else {
            return Ok(Step::Idle);
        };
        if let Some(step) = self.leave_apart(cx, out) {
            return Ok(step);
        }
        let fresh = input.is_some();
        if fresh {
            self.input = input;
            self.viewpoint.take(cx);
        }
        let Some(mut batch) = self.input.take() else { return Ok(Step::Idle) };
        let view = View::at(&self.viewpoint, cx);
        let graph = view.graph();
        if fresh {
            batch = self.begin(batch, target, &graph, cx);
            labels_of(hop.direction, &hop.labels, &batch, &graph, &mut self.labels);
        }
        if !self.look(&batch, hop, &graph, cx)? {
            self.input = Some(batch);
            return Ok(Step::More);
        }
        drop(graph);
        self.viewpoint.release();
        let (reached, found) = (self.at_targets(batch), std::mem::take(&mut self.found));
        if *apart {
            self.leaving = Repeated::new(reached, found.into());
            return Ok(self.leave_apart(cx, out).unwrap_or(Step::Idle));
        }
        if let Some(mut reached) = multiplied(reached, found) {
            trace(&mut reached, cx.op);
            out.emit(reached);
        }
        Ok(Step::Idle)
    }

    fn reset(&mut self) {
        self.input = None;
        self.leaving = Repeated::default();
        self.side = None;
        self.viewpoint.release();
    }
}

impl ExpandInto {
    /// Lets some go that leave once for each edge; `None` if there are none.
    fn leave_apart(&mut self, cx: &Context<'_>, out: &mut Output) -> Option<Step> {
        let mut reached = self.leaving.next()?;
        trace(&mut reached, cx.op);
        out.emit(reached);
        Some(if self.leaving.is_done() { Step::Idle } else { Step::More })
    }

    /// Finds the targets of the rows; the batch, with a row for each target.
    fn begin(&mut self, mut batch: Batch, target: &Target, graph: &Graph<'_>, cx: &Context<'_>) -> Batch {
        (self.list, self.total, self.side) = (0, 0, None);
        self.found.clear();
        self.targets.clear();
        match target {
            Target::Id(id) => {
                let id = cx.operand(id, &batch, 0).unwrap_or_default();
                let id = element::id_of(&id, graph).unwrap_or(id);
                let found: Vec<VertexRef> = element::vertices_by_id(&id, graph).collect();
                if found.len() > 1 {
                    // `7` and `'7'` are two vertices, and both are meant.
                    let rows = (0..batch.len as u32).flat_map(|row| found.iter().map(move |_| row));
                    batch = batch.gather(&rows.collect::<Vec<_>>());
                }
                let targets = found.iter().copied().map(Some).cycle().chain(std::iter::repeat(None));
                self.targets.extend(targets.take(batch.len));
            }
            Target::Slot(slot) => match batch.slot(*slot) {
                None => self.targets.resize(batch.len, None),
                Some(column) => self.targets.extend((0..batch.len).map(|row| vertex_in(column, row, graph))),
            },
        }
        batch
    }

    /// Goes on where it stands; `true` at the end of the batch.
    fn look(
        &mut self,
        batch: &Batch,
        Hop { direction, labels }: &Hop,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<bool, QueryError> {
        let (mut left, dirs) = (budget(), Dir::of(*direction));
        let mut pace = Pace::default();
        let lists = dirs.len() * self.labels.len();
        let are_many = are_many(labels, &self.labels);
        let mut degrees = match !are_many && batch.len >= self.found.len() + SOME_ROWS {
            true => self.degrees(dirs, graph),
            false => Vec::new(),
        };
        while self.found.len() < batch.len && left > 0 {
            let row = self.found.len();
            let v = vertex_of(batch, row, graph, cx)?;
            if are_many && self.side.is_none() {
                if self.list == 0 {
                    dirs.iter().for_each(|&dir| graph.note(|| ReadUnit::AnyList(v, dir)));
                }
                self.list = next_list(v, self.list, dirs, self.labels.len(), graph);
            }
            let Some(target) = self.targets[row].filter(|_| self.list < lists) else {
                self.found.push(std::mem::take(&mut self.total));
                self.list = 0;
                continue;
            };
            let (dir, label) = list_at(self.list, dirs, &self.labels);
            let mut side = match self.side {
                Some(side) => side,
                None => {
                    let side = shorter(v, target, dir, label, degrees.get_mut(self.list), graph);
                    // Whoever adds or drops an edge between the two changes both lists.
                    graph.note_list_among(side.of, (side.dir, label), labels);
                    side
                }
            };
            let run = graph.reader.run(side.of, label, side.dir, &mut side.place);
            let rest = &run.neighbours()[side.place.position - run.first()..];
            let part = &rest[..rest.len().min(left)];
            self.total += part.iter().filter(|end| **end == side.wanted).count() as u64;
            side.place.position += part.len();
            left = left.saturating_sub(part.len() + PER_LIST);
            let ended = rest.is_empty() || side.place.position >= run.total();
            self.side = (!ended).then_some(side);
            self.list += usize::from(ended);
            if pace.turn_is_over(budget() - left, cx) {
                break;
            }
        }
        Ok(self.found.len() >= batch.len)
    }

    /// For each (direction, label) pair the degrees along it, and those the other way.
    fn degrees<'g>(&self, dirs: &[Dir], graph: &'g Graph<'_>) -> Vec<[Degrees<'g>; 2]> {
        let both =
            |dir: Dir, label| [graph.reader.degrees(label, dir), graph.reader.degrees(label, dir.reverse())];
        dirs.iter().flat_map(|&dir| self.labels.iter().map(move |&label| both(dir, label))).collect()
    }

    /// The batch, each row of it at its target.
    fn at_targets(&self, mut batch: Batch) -> Batch {
        // Rows without a target have no edges to it, and are dropped.
        let reached = self.targets.iter().map(|target| target.unwrap_or_default()).collect();
        batch.current = Column::Vertices(reached).into();
        batch
    }
}

/// The vertex that a column has in a row. What is no vertex is equal to none, even if it is the id of one.
fn vertex_in(column: &Column, row: usize, graph: &Graph<'_>) -> Option<VertexRef> {
    column.vertex(row).or_else(|| match column.get(row)? {
        detached @ Value::Vertex(_) => element::find_vertex(&detached, graph),
        _ => None,
    })
}

/// The shorter one of the two lists that have the edges between two vertices; `degrees` along it and back, if many are
/// asked for.
fn shorter(
    v: VertexRef,
    target: VertexRef,
    dir: Dir,
    label: EdgeLabelId,
    degrees: Option<&mut [Degrees<'_>; 2]>,
    graph: &Graph<'_>,
) -> Side {
    let (along, back) = match degrees {
        Some([along, back]) => (along.sum(&[v]), back.sum(&[target])),
        None => (graph.reader.list_len(v, label, dir), graph.reader.list_len(target, label, dir.reverse())),
    };
    let (of, dir, wanted) = match along <= back {
        true => (v, dir, target),
        false => (target, dir.reverse(), v),
    };
    Side { of, dir, wanted, place: graph.reader.whole(of, label, dir) }
}
