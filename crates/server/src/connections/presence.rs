//! What a connection is doing, as far as it matters to who wants its place.

use std::{
    sync::{
        LazyLock,
        atomic::{
            AtomicU64,
            Ordering::{AcqRel, Acquire, Release},
        },
    },
    time::{Duration, Instant},
};

use tokio::sync::Notify;

/// Whether a connection answers a request, and since when it does not.
///
/// ```text
///        begin_alone          answered
///   idle ────────────▶ alone ───────────▶ answered
///    │ ▲ └───▶ busy       ▲                 │ ▲
///    │ │ begin  │         └─ begin_alone ───┘ │
///    │ └─ rest ─┴────────────────── flushed ──┘
///    ▼ dismiss
///   dismissed: it ends, and begins nothing any more
/// ```
///
/// All of it is one number, so that a request begins without a lock, and never on a connection that has to go.
#[derive(Debug)]
pub(crate) struct Presence {
    state: AtomicU64,
    /// When the answer that leaves has to be taken, on the clock of [`micros`]; 0: no such time.
    due: AtomicU64,
    dismissed: Notify,
}

/// Requests are being answered.
const BUSY: u64 = u64::MAX;
/// One is, and none is read before that is done: as it is with HTTP.
const ALONE: u64 = u64::MAX - 3;
/// The answer to the last request is ready, and on its way out.
const ANSWERED: u64 = u64::MAX - 1;
/// Somebody else has its place.
const DISMISSED: u64 = u64::MAX - 2;

/// Microseconds from the first connection to a moment.
fn micros(moment: Instant) -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let since = moment.saturating_duration_since(*START).as_micros();
    u64::try_from(since).unwrap_or(u64::MAX).min(ALONE - 1)
}

/// Since when a connection is idle.
fn now() -> u64 {
    micros(Instant::now())
}

impl Presence {
    /// A connection that has asked for nothing yet.
    pub(crate) fn new() -> Self {
        Self { state: AtomicU64::new(now()), due: AtomicU64::new(0), dismissed: Notify::new() }
    }

    /// A request begins; `false` if the connection has to go.
    pub(crate) fn begin(&self) -> bool {
        self.begin_as(BUSY)
    }

    /// The same of one before whose answer no other is read.
    pub(crate) fn begin_alone(&self) -> bool {
        self.begin_as(ALONE)
    }

    fn begin_as(&self, state: u64) -> bool {
        self.state.fetch_update(AcqRel, Acquire, |now| (now != DISMISSED).then_some(state)).is_ok()
    }

    /// Whether such a one is being answered.
    pub(crate) fn is_alone(&self) -> bool {
        self.state.load(Acquire) == ALONE
    }

    /// The answer that leaves has to be taken by then.
    pub(crate) fn answer_by(&self, due: Instant) {
        self.due.store(micros(due).max(1), Release);
    }

    /// How long it still has for that; `None`: for ever.
    pub(crate) fn left(&self) -> Option<Duration> {
        let due = self.due.load(Acquire);
        (due > 0).then(|| Duration::from_micros(due.saturating_sub(now())))
    }

    /// The last request is over, and its answer was taken.
    pub(crate) fn rest(&self) {
        self.come_to_rest(BUSY);
    }

    /// The answer to the last request is ready.
    pub(crate) fn answered(&self) {
        let _ = self.state.compare_exchange(ALONE, ANSWERED, AcqRel, Acquire);
    }

    /// All that was ready has been taken.
    pub(crate) fn flushed(&self) {
        // Looked at first, as below.
        if self.due.load(Acquire) != 0 {
            self.due.store(0, Release);
        }
        self.come_to_rest(ANSWERED);
    }

    fn come_to_rest(&self, from: u64) {
        // Looked at first, since this is called far more often than it does something.
        if self.state.load(Acquire) == from {
            let _ = self.state.compare_exchange(from, now(), AcqRel, Acquire);
        }
    }

    /// Since when it has been idle, in microseconds of a common clock; `None` while it is not.
    pub(super) fn idle_since(&self) -> Option<u64> {
        let state = self.state.load(Acquire);
        (state < ALONE).then_some(state)
    }

    /// Makes it go, if it has been idle ever since.
    pub(super) fn dismiss(&self, since: u64) -> bool {
        let goes = self.state.compare_exchange(since, DISMISSED, AcqRel, Acquire).is_ok();
        if goes {
            self.dismissed.notify_one();
        }
        goes
    }

    /// Resolves when it has to go. For one waiter at a time.
    pub(crate) async fn dismissed(&self) {
        while self.state.load(Acquire) != DISMISSED {
            self.dismissed.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_idle_connection_can_be_made_to_go() {
        let presence = Presence::new();
        let since = presence.idle_since().unwrap();
        assert!(presence.begin_alone());
        assert!(presence.idle_since().is_none() && !presence.dismiss(since));
        presence.answered();
        assert!(presence.idle_since().is_none(), "the answer is on its way");
        presence.flushed();
        let since = presence.idle_since().unwrap();
        assert!(presence.dismiss(since));
        assert!(!presence.begin_alone() && presence.idle_since().is_none());
    }

    #[test]
    fn a_request_that_begins_while_an_answer_leaves_keeps_the_connection_busy() {
        let presence = Presence::new();
        presence.begin_alone();
        presence.answered();
        presence.begin_alone();
        presence.flushed();
        assert!(presence.idle_since().is_none() && presence.is_alone());
        presence.answered();
        presence.flushed();
        assert!(presence.begin() && !presence.is_alone());
        presence.answered();
        assert!(presence.idle_since().is_none(), "others are under way");
        presence.rest();
        assert!(presence.idle_since().is_some());
    }

    #[test]
    fn an_answer_has_the_time_that_is_left_until_it_is_due_and_the_next_one_its_own() {
        let presence = Presence::new();
        presence.begin_alone();
        assert_eq!(presence.left(), None);
        presence.answer_by(Instant::now());
        assert_eq!(presence.left(), Some(Duration::ZERO));
        presence.answer_by(Instant::now() + Duration::from_secs(60));
        assert!(presence.left().is_some_and(|left| left > Duration::from_secs(50)));
        presence.flushed();
        assert_eq!(presence.left(), None);
    }
}
