//! Edges are counted, not visited.
//!
//! ```text
//! before   where all {out(likes).in(likes)}          map {out(knows).count()}    V().out().out(knows).count()
//! after    where all {out(likes).degree(in likes)    map {degree(out knows)}     V().out().bulkByDegree(out knows).count()
//!                     .filter(it > 0)}
//! ```
//!
//! The number of edges of a vertex is in its record. Existence of an end is a degree above zero; a count per traverser
//! is the degree itself; a count over a whole stream multiplies each traverser by its degree.

use gremlin::{PredicateOp, StepName};
use values::Value;

use super::{Context, each_chain};
use crate::logical::{Chain, Kind, Logical, Move, Role, Step, is_plain};
use crate::physical::{Aggregation, EdgeEnd, Operand, Predicate, Test};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    // What count() makes in local() goes on without a past; a degree would keep it.
    let has_past = plan.history.is_kept() || plan.slots > 0;
    each_chain(plan, |chain, role| match role {
        Role::Local if has_past => whole_stream(chain),
        Role::Test => per_traverser(chain) || existence(chain) || whole_stream(chain),
        // Inside `optional` a bulk is counted.
        Role::First | Role::FirstOfOther | Role::Each | Role::Local => {
            per_traverser(chain) || whole_stream(chain)
        }
        _ => whole_stream(chain),
    })
}

/// A move that counts all edges of its labels and whose ends nobody named.
fn plain(step: &Step) -> Option<&Move> {
    match &step.kind {
        Kind::Move(step_move) if step.labels.is_empty() && is_plain(step_move) => Some(step_move),
        _ => None,
    }
}

/// The whole subquery is a move and a count, perhaps from the end of an edge.
fn per_traverser(chain: &mut Chain) -> bool {
    let to_one =
        |step: &Step| matches!(step.kind, Kind::EdgeVertex(EdgeEnd::In | EdgeEnd::Out | EdgeEnd::Other(_)));
    let first = chain.steps.iter().take_while(|step| to_one(step)).count();
    let [step_move, count, ..] = &chain.steps[first..] else { return false };
    let (Some(Move { direction, labels, .. }), Kind::Aggregate(Aggregation::Count)) =
        (plain(step_move), &count.kind)
    else {
        return false;
    };
    let kind = Kind::Degree { direction: *direction, labels: labels.clone() };
    chain.steps.remove(first);
    chain.steps[first].kind = kind;
    true
}

/// A subquery of which only the existence of a result matters ends in a move.
fn existence(chain: &mut Chain) -> bool {
    let Some(Move { direction, labels, .. }) = chain.steps.last().and_then(plain) else { return false };
    let degree = Kind::Degree { direction: *direction, labels: labels.clone() };
    let some = Test::Is(Predicate::Compare(PredicateOp::Gt, Operand::Const(Value::Long(0))));
    let last = chain.steps.len() - 1;
    chain.steps[last].kind = degree;
    chain.steps.push(Step::new(Kind::Filter(some), StepName::Is));
    true
}

/// A move whose ends are counted and nothing else.
fn whole_stream(chain: &mut Chain) -> bool {
    let mut changed = false;
    for index in 1..chain.steps.len() {
        if !matches!(chain.steps[index].kind, Kind::Aggregate(Aggregation::Count)) {
            continue;
        }
        if let Some(Move { direction, labels, .. }) = plain(&chain.steps[index - 1]) {
            let kind = Kind::BulkByDegree { direction: *direction, labels: labels.clone() };
            chain.steps[index - 1].kind = kind;
            changed = true;
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "degree";

    #[test]
    fn a_count_per_traverser_is_its_degree() {
        only(RULE, "g.V().map(out('knows').count())", "V().map {degree(out knows)}");
        only(
            RULE,
            "g.V().where(both('knows').count().is(gt(5)))",
            "V().where all {degree(both knows).filter(it > 5)}",
        );
        only(RULE, "g.V().order().by(outE('knows').count())", "V().order({degree(out knows)} asc)");
    }

    #[test]
    fn existence_of_an_end_is_a_degree_above_zero() {
        only(RULE, "g.V().where(out('knows'))", "V().where all {degree(out knows).filter(it > 0)}");
        only(RULE, "g.V().not(out().in('knows'))", "V().not none {out().degree(in knows).filter(it > 0)}");
    }

    #[test]
    fn a_count_of_the_stream_multiplies_by_the_degree() {
        only(RULE, "g.V().out().out('knows').count()", "V().out().bulkByDegree(out knows).count()");
        only(
            RULE,
            "g.V().group().by('age').by(out().count())",
            "V().group(age) {bulkByDegree(out ).count()}",
        );
    }

    #[test]
    fn ends_that_someone_looks_at_are_visited() {
        unchanged(RULE, "g.V().where(out('knows').has('age',3))");
        unchanged(RULE, "g.V().out().as('a').count().select('a')");
        unchanged(RULE, "g.V().out().dedup().count()");
    }
}
