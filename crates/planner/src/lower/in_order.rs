//! Once a stream is in order, it stays so.
//!
//! Behind `order()`, `inject(…)`, `unfold()` or `V(ids)` the order of the traversers is part of the answer, up to a step
//! that makes one of the stream (`count()`, `group()`). A scope whose instances run side by side lets results leave as
//! they are ready; here it is told to let them leave in the order of their inputs:
//!
//! ```text
//! order(name) ─ FilterScope             ─ …      each row waits until those before it are decided
//! order(name) ─ CoalesceScope           ─ …      an instance per traverser, one after another
//! order(name) ─ FlatMapScope{UnionScope} ─ …     branches that see one traverser at a time, likewise
//! ```

use std::sync::Arc;

use super::exchange::is_stateless;
use super::pipeline::{Ops, unnumbered};
use crate::physical::{Grain, Op, OpKind, Pipeline, ScopeKind, op};

/// Keeps the order of a chain's stream.
pub(super) fn keep(ops: &mut Ops) {
    keep_from(&mut ops.ops, false);
}

fn keep_from(ops: &mut [Op], mut ordered: bool) {
    for op in ops {
        if ordered {
            if let OpKind::Dedup(op::Dedup { in_pieces, .. }) = &mut op.kind {
                // In order, each piece has a memory of its own.
                *in_pieces = false;
            }
            keep_in_scope(op);
        }
        ordered = is_ordered_after(&op.kind, ordered);
    }
}

/// Whether the order of the stream is part of the answer behind an operator.
pub(super) fn is_ordered_after(kind: &OpKind, before: bool) -> bool {
    match kind {
        OpKind::Order(_) | OpKind::Inject(..) | OpKind::ById(_) | OpKind::Unfold => true,
        OpKind::Aggregate(_) | OpKind::Scan(_) => false,
        OpKind::IndexRange(op::IndexRange { range, .. }) => range.order.is_some(),
        OpKind::IndexLookup(_) => false,
        OpKind::GroupCount(op::GroupCount { side_effect: None, .. }) => false,
        OpKind::Scope(scope) if matches!(scope.kind, ScopeKind::Group { side_effect: None, .. }) => false,
        _ => before,
    }
}

fn keep_in_scope(op: &mut Op) {
    let OpKind::Scope(scope) = &mut op.kind else { return };
    match &scope.kind {
        ScopeKind::Filter { .. } | ScopeKind::Apply { .. } | ScopeKind::SideEffect { .. } => {}
        ScopeKind::FlatMap { .. } | ScopeKind::Coalesce { .. } => scope.grain = Grain::Traverser,
        // What depends on the whole stream cannot see it one by one.
        ScopeKind::Union { .. } | ScopeKind::If { .. } | ScopeKind::Switch { .. }
            if sees_one_at_a_time(&scope.kind) =>
        {
            let mut outer = scope.clone();
            let inner = unnumbered(op.kind.clone(), op.step.clone(), false);
            outer.kind = ScopeKind::FlatMap { child: Pipeline::new(vec![inner]) };
            outer.grain = Grain::Traverser;
            outer.policy.ordered = true;
            op.kind = OpKind::Scope(outer);
            return;
        }
        // The stream itself goes on inside.
        kind => {
            scope.policy.ordered = matches!(kind, ScopeKind::Exchange { .. });
            return scope.for_each_pipeline(&mut |inside| {
                keep_from(Arc::make_mut(&mut inside.ops).as_mut_slice(), true)
            });
        }
    }
    scope.policy.ordered = true;
}

/// Whether the branches of a scope make of each traverser what they would make of it alone.
fn sees_one_at_a_time(kind: &ScopeKind) -> bool {
    let alone = |branch: &Pipeline| branch.ops.iter().all(|op| is_one_at_a_time(&op.kind));
    let may_be = matches!(
        kind,
        ScopeKind::Union { .. } | ScopeKind::If { .. } | ScopeKind::Switch { .. } | ScopeKind::Repeat { .. }
    );
    may_be && kind.pipelines().all(alone)
}

fn is_one_at_a_time(kind: &OpKind) -> bool {
    match kind {
        OpKind::Scope(scope) if sees_one_at_a_time(&scope.kind) => true,
        kind => is_stateless(kind),
    }
}
