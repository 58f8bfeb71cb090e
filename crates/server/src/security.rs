//! Who may come in, and how.

use std::sync::Arc;

use access::{Gate, Tenants};

use crate::Tls;

/// Who may come in, and how. By default everybody, without TLS.
#[derive(Clone, Debug)]
pub struct Security {
    /// The users.
    pub gate: Gate,
    /// What groups of users may have.
    pub tenants: Arc<Tenants>,
    /// What connections are secured with.
    pub tls: Option<Arc<Tls>>,
}

impl Default for Security {
    fn default() -> Self {
        Self { gate: Gate::of_nobody(), tenants: Arc::default(), tls: None }
    }
}
