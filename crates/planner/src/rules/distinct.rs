//! Where only the set of objects matters, duplicates go as early as they arise.
//!
//! ```text
//! before   out(knows) out(knows) dedup()
//! after    out(knows; distinct) out(knows; distinct)
//!
//! before   repeat {out(knows)} until 5 times  dedup()
//! after    repeat {out(knows; distinct)} until 5 times  dedup()
//!
//! before   repeat {out(knows)} until 5 times emit always  dedup()
//! after    repeat {out(knows; distinct).barrier().dedup() across iterations} until 5 times emit always  dedup()
//! ```
//!
//! Equal objects at the same place have the same future, if that future depends on nothing but the object. In a loop
//! "the same place" is the same iteration: so each iteration forgets duplicates on its own. Beyond that, an object that
//! an *earlier* iteration had already needs no second visit if every object leaves the loop that ever enters it, or
//! if leaving depends on the object alone:
//!
//! | leaves | duplicates of earlier iterations |
//! |---|---|
//! | `times(n)` | stay: what is reached in exactly n steps is asked for |
//! | `times(n).emit()` | go, but only after the iteration is complete: the first visit must be the one with the most steps left |
//! | `times(n).emit(test)` | stay: what leaves at the last iteration leaves untested |
//! | `until(test)`, `emit(test)` without `times` | go |
//!
//! One result of a set is wanted where the bag's first is: by `limit(1)`, by a filter, by `map` and `by`. So a loop visits no
//! object twice on the way to it, however many walks lead there. Then it does not matter either which walk the path tells of;
//! where `dedup` is asked for, it does, so in a query with paths that alone merges nothing.

use gremlin::StepName;

use super::{Context, remove};
use crate::logical::{Chain, Footprint, Kind, Logical, LoopCondition, Repeat, Role, Step, each_wants_few};
use crate::physical::{Aggregation, Slot};

/// What is wanted of a stream.
#[derive(Clone, Debug)]
enum Want {
    /// Every object as often as it is there.
    Bag,
    /// Every object once or more.
    Set {
        /// Further on these are read: equal objects are alike only if these are equal too.
        slots: Vec<Slot>,
        /// Whether a plain move shall remember what it has reached. For the sake of one result, only a loop is worth it.
        mark: bool,
    },
}

impl Want {
    /// One object, whichever.
    const ONE: Self = Self::Set { slots: Vec::new(), mark: false };

    /// Whether equal objects are alike.
    fn is_set_of_objects(&self) -> bool {
        matches!(self, Self::Set { slots, .. } if slots.is_empty())
    }

    /// Whether a move shall leave out what it has reached before.
    fn marks(&self) -> bool {
        matches!(self, Self::Set { slots, mark: true } if slots.is_empty())
    }
}

/// What keeps equal objects from being alike, beside slots.
const TELLS_APART: [Footprint; 3] = [Footprint::PATH, Footprint::FILLS, Footprint::WRITES];

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    walk(
        &mut plan.root,
        Want::Bag,
        Place { mark: true, few: false, fuses: true, in_loop: false, paths: context.paths },
    )
}

/// Where a chain stands.
#[derive(Clone, Copy)]
struct Place {
    /// Whether duplicates are worth a table of what was seen.
    mark: bool,
    /// Whether only the first few of its results are wanted.
    few: bool,
    /// Whether a `dedup` may become the business of the move before it alone. A branch of the stream may run in several
    /// instances, each with a memory of its own; its moves may leave out duplicates early, but not instead.
    fuses: bool,
    /// Whether it is run again and again, all the while with one memory of what was seen.
    in_loop: bool,
    /// Whether traversers record their paths.
    paths: bool,
}

