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

mod order;
mod pattern;

use std::collections::HashSet;

use gremlin::{Argument, Instruction, Position, StepName, Traversal};
use values::{Str, Value, watch};

use crate::thresholds::{ANYWHERE_POWER, TEST_PASSES};
use crate::{PlanError, Schema, Statistics, TICKS};
use order::Plan;

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
    Rewrite { schema, statistics }.traversal(&mut traversal, &Names::default())?;
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

/// The names that objects have on the way of traversers.
#[derive(Clone, Debug, Default)]
struct Names {
    /// Of all of them.
    given: HashSet<Str>,
    /// Perhaps of some.
    perhaps: HashSet<Str>,
}

impl Names {
    /// What the children of a step may know: those of a `by` may begin at an object that has no past, and what a loop's body has named
    /// has its name in the next iteration.
    fn inside(&self, step: &Instruction<StepName>) -> Self {
        let mut names = self.clone();
        match step.name {
            StepName::By => names.perhaps.extend(names.given.drain()),
            StepName::Repeat => named_inside(step, &mut names.perhaps),
            _ => {}
        }
        names
    }
}

/// A rewrite of a traversal.
struct Rewrite<'a> {
    schema: &'a dyn Schema,
    statistics: &'a dyn Statistics,
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
        let mut steps = Vec::with_capacity(traversal.steps.len());
        for mut step in std::mem::take(&mut traversal.steps) {
            if step.name == StepName::Match {
                if steps.is_empty() {
                    // A name at the very beginning of a `where` would be one to be looked up, and not what it gives.
                    steps.push(Instruction::new(StepName::Identity, Vec::new(), step.at));
                }
                // What it finds has its name for all that follows.
                let (found, perhaps) = self.step(&step, &names, &mut steps)?;
                names.perhaps.extend(perhaps);
                names.given.extend(found.iter().cloned());
                all_found.extend(found);
                continue;
            }
            if step.name != StepName::By {
                before_reducer = None;
            }
            let inside = before_reducer.as_ref().unwrap_or(&names).inside(&step);
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
            given_inside(&step, &mut names.perhaps);
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
    ) -> Result<(Vec<Str>, Vec<Str>), PlanError> {
        let Names { given, perhaps } = names;
        let patterns = pattern::all(&step.args, step.at)?;
        let (starts, ends) = pattern::variables(&patterns);
        // A traverser that has none of the variables that patterns start with is the one with which they begin.
        let is_entered = starts.iter().any(|start| given.contains(start));
        let first = (!is_entered).then(|| pattern::first_start(&patterns)).flatten();
        let mut plan = Plan::new(self, names, may_be_map(steps, true), step.at);
        if let Some(first) = &first {
            if perhaps.contains(first) {
                steps.push(known_or_current(first, step.at));
            }
            plan.bind(first);
        }
        plan.solve(patterns)?;
        // What only a condition begins with, or a match() inside has found, is no part of what this one finds.
        let is_shown = |name: &Str| starts.contains(name) || ends.contains(name);
        let known = starts.iter().chain(&ends).filter(|name| given.contains(*name)).cloned();
        let mut known: Vec<Str> = known.chain(plan.variables().filter(is_shown)).collect();
        let mut seen = HashSet::new();
        known.retain(|name| seen.insert(name.clone()));
        let names = known.iter().map(|name| Value::String(name.clone()).into()).collect();
        let selects: Vec<_> = known.iter().map(|name| plan.look_up(name)).collect();
        let found = plan.found();
        steps.extend(plan.into_steps());
        steps.push(Instruction::new(StepName::Project, names, step.at));
        for select in selects {
            let by = vec![Argument::Traversal(Traversal::anonymous(select))];
            steps.push(Instruction::new(StepName::By, by, step.at));
        }
        Ok(found)
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

/// Adds the names that a step's children give to some of the traversers that leave it.
fn given_inside(step: &Instruction<StepName>, into: &mut HashSet<Str>) {
    use StepName as S;
    let lets_out = matches!(
        step.name,
        S::Branch
            | S::Choose
            | S::Coalesce
            | S::Emit
            | S::Local
            | S::Option
            | S::Optional
            | S::Repeat
            | S::Union
    );
    for argument in step.args.iter().filter(|_| lets_out) {
        if let Argument::Traversal(child) = argument {
            watch::ticks(TICKS);
            for step in &child.steps {
                if step.name == S::As {
                    into.extend(pattern::names(step));
                }
                given_inside(step, into);
            }
        }
    }
}

/// Adds all names that are given anywhere inside of a step, variables among them.
fn named_inside(step: &Instruction<StepName>, into: &mut HashSet<Str>) {
    for argument in &step.args {
        if let Argument::Traversal(child) = argument {
            watch::ticks(TICKS);
            for step in &child.steps {
                if step.name == StepName::As {
                    into.extend(pattern::names(step));
                }
                named_inside(step, into);
            }
        }
    }
}

/// The step that makes the object of a name the current one, for traversers that have it.
fn known_or_current(name: &Str, at: Option<Position>) -> Instruction<StepName> {
    let identity = Instruction::new(StepName::Identity, Vec::new(), at);
    let child = |steps| Argument::Traversal(Traversal::anonymous(steps));
    Instruction::new(StepName::Coalesce, vec![child(past(name, at)), child(vec![identity])], at)
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
