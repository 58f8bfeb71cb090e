//! The experts: who executes which operator of a plan.

use planner::physical::{Op, OpKind};

use crate::operator::Operator;
use crate::{operators, scope};

/// The operator that executes `op`.
pub(crate) fn create(op: &Op) -> Box<dyn Operator> {
    match &op.kind {
        OpKind::Scope(_) => scope::create(op),
        _ => operators::create(op),
    }
}

/// Whether an operator that never got a message still has something to say at the end of its input.
pub(crate) fn emits_on_empty(kind: &OpKind) -> bool {
    match kind {
        OpKind::Scope(scope) => scope::emits_on_empty(&scope.kind),
        kind => operators::emits_on_empty(kind),
    }
}
