//! One partition of an index: from the hash of a value to the vertices that may have it.
//!
//! ```text
//! buckets │0│2│2│5│…        by the leading bits of the hash; about four entries a bucket
//! entries │hash,ref│hash,ref│…  ascending: hash in the high half, vertex reference in the low
//! delta   chains of additions and removals by hash
//! ```
//!
//! Sorted entries take any number of vertices under one hash without probing. Entries are a superset of what any
//! snapshot may find: whoever reads the index compares the visible value, which makes the answer exact. Removals
//! count only when delta is merged into base, behind every reader.

use values::VertexRef;

use super::delta::Delta;
use crate::model::Tick;

/// The index over user-supplied vertex ids.
pub(crate) const VERTEX_IDS: usize = 0;
/// The index from user-supplied edge ids to the edges' sources.
pub(crate) const EDGE_IDS: usize = 1;
/// The first index that a user asked for; further ones follow in the order of their numbers.
pub(crate) const FIRST_INDEX: usize = 2;
/// Partitions of an index, by the low bits of the hash.
pub(crate) const PARTITIONS: usize = 64;

/// The partition of a hash.
#[inline]
pub(crate) fn partition_of(hash: u32) -> usize {
    hash as usize % PARTITIONS
}

/// A change of an index.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IndexChange {
    pub(crate) hash: u32,
    pub(crate) vertex: VertexRef,
    /// Added, or removed.
    pub(crate) added: bool,
}

/// The index section.
pub(crate) struct IndexPartition {
    /// Everything up to this stamp is in the base.
    pub(crate) settled: Tick,
    entries: Box<[u64]>,
    buckets: Box<[u32]>,
    /// How far to shift a hash to get its bucket.
    shift: u32,
    pub(crate) delta: Delta<IndexChange>,
}

/// An entry of the base.
#[inline]
pub(crate) fn entry(hash: u32, vertex: VertexRef) -> u64 {
    u64::from(hash) << 32 | u64::from(vertex.0)
}

impl IndexPartition {
    /// A base of these entries, which ascend.
    pub(crate) fn new(settled: Tick, entries: Box<[u64]>) -> Self {
        debug_assert!(entries.is_sorted());
        let bits = (entries.len() / 4).max(1).ilog2().min(24);
        // A shift by all 32 bits would be undefined, so one bucket is two of which the second is empty.
        let shift = 32 - bits.max(1);
        let mut buckets = vec![0u32; (1 << bits.max(1)) + 1];
        for &entry in &entries {
            buckets[(entry >> 32 >> shift) as usize + 1] += 1;
        }
        for i in 1..buckets.len() {
            buckets[i] += buckets[i - 1];
        }
        Self { settled, entries, buckets: buckets.into(), shift, delta: Delta::new() }
    }

    pub(crate) fn empty() -> Self {
        Self::new(0, Box::default())
    }

    pub(crate) fn entries(&self) -> &[u64] {
        &self.entries
    }

    /// Whether a vertex may have a value with this hash.
    pub(crate) fn contains(&self, hash: u32, v: VertexRef) -> bool {
        if self.entries.binary_search(&entry(hash, v)).is_ok() {
            return true;
        }
        let history = self.delta.head(self.slot(hash)).into_iter().flat_map(|head| head.history());
        let mut changes = history.map(|version| version.change());
        changes.any(|change| (change.hash, change.vertex, change.added) == (hash, v, true))
    }

    /// Appends the vertices that may have a value with this hash.
    #[inline]
    pub(crate) fn candidates(&self, hash: u32, out: &mut Vec<VertexRef>) {
        let bucket = (hash >> self.shift) as usize;
        let within = &self.entries[self.buckets[bucket] as usize..self.buckets[bucket + 1] as usize];
        let first = within.partition_point(|&entry| entry < u64::from(hash) << 32);
        let equal = within[first..].iter().take_while(|&&entry| (entry >> 32) as u32 == hash);
        out.extend(equal.map(|&entry| VertexRef(entry as u32)));
        let mut version = self.delta.head(self.slot(hash));
        while let Some(seen) = version {
            let change = seen.change();
            if change.hash == hash && change.added {
                out.push(change.vertex);
            }
            version = seen.older();
        }
    }

    /// Publishes a change.
    pub(crate) fn push(&self, stamp: Tick, change: IndexChange) {
        self.delta.push(self.slots(), self.slot(change.hash), stamp, change);
    }

    /// The section with these entries as well, everything up to `stamp` in the base.
    pub(crate) fn with_entries(&self, stamp: Tick, mut entries: Vec<u64>) -> Self {
        let merged = self.merged(stamp);
        entries.extend_from_slice(&merged.entries);
        entries.sort_unstable();
        entries.dedup();
        Self { delta: merged.delta, ..Self::new(merged.settled, entries.into()) }
    }

