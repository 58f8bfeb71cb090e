//! One partition of a range index: from the bytes of values, in their order, to the vertices that may have them.
//!
//! ```text
//! ends     │ 9│18│31│…           where the key of each entry ends in bytes
//! bytes    │key│key│key │…       as `order_key` has them, ascending
//! vertices │ 7│ 3│12│…           ascending where keys are the same
//! delta    a skip list of additions and removals by (key, vertex, stamp)
//! ```
//!
//! Partition `p` has the vertices of tablet `p`, so that an index can be split and moved as the tablets are, and no
//! partition needs to be divided as values come and go; a lookup asks all of them. (The index of edge ids is of this form as
//! well, with partitions by hash: see `read/edge_ids.rs`.) As in an index by hash, entries are a
//! superset of what any snapshot may find, and removals count only when delta is merged into base.

use std::borrow::Cow;
use std::cmp::Ordering;

use crossbeam_skiplist::SkipMap;
use values::VertexRef;

use super::delta::LARGEST;
use super::order::partition_point;
use crate::model::Tick;

/// The bytes of a key, and a vertex that may have it.
pub(crate) type OrderedEntry = (Box<[u8]>, VertexRef);

/// The same, read from a partition.
pub(crate) type EntryRef<'a> = (Cow<'a, [u8]>, VertexRef);

/// Bytes that a change takes beside those of its key: its node in the skip list, the allocator's share.
const CHANGE: usize = 112;

/// Stamped additions (`true`) and removals over a base.
#[derive(Default)]
pub(crate) struct OrderedDelta(SkipMap<(Box<[u8]>, u32, Tick), bool>);

impl OrderedDelta {
    /// Changes in all.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Bytes of all changes, without those of their keys.
    pub(crate) fn bytes(&self) -> usize {
        self.len() * CHANGE
    }

    /// Changes up to `stamp`.
    pub(crate) fn count_up_to(&self, stamp: Tick) -> usize {
        self.0.iter().filter(|change| change.key().2 <= stamp).count()
    }

    /// Whether it is large enough beside a base of so many rows to be merged.
    pub(crate) fn is_ripe(&self, smallest: usize, rows: usize) -> bool {
        self.len() > smallest.max((rows / 4).min(LARGEST))
    }
}

/// The section.
pub(crate) struct OrderedPartition {
    /// Everything up to this stamp is in the base.
    pub(crate) settled: Tick,
    ends: Box<[u32]>,
    bytes: Box<[u8]>,
    vertices: Box<[VertexRef]>,
    pub(crate) delta: OrderedDelta,
}

impl OrderedPartition {
    pub(crate) fn empty() -> Self {
        Self::of(0, std::iter::empty::<(&[u8], _)>())
    }

    /// A base of arrays that were decoded; nothing if they do not fit together.
    pub(crate) fn new(
        settled: Tick,
        ends: Box<[u32]>,
        bytes: Box<[u8]>,
        vertices: Box<[VertexRef]>,
    ) -> Option<Self> {
        let fits = ends.len() == vertices.len()
            && ends.is_sorted()
            && ends.last().map_or(0, |end| *end as usize) == bytes.len();
        let section = Self { settled, ends, bytes, vertices, delta: OrderedDelta::default() };
        let ascends = || (1..section.len()).all(|i| section.entry(i - 1) < section.entry(i));
        (fits && ascends()).then_some(section)
    }

    /// A base of entries that ascend: at most 4 GiB of keys, 64 bytes for each of the 2²⁶ vertices of a tablet.
    pub(crate) fn of<K: AsRef<[u8]>>(settled: Tick, entries: impl Iterator<Item = (K, VertexRef)>) -> Self {
        let (mut ends, mut bytes, mut vertices) = (Vec::new(), Vec::new(), Vec::new());
        for (key, v) in entries {
            bytes.extend_from_slice(key.as_ref());
            ends.push(bytes.len() as u32);
            vertices.push(v);
        }
        let delta = OrderedDelta::default();
        Self { settled, ends: ends.into(), bytes: bytes.into(), vertices: vertices.into(), delta }
    }

