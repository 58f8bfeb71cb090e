//! `match`: patterns between variables, as the steps that find them one after the other.
//!
//! ```text
//! match(as('b').out('created').as('c'),     ─►  as('a') ─ out('knows') ─ as('b')
//!       as('a').out('knows').as('b'))            ─ out('created') ─ as('c') ─ project('a', 'b', 'c')…
//! ```
//!
//! A pattern whose two ends are known is a condition: what goes along edges to a vertex that is known is an expansion from the
//! side that has fewer (`lower/expand_into.rs`), so a triangle is an intersection. Variables are kept under names of their own
//! as well, so that no entry of a map on the way is taken for one.
//!
//! It must never know how a traversal is bound or runs: what it makes of one could have been written by hand.

mod names;
mod order;
mod pattern;

use std::cell::Cell;
use std::collections::HashSet;

use gremlin::{Argument, Instruction, Position, StepName, Traversal};
use indexmap::IndexSet;
use values::{Str, Value, watch};

use crate::error::MODULATES_NOTHING;
use crate::thresholds::{ANYWHERE_POWER, TEST_PASSES};
use crate::{PlanError, Schema, Statistics, TICKS};
use names::{Names, by_sees_the_past};
use order::Plan;
use pattern::Pattern;

/// Most units of variables that some traversers have already and others have not: each doubles the steps.
const MAX_UNSURE: usize = 6;

/// Most patterns of a traversal that are written down once more for what some traversers have already.
const MAX_COPIES: usize = 4_096;

/// The traversal without `match`; `None` if it has none.
///
/// # Errors
/// [`PlanError`] for patterns that cannot be found in any order, or are none.
pub(crate) fn without_match(
    traversal: &Traversal,
    schema: &dyn Schema,
    statistics: &dyn Statistics,
) -> Result<Option<Traversal>, PlanError> {
    if !has_match(traversal) {
        return Ok(None);
    }
    let mut traversal = traversal.clone();
    Rewrite { schema, statistics, copies: Cell::new(0) }.traversal(&mut traversal, &Names::default())?;
    Ok(Some(traversal))
}

fn has_match(traversal: &Traversal) -> bool {
    watch::ticks(TICKS);
    traversal.steps.iter().any(has_match_inside)
}

/// Whether the step is a `match`, or has one inside.
fn has_match_inside(step: &Instruction<StepName>) -> bool {
    let inside = |argument: &Argument| match argument {
        Argument::Traversal(inner) => has_match(inner),
        _ => false,
    };
    step.name == StepName::Match || step.args.iter().any(inside)
}

/// The variables that patterns have found.
#[derive(Debug, Default)]
struct Found {
    /// Of all traversers.
    all: Vec<Str>,
    /// Of some.
    some: Vec<Str>,
}

impl Found {
    /// What is known where it is found so or so: who has not found a variable has had it before.
    fn or(self, other: Self) -> Self {
        let all: IndexSet<Str> = self.all.into_iter().chain(other.all).collect();
        let some: IndexSet<Str> =
            self.some.into_iter().chain(other.some).filter(|name| !all.contains(name)).collect();
        Self { all: all.into_iter().collect(), some: some.into_iter().collect() }
    }
}

/// A rewrite of a traversal.
struct Rewrite<'a> {
    schema: &'a dyn Schema,
    statistics: &'a dyn Statistics,
    /// Patterns written down so far for cases, of `match`es inside others for each of those.
    copies: Cell<usize>,
}

