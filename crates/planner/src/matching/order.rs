//! In which order patterns are found: conditions first, then what makes fewest of each.

use std::collections::HashSet;

use gremlin::{Argument, Instruction, Position, Predicate, PredicateOp, StepName, Traversal};
use indexmap::IndexSet;
use values::{Str, Value, watch};

use super::names::Names;
use super::pattern::Pattern;
use super::pattern::variables;
use super::{Found, Rewrite, has_match_inside, may_be_map, past, wrong};
use crate::thresholds::{MATCH_CLOSES, MATCH_FILTERS, MATCH_FINDS, MATCH_WAITS};
use crate::{HIDDEN, PlanError, TICKS};

/// Patterns that have been put in order, as steps.
#[derive(Clone)]
pub(super) struct Plan<'a> {
    rewrite: &'a Rewrite<'a>,
    /// The names that were given before.
    given: &'a HashSet<Str>,
    /// The variables that every traverser has by now.
    bound: IndexSet<Str>,
    /// Those that some may have.
    perhaps: IndexSet<Str>,
    /// The variable that the current object is, if it is one.
    current: Option<Str>,
    /// Whether the current object may be a map, with entries that have names.
    may_be_map: bool,
    steps: Vec<Instruction<StepName>>,
    at: Option<Position>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        rewrite: &'a Rewrite<'a>,
        names: &'a Names,
        may_be_map: bool,
        at: Option<Position>,
    ) -> Self {
        let (bound, perhaps, steps) = (IndexSet::new(), IndexSet::new(), Vec::new());
        Self { rewrite, given: &names.given, bound, perhaps, current: None, may_be_map, steps, at }
    }

    /// The variables that have been found.
    pub(super) fn variables(&self) -> impl Iterator<Item = Str> + '_ {
        self.bound.iter().chain(&self.perhaps).cloned()
    }

    /// The same: those that every traverser has, and those that some may have.
    pub(super) fn found(&self) -> Found {
        let names = |names: &IndexSet<Str>| names.iter().cloned().collect();
        Found { all: names(&self.bound), some: names(&self.perhaps) }
    }

    pub(super) fn into_steps(self) -> Vec<Instruction<StepName>> {
        self.steps
    }

    /// The names that traversers have by now.
    fn names(&self) -> Names {
        let mut names = Names::of(self.given.iter().chain(&self.bound).cloned().collect());
        self.perhaps.iter().for_each(|name| names.add_unit(vec![name.clone()]));
        names
    }

    /// The current object is a variable from now on.
    pub(super) fn bind(&mut self, name: &Str) {
        let hidden = Str::from(format!("{HIDDEN}{name}"));
        self.push(StepName::As, [name.clone(), hidden].map(|name| Value::String(name).into()).into());
        self.bound.insert(name.clone());
        self.current = Some(name.clone());
    }

    /// The steps that find a variable, where only their result is of use.
    pub(super) fn look_up(&self, name: &Str) -> Vec<Instruction<StepName>> {
        match self.was_given(name) && self.may_be_map {
            true => past(name, self.at),
            false => {
                let kept = Value::String(self.kept(name));
                vec![Instruction::new(StepName::Select, vec![kept.into()], self.at)]
            }
        }
    }

    /// The step that makes a variable the current object.
    fn select(&self, name: &Str) -> Instruction<StepName> {
        let mut steps = self.look_up(name);
        match steps.len() {
            1 => steps.remove(0),
            _ => {
                let child = Argument::Traversal(Traversal::anonymous(steps));
                Instruction::new(StepName::Map, vec![child], self.at)
            }
        }
    }

    /// Whether a variable has been given in front of the patterns, and not found by them.
    fn was_given(&self, name: &Str) -> bool {
        self.given.contains(name) && !self.bound.contains(name)
    }

    /// Under which name a variable is kept.
    fn kept(&self, name: &Str) -> Str {
        if self.was_given(name) { name.clone() } else { Str::from(format!("{HIDDEN}{name}")) }
    }

    fn is_known(&self, name: &Str) -> bool {
        self.bound.contains(name) || self.given.contains(name)
    }

    fn push(&mut self, name: StepName, args: Vec<Argument>) {
        self.steps.push(Instruction::new(name, args, self.at));
    }

    /// Appends the steps that find all patterns.
    pub(super) fn solve(&mut self, patterns: Vec<Pattern>) -> Result<(), PlanError> {
        let ends: HashSet<Str> = variables(&patterns).1.into_iter().collect();
        let mut patterns: Vec<Left> =
            patterns.into_iter().map(|pattern| Left::of(pattern, self.rewrite)).collect();
        while !patterns.is_empty() {
            watch::ticks(TICKS);
            let costs = patterns.iter().map(|left| self.cost(left, &ends));
            let cheapest = costs.enumerate().filter_map(|(at, cost)| Some((at, cost?)));
            let next = cheapest.min_by(|(_, one), (_, other)| one.total_cmp(other)).map(|(at, _)| at);
            match next {
                Some(next) => self.find(patterns.remove(next).pattern)?,
                None => {
                    return Err(wrong(
                        "The provided match pattern is unsolvable: no pattern that is left starts at a variable that is known",
                        self.at,
                    ));
                }
            }
        }
        Ok(())
    }

    /// What it costs to find a pattern now; `None` if it cannot be found yet. `ends`: what all of them end with.
    fn cost(&self, left: &Left, ends: &HashSet<Str>) -> Option<f64> {
        let growth = left.growth;
        match &left.pattern {
            // One that begins with a single variable is looked for at it, as a path is.
            Pattern::Check { starts, .. }
                if starts.len() == 1 && starts.iter().any(|start| !self.is_known(start)) =>
            {
                None
            }
            Pattern::Check { reads, .. } => {
                reads.iter().all(|name| self.is_known(name) || !ends.contains(name)).then_some(0.0)
            }
            Pattern::Path { start, reads, .. }
                if !self.is_known(start)
                    || reads.iter().any(|name| !self.is_known(name) && ends.contains(name)) =>
            {
                None
            }
            Pattern::Path { after, .. }
                if after.iter().any(|name| !self.is_known(name) && ends.contains(name)) =>
            {
                Some(MATCH_WAITS)
            }
            Pattern::Path { inner, end, .. } => Some(match end {
                None if inner.iter().all(is_filter) => MATCH_FILTERS,
                Some(end) if self.is_known(end) => MATCH_CLOSES + growth / (1.0 + growth),
                _ => MATCH_FINDS + growth,
            }),
            // When nothing else is left, since it may find variables or not.
            Pattern::Or(branches) => branches.iter().all(|branch| self.can_begin(branch)).then_some(f64::MAX),
        }
    }

    /// Whether the variables are known that patterns start with and that none of them finds.
    fn can_begin(&self, patterns: &[Pattern]) -> bool {
        let (starts, ends) = variables(patterns);
        let ends: HashSet<Str> = ends.into_iter().collect();
        let mut needed = starts.iter().filter(|start| !ends.contains(*start)).peekable();
        match needed.peek() {
            Some(_) => needed.all(|start| self.is_known(start)),
            None => starts.is_empty() || starts.iter().any(|start| self.is_known(start)),
        }
    }

    fn find(&mut self, pattern: Pattern) -> Result<(), PlanError> {
        match pattern {
            Pattern::Check { step, starts, .. } => {
                self.check(step, !starts.is_empty());
                Ok(())
            }
            Pattern::Path { start, inner, end, .. } => self.follow(&start, inner, end),
            Pattern::Or(branches) => self.any_of(branches),
        }
    }

    /// Appends a condition. If it begins with variables, it is none of what the current object may have in it.
    fn check(&mut self, step: Instruction<StepName>, begins_with_variables: bool) {
        if !(begins_with_variables && self.may_be_map) {
            return self.steps.push(step);
        }
        let no_map = Instruction::new(StepName::Constant, vec![Value::Int(0).into()], self.at);
        let child = Traversal::anonymous(vec![no_map, step]);
        self.push(StepName::Filter, vec![Argument::Traversal(child)]);
    }

    fn follow(
        &mut self,
        start: &Str,
        mut inner: Vec<Instruction<StepName>>,
        end: Option<Str>,
    ) -> Result<(), PlanError> {
        if self.current.as_ref() != Some(start) {
            self.steps.push(self.select(start));
        }
        let mut found = Vec::new();
        if inner.iter().any(has_match_inside) {
            // Patterns inside patterns know what is known here.
            let mut traversal = Traversal::anonymous(std::mem::take(&mut inner));
            found = self.rewrite.traversal(&mut traversal, &self.names())?;
            inner = traversal.steps;
        }
        let only_filters = inner.iter().all(is_filter);
        let is_reduced = inner.iter().any(is_barrier) || inner.iter().any(|step| lets_out(step, is_reducer));
        let end_may_be_named_inside =
            !is_reduced && end.as_ref().is_some_and(|end| may_be_named_in(&inner, end));
        // What a variable is that the pattern starts with is not looked into.
        self.may_be_map = may_be_map(&inner, true);
        match is_reduced {
            // It is one of what each traverser finds, and what has been found before stays known.
            true => self.push(StepName::FlatMap, vec![Argument::Traversal(Traversal::anonymous(inner))]),
            false => {
                self.steps.extend(inner);
                // What is found inside is known from there on.
                self.bound.extend(found);
            }
        }
        self.current = only_filters.then(|| start.clone());
        let Some(end) = end else { return Ok(()) };
        if self.perhaps.contains(&end) {
            let what = "step `match` with a variable that only some branches of or() find, and another pattern looks for";
            return Err(PlanError::form(what, self.at));
        }
        if self.is_known(&end) {
            let same = Box::new(Value::String(self.kept(&end)).into());
            let same = Argument::Predicate(Predicate::Compare(PredicateOp::Eq, same));
            self.push(StepName::Where, vec![same]);
        } else {
            if end_may_be_named_inside {
                self.steps.push(same_if_known(&end, self.at));
            }
            self.bind(&end);
        }
        self.current = Some(end);
        Ok(())
    }

    /// What any of the branches finds leaves.
    fn any_of(&mut self, branches: Vec<Vec<Pattern>>) -> Result<(), PlanError> {
        let mut found: Vec<Vec<Str>> = Vec::with_capacity(branches.len());
        let mut children = Vec::with_capacity(branches.len());
        for branch in branches {
            let mut plan = Self { steps: Vec::new(), ..self.clone() };
            plan.solve(branch)?;
            let mut new: Vec<Str> = plan.variables().collect();
            new.retain(|name| !self.is_known(name) && !self.perhaps.contains(name));
            found.push(new);
            children.push(Argument::Traversal(Traversal::anonymous(plan.into_steps())));
        }
        let mut all: Vec<Str> = found.iter().flatten().cloned().collect();
        all.sort();
        all.dedup();
        let (certain, perhaps): (Vec<Str>, Vec<Str>) =
            all.into_iter().partition(|name| found.iter().all(|branch| branch.contains(name)));
        self.bound.extend(certain);
        self.perhaps.extend(perhaps);
        self.push(StepName::Union, children);
        (self.current, self.may_be_map) = (None, true);
        Ok(())
    }
}

