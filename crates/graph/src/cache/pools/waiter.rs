//! A thread that waits for its turn to load, or for somebody else's load.

use parking_lot::{Condvar, Mutex};

use super::request::Request;

/// One wait of one thread. Woken once, by whoever it waits for; it also ends with the request.
#[derive(Default)]
pub(crate) struct Waiter {
    woken: Mutex<bool>,
    bell: Condvar,
}

impl Waiter {
    /// Ends the wait: what was waited for has happened.
    pub(crate) fn wake(&self) {
        *self.woken.lock() = true;
        self.bell.notify_one();
    }

    /// Lets the thread look whether its request is over.
    pub(super) fn nudge(&self) {
        drop(self.woken.lock());
        self.bell.notify_one();
    }

    /// Waits until woken, or until the request is over, if it is for one; whether it was woken.
    pub(crate) fn wait(&self, request: Option<&Request>) -> bool {
        let mut woken = self.woken.lock();
        while !*woken {
            if request.is_some_and(Request::is_over) {
                return false;
            }
            match request.and_then(Request::deadline) {
                Some(deadline) => drop(self.bell.wait_until(&mut woken, deadline)),
                None => self.bell.wait(&mut woken),
            }
        }
        true
    }
}
