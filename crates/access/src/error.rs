//! What can go wrong with users, and why somebody is not let in.

use std::{sync::Arc, time::Duration};

use store::StoreError;

/// Why users could not be read or changed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AccessError {
    /// There is no such user.
    #[error("there is no user {0:?}")]
    NoUser(String),
    /// The name is taken.
    #[error("there is a user {0:?} already; give a role or a password to that one, or choose another name")]
    Taken(String),
    /// It cannot be a name.
    #[error(
        "{0:?} cannot be the name of a user: it has 1 to 128 bytes, no colon, no control characters, and no blanks at its ends"
    )]
    Name(String),
    /// It cannot be the name of a graph.
    #[error(
        "{0:?} cannot be the name of a graph; roles are given on the names of traversal sources, such as g, or on * for all"
    )]
    Graph(String),
    /// It cannot be a password.
    #[error("a password has at least {SHORTEST} characters and at most {LONGEST} bytes", SHORTEST = crate::password::SHORTEST, LONGEST = crate::password::LONGEST)]
    Password,
    /// Nobody could look after users any more.
    #[error("{0:?} is the only one who may look after users (admin on all graphs); make another one first")]
    LastAdmin(String),
    /// There would be users, and nobody who may look after them.
    #[error("the first user must be one who may look after the others: give the role admin on all graphs")]
    FirstAdmin,
    /// There is no such token.
    #[error("there is no token {0:?}; `mangrove user list` shows them")]
    NoToken(String),
    /// More than anybody needs.
    #[error("there are {0} {1} already, as many as are kept; remove one first")]
    TooMany(usize, &'static str),
    /// What is stored is no user.
    #[error("the record of users under {key:?} is damaged: {reason}")]
    Damaged {
        /// Its key.
        key: String,
        /// What is wrong.
        reason: String,
    },
    /// Too many passwords are being checked.
    #[error("too many passwords are being checked; try again in a moment")]
    Busy,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Arc<StoreError>),
}

impl From<StoreError> for AccessError {
    fn from(error: StoreError) -> Self {
        Self::Store(Arc::new(error))
    }
}

/// Why somebody is not let in. What it says is for strangers: not whether there is such a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// Nobody has these credentials.
    #[error("Username and/or password are incorrect")]
    Wrong,
    /// There is no such token, any more.
    #[error("the token is unknown, revoked or expired")]
    Token,
    /// There were too many wrong ones.
    #[error("too many failed logins; wait {} s and try again", .0.as_secs().max(1))]
    TooMany(Duration),
    /// Too many others log in.
    #[error("too many logins at the moment; try again in a second")]
    Busy,
}