/// Whether steps may let out traversers that have a name from a branch.
fn may_be_named_in(steps: &[Instruction<StepName>], name: &Str) -> bool {
    let mut names = Names::default();
    steps.iter().for_each(|step| names.add_let_out(step));
    !names.unsure(std::iter::once(name)).is_empty()
}

/// The condition that the current object is what has a name, for traversers that have something of it.
fn same_if_known(name: &Str, at: Option<Position>) -> Instruction<StepName> {
    let child = |steps| Argument::Traversal(Traversal::anonymous(steps));
    let is_unknown = Instruction::new(StepName::Not, vec![child(past(name, at))], at);
    let name = Value::String(name.clone());
    let same = Argument::Predicate(Predicate::Compare(PredicateOp::Eq, Box::new(name.into())));
    let is_same = Instruction::new(StepName::Where, vec![same], at);
    Instruction::new(StepName::Or, vec![child(vec![is_unknown]), child(vec![is_same])], at)
}

/// A pattern that is left to be found.
struct Left {
    pattern: Pattern,
    /// About how many objects it finds for each that it starts at.
    growth: f64,
}

impl Left {
    fn of(pattern: Pattern, rewrite: &Rewrite<'_>) -> Self {
        let growth = match &pattern {
            Pattern::Path { inner, .. } => rewrite.growth(inner),
            _ => 1.0,
        };
        Self { pattern, growth }
    }
}

