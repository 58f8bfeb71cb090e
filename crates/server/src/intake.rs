//! What clients have sent of requests that are not complete yet, bounded in bytes for all connections together.
//!
//! A request may have megabytes, and a client may take as long over it as it likes, on as many connections as it has. So bytes
//! are counted as they come, until the request is complete:
//!
//! ```text
//! 0        FREE                                                     what is left for all others
//! │ nobody │ ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒ counted for all together ▒▒▒▒▒▒▒▒ │ the connection ends
//! │ counts │
//! ```
//!
//! A connection may have no more than what it leaves, so nobody fills it alone, and small requests always come through.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use parking_lot::Mutex;
use tokio::{
    sync::Notify,
    time::{Instant, sleep_until},
};

/// Bytes of each connection that are not counted.
const FREE: u64 = 64 << 10;

/// The bytes of all connections.
#[derive(Debug)]
pub(crate) struct Intake {
    taken: AtomicU64,
    bound: u64,
}

impl Intake {
    /// At most so many bytes.
    pub(crate) fn new(bound: u64) -> Arc<Self> {
        Arc::new(Self { taken: AtomicU64::new(0), bound })
    }
}

/// The bytes of one connection.
#[derive(Debug)]
pub(crate) struct Receipt {
    intake: Arc<Intake>,
    bytes: AtomicU64,
    refused: AtomicU64,
    /// Since when bytes of it are counted.
    since: Mutex<Option<Instant>>,
    /// Told when the first of them is.
    begun: Notify,
}

impl Receipt {
    /// A connection that has sent nothing yet.
    pub(crate) fn new(intake: Arc<Intake>) -> Self {
        let (bytes, refused) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { intake, bytes, refused, since: Mutex::new(None), begun: Notify::new() }
    }

    /// Counts bytes that came; whether there is room for them. Called by the one who reads.
    pub(crate) fn came(&self, bytes: usize) -> bool {
        let before = self.bytes.fetch_add(bytes as u64, Relaxed);
        let (counted, now) = (before.saturating_sub(FREE), (before + bytes as u64).saturating_sub(FREE));
        if now == 0 {
            return true;
        }
        if counted == 0 {
            *self.since.lock() = Some(Instant::now());
            self.begun.notify_one();
        }
        let all = self.intake.taken.fetch_add(now - counted, Relaxed) + now - counted;
        let has_room = now <= self.intake.bound.saturating_sub(all);
        if !has_room {
            self.refused.store(1, Relaxed);
        }
        has_room
    }

    /// Counts bytes, if there is room for them.
    pub(crate) fn takes(&self, bytes: usize) -> bool {
        let has_room = self.came(bytes);
        if !has_room {
            self.left(bytes);
        }
        has_room
    }

    /// Some of what came is gone; all of it, if that is less.
    pub(crate) fn left(&self, bytes: usize) {
        let less = |before: u64| Some(before.saturating_sub(bytes as u64));
        let (Ok(before) | Err(before)) = self.bytes.fetch_update(Relaxed, Relaxed, less);
        let now = before.saturating_sub(bytes as u64).saturating_sub(FREE);
        let counted = before.saturating_sub(FREE);
        self.intake.taken.fetch_sub(counted - now, Relaxed);
        if now == 0 {
            *self.since.lock() = None;
        }
    }

    /// Waits until bytes have been counted for so long, and the request that they are of is not complete: whoever keeps it back takes
    /// room from all others.
    pub(crate) async fn overdue(&self, limit: Duration) {
        loop {
            let since = *self.since.lock();
            match since {
                None => self.begun.notified().await,
                Some(begun) => {
                    sleep_until(begun + limit).await;
                    if *self.since.lock() == since {
                        return;
                    }
                }
            }
        }
    }

    /// What a request that is read and waits counts for, which takes so many bytes of memory: a fourth of the bound at most, so that
    /// there is always room for one.
    pub(crate) fn share(&self, memory: usize) -> usize {
        memory.min((self.intake.bound / 4) as usize)
    }

    /// Whether there was no room for something.
    pub(crate) fn is_refused(&self) -> bool {
        self.refused.load(Relaxed) != 0
    }

    /// The request is complete: it is read, and what is made of it is counted elsewhere.
    pub(crate) fn complete(&self) {
        let counted = self.bytes.swap(0, Relaxed).saturating_sub(FREE);
        if counted > 0 {
            self.intake.taken.fetch_sub(counted, Relaxed);
            *self.since.lock() = None;
        }
    }
}

impl Drop for Receipt {
    fn drop(&mut self) {
        self.complete();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_connection_has_more_than_it_leaves_and_small_requests_always_come() {
        let intake = Intake::new(8 << 20);
        let (large, small) = (Receipt::new(intake.clone()), Receipt::new(intake.clone()));
        assert!(large.came(4 << 20));
        assert!(!large.came(1 << 20) && large.is_refused());
        assert!(small.came(FREE as usize), "what is free");
        assert!(small.came(1 << 20), "and what is left");
        small.complete();
        drop(large);
        assert_eq!(intake.taken.load(Relaxed), 0);
    }

    #[test]
    fn one_that_waits_always_has_room_and_many_have_not() {
        let intake = Intake::new(8 << 20);
        let receipts: Vec<_> = (0..10).map(|_| Receipt::new(intake.clone())).collect();
        let kept = receipts.iter().filter(|receipt| receipt.came(receipt.share(1 << 30))).count();
        assert!((1..4).contains(&kept), "{kept}");
    }

    #[test]
    fn what_is_gone_counts_no_more() {
        let intake = Intake::new(8 << 20);
        let receipt = Receipt::new(intake.clone());
        assert!(receipt.came(3 << 20) && receipt.came(100));
        receipt.left(3 << 20);
        assert_eq!(intake.taken.load(Relaxed), 0);
        assert!(!receipt.came(5 << 20));
        receipt.left(5 << 20);
        receipt.left(100);
        assert_eq!(intake.taken.load(Relaxed), 0);
    }

    #[test]
    fn many_connections_take_no_more_than_the_bound_and_what_is_free() {
        let intake = Intake::new(8 << 20);
        let receipts: Vec<_> = (0..200).map(|_| Receipt::new(intake.clone())).collect();
        let mut kept = 0;
        for receipt in &receipts {
            // Who is refused is gone.
            match receipt.came(1 << 20) {
                true => kept += 1,
                false => receipt.complete(),
            }
        }
        assert!((4..=8).contains(&kept), "{kept}");
    }
}
