//! One shortest path after another.

use graph::{EdgeRef, Reader, VertexRef};
use values::{Path, Value};

use super::edges::Edges;
use super::{BETWEEN_LOOKS, Room, Wanted};
use crate::algorithms::Ground;
use crate::error::QueryError;
use crate::quota::Quota;

/// Paths that are handed over together.
const PATHS: usize = 1 << 10;

/// Walks through what was reached and, if there are targets, marked: depth first.
///
/// ```text
/// stack   source │ how it goes on │ vertex │ how it goes on │ …       the path to where it stands
/// ```
pub(super) struct Walk {
    stack: Vec<Stand>,
    source: Option<VertexRef>,
    paths: Vec<Value>,
    steps: usize,
}

/// A vertex of the path.
struct Stand {
    v: VertexRef,
    /// The edge that led to it, if that is wanted.
    edge: Option<EdgeRef>,
    /// How paths go on from it, the last first.
    next: Vec<(VertexRef, Option<EdgeRef>)>,
}

impl Walk {
    pub(super) fn new(source: VertexRef) -> Self {
        Self { stack: Vec::new(), source: Some(source), paths: Vec::new(), steps: 0 }
    }

    /// The paths that were found since the last call.
    pub(super) fn take(&mut self) -> Vec<Value> {
        std::mem::take(&mut self.paths)
    }

    /// Goes on until there are some paths, or the quota is spent; whether it is done.
    pub(super) fn go_on(
        &mut self,
        edges: &Edges,
        wanted: &Wanted,
        room: &Room,
        ground: &Ground,
        reader: &Reader<'_>,
        quota: &Quota<'_>,
    ) -> Result<bool, QueryError> {
        if let Some(source) = self.source.take() {
            if !is_wanted(wanted, room, ground.places.of_vertex(source)) {
                return Ok(true);
            }
            self.stand(source, None, edges, wanted, room, (ground, reader))?;
        }
        while let Some(last) = self.stack.last_mut() {
            match last.next.pop() {
                Some((v, edge)) => self.stand(v, edge, edges, wanted, room, (ground, reader))?,
                None => drop(self.stack.pop()),
            }
            self.steps += 1;
            let is_over = self.steps.is_multiple_of(BETWEEN_LOOKS) && quota.is_spent();
            if self.paths.len() >= PATHS || is_over {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Stands at a vertex: a path may end here.
    fn stand(
        &mut self,
        v: VertexRef,
        edge: Option<EdgeRef>,
        edges: &Edges,
        wanted: &Wanted,
        room: &Room,
        at: (&Ground, &Reader<'_>),
    ) -> Result<(), QueryError> {
        let places = &at.0.places;
        let place = places.of_vertex(v);
        self.stack.push(Stand { v, edge, next: Vec::new() });
        let ends_here = |place: u32| match &wanted.targets {
            Some(targets) => targets.binary_search(&place).is_ok(),
            None => true,
        };
        if ends_here(place as u32) {
            self.paths.push(self.path());
        }
        let (distance, mut next) = (room.distance(place), Vec::new());
        edges.for_each(v, wanted, at, |step| {
            let place = places.of_vertex(step.to);
            let there = room.distance(place);
            let leads_on =
                there.is_finite() && there == distance + step.length && is_wanted(wanted, room, place);
            // Where an edge takes it no farther (it may be too short to be seen in the sum), it might come back.
            if leads_on && (there > distance || !self.stack.iter().any(|stand| stand.v == step.to)) {
                next.push((step.to, step.edge));
            }
        })?;
        if !wanted.includes_edges {
            next.sort_unstable_by_key(|(v, _)| std::cmp::Reverse(*v));
            next.dedup_by_key(|(v, _)| *v);
        }
        if let Some(last) = self.stack.last_mut() {
            last.next = next;
        }
        Ok(())
    }

    fn path(&self) -> Value {
        let mut objects = Vec::with_capacity(2 * self.stack.len());
        for stand in &self.stack {
            objects.extend(stand.edge.map(Value::EdgeRef));
            objects.push(Value::VertexRef(stand.v));
        }
        Path { labels: vec![Vec::new(); objects.len()], objects }.into()
    }
}

/// Whether a path that is wanted may go through the vertex of a place.
fn is_wanted(wanted: &Wanted, room: &Room, place: usize) -> bool {
    wanted.targets.is_none() || room.is_marked(place)
}
