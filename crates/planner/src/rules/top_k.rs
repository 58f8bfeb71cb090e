//! Sorting for the first few keeps only the first few.
//!
//! ```text
//! before   order(age desc) range(5, 10)
//! after    order(age desc) first 10 range(5, 10)
//!
//! before   order(age desc) skip(20) limit(10)
//! after    order(age desc) first 30 skip(20) limit(10)
//! ```

use gremlin::Order;

use super::{Context, each_chain};
use crate::logical::{Kind, Logical, Step};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            let (before, behind) = chain.steps.split_at_mut(index);
            if let Kind::Order { keys, limit: limit @ None } = &mut before[index - 1].kind
                && keys.iter().all(|(_, order)| *order != Order::Shuffle)
                && let Some(first) = firsts(behind)
            {
                *limit = Some(first);
                changed = true;
            }
        }
        changed
    })
}

/// Of how many of the first the ranges at the beginning of `steps` take what they take, if they do not take all.
fn firsts(steps: &[Step]) -> Option<u64> {
    let mut passed = 0_u64;
    for step in steps {
        let Kind::Range { low, high } = step.kind else { return None };
        if let Some(high) = high {
            return passed.checked_add(high);
        }
        passed = passed.checked_add(low)?;
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "top-k";

    #[test]
    fn only_as_many_are_kept_as_are_needed() {
        only(RULE, "g.V().order().by('age').limit(3)", "V().order(age asc) first 3.limit(3)");
        only(RULE, "g.V().order().range(5,10)", "V().order() first 10.range(5, 10)");
        only(RULE, "g.V().order().skip(5).limit(3)", "V().order() first 8.skip(5).limit(3)");
    }

    #[test]
    fn all_are_kept_where_all_may_be_needed() {
        unchanged(RULE, "g.V().order().skip(5)");
        unchanged(RULE, "g.V().order().tail(5)");
        unchanged(RULE, "g.V().order().by(shuffle).limit(5)");
    }
}
