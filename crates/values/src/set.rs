//! An insertion-ordered set of values.

use crate::{Seeded, Value, watch};
use indexmap::IndexSet;

/// A set of values that iterates in insertion order. Members are compared by equivalence ([`Value`]'s `Eq`).
#[derive(Clone, Debug, Default)]
pub struct Set(pub IndexSet<Value, Seeded>);

impl Set {
    /// An empty set.
    pub fn new() -> Self {
        Self::default()
    }
    /// An empty set with room for so many members.
    pub fn with_capacity(members: usize) -> Self {
        Self(IndexSet::with_capacity_and_hasher(members, Seeded::default()))
    }
    /// Adds `value`; `false` if it was there.
    pub fn insert(&mut self, value: impl Into<Value>) -> bool {
        self.0.insert(value.into())
    }
    /// Whether `value` is a member.
    pub fn contains(&self, value: &Value) -> bool {
        self.0.contains(value)
    }
    /// Number of members.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there is no member.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The members in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &Value> + DoubleEndedIterator {
        self.0.iter()
    }
}

/// There may be millions of members, so the watch is told of each.
impl FromIterator<Value> for Set {
    fn from_iter<I: IntoIterator<Item = Value>>(iter: I) -> Self {
        Self(iter.into_iter().inspect(|_| watch::tick()).collect())
    }
}
