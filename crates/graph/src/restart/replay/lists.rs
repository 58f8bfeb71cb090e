//! Applies the changes of lists, section by section, by several threads.

use crossbeam_epoch::Guard;
use parking_lot::Mutex;
use values::{EdgeRef, VertexRef};

use super::ends::End;
use crate::apply::Application;
use crate::cells::SectionCell;
use crate::error::Result;
use crate::flush::Files;
use crate::model::{Catalog, Counts, Dir, EdgeLabelId, Op, Tick, adjacency_number, slot_of};
use crate::resident::Writer;
use crate::sections::{Added, Adjacency, Mergeable, Order, SectionKey, SectionName, TreeName};

/// Edges of a section that are copied for each that is added, at most: less than a version of its own costs.
const COPIES: usize = 32;

/// The lists that a stretch changes.
pub(super) struct Lists<'a> {
    pub(super) files: &'a Files,
    pub(super) catalog: &'a Catalog,
    /// The changes, in the order of the log.
    pub(super) edges: &'a [(Tick, Op)],
    /// Both ends of each, sorted.
    pub(super) ends: &'a [End],
}

/// One section of lists, and what it belongs to.
struct Place<'g> {
    cell: &'g SectionCell<Adjacency>,
    key: SectionKey,
    label: EdgeLabelId,
    dir: Dir,
}

impl<'a> Lists<'a> {
    /// Brings lists up to date, block by block, from an end on, until none is left or sections take more than `most` bytes; the
    /// first end that is left. At least one block is brought up to date.
    pub(super) fn apply_some(&self, first: usize, most: usize, writer: &mut Writer) -> Result<usize> {
        let next = Mutex::new(first);
        let part = Mutex::new(Writer::replaying());
        let work = || -> Result<()> {
            let mut own = Writer::replaying();
            loop {
                // Not in the condition of a `while let`, which would hold the lock until the block is done.
                let taken = self.next_block((first, most), &mut next.lock());
                let Some(block) = taken else { break };
                let mut sections = block.chunk_by(|a, b| a.section() == b.section());
                sections.try_for_each(|ends| self.apply_section(ends, &mut own))?;
            }
            part.lock().add(own);
            Ok(())
        };
        std::thread::scope(|scope| {
            let helpers: Vec<_> = (1..self.files.options.replay_threads).map(|_| scope.spawn(work)).collect();
            let own = work();
            let join = |helper: std::thread::ScopedJoinHandle<'_, Result<()>>| match helper.join() {
                Ok(outcome) => outcome,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            helpers.into_iter().map(join).fold(own, Result::and)
        })?;
        writer.add(part.into_inner());
        Ok(next.into_inner())
    }

