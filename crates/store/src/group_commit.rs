//! Group commit: writers queue, one leader makes the writes of all of them durable and then visible.
//!
//! ```text
//!   writer ──┐                       ┌─ validate each against the window, in queue order
//!   writer ──┼─▶ queue ──▶ leader ───┼─ one batch to the log, one fsync        (the sink)
//!   writer ──┘    ▲          │       └─ visible, then every member is told its outcome
//!                 └──────────┴─ the first who came meanwhile leads the next group
//! ```
//!
//! The leader is simply the writer at the front of the queue, so there is no thread to start or stop, and an idle
//! store commits a single write with no hand-over at all.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

use crate::batch::Write;
use crate::conflict::{ConflictWindow, Refused};
use crate::keyspace::KeyspaceId;
use crate::transaction::{Footprint, TransactionEngine};
use crate::{Bytes, Durability, StoreError, StoreLimits};

/// Where a group of writes goes.
pub trait CommitSink: Send + Sync {
    /// Makes `writes` durable as asked, and then visible: together, or not at all. Of several writes to one key the
    /// last counts.
    ///
    /// # Errors
    /// [`StoreError::DiskFull`] promises that nothing was written and that it can be tried again. After any other error
    /// the sink is not used any more, since nobody knows what reached the disk.
    fn apply(&self, writes: Vec<Write>, durability: Durability) -> Result<(), StoreError>;

    /// Waits until there is room in memory for further writes. Each writer comes here before it joins the queue. Nobody waits
    /// for a sink that will not be used any more: `is_halted` tells.
    fn make_way(&self, _durability: Durability, _is_halted: &dyn Fn() -> bool) {}

    /// The number of the store, which its keyspace handles carry.
    fn store_number(&self) -> u32;

    /// The name of a keyspace, for messages.
    fn keyspace_name(&self, keyspace: KeyspaceId) -> String;
}

/// The queue of writers, and the window in which they may conflict.
pub struct CommitQueue<S> {
    sink: S,
    limits: StoreLimits,
    queue: Mutex<Queue>,
    window: Mutex<ConflictWindow>,
    closed: AtomicBool,
}

#[derive(Default)]
struct Queue {
    waiting: VecDeque<Request>,
    /// Whether somebody leads a group at the moment.
    led: bool,
    /// What stopped the store from writing.
    halted: Option<String>,
}

impl Queue {
    fn check_writable(&self) -> Result<(), StoreError> {
        match &self.halted {
            Some(cause) => Err(StoreError::Halted { cause: cause.clone() }),
            None => Ok(()),
        }
    }
}

struct Request {
    footprint: Footprint,
    durability: Durability,
    /// The commit that the transaction began after; none for a batch that asks for no validation.
    began: Option<u64>,
    seat: Arc<Seat>,
}

/// Where a writer waits.
#[derive(Default)]
struct Seat {
    state: Mutex<SeatState>,
    called: Condvar,
}

#[derive(Default)]
enum SeatState {
    #[default]
    Waiting,
    /// Its turn to lead has come.
    Lead,
    Done(Result<(), StoreError>),
}

impl<S: CommitSink> CommitQueue<S> {
    pub(crate) fn new(sink: S, limits: StoreLimits) -> Self {
        let window = Mutex::new(ConflictWindow::new(limits.remembered_writes));
        Self { sink, limits, queue: Mutex::default(), window, closed: AtomicBool::new(false) }
    }

    /// Where the writes go.
    pub(crate) fn sink(&self) -> &S {
        &self.sink
    }

    /// The bounds in force.
    pub(crate) fn limits(&self) -> StoreLimits {
        self.limits
    }

    /// Refuses work once the store is closed.
    pub(crate) fn check_open(&self) -> Result<(), StoreError> {
        if self.closed.load(Ordering::Acquire) { Err(StoreError::Closed) } else { Ok(()) }
    }

    /// Refuses all work from now on.
    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Registers a transaction; its snapshot must be taken afterwards.
    pub(crate) fn begin(&self) -> u64 {
        self.window.lock().begin()
    }

    /// Forgets one transaction that began at `began`.
    pub(crate) fn end(&self, began: u64) {
        self.window.lock().end(began);
    }

