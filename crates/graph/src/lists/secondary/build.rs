//! Builds a secondary tree while commits go on.
//!
//! ```text
//! writer held   ├ begin: log changes, take a snapshot ┤                              ├ last changes, publish ┤
//! not held                                            ├ gather, sort, write … catch up ┤
//! ```

use std::sync::Arc;

use super::gather::{Gather, Pace};
use crate::apply::{TreeOutput, TreeWriter};
use crate::error::Result;
use crate::model::{KeyId, Tick};
use crate::read::Snapshot;
use crate::resident::{Memory, Writer};
use crate::sections::{EdgeTree, TreeName, tree_prefix};

/// Changes that are applied to a new tree while the writer is held.
const CHANGES: usize = 64;

/// Logged changes from which on the building is given up: the list changes faster than it can be copied.
const MOST_CHANGES: usize = 1 << 20;

/// How building ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Built {
    /// The tree is there.
    Yes,
    /// There is nothing to build it from, or it is there already.
    NotNeeded,
    /// The graph is being closed, the list changes too fast, or memory is short.
    GivenUp,
}

/// A tree that is forgotten if building it ends otherwise than by its publication, even by a panic: its changes would be
/// logged for ever.
struct Unfinished<'a> {
    memory: &'a Memory,
    name: TreeName,
    published: bool,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if !self.published {
            self.memory.abandon_secondary(self.name);
        }
    }
}

impl Memory {
    /// Builds the tree with this name and lets snapshots from now on read it. It outlives the graph from the next flush on.
    pub(super) fn build_secondary(self: &Arc<Self>, name: TreeName) -> Result<Built> {
        let Some(key) = name.by else { return Ok(Built::NotNeeded) };
        let Some((tree, snapshot, settled)) = self.begin_secondary(name, key) else {
            return Ok(Built::NotNeeded);
        };
        let mut unfinished = Unfinished { memory: self, name, published: false };
        if self.write_secondary(name, key, (&snapshot, settled))? {
            unfinished.published = self.publish_secondary(name, &tree, &snapshot)?;
        }
        Ok(if unfinished.published { Built::Yes } else { Built::GivenUp })
    }

    /// Begins to log the changes of the list, as of the snapshot, which sees what was committed up to the stamp that is returned.
    fn begin_secondary(
        self: &Arc<Self>,
        name: TreeName,
        key: KeyId,
    ) -> Option<(Arc<EdgeTree>, Snapshot, Tick)> {
        let list = name.by(None);
        {
            let snapshot = Snapshot::latest(self);
            let reader = snapshot.reader();
            // A list that does not lie by its sort key yet soon will.
            let lies_so = reader.list_order(list).key() == Some(key);
            reader.tree_of(list).filter(|_| !lies_so && self.catalog().sort_key(list.label) != Some(key))?;
        }
        // While the writer is held, what is visible is all that was applied.
        let writer = self.lock_writer();
        let snapshot = Snapshot::latest(self);
        // It may have gone back into its section, or be about to.
        if writer.wilted.contains(&list) || snapshot.reader().tree_of(list).is_none() {
            return None;
        }
        let tree = self.secondaries.begin(name)?;
        // The stamps between the two, if any, were given up, and may be given out again after a restart.
        Some((tree, snapshot, writer.applied))
    }

    /// Writes the list as the snapshot sees it; false if it was stopped.
    fn write_secondary(
        &self,
        name: TreeName,
        key: KeyId,
        (snapshot, settled): (&Snapshot, Tick),
    ) -> Result<bool> {
        self.sections.delete_all(&tree_prefix(name))?;
        let options = &self.options.secondary;
        let output = self.sections.writer(self.options.flush_batch_bytes);
        // Should a type change meanwhile, some of it is converted once more when it is read, to itself.
        let head = (settled, snapshot.catalog().schema().version);
        let mut output = TreeOutput::new(name, key, head, self.node_sizes.bounds(name.label), output);
        let (most, mut pace) = (options.sort_edges.max(1), Pace::new(options.share));
        // The snapshot keeps versions of the whole graph from being merged.
        let stop = || {
            self.secondaries.tasks.is_stopping()
                || self.secondaries.logged(name) > MOST_CHANGES
                || self.cache.is_short()
        };
        let mut gather = Gather { snapshot, list: name.by(None), key, most, pace: &mut pace, stop: &stop };
        let whole = gather.parts(|section, order, pace| output.append(section, order, || pace.rest()))?;
        if whole {
            output.finish()?;
        }
        Ok(whole)
    }

    /// Applies what has been logged and publishes the tree; false if the changes come faster than they can be applied.
    fn publish_secondary(&self, name: TreeName, tree: &Arc<EdgeTree>, snapshot: &Snapshot) -> Result<bool> {
        let mut applied = 0;
        loop {
            let mut writer = self.lock_writer();
            let (now, more) = self.secondaries.take_log(name, CHANGES);
            let guard = crossbeam_epoch::pin();
            let watermark = self.settled_stamp(&writer);
            let tree_writer = TreeWriter { memory: self, tree, name, watermark, guard: &guard };
            now.iter().try_for_each(|logged| tree_writer.apply(logged.change()))?;
            if !more {
                // What flushes are to write is in memory, also where nothing has changed since it was written.
                self.tree_root(None, tree, name, &guard)?;
                self.enlist(name, tree, snapshot, &mut writer);
                return Ok(true);
            }
            applied += now.len();
            // Until it is published no flush writes it: what it has in memory stays there.
            if applied > MOST_CHANGES || self.cache.is_short() {
                return Ok(false);
            }
            parking_lot::MutexGuard::unlock_fair(writer);
        }
    }

    /// Publishes a tree that is complete. From now on the writer keeps it, and flushes write it.
    fn enlist(&self, name: TreeName, tree: &Arc<EdgeTree>, snapshot: &Snapshot, writer: &mut Writer) {
        writer.dirty_trees.insert(name, Arc::clone(tree));
        self.secondaries.publish(name, snapshot.stamp().bits());
    }

    /// Forgets a tree that was not completed. Before that, what was written of it is deleted: once it is forgotten another
    /// thread may write the same keys.
    fn abandon_secondary(&self, name: TreeName) {
        if let Err(error) = self.sections.delete_all(&tree_prefix(name)) {
            tracing::warn!(%error, "what was written of a secondary edge-tree is deleted when the graph is opened again");
        }
        let tree = {
            let _writer = self.lock_writer();
            self.secondaries.remove(name)
        };
        // The cache may be looking at it.
        crossbeam_epoch::pin().defer(move || drop(tree));
    }
}