/// Rewrites a chain of whose results that is wanted.
fn walk(chain: &mut Chain, end: Want, place: Place) -> bool {
    let mut changed = false;
    let mut want = end;
    let each_few = each_wants_few(&chain.steps, place.few);
    for index in (0..chain.steps.len()).rev() {
        let few = each_few[index];
        let step = &mut chain.steps[index];
        // What has just been named is the current object itself.
        if let Want::Set { slots, .. } = &mut want {
            slots.retain(|slot| !step.labels.iter().any(|label| label.slot == Some(*slot)));
        }
        if let Kind::Repeat(repeat) = &mut step.kind {
            let (rewritten, before) = walk_repeat(repeat, &want, Place { few, ..place });
            changed |= rewritten;
            want = before;
            continue;
        }
        if let Kind::Move(step_move) = &mut step.kind
            && want.marks()
            && place.mark
            && !step_move.edges
            && !step_move.distinct
            && step_move.fetch.is_empty()
        {
            step_move.distinct = true;
            changed = true;
        }
        let before = want_before(step, &want, place);
        step.kind.for_each_child_mut(&mut |child, role| {
            let (end, place) = match role {
                Role::Test => {
                    (Want::ONE, Place { mark: false, few: true, fuses: true, in_loop: false, ..place })
                }
                Role::First | Role::FirstOfOther => {
                    (Want::ONE, Place { few: true, fuses: true, in_loop: false, ..place })
                }
                Role::Stream => (
                    if matches!(before, Want::Set { .. }) { want.clone() } else { Want::Bag },
                    Place { few, fuses: false, ..place },
                ),
                Role::Each | Role::Local | Role::Optional => {
                    (want.clone(), Place { mark: false, few, fuses: true, in_loop: false, ..place })
                }
                Role::Root | Role::Nothing | Role::Body | Role::Group => {
                    (Want::Bag, Place { few: false, fuses: true, ..place })
                }
            };
            changed |= walk(child, end, place);
        });
        want = before;
    }
    changed | (place.fuses && !place.paths && fuse(chain))
}

fn tells_apart(footprint: Footprint) -> bool {
    TELLS_APART.into_iter().any(|what| footprint.touches(what))
}

/// What a step wants of its input, if that is wanted of its output.
fn want_before(step: &mut Step, after: &Want, place: Place) -> Want {
    let footprint = step.footprint();
    let (mut slots, mark) = match (after, &step.kind) {
        // One is as good as another, whatever is kept with it.
        (_, Kind::Range { low: 0, high: Some(1) }) => return Want::ONE,
        // Which of several equal objects remains is told by its path.
        (Want::Bag, Kind::Dedup { .. } | Kind::Aggregate(_)) if place.paths => return Want::Bag,
        // Otherwise it does not matter, nor what was kept with it.
        (_, Kind::Dedup { .. } | Kind::Aggregate(Aggregation::Min | Aggregation::Max)) => (Vec::new(), true),
        (Want::Set { slots, mark }, kind) if keeps_sets(kind, footprint) => (slots.clone(), *mark),
        _ => return Want::Bag,
    };
    // A subquery that sees how many travel as one makes more of two than of one.
    if tells_apart(footprint) || step.kind.shows_merging() {
        return Want::Bag;
    }
    slots.retain(|slot| !step.slots_filled().any(|filled| filled == *slot));
    step.slots_read(&mut slots);
    Want::Set { slots, mark }
}

/// Whether of equal input objects a step makes equal output objects, so that a set goes on as a set.
fn keeps_sets(kind: &Kind, footprint: Footprint) -> bool {
    match kind {
        // A count inside these is one of the whole stream; inside the others, of one traverser.
        Kind::Union(_) | Kind::Choose(_) => !footprint.touches(Footprint::STREAM),
        Kind::Order { limit, .. } => limit.is_none(),
        Kind::Barrier
        | Kind::Exists(_)
        | Kind::Map(_)
        | Kind::FlatMap(_)
        | Kind::Local(_)
        | Kind::Optional(_)
        | Kind::Coalesce(_)
        | Kind::Take(_)
        | Kind::Keep { .. }
        | Kind::Project(_)
        | Kind::Properties { .. }
        | Kind::Call(_)
        | Kind::Unfold
        | Kind::Identity
        | Kind::Filter(_)
        | Kind::Compare(_)
        | Kind::Load(_)
        | Kind::Move(_)
        | Kind::EdgeVertex(_)
        | Kind::Degree { .. } => true,
        _ => false,
    }
}

