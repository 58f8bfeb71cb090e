//! The engine: executors and the ways to give them queries.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use graph::{NameSpace, ReadUnit};
use parking_lot::{Condvar, Mutex};
use planner::physical::Plan;
use values::{Str, Value};

use crate::batch::Weight;
use crate::detach::Detail;
use crate::error::QueryError;
use crate::executor::{Committers, Inbox, Peers, Threads, watch};
use crate::files::GraphFiles;
use crate::instance::Progress;
use crate::memory::{Budget, Charge, MemoryMeter, PATIENCE};
use crate::query::{
    Access, Caller, CancelToken, Draws, Helpers, Profile, QueryState, ResultSink, Results, Room,
    RunningQuery, Shareable, Sharing, SideEffects, Summary, Task, Tie, Waker,
};
use crate::quota::{Clock, MonotonicClock, Quota};

/// How an engine is built.
#[derive(Clone, Debug)]
pub struct EngineOptions {
    /// Number of executors, at least 1.
    pub executors: usize,
    /// Whether executors are pinned to cores, where the system allows it.
    pub pin: bool,
    /// Threads that wait for commits.
    pub committers: usize,
    /// Most threads beside those of the executors: they go on with the other queries of an executor whose thread waits for
    /// a load. Started when they are needed.
    pub spares: usize,
    /// When executors work on one query together.
    pub sharing: Sharing,
    /// What all queries together may hold in memory. `None`: as much as each may.
    pub budget: Option<Arc<Budget>>,
}

impl Default for EngineOptions {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        Self {
            executors: cores,
            pin: true,
            committers: 16,
            spares: 256,
            sharing: Sharing::default(),
            budget: None,
        }
    }
}

/// What a query counts as it runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Counting {
    /// Nothing.
    #[default]
    Off,
    /// Batches, rows, instances.
    On,
    /// Time too.
    Timed,
}

/// A query to run.
pub struct QuerySpec {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The values of its parameters.
    pub params: Vec<Value>,
    /// The graph as it sees it.
    pub access: Access,
    /// On whose behalf it runs.
    pub caller: Caller,
    /// Its evaluation timeout.
    pub timeout: Option<Duration>,
    /// What has passed of that: the request was planned, or tried before.
    pub spent: Duration,
    /// Most bytes of intermediate results.
    pub memory: u64,
    /// What the queries of its tenant may hold together.
    pub tenant: Option<Arc<Budget>>,
    /// What it counts.
    pub counting: Counting,
    /// How complete the elements among its results are.
    pub detail: Detail,
    /// The files that it may read and write, if any.
    pub files: Option<Arc<dyn GraphFiles>>,
}

impl QuerySpec {
    /// In a transaction: what is not found since nobody knows its name was read all the same.
    fn note_unknown_names(&self) {
        if let Some(transaction) = self.access.transaction() {
            let read = |(space, name): &(NameSpace, Str)| ReadUnit::Name(*space, graph::name_hash(name));
            self.plan.unknown.iter().for_each(|name| transaction.note_read(read(name)));
        }
    }
}

/// Executors, and what they share. Dropping it stops them; queries still running are dropped.
pub struct Engine {
    peers: Arc<Peers>,
    clock: Arc<dyn Clock>,
    threads: Arc<Threads>,
    seed: AtomicU64,
    budget: Option<Arc<Budget>>,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine").field("executors", &self.executors()).finish_non_exhaustive()
    }
}

