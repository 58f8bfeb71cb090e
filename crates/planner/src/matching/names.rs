//! The names that objects have on the way of a traverser.
//!
//! What a pattern means depends on whether its variables have been given before. Of some names that is known when the query is planned;
//! others only some traversers have, such as those of an `optional`, or those that a loop's body gives for the next iteration. These are
//! held in units: of one, a traverser has all names or none.

use std::collections::HashSet;

use gremlin::{Argument, Instruction, Scope, StepName};
use values::{Str, watch};

use super::{order, pattern};
use crate::TICKS;
use crate::physical::Expression;

/// The names that objects have on the way of traversers.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Of all of them.
    pub(super) given: HashSet<Str>,
    /// Of some of them, in units.
    perhaps: Vec<Vec<Str>>,
}

impl Names {
    /// Names that all of them have.
    pub(super) fn of(given: HashSet<Str>) -> Self {
        Self { given, perhaps: Vec::new() }
    }

    /// The first name of each unit that only some traversers have and that has one of these names in it.
    pub(super) fn unsure<'n>(&self, names: impl Iterator<Item = &'n Str> + Clone) -> Vec<Str> {
        let left = self.perhaps.iter().filter_map(|unit| {
            let mut left = unit.iter().filter(|name| !self.given.contains(*name)).peekable();
            let first = left.peek().copied().cloned();
            first.filter(|_| left.any(|name| names.clone().any(|other| other == name)))
        });
        left.collect()
    }

    /// The names of traversers that have all of the unit with this name, or none of it.
    pub(super) fn settled(&self, of: &Str, is_given: bool) -> Self {
        let mut names = self.clone();
        let (settled, perhaps) = names.perhaps.into_iter().partition(|unit: &Vec<_>| unit.contains(of));
        names.perhaps = perhaps;
        if is_given {
            names.given.extend(settled.into_iter().flatten());
        }
        names
    }

    /// Names that come to some traversers, all of them or none.
    pub(super) fn add_unit(&mut self, unit: Vec<Str>) {
        if unit.is_empty() || self.perhaps.contains(&unit) {
            return;
        }
        let overlaps = |known: &Vec<Str>| known.iter().any(|name| unit.contains(name));
        let (torn, whole): (Vec<_>, Vec<_>) =
            std::mem::take(&mut self.perhaps).into_iter().partition(overlaps);
        self.perhaps = whole;
        if torn.is_empty() {
            return self.perhaps.push(unit);
        }
        // They come in several ways, and so each for itself.
        let mut seen = HashSet::new();
        let alone = torn.into_iter().flatten().chain(unit).filter(|name| seen.insert(name.clone()));
        self.perhaps.extend(alone.map(|name| vec![name]));
    }

    /// What the children of a step may know. What a loop's body has named has its name in the next iteration.
    pub(super) fn inside(&self, step: &Instruction<StepName>) -> Self {
        let mut names = self.clone();
        if step.name == StepName::Repeat {
            names.lose_inside(step);
            names.add_inside(step, |_| true);
        }
        names
    }

    /// What leaves a step may have been nowhere before: what `inject()` gives, and what a reducer inside of a `local()` makes.
    pub(super) fn lose(&mut self, step: &Instruction<StepName>) {
        match step.name {
            StepName::Inject => self.lose_all(),
            _ => self.lose_inside(step),
        }
    }

    fn lose_inside(&mut self, step: &Instruction<StepName>) {
        if order::lets_out(step, makes_anew) {
            self.lose_all();
        }
    }

    /// Some traversers have none of the names any more.
    fn lose_all(&mut self) {
        let mut given: Vec<_> = self.given.drain().collect();
        given.sort_unstable();
        self.add_unit(given);
    }

    /// Adds the names that what leaves a step may have from the step's children.
    pub(super) fn add_let_out(&mut self, step: &Instruction<StepName>) {
        self.add_inside(step, lets_names_out);
    }

    /// Adds the names, variables among them, that are given inside of a step, as deep as steps are `entered`.
    fn add_inside(&mut self, step: &Instruction<StepName>, entered: fn(StepName) -> bool) {
        for argument in step.args.iter().filter(|_| entered(step.name)) {
            if let Argument::Traversal(child) = argument {
                watch::ticks(TICKS);
                child.steps.iter().for_each(|step| self.add_step(step, entered));
            }
        }
    }

    fn add_step(&mut self, step: &Instruction<StepName>, entered: fn(StepName) -> bool) {
        match step.name {
            StepName::As => self.add_unit(pattern::names(step).collect()),
            StepName::Match if entered(StepName::Match) => {
                // A match() that is not understood is refused where it is rewritten.
                let patterns = pattern::all(&step.args, step.at).unwrap_or_default();
                self.add_unit(pattern::always_found(&patterns));
                let (starts, ends) = pattern::variables(&patterns);
                starts.iter().chain(&ends).for_each(|name| self.add_if_new(name));
                self.add_inside_patterns(step, entered);
            }
            _ => self.add_inside(step, entered),
        }
    }

    /// The same of the steps of patterns, whose variables are known.
    fn add_inside_patterns(&mut self, step: &Instruction<StepName>, entered: fn(StepName) -> bool) {
        let mut inside = Self::default();
        inside.add_inside(step, entered);
        inside.perhaps.into_iter().flatten().for_each(|name| self.add_if_new(&name));
    }

    fn add_if_new(&mut self, name: &Str) {
        if !self.perhaps.iter().flatten().any(|known| known == name) {
            self.perhaps.push(vec![name.clone()]);
        }
    }
}