impl Rewrite<'_> {
    /// Rewrites a traversal that is entered with these names. The variables that its own patterns have found.
    fn traversal(&self, traversal: &mut Traversal, names: &Names) -> Result<Vec<Str>, PlanError> {
        watch::ticks(TICKS);
        if !has_match(traversal) {
            return Ok(Vec::new());
        }
        let (mut names, mut all_found) = (names.clone(), Vec::new());
        // What a reducer's by() sees has been somewhere, though what the reducer makes has not.
        let mut before_reducer = None;
        let (mut modulated, mut bys, mut is_of_match) = (None, 0, false);
        let mut steps = Vec::with_capacity(traversal.steps.len());
        for mut step in each_by_once(std::mem::take(&mut traversal.steps)) {
            if step.name == StepName::Match {
                if steps.is_empty() {
                    // A name at the very beginning of a `where` would be one to be looked up, and not what it gives.
                    steps.push(Instruction::new(StepName::Identity, Vec::new(), step.at));
                }
                // What it finds has its name for all that follows.
                let Found { all, some } = self.step(&step, &names, &mut steps)?;
                some.into_iter().for_each(|name| names.add_unit(vec![name]));
                names.given.extend(all.iter().cloned());
                all_found.extend(all);
                is_of_match = true;
                continue;
            }
            let inside = match step.name {
                // What it stands for would take one.
                StepName::By if is_of_match => {
                    return Err(PlanError::invalid(StepName::By, MODULATES_NOTHING, step.at));
                }
                StepName::By => {
                    bys += 1;
                    match &modulated {
                        Some(modulated) if !by_sees_the_past(modulated, bys - 1) => Names::default(),
                        _ => before_reducer.as_ref().unwrap_or(&names).clone(),
                    }
                }
                // What stands between a step and its by() takes nothing from it.
                StepName::As | StepName::From | StepName::To | StepName::With => names.inside(&step),
                _ => {
                    (before_reducer, modulated, bys) = (None, Some(without_children(&step)), 0);
                    is_of_match = false;
                    names.inside(&step)
                }
            };
            for argument in &mut step.args {
                if let Argument::Traversal(inner) = argument {
                    self.traversal(inner, &inside)?;
                }
            }
            if step.name == StepName::As {
                names.given.extend(pattern::names(&step));
            }
            if order::is_reducer(&step) {
                // What it makes has been nowhere.
                before_reducer = Some(std::mem::take(&mut names));
            }
            names.lose(&step);
            names.add_let_out(&step);
            steps.push(step);
        }
        traversal.steps = steps;
        Ok(all_found)
    }

    /// Appends the steps that a `match` stands for. The variables that every traverser has then, and those that some may have.
    fn step(
        &self,
        step: &Instruction<StepName>,
        names: &Names,
        steps: &mut Vec<Instruction<StepName>>,
    ) -> Result<Found, PlanError> {
        let patterns = pattern::all(&step.args, step.at)?;
        let asked = pattern::asked_for(&patterns);
        let unsure = names.unsure(asked.iter());
        if unsure.len() > MAX_UNSURE {
            return Err(PlanError::TooLarge {
                what: "variables of a match() that some traversers have already",
                limit: MAX_UNSURE,
            });
        }
        if !unsure.is_empty() {
            self.copies.set(self.copies.get() + (patterns.len() << unsure.len()));
        }
        if self.copies.get() > MAX_COPIES {
            let what = "patterns of match()es for each of the names that some traversers have already";
            return Err(PlanError::TooLarge { what, limit: MAX_COPIES });
        }
        let may_be_map = may_be_map(steps, true);
        let (found, solved) = self.cases(&patterns, names, &unsure, may_be_map, step.at)?;
        steps.extend(solved);
        Ok(found)
    }

    /// The steps that find patterns, whatever some traversers have already of what is `unsure`.
    fn cases(
        &self,
        patterns: &[Pattern],
        names: &Names,
        unsure: &[Str],
        may_be_map: bool,
        at: Option<Position>,
    ) -> Result<(Found, Vec<Instruction<StepName>>), PlanError> {
        let Some((first, unsure)) = unsure.split_first() else {
            return self.case(patterns, names, may_be_map, at);
        };
        let case = |is_given| self.cases(patterns, &names.settled(first, is_given), unsure, may_be_map, at);
        let child = |steps| Argument::Traversal(Traversal::anonymous(steps));
        let fails = |problem: &PlanError| {
            vec![Instruction::new(StepName::Fail, vec![Value::from(problem.to_string()).into()], at)]
        };
        let (found, with, without) = match (case(true), case(false)) {
            (Ok((found, with)), Ok((others, without))) => (found.or(others), with, without),
            // Perhaps there are none.
            (Ok((found, with)), Err(problem @ PlanError::Invalid { .. })) => (found, with, fails(&problem)),
            (Err(problem @ PlanError::Invalid { .. }), Ok((found, without))) => {
                (found, fails(&problem), without)
            }
            (Err(problem), _) | (_, Err(problem)) => return Err(problem),
        };
        let args = vec![child(past(first, at)), child(with), child(without)];
        Ok((found, vec![Instruction::new(StepName::Choose, args, at)]))
    }

    /// The steps that find patterns for traversers that all have the same names.
    fn case(
        &self,
        patterns: &[Pattern],
        names: &Names,
        may_be_map: bool,
        at: Option<Position>,
    ) -> Result<(Found, Vec<Instruction<StepName>>), PlanError> {
        let given = &names.given;
        let (starts, ends) = pattern::variables(patterns);
        // A traverser that has none of the variables that patterns start with is the one with which they begin.
        let is_entered = starts.iter().any(|start| given.contains(start));
        let mut plan = Plan::new(self, names, may_be_map, at);
        if let Some(first) = (!is_entered).then(|| pattern::first_start(patterns)).flatten() {
            plan.bind(&first);
        }
        plan.solve(patterns.to_vec())?;
        // What only a condition begins with, or a match() inside has found, is no part of what this one finds.
        let is_shown = |name: &Str| starts.contains(name) || ends.contains(name);
        let known = starts.iter().chain(&ends).filter(|name| given.contains(*name)).cloned();
        let mut known: Vec<Str> = known.chain(plan.variables().filter(is_shown)).collect();
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(name.clone()));
        let shown = known.iter().map(|name| Value::String(name.clone()).into()).collect();
        let selects: Vec<_> = known.iter().map(|name| plan.look_up(name)).collect();
        let found = plan.found();
        let mut steps = plan.into_steps();
        steps.push(Instruction::new(StepName::Project, shown, at));
        for select in selects {
            let by = vec![Argument::Traversal(Traversal::anonymous(select))];
            steps.push(Instruction::new(StepName::By, by, at));
        }
        Ok((found, steps))
    }

    /// About how many objects leave steps for each that enters.
    fn growth(&self, steps: &[Instruction<StepName>]) -> f64 {
        let vertices = (self.statistics.vertices(None) as f64).max(1.0);
        steps.iter().fold(1.0, |growth, step| growth * self.growth_of(step, vertices))
    }

    fn growth_of(&self, step: &Instruction<StepName>, vertices: f64) -> f64 {
        use StepName as S;
        let along = |ways: f64| {
            let labels = step.args.iter().filter_map(|label| label.as_value()?.as_str());
            let counts: Vec<u64> = labels
                .map(|label| {
                    self.schema.edge_label(label).map_or(0, |label| self.statistics.edges(Some(label)))
                })
                .collect();
            let edges = if counts.is_empty() { self.statistics.edges(None) } else { counts.iter().sum() };
            ways * edges as f64 / vertices
        };
        match step.name {
            S::Out | S::In | S::OutE | S::InE => along(1.0),
            S::Both | S::BothE => along(2.0),
            S::Has | S::HasLabel | S::Is | S::Where | S::Filter => TEST_PASSES,
            S::HasId => 1.0 / vertices,
            S::Repeat | S::V | S::E => vertices.powf(ANYWHERE_POWER),
            S::Count | S::Sum | S::Min | S::Max | S::Mean | S::Fold | S::Group | S::GroupCount => 1.0,
            _ => 1.0,
        }
    }
}

