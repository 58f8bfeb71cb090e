//! The distances of vertices from a source: breadth first where all edges are as long as each other, else by Dijkstra's algorithm.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use graph::{Reader, VertexRef};

use super::edges::Edges;
use super::{BETWEEN_LOOKS, Lengths, Room, UNREACHED, Wanted};
use crate::algorithms::Ground;
use crate::error::QueryError;
use crate::quota::Quota;

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
        if let Some(level) = room.levels.get_mut(place) {
            *level = 0;
        }
        room.reached.push(source);
        match wanted.lengths {
            Lengths::Hops => search.missing -= usize::from(is_target(wanted, place)),
            _ => search.open.push(Open { distance: 0.0, v: source }),
        }
        search
    }

    /// Goes on for the quota; whether it is done.
    pub(super) fn go_on(
        &mut self,
        edges: &Edges,
        wanted: &Wanted,
        room: &mut Room,
        ground: &Ground,
        reader: &Reader<'_>,
        quota: &Quota<'_>,
    ) -> Result<bool, QueryError> {
        match wanted.lengths {
            Lengths::Hops => Ok(self.breadth_first(edges, wanted, room, ground, reader, quota)),
            _ => self.nearest_first(edges, wanted, room, ground, reader, quota),
        }
    }

    fn breadth_first(
        &mut self,
        edges: &Edges,
        wanted: &Wanted,
        room: &mut Room,
        ground: &Ground,
        reader: &Reader<'_>,
        quota: &Quota<'_>,
    ) -> bool {
        while let Some(&v) = room.reached.get(self.next) {
            let level = room.levels.get(ground.places.of_vertex(v)).map_or(UNREACHED, |level| level + 1);
            if self.missing == 0 || f64::from(level) > self.bound {
                return true;
            }
            let Room { levels, reached, .. } = room;
            let missing = &mut self.missing;
            edges.for_each_end(v, ground, reader, |ends| {
                for &end in ends {
                    let place = ground.places.of_vertex(end);
                    let is_new = |known: &&mut u32| **known == UNREACHED && ground.admits(place);
                    if let Some(known) = levels.get_mut(place).filter(is_new) {
                        *known = level;
                        reached.push(end);
                        *missing -= usize::from(is_target(wanted, place));
                    }
                }
            });
            self.next += 1;
            if self.next.is_multiple_of(BETWEEN_LOOKS) && quota.is_spent() {
                return false;
            }
        }
        true
    }

    fn nearest_first(
        &mut self,
        edges: &Edges,
        wanted: &Wanted,
        room: &mut Room,
        ground: &Ground,
        reader: &Reader<'_>,
        quota: &Quota<'_>,
    ) -> Result<bool, QueryError> {
        while let Some(Open { distance, v }) = self.open.pop() {
            if distance > self.bound {
                return Ok(true);
            }
            let place = ground.places.of_vertex(v);
            if distance > room.distance(place) {
                continue;
            }
            if is_target(wanted, place) {
                self.missing -= 1;
                if self.missing == 0 {
                    // What is as far may still lie on a path to it.
                    self.bound = distance;
                }
            }
            let Room { distances, reached, .. } = room;
            let (open, bound) = (&mut self.open, self.bound);
            edges.for_each(v, wanted, (ground, reader), |step| {
                let distance = distance + step.length;
                let place = ground.places.of_vertex(step.to);
                let Some(known) = distances.get_mut(place) else { return };
                if distance < *known && distance <= bound && ground.admits(place) {
                    if known.is_infinite() {
                        reached.push(step.to);
                    }
                    *known = distance;
                    open.push(Open { distance, v: step.to });
                }
            })?;
            self.next += 1;
            if self.next.is_multiple_of(BETWEEN_LOOKS) && quota.is_spent() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Whether a path that is wanted must end at the vertex of a place, or at others like it.
fn is_target(wanted: &Wanted, place: usize) -> bool {
    wanted.targets.as_ref().is_some_and(|targets| targets.binary_search(&(place as u32)).is_ok())
}
