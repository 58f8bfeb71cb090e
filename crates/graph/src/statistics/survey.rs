//! Looks through an index, to say how the values under it are distributed.
//!
//! An index by hash is looked through whole: its entries are numbers in order. Of a large range index a part of the
//! tablets is; a partition has the vertices of one tablet, so this is a sample of the vertices. How many different values
//! they all have is then estimated from how many the sample has and how many of these it has once (the estimator Duj1 of
//! Haas and Stokes: all different stay all different, a few that repeat stay a few).

use values::{Value, VertexRef, compare};

use crate::apply::order_keys;
use crate::error::Result;
use crate::model::{COMMON, Index, IndexKind, KeyId, PARTS, Tick, ValueStatistics, index_hash, order_key};
use crate::read::{Reader, Snapshot};
use crate::resident::Memory;
use crate::sections::{FIRST_INDEX, InOrder, OrderedEntry, PARTITIONS};

/// Vertices of a label from which on a part of a range index is enough.
const LARGE: u64 = 1 << 16;
/// Every so many-th tablet is looked at then.
const STEP: usize = 8;

/// Bytes of entries of a range index that are copied at a time: while they are looked at, nothing of the index is held.
const COPIED: usize = 16 << 20;
/// Runs that are kept before the most common of them are.
const MANY_COMMON: usize = 1 << 16;
/// Entries that are compared with their vertices by one reader: it holds back the reclamation of memory, and each of them
/// may load a section.
const READ: usize = 64;

/// Which entries count.
#[derive(Clone, Copy)]
pub(crate) enum Scrutiny<'s> {
    /// All that are there, of a part of the index if it is large.
    Estimate,
    /// All that are there, of the whole index: none is stale.
    Fresh,
    /// Those that are true of a snapshot, of the whole index.
    Exact(&'s Snapshot),
}

impl Scrutiny<'_> {
    fn is_exact(self) -> bool {
        !matches!(self, Self::Estimate)
    }

    /// Up to when removals count.
    fn tick(self) -> Tick {
        match self {
            Self::Estimate | Self::Fresh => Tick::MAX,
            Self::Exact(snapshot) => snapshot.stamp().bits(),
        }
    }

    /// Calls `each` with every entry, and with a reader if it counts only when that says so.
    fn for_each<E>(self, entries: &[E], mut each: impl FnMut(Option<&Reader<'_>>, &E)) -> Result<()> {
        let Self::Exact(snapshot) = self else {
            entries.iter().for_each(|entry| each(None, entry));
            return Ok(());
        };
        for some in entries.chunks(READ) {
            let reader = snapshot.reader();
            some.iter().for_each(|entry| each(Some(&reader), entry));
            snapshot.check()?;
        }
        Ok(())
    }
}

/// Whether a vertex has a value with this hash; those it has are added to `values`, if they are new there.
fn has_hash(reader: &Reader<'_>, v: VertexRef, key: KeyId, hash: u32, values: &mut Vec<Value>) -> bool {
    if !reader.exists(v) {
        return false;
    }
    let mut has = false;
    for cell in reader.cells(v, key).into_iter().filter(|cell| index_hash(&cell.value) == hash) {
        has = true;
        if !values.iter().any(|known| compare::equals(known, &cell.value)) {
            values.push(cell.value);
        }
    }
    has
}

/// Whether a vertex has the values that an entry says.
fn has_keys(reader: &Reader<'_>, v: VertexRef, keys: &[KeyId], entry: &[u8]) -> bool {
    let values = |key: &KeyId| reader.cells(v, *key).into_iter().map(|cell| cell.value).collect();
    reader.exists(v) && {
        let values: Vec<Vec<_>> = keys.iter().map(values).collect();
        order_keys(&values).iter().any(|key| **key == *entry)
    }
}

