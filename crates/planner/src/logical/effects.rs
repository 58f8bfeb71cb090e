//! What steps do that other steps of the same traversal may see: writes to the graph, and side-effects that are filled on the
//! way.
//!
//! TinkerPop pulls traversers through one by one, so a step sees what the traversers before this one have done, and nothing of
//! what those behind it will do. Batches would show it more. Where that can be seen, traversers pass one by one:
//!
//! ```text
//! local {groupCount(into a).select(a)}     ─►  OneByOne ─ local {groupCount(into a).select(a)}
//! coalesce {V().has(k, 1), addV()}         ─►  OneByOne ─ coalesce {V().has(k, 1), addV()}
//! V().property(k, 1).count()               ─►  as it is: nobody looks
//! ```
//!
//! Whoever asks for a side-effect at the end sees how far a stream has come that ended early:
//!
//! ```text
//! V().local(aggregate(into a)).limit(2).cap(a)   ─►  V() ─ OneByOne ─ local(aggregate(into a)) ─ limit(2): two are there
//! ```

use gremlin::StepName;

use super::gathers::waits_for_all;
use super::parts::{Parts, own_reads, reads_inside};
use super::{Chain, Footprint, Kind, Logical, Origin, Role, Step};
use crate::physical::{Child, SideEffectId};

/// Whether an instance of the subquery must end with its first result, since more of it would do more.
pub(crate) fn must_end_early(chain: &Chain) -> bool {
    chain.footprint().touches(Footprint::FILLS | Footprint::WRITES)
}

/// Which effects of a traversal some step of it may see.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Side-effects that are filled traverser by traverser.
    pub side_effects: bool,
    /// Writes.
    pub writes: bool,
}

impl Logical {
    /// Which of its effects the traversal may see itself.
    pub(crate) fn seen(&self) -> Seen {
        Seen {
            side_effects: reads_side_effects(&self.root, Role::Root),
            writes: self.writes && sees_writes(&self.root, &mut false),
        }
    }

    /// The side-effects that a `cap` or a `select` asks for; `None` if something looks at them in another way, and it may be at any.
    pub(crate) fn side_effects_asked_for(&self) -> Option<Vec<SideEffectId>> {
        let mut asked = Vec::new();
        self.add_asked(&self.root, &mut asked).then_some(asked)
    }
}

impl Logical {
    /// Adds the side-effects that a chain asks for by name; whether there is no other look at any.
    fn add_asked(&self, chain: &Chain, asked: &mut Vec<SideEffectId>) -> bool {
        chain.steps.iter().all(|step| {
            match &step.kind {
                Kind::Cap(side_effects) => asked.extend(side_effects),
                Kind::Select(select) => {
                    asked.extend(select.selections.iter().filter_map(|selected| match &selected.origin {
                        Origin::SideEffect(side_effect) => Some(*side_effect),
                        Origin::Named { name, .. } => {
                            self.side_effects.get_index_of(name).map(|index| SideEffectId(index as u16))
                        }
                        Origin::Current | Origin::Slot(_) | Origin::Entry(_) => None,
                    }));
                }
                kind if kind.own_footprint().touches(Footprint::SIDE_EFFECT) => return false,
                _ => {}
            }
            let mut no_other = true;
            step.kind.for_each_child(&mut |chain, _| no_other &= self.add_asked(chain, asked));
            no_other
        })
    }
}

impl Step {
    /// Whether traversers must pass it one by one. `ends_early`: whether the chain that it is in ends with its first result,
    /// so that what it does is seen to have been done, or not.
    pub(crate) fn wants_one_by_one(&self, seen: Seen, ends_early: bool) -> bool {
        let (writes, fills) = (seen.writes || ends_early, seen.side_effects || ends_early);
        writes && self.footprint().touches(Footprint::WRITES) || fills && fills_lazily(self)
    }

    /// Whether it fills a side-effect while the stream passes. What gathers a group takes all of the stream first, as in TinkerPop.
    pub(crate) fn fills_on_the_way(&self) -> bool {
        let gathers =
            matches!(self.kind, Kind::Collect { eager: true, .. } | Kind::Group(_) | Kind::GroupCount(_));
        !gathers && self.footprint().touches(Footprint::FILLS)
    }
}

/// Of each step of a chain, whether the stream may end behind it before all of it has come. `at_end`: whether it may behind the chain.
pub(crate) fn each_is_limited(steps: &[Step], at_end: bool) -> Vec<bool> {
    let mut limited = at_end;
    let behind = |step: &Step| {
        let behind = limited;
        limited = match &step.kind {
            Kind::Range { high: Some(_), .. } => true,
            kind => limited && !waits_for_all(kind),
        };
        behind
    };
    let mut each: Vec<bool> = steps.iter().rev().map(behind).collect();
    each.reverse();
    each
}

/// What lies ahead of the traversers in front of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ahead {
    /// Whether a step behind it fills a side-effect before all of the stream has come there.
    pub fills: bool,
    /// Whether the step looks at a side-effect that such a step fills: it sees what the traversers before this one have left
    /// there, so they must have come as far as that.
    pub looked_at: bool,
}

