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
    sync::Arc,
    time::{Duration, Instant},
};

use access::Role;
use dataflow::{Access, QueryError, Results, detach::Detail};
use graph::{GraphError, Settled, Submitted, Transaction};
use gremlin::{Action, Bindings, Statement, Terminal};
use parking_lot::Mutex;
use server::Holder;
use values::{Str, Value};

use super::{
    Ground,
    account::Place,
    ground::{Open, lifetime_over},
    kept::Kept,
};
use crate::{
    Error,
    asker::Needs,
    request::{
        Attempts, Life, Plot, Ready, Request, Runnable, Seen, ServerSink, Step, Way, Wishes, refusal,
        unrolled,
    },
    service_threads::{Call, SERVICE_THREADS},
    services::begins_with_call,
    time_limit::TimeLimit,
};

/// See the module.
pub(crate) struct Course {
    ground: Arc<Ground>,
    /// How long it may take, if the statement that runs says nothing else.
    time: Mutex<TimeLimit>,
    /// Of one that is a transaction of its own: how it began, to begin again.
    beginning: Option<Beginning>,
    /// What is still to be done. It is used by who runs the script alone.
    plot: Mutex<Plot>,
    under: Mutex<Under>,
}

struct Beginning {
    plot: Plot,
    variables: Arc<Bindings>,
}

/// What is under way.
struct Under {
    /// How complete the elements in its answer are, which is that of the last statement.
    detail: Option<Detail>,
    /// Whether the script itself has begun or ended transactions.
    is_explicit: bool,
}

/// What is remembered of a statement while its query runs.
pub(crate) struct Queried {
    /// Whether the statement is the last one: its results are the answer.
    is_last: bool,
    /// Where they are kept.
    variable: Option<(Str, Kept)>,
    /// That of the transaction, if it ends with the statement.
    place: Option<Place>,
}

impl Step for Queried {
    fn is_answer(&self) -> bool {
        self.is_last
    }

    fn keeps(&self) -> bool {
        self.variable.is_some()
    }

    fn keep(&mut self, results: &Results) {
        if let Some((_, kept)) = &mut self.variable {
            results.iter().for_each(|(value, times)| kept.add(value, *times));
        }
    }
}

impl Way for Course {
    type Step = Queried;

    fn done(life: &Arc<Life<Self>>, queried: Queried, report: Option<Value>) {
        let Queried { is_last, variable, place } = queried;
        drop(place);
        let variable = variable.map(|(name, kept)| match &report {
            Some(report) => Ok((name, report.clone())),
            None => kept.value(&name).map(|value| (name, value)),
        });
        life.done(variable.transpose(), report, is_last);
    }

    fn may_go_again(&self) -> bool {
        !self.under.lock().is_explicit
    }

    fn again(life: &Arc<Life<Self>>) -> Result<(), Error> {
        let Self { ground, beginning: Some(beginning), plot, .. } = &life.way else { return Ok(()) };
        ground.roll_back();
        *plot.lock() = beginning.plot.clone();
        ground.reset(&beginning.variables)?;
        life.go_on_aside();
        Ok(())
    }

    fn succeeded(&self) {
        self.ground.end_request();
    }

    fn failed(&self, error: &Error) -> server::QueryError {
        let told = self.settle(error);
        self.ground.end_request();
        told
    }

    fn given_up(&self) {
        if self.manages() {
            self.ground.roll_back();
        } else {
            self.ground.give_up(|| "a request of it was given up before it had been answered".into());
        }
        self.ground.end_request();
    }

    fn missed(&self) {
        if !self.manages() {
            // What it wrote is there, and its client was told that it failed.
            self.given_up();
        }
    }

    fn detail(&self) -> Option<Detail> {
        self.under.lock().detail
    }

    fn deadline(&self) -> Option<Instant> {
        self.time.lock().deadline()
    }
}

impl Course {
    /// Starts a request; what the server holds of it. `manages`: it is a transaction of its own.
    pub(crate) fn start(
        ground: Arc<Ground>,
        plot: Plot,
        wishes: Wishes,
        manages: bool,
        sink: ServerSink,
    ) -> Box<dyn server::Running> {
        let (inner, wishes) = (ground.inner().clone(), wishes.begun());
        let time = wishes.time(&inner);
        let attempts = manages.then(|| Attempts::new(&inner, time.clone()));
        let beginning = manages.then(|| Beginning { plot: plot.clone(), variables: ground.variables() });
        let under = Mutex::new(Under { detail: None, is_explicit: false });
        let course = Self { ground, time: Mutex::new(time), beginning, plot: Mutex::new(plot), under };
        let life = Life::new(&inner, wishes, sink, attempts, course);
        life.go_on();
        life.handle()
    }

