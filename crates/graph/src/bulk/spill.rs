//! Edges beyond the memory that a bulk load may use: runs in temporary files.
//!
//! ```text
//! a run      the edges of a label that were in memory together, one way, by the block of the list's owner; in input order
//!            within each
//!
//!   run 1    ├──3──┼─7─┼──8──┼───────12───────┤        a file per direction, all runs one after another
//!   run 2    ├─3─┼───8───┼──────12──────┤
//!                 portion 1    portion 2               as many blocks as make some MiB: read at once from each run,
//!                                                      built by one thread
//! ```
//!
//! So everything is written once and read once, in stretches, and a portion per thread is all that building needs in memory.
//! What was read gives back its room on the device at once, to the sections that are made of it.
//! A block is the least portion: lists of one block that are larger than the memory there is cannot be loaded.

use std::ops::Range;
use std::sync::Arc;

use store::{Scratch, Store};

use super::edges::{EdgeRows, Target};
use super::stripe::Encoded;
use super::turns::in_turns;
use crate::codec::EdgePiece;
use crate::{Dir, EdgeLabelId, GraphError, Result};

/// Bytes of a temporary file that are written at once.
const WRITE_BYTES: usize = 4 << 20;
/// Bytes of temporary files that are read, and made sections, at once by each thread; more if a block has more.
const PORTION_BYTES: u64 = 4 << 20;
/// Portions that each thread may be ahead of the store.
const AHEAD: usize = 1;

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

/// Blocks whose sections are built at once: of each run the pieces that have their edges.
struct Portion(Vec<Range<usize>>);

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

    /// Calls `consume` with the sections of a label one way, in the order of their keys, built by several threads from its
    /// runs.
    pub(super) fn sections<R>(
        &self,
        (label, runs): (EdgeLabelId, &[&Run]),
        target: Target<'_>,
        threads: usize,
        consume: impl FnOnce(&mut dyn Iterator<Item = Result<Encoded>>) -> R,
    ) -> R {
        let portions = portions(runs);
        let file = &self.0[target.dir as usize];
        let build = |portion: &Portion| sections_of(file, label, runs, portion, target);
        in_turns(&portions, (threads, AHEAD), build, |portions| {
            let mut sections = portions.flat_map(|portion| match portion {
                Ok(sections) => sections.into_iter().map(Ok).collect(),
                Err(error) => vec![Err(error)],
            });
            consume(&mut sections)
        })
    }
}

fn failed(problem: String) -> GraphError {
    GraphError::BadBulk { what: "edges in temporary files".into(), problem }
}

fn write_run(file: &mut Scratch, rows: &EdgeRows, dir: Dir) -> Result<Run> {
    let order = rows.block_order(dir);
    let (mut run, mut buffer) = (Run::default(), Vec::with_capacity(WRITE_BYTES));
    let mut start = file.len();
    for block in order.blocks() {
        let before = buffer.len();
        rows.write_piece(order.rows(block), dir, &mut buffer);
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

/// Cuts the blocks that any run has into portions.
fn portions(runs: &[&Run]) -> Vec<Portion> {
    let mut sizes: Vec<(u32, u64)> = runs
        .iter()
        .flat_map(|run| run.0.iter().map(|piece| (piece.block, piece.end - piece.start)))
        .collect();
    sizes.sort_unstable();
    // The first block of each portion but the first.
    let (mut cuts, mut bytes) = (Vec::new(), 0);
    for of_block in sizes.chunk_by(|a, b| a.0 == b.0) {
        if bytes >= PORTION_BYTES {
            cuts.push(of_block[0].0);
            bytes = 0;
        }
        bytes += of_block.iter().map(|(_, size)| size).sum::<u64>();
    }
    let mut begins = vec![0; runs.len()];
    let mut portions = Vec::with_capacity(cuts.len() + 1);
    for cut in cuts.into_iter().map(Some).chain([None]) {
        let pieces = runs.iter().zip(&mut begins).map(|(run, begin)| {
            let end = cut.map_or(run.0.len(), |cut| run.0.partition_point(|piece| piece.block < cut));
            std::mem::replace(begin, end)..end
        });
        portions.push(Portion(pieces.collect()));
    }
    portions
}

/// The sections of a portion, in order.
fn sections_of(
    file: &Scratch,
    label: EdgeLabelId,
    runs: &[&Run],
    portion: &Portion,
    target: Target<'_>,
) -> Result<Vec<Encoded>> {
    let mut stretches = Vec::with_capacity(runs.len());
    for (run, pieces) in runs.iter().zip(&portion.0) {
        let pieces = &run.0[pieces.clone()];
        let (Some(first), Some(last)) = (pieces.first(), pieces.last()) else { continue };
        let bytes = file.take(first.start, (last.end - first.start) as usize).map_err(Arc::new)?;
        stretches.push((pieces, bytes, first.start));
    }
    let mut sections = Vec::new();
    while let Some(block) = stretches.iter().filter_map(|(pieces, ..)| Some(pieces.first()?.block)).min() {
        let mut rows = EdgeRows::new(label);
        for (pieces, bytes, start) in &mut stretches {
            let Some(piece) = pieces.split_off_first_if(block) else { continue };
            let bytes = &bytes[(piece.start - *start) as usize..(piece.end - *start) as usize];
            let piece = EdgePiece::decode(bytes).map_err(|malformed| failed(malformed.0))?;
            rows.append_piece(&piece, block as usize, target.dir);
        }
        rows.close();
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        sections.push(rows.section(target, block as usize, &all));
    }
    Ok(sections)
}

/// Taking pieces off their front.
trait Pieces {
    fn split_off_first_if(&mut self, block: u32) -> Option<Piece>;
}

impl Pieces for &[Piece] {
    fn split_off_first_if(&mut self, block: u32) -> Option<Piece> {
        let (first, rest) = self.split_first().filter(|(first, _)| first.block == block)?;
        *self = rest;
        Some(*first)
    }
}
