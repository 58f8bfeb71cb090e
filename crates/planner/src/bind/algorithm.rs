//! `pageRank`, `peerPressure`, `connectedComponent`, `shortestPath`.

use gremlin::{Argument, StepName, Traversal};
use values::{Direction, Str, Value};

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::logical::{Access, Chain, Exists, Footprint, Kind, Lookup, Move, Step};
use crate::physical::{
    Algorithm, AlgorithmKind, Along, ComputedProperty, Distance, EdgeLabels, ElementKind, Formula, Hop,
    PropertyForm,
};
use crate::{PlanError, strategies};

/// Most properties that a traversal may compute.
const MAX_COMPUTED: usize = 64;

/// The damping of `pageRank()`.
const ALPHA: f64 = 0.85;

/// What the options of an algorithm say.
struct Options<'t> {
    edges: Option<&'t Argument>,
    property: Option<Str>,
    times: Option<u32>,
    /// Said by strategies alone.
    vertices: Option<&'t Traversal>,
    begins: bool,
    target: Option<&'t Traversal>,
    distance: Option<&'t Argument>,
    max: Option<f64>,
    include_edges: bool,
}

impl Binder<'_> {
    /// A graph algorithm.
    pub(super) fn algorithm(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        if self.depth > 1 {
            return Err(call.invalid(
                "a graph algorithm runs over the whole graph and can not be a step of a child traversal",
            ));
        }
        let options = self.algorithm_options(call)?;
        // Where the traversal only begins at all vertices, it is as good as if it did so behind the algorithm.
        let is_start = |step: &Step| matches!(step.kind, Kind::Graph(_) | Kind::Algorithm(_));
        let priors = !options.begins && out.steps.iter().any(|step| !is_start(step));
        let default = if matches!(call.name, StepName::PageRank | StepName::PeerPressure) {
            Direction::Out
        } else {
            Direction::Both
        };
        let edges = self.along(call, options.edges, default)?;
        let kind = match call.name {
            StepName::PageRank => {
                let alpha = match call.args.first() {
                    Some(_) => self.alpha(call)?,
                    None => ALPHA,
                };
                let property =
                    self.computes(options.property, "gremlin.pageRankVertexProgram.pageRank", call)?;
                AlgorithmKind::PageRank { alpha, times: options.times.unwrap_or(20), priors, property }
            }
            StepName::PeerPressure => {
                let property =
                    self.computes(options.property, "gremlin.peerPressureVertexProgram.cluster", call)?;
                AlgorithmKind::PeerPressure { times: options.times.unwrap_or(30), priors, property }
            }
            StepName::ConnectedComponent => {
                let property = self.computes(
                    options.property,
                    "gremlin.connectedComponentVertexProgram.component",
                    call,
                )?;
                AlgorithmKind::ConnectedComponent { property }
            }
            _ => AlgorithmKind::ShortestPath { max: options.max, include_edges: options.include_edges },
        };
        let vertices = options.vertices.map(|vertices| self.pure_child(vertices, Type::Seed));
        let within = vertices.transpose()?.map(|(chain, _)| chain);
        let targets = options.target.map(|target| self.targets(target)).transpose()?;
        let distance = match options.distance {
            None => Distance::Hops,
            Some(distance) => self.distance(call, distance)?,
        };
        let algorithm = Algorithm { kind, edges, within, targets, distance };
        let writes = |chain: &&Chain| chain.footprint().touches(Footprint::WRITES);
        if algorithm.subqueries().into_iter().flatten().any(|chain| writes(&chain)) {
            return Err(
                call.invalid("the traversals that it is given must not write: it asks them as it goes")
            );
        }
        let shape = if algorithm.keeps_traversers() { shape } else { Shape::of(Type::Scalar) };
        Self::push(out, Kind::Algorithm(Box::new(algorithm)), call);
        Ok(shape)
    }

    fn alpha(&mut self, call: &Call<'_>) -> Result<f64, PlanError> {
        let alpha = call.value_at(0, self)?.as_f64();
        alpha
            .filter(|alpha| (0.0..=1.0).contains(alpha))
            .ok_or_else(|| call.bad_argument(0, "a number from 0 to 1"))
    }

    fn algorithm_options<'t>(&mut self, call: &Call<'t>) -> Result<Options<'t>, PlanError> {
        let mut options = Options {
            edges: None,
            property: None,
            times: None,
            vertices: None,
            begins: false,
            target: None,
            distance: None,
            max: None,
            include_edges: false,
        };
        let (class, prefix) = match call.name {
            StepName::PageRank => ("PageRank", "~tinkerpop.pageRank."),
            StepName::PeerPressure => ("PeerPressure", "~tinkerpop.peerPressure."),
            StepName::ConnectedComponent => ("ConnectedComponent", "~tinkerpop.connectedComponent."),
            _ => ("ShortestPath", "~tinkerpop.shortestPath."),
        };
        for with in call.modulators(StepName::With) {
            let with = Call::alone(with);
            let key = with.name_at(0, self)?;
            let option = key.strip_prefix(prefix).unwrap_or_default();
            let value = with.args.get(1);
            let wrong =
                |what: &str| with.invalid(format!("{class}.{option} requires {what} as its argument"));
            if &*key == strategies::BEGINS {
                options.begins = with.value_at(1, self)?.as_bool() == Some(true);
                continue;
            }
            if &*key == strategies::VERTICES {
                options.vertices = Some(with.traversal_at(1)?);
                continue;
            }
            match (option, call.name) {
                ("edges", _) => options.edges = Some(value.ok_or_else(|| wrong("a Traversal"))?),
                ("propertyName", name) if name != StepName::ShortestPath => {
                    let name = value.and_then(Argument::as_value).and_then(Value::as_str);
                    options.property = Some(name.ok_or_else(|| wrong("a String"))?.into());
                }
                ("times", StepName::PageRank | StepName::PeerPressure) => {
                    let times = value.and_then(Argument::as_value).and_then(Value::as_i64);
                    let times = times.and_then(|times| u32::try_from(times).ok());
                    options.times = Some(times.ok_or_else(|| wrong("an Integer that is not negative"))?);
                }
                ("target", StepName::ShortestPath) => match value {
                    Some(Argument::Traversal(target)) => options.target = Some(target),
                    _ => return Err(wrong("a Traversal")),
                },
                ("distance", StepName::ShortestPath) => {
                    options.distance = Some(value.ok_or_else(|| wrong("a Traversal or a property name"))?);
                }
                ("maxDistance", StepName::ShortestPath) => {
                    let max = value.and_then(Argument::as_value).and_then(Value::as_f64);
                    options.max = Some(max.ok_or_else(|| wrong("a Number"))?);
                }
                ("includeEdges", StepName::ShortestPath) => {
                    let includes = match value {
                        None => Some(true),
                        Some(value) => value.as_value().and_then(Value::as_bool),
                    };
                    options.include_edges = includes.ok_or_else(|| wrong("a Boolean"))?;
                }
                _ => {
                    let (key, step) = (values::excerpt(&key), call.name.as_str());
                    return Err(with.invalid(format!("'{key}' is no option of {step}()")));
                }
            }
        }
        Ok(options)
    }

    /// The property that an algorithm computes.
    fn computes(
        &mut self,
        name: Option<Str>,
        default: &str,
        call: &Call<'_>,
    ) -> Result<ComputedProperty, PlanError> {
        let name = name.unwrap_or_else(|| default.into());
        let number = self.plan.computed.len();
        if number >= MAX_COMPUTED {
            return Err(PlanError::TooLarge {
                what: "properties that a traversal computes",
                limit: MAX_COMPUTED,
            });
        }
        graph::check_name(graph::NameSpace::Key, &name).map_err(|error| call.invalid(error.to_string()))?;
        self.plan.computed.push(name.clone());
        Ok(ComputedProperty { name, number: number as u16 })
    }

    /// The edges that an algorithm goes along.
    fn along(
        &mut self,
        call: &Call<'_>,
        edges: Option<&Argument>,
        default: Direction,
    ) -> Result<Along<Chain>, PlanError> {
        let all = |direction| Along::Hop(Hop { direction, labels: EdgeLabels::All });
        let traversal = match edges {
            None => return Ok(all(default)),
            Some(Argument::Traversal(traversal)) => traversal,
            Some(edges) => match edges.as_value() {
                Some(Value::Direction(direction)) if call.name == StepName::ShortestPath => {
                    return Ok(all(*direction));
                }
                _ => return Err(call.invalid("its edges must be given as a Traversal")),
            },
        };
        let (chain, found) = self.pure_child(traversal, Type::Vertex)?;
        if let [Step { kind: Kind::Move(hop), .. }] = &chain.steps[..]
            && is_all_of_a_hop(hop)
        {
            return Ok(Along::Hop(Hop { direction: hop.direction, labels: hop.labels.clone() }));
        }
        match found.ty {
            Type::Edge | Type::Unknown => Ok(Along::Found(chain)),
            _ => Err(call.invalid("its edges must be given as a Traversal from a vertex to edges")),
        }
    }

    /// The vertices at which paths may end: all that pass.
    fn targets(&mut self, target: &Traversal) -> Result<Chain, PlanError> {
        let (test, _) = self.pure_child(target, Type::Vertex)?;
        let all = Access { element: ElementKind::Vertex, lookup: Lookup::All };
        let passes = Exists { branches: vec![test], formula: Formula::All };
        let steps = [(Kind::Graph(all), StepName::V), (Kind::Exists(passes), StepName::Filter)];
        Ok(Chain { steps: steps.into_iter().map(|(kind, name)| Step::new(kind, name)).collect() })
    }

    fn distance(&mut self, call: &Call<'_>, distance: &Argument) -> Result<Distance<Chain>, PlanError> {
        let of_key = |binder: &Self, name: &Str| Distance::Property(name.clone(), binder.schema.key(name));
        let traversal = match distance {
            Argument::Traversal(traversal) => traversal,
            given => match given.as_value() {
                Some(Value::String(name)) => return Ok(of_key(self, name)),
                _ => {
                    return Err(call.invalid(
                        "ShortestPath.distance requires a Traversal or a property name as its argument",
                    ));
                }
            },
        };
        let (chain, _) = self.pure_child(traversal, Type::Edge)?;
        if let [Step { kind: Kind::Properties { keys, form: PropertyForm::Values }, .. }] = &chain.steps[..]
            && let [name] = &keys.names[..]
        {
            return Ok(of_key(self, name));
        }
        Ok(Distance::Found(chain))
    }

    /// A traversal that starts at an element of its own, without a past.
    fn pure_child(&mut self, traversal: &Traversal, ty: Type) -> Result<(Chain, Shape), PlanError> {
        self.without_past(|binder| binder.child(traversal, Shape::of(ty)))
    }
}

/// Whether a move is along all edges of its labels.
fn is_all_of_a_hop(hop: &Move) -> bool {
    hop.edges && hop.edge_test.is_none() && hop.sorted.is_none()
}
