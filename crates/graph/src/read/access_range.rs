//! Lookups in range indexes.

use values::{Value, VertexRef};

use super::reader::Reader;
use crate::core::FIRST_INDEX;
use crate::model::{Catalog, Index, IndexKind, IndexState, KeyId, VertexLabelId, order_key};
use crate::sections::PARTITIONS;

/// What is asked of a range index over `keys`: vertices with values equal to `equal` under the first keys, and with a
/// value between `low` and `high` under the next one, if either is there.
#[derive(Clone, Copy, Debug)]
pub struct RangeQuery<'a> {
    /// The label of the vertices.
    pub label: VertexLabelId,
    /// The keys of the index.
    pub keys: &'a [KeyId],
    /// A value for each of the first keys.
    pub equal: &'a [Value],
    /// No value of the next key is smaller.
    pub low: Option<&'a Value>,
    /// No value of the next key is larger.
    pub high: Option<&'a Value>,
}

impl Catalog {
    /// The range index over exactly these keys, if one is ready.
    pub(crate) fn range_index(&self, label: VertexLabelId, keys: &[KeyId]) -> Option<&Index> {
        self.indexes().iter().find(|index| {
            let definition = &index.definition;
            definition.kind == IndexKind::Range
                && index.state == IndexState::Ready
                && definition.label == label
                && *definition.keys == *keys
        })
    }
}

impl Reader<'_> {
    /// Appends vertices in ascending order: all that the query is about, and perhaps others of the label. Whoever asks
    /// compares the values: what belongs to a range depends on more than a range index knows.
    ///
    /// `false` if there is no such index, or one of the values is a collection, which such an index cannot find.
    pub fn range_lookup(&self, query: RangeQuery<'_>, out: &mut Vec<VertexRef>) -> bool {
        let Some(index) = self.snapshot().catalog().range_index(query.label, query.keys) else {
            return false;
        };
        let Some((from, to)) = bounds_of(query) else { return false };
        let first = out.len();
        if let Some(own) = self.own {
            own.ordered_candidates(index.number, &from, &to, out);
        }
        for partition in 0..PARTITIONS {
            match self.core.ordered_partition_for(
                self.request(),
                FIRST_INDEX + index.number as usize,
                partition,
                &self.guard,
            ) {
                Ok(Some(section)) => section.candidates(&from, &to, out),
                Ok(None) => {}
                Err(error) => self.snapshot().fail(error),
            }
        }
        out[first..].sort_unstable();
        let mut kept = first;
        for i in first..out.len() {
            if (kept == first || out[kept - 1] != out[i]) && self.exists(out[i]) {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
        true
    }
}

/// The keys of the entries that a query is about: from the first to below the second. Equality of the last value that
/// is given is a range, too.
pub(crate) fn bounds_of(query: RangeQuery<'_>) -> Option<(Vec<u8>, Vec<u8>)> {
    let bounded = query.low.is_some() || query.high.is_some();
    let (equal, low, high) = match query.equal.split_last() {
        Some((last, before)) if !bounded => (before, Some(last), Some(last)),
        _ => (query.equal, query.low, query.high),
    };
    let (prefix, len) = order_key::prefix(equal);
    match equal.get(len) {
        // What follows cannot narrow any more.
        Some(value) => order_key::range(&prefix, Some(value), Some(value)),
        None => order_key::range(&prefix, low, high),
    }
}
