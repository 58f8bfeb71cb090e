//! Traversers that have come to the same object by different ways travel on as one.
//!
//! ```text
//! before   V().out(knows).out(knows).out(knows).values(name).groupCount(it)
//! after    V().out(knows).barrier().out(knows).barrier().out(knows).values(name).groupCount(it)
//!
//! before   repeat {both(knows)} until 5 times  count()
//! after    repeat {both(knows).barrier()} until 5 times  count()
//! ```
//!
//! A barrier holds the stream back until it is complete, so it is put only where the whole stream is needed anyway
//! (a count, a grouping, a sum follows), and where nothing tells the traversers apart (no path, no kept object), nor that they
//! are merged (`optional {limit(1)}`, which has a limit for all that enter as one).
//!
//! Where the stream is sorted or gathered, and goes on, loops alone have one: of what two or three moves come to there are seldom so
//! many equals that it pays to look for them, while a loop makes more with every iteration.

use gremlin::StepName;

use super::hold_repeats::is_ordered_behind;
use super::{Context, each_chain};
use crate::logical::{Access, Chain, Footprint, Kind, Logical, Lookup, Role, Step, wants_few};

pub(super) fn apply(plan: &mut Logical, context: &Context<'_>) -> bool {
    if context.paths {
        return false;
    }
    each_chain(plan, |chain, role| {
        let is_whole = !matches!(role, Role::Test | Role::Nothing | Role::Stream | Role::Body);
        is_whole && insert(chain)
    })
}

/// Inserts barriers into a chain whose input is one traverser or few.
fn insert(chain: &mut Chain) -> bool {
    let (end, in_loops_alone) = match (collapse(chain), gathers(chain)) {
        (Some(end), _) => (end, false),
        (None, Some(end)) => (end, true),
        (None, None) => return false,
    };
    let mut changed = false;
    let mut moves = 0;
    let mut steps = Vec::with_capacity(chain.steps.len());
    let mut rest = std::mem::take(&mut chain.steps).into_iter();
    for mut step in rest.by_ref().take(end) {
        let shows_merging = step.kind.shows_merging();
        match &mut step.kind {
            Kind::Graph(Access { lookup, .. }) => {
                moves = usize::from(!matches!(lookup, Lookup::Ids(_) | Lookup::Index { .. }))
            }
            // What is distinct has nothing to merge.
            Kind::Move(step_move) if step_move.distinct => moves = 0,
            Kind::Move(step_move) if !step_move.edges => {
                if moves >= 2 && !in_loops_alone && step.labels.is_empty() {
                    steps.push(barrier());
                    changed = true;
                }
                moves += 1;
            }
            Kind::Repeat(repeat) => {
                let touched = repeat.body.footprint();
                let apart = Footprint::SLOTS
                    | Footprint::PATH
                    | Footprint::NAMES
                    | Footprint::FILLS
                    | Footprint::STREAM;
                if !touched.touches(apart) && !shows_merging && fans_out(&repeat.body) {
                    repeat.body.steps.push(barrier());
                    changed = true;
                }
                moves = 0;
            }
            Kind::Dedup { .. } | Kind::Barrier => moves = 0,
            _ => {}
        }
        steps.push(step);
    }
    steps.extend(rest);
    chain.steps = steps;
    changed
}

fn barrier() -> Step {
    Step::new(Kind::Barrier, StepName::Barrier)
}

/// Whether a loop's body may make several traversers of one.
pub(super) fn fans_out(body: &Chain) -> bool {
    body.steps.iter().any(|step| {
        let mut fans = match &step.kind {
            Kind::Move(step_move) => !step_move.distinct,
            Kind::Graph(_) | Kind::Unfold => true,
            _ => false,
        };
        step.kind.for_each_child(&mut |child, role| {
            let passes =
                matches!(role, Role::Each | Role::Local | Role::Optional | Role::Stream | Role::Body);
            fans |= passes && fans_out(child);
        });
        fans
    })
}

/// Up to where traversers may be merged: where the stream becomes one object or a few, since the whole of it is needed up to
/// there, or where before that a first object is kept. `None` if it never becomes so, or if something on the way is content
/// with a part, or sees how many travel as one.
fn collapse(chain: &Chain) -> Option<usize> {
    let place = chain.steps.iter().position(|step| match &step.kind {
        Kind::Aggregate(what) => !what.in_order(),
        Kind::GroupCount(_) | Kind::Group(_) => true,
        Kind::Dedup { .. } => true,
        _ => false,
    })?;
    // A side-effect takes traversers in and lets them go on as they are: merged.
    if passes_on(&chain.steps[place].kind)
        && chain.steps[place..].iter().any(|step| step.kind.shows_merging())
    {
        return None;
    }
    let dedup_for_few =
        matches!(chain.steps[place].kind, Kind::Dedup { .. }) && wants_few(&chain.steps[place + 1..], false);
    if dedup_for_few { None } else { merged_up_to(chain, place) }
}

/// The same where the stream is sorted or gathered, and goes on as it is: nobody behind may see that equals have become one, nor in what
/// order they came.
fn gathers(chain: &Chain) -> Option<usize> {
    let place = chain.steps.iter().position(|step| {
        matches!(
            step.kind,
            Kind::Order { .. } | Kind::Tail(_) | Kind::Barrier | Kind::Collect { eager: true, .. }
        )
    })?;
    let (way, behind) = chain.steps.split_at(place);
    let is_ordered = way.iter().fold(false, |before, step| is_ordered_behind(&step.kind, before));
    let effects = Footprint::FILLS | Footprint::WRITES;
    let sees = |step: &Step| step.kind.shows_merging() || step.footprint().touches(effects);
    let is_seen = behind[0].kind.shows_merging() || behind[1..].iter().any(sees);
    if is_ordered || is_seen { None } else { merged_up_to(chain, place) }
}

