//! The write-ahead log: one record per commit, in stamp order.
//!
//! ```text
//! key    │ stamp u64, big-endian │ part u16 │      records above 16 MiB continue in further parts
//! value  frame ( stamp │ new names: (space u8, id u16, name)… │ new indexes: (label, key)… │ operations… )
//! ```
//!
//! All parts of a record are written in one atomic batch.

use std::sync::Arc;

use store::{Durability, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Store, WriteBatch};
use values::Str;

use crate::catalog::{IndexDefinition, NameSpace};
use crate::codec::{Input, Malformed, Output, open_frame, seal_frame};
use crate::op::Op;
use crate::{GraphError, KeyId, Result, Tick, VertexLabelId};

const PART_BYTES: usize = 16 << 20;

/// Log entries that are deleted at once.
const TRIM_BATCH: usize = 10_000;

/// What a commit adds to the catalog.
#[derive(Clone, Debug, Default)]
pub(crate) struct CatalogGrowth {
    /// Names with the ids they were given, ascending within each space.
    pub(crate) names: Vec<(NameSpace, u16, Str)>,
    pub(crate) indexes: Vec<IndexDefinition>,
}

/// A commit as the log has it.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) stamp: Tick,
    pub(crate) growth: CatalogGrowth,
    pub(crate) ops: Vec<Op>,
}

/// The encoded operations of a commit.
pub(crate) fn encode_ops(ops: &[Op]) -> Vec<u8> {
    let mut output = Output::default();
    output.len(ops.len());
    ops.iter().for_each(|op| op.encode(&mut output));
    output.bytes
}

/// A whole record.
pub(crate) fn encode_record(stamp: Tick, growth: &CatalogGrowth, ops: &[u8]) -> Vec<u8> {
    seal_frame(|output| {
        output.u64(stamp);
        output.len(growth.names.len());
        for (space, id, name) in &growth.names {
            output.u8(*space as u8);
            output.u16(*id);
            output.block(name.as_bytes());
        }
        output.len(growth.indexes.len());
        for index in &growth.indexes {
            output.u16(index.label.0);
            output.u16(index.key.0);
        }
        output.bytes.extend_from_slice(ops);
    })
}

fn decode_record(bytes: &[u8]) -> Result<Record, Malformed> {
    let mut input = Input::new(open_frame(bytes)?);
    let stamp = input.u64()?;
    let names = (0..input.count(7)?).map(|_| decode_name(&mut input)).collect::<Result<_, _>>()?;
    let index = |input: &mut Input<'_>| {
        Ok(IndexDefinition { label: VertexLabelId(input.u16()?), key: KeyId(input.u16()?) })
    };
    let indexes = (0..input.count(4)?).map(|_| index(&mut input)).collect::<Result<_, Malformed>>()?;
    let ops = (0..input.count(1)?).map(|_| Op::decode(&mut input)).collect::<Result<_, _>>()?;
    input.end()?;
    Ok(Record { stamp, growth: CatalogGrowth { names, indexes }, ops })
}

fn decode_name(input: &mut Input<'_>) -> Result<(NameSpace, u16, Str), Malformed> {
    let tag = input.u8()?;
    let space = NameSpace::ALL.into_iter().find(|space| *space as u8 == tag);
    let space = space.ok_or_else(|| Malformed::new(format!("no name space has tag {tag}")))?;
    Ok((space, input.u16()?, Str::from(input.str()?)))
}

/// The keyspace of the log.
pub(crate) struct Log {
    store: Arc<dyn Store>,
    keyspace: Keyspace,
}

impl Log {
    pub(crate) fn open(store: Arc<dyn Store>) -> Result<Self> {
        let keyspace = store.keyspace("log", KeyspaceShape::Small).map_err(Arc::new)?;
        Ok(Self { store, keyspace })
    }

    /// Adds an encoded record to a batch.
    pub(crate) fn put(&self, batch: &mut WriteBatch, stamp: Tick, record: &[u8]) {
        for (part, bytes) in record.chunks(PART_BYTES).enumerate() {
            batch.put(&self.keyspace, entry_key(stamp, part as u16), bytes);
        }
    }

    /// Makes a batch of records durable: all of them, or none.
    pub(crate) fn write(&self, batch: WriteBatch) -> Result<()> {
        self.store.write_batch(batch, Durability::Sync).map_err(Arc::new)?;
        Ok(())
    }

    /// Calls `visit` with every record after `checkpoint`, in stamp order, and its size in bytes.
    pub(crate) fn replay(
        &self,
        checkpoint: Tick,
        mut visit: impl FnMut(Record, usize) -> Result<()>,
    ) -> Result<()> {
        let snapshot = self.store.snapshot().map_err(Arc::new)?;
        let from = entry_key(checkpoint.saturating_add(1), 0);
        let range = KeyRange::new(from..);
        let mut pending: Option<(Tick, Vec<u8>)> = None;
        for pair in snapshot.scan(&self.keyspace, range, ScanOrder::Ascending).map_err(Arc::new)? {
            let (key, value) = pair.map_err(Arc::new)?;
            let stamp = stamp_of(&key).ok_or_else(|| corrupt(0, "its key has the wrong length"))?;
            match &mut pending {
                Some((same, bytes)) if *same == stamp => bytes.extend_from_slice(&value),
                _ => {
                    visit_pending(pending.take(), &mut visit)?;
                    pending = Some((stamp, value.to_vec()));
                }
            }
        }
        visit_pending(pending, &mut visit)
    }

    /// Deletes the records up to `checkpoint`.
    pub(crate) fn trim(&self, checkpoint: Tick) -> Result<()> {
        let snapshot = self.store.snapshot().map_err(Arc::new)?;
        let range = KeyRange::new(entry_key(0, 0)..=entry_key(checkpoint, u16::MAX));
        let mut batch = WriteBatch::new();
        for pair in snapshot.scan(&self.keyspace, range, ScanOrder::Ascending).map_err(Arc::new)? {
            batch.delete(&self.keyspace, pair.map_err(Arc::new)?.0);
            if batch.len() >= TRIM_BATCH {
                let full = std::mem::take(&mut batch);
                self.store.write_batch(full, Durability::Buffered).map_err(Arc::new)?;
            }
        }
        self.store.write_batch(batch, Durability::Buffered).map_err(Arc::new)?;
        Ok(())
    }
}

fn visit_pending(
    pending: Option<(Tick, Vec<u8>)>,
    visit: &mut impl FnMut(Record, usize) -> Result<()>,
) -> Result<()> {
    let Some((stamp, bytes)) = pending else { return Ok(()) };
    let record = decode_record(&bytes).map_err(|malformed| corrupt(stamp, &malformed.0))?;
    if record.stamp != stamp {
        return Err(corrupt(stamp, "it carries another stamp"));
    }
    visit(record, bytes.len())
}

fn corrupt(stamp: Tick, problem: &str) -> GraphError {
    GraphError::Corrupt { what: format!("log record {stamp}"), problem: problem.into() }
}

fn entry_key(stamp: Tick, part: u16) -> [u8; 10] {
    let mut key = [0; 10];
    key[..8].copy_from_slice(&stamp.to_be_bytes());
    key[8..].copy_from_slice(&part.to_be_bytes());
    key
}

fn stamp_of(key: &[u8]) -> Option<Tick> {
    let (stamp, part) = key.split_at_checked(8)?;
    (part.len() == 2).then(|| stamp.try_into().ok().map(Tick::from_be_bytes))?
}
