//! Services: what `g.call(name, parameters)` does, TinkerPop's way to reach what is no traversal.
//!
//! ```text
//!  g.call('mangrove.index.list').with('label', 'person').select('state')
//!    └─ run before planning, on a thread that may wait ─▶ results
//!  g.inject(results…).select('state')                     └─ planned and run as any traversal
//! ```
//!
//! A service starts a traversal; what follows it goes on with its results. Changes of schema and indexes are commits of
//! their own: they are no part of a transaction.
//!
//! It must never know by which door a call came, nor what the traversal does behind it.

mod backup;
mod call;
mod index;
mod loads;
mod schema;
mod statistics;

use gremlin::Traversal;
use values::{Map, Str, Value};

pub(crate) use call::begins_with_call;

use crate::{Error, database::Inner};
use call::{Called, take_call};

/// One service.
struct Service {
    name: &'static str,
    /// Its parameters and what they mean.
    parameters: &'static [(&'static str, &'static str)],
    /// Whether it changes something.
    changes: bool,
    run: fn(&Inner, &Map) -> Result<Vec<Value>, Error>,
}

/// All there are, in the order of their names.
const SERVICES: &[Service] = &[
    Service { name: "mangrove.analyze", parameters: &[], changes: true, run: statistics::analyze },
    Service { name: "mangrove.backup", parameters: &[], changes: true, run: backup::write },
    Service {
        name: "mangrove.index.create",
        parameters: &[
            ("label", "the vertex label"),
            ("keys", "the property keys, or `key` for one"),
            ("kind", "equality (default), unique or range"),
            ("wait", "whether to wait until it is ready (default: false)"),
        ],
        changes: true,
        run: index::create,
    },
    Service {
        name: "mangrove.index.drop",
        parameters: &[
            ("label", "the vertex label"),
            ("keys", "the property keys, or `key` for one"),
            ("kind", "equality (default), unique or range"),
        ],
        changes: true,
        run: index::drop,
    },
    Service { name: "mangrove.index.list", parameters: &[], changes: false, run: index::list },
    Service { name: "mangrove.loads", parameters: &[], changes: false, run: loads::show },
    Service {
        name: "mangrove.schema.apply",
        parameters: &[("mode, vertices, edges, indexes", "the whole schema: what is not there is forgotten")],
        changes: true,
        run: schema::apply,
    },
    Service {
        name: "mangrove.schema.check",
        parameters: &[("mode, vertices, edges, indexes", "a whole schema: what would change, a line each")],
        changes: false,
        run: schema::check,
    },
    Service {
        name: "mangrove.schema.declare",
        parameters: &[("mode, vertices, edges, indexes", "what to declare: the rest stays")],
        changes: true,
        run: schema::declare,
    },
    Service { name: "mangrove.schema.show", parameters: &[], changes: false, run: schema::show },
    Service { name: "mangrove.schema.sorting", parameters: &[], changes: false, run: schema::sorting },
    Service { name: "mangrove.secondary", parameters: &[], changes: false, run: statistics::secondary },
    Service { name: "mangrove.statistics", parameters: &[], changes: false, run: statistics::show },
];

/// Where a call is made.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Within {
    /// In a request of its own.
    Request,
    /// Among the scripts of a transaction, which can be rolled back.
    Transaction,
    /// In a request of which the traversal says that it reads only.
    ReadOnly,
    /// In a request that may only read, whatever its traversal says.
    Reading,
    /// In a request to explain.
    Explanation,
}

/// Runs the service that a traversal begins with, if it does; the traversal that goes on with its results.
///
/// May wait for the disk, and for as long as it takes to look at the whole graph.
pub(crate) fn substitute(inner: &Inner, traversal: Traversal, within: Within) -> Result<Traversal, Error> {
    let (call, rest) = match take_call(traversal)? {
        Ok(taken) => taken,
        Err(traversal) => return Ok(traversal),
    };
    let within =
        if call::is_read_only(&rest) && within == Within::Request { Within::ReadOnly } else { within };
    let results = run(inner, &call, within)?;
    Ok(call::inject(results, rest))
}

fn run(inner: &Inner, call: &Called, within: Within) -> Result<Vec<Value>, Error> {
    if call.name == LIST {
        return list(&call.parameters);
    }
    let Some(service) = SERVICES.iter().find(|service| service.name == call.name) else {
        let known = SERVICES.iter().map(|service| service.name).collect::<Vec<_>>().join(", ");
        return Err(failed(&call.name, &format!("there is no such service; there are {LIST}, {known}")));
    };
    if service.changes && within == Within::Transaction {
        let problem =
            "it commits for itself, so it cannot be part of a transaction; call it in a request of its own";
        return Err(failed(service.name, problem));
    }
    if service.changes && within == Within::ReadOnly {
        return Err(failed(service.name, "it changes something, and the traversal has the ReadOnlyStrategy"));
    }
    if service.changes && within == Within::Reading {
        return Err(Error::ReadOnly(service.name.into()));
    }
    if service.changes && within == Within::Explanation {
        return Ok(Vec::new());
    }
    (service.run)(inner, &call.parameters)
}

/// TinkerPop's name for the directory of services.
const LIST: &str = "--list";

/// The services; with `service` only that one, with `verbose` as maps.
fn list(parameters: &Map) -> Result<Vec<Value>, Error> {
    let wanted = match parameters.get(&Value::from("service")) {
        None => None,
        Some(Value::String(name)) => Some(name),
        Some(other) => {
            let problem = format!("`service` must be a string, but is a {}", other.type_name());
            return Err(failed(LIST, &problem));
        }
    };
    let verbose = parameters.get(&Value::from("verbose")).and_then(Value::as_bool).unwrap_or(false);
    let listed = SERVICES.iter().filter(|service| wanted.is_none_or(|name| service.name == name.as_str()));
    Ok(listed.map(|service| if verbose { described(service) } else { service.name.into() }).collect())
}

fn described(service: &Service) -> Value {
    let parameters: Map = service
        .parameters
        .iter()
        .map(|(name, meaning)| (Value::from(*name), Value::from(*meaning)))
        .collect();
    let entries = [
        (Value::from("name"), Value::from(service.name)),
        (Value::from("type"), Value::from("Start")),
        (Value::from("params"), Value::from(parameters)),
    ];
    Value::from(entries.into_iter().collect::<Map>())
}

fn failed(service: &str, problem: &str) -> Error {
    Error::Service { service: Str::from(service), problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_are_listed_in_order() {
        assert!(SERVICES.is_sorted_by_key(|service| service.name));
    }
}
