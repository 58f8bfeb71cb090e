//! Expansion: from vertices to their neighbours or edges.

use std::sync::Arc;

use graph::{Dir, EdgeLabelId};
use planner::physical::{ExpandTo, OpKind, op};
use values::VertexRef;

use crate::batch::{Batch, Column};
use crate::edge_part::EdgePart;
use crate::error::QueryError;
use crate::memory::reclaim;
use crate::operator::Context;
use crate::query::Counters;

use super::super::flat_map::{Fill, Filling};
use super::super::predicate::Resolver;
use super::super::seen::Seen;
use super::super::shared_vertex_set::{Claims, PieceSet};
use super::super::test::{OfEnds, Prepared};
use super::super::view::{Graph, Viewpoint};
use super::best::Best;
use super::cursor::Cursor;
use super::pace::Pace;
use super::packed::PackedLists;
use super::sorted::Wanted;
use super::{are_many, labels_of, list_at, next_vertex_of};
use crate::memory::StateMemory;

/// Edges looked at in one call at most, even if few of them pass.
pub(super) const EDGES_PER_CALL: usize = 1 << 16;

/// Ends tested in one call at most.
const ENDS_PER_CALL: usize = 1 << 14;

/// Pieces that a list longer than as many full batches is emitted in: a list with changes on top is put together anew
/// for each piece.
const PIECES: usize = 16;

/// Rows that a batch may have when it comes to this list.
#[inline]
pub(super) fn room(target: usize, list: usize) -> usize {
    if target < Batch::TARGET_ROWS { target } else { target.max((list / PIECES).min(EDGES_PER_CALL)) }
}

/// See the module.
#[derive(Default)]
pub(in crate::operators) struct Expand {
    /// What is wanted of the next input, if it is not all.
    part: Option<EdgePart>,
    pub(super) cursor: Cursor,
    pub(super) filling: Filling,
    pub(super) labels: Vec<EdgeLabelId>,
    pub(super) test: Prepared,
    pub(super) seen: Seen,
    /// Where only the first few by a sort key are wanted.
    pub(super) best: Best,
    /// In a piece of an exchange: the vertices that any piece has reached.
    shared: Option<Arc<PieceSet>>,
    /// Whether it leaves out what it has reached before.
    distinct: bool,
    /// Whether others may work on pieces of the exchange at the same time.
    has_company: bool,
    /// What is known of them here.
    claims: Claims,
    pub(super) held: StateMemory,
    /// Edges that the last call has looked at.
    pub(super) looked_at: usize,
}

impl Fill for Expand {
    fn filling(&mut self) -> &mut Filling {
        &mut self.filling
    }

    fn rewind(&mut self) -> Option<Viewpoint> {
        let part = self.part.take();
        self.cursor = part.as_ref().map_or_else(Cursor::default, Cursor::of);
        part.map(|part| part.viewpoint)
    }

    fn begin(&mut self, batch: &Batch, graph: &Graph<'_>, cx: &Context<'_>) {
        let OpKind::Expand(expand) = &cx.op.kind else { return };
        self.distinct = expand.distinct;
        self.filling.chunk.expect(batch.len);
        // Once per input: the cursor counts in these labels.
        labels_of(expand.direction, &expand.labels, batch, graph, &mut self.labels);
        match cx.piece_memory {
            Some(memory) if expand.distinct && cx.single_tag => {
                self.share(Some((memory.shared(cx.op.id), memory.has_company())));
            }
            _ => self.share(None),
        }
    }

    fn fill(
        &mut self,
        batch: &Batch,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError> {
        let OpKind::Expand(way) = &cx.op.kind else { return Ok(None) };
        let filled = if let (Some(part), false) = (&way.sorted, self.cursor.is_partial()) {
            self.sorted(batch, way, Wanted::always(part), graph, cx)?
        } else if !way.secondary.is_empty() && self.is_at_long_list(batch, way, graph, cx)? {
            self.sorted(batch, way, Wanted::of_long_lists(&way.secondary), graph, cx)?
        } else if matches!(way.to, ExpandTo::Vertices) && way.edge_test.is_none() && way.fetch.is_empty() {
            self.neighbours(batch, way, graph, cx)?
        } else {
            self.edges(batch, way, graph, cx)?
        };
        if let Some(counters) = cx.query.profile.of(cx.op.id) {
            Counters::add(&counters.read, self.looked_at as u64);
        }
        Ok(filled)
    }

    fn is_done(&self, batch: &Batch) -> bool {
        self.cursor.row >= batch.len || self.labels.is_empty()
    }

    fn end(&mut self) {
        self.share(None);
    }

    fn restrict(&mut self, part: EdgePart) {
        self.part = Some(part);
    }

    fn is_blank(&self) -> bool {
        !self.distinct
    }

    fn reset(&mut self) {
        self.part = None;
        let bytes = self.held.bytes();
        if bytes > reclaim::KEPT {
            reclaim::free((std::mem::take(&mut self.seen), std::mem::take(&mut self.held)), bytes);
        }
        self.seen.clear();
        self.best.clear();
        self.share(None);
        self.held.release();
    }
}

impl Drop for Expand {
    fn drop(&mut self) {
        self.share(None);
    }
}

impl Expand {
    /// Goes on with the set of another exchange, and whether others may add to it at the same time; or with none.
    fn share(&mut self, next: Option<(Arc<PieceSet>, bool)>) {
        if let Some(shared) = self.shared.take() {
            shared.end(std::mem::take(&mut self.claims));
        }
        if let Some((shared, has_company)) = next {
            self.claims = shared.begin(has_company);
            self.has_company = has_company;
            self.shared = Some(shared);
        }
    }