impl Engine {
    /// Starts the executors.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn start(options: &EngineOptions) -> std::io::Result<Self> {
        Self::start_by(options, Arc::new(MonotonicClock::default()))
    }

    /// Starts the executors, with a clock by which turns and deadlines are measured.
    ///
    /// # Errors
    /// If the system refuses a thread.
    pub fn start_by(options: &EngineOptions, clock: Arc<dyn Clock>) -> std::io::Result<Self> {
        let executors = options.executors.max(1);
        let peers = Arc::new(Peers::new(executors, options.sharing, clock.clone()));
        let committers = Arc::new(Committers::start(options.committers, executors)?);
        let threads = Threads::new(peers.clone(), clock.clone(), committers, options.pin, options.spares);
        // Dropped, and so stopped, if not all threads can be started.
        let engine = Self { peers, clock, threads, seed: AtomicU64::new(1), budget: options.budget.clone() };
        engine.threads.start()?;
        Ok(engine)
    }

    /// Number of executors.
    pub fn executors(&self) -> usize {
        self.peers.inboxes.len()
    }

    /// Number of threads: those of the executors, and those that go on with the queries of one whose thread loads.
    pub fn threads(&self) -> usize {
        self.threads.threads()
    }

    /// How often an executor was handed to another thread since its own waited for a load.
    pub fn handovers(&self) -> u64 {
        self.threads.handovers()
    }

    /// Bytes that all queries together hold, where they have a budget.
    pub fn memory(&self) -> Option<&Arc<Budget>> {
        self.budget.as_ref()
    }

    /// Holds memory of what all queries may hold, for a request that has no query yet, which may hold `limit` bytes.
    ///
    /// # Errors
    /// If that is beyond its bound, or there is no room now.
    pub fn hold(&self, bytes: usize, limit: u64, tenant: Option<&Arc<Budget>>) -> Result<Charge, QueryError> {
        let meter = MemoryMeter::within(limit, self.budget.iter().chain(tenant));
        Charge::take(&Arc::new(meter), bytes)
    }

    /// Number of queries on the executors.
    pub fn running(&self) -> usize {
        self.peers.inboxes.iter().map(|inbox| inbox.load.load(Ordering::Relaxed)).sum()
    }

    /// Number of executors that sleep.
    pub fn idle(&self) -> usize {
        self.peers.sleeping()
    }

    /// Starts a query on the executor with the fewest queries. Results and outcome go to the sink.
    pub fn submit(&self, spec: QuerySpec, mut sink: Box<dyn ResultSink>) -> QueryHandle {
        let [party, ..] = spec.caller.path(0);
        let inbox = self.peers.inboxes[self.peers.place_for(party)].clone();
        let waker = Waker::new({
            let inbox = inbox.clone();
            move || inbox.wake()
        });
        let detail = spec.detail;
        let state = self.state(spec, waker.clone());
        sink.begin(&state.memory);
        let cancel = state.cancel.clone();
        let tie = Arc::<Tie>::default();
        inbox.submit(Task {
            query: RunningQuery::new(state, detail),
            sink,
            tie: tie.clone(),
            held: Results::new(),
            finished: false,
            is_shown: false,
            room: Room::default(),
            waits: None,
        });
        QueryHandle { cancel, waker, tie, inbox }
    }

    /// Runs a query on the calling thread, which pulls its results one batch at a time: what an embedded application
    /// wants for short queries, since no other thread needs to wake up. Large batches are still shared with executors.
    pub fn run_here(&self, spec: QuerySpec) -> LocalQuery<'_> {
        LocalQuery::new(Held::Lent(self), spec)
    }

    /// As [`Engine::run_here`], with a query that has a part in the engine: it may outlive whoever asks for it.
    pub fn run_with(self: &Arc<Self>, spec: QuerySpec) -> LocalQuery<'static> {
        LocalQuery::new(Held::Shared(Arc::clone(self)), spec)
    }

    /// Does something that may wait for the disk, and must not hold up an executor, on a thread that commits queries.
    pub fn aside(&self, work: impl FnOnce() + Send + 'static) {
        self.threads.committers.run(Box::new(work));
    }

    fn state(&self, mut spec: QuerySpec, waker: Waker) -> Arc<QueryState> {
        let left = spec.timeout.map(|timeout| timeout.saturating_sub(spec.spent));
        let ends = left.and_then(|left| Instant::now().checked_add(left));
        spec.note_unknown_names();
        let cancel = CancelToken::of(spec.access.serve(ends));
        let computed = spec.access.compute(&spec.plan.computed).unwrap_or_else(|error| {
            cancel.fail(error.into());
            None
        });
        let profile = match spec.counting {
            Counting::Off => Profile::off(),
            Counting::On => Profile::new(spec.plan.ops, false),
            Counting::Timed => Profile::new(spec.plan.ops, true),
        };
        let profile = profile.beginning(self.clock.now(), cancel.request().cloned());
        let budgets = self.budget.iter().chain(&spec.tenant);
        let memory = MemoryMeter::within(spec.memory, budgets);
        let memory = Arc::new(match profile.held() {
            Some(held) => memory.watched(held.clone()),
            None => memory,
        });
        if let Err(error) = memory.charge(weight_of(&spec.params)) {
            cancel.fail(error);
        }
        let alone = spec.plan.writes || spec.plan.parallelism == Some(1) || self.executors() < 2;
        Arc::new(QueryState {
            side_effects: SideEffects::new(&spec.plan),
            shareable: Shareable::default(),
            memory,
            profile,
            cancel,
            deadline: left.map(|left| self.clock.now().saturating_add(left)).zip(spec.timeout),
            clock: self.clock.clone(),
            helpers: (!alone).then(|| self.peers.clone() as Arc<dyn Helpers>),
            waker,
            caller: spec.caller,
            seed: self.seed.fetch_add(1, Ordering::Relaxed),
            computed,
            draws: Draws::new(spec.plan.seed),
            plan: spec.plan,
            params: spec.params,
            access: spec.access,
            files: spec.files,
        })
    }
}

/// Bytes of what a query was sent with, if they are worth counting.
fn weight_of(params: &[Value]) -> isize {
    const SMALL: usize = 64 << 10;
    let mut weight = Weight::default();
    params.iter().for_each(|value| weight.add(value));
    if weight.bytes < SMALL { 0 } else { weight.bytes as isize }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.threads.stop();
        self.threads.committers.stop();
    }
}

/// A query on the executors. Dropping it abandons the query: its operator tree is terminated, its sink dropped.
#[derive(Debug)]
pub struct QueryHandle {
    cancel: CancelToken,
    waker: Waker,
    tie: Arc<Tie>,
    inbox: Arc<Inbox>,
}

impl std::fmt::Debug for Inbox {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inbox").field("load", &self.load).finish_non_exhaustive()
    }
}

