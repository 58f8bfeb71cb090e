//! Sorting for the first few keeps only the first few.
//!
//! ```text
//! before   order(age desc) range(5, 10)
//! after    order(age desc) first 10 range(5, 10)
//! ```

use gremlin::Order;

use super::{Context, each_chain};
use crate::logical::{Kind, Logical};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            let Kind::Range { high: Some(high), .. } = chain.steps[index].kind else { continue };
            if let Kind::Order { keys, limit: limit @ None } = &mut chain.steps[index - 1].kind
                && keys.iter().all(|(_, order)| *order != Order::Shuffle)
            {
                *limit = Some(high);
                changed = true;
            }
        }
        changed
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "top-k";

    #[test]
    fn only_as_many_are_kept_as_are_needed() {
        only(RULE, "g.V().order().by('age').limit(3)", "V().order(age asc) first 3.limit(3)");
        only(RULE, "g.V().order().range(5,10)", "V().order() first 10.range(5, 10)");
    }

    #[test]
    fn all_are_kept_where_all_may_be_needed() {
        unchanged(RULE, "g.V().order().skip(5)");
        unchanged(RULE, "g.V().order().tail(5)");
        unchanged(RULE, "g.V().order().by(shuffle).limit(5)");
    }
}
