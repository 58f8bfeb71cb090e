//! In a loop of which a few results are wanted, the first of equal traversers goes on at once, and the others at the end of the
//! iteration, as one.
//!
//! ```text
//! before   repeat {out(knows)} until 9 times  limit(5)
//! after    repeat {out(knows).barrier(of repeats)} until 9 times  limit(5)
//! ```
//!
//! A barrier would merge more, but it waits for whole iterations, and whoever wants a few results does not. Without either, as
//! many traversers as there are walks go on, which double with each iteration where two ways lead to each place. Here each
//! object is expanded twice per iteration at most: once for the first that came to it, and once for all the others. For a
//! single result there is no need of the others at all (`distinct`).

use gremlin::StepName;

use super::Context;
use super::bulking::fans_out;
use crate::logical::{Access, Chain, Footprint, Kind, Logical, Lookup, Repeat, Role, Step, each_wants_few};

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    // Histories tell traversers apart.
    !context.paths && walk(&mut plan.root, Place { few: false, ordered: false, shown: false })
}

/// Where a chain stands.
#[derive(Clone, Copy)]
struct Place {
    /// Whether only the first few of its results are wanted.
    few: bool,
    /// Whether the order of its stream is part of the answer: then nobody may be merged with those before.
    ordered: bool,
    /// Whether a step that comes after the chain sees how many travel as one.
    shown: bool,
}

fn walk(chain: &mut Chain, place: Place) -> bool {
    let (mut changed, mut ordered) = (false, place.ordered);
    let each_few = each_wants_few(&chain.steps, place.few);
    // Of the steps from here on, those that show how many travel as one.
    let mut show = chain.steps.iter().filter(|step| step.kind.shows_merging()).count();
    for (index, few) in each_few.into_iter().enumerate() {
        let (before, behind) = chain.steps.split_at_mut(index + 1);
        let Some(step) = before.last_mut() else { continue };
        let shows_merging = place.shown || show > 0;
        show -= usize::from(step.kind.shows_merging());
        let shown = place.shown || show > 0;
        if let Kind::Repeat(repeat) = &mut step.kind
            && few
            && !ordered
            && !shows_merging
            && may_be_merged(behind)
            && gains(repeat)
        {
            repeat.body.steps.push(Step::new(Kind::HoldRepeats, StepName::Barrier));
            changed = true;
        }
        step.kind.for_each_child_mut(&mut |child, role| {
            changed |= walk(
                child,
                match role {
                    Role::Test | Role::First | Role::FirstOfOther => {
                        Place { few: true, ordered: false, shown: false }
                    }
                    Role::Each | Role::Local | Role::Optional => Place { few, ordered: false, shown },
                    Role::Stream => Place { few, ordered, shown },
                    // What leaves it comes back to its beginning.
                    Role::Body => Place { few, ordered, shown: shows_merging },
                    Role::Root | Role::Nothing | Role::Group => {
                        Place { few: false, ordered: false, shown: false }
                    }
                },
            );
        });
        ordered = is_ordered_behind(&step.kind, ordered);
    }
    changed
}

/// Whether equal traversers of an iteration have the same future, and there may be many of them.
fn gains(repeat: &Repeat) -> bool {
    let apart = Footprint::SLOTS
        | Footprint::PATH
        | Footprint::NAMES
        | Footprint::FILLS
        | Footprint::WRITES
        | Footprint::STREAM;
    !repeat.body.footprint().touches(apart) && fans_out(&repeat.body)
}

/// Whether nothing up to the limit does something for each that travels.
fn may_be_merged(behind: &[Step]) -> bool {
    let limit = behind.iter().position(|step| matches!(step.kind, Kind::Range { .. }));
    let way = &behind[..limit.unwrap_or(behind.len())];
    let effects = Footprint::FILLS | Footprint::WRITES;
    way.iter().all(|step| !step.footprint().touches(effects))
}

/// Whether the order of the stream is part of the answer behind a step.
pub(super) fn is_ordered_behind(kind: &Kind, before: bool) -> bool {
    match kind {
        Kind::Order { .. } | Kind::Unfold => true,
        Kind::Inject(operands, _) => operands.len() > 1,
        Kind::Graph(Access { lookup: Lookup::Ids(ids), .. }) => ids.len() > 1,
        Kind::Graph(_) | Kind::Aggregate(_) => false,
        Kind::Group(group) => group.side_effect.is_some() && before,
        Kind::GroupCount(group) => group.side_effect.is_some() && before,
        _ => before,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "hold-repeats";

    #[test]
    fn of_equal_traversers_in_a_loop_the_first_goes_on_at_once() {
        only(
            RULE,
            "g.V(1).repeat(out('knows')).until(has('age',3)).values('name').limit(5)",
            "V(1).repeat {out(knows).barrier(of repeats)} until all {filter(age = 3)}.values(name).limit(5)",
        );
        only(
            RULE,
            "g.V().local(repeat(both('knows')).emit().limit(2))",
            "V().local {repeat {both(knows).barrier(of repeats)} emit always.limit(2)}",
        );
        only(
            RULE,
            "g.V().union(repeat(out()).times(4),out()).limit(3)",
            "V().union {repeat {out().barrier(of repeats)} until 4 times | out()}.limit(3)",
        );
    }

    #[test]
    fn a_few_behind_some_are_few() {
        only(
            RULE,
            "g.V().repeat(out()).times(4).skip(2).limit(3)",
            "V().repeat {out().barrier(of repeats)} until 4 times.skip(2).limit(3)",
        );
    }

    #[test]
    fn also_in_a_loop_inside_a_loop() {
        only(
            RULE,
            "g.V().repeat(repeat(out()).times(4)).times(2).limit(3)",
            "V().repeat {repeat {out().barrier(of repeats)} until 4 times.barrier(of repeats)} until 2 times.limit(3)",
        );
    }

    #[test]
    fn where_all_are_wanted_all_flow_or_all_are_merged() {
        unchanged(RULE, "g.V().repeat(out()).times(3)");
        unchanged(RULE, "g.V().repeat(out()).times(3).order().limit(3)");
    }

    #[test]
    fn what_tells_traversers_apart_or_sees_them_merged_keeps_them() {
        unchanged(RULE, "g.V().repeat(out().simplePath()).times(3).limit(3)");
        unchanged(RULE, "g.V().repeat(out()).times(3).limit(3).path()");
        unchanged(RULE, "g.V().repeat(out().limit(7)).times(3).limit(3)");
        unchanged(RULE, "g.V().repeat(out()).times(3).optional(out().limit(1)).limit(3)");
        unchanged(RULE, "g.V().repeat(out()).times(3).limit(3).optional(out().limit(1))");
        unchanged(RULE, "g.V().union(repeat(out()).times(3)).limit(3).optional(out().limit(1))");
        unchanged(RULE, "g.V().repeat(out()).times(3).aggregate(local,'x').limit(3)");
    }

    #[test]
    fn a_stream_in_order_stays_so() {
        unchanged(RULE, "g.V().order().by('age').repeat(out()).times(3).limit(3)");
        unchanged(RULE, "g.V(1,2).repeat(out()).times(3).limit(3)");
    }
}