/// Whether what leaves a step may have names that its children have given.
fn lets_names_out(step: StepName) -> bool {
    use StepName as S;
    matches!(
        step,
        S::Branch
            | S::Choose
            | S::Coalesce
            | S::Emit
            | S::Local
            | S::Option
            | S::Optional
            | S::Repeat
            | S::Union
    )
}

/// Whether what the step makes has been nowhere.
fn makes_anew(step: &Instruction<StepName>) -> bool {
    step.name == StepName::Inject || order::is_reducer(step)
}

/// Whether the `by` of that number sees what a step's traverser has behind it, and not an object alone.
pub(super) fn by_sees_the_past(step: &Instruction<StepName>, number: usize) -> bool {
    use StepName as S;
    let is_local = matches!(step.args.first(), Some(Argument::Scope(Scope::Local)));
    match step.name {
        S::Select | S::Path | S::Tree | S::SimplePath | S::CyclicPath => false,
        // Without a name in front, the first is of the traverser itself.
        S::Where => number == 0 && matches!(step.args[..], [Argument::Predicate(_)]),
        S::ValueMap | S::PropertyMap | S::ElementMap => false,
        S::PageRank | S::PeerPressure | S::ConnectedComponent | S::ShortestPath => false,
        S::Order => !is_local,
        // With names it is of the objects that have them.
        S::Dedup => step.args.is_empty(),
        S::Math => {
            let text = step.args.first().and_then(|text| text.as_value()?.as_str());
            let expression = text.and_then(|text| Expression::parse(&Str::from(text)).ok());
            expression.is_some_and(|parsed| parsed.variables().get(number).is_some_and(|name| name == "_"))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unit(names: &[&str]) -> Vec<Str> {
        names.iter().map(|name| Str::from(*name)).collect()
    }

    fn unsure(names: &Names, of: &[&str]) -> Vec<Str> {
        names.unsure(unit(of).iter())
    }

    #[test]
    fn names_that_come_together_are_asked_for_once() {
        let mut names = Names::default();
        names.add_unit(unit(&["a", "b"]));
        names.add_unit(unit(&["a", "b"]));
        assert_eq!(unsure(&names, &["a", "b"]), unit(&["a"]));
        assert!(unsure(&names, &["c"]).is_empty());
        let settled = names.settled(&Str::from("a"), true);
        assert!(settled.given.contains("b") && unsure(&settled, &["a", "b"]).is_empty());
        assert!(names.settled(&Str::from("a"), false).given.is_empty());
    }

    #[test]
    fn names_that_come_in_several_ways_are_asked_for_one_by_one() {
        let mut names = Names::default();
        names.add_unit(unit(&["a", "b"]));
        names.add_unit(unit(&["b", "c"]));
        assert_eq!(unsure(&names, &["c", "b", "a"]), unit(&["a", "b", "c"]));
    }

    #[test]
    fn what_is_lost_by_some_is_asked_for_at_once() {
        let lost = |text: &str| {
            let traversal = gremlin::parse_traversal(text, &gremlin::Bindings::new()).unwrap();
            let mut names = Names::of(unit(&["a", "b"]).into_iter().collect());
            traversal.steps.iter().for_each(|step| names.lose(step));
            unsure(&names, &["a", "b"]) == unit(&["a"]) && names.given.is_empty()
        };
        for text in [
            "inject(1)",
            "local(fold())",
            "union(identity(), local(out().count()))",
            "repeat(local(fold())).times(2)",
        ] {
            assert!(lost(&format!("g.V().{text}")), "{text}");
        }
        for text in
            ["map(fold())", "coalesce(fold())", "local(out())", "group().by(fold())", "where(count())"]
        {
            assert!(!lost(&format!("g.V().{text}")), "{text}");
        }
    }

    #[test]
    fn of_a_unit_that_all_have_a_part_of_the_rest_is_asked_for() {
        let mut names = Names::of(HashSet::from([Str::from("a")]));
        names.add_unit(unit(&["a", "b"]));
        assert_eq!(unsure(&names, &["a", "b"]), unit(&["b"]));
        assert!(unsure(&names, &["a"]).is_empty());
    }
}
