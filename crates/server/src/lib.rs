//! WebSocket and HTTP endpoints that speak Gremlin Server 3.8's protocols.
//!
//! ```text
//!     listener ── http ── door ──┬── upgrade ──▶ websocket::Connection ─┐
//!        │                        └── question ─▶ collector ─────────────┤
//!   connections                                                          │
//!                                                                        ▼
//!                        wire ◀── reply   request ──▶ Database::submit(query, sink)
//!                                                                        │ engine threads
//!                        frames ◀── results ◀── mailbox ◀── push/finish ─┘
//! ```
//!
//! A connection is one task. It reads requests, starts them through [`Database::submit`], and turns what the
//! engine's threads leave in its mailbox into frames; so encoding and sockets never occupy an engine thread, and a
//! client that goes away drops its task and with it everything it had in flight.
//!
//! Invariant: this crate knows nothing of plans or of storage; a query goes in as text or bytecode, and results
//! come out detached.

mod arguments;
mod aside;
mod audit;
mod connections;
mod database;
mod door;
mod graphs;
mod host;
mod http;
mod intake;
mod late;
mod listener;
mod mailbox;
mod metrics;
mod options;
mod outgoing;
mod page;
mod paging;
mod permits;
mod process;
mod queries;
mod reading;
mod reply;
mod request;
mod script;
mod seats;
mod security;
mod sessions;
mod status;
mod stopping;
mod studio;
mod tenants;
mod tls;
mod told;
mod trace;
mod turn;
mod websocket;

pub use aside::{Work, around_long_work, aside, waiting_aside};
pub use database::{
    Client, Database, End, ErrorKind, GraphSummary, Held, Holder, Input, KindSummary, Materialize, Progress,
    Push, Query, QueryError, ResultBatch, ResultSink, Running, Session, Summary,
};
pub use door::{HostName, HostNameError, Network, NetworkError, Origin, OriginError};
pub use graphs::Graphs;
pub use listener::Server;
pub use metrics::{Metric, MetricKind};
pub use options::ServerOptions;
pub use outgoing::outgoing_bytes;
pub use queries::{Queries, QueryInfo, QueryLog, QueryPhase, UnderWay};
pub use security::{Security, TenantUse};
pub use status::StatusCode;
pub use tls::{Tls, TlsError, TlsFiles};
pub use trace::{Part, Trace, Tracer};
