//! Two moves whose ends are counted visit the first ends only where they lie.
//!
//! ```text
//! before   V(index …).out(knows).bulkByDegree(out knows).count()
//! after    V(index …).bulkByWalks(out knows, out knows).count()
//! ```
//!
//! The number of walks of two steps from a vertex is the sum of its neighbours' degrees. It is added up along the list of
//! neighbours, without making a traverser of each.

use super::{Context, each_chain};
use crate::logical::{Chain, Kind, Logical, is_plain};
use crate::physical::{EdgeLabels, Hop};

/// Edge labels of the second move for each of which a table is kept while lists are walked.
const MOST_LABELS: usize = 4;

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| {
        let mut changed = false;
        while let Some((index, kind)) = (1..chain.steps.len()).find_map(|i| Some((i, walks(chain, i)?))) {
            chain.steps[index].kind = kind;
            chain.steps.remove(index - 1);
            changed = true;
        }
        changed
    })
}

/// What the step at `index` and the one before it are together.
fn walks(chain: &Chain, index: usize) -> Option<Kind> {
    let (before, step) = (&chain.steps[index - 1], &chain.steps[index]);
    let (Kind::Move(first), Kind::BulkByDegree { direction, labels }) = (&before.kind, &step.kind) else {
        return None;
    };
    let few = matches!(labels, EdgeLabels::Only(labels) if (1..=MOST_LABELS).contains(&labels.len()));
    (few && !first.edges && is_plain(first) && before.labels.is_empty()).then(|| Kind::BulkByWalks {
        first: Hop { direction: first.direction, labels: first.labels.clone() },
        then: Hop { direction: *direction, labels: labels.clone() },
    })
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{these, unchanged};

    const RULES: [&str; 2] = ["degree", "walks"];

    #[test]
    fn two_moves_and_a_count_are_one_step() {
        these(
            &RULES,
            "g.V(1).out('likes').out().in('knows').count()",
            "V(1).out(likes).bulkByWalks(out , in knows).count()",
        );
        these(
            &["degree", "bulking", "walks"],
            "g.V(1).out().out().out().out('knows').count()",
            "V(1).out().out().barrier().bulkByWalks(out , out knows).count()",
        );
    }

    #[test]
    fn ends_that_someone_looks_at_are_visited() {
        unchanged("walks", "g.V(1).out('knows').out('knows').count()");
        these(
            &RULES,
            "g.V(1).outE('knows').inV().out().count()",
            "V(1).outE(knows).inV().bulkByDegree(out ).count()",
        );
        these(&RULES, "g.V(1).out().out().count()", "V(1).out().bulkByDegree(out ).count()");
    }
}
