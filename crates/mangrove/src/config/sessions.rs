//! The settings of sessions.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::sessions::SessionOptions;

/// What sessions may have and hold, of all graphs together, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsConfig {
    /// Transactions that are open between requests.
    pub max_transactions: usize,
    /// The same of one client's address.
    pub max_transactions_per_address: usize,
    /// Bytes that what one address has open may hold.
    pub max_bytes_per_address: u64,
    /// Bytes that variables of all sessions may hold.
    pub max_variable_bytes: u64,
    /// Variables of one session.
    pub max_variables: usize,
    /// Milliseconds without a request after which an open transaction is rolled back; at least 1.
    pub idle_timeout: u64,
    /// Milliseconds after which an open transaction is rolled back whatever it does; at least 1.
    pub lifetime: u64,
}

impl Default for SessionsConfig {
    fn default() -> Self {
        let SessionOptions {
            max_transactions,
            max_transactions_per_address,
            max_bytes_per_address,
            max_variable_bytes,
            max_variables,
            idle,
            lifetime,
        } = SessionOptions::default();
        let millis = |duration: Duration| u64::try_from(duration.as_millis()).unwrap_or(u64::MAX);
        Self {
            max_transactions,
            max_transactions_per_address,
            max_bytes_per_address,
            max_variable_bytes,
            max_variables,
            idle_timeout: millis(idle),
            lifetime: millis(lifetime),
        }
    }
}

impl SessionsConfig {
    /// The same in the library's own terms.
    pub fn options(&self) -> SessionOptions {
        SessionOptions {
            max_transactions: self.max_transactions,
            max_transactions_per_address: self.max_transactions_per_address,
            max_bytes_per_address: self.max_bytes_per_address,
            max_variable_bytes: self.max_variable_bytes,
            max_variables: self.max_variables,
            idle: Duration::from_millis(self.idle_timeout.max(1)),
            lifetime: Duration::from_millis(self.lifetime.max(1)),
        }
    }
}