/// Steps of which no `where(predicate)` has a `by` with a `match` for several objects: that of the traverser itself sees what is behind
/// it, and those of what has names see an object alone.
fn each_by_once(steps: Vec<Instruction<StepName>>) -> Vec<Instruction<StepName>> {
    let mut once = Vec::with_capacity(steps.len());
    let mut steps = steps.into_iter().peekable();
    while let Some(step) = steps.next() {
        let mut names = Vec::new();
        if let (StepName::Where, [predicate @ Argument::Predicate(_)]) = (step.name, &step.args[..]) {
            pattern::names_in(predicate, &mut names);
        }
        let is_where = !names.is_empty();
        once.push(step);
        let mut bys = Vec::new();
        while let Some(by) = steps.next_if(|step| is_where && step.name == StepName::By) {
            bys.push(by);
        }
        let objects =
            if bys.iter().any(has_match_inside) { bys.len().max(1 + names.len()) } else { bys.len() };
        once.extend(bys.iter().cycle().take(objects).cloned());
    }
    once
}

/// The step with those of its arguments that are no traversals.
fn without_children(step: &Instruction<StepName>) -> Instruction<StepName> {
    let args = step.args.iter().filter(|argument| !matches!(argument, Argument::Traversal(_)));
    Instruction::new(step.name, args.cloned().collect(), step.at)
}

/// Whether what leaves steps may be a map; `before`: what enters them.
fn may_be_map(steps: &[Instruction<StepName>], before: bool) -> bool {
    use StepName as S;
    let is_transparent = |step: &&Instruction<StepName>| order::is_filter(step) || step.name == S::As;
    steps.iter().rev().find(|step| !is_transparent(step)).map_or(before, |step| {
        let elements =
            matches!(step.name, S::V | S::E | S::Out | S::In | S::Both | S::OutE | S::InE | S::BothE);
        let ends = matches!(step.name, S::OutV | S::InV | S::BothV | S::OtherV | S::AddV | S::AddE);
        !elements && !ends && !matches!(step.name, S::Values | S::Id | S::Label | S::Count)
    })
}

/// The steps to what has had a name, though the current object may be a map with an entry of that name, which is no variable.
fn past(name: &Str, at: Option<Position>) -> Vec<Instruction<StepName>> {
    let no_map = Instruction::new(StepName::Constant, vec![Value::Int(0).into()], at);
    let select = Instruction::new(StepName::Select, vec![Value::String(name.clone()).into()], at);
    vec![no_map, select]
}

/// The error of patterns that are none, or cannot be found.
fn wrong(problem: impl Into<String>, at: Option<Position>) -> PlanError {
    PlanError::invalid(StepName::Match, problem, at)
}
