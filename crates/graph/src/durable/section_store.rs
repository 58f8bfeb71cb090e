//! Sections in the durable store.
//!
//! ```text
//! key                         │ parts u16 │ generation u64 │ the first 16 MiB
//! key ‖ generation ‖ part u16 │ the next 16 MiB …
//! ```
//!
//! A section that is larger than one value (a hub of millions of edges) continues in further parts. They are written
//! under a new generation before the first part names it, so a crash between leaves the old section whole.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::{Bytes, Durability, KeyRange, KeyspaceShape, Store, WriteBatch};

use super::view::View;
use crate::bytes::{Malformed, written_under};
use crate::error::{GraphError, Result};
use crate::model::Tick;
use crate::sections::{SectionKey, StoredSection};

/// Bytes of a section in one value.
const PART_BYTES: usize = 16 << 20;
/// Sections that are deleted at a time.
const BATCH: usize = 1_024;
/// Bytes before a section's first part.
pub(crate) const HEADER: usize = 10;

/// The keyspace of the sections.
pub(crate) struct SectionStore {
    view: View,
    /// Bytes of sections written.
    written: AtomicU64,
}

impl SectionStore {
    pub(crate) fn open(store: Arc<dyn Store>) -> Result<Self> {
        let view = View::open(store, "sections", KeyspaceShape::Large)?;
        Ok(Self { view, written: AtomicU64::new(0) })
    }

    /// Bytes of sections that were written since it was opened, but for bulk loads.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    /// Loads a section that the checkpoint says is there, with the version of the schema that it was written under.
    pub(crate) fn load<T: StoredSection>(&self, key: SectionKey) -> Result<(T, u64)> {
        let read = self.read(key, |encoded| Ok((T::decode(encoded)?, written_under(encoded))))?;
        read.map_err(|malformed: Malformed| GraphError::corrupt(key, malformed.0))
    }

    /// The bytes that a section takes in the store, before the store's own compression.
    pub(crate) fn stored_bytes(&self, key: SectionKey) -> Result<u64> {
        self.read(key, |encoded| encoded.len() as u64)
    }

    /// Lets `use_bytes` see a section as it is stored.
    fn read<R>(&self, key: SectionKey, use_bytes: impl FnOnce(&[u8]) -> R) -> Result<R> {
        let corrupt = |problem: String| GraphError::corrupt(key, problem);
        let snapshot = self.view.snapshot()?;
        let name = key.bytes();
        let first = snapshot.get(&self.view.keyspace, &name).map_err(Arc::new)?;
        let first = first.ok_or_else(|| corrupt("it is missing".into()))?;
        let Some((parts, generation)) = header(&first) else {
            return Err(corrupt("it ends too early".into()));
        };
        if parts == 1 {
            return Ok(use_bytes(&first[HEADER..]));
        }
        let mut whole = first[HEADER..].to_vec();
        for part in 1..parts {
            let value =
                snapshot.get(&self.view.keyspace, part_key(&name, generation, part)).map_err(Arc::new)?;
            whole.extend_from_slice(&value.ok_or_else(|| corrupt(format!("its part {part} is missing")))?);
        }
        Ok(use_bytes(&whole))
    }

    /// Deletes every section whose key begins so, however many, in batches.
    pub(crate) fn delete_all(&self, prefix: &[u8]) -> Result<()> {
        self.view.delete(KeyRange::prefix(prefix), BATCH)
    }

    /// The first key of a range.
    pub(crate) fn first_key(&self, range: KeyRange) -> Result<Option<Bytes>> {
        let mut first = None;
        self.view.scan(range, |key, _| {
            first = Some(key);
            Ok(false)
        })?;
        Ok(first)
    }

    /// The keys that begin so.
    pub(crate) fn keys_with(&self, prefix: &[u8]) -> Result<Vec<Bytes>> {
        let mut keys = Vec::new();
        self.view.scan(KeyRange::prefix(prefix), |key, _| {
            keys.push(key);
            Ok(true)
        })?;
        Ok(keys)
    }