    /// Commits a footprint in a group with others, and returns once its fate is known.
    pub(crate) fn commit(
        &self,
        footprint: Footprint,
        began: Option<u64>,
        durability: Durability,
    ) -> Result<(), StoreError> {
        self.check_open()?;
        if footprint.writes.is_empty() {
            return Ok(());
        }
        self.check_writable()?;
        self.sink.make_way(durability, &|| self.check_writable().is_err());
        let seat = Arc::new(Seat::default());
        let leads = {
            let mut queue = self.queue.lock();
            queue.check_writable()?;
            queue.waiting.push_back(Request { footprint, durability, began, seat: Arc::clone(&seat) });
            !std::mem::replace(&mut queue.led, true)
        };
        if leads {
            self.lead();
        }
        self.wait(&seat)
    }

    /// Refuses writes once one could not be made durable.
    pub(crate) fn check_writable(&self) -> Result<(), StoreError> {
        self.queue.lock().check_writable()
    }

    /// What writing past the queue ended with: all writes are refused from now on, unless there was no room.
    pub(crate) fn halted_by(&self, error: StoreError) -> StoreError {
        if !matches!(error, StoreError::DiskFull { .. }) {
            self.halt(&error);
        }
        error
    }

    /// Refuses all writes from now on; the first cause stays.
    pub(crate) fn halt(&self, cause: &StoreError) {
        self.queue.lock().halted.get_or_insert_with(|| cause.to_string());
    }

    fn wait(&self, seat: &Seat) -> Result<(), StoreError> {
        let mut state = seat.state.lock();
        loop {
            match std::mem::take(&mut *state) {
                SeatState::Done(outcome) => return outcome,
                SeatState::Lead => {
                    drop(state);
                    self.lead();
                    state = seat.state.lock();
                }
                SeatState::Waiting => seat.called.wait(&mut state),
            }
        }
    }

    /// Commits the group at the front of the queue, and then calls the next leader.
    fn lead(&self) {
        let mut group = self.gather();
        let outcomes = self.commit_group(&mut group);
        let next = {
            let mut queue = self.queue.lock();
            let next = queue.waiting.front().map(|request| Arc::clone(&request.seat));
            queue.led = next.is_some();
            next
        };
        if let Some(seat) = next {
            seat.call(SeatState::Lead);
        }
        for (request, outcome) in group.into_iter().zip(outcomes) {
            request.seat.call(SeatState::Done(outcome));
        }
    }

    /// Takes requests from the queue up to the bound on a group, at least one.
    fn gather(&self) -> Vec<Request> {
        let mut queue = self.queue.lock();
        let mut group = Vec::with_capacity(queue.waiting.len());
        let mut bytes = 0;
        while let Some(request) = queue.waiting.front() {
            bytes += request.footprint.bytes;
            if bytes > self.limits.group_bytes && !group.is_empty() {
                break;
            }
            group.extend(queue.waiting.pop_front());
        }
        group
    }

    fn commit_group(&self, group: &mut [Request]) -> Vec<Result<(), StoreError>> {
        // A group that queued up behind the one that failed must not be written after it.
        if let Err(halted) = self.check_writable() {
            return group.iter().map(|_| Err(halted.duplicate())).collect();
        }
        let (mut outcomes, writes) = self.validate(group);
        if writes.is_empty() {
            return outcomes;
        }
        let synced = group.iter().any(|request| request.durability == Durability::Sync);
        let durability = if synced { Durability::Sync } else { Durability::Buffered };
        match self.apply(writes, durability) {
            Ok(()) => self.window.lock().publish(),
            Err(error) => {
                match error {
                    // Nothing was written: the next group may find room again. Whoever began before it will be told of
                    // a conflict that was none, which is safe.
                    StoreError::DiskFull { .. } => self.window.lock().publish(),
                    _ => self.halt(&error),
                }
                for outcome in outcomes.iter_mut().filter(|outcome| outcome.is_ok()) {
                    *outcome = Err(error.duplicate());
                }
            }
        }
        outcomes
    }

    /// Decides who of the group may commit, and gathers what they write.
    fn validate(&self, group: &mut [Request]) -> (Vec<Result<(), StoreError>>, Vec<Write>) {
        let mut window = self.window.lock();
        let mut writes = Vec::with_capacity(group.iter().map(|request| request.footprint.writes.len()).sum());
        let outcomes = group
            .iter_mut()
            .map(|request| {
                self.check(&window, request)?;
                for write in &request.footprint.writes {
                    window.record(write.keyspace, &write.key);
                }
                writes.append(&mut request.footprint.writes);
                Ok(())
            })
            .collect();
        (outcomes, writes)
    }

