//! Edges beyond the memory that a bulk load may use: runs in temporary files.
//!
//! ```text
//! a run      the edges of a label that were in memory together, one way, by the block of the list's owner; in input order
//!            within each
//!
//!   run 1    ├──3──┼─7─┼──8──┼───────12───────┤        a file per direction, all runs one after another
//!   run 2    ├─3─┼───8───┼──────12──────┤
//!                └────┬────┘                           some blocks are read at once from each run, and built by one thread
//! ```
//!
//! So everything is written once and read once, in stretches, and a few blocks per thread are all that building needs of it in
//! memory. What was read gives back its room on the device at once, to the sections that are made of it.
//! A block is the least portion: lists of one block that are larger than the memory there is cannot be loaded.

use std::ops::Range;
use std::sync::Arc;

use store::{Scratch, Store};

use super::edges::EdgeRows;
use crate::codec::EdgePiece;
use crate::{Dir, GraphError, Result};

/// Bytes of a temporary file that are written at once.
const WRITE_BYTES: usize = 4 << 20;

/// The temporary files of a load: for the lists of out-edges, and of in-edges.
pub(super) struct SpillFiles([Scratch; 2]);

/// Where the edges of each block are in a temporary file, by block.
#[derive(Default)]
pub(super) struct Run(Vec<Piece>);

/// The edges of one block in one run.
#[derive(Clone, Copy)]
struct Piece {
    block: u32,
    start: u64,
    end: u64,
}

impl SpillFiles {
    /// Files beside the store's data; none if it has no place for them.
    pub(super) fn create(store: &dyn Store) -> Result<Option<Self>> {
        let files = [store.scratch().map_err(Arc::new)?, store.scratch().map_err(Arc::new)?];
        Ok(match files {
            [Some(out), Some(into)] => Some(Self([out, into])),
            _ => None,
        })
    }

    /// Bytes written so far.
    pub(super) fn len(&self) -> u64 {
        self.0.iter().map(Scratch::len).sum()
    }

    /// Writes rows of several labels, which are closed, both ways at the same time: for each a run out and one in.
    pub(super) fn write(&mut self, labels: &[&EdgeRows]) -> Result<Vec<[Run; 2]>> {
        let runs = |file: &mut Scratch, dir: Dir| -> Result<Vec<Run>> {
            labels.iter().map(|rows| write_run(file, rows, dir)).collect()
        };
        let [out, into] = &mut self.0;
        let (out, into) = std::thread::scope(|scope| {
            let out = scope.spawn(|| runs(out, Dir::Out));
            let into = runs(into, Dir::In);
            (out.join(), into)
        });
        let out = out.map_err(|_| failed("a thread that wrote them panicked".into()))??;
        Ok(out.into_iter().zip(into?).map(|(out, into)| [out, into]).collect())
    }

    /// The edges of some blocks in runs of lists one way, read for the only time.
    pub(super) fn take<'a>(
        &self,
        dir: Dir,
        runs: &[&'a Run],
        blocks: &Range<usize>,
    ) -> Result<Vec<Stretch<'a>>> {
        let file = &self.0[dir as usize];
        let mut stretches = Vec::with_capacity(runs.len());
        for run in runs {
            let pieces = run.pieces(blocks);
            let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { continue };
            let bytes = file.take(first.start, (last.end - first.start) as usize).map_err(Arc::new)?;
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

fn write_run(file: &mut Scratch, rows: &EdgeRows, dir: Dir) -> Result<Run> {
    let order = rows.block_order(dir);
    let (mut run, mut buffer) = (Run::default(), Vec::with_capacity(WRITE_BYTES));
    let mut start = file.len();
    for (block, rows_of_block) in order.blocks() {
        let before = buffer.len();
        rows.write_piece(rows_of_block, dir, &mut buffer);
        let end = start + (buffer.len() - before) as u64;
        // There are 2¹⁶ stripes of 64 blocks.
        run.0.push(Piece { block: block as u32, start, end });
        start = end;
        if buffer.len() >= WRITE_BYTES {
            file.append(&buffer).map_err(Arc::new)?;
            buffer.clear();
        }
    }
    file.append(&buffer).map_err(Arc::new)?;
    Ok(run)
}
