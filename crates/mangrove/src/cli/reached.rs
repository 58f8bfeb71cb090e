//! A graph that a command works on: in a directory that it opens, or behind the server that is named, or that has the directory open.

use mangrove::{Database, Error, config::Config, store::StoreError};

use super::{Failure, open};
use crate::far::{Client, Far, server_of};

/// See the module.
pub(super) enum Reached {
    /// In a directory that nobody else has open.
    Near(Database),
    /// Behind a server.
    Far(Client),
}

impl Reached {
    /// Connects to the server that is named; else opens the directory, or connects to the server that has it open.
    pub(super) fn of(config: &Config, far: &Far) -> Result<Self, Failure> {
        if let Some(client) = far.connect()? {
            return Ok(Self::Far(client));
        }
        let error = match open(config) {
            Ok(database) => return Ok(Self::Near(database)),
            Err(error) => error,
        };
        match server_of(&config.default_graph().path) {
            Some(found) if is_locked(&error) => far.connect_to(found).map(Self::Far),
            _ => Err(error),
        }
    }
}

fn is_locked(error: &Failure) -> bool {
    let Failure::Database(Error::Open { source, .. }) = error else { return false };
    matches!(**source, StoreError::Locked { .. })
}
