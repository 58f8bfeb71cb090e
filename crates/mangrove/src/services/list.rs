//! Which services there are.
//!
//! `--list` tells those that work on the graph, which are TinkerGraph's; `mangrove.services` tells Mangrove's own, which look after it. By
//! its name `--list` finds each.

use values::{Map, Value};

use super::{LIST, SERVICES, Service, failed, tinker};
use crate::{Error, asker::Asker, database::Inner};

/// A service of TinkerGraph's: its name, where it may be called, its parameters and what they mean.
struct Standard {
    name: &'static str,
    of_type: &'static str,
    parameters: &'static [(&'static str, &'static str)],
}

const STANDARD: [Standard; 2] = [
    Standard {
        name: tinker::SEARCH,
        of_type: "Start",
        parameters: &[
            ("search", "Specify a search term - will be converted to regex via .*(search).*"),
            ("regex", "Directly specify the regex"),
            (
                "type",
                "Specify the type of Element to search for, one of Vertex/Edge/VertexProperty (optional)",
            ),
        ],
    },
    Standard {
        name: tinker::DEGREE,
        of_type: "Streaming",
        parameters: &[("direction", "Specify the edge direction (optional), default is Direction.IN")],
    },
];

/// TinkerPop's directory: the services that work on the graph; with `service` one, whichever; with `verbose` as JSON.
pub(super) fn directory(parameters: &Map) -> Result<Vec<Value>, Error> {
    let wanted = match parameters.get(&Value::from("service")) {
        None | Some(Value::Null) => None,
        Some(Value::String(name)) => Some(name),
        Some(other) => {
            let problem = format!("`service` must be a string, but is a {}", other.type_name());
            return Err(failed(LIST, &problem));
        }
    };
    let verbose = is_verbose(parameters);
    let standard = STANDARD.iter().filter(|it| wanted.is_none_or(|name| it.name == name.as_str()));
    let own = SERVICES.iter().filter(|it| wanted.is_some_and(|name| it.name == name.as_str()));
    let standard = standard.map(|it| told(it.name, it.of_type, it.parameters, verbose));
    Ok(standard.chain(own.map(|it| told_own(it, verbose))).collect())
}

/// `mangrove.services`
pub(super) fn own(_: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let verbose = is_verbose(parameters);
    Ok(SERVICES.iter().map(|it| told_own(it, verbose)).collect())
}

fn is_verbose(parameters: &Map) -> bool {
    parameters.get(&Value::from("verbose")).and_then(Value::as_bool).unwrap_or(false)
}

fn told_own(service: &Service, verbose: bool) -> Value {
    told(service.name, "Start", service.parameters, verbose)
}

/// A service by its name, or in the JSON that TinkerPop makes of it.
fn told(name: &str, of_type: &str, parameters: &[(&str, &str)], verbose: bool) -> Value {
    if !verbose {
        return name.into();
    }
    // None of these texts has a character that Rust and JSON escape in different ways.
    let parameters: Vec<_> =
        parameters.iter().map(|(name, meaning)| format!("{name:?}:{meaning:?}")).collect();
    let parameters = parameters.join(",");
    format!("{{\"name\":{name:?},\"type:[requirements]:\":{{{of_type:?}:[]}},\"params\":{{{parameters}}}}}")
        .into()
}
