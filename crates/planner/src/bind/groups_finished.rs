//! When the map of a `group(key)` is finished: when somebody asks for it.
//!
//! What a value traversal has up to its first barrier gathers, key by key, whatever fills the map: runs of a child, turns of a
//! loop, several steps of one name. The rest of the traversal makes a value of what was gathered, and belongs to who asks
//! (TinkerPop's `generateFinalResult`, which `cap()` calls):
//!
//! ```text
//! local {group(into m) {count() ─ math(_ * 2)}} ─ cap(m)
//!    ─►  local {group(into m) {count()}} ─ cap(m) ─ unfold() ─ group() by keys {values ─ math(_ * 2)}
//! ```
//!
//! Counts are added up and lists joined. Of what other barriers see (an order, a `dedup()`, a mean) all is gathered in a list,
//! and the barrier goes with the rest. A map that one step fills, once, is finished by that step: it need not gather so much.

use gremlin::{Column, PredicateOp, StepName};

use values::{Str, Value};

use super::grouping::sees_all;
use crate::logical::{Chain, Choice, Choose, Footprint, Group, Kind, Logical, Modulator, Origin, Role, Step};
use crate::physical::{Aggregation, FetchKind, LocalFn, Operand, Predicate, SideEffectId};

/// See the module. Where nobody asks for a map, what would be made of it is never made: nothing is written, nothing fails.
pub(super) fn finish_where_asked(plan: &mut Logical) {
    if plan.side_effects.is_empty() {
        return;
    }
    if let Some(asked) = plan.side_effects_asked_for() {
        cut_what_nobody_asks_for(plan, &asked);
    }
    for id in (0..plan.side_effects.len()).map(|index| SideEffectId(index as u16)) {
        let Some((name, _)) = plan.side_effects.get_index(id.0.into()) else { continue };
        let name = name.clone();
        let Some(parts) = Fillers::of(id, &name, plan).parts() else { continue };
        plan.root.rewrite(Role::Root, &mut |chain, _| parts.put_into(chain, id, &name));
    }
}

fn cut_what_nobody_asks_for(plan: &mut Logical, asked: &[SideEffectId]) {
    plan.root.rewrite(Role::Root, &mut |chain, _| {
        let mut has_changed = false;
        for step in &mut chain.steps {
            let Kind::Group(group) = &mut step.kind else { continue };
            if group.side_effect.is_some_and(|side_effect| !asked.contains(&side_effect))
                && let Some(barrier) = place_of_barrier(&group.value)
                && barrier + 1 < group.value.steps.len()
            {
                let value = &mut group.value.steps;
                value.truncate(barrier + 1);
                value.push(Step::new(Kind::Aggregate(Aggregation::Count), StepName::Count));
                has_changed = true;
            }
        }
        has_changed
    });
}

/// The steps that fill a side-effect with groups.
#[derive(Default)]
struct Fillers {
    /// The value traversal of the first.
    value: Option<Chain>,
    /// Whether there are several, or one that may run several times.
    several: bool,
    /// Whether others gather something else.
    mixed: bool,
    /// Whether one of them has steps behind its barrier.
    left: bool,
    /// Whether some `select()` looks at it, as far as it is.
    selected: bool,
}

impl Fillers {
    fn of(id: SideEffectId, name: &str, plan: &Logical) -> Self {
        let mut found = Self::default();
        found.look_in(&plan.root, id, name, false);
        found
    }

    fn look_in(&mut self, chain: &Chain, id: SideEffectId, name: &str, repeated: bool) {
        for step in &chain.steps {
            match &step.kind {
                Kind::Group(group) if group.side_effect == Some(id) => {
                    self.several |= repeated || self.value.is_some();
                    let first = self.value.get_or_insert_with(|| group.value.clone());
                    self.left |= place_of_barrier(&group.value)
                        .is_some_and(|barrier| barrier + 1 < group.value.steps.len());
                    self.mixed |= barrier_of(first) != barrier_of(&group.value);
                }
                Kind::GroupCount(group) => self.mixed |= group.side_effect == Some(id),
                Kind::Collect { side_effect, .. } => self.mixed |= *side_effect == id,
                Kind::Select(select) => {
                    self.selected |= select.selections.iter().any(|one| match &one.origin {
                        Origin::SideEffect(selected) => *selected == id,
                        Origin::Named { name: selected, .. } => **selected == *name,
                        Origin::Current | Origin::Slot(_) | Origin::Entry(_) => false,
                    });
                }
                _ => {}
            }
            step.kind.for_each_child(&mut |child, _| self.look_in(child, id, name, true));
        }
    }

