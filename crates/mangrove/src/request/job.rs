//! A hosted request on the executors, over all its attempts.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use dataflow::{
    Counting, MemoryMeter, Profile, QueryError, QueryHandle, ResultSink, Results, Summary, detach::Detail,
};
use parking_lot::Mutex;
use planner::physical::Plan;
use server::{Materialize, Push, ResultBatch};
use values::Value;

use super::{
    attempts::{Attempts, Next},
    origin::Origin,
    prepare::Prepared,
    ready::Runnable,
    time_limit::TimeLimit,
    wishes::Wishes,
};
use crate::{Error, database::Inner, profile};

/// Where the server wants results.
pub(crate) type ServerSink = Arc<dyn server::ResultSink>;

/// See the module.
pub(crate) struct Job {
    inner: Arc<Inner>,
    wishes: Wishes,
    sink: ServerSink,
    /// No result at all would be an error.
    needs_one: bool,
    /// How complete elements leave.
    detail: Detail,
    /// How long it may take, all attempts together.
    time: TimeLimit,
    /// If it writes, with what is planned for every further attempt.
    attempts: Option<(Attempts, Origin)>,
    /// The number of the latest attempt that was begun.
    begun: AtomicU32,
    /// That attempt and its number.
    current: Mutex<(u32, Option<QueryHandle>)>,
    cancelled: AtomicBool,
}

impl Job {
    /// Starts a request; what the server holds of it.
    pub(crate) fn start(inner: &Arc<Inner>, run: Runnable, wishes: Wishes, sink: ServerSink) -> Handle {
        let Runnable { prepared, needs_one, origin } = run;
        let (time, detail) = (wishes.time_of(inner, prepared.timeout), prepared.detail());
        let job = Arc::new(Self {
            attempts: origin.map(|origin| (Attempts::new(inner, time), origin)),
            inner: Arc::clone(inner),
            wishes,
            sink,
            needs_one,
            detail,
            time,
            begun: AtomicU32::new(0),
            current: Mutex::new((0, None)),
            cancelled: AtomicBool::new(false),
        });
        job.attempt(0, prepared);
        Handle(job)
    }

    /// Starts attempt number `number`, from 0.
    fn attempt(self: &Arc<Self>, number: u32, prepared: Prepared) {
        if self.cancelled.load(Ordering::Acquire) {
            return;
        }
        let plan = prepared.plan.clone();
        let counting = if plan.profile { Counting::Timed } else { Counting::Off };
        let turn = self.attempts.as_ref().map(|(attempts, _)| &attempts.turn);
        let spec = prepared.into_spec(&self.inner, &self.wishes, turn, counting);
        let relay = Relay { job: self.clone(), number, plan, delivered: false, memory: None, profile: None };
        let handle = self.inner.engine.submit(spec, Box::new(relay));
        let mut current = self.current.lock();
        // The attempt may be over already, and a later one may have been started from its sink.
        if number >= current.0 {
            *current = (number, Some(handle));
        }
        drop(current);
        if self.cancelled.load(Ordering::Acquire) {
            self.stop();
        }
    }

    /// Drops the latest attempt, which terminates its operators.
    fn stop(&self) {
        let handle = self.current.lock().1.take();
        drop(handle);
        self.give_up_turn();
    }

    fn give_up_turn(&self) {
        if let Some((attempts, _)) = &self.attempts {
            attempts.turn.release();
        }
    }

    /// Begins attempt `number` when its turn has come, after the one before has failed. May be asked any number of times.
    fn again(self: &Arc<Self>, number: u32) {
        let Some((attempts, _)) = &self.attempts else { return };
        if self.begun.load(Ordering::Acquire) >= number || self.cancelled.load(Ordering::Acquire) {
            return;
        }
        let job = self.clone();
        let wake = move || job.later(Duration::ZERO, move |job| job.again(number));
        match attempts.next(number, wake) {
            Next::Now => self.begin(number),
            Next::Ask(wait) => self.later(wait, move |job| job.again(number)),
            Next::After(wait) => self.later(wait, move |job| job.begin(number)),
        }
    }

