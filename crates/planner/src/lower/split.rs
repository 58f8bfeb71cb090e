//! Pipelines that are too long are continued in another one.

use std::sync::Arc;

use super::pipeline::unnumbered;
use crate::physical::{
    Child, Grain, InterPolicy, IntraPolicy, Op, OpKind, Pipeline, Policy, Scope, ScopeKind,
};
use values::Str;

/// Splits all pipelines longer than [`Pipeline::MAX_OPS`].
pub(super) fn split(pipeline: &mut Pipeline) {
    for op in Arc::make_mut(&mut pipeline.ops) {
        if let OpKind::Scope(scope) = &mut op.kind {
            scope.for_each_pipeline(&mut split);
        }
    }
    if pipeline.ops.len() <= Pipeline::MAX_OPS {
        return;
    }
    let ops = Arc::make_mut(&mut pipeline.ops);
    // One more in each that has another inside, and as many as fit in the last.
    let each = Pipeline::MAX_OPS - 1;
    let parts = (ops.len() - Pipeline::MAX_OPS).div_ceil(each);
    let mut inner = ops.split_off(parts * each);
    for part in (1..parts).rev() {
        let mut ops = ops.split_off(part * each);
        ops.push(inline(inner));
        inner = ops;
    }
    ops.push(inline(inner));
}

fn inline(ops: Vec<Op>) -> Op {
    let policy = Policy {
        inter: InterPolicy::BreadthFirst,
        intra: IntraPolicy::DepthFirst,
        max_instances: 1,
        ordered: false,
    };
    let kind = ScopeKind::Inline { child: Pipeline::new(ops) };
    let scope = Scope { kind, child: Child::Stream, grain: Grain::Stream, policy, reads: None };
    unnumbered(OpKind::Scope(Box::new(scope)), Str::from("…"), false)
}