/// What lies ahead of each step of a chain. `fills_behind`: whether such a step comes behind the chain. One of the steps that
/// look is enough between two that take all of the stream first.
pub(crate) fn each_looks_ahead(steps: &[Step], fills_behind: bool) -> Vec<Ahead> {
    let mut fills = fills_behind;
    let ahead_of = |step: &Step| {
        let ahead = Ahead { fills, looked_at: false };
        fills = fills_lazily(step) || fills && !waits_for_all(&step.kind);
        ahead
    };
    let mut each: Vec<Ahead> = steps.iter().rev().map(ahead_of).collect();
    each.reverse();
    let mut go_one_by_one = false;
    for (step, ahead) in steps.iter().zip(&mut each) {
        go_one_by_one &= !waits_for_all(&step.kind);
        ahead.looked_at = !go_one_by_one && ahead.fills && looks_at_side_effects(step, Role::Root);
        go_one_by_one |= ahead.looked_at;
    }
    each
}

/// Whether a step begins when all of its stream has come: so does a loop in TinkerPop, or a branch, of which something inside
/// gathers.
pub(crate) fn begins_as_a_whole(step: &Step) -> bool {
    let branches = matches!(&step.kind, Kind::Repeat(_) | Kind::Choose(_) | Kind::Union(_));
    let mut gathers = false;
    if branches {
        step.kind.for_each_child(&mut |chain, role| {
            gathers |= matches!(role, Role::Stream | Role::Body) && chain.steps.iter().any(has_barrier);
        });
    }
    gathers
}

/// Whether the step, or one inside it, is a barrier in TinkerPop.
fn has_barrier(step: &Step) -> bool {
    let gathers = matches!(
        step.kind,
        Kind::Dedup { .. }
            | Kind::Order { .. }
            | Kind::Range { .. }
            | Kind::Tail(_)
            | Kind::Group(_)
            | Kind::GroupCount(_)
            | Kind::Barrier
            | Kind::Algorithm(_)
            | Kind::MergeSacks(_)
            | Kind::Collect { .. }
            | Kind::Sample(..)
            | Kind::Cap(_)
    );
    let mut inside = gathers || reduces(step);
    step.kind.for_each_child(&mut |chain, _| inside |= chain.steps.iter().any(has_barrier));
    inside
}

/// Whether the step reduces what comes, as it was written: a `path().by(…)` does so inside, and is no barrier.
fn reduces(step: &Step) -> bool {
    matches!(step.kind, Kind::Aggregate(_))
        && matches!(
            step.name,
            StepName::Count
                | StepName::Sum
                | StepName::Min
                | StepName::Max
                | StepName::Mean
                | StepName::Fold
                | StepName::Tree
        )
}

/// Whether a side-effect grows with each traverser, not with the stream as a whole.
fn fills_lazily(step: &Step) -> bool {
    if let Kind::Collect { eager: false, .. } = step.kind {
        return true;
    }
    let gathers = match &step.kind {
        Kind::Group(group) => group.side_effect.is_some(),
        Kind::GroupCount(group) => group.side_effect.is_some(),
        _ => false,
    };
    if gathers {
        // They are filled by the batch, unless what fills them looks itself at what is there.
        let mut looks = false;
        step.kind.for_each_child(&mut |chain, role| looks |= reads_side_effects(chain, role));
        if looks {
            return true;
        }
    }
    let mut lazily = false;
    step.kind.for_each_child(&mut |chain, role| {
        lazily |= match role.child() {
            Child::Stream => chain.steps.iter().any(fills_lazily),
            _ => chain.footprint().touches(Footprint::FILLS),
        }
    });
    lazily
}

/// Whether some step looks at a side-effect. A `cap` of the whole traversal does so when all is done.
fn reads_side_effects(chain: &Chain, role: Role) -> bool {
    chain.steps.iter().any(|step| looks_at_side_effects(step, role))
}

/// Whether a step does, in a chain that has that role.
fn looks_at_side_effects(step: &Step, role: Role) -> bool {
    if let Kind::Cap(_) = step.kind {
        return role != Role::Root;
    }
    if step.kind.own_footprint().touches(Footprint::SIDE_EFFECT) {
        return true;
    }
    let mut reads = false;
    step.kind.for_each_child(&mut |chain, role| reads |= reads_side_effects(chain, role));
    reads
}

/// Whether something reads the graph behind a write, or for the next traverser of a step that writes. `written`: whether there
/// has been a write before.
fn sees_writes(chain: &Chain, written: &mut bool) -> bool {
    chain.steps.iter().any(|step| {
        let mut sees = *written && own_reads(&step.kind) != Parts::NONE;
        step.kind.for_each_child(&mut |chain, _| sees |= sees_writes(chain, written));
        if !step.footprint().touches(Footprint::WRITES) {
            return sees;
        }
        *written = true;
        sees || reads_inside(&step.kind) != Parts::NONE
    })
}