    /// What is left to those who ask, of several as the first has it; `None` if the steps finish the map.
    fn parts(&self) -> Option<Parts> {
        let value = self.value.as_ref().filter(|_| !self.mixed)?;
        let parts = Parts::of(value)?;
        let is_shown = self.selected && !parts.lists;
        let is_left = parts.lists || self.left;
        // What is in a list has no past any more.
        let past = Footprint::SLOTS | Footprint::PATH | Footprint::LOOPS;
        let knows_it = parts.lists && parts.rest.footprint().touches(past);
        (is_left && (self.several || is_shown) && !knows_it).then_some(parts)
    }
}

/// A value traversal in two parts: what gathers, up to the barrier, and the rest.
struct Parts {
    /// Whether it gathers into a list, in front of the barrier.
    lists: bool,
    /// What is made of what was gathered.
    rest: Chain,
}

impl Parts {
    fn of(value: &Chain) -> Option<Self> {
        let barrier = place_of_barrier(value)?;
        let combines = matches!(
            value.steps[barrier].kind,
            Kind::Aggregate(
                Aggregation::Count
                    | Aggregation::Sum
                    | Aggregation::Min
                    | Aggregation::Max
                    | Aggregation::Fold
            )
        );
        if combines {
            let rest = Chain { steps: value.steps[barrier + 1..].to_vec() };
            return Some(Self { lists: false, rest });
        }
        let mut rest = Chain::of(Kind::Unfold, value.steps[barrier].name);
        rest.steps.extend_from_slice(&value.steps[barrier..]);
        Some(Self { lists: true, rest })
    }

    /// Leaves a value traversal what gathers.
    fn cut(&self, value: &mut Chain, name: StepName) {
        let Some(barrier) = place_of_barrier(value) else { return };
        if self.lists {
            value.steps.truncate(barrier);
            value.steps.push(Step::new(Kind::Aggregate(Aggregation::Fold), name));
        } else {
            value.steps.truncate(barrier + 1);
        }
    }

    /// Leaves the steps of a chain that fill the side-effect what gathers, and gives those that ask for it the rest. Whether
    /// there are any.
    fn put_into(&self, chain: &mut Chain, id: SideEffectId, called: &Str) -> bool {
        let mut has_changed = false;
        let mut at = 0;
        while at < chain.steps.len() {
            let step = &mut chain.steps[at];
            at += 1;
            let mut finish = match &mut step.kind {
                Kind::Group(group) if group.side_effect == Some(id) => {
                    self.cut(&mut group.value, step.name);
                    has_changed = true;
                    continue;
                }
                Kind::Cap(asked) if !asked.contains(&id) => continue,
                Kind::Cap(asked) if asked.len() == 1 => self.of_map(step.name).steps,
                Kind::Cap(_) => self.finish_one_of_several(called, step.name),
                _ => continue,
            };
            // The map that leaves, finished, is the object that has the names.
            if let Some(last) = finish.last_mut() {
                last.labels = std::mem::take(&mut step.labels);
            }
            chain.steps.splice(at..at, finish);
            has_changed = true;
        }
        has_changed
    }

    /// From a map of what was gathered to a map of what is made of it.
    fn of_map(&self, name: StepName) -> Chain {
        let mut value = Chain::of(column(Column::Values), name);
        value.steps.extend_from_slice(&self.rest.steps);
        each_entry(value, name)
    }

    /// The same for one entry of the map that a `cap()` of several makes.
    fn finish_one_of_several(&self, called: &Str, name: StepName) -> Vec<Step> {
        let other = Chain::of(column(Column::Values), name);
        let mut this = other.clone();
        this.steps.extend(self.of_map(name).steps);
        let is_this = Predicate::Compare(PredicateOp::Eq, Operand::Const(Value::String(called.clone())));
        let choose = Choose {
            choice: Choice::Switch(of_entry(Column::Keys), vec![(is_this, this)]),
            otherwise: Some(other),
            unproductive: None,
        };
        let mut value = Chain::of(Kind::Choose(Box::new(choose)), name);
        value.steps.push(Step::new(Kind::Tail(1), name));
        each_entry(value, name).steps
    }
}

fn place_of_barrier(value: &Chain) -> Option<usize> {
    value.steps.iter().position(|step| sees_all(&step.kind))
}

fn barrier_of(value: &Chain) -> Option<&Kind> {
    place_of_barrier(value).map(|barrier| &value.steps[barrier].kind)
}

/// Makes another value of each entry of a map.
fn each_entry(value: Chain, name: StepName) -> Chain {
    let group = Group { key: of_entry(Column::Keys), value, side_effect: None };
    Chain { steps: vec![Step::new(Kind::Unfold, name), Step::new(Kind::Group(Box::new(group)), name)] }
}

fn column(column: Column) -> Kind {
    Kind::Call(LocalFn::Column(column))
}

fn of_entry(column: Column) -> Modulator {
    Modulator::Fetch(FetchKind::Column(column))
}