    /// Takes the changes of the next block, unless there is to be made room before. No two threads change one block.
    fn next_block(&self, (first, most): (usize, usize), next: &mut usize) -> Option<&'a [End]> {
        let rest = &self.ends[*next..];
        let block = rest.first()?.block();
        if *next > first && self.files.cache.account.live() > most {
            return None;
        }
        let taken = &rest[..rest.partition_point(|end| end.block() == block)];
        *next += taken.len();
        Some(taken)
    }

    /// Applies the changes of one section, and of the trees that it leads to.
    fn apply_section(&self, ends: &[End], writer: &mut Writer) -> Result<()> {
        let guard = crossbeam_epoch::pin();
        let mut application = Application {
            memory: self.files,
            watermark: None,
            writer,
            catalog: self.catalog,
            counts: &mut Counts::default(),
            tick: 0,
            merges_lists: false,
            guard: &guard,
        };
        let [first, ..] = ends else { return Ok(()) };
        let Some((e, v)) = self.end(*first) else { return Ok(()) };
        let (label, dir) = (EdgeLabelId(e.label), first.dir());
        let cell = application.block(v)?.adjacency.get_or_grow(adjacency_number(label, dir));
        let place = Place { cell, key: SectionKey::of(v, SectionName::Adjacency(label, dir)), label, dir };
        let section = self.section(&place, &guard)?;
        if self.can_append(section, ends) {
            self.append(&place, section, ends, &mut application)?;
            let has_tree =
                |end: &&End| self.end(**end).is_some_and(|(_, v)| section.tree(slot_of(v)).is_some());
            self.apply_one_by_one(ends.iter().filter(has_tree), &mut application)?;
        } else {
            self.apply_one_by_one(ends.iter(), &mut application)?;
        }
        // Now the changes of the last commit are in it as well.
        application.watermark = ends.last().map(|end| self.edges[end.place()].0);
        application.merge_list(v, label, dir)?;
        // Bases that were replaced would otherwise wait for many more sections.
        guard.flush();
        Ok(())
    }

    /// The edge that an end belongs to, and the vertex there.
    fn end(&self, end: End) -> Option<(EdgeRef, VertexRef)> {
        let e = self.edges[end.place()].1.edge()?;
        Some((e, if end.dir() == Dir::Out { e.src } else { e.dst }))
    }

    fn section<'g>(&self, place: &Place<'g>, guard: &'g Guard) -> Result<&'g Adjacency> {
        let order = self.files.order_of_new(place.label, self.catalog);
        let section = self.files.section(place.cell, || place.key, guard)?;
        Ok(section
            .unwrap_or_else(|| place.cell.replace(Adjacency::empty(order), &self.files.cache.account, guard)))
    }

    /// Whether all that happens to a section is that its lists get longer, by so many edges that it pays to write a new base
    /// without making versions first.
    fn can_append(&self, section: &Adjacency, ends: &[End]) -> bool {
        let adds = |end: &End| {
            let (tick, op) = &self.edges[end.place()];
            *tick > section.settled() && matches!(op, Op::CreateEdge { .. })
        };
        section.order == Order::Arrival
            && !section.is_between_orders()
            && section.delta_len() == 0
            && section.neighbours().len() <= ends.len() * COPIES
            && ends.iter().all(adds)
    }

    fn apply_one_by_one<'e>(
        &self,
        ends: impl Iterator<Item = &'e End>,
        application: &mut Application<'_>,
    ) -> Result<()> {
        for end in ends {
            let (tick, op) = &self.edges[end.place()];
            let Some(e) = op.edge() else { continue };
            application.tick = *tick;
            // All changes of its list before this commit's have been applied.
            application.watermark = Some(tick.saturating_sub(1));
            application.change_end(e, end.dir(), op)?;
        }
        Ok(())
    }

    /// Writes a new base with the edges that were added to lists without trees.
    fn append(
        &self,
        place: &Place<'_>,
        section: &Adjacency,
        ends: &[End],
        application: &mut Application<'_>,
    ) -> Result<()> {
        let mut added = Vec::with_capacity(ends.len());
        for end in ends {
            let (tick, op) = &self.edges[end.place()];
            let (Op::CreateEdge { e, cells }, dir) = (op, end.dir()) else { continue };
            let (v, neighbour) = if dir == Dir::Out { (e.src, e.dst) } else { (e.dst, e.src) };
            application.tick = *tick;
            if section.tree(slot_of(v)).is_none() {
                added.push(Added { v, neighbour, seq: e.seq, cells });
            }
        }
        if added.is_empty() {
            return Ok(());
        }
        added.sort_by_key(|edge| slot_of(edge.v));
        application.watermark = Some(application.tick);
        let section = section.appended(application.tick, &added);
        place.cell.replace(section, &self.files.cache.account, application.guard);
        application.writer.dirty.insert(place.key);
        for edges in added.chunk_by(|a, b| a.v == b.v) {
            let name = TreeName::primary(edges[0].v, place.label, place.dir);
            application.note_appended(name, place.cell, edges.len() as u64)?;
        }
        Ok(())
    }
}
