//! Builds the list of a tree in another order, while commits go on, and puts it in the old one's place.
//!
//! ```text
//! writer held   ├ begin: put storage ids by, log changes, take a snapshot ┤                       ├ last changes, new root ┤
//! not held                                                                ├ gather, sort, write … ┤
//! ```

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crossbeam_epoch::Guard;
use timeline::Footprint;

use crate::apply::{TreeOutput, TreeWriter, ids_needed};
use crate::commit::Committer;
use crate::error::{GraphError, Result};
use crate::lists::secondary::{Gather, Pace};
use crate::model::{KeyId, Tick, TreeBounds, slot_of};
use crate::read::Snapshot;
use crate::resident::{LoggedChange, Memory, Writer, hold_still};
use crate::sections::{EdgeTree, Order, SectionKey, SectionName, TreeName, TreePart, tree_prefix};

/// Changes that are applied to a new tree while the writer is held, at first.
const CHANGES: usize = 64;

/// Logged changes from which on the building is given up for now: the list changes faster than it can be copied.
const MOST_CHANGES: usize = 1 << 20;

/// Bytes that memory may always grow by while a tree is built.
const LEAST_MEMORY: usize = 16 << 20;

/// How building ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Built {
    /// The list lies so now.
    Yes,
    /// It lay so already, or has no tree.
    NotNeeded,
    /// Somebody still reads the tree as it was before the last change, the list changes too fast, memory is short, or the graph
    /// is being closed.
    Later,
}

/// What a tree is built from.
struct Begun {
    snapshot: Snapshot,
    /// The last commit that it sees: stamps behind it that are visible were given up, and may be given out again after a restart.
    settled: Tick,
    /// Storage ids for it.
    ids: Range<u32>,
    /// For how large nodes they suffice.
    bounds: TreeBounds,
    /// Bytes of sections in memory when it was begun.
    memory: usize,
}

/// Ends the logging of changes however building ends.
struct Unfinished<'a>(&'a Memory);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        let _writer = self.0.lock_writer();
        self.0.resorts.building.end();
    }
}

impl Committer {
    /// Sorts the list of a tree by a property, if it does not lie so.
    pub(super) fn sort_tree(&self, name: TreeName, key: KeyId) -> Result<Built> {
        match self.tree_order(name)? {
            None => return Ok(Built::NotNeeded),
            Some((order, _)) if order == Order::Key(key) => return Ok(Built::NotNeeded),
            Some((_, true)) => return Ok(Built::Later),
            Some((_, false)) => {}
        }
        let Some(begun) = self.begin_tree(name, key)? else { return Ok(Built::NotNeeded) };
        let ids = begun.ids.clone();
        let built = self.build_tree(name, key, begun);
        if !matches!(built, Ok(true)) {
            self.delete_parts(name, ids);
        }
        if !built? {
            return Ok(Built::Later);
        }
        // Later snapshots must be told from those that read the former root.
        self.commit_with(&self.catalog(), self.timeline.visible(), &Footprint::default())?;
        if self.secondaries.tree(name.by(Some(key))).is_some() {
            // The list itself lies so now.
            self.drop_secondary(name.by(Some(key)))?;
        }
        Ok(Built::Yes)
    }

    /// Builds what was begun and puts it in place; false if it was stopped.
    ///
    /// Until it is in place the snapshot holds the watermark back: what is merged counts as having every change up to there.
    fn build_tree(&self, name: TreeName, key: KeyId, begun: Begun) -> Result<bool> {
        let _unfinished = Unfinished(self);
        let Some(tree) = self.write_tree_anew(name, key, &begun)? else { return Ok(false) };
        self.catch_up(name, &tree, begun.memory)
    }

    /// Deletes what was written of a tree that is not completed.
    fn delete_parts(&self, name: TreeName, ids: Range<u32>) {
        let mut output = self.sections.writer(self.options.flush_batch_bytes);
        let mut parts = ids.flat_map(|id| [TreePart::Node(id), TreePart::Meta(id)]);
        let deleted = parts.try_for_each(|part| output.delete(name.key(part)));
        if let Err(error) = deleted.and_then(|()| output.flush()) {
            tracing::warn!(%error, "what was written of an edge-tree takes up space until the graph is opened again");
        }
    }

    /// The tree of a list, if it has one; its section is loaded for that.
    pub(super) fn tree_now(&self, name: TreeName, guard: &Guard) -> Result<Option<Arc<EdgeTree>>> {
        let key = SectionKey::of(name.v, SectionName::Adjacency(name.label, name.dir));
        let Some(cell) = self.list_cell(key) else { return Ok(None) };
        let section = self.section(cell, || key, guard)?;
        Ok(section.and_then(|section| section.tree(slot_of(name.v)).cloned()))
    }

