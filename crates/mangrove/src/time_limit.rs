//! The time that a request has, before its query runs.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use dataflow::{Interrupt, QueryError};
use values::watch;

/// How long a request may take, and since when. Its query has its own watch once it runs; this one is for what comes before: a
/// text of megabytes is read and thousands of steps are planned, and its client does not wait for ever, or goes away.
#[derive(Clone)]
pub(crate) struct TimeLimit {
    began: Instant,
    limit: Option<Duration>,
    interrupt: Option<Interrupt>,
}

/// Ends work at a deadline, or when nobody wants it any more.
struct Until {
    deadline: Option<Instant>,
    interrupt: Option<Interrupt>,
}

impl Until {
    fn is_unwanted(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt())
    }
}

impl watch::Watch for Until {
    fn must_end(&self) -> bool {
        self.is_unwanted() || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

/// Says whether one of two says so.
pub(crate) fn either(one: Option<Interrupt>, other: Option<Interrupt>) -> Option<Interrupt> {
    match (one, other) {
        (Some(one), Some(other)) => Some(Arc::new(move || one() || other())),
        (one, other) => one.or(other),
    }
}

impl TimeLimit {
    /// So long since a moment, or for ever.
    pub(crate) fn since(began: Instant, limit: Option<Duration>) -> Self {
        Self { began, limit, interrupt: None }
    }

    /// The same, until nobody wants what it is for any more.
    pub(crate) fn unless(self, interrupt: Option<Interrupt>) -> Self {
        Self { interrupt: either(self.interrupt, interrupt), ..self }
    }

    /// When the time is over.
    pub(crate) fn deadline(&self) -> Option<Instant> {
        self.limit.and_then(|limit| self.began.checked_add(limit))
    }

    /// Does some work until the time is over, or nobody wants it any more. It changes nothing that anybody else sees: see [`watch`].
    ///
    /// # Errors
    /// If the time was over before the work was done; [`QueryError::Cancelled`] if it is not wanted.
    pub(crate) fn spend<R>(&self, work: impl FnOnce() -> R) -> Result<R, QueryError> {
        let (deadline, interrupt) = (self.deadline(), self.interrupt.clone());
        if deadline.is_none() && interrupt.is_none() {
            return Ok(work());
        }
        let until = Arc::new(Until { deadline, interrupt });
        let ended = || match until.is_unwanted() {
            true => QueryError::Cancelled,
            false => QueryError::TimedOut(self.limit.unwrap_or_default()),
        };
        if watch::Watch::must_end(&*until) {
            return Err(ended());
        }
        watch::watched(until.clone(), work).map_err(|watch::Ended| ended())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    use super::*;

    fn from_now(limit: Option<Duration>) -> TimeLimit {
        TimeLimit::since(Instant::now(), limit)
    }

    #[test]
    fn work_ends_when_the_time_is_over_and_none_begins_after() {
        let working = || loop {
            watch::tick();
        };
        let soon = from_now(Some(Duration::from_millis(5)));
        let ended: Result<(), _> = soon.spend(working);
        assert!(matches!(ended, Err(QueryError::TimedOut(limit)) if limit == Duration::from_millis(5)));
        let mut begun = false;
        assert!(soon.spend(|| begun = true).is_err() && !begun);
        assert!(matches!(from_now(None).spend(|| 7), Ok(7)));
        assert!(matches!(from_now(Some(Duration::MAX)).spend(|| 7), Ok(7)));
    }

    #[test]
    fn work_ends_when_nobody_wants_it() {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = asked.clone();
        let third = Arc::new(move || count.fetch_add(1, Relaxed) >= 2);
        let ended: Result<(), _> = from_now(None).unless(Some(third)).spend(|| {
            loop {
                watch::tick();
            }
        });
        assert!(matches!(ended, Err(QueryError::Cancelled)) && asked.load(Relaxed) > 2);
        for (one, other) in [(true, false), (false, true)] {
            let unless = |says: bool| Some(Arc::new(move || says) as Interrupt);
            let ended = from_now(None).unless(unless(one)).unless(unless(other)).spend(|| ());
            assert!(matches!(ended, Err(QueryError::Cancelled)));
        }
    }
}
