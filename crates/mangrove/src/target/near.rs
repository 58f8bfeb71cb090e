//! A graph that this process has open.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use gremlin::{Action, Bindings, ParseOptions, Statements};
use mangrove::Database;
use server::{Client, Database as _, ErrorKind, Input, Query, QueryError, Running, Session};
use values::{Str, Value};

use super::{
    Bound, Description, Each, Stop, Summary, Target, Vocabulary,
    inbox::{Inbox, Next},
};
use crate::{failure::Failure, output::stats};

/// See the module.
pub struct Near {
    database: Database,
    place: String,
    session: Option<Lasting>,
}

/// What the scripts of a console have in common: variables, and perhaps a transaction.
struct Lasting {
    session: Arc<dyn Session>,
    /// Whether there is a transaction that the user has begun and not ended, though it may have been rolled back since.
    in_transaction: AtomicBool,
}

/// Copies of one result that are handed out between two looks at whether to stop.
const LOOK: u64 = 1 << 10;

impl Near {
    /// A graph of which each script knows nothing of those before. `place`: where it is, in words.
    pub fn new(database: Database, place: String) -> Self {
        Self { database, place, session: None }
    }

    /// A graph that remembers variables from script to script, and transactions that `g.tx().begin()` begins.
    ///
    /// # Errors
    /// When there is no room for a session.
    pub fn with_session(database: Database, place: String) -> Result<Self, Failure> {
        let session = server::Database::session(&database, client())?;
        let session = Some(Lasting { session, in_transaction: AtomicBool::new(false) });
        Ok(Self { database, place, session })
    }

    fn submit(&self, text: &str, bindings: &Bound, inbox: Arc<Inbox>) -> Box<dyn Running> {
        let query = query(text, bindings);
        match &self.session {
            Some(lasting) => lasting.session.submit(query, !lasting.goes_on_with(text), inbox),
            None => self.database.submit(query, inbox),
        }
    }
}

impl Target for Near {
    fn run(&self, text: &str, bindings: &Bound, stop: &Stop, each: Each<'_>) -> Result<Summary, Failure> {
        let inbox = Arc::new(Inbox::default());
        let running = self.submit(text, bindings, inbox.clone());
        let ran = drain(&inbox, running.as_ref(), stop, each);
        // The next one is not begun before this one is over.
        drop(running);
        if let Some(lasting) = &self.session {
            lasting.note(text, &ran);
        }
        ran
    }

    fn vocabulary(&self) -> Result<Vocabulary, Failure> {
        let snapshot = self.database.snapshot();
        let catalog = snapshot.catalog();
        Ok(Vocabulary {
            vertex_labels: catalog.vertex_labels().map(|(_, name)| name.to_string()).collect(),
            edge_labels: catalog.edge_labels().map(|(_, name)| name.to_string()).collect(),
            keys: catalog.keys().map(|(_, name)| name.to_string()).collect(),
        })
    }

    fn sizes(&self) -> Result<String, Failure> {
        Ok(stats::report(&self.database.stats()))
    }

    fn describe(&self) -> Description {
        let is_in = |lasting: &Lasting| lasting.in_transaction.load(Ordering::Relaxed);
        Description { place: self.place.clone(), in_transaction: self.session.as_ref().is_some_and(is_in) }
    }
}

impl Lasting {
    /// Whether a script is part of the session's transaction, rather than one of its own.
    fn goes_on_with(&self, text: &str) -> bool {
        self.in_transaction.load(Ordering::Relaxed) || begins_with(text, &[Action::Begin])
    }

    /// Notes whether there is a transaction to be ended, now that a script is over.
    fn note(&self, text: &str, ran: &Result<Summary, Failure>) {
        if !self.goes_on_with(text) {
            return;
        }
        let is_over = ran.is_ok()
            || begins_with(text, &[Action::Commit, Action::Rollback])
            // Its writes are gone, and the session knows that its client knows.
            || matches!(ran, Err(Failure::Query(QueryError { kind: ErrorKind::Conflict, .. })));
        // One that was rolled back for another reason is refused until the user has ended it: what follows might be meant as a part of it.
        self.in_transaction.store(self.session.is_open() || !is_over, Ordering::Relaxed);
    }
}

/// Whether the first statement of a text is one of these.
pub(super) fn begins_with(text: &str, actions: &[Action]) -> bool {
    let first = Statements::new(text).next(&Bindings::new(), &ParseOptions::default());
    matches!(first, Ok(Some(statement)) if actions.contains(&statement.action))
}

fn drain(inbox: &Inbox, running: &dyn Running, stop: &Stop, each: Each<'_>) -> Result<Summary, Failure> {
    let mut rows = 0;
    loop {
        match inbox.next(running, stop) {
            Next::Batch(batch) => {
                for (value, bulk) in batch.items {
                    hand_out(value, bulk, stop, each)?;
                    rows += bulk;
                }
            }
            Next::Outcome(outcome) => return Ok(Summary { rows, warnings: outcome?.warnings }),
            Next::Stopped => return Err(Failure::Interrupted),
        }
    }
}

/// One result, as often as it stands there. There may be billions.
fn hand_out(value: Value, bulk: u64, stop: &Stop, each: Each<'_>) -> Result<(), Failure> {
    for copy in 1..bulk {
        if copy % LOOK == 0 && stop.is_set() {
            return Err(Failure::Interrupted);
        }
        each(value.clone())?;
    }
    if bulk > 0 { each(value) } else { Ok(()) }
}

/// A script that may do anything, for as long as it takes.
fn query(text: &str, bindings: &Bound) -> Query {
    let bindings = bindings.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
    Query::unbounded(client(), Input::Text { script: text.into(), source: Str::from("g"), bindings })
}

/// Whoever sits before this machine.
fn client() -> Client {
    Client { user: None, tenant: None, address: [127, 0, 0, 1].into(), connection: 1 }
}

#[cfg(test)]
mod tests;
