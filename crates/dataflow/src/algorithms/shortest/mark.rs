//! What lies on a shortest path to a target.

use graph::VertexRef;

use super::{On, Room, Wanted};
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
        Self::from(open)
    }

    /// Goes back from vertices that are marked.
    pub(super) fn from(open: Vec<VertexRef>) -> Self {
        Self { open, done: 0 }
    }

    /// Goes on for the quota, along the edges back; whether it is done.
    pub(super) fn go_on(&mut self, on: On<'_>, room: &mut Room) -> Result<bool, QueryError> {
        while let Some(v) = self.open.pop() {
            let distance = room.distance(on.place(v));
            let open = &mut self.open;
            on.edges.for_each(v, on, |step| {
                let place = on.place(step.to);
                let before = room.distance(place);
                if before.is_finite() && before + step.length == distance {
                    if on.wanted.keeps_ways() {
                        room.ways.add(step.to, v);
                    }
                    if room.mark(place) {
                        open.push(step.to);
                    }
                }
            })?;
            self.done += 1;
            if on.is_over(self.done) {
                room.hold_besides(self.open.capacity() * size_of::<VertexRef>(), on.ground)?;
                return Ok(false);
            }
        }
        Ok(true)
    }
}
