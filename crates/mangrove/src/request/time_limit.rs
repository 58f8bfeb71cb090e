//! The time that a request has, before its query runs.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use dataflow::QueryError;
use values::watch;

/// How long a request may take, and since when. Its query has its own watch once it runs; this one is for what comes before: a
/// text of megabytes is read and thousands of steps are planned, and its client does not wait for ever.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimit {
    began: Instant,
    limit: Option<Duration>,
}

/// Ends work at a deadline.
struct Until(Option<Instant>);

impl watch::Watch for Until {
    fn must_end(&self) -> bool {
        self.0.is_some_and(|deadline| Instant::now() >= deadline)
    }
}

impl TimeLimit {
    /// So long since a moment, or for ever.
    pub(crate) fn since(began: Instant, limit: Option<Duration>) -> Self {
        Self { began, limit }
    }

    /// When the time is over.
    pub(crate) fn deadline(self) -> Option<Instant> {
        self.limit.and_then(|limit| self.began.checked_add(limit))
    }

    /// Does some work until the time is over. It changes nothing that anybody else sees: see [`watch`].
    ///
    /// # Errors
    /// If the time was over before the work was done.
    pub(crate) fn spend<R>(self, work: impl FnOnce() -> R) -> Result<R, QueryError> {
        let Some(deadline) = self.deadline() else { return Ok(work()) };
        let ended = || QueryError::TimedOut(self.limit.unwrap_or_default());
        let until = Until(Some(deadline));
        if watch::Watch::must_end(&until) {
            return Err(ended());
        }
        watch::watched(Arc::new(until), work).map_err(|watch::Ended| ended())
    }
}

#[cfg(test)]
mod tests {
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
}
