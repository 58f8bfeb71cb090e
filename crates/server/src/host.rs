//! What all connections share.

use std::sync::{Arc, atomic::AtomicU64};

use access::{Gate, Role};
use tokio::sync::Semaphore;

use crate::{
    ErrorKind, Graphs, HostName, Queries, QueryError, Security, ServerOptions, TenantUse,
    aside::{Work, aside},
    connections::{ConnectionTable, Guest, WAITING, WAITING_PER_ADDRESS},
    door::Door,
    intake::Intake,
    outgoing::Outgoing,
    permits::{NoShare, Permit, Permits, Share, Shares},
    request::Refusal,
    sessions::{SessionPlaces, Transactions},
    studio::Logins,
    tenants::Desks,
};

/// The graphs, the bounds, and the count of what is in use.
#[derive(Debug)]
pub(crate) struct Host {
    pub(crate) graphs: Graphs,
    pub(crate) options: ServerOptions,
    /// Whom it listens to.
    pub(crate) door: Door,
    /// Who may ask.
    pub(crate) gate: Gate,
    /// Who has logged in on the studio.
    pub(crate) logins: Logins,
    /// Who asks what.
    pub(crate) queries: Queries,
    /// What tenants have.
    pub(crate) desks: Desks,
    /// Who knows what they hold.
    pub(crate) tenant_use: Option<Arc<dyn TenantUse>>,
    pub(crate) requests: Shares,
    /// Requests of those who look after all graphs: they come through when all others are taken.
    pub(crate) reserve: Permits,
    pub(crate) sessions: SessionPlaces,
    /// Those that belong to no connection.
    pub(crate) transactions: Transactions,
    /// Requests that are being received.
    pub(crate) intake: Arc<Intake>,
    /// The same of queries that wait at the desks of their tenants: one tenant's line takes nothing from what others send.
    pub(crate) desk_intake: Arc<Intake>,
    /// Answers that are written out and not taken yet.
    pub(crate) outgoing: Arc<Outgoing>,
    pub(crate) connections: ConnectionTable,
    /// Connections that have come so far.
    pub(crate) arrivals: AtomicU64,
    /// Connections for which there was no place when they came.
    pub(crate) waiting: ConnectionTable,
    /// Connections to which the server says why it closes them, at a time.
    pub(crate) farewells: Permits,
    /// Turns at gathering the metrics.
    pub(crate) scrapes: Arc<Semaphore>,
    /// The same for the summary of a graph.
    pub(crate) summaries: Arc<Semaphore>,
    /// The same for telling what queries are under way.
    pub(crate) listings: Arc<Semaphore>,
}

/// What any graph would read: it is not worth while to ask all of them. What it takes is held like anything else once it is read.
const UNASKED: usize = 1 << 20;

/// Requests of admins for which there is always room.
const RESERVE: usize = 64;

/// A place for a request.
#[derive(Debug)]
pub(crate) enum Place {
    /// Among all.
    Share(#[expect(dead_code, reason = "held for its count")] Share),
    /// Of those that are kept for admins.
    Reserve(#[expect(dead_code, reason = "held for its count")] Permit),
}

/// Lists of queries that are made at a time: each reads the bytecode of those that it shows once more.
const LISTINGS: usize = 4;

/// Farewells at a time: each may take a second.
const FAREWELLS: usize = 64;

impl Host {
    pub(crate) fn new(graphs: Graphs, options: ServerOptions, security: &Security) -> Arc<Self> {
        let is_secure = security.tls.is_some();
        let receiving = options.max_receiving_bytes.max(4 * options.max_request_bytes as u64);
        Arc::new(Self {
            door: Door::new(own_name(), &options.allowed_hosts, &options.allowed_origins, is_secure),
            gate: security.gate.clone(),
            logins: Logins::default(),
            queries: security.queries.clone(),
            tenant_use: security.tenant_use.clone(),
            desks: Desks::new(security.tenants.clone(), options.max_wait),
            requests: Shares::new(options.max_requests, options.max_requests_per_client),
            reserve: Permits::new(RESERVE),
            sessions: SessionPlaces::new(options.max_sessions, options.max_sessions_per_address),
            transactions: Transactions::default(),
            intake: Intake::new(receiving),
            desk_intake: Intake::new(receiving / 2),
            outgoing: Outgoing::new(receiving),
            connections: ConnectionTable::new(options.max_connections, options.max_connections_per_address)
                .with_proxies(&options.trusted_proxies),
            arrivals: AtomicU64::new(0),
            waiting: ConnectionTable::new(WAITING, WAITING_PER_ADDRESS),
            farewells: Permits::new(FAREWELLS),
            scrapes: Arc::new(Semaphore::new(1)),
            summaries: Arc::new(Semaphore::new(1)),
            listings: Arc::new(Semaphore::new(LISTINGS)),
            graphs,
            options,
        })
    }

    /// A place for one more request on the server as a whole.
    pub(crate) fn admit(&self, guest: &Guest) -> Result<Place, Refusal> {
        let (all, own) = self.requests.bounds();
        let full = match self.requests.take(guest.client().holder()) {
            Ok(share) => return Ok(Place::Share(share)),
            Err(full) => full,
        };
        let is_admin = guest.rights("").is_some_and(|rights| rights.allow_everywhere(Role::Admin));
        if let Some(permit) = is_admin.then(|| self.reserve.take()).flatten() {
            return Ok(Place::Reserve(permit));
        }
        Err(Refusal::too_many(match full {
            NoShare::Full => format!(
                "this server has {all} requests in flight, as many as server.max_requests allows; try again later"
            ),
            NoShare::Own => format!(
                "this user or address has {own} requests in flight, as many as server.max_requests_per_client allows; wait for some of \
                 them to finish"
            ),
        }))
    }

    /// The names of the traversal sources that somebody may read.
    pub(crate) fn sources_for(&self, guest: &Guest) -> Vec<String> {
        let may_read = |source: &String| guest.rights(source).is_some_and(|rights| rights.allow(Role::Read));
        self.graphs.sources().into_iter().filter(may_read).collect()
    }

    /// About how many bytes of memory an input of `length` bytes takes, if any graph would read it. Asked before it is decoded, since
    /// that takes them ([`Host::room_to_read`]); the graph that it is for holds them afterwards.
    ///
    /// # Errors
    /// If none would.
    pub(crate) fn weigh(&self, length: usize, weigh: impl FnOnce() -> usize) -> Result<usize, QueryError> {
        // All of it is looked through, in milliseconds where it has megabytes.
        let bytes = aside(Work::Request(length), None, weigh);
        if bytes < UNASKED {
            return Ok(bytes);
        }
        let graphs = self.graphs.all();
        let most = graphs.iter().map(|(_, graph)| graph.memory_per_request()).max().unwrap_or(u64::MAX);
        if bytes as u64 <= most {
            return Ok(bytes);
        }
        let message = format!(
            "to read the request takes about {bytes} bytes, which is more than a query may hold ({most}, engine.memory_per_query); \
             send fewer values at once, or collections that are less deep"
        );
        Err(QueryError::new(ErrorKind::Limit, message))
    }

    /// The same, for messages.
    pub(crate) fn source_names(&self, guest: &Guest) -> String {
        let sources = self.sources_for(guest);
        if sources.is_empty() { "none".into() } else { sources.join(", ") }
    }
}

/// The machine's own name, if it is one that can stand in a URL.
fn own_name() -> Option<HostName> {
    rustix::system::uname().nodename().to_str().ok()?.parse().ok()
}
