//! Applies the log when a graph is opened: a stretch of it at a time, list by list.
//!
//! ```text
//!                    ┌─ vertices, properties, indexes, counts ─▶ at once, as a commit does
//! log ─ decoded ─▶ commits
//!        (thread)    └─ edges ─▶ │ end │ end │ end │ …   of a stretch, sorted by tablet, section and place in the log
//!                                      │
//!                                      ├─ block ─▶ thread ─▶ section by section: a new base, or versions and a merge
//!                                      └─ block ─▶ thread ─▶ …
//! ```
//!
//! Nobody reads before all is replayed, so only the order of the changes of one list counts, and its changes are applied
//! together: while its section is in the processor's cache, and by as many threads as there are, of which each takes blocks
//! of its own. A stretch ends where names or definitions change, since what comes before is of the time before them.
//!
//! *Memory.* Loading makes no room meanwhile: the writer is held, who alone knows what is dirty. When the budget is spent the
//! threads stop, each behind a block, and room is made: what is on disk as it is leaves; if that is not enough, what differs
//! is written ([`Files::write_behind`]), each list as of the last commit that it has. So a stretch may change far more than
//! fits in memory. Where even then not enough can leave, that is not tried again for every commit and block, but when a
//! sixteenth of the budget more is in use. What a stretch itself takes is set aside from the budget, up to half of it: edges
//! all over a graph change most of its sections in each stretch, so the fewer stretches the better. Behind a stretch of which something was written, or behind which there is no room, everything is as of one
//! commit, and a flush makes a checkpoint: what was done need not be done again should the process end now, and the log begins
//! there.

mod ends;
mod lists;

use std::sync::Arc;

use parking_lot::MutexGuard;
use timeline::Stamp;
use values::VertexRef;

use self::ends::{End, MOST_CHANGES};
use self::lists::Lists;
use crate::apply::Application;
use crate::durable::{CatalogGrowth, Record};
use crate::error::{GraphError, Result};
use crate::flush::Files;
use crate::model::{Counts, Definitions, Dir, IndexState, Op, Tick};
use crate::resident::Writer;

/// The log on its way into the sections.
pub(crate) struct Replay<'a> {
    files: &'a Files,
    writer: MutexGuard<'a, Writer>,
    counts: Counts,
    /// Changes of edges that their lists do not have yet, in the order of the log.
    edges: Vec<(Tick, Op)>,
    /// Bytes of the log that they come from.
    bytes: usize,
    /// The last commit that all lists have.
    listed: Tick,
    /// Whether something of this stretch was written without a checkpoint.
    behind: bool,
    /// Bytes of sections up to which no room is made, also beyond the budget: none could be.
    patience: usize,
}

/// Bytes of memory that a change of an edge takes until its lists have it, for each byte in the log: at most some six.
const MEMORY: usize = 6;

impl<'a> Replay<'a> {
    /// Begins behind a checkpoint, which had these counts. The writer is that of the checkpoint.
    pub(crate) fn begin(files: &'a Files, writer: MutexGuard<'a, Writer>, counts: Counts) -> Self {
        let listed = writer.applied;
        Self { files, writer, counts, edges: Vec::new(), bytes: 0, listed, behind: false, patience: 0 }
    }

    /// Takes the next commit, which has so many bytes in the log.
    pub(crate) fn take(&mut self, record: Record, bytes: usize) -> Result<()> {
        let Record { stamp, growth, ops } = record;
        if !growth.is_empty() {
            self.apply_edges()?;
            self.restore_growth(&growth, stamp)?;
        }
        self.writer.log_bytes += bytes as u64;
        self.bytes += bytes;
        self.files.cache.set_aside(self.bytes * MEMORY);
        if self.is_full() {
            // No list has anything of the stretch yet.
            self.make_room(0);
        }
        self.apply_at_once(stamp, &ops)?;
        self.edges.extend(ops.into_iter().filter(|op| op.edge().is_some()).map(|op| (stamp, op)));
        self.writer.applied = stamp;
        if self.bytes >= self.files.options.replay_bytes || self.edges.len() >= MOST_CHANGES / 2 {
            self.apply_edges()?;
        }
        Ok(())
    }

    /// Ends; the counts after the last commit.
    pub(crate) fn end(mut self) -> Result<Counts> {
        self.apply_edges()?;
        Ok(self.counts)
    }

