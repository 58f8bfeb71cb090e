//! Comparing a count needs only as many results as decide the comparison.
//!
//! ```text
//! before   where all {out().count().filter(it > 0)}    where all {out().count().filter(it = 0)}
//! after    where all {out()}                           where all {where none {out()}}
//!
//! before   where all {out().count().filter(it > 5)}
//! after    where all {out().limit(6).count().filter(it > 5)}
//! ```

use gremlin::{PredicateOp, StepName};

use super::{Context, each_chain};
use crate::logical::{Chain, Exists, Kind, Logical, Role, Step};
use crate::physical::{Aggregation, Formula, Operand, Predicate, Test};

pub(super) fn apply(plan: &mut Logical, _: &Context<'_>) -> bool {
    each_chain(plan, |chain, role| {
        // Elsewhere someone may look at the number itself.
        role == Role::Test && compare(chain)
    })
}

fn compare(chain: &mut Chain) -> bool {
    let Some(place) = chain.steps.len().checked_sub(2).filter(|place| *place > 0) else { return false };
    if !is_comparison(&chain.steps[place..]) {
        return false;
    }
    let Kind::Filter(Test::Is(predicate)) = &chain.steps[place + 1].kind else { return false };
    let Some(answers) = Answers::of(predicate) else { return false };
    if answers.decided_by_one {
        chain.steps.truncate(place);
        if answers.when_empty {
            let branches = vec![std::mem::take(chain)];
            *chain = Chain::of(Kind::Exists(Exists { branches, formula: Formula::None }), StepName::Not);
        }
        return true;
    }
    match (&chain.steps[place - 1].kind, answers.needed) {
        (Kind::Range { .. }, _) | (_, None) => false,
        (_, Some(needed)) => {
            let limit = Step::new(Kind::Range { low: 0, high: Some(needed) }, StepName::Limit);
            chain.steps.insert(place, limit);
            true
        }
    }
}

fn is_comparison(pair: &[Step]) -> bool {
    matches!(pair[0].kind, Kind::Aggregate(Aggregation::Count))
        && matches!(pair[1].kind, Kind::Filter(Test::Is(_)))
        && pair.iter().all(|step| step.labels.is_empty())
}

/// How a comparison depends on the count.
struct Answers {
    /// Whether none and one are told apart and all larger counts are like one.
    decided_by_one: bool,
    /// What it says of none.
    when_empty: bool,
    /// Counts from here on are alike.
    needed: Option<u64>,
}

impl Answers {
    fn of(predicate: &Predicate) -> Option<Self> {
        let bound = bound(predicate)?;
        let says = |count: i64| holds(predicate, count);
        let when_empty = says(0);
        let alike = (2..=bound + 1).all(|count| says(count) == says(1));
        Some(Self {
            decided_by_one: alike && says(1) != when_empty,
            when_empty,
            // All counts beyond the largest number mentioned are alike.
            needed: u64::try_from(bound + 1).ok().filter(|needed| *needed > 0),
        })
    }
}

/// The largest count worth telling apart; `None` if the predicate compares with anything but known numbers, or with
/// numbers so large that counting on is as good.
fn bound(predicate: &Predicate) -> Option<i64> {
    const LARGEST: i64 = 1_000;
    match predicate {
        Predicate::Compare(_, operand) => number(operand).map(|n| n.max(0)).filter(|n| *n <= LARGEST),
        Predicate::Within { members, spread: false } => {
            members.iter().map(number).try_fold(0, |most, n| n.map(|n| most.max(n))).filter(|n| *n <= LARGEST)
        }
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().map(bound).try_fold(0, |most, n| n.map(|n| most.max(n)))
        }
        Predicate::Not(inner) => bound(inner),
        _ => None,
    }
}

fn number(operand: &Operand) -> Option<i64> {
    match operand {
        Operand::Const(value) => value.as_i64(),
        _ => None,
    }
}

/// Whether a count satisfies the predicate, which has a [`bound`].
fn holds(predicate: &Predicate, count: i64) -> bool {
    match predicate {
        Predicate::Compare(op, operand) => number(operand).is_some_and(|n| match op {
            PredicateOp::Eq => count == n,
            PredicateOp::Neq => count != n,
            PredicateOp::Lt => count < n,
            PredicateOp::Lte => count <= n,
            PredicateOp::Gt => count > n,
            PredicateOp::Gte => count >= n,
        }),
        Predicate::Within { members, .. } => members.iter().any(|member| number(member) == Some(count)),
        Predicate::And(parts) => parts.iter().all(|part| holds(part, count)),
        Predicate::Or(parts) => parts.iter().any(|part| holds(part, count)),
        Predicate::Not(inner) => !holds(inner, count),
        Predicate::Text(..) | Predicate::TypeOf(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::rules::testing::{only, unchanged};

    const RULE: &str = "count-compare";

    #[test]
    fn at_least_one_is_existence() {
        for comparison in ["gt(0)", "gte(1)", "neq(0)", "outside(0,1).or(gt(1)).or(eq(1))"] {
            only(RULE, &format!("g.V().where(out().count().is({comparison}))"), "V().where all {out()}");
        }
    }

    #[test]
    fn none_is_its_negation() {
        for comparison in ["0", "lt(1)", "lte(0)"] {
            only(
                RULE,
                &format!("g.V().where(out().count().is({comparison}))"),
                "V().where all {not none {out()}}",
            );
        }
    }

    #[test]
    fn other_comparisons_count_no_further_than_they_must() {
        only(
            RULE,
            "g.V().where(out().count().is(gt(5)))",
            "V().where all {out().limit(6).count().filter(it > 5)}",
        );
        only(
            RULE,
            "g.V().where(out().count().is(between(2,4)))",
            "V().where all {out().limit(5).count().filter(it (>= 2 and < 4))}",
        );
    }

    #[test]
    fn a_count_of_the_whole_stream_is_left_alone() {
        unchanged(RULE, "g.V().out().count().is(gt(5))");
        unchanged(RULE, "g.V().map(out().count().is(gt(5)))");
        unchanged(RULE, "g.V().where(out().count().is(gt(1.5)))");
    }
}
