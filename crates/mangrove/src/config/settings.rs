//! Every setting there is, with its default.

use std::{collections::BTreeMap, net::IpAddr, path::PathBuf, time::Duration};

use serde::{Deserialize, Serialize};
use server::{HostName, Network, Origin, TlsFiles};

use super::{NamedTenantConfig, SessionsConfig, TenantConfig, TracesConfig, texts};
use crate::machine_memory::machine_memory;

/// The whole configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Directory of the default graph, whose traversal source is `g`; `:memory:` for one that is not kept.
    pub data: PathBuf,
    /// Whether graphs are opened for reading alone: what would change them is refused.
    pub read_only: bool,
    /// Directory of the graphs that are made while the server runs; empty: beside `data`, with `.graphs` at the end of its name.
    pub graphs_directory: PathBuf,
    /// Directory of files on their way between clients and the server; empty: beside `data`, with `.transfers` at the end of its name.
    pub transfers_directory: PathBuf,
    /// Bytes that they may have together.
    pub max_transfer_bytes: u64,
    /// Directory that the service `mangrove.backup` writes to, in a folder for each graph; empty if it may not.
    pub backups: PathBuf,
    /// Directory below which `g.io(…)` reads and writes files; empty if it may not.
    pub io_directory: PathBuf,
    /// The endpoints and their bounds.
    pub server: ServerConfig,
    /// How queries are executed.
    pub engine: EngineConfig,
    /// What is loaded at a time.
    pub loads: LoadsConfig,
    /// What sessions may have and hold.
    pub sessions: SessionsConfig,
    /// What is logged, and how.
    pub log: LogConfig,
    /// Who is told what becomes of requests.
    pub traces: TracesConfig,
    /// What every user has who is none of a named tenant's.
    pub tenant: TenantConfig,
    /// Named tenants: groups of users.
    pub tenants: BTreeMap<String, NamedTenantConfig>,
    /// Further graphs by name.
    pub graphs: BTreeMap<String, GraphConfig>,
}

/// A further graph.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GraphConfig {
    /// Its directory; `:memory:` for one that is not kept.
    pub path: PathBuf,
    /// The name of its traversal source; the graph's name, where not given.
    pub source: Option<String>,
}

/// The endpoints and their bounds; see [`server::ServerOptions`] for what each bound does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "named and documented in server::ServerOptions")]
pub struct ServerConfig {
    /// Address to listen on. Loopback by default: there may be no users.
    pub host: IpAddr,
    /// Port to listen on; 0 lets the operating system choose one.
    pub port: u16,
    /// Whether to listen beyond loopback although there are no users.
    pub insecure: bool,
    /// Whether nobody may ask who is no user, although there are no users yet.
    pub users_required: bool,
    /// PEM file of the server's certificate and those that it is signed by; empty: no TLS.
    pub tls_certificate: PathBuf,
    /// PEM file of its key.
    pub tls_key: PathBuf,
    /// PEM file of the authorities of which clients must have a certificate; empty: they need none.
    pub tls_client_authorities: PathBuf,
    pub studio: bool,
    #[serde(with = "texts")]
    pub trusted_proxies: Vec<Network>,
    #[serde(with = "texts")]
    pub allowed_origins: Vec<Origin>,
    #[serde(with = "texts")]
    pub allowed_hosts: Vec<HostName>,
    pub max_request_bytes: usize,
    pub max_http_results: usize,
    pub max_connections: usize,
    pub max_connections_per_address: usize,
    pub max_requests_per_connection: usize,
    pub max_requests: usize,
    pub max_requests_per_client: usize,
    pub max_sessions_per_connection: usize,
    pub max_sessions_per_address: usize,
    pub max_sessions: usize,
    /// Bytes; 0 for a thirty-second part of the memory that the process may use.
    pub max_receiving_bytes: u64,
    pub max_bindings: usize,
    pub batch_size: usize,
    pub max_batch_size: usize,
    pub max_waiting_results: usize,
    /// Milliseconds; 0 for no time-out.
    pub evaluation_timeout: u64,
    /// Milliseconds; 0 for no bound.
    pub max_evaluation_timeout: u64,
    /// Milliseconds; 0 for no time-out.
    pub idle_timeout: u64,
    /// Milliseconds.
    pub keep_alive: u64,
    /// Milliseconds.
    pub write_timeout: u64,
    /// Milliseconds.
    pub read_timeout: u64,
    /// Milliseconds.
    pub shutdown_grace: u64,
}