    /// Entries of the base.
    pub(crate) fn len(&self) -> usize {
        self.vertices.len()
    }

    pub(crate) fn base(&self) -> (&[u32], &[u8], &[VertexRef]) {
        (&self.ends, &self.bytes, &self.vertices)
    }

    fn entry(&self, i: usize) -> (&[u8], VertexRef) {
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        (&self.bytes[start..self.ends[i] as usize], self.vertices[i])
    }

    /// The first entry of the base whose key is not before `key`.
    fn first_from(&self, key: &[u8]) -> usize {
        partition_point(0..self.len(), |i| self.entry(i).0 < key)
    }

    /// Whether a vertex may have a key.
    pub(crate) fn contains(&self, key: &[u8], v: VertexRef) -> bool {
        let place = partition_point(0..self.len(), |i| self.entry(i) < (key, v));
        if place < self.len() && self.entry(place) == (key, v) {
            return true;
        }
        let of_both = (Box::from(key), v.0, Tick::MIN)..=(Box::from(key), v.0, Tick::MAX);
        self.delta.0.range(of_both).any(|change| *change.value())
    }

    /// Appends the vertices that may have a key from `from` to below `to`.
    pub(crate) fn candidates(&self, from: &[u8], to: &[u8], out: &mut Vec<VertexRef>) {
        if from >= to {
            return;
        }
        let entries = self.first_from(from)..self.first_from(to);
        out.extend_from_slice(&self.vertices[entries]);
        if self.delta.len() == 0 {
            return;
        }
        let changes = self.delta.0.range((from.into(), 0, 0)..(to.into(), 0, 0));
        out.extend(changes.filter(|change| *change.value()).map(|change| VertexRef(change.key().1)));
    }

    /// The entries with keys from `from` to below `to`, ascending or descending; perhaps one more than once.
    pub(crate) fn between(
        &self,
        from: &[u8],
        to: &[u8],
        descending: bool,
    ) -> impl Iterator<Item = EntryRef<'_>> + use<'_> {
        let (first, end) = (self.first_from(from), self.first_from(to));
        let mut base = first..end.max(first);
        let base = std::iter::from_fn(move || {
            let place = if descending { base.next_back() } else { base.next() };
            place.map(|place| self.entry(place)).map(|(key, v)| (Cow::Borrowed(key), v))
        });
        let mut changes = (self.delta.len() > 0 && from < to)
            .then(|| self.delta.0.range((Box::from(from), 0, 0)..(Box::from(to), 0, 0)));
        let added = std::iter::from_fn(move || {
            let changes = changes.as_mut()?;
            loop {
                let change = if descending { changes.next_back() } else { changes.next() }?;
                if *change.value() {
                    let (key, v, _) = change.key();
                    return Some((Cow::Owned(key.to_vec()), VertexRef(*v)));
                }
            }
        });
        Union { descending, ..Union::new(base, added) }
    }

    /// Publishes a change; of several of one entry at one stamp the last counts.
    pub(crate) fn push(&self, stamp: Tick, (key, v): OrderedEntry, added: bool) {
        self.delta.0.insert((key, v.0, stamp), added);
    }

    /// A section whose base includes everything up to `stamp`.
    pub(crate) fn merged(&self, stamp: Tick) -> Self {
        self.merged_with(stamp, &[])
    }