    fn check(&self, window: &ConflictWindow, request: &Request) -> Result<(), StoreError> {
        let Some(began) = request.began else { return Ok(()) };
        window.check_age(began).map_err(|_| StoreError::SnapshotTooOld)?;
        let Footprint { writes, locks, .. } = &request.footprint;
        let written = writes.iter().map(|write| (write.keyspace, &write.key));
        let locked = locks.iter().map(|(keyspace, key)| (*keyspace, key));
        for (keyspace, key) in written.chain(locked) {
            window.check(began, keyspace, key).map_err(|refused| self.refusal(refused, keyspace, key))?;
        }
        Ok(())
    }

    fn refusal(&self, refused: Refused, keyspace: KeyspaceId, key: &Bytes) -> StoreError {
        match refused {
            Refused::TooOld => StoreError::SnapshotTooOld,
            Refused::Changed => {
                StoreError::Conflict { keyspace: self.sink.keyspace_name(keyspace), key: key.clone() }
            }
        }
    }

    /// A panic of the engine must not leave the other writers waiting for ever: it halts the store instead.
    fn apply(&self, writes: Vec<Write>, durability: Durability) -> Result<(), StoreError> {
        catch_unwind(AssertUnwindSafe(|| self.sink.apply(writes, durability))).unwrap_or_else(|_| {
            Err(StoreError::Halted { cause: "the engine panicked while it wrote".into() })
        })
    }
}

impl<S: CommitSink> TransactionEngine for CommitQueue<S> {
    fn commit(&self, began: u64, footprint: Footprint, durability: Durability) -> Result<(), StoreError> {
        self.commit(footprint, Some(began), durability)
    }

    fn store_number(&self) -> u32 {
        self.sink.store_number()
    }

    fn end(&self, began: u64) {
        self.end(began);
    }
}

