//! One request of a session, or a script of several statements, on its way.
//!
//! ```text
//!   statement ─▶ planned on the transaction's view ─▶ runs within it ─▶ next statement (on a thread that commits)
//!      │ last                                                              
//!      ▼
//!   answer: at once, or with the commit, if the request is a transaction of its own
//! ```
//!
//! | it fails | and is a transaction of its own | and is part of the session's |
//! |---|---|---|
//! | for a reason of its own | it is rolled back | the transaction stays open, with what it wrote until then |
//! | out of time, or of room for writes | it is rolled back | so is the session's transaction, and it is told until it ends it |
//! | at a commit | it is run again, if it says nothing of transactions itself | the transaction is rolled back |

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

use dataflow::detach::Detail;
use dataflow::{Access, QueryError, QueryHandle};
use graph::{GraphError, Submitted, Transaction};
use gremlin::{Action, Bindings, Statement, Terminal};
use parking_lot::Mutex;
use server::{Push, ResultBatch};
use values::{Str, Value};

use super::{
    Ground,
    ground::{Open, lifetime_over},
    kept::Kept,
    relay::Relay,
};
use crate::{
    Error,
    request::{
        Attempts, Next, Plot, Ready, Request, Runnable, Seen, ServerSink, TimeLimit, Wishes, materialize,
        refusal,
    },
};

/// See the module.
pub(crate) struct Course {
    ground: Arc<Ground>,
    wishes: Wishes,
    sink: ServerSink,
    /// Whether it is a transaction of its own.
    manages: bool,
    /// How long it may take, if the statement that runs says nothing else.
    time: Mutex<TimeLimit>,
    /// Of one that is a transaction of its own: how it began, to begin again.
    beginning: Option<Beginning>,
    under: Mutex<Under>,
    /// The number of the latest attempt that was begun.
    begun: AtomicU32,
    ended: AtomicBool,
}

struct Beginning {
    plot: Plot,
    variables: Bindings,
    attempts: Attempts,
}

/// What is under way.
struct Under {
    plot: Plot,
    /// The number of the latest query, and what is held of it.
    query: (u32, Option<QueryHandle>),
    queries: u32,
    /// How complete the elements in its answer are, which is that of the last statement.
    detail: Option<Detail>,
    /// Whether the script itself has begun or ended transactions.
    is_explicit: bool,
}

