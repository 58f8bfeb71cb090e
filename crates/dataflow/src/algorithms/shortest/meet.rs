//! What lies on the shortest paths from a source to one target, where all edges are as long as each other: breadth first from both,
//! a level at a time, from the side that has fewer vertices to go on from, until the two meet.
//!
//! ```text
//!           levels ─▶       met        ◀─ levels of the other side
//! source    0 │ 1 │ 1 │ 2 │ 3,2 │ 1 │ 1 │ 0     target
//! ```
//!
//! Where they meet first, each is as far from its end as it can be known to be; so what is met in that level lies on a shortest path,
//! and every shortest path leads through some of it. From there the paths are traced on to the target, whose vertices so get their
//! distances from the source, and marked; back to the source they are marked as with any targets (`mark.rs`).

use graph::VertexRef;

use super::edges::Edges;
use super::mark::Mark;
use super::reached::{Reached, UNREACHED};
use super::{On, Room};
use crate::error::QueryError;

/// See the module.
pub(super) struct Meet {
    /// From the source, and from the target.
    sides: [Side; 2],
    /// Beyond this nothing is wanted.
    bound: f64,
    /// Vertices that both sides have reached.
    met: Vec<VertexRef>,
    stage: Stage,
}

/// How far one side has come.
#[derive(Clone, Copy, Default)]
struct Side {
    /// The level that is gone on from.
    level: u32,
    /// Which of those reached is next, and how many belong to this level and those before.
    next: usize,
    until: usize,
}

enum Stage {
    /// A level of the one or the other side.
    Searching(usize),
    /// From what was met on to the target: which of these is next.
    Tracing(Vec<VertexRef>, usize),
}

impl Meet {
    /// Begins at a source and a target that is another vertex.
    pub(super) fn new(source: VertexRef, target: VertexRef, on: On<'_>, room: &mut Room) -> Self {
        let side = Side { level: 0, next: 0, until: 1 };
        room.from_source.reach(source, on.place(source), 0);
        // A target that there is not to the algorithm is not gone back from.
        let is_there = on.ground.admits(on.place(target));
        if is_there {
            room.from_target.reach(target, on.place(target), 0);
        }
        let sides = [side, Side { until: usize::from(is_there), ..side }];
        let bound = on.wanted.max.unwrap_or(f64::INFINITY);
        let mut meet = Self { sides, bound, met: Vec::new(), stage: Stage::Tracing(Vec::new(), 0) };
        if let Some(side) = meet.next_side() {
            meet.stage = Stage::Searching(side);
        }
        meet
    }

    /// Goes on for the quota; when it is done, what is to be marked is said.
    pub(super) fn go_on(
        &mut self,
        on: On<'_>,
        back: &Edges,
        room: &mut Room,
    ) -> Result<Option<Mark>, QueryError> {
        let mark = self.go_on_until_marked(on, back, room);
        room.hold_besides(0, on.ground)?;
        Ok(mark)
    }

    fn go_on_until_marked(&mut self, on: On<'_>, back: &Edges, room: &mut Room) -> Option<Mark> {
        loop {
            match &mut self.stage {
                Stage::Searching(side) => {
                    let side = *side;
                    let on = if side == 0 { on } else { On { edges: back, ..on } };
                    let Room { from_source, from_target, .. } = room;
                    let (own, other) = match side {
                        0 => (from_source, &*from_target),
                        _ => (from_target, &*from_source),
                    };
                    if !self.sides[side].advance(on, own, other, &mut self.met) {
                        return None;
                    }
                    self.stage = match self.next_side() {
                        Some(side) => Stage::Searching(side),
                        None => {
                            self.met.iter().for_each(|v| _ = room.mark(on.place(*v)));
                            Stage::Tracing(self.met.clone(), 0)
                        }
                    };
                }
                Stage::Tracing(open, next) => {
                    while let Some(&v) = open.get(*next) {
                        trace(v, on, room, open);
                        *next += 1;
                        if on.is_over(*next) {
                            return None;
                        }
                    }
                    return Some(Mark::from(std::mem::take(&mut self.met)));
                }
            }
        }
    }

    /// The side that goes on, unless they have met or cannot.
    fn next_side(&self) -> Option<usize> {
        let [source, target] = self.sides.map(|side| side.until - side.next);
        let length = f64::from(self.sides[0].level) + f64::from(self.sides[1].level) + 1.0;
        let goes_on = self.met.is_empty() && source > 0 && target > 0 && length <= self.bound;
        goes_on.then_some(usize::from(target < source))
    }
}

impl Side {
    /// Goes on from the vertices of its level; whether all of them are done.
    fn advance(&mut self, on: On<'_>, own: &mut Reached, other: &Reached, met: &mut Vec<VertexRef>) -> bool {
        while self.next < self.until
            && let Some(&v) = own.vertices.get(self.next)
        {
            on.edges.for_each_end(v, on, |ends| {
                for &end in ends {
                    let place = on.place(end);
                    if own.is_unreached(place) && on.ground.admits(place) {
                        own.reach(end, place, self.level + 1);
                        if other.level(place) != UNREACHED {
                            met.push(end);
                        }
                    }
                }
            });
            self.next += 1;
            if on.is_over(self.next) {
                return false;
            }
        }
        (self.level, self.until) = (self.level + 1, own.vertices.len());
        true
    }
}

/// Goes from a vertex on a shortest path to those that are one nearer to the target.
fn trace(v: VertexRef, on: On<'_>, room: &mut Room, open: &mut Vec<VertexRef>) {
    let place = on.place(v);
    let (level, left) = (room.from_source.level(place), room.from_target.level(place));
    on.edges.for_each_end(v, on, |ends| {
        for &end in ends {
            let place = on.place(end);
            // The level of what was not reached is beyond all others.
            if room.from_target.level(place).checked_add(1) == Some(left) {
                if on.wanted.keeps_ways() {
                    room.ways.add(v, end);
                }
                if room.mark(place) {
                    room.from_source.reach(end, place, level + 1);
                    open.push(end);
                }
            }
        }
    });
}
