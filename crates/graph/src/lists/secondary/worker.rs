//! The threads that build secondary trees.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use super::advisor::Work;
use super::build::Built;
use crate::core::Core;
use crate::error::{GraphError, Result};
use crate::sections::TreeName;

/// The workers of an open graph. They end with the graph's last handle.
pub(crate) struct SecondaryWorker {
    core: Arc<Core>,
    threads: Vec<JoinHandle<()>>,
}

impl SecondaryWorker {
    /// Starts the threads.
    pub(crate) fn start(core: &Arc<Core>) -> Result<Self> {
        let mut worker = Self { core: Arc::clone(core), threads: Vec::new() };
        core.secondaries.tasks.begin_period();
        if core.options.secondary.builders > 0
            && let Err(error) = core.delete_unnamed_secondaries()
        {
            tracing::warn!(%error, "what a crash has left of secondary edge-trees is deleted when the graph is opened again");
        }
        for _ in 0..core.options.secondary.builders {
            let core = Arc::clone(core);
            let spawned = std::thread::Builder::new().name("secondary".into()).spawn(move || work(&core));
            worker.threads.push(spawned.map_err(|error| GraphError::NoThread(error.to_string()))?);
        }
        Ok(worker)
    }
}

impl Drop for SecondaryWorker {
    fn drop(&mut self) {
        self.core.secondaries.tasks.stop();
        for thread in self.threads.drain(..) {
            // It has logged whatever went wrong.
            let _ = thread.join();
        }
    }
}

/// Periods are at least and at most so long.
const SHORTEST_PERIOD: Duration = Duration::from_millis(1);
const LONGEST_PERIOD: Duration = Duration::from_secs(86_400);

/// What the threads have to do.
#[derive(Default)]
pub(super) struct Tasks {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    queue: VecDeque<Task>,
    period: Option<Instant>,
    stop: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Task {
    Build(TreeName),
    Drop(TreeName),
    /// The period has ended.
    Decide,
}

impl Tasks {
    fn begin_period(&self) {
        self.state.lock().period = Some(Instant::now());
    }

    fn stop(&self) {
        self.state.lock().stop = true;
        self.changed.notify_all();
    }

    /// Whether the graph is being closed.
    pub(super) fn is_stopping(&self) -> bool {
        self.state.lock().stop
    }

    fn add(&self, tasks: impl IntoIterator<Item = Task>) {
        let mut state = self.state.lock();
        for task in tasks {
            if !state.queue.contains(&task) {
                state.queue.push_back(task);
            }
        }
        self.changed.notify_all();
    }

    /// The next task; none when the graph is being closed.
    fn next(&self, period: Duration) -> Option<Task> {
        let mut state = self.state.lock();
        loop {
            if state.stop {
                return None;
            }
            let now = Instant::now();
            let period = period.clamp(SHORTEST_PERIOD, LONGEST_PERIOD);
            let end = state.period.unwrap_or(now) + period;
            if now >= end {
                state.period = Some(now);
                return Some(Task::Decide);
            }
            if let Some(task) = state.queue.pop_front() {
                return Some(task);
            }
            self.changed.wait_until(&mut state, end);
        }
    }
}

fn work(core: &Arc<Core>) {
    while let Some(task) = core.secondaries.tasks.next(core.options.secondary.period) {
        if task == Task::Decide {
            core.secondaries.tasks.add(core.decide_secondaries());
        } else if let Err(error) = core.do_secondary(task) {
            tracing::warn!(?task, %error, "a secondary edge-tree could not be built or dropped; it is tried again later");
        }
        if let Err(error) = core.reclaim_secondaries() {
            tracing::warn!(%error, "a secondary edge-tree that was dropped takes up space until the graph is opened again");
        }
    }
}

impl Core {
    /// Ends a period: what is to be done.
    fn decide_secondaries(&self) -> Vec<Task> {
        self.node_sizes.adapt();
        let (read, changed) = (self.secondaries.take_nodes_read(), self.secondaries.take_changes());
        let (work, there) = (Work { read: read as f64, changed: changed as f64 }, self.secondaries.live());
        let options = &self.options.secondary;
        let advice =
            self.secondaries.advisor.lock().end_period(work, &there, options.threshold, options.patience);
        // A list that is to go back into its section needs none.
        let wilted = self.writer.lock().wilted.clone();
        let needless = there.into_iter().filter(|name| wilted.contains(&name.by(None)));
        let mut drops: Vec<TreeName> = advice.drop.into_iter().chain(needless).collect();
        drops.sort_unstable();
        drops.dedup();
        drops.into_iter().map(Task::Drop).chain(advice.build.into_iter().map(Task::Build)).collect()
    }

    fn do_secondary(self: &Arc<Self>, task: Task) -> Result<()> {
        match task {
            Task::Build(name) => {
                let begun = Instant::now();
                let built = self.build_secondary(name);
                if !matches!(built, Ok(Built::Yes | Built::NotNeeded)) {
                    self.secondaries.advisor.lock().failed(name);
                }
                if built? == Built::Yes {
                    // So that a restart does not have to build it again.
                    self.flush()?;
                    tracing::info!(?name, took = ?begun.elapsed(), "built a secondary edge-tree");
                }
                Ok(())
            }
            Task::Drop(name) => {
                tracing::info!(?name, "dropping a secondary edge-tree that does not pay any more");
                self.drop_secondary(name)
            }
            Task::Decide => Ok(()),
        }
    }

    /// Does at once what the end of the period decides.
    pub(crate) fn adapt_secondary_trees(self: &Arc<Self>) -> Result<()> {
        for task in self.decide_secondaries() {
            self.do_secondary(task)?;
        }
        self.reclaim_secondaries()
    }
}
