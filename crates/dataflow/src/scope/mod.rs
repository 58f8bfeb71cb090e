//! Scope operators: they create, schedule and terminate the instances of a subquery (Banyan, sections 3.1 and 4.2).
//!
//! A scope operator is an [`Operator`] like any other to the pipeline it stands in: the scope is a virtual vertex of
//! the progress tracking outside (section 3.2), and completes when its input has ended and all its instances have
//! completed. Inside, it is ingress and egress in one: it opens an instance per traverser, batch, iteration or piece,
//! gives it a part of its own quota, and takes its results.
//!
//! | file | scopes | one instance per |
//! |---|---|---|
//! | `branch/` | `where`, `map`, `local`, `coalesce`, `sideEffect`, `by` | traverser, or batch when turned off |
//! | `stream.rs` | `union`, `choose`, long pipelines | whole input |
//! | `group.rs` | `group` | whole input, one tag per key |
//! | `algorithm/` | `pageRank` and its kin | whole input |
//! | `repeat.rs` | `repeat` | iteration |
//! | `exchange.rs`, `piece.rs` | parts of the plan that run on several executors | piece of the input |
//!
//! It must never know what the operators inside do; what is inside must never know that it is in a scope.

mod algorithm;
mod branch;
mod egress;
mod exchange;
mod group;
mod passage;
mod piece;
mod repeat;
mod stream;
mod work;

use planner::physical::{Op, OpKind, ScopeKind};

use crate::operator::Operator;

/// The operator of a scope.
///
/// # Panics
/// If the operator is not a scope, which is a bug of the caller.
pub(crate) fn create(op: &Op) -> Box<dyn Operator> {
    let OpKind::Scope(scope) = &op.kind else { unreachable!("{} is not a scope", op.step) };
    match &scope.kind {
        ScopeKind::Filter { .. }
        | ScopeKind::Apply { .. }
        | ScopeKind::FlatMap { .. }
        | ScopeKind::SideEffect { .. }
        | ScopeKind::Coalesce { .. } => Box::new(branch::BranchScope::new(scope, op)),
        ScopeKind::Union { .. }
        | ScopeKind::If { .. }
        | ScopeKind::Switch { .. }
        | ScopeKind::Inline { .. } => Box::new(stream::StreamScope::new(scope)),
        ScopeKind::Group { .. } => Box::new(group::GroupScope::new(scope)),
        ScopeKind::Algorithm(_) => Box::new(algorithm::AlgorithmScope::new(scope)),
        ScopeKind::Repeat { .. } => Box::new(repeat::LoopScope::new(scope)),
        ScopeKind::Exchange { .. } => Box::new(exchange::ExchangeScope::new(scope)),
    }
}

/// Whether a scope that never received a message still has something to say at the end of its input.
pub(crate) fn emits_on_empty(kind: &ScopeKind) -> bool {
    match kind {
        ScopeKind::Group { side_effect, .. } => side_effect.is_none(),
        ScopeKind::Inline { child } | ScopeKind::Exchange { child, .. } => pipeline_emits(child),
        _ => false,
    }
}

fn pipeline_emits(pipeline: &planner::physical::Pipeline) -> bool {
    pipeline.ops.iter().any(|op| crate::experts::emits_on_empty(&op.kind))
}
