//! In which order an adjacency list lies.

use std::cmp::Ordering;
use std::ops::Range;

use values::{Value, VertexRef};

use crate::model::{KeyId, ValueRef};

/// The order of the edges of a list. Each is total over the edges of one list, so a position is stable for a snapshot
/// however the list is stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// As the edges were committed: insertion time, the default.
    Arrival,
    /// By the value under a sort key, edges without one first; equal values by neighbour, then sequence number.
    Key(KeyId),
}

impl Order {
    /// The order of the lists of a label with this sort key, or none.
    pub(crate) fn of(sort_key: Option<KeyId>) -> Self {
        sort_key.map_or(Self::Arrival, Self::Key)
    }

    /// The property that the order depends on.
    pub(crate) fn key(self) -> Option<KeyId> {
        match self {
            Self::Key(key) => Some(key),
            Self::Arrival => None,
        }
    }
}

/// What places an edge in [`Order::Key`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct SortPlace<'v> {
    pub(crate) value: Option<ValueRef<'v>>,
    pub(crate) neighbour: VertexRef,
    pub(crate) seq: u32,
}

impl SortPlace<'_> {
    pub(crate) fn order(&self, other: &SortPlace<'_>) -> Ordering {
        order_values(self.value, other.value)
            .then_with(|| (self.neighbour, self.seq).cmp(&(other.neighbour, other.seq)))
    }
}

/// The same, of its own.
#[derive(Clone, Debug)]
pub(crate) struct OwnPlace {
    pub(crate) value: Option<Value>,
    pub(crate) neighbour: VertexRef,
    pub(crate) seq: u32,
}

impl OwnPlace {
    pub(crate) fn of(SortPlace { value, neighbour, seq }: SortPlace<'_>) -> Self {
        Self { value: value.map(ValueRef::to_value), neighbour, seq }
    }

    pub(crate) fn place(&self) -> SortPlace<'_> {
        SortPlace { value: self.value.as_ref().map(ValueRef::of), neighbour: self.neighbour, seq: self.seq }
    }
}

/// The first number of a range for which `is_before` does not hold; it holds for all before that and none after.
pub(crate) fn partition_point(range: Range<usize>, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut high) = (range.start, range.end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) { low = middle + 1 } else { high = middle }
    }
    low
}

/// No value before any value, then as TinkerPop orders values.
pub(crate) fn order_values(a: Option<ValueRef<'_>>, b: Option<ValueRef<'_>>) -> Ordering {
    match (a, b) {
        (Some(a), Some(b)) => a.order(b),
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}