/// Rewrites a loop. Tells what it wants of its input.
fn walk_repeat(repeat: &mut Repeat, want: &Want, outer: Place) -> (bool, Want) {
    let all = repeat.body.footprint() | conditions(repeat);
    let place = Place { mark: true, in_loop: true, ..outer };
    if !want.is_set_of_objects() || tells_apart(all) || all.touches(Footprint::STREAM) || reads_slots(repeat)
    {
        return (walk(&mut repeat.body, Want::Bag, place), Want::Bag);
    }
    // Inside another loop, the memory is that of both.
    let forget_earlier = if all.touches(Footprint::LOOPS) || outer.in_loop {
        None
    } else {
        earlier_visits_suffice(repeat, outer.few)
    };
    let mut ends = |kind: Kind| repeat.body.steps.push(Step::new(kind, StepName::Dedup));
    if forget_earlier == Some(true) {
        ends(Kind::Barrier);
    }
    ends(Kind::Dedup { keys: Vec::new(), across_iterations: forget_earlier.is_some() });
    walk(&mut repeat.body, Want::Set { slots: Vec::new(), mark: true }, place);
    (true, want.clone())
}

/// Whether an iteration depends on slots that were filled before it, or its conditions on any.
fn reads_slots(repeat: &mut Repeat) -> bool {
    !repeat.body.slots_needed(&[]).is_empty() || conditions(repeat).touches(Footprint::SLOTS)
}

/// What the loop's conditions look at.
fn conditions(repeat: &Repeat) -> Footprint {
    let controls = [&repeat.head.until, &repeat.head.emit, &repeat.tail.until, &repeat.tail.emit];
    controls.into_iter().fold(Footprint::NONE, |sum, condition| {
        sum | match condition {
            LoopCondition::Test(test) => crate::logical::of_test(test),
            LoopCondition::Exists(exists) => exists.footprint(),
            LoopCondition::Never | LoopCondition::Always | LoopCondition::Times(_) => Footprint::NONE,
        }
    })
}

/// Whether objects that an earlier iteration visited can be left out, and if so whether iterations must be kept apart
/// for that. See the table above.
fn earlier_visits_suffice(repeat: &Repeat, few: bool) -> Option<bool> {
    let untils = [&repeat.head.until, &repeat.tail.until];
    let emits = [&repeat.head.emit, &repeat.tail.emit];
    if !untils.iter().any(|until| matches!(until, LoopCondition::Times(_))) {
        return Some(false);
    }
    // Whoever wants only a few results shall not wait for whole iterations.
    let emits_all = emits.iter().any(|emit| **emit == LoopCondition::Always);
    (emits_all && !few).then_some(true)
}

/// A `dedup` that follows a move, perhaps after filters, is the move's own business.
fn fuse(chain: &mut Chain) -> bool {
    let mut changed = false;
    let mut index = chain.steps.len();
    while index > 1 {
        index -= 1;
        let plain = matches!(&chain.steps[index].kind, Kind::Dedup { keys, across_iterations: false } if keys.is_empty());
        if !plain {
            continue;
        }
        let mut place = index - 1;
        while place > 0 && is_pure_filter(&chain.steps[place]) {
            place -= 1;
        }
        if let Kind::Move(step_move) = &mut chain.steps[place].kind
            && !step_move.edges
            && step_move.fetch.is_empty()
        {
            step_move.distinct = true;
            remove(chain, index);
            changed = true;
        }
    }
    changed
}

