//! Gathers the entries of what is there, and puts them into partitions.

use values::{Value, VertexRef};

use super::turns::in_turns;
use crate::apply::{check_combinations, order_keys};
use crate::cells::{SectionCell, SectionState};
use crate::error::{GraphError, Result};
use crate::model::{Index, IndexDefinition, IndexKind, KeyId, SLOTS, TABLETS, Tick, index_hash};
use crate::resident::{Memory, Writer};
use crate::sections::{
    Column, FIRST_INDEX, IndexPartition, Mergeable, OrderedEntry, OrderedPartition, PARTITIONS, SectionKey,
    SectionName, index_entry, partition_of,
};

/// Stripes whose entries each thread may have gathered before they are taken.
const AHEAD: usize = 1;

/// Entries on their way into an index, by partition.
pub(crate) struct Entries<'a> {
    definition: &'a IndexDefinition,
    partitions: Partitions,
    len: usize,
}

enum Partitions {
    Hashed(Vec<Vec<u64>>),
    Ordered(Vec<Vec<OrderedEntry>>),
}

impl<'a> Entries<'a> {
    pub(crate) fn of(definition: &'a IndexDefinition) -> Self {
        let partitions = match definition.kind {
            IndexKind::Range => Partitions::Ordered(vec![Vec::new(); PARTITIONS]),
            IndexKind::Equality | IndexKind::Unique => Partitions::Hashed(vec![Vec::new(); PARTITIONS]),
        };
        Self { definition, partitions, len: 0 }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Adds those of another of the same kind.
    fn append(&mut self, mut others: Self) {
        self.len += others.len;
        match (&mut self.partitions, &mut others.partitions) {
            (Partitions::Hashed(all), Partitions::Hashed(some)) => {
                all.iter_mut().zip(some).for_each(|(all, some)| all.append(some));
            }
            (Partitions::Ordered(all), Partitions::Ordered(some)) => {
                all.iter_mut().zip(some).for_each(|(all, some)| all.append(some));
            }
            _ => unreachable!("entries of one index are of one kind"),
        }
    }

    /// Adds those of a vertex that has these values under the keys of the index.
    fn add(&mut self, v: VertexRef, values: &[Vec<Value>]) -> Result<()> {
        match &mut self.partitions {
            Partitions::Hashed(partitions) => {
                for value in values.iter().flatten() {
                    let hash = index_hash(value);
                    partitions[partition_of(hash)].push(index_entry(hash, v));
                    self.len += 1;
                }
            }
            Partitions::Ordered(partitions) => {
                check_combinations(values)?;
                let keys = order_keys(values);
                self.len += keys.len();
                partitions[v.tablet() as usize].extend(keys.into_iter().map(|key| (key, v)));
            }
        }
        Ok(())
    }

    /// Adds those of the vertices of a block, which has these columns under the keys of the index.
    fn add_block(&mut self, stripe: usize, tablet: usize, columns: &[Option<&Column>]) -> Result<()> {
        if columns.first().is_none_or(Option::is_none) {
            return Ok(());
        }
        let mut values: Vec<Vec<Value>> = vec![Vec::new(); columns.len()];
        for slot in 0..SLOTS {
            for (values, column) in values.iter_mut().zip(columns) {
                values.clear();
                let cells = column.iter().flat_map(|column| column.cells(slot, Tick::MAX));
                values.extend(cells.map(|cell| cell.value));
            }
            let v = (stripe as u32) << 16 | (slot as u32) << VertexRef::TABLET_BITS | tablet as u32;
            self.add(VertexRef(v), &values)?;
        }
        Ok(())
    }

    /// Adds the entries of one partition to those it has, and forgets them.
    pub(crate) fn install(
        &mut self,
        memory: &Memory,
        number: u32,
        partition: usize,
        writer: &mut Writer,
    ) -> Result<()> {
        let (index, stamp) = (FIRST_INDEX + number as usize, writer.applied);
        match &mut self.partitions {
            Partitions::Hashed(partitions) if !partitions[partition].is_empty() => {
                let entries = std::mem::take(&mut partitions[partition]);
                self.len -= entries.len();
                let key = SectionKey::index(index, partition);
                let cell = memory.indexes.get_or_grow(index * PARTITIONS + partition);
                let merge = |section: &IndexPartition| section.with_entries(stamp, entries);
                replace(memory, cell, key, writer, IndexPartition::empty, merge)
            }
            Partitions::Ordered(partitions) if !partitions[partition].is_empty() => {
                let mut entries = std::mem::take(&mut partitions[partition]);
                self.len -= entries.len();
                entries.sort_unstable();
                entries.dedup();
                let key = SectionKey::ordered(index, partition);
                let cell = memory.ordered.get_or_grow(index * PARTITIONS + partition);
                let merge = |section: &OrderedPartition| section.merged_with(stamp, &entries);
                replace(memory, cell, key, writer, OrderedPartition::empty, merge)
            }
            _ => Ok(()),
        }
    }
}

/// Where the values of a block under a key are stored.
fn column_key(stripe: usize, tablet: usize, key: KeyId) -> SectionKey {
    SectionKey::Block { stripe: stripe as u16, tablet: tablet as u8, name: SectionName::Column(key) }
}

fn replace<T: Mergeable>(
    memory: &Memory,
    cell: &SectionCell<T>,
    key: SectionKey,
    writer: &mut Writer,
    empty: impl FnOnce() -> T,
    merge: impl FnOnce(&T) -> T,
) -> Result<()> {
    let guard = crossbeam_epoch::pin();
    let section = match memory.section(cell, || key, &guard)? {
        Some(section) => section,
        None => cell.replace(empty(), &memory.cache.account, &guard),
    };
    cell.replace(merge(section), &memory.cache.account, &guard);
    writer.dirty.insert(key);
    Ok(())
}

impl Memory {
    /// The names of the columns of a block that an index is over, and those of the columns that are there.
    fn columns_of<'m>(
        &'m self,
        definition: &'m IndexDefinition,
        stripe: usize,
        tablet: usize,
    ) -> impl Iterator<Item = (SectionKey, Option<&'m SectionCell<Column>>)> {
        let block = self.blocks.stripe(stripe).map(|stripe| stripe.block(tablet));
        let cell = move |key: &KeyId| block.and_then(|block| block.columns.get(key.index()));
        definition.keys.iter().map(move |key| (column_key(stripe, tablet, *key), cell(key)))
    }

