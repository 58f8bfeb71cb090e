//! Pipelines that remember nothing: an instance without messages is like a new one, and need not be kept while more may come.

use planner::physical::{OpKind, Pipeline, ScopeKind, WriteKind};

/// Whether an instance of this pipeline that has no messages is as if it had never had any, and says nothing at the end of its
/// input that a new one would not say. Whoever is not known to forget is taken to remember.
pub(super) fn is_forgetful(pipeline: &Pipeline) -> bool {
    pipeline.ops.iter().all(|op| forgets(&op.kind))
}

/// Whether there is a loop inside, each of whose iterations may have an instance.
pub(super) fn has_loop(pipeline: &Pipeline) -> bool {
    pipeline.ops.iter().any(|op| match &op.kind {
        OpKind::Scope(scope) => {
            matches!(scope.kind, ScopeKind::Repeat { .. }) || scope.kind.pipelines().any(has_loop)
        }
        _ => false,
    })
}

fn forgets(kind: &OpKind) -> bool {
    match kind {
        OpKind::Scan(_)
        | OpKind::ById(_)
        | OpKind::IndexLookup(_)
        | OpKind::IndexRange(_)
        | OpKind::EdgeVertex(_)
        | OpKind::Degree(_)
        | OpKind::BulkByDegree(_)
        | OpKind::ExpandInto(_)
        | OpKind::Forget(_)
        | OpKind::Filter(_)
        | OpKind::Properties(_)
        | OpKind::Fetch(_)
        | OpKind::Store(_)
        | OpKind::Load(_)
        | OpKind::Sack(_)
        | OpKind::SackWith(_)
        | OpKind::Local(_)
        | OpKind::Unfold
        | OpKind::Math(_)
        | OpKind::Project(_)
        | OpKind::Select(_)
        | OpKind::Path(_)
        | OpKind::Discard
        | OpKind::LoopControl { .. } => true,
        // Fused with a `dedup`, it remembers what it has reached.
        OpKind::Expand(way) => !way.distinct,
        OpKind::Write(kind) => !matches!(kind, WriteKind::Merge(_) | WriteKind::File(_)),
        OpKind::Scope(scope) => match &scope.kind {
            // What they remember is a traverser's, and ends with it; but what a step inside has in common with other iterations.
            ScopeKind::Filter { .. }
            | ScopeKind::Apply { .. }
            | ScopeKind::FlatMap { .. }
            | ScopeKind::SideEffect { .. }
            | ScopeKind::Coalesce { .. } => !scope.kind.pipelines().any(is_in_common),
            ScopeKind::Union { .. }
            | ScopeKind::If { .. }
            | ScopeKind::Switch { .. }
            | ScopeKind::Inline { .. }
            | ScopeKind::Exchange { .. }
            | ScopeKind::Repeat { .. } => scope.kind.pipelines().all(is_forgetful),
            ScopeKind::Group { .. } | ScopeKind::Algorithm(_) => false,
        },
        _ => false,
    }
}

/// Whether a step inside has a memory in common with those of other iterations of the loop around it.
fn is_in_common(pipeline: &Pipeline) -> bool {
    pipeline.ops.iter().any(|op| match &op.kind {
        OpKind::Dedup(_) | OpKind::TimeLimit(_) => true,
        OpKind::Scope(scope) => scope.kind.pipelines().any(is_in_common),
        _ => false,
    })
}
