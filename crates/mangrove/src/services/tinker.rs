//! The services that TinkerGraph comes with, `tinker.search` and `tinker.degree.centrality`: each is a traversal.
//!
//! ```text
//!  g.call('tinker.search').with('search', 'mar')    ─▶  g.union(V(), E(), V().properties()).properties().where(…)
//!  V().call('tinker.degree.centrality')             ─▶  V().map(inE().count())
//! ```
//!
//! So they are planned, take turns and end as any other step, and see what their transaction has written.

use gremlin::{Argument, Bindings, Instruction, StepName, Traversal};
use values::{Direction, Map, Str, Value};

use super::call::{Called, Parameter};
use super::failed;
use crate::Error;

/// The names of the services.
pub(super) const SEARCH: &str = "tinker.search";
pub(super) const DEGREE: &str = "tinker.degree.centrality";

/// What TinkerPop says where a service is called in the wrong place.
pub(super) const NO_START: &str = "This service cannot be used to start a traversal.";
pub(super) const NO_MIDDLE: &str = "This service cannot be used mid-traversal.";

type Steps = Vec<Instruction<StepName>>;

/// The steps that search: properties whose value, as a text, a regular expression matches as a whole.
pub(super) fn search(parameters: &Map) -> Result<Steps, Error> {
    let text = |key: &str| match parameters.get(&Value::from(key)) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(other) => {
            let problem = format!("`{key}` must be a string, but is a {}", other.type_name());
            Err(failed(SEARCH, &problem))
        }
    };
    let pattern = match (text("regex")?, text("search")?) {
        (Some(regex), _) => format!("\\A(?:{regex})\\z"),
        (None, Some(search)) => format!("\\A(?:.*({search}).*)\\z"),
        (None, None) => return Err(failed(SEARCH, "Missing search/regex parameter")),
    };
    let elements = match text("type")?.as_deref() {
        None => "union(V(), E(), V().properties())",
        Some("Vertex") => "V()",
        Some("Edge") => "E()",
        Some("VertexProperty") => "V().properties()",
        Some(other) => {
            let other = values::excerpt(other);
            let problem = format!("Type must be one of Vertex/Edge/VertexProperty: {other}");
            return Err(failed(SEARCH, &problem));
        }
    };
    let text = format!("g.{elements}.properties().where(__.value().asString().is(TextP.regex(pattern)))");
    let bindings: Bindings = [(Str::from("pattern"), Value::from(pattern).into())].into_iter().collect();
    Ok(gremlin::parse_traversal(&text, &bindings)?.steps)
}

/// The steps that count the edges of a vertex.
pub(super) fn degree(called: &Called) -> Result<Steps, Error> {
    let key = Value::from("direction");
    let mut direction = Given::Known(Value::Direction(Direction::In));
    for parameter in &called.parameters {
        match parameter {
            Parameter::Map(map) => {
                if let Some(value) = map.get(&key) {
                    direction = Given::Known(value.clone());
                }
            }
            Parameter::With(with, value) if *with == key => direction = Given::Known(value.clone()),
            Parameter::With(..) => {}
            Parameter::Computed(child) => direction = Given::Computed(of_map(child, direction)),
            Parameter::ComputedWith(with, child) => {
                if *with == key {
                    direction = Given::Computed(child.clone());
                }
            }
        }
    }
    match direction {
        Given::Known(Value::Direction(direction)) => {
            let text = format!("g.V().map(__.{}().count())", edges(direction));
            Ok(behind_source(&text)?)
        }
        Given::Known(other) => {
            Err(failed(DEGREE, &format!("`direction` must be a Direction, but is a {}", other.type_name())))
        }
        Given::Computed(child) => by_direction(child),
    }
}

/// What is known about a parameter.
enum Given {
    Known(Value),
    Computed(Traversal),
}

fn edges(direction: Direction) -> &'static str {
    match direction {
        Direction::Out => "outE",
        Direction::In => "inE",
        Direction::Both => "bothE",
    }
}

/// A traversal that gives the direction in the map of another, or else what was known before.
fn of_map(child: &Traversal, before: Given) -> Traversal {
    let mut chosen = child.clone();
    chosen.steps.push(step(StepName::Select, vec![Argument::Value("direction".into())]));
    let otherwise = match before {
        Given::Known(value) => anonymous(vec![step(StepName::Constant, vec![Argument::Value(value)])]),
        Given::Computed(other) => other,
    };
    anonymous(vec![step(StepName::Coalesce, [chosen, otherwise].map(Argument::Traversal).into())])
}

/// Counts the edges in the direction that a traversal gives.
fn by_direction(child: Traversal) -> Result<Steps, Error> {
    let text = "g.V().choose(__.identity()).option(Direction.OUT, __.outE().count()).option(Direction.IN, __.inE().count())\
                .option(Direction.BOTH, __.bothE().count())\
                .option(Pick.none, __.fail('tinker.degree.centrality: `direction` must be a Direction'))\
                .option(Pick.unproductive, __.fail('tinker.degree.centrality: `direction` has no value'))";
    let mut steps = behind_source(text)?;
    if let Some(choose) = steps.first_mut() {
        choose.args = vec![Argument::Traversal(child)];
    }
    Ok(vec![step(StepName::Map, vec![Argument::Traversal(anonymous(steps))])])
}

/// The steps of a text behind its `V()`.
fn behind_source(text: &str) -> Result<Steps, Error> {
    Ok(gremlin::parse_traversal(text, &Bindings::new())?.steps.into_iter().skip(1).collect())
}

fn step(name: StepName, args: Vec<Argument>) -> Instruction<StepName> {
    Instruction { name, args, at: None }
}

fn anonymous(steps: Steps) -> Traversal {
    Traversal { source: Vec::new(), steps }
}
