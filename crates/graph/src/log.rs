//! The write-ahead log: one record per commit, in stamp order.
//!
//! ```text
//! key    │ stamp u64, big-endian │ part u16 │      records above 16 MiB continue in further parts
//! value  frame ( stamp │ new names: (space u8, id u16, name)… │ format 1: new indexes │ operations… │ definitions, if new )
//! ```
//!
//! New definitions of schema and indexes are stored whole. Format 1 had none; its new equality indexes stood before the
//! operations, where there is now nothing. All parts of a record are written in one atomic batch.

use std::sync::Arc;

use store::{Durability, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Store, WriteBatch};
use values::Str;

use crate::catalog::NameSpace;
use crate::codec::{Input, Malformed, Output, open_frame, seal_frame};
use crate::op::Op;
use crate::schema::{Definitions, IndexDefinition, IndexKind};
use crate::{GraphError, KeyId, Result, Tick, VertexLabelId};

const PART_BYTES: usize = 16 << 20;

/// Log entries that are deleted at once.
const TRIM_BATCH: usize = 10_000;

/// What a commit adds to the catalog.
#[derive(Clone, Debug, Default)]
pub(crate) struct CatalogGrowth {
    /// Names with the ids they were given, ascending within each space.
    pub(crate) names: Vec<(NameSpace, u16, Str)>,
    /// Equality indexes that a commit of format 1 created; none are written any more.
    pub(crate) old_indexes: Vec<IndexDefinition>,
    /// Schema and indexes, if they have changed.
    pub(crate) definitions: Option<Arc<Definitions>>,
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
        output.len(0);
        output.bytes.extend_from_slice(ops);
        if let Some(definitions) = &growth.definitions {
            definitions.encode(output);
        }
    })
}

fn decode_record(bytes: &[u8]) -> Result<Record, Malformed> {
    let mut input = Input::new(open_frame(bytes)?);
    let stamp = input.u64()?;
    let names = (0..input.count(7)?).map(|_| decode_name(&mut input)).collect::<Result<_, _>>()?;
    let old_indexes = decode_old_indexes(&mut input)?;
    let ops = (0..input.count(1)?).map(|_| Op::decode(&mut input)).collect::<Result<_, _>>()?;
    let definitions = match input.is_empty() {
        true => None,
        false => Some(Arc::new(Definitions::decode(&mut input)?)),
    };
    input.end()?;
    Ok(Record { stamp, growth: CatalogGrowth { names, old_indexes, definitions }, ops })
}

/// The indexes of format 1: labels and keys of equality indexes.
pub(crate) fn decode_old_indexes(input: &mut Input<'_>) -> Result<Vec<IndexDefinition>, Malformed> {
    let index = |input: &mut Input<'_>| {
        let (label, key) = (VertexLabelId(input.u16()?), KeyId(input.u16()?));
        Ok(IndexDefinition { label, keys: [key].into(), kind: IndexKind::Equality })
    };
    (0..input.count(4)?).map(|_| index(input)).collect()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::IndexState;

    #[test]
    fn a_record_without_definitions_is_as_format_1_had_it_and_its_indexes_are_read() {
        let ops = [Op::DropVertex { v: values::VertexRef(7) }];
        let names = vec![(NameSpace::Key, 1, Str::from("age"))];
        let plain = CatalogGrowth { names, ..CatalogGrowth::default() };
        let old = seal_frame(|output| {
            output.u64(5);
            output.len(1);
            output.u8(NameSpace::Key as u8);
            output.u16(1);
            output.block(b"age");
            output.len(1);
            output.u16(3);
            output.u16(1);
            output.bytes.extend_from_slice(&encode_ops(&ops));
        });
        let read = decode_record(&old).unwrap();
        let index =
            IndexDefinition { label: VertexLabelId(3), keys: [KeyId(1)].into(), kind: IndexKind::Equality };
        assert_eq!((read.growth.names, read.growth.old_indexes), (plain.names.clone(), vec![index.clone()]));
        assert!(read.growth.definitions.is_none());

        let mut definitions = Definitions { revision: 4, ..Definitions::default() };
        definitions.add_index(index, IndexState::Ready);
        let growth = CatalogGrowth { definitions: Some(Arc::new(definitions)), ..plain };
        let read = decode_record(&encode_record(6, &growth, &encode_ops(&ops))).unwrap();
        assert_eq!((read.stamp, read.ops.len()), (6, 1));
        assert_eq!(read.growth.definitions, growth.definitions);
    }
}
