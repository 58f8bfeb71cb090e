//! The write-ahead log: one record per group of commits, in stamp order.
//!
//! ```text
//! key     │ stamp of the last commit u64, big-endian │ part u16 │      records above 16 MiB continue in further parts
//! value   frame ( u64::MAX │ commit │ commit │ … )                 a group
//!         frame ( stamp │ names │ indexes │ operations │ rest )    format 1: one commit
//! commit  stamp │ new names: (space u8, id u16, name)… │ operations… │ u8 4, definitions, if they are new; else u8 0
//! ```
//!
//! New definitions of schema and indexes are stored whole. Format 1 had none; its new equality indexes stood before the
//! operations. All parts of a record are written in one atomic batch. The commits of a group are made durable together,
//! so one record for all of them costs the store one entry, and later one tombstone, instead of many.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::{Durability, KeyRange, KeyspaceShape, Store, WriteBatch};
use values::Str;

use super::notes::{Note, Notes};
use super::view::View;
use crate::bytes::{Input, Malformed, Output, open_frame, seal_frame};
use crate::error::{GraphError, Result};
use crate::model::{
    Definitions, IndexDefinition, IndexKind, KeyId, NameSpace, Named, Op, Tick, VertexLabelId,
};

const PART_BYTES: usize = 16 << 20;

/// Bytes of records that are read at a time, at least a record.
const READ_BYTES: usize = 1 << 20;

/// In place of a stamp: a record of any number of commits.
const GROUP: u64 = u64::MAX;

/// Behind the operations of a commit: definitions follow, as format 6 has them. Below it, down to 1, those of the formats before.
const DEFINITIONS: u8 = 4;

/// Log entries that are deleted at once.
const TRIM_BATCH: usize = 10_000;

/// What a commit adds to the catalog.
#[derive(Clone, Debug, Default)]
pub(crate) struct CatalogGrowth {
    /// Names with the ids they were given, ascending within each space.
    pub(crate) names: Vec<Named>,
    /// Equality indexes that a commit of format 1 created; none are written any more.
    pub(crate) old_indexes: Vec<IndexDefinition>,
    /// Schema and indexes, if they have changed.
    pub(crate) definitions: Option<Arc<Definitions>>,
}

impl CatalogGrowth {
    /// Bytes that it takes in a record, at most.
    pub(crate) fn bytes(&self) -> usize {
        let names: usize = self.names.iter().map(|(.., name)| name_bytes(name)).sum();
        names + self.definitions.as_deref().map_or(0, definitions_bytes)
    }

    /// Whether it is nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.old_indexes.is_empty() && self.definitions.is_none()
    }
}

/// The commits of a group on their way into the log, in stamp order.
pub(crate) struct GroupRecord {
    output: Output,
    last: Tick,
}

impl GroupRecord {
    pub(crate) fn new() -> Self {
        Self { output: Output::default(), last: 0 }
    }

    /// Adds a commit; its stamp is greater than those before.
    pub(crate) fn add(&mut self, stamp: Tick, growth: &CatalogGrowth, ops: &[u8]) {
        debug_assert!(stamp > self.last);
        self.last = stamp;
        encode_commit(&mut self.output, stamp, growth, ops);
    }

    /// Its bytes.
    pub(crate) fn len(&self) -> usize {
        self.output.bytes.len()
    }
}

/// A commit as the log has it.
#[derive(Debug)]
pub(crate) struct Record {
    pub(crate) stamp: Tick,
    pub(crate) growth: CatalogGrowth,
    pub(crate) ops: Vec<Op>,
}

/// Bytes that a new name takes in a record, at most.
pub(crate) fn name_bytes(name: &str) -> usize {
    16 + name.len()
}

/// Bytes that definitions take in a record.
pub(crate) fn definitions_bytes(definitions: &Definitions) -> usize {
    let mut output = Output::default();
    definitions.encode(&mut output);
    output.bytes.len()
}

