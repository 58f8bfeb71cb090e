//! Writes dirty sections, advances the checkpoint and trims the log.
//!
//! Children before parents: sections first, in any number of batches; then, in one synchronous batch, the checkpoint
//! that names them. A crash between leaves newer sections under an older checkpoint. That is safe: each section says
//! up to which stamp it includes every change, and replay skips what it has; a section that no checkpoint names is
//! rebuilt from the log.
//!
//! What that takes is [`Files`]: the memory, and the files behind it. It must never know what a section means, nor who changed it;
//! a commit that fails says so here, and nothing is written any more.

mod files;
mod keeper;
mod tree;

pub(crate) use files::Files;
pub(crate) use keeper::start_keeper;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use rustc_hash::FxHashMap;
use timeline::Stamp;
use values::VertexRef;

use self::tree::{TreeFlush, TreeImage};
use crate::cells::SectionCell;
use crate::durable::{Checkpoint, SectionWriter, StripeEntry};
use crate::error::Result;
use crate::model::{Catalog, DegreeTable, Tick, vertex_at};
use crate::resident::{CellVisitor, Memory, Writer};
use crate::sections::{EdgeTree, FIRST_INDEX, Mergeable, SectionKey, SectionName, TreeName, TreePart};

/// Which sections the store has, as of the last checkpoint: one bit per tablet or partition.
#[derive(Debug, Default)]
pub(crate) struct Manifest {
    blocks: FxHashMap<(u16, SectionName), u64>,
    indexes: FxHashMap<u32, u64>,
    ordered: FxHashMap<u32, u64>,
}

impl Manifest {
    /// The manifest that a checkpoint holds.
    pub(crate) fn of(checkpoint: &Checkpoint) -> Self {
        let mut manifest = Self::default();
        for stripe in &checkpoint.stripes {
            let sections = stripe.sections.iter().map(|(name, tablets)| ((stripe.number, *name), *tablets));
            manifest.blocks.extend(sections);
        }
        manifest.indexes.extend((0..).zip(checkpoint.indexes.iter().copied()));
        manifest.ordered.extend((0..).zip(checkpoint.ordered.iter().copied()));
        manifest
    }

    /// The sections it names.
    pub(crate) fn keys(&self) -> impl Iterator<Item = SectionKey> {
        let bits = |mask: u64| (0..64u8).filter(move |bit| mask >> bit & 1 == 1);
        let blocks = self.blocks.iter().flat_map(move |(&(stripe, name), &mask)| {
            bits(mask).map(move |tablet| SectionKey::Block { stripe, tablet, name })
        });
        let indexes = self.indexes.iter().flat_map(move |(&index, &mask)| {
            bits(mask).map(move |partition| SectionKey::Index { index, partition })
        });
        let ordered = self.ordered.iter().flat_map(move |(&index, &mask)| {
            bits(mask).map(move |partition| SectionKey::Ordered { index, partition })
        });
        blocks.chain(indexes).chain(ordered)
    }

    /// Counts a section as stored.
    pub(crate) fn insert(&mut self, key: SectionKey) {
        match key {
            SectionKey::Block { stripe, tablet, name } => {
                *self.blocks.entry((stripe, name)).or_default() |= 1 << tablet;
            }
            SectionKey::Index { index, partition } => {
                *self.indexes.entry(index).or_default() |= 1 << partition;
            }
            // Sections lead to their trees.
            SectionKey::Tree { .. } => {}
            SectionKey::Ordered { index, partition } => {
                *self.ordered.entry(index).or_default() |= 1 << partition;
            }
        }
    }

    /// Whether anything of an index is named.
    pub(crate) fn names_index(&self, index: u32) -> bool {
        [&self.indexes, &self.ordered].iter().any(|masks| masks.get(&index).is_some_and(|mask| *mask != 0))
    }

    /// Counts an index as no longer stored.
    pub(crate) fn forget_index(&mut self, index: u32) {
        self.indexes.remove(&index);
        self.ordered.remove(&index);
    }

    /// Whether a partition of an index is named.
    pub(crate) fn names_partition(&self, key: SectionKey) -> bool {
        let (masks, index, partition) = match key {
            SectionKey::Index { index, partition } => (&self.indexes, index, partition),
            SectionKey::Ordered { index, partition } => (&self.ordered, index, partition),
            SectionKey::Block { .. } | SectionKey::Tree { .. } => return false,
        };
        masks.get(&index).is_some_and(|mask| mask >> partition & 1 == 1)
    }

