//! How much an operator does for each row, as far as its description says.

use planner::physical::{LocalFn, OpKind, Predicate, Test, WriteKind, op};

/// The parts that are looked at or made for each row: tests, keys, names. One for most operators; thousands where a traversal
/// names thousands, and then a batch takes so many times as long.
pub(crate) fn width(kind: &OpKind) -> usize {
    match kind {
        OpKind::Filter(test) => of_test(test),
        OpKind::Project(op::Project { entries }) => entries.len(),
        OpKind::Select(op::Select { selections, .. }) => selections.len(),
        OpKind::Properties(op::Properties { keys, .. }) => keys.names.len(),
        OpKind::Math(op::Math { expression, .. }) => 1 + expression.instructions() / INSTRUCTIONS_PER_PART,
        OpKind::Path(_) => PATH,
        // A vertex goes with all its edges.
        OpKind::Write(WriteKind::Drop) => DROPPED,
        _ => 1,
    }
}

/// Whether an operator goes through all characters of its texts: `split`, `replace` and other functions that are named.
pub(crate) fn reads_characters(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Local(LocalFn::Call(..) | LocalFn::Each(..)))
}

/// Instructions of an expression that take as long as a part of something else.
const INSTRUCTIONS_PER_PART: usize = 16;

/// Objects of a path, if there is nothing to go by.
const PATH: usize = 64;

/// Edges of a vertex, if there is nothing to go by.
const DROPPED: usize = 256;

fn of_test(test: &Test) -> usize {
    match test {
        Test::And(parts) | Test::Or(parts) => parts.iter().map(of_test).sum(),
        Test::Not(inner) => of_test(inner),
        Test::Is(predicate)
        | Test::SlotIs(_, predicate)
        | Test::Has(_, predicate)
        | Test::HasNamed(_, predicate) => of_predicate(predicate).max(1),
        _ => 1,
    }
}

/// Members of a list are found in a table, which is made for each instance.
const MEMBERS_PER_PART: usize = 16;

fn of_predicate(predicate: &Predicate) -> usize {
    match predicate {
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().map(of_predicate).sum(),
        Predicate::Not(inner) => of_predicate(inner),
        Predicate::Within { members, .. } => 1 + members.len() / MEMBERS_PER_PART,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use gremlin::PredicateOp;
    use planner::physical::{Operand, Slot};
    use values::Value;

    use super::*;

    #[test]
    fn what_looks_at_thousands_of_things_is_as_wide_as_they_are_many() {
        let is = |n: i32| Test::Is(Predicate::Compare(PredicateOp::Eq, Operand::Const(Value::Int(n))));
        let any = |n: i32| Test::Or((0..n).map(is).collect());
        assert_eq!(width(&OpKind::Filter(is(1))), 1);
        assert_eq!(width(&OpKind::Filter(Test::Not(Box::new(Test::And(vec![any(4_000), is(1)]))))), 4_001);
        let members = (0..1_600).map(|n| Operand::Const(Value::Int(n))).collect();
        assert_eq!(width(&OpKind::Filter(Test::Is(Predicate::Within { members, spread: false }))), 101);
        let has = |n: i32| Test::HasNamed(n.to_string().as_str().into(), Predicate::And(Vec::new()));
        assert_eq!(width(&OpKind::Filter(Test::Or((0..4_000).map(has).collect()))), 4_000, "has('1')");
        assert_eq!(width(&OpKind::Store(Slot(1))), 1);
    }
}