/// The encoded operations of a commit.
pub(crate) fn encode_ops(ops: &[Op]) -> Vec<u8> {
    let mut output = Output::default();
    output.list(ops, |output, op| op.encode(output));
    output.bytes
}

fn encode_commit(output: &mut Output, stamp: Tick, growth: &CatalogGrowth, ops: &[u8]) {
    output.u64(stamp);
    output.list(&growth.names, |output, (space, id, name)| {
        output.u8(*space as u8);
        output.u16(*id);
        output.block(name.as_bytes());
    });
    output.bytes.extend_from_slice(ops);
    output.u8(if growth.definitions.is_some() { DEFINITIONS } else { 0 });
    if let Some(definitions) = &growth.definitions {
        definitions.encode(output);
    }
}

fn decode_commit(input: &mut Input<'_>) -> Result<Record, Malformed> {
    let (stamp, names, ops) = (input.u64()?, input.list(7, decode_name)?, input.list(1, Op::decode)?);
    let definitions = match input.u8()? {
        0 => None,
        tag @ ..=DEFINITIONS => Some(Arc::new(Definitions::decode(input, tag + 2)?)),
        tag => return Err(Malformed::new(format!("no commit ends with {tag}"))),
    };
    let growth = CatalogGrowth { names, old_indexes: Vec::new(), definitions };
    Ok(Record { stamp, growth, ops })
}

/// The commit of a record of format 1.
fn decode_old_commit(stamp: Tick, input: &mut Input<'_>) -> Result<Record, Malformed> {
    let names = input.list(7, decode_name)?;
    let (old_indexes, ops) = (decode_old_indexes(input)?, input.list(1, Op::decode)?);
    input.end()?;
    Ok(Record { stamp, growth: CatalogGrowth { names, old_indexes, definitions: None }, ops })
}

/// The commits of a record.
fn decode_record(bytes: &[u8]) -> Result<Vec<(Record, usize)>, Malformed> {
    let mut input = Input::new(open_frame(bytes)?);
    let first = input.u64()?;
    if first != GROUP {
        return Ok(vec![(decode_old_commit(first, &mut input)?, bytes.len())]);
    }
    let mut commits = Vec::new();
    while input.remaining() > 0 {
        let before = input.remaining();
        let commit = decode_commit(&mut input)?;
        commits.push((commit, before - input.remaining()));
    }
    Ok(commits)
}

/// The indexes of format 1: labels and keys of equality indexes.
pub(crate) fn decode_old_indexes(input: &mut Input<'_>) -> Result<Vec<IndexDefinition>, Malformed> {
    input.list(4, |input| {
        let (label, key) = (VertexLabelId(input.u16()?), KeyId(input.u16()?));
        Ok(IndexDefinition { label, keys: [key].into(), kind: IndexKind::Equality })
    })
}

fn decode_name(input: &mut Input<'_>) -> Result<Named, Malformed> {
    let space = input.one_of(NameSpace::ALL, |space| space as u8, "a name is of an unknown space")?;
    Ok((space, input.u16()?, Str::from(input.str()?)))
}

/// The keyspace of the log.
pub(crate) struct Log {
    view: View,
    /// What commits leave beside their records.
    notes: Notes,
    /// Bytes of records written.
    written: AtomicU64,
}

impl Log {
    /// Bytes of records that were written since it was opened.
    pub(crate) fn written(&self) -> u64 {
        self.written.load(Ordering::Relaxed)
    }

    pub(crate) fn open(store: Arc<dyn Store>) -> Result<Self> {
        let view = View::open(Arc::clone(&store), "log", KeyspaceShape::Small)?;
        Ok(Self { view, notes: Notes::new(store), written: AtomicU64::new(0) })
    }

    /// What commits have left beside their records.
    pub(crate) fn notes(&self) -> &Notes {
        &self.notes
    }

