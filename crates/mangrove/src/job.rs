//! A hosted request on the executors, over all its attempts.
//!
//! ```text
//!  snapshot, plan ─▶ executor ─▶ commit ─▶ results, outcome
//!        ▲                         │ it lost: what it touched is reserved
//!        └──── its turn comes ◀────┘
//! ```

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use dataflow::{Counting, MemoryMeter, Profile, QueryError, QueryHandle, ResultSink, Results, Summary};
use graph::{Turn, TurnAnswer};
use parking_lot::Mutex;
use planner::physical::Plan;
use server::{Push, ResultBatch};
use values::Value;

use crate::{
    Error,
    backoff::backoff,
    database::Inner,
    hosted::{ServerSink, Wishes, finished, refusal},
    origin::Origin,
    prepare::Prepared,
    profile,
    run::conflict,
    time_limit::TimeLimit,
};

/// See the module.
pub(crate) struct Job {
    inner: Arc<Inner>,
    /// What to plan for every further attempt.
    origin: Origin,
    wishes: Wishes,
    sink: ServerSink,
    /// No result at all would be an error.
    needs_one: bool,
    /// How long it may take, all attempts together.
    time: TimeLimit,
    /// Its place among those that lose against each other, if it writes.
    turn: Option<Arc<Turn>>,
    /// The number of the latest attempt that was begun.
    begun: AtomicU32,
    /// That attempt and its number.
    current: Mutex<(u32, Option<QueryHandle>)>,
    cancelled: AtomicBool,
}

impl Job {
    /// Starts a request that is prepared; what the server holds of it.
    pub(crate) fn start(
        inner: Arc<Inner>,
        prepared: Prepared,
        (origin, wishes): (Origin, Wishes),
        sink: ServerSink,
        needs_one: bool,
    ) -> Handle {
        let timeout = prepared.timeout.or(inner.options.timeout);
        let job = Arc::new(Self {
            turn: prepared.plan.writes.then(|| inner.graph.turn()),
            inner,
            origin,
            wishes,
            sink,
            needs_one,
            time: TimeLimit::since(wishes.asked, timeout),
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
        let mut spec = prepared.into_spec(&self.inner, self.turn.as_ref(), counting);
        spec.caller = self.wishes.caller;
        spec.spent = self.wishes.asked.elapsed();
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

    fn remaining(&self) -> Option<Duration> {
        self.time.deadline().map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Drops the latest attempt, which terminates its operators.
    fn stop(&self) {
        let handle = self.current.lock().1.take();
        drop(handle);
        self.give_up_turn();
    }

    fn give_up_turn(&self) {
        if let Some(turn) = &self.turn {
            turn.release();
        }
    }

    /// Begins attempt `number` when its turn has come, after the one before has failed. May be asked any number of times.
    fn again(self: &Arc<Self>, number: u32) {
        if self.begun.load(Ordering::Acquire) >= number || self.cancelled.load(Ordering::Acquire) {
            return;
        }
        let job = self.clone();
        // It is called by whoever makes a commit visible, and must not hold that up.
        let wake = move || job.later(Duration::ZERO, move |job| job.again(number));
        match self.turn.as_ref().map_or(TurnAnswer::None, |turn| turn.ask(wake)) {
            TurnAnswer::Come => self.begin(number),
            TurnAnswer::Waits(_) if self.remaining().is_some_and(|left| left.is_zero()) => self.begin(number),
            TurnAnswer::Waits(latest) => {
                let wait = latest.saturating_duration_since(Instant::now());
                let wait = self.remaining().map_or(wait, |left| left.min(wait));
                self.later(wait, move |job| job.again(number));
            }
            TurnAnswer::None => self.later(backoff(number, fastrand::u64(..)), move |job| job.begin(number)),
        }
    }

    /// Begins attempt `number`, once.
    fn begin(self: &Arc<Self>, number: u32) {
        let before = self.begun.compare_exchange(number - 1, number, Ordering::AcqRel, Ordering::Acquire);
        if before.is_err() {
            return;
        }
        match self.origin.prepare(&self.inner, self.inner.graph.snapshot(), self.time) {
            Ok(prepared) => self.attempt(number, self.wishes.granted(prepared)),
            Err(error) => self.fail(&error),
        }
    }

    fn later(self: &Arc<Self>, delay: Duration, act: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let job = self.clone();
        self.inner.retries.after(delay, Box::new(move || act(&job)));
    }

    fn fail(&self, error: &Error) {
        self.give_up_turn();
        self.sink.finish(Err(refusal(error)));
    }
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

    fn deadline(&self) -> Option<Instant> {
        self.0.time.deadline()
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
        let error = match outcome {
            Ok(_) if job.needs_one && !self.delivered && self.profile.is_none() => Error::NoResult,
            Ok(_) => return self.succeed(),
            Err(QueryError::Graph(error)) if error.is_retryable() => {
                let attempts = self.number + 1;
                if attempts <= job.inner.options.write_retries {
                    return job.again(attempts);
                }
                conflict(&job.inner, attempts, error)
            }
            Err(error) => error.into(),
        };
        job.fail(&error);
    }
}

impl Relay {
    fn succeed(&mut self) {
        self.job.give_up_turn();
        drop(finished(&self.job.sink, self.profile.take().map(Value::from)));
    }
}
