//! One shortest path after another.

use graph::{EdgeRef, VertexRef};
use values::{Path, Str, Value};

use super::{On, Room, Wanted};
use crate::error::QueryError;

/// Paths that are handed over together, and objects in them, at most, but for those of the last path.
const PATHS: usize = 1 << 10;
const OBJECTS: usize = 1 << 14;
/// Bytes of a path, and of an object in it with its labels, of which there is room for twice as many.
const PATH_BYTES: usize = size_of::<Value>() + size_of::<Path>() + 16;
const OBJECT_BYTES: usize = 2 * size_of::<Value>() + size_of::<Vec<Str>>();

/// Walks through what was reached and, if there are targets, marked: depth first.
///
/// ```text
/// stack   source │ how it goes on │ vertex │ how it goes on │ …       the path to where it stands
/// ```
pub(super) struct Walk {
    stack: Vec<Stand>,
    source: Option<VertexRef>,
    paths: Vec<Value>,
    /// Objects in them.
    objects: usize,
    /// Bytes of the stack.
    bytes: usize,
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
        Self { stack: Vec::new(), source: Some(source), paths: Vec::new(), objects: 0, bytes: 0, steps: 0 }
    }

    /// The paths that were found since the last call, and roughly their bytes.
    pub(super) fn take(&mut self) -> (Vec<Value>, usize) {
        let bytes = self.paths.len() * PATH_BYTES + std::mem::take(&mut self.objects) * OBJECT_BYTES;
        (std::mem::take(&mut self.paths), bytes)
    }

    /// Goes on until there are some paths, or the quota is spent; whether it is done.
    pub(super) fn go_on(&mut self, on: On<'_>, room: &mut Room) -> Result<bool, QueryError> {
        if let Some(source) = self.source.take() {
            if !is_wanted(on.wanted, room, on.place(source)) {
                return Ok(true);
            }
            self.stand(source, None, on, room)?;
        }
        while let Some(last) = self.stack.last_mut() {
            match last.next.pop() {
                Some((v, edge)) => self.stand(v, edge, on, room)?,
                None => {
                    let left = self.stack.pop();
                    self.bytes -= left.map_or(0, |left| left.bytes());
                }
            }
            self.steps += 1;
            if self.paths.len() >= PATHS || self.objects >= OBJECTS || on.is_over(self.steps) {
                room.hold_besides(self.bytes, on.ground)?;
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
        on: On<'_>,
        room: &Room,
    ) -> Result<(), QueryError> {
        let place = on.place(v);
        self.stack.push(Stand { v, edge, next: Vec::new() });
        if on.wanted.ends_at(place) {
            let path = self.path();
            self.paths.push(path);
        }
        let (distance, mut next) = (room.distance(place), Vec::new());
        on.edges.for_each(v, on, |step| {
            let place = on.place(step.to);
            let there = room.distance(place);
            let leads_on =
                there.is_finite() && there == distance + step.length && is_wanted(on.wanted, room, place);
            // Where an edge takes it no farther (it may be too short to be seen in the sum), it might come back.
            if leads_on && (there > distance || !self.stack.iter().any(|stand| stand.v == step.to)) {
                next.push((step.to, step.edge));
            }
        })?;
        if !on.wanted.includes_edges {
            next.sort_unstable_by_key(|(v, _)| std::cmp::Reverse(*v));
            next.dedup_by_key(|(v, _)| *v);
        }
        if let Some(last) = self.stack.last_mut() {
            last.next = next;
            self.bytes += last.bytes();
        }
        Ok(())
    }

    fn path(&mut self) -> Value {
        let mut objects = Vec::with_capacity(2 * self.stack.len());
        for stand in &self.stack {
            objects.extend(stand.edge.map(Value::EdgeRef));
            objects.push(Value::VertexRef(stand.v));
        }
        self.objects += objects.len();
        Path { labels: vec![Vec::new(); objects.len()], objects }.into()
    }
}

impl Stand {
    /// Bytes that it takes on the stack.
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.next.capacity() * size_of::<(VertexRef, Option<EdgeRef>)>()
    }
}

/// Whether a path that is wanted may go through the vertex of a place.
fn is_wanted(wanted: &Wanted, room: &Room, place: usize) -> bool {
    wanted.targets.is_none() || room.is_marked(place)
}
