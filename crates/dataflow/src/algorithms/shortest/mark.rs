//! What lies on a shortest path to a target.

use graph::{Reader, VertexRef};

use super::edges::Edges;
use super::{BETWEEN_LOOKS, Room, Wanted};
use crate::algorithms::Ground;
use crate::error::QueryError;
use crate::quota::Quota;

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

    /// Goes on for the quota; whether it is done.
    pub(super) fn go_on(
        &mut self,
        back: &Edges,
        wanted: &Wanted,
        room: &mut Room,
        ground: &Ground,
        reader: &Reader<'_>,
        quota: &Quota<'_>,
    ) -> Result<bool, QueryError> {
        while let Some(v) = self.open.pop() {
            let distance = room.distance(ground.places.of_vertex(v));
            let open = &mut self.open;
            back.for_each(v, wanted, (ground, reader), |step| {
                let place = ground.places.of_vertex(step.to);
                let before = room.distance(place);
                if before.is_finite() && before + step.length == distance && room.mark(place) {
                    open.push(step.to);
                }
            })?;
            self.done += 1;
            if self.done.is_multiple_of(BETWEEN_LOOKS) && quota.is_spent() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}
