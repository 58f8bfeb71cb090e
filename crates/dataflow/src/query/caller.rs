//! On whose behalf a query runs, and so which groups it takes turns in.

use std::net::IpAddr;

/// On whose behalf a query runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Caller {
    /// The application that the engine is a part of.
    Application,
    /// A client of a server.
    Client {
        /// Where it is; the turns go round these first.
        address: IpAddr,
        /// Which of the connections it is on; the turns go round these second.
        connection: u64,
    },
}

/// A member of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Party {
    /// The application that the engine is a part of.
    Application,
    /// Where a client is.
    Address(IpAddr),
    /// One of its connections.
    Connection(u64),
    /// A query, by its number.
    Query(u64),
}

/// The groups that a query is in, the outermost first, and itself.
pub type Path = [Party; 3];

impl Caller {
    /// The path of the query of this number.
    pub(crate) fn path(self, query: u64) -> Path {
        match self {
            Self::Application => [Party::Application, Party::Application, Party::Query(query)],
            Self::Client { address, connection } => {
                [Party::Address(address), Party::Connection(connection), Party::Query(query)]
            }
        }
    }
}