/// How queries are executed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EngineConfig {
    /// Executor threads; 0 for one per core.
    pub executors: usize,
    /// Bytes of vertices, edges and indexes that stay in memory, of all graphs together, which share them evenly; 0 for
    /// half of the memory that the process may use.
    pub cache: u64,
    /// Bytes of edges that an import keeps in memory, beside the ids of the vertices; what is more goes through temporary
    /// files in the graph's directory. 0 for a thirty-second part of the memory that the process may use.
    pub import_memory: u64,
    /// Threads per graph that build secondary edge-trees, each with half a core while it builds; 0 builds none.
    pub secondary_builders: usize,
    /// Bytes that all queries together may hold in memory; 0 for a quarter of the memory that the process may use.
    pub memory_queries: u64,
    /// Bytes that one query may hold in memory, or half of what all may, if that is less.
    pub memory_per_query: u64,
    /// Plans kept for texts that come again.
    pub plan_cache: usize,
    /// How often a request that lost against a concurrent write is tried again.
    pub write_retries: u32,
    /// Requests with a key that are remembered, per graph.
    pub request_keys: usize,
    /// The same of one client's address.
    pub request_keys_per_address: usize,
    /// Milliseconds for which they are, after they were done.
    pub request_key_time: u64,
}

/// What is loaded at a time, of each graph: see [`graph::PoolOptions`].
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LoadsConfig {
    /// Loads at a time of requests that load little; at least 1.
    pub light: usize,
    /// Loads at a time of requests that load much, to begin with; at least 1.
    pub heavy: usize,
    /// Loads at a time that these may come to; no more than `heavy`: as many as to begin with.
    pub most_heavy: usize,
    /// Loads after which a request is one that loads much; 0 for never.
    pub heavy_after: u64,
    /// Loads of one batch that are asked for at a time, where loads take long; at most 1: one after the other.
    pub together: usize,
}

/// What is logged, and how. Logs go to standard error.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct LogConfig {
    /// Least severity: `error`, `warn`, `info`, `debug` or `trace`; also per crate, as in `info,server=debug`.
    pub level: String,
    /// The form of a line.
    pub format: LogFormat,
    /// Milliseconds from which on a request is logged as slow; 0: none is.
    pub slow_query: u64,
    /// Whether with the values of its variables.
    pub slow_query_bindings: bool,
    /// Whether requests that fail are logged.
    pub failed_queries: bool,
}

impl LogConfig {
    /// What is logged of queries, in the server's terms.
    pub fn queries(&self) -> server::QueryLog {
        server::QueryLog {
            slow: (self.slow_query > 0).then(|| Duration::from_millis(self.slow_query)),
            bindings: self.slow_query_bindings,
            errors: self.failed_queries,
        }
    }
}

/// The form of a log line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object per line.
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            data: "data/default".into(),
            read_only: false,
            graphs_directory: PathBuf::new(),
            transfers_directory: PathBuf::new(),
            max_transfer_bytes: 64 << 30,
            backups: PathBuf::new(),
            io_directory: PathBuf::new(),
            server: ServerConfig::default(),
            engine: EngineConfig::default(),
            loads: LoadsConfig::default(),
            sessions: SessionsConfig::default(),
            log: LogConfig::default(),
            traces: TracesConfig::default(),
            tenant: TenantConfig::default(),
            tenants: BTreeMap::new(),
            graphs: BTreeMap::new(),
        }
    }
}

impl Default for ServerConfig {
    fn default() -> Self {
        let options = server::ServerOptions::default();
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self {
            host: IpAddr::from([127, 0, 0, 1]),
            port: 8182,
            insecure: false,
            users_required: false,
            tls_certificate: PathBuf::new(),
            tls_key: PathBuf::new(),
            tls_client_authorities: PathBuf::new(),
            studio: options.studio,
            trusted_proxies: options.trusted_proxies,
            allowed_origins: options.allowed_origins,
            allowed_hosts: options.allowed_hosts,
            max_request_bytes: options.max_request_bytes,
            max_http_results: options.max_http_results,
            max_connections: options.max_connections,
            max_connections_per_address: options.max_connections_per_address,
            max_requests_per_connection: options.max_requests_per_connection,
            max_requests: options.max_requests,
            max_requests_per_client: options.max_requests_per_client,
            max_sessions_per_connection: options.max_sessions_per_connection,
            max_sessions_per_address: options.max_sessions_per_address,
            max_sessions: options.max_sessions,
            max_receiving_bytes: 0,
            max_bindings: options.max_bindings,
            batch_size: options.batch_size,
            max_batch_size: options.max_batch_size,
            max_waiting_results: options.max_waiting_results,
            evaluation_timeout: options.evaluation_timeout.map_or(0, millis),
            max_evaluation_timeout: options.max_evaluation_timeout.map_or(0, millis),
            idle_timeout: options.idle_timeout.map_or(0, millis),
            keep_alive: millis(options.keep_alive),
            write_timeout: millis(options.write_timeout),
            read_timeout: millis(options.read_timeout),
            shutdown_grace: millis(options.shutdown_grace),
        }
    }
}

