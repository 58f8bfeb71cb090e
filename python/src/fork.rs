//! Processes that were forked from one that had a graph open: they have its memory, and none of the threads that work on it. What such a
//! process does to the graph would reach the files behind the back of the other one, so it does nothing.

use std::{
    mem,
    ops::{Deref, DerefMut},
    process,
    sync::atomic::{AtomicBool, AtomicU32, Ordering},
};

use pyo3::{PyResult, prelude::*};

use crate::errors;

/// The process that opened the first graph; 0: none has, and the module alone does no harm in a copy.
static HOME: AtomicU32 = AtomicU32::new(0);

/// Whether this process is known to be a copy of that one. Python says so after its own forks, so that what is asked for each result
/// need not ask the operating system, which takes longer than to hand the result out.
static IS_COPY: AtomicBool = AtomicBool::new(false);

/// What Python calls in the copy of a process.
#[pyfunction]
pub(crate) fn _forked() {
    IS_COPY.store(HOME.load(Ordering::Relaxed) != 0, Ordering::Relaxed);
}

/// Whether the graphs of this module are those of another process.
pub(crate) fn is_elsewhere() -> bool {
    let home = HOME.load(Ordering::Relaxed);
    home != 0 && home != process::id()
}

/// Sees to it that what is asked for is this process's own.
///
/// # Errors
/// If it is a copy of the one that has the graphs open.
pub(crate) fn check() -> PyResult<()> {
    if is_elsewhere() { Err(refusal()) } else { Ok(()) }
}

/// The same as far as it is known without asking the operating system.
///
/// # Errors
/// As [`check`].
pub(crate) fn check_known() -> PyResult<()> {
    if IS_COPY.load(Ordering::Relaxed) { Err(refusal()) } else { Ok(()) }
}

fn refusal() -> PyErr {
    errors::new(
        "OpenError",
        "this process was forked from one that had opened a graph, which is that one's alone, and none can be opened here: start processes \
         with multiprocessing.get_context(\"spawn\"), or open the first graph after the fork"
            .into(),
    )
}

/// Remembers that this process opens graphs.
///
/// # Errors
/// As [`check`].
pub(crate) fn settle() -> PyResult<()> {
    // If it is not the first, nothing changes.
    let _ = HOME.compare_exchange(0, process::id(), Ordering::Relaxed, Ordering::Relaxed);
    check()
}

/// A part of the engine, or none. In another process it is forgotten rather than dropped: to drop it would be to close files and to
/// wait for threads that are not there.
pub(crate) struct Held<T>(Option<T>);

impl<T> Held<T> {
    pub(crate) fn new(part: T) -> Self {
        Self(Some(part))
    }
}

impl<T> Deref for Held<T> {
    type Target = Option<T>;

    fn deref(&self) -> &Option<T> {
        &self.0
    }
}

impl<T> DerefMut for Held<T> {
    fn deref_mut(&mut self) -> &mut Option<T> {
        &mut self.0
    }
}

impl<T> Drop for Held<T> {
    fn drop(&mut self) {
        if is_elsewhere() {
            mem::forget(self.0.take());
        }
    }
}
