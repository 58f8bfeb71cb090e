//! Where the engine's threads leave results for a connection.
//!
//! ```text
//! engine threads                         connection's task
//!
//! RequestSink(7) ─ push ─┐   ┌──────── Mailbox ─────────┐
//! RequestSink(7) ─ push ─┼──▶│ 7: batch batch           │── next(7) ──▶ frame ──▶ socket
//! RequestSink(9) ─finish─┘   │ 9: outcome               │
//!                            │ ready: 7, 9  (in turn)   │
//!                            └──────────────────────────┘
//! ```
//!
//! One lock and one wake-up serve all requests of a connection, so several answers that become ready together are
//! written with one system call. Each request may have a bounded number and size of results waiting; beyond that its sink
//! answers [`Push::Full`], and the connection calls `resume` when half of them are gone.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::{Push, QueryError, ResultBatch, ResultSink, Summary};

/// Names a request among those of its connection; never reused.
pub(crate) type RequestKey = u64;

/// How a query ended.
pub(crate) type Outcome = Result<Summary, QueryError>;

/// Bytes of results, written out, that may wait for one request; one batch more than that at most.
const MAX_WAITING_BYTES: u64 = 4 << 20;

/// The mailbox of one connection.
pub(crate) struct Mailbox {
    state: Mutex<State>,
    /// One permit is stored, so a notice that comes while nobody waits is not lost.
    arrived: Notify,
    max_waiting: usize,
}

#[derive(Default)]
struct State {
    letters: HashMap<RequestKey, Letters>,
    /// Requests that have something to fetch, each at most once, in the order in which they are served.
    ready: VecDeque<RequestKey>,
}

#[derive(Default)]
struct Letters {
    /// Batches and their bytes.
    batches: VecDeque<(ResultBatch, u64)>,
    /// Items in `batches`.
    waiting: usize,
    /// Bytes of them, written out, roughly.
    bytes: u64,
    /// Whether a batch was refused since the last `resume`.
    refused: bool,
    outcome: Option<Outcome>,
    listed: bool,
}

/// The next thing that waits for one request.
pub(crate) enum Letter {
    /// A batch. `resume` says that the query was suspended for want of room, and that there is room now.
    Batch { batch: ResultBatch, resume: bool },
    /// The query ended and everything before was fetched.
    Outcome(Outcome),
    /// Nothing at the moment.
    Nothing,
}

impl Mailbox {
    /// A mailbox in which each request may have about `max_waiting` results waiting.
    pub(crate) fn new(max_waiting: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), arrived: Notify::new(), max_waiting: max_waiting.max(1) })
    }

    /// Opens a box for a request and gives the sink for it.
    pub(crate) fn open(self: &Arc<Self>, key: RequestKey) -> Arc<RequestSink> {
        self.state.lock().letters.insert(key, Letters::default());
        Arc::new(RequestSink { mailbox: self.clone(), key })
    }

    /// Discards what waits for a request; its sink answers [`Push::Gone`] from now on.
    pub(crate) fn close(&self, key: RequestKey) {
        // The letters are dropped after the lock is released: a large batch takes its time.
        let letters = self.state.lock().letters.remove(&key);
        drop(letters);
    }

    /// Takes the request whose turn it is. The caller fetches from it and, if it leaves something behind, calls
    /// [`Self::requeue`].
    pub(crate) fn next_ready(&self) -> Option<RequestKey> {
        let mut state = self.state.lock();
        while let Some(key) = state.ready.pop_front() {
            if let Some(letters) = state.letters.get_mut(&key) {
                letters.listed = false;
                return Some(key);
            }
        }
        None
    }

    /// Puts a request at the end of the line.
    pub(crate) fn requeue(&self, key: RequestKey) {
        self.state.lock().list(key);
    }

    /// Fetches the next letter of a request.
    pub(crate) fn next(&self, key: RequestKey) -> Letter {
        let mut state = self.state.lock();
        let Some(letters) = state.letters.get_mut(&key) else { return Letter::Nothing };
        if let Some((batch, bytes)) = letters.batches.pop_front() {
            letters.waiting -= batch.items.len();
            letters.bytes -= bytes;
            let has_room = letters.waiting <= self.max_waiting / 2 && letters.bytes <= MAX_WAITING_BYTES / 2;
            let resume = letters.refused && has_room;
            letters.refused &= !resume;
            return Letter::Batch { batch, resume };
        }
        match letters.outcome.take() {
            Some(outcome) => Letter::Outcome(outcome),
            None => Letter::Nothing,
        }
    }

    /// Waits until something arrived since the last call.
    pub(crate) async fn arrived(&self) {
        self.arrived.notified().await;
    }
}