    /// The vertices that share a hash with another, hash by hash.
    pub(crate) fn sharing_a_hash(&self) -> Vec<Vec<VertexRef>> {
        let added = self.delta.heads().flat_map(|(_, head)| head.history());
        let added = added.filter(|version| version.change().added).map(|version| {
            let change = version.change();
            entry(change.hash, change.vertex)
        });
        let mut entries: Vec<u64> = self.entries.iter().copied().chain(added).collect();
        entries.sort_unstable();
        entries.dedup();
        let shared = entries.chunk_by(|a, b| a >> 32 == b >> 32).filter(|vertices| vertices.len() > 1);
        shared.map(|entries| entries.iter().map(|&entry| VertexRef(entry as u32)).collect()).collect()
    }

    /// A section whose base includes everything up to `stamp`.
    pub(crate) fn merged(&self, stamp: Tick) -> Self {
        let (mut settled, mut newer) = (Vec::new(), Vec::new());
        for (_, head) in self.delta.heads() {
            for version in head.history() {
                let list = if version.stamp() <= stamp { &mut settled } else { &mut newer };
                list.push((version.stamp(), *version.change()));
            }
        }
        // Versions came newest first; a stable sort of the reverse keeps the order within one commit.
        let oldest_first = |list: &mut Vec<(Tick, IndexChange)>| {
            list.reverse();
            list.sort_by_key(|(stamp, _)| *stamp);
        };
        oldest_first(&mut settled);
        oldest_first(&mut newer);
        let merged = Self::new(self.settled.max(stamp), self.settle(settled));
        for (stamp, change) in newer {
            merged.push(stamp, change);
        }
        merged
    }

    /// The base's entries with `changes` applied, oldest first.
    fn settle(&self, changes: Vec<(Tick, IndexChange)>) -> Box<[u64]> {
        let mut last = rustc_hash::FxHashMap::default();
        for (_, change) in changes {
            last.insert(entry(change.hash, change.vertex), change.added);
        }
        let kept = self.entries.iter().copied().filter(|entry| !last.contains_key(entry));
        let added = last.iter().filter(|(_, added)| **added).map(|(entry, _)| *entry);
        let mut entries: Vec<u64> = kept.chain(added).collect();
        entries.sort_unstable();
        entries.into()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.entries.len() * 8 + self.buckets.len() * 4
    }

    /// Chains that the delta of this base gets.
    fn slots(&self) -> usize {
        (self.entries.len() / 8).next_power_of_two().clamp(64, 1 << 20)
    }

    #[inline]
    fn slot(&self, hash: u32) -> usize {
        // The low bits chose the partition and are the same for all.
        (hash as usize / PARTITIONS) & (self.slots() - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidates(index: &IndexPartition, hash: u32) -> Vec<u32> {
        let mut out = Vec::new();
        index.candidates(hash, &mut out);
        out.sort();
        out.into_iter().map(|v| v.0).collect()
    }

    #[test]
    fn every_vertex_is_found_under_its_hash_however_many_share_it() {
        let mut entries: Vec<u64> =
            (0..5000).map(|n: u32| entry(n.wrapping_mul(2_654_435_761), VertexRef(n))).collect();
        entries.extend((0..300).map(|n| entry(77 << 20, VertexRef(10_000 + n))));
        entries.sort_unstable();
        let index = IndexPartition::new(1, entries.into());
        for n in 0..5000u32 {
            assert_eq!(candidates(&index, n.wrapping_mul(2_654_435_761)), [n]);
        }
        assert_eq!(candidates(&index, 77 << 20).len(), 300);
        assert_eq!(candidates(&index, u32::MAX), [] as [u32; 0]);
    }

    #[test]
    fn a_removal_counts_once_it_is_merged_and_a_later_addition_wins() {
        let index = IndexPartition::empty();
        let change = |vertex, added| IndexChange { hash: 9, vertex: VertexRef(vertex), added };
        index.push(1, change(1, true));
        index.push(1, change(2, true));
        index.push(2, change(1, false));
        index.push(3, change(2, false));
        index.push(4, change(2, true));
        assert_eq!(candidates(&index, 9).iter().filter(|&&v| v == 1).count(), 1, "still a candidate");
        let merged = index.merged(3);
        assert_eq!(merged.entries().len(), 0);
        assert_eq!(candidates(&merged, 9), [2]);
        assert_eq!(candidates(&merged.merged(4), 9), [2]);
    }
}
