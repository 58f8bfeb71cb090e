//! What lies on the shortest paths from a source to one target, where all edges are as long as each other: breadth first from both,
//! a level at a time, from the side that has fewer vertices to go on from, until the two meet.
//!
//! ```text
//!           levels ─▶       met        ◀─ levels of the other side
//! source    0 │ 1 │ 1 │ 2 │ 3,2 │ 1 │ 1 │ 0     target
//! ```
//!
//! Where they meet first, each is as far from its end as it can be known to be; so what is met in that level lies on a shortest path,
//! and every shortest path leads through some of it. From there they are marked on to the target, whose vertices so get their
//! distances from the source, and back to the source (`narrow.rs`).

use std::ops::Range;

use graph::VertexRef;

use super::edges::Edges;
use super::narrow::{End, Narrow};
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
pub(super) struct Side {
    /// The level that is gone on from.
    level: u32,
    /// Which of those reached is next.
    next: usize,
    /// How many belong to each level and those before; the last is the one that is gone on from.
    until: Vec<usize>,
    /// Edges that were gone along from each level.
    edges: Vec<usize>,
}

enum Stage {
    /// A level of the one or the other side.
    Searching(usize),
    /// From what was met to the target, and to the source.
    Narrowing(Narrow),
}

impl Meet {
    /// Begins at a source and a target that is another vertex.
    pub(super) fn new(source: VertexRef, target: VertexRef, on: On<'_>, room: &mut Room) -> Self {
        room.from_source.reach(source, on.place(source), 0);
        // A target that there is not to the algorithm is not gone back from.
        let is_there = on.ground.admits(on.place(target));
        if is_there {
            room.from_target.reach(target, on.place(target), 0);
        }
        let sides = [1, usize::from(is_there)].map(Side::new);
        let bound = on.wanted.max.unwrap_or(f64::INFINITY);
        let nobody = Stage::Narrowing(Narrow::new(End::Source, Vec::new(), 0));
        let mut meet = Self { sides, bound, met: Vec::new(), stage: nobody };
        if let Some(side) = meet.next_side() {
            meet.stage = Stage::Searching(side);
        }
        meet
    }

    /// Goes on for the quota; whether it is done, and all is marked that lies on a path.
    pub(super) fn go_on(&mut self, on: On<'_>, back: &Edges, room: &mut Room) -> Result<bool, QueryError> {
        let is_done = self.go_on_until_marked(on, back, room);
        room.hold_besides(self.bytes(), on.ground)?;
        Ok(is_done)
    }

    /// Bytes of what is known besides what was reached.
    fn bytes(&self) -> usize {
        let levels: usize = self.sides.iter().map(|side| side.until.capacity() + side.edges.capacity()).sum();
        let narrowing = match &self.stage {
            Stage::Searching(_) => 0,
            Stage::Narrowing(narrow) => narrow.bytes(),
        };
        levels * size_of::<usize>() + self.met.capacity() * size_of::<VertexRef>() + narrowing
    }

    fn go_on_until_marked(&mut self, on: On<'_>, back: &Edges, room: &mut Room) -> bool {
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
                        return false;
                    }
                    self.stage = match self.next_side() {
                        Some(side) => Stage::Searching(side),
                        None => {
                            self.met.iter().for_each(|v| _ = room.mark(on.place(*v)));
                            self.narrow(End::Target, on, room)
                        }
                    };
                }
                Stage::Narrowing(narrow) => {
                    let end = narrow.end();
                    let side = &self.sides[usize::from(end == End::Target)];
                    if !narrow.go_on(on, back, side, room) {
                        return false;
                    }
                    if end == End::Source {
                        return true;
                    }
                    self.stage = self.narrow(End::Source, on, room);
                }
            }
        }
    }

    /// From what was met to an end. All of it is as far away from there.
    fn narrow(&self, end: End, on: On<'_>, room: &Room) -> Stage {
        let levels = if end == End::Source { &room.from_source } else { &room.from_target };
        let level = self.met.first().map_or(0, |v| levels.level(on.place(*v)));
        Stage::Narrowing(Narrow::new(end, self.met.clone(), level))
    }

    /// The side that goes on, unless they have met or cannot.
    fn next_side(&self) -> Option<usize> {
        let [source, target] = self.sides.each_ref().map(|side| side.until() - side.next);
        let length = f64::from(self.sides[0].level) + f64::from(self.sides[1].level) + 1.0;
        let goes_on = self.met.is_empty() && source > 0 && target > 0 && length <= self.bound;
        goes_on.then_some(usize::from(target < source))
    }
}

impl Side {
    /// Of so many vertices, at most one.
    fn new(until: usize) -> Self {
        Self { level: 0, next: 0, until: vec![until], edges: vec![0] }
    }

    /// How many belong to the level that is gone on from, and those before.
    fn until(&self) -> usize {
        self.until.last().copied().unwrap_or(0)
    }

    /// Edges that were gone along from a level.
    pub(super) fn edges_from(&self, level: u32) -> usize {
        self.edges.get(level as usize).copied().unwrap_or(usize::MAX)
    }

    /// Which of those reached belong to a level.
    pub(super) fn of_level(&self, level: u32) -> Range<usize> {
        let until = |level: usize| self.until.get(level).copied().unwrap_or(0);
        let level = level as usize;
        level.checked_sub(1).map_or(0, until)..until(level)
    }

    /// Goes on from the vertices of its level; whether all of them are done.
    fn advance(&mut self, on: On<'_>, own: &mut Reached, other: &Reached, met: &mut Vec<VertexRef>) -> bool {
        while self.next < self.until()
            && let Some(&v) = own.vertices.get(self.next)
        {
            let mut edges = 0;
            on.edges.for_each_end(v, on, |ends| {
                edges += ends.len();
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
            if let Some(of_level) = self.edges.last_mut() {
                *of_level += edges;
            }
            self.next += 1;
            if on.is_over(self.next) {
                return false;
            }
        }
        self.level += 1;
        self.until.push(own.vertices.len());
        self.edges.push(0);
        true
    }
}
