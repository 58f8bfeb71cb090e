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

use std::collections::HashMap;

use gremlin::{Column, PredicateOp, StepName};
use indexmap::IndexMap;

use values::{Str, Value, watch};

use super::MAX_STEPS;
use super::grouping::sees_all;
use crate::PlanError;
use crate::logical::{Chain, Choice, Choose, Footprint, Group, Kind, Logical, Modulator, Origin, Role, Step};
use crate::physical::{Aggregation, FetchKind, LocalFn, Operand, Predicate, SideEffect, SideEffectId};

/// See the module. Where nobody asks for a map, what would be made of it is never made: nothing is written, nothing fails.
///
/// # Errors
/// If what is made of the maps is asked for so often that the plan would have too many steps.
pub(super) fn finish_where_asked(plan: &mut Logical) -> Result<(), PlanError> {
    if plan.side_effects.is_empty() {
        return Ok(());
    }
    if let Some(asked) = plan.side_effects_asked_for() {
        cut_what_nobody_asks_for(plan, &asked);
    }
    let mut found = Found { names: &plan.side_effects, fillers: HashMap::new() };
    found.look_in(&plan.root, false);
    let asks: HashMap<SideEffectId, usize> =
        found.fillers.iter().map(|(id, fillers)| (*id, fillers.asks)).collect();
    let parts: AllParts =
        found.fillers.into_iter().filter_map(|(id, fillers)| Some((id, fillers.parts()?))).collect();
    if parts.is_empty() {
        return Ok(());
    }
    refuse_too_many(&asks, &parts)?;
    // What is left may fill others, and ask for them.
    let mut whole = parts.clone();
    for Parts { rest, .. } in whole.values_mut() {
        rest.rewrite(Role::Root, &mut |chain, _| put_into(chain, &parts, &plan.side_effects));
    }
    refuse_too_many(&asks, &whole)?;
    plan.root.rewrite(Role::Root, &mut |chain, _| put_into(chain, &whole, &plan.side_effects));
    Ok(())
}

/// Each `cap()` has what is left of a side-effect for itself.
fn refuse_too_many(asks: &HashMap<SideEffectId, usize>, parts: &AllParts) -> Result<(), PlanError> {
    let each = parts.iter().map(|(id, parts)| asks.get(id).map_or(0, |asks| asks * size(&parts.rest)));
    if each.sum::<usize>() > MAX_STEPS {
        return Err(PlanError::TooLarge { what: "steps", limit: MAX_STEPS });
    }
    Ok(())
}

/// Number of steps, those of subqueries included.
fn size(chain: &Chain) -> usize {
    let mut steps = chain.steps.len();
    for step in &chain.steps {
        watch::tick();
        step.kind.for_each_child(&mut |child, _| steps += size(child));
    }
    steps
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

/// Side-effects by their names.
type Names = IndexMap<Str, SideEffect>;

/// What is left to those who ask, of each side-effect of which something is.
type AllParts = HashMap<SideEffectId, Parts>;

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
    /// How many `cap()` ask for it.
    asks: usize,
}

/// Who fills which side-effect: found in one walk, for a traversal may have thousands of them.
struct Found<'a> {
    names: &'a Names,
    fillers: HashMap<SideEffectId, Fillers>,
}

