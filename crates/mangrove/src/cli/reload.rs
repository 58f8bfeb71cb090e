//! What a running server reads again when it is told to (SIGHUP), and what it does not.

use std::sync::Arc;

use access::Tenants;
use mangrove::config::{Config, ConfigError};
use server::{Queries, Tls};

use crate::logging::Logging;

/// Reads the configuration, as when the server started.
pub(super) type Read = Box<dyn Fn() -> Result<Config, ConfigError> + Send>;

/// What can be set anew.
pub(super) struct Reload {
    pub(super) read: Read,
    pub(super) logging: Arc<Logging>,
    pub(super) tenants: Arc<Tenants>,
    pub(super) queries: Queries,
    pub(super) tls: Option<Arc<Tls>>,
    /// What is in force, with what needs a new start as it was at the start.
    pub(super) config: Config,
}

/// Settings that count from the next request on, by how they begin.
const RELOADED: [&str; 6] =
    ["tenant.", "tenants.", "log.level", "log.slow_query", "log.slow_query_bindings", "log.failed_queries"];

/// One that begins so and needs a new start all the same.
const NOT_RELOADED: &str = "tenant.max_wait";

impl Reload {
    /// Reads everything again that can be. What is wrong changes nothing.
    pub(super) fn again(&mut self) {
        if let Some(Err(error)) = self.tls.as_deref().map(Tls::reload) {
            tracing::error!(%error, "asked to reload: certificate and key of before stay in use");
        }
        let new = match (self.read)() {
            Ok(new) => new,
            Err(error) => {
                tracing::error!(%error, "asked to reload: the configuration of before stays in force");
                return;
            }
        };
        if let Err(error) = self.logging.set_level(&new.log.level) {
            tracing::error!(%error, "asked to reload: the configuration of before stays in force");
            return;
        }
        self.tenants.set(&new.tenant.named(&new.tenants), new.tenant.bounds());
        self.queries.log_as(new.log.queries());
        let (reloaded, others): (Vec<_>, Vec<_>) =
            self.config.differences(&new).into_iter().partition(|key| is_reloaded(key));
        tracing::info!(changed = ?reloaded, needs_a_new_start = ?others, "reloaded");
        self.config.tenant =
            mangrove::config::TenantConfig { max_wait: self.config.tenant.max_wait, ..new.tenant };
        (self.config.tenants, self.config.log) = (new.tenants, new.log);
    }
}

fn is_reloaded(key: &str) -> bool {
    RELOADED.iter().any(|begin| key.starts_with(begin)) && key != NOT_RELOADED
}
