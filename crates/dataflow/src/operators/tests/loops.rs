//! `until` and `emit`.

use gremlin::PredicateOp;
use planner::physical::{Condition, OpKind, Operand, Predicate, Test};

use super::world::{World, rows};

fn above(n: i32) -> Condition {
    Condition::Test(Test::Is(Predicate::Compare(PredicateOp::Gt, Operand::Const(n.into()))))
}

/// What goes on, and what leaves.
fn decide(until: Condition, emit: Condition, loops: i64) -> (Vec<String>, Vec<String>) {
    let mut world = World::modern();
    world.loops = loops;
    let outcome = world.run(OpKind::LoopControl { until, emit }, vec![world.values(&[1, 2, 3])]);
    let exits = rows(&outcome.exits).into_iter().map(|row| row.value.unwrap().to_string()).collect();
    (outcome.texts(), exits)
}

fn expected(on: &[&str], out: &[&str]) -> (Vec<String>, Vec<String>) {
    let owned = |texts: &[&str]| texts.iter().map(|t| (*t).to_owned()).collect();
    (owned(on), owned(out))
}

#[test]
fn traversers_leave_when_until_holds_and_copies_when_emit_does() {
    use Condition::{Always, Never, Times};
    assert_eq!(decide(Never, Never, 0), expected(&["1", "2", "3"], &[]));
    assert_eq!(decide(above(1), Never, 0), expected(&["1"], &["2", "3"]));
    assert_eq!(decide(Never, above(1), 0), expected(&["1", "2", "3"], &["2", "3"]));
    assert_eq!(decide(above(2), above(1), 0), expected(&["1", "2"], &["2", "3"]), "who leaves leaves once");
    assert_eq!(decide(Times(2), Always, 1), expected(&["1", "2", "3"], &["1", "2", "3"]));
    assert_eq!(decide(Times(2), Always, 2), expected(&[], &["1", "2", "3"]));
    let either = Condition::Either(Box::new(Times(5)), Box::new(above(2)));
    assert_eq!(decide(either.clone(), Never, 1), expected(&["1", "2"], &["3"]));
    assert_eq!(decide(either, Never, 5), expected(&[], &["1", "2", "3"]));
}

#[test]
fn tests_may_ask_for_the_number_of_iterations() {
    let third =
        || Condition::Test(Test::Loops(Predicate::Compare(PredicateOp::Eq, Operand::Const(3.into()))));
    assert_eq!(decide(third(), Condition::Never, 2), expected(&["1", "2", "3"], &[]));
    assert_eq!(decide(third(), Condition::Never, 3), expected(&[], &["1", "2", "3"]));
}
