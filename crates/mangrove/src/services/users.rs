//! `mangrove.users.…`

use std::time::{Duration, UNIX_EPOCH};

use access::{Grants, Role, UserInfo, role_on};
use values::{Map, Value};

use super::failed;
use crate::{Error, asker::Asker, database::Inner};

/// Seconds for which a token is good, where nobody says.
const USUAL: i64 = 90 * 24 * 60 * 60;

/// Adds a user; no result.
pub(super) fn add(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.users.add";
    let mut grants = Grants::default();
    for (graph, role) in roles(service, parameters)? {
        grants.set(graph, role);
    }
    let password = text(service, parameters, "password")?;
    inner.users.add_user(required(service, parameters, "name")?, password, grants)?;
    Ok(Vec::new())
}

/// Everybody: a map each.
pub(super) fn list(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let users = inner.users.registry().users();
    Ok(users.iter().map(told).collect())
}

/// Gives a user another password, or none; no result.
pub(super) fn password(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.users.password";
    if parameters.get(&Value::from("password")).is_none() {
        return Err(failed(service, "`password` is missing; null takes the password away"));
    }
    let (name, password) = (required(service, parameters, "name")?, text(service, parameters, "password")?);
    inner.users.set_password(name, password)?;
    stop_queries_of(inner, name, asker);
    Ok(Vec::new())
}

/// Removes a user; no result.
pub(super) fn remove(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.users.remove";
    let name = required(service, parameters, "name")?;
    inner.users.registry().remove(name)?;
    stop_queries_of(inner, name, asker);
    Ok(Vec::new())
}

/// Ends a token; no result.
pub(super) fn revoke(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.users.revoke";
    inner.users.registry().revoke_token(required(service, parameters, "id")?)?;
    Ok(Vec::new())
}

/// Gives and takes roles; no result.
pub(super) fn role(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.users.role";
    let name = required(service, parameters, "name")?;
    for (graph, role) in roles(service, parameters)? {
        inner.users.registry().grant(name, &graph, role)?;
    }
    stop_queries_of(inner, name, asker);
    Ok(Vec::new())
}

/// Makes a token: its text, which is told once.
pub(super) fn token(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.users.token";
    let name = required(service, parameters, "name")?;
    let at_most = match text(service, parameters, "role")? {
        None => None,
        Some(role) => Some(role.parse::<Role>().map_err(|error| failed(service, &error.to_string()))?),
    };
    let seconds = match parameters.get(&Value::from("seconds")) {
        None | Some(Value::Null) => Some(USUAL),
        Some(value) => value.as_i64(),
    };
    let seconds = seconds.and_then(|seconds| u64::try_from(seconds).ok());
    let seconds =
        seconds.ok_or_else(|| failed(service, "`seconds` must be a whole number, and not negative"))?;
    let lifetime = (seconds > 0).then(|| Duration::from_secs(seconds));
    let label = text(service, parameters, "label")?.unwrap_or_default();
    let token = inner.users.registry().add_token(name, label, at_most, lifetime)?;
    Ok(vec![token.into()])
}

/// Stops what a user has under way: it was begun with rights that may not hold any more. Not what he asks himself, perhaps just this.
fn stop_queries_of(inner: &Inner, name: &str, asker: &Asker) {
    if let Some(queries) = inner.options.queries.as_ref().filter(|_| !asker.is(name)) {
        queries.stop(&asker.name(), |query| query.user.as_deref() == Some(name));
    }
    if let Some(transfers) = &inner.options.transfers {
        transfers.stop_of(name);
    }
}

fn text<'a>(service: &str, parameters: &'a Map, name: &str) -> Result<Option<&'a str>, Error> {
    match parameters.get(&Value::from(name)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(other) => {
            Err(failed(service, &format!("`{name}` must be a string, but is a {}", other.type_name())))
        }
    }
}

fn required<'a>(service: &str, parameters: &'a Map, name: &str) -> Result<&'a str, Error> {
    text(service, parameters, name)?.ok_or_else(|| failed(service, &format!("`{name}` is missing")))
}

/// What `role` says: graphs, each with a role or none.
fn roles(service: &str, parameters: &Map) -> Result<Vec<(String, Option<Role>)>, Error> {
    let read = |value: &Value| match value {
        Value::String(text) => role_on(text).map_err(|problem| failed(service, &problem.to_string())),
        other => Err(failed(service, &format!("`role` must be a string, but is a {}", other.type_name()))),
    };
    match parameters.get(&Value::from("role")) {
        None | Some(Value::Null) => Err(failed(service, "`role` is missing")),
        Some(Value::List(all)) => all.iter().map(read).collect(),
        Some(one) => Ok(vec![read(one)?]),
    }
}

fn told(user: &UserInfo) -> Value {
    let mut row = Map::new();
    row.insert("name", user.name.as_str());
    let roles: Map = user.grants.iter().map(|(graph, role)| (graph.into(), role.name().into())).collect();
    row.insert("roles", Value::from(roles));
    row.insert("password", user.has_password);
    let tokens = user.tokens.iter().map(|token| {
        let mut row = Map::new();
        row.insert("id", token.id.as_str());
        row.insert("label", token.label.as_str());
        row.insert("role", token.at_most.map_or(Value::Null, |role| role.name().into()));
        let expires = token.expires.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let millis = expires.and_then(|since| i64::try_from(since.as_millis()).ok());
        row.insert("expires", millis.map_or(Value::Null, Value::from));
        Value::from(row)
    });
    row.insert("tokens", Value::list(tokens.collect::<Vec<_>>()));
    row.into()
}