impl Course {
    /// Starts a request; what the server holds of it.
    pub(crate) fn start(
        ground: Arc<Ground>,
        plot: Plot,
        wishes: Wishes,
        manages: bool,
        sink: ServerSink,
    ) -> Box<dyn server::Running> {
        let wishes = wishes.begun();
        let time = wishes.time(ground.inner());
        let beginning = manages.then(|| Beginning {
            plot: plot.clone(),
            variables: ground.variables(),
            attempts: Attempts::new(ground.inner(), time),
        });
        let under =
            Mutex::new(Under { plot, query: (0, None), queries: 0, detail: None, is_explicit: false });
        let course = Arc::new(Self {
            ground,
            wishes,
            sink,
            manages,
            time: Mutex::new(time),
            beginning,
            under,
            begun: AtomicU32::new(0),
            ended: AtomicBool::new(false),
        });
        course.go_on();
        Box::new(Handle(course))
    }

    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Acquire)
    }

    /// Offers results to the client.
    pub(super) fn offer(&self, batch: ResultBatch) -> Push {
        self.sink.push(batch)
    }

    /// Runs statements until one takes its time, or the last has been run.
    fn go_on(self: &Arc<Self>) {
        if let Err(error) = self.proceed() {
            self.fail(error);
        }
    }

    fn proceed(self: &Arc<Self>) -> Result<(), Error> {
        while !self.has_ended() {
            // A script may have very many statements.
            self.time.lock().spend(|| ())?;
            let variables = self.ground.variables();
            let next = self.under.lock().plot.next(&variables)?;
            let Some((statement, is_last)) = next else { return self.end(None) };
            if self.run(statement, is_last)? == Ran::UnderWay {
                return Ok(());
            }
            if is_last {
                return self.end(None);
            }
        }
        Ok(())
    }

    fn run(self: &Arc<Self>, statement: Statement, is_last: bool) -> Result<Ran, Error> {
        if statement.as_text {
            return Err(Error::Script("toString() is not supported yet; leave it out".into()));
        }
        match statement.action {
            Action::Begin => {
                self.under.lock().is_explicit = true;
                self.transaction()?;
                Ok(Ran::Done)
            }
            Action::Rollback => {
                self.under.lock().is_explicit = true;
                self.ground.roll_back();
                Ok(Ran::Done)
            }
            Action::Commit => {
                self.under.lock().is_explicit = true;
                let Some(open) = self.ground.take()? else { return Ok(Ran::Done) };
                self.commit(open, is_last, None);
                Ok(Ran::UnderWay)
            }
            Action::Value(value) => {
                if let Some(variable) = statement.variable {
                    self.ground.set(variable, value.clone())?;
                }
                if !is_last {
                    return Ok(Ran::Done);
                }
                self.end(Some(value)).map(|()| Ran::UnderWay)
            }
            Action::Nothing => Ok(Ran::Done),
            Action::Traverse(..) | Action::Source(_) => self.traverse(statement, is_last),
        }
    }

    /// The transaction that it is a part of, and how long that may still be open.
    fn transaction(&self) -> Result<(Arc<Transaction>, Option<Duration>), Error> {
        self.ground.transaction(|| match &self.beginning {
            Some(Beginning { attempts, .. }) => {
                let graph = &self.ground.inner().graph;
                graph.begin_in(graph.snapshot(), &attempts.turn)
            }
            None => self.ground.begin(),
        })
    }

    /// Plans a traversal and runs it.
    fn traverse(self: &Arc<Self>, mut statement: Statement, is_last: bool) -> Result<Ran, Error> {
        let variable = statement.variable.take();
        let kept = match (&variable, &mut statement.action) {
            (Some(variable), Action::Traverse(_, terminal)) => {
                Some(Kept::new(*terminal, variable, self.ground.most_variable_bytes())?)
            }
            (None, Action::Traverse(_, terminal)) if !is_last && sends_all(*terminal) => {
                // Nobody sees its results.
                *terminal = Terminal::Iterate;
                None
            }
            _ => None,
        };
        let request = Request::of_statement(statement)?;
        let (transaction, left) = self.transaction()?;
        let inner = self.ground.inner();
        match Ready::of_request(inner, request, Seen::Within(&transaction), &self.wishes)? {
            Ready::Nothing => Ok(Ran::Done),
            Ready::Text(text) => {
                let text = Value::from(text);
                if let Some(variable) = variable {
                    self.ground.set(variable, text.clone())?;
                }
                if is_last { self.end(Some(text)).map(|()| Ran::UnderWay) } else { Ok(Ran::Done) }
            }
            Ready::Run(run) => {
                self.submit(run, (transaction, left), variable.zip(kept), is_last)?;
                Ok(Ran::UnderWay)
            }
        }
    }

    fn submit(
        self: &Arc<Self>,
        run: Runnable,
        (transaction, left): (Arc<Transaction>, Option<Duration>),
        variable: Option<(Str, Kept)>,
        is_last: bool,
    ) -> Result<(), Error> {
        let Runnable { prepared, needs_one, .. } = run;
        let (inner, plan) = (self.ground.inner(), prepared.plan.clone());
        let mut place = None;
        let access = if is_last && self.manages {
            // It ends with this statement, and the engine commits it.
            place = self.ground.take()?.and_then(|open| open.place);
            if plan.writes || transaction.has_writes() {
                Access::Write(transaction)
            } else {
                Access::Read(transaction.base().clone())
            }
        } else {
            Access::Within(transaction)
        };
        let (time, detail) = (self.wishes.time_of(inner, prepared.timeout), prepared.detail());
        *self.time.lock() = time;
        let mut spec = prepared.into_spec_within(inner, &self.wishes, access);
        if let Some(left) = left {
            let ends = spec.spent.saturating_add(left);
            spec.timeout = Some(spec.timeout.map_or(ends, |timeout| timeout.min(ends)));
        }
        let number = {
            let mut under = self.under.lock();
            under.queries += 1;
            under.detail = is_last.then_some(detail);
            under.queries
        };
        let relay = Relay {
            course: self.clone(),
            plan,
            needs_one,
            is_last,
            variable,
            place,
            delivered: false,
            memory: None,
            profile: None,
        };
        let handle = inner.engine.submit(spec, Box::new(relay));
        let mut under = self.under.lock();
        // It may be over already, and a later one may have been started by its relay.
        if number >= under.query.0 {
            under.query = (number, Some(handle));
        }
        drop(under);
        if self.has_ended() {
            self.stop();
        }
        Ok(())
    }

    /// A statement has been run.
    pub(super) fn done(
        self: &Arc<Self>,
        variable: Result<Option<(Str, Value)>, Error>,
        report: Option<Value>,
        is_last: bool,
    ) {
        let set = variable.and_then(|variable| {
            variable.map_or(Ok(()), |(variable, value)| self.ground.set(variable, value))
        });
        match set {
            Err(error) => self.fail(error),
            Ok(()) if is_last => self.finish(report),
            Ok(()) => {
                let course = self.clone();
                self.ground.inner().engine.aside(move || course.go_on());
            }
        }
    }

    /// All statements have been run, and the last one was no query.
    fn end(self: &Arc<Self>, answer: Option<Value>) -> Result<(), Error> {
        if self.manages
            && let Some(open) = self.ground.take()?
        {
            self.commit(open, true, answer);
        } else {
            self.finish(answer);
        }
        Ok(())
    }

    /// Commits a transaction on a thread that may wait for the disk, and goes on there.
    fn commit(self: &Arc<Self>, open: Open, is_last: bool, answer: Option<Value>) {
        let course = self.clone();
        self.ground.inner().engine.aside(move || {
            // A client that has gone wants no commit: it could never learn of it.
            if course.has_ended() {
                return;
            }
            let Open { transaction, place, .. } = open;
            let submitted = transaction.submit();
            drop(transaction);
            let committed = submitted.and_then(Submitted::wait);
            drop(place);
            match committed {
                Ok(_) if is_last => course.finish(answer),
                Ok(_) => course.go_on(),
                Err(error) if course.manages => course.fail(QueryError::Graph(Arc::new(error)).into()),
                Err(error) => course.fail(Error::Lost(Arc::new(error))),
            }
        });
    }

    fn finish(&self, answer: Option<Value>) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        self.give_up_turn();
        self.ground.end_request();
        if let Some(answer) = answer {
            // A sink that has seen nothing has room for one batch; one that nobody listens to needs none.
            let _ = self.sink.push(ResultBatch::of(unrolled(answer)));
        }
        self.sink.finish(Ok(server::Summary::default()));
    }

    /// Ends it with an error, or runs it again.
    pub(super) fn fail(self: &Arc<Self>, error: Error) {
        let error = match self.lost(error) {
            Ok(()) => return,
            Err(error) => error,
        };
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        self.give_up_turn();
        let told = self.settle(error);
        self.ground.end_request();
        self.sink.finish(Err(told));
    }

    /// What becomes of the transaction after an error, and what the client is told.
    fn settle(&self, error: Error) -> server::QueryError {
        if self.manages {
            self.ground.roll_back();
            return refusal(&error);
        }
        let told = refusal(&error);
        if !ends_transaction(&error) {
            return told;
        }
        let sessions = &self.ground.inner().options.sessions;
        let has_lived = matches!(error, Error::Query(QueryError::TimedOut(_))) && self.wishes_more();
        let why = if has_lived { lifetime_over(sessions.lifetime) } else { told.message.clone() };
        self.ground.give_up(|| why.clone());
        let message = format!("{why}; the session's transaction has been rolled back");
        server::QueryError { message, ..told }
    }

    /// Whether the request itself has time left.
    fn wishes_more(&self) -> bool {
        self.time.lock().deadline().is_none_or(|deadline| Instant::now() < deadline)
    }

    /// A transaction of its own has lost: it is run again, or the error stays.
    fn lost(self: &Arc<Self>, error: Error) -> Result<(), Error> {
        let (Some(beginning), Error::Query(error)) = (&self.beginning, &error) else { return Err(error) };
        if self.under.lock().is_explicit || self.has_ended() {
            return Err(error.clone().into());
        }
        let number = self.begun.load(Ordering::Acquire) + 1;
        beginning.attempts.lost(self.ground.inner(), number, error.clone())?;
        self.again(number);
        Ok(())
    }

    /// Begins attempt `number` when its turn has come. May be asked any number of times.
    fn again(self: &Arc<Self>, number: u32) {
        let Some(Beginning { attempts, .. }) = &self.beginning else { return };
        if self.begun.load(Ordering::Acquire) >= number || self.has_ended() {
            return;
        }
        let course = self.clone();
        let wake = move || course.later(Duration::ZERO, move |course| course.again(number));
        match attempts.next(number, wake) {
            Next::Now => self.begin_again(number),
            Next::Ask(wait) => self.later(wait, move |course| course.again(number)),
            Next::After(wait) => self.later(wait, move |course| course.begin_again(number)),
        }
    }

    fn later(self: &Arc<Self>, delay: Duration, act: impl FnOnce(&Arc<Self>) + Send + 'static) {
        let course = self.clone();
        self.ground.inner().retries.after(delay, Box::new(move || act(&course)));
    }

    /// Begins attempt `number`, once.
    fn begin_again(self: &Arc<Self>, number: u32) {
        let Some(beginning) = &self.beginning else { return };
        let before = self.begun.compare_exchange(number - 1, number, Ordering::AcqRel, Ordering::Acquire);
        if before.is_err() {
            return;
        }
        self.ground.roll_back();
        self.under.lock().plot = beginning.plot.clone();
        match self.ground.reset(beginning.variables.clone()) {
            Ok(()) => {
                let course = self.clone();
                self.ground.inner().engine.aside(move || course.go_on());
            }
            Err(error) => self.fail(error),
        }
    }

    /// Drops the query that is under way, which terminates its operators.
    fn stop(&self) {
        let handle = self.under.lock().query.1.take();
        drop(handle);
        self.give_up_turn();
    }

    fn give_up_turn(&self) {
        if let Some(Beginning { attempts, .. }) = &self.beginning {
            attempts.turn.release();
        }
    }

    fn cancel(&self) {
        if self.ended.swap(true, Ordering::AcqRel) {
            return;
        }
        self.stop();
        self.leave();
    }

    /// The request is over without its client's knowing how it ended.
    fn leave(&self) {
        if self.manages {
            self.ground.roll_back();
        } else {
            self.ground.give_up(|| "a request of it was given up before it had been answered".into());
        }
        self.ground.end_request();
    }
}

