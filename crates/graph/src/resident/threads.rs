//! Threads that work beside the requests for as long as a graph is open.

use crate::error::{GraphError, Result};
use std::thread::JoinHandle;

/// Some threads. They end when this is dropped.
pub(crate) struct Threads {
    threads: Vec<JoinHandle<()>>,
    /// Lets them come to their end.
    stop: Box<dyn Fn() + Send + Sync>,
}

impl Threads {
    /// None yet. When `stop` has been called, those that will be started come to their end.
    pub(crate) fn new(stop: impl Fn() + Send + Sync + 'static) -> Self {
        Self { threads: Vec::new(), stop: Box::new(stop) }
    }

    /// Whether none was started.
    pub(crate) fn is_empty(&self) -> bool {
        self.threads.is_empty()
    }

    /// Starts a further one.
    pub(crate) fn start(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let spawned = std::thread::Builder::new().name(name.into()).spawn(work);
        self.threads.push(spawned.map_err(|error| GraphError::NoThread(error.to_string()))?);
        Ok(())
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        (self.stop)();
        for thread in self.threads.drain(..) {
            // It has logged whatever went wrong.
            let _ = thread.join();
        }
    }
}
