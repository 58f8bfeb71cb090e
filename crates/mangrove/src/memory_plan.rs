//! How the memory that a process may use is divided.
//!
//! ```text
//! 0                                                                                    what the process may use
//! │ cache │ a quarter of it │ transactions │ store's buffers │ queries │ requests │ base │          free │
//! ```
//!
//! Each part has a bound of its own that something keeps to. The defaults add up to what there is; what somebody has set may
//! not, and then is refused or warned about before anything is opened, rather than ended by the system under load.

use std::fmt;

use crate::{
    config::{Config, EngineConfig},
    machine_memory::machine_memory,
    options::{buffer_bytes, held_bytes},
};

const MIB: u64 = 1 << 20;

/// Threads, plans, tables, and what the allocator keeps.
const BASE: u64 = 192 * MIB;

/// The least that a graph is served with by default.
const SMALLEST_CACHE: u64 = 16 * MIB;

/// The bounds of a process's parts, in bytes, of all graphs together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryPlan {
    /// What the process may use.
    pub available: u64,
    /// `engine.cache`.
    pub cache: u64,
    /// What open transactions hold.
    pub transactions: u64,
    /// What stores keep of writes.
    pub buffers: u64,
    /// `engine.memory_queries`.
    pub queries: u64,
    /// What requests take until they are run: `server.max_receiving_bytes`, half as much again of those that wait for others of their
    /// tenant, and what the hash of a password takes; and answers until they are taken. 0 without a server.
    pub requests: u64,
}

/// A configuration that cannot be kept to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "engine.cache and engine.memory_queries are {} and {} MiB, together more than the {} MiB that the machine or the container \
     has: lower one of them, or leave it out (0), and it is chosen so that everything fits",
    .0.cache / MIB, .0.queries / MIB, .0.available / MIB
)]
pub struct TooMuch(pub MemoryPlan);

impl MemoryPlan {
    /// Of a server with so many graphs.
    pub fn of_server(config: &Config, graphs: usize) -> Self {
        let requests = request_bytes(config.server.receiving_bytes());
        Self::new(&config.engine, requests, graphs as u64, machine_memory())
    }

    /// Of a program with a graph of its own.
    pub(crate) fn embedded(config: &EngineConfig) -> Self {
        Self::new(config, 0, 1, machine_memory())
    }

    fn new(config: &EngineConfig, requests: u64, graphs: u64, available: u64) -> Self {
        let queries = match config.memory_queries {
            0 => available / 4,
            bytes => bytes,
        };
        let with_cache = |cache: u64| {
            let each = cache / graphs.max(1);
            let (transactions, buffers) = (graphs * held_bytes(each), graphs * buffer_bytes(each));
            Self { available, cache, transactions, buffers, queries, requests }
        };
        if config.cache > 0 {
            return with_cache(config.cache);
        }
        let mut plan = with_cache(available / 2);
        while plan.total() > available && plan.cache > SMALLEST_CACHE {
            plan = with_cache((plan.cache - plan.cache.div_ceil(64)).max(SMALLEST_CACHE));
        }
        plan
    }

    /// What all parts come to at most, with what replaced sections take until their readers are gone.
    pub fn total(&self) -> u64 {
        let Self { available: _, cache, transactions, buffers, queries, requests } = *self;
        [cache, cache / 4, transactions, buffers, queries, requests, BASE]
            .into_iter()
            .fold(0, u64::saturating_add)
    }

    /// Whether there is memory for all parts at once. Without, the process may be ended by the system when all are full.
    pub fn fits(&self) -> bool {
        self.total() <= self.available
    }

    /// Refuses what cannot hold.
    ///
    /// # Errors
    /// [`TooMuch`] if cache and queries alone are more than there is.
    pub fn check(&self) -> Result<(), TooMuch> {
        if self.cache.saturating_add(self.queries) > self.available { Err(TooMuch(*self)) } else { Ok(()) }
    }
}

/// What requests and their answers take of a server that receives so many bytes of them at a time. Those that wait at the desks of their
/// tenants have a bound of their own, half of that, and one hash of a password is computed at a time.
fn request_bytes(receiving: u64) -> u64 {
    let answers = server::outgoing_bytes(receiving);
    [receiving, receiving / 2, answers, access::HASHING_BYTES].into_iter().fold(0, u64::saturating_add)
}

impl fmt::Display for MemoryPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { available, cache, transactions, buffers, queries, requests } = self.in_mebibytes();
        let total = self.total() / MIB;
        write!(
            f,
            "cache {cache} MiB and a quarter of it, transactions {transactions}, buffers of the store {buffers}, queries \
             {queries}, requests {requests}, {} for the rest: {total} MiB of {available}",
            BASE / MIB
        )
    }
}

impl MemoryPlan {
    fn in_mebibytes(self) -> Self {
        let Self { available, cache, transactions, buffers, queries, requests } = self;
        Self {
            available: available / MIB,
            cache: cache / MIB,
            transactions: transactions / MIB,
            buffers: buffers / MIB,
            queries: queries / MIB,
            requests: requests / MIB,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_add_up_on_all_machines() {
        for gib in [1, 2, 4, 8, 24, 64, 512] {
            for graphs in [1, 2, 3] {
                let available = gib << 30;
                let requests = request_bytes(available / 32);
                let plan = MemoryPlan::new(&EngineConfig::default(), requests, graphs, available);
                assert!(plan.fits() || plan.cache == SMALLEST_CACHE, "{plan}");
                assert!(plan.check().is_ok());
                assert!(
                    gib < 64 || plan.cache == available / 2,
                    "a large machine gives half of it to the cache: {plan}"
                );
                assert!(gib < 2 || graphs > 1 || plan.cache >= available / 4, "{plan}");
            }
        }
    }

    #[test]
    fn requests_count_while_they_are_received_and_while_they_wait_and_answers_until_they_are_taken() {
        let mut config = Config::default();
        config.server.max_receiving_bytes = 64 << 20;
        assert_eq!(MemoryPlan::of_server(&config, 1).requests, ((96 + 160) << 20) + access::HASHING_BYTES);
    }

    #[test]
    fn what_somebody_has_set_is_warned_about_or_refused() {
        let plan = |cache: u64, memory_queries: u64| {
            let config = EngineConfig { cache, memory_queries, ..EngineConfig::default() };
            MemoryPlan::new(&config, 0, 1, 4 << 30)
        };
        assert!(plan(1 << 30, 1 << 30).fits());
        let tight = plan(3 << 30, 900 << 20);
        assert!(!tight.fits() && tight.check().is_ok());
        assert!(tight.to_string().contains("of 4096"), "{tight}");
        let refused = plan(3 << 30, 2 << 30).check().unwrap_err();
        assert!(refused.to_string().contains("3072 and 2048 MiB"), "{refused}");
    }
}
