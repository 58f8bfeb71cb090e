//! The thread that sorts lists.

use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use crate::define::Definer;
use crate::error::{GraphError, Result};

/// How long to wait at first before looking again whether an old snapshot has ended or a list changes less; twice as long each
/// time, up to what is waited after a failure.
const AGAIN: Duration = Duration::from_millis(50);
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// The worker of an open graph. It ends with the graph's last handle.
pub(crate) struct SortWorker {
    definer: Arc<Definer>,
    thread: Option<JoinHandle<()>>,
}

impl SortWorker {
    /// Starts the thread, if the graph is to build trees at all.
    pub(crate) fn start(definer: &Arc<Definer>) -> Result<Self> {
        let mut worker = Self { definer: Arc::clone(definer), thread: None };
        if definer.options.secondary.builders > 0 {
            let definer = Arc::clone(definer);
            let spawned = std::thread::Builder::new().name("sorting".into()).spawn(move || work(&definer));
            worker.thread = Some(spawned.map_err(|error| GraphError::NoThread(error.to_string()))?);
        }
        Ok(worker)
    }
}

impl Drop for SortWorker {
    fn drop(&mut self) {
        self.definer.resorts.stop();
        if let Some(thread) = self.thread.take() {
            // It has logged whatever went wrong.
            let _ = thread.join();
        }
    }
}

fn work(definer: &Arc<Definer>) {
    let mut pause = Some(Duration::ZERO);
    while definer.resorts.rest(pause) {
        pause = match definer.sort_lists() {
            Ok(true) => None,
            Ok(false) => Some(pause.map_or(AGAIN, |pause| (pause * 2).clamp(AGAIN, AFTER_FAILURE))),
            Err(error) => {
                tracing::warn!(%error, "lists could not be sorted by their sort key; it is tried again");
                Some(AFTER_FAILURE)
            }
        };
    }
}
