//! One shortest path after another.

use graph::{EdgeRef, VertexRef};
use rustc_hash::FxHashMap;
use values::{Path, Str, Value};

use super::{Lengths, On, Room, Wanted};
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
    known: Known,
    steps: usize,
}

/// A way on from a vertex: to another, by an edge, if that is wanted.
type Way = (VertexRef, Option<EdgeRef>);

/// How paths go on from vertices with many edges of which few lead on: many paths may lead through them.
#[derive(Default)]
struct Known {
    /// Where the ways of each vertex are: from, and how many.
    places: FxHashMap<VertexRef, (u32, u32)>,
    ways: Vec<Way>,
}

/// Edges that are looked through again rather than remembered, and how many there must be for each that leads on.
const FEW_EDGES: usize = 64;
const EDGES_PER_WAY: usize = 4;
/// Ways and vertices that are remembered, at most.
const MOST_KNOWN: usize = 1 << 18;

impl Known {
    fn of(&self, v: VertexRef) -> Option<&[Way]> {
        let (from, len) = *self.places.get(&v)?;
        self.ways.get(from as usize..(from + len) as usize)
    }

    fn remember(&mut self, v: VertexRef, ways: &[Way], edges: usize) {
        let pays = edges > FEW_EDGES + EDGES_PER_WAY * ways.len();
        if pays && self.ways.len() + self.places.len() + ways.len() < MOST_KNOWN {
            self.places.insert(v, (self.ways.len() as u32, ways.len() as u32));
            self.ways.extend_from_slice(ways);
        }
    }

    fn bytes(&self) -> usize {
        self.ways.capacity() * size_of::<Way>()
            + self.places.capacity() * 2 * size_of::<(VertexRef, (u32, u32))>()
    }
}

/// A vertex of the path.
struct Stand {
    v: VertexRef,
    /// The edge that led to it, if that is wanted.
    edge: Option<EdgeRef>,
    /// How paths go on from it, the last first.
    next: Vec<Way>,
}

impl Walk {
    pub(super) fn new(source: VertexRef) -> Self {
        let (stack, paths, known) = (Vec::new(), Vec::new(), Known::default());
        Self { stack, source: Some(source), paths, objects: 0, bytes: 0, known, steps: 0 }
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
                room.hold_besides(self.bytes + self.known.bytes(), on.ground)?;
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
        let distance = room.distance(place);
        // What is farther was not looked for.
        let is_last =
            on.wanted.lengths == Lengths::Hops && on.wanted.max.is_some_and(|max| distance + 1.0 > max);
        let next = match self.known.of(v) {
            _ if is_last || on.wanted.only_target() == Some(place as u32) => Vec::new(),
            Some(ways) => ways.to_vec(),
            None if on.wanted.keeps_ways()
                && let Some(ways) = room.ways.of(v) =>
            {
                ways.rev().map(|to| (to, None)).collect()
            }
            None => self.ways_on(v, distance, on, room)?,
        };
        if let Some(last) = self.stack.last_mut() {
            last.next = next;
            self.bytes += last.bytes();
        }
        Ok(())
    }

    /// How paths go on from a vertex so far away.
    fn ways_on(
        &mut self,
        v: VertexRef,
        distance: f64,
        on: On<'_>,
        room: &Room,
    ) -> Result<Vec<Way>, QueryError> {
        let (mut next, mut edges) = (Vec::new(), 0);
        on.edges.for_each(v, on, |step| {
            edges += 1;
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
        // Otherwise they depend on what the path has been through.
        if on.wanted.lengths == Lengths::Hops {
            self.known.remember(v, &next, edges);
        }
        Ok(next)
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
        size_of::<Self>() + self.next.capacity() * size_of::<Way>()
    }
}

/// Whether a path that is wanted may go through the vertex of a place.
fn is_wanted(wanted: &Wanted, room: &Room, place: usize) -> bool {
    wanted.targets.is_none() || room.is_marked(place)
}
