//! The threads that build secondary trees.

use std::sync::Arc;
use std::time::Instant;

use super::build::Built;
use crate::commit::Committer;
use crate::error::Result;
use crate::resident::{Threads, TreeTask};
use crate::sections::TreeName;

/// Starts the threads.
pub(crate) fn start_building(committer: &Arc<Committer>) -> Result<Threads> {
    let stopped = Arc::clone(committer);
    let mut threads = Threads::new(move || stopped.secondaries.tasks.stop());
    committer.secondaries.tasks.begin_period();
    if committer.options.secondary.builders > 0
        && let Err(error) = committer.delete_unnamed_secondaries()
    {
        tracing::warn!(%error, "what a crash has left of secondary edge-trees is deleted when the graph is opened again");
    }
    for _ in 0..committer.options.secondary.builders {
        let committer = Arc::clone(committer);
        threads.start("secondary", move || work(&committer))?;
    }
    Ok(threads)
}

fn work(committer: &Committer) {
    while let Some(task) = committer.secondaries.tasks.next(committer.options.secondary.period) {
        if task == TreeTask::Decide {
            committer.secondaries.tasks.add(committer.decide_secondaries());
        } else if let Err(error) = committer.do_secondary(task) {
            tracing::warn!(?task, %error, "a secondary edge-tree could not be built or dropped; it is tried again later");
        }
        if let Err(error) = committer.reclaim_secondaries() {
            tracing::warn!(%error, "a secondary edge-tree that was dropped takes up space until the graph is opened again");
        }
    }
}

impl Committer {
    /// Ends a period: what is to be done.
    fn decide_secondaries(&self) -> Vec<TreeTask> {
        self.node_sizes.adapt();
        let there = self.secondaries.live();
        let advice = self.secondaries.end_period(&there, &self.options.secondary);
        // A list that is to go back into its section needs none.
        let wilted = self.lock_writer().wilted.clone();
        let needless = there.into_iter().filter(|name| wilted.contains(&name.by(None)));
        let mut drops: Vec<TreeName> = advice.drop.into_iter().chain(needless).collect();
        drops.sort_unstable();
        drops.dedup();
        drops.into_iter().map(TreeTask::Drop).chain(advice.build.into_iter().map(TreeTask::Build)).collect()
    }

    fn do_secondary(&self, task: TreeTask) -> Result<()> {
        match task {
            TreeTask::Build(name) => {
                let begun = Instant::now();
                let built = self.build_secondary(name);
                if !matches!(built, Ok(Built::Yes | Built::NotNeeded)) {
                    self.secondaries.note_failed(name);
                }
                if built? == Built::Yes {
                    // So that a restart does not have to build it again.
                    self.flush()?;
                    tracing::info!(?name, took = ?begun.elapsed(), "built a secondary edge-tree");
                }
                Ok(())
            }
            TreeTask::Drop(name) => {
                tracing::info!(?name, "dropping a secondary edge-tree that does not pay any more");
                self.drop_secondary(name)
            }
            TreeTask::Decide => Ok(()),
        }
    }

    /// Does at once what the end of the period decides.
    pub(crate) fn adapt_secondary_trees(&self) -> Result<()> {
        for task in self.decide_secondaries() {
            self.do_secondary(task)?;
        }
        self.reclaim_secondaries()
    }
}