    /// Counts a partition of an index as no longer stored.
    pub(crate) fn forget_partition(&mut self, key: SectionKey) {
        let (masks, index, partition) = match key {
            SectionKey::Index { index, partition } => (&mut self.indexes, index, partition),
            SectionKey::Ordered { index, partition } => (&mut self.ordered, index, partition),
            SectionKey::Block { .. } | SectionKey::Tree { .. } => return,
        };
        if let Some(mask) = masks.get_mut(&index) {
            *mask &= !(1 << partition);
        }
    }

    /// Number of sections.
    pub(crate) fn len(&self) -> u64 {
        let masks = self.blocks.values().chain(self.indexes.values()).chain(self.ordered.values());
        masks.map(|mask| u64::from(mask.count_ones())).sum()
    }
}

/// What a flush writes, fixed at its beginning.
struct Plan {
    stamp: Tick,
    catalog: Catalog,
    checkpoint: Checkpoint,
    degrees: DegreeTable,
    differing: Differing,
    log_bytes: u64,
}

/// What differs from what is stored, taken from the writer to be written.
struct Differing {
    sections: Vec<SectionKey>,
    trees: FxHashMap<TreeName, Arc<EdgeTree>>,
}

/// Up to which commit the lists of a block have every change, given any of its vertices and the last commit applied.
type AsOf<'a> = &'a dyn Fn(VertexRef, Tick) -> Tick;

impl Files {
    /// Flushes if the log has passed its bound, or memory its budget, and nobody flushes already. A commit that finds
    /// memory far beyond its budget waits for who does: so much writing at once is slowed down to what the disk takes. A
    /// failure is logged, not returned: the commit that came by here is durable.
    pub(crate) fn flush_if_due(&self) {
        let log_is_due = self.lock_writer().log_bytes > self.options.log_bytes;
        let watermark = self.watermark();
        let memory_is_due = self.cache.is_over()
            && !self.cache.is_in_vain(watermark)
            && !self.evict_to(self.cache.high_water());
        if !log_is_due && !memory_is_due {
            return;
        }
        let manifest = match self.cache.is_far_over() {
            true => Some(self.hold_flushes()),
            false => self.try_hold_flushes(),
        };
        let Some(mut manifest) = manifest else { return };
        // Whoever flushed meanwhile may have made room enough.
        if !log_is_due && !self.cache.is_over() {
            return;
        }
        if !log_is_due && self.lock_writer().is_clean() {
            self.cache.note_in_vain(watermark);
            return;
        }
        let flushed = self.flush_with(&mut manifest);
        drop(manifest);
        match flushed {
            Ok(()) if memory_is_due && !self.evict_to(self.cache.high_water()) => {
                self.cache.note_in_vain(watermark);
            }
            Ok(()) => {}
            Err(error) => tracing::error!(%error, "flush failed; the log keeps what it would have written"),
        }
    }

    /// Flushes now.
    pub(crate) fn flush(&self) -> Result<()> {
        self.flush_with(&mut self.hold_flushes())
    }

    /// As [`Files::flush`], by who may flush.
    pub(crate) fn flush_with(&self, manifest: &mut Manifest) -> Result<()> {
        self.refuse_if_failed()?;
        self.uproot_wilted();
        let mut unsettled = Unsettled { files: self, settled: false };
        let plan = self.plan_flush();
        let mut trees = Vec::new();
        let outcome =
            self.write_sections(&plan.differing, &|_, applied| applied, &mut trees).and_then(|written| {
                written.into_iter().for_each(|key| manifest.insert(key));
                let mut checkpoint = plan.checkpoint;
                self.describe(manifest, &plan.catalog, &mut checkpoint);
                self.meta.save(&checkpoint, &plan.catalog, (&plan.degrees, &self.known.values()))
            });
        let mut writer = self.lock_writer();
        let outcome = self.settle_differing(plan.differing, trees, &mut writer, outcome);
        unsettled.settled = true;
        outcome?;
        writer.checkpoint = plan.stamp;
        writer.log_bytes = writer.log_bytes.saturating_sub(plan.log_bytes);
        let felled = self.take_felled(&mut writer);
        drop(writer);
        self.delete_forgotten(&felled)?;
        self.log.trim(plan.stamp)
    }

    /// Writes what differs from what is stored, without a checkpoint, so that it can leave memory: while the log is replayed,
    /// in the midst of a stretch of it. `as_of` says how far lists are meanwhile; everything else has every change that was
    /// applied. A crash leaves newer sections under the checkpoint before, as one in the midst of a flush does.
    pub(crate) fn write_behind(&self, as_of: AsOf<'_>) -> Result<()> {
        let mut manifest = self.hold_flushes();
        let mut unsettled = Unsettled { files: self, settled: false };
        let differing = take_differing(&mut self.lock_writer());
        let mut trees = Vec::new();
        let outcome = self
            .write_sections(&differing, as_of, &mut trees)
            .map(|written| written.into_iter().for_each(|key| manifest.insert(key)));
        let outcome = self.settle_differing(differing, trees, &mut self.lock_writer(), outcome);
        unsettled.settled = true;
        outcome
    }

