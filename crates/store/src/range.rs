//! Which keys a scan visits, and in which order.

use std::ops::{Bound, RangeBounds};

use crate::Bytes;

/// An interval of keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRange {
    start: Bound<Bytes>,
    end: Bound<Bytes>,
}

/// The order in which a scan visits its keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ScanOrder {
    /// From the smallest key up.
    #[default]
    Ascending,
    /// From the greatest key down.
    Descending,
}

impl KeyRange {
    /// Every key of the keyspace.
    pub fn all() -> Self {
        Self { start: Bound::Unbounded, end: Bound::Unbounded }
    }

    /// Every key that starts with `prefix`; all keys when it is empty.
    pub fn prefix(prefix: &[u8]) -> Self {
        let end = match successor_of_prefix(prefix) {
            Some(end) => Bound::Excluded(end),
            None => Bound::Unbounded,
        };
        Self { start: Bound::Included(prefix.into()), end }
    }

    /// The keys within `range`, for instance `KeyRange::new("a".."c")`.
    pub fn new<K: AsRef<[u8]>>(range: impl RangeBounds<K>) -> Self {
        let own = |bound: Bound<&K>| bound.map(|key| Bytes::from(key.as_ref()));
        Self { start: own(range.start_bound()), end: own(range.end_bound()) }
    }

    /// Where the interval begins.
    pub fn start(&self) -> &Bound<Bytes> {
        &self.start
    }

    /// Where the interval ends.
    pub fn end(&self) -> &Bound<Bytes> {
        &self.end
    }

    /// Whether no key can lie inside. Such a range scans as empty; it is not an error.
    pub fn is_empty(&self) -> bool {
        match (&self.start, &self.end) {
            (Bound::Included(start), Bound::Included(end)) => start > end,
            (Bound::Included(start) | Bound::Excluded(start), Bound::Excluded(end))
            | (Bound::Excluded(start), Bound::Included(end)) => start >= end,
            (_, Bound::Unbounded) | (Bound::Unbounded, _) => false,
        }
    }

    /// What is left to scan once every key up to and including `key`, in `order`, was visited.
    pub(crate) fn after(self, key: Bytes, order: ScanOrder) -> Self {
        match order {
            ScanOrder::Ascending => Self { start: Bound::Excluded(key), end: self.end },
            ScanOrder::Descending => Self { start: self.start, end: Bound::Excluded(key) },
        }
    }
}

impl<K: AsRef<[u8]>> RangeBounds<K> for KeyRange
where
    Bytes: std::borrow::Borrow<K>,
{
    fn start_bound(&self) -> Bound<&K> {
        self.start.as_ref().map(std::borrow::Borrow::borrow)
    }

    fn end_bound(&self) -> Bound<&K> {
        self.end.as_ref().map(std::borrow::Borrow::borrow)
    }
}

/// The smallest byte string that is greater than every string starting with `prefix`; none when there is none
/// (the prefix is empty or all `0xFF`).
fn successor_of_prefix(prefix: &[u8]) -> Option<Bytes> {
    let last = prefix.iter().rposition(|&byte| byte != u8::MAX)?;
    let mut successor = prefix[..=last].to_vec();
    successor[last] += 1;
    Some(successor.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_before_the_next_prefix_of_its_length() {
        assert_eq!(KeyRange::prefix(b"ab").end(), &Bound::Excluded(Bytes::from("ac")));
        assert_eq!(KeyRange::prefix(b"a\xFF").end(), &Bound::Excluded(Bytes::from("b")));
    }

    #[test]
    fn a_prefix_of_the_greatest_bytes_has_no_upper_end() {
        assert_eq!(KeyRange::prefix(b"\xFF\xFF").end(), &Bound::Unbounded);
        assert_eq!(KeyRange::prefix(b"").end(), &Bound::Unbounded);
    }

    #[test]
    fn reversed_ranges_are_empty() {
        assert!(KeyRange::new::<&[u8]>((Bound::Included(&b"b"[..]), Bound::Included(&b"a"[..]))).is_empty());
        assert!(KeyRange::new("a".."a").is_empty());
        assert!(!KeyRange::new("a"..="a").is_empty());
    }
}
