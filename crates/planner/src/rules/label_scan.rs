//! Only the elements of the labels asked for are scanned.
//!
//! ```text
//! before   V() filter(label in (Person) and age > $0)
//! after    V(label Person) filter(age > $0)
//! ```

use super::filter_fusion::flatten;
use super::index_lookup::replace;
use super::{Context, each_chain};
use crate::logical::{Access, Chain, Kind, Logical, Lookup};
use crate::physical::{ElementKind, Test};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        for index in 1..chain.steps.len() {
            changed |= index < chain.steps.len() && scan(chain, index);
        }
        changed
    })
}

fn scan(chain: &mut Chain, index: usize) -> bool {
    let (Kind::Graph(Access { element, lookup: Lookup::All }), Kind::Filter(test)) =
        (&chain.steps[index - 1].kind, &chain.steps[index].kind)
    else {
        return false;
    };
    if !chain.steps[index - 1].labels.is_empty() {
        return false;
    }
    let mut parts = Vec::new();
    flatten(test.clone(), &mut parts);
    let Some(place) = parts.iter().position(|part| matches!(part, Test::Label { .. })) else { return false };
    let Test::Label { vertex, edge } = parts.remove(place) else { return false };
    let lookup = match element {
        ElementKind::Vertex => Lookup::VertexLabels(vertex),
        ElementKind::Edge => Lookup::EdgeLabels(edge),
    };
    replace(chain, index, lookup, parts);
    true
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "label-scan";

    #[test]
    fn labels_go_into_the_scan() {
        only(RULE, "g.V().hasLabel('Person').out()", "V(label Person).out()");
        only(
            RULE,
            "g.V().has('Person','age',3).as('a').out().select('a')",
            "V(label Person).filter(age = 3) as a:s0.out().load(s0)",
        );
        only(
            RULE,
            "g.E().hasLabel('knows').as('e').inV().select('e')",
            "E(label knows) as e:s0.inV().load(s0)",
        );
    }

    #[test]
    fn an_unknown_label_is_scanned_for_nothing() {
        only(RULE, "g.V().hasLabel('Nobody')", "V(label )");
    }

    #[test]
    fn labels_that_are_only_excluded_stay_a_filter() {
        unchanged(RULE, "g.V().hasLabel(neq('Person'))");
    }
}