/// Whether the step lets traversers pass or not, and leaves them where they are.
pub(super) fn is_filter(step: &Instruction<StepName>) -> bool {
    use StepName as S;
    let filters = matches!(
        step.name,
        S::Has
            | S::HasId
            | S::HasLabel
            | S::HasNot
            | S::HasKey
            | S::HasValue
            | S::Is
            | S::Where
            | S::Not
            | S::Filter
            // Of one of these: nothing else with such a modulator is among them.
            | S::By
    );
    filters || matches!(step.name, S::And | S::Or | S::SimplePath | S::CyclicPath) && !step.args.is_empty()
}

/// Whether the step is a barrier to TinkerPop: then it sees what one traverser brings.
fn is_barrier(step: &Instruction<StepName>) -> bool {
    use StepName as S;
    match step.name {
        S::Order | S::Dedup | S::Limit | S::Range | S::Skip | S::Tail | S::Sample | S::Aggregate => {
            !is_local(step)
        }
        _ => is_reducer(step),
    }
}

/// Whether what leaves the step has no past.
pub(super) fn is_reducer(step: &Instruction<StepName>) -> bool {
    use StepName as S;
    let has_name = step.args.first().and_then(Argument::as_value).is_some_and(|name| name.as_str().is_some());
    match step.name {
        S::Count | S::Sum | S::Min | S::Max | S::Mean | S::Fold | S::Cap | S::Tree => !is_local(step),
        S::Group | S::GroupCount => !has_name,
        _ => false,
    }
}

fn is_local(step: &Instruction<StepName>) -> bool {
    matches!(step.args.first(), Some(Argument::Scope(gremlin::Scope::Local)))
}

/// Whether a child lets out what one of its steps has made that is such a one: traversers as they leave it go on.
pub(super) fn lets_out(step: &Instruction<StepName>, is_such: fn(&Instruction<StepName>) -> bool) -> bool {
    use StepName as S;
    watch::ticks(TICKS);
    let goes_on = matches!(
        step.name,
        S::Local | S::Union | S::Choose | S::Option | S::Optional | S::Branch | S::Repeat
    );
    let has_such = |argument: &Argument| match argument {
        Argument::Traversal(child) => child.steps.iter().any(|step| is_such(step) || lets_out(step, is_such)),
        _ => false,
    };
    goes_on && step.args.iter().any(has_such)
}
