//! The distances of vertices from a source: breadth first where all edges are as long as each other, else by Dijkstra's algorithm.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use graph::VertexRef;

use super::{Lengths, On, Room, Wanted};
use crate::algorithms::Ground;
use crate::error::QueryError;

/// See the module.
pub(super) struct Search {
    /// How many of those reached have been gone on from, breadth first.
    next: usize,
    /// By distance, the least first: those whose distance is not yet sure. Some are outdated.
    open: BinaryHeap<Open>,
    /// Targets that are not reached for sure yet.
    missing: usize,
    /// Beyond this nothing is wanted.
    bound: f64,
}

struct Open {
    distance: f64,
    v: VertexRef,
}

impl Ord for Open {
    fn cmp(&self, other: &Self) -> Ordering {
        other.distance.total_cmp(&self.distance).then_with(|| other.v.cmp(&self.v))
    }
}

impl PartialOrd for Open {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Open {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Open {}

impl Search {
    pub(super) fn new(source: VertexRef, wanted: &Wanted, room: &mut Room, ground: &Ground) -> Self {
        let place = ground.places.of_vertex(source);
        let bound = wanted.max.unwrap_or(f64::INFINITY);
        let missing = wanted.targets.as_ref().map_or(usize::MAX, Vec::len);
        let mut search = Self { next: 0, open: BinaryHeap::new(), missing, bound };
        if let Some(distance) = room.distances.get_mut(place) {
            *distance = 0.0;
        }
        room.from_source.reach(source, place, 0);
        match wanted.lengths {
            Lengths::Hops => search.missing -= usize::from(wanted.is_target(place)),
            _ => search.open.push(Open { distance: 0.0, v: source }),
        }
        search
    }

    /// Goes on for the quota; whether it is done.
    pub(super) fn go_on(&mut self, on: On<'_>, room: &mut Room) -> Result<bool, QueryError> {
        match on.wanted.lengths {
            Lengths::Hops => {
                let is_done = self.breadth_first(on, room);
                room.hold_besides(0, on.ground)?;
                Ok(is_done)
            }
            _ => {
                let is_done = self.nearest_first(on, room)?;
                room.hold_besides(self.open.capacity() * size_of::<Open>(), on.ground)?;
                Ok(is_done)
            }
        }
    }

    fn breadth_first(&mut self, on: On<'_>, room: &mut Room) -> bool {
        while let Some(&v) = room.from_source.vertices.get(self.next) {
            let level = room.from_source.level(on.place(v)).saturating_add(1);
            if self.missing == 0 || f64::from(level) > self.bound {
                return true;
            }
            let (reached, missing) = (&mut room.from_source, &mut self.missing);
            on.edges.for_each_end(v, on, |ends| {
                for &end in ends {
                    let place = on.place(end);
                    if reached.is_unreached(place) && on.ground.admits(place) {
                        reached.reach(end, place, level);
                        *missing -= usize::from(on.wanted.is_target(place));
                    }
                }
            });
            self.next += 1;
            if on.is_over(self.next) {
                return false;
            }
        }
        true
    }

    fn nearest_first(&mut self, on: On<'_>, room: &mut Room) -> Result<bool, QueryError> {
        while let Some(Open { distance, v }) = self.open.pop() {
            if distance > self.bound {
                return Ok(true);
            }
            let place = on.place(v);
            if distance > room.distance(place) {
                continue;
            }
            if on.wanted.is_target(place) {
                self.missing -= 1;
                if self.missing == 0 {
                    // What is as far may still lie on a path to it.
                    self.bound = distance;
                }
            }
            let Room { distances, from_source, .. } = room;
            let (open, bound) = (&mut self.open, self.bound);
            on.edges.for_each(v, on, |step| {
                let distance = distance + step.length;
                let place = on.place(step.to);
                let Some(known) = distances.get_mut(place) else { return };
                if distance < *known && distance <= bound && on.ground.admits(place) {
                    if known.is_infinite() {
                        from_source.vertices.push(step.to);
                    }
                    *known = distance;
                    open.push(Open { distance, v: step.to });
                }
            })?;
            self.next += 1;
            if on.is_over(self.next) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
