//! Looks through an index, to say how the values under it are distributed.
//!
//! An index by hash is looked through whole: its entries are numbers in order. Of a large range index a part of the
//! tablets is; a partition has the vertices of one tablet, so this is a sample of the vertices. How many different values
//! they all have is then estimated from how many the sample has and how many of these it has once (the estimator Duj1 of
//! Haas and Stokes: all different stay all different, a few that repeat stay a few).

use crossbeam_epoch::Guard;
use values::VertexRef;

use super::values::{COMMON, PARTS, ValueStatistics};
use crate::core::{Core, FIRST_INDEX};
use crate::indexing::order_keys;
use crate::order_key;
use crate::schema::{Index, IndexKind};
use crate::section::{EntryRef, InOrder, OrderedPartition, PARTITIONS};
use crate::{KeyId, Reader, Result, Tick, index_hash};

/// Vertices of a label from which on a part of a range index is enough.
const LARGE: u64 = 1 << 16;
/// Every so many-th tablet is looked at then.
const STEP: usize = 8;

/// Which entries count.
#[derive(Clone, Copy)]
pub(crate) enum Scrutiny<'r> {
    /// All that are there, of a part of the index if it is large.
    Estimate,
    /// All that are there, of the whole index: none is stale.
    Fresh,
    /// Those that are true of a snapshot, of the whole index.
    Exact(&'r Reader<'r>),
}

impl Scrutiny<'_> {
    fn is_exact(self) -> bool {
        !matches!(self, Self::Estimate)
    }

    /// Up to when removals count.
    fn tick(self) -> Tick {
        match self {
            Self::Estimate | Self::Fresh => Tick::MAX,
            Self::Exact(reader) => reader.snapshot().stamp().bits(),
        }
    }

    /// Whether a vertex has a value with this hash.
    fn has_hash(self, v: VertexRef, key: KeyId, hash: u32) -> bool {
        match self {
            Self::Estimate | Self::Fresh => true,
            Self::Exact(reader) => {
                let has = || reader.cells(v, key).iter().any(|cell| index_hash(&cell.value) == hash);
                reader.exists(v) && has()
            }
        }
    }

    /// Whether a vertex has the values that an entry says.
    fn has_keys(self, v: VertexRef, keys: &[KeyId], entry: &[u8]) -> bool {
        let Self::Exact(reader) = self else { return true };
        let values = |key: &KeyId| reader.cells(v, *key).into_iter().map(|cell| cell.value).collect();
        reader.exists(v) && {
            let values: Vec<Vec<_>> = keys.iter().map(values).collect();
            order_keys(&values).iter().any(|key| **key == *entry)
        }
    }
}

impl Core {
    /// How the values under an index are distributed, whose label has so many vertices.
    ///
    /// # Errors
    /// If the index cannot be read.
    pub(crate) fn survey(&self, index: &Index, vertices: u64, by: Scrutiny<'_>) -> Result<ValueStatistics> {
        let statistics = match index.definition.kind {
            IndexKind::Range => self.survey_ordered(index, vertices, by)?,
            IndexKind::Equality | IndexKind::Unique => self.survey_hashed(index, by)?,
        };
        Ok(ValueStatistics { vertices, is_exact: by.is_exact(), ..statistics })
    }

    fn survey_hashed(&self, index: &Index, by: Scrutiny<'_>) -> Result<ValueStatistics> {
        let (number, key) = (FIRST_INDEX + index.number as usize, index.definition.keys[0]);
        let (mut entries, mut distinct, mut common) = (0, 0, Vec::new());
        for partition in 0..PARTITIONS {
            let guard = crossbeam_epoch::pin();
            let Some(section) = self.index_partition(number, partition, &guard)? else { continue };
            let merged;
            let all = if section.delta.is_empty() {
                section.entries()
            } else {
                merged = section.merged(by.tick());
                merged.entries()
            };
            for same in all.chunk_by(|a, b| a >> 32 == b >> 32) {
                let hash = (same[0] >> 32) as u32;
                let has = |entry: &&u64| by.has_hash(VertexRef(**entry as u32), key, hash);
                let count = same.iter().filter(has).count() as u64;
                entries += count;
                distinct += u64::from(count > 0);
                if count > 1 {
                    common.push((hash, count));
                }
            }
            keep_most_common(&mut common);
        }
        let distinct = Box::new([distinct]);
        Ok(ValueStatistics { entries, distinct, common: common.into(), ..ValueStatistics::default() })
    }

