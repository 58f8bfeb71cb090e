//! What lies on a shortest path to a target.

use graph::VertexRef;

use super::{Lengths, On, Room, Wanted};
use crate::algorithms::Ground;
use crate::error::QueryError;

/// Marks it, going back from the targets.
pub(super) struct Mark {
    /// Marked vertices that have not been gone back from.
    open: Vec<VertexRef>,
    done: usize,
}

impl Mark {
    pub(super) fn new(wanted: &Wanted, room: &mut Room, ground: &Ground) -> Self {
        let mut open = Vec::new();
        for &target in wanted.targets.iter().flatten() {
            if room.distance(target as usize).is_finite() && room.mark(target as usize) {
                open.push(ground.places.vertex(target as usize));
            }
        }
        Self { open, done: 0 }
    }

    /// Goes on for the quota, along the edges back; whether it is done.
    pub(super) fn go_on(&mut self, on: On<'_>, room: &mut Room) -> Result<bool, QueryError> {
        while let Some(v) = self.open.pop() {
            match on.wanted.lengths {
                Lengths::Hops => self.mark_by_level(v, on, room),
                _ => self.mark_by_distance(v, on, room)?,
            }
            self.done += 1;
            if on.is_over(self.done) {
                room.hold_besides(self.open.capacity() * size_of::<VertexRef>(), on.ground)?;
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Marks what lies one edge before a vertex.
    fn mark_by_level(&mut self, v: VertexRef, on: On<'_>, room: &mut Room) {
        let level = room.from_source.level(on.place(v));
        on.edges.for_each_end(v, on, |ends| {
            for &end in ends {
                let place = on.place(end);
                // The level of what was not reached is beyond all others.
                if room.from_source.level(place).checked_add(1) == Some(level) {
                    self.mark(end, place, v, on, room);
                }
            }
        });
    }

    /// Marks what lies before a vertex by the length of an edge.
    fn mark_by_distance(&mut self, v: VertexRef, on: On<'_>, room: &mut Room) -> Result<(), QueryError> {
        let distance = room.distance(on.place(v));
        on.edges.for_each(v, on, |step| {
            let place = on.place(step.to);
            let before = room.distance(place);
            if before.is_finite() && before + step.length == distance {
                self.mark(step.to, place, v, on, room);
            }
        })
    }

    /// Marks a vertex from which a path leads on to another.
    fn mark(&mut self, from: VertexRef, place: usize, to: VertexRef, on: On<'_>, room: &mut Room) {
        if on.wanted.keeps_ways() {
            room.ways.add(from, to);
        }
        if room.mark(place) {
            self.open.push(from);
        }
    }
}
