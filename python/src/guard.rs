//! How Python calls the engine: without the GIL, with an eye on signals, and without a panic that gets out.

use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{Mutex, MutexGuard, TryLockError},
    thread,
    time::{Duration, Instant},
};

use pyo3::prelude::*;

use crate::{ending::Ending, errors, fork};

/// Between two looks for signals. An engine's turn is as long.
const LOOK: Duration = Duration::from_millis(50);
/// Between two looks whether a lock is free: the first, and the longest.
const SHORTEST: Duration = Duration::from_micros(50);
const LONGEST: Duration = Duration::from_millis(10);

thread_local! {
    /// When this thread looked for signals the last time.
    static LOOKED: Cell<Option<Instant>> = const { Cell::new(None) };
    /// What a signal's handler has raised while the engine ran.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Whether the query of this thread is to end, since a signal's handler has raised something: KeyboardInterrupt, most often. Python
/// runs handlers on its main thread only; on others this says no.
pub(crate) fn is_interrupted() -> bool {
    let now = Instant::now();
    let is_due = LOOKED.get().is_none_or(|looked| now.duration_since(looked) >= LOOK);
    if !is_due {
        return false;
    }
    LOOKED.set(Some(now));
    // While the interpreter ends, a `__del__` may still ask something, and there are no signals any more.
    match Python::try_attach(|py| py.check_signals()) {
        None | Some(Ok(())) => false,
        Some(Err(raised)) => {
            RAISED.set(Some(raised));
            true
        }
    }
}

/// Lets the engine work, while other threads may run Python.
///
/// # Errors
/// What a signal's handler raised; or else what went wrong, as an exception of the package; a panic is one.
pub(crate) fn outside<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, mangrove::Error> + Send,
) -> PyResult<T> {
    outside_py(py, || work().map_err(|error| errors::of(&error)))
}

/// As [`outside`], for work that somebody may end by closing it.
pub(crate) fn until<T: Send>(
    py: Python<'_>,
    ending: &Ending,
    work: impl FnOnce() -> Result<T, mangrove::Error> + Send,
) -> PyResult<T> {
    outside_py(py, || work().map_err(|error| ending.told(&error)))
}

/// As [`outside`], for work that fails with exceptions itself.
pub(crate) fn outside_py<T: Send>(py: Python<'_>, work: impl FnOnce() -> PyResult<T> + Send) -> PyResult<T> {
    let done = py.detach(|| caught(work)).unwrap_or_else(|panic| Err(errors::panicked(&panic)));
    match RAISED.take() {
        Some(raised) => Err(raised),
        None => done,
    }
}

/// What is behind a lock, for this thread alone. Who has it may need the GIL, and be at it for long: it is waited for without, and
/// signals are looked for meanwhile.
///
/// # Errors
/// What a signal's handler raised.
pub(crate) fn lock<'a, T>(py: Python<'_>, lock: &'a Mutex<T>) -> PyResult<MutexGuard<'a, T>> {
    let mut pause = SHORTEST;
    loop {
        match lock.try_lock() {
            Ok(held) => return Ok(held),
            Err(TryLockError::Poisoned(held)) => return Ok(held.into_inner()),
            Err(TryLockError::WouldBlock) => py.detach(|| thread::sleep(pause)),
        }
        py.check_signals()?;
        // In a copy of the process nobody opens it any more.
        fork::check()?;
        pause = (2 * pause).min(LONGEST);
    }
}

/// Does some work; what it said if it panicked. What it leaves half done is a query, which ends.
fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| said(&*payload))
}

fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
    text.unwrap_or_else(|| "the engine panicked".to_owned())
}