    /// The section with these entries as well, which ascend, everything up to `stamp` in the base.
    pub(crate) fn merged_with(&self, stamp: Tick, further: &[OrderedEntry]) -> Self {
        let mut changes: Vec<(&[u8], VertexRef, bool)> = Vec::new();
        let mut newer = Vec::new();
        let delta: Vec<_> = self.delta.0.iter().collect();
        for change in &delta {
            let (key, v, tick) = change.key();
            let (v, added) = (VertexRef(*v), *change.value());
            if *tick > stamp {
                newer.push((*tick, (key.clone(), v), added));
                continue;
            }
            // Ascending by stamp within an entry: the last one replaces those before.
            match changes.last_mut() {
                Some(last) if last.0 == &key[..] && last.1 == v => last.2 = added,
                _ => changes.push((key, v, added)),
            }
        }
        let removed = |entry: (&[u8], VertexRef)| {
            let found = changes.binary_search_by(|(key, v, _)| (*key, *v).cmp(&entry));
            found.is_ok_and(|place| !changes[place].2)
        };
        let kept = (0..self.len()).map(|i| self.entry(i)).filter(|entry| !removed(*entry));
        let added = changes.iter().filter(|(_, _, added)| *added).map(|(key, v, _)| (*key, *v));
        let further = further.iter().map(|(key, v)| (&key[..], *v));
        let all = Union::new(Union::new(kept, added), further);
        let merged = Self::of(self.settled.max(stamp), all);
        newer.into_iter().for_each(|(tick, entry, added)| merged.push(tick, entry, added));
        merged
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes.len() + self.len() * 8
    }
}

/// What two ascending (or descending) iterators have, in that order, each once.
struct Union<A: Iterator, B: Iterator> {
    a: std::iter::Peekable<A>,
    b: std::iter::Peekable<B>,
    descending: bool,
}

impl<A: Iterator<Item: Ord>, B: Iterator<Item = A::Item>> Union<A, B> {
    fn new(a: A, b: B) -> Self {
        Self { a: a.peekable(), b: b.peekable(), descending: false }
    }
}

impl<A: Iterator<Item: Ord>, B: Iterator<Item = A::Item>> Iterator for Union<A, B> {
    type Item = A::Item;

    fn next(&mut self) -> Option<A::Item> {
        let ordering = match (self.a.peek(), self.b.peek()) {
            (Some(a), Some(b)) if self.descending => b.cmp(a),
            (Some(a), Some(b)) => a.cmp(b),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        match ordering {
            Ordering::Less => self.a.next(),
            Ordering::Greater => self.b.next(),
            Ordering::Equal => {
                self.b.next();
                self.a.next()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn entry(key: u8, v: u32) -> OrderedEntry {
        ([key, 7].into(), VertexRef(v))
    }

    fn found(section: &OrderedPartition, from: u8, to: u8) -> BTreeSet<u32> {
        let mut out = Vec::new();
        section.candidates(&[from], &[to], &mut out);
        out.into_iter().map(|v| v.0).collect()
    }

    #[test]
    fn merging_keeps_what_was_added_last_and_nothing_that_was_removed_last() {
        let mut section = OrderedPartition::empty();
        let (mut model, mut random) = (BTreeMap::new(), 88_172_645_463_325_252u64);
        for tick in 1..400 {
            for _ in 0..5 {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                let (key, v, added) = ((random % 23) as u8, (random >> 8) as u32 % 9, random >> 20 & 3 != 0);
                section.push(tick, entry(key, v), added);
                model.insert((key, v), added);
            }
            let expected = |from: u8, to: u8| -> BTreeSet<u32> {
                let there = model.iter().filter(|((key, _), added)| **added && (from..to).contains(key));
                there.map(|((_, v), _)| *v).collect()
            };
            assert!(found(&section, 3, 11).is_superset(&expected(3, 11)), "a superset at any time");
            if tick % 7 == 0 {
                let behind = section.merged(tick - 2);
                assert!(found(&behind, 3, 11).is_superset(&expected(3, 11)));
                let merged = behind.merged(tick);
                assert_eq!(merged.delta.len(), 0);
                for (from, to) in [(0, 30), (3, 11), (5, 6), (6, 5)] {
                    assert_eq!(found(&merged, from, to), expected(from, to), "at {tick}");
                }
                section = merged;
            }
        }
        let more = section.merged_with(400, &[entry(1, 77), entry(40, 1)]);
        assert!(found(&more, 1, 2).contains(&77) && found(&more, 40, 41).contains(&1));
    }
}