    /// Makes the commits of a group durable, and the notes that they leave: all of them, or none.
    pub(crate) fn write(&self, group: &GroupRecord, notes: &[Note]) -> Result<()> {
        let record = seal_frame(|output| {
            output.u64(GROUP);
            output.bytes.extend_from_slice(&group.output.bytes);
        });
        let mut batch = WriteBatch::new();
        for (part, bytes) in record.chunks(PART_BYTES).enumerate() {
            batch.put(&self.view.keyspace, entry_key(group.last, part as u16), bytes);
        }
        self.notes.write(notes, &mut batch)?;
        self.view.write(batch, Durability::Sync)?;
        self.written.fetch_add(record.len() as u64, Ordering::Relaxed);
        Ok(())
    }

    /// Calls `visit` with every commit after `checkpoint`, in stamp order, and its size in bytes. Meanwhile `visit` may write to
    /// the store, and trim what it was given: the log is read some MiB at a time, since a snapshot of the store keeps in memory
    /// whatever is written as long as it lives.
    pub(crate) fn replay(
        &self,
        checkpoint: Tick,
        mut visit: impl FnMut(Record, usize) -> Result<()>,
    ) -> Result<()> {
        let mut from = Some(checkpoint.saturating_add(1));
        while let Some(first) = from {
            let (records, next) = self.read_some(first)?;
            records.into_iter().try_for_each(|record| visit_group(record, checkpoint, &mut visit))?;
            from = next;
        }
        Ok(())
    }

    /// Reads the records under stamps from `first` on, [`READ_BYTES`] of them or one; and the stamp of the next one.
    fn read_some(&self, first: Tick) -> Result<(Vec<StoredRecord>, Option<Tick>)> {
        let (mut records, mut read, mut next) = (Vec::<StoredRecord>::new(), 0, None);
        self.view.scan(KeyRange::new(entry_key(first, 0)..), |key, value| {
            let stamp = stamp_of(&key).ok_or_else(|| corrupt(0, "its key has the wrong length"))?;
            match records.last_mut() {
                Some((same, bytes)) if *same == stamp => bytes.extend_from_slice(&value),
                _ if read >= READ_BYTES => next = Some(stamp),
                _ => records.push((stamp, value.to_vec())),
            }
            read += value.len();
            Ok(next.is_none())
        })?;
        Ok((records, next))
    }

    /// Deletes the records up to `checkpoint`.
    pub(crate) fn trim(&self, checkpoint: Tick) -> Result<()> {
        let range = KeyRange::new(entry_key(0, 0)..=entry_key(checkpoint, u16::MAX));
        self.view.delete(range, TRIM_BATCH)
    }
}

/// The stamp that a record is stored under, and the record with all its parts.
type StoredRecord = (Tick, Vec<u8>);

fn visit_group(
    (stamp, bytes): StoredRecord,
    checkpoint: Tick,
    visit: &mut impl FnMut(Record, usize) -> Result<()>,
) -> Result<()> {
    let malformed = |malformed: Malformed| corrupt(stamp, &malformed.0);
    let mut last = 0;
    for (record, size) in decode_record(&bytes).map_err(malformed)? {
        if record.stamp <= last {
            return Err(corrupt(stamp, "its commits are out of order"));
        }
        last = record.stamp;
        if last > checkpoint {
            visit(record, size)?;
        }
    }
    if last != stamp {
        return Err(corrupt(stamp, "it ends with another stamp"));
    }
    Ok(())
}