impl Seat {
    fn call(&self, state: SeatState) {
        *self.state.lock() = state;
        self.called.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::time::Duration;

    use super::*;

    const KEYSPACE: KeyspaceId = KeyspaceId { store: 1, index: 0 };

    /// A sink that keeps what it was given, waits where a test wants it to, and fails on demand.
    #[derive(Default)]
    struct Probe {
        groups: Mutex<Vec<(Vec<Bytes>, Durability)>>,
        /// The first group waits here twice: when it has arrived, and until it may go on.
        gate: Option<Barrier>,
        failures: Mutex<Vec<Failure>>,
    }

    enum Failure {
        DiskFull,
        Sync,
        Panic,
    }

    impl CommitSink for Probe {
        fn apply(&self, writes: Vec<Write>, durability: Durability) -> Result<(), StoreError> {
            let first = {
                let mut groups = self.groups.lock();
                groups.push((writes.into_iter().map(|write| write.key).collect(), durability));
                groups.len() == 1
            };
            if let (true, Some(gate)) = (first, &self.gate) {
                gate.wait();
                gate.wait();
            }
            match self.failures.lock().pop() {
                Some(Failure::DiskFull) => Err(StoreError::DiskFull { path: "here".into() }),
                Some(Failure::Sync) => {
                    let source = std::io::Error::other("fsync failed");
                    Err(StoreError::Io { path: "here".into(), source })
                }
                Some(Failure::Panic) => panic!("the engine failed as it was told to"),
                None => Ok(()),
            }
        }

        fn store_number(&self) -> u32 {
            KEYSPACE.store
        }

        fn keyspace_name(&self, _: KeyspaceId) -> String {
            "probe".into()
        }
    }

    fn write(queue: &CommitQueue<Probe>, key: &str, durability: Durability) -> Result<(), StoreError> {
        let writes = vec![Write { keyspace: KEYSPACE, key: key.into(), value: None }];
        queue.commit(Footprint { writes, locks: Vec::new(), bytes: key.len() }, None, durability)
    }

    /// Runs `first`, and while its group is being written lets `others` queue up; the outcomes of the others.
    fn behind(queue: &CommitQueue<Probe>, others: &[(&str, Durability)]) -> Vec<Result<(), StoreError>> {
        let gate = queue.sink.gate.as_ref().expect("the probe has a gate");
        std::thread::scope(|scope| {
            let first = scope.spawn(|| write(queue, "first", Durability::Sync));
            gate.wait();
            let others: Vec<_> = others
                .iter()
                .map(|&(key, durability)| scope.spawn(move || write(queue, key, durability)))
                .collect();
            while queue.queue.lock().waiting.len() < others.len() {
                std::thread::sleep(Duration::from_millis(1));
            }
            gate.wait();
            drop(first.join().expect("the first writer ends"));
            others.into_iter().map(|other| other.join().expect("the others end")).collect()
        })
    }

    fn gated(failures: Vec<Failure>, limits: StoreLimits) -> CommitQueue<Probe> {
        let gate = Some(Barrier::new(2));
        CommitQueue::new(Probe { gate, failures: Mutex::new(failures), ..Probe::default() }, limits)
    }

    #[test]
    fn writers_that_queue_up_during_a_write_share_the_next_one() {
        let queue = gated(Vec::new(), StoreLimits::default());
        let others = [("a", Durability::Buffered), ("b", Durability::Sync), ("c", Durability::Buffered)];
        assert!(behind(&queue, &others).iter().all(Result::is_ok));
        let mut groups = queue.sink.groups.lock().clone();
        groups[1].0.sort();
        let keys = |keys: &[&str]| keys.iter().map(|&key| key.into()).collect::<Vec<Bytes>>();
        let expected = [(keys(&["first"]), Durability::Sync), (keys(&["a", "b", "c"]), Durability::Sync)];
        assert_eq!(*groups, expected, "one of the second group asked for a sync, so all of it is synced");
    }

    #[test]
    fn a_group_is_bounded_in_bytes() {
        let queue = gated(Vec::new(), StoreLimits { group_bytes: 10, ..StoreLimits::default() });
        let others = ["aaaa", "bbbb", "cccc", "dddddddddddd"].map(|key| (key, Durability::Sync));
        assert!(behind(&queue, &others).iter().all(Result::is_ok));
        let groups = queue.sink.groups.lock();
        let bytes = |keys: &[Bytes]| keys.iter().map(|key| key.len()).sum::<usize>();
        assert!(groups.iter().all(|(keys, _)| bytes(keys) <= 10 || keys.len() == 1), "{groups:?}");
    }

    #[test]
    fn nothing_is_written_after_a_failure() {
        let queue = gated(vec![Failure::Sync], StoreLimits::default());
        let outcomes = behind(&queue, &[("a", Durability::Sync), ("b", Durability::Sync)]);
        assert!(outcomes.iter().all(
            |outcome| matches!(outcome, Err(StoreError::Halted { cause }) if cause.contains("fsync failed"))
        ));
        assert!(matches!(write(&queue, "later", Durability::Buffered), Err(StoreError::Halted { .. })));
        assert_eq!(queue.sink.groups.lock().len(), 1);
    }

    #[test]
    fn every_member_of_a_failed_group_is_told_why() {
        let queue = CommitQueue::new(
            Probe { failures: Mutex::new(vec![Failure::DiskFull]), ..Probe::default() },
            StoreLimits::default(),
        );
        assert!(matches!(write(&queue, "k", Durability::Sync), Err(StoreError::DiskFull { .. })));
    }

    #[test]
    fn writes_go_on_once_a_full_disk_has_room_again() {
        let queue = gated(vec![Failure::DiskFull], StoreLimits::default());
        assert!(behind(&queue, &[("a", Durability::Sync)]).iter().all(Result::is_ok));
        let began = queue.begin();
        let writes = vec![Write { keyspace: KEYSPACE, key: "first".into(), value: None }];
        let footprint = Footprint { writes, locks: Vec::new(), bytes: 5 };
        assert!(
            queue.commit(footprint, Some(began), Durability::Sync).is_ok(),
            "no conflict with what never was"
        );
    }

    #[test]
    fn a_panic_of_the_engine_halts_the_store_and_leaves_nobody_waiting() {
        let queue = gated(vec![Failure::Panic], StoreLimits::default());
        let outcomes = behind(&queue, &[("a", Durability::Sync)]);
        assert!(matches!(&outcomes[..], [Err(StoreError::Halted { cause })] if cause.contains("panicked")));
    }
}
