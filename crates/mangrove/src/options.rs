//! How a database is opened.

use std::{
    path::PathBuf,
    sync::{Arc, Weak},
    time::Duration,
};

use access::Gate;
use dataflow::{Budget, Engine, EngineOptions};
use graph::{GraphOptions, SecondaryOptions};
use server::Queries;
use store::FjallOptions;

use crate::{
    Error,
    config::{EngineConfig, LoadsConfig},
    graph_host::GraphHost,
    machine_memory::machine_memory,
    memory_plan::MemoryPlan,
    request::RequestKeyOptions,
    sessions::{Accounts, SessionOptions},
    tenant_memory::TenantMemory,
    transfers::Transfers,
};

/// How a database is opened; the defaults suit a program that has one.
#[derive(Clone, Debug)]
pub struct DatabaseOptions {
    /// The engine that runs the queries. Databases of one process should share one, since its executors are pinned
    /// to cores; without one, the database starts its own.
    pub engine: Option<Arc<Engine>>,
    /// Executors of an engine of its own; 0 for one per core.
    pub executors: usize,
    /// Bytes that one query may hold in memory.
    pub memory_per_query: u64,
    /// Bytes that all queries of an engine together may hold in memory, half of it at most one of them; 0 for a quarter of what
    /// the process may use. Counts for an engine that the database starts itself.
    pub memory_queries: u64,
    /// How long a query may take, where it does not say. `None`: for ever.
    pub timeout: Option<Duration>,
    /// How often a request that lost against a concurrent write is tried again.
    pub write_retries: u32,
    /// Plans kept for traversals that come again.
    pub plan_cache: usize,
    /// Requests with a key that are remembered.
    pub request_keys: RequestKeyOptions,
    /// Where the service `mangrove.backup` writes, if it may.
    pub backups: Option<PathBuf>,
    /// The directory below which `g.io(…)` reads and writes files, if it may.
    pub io_directory: Option<PathBuf>,
    /// The users of the server that this is a graph of. `None`: those who are kept with the graph.
    pub users: Option<Gate>,
    /// The queries of the server that this is a graph of, for the services that show and stop them.
    pub queries: Option<Queries>,
    /// The graphs of the server that this is one of, for the services that make and drop some. Whoever has it lets it live.
    pub graph_host: Option<Weak<dyn GraphHost>>,
    /// Files on their way between clients and the server that this is a graph of; databases of one server should share it. `None`: it
    /// takes none.
    pub transfers: Option<Arc<Transfers>>,
    /// What the queries of each tenant hold; databases of one server should share it.
    pub tenant_memory: TenantMemory,
    /// On whose account sessions are; databases of one server should share it. `None`: on that of the client's address.
    pub accounts: Option<Arc<dyn Accounts>>,
    /// Bounds of sessions.
    pub sessions: SessionOptions,
    /// Bounds of the graph.
    pub graph: GraphOptions,
    /// Bounds of the store.
    pub store: FjallOptions,
}

impl Default for DatabaseOptions {
    fn default() -> Self {
        Self::from(&EngineConfig::default())
    }
}

impl From<&EngineConfig> for DatabaseOptions {
    fn from(config: &EngineConfig) -> Self {
        Self {
            engine: None,
            executors: config.executors,
            memory_per_query: config.memory_per_query,
            memory_queries: config.memory_queries,
            timeout: None,
            write_retries: config.write_retries,
            plan_cache: config.plan_cache,
            request_keys: RequestKeyOptions {
                most: config.request_keys,
                most_per_address: config.request_keys_per_address,
                time: Duration::from_millis(config.request_key_time),
            },
            backups: None,
            io_directory: None,
            users: None,
            queries: None,
            graph_host: None,
            transfers: None,
            tenant_memory: TenantMemory::default(),
            accounts: None,
            sessions: SessionOptions::default(),
            graph: GraphOptions {
                bulk_bytes: usize::try_from(match config.import_memory {
                    0 => machine_memory() / 32,
                    bytes => bytes,
                })
                .unwrap_or(usize::MAX),
                secondary: SecondaryOptions {
                    builders: config.secondary_builders,
                    ..SecondaryOptions::default()
                },
                ..GraphOptions::default()
            },
            store: FjallOptions::default(),
        }
        .with_cache(MemoryPlan::embedded(config).cache)
    }
}

