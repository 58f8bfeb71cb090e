//! The names that a traversal gives and uses, found before it is bound.
//!
//! `as('a')` keeps an object in a slot for those who later ask for the last object called `a`. Only who asks for the
//! first or for all of several needs the path, and paths are dear: they keep traversers apart that could be merged.

use std::collections::HashMap;

use gremlin::{Argument, Effect, Instruction, Order, Pop, Position, Predicate, StepName, Traversal};
use indexmap::IndexMap;
use indexmap::map::Entry;
use values::{Str, Value, watch};

use super::MAX_STEPS;
use super::shape::Shape;
use crate::PlanError;
use crate::logical::Logical;
use crate::physical::{Expression, History, SideEffect, SideEffectId, Slot};

/// Most names (`as` labels) of one traversal.
const MAX_NAMES: usize = 4096;

/// As much work as a tick of [`watch`] stands for.
const LABELS_PER_TICK: usize = 16;

/// What is known about the names of a traversal.
#[derive(Default)]
pub(super) struct Names {
    labels: IndexMap<Str, LabelName>,
    /// Whether the result of a step is drawn.
    pub draws: bool,
    /// Whether a `sack()` may put something into sacks.
    pub sacks: bool,
    /// Whether there is a `repeat()`.
    pub repeats: bool,
    /// Whether there is a `barrier()`.
    gathers: bool,
    /// Whether there is a `format()`.
    formats: bool,
    /// The first step that writes.
    pub first_write: Option<(StepName, Option<Position>)>,
    /// Where the object is kept that was current before an edge, if some `otherV` asks for it.
    pub before_edge: Option<Slot>,
    /// Where a traverser has no past (the object that a `by` of `select` starts at), names given before it are out of sight.
    given_since: Option<Since>,
    /// Where sacks are, once somebody has asked; of a traverser with a past.
    sack: Option<Slot>,
    /// Names of loops whose counter is asked for.
    pub counters: Vec<Str>,
    steps: usize,
}

/// What is known about an `as` label.
#[derive(Default)]
struct LabelName {
    /// How many `as` give it.
    given: u32,
    /// Whether one of them is inside a loop.
    in_loop: bool,
    /// Whether anyone asks for an object of that name.
    read: bool,
    /// Whether anyone asks for other than the last one.
    history: bool,
    slot: Option<Slot>,
    /// What is known about the objects that have been given the name so far.
    shape: Shape,
    /// Whether any has.
    bound: bool,
    /// Whether every traverser that gets where binding is has one.
    certain: bool,
}

/// Which names can be seen somewhere.
pub(super) struct InSight {
    /// Those that every traverser has.
    certain: Vec<bool>,
    /// As [`Names`] has it.
    given_since: Option<Since>,
}

/// What a traverser has that began without a past.
#[derive(Clone)]
struct Since {
    /// The names that are given since, with slots of their own, for what was called so before is still in the other.
    given: HashMap<Str, Option<Slot>>,
    /// Where its sack is, once somebody has asked.
    sack: Option<Slot>,
    /// How many such are in one another.
    depth: usize,
}

/// Where a traversal stands, while names are looked for.
#[derive(Clone, Copy)]
struct Place {
    in_loop: bool,
    depth: usize,
    /// Whether `as` at either end of it asks for a name instead of giving it: it is a `where`'s.
    pattern: bool,
}

impl Names {
    /// Finds the names of a traversal. Declares its side-effects, and says whether it writes and needs paths. With `all`, names that
    /// nobody asks for keep traversers apart at barriers, too.
    pub fn of(traversal: &Traversal, plan: &mut Logical, all: bool) -> Result<Self, PlanError> {
        let mut names = Self::default();
        names.scan(traversal, Place { in_loop: false, depth: 0, pattern: false }, plan)?;
        for label in names.labels.values_mut() {
            let several = label.given > 1 || label.in_loop;
            if label.history && several || all && names.gathers && label.given > 0 {
                plan.history.keep(History::Named);
            }
            if label.read && label.given > 0 {
                label.slot = Some(plan.new_slot());
            }
        }
        if names.formats {
            plan.history.keep(History::Named);
        }
        plan.writes = names.first_write.is_some();
        Ok(names)
    }