    /// What differed is stored, or it was not to be.
    fn settle_differing(
        &self,
        differing: Differing,
        trees: Vec<TreeFlush>,
        writer: &mut Writer,
        outcome: Result<()>,
    ) -> Result<()> {
        writer.flushing.clear();
        differing.trees.values().for_each(|tree| tree.flushing.store(false, Ordering::Relaxed));
        if outcome.is_err() {
            writer.dirty.extend(differing.sections);
            writer.dirty_trees.extend(differing.trees);
            trees.into_iter().for_each(TreeFlush::undo);
            return outcome;
        }
        self.admit_flushed(&differing.sections);
        trees.into_iter().for_each(|tree| tree.done(self));
        Ok(())
    }

    /// Deletes nodes that nothing leads to any more, and what is left of trees that are no more.
    fn delete_forgotten(&self, felled: &[SectionKey]) -> Result<()> {
        let forgotten = self.cache.take_forgotten(self.timeline.watermark().bits());
        let mut output = self.sections.writer(self.options.flush_batch_bytes);
        forgotten.iter().chain(felled).try_for_each(|&key| output.delete(key))?;
        output.flush()
    }

    fn plan_flush(&self) -> Plan {
        let mut writer = self.lock_writer();
        let differing = take_differing(&mut writer);
        let checkpoint = Checkpoint {
            stamp: writer.applied,
            counts: (*self.counts.newest()).clone(),
            seqs: self.allocator.seqs(),
            secondaries: self.secondaries.live(),
            ..Checkpoint::default()
        };
        Plan {
            stamp: writer.applied,
            catalog: self.catalog().at(writer.applied),
            checkpoint,
            degrees: writer.degrees.clone(),
            differing,
            log_bytes: writer.log_bytes,
        }
    }

    /// Writes sections and trees; the sections that were there to be written. One that differed may be gone: of a bulk load that
    /// was refused.
    fn write_sections(
        &self,
        differing: &Differing,
        as_of: AsOf<'_>,
        trees: &mut Vec<TreeFlush>,
    ) -> Result<Vec<SectionKey>> {
        let mut written = Vec::with_capacity(differing.sections.len());
        let mut output = self.sections.writer(self.options.flush_batch_bytes);
        for (&name, tree) in &differing.trees {
            self.write_tree((name, tree), as_of, &mut output, trees)?;
        }
        for &key in &differing.sections {
            if let Some((generation, encoded)) = self.image(key, as_of) {
                self.write_planted(key, (as_of, trees), &mut output)?;
                output.put(key, generation, &encoded)?;
                written.push(key);
            }
            // Bases that were replaced would otherwise wait for many more sections.
            crossbeam_epoch::pin().flush();
        }
        output.flush()?;
        Ok(written)
    }

    /// Writes a tree as of the last commit, or as its lists are. The writer must not be held. What it has marked as stored goes to
    /// `trees` also where it fails: it is settled with the rest, so that nothing of it leaves memory before that.
    fn write_tree(
        &self,
        (name, tree): (TreeName, &Arc<EdgeTree>),
        as_of: AsOf<'_>,
        output: &mut SectionWriter<'_>,
        trees: &mut Vec<TreeFlush>,
    ) -> Result<()> {
        // The writer first, and the guard not while the disk is waited for: nothing is freed as long as a guard lives.
        let writer = self.lock_writer();
        let guard = crossbeam_epoch::pin();
        let watermark = self.timeline.watermark().bits();
        let keeps_retired = self.cache.has_evicted_roots_since(watermark);
        // A secondary tree that was dropped has not been told of what was committed since.
        let applied = as_of(name.v, writer.applied);
        let tick = self.secondaries.died(name).map_or(applied, |died| died.min(applied));
        let taken = TreeImage::take(tree, name, tick, self.schema_version(), keeps_retired, &guard);
        drop(writer);
        let Some((image, flush)) = taken else {
            // What was committed is in the log alone: whoever goes on would trim it, and work on an older root.
            self.fail(Stamp::MAX, format!("{} left memory before it was written", name.key(TreePart::Root)));
            return self.refuse_if_failed();
        };
        trees.push(flush);
        let rest = image.write(self.options.flush_batch_bytes, output);
        drop(image);
        drop(guard);
        rest.and_then(|rest| rest.write(output))
    }

