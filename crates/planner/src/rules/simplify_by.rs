//! Modulators and maps that are no more than a part of an object are not subqueries.
//!
//! ```text
//! before   order({values(age)} desc, {load(s0).id()} asc)    map {values(name)}
//! after    order(age desc, s0.T.id asc)                      take(name)
//! ```

use super::{Context, each_chain};
use crate::logical::{Kind, Logical, Modulator};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for step in &mut chain.steps {
            // Of several values these take the first.
            let takes_first = matches!(step.kind, Kind::Choose(_) | Kind::Keep { .. });
            let simple = if takes_first { Modulator::of_choice } else { Modulator::simplified };
            step.kind.for_each_modulator_mut(&mut |_, by| changed |= simplify(by, simple));
            if let Kind::Map(child) = &step.kind
                && let Some(by) = Modulator::of_map(child)
            {
                step.kind = Kind::Take(by);
                changed = true;
            }
        }
        changed
    })
}

fn simplify(by: &mut Modulator, simple: fn(&Modulator) -> Option<Modulator>) -> bool {
    match by {
        Modulator::Chain(_) => match simple(by) {
            Some(simple) => {
                *by = simple;
                true
            }
            None => false,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "simplify-by";

    #[test]
    fn a_part_of_the_object_is_no_subquery() {
        only(
            RULE,
            "g.V().as('a').out().order().by(values('age'), desc).by(select('a').id())",
            "V() as a:s0.out().order(age desc, s0.T.id asc)",
        );
        only(RULE, "g.V().map(values('name'))", "V().take(name)");
        only(
            RULE,
            "g.V().project('n','d').by(identity()).by(out().count())",
            "V().project(n: it, d: degree(out ))",
        );
    }

    #[test]
    fn a_traversal_of_more_is_one() {
        unchanged(RULE, "g.V().order().by(out().values('age').max())");
        unchanged(RULE, "g.V().flatMap(out())");
    }
}
