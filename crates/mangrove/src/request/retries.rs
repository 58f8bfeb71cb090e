//! Runs things later: the thread that starts hosted requests again after a conflict.

use std::{
    collections::BinaryHeap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};

/// Something to do later.
type Job = Box<dyn FnOnce() + Send>;

/// A queue of jobs by due time and the thread that does them. The thread starts with the first job and ends with the
/// queue.
#[derive(Default)]
pub(crate) struct Retries {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    jobs: BinaryHeap<Due>,
    next: u64,
    has_thread: bool,
    closed: bool,
}

struct Due {
    at: Instant,
    /// Among jobs of one moment the first comes first.
    number: u64,
    job: Job,
}

impl Retries {
    /// Does `job` after `delay`. When no thread can be had, does it at once. Should it panic, nobody is told here: who waits for it must
    /// be told by the job itself.
    pub(crate) fn after(&self, delay: Duration, job: Job) {
        let mut queue = self.shared.queue.lock();
        if !queue.has_thread {
            let shared = Arc::downgrade(&self.shared);
            let thread = std::thread::Builder::new().name("retries".into()).spawn(move || work(&shared));
            if let Err(error) = thread {
                tracing::warn!(%error, "no thread for retries");
                drop(queue);
                return job();
            }
            queue.has_thread = true;
        }
        let number = queue.next;
        queue.next += 1;
        queue.jobs.push(Due { at: Instant::now() + delay, number, job });
        self.shared.changed.notify_one();
    }
}

impl Drop for Retries {
    fn drop(&mut self) {
        self.shared.queue.lock().closed = true;
        self.shared.changed.notify_one();
    }
}

fn work(shared: &Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        let mut queue = shared.queue.lock();
        if queue.closed {
            return;
        }
        let now = Instant::now();
        match queue.jobs.peek().map(|due| due.at) {
            None => shared.changed.wait(&mut queue),
            Some(at) if at > now => drop(shared.changed.wait_until(&mut queue, at)),
            Some(_) => {
                let due = queue.jobs.pop();
                drop(queue);
                if let Some(due) = due {
                    // The thread outlives whatever goes wrong in one of them: others wait for their time.
                    let done = catch_unwind(AssertUnwindSafe(due.job));
                    if done.is_err() {
                        tracing::error!("what was to be done later panicked");
                    }
                }
            }
        }
    }
}

impl PartialEq for Due {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl Eq for Due {}
impl PartialOrd for Due {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Due {
    /// The earliest is the greatest, since the heap gives the greatest first.
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (other.at, other.number).cmp(&(self.at, self.number))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn a_job_that_panics_takes_no_other_with_it() {
        let retries = Retries::default();
        let (done, results) = channel();
        retries.after(Duration::ZERO, Box::new(|| std::panic::resume_unwind(Box::new("a fault"))));
        retries.after(Duration::from_millis(1), Box::new(move || done.send("done").unwrap()));
        assert_eq!(results.recv_timeout(Duration::from_secs(20)), Ok("done"));
    }

    #[test]
    fn jobs_are_done_when_they_are_due_and_in_order() {
        let retries = Retries::default();
        let (done, results) = channel();
        for (delay, name) in [(30, "late"), (1, "early"), (1, "second")] {
            let done = done.clone();
            retries.after(Duration::from_millis(delay), Box::new(move || done.send(name).unwrap()));
        }
        let order: Vec<_> = results.iter().take(3).collect();
        assert_eq!(order, ["early", "second", "late"]);
    }

    #[test]
    fn what_is_not_yet_due_dies_with_the_queue() {
        let (alive, dead) = channel::<()>();
        let retries = Retries::default();
        retries.after(Duration::from_secs(3_600), Box::new(move || drop(alive)));
        drop(retries);
        assert!(dead.recv_timeout(Duration::from_secs(5)).is_err(), "the job was dropped, not done");
    }
}
