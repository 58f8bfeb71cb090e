//! Sections of all edges, in the order of their keys, built on all cores.
//!
//! ```text
//! stripe 0   label 0 out │ label 0 in │ label 1 out │ …        a task each, or several where there are many edges
//! stripe 1   label 0 out │ label 0 in │ label 1 out │ …
//! ```
//!
//! The store writes what comes in order once. Label by label it would get runs whose keys overlap, and merge them: everything
//! would be written twice.

use std::ops::Range;

use super::MAX_EDGES;
use super::block_order::BlockOrder;
use super::edges::{Built, EdgeRows, Target};
use super::label_edges::LabelEdges;
use super::spill::{Run, SpillFile};
use crate::error::{GraphError, Result};
use crate::indexes::in_turns;
use crate::model::{Dir, EdgeLabelId, TABLETS};
use crate::sections::SectionName;

/// Bytes of edges that one task makes sections of, as they are in memory or in temporary files; more if a block has more.
const TASK_BYTES: u64 = 2 << 20;
/// Tasks that each thread may be ahead of the store.
const AHEAD: usize = 4;

/// The edges of one label, for their lists one way.
pub(super) struct Source<'a> {
    edges: &'a LabelEdges,
    target: Target<'a>,
    file: Option<&'a SpillFile>,
    /// Those in the file, which come first.
    runs: Vec<&'a Run>,
    /// Those in memory.
    order: BlockOrder,
}

/// Blocks of one stripe whose sections are built at once.
struct Task<'a> {
    source: &'a Source<'a>,
    blocks: Range<usize>,
}

/// What one task has built.
pub(super) struct Part {
    pub(super) stripe: usize,
    pub(super) lists: (EdgeLabelId, Dir),
    pub(super) built: Built,
}

impl<'a> Source<'a> {
    pub(super) fn new(edges: &'a LabelEdges, target: Target<'a>, file: Option<&'a SpillFile>) -> Self {
        let (runs, order) = (edges.runs(target.dir), edges.rows().block_order(target.dir));
        Self { edges, target, file, runs, order }
    }

    fn tasks(&self) -> impl Iterator<Item = Task<'_>> {
        let rows = self.edges.rows();
        let edge_bytes = (rows.bytes() / rows.len().max(1)) as u64;
        let in_memory = self.order.blocks().map(|(block, rows)| (block, rows.len() as u64 * edge_bytes));
        let mut sizes: Vec<_> = self.runs.iter().flat_map(|run| run.sizes()).chain(in_memory).collect();
        sizes.sort_unstable();
        parts(&sizes, TASK_BYTES).into_iter().map(|blocks| Task { source: self, blocks })
    }
}

/// Cuts blocks, ascending, with their sizes into parts: none of them has blocks of two stripes, nor a further block when its
/// size is `bound`. A block that is there several times has the sum of the sizes.
fn parts(sizes: &[(usize, u64)], bound: u64) -> Vec<Range<usize>> {
    let mut parts: Vec<Range<usize>> = Vec::new();
    let mut size = 0;
    for of_block in sizes.chunk_by(|a, b| a.0 == b.0) {
        let block = of_block[0].0;
        match parts.last_mut() {
            Some(part) if size < bound && part.start / TABLETS == block / TABLETS => part.end = block + 1,
            _ => {
                parts.push(block..block + 1);
                size = 0;
            }
        }
        size += of_block.iter().map(|(_, size)| size).sum::<u64>();
    }
    parts
}

impl Task<'_> {
    fn stripe(&self) -> usize {
        self.blocks.start / TABLETS
    }

    fn lists(&self) -> (EdgeLabelId, Dir) {
        (self.source.edges.label(), self.source.target.dir)
    }

    /// Where its sections are among those of all tasks.
    fn place(&self) -> (usize, u32, usize) {
        let (label, dir) = self.lists();
        (self.stripe(), SectionName::Adjacency(label, dir).number(), self.blocks.start)
    }

    fn build(&self) -> Result<Part> {
        let Source { edges, target, file, runs, order } = self.source;
        let mut stretches = match file {
            Some(file) => file.take(runs, &self.blocks)?,
            None => Vec::new(),
        };
        let mut built = Built::default();
        for block in self.blocks.clone() {
            let mut rows = EdgeRows::new(edges.label());
            for stretch in &mut stretches {
                if let Some(piece) = stretch.next_if(block)? {
                    rows.append_piece(&piece, block, target.dir);
                }
            }
            let in_memory = order.rows(block);
            if rows.len() == 0 {
                edges.rows().build_block(*target, block, in_memory, &mut built);
                continue;
            }
            rows.append_rows(edges.rows(), in_memory);
            if rows.len() > MAX_EDGES {
                let problem = format!("more than {MAX_EDGES} edges of 1,024 neighbouring vertices");
                return Err(GraphError::BadBulk { what: "edges of one label".into(), problem });
            }
            rows.close();
            let all: Vec<u32> = (0..rows.len() as u32).collect();
            rows.build_block(*target, block, &all, &mut built);
        }
        Ok(Part { stripe: self.stripe(), lists: self.lists(), built })
    }
}

/// Calls `consume` with what is built of all sources, in the order of the keys, while several threads build more.
pub(super) fn build<R>(
    sources: &[Source<'_>],
    threads: usize,
    consume: impl FnOnce(&mut dyn Iterator<Item = Result<Part>>) -> R,
) -> R {
    let mut tasks: Vec<Task<'_>> = sources.iter().flat_map(Source::tasks).collect();
    tasks.sort_unstable_by_key(Task::place);
    in_turns(&tasks, (threads, AHEAD), Task::build, consume)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_where_stripes_do_or_when_they_are_large_and_have_every_block() {
        let sizes = [(0, 3), (0, 4), (1, 2), (5, 2), (6, 30), (7, 1), (63, 1), (64, 1), (200, 50), (201, 1)];
        assert_eq!(parts(&sizes, 10), [0..6, 6..7, 7..64, 64..65, 200..201, 201..202]);
        assert_eq!(parts(&sizes, u64::MAX), [0..64, 64..65, 200..202]);
        assert_eq!(parts(&[], 10), []);
    }
}
