//! Commits of writing queries and of transactions, off the executors: a commit waits for the disk, an executor never does.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvError, RecvTimeoutError, Sender, channel};

use parking_lot::Mutex;

use crate::housekeeping::{IDLE, be_idle};
use crate::query::Task;
use crate::seat::Seat;

/// What such a thread does.
enum Work {
    /// Ends a query: commits its transaction, if it is not a part of one that goes on.
    End(Box<Task>),
    /// Something else that waits.
    Other(Box<dyn FnOnce() + Send>),
}

/// Threads that wait for commits. As many commits as there are threads share one sync of the log.
pub(crate) struct Committers {
    queue: Mutex<Option<Sender<Work>>>,
    threads: Mutex<Vec<std::thread::JoinHandle<()>>>,
}

impl Committers {
    /// Starts so many threads, beside so many executors.
    pub(crate) fn start(threads: usize, executors: usize) -> std::io::Result<Self> {
        let (send, receive) = channel();
        let receive = Arc::new(Mutex::new(receive));
        let seats: Vec<Arc<Seat>> = (0..executors.div_ceil(2).max(1)).map(|_| Arc::default()).collect();
        let threads = (0..threads.max(1))
            .map(|i| {
                let (receive, seat) = (receive.clone(), seats[i % seats.len()].clone());
                std::thread::Builder::new().name(format!("commit-{i}")).spawn(move || work(&receive, &seat))
            })
            .collect::<std::io::Result<Vec<_>>>()?;
        Ok(Self { queue: Mutex::new(Some(send)), threads: Mutex::new(threads) })
    }

    /// Commits the task's transaction, then delivers its results and its outcome.
    pub(crate) fn commit(&self, task: Task) {
        if let Some(queue) = &*self.queue.lock() {
            // The receiver lives as long as the sender: both go in `stop`.
            let _ = queue.send(Work::End(Box::new(task)));
        }
    }

    /// Does something that waits. Nothing is done any more when the threads have been stopped.
    pub(crate) fn run(&self, work: Box<dyn FnOnce() + Send>) {
        if let Some(queue) = &*self.queue.lock() {
            let _ = queue.send(Work::Other(work));
        }
    }

    /// Waits for the commits under way.
    pub(crate) fn stop(&self) {
        self.queue.lock().take();
        for thread in self.threads.lock().drain(..) {
            // The last handle of the engine may have been a query's own.
            if thread.thread().id() != std::thread::current().id() {
                let _ = thread.join();
            }
        }
    }
}

fn work(receive: &Mutex<Receiver<Work>>, seat: &Seat) {
    crate::scheduling::be_in_the_background();
    loop {
        match next(receive) {
            Ok(Work::End(task)) => drop(catch_unwind(AssertUnwindSafe(|| finish(*task, seat)))),
            // Whoever waits for it is told by the work itself.
            Ok(Work::Other(work)) => drop(catch_unwind(AssertUnwindSafe(work))),
            Err(_) => return,
        }
    }
}

/// Waits for something to do. It is idle if it has not come to it for a while: others may wait in front of it.
fn next(receive: &Mutex<Receiver<Work>>) -> Result<Work, RecvError> {
    let soon = receive.try_lock_for(IDLE).map(|receive| receive.recv_timeout(IDLE));
    match soon {
        Some(Ok(work)) => return Ok(work),
        Some(Err(RecvTimeoutError::Disconnected)) => return Err(RecvError),
        Some(Err(RecvTimeoutError::Timeout)) | None => {}
    }
    be_idle();
    receive.lock().recv()
}

fn finish(task: Task, seat: &Seat) {
    let Task { query, mut sink, tie, .. } = task;
    // A client that has gone wants no commit: it could never learn of it.
    if tie.is_abandoned() {
        return;
    }
    let cancel = query.state().cancel.clone();
    let committed = catch_unwind(AssertUnwindSafe(|| query.commit_from(seat)));
    let outcome = committed.unwrap_or_else(|panic| Err(crate::query::panicked(&panic)));
    let mut settled = None;
    let outcome = outcome.map(|committed| {
        settled = committed.settled;
        let mut results = committed.results;
        while let Err(back) = sink.push(results) {
            if cancel.is_cancelled() || tie.is_abandoned() {
                // Nobody takes them any more. What is committed is committed, and told.
                break;
            }
            results = back;
            std::thread::park_timeout(std::time::Duration::from_millis(1));
        }
        committed.summary
    });
    tie.end();
    sink.finish(outcome);
    // Whoever waits for this commit need not wait for what is written of others.
    if let Some(settled) = settled {
        // The thread outlives whatever goes wrong there, and so does the commit.
        drop(catch_unwind(AssertUnwindSafe(|| settled.flush())));
    }
}
