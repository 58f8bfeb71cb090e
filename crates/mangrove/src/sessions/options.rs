//! The bounds of sessions.

use std::time::Duration;

/// What sessions may have and hold, and for how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionOptions {
    /// Transactions that are open between requests, of all clients together.
    pub max_transactions: usize,
    /// The same of one client's address.
    pub max_transactions_per_address: usize,
    /// Bytes that what one address has open may hold: writes that are not committed, what they are validated by, and variables.
    pub max_bytes_per_address: u64,
    /// Bytes that variables of all sessions together may hold.
    pub max_variable_bytes: u64,
    /// Variables of one session.
    pub max_variables: usize,
    /// A transaction that is open without a request for so long is rolled back.
    pub idle: Duration,
    /// A transaction that is open for so long is rolled back, whatever it does.
    pub lifetime: Duration,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            max_transactions: 1_024,
            max_transactions_per_address: 256,
            max_bytes_per_address: 64 << 20,
            max_variable_bytes: 64 << 20,
            max_variables: 256,
            idle: Duration::from_secs(60),
            lifetime: Duration::from_secs(600),
        }
    }
}
