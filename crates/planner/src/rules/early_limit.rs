//! A limit goes ahead of the maps that make one object of each, so that they are made for those that stay.
//!
//! ```text
//! before   order(age desc) project(name: name) limit(10)
//! after    order(age desc) limit(10) project(name: name)
//! ```
//!
//! Not behind a step that writes: in front of a limit that has acted for all, so the maps would be of what is there then.

use super::{Context, each_chain};
use crate::logical::{Footprint, Kind, Logical, Step};
use crate::physical::{LocalFn, PropertyForm};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        let writes = chain.steps.iter().position(|step| step.footprint().touches(Footprint::WRITES));
        for start in 1..chain.steps.len() {
            let mut index = start;
            while index > 0
                && matches!(chain.steps[index].kind, Kind::Range { .. } | Kind::Tail(_))
                && chain.steps[index].labels.is_empty()
                && yields_one(&chain.steps[index - 1])
                && writes.is_none_or(|first| index <= first)
            {
                chain.steps.swap(index - 1, index);
                index -= 1;
                changed = true;
            }
        }
        changed
    })
}

/// Whether the step makes exactly one object of each, and does nothing else.
fn yields_one(step: &Step) -> bool {
    let one = match &step.kind {
        Kind::Call(LocalFn::Id | LocalFn::Label | LocalFn::Constant(_) | LocalFn::Count) => true,
        Kind::Properties { form, .. } => {
            matches!(
                form,
                PropertyForm::ValueMap { .. } | PropertyForm::ElementMap | PropertyForm::PropertyMap
            )
        }
        Kind::Path { by, .. } => by.is_empty(),
        Kind::Project(_) | Kind::Keep { .. } => true,
        _ => false,
    };
    one && !step.footprint().touches(Footprint::FILLS | Footprint::WRITES)
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "early-limit";

    #[test]
    fn maps_are_made_for_those_that_stay() {
        only(
            RULE,
            "g.V().order().by('age').project('n').by(out().count()).limit(10)",
            "V().order(age asc).limit(10).project(n: {out().count()})",
        );
        only(RULE, "g.V().valueMap().id().limit(10)", "V().limit(10).valueMap().id()");
    }

    #[test]
    fn a_step_that_may_yield_none_or_several_stays_before_the_limit() {
        unchanged(RULE, "g.V().values('name').limit(10)");
        unchanged(RULE, "g.V().out().limit(10)");
        unchanged(RULE, "g.V().as('a').out().select('a').limit(10)");
    }

    #[test]
    fn a_map_of_what_is_written_is_made_before_the_others_are() {
        unchanged(RULE, "g.V().property('name', 'x').valueMap().limit(1)");
    }
}