    /// How the list of a tree lies, and whether somebody may read it as it lay before; none if it has no tree.
    fn tree_order(&self, name: TreeName) -> Result<Option<(Order, bool)>> {
        // While the root is loaded, this thread does not evict the section that leads to it.
        let _still = hold_still();
        loop {
            let guard = crossbeam_epoch::pin();
            let Some(tree) = self.tree_now(name, &guard)? else { return Ok(None) };
            match self.tree_root(None, &tree, name, &guard) {
                Ok(root) => return Ok(Some((root.order, tree.has_former()))),
                Err(error) if self.is_current(&tree, name, &guard) => return Err(error),
                // Another one has.
                Err(_) => {}
            }
        }
    }

    /// Begins to log the changes of the list, as of a snapshot, and puts storage ids by.
    fn begin_tree(&self, name: TreeName, key: KeyId) -> Result<Option<Begun>> {
        // While the writer is held, what is visible is all that was applied.
        let mut writer = self.lock_writer();
        let snapshot = Snapshot::latest(self);
        let guard = crossbeam_epoch::pin();
        let Some(tree) = self.tree_now(name, &guard)? else { return Ok(None) };
        let root = self.tree_root(None, &tree, name, &guard)?;
        let (edges, bounds) =
            (root.degree(crate::model::Tick::MAX) as usize, self.node_sizes.bounds(name.label));
        let needed = ids_needed(edges, Gather::parts_of(edges, self.sort_edges()), bounds);
        let from = root.next_id.load(Ordering::Relaxed);
        let used_up = || GraphError::corrupt(name.key(TreePart::Root), "its storage ids are used up");
        let to = from.checked_add(needed).ok_or_else(used_up)?;
        root.next_id.store(to, Ordering::Relaxed);
        // The root stays in memory until the store knows that they are given out.
        writer.dirty_trees.insert(name, tree);
        self.resorts.building.begin(name, key);
        let (settled, memory) = (writer.applied, self.cache.account.total());
        Ok(Some(Begun { snapshot, settled, ids: from..to, bounds, memory }))
    }

    /// Whether to give up for now what was begun with so many bytes in memory: the graph is being closed, or memory is far beyond
    /// its budget and has become more; or the list changes too fast.
    fn must_stop(&self, memory: usize) -> bool {
        let more = (self.options.cache_bytes / 4).max(LEAST_MEMORY);
        let is_short =
            || self.cache.is_far_over() && self.cache.account.total() > memory.saturating_add(more);
        let logged = self.resorts.building.logged();
        let too_much = logged > MOST_CHANGES || logged.saturating_mul(size_of::<LoggedChange>()) > more;
        too_much || self.resorts.is_stopping() || is_short()
    }

    fn sort_edges(&self) -> usize {
        self.options.secondary.sort_edges.max(1)
    }

    /// Writes the list as the snapshot sees it, but for the root; none if it was stopped.
    fn write_tree_anew(&self, name: TreeName, key: KeyId, begun: &Begun) -> Result<Option<Arc<EdgeTree>>> {
        let Begun { snapshot, settled, ids, bounds, .. } = begun;
        let output = self.sections.writer(self.options.flush_batch_bytes);
        // Should a type change meanwhile, some of it is converted once more when it is read, to itself.
        let head = (*settled, snapshot.catalog().schema().version);
        let mut output = TreeOutput::new(name, key, head, *bounds, output).with_ids(ids.clone());
        let mut pace = Pace::new(self.options.secondary.share);
        // The snapshot keeps versions of the whole graph from being merged.
        let stop = || self.must_stop(begun.memory);
        let mut gather =
            Gather { snapshot, list: name, key, most: self.sort_edges(), pace: &mut pace, stop: &stop };
        if !gather.parts(|section, order, pace| output.append(section, order, || pace.rest()))? {
            return Ok(None);
        }
        let tree = Arc::new(EdgeTree::new(output.finish_below_root()?, &self.cache.account));
        // Who changes a type finds it from now on. Nothing of it is in memory yet.
        self.resorts.building.set_tree(&tree);
        Ok(Some(tree))
    }

