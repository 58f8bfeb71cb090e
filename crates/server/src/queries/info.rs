//! What can be told of a query.

use std::{net::IpAddr, sync::Arc, time::Duration};

use values::Str;

use super::ticket::Ticket;

/// A query that is under way.
#[derive(Clone, Debug)]
pub struct QueryInfo {
    /// What its client calls it, or the server where the client says nothing.
    pub id: Str,
    /// The traversal source that it asks.
    pub source: Str,
    /// Its text, or that of its bytecode; the first kilobytes of a long one.
    pub text: String,
    /// Who asks.
    pub user: Option<Arc<str>>,
    /// From where.
    pub address: IpAddr,
    /// The number of the connection.
    pub connection: u64,
    /// How far it is.
    pub phase: QueryPhase,
    /// Whether somebody has stopped it.
    pub is_stopped: bool,
    /// How long ago it came.
    pub age: Duration,
    /// How long it has waited for its tenant to have room.
    pub waited: Duration,
    /// How long it has run.
    pub ran: Duration,
    /// Results that it has had.
    pub rows: u64,
    /// Bytes that it holds.
    pub memory: u64,
    /// The most that it has held.
    pub peak_memory: u64,
    /// The steps of its plan.
    pub operators: Vec<String>,
}

/// A query that is under way, by what costs nothing to tell: who looks for some of them asks for the [rest](Self::info) of those
/// alone, since a text may be long, and bytecode has to be read once more.
pub struct UnderWay {
    /// What its client calls it, or the server where the client says nothing.
    pub id: Str,
    /// The traversal source that it asks.
    pub source: Str,
    /// Who asks.
    pub user: Option<Arc<str>>,
    /// How long ago it came.
    pub age: Duration,
    /// How far it is.
    pub phase: QueryPhase,
    pub(super) ticket: Arc<Ticket>,
}

impl std::fmt::Debug for UnderWay {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UnderWay").field("id", &self.id).field("phase", &self.phase).finish_non_exhaustive()
    }
}

impl UnderWay {
    /// All that can be told of it, as it is now.
    pub fn info(&self) -> QueryInfo {
        self.ticket.info()
    }

    /// Its text, or that of its bytecode; the first kilobytes of a long one.
    pub fn text(&self) -> String {
        self.ticket.text()
    }
}

/// How far a query is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryPhase {
    /// It waits until its tenant has room for it.
    Waiting,
    /// It is read, planned, run or committed.
    Running,
    /// It is over, and its client has not got all of its results yet.
    Sending,
}

impl QueryPhase {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Sending => "sending",
        }
    }
}
