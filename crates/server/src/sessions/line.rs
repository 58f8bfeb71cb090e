//! The requests of a connection's sessions, each in its line.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
    time::Instant,
};

use values::Str;

use super::SessionPlace;
use crate::{
    Client, Database, ErrorKind, QueryError, Session,
    host::Place,
    intake::Receipt,
    request::{Operation, Refusal},
};

/// A request of a session.
#[derive(Debug)]
pub(crate) struct InSession {
    /// The session's id, as the client chose it.
    pub(crate) session: Str,
    pub(crate) todo: Todo,
}

/// What a request asks of its session.
#[derive(Debug)]
pub(crate) enum Todo {
    /// To run a query, as a transaction of its own or as part of the session's.
    Run {
        /// What to run.
        operation: Box<Operation>,
        /// `manageTransaction`.
        manages: bool,
    },
    /// To end, and to roll back what is not committed.
    Close,
}

/// A request in its line, with what its answer needs: `A`.
#[derive(Debug)]
pub(crate) struct Waiting<A> {
    pub(crate) answer: A,
    pub(crate) todo: Todo,
    /// Held for its count.
    pub(crate) permit: Place,
    /// Bytes that it takes in memory, about.
    pub(crate) memory: usize,
}

impl<A> Waiting<A> {
    /// When it has to be over, whether it has begun or not.
    fn deadline(&self) -> Option<Instant> {
        let Todo::Run { operation, .. } = &self.todo else { return None };
        let query = &operation.query;
        query
            .timeout
            .into_iter()
            .chain(query.max_timeout)
            .min()
            .and_then(|limit| query.asked.checked_add(limit))
    }
}

/// The lines of all sessions of a connection.
pub(crate) struct Lines<A> {
    by_id: HashMap<Str, Line<A>>,
    bound: usize,
    /// What the requests that wait take.
    receipt: Receipt,
}

/// What one graph knows of a session.
struct OfGraph {
    /// What the graph was reached by.
    source: Str,
    database: Arc<dyn Database>,
    session: Arc<dyn Session>,
}

struct Line<A> {
    /// What each graph knows of it.
    sessions: Vec<OfGraph>,
    waiting: VecDeque<Waiting<A>>,
    /// Whether a request is under way, so that others wait.
    is_busy: bool,
    _place: SessionPlace,
}

impl<A> Lines<A> {
    /// None yet, and at most so many.
    pub(crate) fn new(bound: usize, receipt: Receipt) -> Self {
        Self { by_id: HashMap::new(), bound, receipt }
    }

    /// Whether there is a session of that id.
    pub(crate) fn has(&self, session: &str) -> bool {
        self.by_id.contains_key(session)
    }

    /// Begins a session.
    ///
    /// # Errors
    /// If the connection has too many, or `place` says that others have.
    pub(crate) fn begin(
        &mut self,
        session: Str,
        place: impl FnOnce() -> Result<SessionPlace, Refusal>,
    ) -> Result<(), Refusal> {
        if self.by_id.len() >= self.bound {
            return Err(Refusal::too_many(format!(
                "this connection has {} sessions, as many as server.max_sessions_per_connection allows; close one of them first",
                self.bound
            )));
        }
        let line = Line { sessions: Vec::new(), waiting: VecDeque::new(), is_busy: false, _place: place()? };
        self.by_id.insert(session, line);
        Ok(())
    }

    /// Puts a request at the end of its line; gives it back if it can be started at once.
    ///
    /// # Errors
    /// If those that wait have too many bytes.
    pub(crate) fn come(&mut self, session: &str, request: Waiting<A>) -> Result<Option<Waiting<A>>, Refusal> {
        let Some(line) = self.by_id.get_mut(session) else { return Ok(Some(request)) };
        if !std::mem::replace(&mut line.is_busy, true) {
            return Ok(Some(request));
        }
        if !self.receipt.takes(self.receipt.share(request.memory)) {
            return Err(Refusal::too_many(
                "the requests that wait for others of their sessions take more memory than server.max_receiving_bytes leaves; wait \
                 for their answers first"
                    .into(),
            ));
        }
        line.waiting.push_back(request);
        Ok(None)
    }

    /// A request of a session is over: the next one in its line.
    pub(crate) fn next(&mut self, session: &str) -> Option<Waiting<A>> {
        let line = self.by_id.get_mut(session)?;
        let next = line.waiting.pop_front();
        line.is_busy = next.is_some();
        if let Some(next) = &next {
            self.receipt.left(self.receipt.share(next.memory));
        }
        next
    }

    /// How many requests wait.
    pub(crate) fn waiting(&self) -> usize {
        self.by_id.values().map(|line| line.waiting.len()).sum()
    }

    /// When the time of the first of those who wait is over.
    pub(crate) fn first_deadline(&self) -> Option<Instant> {
        self.by_id.values().flat_map(|line| &line.waiting).filter_map(Waiting::deadline).min()
    }

    /// Takes those out of their lines whose time is over.
    pub(crate) fn late(&mut self, now: Instant) -> Vec<A> {
        let receipt = &self.receipt;
        let mut late = Vec::new();
        for line in self.by_id.values_mut() {
            for request in std::mem::take(&mut line.waiting) {
                if request.deadline().is_some_and(|deadline| deadline <= now) {
                    receipt.left(receipt.share(request.memory));
                    late.push(request.answer);
                } else {
                    line.waiting.push_back(request);
                }
            }
        }
        late
    }

    /// Ends a session. Those who wait in its line go on as a session that begins.
    pub(crate) fn close(&mut self, session: &str) {
        if let Some(line) = self.by_id.get_mut(session) {
            line.sessions.clear();
            if line.waiting.is_empty() {
                self.by_id.remove(session);
            }
        }
    }

    /// Ends all sessions.
    pub(crate) fn clear(&mut self) {
        self.by_id.clear();
        self.receipt.complete();
    }

    /// The graph's part of a session, which begins if there is none; `None` if there is no such session.
    ///
    /// # Errors
    /// If the graph has no sessions, or none for this client.
    pub(crate) fn of_graph(
        &mut self,
        session: &str,
        client: Client,
        source: &Str,
        database: &Arc<dyn Database>,
    ) -> Result<Option<Arc<dyn Session>>, QueryError> {
        let Some(line) = self.by_id.get_mut(session) else { return Ok(None) };
        // Another graph may have got the name of one that was dropped.
        let is_other = |known: &OfGraph| known.source == *source && !Arc::ptr_eq(&known.database, database);
        if let Some(place) = line.sessions.iter().position(is_other) {
            let was_open = line.sessions.remove(place).session.is_open();
            if was_open {
                return Err(QueryError::new(
                    ErrorKind::Transaction,
                    format!(
                        "the graph {source} of this session was dropped, and what was not committed with it; there is another one of its name now"
                    ),
                ));
            }
        }
        let known = line.sessions.iter().find(|known| Arc::ptr_eq(&known.database, database));
        let begun = match known {
            Some(known) => known.session.clone(),
            None => {
                let begun = database.session(client)?;
                let (source, database, session) = (source.clone(), database.clone(), begun.clone());
                line.sessions.push(OfGraph { source, database, session });
                begun
            }
        };
        Ok(Some(begun))
    }
}
