//! The settings of tenants.

use std::{collections::BTreeMap, time::Duration};

use access::{TenantBounds, TenantSettings};
use serde::{Deserialize, Serialize};

/// What every user has who is none of a named tenant's. 0 stands for no bound.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TenantConfig {
    /// How much larger the share of the processor is than that of one whose weight is 1.
    pub weight: u16,
    /// Queries that run at a time.
    pub max_queries: usize,
    /// Bytes that its queries may hold together.
    pub max_memory: u64,
    /// Connections on which somebody has logged in.
    pub max_connections: usize,
    /// Transactions that are open between requests; 0: as `sessions.max_transactions_per_address` says.
    pub max_transactions: usize,
    /// Requests that may begin in a second.
    pub max_rate: u32,
    /// Milliseconds that a query of any tenant waits for room before it is refused.
    pub max_wait: u64,
}

/// A group of users.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[allow(missing_docs, reason = "as in TenantConfig, which counts where there is none")]
pub struct NamedTenantConfig {
    /// Its users, by their names.
    pub users: Vec<String>,
    pub weight: Option<u16>,
    pub max_queries: Option<usize>,
    pub max_memory: Option<u64>,
    pub max_connections: Option<usize>,
    pub max_transactions: Option<usize>,
    pub max_rate: Option<u32>,
}

impl Default for TenantConfig {
    fn default() -> Self {
        let TenantBounds { weight, max_queries, max_memory, max_connections, max_transactions, max_rate } =
            TenantBounds::default();
        let max_wait = server::ServerOptions::default().max_wait;
        let max_wait = u64::try_from(max_wait.as_millis()).unwrap_or(u64::MAX);
        Self { weight, max_queries, max_memory, max_connections, max_transactions, max_rate, max_wait }
    }
}

impl TenantConfig {
    /// The bounds of users who are none of a named tenant's.
    pub fn bounds(&self) -> TenantBounds {
        let Self { weight, max_queries, max_memory, max_connections, max_transactions, max_rate, .. } = *self;
        TenantBounds { weight, max_queries, max_memory, max_connections, max_transactions, max_rate }
    }

    /// How long a query waits for room.
    pub(super) fn max_wait(&self) -> Duration {
        Duration::from_millis(self.max_wait)
    }

    /// The named tenants, each with what it says for itself and the rest of here.
    pub fn named(&self, named: &BTreeMap<String, NamedTenantConfig>) -> BTreeMap<String, TenantSettings> {
        let settings = |tenant: &NamedTenantConfig| TenantSettings {
            users: tenant.users.clone(),
            bounds: TenantBounds {
                weight: tenant.weight.unwrap_or(self.weight),
                max_queries: tenant.max_queries.unwrap_or(self.max_queries),
                max_memory: tenant.max_memory.unwrap_or(self.max_memory),
                max_connections: tenant.max_connections.unwrap_or(self.max_connections),
                max_transactions: tenant.max_transactions.unwrap_or(self.max_transactions),
                max_rate: tenant.max_rate.unwrap_or(self.max_rate),
            },
        };
        named.iter().map(|(name, tenant)| (name.clone(), settings(tenant))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_tenant_has_what_it_says_and_else_what_all_have() {
        let all = TenantConfig { weight: 2, max_queries: 8, ..TenantConfig::default() };
        let analysts =
            NamedTenantConfig { users: vec!["ada".into()], max_queries: Some(3), ..Default::default() };
        let named = all.named(&BTreeMap::from([("analysts".to_owned(), analysts)]));
        let TenantSettings { users, bounds } = &named["analysts"];
        assert_eq!((users[0].as_str(), bounds.weight, bounds.max_queries), ("ada", 2, 3));
    }
}
