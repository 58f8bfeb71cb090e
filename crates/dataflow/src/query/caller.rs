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
    /// A client of a server that is one of a tenant's.
    Tenant {
        /// The number of the tenant; the turns go round these as round addresses.
        tenant: u32,
        /// How much larger its share of the time is than that of one whose weight is 1.
        weight: u16,
        /// Which of the connections it is on.
        connection: u64,
    },
}

/// A member of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Party {
    /// The application that the engine is a part of.
    Application,
    /// Where a client is.
    Address(IpAddr),
    /// A tenant, of this weight.
    Tenant(u32, u16),
    /// One of its connections.
    Connection(u64),
    /// A query, by its number.
    Query(u64),
}

/// The groups that a query is in, the outermost first, and itself.
pub type Path = [Party; 3];

impl Party {
    /// By what time counts less for it than for others.
    pub(crate) fn weight(self) -> u32 {
        match self {
            Self::Tenant(_, weight) => u32::from(weight.max(1)),
            Self::Application | Self::Address(_) | Self::Connection(_) | Self::Query(_) => 1,
        }
    }
}

impl Caller {
    /// The path of the query of this number.
    pub(crate) fn path(self, query: u64) -> Path {
        match self {
            Self::Application => [Party::Application, Party::Application, Party::Query(query)],
            Self::Client { address, connection } => {
                [Party::Address(address), Party::Connection(connection), Party::Query(query)]
            }
            Self::Tenant { tenant, weight, connection } => {
                [Party::Tenant(tenant, weight), Party::Connection(connection), Party::Query(query)]
            }
        }
    }
}
