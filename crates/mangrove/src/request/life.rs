//! The life of a hosted request: queries on the executors, over all its attempts, until it is answered or given up.
//!
//! ```text
//!   submit: a query ─▶ another … ─▶ finish: answered
//!      ▲        │
//!      │        └─▶ fail ─▶ lost against another commit? ── no ─▶ told
//!      │                              │ yes
//!      └──── again: its turn comes ◀──┘
//!
//!   cancel, at any time: the query that is under way is dropped, and nobody is told, unless it was committed all the same
//! ```
//!
//! What is done differs: one traversal (`job.rs`), or statements within a session (`sessions/course.rs`). That is the request's
//! [`Way`]; how it is begun again, ends and is given up is here, once.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use dataflow::{Access, Counting, MemoryMeter, QueryError, QueryHandle, QuerySpec, detach::Detail};
use parking_lot::Mutex;
use planner::physical::Plan;
use server::{Materialize, Progress, Push, ResultBatch};
use values::Value;

use super::{
    answer::{ServerSink, answer, refusal},
    attempts::{Attempts, Next},
    relay::{Relay, Step},
    traced::Traced,
    wishes::Wishes,
};
use crate::{Error, ErrorKind, database::Inner, profile};

/// See the module.
pub(crate) struct Life<W: Way> {
    pub(crate) way: W,
    pub(crate) inner: Arc<Inner>,
    pub(crate) wishes: Wishes,
    sink: ServerSink,
    /// If it is a transaction of its own that writes, or may.
    attempts: Option<Attempts>,
    /// The number of the latest attempt that was begun, from 0.
    begun: AtomicU32,
    latest: Mutex<Latest>,
    /// Whether it was answered, or given up.
    ended: AtomicBool,
    /// Whether its sink was told how it ended.
    told: AtomicBool,
    /// Whether somebody who looks after the server has stopped it.
    stopped: AtomicBool,
    watched: Mutex<Watched>,
}

/// What is to be seen of a request from outside.
#[derive(Default)]
struct Watched {
    plan: Option<Arc<Plan>>,
    /// Of its latest query, as long as there is one.
    memory: Weak<MemoryMeter>,
    /// The most that queries which are over have held.
    peak: u64,
}

/// The latest query of a request.
#[derive(Default)]
struct Latest {
    /// Queries that were submitted.
    submitted: u32,
    /// The number of the latest one, from 1, and what is held of it.
    query: (u32, Option<QueryHandle>),
}

/// What a request does.
pub(crate) trait Way: Send + Sync + Sized + 'static {
    /// What it remembers of one of its queries.
    type Step: Step;

    /// A query is over, and was no failure. `report` is to be said instead of its results.
    fn done(life: &Arc<Life<Self>>, step: Self::Step, report: Option<Value>);

    /// Whether it may be begun again if it has lost.
    fn may_go_again(&self) -> bool {
        true
    }

    /// Begins it again, on the graph as it is now.
    ///
    /// # Errors
    /// What the request comes to, if it cannot be.
    fn again(life: &Arc<Life<Self>>) -> Result<(), Error>;

    /// It is about to be answered.
    fn succeeded(&self) {}

    /// It has failed for good: what its client is told.
    fn failed(&self, error: &Error) -> server::QueryError {
        refusal(error)
    }

    /// It was given up before it was answered.
    fn given_up(&self) {}

    /// Its client was told that it had failed, although it has been answered.
    fn missed(&self) {}

    /// How complete the elements of its answer are; known when there are results.
    fn detail(&self) -> Option<Detail>;

    /// When its time is over.
    fn deadline(&self) -> Option<Instant>;
}

impl<W: Way> Life<W> {
    /// A request of which nothing has been done yet.
    pub(crate) fn new(
        inner: &Arc<Inner>,
        wishes: Wishes,
        sink: ServerSink,
        attempts: Option<Attempts>,
        way: W,
    ) -> Arc<Self> {
        Arc::new(Self {
            way,
            inner: Arc::clone(inner),
            wishes,
            sink,
            attempts,
            begun: AtomicU32::new(0),
            latest: Mutex::default(),
            ended: AtomicBool::new(false),
            told: AtomicBool::new(false),
            stopped: AtomicBool::new(false),
            watched: Mutex::default(),
        })
    }

