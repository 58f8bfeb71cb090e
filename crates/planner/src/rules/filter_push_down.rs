//! Cheap filters go ahead of dear steps that do not change what they look at, and into the expansion of edges.
//!
//! ```text
//! before   where all {out(likes)} order() filter(age > 3)        outE(knows) filter(since > $0)
//! after    filter(age > 3) where all {out(likes)} order()        outE(knows; edges with since > $0)
//! ```

use values::watch;

use super::filter_fusion::{join_runs, may_fail};
use super::{Context, each_chain};
use crate::logical::{Chain, Footprint, Kind, Logical, Step, of_test};
use crate::physical::Test;

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            changed |= push_up(chain, index);
        }
        // Filters that now stand behind others join them.
        changed | join_runs(chain, takes)
    })
}

/// Moves the filter at `index` ahead of the steps it can pass.
fn push_up(chain: &mut Chain, mut index: usize) -> bool {
    let Kind::Filter(test) = &chain.steps[index].kind else { return false };
    if !chain.steps[index].labels.is_empty() {
        return false;
    }
    let looks_at = of_test(test);
    let is_guarded = may_fail(test) && !is_moved_by_tinkerpop(test);
    // Which traversers get to what may end the query must stay as it is.
    if looks_at.touches(Footprint::WRITES) {
        return false;
    }
    let start = index;
    while index > 0 && passes(looks_at, is_guarded, &chain.steps[index - 1]) {
        chain.steps.swap(index - 1, index);
        index -= 1;
        watch::tick();
    }
    index < start
}

/// Whether a test is one that TinkerPop asks before subqueries as well (FilterRankingStrategy), though it may fail.
fn is_moved_by_tinkerpop(test: &Test) -> bool {
    match test {
        Test::Is(_) | Test::Has(..) | Test::HasNamed(..) | Test::HasId(_) | Test::PropertyValue(_) => true,
        Test::Given(..) => true,
        Test::And(parts) => parts.iter().all(is_moved_by_tinkerpop),
        _ => !may_fail(test),
    }
}

/// Whether a filter that looks at that can run before the step instead of after it; `is_guarded`: it may fail for what a subquery
/// before it keeps away.
fn passes(looks_at: Footprint, is_guarded: bool, step: &Step) -> bool {
    if !step.labels.is_empty() {
        return false;
    }
    match &step.kind {
        Kind::Exists(exists) => {
            !is_guarded && !exists.footprint().touches(Footprint::FILLS | Footprint::WRITES)
        }
        Kind::Order { limit: None, keys } => {
            let touched = keys.iter().fold(Footprint::NONE, |sum, (by, _)| match by {
                crate::logical::Modulator::Chain(chain) => sum | chain.footprint(),
                _ => sum,
            });
            // A look at the path is not moved by TinkerPop either: what comes may have no such key, which is an error.
            let may_fail = keys.iter().any(|(by, _)| !by.is_this()) && looks_at.touches(Footprint::PATH);
            !touched.touches(Footprint::FILLS | Footprint::WRITES) && !may_fail
        }
        Kind::Barrier => true,
        // Which of several equal objects remains must not decide about the filter.
        Kind::Dedup { keys, across_iterations: false } => keys.is_empty() && looks_at.is_pure(),
        _ => false,
    }
}

/// Whether a filter before it, or an expansion of edges, can test that, too.
fn takes(test: &Test, before: &Step) -> bool {
    before.labels.is_empty()
        && match &before.kind {
            Kind::Filter(first) => !of_test(first).touches(Footprint::WRITES),
            Kind::Move(step) => step.edges && of_test(test).is_pure(),
            _ => false,
        }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "filter-push-down";

    #[test]
    fn a_test_of_the_traverser_alone_goes_ahead_of_a_subquery() {
        only(
            RULE,
            "g.V().where(out()).order().by('age').has('age',3)",
            "V().filter(age = 3).where all {out()}.order(age asc)",
        );
        only(RULE, "g.V().dedup().has('age',3)", "V().filter(age = 3).dedup()");
    }

    #[test]
    fn a_test_of_edges_goes_into_their_expansion() {
        only(
            RULE,
            "g.V().outE('knows').has('since',3).has('age',1).inV()",
            "V().outE(knows; edges with (since = 3 and age = 1)).inV()",
        );
        only(
            RULE,
            "g.V().outE('knows').has('since',3).as('e').inV().select('e')",
            "V().outE(knows; edges with since = 3) as e:s0.inV().load(s0)",
        );
    }

    #[test]
    fn a_filter_stays_behind_what_it_depends_on() {
        unchanged(RULE, "g.V().limit(3).has('age',3)");
        unchanged(RULE, "g.V().as('a').out().dedup().where(eq('a'))");
        unchanged(RULE, "g.V().as('a').has('age',3).as('b').select('a','b')");
        unchanged(RULE, "g.V().where(aggregate('x')).has('age',3)");
        unchanged(RULE, "g.V().out().order().by('age').simplePath()");
    }
}