    /// The plain case: whole slices of neighbours, copied or checked against those seen before.
    fn neighbours(
        &mut self,
        batch: &Batch,
        way: &op::Expand,
        graph: &Graph<'_>,
        cx: &Context<'_>,
    ) -> Result<Option<Batch>, QueryError> {
        let mut target = self.filling.chunk.rows(cx);
        let dirs = Dir::of(way.direction);
        let lists = dirs.len() * self.labels.len();
        let are_many = are_many(&way.labels, &self.labels);
        let mut found: Vec<VertexRef> = Vec::with_capacity(target);
        let mut packed = PackedLists::of(batch, self.cursor.row, dirs, &self.labels, graph);
        let test = match &way.end_test {
            Some(test) => Some(self.test.ready(test, Resolver { cx, graph })?),
            None => None,
        };
        let mut tests = match test {
            Some(test) => Some(OfEnds::new(test, batch, graph).ok_or_else(|| not_of_properties(cx))?),
            None => None,
        };
        // If few ends pass, what is found still leaves early, until the stream has proved long.
        let most = match &way.end_test {
            Some(_) if target < Batch::TARGET_ROWS => target,
            Some(_) => ENDS_PER_CALL,
            None => EDGES_PER_CALL,
        };
        let mut pace = Pace::default();
        let mut looked_at = 0;
        let mut at = self.cursor;
        // Who has reached a vertex first makes no difference here.
        let claims = self.shared.is_some() && self.has_company && !self.filling.origins.matter();
        while lists > 0
            && at.row < batch.len
            && found.len() + self.claims.fresh() < target
            && looked_at < most
        {
            let have_made = found.len() + self.claims.fresh() > 0;
            let Some(v) = next_vertex_of(batch, at.row, have_made, graph, cx)? else { break };
            if are_many && !at.find_list(v, dirs, self.labels.len(), graph) {
                continue;
            }
            let (dir, label) = list_at(at.list, dirs, &self.labels);
            if at.is_at_beginning() {
                graph.note_list_among(v, (dir, label), &way.labels);
            }
            let run;
            let (reached, left) = match packed.list(v, at.list, at.row, at.place.position) {
                Some(reached) => (reached, reached.list.len()),
                None => {
                    if at.place.position == 0 {
                        at.place = graph.reader.whole(v, label, dir);
                    }
                    run = graph.reader.run(v, label, dir, &mut at.place);
                    let rest = &run.neighbours()[at.place.position - run.first()..];
                    (rest.into(), run.total() - at.place.position)
                }
            };
            let (rest, left) = at.wanted(reached.list, left);
            target = room(target, rest.len());
            let before = found.len();
            let used = match &self.shared {
                Some(_) if claims => self.claims.add(reached.part(rest), target - self.claims.fresh()),
                Some(_) if !self.has_company => {
                    self.claims.add_alone(reached.part(rest), target - before, &mut found)
                }
                Some(set) => take_new(rest, target, &mut found, |n| set.shared.insert(n)),
                None if way.distinct => {
                    let tag = batch.tags.get(at.row);
                    let reached = reached.part(rest);
                    self.seen.insert_vertices(cx.single_tag, tag, reached, target - before, &mut found)
                }
                None if let Some(tests) = &mut tests => {
                    let used = rest.len().min(target - before).min(most - looked_at);
                    tests.take(&rest[..used], at.row, &mut found);
                    used
                }
                None => {
                    let used = rest.len().min(target - before);
                    found.extend_from_slice(&rest[..used]);
                    used
                }
            };
            self.filling.origins.add(at.row, found.len() - before);
            looked_at += used;
            at.place.position += used;
            if used >= left || rest.is_empty() {
                at.next_list(lists);
            }
            if pace.turn_is_over(looked_at, cx) {
                break;
            }
        }
        (self.cursor, self.looked_at) = (at, looked_at);
        if let (true, Some(set)) = (claims, &self.shared) {
            self.claims.claim(&set.shared, &mut found);
            self.filling.origins.add(0, found.len());
        }
        if way.distinct {
            let shared = self.shared.as_ref().map_or(0, |set| set.shared.bytes());
            self.held.set(&cx.query.memory, self.seen.bytes() + self.claims.bytes() + shared)?;
        }
        if found.is_empty() {
            return Ok(None);
        }
        let mut produced = self.filling.origins.derive(batch, Column::Vertices(found));
        if way.distinct {
            produced.bulk = None;
        }
        Ok(Some(produced))
    }
}

#[cold]
pub(super) fn not_of_properties(cx: &Context<'_>) -> QueryError {
    let message = "an expansion tests its ends by more than properties".to_owned();
    QueryError::Internal { step: cx.op.step.to_string(), message }
}

/// Appends those of `rest` that are new until `found` is full. How many of `rest` it has looked at.
#[inline]
fn take_new(
    rest: &[VertexRef],
    target: usize,
    found: &mut Vec<VertexRef>,
    mut is_new: impl FnMut(VertexRef) -> bool,
) -> usize {
    for (i, n) in rest.iter().enumerate() {
        if is_new(*n) {
            found.push(*n);
            if found.len() == target {
                return i + 1;
            }
        }
    }
    rest.len()
}