    fn restore_growth(&mut self, growth: &CatalogGrowth, stamp: Tick) -> Result<()> {
        let CatalogGrowth { names, old_indexes, definitions } = growth;
        for (space, id, name) in names {
            self.files.names.restore((*space, *id, name), stamp)?;
        }
        // A log of format 1 says only that they were created.
        for index in old_indexes {
            let add =
                |definitions: &mut Definitions| definitions.add_index(index.clone(), IndexState::Building);
            self.files.declare(|declared| declared.define(add));
        }
        // What was replayed so far is of the time before them.
        let adopt = |definitions| self.files.adopt(definitions, (stamp, false), &self.writer);
        definitions.as_ref().map_or(Ok(()), adopt)
    }

    /// Applies everything of a commit but to the lists of its edges.
    fn apply_at_once(&mut self, stamp: Tick, ops: &[Op]) -> Result<()> {
        let (files, guard) = (self.files, crossbeam_epoch::pin());
        let mut application = Application {
            memory: files,
            watermark: Some(self.writer.applied),
            writer: &mut self.writer,
            catalog: &files.catalog(),
            counts: &mut self.counts,
            tick: stamp,
            merges_lists: true,
            guard: &guard,
        };
        for op in ops {
            match op {
                Op::CreateVertex { v, label, .. } => {
                    files.allocator.learn_stripe(crate::model::stripe_of(*v), *label);
                }
                Op::CreateEdge { e, .. } => files.allocator.learn_seq(e.src, e.seq),
                _ => {}
            }
            application.apply_but_lists(op)?;
        }
        Ok(())
    }

    /// Brings the lists up to what was taken.
    fn apply_edges(&mut self) -> Result<()> {
        let edges = std::mem::take(&mut self.edges);
        self.bytes = 0;
        let mut ends = Vec::with_capacity(edges.len() * 2);
        for (place, (_, op)) in edges.iter().enumerate() {
            if let Some(e) = op.edge() {
                ends.push(End::new(e.src, e.label, Dir::Out, place));
                ends.push(End::new(e.dst, e.label, Dir::In, place));
            }
        }
        ends.sort_unstable();
        let files = self.files;
        let lists = Lists { files, catalog: &files.catalog(), edges: &edges, ends: &ends };
        let mut done = 0;
        while let Some(next) = ends.get(done) {
            if self.is_full() {
                self.make_room(next.block());
            }
            done = lists.apply_some(done, self.most(), &mut self.writer)?;
        }
        self.listed = self.writer.applied;
        drop((edges, ends));
        files.cache.set_aside(0);
        self.patience = 0;
        // Nobody reads what was before.
        files.timeline.snapshots().show(Stamp::from_bits(self.listed));
        let behind = std::mem::take(&mut self.behind);
        if behind || files.cache.is_over() {
            files.counts.publish(self.listed, Arc::new(self.counts.clone()));
            MutexGuard::unlocked(&mut self.writer, || {
                if !behind && files.evict_to(files.cache.high_water()) {
                    return;
                }
                match files.flush() {
                    Ok(()) => drop(files.evict_to(files.cache.low_water())),
                    Err(error) => {
                        tracing::error!(%error, "no checkpoint could be made behind a part of the log; the log keeps it");
                    }
                }
            });
        }
        Ok(())
    }

    /// Bytes of sections from which on room is made.
    fn most(&self) -> usize {
        self.files.cache.room().max(self.patience)
    }

    fn is_full(&self) -> bool {
        self.files.cache.account.live() > self.most()
    }

    /// Makes room in the midst of a stretch: lists of the blocks from `next` on do not have it yet. A failure is logged: what
    /// could not be written stays in memory, beyond the budget, and in the log.
    fn make_room(&mut self, next: u64) {
        let (files, listed) = (self.files, self.listed);
        // No reader has begun, and so nobody needs anything as of before.
        files.timeline.snapshots().show(Stamp::from_bits(self.writer.applied));
        let as_of = |v: VertexRef, applied: Tick| if End::block_of(v) < next { applied } else { listed };
        let written = MutexGuard::unlocked(&mut self.writer, || {
            if files.evict_to(files.cache.high_water()) {
                return Ok(false);
            }
            files.write_behind(&as_of)?;
            files.evict_to(files.cache.low_water());
            Ok::<bool, GraphError>(true)
        });
        self.patience = files.cache.patience();
        match written {
            Ok(written) => self.behind |= written,
            Err(error) => {
                // Not tried again in this stretch.
                self.patience = usize::MAX;
                tracing::error!(%error, "what the log has changed cannot be written yet, and takes memory beyond the budget");
            }
        }
    }
}
