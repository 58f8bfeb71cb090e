//! How the values under an index are distributed.
//!
//! ```text
//! equality, unique   entries │ distinct values │ the most common ones: (hash, entries)…
//! range              entries │ distinct values of the first key, of the first two, … │ bounds
//!
//! bounds             │b₀│b₁│b₂│…│bₙ│    between two of them lie equally many entries (an equi-depth histogram); as in the
//!                                       index, they are the bytes of values in their order
//! ```
//!
//! What is asked is how many entries a lookup finds. Since they were taken, the vertices of the label may have become
//! more or fewer: the values are taken to have become so in proportion.

use values::Value;

use super::range_query::{RangeQuery, bounds_of};
use super::scalar_hash::index_hash;

/// Parts of an equi-depth histogram.
pub(crate) const PARTS: u64 = 64;
/// Values of an equality index that are remembered with their number.
pub(crate) const COMMON: usize = 16;

/// How the values under one index are distributed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueStatistics {
    pub(crate) entries: u64,
    /// By the number of leading keys, less one.
    pub(crate) distinct: Box<[u64]>,
    /// Of an index by hash: the most common values, most common first.
    pub(crate) common: Box<[(u32, u64)]>,
    /// Of a range index.
    pub(crate) bounds: Box<[Box<[u8]>]>,
    /// Vertices of the label when this was taken.
    pub(crate) vertices: u64,
    pub(crate) is_exact: bool,
}

impl ValueStatistics {
    /// Entries of the index: about one for each vertex that has a value.
    pub fn entries(&self) -> u64 {
        self.entries
    }

    /// Different values of the first so many keys of the index (1 for an index over one key); 0 if there are none.
    pub fn distinct(&self, keys: usize) -> u64 {
        keys.checked_sub(1).and_then(|last| self.distinct.get(last)).copied().unwrap_or(0)
    }

    /// Whether every entry was looked at and compared with what its vertex has, at the time. Otherwise some were, or
    /// entries that have become stale were counted as well.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Vertices of the label when this was taken.
    pub fn vertices(&self) -> u64 {
        self.vertices
    }

    /// Vertices that have a value under an equality index: that one, or any if it is not known.
    pub fn equal(&self, value: Option<&Value>) -> f64 {
        let distinct = self.distinct(1);
        let Some(value) = value else { return per(self.entries, distinct) };
        let hash = index_hash(value);
        if let Some((_, entries)) = self.common.iter().find(|(common, _)| *common == hash) {
            return *entries as f64;
        }
        let common: u64 = self.common.iter().map(|(_, entries)| entries).sum();
        per(self.entries.saturating_sub(common), distinct.saturating_sub(self.common.len() as u64))
    }

    /// Vertices that a query of a range index is about, all of whose values are known. `None` if one is a collection.
    pub fn range(&self, query: RangeQuery<'_>) -> Option<f64> {
        let (from, to) = bounds_of(query)?;
        let bounded = query.low.is_some() || query.high.is_some();
        let place = |key: &[u8]| self.bounds.partition_point(|bound| &**bound < key);
        let (first, last) = (place(&from), place(&to));
        let parts = self.bounds.len().saturating_sub(1).max(1) as f64;
        let inside = last.saturating_sub(first) as f64;
        let outside = from >= to || last == 0 || first == self.bounds.len();
        let entries = self.entries as f64;
        Some(match inside {
            _ if outside => 0.0,
            // A value that has no part of its own is one of many.
            ..2.0 if !bounded => per(self.entries, self.distinct(query.equal.len())),
            inside => (inside.max(0.5) / parts * entries).min(entries),
        })
    }

    /// Vertices that have some values of the first so many keys of a range index, which are not known.
    pub fn equal_keys(&self, keys: usize) -> f64 {
        if keys == 0 { self.entries as f64 } else { per(self.entries, self.distinct(keys)) }
    }
}

fn per(entries: u64, distinct: u64) -> f64 {
    entries as f64 / distinct.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::names::{KeyId, VertexLabelId};
    use crate::model::order_key;

    #[test]
    fn a_common_value_is_known_and_the_others_share_what_is_left() {
        let common = Box::new([(index_hash(&Value::Int(7)), 500)]);
        let statistics =
            ValueStatistics { entries: 1_000, distinct: [101].into(), common, ..Default::default() };
        assert_eq!(statistics.equal(Some(&Value::Long(7))), 500.0);
        assert_eq!(statistics.equal(Some(&Value::Int(8))), 5.0);
        assert!((statistics.equal(None) - 1_000.0 / 101.0).abs() < 1e-9);
        assert_eq!(ValueStatistics::default().equal(Some(&Value::Int(1))), 0.0);
    }

    #[test]
    fn a_range_has_as_many_as_it_has_parts() {
        let bytes = |n: i64| {
            let mut key = Vec::new();
            order_key::push(&mut key, Some(&Value::Long(n)));
            key.into_boxed_slice()
        };
        // 6,400 entries; every second one is 0, the others are 1, 2, 3, …
        let bound = |part: i64| bytes((part - 32).max(0) * 100);
        let statistics = ValueStatistics {
            entries: 6_400,
            distinct: [3_201].into(),
            bounds: (0..=64).map(bound).collect(),
            ..Default::default()
        };
        let rows = |low: Option<i64>, high: Option<i64>, equal: &[i64]| {
            let (low, high) = (low.map(Value::Long), high.map(Value::Long));
            let equal: Vec<Value> = equal.iter().map(|n| Value::Long(*n)).collect();
            let (low, high) = (low.as_ref(), high.as_ref());
            let query = RangeQuery { label: VertexLabelId(0), keys: &[KeyId(1)], equal: &equal, low, high };
            statistics.range(query).unwrap()
        };
        assert_eq!(rows(Some(1_000), Some(1_999), &[]), 1_000.0);
        assert_eq!(rows(None, Some(0), &[]), 3_300.0);
        assert_eq!(rows(None, None, &[0]), 3_300.0);
        assert!((rows(None, None, &[1_234]) - 2.0).abs() < 0.1);
        assert_eq!(rows(Some(5_000), None, &[]), 0.0);
        assert_eq!(rows(None, Some(-1), &[]), 0.0);
    }
}