    /// Begins attempt `number`, once.
    fn begin(self: &Arc<Self>, number: u32) {
        let Some((attempts, origin)) = &self.attempts else { return };
        let before = self.begun.compare_exchange(number - 1, number, Ordering::AcqRel, Ordering::Acquire);
        if before.is_err() {
            return;
        }
        match attempts.prepare(&self.inner, origin, &self.wishes) {
            Ok(prepared) => self.attempt(number, prepared),
            Err(error) => self.fail(&error),
        }
    }

    fn later(self: &Arc<Self>, delay: Duration, act: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let job = self.clone();
        self.inner.retries.after(delay, Box::new(move || act(&job)));
    }

    /// An attempt has failed: there is another, or the request has.
    fn lose(self: &Arc<Self>, number: u32, error: QueryError) {
        let attempted = number + 1;
        match &self.attempts {
            Some((attempts, _)) => match attempts.lost(&self.inner, attempted, error) {
                Ok(()) => self.again(attempted),
                Err(error) => self.fail(&error),
            },
            None => self.fail(&error.into()),
        }
    }

    fn fail(&self, error: &Error) {
        self.give_up_turn();
        self.sink.finish(Err(refusal(error)));
    }

    fn succeed(&self, report: Option<String>) {
        self.give_up_turn();
        answer(&self.sink, report);
    }
}

/// An error as a client sees it.
pub(crate) fn refusal(error: &Error) -> server::QueryError {
    server::QueryError::new(error.kind(), error.to_string())
}

/// Ends an answer, with one text more if there is one.
pub(crate) fn answer(sink: &ServerSink, text: Option<String>) {
    if let Some(text) = text {
        // A sink that has seen nothing has room for one result; one that nobody listens to needs none.
        let _ = sink.push(ResultBatch::of(vec![(Value::from(text), 1)]));
    }
    sink.finish(Ok(server::Summary::default()));
}

/// What the server holds of a request.
pub(crate) struct Handle(Arc<Job>);

impl server::Running for Handle {
    fn resume(&self) {
        if let Some(handle) = &self.0.current.lock().1 {
            handle.waker().wake();
        }
    }

    fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::Release);
        self.0.stop();
    }

    fn materialize(&self) -> Option<Materialize> {
        Some(materialize(self.0.detail))
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.time.deadline()
    }
}

/// The server's word for it.
pub(crate) fn materialize(detail: Detail) -> Materialize {
    match detail {
        Detail::Properties => Materialize::All,
        Detail::Tokens => Materialize::Tokens,
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        server::Running::cancel(self);
    }
}

/// Passes one attempt's results on to the server.
struct Relay {
    job: Arc<Job>,
    number: u32,
    plan: Arc<Plan>,
    /// Whether any result was passed on.
    delivered: bool,
    /// Counts results that wait.
    memory: Option<Arc<MemoryMeter>>,
    /// What is to be said instead of the results.
    profile: Option<String>,
}

impl ResultSink for Relay {
    fn begin(&mut self, memory: &Arc<MemoryMeter>) {
        self.memory = Some(memory.clone());
    }

    fn push(&mut self, results: Results) -> Result<(), Results> {
        if self.plan.profile {
            return Ok(());
        }
        let any = !results.is_empty();
        let held = self.memory.as_ref().and_then(|memory| memory.hold_results(&results));
        let held = held.map(|held| Arc::new(held) as server::Held);
        match self.job.sink.push(ResultBatch { items: results, held }) {
            Push::Taken => {
                self.delivered |= any;
                Ok(())
            }
            // Nobody listens: the cancellation is under way.
            Push::Gone => Ok(()),
            Push::Full(batch) => Err(batch.items),
        }
    }

    fn counted(&mut self, profile: &Profile) {
        self.profile = Some(profile::report(&self.plan, profile));
    }

    fn finish(&mut self, outcome: Result<Summary, QueryError>) {
        let job = &self.job;
        match outcome {
            Ok(_) if job.needs_one && !self.delivered && self.profile.is_none() => job.fail(&Error::NoResult),
            Ok(_) => job.succeed(self.profile.take()),
            Err(error) => job.lose(self.number, error),
        }
    }
}
