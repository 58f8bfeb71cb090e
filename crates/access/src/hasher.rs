//! The one thread that computes hashes of passwords: each takes 20 ms of a core and 19 MiB, so who sends many passwords gets
//! no more than that of a server.
//!
//! ```text
//!   jobs wait by the address that they come from, which take turns ─▶ [ thread, its 19 MiB ] ─▶ what is done then
//! ```

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::Arc,
    thread,
};

use parking_lot::{Condvar, Mutex};

use crate::password::Bench;

/// Jobs that wait, at most.
const WAITING: usize = 1_024;

/// Those of one address.
const WAITING_OF_ADDRESS: usize = 256;

/// What is done with the memory for hashes.
pub(crate) type Job = Box<dyn FnOnce(&mut Bench) + Send>;

/// See the module.
pub(crate) struct Hasher(Arc<Shared>);

struct Shared {
    line: Mutex<Line>,
    woken: Condvar,
}

#[derive(Default)]
struct Line {
    by_address: HashMap<Option<IpAddr>, VecDeque<Job>>,
    /// Addresses that have jobs, in the order of their turns.
    turns: VecDeque<Option<IpAddr>>,
    waiting: usize,
    has_thread: bool,
    is_over: bool,
}

impl Line {
    fn add(&mut self, from: Option<IpAddr>, job: Job) -> bool {
        if self.waiting >= WAITING {
            return false;
        }
        let own = self.by_address.entry(from).or_default();
        if own.len() >= WAITING_OF_ADDRESS {
            return false;
        }
        if own.is_empty() {
            self.turns.push_back(from);
        }
        own.push_back(job);
        self.waiting += 1;
        true
    }

    fn next(&mut self) -> Option<Job> {
        let from = self.turns.pop_front()?;
        let own = self.by_address.get_mut(&from)?;
        let job = own.pop_front();
        if own.is_empty() {
            self.by_address.remove(&from);
        } else {
            self.turns.push_back(from);
        }
        self.waiting -= 1;
        job
    }
}

impl Hasher {
    /// One whose thread begins with the first job.
    pub(crate) fn new() -> Self {
        Self(Arc::new(Shared { line: Mutex::default(), woken: Condvar::new() }))
    }

    /// Puts a job into the line of an address, `None` for who looks after users; false if too many wait.
    pub(crate) fn add(&self, from: Option<IpAddr>, job: Job) -> bool {
        let mut line = self.0.line.lock();
        if !line.has_thread {
            let shared = self.0.clone();
            let thread = thread::Builder::new().name("passwords".into()).spawn(move || work(&shared));
            if thread.is_err() {
                return false;
            }
            line.has_thread = true;
        }
        let is_added = line.add(from, job);
        drop(line);
        self.0.woken.notify_one();
        is_added
    }
}

impl Drop for Hasher {
    fn drop(&mut self) {
        self.0.line.lock().is_over = true;
        self.0.woken.notify_one();
    }
}

fn work(shared: &Shared) {
    let mut bench = Bench::new();
    loop {
        let mut line = shared.line.lock();
        let job = loop {
            if line.is_over {
                return;
            }
            match line.next() {
                Some(job) => break job,
                None => shared.woken.wait(&mut line),
            }
        };
        drop(line);
        job(&mut bench);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn addresses_take_turns_and_each_has_a_bound() {
        let mut line = Line::default();
        let (send, told) = mpsc::channel();
        let job = |name: &'static str| -> Job {
            let send = send.clone();
            Box::new(move |_| send.send(name).unwrap())
        };
        let address = |last| Some(IpAddr::from([10, 0, 0, last]));
        let added = (0..500).filter(|_| line.add(address(1), job("many"))).count();
        assert_eq!(added, WAITING_OF_ADDRESS);
        assert!(line.add(address(2), job("one")) && line.add(None, job("own")));
        let mut bench = Bench::new();
        while let Some(job) = line.next() {
            job(&mut bench);
        }
        drop(send);
        let order: Vec<_> = told.try_iter().collect();
        assert_eq!(order[..4], ["many", "one", "own", "many"]);
        assert_eq!((order.len(), line.waiting, line.by_address.len()), (WAITING_OF_ADDRESS + 2, 0, 0));
    }
}
