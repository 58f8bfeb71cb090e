//! Tokens: words that stand for themselves, with or without their class before them.

use crate::{Argument, Barrier, Cardinality, Column, Dt, Merge, Operator, Order, Pick, Pop, Scope};
use values::{Direction, GType, T, Value};

/// What a class and a name are together.
pub(super) enum Token {
    /// A token, or the value of a constant.
    Found(Argument),
    /// The class does not have the name; it has these.
    NoSuchName(String),
    /// There is no such class.
    NoSuchClass,
}

/// Every class of tokens and constants.
pub(super) const CLASSES: &[&str] = &[
    "P",
    "TextP",
    "T",
    "Order",
    "Scope",
    "Pop",
    "Column",
    "Pick",
    "Operator",
    "Barrier",
    "Cardinality",
    "Merge",
    "Direction",
    "DT",
    "GType",
    "WithOptions",
    "IO",
    "ConnectedComponent",
    "PageRank",
    "PeerPressure",
    "ShortestPath",
];

/// The token of a word without its class.
///
/// Words that are several tokens (`list`, `set`, `null`) are what the grammar's `genericLiteral` makes of them; types
/// are left to the caller, since most words that name one may also be variables.
pub(super) fn bare(word: &str) -> Option<Argument> {
    Some(match word {
        "id" => T::Id.into(),
        "label" => T::Label.into(),
        "key" => T::Key.into(),
        "value" => T::Value.into(),
        "asc" => Argument::Order(Order::Asc),
        "desc" => Argument::Order(Order::Desc),
        "shuffle" => Argument::Order(Order::Shuffle),
        "local" => Argument::Scope(Scope::Local),
        "global" => Argument::Scope(Scope::Global),
        "keys" => Argument::Column(Column::Keys),
        "values" => Argument::Column(Column::Values),
        "first" | "last" | "all" | "mixed" => Argument::Pop(Pop::from_name(word)?),
        "single" | "list" | "set" => Argument::Cardinality(Cardinality::from_name(word)?),
        "IN" | "OUT" | "BOTH" | "from" | "to" => direction(word)?.into(),
        "any" | "none" | "unproductive" => Argument::Pick(Pick::from_name(word)?),
        "onCreate" | "onMatch" | "outV" | "inV" => Argument::Merge(Merge::from_name(word)?),
        "second" | "minute" | "hour" | "day" => Argument::Dt(Dt::from_name(word)?),
        "normSack" => Argument::Barrier(Barrier::NormSack),
        _ => Argument::Operator(Operator::from_name(word)?),
    })
}

/// The token or constant of a class.
pub(super) fn of_class(class: &str, name: &str) -> Token {
    macro_rules! tokens {
        ($name_of:ident) => {
            found($name_of::from_name(name).map(Argument::$name_of), $name_of::ALL.iter().map(|t| t.as_str()))
        };
    }
    match class {
        "Order" => tokens!(Order),
        "Scope" => tokens!(Scope),
        "Pop" => tokens!(Pop),
        "Column" => tokens!(Column),
        "Pick" => tokens!(Pick),
        "Operator" => tokens!(Operator),
        "Barrier" => tokens!(Barrier),
        "Cardinality" => tokens!(Cardinality),
        "Merge" => tokens!(Merge),
        "DT" => tokens!(Dt),
        "GType" => found(
            GType::from_name(&name.to_ascii_uppercase()).map(Argument::GType),
            GType::ALL.iter().map(|t| t.as_str()),
        ),
        "T" => found(t(name).map(Argument::from), ["id", "label", "key", "value"]),
        "Direction" => found(direction(name).map(Argument::from), ["IN", "OUT", "BOTH", "from", "to"]),
        _ => constant(class, name),
    }
}

fn found<'a>(token: Option<Argument>, known: impl IntoIterator<Item = &'a str>) -> Token {
    match token {
        Some(token) => Token::Found(token),
        None => Token::NoSuchName(known.into_iter().collect::<Vec<_>>().join(", ")),
    }
}

fn t(name: &str) -> Option<T> {
    Some(match name {
        "id" => T::Id,
        "label" => T::Label,
        "key" => T::Key,
        "value" => T::Value,
        _ => return None,
    })
}

/// `from` and `to` are the directions of the edge's ends, as `mergeE` says them.
fn direction(name: &str) -> Option<Direction> {
    Some(match name {
        "OUT" | "from" => Direction::Out,
        "IN" | "to" => Direction::In,
        "BOTH" => Direction::Both,
        _ => return None,
    })
}

/// The configuration keys of a step, which are strings with a hidden prefix.
struct Keys {
    prefix: &'static str,
    names: &'static [&'static str],
}

/// The constants that `with` takes: keys and values of configurations.
fn constant(class: &str, name: &str) -> Token {
    const OPTIONS: &[(&str, i32)] = &[
        ("none", 0),
        ("ids", 1),
        ("labels", 2),
        ("keys", 4),
        ("values", 8),
        ("all", 15),
        ("list", 0),
        ("map", 1),
    ];
    const FORMATS: &[&str] = &["gryo", "graphson", "graphml"];
    let keys = match class {
        "WithOptions" => match name {
            "tokens" => Keys { prefix: "~tinkerpop.valueMap.", names: &["tokens"] },
            "indexer" => Keys { prefix: "~tinkerpop.index.", names: &["indexer"] },
            _ => {
                let option = OPTIONS.iter().find(|(option, _)| *option == name);
                let known = OPTIONS.iter().map(|(option, _)| *option).chain(["tokens", "indexer"]);
                return found(option.map(|(_, value)| Argument::Value(Value::Int(*value))), known);
            }
        },
        "IO" => match FORMATS.iter().find(|format| **format == name) {
            Some(format) => return Token::Found(Argument::Value(Value::from(*format))),
            None => Keys { prefix: "~tinkerpop.io.", names: &["reader", "writer", "registry"] },
        },
        // The one key that is not hidden behind its step's name.
        "ConnectedComponent" if name == "component" => {
            let key = "gremlin.connectedComponentVertexProgram.component";
            return Token::Found(Argument::Value(Value::from(key)));
        }
        "ConnectedComponent" => {
            Keys { prefix: "~tinkerpop.connectedComponent.", names: &["edges", "propertyName"] }
        }
        "PageRank" => Keys { prefix: "~tinkerpop.pageRank.", names: &["edges", "times", "propertyName"] },
        "PeerPressure" => {
            Keys { prefix: "~tinkerpop.peerPressure.", names: &["edges", "times", "propertyName"] }
        }
        "ShortestPath" => Keys {
            prefix: "~tinkerpop.shortestPath.",
            names: &["target", "edges", "distance", "maxDistance", "includeEdges"],
        },
        _ => return Token::NoSuchClass,
    };
    let key = keys.names.iter().find(|key| **key == name);
    let value = key.map(|key| Argument::Value(Value::from(format!("{}{key}", keys.prefix))));
    found(value, keys.names.iter().copied())
}
