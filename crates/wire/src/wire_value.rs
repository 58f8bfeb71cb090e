//! Everything that can travel.

use std::net::IpAddr;

use gremlin::{Argument, Strategy};
use values::{BulkSet, Edge, Map, MapKind, Set, StepMetrics, Str, Value, Vertex};

use crate::Temporal;
use crate::error::Problem;

/// Anything that GraphBinary or GraphSON can carry.
///
/// Nearly always this is a [`Value`]; what a bytecode's arguments may be besides is an [`Argument`]; the rest of
/// TinkerPop's types, which a query never sees, are boxed [`Extended`]s. A collection is a value as long as all
/// of its members are: [`WireValue::list`] and its kin keep to that.
#[derive(Clone, Debug, PartialEq)]
pub enum WireValue {
    /// A value.
    Value(Value),
    /// A token, predicate, traversal or other argument that is not a value.
    Argument(Box<Argument>),
    /// A list of which some member is not a value.
    List(Vec<WireValue>),
    /// A set of which some member is not a value.
    Set(Vec<WireValue>),
    /// A map of which some key or value is not a value.
    Map(Vec<(WireValue, WireValue)>),
    /// A type that no query sees.
    Extended(Box<Extended>),
}

/// The types of TinkerPop that are neither values nor arguments.
#[derive(Clone, Debug, PartialEq)]
pub enum Extended {
    /// A Java class, by its full name.
    Class(Str),
    /// A date or time of its own kind.
    Temporal(Temporal),
    /// An internet address.
    InetAddress(InetAddress),
    /// Values with how often each occurs.
    BulkSet(Vec<(WireValue, i64)>),
    /// A tree of values.
    Tree(Tree),
    /// A result with how often it occurs.
    Traverser {
        /// How often.
        bulk: i64,
        /// The result.
        value: WireValue,
    },
    /// The profile of one step.
    Metrics(Metrics),
    /// The profile of a traversal.
    TraversalMetrics {
        /// Nanoseconds that the whole traversal took.
        duration: i64,
        /// Its steps.
        steps: Vec<Metrics>,
    },
    /// A subgraph.
    Graph(Graph),
    /// The bytecode that ends a session's transaction.
    Transaction(Transaction),
}

/// An internet address. GraphSON may name the host instead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InetAddress {
    /// An IPv4 or IPv6 address.
    Address(IpAddr),
    /// A host's name.
    Host(Str),
}

/// A tree of values: the children of a nameless root.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Tree(pub Vec<(WireValue, Tree)>);

impl Tree {
    /// The tree that a value is.
    pub fn of(map: &Map) -> Self {
        let below = |value: &Value| match value {
            Value::Map(below) => Self::of(below),
            _ => Self::default(),
        };
        Self(map.iter().map(|(key, value)| (WireValue::Value(key.clone()), below(value))).collect())
    }

    /// The value that it is, if all of it are values.
    pub fn into_value(self) -> Option<Value> {
        let entry = |(key, below): (WireValue, Self)| match key {
            WireValue::Value(key) => Some((key, below.into_value()?)),
            _ => None,
        };
        let entries = self.0.into_iter().map(entry).collect::<Option<Map>>()?;
        Some(entries.of_kind(MapKind::Tree).into())
    }
}

impl Graph {
    /// The graph that a value is.
    pub fn of(map: &Map) -> Self {
        let vertices = map.elements(Map::VERTICES).filter_map(|element| match element {
            Value::Vertex(vertex) => Some((**vertex).clone()),
            _ => None,
        });
        let edges = map.elements(Map::EDGES).filter_map(|element| match element {
            Value::Edge(edge) => Some((**edge).clone()),
            _ => None,
        });
        Self { vertices: vertices.collect(), edges: edges.collect() }
    }

    /// The value that it is.
    pub fn into_value(self) -> Value {
        Map::graph(self.vertices.into_iter().map(Value::from), self.edges.into_iter().map(Value::from)).into()
    }
}

/// The profile of one step.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Metrics {
    /// Identifies the step.
    pub id: Str,
    /// Names it.
    pub name: Str,
    /// Nanoseconds that it took.
    pub duration: i64,
    /// Counters, such as `traverserCount`.
    pub counts: Vec<(Str, i64)>,
    /// Further figures, such as `percentDur`.
    pub annotations: Vec<(Str, WireValue)>,
    /// The steps inside it.
    pub nested: Vec<Metrics>,
}

/// A whole graph.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Graph {
    /// Vertices with their properties.
    pub vertices: Vec<Vertex>,
    /// Edges between them.
    pub edges: Vec<Edge>,
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    /// Its writes become durable and visible.
    Commit,
    /// Its writes are dropped.
    Rollback,
}

