//! `shortestPath`: from each source all shortest paths, as TinkerPop's `ShortestPathVertexProgram` has them.
//!
//! ```text
//! search   distances from the source, until all targets are reached         (search.rs)
//! meet     the same from the source and from its one target at once         (meet.rs)
//! mark     what lies on a shortest path to a target, going back from these   (mark.rs, narrow.rs)
//! walk     one path after another through what is marked                     (walk.rs)
//! ```
//!
//! A piece of the work is one source.

mod edges;
mod mark;
mod meet;
mod narrow;
mod reached;
mod search;
mod walk;
mod ways;

use std::sync::Arc;

use graph::{KeyId, Reader, Value, VertexRef};
use parking_lot::Mutex;

use super::links::Links;
use super::work::{Advance, Doing, Gone, Work};
use super::{Ground, hold};
use crate::error::QueryError;
use crate::memory::{Charge, StateMemory};
use crate::operator::Context;
use crate::quota::Quota;

pub(crate) use edges::checked as length;

use edges::Edges;
use mark::Mark;
use meet::Meet;
use reached::{Reached, UNREACHED};
use search::Search;
use walk::Walk;
use ways::Ways;

/// Vertices that are looked at between two looks at the clock.
const BETWEEN_LOOKS: usize = 64;

/// How long edges are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lengths {
    /// Each is 1.
    Hops,
    /// What they have under a key, if anybody has something under it; else 0.
    Property(Option<KeyId>),
    /// As was found out with the edges.
    Found,
}

/// What is wanted of the paths.
pub(crate) struct Wanted {
    /// The step, for errors.
    pub(crate) step: String,
    /// How long edges are.
    pub(crate) lengths: Lengths,
    /// The greatest length.
    pub(crate) max: Option<f64>,
    /// Whether edges are parts of the paths.
    pub(crate) includes_edges: bool,
    /// The places of the vertices at which they may end, ascending; `None`: all.
    pub(crate) targets: Option<Vec<u32>>,
}

impl Wanted {
    /// Whether the vertex of a place is one of those at which paths are told to end.
    #[inline]
    fn is_target(&self, place: usize) -> bool {
        self.targets.as_ref().is_some_and(|targets| targets.binary_search(&(place as u32)).is_ok())
    }

    /// The one vertex at which paths end, if there is no other and it is only asked how many edges it is away.
    fn only_target(&self) -> Option<u32> {
        match self.targets.as_deref() {
            Some([target]) if self.lengths == Lengths::Hops => Some(*target),
            _ => None,
        }
    }

    /// Whether it is kept how paths go on when they are marked.
    fn keeps_ways(&self) -> bool {
        self.targets.is_some() && self.lengths == Lengths::Hops && !self.includes_edges
    }

    /// Whether a path may end there.
    fn ends_at(&self, place: usize) -> bool {
        self.targets.is_none() || self.is_target(place)
    }
}

/// What a search goes on with in its turn.
#[derive(Clone, Copy)]
struct On<'a> {
    edges: &'a Edges,
    wanted: &'a Wanted,
    ground: &'a Ground,
    reader: &'a Reader<'a>,
    quota: &'a Quota<'a>,
}

impl On<'_> {
    fn place(&self, v: VertexRef) -> usize {
        self.ground.places.of_vertex(v)
    }

    /// Whether it is time to stop, after so many vertices.
    fn is_over(&self, vertices: usize) -> bool {
        vertices.is_multiple_of(BETWEEN_LOOKS) && self.quota.is_spent()
    }
}

/// Some paths of one source.
pub(crate) struct Paths {
    /// Its number among the sources.
    pub(crate) source: usize,
    /// The paths.
    pub(crate) paths: Vec<Value>,
    /// What they are charged until they leave.
    pub(crate) charge: Charge,
}

/// See the module.
pub(crate) struct ShortestPaths(Doing<Sources>);

impl ShortestPaths {
    /// Looks for paths from these vertices.
    ///
    /// # Errors
    /// If there is no room for the edges that are kept.
    pub(crate) fn new(
        ground: &Ground,
        links: Links,
        sources: Vec<VertexRef>,
        wanted: Wanted,
    ) -> Result<Self, QueryError> {
        let back = wanted.targets.as_ref().map(|_| links.against(ground)).transpose()?;
        let (edges, back) = (Edges::new(links, ground), back.map(|back| Edges::new(back, ground)));
        let rooms = Mutex::default();
        Ok(Self(Doing::new(Sources { edges, back, sources, wanted: Arc::new(wanted), rooms }, ground)))
    }

    /// Goes on for the quota; `receive` is given the paths as they are found.
    ///
    /// # Errors
    /// [`QueryError`] ends the query.
    pub(crate) fn go_on(
        &mut self,
        cx: &Context<'_>,
        mut receive: impl FnMut(Paths),
    ) -> Result<Advance<()>, QueryError> {
        self.0.go_on(cx, |source, (paths, charge)| receive(Paths { source, paths, charge }))
    }
}

/// The search from all sources.
struct Sources {
    edges: Edges,
    /// The same edges against their direction, if paths end at targets.
    back: Option<Edges>,
    sources: Vec<VertexRef>,
    wanted: Arc<Wanted>,
    /// Of searches that have ended.
    rooms: Mutex<Vec<Room>>,
}

/// What a search needs for each vertex: kept for the next one.
#[derive(Default)]
struct Room {
    /// Of each vertex the distance from the source, if edges have lengths; infinite if it was not reached.
    distances: Vec<f64>,
    /// What was reached from the source.
    from_source: Reached,
    /// The same against the edges from the target, if there is one.
    from_target: Reached,
    /// A bit for each vertex: whether it lies on a path that is wanted.
    marks: Vec<u64>,
    /// The ways that lie on such paths, if there are targets and only vertices are wanted.
    ways: Ways,
    held: StateMemory,
    /// Bytes of the above.
    bytes: usize,
}

