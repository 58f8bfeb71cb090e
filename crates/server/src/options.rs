//! The server's bounds.

use std::time::{Duration, Instant};

use crate::{HostName, Network, Origin};

/// Every bound the server keeps, with the defaults of Gremlin Server where it has the same setting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerOptions {
    /// Bytes of one request message, over WebSocket or HTTP.
    pub max_request_bytes: usize,
    /// Results of one HTTP response. WebSocket responses are streamed and need no such bound.
    pub max_http_results: usize,
    /// Open connections. For a further one the longest idle of the address that has most gives way; if all of them have
    /// requests, it is answered with HTTP status 503. `/health` and `/metrics` are answered beyond it.
    pub max_connections: usize,
    /// The same of one client's address (of IPv6: of one network of 64 bits). Its own longest idle one gives way.
    pub max_connections_per_address: usize,
    /// Origins beside the server's own whose pages may ask it.
    pub allowed_origins: Vec<Origin>,
    /// Names that the server may be reached by, beside addresses, localhost and the machine's own name.
    pub allowed_hosts: Vec<HostName>,
    /// Whether the studio is served at `/`.
    pub studio: bool,
    /// Proxies whose `X-Forwarded-For` says where a request is from.
    pub trusted_proxies: Vec<Network>,
    /// How long a query waits for its tenant to have room for it.
    pub max_wait: Duration,
    /// Requests in flight on one connection; further ones are answered with status 429.
    pub max_requests_per_connection: usize,
    /// Requests in flight on all connections together; further ones are answered with status 429.
    pub max_requests: usize,
    /// The same of one user, or where there are none of one address (of IPv6: of one network of 64 bits).
    pub max_requests_per_client: usize,
    /// Sessions of one connection.
    pub max_sessions_per_connection: usize,
    /// Sessions of one client's address (of IPv6: of one network of 64 bits).
    pub max_sessions_per_address: usize,
    /// Sessions of all connections together.
    pub max_sessions: usize,
    /// Bytes of requests that are being received, and of those that wait for others of their session, of all connections
    /// together; a connection that would have more of them than
    /// it leaves is closed. At least four times [`ServerOptions::max_request_bytes`].
    pub max_receiving_bytes: u64,
    /// Bindings of one script.
    pub max_bindings: usize,
    /// Results per response message, where the request does not say.
    pub batch_size: usize,
    /// Largest `batchSize` that a request may ask for.
    pub max_batch_size: usize,
    /// Results that may wait for a slow client before its query is suspended.
    pub max_waiting_results: usize,
    /// How long a query may take, where the request does not say. `None`: for ever.
    pub evaluation_timeout: Option<Duration>,
    /// The most that a query may take, whatever it says, also where it says "for ever". `None`: no such bound.
    pub max_evaluation_timeout: Option<Duration>,
    /// A connection that neither sends nor has a request in flight for this long is closed. `None`: never.
    pub idle_timeout: Option<Duration>,
    /// After so long without a sign of life the operating system asks a client's machine whether it is still there, and
    /// gives up on it after three times as long; so a client that vanished without a word does not keep its queries.
    pub keep_alive: Duration,
    /// A client that accepts no byte for this long while a response waits for it is disconnected.
    pub write_timeout: Duration,
    /// How long the headers of an HTTP request, or its body, may take to arrive.
    pub read_timeout: Duration,
    /// How long a shutdown waits for the requests in flight before it cancels them.
    pub shutdown_grace: Duration,
}

impl ServerOptions {
    /// When the time of a request is over that was made at `asked` and says nothing about it.
    pub(crate) fn usual_deadline(&self, asked: Instant) -> Option<Instant> {
        let limit = self.evaluation_timeout.into_iter().chain(self.max_evaluation_timeout).min();
        limit.and_then(|limit| asked.checked_add(limit))
    }
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            max_request_bytes: 10 << 20,
            max_http_results: 100_000,
            max_connections: 1_024,
            max_connections_per_address: 512,
            allowed_origins: Vec::new(),
            allowed_hosts: Vec::new(),
            studio: true,
            trusted_proxies: Vec::new(),
            max_wait: Duration::from_secs(2),
            max_requests_per_connection: 1_024,
            max_requests: 8_192,
            max_requests_per_client: 4_096,
            max_sessions_per_connection: 16,
            max_sessions_per_address: 1_024,
            max_sessions: 4_096,
            max_receiving_bytes: 256 << 20,
            max_bindings: 64,
            batch_size: 64,
            max_batch_size: 10_000,
            max_waiting_results: 4_096,
            evaluation_timeout: Some(Duration::from_secs(30)),
            max_evaluation_timeout: Some(Duration::from_secs(60 * 60)),
            idle_timeout: None,
            keep_alive: Duration::from_secs(30),
            write_timeout: Duration::from_secs(30),
            read_timeout: Duration::from_secs(30),
            shutdown_grace: Duration::from_secs(5),
        }
    }
}
