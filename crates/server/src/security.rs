//! Who may come in, and how.

use std::{fmt::Debug, sync::Arc};

use access::{Gate, Tenant, Tenants};

use crate::{Queries, Tls};

/// Knows what tenants hold.
pub trait TenantUse: Debug + Send + Sync {
    /// Bytes that its queries hold.
    fn memory(&self, tenant: &Tenant) -> u64;
}

/// Who may come in, and how. By default everybody, without TLS.
#[derive(Clone, Debug)]
pub struct Security {
    /// The users.
    pub gate: Gate,
    /// What groups of users may have.
    pub tenants: Arc<Tenants>,
    /// Who knows what tenants hold, for the metrics.
    pub tenant_use: Option<Arc<dyn TenantUse>>,
    /// The ledger of queries, for who looks after the server.
    pub queries: Queries,
    /// What connections are secured with.
    pub tls: Option<Arc<Tls>>,
}

impl Default for Security {
    fn default() -> Self {
        Self {
            gate: Gate::of_nobody(),
            tenants: Arc::default(),
            tenant_use: None,
            queries: Queries::default(),
            tls: None,
        }
    }
}