    /// What the server holds of it.
    pub(crate) fn handle(self: Arc<Self>) -> Box<dyn server::Running> {
        Box::new(Handle(self))
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Whether nobody waits for it any more, or it was stopped.
    pub(crate) fn is_unwanted(&self) -> bool {
        self.has_ended() || self.stopped.load(Ordering::Acquire)
    }

    pub(crate) fn attempts(&self) -> Option<&Attempts> {
        self.attempts.as_ref()
    }

    /// Offers results to the client.
    pub(super) fn offer(&self, batch: ResultBatch) -> Push {
        self.sink.push(batch)
    }

    /// Runs a query of it. `needs_one`: no result at all would be an error.
    pub(crate) fn submit(self: &Arc<Self>, mut spec: QuerySpec, needs_one: bool, step: W::Step) {
        if self.has_ended() {
            return;
        }
        if self.stopped.load(Ordering::Acquire) {
            return self.fail(QueryError::Cancelled.into());
        }
        self.watched.lock().plan = Some(spec.plan.clone());
        let number = {
            let mut latest = self.latest.lock();
            latest.submitted += 1;
            latest.submitted
        };
        let traced = self.wishes.trace().map(|trace| {
            spec.counting = Counting::Timed;
            let (attempt, commits) =
                (self.begun.load(Ordering::Acquire), matches!(spec.access, Access::Write(_)));
            Traced::new(trace.clone(), spec.plan.clone(), attempt, commits)
        });
        let relay = Relay::new(self.clone(), spec.plan.clone(), needs_one, step).traced(traced);
        let handle = self.inner.engine.submit(spec, Box::new(relay));
        let mut latest = self.latest.lock();
        // It may be over already, and a later one may have been started by its relay.
        if number >= latest.query.0 {
            latest.query = (number, Some(handle));
        }
        if self.stopped.load(Ordering::Acquire) {
            // While it was submitted.
            latest.query.1.iter().for_each(QueryHandle::cancel);
        }
        drop(latest);
        if self.has_ended() {
            self.stop();
        }
    }

    /// A query of it has begun, and counts its memory here.
    pub(super) fn watch(&self, memory: &Arc<MemoryMeter>) {
        let mut watched = self.watched.lock();
        watched.keep_peak();
        watched.memory = Arc::downgrade(memory);
    }

    /// A query of it is over.
    pub(super) fn keep_peak(&self) {
        self.watched.lock().keep_peak();
    }

    /// Ends it since somebody who looks after the server wants that; its client is told, unless its commit cannot be held back.
    fn stop_and_tell(self: &Arc<Self>) {
        self.stopped.store(true, Ordering::Release);
        let latest = self.latest.lock();
        latest.query.1.iter().for_each(QueryHandle::cancel);
    }

    fn progress(&self) -> Progress {
        let watched = self.watched.lock();
        let memory = watched.memory.upgrade();
        let (held, peak) = memory.map_or((0, 0), |memory| (memory.used(), memory.peak()));
        let operators = watched.plan.as_deref().map(profile::steps).unwrap_or_default();
        Progress { memory: held, peak_memory: peak.max(watched.peak), operators }
    }

    /// Ends it with an answer: with these results besides those that its queries had, if there are any to add.
    ///
    /// The sink is told of one that was given up, too, if its commit could not be held back any more: what is done is done, and who
    /// asks again wants to know it.
    pub(crate) fn finish(&self, results: Option<Vec<(Value, u64)>>) {
        if !self.ended.swap(true, Ordering::AcqRel) {
            self.give_up_turn();
            self.way.succeeded();
        }
        if !self.told.swap(true, Ordering::AcqRel) {
            answer(&self.sink, results);
        }
    }

    /// Ends it with an error, or begins it again.
    pub(crate) fn fail(self: &Arc<Self>, error: Error) {
        let Err(error) = self.lost(error) else { return };
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        self.give_up_turn();
        let told = self.way.failed(&error);
        self.tell(told);
    }

    /// Tells of its error, if nobody has been told yet how it ended.
    fn tell(&self, error: server::QueryError) {
        if !self.told.swap(true, Ordering::AcqRel) {
            self.sink.finish(Err(error));
        }
    }

    /// An attempt has failed: there is another, or the error stays.
    fn lost(self: &Arc<Self>, error: Error) -> Result<(), Error> {
        let Some(attempts) = &self.attempts else { return Err(error) };
        let Error::Query(cause) = &error else { return Err(error) };
        if self.has_ended() || self.stopped.load(Ordering::Acquire) || !self.way.may_go_again() {
            return Err(error);
        }
        let number = self.begun.load(Ordering::Acquire) + 1;
        attempts.lost(&self.inner, number, cause.clone())?;
        self.again(number);
        Ok(())
    }

    /// Begins attempt `number` when its turn has come. May be asked any number of times.
    fn again(self: &Arc<Self>, number: u32) {
        let Some(attempts) = &self.attempts else { return };
        if self.begun.load(Ordering::Acquire) >= number || self.has_ended() {
            return;
        }
        let life = self.clone();
        let wake = move || life.later(Duration::ZERO, move |life| life.again(number));
        match attempts.next(number, wake) {
            Next::Now => self.begin(number),
            Next::Ask(wait) => self.later(wait, move |life| life.again(number)),
            Next::After(wait) => self.later(wait, move |life| life.begin(number)),
        }
    }

    /// Begins attempt `number`, once.
    fn begin(self: &Arc<Self>, number: u32) {
        let before = self.begun.compare_exchange(number - 1, number, Ordering::AcqRel, Ordering::Acquire);
        if before.is_err() {
            return;
        }
        if self.stopped.load(Ordering::Acquire) {
            return self.fail(QueryError::Cancelled.into());
        }
        if let Some(Err(error)) = self.guarded(W::again) {
            self.fail(error);
        }
    }

    fn later(self: &Arc<Self>, delay: Duration, act: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let life = self.clone();
        let act = move || {
            life.guarded(act);
        };
        self.inner.retries.after(delay, Box::new(act));
    }

    /// Does a part of it; nothing comes back from one that panics. That ends the request: what the server holds keeps it from being
    /// dropped, so nobody else would ever tell its client.
    pub(crate) fn guarded<R>(self: &Arc<Self>, act: impl FnOnce(&Arc<Self>) -> R) -> Option<R> {
        let done = catch_unwind(AssertUnwindSafe(|| act(self)));
        if done.is_err() {
            let message = "the request was lost inside of the server";
            let error: Error =
                QueryError::Internal { step: "?".to_owned(), message: message.to_owned() }.into();
            self.fail(error);
            // It may have ended before it told of it.
            if self.has_ended() {
                self.tell(server::QueryError::new(ErrorKind::Internal, message));
            }
            // It may have begun a query before.
            self.stop();
        }
        done.ok()
    }

    /// Drops the query that is under way, which terminates its operators.
    fn stop(&self) {
        let handle = self.latest.lock().query.1.take();
        drop(handle);
        self.give_up_turn();
    }

    fn give_up_turn(&self) {
        if let Some(attempts) = &self.attempts {
            attempts.turn.release();
        }
    }

    fn cancel(&self) {
        let is_first = !self.ended.swap(true, Ordering::AcqRel);
        self.stop();
        if is_first {
            self.way.given_up();
        }
    }
}

impl Watched {
    fn keep_peak(&mut self) {
        let peak = self.memory.upgrade().map_or(0, |memory| memory.peak());
        self.peak = self.peak.max(peak);
    }
}

impl<W: Way> Drop for Life<W> {
    fn drop(&mut self) {
        if !self.has_ended() {
            // A thread has died with it.
            let message = "the request was lost inside of the server; send it again";
            self.sink.finish(Err(server::QueryError::new(ErrorKind::Internal, message)));
        }
    }
}

/// What the server holds of a request.
struct Handle<W: Way>(Arc<Life<W>>);

impl<W: Way> server::Running for Handle<W> {
    fn resume(&self) {
        if let Some(handle) = &self.0.latest.lock().query.1 {
            handle.waker().wake();
        }
    }

