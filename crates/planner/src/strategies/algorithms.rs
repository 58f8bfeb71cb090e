//! Graph algorithms under strategies that hide parts of the graph: what they would go through without being told is spelled out, so
//! that the strategies rewrite it like anything else.
//!
//! ```text
//! V().pageRank()  ─►  V().pageRank().with(edges, outE()).with(vertices, V()).with(begins, true)
//! ```

use gremlin::{Argument, Instruction, StepName, Traversal};
use values::{Direction, Value};

use super::child;

/// The option, which nobody but strategies gives, of the vertices that an algorithm is to see.
pub(crate) const VERTICES: &str = "~mangrove.vertices";

/// The option that says whether the traversal only begins at vertices before an algorithm: their filters are not the traversal's own.
pub(crate) const BEGINS: &str = "~mangrove.begins";

/// Spells out the algorithms of a traversal, which are steps of the traversal itself.
pub(super) fn spell_out(traversal: &mut Traversal) {
    let mut steps = Vec::with_capacity(traversal.steps.len());
    let mut from = std::mem::take(&mut traversal.steps).into_iter().peekable();
    let mut begins = true;
    while let Some(step) = from.next() {
        let Some((edges, default)) = edges_of(step.name) else {
            begins &= matches!(step.name, StepName::V | StepName::As);
            steps.push(step);
            continue;
        };
        let at = step.at;
        steps.push(step);
        let mut has_edges = false;
        while let Some(mut with) = from.next_if(|next| matches!(next.name, StepName::With | StepName::As)) {
            if with.args.first().and_then(Argument::as_value).and_then(Value::as_str) == Some(edges) {
                has_edges = true;
                let direction = match with.args.get(1).and_then(Argument::as_value) {
                    Some(Value::Direction(direction)) => Some(*direction),
                    _ => None,
                };
                if let (Some(direction), Some(given)) = (direction, with.args.get_mut(1)) {
                    *given = all(direction);
                }
            }
            steps.push(with);
        }
        let option = |key: &str, value| {
            let args = vec![Argument::Value(Value::from(key)), value];
            Instruction::new(StepName::With, args, at)
        };
        if !has_edges {
            steps.push(option(edges, all(default)));
        }
        let vertices = child(vec![Instruction::new(StepName::V, Vec::new(), None)]);
        steps.push(option(VERTICES, vertices));
        steps.push(option(BEGINS, Argument::Value(Value::Bool(begins))));
    }
    traversal.steps = steps;
}

/// The option of the edges of an algorithm, and which way it goes along them by itself.
fn edges_of(name: StepName) -> Option<(&'static str, Direction)> {
    Some(match name {
        StepName::PageRank => ("~tinkerpop.pageRank.edges", Direction::Out),
        StepName::PeerPressure => ("~tinkerpop.peerPressure.edges", Direction::Out),
        StepName::ConnectedComponent => ("~tinkerpop.connectedComponent.edges", Direction::Both),
        StepName::ShortestPath => ("~tinkerpop.shortestPath.edges", Direction::Both),
        _ => return None,
    })
}

fn all(direction: Direction) -> Argument {
    let step = match direction {
        Direction::Out => StepName::OutE,
        Direction::In => StepName::InE,
        Direction::Both => StepName::BothE,
    };
    child(vec![Instruction::new(step, Vec::new(), None)])
}