impl Memory {
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
        let mut runs = HashRuns::default();
        for partition in 0..PARTITIONS {
            let all = self.hashed_entries(number, partition, by.tick())?;
            by.for_each(&all, |reader, entry| {
                let (hash, v) = ((entry >> 32) as u32, VertexRef(*entry as u32));
                let values = runs.begin(hash);
                if reader.is_none_or(|reader| has_hash(reader, v, key, hash, values)) {
                    runs.count += 1;
                }
            })?;
            runs.end();
        }
        Ok(runs.finish())
    }

    /// A copy of the entries of a partition of a hash index, in order.
    fn hashed_entries(&self, number: usize, partition: usize, tick: Tick) -> Result<Vec<u64>> {
        let guard = crossbeam_epoch::pin();
        Ok(match self.index_partition(None, number, partition, &guard)? {
            None => Vec::new(),
            Some(section) if section.delta.is_empty() => section.entries().to_vec(),
            Some(section) => section.merged(tick).entries().to_vec(),
        })
    }

    fn survey_ordered(&self, index: &Index, vertices: u64, by: Scrutiny<'_>) -> Result<ValueStatistics> {
        let step = if vertices < LARGE || by.is_exact() { 1 } else { STEP };
        let number = FIRST_INDEX + index.number as usize;
        let keys = &index.definition.keys;
        let (mut some, total) = self.ordered_entries(number, step, None)?;
        let mut runs = Runs::new(keys.len(), total);
        while let Some(last) = some.last().cloned() {
            by.for_each(&some, |reader, (entry, v)| {
                if reader.is_none_or(|reader| has_keys(reader, *v, keys, entry)) {
                    runs.add(entry);
                }
            })?;
            (some, _) = self.ordered_entries(number, step, Some(last))?;
        }
        Ok(runs.finish(step as u64))
    }

    /// A copy of the entries after one, in order, of every `step`-th partition of a range index, up to a bound on their bytes;
    /// and how many those partitions have at most.
    fn ordered_entries(
        &self,
        number: usize,
        step: usize,
        after: Option<OrderedEntry>,
    ) -> Result<(Vec<OrderedEntry>, usize)> {
        let guard = crossbeam_epoch::pin();
        let mut partitions = Vec::new();
        for partition in (0..PARTITIONS).step_by(step) {
            partitions.extend(self.ordered_partition(None, number, partition, &guard)?);
        }
        let from = after.as_ref().map_or(&[][..], |(key, _)| key);
        let sequences = partitions.iter().map(|partition| partition.between(from, &[u8::MAX], false));
        let (mut entries, mut bytes) = (Vec::new(), 0);
        for (key, v) in InOrder::new(sequences, false) {
            if after.as_ref().is_some_and(|(last, of)| (&**last, *of) >= (&*key, v)) {
                continue;
            }
            bytes += key.len() + size_of::<OrderedEntry>();
            entries.push((key.into(), v));
            if bytes >= COPIED {
                break;
            }
        }
        Ok((entries, partitions.iter().map(|p| p.len() + p.delta.len()).sum()))
    }
}

/// Counts entries that come by hash: runs of equal hashes.
#[derive(Default)]
struct HashRuns {
    /// Of the current run.
    hash: u32,
    count: u64,
    /// What values it has, if they are looked at.
    values: Vec<Value>,
    /// Of all runs that have ended.
    entries: u64,
    distinct: u64,
    common: Vec<(u32, u64)>,
}

impl HashRuns {
    /// Goes on with the run of a hash; the values that it has.
    fn begin(&mut self, hash: u32) -> &mut Vec<Value> {
        if hash != self.hash {
            self.end();
            self.hash = hash;
        }
        &mut self.values
    }

    fn end(&mut self) {
        self.entries += self.count;
        // Values that are not looked at are taken for one.
        self.distinct += (self.values.len() as u64).max(self.count.min(1));
        if self.count > 1 {
            self.common.push((self.hash, self.count));
        }
        if self.common.len() > MANY_COMMON {
            self.keep_most_common();
        }
        self.values.clear();
        self.count = 0;
    }

    fn keep_most_common(&mut self) {
        self.common.sort_unstable_by_key(|(hash, count)| (std::cmp::Reverse(*count), *hash));
        self.common.truncate(COMMON);
    }

    fn finish(mut self) -> ValueStatistics {
        self.keep_most_common();
        let (distinct, common) = (Box::new([self.distinct]), self.common.into());
        ValueStatistics { entries: self.entries, distinct, common, ..ValueStatistics::default() }
    }
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