    /// Applies what has been logged, and puts the new root in place; false if that was stopped.
    ///
    /// Between two rounds each of those who commit has a turn. Where they log as much in it as a round applies, rounds become
    /// longer: so it ends however fast the list changes, and nobody waits for much longer than their own commits take.
    fn catch_up(&self, name: TreeName, tree: &Arc<EdgeTree>, memory: usize) -> Result<bool> {
        let (mut round, mut flushing) = (CHANGES, None);
        loop {
            let before = self.resorts.building.logged();
            if flushing.is_none() && before <= round {
                // No flush writes the old root over the new one, or counts what is old as stored.
                flushing = Some(self.hold_flushes());
            }
            let mut writer = self.lock_writer();
            let (now, more) = self.resorts.building.take(round);
            let (guard, watermark) = (crossbeam_epoch::pin(), self.settled_stamp(&writer));
            let tree_writer = TreeWriter { memory: self, tree, name, watermark, guard: &guard };
            now.iter().try_for_each(|logged| tree_writer.apply(logged.change()))?;
            if !more && flushing.is_some() {
                self.replace_tree(name, tree, &mut writer, &guard)?;
                return Ok(true);
            }
            // Until it is in place no flush writes it: what it has in memory stays there.
            if self.must_stop(memory) {
                return Ok(false);
            }
            if self.resorts.building.logged() + round / 8 > before {
                round *= 2;
            }
            parking_lot::MutexGuard::unlock_fair(writer);
        }
    }

    /// Puts the new root of a list in the place of the old one, for the snapshots to come. Nobody flushes.
    fn replace_tree(
        &self,
        name: TreeName,
        new: &Arc<EdgeTree>,
        writer: &mut Writer,
        guard: &Guard,
    ) -> Result<()> {
        let Some(tree) = self.tree_now(name, guard)? else { return Ok(()) };
        let (old, new_root) =
            (self.tree_root(None, &tree, name, guard)?, self.tree_root(None, new, name, guard)?);
        let watermark = self.settled_stamp(writer);
        // Stamps that were given up are visible and have nothing: whoever reads at one of them reads the former root.
        let until = writer.applied.max(self.timeline.visible().bits());
        let root = new_root.merged(watermark).with_ids_from(old.next_id.load(Ordering::Relaxed));
        new.take_retired().into_iter().for_each(|part| tree.retire(part));
        tree.replace_root((old.merged(watermark), until), root, &self.cache.account, guard);
        writer.dirty_trees.insert(name, tree);
        self.resorts.note_former(name, until);
        Ok(())
    }

    /// Retires what former roots lead to that no snapshot reads any more; whether one is left for a label.
    pub(super) fn forget_formers(&self, label: crate::model::EdgeLabelId) -> Result<bool> {
        for (name, until) in self.resorts.formers() {
            if self.timeline.watermark().bits() <= until {
                continue;
            }
            let mut writer = self.lock_writer();
            let (guard, watermark) = (crossbeam_epoch::pin(), self.settled_stamp(&writer));
            if watermark <= until {
                continue;
            }
            if let Some(tree) = self.tree_now(name, &guard)?
                && tree.forget_former(watermark, &guard)
            {
                // The next flush deletes it.
                writer.dirty_trees.insert(name, tree);
            }
            self.resorts.forget_former(name);
        }
        Ok(self.resorts.formers().iter().any(|(name, _)| name.label == label))
    }

    /// Deletes what the store has of a tree to which its root does not lead: what a crash has left of one that was being built,
    /// or of a former one.
    pub(super) fn delete_unreachable(&self, name: TreeName) -> Result<()> {
        let _flushing = self.hold_flushes();
        let reachable = {
            let writer = self.lock_writer();
            let (guard, watermark) = (crossbeam_epoch::pin(), self.timeline.watermark().bits());
            let Some(tree) = self.tree_now(name, &guard)? else { return Ok(()) };
            let is_new = !tree.is_stored() || writer.dirty_trees.contains_key(&name);
            if is_new || tree.has_former() || self.cache.has_evicted_roots_since(watermark) {
                // Somebody may come by what was retired, or what is stored is not what is in memory.
                return Ok(());
            }
            let root = self.tree_root(None, &tree, name, &guard)?;
            let mut reachable = vec![TreePart::Root];
            reachable.extend(root.nodes().map(|node| TreePart::Node(node.id())));
            reachable.extend(root.metas.iter().map(|meta| TreePart::Meta(meta.id.load(Ordering::Relaxed))));
            reachable.extend(tree.retired());
            reachable.sort_unstable();
            reachable
        };
        let mut output = self.sections.writer(self.options.flush_batch_bytes);
        for key in self.sections.keys_with(&tree_prefix(name))? {
            let part = SectionKey::parse(&key).map(|(key, _)| key);
            if let Some(key @ SectionKey::Tree { part, .. }) = part
                && reachable.binary_search(&part).is_err()
            {
                output.delete(key)?;
            }
        }
        output.flush()
    }
}