impl Transaction {
    /// The name in bytecode.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Rollback => "rollback",
        }
    }
    /// The operation of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Commit, Self::Rollback].into_iter().find(|t| t.as_str() == name)
    }
}

impl WireValue {
    /// A list: a value if all members are values.
    pub fn list(items: Vec<WireValue>) -> Self {
        match all_values(items) {
            Ok(values) => Self::Value(values.into()),
            Err(items) => Self::List(items),
        }
    }

    /// A set: a value if all members are values.
    pub fn set(items: Vec<WireValue>) -> Self {
        match all_values(items) {
            Ok(values) => Self::Value(values.into_iter().collect::<Set>().into()),
            Err(items) => Self::Set(items),
        }
    }

    /// A map: a value if all keys and values are values.
    pub fn map(entries: Vec<(WireValue, WireValue)>) -> Self {
        let is_value = |v: &WireValue| matches!(v, Self::Value(_));
        if !entries.iter().all(|(k, v)| is_value(k) && is_value(v)) {
            return Self::Map(entries);
        }
        let entries = entries.into_iter().filter_map(|entry| match entry {
            (Self::Value(key), Self::Value(value)) => Some((key, value)),
            _ => None,
        });
        Self::Value(entries.collect::<Map>().into())
    }

    /// An argument: a value if it is one.
    pub fn argument(argument: Argument) -> Self {
        match argument {
            Argument::Value(value) => Self::Value(value),
            other => Self::Argument(Box::new(other)),
        }
    }

    /// Null.
    pub const NULL: Self = Self::Value(Value::Null);

    /// The value inside, if this is one.
    pub fn as_value(&self) -> Option<&Value> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// The text inside, if this is a string.
    pub fn as_str(&self) -> Option<&str> {
        self.as_value().and_then(Value::as_str)
    }

    /// This as a value: points in time of any kind become date-times, a traverser its value.
    ///
    /// # Errors
    /// When it is a token, a predicate, a traversal or another type that no query can hold as a value.
    pub fn into_value(self) -> Result<Value, Problem> {
        Ok(match self {
            Self::Value(value) => value,
            Self::List(items) => {
                items.into_iter().map(Self::into_value).collect::<Result<Vec<_>, _>>()?.into()
            }
            Self::Set(items) => items.into_iter().map(Self::into_value).collect::<Result<Set, _>>()?.into(),
            Self::Map(entries) => {
                let entry = |(k, v): (Self, Self)| Ok((k.into_value()?, v.into_value()?));
                entries.into_iter().map(entry).collect::<Result<Map, _>>()?.into()
            }
            Self::Argument(argument) => return Err(not_a_value(kind_of_argument(&argument))),
            Self::Extended(extended) => extended.into_value()?,
        })
    }

    /// This as an argument of a step.
    ///
    /// # Errors
    /// When it is a type that no step takes, such as a profile or a graph.
    pub fn into_argument(self) -> Result<Argument, Problem> {
        Ok(match self {
            Self::Value(value) => Argument::Value(value),
            Self::Argument(argument) => *argument,
            Self::List(items) => match arguments(items)? {
                Ok(values) => Argument::Value(values.into()),
                Err(arguments) => Argument::List(arguments),
            },
            Self::Set(items) => match arguments(items)? {
                Ok(values) => Argument::Value(values.into_iter().collect::<Set>().into()),
                Err(arguments) => Argument::Set(arguments),
            },
            Self::Map(entries) => {
                let entry = |(k, v): (Self, Self)| Ok((k.into_argument()?, v.into_argument()?));
                let entries = entries.into_iter().map(entry).collect::<Result<Vec<_>, Problem>>()?;
                map_argument(entries)
            }
            Self::Extended(extended) => match *extended {
                Extended::Class(name) => Argument::Strategy(Strategy {
                    name: simple_class_name(&name).into(),
                    configuration: Vec::new(),
                }),
                other => Argument::Value(other.into_value()?),
            },
        })
    }
}

fn all_values(items: Vec<WireValue>) -> Result<Vec<Value>, Vec<WireValue>> {
    if !items.iter().all(|item| matches!(item, WireValue::Value(_))) {
        return Err(items);
    }
    let value = |item| if let WireValue::Value(value) = item { Some(value) } else { None };
    Ok(items.into_iter().filter_map(value).collect())
}

/// Members as arguments; as values if all of them are.
fn arguments(items: Vec<WireValue>) -> Result<Result<Vec<Value>, Vec<Argument>>, Problem> {
    let arguments = items.into_iter().map(WireValue::into_argument).collect::<Result<Vec<_>, _>>()?;
    if !arguments.iter().all(|a| matches!(a, Argument::Value(_))) {
        return Ok(Err(arguments));
    }
    let value = |a| if let Argument::Value(value) = a { Some(value) } else { None };
    Ok(Ok(arguments.into_iter().filter_map(value).collect()))
}