    /// The slot of an `as` label, and what is known about its objects.
    pub fn slot(&self, name: &str) -> Option<(Slot, &Shape)> {
        let label = self.labels.get(name)?;
        let slot = match &self.given_since {
            Some(since) => *since.given.get(name)?,
            None => label.slot,
        };
        slot.map(|slot| (slot, &label.shape))
    }

    /// Whether an `as` gives any name at all.
    pub fn gives_any(&self) -> bool {
        self.labels.values().any(|label| label.given > 0)
    }

    /// Whether an `as` gives that name.
    pub fn is_given(&self, name: &str) -> bool {
        self.labels.get(name).is_some_and(|label| label.given > 0 && self.is_in_sight(name))
    }

    fn is_in_sight(&self, name: &str) -> bool {
        self.given_since.as_ref().is_none_or(|since| since.given.contains_key(name))
    }

    /// Where the sack is of a traverser that gets where binding is, if somebody has asked.
    pub fn sack(&mut self) -> &mut Option<Slot> {
        match &mut self.given_since {
            Some(since) => &mut since.sack,
            None => &mut self.sack,
        }
    }

    /// The names that are in sight, for [`Names::back_in_sight`].
    pub fn in_sight(&self) -> InSight {
        InSight { certain: self.certain(), given_since: self.given_since.clone() }
    }

    /// Puts all names out of sight. Returns those that were in sight.
    pub fn out_of_sight(&mut self) -> InSight {
        let before = self.in_sight();
        let depth = before.given_since.as_ref().map_or(1, |around| around.depth + 1);
        self.given_since = Some(Since { given: HashMap::new(), sack: None, depth });
        self.forget();
        before
    }

    /// Ends what [`Names::out_of_sight`] began, or a child of which nothing is seen after it.
    pub fn back_in_sight(&mut self, before: InSight) {
        let inside = std::mem::replace(&mut self.given_since, before.given_since);
        if let (Some(inside), Some(outside)) = (inside, &mut self.given_since)
            && inside.depth == outside.depth
        {
            outside.sack = inside.sack;
        }
        let was_certain = before.certain.into_iter().chain(std::iter::repeat(false));
        self.labels.values_mut().zip(was_certain).for_each(|(label, certain)| label.certain = certain);
    }

    /// Whether several objects can have that name.
    pub fn has_history(&self, name: &str) -> bool {
        self.labels.get(name).is_some_and(|label| label.given > 1 || label.in_loop)
    }

    /// Whether every traverser has an object of that name by now.
    pub fn is_certain(&self, name: &str) -> bool {
        self.labels.get(name).is_some_and(|label| label.certain)
    }

    /// New traversers come up, which have no names.
    pub fn forget(&mut self) {
        self.labels.values_mut().for_each(|label| label.certain = false);
    }

    /// The names that every traverser has by now, for [`Names::end_child`].
    pub fn certain(&self) -> Vec<bool> {
        watch::ticks(self.labels.len() / LABELS_PER_TICK);
        self.labels.values().map(|label| label.certain).collect()
    }

    /// Ends a child traversal, which not all traversers may have gone through: certain stays what was so before it.
    pub fn end_child(&mut self, before: &[bool]) {
        self.labels.values_mut().zip(before).for_each(|(label, before)| label.certain &= before);
    }

    /// Notes what is known about the objects that get a name, and says where they are to be kept.
    pub fn define(&mut self, name: &str, shape: &Shape, plan: &mut Logical) -> Option<Slot> {
        let (_, name, label) = self.labels.get_full_mut(name)?;
        // What was current before it is so no more when it is asked for.
        let shape = &Shape { from: None, ..shape.clone() };
        label.shape = match label.bound {
            false => shape.clone(),
            true => std::mem::take(&mut label.shape).or(shape.clone()),
        };
        label.bound = true;
        label.certain = true;
        match &mut self.given_since {
            Some(since) => {
                *since.given.entry(name.clone()).or_insert_with(|| label.slot.map(|_| plan.new_slot()))
            }
            None => label.slot,
        }
    }

    fn label(&mut self, name: &Str) -> Result<&mut LabelName, PlanError> {
        let known = self.labels.len();
        match self.labels.entry(name.clone()) {
            Entry::Vacant(_) if known >= MAX_NAMES => {
                Err(PlanError::TooLarge { what: "names", limit: MAX_NAMES })
            }
            entry => Ok(entry.or_default()),
        }
    }