impl ServerConfig {
    /// Bytes of requests that are being received at a time.
    pub fn receiving_bytes(&self) -> u64 {
        match self.max_receiving_bytes {
            0 => machine_memory() / 32,
            bytes => bytes,
        }
    }

    /// The files of TLS, if there is to be any.
    pub fn tls(&self) -> Option<TlsFiles> {
        let Self { tls_certificate, tls_key, tls_client_authorities, .. } = self;
        let given = |path: &PathBuf| (!path.as_os_str().is_empty()).then(|| path.clone());
        let certificate = given(tls_certificate)?;
        // Both are in one file often.
        let key = given(tls_key).unwrap_or_else(|| certificate.clone());
        Some(TlsFiles { certificate, key, client_authorities: given(tls_client_authorities) })
    }

    /// The bounds in the server's own terms.
    pub fn options(&self, tenant: &TenantConfig) -> server::ServerOptions {
        let optional = |millis: u64| (millis > 0).then(|| Duration::from_millis(millis));
        server::ServerOptions {
            max_request_bytes: self.max_request_bytes,
            max_http_results: self.max_http_results,
            max_connections: self.max_connections,
            max_connections_per_address: self.max_connections_per_address.max(1),
            allowed_origins: self.allowed_origins.clone(),
            allowed_hosts: self.allowed_hosts.clone(),
            studio: self.studio,
            trusted_proxies: self.trusted_proxies.clone(),
            max_wait: tenant.max_wait(),
            max_requests_per_connection: self.max_requests_per_connection,
            max_requests: self.max_requests,
            max_requests_per_client: self.max_requests_per_client,
            max_sessions_per_connection: self.max_sessions_per_connection,
            max_sessions_per_address: self.max_sessions_per_address,
            max_sessions: self.max_sessions,
            max_receiving_bytes: self.receiving_bytes(),
            max_bindings: self.max_bindings,
            batch_size: self.batch_size.max(1),
            max_batch_size: self.max_batch_size.max(1),
            max_waiting_results: self.max_waiting_results,
            evaluation_timeout: optional(self.evaluation_timeout),
            max_evaluation_timeout: optional(self.max_evaluation_timeout),
            idle_timeout: optional(self.idle_timeout),
            keep_alive: Duration::from_millis(self.keep_alive.max(1_000)),
            write_timeout: Duration::from_millis(self.write_timeout),
            read_timeout: Duration::from_millis(self.read_timeout),
            shutdown_grace: Duration::from_millis(self.shutdown_grace),
        }
    }
}

impl Default for EngineConfig {
    fn default() -> Self {
        Self {
            executors: 0,
            cache: 0,
            import_memory: 0,
            secondary_builders: 1,
            memory_queries: 0,
            memory_per_query: 1 << 30,
            plan_cache: 1_024,
            write_retries: 8,
            request_keys: 50_000,
            request_keys_per_address: 25_000,
            request_key_time: 600_000,
        }
    }
}

impl Default for LoadsConfig {
    fn default() -> Self {
        let graph::PoolOptions { light, heavy, most_heavy, heavy_after, together } =
            graph::PoolOptions::default();
        Self { light, heavy, most_heavy, heavy_after, together }
    }
}

impl LoadsConfig {
    /// The same in the graph's own terms.
    pub fn options(&self) -> graph::PoolOptions {
        let Self { light, heavy, most_heavy, heavy_after, together } = *self;
        let heavy_after = if heavy_after == 0 { u64::MAX } else { heavy_after };
        graph::PoolOptions { light, heavy, most_heavy, heavy_after, together }
    }
}

impl Default for LogConfig {
    fn default() -> Self {
        let server::QueryLog { slow, bindings, errors } = server::QueryLog::default();
        Self {
            level: "info".into(),
            format: LogFormat::Text,
            slow_query: slow.map_or(0, |slow| u64::try_from(slow.as_millis()).unwrap_or(u64::MAX)),
            slow_query_bindings: bindings,
            failed_queries: errors,
        }
    }
}
