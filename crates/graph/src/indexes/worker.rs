//! The thread that builds indexes and reclaims their storage.

use std::sync::Arc;

use parking_lot::Mutex;

use crate::define::Definer;
use crate::error::Result;
use crate::resident::{Task, Threads};

/// The worker of an open graph: a thread that is started when there is something to do, and ends with the graph's last
/// handle.
pub(crate) struct IndexWorker {
    definer: Arc<Definer>,
    threads: Mutex<Threads>,
}

impl IndexWorker {
    /// A worker that takes up what an earlier life of the graph left undone.
    pub(crate) fn of(definer: &Arc<Definer>) -> Result<Self> {
        definer.resume_indexing();
        let stopped = Arc::clone(definer);
        let threads = Mutex::new(Threads::new(move || stopped.indexing.stop()));
        let worker = Self { definer: Arc::clone(definer), threads };
        if definer.indexing.look(|state| !state.tasks.is_empty()) || !definer.catalog().indexes().is_empty() {
            worker.start()?;
        }
        Ok(worker)
    }

    /// Starts the thread, if it does not run.
    pub(crate) fn start(&self) -> Result<()> {
        let mut threads = self.threads.lock();
        if threads.is_empty() {
            let definer = Arc::clone(&self.definer);
            threads.start("indexes", move || work(&definer))?;
        }
        Ok(())
    }
}

fn work(definer: &Definer) {
    while let Some(task) = definer.indexing.next() {
        match task {
            Task::Build(number) => {
                definer.build_index(number);
                definer.survey_indexes();
            }
            Task::Survey => definer.survey_indexes(),
            Task::Reclaim(number, stamp) if definer.is_forgotten(stamp) => {
                if let Err(error) = definer.reclaim_index(number) {
                    tracing::error!(%error, "an index that was dropped takes up space until the graph is opened again");
                }
            }
            Task::Reclaim(..) => definer.indexing.postpone(task),
            Task::Forget(number) => {
                let logged = {
                    let _defining = definer.hold_definitions();
                    definer.log_forgotten(number)
                };
                match logged {
                    Ok(()) => {}
                    Err(error) if error.is_disk_full() => definer.indexing.postpone(task),
                    Err(error) => tracing::error!(%error, number, "that an index was dropped is not logged"),
                }
            }
        }
        definer.indexing.rest();
    }
}
