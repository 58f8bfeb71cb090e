//! A thread that works on what a load sends it.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use crate::error::{GraphError, Result};

/// The sending end, and the thread behind it, which dropping it waits for: so nobody works behind the back of the next load.
pub(super) struct Feed<T, R> {
    sender: Option<SyncSender<T>>,
    thread: Option<JoinHandle<Result<R>>>,
    /// Of what, and what is done with them.
    task: (&'static str, &'static str),
}

impl<T: Send + 'static, R: Send + 'static> Feed<T, R> {
    /// Starts a thread, for which so much may wait. `task` is for messages: of what, and what is done with them.
    ///
    /// # Errors
    /// If there is no thread.
    pub(super) fn start(
        (name, task): (&str, (&'static str, &'static str)),
        queue: usize,
        work: impl FnOnce(&Receiver<T>) -> Result<R> + Send + 'static,
    ) -> Result<Self> {
        let (sender, received) = sync_channel(queue);
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || work(&received))
            .map_err(|error| failed(task.0, &format!("a thread could not be started: {error}")))?;
        Ok(Self { sender: Some(sender), thread: Some(thread), task })
    }

    /// Hands something over; waits while the thread is behind.
    ///
    /// # Errors
    /// Why the thread has failed. There is nothing to be had any more then.
    pub(super) fn send(&mut self, item: T) -> Result<()> {
        if self.sender.as_ref().is_some_and(|open| open.send(item).is_ok()) {
            return Ok(());
        }
        // Only a thread that has failed does not wait for more.
        let (of, done) = self.task;
        self.finish().and_then(|_| Err(failed(of, &format!("they could not be {done}"))))
    }
}

impl<T, R> Feed<T, R> {
    /// Ends the input and waits for the thread.
    ///
    /// # Errors
    /// Why the thread has failed, unless that was told before; an error in any case.
    pub(super) fn finish(&mut self) -> Result<R> {
        // Without a sender the thread comes to the end of its input.
        self.sender = None;
        let (of, done) = self.task;
        match self.thread.take().map(JoinHandle::join) {
            Some(Ok(outcome)) => outcome,
            Some(Err(_)) => Err(failed(of, "the thread for them panicked")),
            None => Err(failed(of, &format!("some of them could not be {done}"))),
        }
    }
}

impl<T, R> Drop for Feed<T, R> {
    fn drop(&mut self) {
        // Whatever went wrong, nobody waits for the load any more.
        let _ = self.finish();
    }
}

/// Something is wrong with what a load has.
pub(super) fn failed(what: &str, problem: &str) -> GraphError {
    GraphError::BadBulk { what: what.into(), problem: problem.into() }
}