impl QueryHandle {
    /// Ends the query; its sink is told [`QueryError::Cancelled`].
    pub fn cancel(&self) {
        self.cancel.cancel();
        if !self.tie.is_over() {
            self.inbox.wake();
        }
    }

    /// To be woken when the sink has room again.
    pub fn waker(&self) -> &Waker {
        &self.waker
    }
}

impl Drop for QueryHandle {
    fn drop(&mut self) {
        let is_to_learn = self.tie.abandon();
        self.cancel.cancel();
        if is_to_learn {
            self.inbox.wake();
        }
    }
}

/// Says whether a query on the calling thread is to end. It is asked between two turns, so no later than each 50 ms, on that thread.
pub type Interrupt = Arc<dyn Fn() -> bool + Send + Sync>;

/// The engine that a query runs on.
enum Held<'a> {
    Lent(&'a Engine),
    Shared(Arc<Engine>),
}

impl std::ops::Deref for Held<'_> {
    type Target = Engine;

    #[inline]
    fn deref(&self) -> &Engine {
        match self {
            Self::Lent(engine) => engine,
            Self::Shared(engine) => engine,
        }
    }
}

/// A query on the calling thread.
pub struct LocalQuery<'a> {
    query: Option<RunningQuery>,
    engine: Held<'a>,
    bell: Arc<(Mutex<()>, Condvar)>,
    interrupt: Option<Interrupt>,
    complete: bool,
}

impl std::fmt::Debug for LocalQuery<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LocalQuery").field("query", &self.query).finish_non_exhaustive()
    }
}

/// A local query looks up only to notice its deadline, so its turns are long.
const LOCAL_TURN: Duration = Duration::from_millis(50);

/// Waits until the query may hold more memory.
fn wait_for_memory(state: &QueryState) -> Result<(), QueryError> {
    // Nearly always it may at once, and the clock takes as long as all the rest.
    if state.memory.may_go_on() {
        return Ok(());
    }
    let began = state.clock.now();
    while !state.memory.may_go_on() {
        state.check()?;
        if state.clock.now().saturating_sub(began) >= PATIENCE {
            return Err(state.memory.busy());
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(())
}

impl<'a> LocalQuery<'a> {
    fn new(engine: Held<'a>, spec: QuerySpec) -> Self {
        let bell = Arc::new((Mutex::new(()), Condvar::new()));
        let waker = Waker::new({
            let bell = bell.clone();
            move || {
                drop(bell.0.lock());
                bell.1.notify_all();
            }
        });
        let detail = spec.detail;
        let state = engine.state(spec, waker);
        Self { query: Some(RunningQuery::new(state, detail)), engine, bell, interrupt: None, complete: false }
    }

    /// The same, ended with [`QueryError::Cancelled`] as soon as somebody says so.
    #[must_use]
    pub fn with_interrupt(self, interrupt: Option<Interrupt>) -> Self {
        Self { interrupt, ..self }
    }

    /// The next results; `None` at the end. A query that writes, or is a transaction of its own, has none before it is ended: with
    /// [`LocalQuery::finish`], or [`LocalQuery::end_within`].
    ///
    /// # Errors
    /// The error that ends the query.
    pub fn next_batch(&mut self) -> Result<Option<Results>, QueryError> {
        let Some(query) = &mut self.query else { return Ok(None) };
        let mut at_work = self.engine.peers.at_work();
        loop {
            if self.complete {
                return Ok(None);
            }
            if self.interrupt.as_ref().is_some_and(|interrupt| interrupt()) {
                query.state().cancel.cancel();
                return Err(QueryError::Cancelled);
            }
            wait_for_memory(query.state())?;
            let ran = query.run(Quota::new(&*self.engine.clock, LOCAL_TURN));
            at_work.has_run_for(query.time());
            let (progress, results) = ran?;
            self.complete = progress == Progress::Complete;
            if !results.is_empty() {
                return Ok(Some(results));
            }
            let waker = &query.state().waker;
            if progress == Progress::Blocked && !(watch(|| waker.is_woken()) && waker.take()) {
                let mut held = self.bell.0.lock();
                if !waker.take() {
                    self.bell.1.wait_for(&mut held, Duration::from_millis(20));
                }
            }
        }
    }

    /// What its operators share: counters, memory.
    pub fn state(&self) -> Option<&Arc<QueryState>> {
        self.query.as_ref().map(RunningQuery::state)
    }

    /// Ends it: commits what it wrote. The results of a writing query are as of its commit.
    ///
    /// # Errors
    /// [`QueryError::Graph`], retryable on a conflict.
    pub fn finish(mut self) -> Result<(Summary, Results), QueryError> {
        match self.query.take() {
            Some(query) => query.commit(),
            None => Ok((Summary::default(), Results::new())),
        }
    }

    /// Ends it as a part of a transaction that goes on; the results that have not left yet. What elements among them show has been
    /// read.
    ///
    /// # Errors
    /// If something could not be read.
    pub fn end_within(mut self) -> Result<Results, QueryError> {
        self.query.take().map_or_else(|| Ok(Results::new()), RunningQuery::end_within)
    }
}
