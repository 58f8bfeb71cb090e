//! `mangrove.graphs.…`

use std::sync::Arc;

use access::{Role, role_on};
use values::{Map, Value, excerpt};

use super::failed;
use crate::{Error, asker::Asker, database::Inner, graph_host::GraphHost};

/// All graphs of the server: a map each.
pub(super) fn list(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let graphs = host(inner, "mangrove.graphs.list")?.list();
    let told = graphs.into_iter().map(|graph| {
        let whole = |count: u64| i64::try_from(count).unwrap_or(i64::MAX);
        let directory = graph.directory.map_or(Value::Null, |path| path.display().to_string().into());
        let mut row = Map::new();
        row.insert("name", graph.name);
        row.insert("vertices", whole(graph.stats.vertex_count()));
        row.insert("edges", whole(graph.stats.edge_count()));
        row.insert("directory", directory);
        row.insert("configured", graph.is_configured);
        row.into()
    });
    Ok(told.collect())
}

/// Makes a graph, and gives users roles on it; no result.
pub(super) fn create(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.graphs.create";
    let (host, name) = (host(inner, service)?, name(service, parameters)?);
    let users = users(service, parameters)?;
    let registry = inner.users.registry();
    if let Some((user, _)) = users.iter().find(|(user, _)| !registry.has(user)) {
        return Err(failed(service, &format!("there is no user {}; nothing was made", excerpt(user))));
    }
    host.create(name).map_err(|problem| failed(service, &problem))?;
    for (user, role) in users {
        registry.grant(&user, name, Some(role))?;
    }
    Ok(Vec::new())
}

/// Removes a graph with everything in it, and everybody's role on it; no result.
pub(super) fn drop(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let service = "mangrove.graphs.drop";
    let (host, name) = (host(inner, service)?, name(service, parameters)?);
    host.remove(name).map_err(|problem| failed(service, &problem))?;
    inner.users.registry().forget_graph(name)?;
    Ok(Vec::new())
}

fn host(inner: &Inner, service: &str) -> Result<Arc<dyn GraphHost>, Error> {
    let host = inner.options.graph_host.as_ref().and_then(std::sync::Weak::upgrade);
    host.ok_or_else(|| failed(service, "this graph is no part of a server that could make others"))
}

fn name<'a>(service: &str, parameters: &'a Map) -> Result<&'a str, Error> {
    match parameters.get(&Value::from("name")) {
        Some(Value::String(name)) => Ok(name),
        None | Some(Value::Null) => Err(failed(service, "`name` is missing")),
        Some(other) => {
            Err(failed(service, &format!("`name` must be a string, but is a {}", other.type_name())))
        }
    }
}

/// What `users` says: names, each with a role.
fn users(service: &str, parameters: &Map) -> Result<Vec<(String, Role)>, Error> {
    let map = match parameters.get(&Value::from("users")) {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Map(map)) => map,
        Some(other) => {
            let problem = format!("`users` must be a map of names and roles, but is a {}", other.type_name());
            return Err(failed(service, &problem));
        }
    };
    let read = |(user, role): (&Value, &Value)| {
        let (Value::String(user), Value::String(role)) = (user, role) else {
            let (user, role) = (excerpt(user), excerpt(role));
            return Err(failed(
                service,
                &format!("`users` must be a map of names and roles, but has {user}: {role}"),
            ));
        };
        match role_on(role) {
            Ok((_, Some(read))) if !role.contains('@') => Ok((user.to_string(), read)),
            _ => Err(failed(
                service,
                &format!("`{}` is no role on the new graph: read, write, schema or admin", excerpt(role)),
            )),
        }
    };
    map.iter().map(read).collect()
}
