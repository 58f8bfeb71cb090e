//! `SubgraphStrategy`: of the graph only what satisfies some traversals is seen.

use gremlin::{Argument, Instruction, Predicate, StepName, Traversal};
use values::{Direction, GType};

use super::{Config, Finds, child, direction, finds, weight};
use crate::PlanError;

/// See the module.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Subgraph {
    vertices: Option<Traversal>,
    edges: Option<Traversal>,
    properties: Option<Traversal>,
    /// Whether an edge is seen only between vertices that are.
    checks_ends: bool,
}

type Steps = Vec<Instruction<StepName>>;

impl Subgraph {
    pub(super) fn of(config: Config<'_>) -> Result<Self, PlanError> {
        let subgraph = Self {
            vertices: config.traversal("vertices")?,
            edges: config.traversal("edges")?,
            properties: config.traversal("vertexProperties")?,
            checks_ends: config.truth("checkAdjacentVertices", true)?,
        };
        if subgraph.vertices.is_none() && subgraph.edges.is_none() && subgraph.properties.is_none() {
            let one = "given: a subgraph must be filtered by a vertex, edge, or vertex property criterion";
            return Err(config.wrong("vertices", one));
        }
        Ok(subgraph)
    }

    /// What a graph computer is told to see; `None`: all.
    pub(super) fn of_computer(config: Config<'_>) -> Result<Option<Self>, PlanError> {
        let (vertices, edges) = (config.traversal("vertices")?, config.traversal("edges")?);
        let edges = edges.map(|edges| of_incident(edges, config)).transpose()?;
        let is_all = vertices.is_none() && edges.is_none();
        Ok((!is_all).then_some(Self { vertices, edges, properties: None, checks_ends: true }))
    }

    /// How many steps and values it puts behind a step at most: `outE()` has the other end looked at, too, and `E()` both.
    pub(super) fn weight(&self) -> usize {
        let of = |criterion: &Option<Traversal>| criterion.as_ref().map_or(0, weight);
        2 * of(&self.vertices) + of(&self.edges) + of(&self.properties)
    }

    pub(super) fn rewrite(&self, traversal: &mut Traversal) -> Result<(), PlanError> {
        let mut steps = Steps::with_capacity(traversal.steps.len() * 2);
        let mut from = std::mem::take(&mut traversal.steps).into_iter().peekable();
        // The last step that goes somewhere or takes properties, which says of what properties are.
        while let Some(first) = from.next() {
            let name = first.name;
            if self.edges.is_some() && is_adjacent(&first) {
                self.through_edges(first, &mut steps);
                continue;
            }
            if self.properties.is_some() && self.properties_of(&first, &mut steps)? {
                continue;
            }
            let (found, way) = (finds(&first), way_of(&first));
            let at = first.at;
            steps.push(first);
            match (name, found) {
                (StepName::AddV, _) => {
                    let of_addition = |next: &Instruction<StepName>| next.name == StepName::Property;
                    steps.extend(std::iter::from_fn(|| from.next_if(of_addition)));
                    steps.extend(filter(&self.vertices));
                }
                (StepName::AddE, _) => {
                    let of_addition = |next: &Instruction<StepName>| {
                        matches!(next.name, StepName::Property | StepName::From | StepName::To)
                            && direction(next).is_none()
                    };
                    steps.extend(std::iter::from_fn(|| from.next_if(of_addition)));
                    steps.extend(filter(&self.edges));
                }
                (_, Some(Finds::Vertices)) => steps.extend(filter(&self.vertices)),
                (_, Some(Finds::Edges)) => {
                    steps.extend(filter(&self.edges));
                    steps.extend(
                        self.ends(name, way).map(|check| Instruction::new(StepName::Filter, vec![check], at)),
                    );
                }
                _ => {}
            }
        }
        traversal.steps = steps;
        Ok(())
    }

    /// `out()` goes along edges that must be seen, too.
    fn through_edges(&self, adjacent: Instruction<StepName>, steps: &mut Steps) {
        use StepName as S;
        let (at, way) = (adjacent.at, way_of(&adjacent));
        let labels = match adjacent.name {
            S::To => adjacent.args.into_iter().skip(1).collect(),
            _ => adjacent.args,
        };
        let (edges, end) = match way {
            Direction::Out => (S::OutE, S::InV),
            Direction::In => (S::InE, S::OutV),
            Direction::Both => (S::BothE, S::OtherV),
        };
        steps.push(Instruction::new(edges, labels, at));
        steps.extend(filter(&self.edges));
        steps.push(Instruction::new(end, Vec::new(), at));
        steps.extend(filter(&self.vertices));
    }

