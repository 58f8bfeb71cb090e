//! Roles, and the rights that follow from them.

use std::{collections::BTreeMap, fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// What somebody may do with a graph. Each role may do what those before it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Look at everything in it.
    Read,
    /// Change its elements.
    Write,
    /// Declare what its elements must look like, and its indexes.
    Schema,
    /// Look after it: back it up, see and stop what others do; on all graphs: users, too.
    Admin,
}

impl Role {
    /// All of them, in rising order.
    pub const ALL: [Self; 4] = [Self::Read, Self::Write, Self::Schema, Self::Admin];

    /// Its name in commands, files and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Schema => "schema",
            Self::Admin => "admin",
        }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Role {
    type Err = NoRole;

    fn from_str(text: &str) -> Result<Self, NoRole> {
        Self::ALL.into_iter().find(|role| role.name() == text).ok_or_else(|| NoRole(text.into()))
    }
}

/// A text that is no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no role; there are read, write, schema and admin, on all graphs or (read@modern) on one; and none, to take one away"
)]
pub struct NoRole(String);

/// The name that stands for all graphs.
pub const EVERY_GRAPH: &str = "*";

/// Reads a role, or none, on all graphs or (`read@modern`) on one.
///
/// # Errors
/// If it is no role.
pub fn role_on(text: &str) -> Result<(String, Option<Role>), NoRole> {
    let (role, graph) = text.split_once('@').unwrap_or((text, EVERY_GRAPH));
    let role = if role == "none" { None } else { Some(role.parse()?) };
    Ok((graph.into(), role))
}

/// The roles of a user: on graphs by the names of their traversal sources, and on [`EVERY_GRAPH`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Grants(BTreeMap<String, Role>);

impl Grants {
    /// One role on all graphs.
    pub fn everywhere(role: Role) -> Self {
        Self(BTreeMap::from([(EVERY_GRAPH.into(), role)]))
    }

    /// Gives a role on a graph, instead of another one; `None` takes it away.
    pub fn set(&mut self, graph: impl Into<String>, role: Option<Role>) {
        match role {
            Some(role) => self.0.insert(graph.into(), role),
            None => self.0.remove(&graph.into()),
        };
    }

    /// What they allow on a graph, and everywhere; at most `bound`.
    pub fn rights(&self, graph: &str, bound: Option<Role>) -> Rights {
        let bounded = |role: Option<Role>| role.map(|role| bound.map_or(role, |bound| role.min(bound)));
        let everywhere = self.0.get(EVERY_GRAPH).copied();
        let here = self.0.get(graph).copied().max(everywhere);
        Rights { here: bounded(here), everywhere: bounded(everywhere) }
    }

    /// Whether they make somebody an admin of all graphs, who may look after users.
    pub fn is_admin(&self) -> bool {
        self.0.get(EVERY_GRAPH) == Some(&Role::Admin)
    }

    /// Graphs and roles, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Role)> {
        self.0.iter().map(|(graph, role)| (graph.as_str(), *role))
    }
}

impl fmt::Display for Grants {
    /// `admin`, or `read@g write@modern`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, (graph, role)) in self.iter().enumerate() {
            let blank = if place > 0 { " " } else { "" };
            match graph {
                EVERY_GRAPH => write!(f, "{blank}{role}")?,
                graph => write!(f, "{blank}{role}@{graph}")?,
            }
        }
        Ok(())
    }
}

/// What somebody may do with one graph, and with all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rights {
    /// On the graph in question.
    pub here: Option<Role>,
    /// On all graphs there are and will be.
    pub everywhere: Option<Role>,
}

impl Rights {
    /// Those of the process itself, which nobody limits.
    pub const ALL: Self = Self { here: Some(Role::Admin), everywhere: Some(Role::Admin) };

    /// Those of everybody where there are no users: everything but to make some. The first admin is made by who starts the server.
    pub const OF_ANYBODY: Self = Self { here: Some(Role::Admin), everywhere: None };

    /// Whether they include a role on the graph in question.
    pub fn allow(self, role: Role) -> bool {
        self.here >= Some(role)
    }

    /// Whether they include a role on all graphs.
    pub fn allow_everywhere(self, role: Role) -> bool {
        self.everywhere >= Some(role)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_role_on_all_graphs_holds_on_each_and_the_higher_of_two_counts() {
        let mut grants = Grants::everywhere(Role::Read);
        grants.set("g", Some(Role::Schema));
        let rights = grants.rights("g", None);
        assert_eq!(rights, Rights { here: Some(Role::Schema), everywhere: Some(Role::Read) });
        assert!(rights.allow(Role::Write) && !rights.allow(Role::Admin));
        assert!(!rights.allow_everywhere(Role::Write));
        assert_eq!(grants.rights("other", None).here, Some(Role::Read));
        assert_eq!(grants.rights("g", Some(Role::Write)).here, Some(Role::Write));
        assert_eq!(grants.to_string(), "read schema@g");
        grants.set(EVERY_GRAPH, None);
        assert!(!grants.rights("other", None).allow(Role::Read));
    }

    #[test]
    fn roles_have_the_names_that_they_are_read_by() {
        for role in Role::ALL {
            assert_eq!(role.to_string().parse(), Ok(role));
        }
        assert_eq!(role_on("write@modern"), Ok(("modern".into(), Some(Role::Write))));
        assert_eq!(role_on("none"), Ok((EVERY_GRAPH.into(), None)));
        assert!(role_on("nobody@g").is_err());
        assert!("Read".parse::<Role>().unwrap_err().to_string().contains("schema"));
        assert!(!Rights::OF_ANYBODY.allow_everywhere(Role::Read) && Rights::OF_ANYBODY.allow(Role::Admin));
    }
}
