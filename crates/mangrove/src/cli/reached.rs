//! A graph that a command works on: in a directory that it opens, or behind the server that is named, or that has the directory open.

use mangrove::{Database, Error, config::Config, store::StoreError};

use super::{Failure, open, open_for_console, place};
use crate::{
    far::{Client, Far, Link, server_of},
    target::{Near, Remote, Target},
};

/// See the module.
pub(super) enum Reached {
    /// In a directory that nobody else has open.
    Near(Database),
    /// Behind a server.
    Far(Box<Client>),
}

/// The same before a server is asked.
enum Way {
    Near(Database),
    Far(Link),
}

impl Way {
    /// The way to the server that is named; else into the directory, or to the server that has it open.
    fn of(
        config: &Config,
        far: &Far,
        open: fn(&Config) -> Result<Database, Failure>,
    ) -> Result<Self, Failure> {
        if let Some(link) = far.link()? {
            return Ok(Self::Far(link));
        }
        let error = match open(config) {
            Ok(database) => return Ok(Self::Near(database)),
            Err(error) => error,
        };
        match server_of(&config.default_graph().path) {
            Some(found) if is_locked(&error) => Ok(Self::Far(far.link_to(found))),
            _ => Err(error),
        }
    }
}

impl Reached {
    /// What a command works on.
    pub(super) fn of(config: &Config, far: &Far) -> Result<Self, Failure> {
        Ok(match Way::of(config, far, open)? {
            Way::Near(database) => Self::Near(database),
            Way::Far(link) => Self::Far(Box::new(link.connect()?)),
        })
    }
}

/// What scripts are run on. `lasts`: it remembers variables from one to the next.
pub(super) fn target(config: &Config, far: &Far, lasts: bool) -> Result<Box<dyn Target>, Failure> {
    let open = if lasts { open_for_console } else { open };
    Ok(match (Way::of(config, far, open)?, lasts) {
        (Way::Near(database), false) => Box::new(Near::new(database, place(config))),
        (Way::Near(database), true) => Box::new(Near::with_session(database, place(config))?),
        (Way::Far(link), false) => Box::new(Remote::new(link)?),
        (Way::Far(link), true) => Box::new(Remote::with_session(link)?),
    })
}

fn is_locked(error: &Failure) -> bool {
    let Failure::Database(Error::Open { source, .. }) = error else { return false };
    matches!(**source, StoreError::Locked { .. })
}
