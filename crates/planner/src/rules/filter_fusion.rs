//! Filters in a row become one, whose cheapest tests come first.
//!
//! ```text
//! before   filter(name = 'x') filter(label in (Person)) identity()
//! after    filter(label in (Person) and name = 'x')
//! ```

use values::watch;

use super::{Context, each_chain};
use crate::logical::{Chain, Footprint, Kind, Logical, Step, of_test};
use crate::physical::{Predicate, Test};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, _| fuse(chain))
}

fn fuse(chain: &mut Chain) -> bool {
    let mut changed = without_identities(chain);
    changed |= join_runs(chain, |_, before| match &before.kind {
        // Whose result somebody named: the next filter's test may come before that naming then.
        Kind::Filter(_) => before.labels.is_empty() && !ends_query(&before.kind),
        _ => false,
    });
    for step in &mut chain.steps {
        if let Kind::Filter(test) = &mut step.kind {
            changed |= sort(test);
        }
    }
    changed
}

/// Drops the steps that do nothing; their names go to the steps before them.
fn without_identities(chain: &mut Chain) -> bool {
    let before = chain.steps.len();
    let mut kept: Vec<Step> = Vec::with_capacity(before);
    for step in std::mem::take(&mut chain.steps) {
        match kept.last_mut() {
            Some(last) if step.kind == Kind::Identity => last.labels.extend(step.labels),
            None if step.kind == Kind::Identity && step.labels.is_empty() => {}
            _ => kept.push(step),
        }
    }
    chain.steps = kept;
    chain.steps.len() < before
}

/// Joins filters that follow one another, or a step that tests on its own, if that one `takes` them. Of thousands in a row the
/// tests are put together once.
pub(super) fn join_runs(chain: &mut Chain, takes: impl Fn(&Test, &Step) -> bool) -> bool {
    let before = chain.steps.len();
    let mut kept: Vec<Step> = Vec::with_capacity(before);
    let mut run: Vec<Test> = Vec::new();
    for mut step in std::mem::take(&mut chain.steps) {
        match (kept.last_mut(), &mut step.kind) {
            (Some(last), Kind::Filter(test))
                if !of_test(test).touches(Footprint::WRITES) && takes(test, last) =>
            {
                run.push(std::mem::replace(test, Test::Constant(true)));
                last.labels.extend(step.labels);
            }
            (last, _) => {
                last.into_iter().for_each(|last| take_up(last, &mut run));
                kept.push(step);
            }
        }
    }
    kept.last_mut().into_iter().for_each(|last| take_up(last, &mut run));
    chain.steps = kept;
    chain.steps.len() < before
}

/// Adds tests to those of a step.
fn take_up(step: &mut Step, run: &mut Vec<Test>) {
    if run.is_empty() {
        return;
    }
    match &mut step.kind {
        Kind::Filter(first) => {
            let first_test = std::mem::replace(first, Test::Constant(true));
            *first = all(std::iter::once(first_test).chain(run.drain(..)));
        }
        Kind::Move(step) => {
            step.edge_test = Some(all(step.edge_test.take().into_iter().chain(run.drain(..))))
        }
        _ => {}
    }
}

/// Whether a filter may end the query: which traversers get there must stay as it is.
fn ends_query(kind: &Kind) -> bool {
    kind.footprint().touches(Footprint::WRITES)
}

/// All of the tests, cheapest first.
fn all(tests: impl Iterator<Item = Test>) -> Test {
    let mut parts = Vec::new();
    tests.for_each(|test| flatten(test, &mut parts));
    let mut test = conjunction(parts);
    sort(&mut test);
    test
}

/// All of the tests.
pub(super) fn conjunction(mut parts: Vec<Test>) -> Test {
    parts.retain(|part| *part != Test::Constant(true));
    match parts.len() {
        0 => Test::Constant(true),
        1 => parts.remove(0),
        _ => Test::And(parts),
    }
}

/// The tests that all must hold for this one to hold.
pub(super) fn flatten(test: Test, parts: &mut Vec<Test>) {
    match test {
        Test::And(inner) => inner.into_iter().for_each(|part| flatten(part, parts)),
        other => parts.push(other),
    }
}

/// Puts cheap tests first; `true` if they were not.
fn sort(test: &mut Test) -> bool {
    let Test::And(parts) = test else { return false };
    let nested = parts.iter().any(|part| matches!(part, Test::And(_)));
    if nested {
        let inner = std::mem::take(parts);
        inner.into_iter().for_each(|part| flatten(part, parts));
    }
    if parts.is_sorted_by_key(cost) || parts.iter().any(|part| of_test(part).touches(Footprint::WRITES)) {
        return nested;
    }
    sort_parts(parts) || nested
}

/// Lets cheap tests go forward as far as they may; `true` if one did.
fn sort_parts(parts: &mut [Test]) -> bool {
    let mut changed = false;
    for end in 1..parts.len() {
        let mut at = end;
        while at > 0 && cost(&parts[at - 1]) > cost(&parts[at]) && may_overtake(&parts[at], &parts[at - 1]) {
            parts.swap(at - 1, at);
            at -= 1;
            changed = true;
        }
        watch::ticks(end - at);
    }
    changed
}