impl Room {
    fn new(wanted: &Wanted, ground: &Ground) -> Result<Self, QueryError> {
        let len = ground.places.len();
        let (by_level, by_distance) = if wanted.lengths == Lengths::Hops { (len, 0) } else { (0, len) };
        let back = if wanted.only_target().is_some() { len } else { 0 };
        let reached = Reached::bytes(len) + Reached::bytes(back);
        let ways = if wanted.keeps_ways() { Ways::BYTES } else { 0 };
        let bytes = reached + by_distance * size_of::<f64>() + len / 8 + ways;
        let held = hold(ground, bytes)?;
        let (from_source, from_target) = (Reached::new(by_level), Reached::new(back));
        let (distances, marks) = (vec![f64::INFINITY; by_distance], vec![0; len.div_ceil(64)]);
        Ok(Self { distances, from_source, from_target, marks, ways: Ways::default(), held, bytes })
    }

    /// Holds so many bytes besides, and what was reached far away.
    fn hold_besides(&mut self, bytes: usize, ground: &Ground) -> Result<(), QueryError> {
        let deep = self.from_source.deep_bytes() + self.from_target.deep_bytes();
        self.held.set(&ground.query.memory, self.bytes + deep + bytes)
    }

    /// How far a vertex is away; infinite if it was not reached.
    #[inline(always)]
    fn distance(&self, place: usize) -> f64 {
        match self.from_source.known(place) {
            Some(UNREACHED) => f64::INFINITY,
            Some(level) => f64::from(level),
            None => self.distances.get(place).copied().unwrap_or(f64::INFINITY),
        }
    }

    fn is_marked(&self, place: usize) -> bool {
        self.marks.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 != 0)
    }

    /// Marks a vertex; whether it was not.
    fn mark(&mut self, place: usize) -> bool {
        let Some(word) = self.marks.get_mut(place / 64) else { return false };
        let is_new = *word >> (place % 64) & 1 == 0;
        *word |= 1 << (place % 64);
        is_new
    }

    /// Forgets the search.
    fn clear(&mut self, ground: &Ground) {
        for v in &self.from_source.vertices {
            let place = ground.places.of_vertex(*v);
            if let Some(distance) = self.distances.get_mut(place) {
                *distance = f64::INFINITY;
            }
            if let Some(word) = self.marks.get_mut(place / 64) {
                *word = 0;
            }
        }
        self.from_source.clear(&ground.places);
        self.from_target.clear(&ground.places);
        self.ways.clear();
    }
}

/// A search under way.
struct FromSource {
    source: VertexRef,
    room: Room,
    phase: Phase,
}

enum Phase {
    Beginning,
    Searching(Search),
    Meeting(Meet),
    Marking(Mark),
    Walking(Walk),
}

impl Phase {
    /// All that lies on a path is marked.
    fn walking(source: VertexRef, room: &mut Room) -> Self {
        room.ways.sort();
        Self::Walking(Walk::new(source))
    }
}

impl Work for Sources {
    type Piece = FromSource;
    /// The paths, charged to the query while they wait.
    type Report = (Vec<Value>, Charge);

    const IN_LONG_PIECES: bool = true;

    fn pieces(&self) -> usize {
        self.sources.len()
    }

    fn begin(&self, piece: usize, ground: &Ground) -> Result<FromSource, QueryError> {
        let room = self.rooms.lock().pop();
        let room = room.map_or_else(|| Room::new(&self.wanted, ground), Ok)?;
        Ok(FromSource { source: self.sources[piece], room, phase: Phase::Beginning })
    }

    fn go_on(
        &self,
        piece: &mut FromSource,
        ground: &Ground,
        quota: &Quota<'_>,
    ) -> Result<Gone<Self::Report>, QueryError> {
        let reader = ground.snapshot.reader();
        let on = On { edges: &self.edges, wanted: &self.wanted, ground, reader: &reader, quota };
        let FromSource { source, room, phase } = piece;
        loop {
            *phase = match phase {
                Phase::Beginning => {
                    let target =
                        self.wanted.only_target().map(|target| ground.places.vertex(target as usize));
                    match target.filter(|target| target != source) {
                        Some(target) => Phase::Meeting(Meet::new(*source, target, on, room)),
                        None => Phase::Searching(Search::new(*source, &self.wanted, room, ground)),
                    }
                }
                Phase::Meeting(meet) => {
                    match self.back.as_ref().map(|back| meet.go_on(on, back, room)).transpose()? {
                        Some(false) => return Ok(Gone::On),
                        Some(true) | None => Phase::walking(*source, room),
                    }
                }
                Phase::Searching(search) => {
                    if !search.go_on(on, room)? {
                        return Ok(Gone::On);
                    }
                    Phase::Marking(Mark::new(&self.wanted, room, ground))
                }
                Phase::Marking(mark) => match &self.back {
                    Some(back) if !mark.go_on(On { edges: back, ..on }, room)? => {
                        return Ok(Gone::On);
                    }
                    _ => Phase::walking(*source, room),
                },
                Phase::Walking(walk) => {
                    let is_done = walk.go_on(on, room)?;
                    let (paths, bytes) = walk.take();
                    let charge = Charge::take(&ground.query.memory, bytes)?;
                    if !is_done {
                        return Ok(if paths.is_empty() { Gone::On } else { Gone::Reports((paths, charge)) });
                    }
                    let mut room = std::mem::take(room);
                    room.clear(ground);
                    room.hold_besides(0, ground)?;
                    self.rooms.lock().push(room);
                    return Ok(Gone::Ended((paths, charge)));
                }
            };
        }
    }
}
