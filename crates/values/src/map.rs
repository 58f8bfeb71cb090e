//! An insertion-ordered map from values to values.

use crate::{Seeded, Value};
use indexmap::IndexMap;

/// A map from values to values that iterates in insertion order, as the `LinkedHashMap`s of TinkerPop do.
///
/// Keys are compared by equivalence ([`Value`]'s `Eq`).
#[derive(Clone, Debug, Default)]
pub struct Map(pub IndexMap<Value, Value, Seeded>);

impl Map {
    /// An empty map.
    pub fn new() -> Self {
        Self::default()
    }
    /// An empty map with room for so many entries.
    pub fn with_capacity(entries: usize) -> Self {
        Self(IndexMap::with_capacity_and_hasher(entries, Seeded::default()))
    }
    /// Puts `value` under `key`; a present key keeps its place.
    pub fn insert(&mut self, key: impl Into<Value>, value: impl Into<Value>) -> Option<Value> {
        self.0.insert(key.into(), value.into())
    }
    /// The value under `key`.
    pub fn get(&self, key: &Value) -> Option<&Value> {
        self.0.get(key)
    }
    /// Number of entries.
    pub fn len(&self) -> usize {
        self.0.len()
    }
    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
    /// The entries in insertion order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&Value, &Value)> + DoubleEndedIterator {
        self.0.iter()
    }
}

impl FromIterator<(Value, Value)> for Map {
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(iter: I) -> Self {
        Self(iter.into_iter().collect())
    }
}