    fn survey_ordered(&self, index: &Index, vertices: u64, by: Scrutiny<'_>) -> Result<ValueStatistics> {
        let step = if vertices < LARGE || by.is_exact() { 1 } else { STEP };
        let guard = crossbeam_epoch::pin();
        let number = FIRST_INDEX + index.number as usize;
        let mut partitions = Vec::new();
        for partition in (0..PARTITIONS).step_by(step) {
            partitions.extend(self.ordered_partition(number, partition, &guard)?);
        }
        let keys = &index.definition.keys;
        let mut runs = Runs::new(keys.len(), partitions.iter().map(|p| p.len() + p.delta.len()).sum());
        for (entry, v) in all_in_order(&partitions, &guard) {
            if by.has_keys(v, keys, &entry) {
                runs.add(&entry);
            }
        }
        Ok(runs.finish(step as u64))
    }
}

fn all_in_order<'g>(
    partitions: &[&'g OrderedPartition],
    _: &'g Guard,
) -> impl Iterator<Item = EntryRef<'g>> + use<'g> {
    let sequences: Vec<_> =
        partitions.iter().map(|partition| partition.between(&[], &[u8::MAX], false)).collect();
    InOrder::new(sequences, false)
}

fn keep_most_common(common: &mut Vec<(u32, u64)>) {
    common.sort_unstable_by_key(|(hash, count)| (std::cmp::Reverse(*count), *hash));
    common.truncate(COMMON);
}

/// Counts entries that come in order: runs of equal values, and where equal parts of them end.
struct Runs {
    entries: u64,
    /// Entries from one bound to the next.
    step: u64,
    bounds: Vec<Box<[u8]>>,
    last: Vec<u8>,
    /// By the number of leading keys, less one.
    prefixes: Vec<Prefix>,
}

/// The values of some leading keys.
#[derive(Clone, Copy, Default)]
struct Prefix {
    distinct: u64,
    /// How many occurred once.
    single: u64,
    /// Entries of the current run.
    run: u64,
}

impl Prefix {
    fn end_run(&mut self) {
        self.distinct += u64::from(self.run > 0);
        self.single += u64::from(self.run == 1);
        self.run = 0;
    }

    /// How many there are in all, if these are those of one in `step` entries.
    fn estimate(self, entries: u64, step: u64) -> u64 {
        let unseen = (1.0 - 1.0 / step as f64) * self.single as f64 / entries.max(1) as f64;
        (self.distinct as f64 / (1.0 - unseen)).round() as u64
    }
}

impl Runs {
    /// Of at most about so many entries.
    fn new(keys: usize, entries: usize) -> Self {
        let step = (entries as u64).div_ceil(PARTS).max(1);
        Self {
            entries: 0,
            step,
            bounds: Vec::new(),
            last: Vec::new(),
            prefixes: vec![Prefix::default(); keys],
        }
    }

    fn add(&mut self, key: &[u8]) {
        let mut end = 0;
        let mut same = self.entries > 0;
        for prefix in &mut self.prefixes {
            let from = end;
            end += order_key::first_len(&key[from..]);
            same = same && self.last.get(from..end) == Some(&key[from..end]);
            if !same {
                prefix.end_run();
            }
            prefix.run += 1;
        }
        if self.entries.is_multiple_of(self.step) {
            self.bounds.push(key.into());
        }
        self.entries += 1;
        self.last.clear();
        self.last.extend_from_slice(key);
    }

    /// What they say of an index of which these were one in `step` entries.
    fn finish(mut self, step: u64) -> ValueStatistics {
        self.prefixes.iter_mut().for_each(Prefix::end_run);
        let entries = self.entries;
        let distinct = self.prefixes.iter().map(|prefix| prefix.estimate(entries, step)).collect();
        if entries > 0 {
            self.bounds.push(self.last.into());
        }
        let bounds = self.bounds.into();
        ValueStatistics { entries: entries * step, distinct, bounds, ..ValueStatistics::default() }
    }
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::*;

    fn surveyed(values: impl Iterator<Item = (i64, i64)>, entries: usize, step: u64) -> ValueStatistics {
        let mut runs = Runs::new(2, entries);
        for (a, b) in values {
            let mut key = Vec::new();
            order_key::push(&mut key, Some(&Value::Long(a)));
            order_key::push(&mut key, Some(&Value::Long(b)));
            runs.add(&key);
        }
        runs.finish(step)
    }

    #[test]
    fn what_is_counted_whole_is_counted_exactly() {
        let all = surveyed((0..1_000).map(|n| (n / 100, n / 2)), 1_000, 1);
        assert_eq!((all.entries(), all.distinct(1), all.distinct(2)), (1_000, 10, 500));
        assert_eq!(all.bounds.len(), 1_000usize.div_ceil(1_000usize.div_ceil(64)) + 1);
        assert_eq!(
            surveyed(std::iter::empty(), 0, 1),
            ValueStatistics { distinct: [0, 0].into(), ..Default::default() }
        );
    }

    #[test]
    fn a_sample_tells_a_few_values_from_values_that_are_all_different() {
        let sample = surveyed((0..1_000).map(|n| (n / 100, n)), 1_000, 8);
        assert_eq!((sample.entries(), sample.distinct(1), sample.distinct(2)), (8_000, 10, 8_000));
    }
}
