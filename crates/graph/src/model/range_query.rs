//! What is asked of a range index.

use values::Value;

use super::catalog::Catalog;
use super::names::{KeyId, VertexLabelId};
use super::order_key;
use super::schema::{Index, IndexKind, IndexState};

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
