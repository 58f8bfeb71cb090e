//! Where it shows in which order those come that several merged traversers have become.
//!
//! Traversers that are at the same object travel as one, and what a step makes of them comes as often as they are many:
//!
//! ```text
//! 1 twice ─ union(it, 2)         ─►  1 twice, 2 twice      as in TinkerPop, whose traversers have a bulk, too
//! 1 twice ─ local(union(it, 2))  ─►  1, 2, 1, 2            for there local() takes each for itself
//! ```
//!
//! Where nobody can tell, they stay merged behind `local()`: thousands that are at one vertex would otherwise be thousands again.

use super::gathers::waits_for_all;
use super::{Access, Group, Kind, Lookup, Step};
use crate::physical::Aggregation;

/// Of each step of a chain, whether the order shows in which its results come: a list is made of them, or a part is taken, and
/// nothing between that would merge them. `at_end`: whether it does behind the chain. `is_root`: whether the chain is the traversal,
/// whose results are in order where their stream is.
///
/// It takes little to keep those apart that become a list anyway. What comes out of a loop may be merged from more than anybody
/// could wait for: those stay merged where a part of them is taken.
pub(crate) fn each_is_listed(steps: &[Step], at_end: bool, is_root: bool) -> Vec<bool> {
    let loops = each_comes_from_a_loop(steps);
    let comes_from_a_loop = |index: usize| loops.get(index).is_some_and(|of| *of);
    let in_order = is_root && steps.iter().any(|step| puts_in_order(&step.kind));
    let (mut listed, mut parted) = (at_end, in_order && !comes_from_a_loop(steps.len()));
    let behind = |(index, step): (usize, &Step)| {
        let behind = listed || parted;
        match &step.kind {
            Kind::Aggregate(Aggregation::Fold) => listed = true,
            Kind::Group(group) if lists(group) => listed = true,
            Kind::Range { .. } | Kind::Tail(_) => parted = !comes_from_a_loop(index),
            kind if waits_for_all(kind) => (listed, parted) = (false, false),
            _ => {}
        }
        behind
    };
    let mut each: Vec<bool> = steps.iter().enumerate().rev().map(behind).collect();
    each.reverse();
    each
}

/// Of the traversal's steps, how many are the first to which nobody comes merged.
pub(crate) fn met_alone(steps: &[Step]) -> usize {
    1 + steps.iter().take_while(|step| leaves_apart(&step.kind)).count()
}

/// Whether nobody travels merged behind a step in front of which nobody does.
fn leaves_apart(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Graph(_)
            | Kind::Inject(..)
            | Kind::Move(_)
            | Kind::Filter(_)
            | Kind::Range { .. }
            | Kind::Properties { .. }
            | Kind::Take(_)
            | Kind::Call(_)
            | Kind::Keep { .. }
            | Kind::Load(_)
            | Kind::Identity
    )
}

/// Whether a group has lists of what it groups.
fn lists(group: &Group) -> bool {
    group.value.steps.iter().any(|step| step.kind == Kind::Aggregate(Aggregation::Fold))
}

/// Of each step, and of the end of the chain, whether what comes there may have been merged in a loop.
fn each_comes_from_a_loop(steps: &[Step]) -> Vec<bool> {
    let mut looped = false;
    let mut each = vec![false];
    each.extend(steps.iter().map(|step| {
        looped = match &step.kind {
            Kind::Repeat(_) => true,
            Kind::Aggregate(_) => false,
            _ => looped,
        };
        looped
    }));
    each
}

/// Whether the order of the stream is determined behind a step.
fn puts_in_order(kind: &Kind) -> bool {
    match kind {
        Kind::Inject(..) | Kind::Order { .. } | Kind::Unfold => true,
        Kind::Graph(Access { lookup, .. }) => matches!(lookup, Lookup::Ids(_)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use gremlin::StepName;

    use super::*;

    fn listed(kinds: Vec<Kind>, is_root: bool) -> Vec<bool> {
        let steps: Vec<Step> = kinds.into_iter().map(|kind| Step::new(kind, StepName::Identity)).collect();
        each_is_listed(&steps, false, is_root)
    }

    const FOLD: Kind = Kind::Aggregate(Aggregation::Fold);
    const COUNT: Kind = Kind::Aggregate(Aggregation::Count);
    const LIMIT: Kind = Kind::Range { low: 0, high: Some(1) };

    #[test]
    fn a_list_shows_it_unless_others_merge_before() {
        assert_eq!(listed(vec![Kind::Identity, FOLD, Kind::Identity], true), [true, false, false]);
        assert_eq!(listed(vec![Kind::Identity, Kind::Barrier, FOLD], true), [false, true, false]);
        assert_eq!(listed(vec![Kind::Identity, COUNT, FOLD], true), [false, true, false]);
    }

    #[test]
    fn a_part_shows_it() {
        assert_eq!(listed(vec![Kind::Identity, LIMIT, COUNT], true), [true, false, false]);
        assert_eq!(listed(vec![Kind::Identity, Kind::Tail(1)], true), [true, false]);
    }

    #[test]
    fn results_show_it_where_they_are_in_order() {
        assert_eq!(listed(vec![Kind::Unfold, Kind::Identity], true), [true, true]);
        assert_eq!(listed(vec![Kind::Unfold, Kind::Identity], false), [false, false]);
        assert_eq!(listed(vec![Kind::Identity], true), [false]);
    }

    #[test]
    fn who_has_met_nobody_is_one() {
        let steps = [Kind::Identity, Kind::Identity, Kind::Barrier, Kind::Identity];
        assert_eq!(met_alone(&steps.map(|kind| Step::new(kind, StepName::Identity))), 3);
    }
}