fn is_pure_filter(step: &Step) -> bool {
    step.kind.is_filter() && step.footprint().is_pure()
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "distinct";

    #[test]
    fn every_move_before_a_dedup_yields_each_end_once() {
        only(
            RULE,
            "g.V().out('knows').has('age',3).in('knows').dedup()",
            "V().out(knows; distinct).filter(age = 3).in(knows; distinct)",
        );
        only(
            RULE,
            "g.V().out('knows').hasLabel('Person').dedup().count()",
            "V().out(knows; distinct).filter(label in (Person)).count()",
        );
        only(RULE, "g.V().out().out().dedup().by('name')", "V().out(; distinct).out(; distinct).dedup(name)");
    }

    #[test]
    fn a_fixed_number_of_iterations_forgets_duplicates_in_each() {
        only(
            RULE,
            "g.V().repeat(out('knows')).times(5).dedup()",
            "V().repeat {out(knows; distinct)} until 5 times.dedup()",
        );
        only(
            RULE,
            "g.V().repeat(out('knows')).emit(has('age',3)).times(5).dedup()",
            "V().repeat {out(knows; distinct)} until 5 times emit all {filter(age = 3)}.dedup()",
        );
    }

    #[test]
    fn a_loop_that_emits_everything_visits_nothing_twice() {
        only(
            RULE,
            "g.V().repeat(out('knows')).emit().times(5).dedup().count()",
            "V().repeat {out(knows; distinct).barrier().dedup() across iterations} until 5 times emit always.dedup().count()",
        );
    }

    #[test]
    fn a_loop_without_a_bound_visits_nothing_twice() {
        only(
            RULE,
            "g.V().repeat(out('knows')).until(has('age',3)).dedup()",
            "V().repeat {out(knows; distinct).dedup() across iterations} until all {filter(age = 3)}.dedup()",
        );
    }

    #[test]
    fn who_wants_few_results_does_not_wait_for_an_iteration() {
        only(
            RULE,
            "g.V().repeat(out('knows')).emit().times(5).dedup().limit(3)",
            "V().repeat {out(knows; distinct)} until 5 times emit always.dedup().limit(3)",
        );
    }

    #[test]
    fn one_result_is_one_of_a_set() {
        only(
            RULE,
            "g.V().repeat(out('knows')).until(has('age',3)).values('name').limit(1)",
            "V().repeat {out(knows; distinct).dedup() across iterations} until all {filter(age = 3)}.values(name).limit(1)",
        );
        only(
            RULE,
            "g.V().repeat(out('knows')).times(9).out('likes').limit(1).path()",
            "V().repeat {out(knows; distinct).dedup()} until 9 times.out(likes).limit(1).path()",
        );
        only(
            RULE,
            "g.V().map(repeat(out('knows')).until(has('age',3)))",
            "V().map {repeat {out(knows; distinct).dedup() across iterations} until all {filter(age = 3)}}",
        );
        only(
            RULE,
            "g.V().where(repeat(out('knows')).until(has('age',3))).path()",
            "V().where all {repeat {out(knows; distinct).dedup() across iterations} until all {filter(age = 3)}}.path()",
        );
    }

    #[test]
    fn one_result_of_many_is_not_worth_a_memory_but_in_a_loop() {
        unchanged(RULE, "g.V().out().out().limit(1)");
        unchanged(RULE, "g.V().map(out().out())");
    }

    #[test]
    fn several_results_are_not_one_of_a_set() {
        unchanged(RULE, "g.V().repeat(out()).until(has('age',3)).limit(2)");
        unchanged(RULE, "g.V().repeat(out()).until(has('age',3)).range(1,2)");
    }

    #[test]
    fn the_walk_that_dedup_leaves_is_told_by_the_path() {
        unchanged(RULE, "g.V().out().out().dedup().path()");
    }

    #[test]
    fn the_existence_of_a_path_through_a_loop_asks_for_a_set() {
        only(
            RULE,
            "g.V().where(repeat(out('knows')).times(3).has('age',3))",
            "V().where all {repeat {out(knows; distinct)} until 3 times.filter(age = 3)}",
        );
    }

    #[test]
    fn what_an_iteration_keeps_for_itself_does_not_matter_to_the_next() {
        only(
            RULE,
            "g.V().repeat(__.as('from').out('knows').where(gt('from')).by('age')).times(5).dedup()",
            "V().repeat {identity() as from:s0.out(knows).where(age > s1; s1 is s0 by age).dedup()} until 5 times.dedup()",
        );
    }

    #[test]
    fn a_side_effect_that_is_only_looked_at_does_not_matter() {
        only(
            RULE,
            "g.V().aggregate('x').repeat(out('knows')).emit(out('likes').where(within('x'))).times(5).dedup().limit(3)",
            "V().aggregate(it) into side-effect 0.repeat {out(knows; distinct)} until 5 times \
             emit all {out(likes).filter(it within all of (side-effect 0))}.dedup().limit(3)",
        );
    }

    #[test]
    fn what_is_kept_inside_a_loop_and_read_behind_it_tells_apart() {
        unchanged(RULE, "g.V().repeat(out().as('x').out()).times(2).values('age').where(neq('x')).dedup()");
    }

    #[test]
    fn how_often_an_object_is_there_may_matter() {
        unchanged(RULE, "g.V().out().out().count()");
        unchanged(RULE, "g.V().repeat(out()).times(2).groupCount()");
        unchanged(RULE, "g.V().out().limit(3).dedup()");
    }

    #[test]
    fn what_tells_equal_objects_apart_keeps_them() {
        unchanged(RULE, "g.V().repeat(out().simplePath()).times(2).dedup()");
        unchanged(RULE, "g.V().as('a').out().values('age').where(neq('a')).dedup()");
    }
}
