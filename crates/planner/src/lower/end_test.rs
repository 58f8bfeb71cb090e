//! Tests of the vertices that an expansion reaches are applied where it meets them.
//!
//! ```text
//! before   Expand(out knows) ─ Filter(age > 3 and name = 'x')
//! after    Expand(out knows; ends with age > 3 and name = 'x')
//! ```
//!
//! So no traverser is made for an end that does not pass. Only tests of properties are: they look at nothing but the vertex.
//! Where the ends that pass are counted, no traverser is made of these either:
//!
//! ```text
//! before   Expand(out knows; ends with age > 3) ─ Aggregate(count)
//! after    BulkByEnds(out knows; ends with age > 3) ─ Aggregate(count)
//! ```

use super::pipeline::Ops;
use crate::physical::{Aggregation, ExpandTo, Hop, Op, OpKind, Operand, Predicate, Test, op};

/// Fuses what can be in a pipeline.
pub(super) fn fuse(ops: &mut Ops) {
    ops.merge_pairs(take);
    for index in 1..ops.ops.len() {
        if let OpKind::Aggregate(Aggregation::Count) = ops.ops[index].kind {
            count(&mut ops.ops[index - 1]);
        }
    }
}

/// Makes an expansion whose ends are counted count them itself, if it tests them and does nothing else.
fn count(expansion: &mut Op) {
    let OpKind::Expand(op::Expand {
        direction,
        labels,
        to: ExpandTo::Vertices,
        edge_test: None,
        end_test,
        fetch,
        distinct: false,
        sorted: None,
        secondary,
    }) = &mut expansion.kind
    else {
        return;
    };
    if !fetch.is_empty() || !secondary.is_empty() || !expansion.labels.is_empty() {
        return;
    }
    if let Some(test) = end_test.take() {
        let hop = Hop { direction: *direction, labels: labels.clone() };
        expansion.kind = OpKind::BulkByEnds(op::BulkByEnds { hop, test });
        expansion.moves = false;
    }
}

/// Makes the filter behind an expansion a part of it, if it can be.
fn take(expansion: &mut Op, filter: &mut Op) -> bool {
    let (
        OpKind::Expand(op::Expand {
            to: ExpandTo::Vertices,
            edge_test: None,
            end_test,
            fetch,
            distinct: false,
            sorted: None,
            ..
        }),
        OpKind::Filter(test),
    ) = (&mut expansion.kind, &mut filter.kind)
    else {
        return false;
    };
    if !fetch.is_empty() || !is_of_properties(test) {
        return false;
    }
    let test = std::mem::replace(test, Test::Constant(true));
    *end_test = Some(match end_test.take() {
        Some(first) => Test::And(vec![first, test]),
        None => test,
    });
    expansion.labels.append(&mut filter.labels);
    expansion.rows = filter.rows;
    true
}

/// Whether a test looks at properties of the current object alone, and compares them with what is the same for all.
pub(super) fn is_of_properties(test: &Test) -> bool {
    match test {
        Test::Has(_, predicate) => is_fixed(predicate),
        Test::And(tests) => !tests.is_empty() && tests.iter().all(is_of_properties),
        _ => false,
    }
}

fn is_fixed(predicate: &Predicate) -> bool {
    let fixed = |operand: &Operand| matches!(operand, Operand::Const(_) | Operand::Param(_));
    match predicate {
        Predicate::Compare(_, operand) | Predicate::Text(_, operand) => fixed(operand),
        Predicate::Within { members, .. } => members.iter().all(fixed),
        Predicate::TypeOf(_) => true,
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().all(is_fixed),
        Predicate::Not(inner) => is_fixed(inner),
    }
}
