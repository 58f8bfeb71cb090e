//! Drops secondary trees, and deletes what is left of them in the store.

use store::KeyRange;
use timeline::Footprint;

use crate::commit::Committer;
use crate::error::Result;
use crate::model::Tick;
use crate::sections::{SectionKey, TreeName, tree_prefix};

impl Committer {
    /// Lets no snapshot from the next commit on read a tree, and makes a checkpoint that does not name it. It is deleted by
    /// [`Committer::reclaim_secondaries`].
    pub(crate) fn drop_secondary(&self, name: TreeName) -> Result<()> {
        {
            let writer = self.lock_writer();
            // Stamps that were given up are visible and have nothing: whoever reads at one of them may be reading the tree.
            let died = writer.applied.max(self.timeline.visible().bits());
            if !self.secondaries.kill(name, died) {
                return Ok(());
            }
        }
        // Later snapshots must be told from those that may be reading it.
        self.commit_with(&self.catalog(), self.timeline.visible(), &Footprint::default())?;
        self.flush()
    }

    /// Deletes the trees that were dropped and that nobody can be reading any more.
    pub(super) fn reclaim_secondaries(&self) -> Result<()> {
        // Every change up to the checkpoint is in what it names.
        let settled = self.watermark().min(self.lock_writer().checkpoint);
        let forgotten = |(_, died): &(TreeName, Tick)| *died < settled;
        let dead: Vec<(TreeName, Tick)> = self.secondaries.dead();
        dead.into_iter().filter(forgotten).try_for_each(|(name, died)| self.reclaim(name, died))
    }

    fn reclaim(&self, name: TreeName, died: Tick) -> Result<()> {
        // No flush writes it meanwhile, and none will afterwards.
        let _flushing = self.hold_flushes();
        if self.secondaries.died(name) != Some(died) {
            // Another thread was faster.
            return Ok(());
        }
        // The ids of its nodes will be those of another tree by the same property, which cannot be begun before this one is
        // forgotten.
        self.cache.forget_limbo(|key| matches!(key, SectionKey::Tree { name: of, .. } if *of == name));
        self.sections.delete_all(&tree_prefix(name))?;
        let tree = {
            let mut writer = self.lock_writer();
            writer.dirty_trees.remove(&name);
            self.secondaries.remove(name)
        };
        // The cache may be looking at it.
        crossbeam_epoch::pin().defer(move || drop(tree));
        Ok(())
    }

    /// Deletes what a crash has left in the store of trees that the checkpoint does not name.
    pub(crate) fn delete_unnamed_secondaries(&self) -> Result<()> {
        let named = self.secondaries.live();
        let mut from = vec![b's'];
        while let Some(name) = self.sections.first_tree(KeyRange::new(from.clone()..vec![b's' + 1]))? {
            let prefix = tree_prefix(name);
            if named.binary_search(&name).is_err() {
                self.sections.delete_all(&prefix)?;
            }
            from = prefix;
            crate::model::increment(&mut from);
        }
        Ok(())
    }
}

impl crate::durable::SectionStore {
    /// The tree that the first key of a range is of.
    fn first_tree(&self, range: KeyRange) -> Result<Option<TreeName>> {
        let key = self.first_key(range)?;
        Ok(key.and_then(|key| match SectionKey::parse(&key)?.0 {
            SectionKey::Tree { name, .. } => Some(name),
            _ => None,
        }))
    }
}