fn corrupt(stamp: Tick, problem: &str) -> GraphError {
    GraphError::corrupt(format!("log record {stamp}"), problem)
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
    use crate::model::IndexState;

    #[test]
    fn a_record_of_format_1_is_read_with_its_indexes_and_definitions_come_back() {
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
        let read = decode_record(&old).unwrap().remove(0).0;
        let index =
            IndexDefinition { label: VertexLabelId(3), keys: [KeyId(1)].into(), kind: IndexKind::Equality };
        assert_eq!((read.growth.names, read.growth.old_indexes), (plain.names.clone(), vec![index.clone()]));
        assert!(read.growth.definitions.is_none());

        let mut definitions = Definitions { revision: 4, ..Definitions::default() };
        definitions.add_index(index, IndexState::Ready);
        let growth = CatalogGrowth { definitions: Some(Arc::new(definitions)), ..plain };
        let mut output = Output::default();
        encode_commit(&mut output, 6, &growth, &encode_ops(&ops));
        let read = decode_commit(&mut Input::new(&output.bytes)).unwrap();
        assert_eq!((read.stamp, read.ops.len()), (6, 1));
        assert_eq!(read.growth.definitions, growth.definitions);

        // Format 5 had nothing of sort keys that change: a count, and nothing to count; format 4 nothing of nodes. Before it
        // they ended before what is read as another type: two counts, likewise.
        let before = output.bytes.len() - definitions_bytes(growth.definitions.as_ref().unwrap()) - 1;
        for (tag, missing) in [(3, 4), (2, 4), (1, 8)] {
            output.bytes[before] = tag;
            output.bytes.truncate(output.bytes.len() - missing);
            let mut input = Input::new(&output.bytes);
            assert_eq!(decode_commit(&mut input).unwrap().growth.definitions, growth.definitions);
            input.end().unwrap();
        }
    }

    fn write(log: &Log, group: &GroupRecord) -> Result<()> {
        log.write(group, &[])
    }

    fn log() -> Log {
        Log::open(Arc::new(store::MemoryStore::new())).unwrap()
    }

    fn group(stamps: &[Tick]) -> GroupRecord {
        let mut group = GroupRecord::new();
        let drop = |stamp: Tick| encode_ops(&[Op::DropVertex { v: values::VertexRef(stamp as u32) }]);
        stamps.iter().for_each(|&stamp| group.add(stamp, &CatalogGrowth::default(), &drop(stamp)));
        group
    }

    fn replayed(log: &Log, checkpoint: Tick) -> Vec<Tick> {
        let mut stamps = Vec::new();
        log.replay(checkpoint, |record, bytes| {
            assert!(bytes > 8 && record.ops.len() == 1);
            stamps.push(record.stamp);
            Ok(())
        })
        .unwrap();
        stamps
    }

    #[test]
    fn every_commit_after_a_checkpoint_is_replayed_once_and_in_order() {
        let log = log();
        write(&log, &group(&[1, 2, 5])).unwrap();
        write(&log, &group(&[6])).unwrap();
        write(&log, &group(&[300, 301])).unwrap();
        assert_eq!(replayed(&log, 0), [1, 2, 5, 6, 300, 301]);
        assert_eq!(replayed(&log, 2), [5, 6, 300, 301], "also in the midst of a group");
        log.trim(5).unwrap();
        assert_eq!(replayed(&log, 0), [6, 300, 301]);
        log.trim(300).unwrap();
        assert_eq!(replayed(&log, 300), [301], "a group of which a commit is needed stays");
    }

    #[test]
    fn no_snapshot_of_the_store_lives_as_long_as_the_log_is_replayed() {
        let log = log();
        let large = |stamp: Tick| {
            let (v, label) = (values::VertexRef(stamp as u32), VertexLabelId(0));
            let id = Some(values::Value::str("x".repeat(READ_BYTES / 2 + 1)));
            let mut group = GroupRecord::new();
            group.add(stamp, &CatalogGrowth::default(), &encode_ops(&[Op::CreateVertex { v, label, id }]));
            write(&log, &group).unwrap();
        };
        (1..=3).for_each(large);
        let mut stamps = Vec::new();
        log.replay(0, |record, _| {
            // Only a snapshot that is younger than this shows it.
            if record.stamp == 1 {
                large(4);
            }
            stamps.push(record.stamp);
            Ok(())
        })
        .unwrap();
        assert_eq!(stamps, [1, 2, 3, 4]);
    }

    #[test]
    fn a_group_under_another_stamp_is_an_error() {
        let log = log();
        let mut moved = group(&[1, 2]);
        moved.last = 3;
        write(&log, &moved).unwrap();
        assert!(matches!(log.replay(0, |_, _| Ok(())), Err(GraphError::Corrupt { .. })));
    }
}