    /// Adds the entries of the vertices of one block, as they are now.
    pub(crate) fn gather_block(&self, stripe: usize, tablet: usize, entries: &mut Entries<'_>) -> Result<()> {
        let guard = crossbeam_epoch::pin();
        let column = |(key, cell): (SectionKey, Option<&'_ SectionCell<Column>>)| {
            cell.map_or(Ok(None), |cell| self.section(cell, || key, &guard))
        };
        let cells = self.columns_of(entries.definition, stripe, tablet);
        entries.add_block(stripe, tablet, &cells.map(column).collect::<Result<Vec<_>>>()?)
    }

    /// As [`Memory::gather_block`], of a block whose sections are all on disk as they are. What has to be read for it does not
    /// get into the cache: who holds the writer all the while cannot make room there.
    fn gather_stored_block(&self, stripe: usize, tablet: usize, entries: &mut Entries<'_>) -> Result<()> {
        let guard = crossbeam_epoch::pin();
        let cells = || self.columns_of(entries.definition, stripe, tablet);
        let state = |cell: Option<&'_ SectionCell<Column>>| cell.map(|cell| cell.get(&guard));
        let read = |(key, cell)| match state(cell) {
            Some(SectionState::Stored) => {
                let (column, written) = self.sections.load(key)?;
                Ok(Some(self.read_as_of_now(column, key, written)))
            }
            _ => Ok(None),
        };
        let read: Vec<Option<Column>> = cells().map(read).collect::<Result<_>>()?;
        let columns = cells().zip(&read).map(|((_, cell), read)| match state(cell) {
            Some(SectionState::Loaded(column)) => Some(column),
            _ => read.as_ref(),
        });
        entries.add_block(stripe, tablet, &columns.collect::<Vec<_>>())
    }

    /// Fills an index at once, on all cores, while the writer is held: for who has just put a whole graph in place.
    pub(crate) fn fill_index(&self, index: &Index, writer: &mut Writer) -> Result<()> {
        let definition = &index.definition;
        let of_label = self.blocks.iter().filter(|(_, stripe)| stripe.label == definition.label);
        let stripes: Vec<usize> = of_label.map(|(number, _)| number).collect();
        let gather = |&stripe: &usize| -> Result<Entries<'_>> {
            let mut entries = Entries::of(definition);
            (0..TABLETS).try_for_each(|tablet| self.gather_stored_block(stripe, tablet, &mut entries))?;
            Ok(entries)
        };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let mut entries = Entries::of(definition);
        in_turns(&stripes, (threads, AHEAD), gather, |parts| {
            for part in parts {
                entries.append(part?);
            }
            Ok::<_, GraphError>(())
        })?;
        (0..PARTITIONS).try_for_each(|partition| entries.install(self, index.number, partition, writer))
    }
}
