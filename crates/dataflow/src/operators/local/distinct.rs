//! Sets in the making: of any size, and charged while they grow.
//!
//! A set that has no room for another member moves all of them into a larger table, so that for a moment there are two:
//!
//! ```text
//! room for 1,024 ──► 2,049 ──► … ──► as many as may come     charged: both, before there are two; then the larger one
//! ```
//!
//! It begins small however many members may come, for all of them may be the same one.

use values::{Set, Value, watch};

use super::Around;
use super::held::Held;
use crate::error::QueryError;

/// Members for which there is room at first. Nobody counts them.
const FEW: usize = 1 << 10;

/// Members from which on it takes milliseconds to move them: nobody begins to before a look at the deadline.
const MANY: usize = 1 << 16;

/// A set in the making.
pub(super) struct Distinct<'a> {
    set: Held<Set>,
    /// Members that may come, those that are there already among them.
    most: usize,
    around: Around<'a>,
}

impl<'a> Distinct<'a> {
    /// A set of these members, of which there are at most so many. They tell the watch of each.
    ///
    /// # Errors
    /// If the query may not hold the set.
    pub(super) fn of(
        members: impl Iterator<Item = Value>,
        most: usize,
        around: Around<'a>,
    ) -> Result<Self, QueryError> {
        let mut set = Held::<Set>::default();
        *set = Set::with_capacity(most.min(FEW));
        let mut distinct = Self { set, most, around };
        for member in members {
            distinct.add(member)?;
        }
        Ok(distinct)
    }

    /// Whether it is a member.
    pub(super) fn contains(&self, member: &Value) -> bool {
        self.set.contains(member)
    }

    /// The set.
    pub(super) fn set(&self) -> &Set {
        &self.set
    }

    /// As a value.
    pub(super) fn into_value(self) -> Value {
        self.set.into_inner().into()
    }

    /// Frees what is needed no more.
    pub(super) fn free(self) {
        self.set.free();
    }

    fn add(&mut self, member: Value) -> Result<(), QueryError> {
        if self.set.len() >= self.set.0.capacity() {
            self.grow()?;
        }
        self.set.insert(member);
        Ok(())
    }

    #[cold]
    fn grow(&mut self) -> Result<(), QueryError> {
        let len = self.set.len();
        if len >= MANY {
            watch::look();
        }
        let doubled = 2 * len + 1;
        let room = if len < self.most { doubled.min(self.most) } else { doubled };
        let (before, after) = (bytes_of(self.set.0.capacity()), bytes_of(room));
        self.set.hold(before + after, self.around)?;
        self.set.0.reserve_exact(room - len);
        self.set.hold(after, self.around)
    }
}

/// Bytes of a set with room for so many members: each with its hash, and a table of their places that is full to seven eighths.
fn bytes_of(room: usize) -> u64 {
    /// Bytes of a place in the table, with that of its hash beside it.
    const PLACE: u64 = 9;
    let places = (room as u64 * 8 / 7).next_power_of_two();
    room as u64 * (size_of::<Value>() as u64 + 8) + places * PLACE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_charged_is_what_a_set_takes() {
        for room in [1, 7, 1_000, 1 << 16, 100_000, 114_688, 114_689, 1 << 20] {
            let set = Set::with_capacity(room);
            // Seven eighths of the places of a table may be taken.
            let has_room = |places: u64| room as u64 <= places.max(8) / 8 * 7;
            let places = (0..40).map(|bits| 1 << bits).find(|places| has_room(*places)).unwrap();
            assert!(set.0.capacity() >= room);
            let entry = size_of::<Value>() as u64 + 8;
            assert!(bytes_of(room) >= entry * room as u64 + 9 * places, "{room}");
            assert!(bytes_of(room) <= 70 * room as u64 + 100, "{room}");
        }
    }
}