    /// What the ends of an edge must satisfy that was found that way: the other end, or both where nothing was before it.
    fn ends(&self, name: StepName, way: Direction) -> Option<Argument> {
        use StepName as S;
        let vertices = self.vertices.as_ref().filter(|_| self.checks_ends)?;
        let end = |end: S| {
            let mut steps = vec![Instruction::new(end, Vec::new(), None)];
            steps.push(Instruction::new(S::Filter, vec![Argument::Traversal(vertices.clone())], None));
            child(steps)
        };
        Some(match (name, way) {
            (S::E, _) => child(vec![Instruction::new(S::And, vec![end(S::InV), end(S::OutV)], None)]),
            (_, Direction::Out) => end(S::InV),
            (_, Direction::In) => end(S::OutV),
            (_, Direction::Both) => end(S::OtherV),
        })
    }

    /// Properties of vertices must be seen; whether it was such a step.
    fn properties_of(&self, first: &Instruction<StepName>, steps: &mut Steps) -> Result<bool, PlanError> {
        use StepName as S;
        let Some(criterion) = &self.properties else { return Ok(false) };
        let (at, args) = (first.at, first.args.clone());
        // Properties of edges are seen as they are.
        let is_other = Predicate::TypeOf(Box::new(Argument::GType(GType::VProperty))).negate();
        let other = child(vec![Instruction::new(S::Is, vec![Argument::Predicate(is_other)], at)]);
        let seen = Instruction::new(S::Or, vec![other, Argument::Traversal(criterion.clone())], at);
        match (first.name, args.first()) {
            (S::Properties, _) => steps.extend([Instruction::new(S::Properties, args, at), seen]),
            (S::Values, _) => {
                steps.extend([
                    Instruction::new(S::Properties, args, at),
                    seen,
                    Instruction::new(S::Value, Vec::new(), at),
                ]);
            }
            (S::By, Some(argument)) if is_text(argument) => {
                let key = vec![argument.clone()];
                let mut values = vec![
                    Instruction::new(S::Properties, key, at),
                    seen,
                    Instruction::new(S::Value, Vec::new(), at),
                ];
                if is_value_of_group(steps) {
                    // A key there means the list of all its values.
                    values.push(Instruction::new(S::Fold, Vec::new(), at));
                }
                let rest = args.into_iter().skip(1);
                steps.push(Instruction::new(S::By, std::iter::once(child(values)).chain(rest).collect(), at));
            }
            // Which keys there are is told by what is seen under them.
            (S::Has | S::HasNot, Some(key)) if args.len() == 1 && is_text(key) => {
                let name = if first.name == S::Has { S::Filter } else { S::Not };
                let properties = Instruction::new(S::Properties, args, at);
                steps.push(Instruction::new(name, vec![child(vec![properties, seen])], at));
            }
            (S::ValueMap | S::PropertyMap | S::ElementMap, _) => {
                let what = format!(
                    "strategy `SubgraphStrategy` with vertexProperties and step `{}`",
                    first.name.as_str()
                );
                return Err(PlanError::form(what, at));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }
}

/// Whether what comes next, a `by()`, is the second of a `group()`.
fn is_value_of_group(steps: &Steps) -> bool {
    matches!(&steps[..], [.., group, by] if group.name == StepName::Group && by.name == StepName::By)
}

fn is_text(argument: &Argument) -> bool {
    argument.as_value().is_some_and(|value| value.as_str().is_some())
}

/// The filter of edges that is said by a traversal from a vertex to its edges: their labels, and the filters behind.
fn of_incident(mut edges: Traversal, config: Config<'_>) -> Result<Traversal, PlanError> {
    use StepName as S;
    let is_filter = |step: &Instruction<S>| {
        matches!(
            step.name,
            S::Has | S::HasLabel | S::HasNot | S::HasId | S::Filter | S::Where | S::Not | S::And | S::Or
        )
    };
    match edges.steps.split_first_mut() {
        Some((first, rest)) if first.name == S::BothE && rest.iter().all(is_filter) => {
            let labels = std::mem::take(&mut first.args);
            first.name = if labels.is_empty() { S::Identity } else { S::HasLabel };
            first.args = labels;
            Ok(edges)
        }
        _ => Err(config.unsupported("with edges other than a bothE() and filters behind it")),
    }
}

/// A filter by a traversal, if there is one.
fn filter(criterion: &Option<Traversal>) -> Option<Instruction<StepName>> {
    let criterion = criterion.as_ref()?;
    Some(Instruction::new(StepName::Filter, vec![Argument::Traversal(criterion.clone())], None))
}

/// Whether the step goes from a vertex to vertices.
fn is_adjacent(step: &Instruction<StepName>) -> bool {
    use StepName as S;
    matches!(step.name, S::Out | S::In | S::Both) || step.name == S::To && direction(step).is_some()
}

/// Which way a step goes along edges.
fn way_of(step: &Instruction<StepName>) -> Direction {
    use StepName as S;
    match step.name {
        S::Out | S::OutE => Direction::Out,
        S::In | S::InE => Direction::In,
        S::To | S::ToE => direction(step).unwrap_or(Direction::Both),
        _ => Direction::Both,
    }
}
