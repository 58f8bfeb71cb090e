//! What is at hand while a function works, and may be large.
//!
//! The work may end in the middle: by an error, or by the unwinding of the query's watch. To free millions of values takes longer than any
//! turn, and somebody waits for the end, so that an executor then leaves them to be freed elsewhere ([`reclaim`]).

use std::ops::{Deref, DerefMut};

use super::{Around, FREE};
use crate::error::QueryError;
use crate::memory::{MemoryMeter, StateMemory, reclaim};

/// What a function makes, or needs until it has made it, with what is charged for it. Whoever has done his work says so
/// ([`Held::into_inner`], [`Held::free`]). If it is dropped before, and large, it is left to be freed, and the charge stays until it is.
#[derive(Default)]
pub(super) struct Held<T: Default + Send + 'static> {
    contents: T,
    memory: StateMemory,
}

impl<T: Default + Send + 'static> Held<T> {
    /// Holds so many bytes from now on: before they are there.
    ///
    /// # Errors
    /// If the query may not hold them.
    pub(super) fn hold(&mut self, bytes: u64, around: Around<'_>) -> Result<(), QueryError> {
        if bytes <= FREE && self.memory.bytes() == 0 {
            return Ok(());
        }
        around.admit(bytes)?;
        self.memory.set(&around.cx.query.memory, bytes as usize)
    }

    /// Bytes that it holds.
    pub(super) fn bytes(&self) -> u64 {
        self.memory.bytes() as u64
    }

    /// What was made; it is somebody else's to charge.
    pub(super) fn into_inner(mut self) -> T {
        self.memory.release();
        std::mem::take(&mut self.contents)
    }

    /// Frees what is needed no more: at once, for what comes next needs the room.
    pub(super) fn free(self) {
        drop(self.into_inner());
    }
}

impl<T: Default + Send + 'static> Deref for Held<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.contents
    }
}

impl<T: Default + Send + 'static> DerefMut for Held<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.contents
    }
}

impl<T: Default + Send + 'static> Drop for Held<T> {
    fn drop(&mut self) {
        let bytes = self.memory.bytes();
        if bytes > 0 {
            reclaim::free((std::mem::take(&mut self.contents), std::mem::take(&mut self.memory)), bytes);
        }
    }
}

/// What a function works on, of which nobody knows how large it is without a walk: if the work ends in the middle, it is freed elsewhere
/// as soon as its query has ever held much.
pub(super) struct Unfinished<'a, T: Send + 'static> {
    /// There until it is finished.
    what: Option<T>,
    memory: &'a MemoryMeter,
}

impl<'a, T: Send + 'static> Unfinished<'a, T> {
    pub(super) fn new(what: T, memory: &'a MemoryMeter) -> Self {
        Self { what: Some(what), memory }
    }

    /// To work on it.
    pub(super) fn get(&mut self) -> &mut T {
        self.what.as_mut().expect("whoever finishes it has it no more")
    }

    /// The work has come to its end.
    pub(super) fn finish(mut self) -> T {
        self.what.take().expect("it is finished once")
    }
}

impl<T: Send + 'static> Drop for Unfinished<'_, T> {
    fn drop(&mut self) {
        if let Some(what) = self.what.take() {
            reclaim::free(what, self.memory.peak() as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{self, ThreadId};
    use std::time::Duration;

    use super::*;

    /// Says which thread frees it.
    #[derive(Default)]
    struct Tells(Option<Sender<ThreadId>>);

    impl Drop for Tells {
        fn drop(&mut self) {
            self.0.iter().for_each(|tells| tells.send(thread::current().id()).unwrap());
        }
    }

    /// Which thread frees what an executor drops, who has it from `make` as one that has charged so many bytes.
    fn freed_by<T>(bytes: usize, make: impl FnOnce(Tells, StateMemory, &MemoryMeter) -> T) -> ThreadId {
        let meter = Arc::new(MemoryMeter::new(1 << 30));
        let mut memory = StateMemory::default();
        memory.grow(&meter, bytes).unwrap();
        let (send, receive) = channel();
        drop(make(Tells(Some(send)), memory, meter.as_ref()));
        let freed_by = receive.recv_timeout(Duration::from_secs(10)).unwrap();
        // The charge is given back after what it was for, by the same thread.
        while meter.used() > 0 {
            thread::yield_now();
        }
        freed_by
    }

    #[test]
    fn what_is_large_is_freed_elsewhere_with_its_charge_if_the_work_ends_before_its_time() {
        let executor = thread::spawn(|| {
            reclaim::on_this_thread();
            let here = thread::current().id();
            let held = |contents: Tells, memory: StateMemory, _: &MemoryMeter| {
                drop(Held { contents, memory });
            };
            assert_eq!(freed_by(reclaim::LARGE - 1, held), here, "not large");
            assert_ne!(freed_by(reclaim::LARGE, held), here);
            let unfinished = |what: Tells, _: StateMemory, meter: &MemoryMeter| {
                drop(Unfinished::new(what, meter));
            };
            assert_eq!(freed_by(reclaim::LARGE - 1, unfinished), here, "its query has never held much");
            assert_ne!(freed_by(reclaim::LARGE, unfinished), here);
            let finished =
                |what: Tells, _: StateMemory, meter: &MemoryMeter| Unfinished::new(what, meter).finish();
            assert_eq!(freed_by(reclaim::LARGE, finished), here, "whoever has it frees it");
            let taken = |contents: Tells, memory: StateMemory, _: &MemoryMeter| {
                Held { contents, memory }.into_inner()
            };
            assert_eq!(freed_by(reclaim::LARGE, taken), here);
            let needless = |contents: Tells, memory: StateMemory, _: &MemoryMeter| {
                Held { contents, memory }.free();
            };
            assert_eq!(freed_by(reclaim::LARGE, needless), here);
        });
        executor.join().unwrap();
    }
}
