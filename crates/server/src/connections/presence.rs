//! What a connection is doing, as far as it matters to who wants its place.

use std::{
    sync::{
        LazyLock,
        atomic::{AtomicU64, Ordering::AcqRel, Ordering::Acquire},
    },
    time::Instant,
};

use tokio::sync::Notify;

/// Whether a connection answers a request, and since when it does not.
///
/// ```text
///            begin            answered
///   idle ────────────▶ busy ────────────▶ answered
///    │ ▲ ◀──── rest ────┘                   │
///    │ └────────────────── flushed ─────────┘
///    ▼ dismiss
///   dismissed: it ends, and begins nothing any more
/// ```
///
/// All of it is one number, so that a request begins without a lock, and never on a connection that has to go.
#[derive(Debug)]
pub(crate) struct Presence {
    state: AtomicU64,
    dismissed: Notify,
}

/// A request is being answered.
const BUSY: u64 = u64::MAX;
/// The answer to the last request is ready, and on its way out.
const ANSWERED: u64 = u64::MAX - 1;
/// Somebody else has its place.
const DISMISSED: u64 = u64::MAX - 2;

/// Microseconds since the first connection: since when a connection is idle.
fn now() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    u64::try_from(START.elapsed().as_micros()).unwrap_or(u64::MAX).min(DISMISSED - 1)
}

impl Presence {
    /// A connection that has asked for nothing yet.
    pub(crate) fn new() -> Self {
        Self { state: AtomicU64::new(now()), dismissed: Notify::new() }
    }

    /// A request begins; `false` if the connection has to go.
    pub(crate) fn begin(&self) -> bool {
        self.state.fetch_update(AcqRel, Acquire, |state| (state != DISMISSED).then_some(BUSY)).is_ok()
    }

    /// The last request is over, and its answer was taken.
    pub(crate) fn rest(&self) {
        self.come_to_rest(BUSY);
    }

    /// The answer to the last request is ready.
    pub(crate) fn answered(&self) {
        let _ = self.state.compare_exchange(BUSY, ANSWERED, AcqRel, Acquire);
    }

    /// All that was ready has been taken.
    pub(crate) fn flushed(&self) {
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
        (state < DISMISSED).then_some(state)
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
        assert!(presence.begin());
        assert!(presence.idle_since().is_none() && !presence.dismiss(since));
        presence.answered();
        assert!(presence.idle_since().is_none(), "the answer is on its way");
        presence.flushed();
        let since = presence.idle_since().unwrap();
        assert!(presence.dismiss(since));
        assert!(!presence.begin() && presence.idle_since().is_none());
    }

    #[test]
    fn a_request_that_begins_while_an_answer_leaves_keeps_the_connection_busy() {
        let presence = Presence::new();
        presence.begin();
        presence.answered();
        presence.begin();
        presence.flushed();
        assert!(presence.idle_since().is_none());
        presence.rest();
        assert!(presence.idle_since().is_some());
    }
}