/// Whether a test may come before another that was written in front of it: it must not fail where that one would have stopped the
/// traverser.
fn may_overtake(test: &Test, other: &Test) -> bool {
    let guards = any_of(other, &|test| matches!(test, Test::Is(_)));
    let of_element = any_of(test, &is_of_element);
    !(may_fail(test) || of_element && guards)
}

/// Whether there are objects that the test cannot be asked of.
pub(super) fn may_fail(test: &Test) -> bool {
    any_of(test, &|test| match test {
        // What has no name of that kind, or is no collection.
        Test::Given(..) | Test::Members(..) => true,
        Test::Is(predicate)
        | Test::SlotIs(_, predicate)
        | Test::Has(_, predicate)
        | Test::HasNamed(_, predicate)
        | Test::HasId(predicate)
        | Test::PropertyValue(predicate) => is_of_text(predicate),
        _ => false,
    })
}

/// Whether it can be asked of elements, or of properties, alone.
fn is_of_element(test: &Test) -> bool {
    matches!(
        test,
        Test::Has(..)
            | Test::HasNamed(..)
            | Test::HasKey(_)
            | Test::HasId(_)
            | Test::Label { .. }
            | Test::LabelIs(_)
            | Test::PropertyKey(_)
            | Test::PropertyValue(_)
    )
}

fn any_of(test: &Test, is_such: &impl Fn(&Test) -> bool) -> bool {
    match test {
        Test::And(parts) | Test::Or(parts) => parts.iter().any(|part| any_of(part, is_such)),
        Test::Not(inner) => any_of(inner, is_such),
        other => is_such(other),
    }
}

fn is_of_text(predicate: &Predicate) -> bool {
    match predicate {
        Predicate::Text(..) => true,
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(is_of_text),
        Predicate::Not(inner) => is_of_text(inner),
        _ => false,
    }
}

/// What a test costs, roughly: a look at the reference, a look into the record, a search.
fn cost(test: &Test) -> u32 {
    match test {
        Test::Constant(_) => 0,
        Test::Label { .. } | Test::Mark(_) | Test::Present(_) | Test::Given(..) | Test::Loops(_) => 1,
        Test::Is(predicate) | Test::SlotIs(_, predicate) => 1 + of_predicate(predicate),
        Test::LabelIs(predicate) | Test::PropertyKey(predicate) => 2 + of_predicate(predicate),
        Test::HasId(predicate) => 3 + of_predicate(predicate),
        Test::HasKey(_) => 4,
        Test::Has(_, predicate) | Test::PropertyValue(predicate) => 5 + of_predicate(predicate),
        Test::HasNamed(_, predicate) | Test::Members(_, predicate) => 8 + of_predicate(predicate),
        Test::SimplePath(..) => 12,
        Test::And(parts) | Test::Or(parts) => parts.iter().map(cost).sum(),
        Test::Not(inner) => cost(inner),
    }
}

fn of_predicate(predicate: &Predicate) -> u32 {
    match predicate {
        Predicate::Compare(..) | Predicate::TypeOf(_) => 0,
        Predicate::Within { members, spread } => {
            if *spread {
                3
            } else {
                members.len() as u32
            }
        }
        Predicate::Text(..) => 4,
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().map(of_predicate).sum(),
        Predicate::Not(inner) => of_predicate(inner),
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "filter-fusion";

    #[test]
    fn filters_in_a_row_become_one_with_cheap_tests_first() {
        only(
            RULE,
            "g.V().has('name','x').hasLabel('Person').identity()",
            "V().filter((label in (Person) and name = 'x'))",
        );
        only(
            RULE,
            "g.V().has('Person','age',3).has('name','x')",
            "V().filter((label in (Person) and age = 3 and name = 'x'))",
        );
    }

    #[test]
    fn what_may_fail_stays_behind_what_guards_it() {
        only(
            RULE,
            "g.inject(1).is(P.within(1, 2, 3, 4, 5, 6, 'x')).is(TextP.startingWith('x'))",
            "inject(1).filter((it within (1, 2, 3, 4, 5, 6, 'x') and it starts with 'x'))",
        );
        only(
            RULE,
            "g.inject(1).is(P.within(1, 2, 3, 4, 5, 6, 'x')).has('name','x')",
            "inject(1).filter((it within (1, 2, 3, 4, 5, 6, 'x') and name = 'x'))",
        );
        unchanged(RULE, "g.V().as('a').out().simplePath().from('b').has('name','x')");
    }

    #[test]
    fn what_is_named_in_the_middle_ends_a_row() {
        only(
            RULE,
            "g.V().has('name','x').identity().has('age',1).has('age',2).as('a').has('age',3).has('age',4).select('a')",
            "V().filter((name = 'x' and age = 1 and age = 2)) as a:s0.filter((age = 3 and age = 4)).load(s0)",
        );
    }

    #[test]
    fn names_go_along() {
        only(
            RULE,
            "g.V().has('name','x').has('age',1).as('a').out().select('a')",
            "V().filter((name = 'x' and age = 1)) as a:s0.out().load(s0)",
        );
    }

    #[test]
    fn a_filter_stays_behind_the_name_it_may_look_at() {
        unchanged(RULE, "g.V().has('name','x').as('a').where(eq('a'))");
    }
}
