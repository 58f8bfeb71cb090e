//! `mangrove user`: the users of the server that will have the graph open. While one has, its services do the same.

use std::{
    path::PathBuf,
    time::{Duration, SystemTime},
};

use access::{Gate, Grants, Role, TokenInfo, role_on};
use clap::{Args, Subcommand};
use mangrove::config::Config;
use values::{Map, Str, Value};

use super::{Failure, reached::Reached};
use crate::{
    far::{Client, Far},
    output::say,
    secret,
};

/// The variable that the password of the user whom a command is about may be in, whoever asks.
const NEW_PASSWORD: &str = "MANGROVE_NEW_PASSWORD";

/// What is done with users.
#[derive(Subcommand, Debug)]
pub enum User {
    /// Add a user; the first one must be an admin of all graphs
    Add(Add),
    /// Remove a user, and the tokens
    Remove {
        /// The name
        name: String,
    },
    /// Give or take away roles
    Role {
        /// The name
        name: String,
        /// read, write, schema, admin or none: on all graphs, or (write@modern) on one, by the name of its traversal source
        #[arg(required = true, value_parser = role_on)]
        roles: Vec<RoleOn>,
    },
    /// Give another password; who has logged in by the old one has to do so again
    Password {
        /// The name
        name: String,
        #[command(flatten)]
        password: PasswordFrom,
    },
    /// Make a token, which is shown once, or revoke one
    Token(Token),
    /// Show all of them, with their roles and tokens
    List,
}

/// A role, or none, and the graph that it is on.
type RoleOn = (String, Option<Role>);

/// The arguments of `mangrove user add`.
#[derive(Args, Debug)]
pub struct Add {
    /// The name
    name: String,
    /// read, write, schema or admin: on all graphs, or (write@modern) on one; may be given several times
    #[arg(long = "role", value_name = "ROLE[@GRAPH]", required = true, value_parser = role_on)]
    roles: Vec<RoleOn>,
    /// Without a password: tokens are the only way in
    #[arg(long, conflicts_with = "password_file")]
    no_password: bool,
    #[command(flatten)]
    password: PasswordFrom,
}

/// Where a password comes from.
#[derive(Args, Debug)]
pub struct PasswordFrom {
    /// File with the password in its first line, - for standard input (default: the variable MANGROVE_NEW_PASSWORD_FILE or
    /// MANGROVE_NEW_PASSWORD, or what is typed; where it is not what --user logs in with at --url, MANGROVE_PASSWORD, too)
    #[arg(long, value_name = "FILE")]
    password_file: Option<PathBuf>,
}

/// The arguments of `mangrove user token`.
#[derive(Args, Debug)]
pub struct Token {
    /// The name of its user
    #[arg(required_unless_present = "revoke")]
    name: Option<String>,
    /// What it is for
    #[arg(long, default_value = "")]
    label: String,
    /// The most that it allows (default: what its user may do)
    #[arg(long)]
    role: Option<Role>,
    /// How long it is good for: a number and s, m, h or d; `never` for ever
    #[arg(long, value_name = "TIME", default_value = "90d", value_parser = lifetime)]
    expires: Lifetime,
    /// Revoke the token of this id instead
    #[arg(long, value_name = "ID", conflicts_with = "name")]
    revoke: Option<String>,
}

/// How long a token is good for; `None`: for ever.
#[derive(Clone, Copy, Debug)]
struct Lifetime(Option<Duration>);

fn lifetime(text: &str) -> Result<Lifetime, String> {
    if text == "never" {
        return Ok(Lifetime(None));
    }
    let units = [("s", 1), ("m", 60), ("h", 60 * 60), ("d", 24 * 60 * 60)];
    let found = units.iter().find_map(|(unit, seconds)| {
        let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
        number.checked_mul(*seconds).filter(|seconds| *seconds > 0)
    });
    let seconds = found.ok_or("expected a number and s, m, h or d, such as 90d; or never")?;
    Ok(Lifetime(Some(Duration::from_secs(seconds))))
}

impl User {
    pub(super) fn run(self, config: &Config, far: &Far) -> Result<(), Failure> {
        let told = match Reached::of(config, far)? {
            Reached::Near(database) => {
                let told = self.act(database.users())?;
                database.close()?;
                told
            }
            Reached::Far(client) => self.act_there(*client, far)?,
        };
        told.iter().try_for_each(say)?;
        Ok(())
    }