    /// Begins a series of writes, of about `batch_bytes` each.
    pub(crate) fn writer(&self, batch_bytes: usize) -> SectionWriter<'_> {
        SectionWriter { sections: self, batch: WriteBatch::new(), batch_bytes }
    }

    /// Splits an encoded section into the pairs to store, in the order of their keys.
    pub(crate) fn pairs(key: SectionKey, generation: Tick, encoded: &[u8]) -> Vec<(Vec<u8>, Vec<u8>)> {
        let name = key.bytes();
        let parts = encoded.len().div_ceil(PART_BYTES).max(1) as u16;
        let mut pairs = Vec::with_capacity(parts.into());
        for part in 0..parts {
            let start = usize::from(part) * PART_BYTES;
            let bytes = &encoded[start..encoded.len().min(start + PART_BYTES)];
            if part > 0 {
                pairs.push((part_key(&name, generation, part), bytes.to_vec()));
                continue;
            }
            let mut first = Vec::with_capacity(HEADER + bytes.len());
            first.extend_from_slice(&parts.to_le_bytes());
            first.extend_from_slice(&generation.to_le_bytes());
            first.extend_from_slice(bytes);
            pairs.push((name.clone(), first));
        }
        pairs
    }

    /// Writes encoded sections, in the order of their keys, past the store's log; durable when it returns.
    pub(crate) fn ingest(
        &self,
        generation: Tick,
        sections: &mut dyn Iterator<Item = (SectionKey, Vec<u8>)>,
    ) -> Result<()> {
        self.view.ingest(sections.flat_map(|(key, encoded)| Self::pairs(key, generation, &encoded)))
    }
}

pub(crate) fn header(value: &[u8]) -> Option<(u16, Tick)> {
    let header = value.get(..HEADER)?;
    let parts = u16::from_le_bytes(header[..2].try_into().ok()?);
    Some((parts, Tick::from_le_bytes(header[2..].try_into().ok()?)))
}

/// Tells two sections of one generation apart. No commit comes this far.
const OTHER: Tick = 1 << 63;

fn part_key(name: &[u8], generation: Tick, part: u16) -> Vec<u8> {
    let mut key = name.to_vec();
    key.extend_from_slice(&generation.to_be_bytes());
    key.extend_from_slice(&part.to_be_bytes());
    key
}

/// Gathers sections and writes them in batches.
pub(crate) struct SectionWriter<'a> {
    sections: &'a SectionStore,
    batch: WriteBatch,
    batch_bytes: usize,
}

impl SectionWriter<'_> {
    /// Writes an encoded section, replacing what was there.
    pub(crate) fn put(&mut self, key: SectionKey, generation: Tick, encoded: &[u8]) -> Result<()> {
        let (generation, stale) = self.generation(key, generation, encoded.len())?;
        self.sections.written.fetch_add(encoded.len() as u64, Ordering::Relaxed);
        let mut pairs = SectionStore::pairs(key, generation, encoded);
        // The further parts first: the first one makes them count.
        pairs.rotate_left(1);
        for (name, value) in pairs {
            if !self.batch.is_empty() && self.batch.bytes() + value.len() > self.batch_bytes {
                self.flush()?;
            }
            self.batch.put(&self.sections.view.keyspace, name, value);
        }
        for key in stale {
            self.batch.delete(&self.sections.view.keyspace, key);
        }
        Ok(())
    }

    /// Deletes a section of one part.
    pub(crate) fn delete(&mut self, key: SectionKey) -> Result<()> {
        self.batch.delete(&self.sections.view.keyspace, key.bytes());
        Ok(())
    }

    /// Writes what is still gathered. It is durable with the next synchronous write of the store.
    pub(crate) fn flush(&mut self) -> Result<()> {
        let batch = std::mem::take(&mut self.batch);
        self.sections.view.write(batch, Durability::Buffered)
    }

    /// The generation to write a section under, and the further parts of the one that is stored now. They must not lie where
    /// the new ones go: what is written of these before a crash would be read with the old first part. So where the stored
    /// section has the same generation, the new one gets another. A section that is far from needing parts is not looked up:
    /// should it have shrunk that much at once, its old parts are garbage that nothing reads.
    fn generation(&self, key: SectionKey, generation: Tick, new_len: usize) -> Result<(Tick, Vec<Vec<u8>>)> {
        if new_len < PART_BYTES / 2 {
            return Ok((generation, Vec::new()));
        }
        let name = key.bytes();
        let old = self.sections.view.get(&name)?;
        let Some((parts, stored)) = old.as_deref().and_then(header) else {
            return Ok((generation, Vec::new()));
        };
        let free = if stored == generation { generation ^ OTHER } else { generation };
        Ok((free, (1..parts).map(|part| part_key(&name, stored, part)).collect()))
    }
}
