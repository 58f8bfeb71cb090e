//! The thread that sorts lists.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::core::Core;
use crate::error::{GraphError, Result};

/// How long to wait at first before looking again whether an old snapshot has ended or a list changes less; twice as long each
/// time, up to what is waited after a failure.
const AGAIN: Duration = Duration::from_millis(50);
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The worker of an open graph. It ends with the graph's last handle.
pub(crate) struct SortWorker {
    core: Arc<Core>,
    thread: Option<JoinHandle<()>>,
}

impl SortWorker {
    /// Starts the thread, if the graph is to build trees at all.
    pub(crate) fn start(core: &Arc<Core>) -> Result<Self> {
        let mut worker = Self { core: Arc::clone(core), thread: None };
        if core.options.secondary.builders > 0 {
            let core = Arc::clone(core);
            let spawned = std::thread::Builder::new().name("sorting".into()).spawn(move || work(&core));
            worker.thread = Some(spawned.map_err(|error| GraphError::NoThread(error.to_string()))?);
        }
        Ok(worker)
    }
}

impl Drop for SortWorker {
    fn drop(&mut self) {
        self.core.resorts.tasks.lock().stop = true;
        self.core.resorts.changed.notify_all();
        if let Some(thread) = self.thread.take() {
            // It has logged whatever went wrong.
            let _ = thread.join();
        }
    }
}

fn work(core: &Arc<Core>) {
    let mut pause = Some(Duration::ZERO);
    while core.resorts.rest(pause) {
        pause = match core.sort_lists() {
            Ok(true) => None,
            Ok(false) => Some(pause.map_or(AGAIN, |pause| (pause * 2).clamp(AGAIN, AFTER_FAILURE))),
            Err(error) => {
                tracing::warn!(%error, "lists could not be sorted by their sort key; it is tried again");
                Some(AFTER_FAILURE)
            }
        };
    }
}