    fn read(&mut self, name: &Str, pop: Pop) -> Result<(), PlanError> {
        let label = self.label(name)?;
        label.read = true;
        label.history |= pop != Pop::Last;
        Ok(())
    }

    fn scan(&mut self, traversal: &Traversal, place: Place, plan: &mut Logical) -> Result<(), PlanError> {
        if place.depth >= super::MAX_DEPTH {
            return Err(PlanError::TooLarge {
                what: "traversals inside one another",
                limit: super::MAX_DEPTH,
            });
        }
        self.steps += traversal.steps.len();
        if self.steps > MAX_STEPS {
            return Err(PlanError::TooLarge { what: "steps", limit: MAX_STEPS });
        }
        let last = traversal.steps.len().saturating_sub(1);
        for (index, step) in traversal.steps.iter().enumerate() {
            let at_end = index == 0
                || index == last
                || is_infix(&traversal.steps[index - 1])
                || is_infix(&traversal.steps[index + 1]);
            self.scan_step(step, place, place.pattern && at_end, plan)?;
            // `profile(key)` may be followed by the `cap(key)` that shows what it is about.
            let shown =
                !step.args.is_empty() && index + 1 == last && traversal.steps[last].name == StepName::Cap;
            if step.name == StepName::Profile && (index < last && !shown || place.depth > 0) {
                let problem = "When specified, the profile()-Step must be the last step";
                return Err(PlanError::invalid(step.name, problem, step.at));
            }
            let inner = Place {
                in_loop: place.in_loop || step.name == StepName::Repeat,
                depth: place.depth + 1,
                pattern: step.name == StepName::Where
                    || place.pattern && (is_connective(step.name) || step.name == StepName::Not),
            };
            for arg in &step.args {
                match arg {
                    Argument::Traversal(child) => {
                        if finds_operands(step.name) {
                            only_looks(child, step)?;
                        }
                        self.scan(child, inner, plan)?;
                    }
                    Argument::Predicate(predicate) => self.scan_predicate(step, predicate, inner, plan)?,
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// The traversals that compute operands of a predicate. They only look.
    fn scan_predicate(
        &mut self,
        step: &Instruction<StepName>,
        predicate: &Predicate,
        place: Place,
        plan: &mut Logical,
    ) -> Result<(), PlanError> {
        for operand in predicate.operands() {
            let Argument::Traversal(child) = operand else { continue };
            only_looks(child, step)?;
            self.scan(child, Place { pattern: false, ..place }, plan)?;
        }
        predicate.inner().iter().try_for_each(|inner| self.scan_predicate(step, inner, place, plan))
    }

    /// `at_end`: an `as` here asks for a name.
    fn scan_step(
        &mut self,
        step: &Instruction<StepName>,
        place: Place,
        at_end: bool,
        plan: &mut Logical,
    ) -> Result<(), PlanError> {
        use StepName as S;
        match step.name {
            S::As => {
                for name in strings(&step.args) {
                    if at_end {
                        self.read(name, Pop::Last)?;
                    } else {
                        let label = self.label(name)?;
                        label.given += 1;
                        label.in_loop |= place.in_loop;
                    }
                }
            }
            S::Select => {
                let pop = match step.args.first() {
                    Some(Argument::Pop(pop)) => *pop,
                    _ => Pop::Last,
                };
                for name in strings(&step.args) {
                    self.read(name, pop)?;
                }
                // The engine looks up in the path what its traversal finds.
                if step.args.iter().any(|arg| matches!(arg, Argument::Traversal(_))) {
                    plan.history.keep(History::Whole);
                }
            }
            S::Dedup | S::From | S::To => {
                for name in strings(&step.args) {
                    self.read(name, Pop::Last)?;
                }
            }
            S::Where => {
                for name in strings(&step.args) {
                    self.read(name, Pop::Last)?;
                }
                for arg in &step.args {
                    if let Argument::Predicate(predicate) = arg {
                        self.read_predicate(predicate)?;
                    }
                }
            }
            S::Math => {
                for expression in strings(&step.args) {
                    // What is wrong with one is said when it is bound.
                    let Ok(expression) = Expression::parse(&expression.into()) else { continue };
                    for variable in expression.variables() {
                        self.read(variable, Pop::Last)?;
                    }
                }
            }
            S::Aggregate | S::Store | S::Group | S::GroupCount | S::Subgraph | S::Tree => {
                if step.name == S::Tree {
                    plan.history.keep(History::Whole);
                }
                for name in strings(&step.args) {
                    declare(name, plan)?;
                }
            }
            // The engine looks its variables up in the path.
            S::Format => self.formats = true,
            S::Barrier => self.gathers = true,
            S::Sack => self.sacks = true,
            S::Repeat => self.repeats = true,
            S::Loops => self.counters.extend(strings(&step.args).cloned()),
            S::OtherV => {
                self.before_edge.get_or_insert_with(|| plan.new_slot());
            }
            S::Coin | S::Sample => self.draws = true,
            S::By if step.args.iter().any(|arg| *arg == Argument::Order(Order::Shuffle)) => {
                self.draws = true;
            }
            S::Path | S::SimplePath | S::CyclicPath => plan.history.keep(History::Whole),
            _ => {}
        }
        if step.name.effect() == Effect::Graph {
            self.first_write.get_or_insert((step.name, step.at));
        }
        Ok(())
    }

    /// The operands of a `where`'s predicate are names.
    fn read_predicate(&mut self, predicate: &Predicate) -> Result<(), PlanError> {
        match predicate {
            Predicate::Compare(_, operand) | Predicate::Text(_, operand) => self.read_argument(operand),
            Predicate::TypeOf(_) => Ok(()),
            Predicate::Within(operands) | Predicate::Without(operands) => {
                operands.iter().try_for_each(|operand| self.read_argument(operand))
            }
            Predicate::Inside(low, high) | Predicate::Outside(low, high) | Predicate::Between(low, high) => {
                self.read_argument(low)?;
                self.read_argument(high)
            }
            Predicate::And(parts) | Predicate::Or(parts) => {
                parts.iter().try_for_each(|part| self.read_predicate(part))
            }
            Predicate::Not(inner) => self.read_predicate(inner),
        }
    }

    fn read_argument(&mut self, argument: &Argument) -> Result<(), PlanError> {
        match argument.as_value() {
            Some(Value::String(name)) => self.read(name, Pop::Last),
            Some(Value::List(names)) => names.iter().try_for_each(|name| match name {
                Value::String(name) => self.read(name, Pop::Last),
                _ => Ok(()),
            }),
            _ => Ok(()),
        }
    }
}

/// Whether what a step is told in a traversal is what it looks for.
fn finds_operands(name: StepName) -> bool {
    use StepName as S;
    matches!(name, S::V | S::E | S::Is | S::HasId | S::HasKey | S::HasLabel | S::HasValue)
}

/// Refuses a traversal that writes, where one only computes what a step looks for.
fn only_looks(child: &Traversal, step: &Instruction<StepName>) -> Result<(), PlanError> {
    if child.is_read_only() {
        return Ok(());
    }
    // As TinkerPop 4.0 has it.
    let problem =
        "Child traversal contains a mutating step. Mutating steps are not allowed in child traversals.";
    Err(PlanError::invalid(step.name, problem, step.at))
}

/// The strings among the arguments.
fn strings(args: &[Argument]) -> impl Iterator<Item = &Str> {
    args.iter().filter_map(|arg| match arg.as_value() {
        Some(Value::String(name)) => Some(name),
        _ => None,
    })
}

fn is_connective(name: StepName) -> bool {
    matches!(name, StepName::And | StepName::Or)
}

/// Whether a step stands between two operands.
fn is_infix(step: &Instruction<StepName>) -> bool {
    is_connective(step.name) && step.args.is_empty()
}

/// The number of a side-effect, which it gets when it is first named.
pub(super) fn declare(name: &Str, plan: &mut Logical) -> Result<SideEffectId, PlanError> {
    if let Some(id) = side_effect(name, plan) {
        return Ok(id);
    }
    if plan.side_effects.len() >= MAX_NAMES {
        return Err(PlanError::TooLarge { what: "side-effects", limit: MAX_NAMES });
    }
    let (index, _) = plan
        .side_effects
        .insert_full(name.clone(), SideEffect { name: name.clone(), initial: None, reducer: None });
    Ok(SideEffectId(index as u16))
}

/// The number of a side-effect that is there.
pub(super) fn side_effect(name: &str, plan: &Logical) -> Option<SideEffectId> {
    plan.side_effects.get_index_of(name).map(|index| SideEffectId(index as u16))
}
