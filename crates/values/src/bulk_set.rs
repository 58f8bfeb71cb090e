//! A set that knows how often each member was added.

use indexmap::IndexMap;

use crate::{Seeded, Value, watch};

/// TinkerPop's `BulkSet`: what `aggregate` gathers. To users it is a set whose members come as often as they were added.
///
/// Members are kept in the order of their first addition, each with a count that is above zero. Counts add up to
/// [`u64::MAX`] at most and stay there.
#[derive(Clone, Debug, Default)]
pub struct BulkSet {
    members: IndexMap<Value, u64, Seeded>,
    total: u64,
}

impl BulkSet {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a member so many times.
    pub fn add(&mut self, value: Value, count: u64) {
        if count > 0 {
            let held = self.members.entry(value).or_insert(0);
            *held = held.saturating_add(count);
            self.total = self.total.saturating_add(count);
        }
    }

    /// Number of members, as often as they were added.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Number of distinct members.
    pub fn distinct(&self) -> usize {
        self.members.len()
    }

    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// The distinct members with their counts, in the order of their first addition.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, u64)> + Clone {
        self.members.iter().map(|(value, count)| (value, *count))
    }

    /// The distinct members from the `from`th on with their counts, without a walk over those before.
    pub fn counted_from(&self, from: usize) -> impl Iterator<Item = (&Value, u64)> {
        self.members.get_range(from..).into_iter().flatten().map(|(value, count)| (value, *count))
    }

    /// The distinct members from the `from`th on.
    pub fn distinct_from(&self, from: usize) -> impl Iterator<Item = &Value> {
        self.members.get_range(from..).into_iter().flatten().map(|(value, _)| value)
    }

    /// The members, each as often as it was added, from the `from`th on.
    pub fn repeated_from(&self, from: u64) -> impl Iterator<Item = &Value> {
        let mut skip = from;
        self.iter().flat_map(move |(value, count)| {
            let skipped = skip.min(count);
            skip -= skipped;
            let left = usize::try_from(count - skipped).unwrap_or(usize::MAX);
            std::iter::repeat_n(value, left)
        })
    }

    /// How often a value was added.
    pub fn count_of(&self, value: &Value) -> u64 {
        self.members.get(value).copied().unwrap_or(0)
    }
}

/// There may be millions of members, so the watch is told of each.
impl FromIterator<(Value, u64)> for BulkSet {
    fn from_iter<I: IntoIterator<Item = (Value, u64)>>(iter: I) -> Self {
        let mut set = Self::new();
        for (value, count) in iter {
            watch::tick();
            set.add(value, count);
        }
        set
    }
}

impl PartialEq for BulkSet {
    /// The same members, as often.
    fn eq(&self, other: &Self) -> bool {
        self.distinct() == other.distinct()
            && self.iter().all(|(member, count)| {
                watch::tick();
                other.count_of(member) == count
            })
    }
}

impl Eq for BulkSet {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_come_as_often_as_they_were_added() {
        let set: BulkSet =
            [("a".into(), 2), ("b".into(), 1), ("a".into(), 1), ("c".into(), 0)].into_iter().collect();
        assert_eq!((set.total(), set.distinct()), (4, 2));
        let from = |n| set.repeated_from(n).map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(from(0), ["a", "a", "a", "b"]);
        assert_eq!(from(2), ["a", "b"]);
        assert_eq!(from(4), [""; 0]);
        let counted = |n| set.counted_from(n).map(|(_, count)| count).collect::<Vec<_>>();
        assert_eq!((counted(0), counted(1), counted(3)), (vec![3, 1], vec![1], vec![]));
    }
}