impl DatabaseOptions {
    /// The same with these bounds of what is loaded at a time.
    #[must_use]
    pub fn with_loads(mut self, config: &LoadsConfig) -> Self {
        self.graph.pools = config.options();
        self
    }

    /// The same for reading alone: what would change the graph is refused with [`crate::ErrorKind::ReadOnly`], and where there is none,
    /// none is made. It is still one process that has it open, which may tidy up what the one before has left in its log.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.graph.read_only = read_only;
        self
    }

    /// The same with `bytes` of the graph in memory: sections, and the store's own cache of blocks, which takes an eighth of
    /// them, 4 to 64 MiB, and no more than half. On top comes what the store keeps of writes, a third of it, 48 to 160 MiB, and
    /// what open transactions hold, at most half of it, 128 MiB to 1 GiB. What is sorted at once of a list that gets a
    /// secondary edge-tree shrinks with a small cache, too.
    #[must_use]
    pub fn with_cache(mut self, bytes: u64) -> Self {
        let blocks = (bytes / 8).clamp(SMALLEST_STORE_CACHE, FjallOptions::default().cache_bytes);
        let blocks = blocks.min(bytes / 2);
        self.store.cache_bytes = blocks;
        self.store.buffer_bytes = buffer_bytes(bytes);
        self.graph.held_bytes = usize::try_from(held_bytes(bytes)).unwrap_or(usize::MAX);
        self.graph.cache_bytes = usize::try_from(bytes.saturating_sub(blocks)).unwrap_or(usize::MAX);
        let sorted = usize::try_from(bytes / SORTED_SHARE / SORTED_EDGE_BYTES).unwrap_or(usize::MAX);
        self.graph.secondary.sort_edges = sorted.clamp(1 << 12, SecondaryOptions::default().sort_edges);
        self
    }
}

/// Bytes that all open transactions may hold beside a cache of `cache` bytes.
#[must_use]
pub fn held_bytes(cache: u64) -> u64 {
    (cache / 2).clamp(128 << 20, 1 << 30)
}

/// Bytes of writes that the store keeps in memory beside a cache of `cache` bytes.
pub(crate) fn buffer_bytes(cache: u64) -> u64 {
    (cache / 3).clamp(SMALLEST_STORE_BUFFER, FjallOptions::default().buffer_bytes)
}

/// Edges that are sorted at once may take so many parts of the cache's bytes beside it, at so many bytes each.
const SORTED_SHARE: u64 = 8;
const SORTED_EDGE_BYTES: u64 = 96;

/// Least bytes of the store's cache of blocks.
const SMALLEST_STORE_CACHE: u64 = 4 << 20;

/// Least bytes of writes that the store keeps in memory before writers wait.
const SMALLEST_STORE_BUFFER: u64 = 48 << 20;

/// Starts an engine that several databases can share, with the default bounds of memory.
///
/// # Errors
/// When the operating system refuses a thread.
pub fn start_engine(executors: usize) -> Result<Arc<Engine>, Error> {
    start_engine_with(&EngineConfig { executors, ..EngineConfig::default() })
}

/// Starts an engine that several databases can share, with as many executors and as much memory for queries as that says.
///
/// # Errors
/// When the operating system refuses a thread.
pub fn start_engine_with(config: &EngineConfig) -> Result<Arc<Engine>, Error> {
    let EngineConfig { executors, memory_per_query, .. } = *config;
    let budget = Some(Arc::new(Budget::new(MemoryPlan::embedded(config).queries, memory_per_query)));
    let mut options = EngineOptions { budget, ..EngineOptions::default() };
    if executors > 0 {
        options.executors = executors;
    }
    Engine::start(&options).map(Arc::new).map_err(|error| Error::Engine(Arc::new(error)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_the_stores_blocks_share_the_budget() {
        for megabytes in [1, 8, 200, 4_096] {
            let bytes = megabytes << 20;
            let options = DatabaseOptions::default().with_cache(bytes);
            assert!(options.store.cache_bytes >= SMALLEST_STORE_CACHE.min(bytes / 2));
            assert!(options.graph.cache_bytes as u64 >= bytes / 2);
            assert_eq!(options.graph.cache_bytes as u64 + options.store.cache_bytes, bytes);
        }
    }
}