    /// Whether it is a transaction of its own.
    fn manages(&self) -> bool {
        self.beginning.is_some()
    }

    /// What becomes of the transaction after an error, and what the client is told.
    fn settle(&self, error: &Error) -> server::QueryError {
        let told = refusal(error);
        if self.manages() {
            self.ground.roll_back();
            return told;
        }
        if !ends_transaction(error) {
            return told;
        }
        let sessions = &self.ground.inner().options.sessions;
        let has_lived = matches!(error, Error::Query(QueryError::TimedOut(_))) && self.has_time();
        let why = if has_lived { lifetime_over(sessions.lifetime) } else { told.message.clone() };
        self.ground.give_up(|| why.clone());
        let message = format!("{why}; the session's transaction has been rolled back");
        server::QueryError { message, ..told }
    }

    /// Whether the request itself has time left.
    fn has_time(&self) -> bool {
        self.time.lock().deadline().is_none_or(|deadline| Instant::now() < deadline)
    }
}

impl Life<Course> {
    /// Runs statements until one takes its time, or the last has been run.
    fn go_on(self: &Arc<Self>) {
        if let Err(error) = self.proceed() {
            self.fail(error);
        }
    }

    /// The same on a thread that may wait.
    fn go_on_aside(self: &Arc<Self>) {
        let course = self.clone();
        self.inner.engine.aside(move || {
            course.guarded(Self::go_on);
        });
    }

    fn proceed(self: &Arc<Self>) -> Result<(), Error> {
        while !self.has_ended() {
            let Some((statement, is_last)) = self.read_next()? else { return self.end(None) };
            if calls_service(&statement) {
                return self.call(statement, is_last);
            }
            if self.run(statement, is_last)? == Ran::UnderWay {
                return Ok(());
            }
            if is_last {
                return self.end(None);
            }
        }
        Ok(())
    }

    /// The time that it has, as long as anybody waits for it.
    fn time(self: &Arc<Self>) -> TimeLimit {
        let (time, life) = (self.way.time.lock().clone(), self.clone());
        time.unless(Some(Arc::new(move || life.is_unwanted())))
    }

    /// Reads the next statement, and says whether it is the last. A script may have very many of them, and a short one may take long
    /// to read with what its variables have come to.
    fn read_next(self: &Arc<Self>) -> Result<Option<(Statement, bool)>, Error> {
        let variables = self.way.ground.variables();
        self.time().spend(|| self.way.plot.lock().next(&variables))?
    }

    /// Runs a statement that begins with a service on [a thread](crate::service_threads) that may wait; and goes on there.
    fn call(self: &Arc<Self>, statement: Statement, is_last: bool) -> Result<(), Error> {
        let call = ServiceStatement { course: self.clone(), statement, is_last };
        SERVICE_THREADS.call(Box::new(call)).map_err(|error| Error::Engine(Arc::new(error)))
    }

    /// Runs such a statement, and goes on.
    fn run_service(self: &Arc<Self>, statement: Statement, is_last: bool) {
        let ran = match self.time().spend(|| ()) {
            Ok(()) => self.run(statement, is_last),
            // It has waited for a thread for too long, or nobody wants it any more.
            Err(late) => Err(late.into()),
        };
        match ran {
            Err(error) => self.fail(error),
            Ok(Ran::UnderWay) => {}
            Ok(Ran::Done) if is_last => self.end(None).unwrap_or_else(|error| self.fail(error)),
            Ok(Ran::Done) => self.go_on_aside(),
        }
    }

