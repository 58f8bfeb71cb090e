//! A subquery that computes one value and compares it is a comparison.
//!
//! ```text
//! before   where all {take(count).filter(it > 0)}     where none {degree(out likes).filter(it > 0)}
//! after    where(count > 0)                           where(degree(out likes) not (> 0))
//! ```
//!
//! Of several subqueries under `and` or `not` those go that are such, but none that comes behind one which writes or fills a
//! side-effect, nor behind any if it may fail. (What is a test of the object itself has been inlined before; see
//! `inline-filter`.)

use super::filter_fusion::may_fail;
use super::{Context, each_chain};
use crate::logical::{Chain, Comparison, Exists, Footprint, Kind, Logical, Modulator, Origin, Step};
use crate::physical::{Formula, Predicate, Test};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        let mut index = 0;
        while index < chain.steps.len() {
            let (comparisons, emptied) = match &mut chain.steps[index].kind {
                Kind::Exists(exists) if exists.formula != Formula::Any => take_comparisons(exists),
                _ => (Vec::new(), false),
            };
            let name = chain.steps[index].name;
            changed |= !comparisons.is_empty();
            let added = comparisons.len();
            for (place, comparison) in comparisons.into_iter().enumerate() {
                chain.steps.insert(index + place, Step::new(Kind::Compare(comparison), name));
            }
            index += added;
            if emptied {
                // There is a comparison before it now, which gets its names.
                super::remove(chain, index);
            } else {
                index += 1;
            }
        }
        changed
    })
}

/// Takes the branches out of the filter that are comparisons. `true` if none remains.
fn take_comparisons(exists: &mut Exists) -> (Vec<Comparison>, bool) {
    let formula = exists.formula;
    let mut comparisons = Vec::new();
    let (mut is_behind, mut acts) = (false, false);
    exists.branches.retain(|branch| match comparison(branch, formula) {
        Some(comparison) if !(acts || is_behind && is_fallible(&comparison)) => {
            comparisons.push(comparison);
            false
        }
        _ => {
            is_behind = true;
            acts |= branch.footprint().touches(Footprint::REPEATED);
            true
        }
    });
    let emptied = exists.branches.is_empty() && !comparisons.is_empty();
    (comparisons, emptied)
}

/// Whether there are objects that cannot be compared so.
fn is_fallible(comparison: &Comparison) -> bool {
    let is_of_any = match &comparison.left.1 {
        Modulator::Degree(..) => true,
        by => by.is_this(),
    };
    !is_of_any || may_fail(&Test::Is(comparison.predicate.clone()))
}

fn comparison(branch: &Chain, formula: Formula) -> Option<Comparison> {
    let (first, filters) = branch.steps.split_first()?;
    if filters.is_empty() || branch.steps.iter().any(|step| !step.labels.is_empty()) {
        return None;
    }
    let by = match &first.kind {
        Kind::Degree { direction, labels } => Modulator::Degree(*direction, labels.clone()),
        // Where the value is absent nothing is compared, and a comparison fails; so it cannot be turned round.
        Kind::Take(by) if formula == Formula::All => {
            by.simplified().filter(|by| !matches!(by, Modulator::Chain(_)))?
        }
        _ => return None,
    };
    let mut predicates = Vec::with_capacity(filters.len());
    for filter in filters {
        match &filter.kind {
            Kind::Filter(Test::Is(predicate)) => predicates.push(predicate.clone()),
            _ => return None,
        }
    }
    let all = if predicates.len() == 1 { predicates.remove(0) } else { Predicate::And(predicates) };
    let predicate = if formula == Formula::None { Predicate::Not(Box::new(all)) } else { all };
    Some(Comparison { left: (Origin::Current, by), operands: Vec::new(), predicate })
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{these, unchanged};

    const RULE: &str = "inline-compare";

    #[test]
    fn a_value_that_is_compared_is_no_subquery() {
        these(
            &[RULE],
            "g.V().project('a').by('age').where(select('a').is(gt(3)))",
            "V().project(a: age).where(a > 3)",
        );
        these(&["degree", RULE], "g.V().where(out('knows'))", "V().where(degree(out knows) > 0)");
        these(&["degree", RULE], "g.V().not(out('knows'))", "V().where(degree(out knows) not (> 0))");
    }

    #[test]
    fn those_of_an_and_go_that_can() {
        these(
            &["degree", RULE],
            "g.V().and(out('knows'),out('likes').has('age',3)).as('a').out().select('a')",
            "V().where(degree(out knows) > 0).and all as a:s0 {out(likes).filter(age = 3)}.out().load(s0)",
        );
    }

    #[test]
    fn none_comes_before_what_acts_or_would_have_kept_it_from_failing() {
        let rules = ["degree", RULE];
        these(
            &rules,
            "g.V().and(out('knows'),aggregate('x'))",
            "V().where(degree(out knows) > 0).and all {aggregate(it) into side-effect 0}",
        );
        these(
            &rules,
            "g.V().and(aggregate('x'),out('knows'))",
            "V().and all {aggregate(it) into side-effect 0 | degree(out knows).filter(it > 0)}",
        );
        unchanged(RULE, "g.V().and(out(),values('age').is(startingWith('a')))");
    }

    #[test]
    fn a_count_of_none_is_a_comparison_of_a_degree() {
        these(
            &["degree", "count-compare", "nested-exists", RULE],
            "g.V().where(out('knows').count().is(0)).not(__.in('likes').count().is(gte(3)))",
            "V().where(degree(out knows) = 0).where(degree(in likes) not (>= 3))",
        );
    }

    #[test]
    fn an_absent_value_is_not_unequal() {
        unchanged(RULE, "g.V().project('a').by('age').not(select('a').is(gt(3)))");
    }
}
