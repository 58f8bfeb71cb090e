//! Who asks for something: what that may be, and what the audit log says of it.

use std::net::IpAddr;

use access::{Rights, Role};
use server::{Client, Holder, UnderWay};

use crate::Error;

/// Whoever makes a request.
#[derive(Clone, Debug)]
pub(crate) struct Asker {
    rights: Rights,
    /// On whose account; `None`: the application asks itself.
    holder: Option<Holder>,
    address: Option<IpAddr>,
}

/// What somebody must be allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A role on the graph that is asked.
    Here(Role),
    /// A role on all graphs.
    Everywhere(Role),
}

impl Needs {
    /// Whether rights have it in them.
    pub(crate) fn are_met_by(self, rights: Rights) -> bool {
        match self {
            Self::Here(role) => rights.allow(role),
            Self::Everywhere(role) => rights.allow_everywhere(role),
        }
    }
}

impl Asker {
    /// The application that has the graph open, which may do everything.
    pub(crate) fn application() -> Self {
        Self { rights: Rights::ALL, holder: None, address: None }
    }

    /// A client of the server.
    pub(crate) fn client(client: &Client, rights: Rights) -> Self {
        Self { rights, holder: Some(client.holder()), address: Some(client.address) }
    }

    /// On whose account; `None`: the application asks itself.
    pub(crate) fn holder(&self) -> Option<Holder> {
        self.holder.clone()
    }

    /// Whether it has a role on the graph that is asked.
    pub(crate) fn may(&self, role: Role) -> bool {
        self.rights.allow(role)
    }

    /// Refuses what it may not do, with a line in the audit log.
    ///
    /// # Errors
    /// [`Error::Forbidden`].
    pub(crate) fn check(&self, needs: Needs, what: &str) -> Result<(), Error> {
        if needs.are_met_by(self.rights) {
            return Ok(());
        }
        let (needs, everywhere) = match needs {
            Needs::Here(role) => (role, false),
            Needs::Everywhere(role) => (role, true),
        };
        let (user, from) = (self.user(), self.address);
        tracing::warn!(target: "audit", ?user, ?from, kind = what, %needs, everywhere, "request refused");
        Err(Error::Forbidden { what: what.into(), needs, everywhere })
    }

    /// Whether it may see a query, and stop it: its own, or as an admin of all graphs any. Where there are no users, everybody may.
    pub(crate) fn may_see(&self, query: &UnderWay) -> bool {
        self.may_see_of(query.user.as_deref())
    }

    /// The same of what is done for a user.
    pub(crate) fn may_see_of(&self, user: Option<&str>) -> bool {
        self.rights.allow_everywhere(Role::Admin) || self.user() == user
    }

    /// Whether it is this user.
    pub(crate) fn is(&self, name: &str) -> bool {
        self.user() == Some(name)
    }

    /// What it is called.
    pub(crate) fn name(&self) -> String {
        match (self.user(), self.address) {
            (Some(user), _) => user.into(),
            (None, Some(address)) => format!("a client at {address}"),
            (None, None) => "the application".into(),
        }
    }

    /// A line in the audit log: something is done that changes more than elements.
    pub(crate) fn note(&self, what: &str, of: Option<&str>) {
        if let Some(from) = self.address {
            tracing::info!(target: "audit", user = ?self.user(), %from, kind = what, ?of, "request");
        }
    }

    fn user(&self) -> Option<&str> {
        self.holder.as_ref().and_then(Holder::user)
    }
}
