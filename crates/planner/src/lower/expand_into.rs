//! Edges to a vertex that is known are looked for from the side that has fewer.
//!
//! ```text
//! before   Expand(out knows) ─ Filter(T.id = $0 and age > 3)
//! after    ExpandInto(out knows; T.id = $0) ─ Filter(age > 3)
//! ```
//!
//! Whether somebody follows a star is asked of the one, not of the star (ByteGraph, section 4.1: a list by its degree). Also
//! where the vertex was met before: `as('x') … out('knows').where(eq('x'))`.

use gremlin::PredicateOp;

use super::pipeline::Ops;
use crate::physical::{ExpandTo, Hop, Op, OpKind, Operand, Predicate, Target, Test, op};

/// Fuses what can be in a pipeline.
pub(super) fn fuse(ops: &mut Ops) {
    ops.merge_pairs(take);
    for (op, expected) in ops.ops.iter_mut().zip(&ops.expected) {
        if let OpKind::ExpandInto(into) = &mut op.kind {
            into.apart = expected.shown;
        }
    }
}

/// Makes an expansion look for the vertex that the filter behind it asks for, if it asks for one; whether nothing is left
/// of the filter.
fn take(expansion: &mut Op, filter: &mut Op) -> bool {
    let (
        OpKind::Expand(op::Expand {
            direction,
            labels,
            to: ExpandTo::Vertices,
            edge_test: None,
            end_test: None,
            fetch,
            distinct: false,
            sorted: None,
            ..
        }),
        OpKind::Filter(test),
    ) = (&expansion.kind, &mut filter.kind)
    else {
        return false;
    };
    if !fetch.is_empty() {
        return false;
    }
    let Some((target, rest)) = split(test) else { return false };
    let hop = Hop { direction: *direction, labels: labels.clone() };
    expansion.kind = OpKind::ExpandInto(op::ExpandInto { hop, target, apart: false });
    match rest {
        Some(rest) => {
            *test = rest;
            false
        }
        None => {
            expansion.labels.append(&mut filter.labels);
            expansion.rows = filter.rows;
            true
        }
    }
}

/// The one vertex that a test lets pass, and what else it says.
fn split(test: &Test) -> Option<(Target, Option<Test>)> {
    let Test::And(tests) = test else { return Some((target(test)?, None)) };
    // Where it is not sure that there is one, that is said of who is found, not of who is looked for.
    let is_sure = |target: &Target| {
        !tests
            .iter()
            .any(|test| matches!((test, target), (Test::Given(of, _), Target::Slot(slot)) if of == slot))
    };
    let (place, found) =
        tests.iter().enumerate().find_map(|(place, test)| Some((place, target(test).filter(is_sure)?)))?;
    let mut rest = tests.clone();
    rest.remove(place);
    let rest = match rest.len() {
        0 => None,
        1 => rest.pop(),
        _ => Some(Test::And(rest)),
    };
    Some((found, rest))
}

fn target(test: &Test) -> Option<Target> {
    match test {
        Test::HasId(Predicate::Compare(PredicateOp::Eq, id @ (Operand::Const(_) | Operand::Param(_)))) => {
            Some(Target::Id(id.clone()))
        }
        Test::Is(Predicate::Compare(PredicateOp::Eq, Operand::Slot(slot))) => Some(Target::Slot(*slot)),
        _ => None,
    }
}
