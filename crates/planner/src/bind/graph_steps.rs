//! Steps over the graph's structure: `V`, `E`, `out` and its kin, `inV` and its kin, `inject`.

use gremlin::{Argument, Instruction, StepName, Traversal};
use values::{Direction, Value};

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Access, Chain, Kind, Lookup, Move};
use crate::physical::{EdgeEnd, ElementKind, History, Injected, Operand};

impl Binder<'_> {
    /// `V()` and `E()`, at the start or in the middle.
    pub(super) fn graph(&mut self, call: &Call<'_>, shape: &Shape, out: &mut Chain) -> Bound {
        let (element, ty) = match call.name {
            StepName::E => (ElementKind::Edge, Type::Edge),
            _ => (ElementKind::Vertex, Type::Vertex),
        };
        let lookup = match call.args {
            [] => Lookup::All,
            // What is empty as a whole says as much as nothing.
            [only] if is_empty_collection(only) => Lookup::All,
            [Argument::Traversal(ids)] => {
                let ids = self.computed(call, &all_as_a_list(ids), shape, out)?;
                Lookup::Ids(vec![Operand::Slot(ids)])
            }
            several if several.iter().any(|one| matches!(one, Argument::Traversal(_))) => {
                return Err(call.invalid("it takes ids, or one traversal that finds all of them"));
            }
            _ => Lookup::Ids(self.operands(call, 0)?),
        };
        Self::push(out, Kind::Graph(Access { element, lookup }), call);
        Ok(Shape::of(ty))
    }

    /// `inject()`, which has no place in a loop, however deep, nor in its conditions.
    pub(super) fn inject(&mut self, call: &Call<'_>, out: &mut Chain) -> Bound {
        if !self.loops.is_empty() {
            return Err(call.invalid("The parent of inject()-step can not be repeat()-step"));
        }
        let operands = self.operands(call, 0)?;
        let begins_child = self.depth > 1 && out.steps.is_empty();
        let place = if begins_child { Injected::Last } else { Injected::First };
        Self::push(out, Kind::Inject(operands, place), call);
        Ok(Shape::unknown())
    }

    /// `out`, `in`, `both`, `outE`, `inE`, `bothE`, `to(direction)`, `toE(direction)`.
    pub(super) fn vertex_step(&mut self, call: &Call<'_>, out: &mut Chain) -> Bound {
        let (direction, edges, labels) = match call.name {
            StepName::Out => (Direction::Out, false, call.args),
            StepName::In => (Direction::In, false, call.args),
            StepName::Both => (Direction::Both, false, call.args),
            StepName::OutE => (Direction::Out, true, call.args),
            StepName::InE => (Direction::In, true, call.args),
            StepName::BothE => (Direction::Both, true, call.args),
            name => (direction(call)?, name == StepName::ToE, &call.args[1..]),
        };
        let (labels, edge_test) = self.edge_labels(call, labels)?;
        let from = self.names.before_edge.filter(|_| edges);
        let step = Move {
            direction,
            labels,
            edges,
            edge_test,
            from,
            fetch: Vec::new(),
            distinct: false,
            sorted: None,
            secondary: Vec::new(),
        };
        Self::push(out, Kind::Move(step), call);
        Ok(Shape { from, ..Shape::of(if edges { Type::Edge } else { Type::Vertex }) })
    }

    /// `outV`, `inV`, `bothV`, `otherV`, `toV(direction)`.
    pub(super) fn edge_vertex(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let end = match call.name {
            StepName::OutV => EdgeEnd::Out,
            StepName::InV => EdgeEnd::In,
            StepName::BothV => EdgeEnd::Both,
            StepName::OtherV => match shape.from {
                Some(slot) => EdgeEnd::Other(slot),
                None => {
                    self.plan.history.keep(History::Whole);
                    EdgeEnd::OtherThanBefore
                }
            },
            _ => match direction(call)? {
                Direction::Out => EdgeEnd::Out,
                Direction::In => EdgeEnd::In,
                Direction::Both => EdgeEnd::Both,
            },
        };
        Self::push(out, Kind::EdgeVertex(end), call);
        Ok(Shape::of(Type::Vertex))
    }
}

/// What a traversal finds, as a list; of what it finds as lists, the members (TinkerPop 4.0).
fn all_as_a_list(traversal: &Traversal) -> Traversal {
    let mut all = traversal.clone();
    all.steps.extend([StepName::Unfold, StepName::Fold].map(|name| Instruction::new(name, Vec::new(), None)));
    all
}

/// Whether an argument is a list or a set without members; of a parameter that is part of the shape that the plan is kept by.
fn is_empty_collection(argument: &Argument) -> bool {
    match argument {
        Argument::Value(value) | Argument::Parameter(_, value) => value.is_empty_collection(),
        Argument::List(items) | Argument::Set(items) => items.is_empty(),
        Argument::Binding(_, inner) => is_empty_collection(inner),
        _ => false,
    }
}

fn direction(call: &Call<'_>) -> Result<Direction, PlanError> {
    match call.args.first().and_then(Argument::as_value) {
        Some(Value::Direction(direction)) => Ok(*direction),
        _ if call.name == StepName::To => Err(call.misplaced()),
        _ => Err(call.bad_argument(0, "a direction")),
    }
}