fn map_argument(entries: Vec<(Argument, Argument)>) -> Argument {
    let is_value = |a: &Argument| matches!(a, Argument::Value(_));
    if !entries.iter().all(|(k, v)| is_value(k) && is_value(v)) {
        return Argument::Map(entries);
    }
    let entries = entries.into_iter().filter_map(|entry| match entry {
        (Argument::Value(key), Argument::Value(value)) => Some((key, value)),
        _ => None,
    });
    Argument::Value(entries.collect::<Map>().into())
}

/// `ReadOnlyStrategy` of `org.apache….ReadOnlyStrategy` and of `Outer$ReadOnlyStrategy`.
pub(crate) fn simple_class_name(name: &str) -> &str {
    name.rsplit(['.', '$']).next().unwrap_or(name)
}

fn not_a_value(found: &'static str) -> Problem {
    Problem::expected("a value", found)
}

pub(crate) fn kind_of_argument(argument: &Argument) -> &'static str {
    match argument {
        Argument::Value(_) | Argument::Parameter(..) => "a value",
        Argument::Binding(..) => "a binding",
        Argument::Traversal(_) => "a traversal",
        Argument::Predicate(_) => "a predicate",
        Argument::Strategy(_) => "a strategy",
        Argument::Lambda(_) => "a lambda",
        Argument::List(_) | Argument::Set(_) | Argument::Map(_) => "a collection of arguments",
        _ => "a token",
    }
}

impl Extended {
    /// What this is, for messages.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Class(_) => "a class",
            Self::Temporal(_) => "a part of a date",
            Self::InetAddress(_) => "an internet address",
            Self::BulkSet(_) => "a bulk set",
            Self::Tree(_) => "a tree",
            Self::Traverser { .. } => "a traverser",
            Self::Metrics(_) | Self::TraversalMetrics { .. } => "a profile",
            Self::Graph(_) => "a graph",
            Self::Transaction(_) => "the end of a transaction",
        }
    }

    fn into_value(self) -> Result<Value, Problem> {
        match self {
            Self::Temporal(temporal) => {
                temporal.to_date_time().map(Value::from).ok_or_else(|| not_a_value(temporal.type_name()))
            }
            Self::Traverser { value, .. } => value.into_value(),
            Self::BulkSet(items) => {
                let member = |(item, count): (WireValue, i64)| Ok((item.into_value()?, count.max(0) as u64));
                Ok(items.into_iter().map(member).collect::<Result<BulkSet, Problem>>()?.into())
            }
            Self::Tree(tree) => tree.into_value().ok_or_else(|| not_a_value("a tree of what is no value")),
            Self::Graph(graph) => Ok(graph.into_value()),
            Self::TraversalMetrics { duration, steps } => {
                let steps = steps.into_iter().map(Metrics::into_step).collect::<Result<_, _>>()?;
                Ok(values::Metrics { nanos: duration, steps }.into())
            }
            other => Err(not_a_value(other.kind())),
        }
    }

    /// The profile that a map is.
    pub fn profile(map: &Map) -> Self {
        let metrics = values::Metrics::of(map);
        Self::TraversalMetrics {
            duration: metrics.nanos,
            steps: metrics.steps.into_iter().map(Metrics::of_step).collect(),
        }
    }
}

impl Metrics {
    fn of_step(step: StepMetrics) -> Self {
        let annotations = step.annotations.into_iter().map(|(key, value)| (key, WireValue::Value(value)));
        Self {
            id: step.id,
            name: step.name,
            duration: step.nanos,
            counts: step.counts,
            annotations: annotations.collect(),
            nested: step.nested.into_iter().map(Self::of_step).collect(),
        }
    }

    fn into_step(self) -> Result<StepMetrics, Problem> {
        let annotation = |(key, value): (Str, WireValue)| Ok((key, value.into_value()?));
        Ok(StepMetrics {
            id: self.id,
            name: self.name,
            nanos: self.duration,
            counts: self.counts,
            annotations: self.annotations.into_iter().map(annotation).collect::<Result<_, _>>()?,
            nested: self.nested.into_iter().map(Self::into_step).collect::<Result<_, _>>()?,
        })
    }
}

impl From<Value> for WireValue {
    fn from(value: Value) -> Self {
        Self::Value(value)
    }
}

impl From<Extended> for WireValue {
    fn from(extended: Extended) -> Self {
        Self::Extended(Box::new(extended))
    }
}

impl From<Temporal> for WireValue {
    fn from(temporal: Temporal) -> Self {
        Extended::Temporal(temporal).into()
    }
}
