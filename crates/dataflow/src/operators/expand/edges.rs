//! Expansion to edges, or with tests or values of edges.

use graph::Dir;
use planner::physical::op;

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::Context;

use super::super::predicate::Resolver;
use super::super::view::Graph;
use super::found::Found;
use super::neighbours::{EDGES_PER_CALL, Expand, room};
use super::pace::Pace;
use super::visitor::Visitor;
use super::{are_many, list_at, next_vertex_of};

impl Expand {
    /// The general case, run by run. Where secondary trees are of use, it ends before a list that may have one.
    pub(super) fn edges(
        &mut self,
        batch: &Batch,
        way: &op::Expand,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError> {
        let shuns_long = !way.secondary.is_empty();
        let mut target = self.filling.chunk.rows(cx);
        let dirs = Dir::of(way.direction);
        let lists = dirs.len() * self.labels.len();
        let are_many = are_many(&way.labels, &self.labels);
        let mut found = Found::for_way(way, target);
        let test = match &way.edge_test {
            Some(test) => Some(self.test.ready(test, Resolver { cx, graph })?),
            None => None,
        };
        let (mut looked_at, mut kept) = (0, Vec::new());
        let mut pace = Pace::default();
        let mut at = self.cursor;
        while lists > 0
            && at.row < batch.len
            && found.len() < target
            && !found.is_heavy()
            && looked_at < EDGES_PER_CALL
        {
            let Some(v) = next_vertex_of(batch, at.row, found.len() > 0, graph, cx)? else { break };
            if are_many && !at.find_list(v, dirs, self.labels.len(), graph) {
                continue;
            }
            let (dir, label) = list_at(at.list, dirs, &self.labels);
            if at.is_at_beginning() {
                if shuns_long && graph.reader.list(v, label, dir).has_tree() {
                    break;
                }
                graph.note_list_among(v, (dir, label), &way.labels);
                if !at.is_partial() {
                    at.place = graph.reader.whole(v, label, dir);
                }
            }
            let run = graph.reader.run(v, label, dir, &mut at.place);
            target = room(target, run.neighbours().len());
            if run.is_merged() {
                target = target.max(found.len() + run.neighbours().len().min(Batch::TARGET_ROWS));
            }
            let before = found.len();
            let ended = run.neighbours().is_empty();
            let end = at.end(run.end());
            if at.place.position < end {
                let first = at.place.position - run.first();
                let (edges, room) = (first..first + (end - at.place.position), target - found.len());
                let (seen, found, kept) = (&mut self.seen, &mut found, &mut kept);
                let mut visitor =
                    Visitor { test, seen, best: None, batch, row: at.row, v, way, graph, cx, found, kept };
                let (used, _) = visitor.take(&run, edges, &(0..0), room)?;
                at.place.position += used;
                looked_at += used;
            }
            self.filling.origins.add(at.row, found.len() - before);
            if at.place.position >= at.end(run.total()) || ended {
                at.next_list(lists);
            }
            if pace.turn_is_over(looked_at, cx) {
                break;
            }
        }
        (self.cursor, self.looked_at) = (at, looked_at);
        if way.distinct {
            self.held.set(&cx.query.memory, self.seen.bytes())?;
        }
        Ok((found.len() > 0).then(|| found.finish(batch, &self.filling.origins, way)))
    }
}