    fn cancel(&self) {
        self.0.cancel();
    }

    fn stop(&self) {
        self.0.stop_and_tell();
    }

    fn progress(&self) -> Progress {
        self.0.progress()
    }

    fn missed(&self) {
        if self.0.has_ended() {
            self.0.way.missed();
        }
        self.0.cancel();
    }

    fn materialize(&self) -> Option<Materialize> {
        self.0.way.detail().map(|detail| match detail {
            Detail::Properties => Materialize::All,
            Detail::Tokens => Materialize::Tokens,
        })
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.way.deadline()
    }
}

impl<W: Way> Drop for Handle<W> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

#[cfg(test)]
mod tests {
    use std::{panic::resume_unwind, sync::mpsc};

    use server::Summary;

    use super::*;
    use crate::Database;

    struct Told(mpsc::Sender<Option<ErrorKind>>);

    impl server::ResultSink for Told {
        fn push(&self, _: ResultBatch) -> Push {
            Push::Taken
        }
        fn finish(&self, outcome: Result<Summary, server::QueryError>) {
            let _ = self.0.send(outcome.err().map(|error| error.kind));
        }
    }

    /// What cannot be begun again.
    struct Faulty;

    impl Way for Faulty {
        type Step = ();

        fn done(_: &Arc<Life<Self>>, (): (), _: Option<Value>) {}

        fn again(_: &Arc<Life<Self>>) -> Result<(), Error> {
            resume_unwind(Box::new("a fault"))
        }

        fn detail(&self) -> Option<Detail> {
            None
        }

        fn deadline(&self) -> Option<Instant> {
            None
        }
    }

    /// What a client is told whose request does this while the server holds it.
    fn told(act: impl FnOnce(&Arc<Life<Faulty>>)) -> Option<ErrorKind> {
        let db = Database::in_memory().unwrap();
        let wishes = Wishes::of_application();
        let attempts = Attempts::new(&db.inner, wishes.time(&db.inner));
        let (send, told) = mpsc::channel();
        let life = Life::new(&db.inner, wishes, Arc::new(Told(send)), Some(attempts), Faulty);
        let _held = life.clone().handle();
        act(&life);
        told.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    #[test]
    fn who_waits_for_a_request_that_panics_is_told() {
        let internal = Some(ErrorKind::Internal);
        assert_eq!(told(|life| life.begin(1)), internal);
        assert_eq!(told(|life| life.later(Duration::ZERO, |life| life.begin(1))), internal);
        assert_eq!(told(|life| life.later(Duration::ZERO, |_| resume_unwind(Box::new("a fault")))), internal);
    }
}
