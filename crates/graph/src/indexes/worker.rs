//! The thread that builds indexes and reclaims their storage.

use std::sync::Arc;
use std::thread::JoinHandle;

use parking_lot::Mutex;

use crate::core::Core;
use crate::error::{GraphError, Result};
use crate::resident::Task;

/// The worker of an open graph: a thread that is started when there is something to do, and ends with the graph's last
/// handle.
pub(crate) struct IndexWorker {
    core: Arc<Core>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl IndexWorker {
    /// A worker that takes up what an earlier life of the graph left undone.
    pub(crate) fn of(core: &Arc<Core>) -> Result<Self> {
        core.resume_indexing();
        let worker = Self { core: Arc::clone(core), thread: Mutex::default() };
        if !core.indexing.state.lock().tasks.is_empty() || !core.catalog().indexes().is_empty() {
            worker.start()?;
        }
        Ok(worker)
    }

    /// Starts the thread, if it does not run.
    pub(crate) fn start(&self) -> Result<()> {
        let mut thread = self.thread.lock();
        if thread.is_none() {
            let core = Arc::clone(&self.core);
            let spawned = std::thread::Builder::new().name("indexes".into()).spawn(move || work(&core));
            *thread = Some(spawned.map_err(|error| GraphError::NoThread(error.to_string()))?);
        }
        Ok(())
    }
}

impl Drop for IndexWorker {
    fn drop(&mut self) {
        self.core.indexing.stop();
        if let Some(thread) = self.thread.lock().take() {
            // It has logged whatever went wrong.
            let _ = thread.join();
        }
    }
}

fn work(core: &Arc<Core>) {
    while let Some(task) = core.indexing.next() {
        match task {
            Task::Build(number) => {
                core.build_index(number);
                core.survey_indexes();
            }
            Task::Survey => core.survey_indexes(),
            Task::Reclaim(number, stamp) if core.is_forgotten(stamp) => {
                if let Err(error) = core.reclaim_index(number) {
                    tracing::error!(%error, "an index that was dropped takes up space until the graph is opened again");
                }
            }
            Task::Reclaim(..) => core.indexing.postpone(task),
            Task::Forget(number) => {
                let logged = {
                    let _defining = core.defining.lock();
                    core.log_forgotten(number)
                };
                match logged {
                    Ok(()) => {}
                    Err(error) if error.is_disk_full() => core.indexing.postpone(task),
                    Err(error) => tracing::error!(%error, number, "that an index was dropped is not logged"),
                }
            }
        }
        core.indexing.rest();
    }
}