impl Found<'_> {
    fn look_in(&mut self, chain: &Chain, repeated: bool) {
        for step in &chain.steps {
            watch::tick();
            match &step.kind {
                Kind::Group(group) => {
                    if let Some(id) = group.side_effect {
                        self.fillers.entry(id).or_default().note(&group.value, repeated);
                    }
                }
                Kind::GroupCount(group) => {
                    if let Some(id) = group.side_effect {
                        self.fillers.entry(id).or_default().mixed = true;
                    }
                }
                Kind::Collect { side_effect, .. } => {
                    self.fillers.entry(*side_effect).or_default().mixed = true;
                }
                Kind::Cap(asked) => {
                    asked.iter().for_each(|id| self.fillers.entry(*id).or_default().asks += 1);
                }
                Kind::Select(select) => {
                    for selected in &select.selections {
                        if let Some(id) = self.selected(&selected.origin) {
                            self.fillers.entry(id).or_default().selected = true;
                        }
                    }
                }
                _ => {}
            }
            step.kind.for_each_child(&mut |child, _| self.look_in(child, true));
        }
    }

    fn selected(&self, origin: &Origin) -> Option<SideEffectId> {
        match origin {
            Origin::SideEffect(id) => Some(*id),
            Origin::Named { name, .. } => {
                self.names.get_index_of(name).map(|index| SideEffectId(index as u16))
            }
            Origin::Current | Origin::Slot(_) | Origin::Entry(_) => None,
        }
    }
}

impl Fillers {
    fn note(&mut self, value: &Chain, repeated: bool) {
        self.several |= repeated || self.value.is_some();
        let barrier = place_of_barrier(value);
        self.left |= barrier.is_some_and(|barrier| barrier + 1 < value.steps.len());
        match &self.value {
            Some(first) => self.mixed |= barrier_of(first) != barrier_of(value),
            None => self.value = Some(value.clone()),
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
#[derive(Clone)]
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

    /// From a map of what was gathered to a map of what is made of it.
    fn of_map(&self, name: StepName) -> Chain {
        let mut value = Chain::of(column(Column::Values), name);
        value.steps.extend_from_slice(&self.rest.steps);
        each_entry(value, name)
    }
}

/// From the map that a `cap()` of several makes to one with the maps finished of which something is left.
fn finish_several<'a>(left: impl Iterator<Item = (&'a Str, &'a Parts)>, name: StepName) -> Vec<Step> {
    let other = Chain::of(column(Column::Values), name);
    let finished = |(called, parts): (&Str, &Parts)| {
        let mut this = other.clone();
        this.steps.extend(parts.of_map(name).steps);
        (Predicate::Compare(PredicateOp::Eq, Operand::Const(Value::String(called.clone()))), this)
    };
    let options: Vec<(Predicate, Chain)> = left.map(finished).collect();
    if options.is_empty() {
        return Vec::new();
    }
    let choose = Choose {
        choice: Choice::Switch(of_entry(Column::Keys), options),
        otherwise: Some(other),
        unproductive: None,
    };
    let mut value = Chain::of(Kind::Choose(Box::new(choose)), name);
    value.steps.push(Step::new(Kind::Tail(1), name));
    each_entry(value, name).steps
}

/// Leaves the steps of a chain that fill side-effects what gathers, and gives those that ask for them the rest. Whether there
/// are any.
fn put_into(chain: &mut Chain, parts: &AllParts, names: &Names) -> bool {
    let mut has_changed = false;
    let mut at = 0;
    while at < chain.steps.len() {
        let step = &mut chain.steps[at];
        at += 1;
        let name = step.name;
        let mut finish = Vec::new();
        match &mut step.kind {
            Kind::Group(group) => {
                if let Some(parts) = group.side_effect.and_then(|id| parts.get(&id)) {
                    parts.cut(&mut group.value, name);
                    has_changed = true;
                }
            }
            Kind::Cap(asked) => match asked[..] {
                [id] => {
                    finish.extend(parts.get(&id).map(|parts| parts.of_map(name).steps).unwrap_or_default())
                }
                _ => {
                    let left =
                        asked.iter().filter_map(|id| Some((names.get_index(id.0.into())?.0, parts.get(id)?)));
                    finish.extend(finish_several(left, name));
                }
            },
            _ => {}
        }
        // The map that leaves, finished, is the object that has the names.
        if let Some(last) = finish.last_mut() {
            last.labels = std::mem::take(&mut step.labels);
            has_changed = true;
        }
        chain.steps.splice(at..at, finish);
    }
    has_changed
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
