//! A filter whose only subquery is a filter is that filter, or its negation.
//!
//! ```text
//! before   where all {not none {out()}}      not none {not none {out()}}
//! after    not none {out()}                  where any {out()}
//! ```

use super::{Context, each_chain};
use crate::logical::{Exists, Kind, Logical, LoopCondition};
use crate::physical::Formula;

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for step in &mut chain.steps {
            match &mut step.kind {
                Kind::Exists(exists) => changed |= flatten(exists),
                Kind::Repeat(repeat) => {
                    let (head, tail) = (&mut repeat.head, &mut repeat.tail);
                    for condition in [&mut head.until, &mut head.emit, &mut tail.until, &mut tail.emit] {
                        if let LoopCondition::Exists(exists) = condition {
                            changed |= flatten(exists);
                        }
                    }
                }
                _ => {}
            }
        }
        changed
    })
}

/// Subqueries come first, so one level at a time suffices.
fn flatten(outer: &mut Exists) -> bool {
    let [branch] = &mut outer.branches[..] else { return false };
    let [step] = &mut branch.steps[..] else { return false };
    let Kind::Exists(inner) = &mut step.kind else { return false };
    let formula = match (outer.formula, inner.formula, inner.branches.len()) {
        (Formula::All | Formula::Any, same, _) => same,
        (Formula::None, Formula::Any, _) | (Formula::None, Formula::All, 1) => Formula::None,
        (Formula::None, Formula::None, _) => Formula::Any,
        (Formula::None, Formula::All, _) => return false,
    };
    if !step.labels.is_empty() {
        return false;
    }
    *outer = Exists { branches: std::mem::take(&mut inner.branches), formula };
    true
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "nested-exists";

    #[test]
    fn a_filter_of_a_filter_is_one() {
        only(RULE, "g.V().where(not(out()))", "V().where none {out()}");
        only(RULE, "g.V().where(and(out(),in()))", "V().where all {out() | in()}");
        only(RULE, "g.V().not(or(out(),in()))", "V().not none {out() | in()}");
        only(RULE, "g.V().not(not(out()))", "V().not any {out()}");
        only(RULE, "g.V().repeat(out()).until(not(out()))", "V().repeat {out()} until none {out()}");
    }

    #[test]
    fn not_all_of_several_cannot_be_said_otherwise() {
        unchanged(RULE, "g.V().not(and(out(),in()))");
        unchanged(RULE, "g.V().where(out().not(in()))");
    }
}