    fn run(self: &Arc<Self>, statement: Statement, is_last: bool) -> Result<Ran, Error> {
        if statement.as_text {
            return Err(Error::Script("toString() is not supported yet; leave it out".into()));
        }
        match statement.action {
            Action::Begin => {
                self.way.under.lock().is_explicit = true;
                self.transaction()?;
                Ok(Ran::Done)
            }
            Action::Rollback => {
                self.way.under.lock().is_explicit = true;
                self.way.ground.roll_back();
                Ok(Ran::Done)
            }
            Action::Commit => {
                if self.wishes.is_keyed() && !is_last {
                    return Err(Error::RequestKey(
                        "a request with a key is done as a whole or not at all: only its last statement may be commit(); nothing of it \
                         has happened"
                            .into(),
                    ));
                }
                self.way.under.lock().is_explicit = true;
                let Some(open) = self.way.ground.take()? else { return Ok(Ran::Done) };
                self.commit(open, is_last, None);
                Ok(Ran::UnderWay)
            }
            Action::Value(value) => {
                if let Some(variable) = statement.variable {
                    self.way.ground.set(variable, value.clone())?;
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
        self.way.ground.transaction(|| match self.attempts() {
            Some(attempts) => self.inner.graph.begin_in(self.inner.snapshot(), &attempts.turn),
            None => self.way.ground.begin(),
        })
    }

    /// Plans a traversal and runs it.
    fn traverse(self: &Arc<Self>, mut statement: Statement, is_last: bool) -> Result<Ran, Error> {
        let variable = statement.variable.take();
        let kept = match (&variable, &mut statement.action) {
            (Some(variable), Action::Traverse(_, terminal)) => {
                Some(Kept::new(*terminal, variable, self.way.ground.most_variable_bytes())?)
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
        let life = self.clone();
        let wishes = self.wishes.clone().until(Arc::new(move || life.is_unwanted()));
        match Ready::of_request(&self.inner, request, Seen::Within(&transaction), &wishes)? {
            Ready::Nothing => Ok(Ran::Done),
            Ready::Text(text) => {
                let text = Value::from(text);
                if let Some(variable) = variable {
                    self.way.ground.set(variable, text.clone())?;
                }
                if is_last { self.end(Some(text)).map(|()| Ran::UnderWay) } else { Ok(Ran::Done) }
            }
            Ready::Run(run) => {
                self.query(run, (transaction, left), variable.zip(kept), is_last)?;
                Ok(Ran::UnderWay)
            }
        }
    }

    fn query(
        self: &Arc<Self>,
        run: Runnable,
        (transaction, left): (Arc<Transaction>, Option<Duration>),
        variable: Option<(Str, Kept)>,
        is_last: bool,
    ) -> Result<(), Error> {
        let Runnable { prepared, needs_one, .. } = run;
        self.way.under.lock().detail = is_last.then(|| prepared.detail());
        let mut place = None;
        let access = if is_last && self.way.manages() {
            // It ends with this statement, and the engine commits it.
            place = self.way.ground.take()?.and_then(|open| open.place);
            self.may_commit(&transaction)?;
            if prepared.plan.writes || transaction.has_writes() {
                Access::Write(transaction)
            } else {
                Access::Read(transaction.base().clone())
            }
        } else {
            Access::Within(transaction)
        };
        *self.way.time.lock() = self.wishes.time_of(&self.inner, prepared.timeout);
        let mut spec = prepared.into_spec_within(&self.inner, &self.wishes, access);
        if let Some(left) = left {
            let ends = spec.spent.saturating_add(left);
            spec.timeout = Some(spec.timeout.map_or(ends, |timeout| timeout.min(ends)));
        }
        self.submit(spec, needs_one, Queried { is_last, variable, place });
        Ok(())
    }

    /// A statement has been run.
    fn done(
        self: &Arc<Self>,
        variable: Result<Option<(Str, Value)>, Error>,
        report: Option<Value>,
        is_last: bool,
    ) {
        let set = variable.and_then(|variable| {
            variable.map_or(Ok(()), |(variable, value)| self.way.ground.set(variable, value))
        });
        match set {
            Err(error) => self.fail(error),
            Ok(()) if is_last => self.finish(report.map(unrolled)),
            Ok(()) => self.go_on_aside(),
        }
    }

    /// All statements have been run, and the last one was no query.
    fn end(self: &Arc<Self>, answer: Option<Value>) -> Result<(), Error> {
        if self.way.manages()
            && let Some(open) = self.way.ground.take()?
        {
            self.commit(open, true, answer);
        } else if !self.has_ended() {
            // Where it was given up meanwhile, its transaction may have been rolled back with it: that is no success.
            self.finish(answer.map(unrolled));
        }
        Ok(())
    }

    /// Whether whoever asks may commit what a transaction has written: that may have been allowed when it was, and not now.
    fn may_commit(&self, transaction: &Transaction) -> Result<(), Error> {
        if !transaction.has_writes() {
            return Ok(());
        }
        self.wishes.asker().check(Needs::Here(Role::Write), "a commit of what was written")
    }

    /// Commits a transaction on a thread that may wait for the disk, and goes on there.
    fn commit(self: &Arc<Self>, open: Open, is_last: bool, answer: Option<Value>) {
        if let Err(error) = self.may_commit(&open.transaction) {
            // Nothing of it happens.
            drop(open);
            return self.fail(error);
        }
        let course = self.clone();
        self.inner.engine.aside(move || {
            let settled = course.guarded(|course| course.commit_here(open, is_last, answer)).flatten();
            drop(course);
            settled.into_iter().for_each(Settled::flush);
        });
    }

    /// The same on the calling thread; what is left to do behind the commit, if there was one.
    fn commit_here(self: &Arc<Self>, open: Open, is_last: bool, answer: Option<Value>) -> Option<Settled> {
        // A client that has gone wants no commit: it could never learn of it.
        if self.has_ended() {
            return None;
        }
        let Open { transaction, place, .. } = open;
        let commit = || {
            let submitted = transaction.submit();
            drop(transaction);
            let committed = submitted.and_then(Submitted::settle);
            drop(place);
            committed.map_err(|error| match self.way.manages() {
                true => QueryError::Graph(Arc::new(error)).into(),
                false => Error::Lost(Arc::new(error)),
            })
        };
        let settled = match self.wishes.part("commit", commit) {
            Ok(settled) => settled,
            Err(error) => {
                self.fail(error);
                return None;
            }
        };
        match is_last {
            true => self.finish(answer.map(unrolled)),
            false => self.go_on(),
        }
        Some(settled)
    }
}

/// A statement that begins with a service, until there is a thread for it.
struct ServiceStatement {
    course: Arc<Life<Course>>,
    statement: Statement,
    is_last: bool,
}

impl Call for ServiceStatement {
    fn holder(&self) -> Option<Holder> {
        self.course.wishes.asker().holder()
    }

    fn is_over(&self) -> bool {
        let deadline = self.course.way.time.lock().deadline();
        self.course.is_unwanted() || deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn run(self: Box<Self>) {
        let Self { course, statement, is_last } = *self;
        course.guarded(|course| course.run_service(statement, is_last));
    }
}

/// Whether a statement has been run, or is under way.
#[derive(PartialEq)]
enum Ran {
    Done,
    UnderWay,
}

/// Whether a statement begins with a service.
fn calls_service(statement: &Statement) -> bool {
    matches!(&statement.action, Action::Traverse(traversal, _) if begins_with_call(traversal))
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

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use server::{Client, Push, ResultBatch, ResultSink, Summary};

    use super::*;
    use crate::Database;

    struct Told(mpsc::Sender<bool>);

    impl ResultSink for Told {
        fn push(&self, _: ResultBatch) -> Push {
            Push::Taken
        }
        fn finish(&self, outcome: Result<Summary, server::QueryError>) {
            let _ = self.0.send(outcome.is_ok());
        }
    }

    /// Ends a script that has written, after it was given up or not. What its client is told.
    fn end(is_given_up: bool) -> mpsc::Receiver<bool> {
        let db = Database::in_memory().unwrap();
        let client = Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection: 1 };
        let wishes = Wishes::of_application();
        let plot = Plot::read("1", "g", &Bindings::new()).unwrap();
        let course = Course {
            ground: Ground::of_script(&db.inner, client, Bindings::new()).unwrap(),
            time: Mutex::new(wishes.time(&db.inner)),
            beginning: Some(Beginning { plot: plot.clone(), variables: Arc::default() }),
            plot: Mutex::new(plot),
            under: Mutex::new(Under { detail: None, is_explicit: false }),
        };
        let (send, told) = mpsc::channel();
        let life = Life::new(&db.inner, wishes, Arc::new(Told(send)), None, course);
        life.transaction().unwrap().0.add_vertex(None, "a").unwrap();
        let handle = life.clone().handle();
        if is_given_up {
            handle.cancel();
        }
        life.end(None).unwrap();
        if !is_given_up {
            assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok(true));
        }
        told
    }

    #[test]
    fn what_was_rolled_back_because_its_client_went_is_no_success() {
        end(false);
        assert!(end(true).try_recv().is_err());
    }
}