/// Up to where traversers may be merged that come to a place together.
fn merged_up_to(chain: &Chain, place: usize) -> Option<usize> {
    let way = &chain.steps[..place];
    let effects = Footprint::FILLS | Footprint::WRITES;
    let alike = way.iter().all(|step| !step.footprint().touches(effects))
        && chain.steps[..=place].iter().all(|step| !step.kind.shows_merging());
    let apart = Footprint::SLOTS | Footprint::PATH | Footprint::NAMES;
    // What a step names are its results.
    let first_apart = way.iter().enumerate().find_map(|(index, step)| {
        let inside = step.kind.footprint().touches(apart);
        (inside || !step.labels.is_empty()).then_some(index + usize::from(!inside))
    });
    (alike && !wants_few(way, false)).then_some(first_apart.unwrap_or(place))
}

/// Whether the step gathers its traversers and lets them go on.
fn passes_on(kind: &Kind) -> bool {
    match kind {
        Kind::Group(group) => group.side_effect.is_some(),
        Kind::GroupCount(group) => group.side_effect.is_some(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, these, unchanged};

    const RULE: &str = "bulking";

    #[test]
    fn equal_traversers_are_merged_before_each_further_move() {
        only(
            RULE,
            "g.V().out('knows').out('knows').values('name').groupCount()",
            "V().out(knows).barrier().out(knows).values(name).groupCount(it)",
        );
        only(
            RULE,
            "g.V(1).out().out().out().values('age').sum()",
            "V(1).out().out().barrier().out().values(age).sum()",
        );
    }

    #[test]
    fn and_at_the_end_of_each_iteration() {
        only(
            RULE,
            "g.V().repeat(both('knows')).times(5).count()",
            "V().repeat {both(knows).barrier()} until 5 times.count()",
        );
    }

    #[test]
    fn loops_have_one_too_where_what_leaves_them_is_sorted_or_gathered() {
        let barrier = "V().repeat {both(knows).barrier()} until 5 times";
        for (then, planned) in [
            ("order().by('name').limit(2)", "order(name asc).limit(2)"),
            ("tail(2)", "tail(2)"),
            ("barrier().limit(2)", "barrier().limit(2)"),
            ("values('age').order().limit(2)", "values(age).order().limit(2)"),
        ] {
            let expected = format!("{barrier}.{planned}");
            only(RULE, &format!("g.V().repeat(both('knows')).times(5).{then}"), &expected);
        }
        unchanged(RULE, "g.V(1,2).repeat(both('knows')).times(5).order().by('name').limit(2)");
        unchanged(RULE, "g.V().out().out().out().order().by('name').limit(2)");
        unchanged(RULE, "g.V().repeat(both('knows')).times(5).limit(9).order().by('name')");
        unchanged(RULE, "g.V().repeat(both('knows')).times(5).order().by('name').property('a',1)");
    }

    #[test]
    fn also_where_a_branch_of_the_body_or_a_loop_in_it_makes_several_of_one() {
        only(
            RULE,
            "g.V().repeat(union(out('knows'),out('likes'))).times(5).count()",
            "V().repeat {union {out(knows) | out(likes)}.barrier()} until 5 times.count()",
        );
        only(
            RULE,
            "g.V().repeat(repeat(out()).times(3)).times(5).count()",
            "V().repeat {repeat {out()} until 3 times.barrier()} until 5 times.count()",
        );
        unchanged(RULE, "g.V().repeat(optional(has('age',3))).times(5).count()");
    }

    #[test]
    fn what_counts_by_degree_needs_no_merging() {
        these(
            &["degree", RULE],
            "g.V(1).out().out().out().out().count()",
            "V(1).out().out().barrier().out().bulkByDegree(out ).count()",
        );
    }

    #[test]
    fn a_stream_that_is_not_needed_whole_flows() {
        unchanged(RULE, "g.V().out().out().out()");
        unchanged(RULE, "g.V().out().out().limit(5).count()");
        unchanged(RULE, "g.V().repeat(out()).times(3).limit(5)");
    }

    #[test]
    fn nor_are_those_of_which_a_subquery_could_tell_how_many_enter_as_one() {
        unchanged(RULE, "g.V().out().out().out().optional(out().limit(1)).count()");
        unchanged(RULE, "g.V().out().out().out().where(coin(0.5)).count()");
        only(
            RULE,
            "g.V().out().out().local(out().limit(1)).count()",
            "V().out().barrier().out().local {out().limit(1)}.count()",
        );
    }

    #[test]
    fn a_side_effect_lets_merged_traversers_go_on() {
        unchanged(RULE, "g.V().out().out().groupCount('k').groupCount().by(addV('Person'))");
        only(
            RULE,
            "g.V().out().out().groupCount('k').cap('k')",
            "V().out().barrier().out().groupCount(it) into side-effect 0.cap(side-effect 0)",
        );
    }

    #[test]
    fn traversers_that_differ_are_not_merged() {
        unchanged(RULE, "g.V().as('a').out().out().groupCount().by(select('a'))");
        only(
            RULE,
            "g.V().repeat(out()).times(5).as('a').out().as('b').select('a','b').count()",
            "V().repeat as a:s0 {out().barrier()} until 5 times.out() as b:s1.select(a: s0, b: s1).count()",
        );
        unchanged(RULE, "g.V().repeat(out().simplePath()).times(3).count()");
    }
}
