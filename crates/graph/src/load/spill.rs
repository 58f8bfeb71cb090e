//! Edges beyond the memory that a bulk load may use: runs in a temporary file.
//!
//! ```text
//! a run      the edges of a label that were in memory together, one way, by the block of the list's owner; in input order
//!            within each
//!
//!   run 1    ├──3──┼─7─┼──8──┼───────12───────┤        one after another in the file
//!   run 2    ├─3─┼───8───┼──────12──────┤
//!                └────┬────┘                           some blocks are read at once from each run, and built by one thread
//! ```
//!
//! So everything is written once and read once, in stretches, and a few blocks per thread are all that building needs of it in
//! memory. What was read gives back its room on the device at once, to the sections that are made of it.
//! Portions of a run are encoded on all cores and appended by whoever loads.
//! A block is the least portion: lists of one block that are larger than the memory there is cannot be loaded.

use std::ops::Range;
use std::sync::Arc;

use store::{Scratch, Store};

use super::block_order::BlockOrder;
use super::edges::EdgeRows;
use crate::error::{GraphError, Result};
use crate::indexes::in_turns;
use crate::model::Dir;
use crate::sections::EdgePiece;

/// Edges that are encoded at once by each thread, and written at once; more if a block has more.
const PORTION_ROWS: usize = 1 << 18;
/// Portions that each thread may be ahead of the file.
const AHEAD: usize = 2;

/// The temporary file of a load.
pub(super) struct SpillFile(Scratch);

/// Where the edges of each block are in the temporary file, by block.
#[derive(Default)]
pub(super) struct Run(Vec<Piece>);

/// The edges of one block in one run.
#[derive(Clone, Copy)]
struct Piece {
    block: u32,
    start: u64,
    end: u64,
}

/// The edges of some blocks, as they are in a file, and the blocks with the bytes of each.
type Encoded = (Vec<u8>, Vec<(u32, u64)>);

impl SpillFile {
    /// A file beside the store's data; none if it has no place for one.
    pub(super) fn create(store: &dyn Store) -> Result<Option<Self>> {
        Ok(store.scratch().map_err(Arc::new)?.map(Self))
    }

    /// Bytes written so far.
    pub(super) fn len(&self) -> u64 {
        self.0.len()
    }

    /// Writes the rows of a label, which are closed: a run out and one in.
    pub(super) fn write(&mut self, rows: &EdgeRows) -> Result<[Run; 2]> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let order = |dir: &Dir| (*dir, rows.block_order(*dir));
        let orders: Vec<(Dir, BlockOrder)> =
            in_turns(&[Dir::Out, Dir::In], (threads.min(2), 1), order, |orders| orders.collect());
        let mut portions = Vec::new();
        for (dir, order) in &orders {
            portions.extend(order.portions(PORTION_ROWS).map(|places| (*dir, order, places)));
        }
        let encode = |(dir, order, places): &(Dir, &BlockOrder, Range<usize>)| {
            encode(rows, *dir, order.blocks_at(places.clone()))
        };
        let mut runs: [Run; 2] = Default::default();
        in_turns(&portions, (threads, AHEAD), encode, |encoded| {
            let mut written = portions.iter().zip(encoded);
            written.try_for_each(|((dir, ..), encoded)| self.append(encoded, &mut runs[*dir as usize]))
        })?;
        Ok(runs)
    }

    fn append(&mut self, (bytes, blocks): Encoded, run: &mut Run) -> Result<()> {
        let mut start = self.0.len();
        for (block, length) in blocks {
            run.0.push(Piece { block, start, end: start + length });
            start += length;
        }
        self.0.append(&bytes).map_err(Arc::new)?;
        Ok(())
    }

    /// The edges of some blocks in runs of lists one way, read for the only time.
    pub(super) fn take<'a>(&self, runs: &[&'a Run], blocks: &Range<usize>) -> Result<Vec<Stretch<'a>>> {
        let mut stretches = Vec::with_capacity(runs.len());
        for run in runs {
            let pieces = run.pieces(blocks);
            let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { continue };
            let bytes = self.0.take(first.start, (last.end - first.start) as usize).map_err(Arc::new)?;
            stretches.push(Stretch { pieces, bytes, start: first.start });
        }
        Ok(stretches)
    }
}

impl Run {
    /// The blocks that have edges in it, ascending, and the bytes of those.
    pub(super) fn sizes(&self) -> impl Iterator<Item = (usize, u64)> {
        self.0.iter().map(|piece| (piece.block as usize, piece.end - piece.start))
    }

    fn pieces(&self, blocks: &Range<usize>) -> &[Piece] {
        let place = |block: usize| self.0.partition_point(|piece| (piece.block as usize) < block);
        &self.0[place(blocks.start)..place(blocks.end)]
    }
}

/// Neighbouring pieces of one run, read at once.
pub(super) struct Stretch<'a> {
    /// Those that were not asked for yet.
    pieces: &'a [Piece],
    bytes: Vec<u8>,
    /// Where the bytes begin in the file.
    start: u64,
}

impl Stretch<'_> {
    /// The next piece if it is of this block.
    pub(super) fn next_if(&mut self, block: usize) -> Result<Option<EdgePiece<'_>>> {
        let Some((first, rest)) =
            self.pieces.split_first().filter(|(first, _)| first.block as usize == block)
        else {
            return Ok(None);
        };
        self.pieces = rest;
        let bytes = &self.bytes[(first.start - self.start) as usize..(first.end - self.start) as usize];
        EdgePiece::decode(bytes).map(Some).map_err(|malformed| failed(malformed.0))
    }
}

fn failed(problem: String) -> GraphError {
    GraphError::BadBulk { what: "edges in temporary files".into(), problem }
}

/// Blocks of one list with their rows, for a file.
fn encode<'a>(rows: &EdgeRows, dir: Dir, blocks: impl Iterator<Item = (usize, &'a [u32])>) -> Encoded {
    let (mut bytes, mut lengths) = (Vec::new(), Vec::new());
    for (block, rows_of_block) in blocks {
        let before = bytes.len();
        rows.write_piece(rows_of_block, dir, &mut bytes);
        // There are 2¹⁶ stripes of 64 blocks.
        lengths.push((block as u32, (bytes.len() - before) as u64));
    }
    (bytes, lengths)
}
