//! Edges that are only passed through need not be made.
//!
//! ```text
//! before   outE(knows; edges with since > $0) inV()
//! after    out(knows; edges with since > $0)
//! ```
//!
//! Not where the edge is named, and not where paths are recorded: they would show it.

use values::Direction;

use super::{Context, each_chain, remove};
use crate::logical::{Chain, Kind, Logical, Move};
use crate::physical::EdgeEnd;

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    !context.paths
        && each_chain(plan, |chain, _| {
            let mut changed = false;
            let mut index = 1;
            while index < chain.steps.len() {
                if meets(chain, index) {
                    merge(chain, index);
                    changed = true;
                } else {
                    index += 1;
                }
            }
            changed
        })
}

/// Whether the step at `index` goes to the far ends of the edges that the step before it reached.
fn meets(chain: &Chain, index: usize) -> bool {
    let (Kind::Move(Move { direction, edges: true, from, .. }), Kind::EdgeVertex(end)) =
        (&chain.steps[index - 1].kind, &chain.steps[index].kind)
    else {
        return false;
    };
    let far = match end {
        EdgeEnd::In => *direction == Direction::Out,
        EdgeEnd::Out => *direction == Direction::In,
        EdgeEnd::Other(slot) => *from == Some(*slot),
        EdgeEnd::OtherThanBefore => false,
        EdgeEnd::Both => false,
    };
    far && chain.steps[index - 1].labels.is_empty()
}

fn merge(chain: &mut Chain, index: usize) {
    remove(chain, index);
    if let Kind::Move(step) = &mut chain.steps[index - 1].kind {
        step.edges = false;
        step.from = None;
        chain.steps[index - 1].name = step_to_vertices(step.direction);
    }
}

/// The step that goes to the neighbours.
pub(super) fn step_to_vertices(direction: Direction) -> gremlin::StepName {
    match direction {
        Direction::Out => gremlin::StepName::Out,
        Direction::In => gremlin::StepName::In,
        Direction::Both => gremlin::StepName::Both,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, these, unchanged};

    const RULE: &str = "incident-to-adjacent";

    #[test]
    fn out_edges_and_their_targets_are_out() {
        only(
            RULE,
            "g.V().outE('knows').inV().as('x').out().select('x')",
            "V().out(knows) as x:s0.out().load(s0)",
        );
        only(RULE, "g.V().inE('knows').outV()", "V().in(knows)");
        only(RULE, "g.V().bothE('knows').otherV()", "V().both(knows)");
    }

    #[test]
    fn tests_of_the_edge_stay_with_it() {
        these(
            &["filter-push-down", RULE],
            "g.V().outE('knows').has('since',3).inV()",
            "V().out(knows; edges with since = 3)",
        );
    }

    #[test]
    fn an_edge_that_someone_looks_at_is_kept() {
        unchanged(RULE, "g.V().outE('knows').as('e').inV().select('e')");
        unchanged(RULE, "g.V().outE('knows').inV().path()");
        unchanged(RULE, "g.V().outE('knows').outV()");
    }
}