/// Whether a statement has been run, or is under way.
#[derive(PartialEq)]
enum Ran {
    Done,
    UnderWay,
}

/// Whether all results of a traversal would be sent.
fn sends_all(terminal: Terminal) -> bool {
    matches!(terminal, Terminal::Unsaid | Terminal::ToList | Terminal::ToSet | Terminal::ToBulkSet)
}

/// Whether a session's transaction cannot go on after an error: part of what a request was to write is missing, and nobody knows
/// which.
fn ends_transaction(error: &Error) -> bool {
    match error {
        Error::Query(QueryError::Graph(cause)) | Error::Graph(cause) => matches!(
            **cause,
            GraphError::LimitExceeded { .. }
                | GraphError::Crowded { .. }
                | GraphError::TransactionEnded
                | GraphError::Corrupt { .. }
                | GraphError::LogFailed(_)
                | GraphError::Store(_)
        ),
        Error::Query(error) => {
            matches!(error, QueryError::TimedOut(_) | QueryError::Cancelled | QueryError::Internal { .. })
        }
        _ => false,
    }
}

/// A value as results: the members of a list or set, the entries of a map, or itself.
fn unrolled(value: Value) -> Vec<(Value, u64)> {
    match value {
        Value::List(list) => list.iter().map(|member| (member.clone(), 1)).collect(),
        Value::Set(set) => set.iter().map(|member| (member.clone(), 1)).collect(),
        value => vec![(value, 1)],
    }
}

/// What the server holds of a request.
struct Handle(Arc<Course>);

impl server::Running for Handle {
    fn resume(&self) {
        if let Some(handle) = &self.0.under.lock().query.1 {
            handle.waker().wake();
        }
    }

    fn cancel(&self) {
        self.0.cancel();
    }

    fn missed(&self) {
        if self.0.has_ended() && !self.0.manages {
            // What it wrote is there, and its client was told that it failed.
            self.0.leave();
        } else {
            self.0.cancel();
        }
    }

    fn materialize(&self) -> Option<server::Materialize> {
        self.0.under.lock().detail.map(materialize)
    }

    fn deadline(&self) -> Option<Instant> {
        self.0.time.lock().deadline()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Drop for Course {
    fn drop(&mut self) {
        if !self.has_ended() {
            // A thread has died with it.
            let message = "the request was lost inside of the server; send it again".to_owned();
            self.sink.finish(Err(server::QueryError { kind: crate::ErrorKind::Internal, message }));
        }
    }
}
