//! Freeing what is large, off the executors.
//!
//! A query may hold millions of values. To free them takes hundreds of turns, and whoever frees them cannot stop in the middle. So
//! an executor leaves that to a thread of its own. The charge for the memory goes with it: who waits for memory waits until it is
//! free. Any other thread frees at once what it has.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvError, Sender, channel};

use crate::housekeeping::{IDLE, be_idle};

/// Bytes from which on it is worth while: a fifth of a turn, if they are small values.
pub(crate) const LARGE: usize = 1 << 18;

/// Bytes up to which an operator that is reset keeps its allocations for the next instance: nobody counts them then, and there may be
/// thousands of such operators.
pub(crate) const KEPT: usize = 4 << 10;

type Remains = Box<dyn Send>;

/// Where the thread takes from what it frees; `None` if it could not be started. What waits there is bounded by the memory that
/// queries may hold.
static THREAD: OnceLock<Option<Sender<Remains>>> = OnceLock::new();

thread_local! {
    static IS_EXECUTOR: Cell<bool> = const { Cell::new(false) };
}

/// The calling thread has others to serve than the one whose memory it would free.
pub(crate) fn on_this_thread() {
    IS_EXECUTOR.set(true);
}

/// Frees something that holds about so many bytes: here, or soon.
pub(crate) fn free<T: Send + 'static>(remains: T, bytes: usize) {
    // A thread that ends frees what it still has.
    if !IS_EXECUTOR.try_with(Cell::get).unwrap_or(false) {
        return drop(remains);
    }
    free_behind(remains, bytes);
}

/// The same on a thread that is no executor, but that somebody waits for.
pub(crate) fn free_behind<T: Send + 'static>(remains: T, bytes: usize) {
    if bytes < LARGE {
        return drop(remains);
    }
    if let Some(thread) = THREAD.get_or_init(start) {
        // If nobody receives it, it is freed here.
        drop(thread.send(Box::new(remains)));
    }
}

fn start() -> Option<Sender<Remains>> {
    let (send, receive) = channel();
    let thread = std::thread::Builder::new().name("reclaim".into()).spawn(move || work(&receive));
    if let Err(error) = &thread {
        tracing::warn!(%error, "memory of queries is freed in their turns");
    }
    thread.ok().map(|_| send)
}

fn work(receive: &Receiver<Remains>) {
    crate::scheduling::be_in_the_background();
    while let Ok(remains) = next(receive) {
        // A destructor that panics must not end the thread: those that come after it would never be freed.
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| drop(remains)));
    }
}

fn next(receive: &Receiver<Remains>) -> Result<Remains, RecvError> {
    receive.recv_timeout(IDLE).or_else(|_| {
        be_idle();
        receive.recv()
    })
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;
    use std::thread::{self, ThreadId};
    use std::time::Duration;

    use super::*;

    /// Says which thread frees it.
    struct Tells(Sender<ThreadId>);

    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
        }
    }

    fn freed_by(bytes: usize) -> ThreadId {
        let (send, receive) = channel();
        free(Tells(send), bytes);
        receive.recv_timeout(Duration::from_secs(10)).unwrap()
    }

    #[test]
    fn an_executor_leaves_what_is_large_to_another_thread() {
        let here = || thread::current().id();
        assert_eq!(freed_by(LARGE), here(), "no executor");
        let executor = thread::spawn(move || {
            on_this_thread();
            assert_eq!(freed_by(LARGE - 1), here(), "not large");
            assert_ne!(freed_by(LARGE), here());
        });
        executor.join().unwrap();
    }
}
