//! The groups in the engine's log, as they lie on disk.

use xxhash_rust::xxh3::xxh3_64;

use super::bytes_at::{u16_at, u32_at, u64_at};
use super::seal::Seal;

/// One group that reads: its seal, the engine's sequence number, and where the next one begins.
///
/// ```text
///   start   1 │ count 4 │ sequence number 8
///   item    2 │ kind 1 │ compression 1 │ keyspace 8 │ key length 2 │ length 4 │ stored length 4 │ key │ value
///   …                                                                        the last item is the seal
///   end     3 │ checksum of all items 8 │ "FJL" 3
/// ```
///
/// This is fjall's format, version 3 (its source: `journal/entry.rs`); [`FjallStore`](crate::FjallStore) writes no
/// other entries. An engine that changed it would be refused by its version marker first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LogGroup {
    pub(super) seal: Seal,
    pub(super) sequence: u64,
    pub(super) end: usize,
}

const START: u8 = 1;
const ITEM: u8 = 2;
const END: u8 = 3;
const START_BYTES: usize = 13;
const ITEM_HEADER_BYTES: usize = 21;
const END_MAGIC: &[u8; 4] = b"FJL\x03";

/// What a power cut takes from a log is a sector of this many bytes at least (or all that was written of one): it reads as zeros.
const SECTOR: usize = 512;

/// The sequence number cannot be further above the floor than this; a larger one is damaged.
const LARGEST_STEP: u64 = 1 << 32;

impl LogGroup {
    /// The group that begins at `at`; none when what is there does not read as one from end to end.
    pub(super) fn read(log: &[u8], at: usize, nonce: u64) -> Option<Self> {
        if *log.get(at)? != START {
            return None;
        }
        let (count, sequence) = (u32_at(log, at + 1)?, u64_at(log, at + 5)?);
        let items = at + START_BYTES;
        let mut position = items;
        let mut last_value: &[u8] = &[];
        for _ in 0..count {
            (last_value, position) = read_item(log, position)?;
        }
        let sound = *log.get(position)? == END
            && u64_at(log, position + 1)? == xxh3_64(log.get(items..position)?)
            && log.get(position + 9..position + 9 + END_MAGIC.len())? == END_MAGIC;
        let seal = Seal::decode(last_value, nonce)?;
        let in_order = sequence.checked_sub(seal.floor)? < LARGEST_STEP;
        (sound && in_order).then_some(Self { seal, sequence, end: position + 9 + END_MAGIC.len() })
    }

    /// Whether the groups from `at` on, of which the first does not read, were written to their end, and all of what was written
    /// is there: then no crash tore them, and they are damaged.
    ///
    /// A process that is killed leaves a beginning of what it wrote, without the end. A power cut leaves zeros in the place of
    /// sectors. A flipped bit does neither; the end is told with one as well. (Groups that hold a sector of zeros themselves,
    /// which packed data hardly ever do, are taken for torn.)
    pub(super) fn were_written_whole(log: &[u8], at: usize) -> bool {
        let Some(last) = log[at..].iter().rposition(|&byte| byte != 0) else { return false };
        let written = &log[..=at + last];
        let end = written[at..].last_chunk().map(|end| u32::from_le_bytes(*end));
        let flipped = end.map(|end| (end ^ u32::from_le_bytes(*END_MAGIC)).count_ones());
        let first = at.next_multiple_of(SECTOR).min(written.len());
        let mut sectors = written[first..].chunks(SECTOR).chain([&written[at..first]]);
        flipped.is_some_and(|bits| bits <= 1)
            && sectors.all(|sector| sector.is_empty() || sector.iter().any(|&byte| byte != 0))
    }
}

/// The stored value of the item at `at`, and where the next entry begins.
fn read_item(log: &[u8], at: usize) -> Option<(&[u8], usize)> {
    if *log.get(at)? != ITEM {
        return None;
    }
    let key = usize::from(u16_at(log, at + 11)?);
    let stored = u32_at(log, at + 17)? as usize;
    let value = at + ITEM_HEADER_BYTES + key;
    Some((log.get(value..value.checked_add(stored)?)?, value + stored))
}