    /// Does it by a server's services; what is to be said then.
    fn act_there(self, mut client: Client, far: &Far) -> Result<Vec<String>, Failure> {
        let is_logins = far.logs_in_by_password();
        let mut call = |service: &str, given: Vec<(&str, Value)>| {
            let parameters: Map = given.into_iter().map(|(name, value)| (name.into(), value)).collect();
            let script = format!("g.call('mangrove.users.{service}', parameters)");
            client.ask(&script, &[(Str::from("parameters"), parameters.into())])
        };
        let roles = |roles: Vec<RoleOn>| {
            let role = |(graph, role): RoleOn| format!("{}@{graph}", role.map_or("none", Role::name));
            Value::list(roles.into_iter().map(|on| Value::from(role(on))).collect::<Vec<_>>())
        };
        Ok(match self {
            Self::Add(Add { name, roles: given, no_password, password }) => {
                let password = (!no_password).then(|| password.read(is_logins)).transpose()?;
                let password = password.map_or(Value::Null, Value::from);
                let parameters =
                    vec![("name", name.as_str().into()), ("password", password), ("role", roles(given))];
                call("add", parameters)?;
                vec![format!("added {name}")]
            }
            Self::Remove { name } => {
                call("remove", vec![("name", name.as_str().into())])?;
                vec![format!("removed {name}")]
            }
            Self::Role { name, roles: given } => {
                call("role", vec![("name", name.as_str().into()), ("role", roles(given))])?;
                vec![format!("{name} has other roles")]
            }
            Self::Password { name, password } => {
                call(
                    "password",
                    vec![("name", name.as_str().into()), ("password", password.read(is_logins)?.into())],
                )?;
                vec![format!("{name} has another password")]
            }
            Self::Token(Token { revoke: Some(id), .. }) => {
                call("revoke", vec![("id", id.as_str().into())])?;
                vec![format!("revoked {id}")]
            }
            Self::Token(Token { name, label, role, expires, .. }) => {
                let seconds =
                    expires.0.map_or(0, |lifetime| i64::try_from(lifetime.as_secs()).unwrap_or(i64::MAX));
                let parameters = vec![
                    ("name", name.unwrap_or_default().into()),
                    ("label", label.into()),
                    ("role", role.map_or(Value::Null, |role| role.name().into())),
                    ("seconds", seconds.into()),
                ];
                call("token", parameters)?.iter().map(Value::to_string).collect()
            }
            Self::List => call("list", Vec::new())?.iter().map(Value::to_string).collect(),
        })
    }

    /// Does it; what is to be said then.
    fn act(self, users: &Gate) -> Result<Vec<String>, Failure> {
        let registry = users.registry();
        match self {
            Self::Add(Add { name, roles, no_password, password }) => {
                let mut grants = Grants::default();
                roles.into_iter().for_each(|(graph, role)| grants.set(graph, role));
                let password = (!no_password).then(|| password.read(false)).transpose()?;
                users.add_user(&name, password.as_deref(), grants)?;
                Ok(vec![format!("added {name}")])
            }
            Self::Remove { name } => {
                registry.remove(&name)?;
                Ok(vec![format!("removed {name}")])
            }
            Self::Role { name, roles } => {
                for (graph, role) in roles {
                    registry.grant(&name, &graph, role)?;
                }
                let user = registry.users().into_iter().find(|user| user.name == name);
                let grants = user.map(|user| user.grants.to_string()).unwrap_or_default();
                Ok(vec![format!("{name}: {}", if grants.is_empty() { "no role" } else { &grants })])
            }
            Self::Password { name, password } => {
                users.set_password(&name, Some(&password.read(false)?))?;
                Ok(vec![format!("{name} has another password")])
            }
            Self::Token(Token { revoke: Some(id), .. }) => {
                registry.revoke_token(&id)?;
                Ok(vec![format!("revoked {id}")])
            }
            Self::Token(Token { name, label, role, expires, .. }) => {
                let name = name.unwrap_or_default();
                Ok(vec![registry.add_token(&name, &label, role, expires.0)?])
            }
            Self::List => Ok(list(users)),
        }
    }
}

impl PasswordFrom {
    /// The password. `is_logins`: the usual variable has that of who logs in, which must not become another's unseen.
    fn read(self, is_logins: bool) -> Result<String, Failure> {
        let variables = [NEW_PASSWORD, secret::PASSWORD];
        secret::given_or_typed(self.password_file, if is_logins { &variables[..1] } else { &variables })
    }
}

fn list(users: &Gate) -> Vec<String> {
    let users = users.registry().users();
    if users.is_empty() {
        return vec!["no users: whoever reaches the server may do everything".into()];
    }
    let mut lines = Vec::new();
    for user in users {
        let password = if user.has_password { "" } else { ", no password" };
        lines.push(format!("{}: {}{password}", user.name, user.grants));
        lines.extend(user.tokens.iter().map(|token| format!("  {}", described(token))));
    }
    lines
}

fn described(token: &TokenInfo) -> String {
    let at_most = token.at_most.map(|role| format!(", at most {role}")).unwrap_or_default();
    let left = match token.expires {
        None => "never expires".into(),
        Some(at) => match at.duration_since(SystemTime::now()) {
            Ok(left) if left.as_secs() >= 2 * 24 * 60 * 60 => {
                format!("expires in {} days", left.as_secs() / (24 * 60 * 60))
            }
            Ok(left) => format!("expires in {} minutes", left.as_secs().div_ceil(60)),
            Err(_) => "expired".into(),
        },
    };
    let label = if token.label.is_empty() { String::new() } else { format!(" {:?}", token.label) };
    format!("token {}{label}{at_most}, {left}", token.id)
}
