//! A subquery that only looks at its traverser is a test.
//!
//! ```text
//! before   where all {filter(Person)} where none {values(age).filter(it > 30)}
//! after    filter(Person) filter(not (age > 30))
//! ```
//!
//! Several subqueries under `and` or `not` are taken apart, so that those which remain subqueries are as few as
//! can be.

use super::filter_fusion::may_fail;
use super::{Context, each_chain};
use crate::logical::{Chain, Exists, Footprint, Kind, Logical, LoopCondition, LoopControl, Step};
use crate::physical::{Formula, LocalFn, Predicate, PropertyForm, Test};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| inline(chain))
}

fn inline(chain: &mut Chain) -> bool {
    let mut changed = false;
    let mut index = 0;
    while index < chain.steps.len() {
        let step = &mut chain.steps[index];
        match &mut step.kind {
            Kind::Exists(exists) => {
                if let Some((tests, rest)) = split(exists) {
                    changed = true;
                    let name = step.name;
                    match rest {
                        None => step.kind = Kind::Filter(tests),
                        Some(rest) => {
                            *exists = rest;
                            chain.steps.insert(index, Step::new(Kind::Filter(tests), name));
                            index += 1;
                        }
                    }
                }
            }
            Kind::Repeat(repeat) => changed |= control(&mut repeat.head) | control(&mut repeat.tail),
            _ => {}
        }
        index += 1;
    }
    changed
}

fn control(control: &mut LoopControl) -> bool {
    let mut changed = false;
    for condition in [&mut control.until, &mut control.emit] {
        if let LoopCondition::Exists(exists) = condition
            && let Some((test, None)) = split(exists)
        {
            *condition = LoopCondition::Test(test);
            changed = true;
        }
    }
    changed
}

/// The test that some of the branches amount to, and the filter over those that remain.
fn split(exists: &Exists) -> Option<(Test, Option<Exists>)> {
    let does_something = |chain: &Chain| chain.footprint().touches(Footprint::REPEATED);
    // Who fills a side-effect or writes does so for all that reach it: no later test may come before it.
    let first = exists.branches.iter().position(does_something).unwrap_or(exists.branches.len());
    let mut is_behind = false;
    let may_move = |(index, chain)| {
        // Nor may one that can fail come before what would have decided without it.
        let test = if index <= first { as_test(chain) } else { None };
        let test = test.filter(|test| !(is_behind && may_fail(test)));
        is_behind |= test.is_none();
        test
    };
    let tests: Vec<Option<Test>> = exists.branches.iter().enumerate().map(may_move).collect();
    let all = tests.iter().all(Option::is_some);
    if !all && (exists.formula == Formula::Any || tests.iter().all(Option::is_none)) {
        return None;
    }
    let rest: Vec<Chain> = exists
        .branches
        .iter()
        .zip(&tests)
        .filter(|(_, test)| test.is_none())
        .map(|(chain, _)| chain.clone())
        .collect();
    let tests: Vec<Test> = tests.into_iter().flatten().collect();
    let test = match exists.formula {
        Formula::All => all_of(tests),
        Formula::Any => any_of(tests),
        Formula::None => Test::Not(Box::new(any_of(tests))),
    };
    let rest = (!rest.is_empty()).then_some(Exists { branches: rest, formula: exists.formula });
    Some((test, rest))
}

fn all_of(mut tests: Vec<Test>) -> Test {
    if tests.len() == 1 { tests.remove(0) } else { Test::And(tests) }
}

fn any_of(mut tests: Vec<Test>) -> Test {
    if tests.len() == 1 { tests.remove(0) } else { Test::Or(tests) }
}