    /// Writes the trees of a section that were planted since the flush began: the section leads to them.
    fn write_planted(
        &self,
        key: SectionKey,
        (as_of, trees): (AsOf<'_>, &mut Vec<TreeFlush>),
        output: &mut SectionWriter<'_>,
    ) -> Result<()> {
        let planted = self.trees_of(key, &crossbeam_epoch::pin());
        for (name, tree) in planted {
            if !tree.is_stored() {
                self.write_tree((name, &tree), as_of, output, trees)?;
            }
        }
        Ok(())
    }

    /// A section with every change so far, encoded, and the stamp it is of. The writer must not be held.
    fn image(&self, key: SectionKey, as_of: AsOf<'_>) -> Option<(Tick, Vec<u8>)> {
        let as_of = |applied| match key {
            SectionKey::Block { stripe, tablet, name: SectionName::Adjacency(..) } => {
                as_of(vertex_at(stripe, tablet, 0), applied)
            }
            _ => applied,
        };
        self.visit(key, Image { memory: self, key, as_of: &as_of }).flatten()
    }

    /// Fills in which stripes and sections there are.
    pub(crate) fn describe(&self, manifest: &Manifest, catalog: &Catalog, checkpoint: &mut Checkpoint) {
        let mut sections: FxHashMap<u16, Vec<(SectionName, u64)>> = FxHashMap::default();
        for (&(stripe, name), &tablets) in &manifest.blocks {
            sections.entry(stripe).or_default().push((name, tablets));
        }
        for (number, stripe) in self.blocks.iter() {
            let number = number as u16;
            let mut sections = sections.remove(&number).unwrap_or_default();
            sections.sort_unstable();
            let (label, allocated) = (stripe.label, stripe.allocated());
            checkpoint.stripes.push(StripeEntry { number, label, allocated, sections });
        }
        let indexes = 0..FIRST_INDEX as u32 + catalog.definitions().next_index;
        let mask = |masks: &FxHashMap<u32, u64>, index: u32| masks.get(&index).copied().unwrap_or(0);
        checkpoint.indexes.extend(indexes.clone().map(|index| mask(&manifest.indexes, index)));
        checkpoint.ordered.extend(indexes.map(|index| mask(&manifest.ordered, index)));
        self.note_stored(manifest);
    }
}

/// Held while a flush has taken what differs: should it panic, nobody writes any more. The next flush would know nothing of what this
/// one had taken, and trim the log that has it. What is in memory stays there, and is read.
struct Unsettled<'a> {
    files: &'a Files,
    settled: bool,
}

impl Drop for Unsettled<'_> {
    fn drop(&mut self) {
        if !self.settled {
            tracing::error!("the graph accepts no more writes since a flush panicked");
            self.files.fail(Stamp::MAX, "a flush panicked".into());
        }
    }
}

/// Takes from the writer what a flush is to write. Until that is settled, nothing of it leaves memory.
fn take_differing(writer: &mut Writer) -> Differing {
    writer.flushing = std::mem::take(&mut writer.dirty);
    let mut sections: Vec<SectionKey> = writer.flushing.iter().copied().collect();
    sections.sort_unstable();
    let trees = std::mem::take(&mut writer.dirty_trees);
    trees.values().for_each(|tree| tree.flushing.store(true, Ordering::Relaxed));
    Differing { sections, trees }
}

/// Encodes a section with every change so far; with the stamp it is of.
struct Image<'a> {
    memory: &'a Memory,
    key: SectionKey,
    /// Up to which commit it has every change, given the last one applied.
    as_of: &'a dyn Fn(Tick) -> Tick,
}

impl CellVisitor for Image<'_> {
    type Output = Option<(Tick, Vec<u8>)>;

    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) -> Self::Output {
        // A guard that waited for the writer would keep whatever is replaced meanwhile.
        let mut writer = self.memory.lock_writer();
        let guard = crossbeam_epoch::pin();
        let schema = self.memory.schema_version();
        let section = cell.loaded(&guard)?;
        if section.delta_len() == 0 {
            drop(writer);
            return Some((section.settled(), section.encode(schema)));
        }
        let applied = (self.as_of)(writer.applied);
        let merged = section.merged(applied);
        if self.memory.timeline.watermark().bits() >= applied {
            // No reader needs the versions before: memory gets the merged section as well.
            let merged = cell.replace(merged, &self.memory.cache.account, &guard);
            writer.forget_patience(self.key);
            drop(writer);
            return Some((merged.settled(), merged.encode(schema)));
        }
        drop(writer);
        Some((merged.settled(), merged.encode(schema)))
    }
}
