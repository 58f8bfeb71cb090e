//! Turns of connections that share a thread, so that a long answer does not keep others waiting.
//!
//! A client that reads as fast as the server writes never makes it wait. The runtime stops such a task after 128 writes, and of a
//! WebSocket's frames a hundred kilobytes go into one: it is busy for a tenth of a second by then.

use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Instant;

/// How long a connection encodes and sends before others of its thread have their turn.
const TURN: Duration = Duration::from_millis(1);

/// A connection's turn.
pub(crate) struct Turn(Instant);

impl Turn {
    pub(crate) fn begin() -> Self {
        Self(Instant::now())
    }

    /// Lets the others have theirs if this one has taken long. To be called between two pieces of an answer.
    pub(crate) async fn pass(&mut self) {
        if self.0.elapsed() >= TURN {
            yield_now().await;
            self.0 = Instant::now();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn others_have_their_turn_when_this_one_is_over_and_not_before() {
        let others = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&others);
        let other = tokio::spawn(async move {
            loop {
                counted.fetch_add(1, Ordering::Relaxed);
                yield_now().await;
            }
        });
        let mut turn = Turn(Instant::now() + Duration::from_secs(3_600));
        turn.pass().await;
        assert_eq!(others.load(Ordering::Relaxed), 0);
        turn.0 = Instant::now() - TURN;
        turn.pass().await;
        assert_eq!(others.load(Ordering::Relaxed), 1);
        assert!(turn.0.elapsed() < Duration::from_secs(3_600), "it begins anew");
        other.abort();
    }
}