/// The chain as a test of its input: whether it has a result for it.
pub(super) fn as_test(chain: &Chain) -> Option<Test> {
    if chain.steps.iter().any(|step| !step.labels.is_empty()) {
        return None;
    }
    let kinds: Vec<&Kind> =
        chain.steps.iter().map(|step| &step.kind).filter(|kind| **kind != Kind::Identity).collect();
    let filters = kinds.iter().take_while(|kind| matches!(kind, Kind::Filter(_))).count();
    let mut tests: Vec<Test> = kinds[..filters]
        .iter()
        .filter_map(|kind| match kind {
            Kind::Filter(test) => Some(test.clone()),
            _ => None,
        })
        .collect();
    if let Some((map, conditions)) = kinds[filters..].split_first() {
        tests.push(of_value(map, predicates(conditions)?)?);
    }
    Some(all_of(tests))
}

/// The predicates of filters that look at the current object alone.
fn predicates(filters: &[&Kind]) -> Option<Option<Predicate>> {
    let mut all = Vec::with_capacity(filters.len());
    for filter in filters {
        match filter {
            Kind::Filter(Test::Is(predicate)) => all.push(predicate.clone()),
            _ => return None,
        }
    }
    Some(match all.len() {
        0 => None,
        1 => all.pop(),
        _ => Some(Predicate::And(all)),
    })
}

/// Whether a map has a result that satisfies a predicate.
fn of_value(map: &Kind, predicate: Option<Predicate>) -> Option<Test> {
    match (map, predicate) {
        (Kind::Properties { keys, form: PropertyForm::Values | PropertyForm::Properties }, None)
            if keys.names.len() == 1 =>
        {
            Some(match keys.ids.first() {
                Some(key) => Test::HasKey(*key),
                None => Test::HasNamed(keys.names[0].clone(), Predicate::And(Vec::new())),
            })
        }
        (Kind::Properties { keys, form: PropertyForm::Values }, Some(predicate)) if keys.names.len() == 1 => {
            Some(match keys.ids.first() {
                Some(key) => Test::Has(*key, predicate),
                None => Test::HasNamed(keys.names[0].clone(), predicate),
            })
        }
        (Kind::Call(LocalFn::Label), Some(predicate)) => Some(Test::LabelIs(predicate)),
        (Kind::Call(LocalFn::Loops), Some(predicate)) => Some(Test::Loops(predicate)),
        (Kind::Call(LocalFn::Constant(_)), None) => Some(Test::Constant(true)),
        (Kind::Load(slot), None) => Some(Test::Present(*slot)),
        (Kind::Load(slot), Some(predicate)) => Some(Test::SlotIs(*slot, predicate)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "inline-filter";

    #[test]
    fn a_subquery_of_tests_is_a_test() {
        only(
            RULE,
            "g.V().where(hasLabel('Person').has('age',30))",
            "V().filter((label in (Person) and age = 30))",
        );
        only(RULE, "g.V().not(has('age'))", "V().filter(not (has age))");
        only(RULE, "g.V().filter(values('age').is(gt(3)))", "V().filter(age > 3)");
        only(RULE, "g.V().or(has('age',1),has('age',2))", "V().filter((age = 1 or age = 2))");
    }

    #[test]
    fn what_is_a_test_is_taken_out_of_an_and_or_a_not() {
        only(RULE, "g.V().and(has('age',1),out())", "V().filter(age = 1).and all {out()}");
    }

    #[test]
    fn no_test_comes_before_a_subquery_that_does_something() {
        for (subquery, shown) in
            [("addV('x')", "addV('x')"), ("aggregate('x')", "aggregate(it) into side-effect 0")]
        {
            unchanged(RULE, &format!("g.V().and({subquery},has('age',1))"));
            only(
                RULE,
                &format!("g.V().and(has('age',1),{subquery})"),
                &format!("V().filter(age = 1).and all {{{shown}}}"),
            );
        }
    }

    #[test]
    fn an_or_is_all_or_nothing() {
        unchanged(RULE, "g.V().or(has('age',1),out())");
    }

    #[test]
    fn loop_conditions_are_tests_too() {
        only(
            RULE,
            "g.V().repeat(out()).until(has('age',1)).emit(loops().is(2))",
            "V().repeat {out()} until age = 1 emit loops = 2",
        );
    }
}