impl State {
    fn list(&mut self, key: RequestKey) {
        if let Some(letters) = self.letters.get_mut(&key)
            && !letters.listed
        {
            letters.listed = true;
            self.ready.push_back(key);
        }
    }
}

/// The end of a mailbox that the engine holds.
pub(crate) struct RequestSink {
    mailbox: Arc<Mailbox>,
    key: RequestKey,
}

impl ResultSink for RequestSink {
    fn push(&self, batch: ResultBatch) -> Push {
        // Each cut off, so that the sum cannot overflow.
        let bytes = batch.items.iter().map(|(value, _)| value.extent().expanded.min(1 << 40)).sum();
        let mut state = self.mailbox.state.lock();
        let Some(letters) = state.letters.get_mut(&self.key) else { return Push::Gone };
        if letters.waiting >= self.mailbox.max_waiting || letters.bytes >= MAX_WAITING_BYTES {
            letters.refused = true;
            return Push::Full(batch);
        }
        letters.waiting += batch.items.len();
        letters.bytes += bytes;
        letters.batches.push_back((batch, bytes));
        state.list(self.key);
        drop(state);
        self.mailbox.arrived.notify_one();
        Push::Taken
    }

    fn finish(&self, outcome: Outcome) {
        let mut state = self.mailbox.state.lock();
        let Some(letters) = state.letters.get_mut(&self.key) else { return };
        letters.outcome.get_or_insert(outcome);
        state.list(self.key);
        drop(state);
        self.mailbox.arrived.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::*;

    fn batch(n: usize) -> ResultBatch {
        ResultBatch::of(vec![(Value::Null, 1); n])
    }

    #[test]
    fn a_full_box_gives_the_batch_back_and_asks_to_resume_once_half_is_gone() {
        let mailbox = Mailbox::new(4);
        let sink = mailbox.open(1);
        assert!(matches!(sink.push(batch(2)), Push::Taken));
        assert!(matches!(sink.push(batch(2)), Push::Taken));
        assert!(matches!(sink.push(batch(3)), Push::Full(b) if b.items.len() == 3));
        assert!(matches!(mailbox.next(1), Letter::Batch { resume: true, .. }));
        assert!(matches!(mailbox.next(1), Letter::Batch { resume: false, .. }), "asked once only");
    }

    #[test]
    fn results_come_before_the_outcome_and_requests_take_turns() {
        let mailbox = Mailbox::new(4);
        let (first, second) = (mailbox.open(1), mailbox.open(2));
        first.push(batch(1));
        second.push(batch(1));
        first.finish(Ok(Summary::default()));
        assert_eq!(mailbox.next_ready(), Some(1));
        assert!(matches!(mailbox.next(1), Letter::Batch { .. }));
        mailbox.requeue(1);
        assert_eq!(mailbox.next_ready(), Some(2));
        assert_eq!(mailbox.next_ready(), Some(1));
        assert!(matches!(mailbox.next(1), Letter::Outcome(Ok(_))));
        assert!(matches!(mailbox.next(1), Letter::Nothing));
        assert_eq!(mailbox.next_ready(), None);
    }

    #[test]
    fn a_closed_box_tells_the_engine_that_nobody_listens() {
        let mailbox = Mailbox::new(4);
        let sink = mailbox.open(1);
        sink.push(batch(1));
        mailbox.close(1);
        assert!(matches!(sink.push(batch(1)), Push::Gone));
        assert_eq!(mailbox.next_ready(), None);
    }

    #[test]
    fn only_the_first_outcome_counts() {
        let mailbox = Mailbox::new(4);
        let sink = mailbox.open(1);
        sink.finish(Ok(Summary::default()));
        sink.finish(Err(QueryError::new(crate::ErrorKind::Internal, "late")));
        assert!(matches!(mailbox.next(1), Letter::Outcome(Ok(_))));
    }

    #[test]
    fn a_box_is_full_of_bytes_too() {
        let mailbox = Mailbox::new(1_000);
        let sink = mailbox.open(1);
        let large = || ResultBatch::of(vec![(Value::from("x".repeat(3 << 20)), 1)]);
        assert!(matches!(sink.push(large()), Push::Taken));
        assert!(matches!(sink.push(large()), Push::Taken));
        assert!(matches!(sink.push(large()), Push::Full(_)));
        assert!(matches!(mailbox.next(1), Letter::Batch { resume: false, .. }));
        assert!(matches!(mailbox.next(1), Letter::Batch { resume: true, .. }));
    }
}
