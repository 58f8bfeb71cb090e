//! Parts of a pipeline that may run on several executors at once (adaptive parallelism, Grasper section 4).
//!
//! ```text
//! before   IndexLookup ─ Expand ─ Expand ─ Filter ─ Dedup ─ …
//! after    IndexLookup ─ ┌ Exchange ───────────────────┐ ─ Dedup ─ …
//!                        │ Expand ─ Expand ─ Filter    │
//!                        └─────────────────────────────┘
//! ```
//!
//! A part is a chain of operators without state of their own over the stream, as long as can be. It begins where enough
//! traversers are expected to be worth sending, or at an expansion that may meet a vertex with so many edges that its list
//! is worth sharing; what comes before that runs on one executor. Whether it really spreads is decided when it runs, by how
//! many there are. An expansion that leaves out duplicates does so in each piece, and a `Dedup` behind the part does the
//! rest, if there is one: mostly the pieces do it together. A sum or an extreme is that of the results of the pieces, so each
//! piece has one of its own.

use super::end_test::is_of_properties;
use super::in_order::is_ordered_after;
use super::pipeline::{Ops, unnumbered};
use crate::physical::{
    Aggregation, By, Child, ExpandTo, Grain, InterPolicy, IntraPolicy, Op, OpKind, Pipeline, Policy, Scope,
    ScopeKind, Target, op,
};
use crate::thresholds::{HUB_EDGES, MAX_PIECES, WORTH_SPREADING};

/// Wraps the parts of a pipeline that are worth it; `eager`: all that can be.
pub(super) fn spread(ops: &mut Ops, eager: bool) {
    let worth = if eager { 0.0 } else { WORTH_SPREADING };
    if !ops.expected.iter().any(|expected| expected.rows >= worth || expected.at_once >= HUB_EDGES) {
        return;
    }
    let expected = std::mem::take(&mut ops.expected);
    let mut result: Vec<Op> = Vec::with_capacity(ops.ops.len());
    let mut part = Part::new(worth);
    // Whether the stream that enters an operator has an order, and whether anybody behind would notice another one.
    let mut in_order = false;
    let matters = order_matters(&ops.ops);
    for (index, (mut op, expected)) in std::mem::take(&mut ops.ops).into_iter().zip(expected).enumerate() {
        let kind = &mut op.kind;
        let ordered = in_order && matters[index];
        let is_hub = expected.at_once >= HUB_EDGES && is_hop(kind);
        let begins = is_hub || expected.rows >= worth && (part.ops.is_empty() || is_hop(kind));
        if begins && part.entering < worth {
            part.close(&mut result, ordered);
        }
        if is_stateless(kind) && !(part.ops.is_empty() && (starts_stream(kind) || !begins)) {
            let again = match kind {
                OpKind::Expand(op::Expand { distinct: true, .. }) => {
                    let in_pieces = !ordered && is_to_vertices_only(kind);
                    Some((op.step.clone(), std::mem::take(&mut op.labels), in_pieces))
                }
                _ => None,
            };
            part.add(op, expected.rows, is_hub);
            if let Some((step, labels, in_pieces)) = again {
                if part.close(&mut result, ordered) {
                    let by = vec![By::Current];
                    let dedup = OpKind::Dedup(op::Dedup { by, across_iterations: false, in_pieces });
                    result.push(Op { labels, ..unnumbered(dedup, step, false) });
                } else if let Some(last) = result.last_mut() {
                    last.labels = labels;
                }
            }
            continue;
        }
        if !ordered {
            part.reduce_before(&op);
        }
        part.close(&mut result, ordered);
        in_order = is_ordered_after(&op.kind, in_order);
        result.push(op);
    }
    part.close(&mut result, in_order);
    ops.ops = result;
}

/// For the stream that enters each operator, whether the answer would be another one in another order. A count is not, nor
/// is a sum, but for how it is rounded: which number is added first is not promised.
fn order_matters(ops: &[Op]) -> Vec<bool> {
    let mut matters = vec![true; ops.len()];
    // Whether what is behind would not notice either if a traverser had other slots, or another path.
    let mut objects_only = false;
    for index in (0..ops.len()).rev() {
        let behind = matters.get(index + 1).copied().unwrap_or(true);
        let kind = &ops[index].kind;
        matters[index] = match kind {
            OpKind::Aggregate(aggregation) => aggregation.in_order(),
            // Of equal ones the first remains, with what was kept beside it.
            OpKind::Dedup(_) | OpKind::Expand(op::Expand { distinct: true, .. }) => behind || !objects_only,
            kind if is_stateless(kind) || matches!(kind, OpKind::Barrier(_)) => behind,
            _ => true,
        };
        objects_only = match kind {
            OpKind::Aggregate(aggregation) => !aggregation.in_order(),
            OpKind::Dedup(op::Dedup { by, .. }) => objects_only && by[..] == [By::Current],
            OpKind::Expand(op::Expand { edge_test: None, .. })
            | OpKind::BulkByDegree(_)
            | OpKind::BulkByWalks(_)
            | OpKind::BulkByEnds(_)
            | OpKind::ExpandInto(op::ExpandInto { target: Target::Id(_), .. })
            | OpKind::Properties(_)
            | OpKind::Forget(_)
            | OpKind::Barrier(_) => objects_only,
            OpKind::Filter(test) => objects_only && is_of_properties(test),
            _ => false,
        };
    }
    matters
}

/// A part that is being gathered.
struct Part {
    /// Traversers that it must expect to make, to be worth spreading.
    worth: f64,
    ops: Vec<Op>,
    /// Traversers that its first operator may see.
    entering: f64,
    /// Whether there may be enough to do.
    is_worth: bool,
    /// Whether it does more than look at what is in the batch.
    reads: bool,
    /// What makes one result of those of a piece.
    reduction: Option<Op>,
}

impl Part {
    fn new(worth: f64) -> Self {
        Self { worth, ops: Vec::new(), entering: 0.0, is_worth: false, reads: false, reduction: None }
    }

    fn add(&mut self, op: Op, rows: f64, is_hub: bool) {
        if self.ops.is_empty() {
            self.entering = rows;
        }
        self.is_worth |= is_hub || rows >= self.worth;
        self.reads |= reads_graph(&op.kind);
        self.ops.push(op);
    }

    /// Lets each piece do what is behind the part, if it comes to the same; the order of results makes no difference there.
    fn reduce_before(&mut self, op: &Op) {
        if let OpKind::Aggregate(Aggregation::Sum | Aggregation::Min | Aggregation::Max) = op.kind {
            self.reduction = Some(unnumbered(op.kind.clone(), op.step.clone(), false));
        }
    }

    /// Ends the part. `true` if it is one that spreads.
    fn close(&mut self, result: &mut Vec<Op>, ordered: bool) -> bool {
        let mut part = std::mem::replace(self, Self::new(self.worth));
        if !part.is_worth || !part.reads {
            result.extend(part.ops);
            return false;
        }
        let step = part.ops.first().map(|op| op.step.clone()).unwrap_or_default();
        part.ops.extend(part.reduction);
        let policy = Policy {
            inter: InterPolicy::BreadthFirst,
            intra: IntraPolicy::DepthFirst,
            max_instances: MAX_PIECES,
            ordered,
        };
        let kind = ScopeKind::Exchange { child: Pipeline::new(part.ops) };
        let scope = Scope { kind, child: Child::Stream, grain: Grain::Batch, policy, reads: None };
        result.push(unnumbered(OpKind::Scope(Box::new(scope)), step, false));
        true
    }
}

/// Whether it goes along the lists of the vertices it is given.
fn is_hop(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Expand(_) | OpKind::BulkByWalks(_) | OpKind::BulkByEnds(_))
}

/// Whether it is an expansion that looks at neighbours and nothing else: all pieces of an exchange leave out duplicates
/// together then (`operators/expand/neighbours.rs`).
fn is_to_vertices_only(kind: &OpKind) -> bool {
    match kind {
        OpKind::Expand(op::Expand {
            to: ExpandTo::Vertices,
            edge_test: None,
            fetch,
            sorted: None,
            secondary,
            ..
        }) => fetch.is_empty() && secondary.is_empty(),
        _ => false,
    }
}

/// Whether the operator makes a stream of the one traverser that starts the query: there is nothing to split before it.
fn starts_stream(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::Scan(_)
            | OpKind::ById(_)
            | OpKind::IndexLookup(_)
            | OpKind::IndexRange(_)
            | OpKind::Inject(..)
    )
}

fn reads_graph(kind: &OpKind) -> bool {
    matches!(
        kind,
        OpKind::Expand(_)
            | OpKind::Properties(_)
            | OpKind::Fetch(_)
            | OpKind::Degree(_)
            | OpKind::BulkByDegree(_)
            | OpKind::BulkByWalks(_)
            | OpKind::BulkByEnds(_)
            | OpKind::ExpandInto(_)
            | OpKind::Filter(_)
            | OpKind::Scope(_)
    )
}

/// Whether what the operator does with a traverser depends on that traverser alone.
pub(super) fn is_stateless(kind: &OpKind) -> bool {
    match kind {
        OpKind::Expand(_)
        | OpKind::EdgeVertex(_)
        | OpKind::Degree(_)
        | OpKind::BulkByDegree(_)
        | OpKind::BulkByWalks(_)
        | OpKind::BulkByEnds(_)
        | OpKind::ExpandInto(_)
        | OpKind::Forget(_)
        | OpKind::Filter(_)
        | OpKind::Properties(_)
        | OpKind::Fetch(_)
        | OpKind::Store(_)
        | OpKind::Sack(_)
        | OpKind::SackWith(_)
        | OpKind::Load(_)
        | OpKind::Unfold
        | OpKind::Local(_)
        | OpKind::Math(_)
        | OpKind::Project(_)
        | OpKind::Path(_) => true,
        OpKind::Select(op::Select { selections, .. }) => {
            selections.iter().all(|one| one.side_effect.is_none())
        }
        OpKind::Scope(scope) => is_complete(scope),
        _ => false,
    }
}

/// Whether a scope can run for any part of a stream by itself.
fn is_complete(scope: &Scope) -> bool {
    let inside = |branches: &[&Pipeline], free: fn(&OpKind) -> bool| {
        branches.iter().all(|branch| branch.ops.iter().all(|op| free(&op.kind)))
    };
    match &scope.kind {
        // Their state is that of one traverser.
        ScopeKind::Filter { branches, .. } | ScopeKind::Coalesce { branches } => {
            inside(&branches.iter().collect::<Vec<_>>(), has_no_effects)
        }
        ScopeKind::Apply { child, .. } | ScopeKind::FlatMap { child } => inside(&[child], has_no_effects),
        ScopeKind::Union { branches } => inside(&branches.iter().collect::<Vec<_>>(), is_stateless),
        _ => false,
    }
}

/// Whether the operator leaves everything but its traversers alone.
fn has_no_effects(kind: &OpKind) -> bool {
    match kind {
        OpKind::Collect(_) | OpKind::Cap(_) | OpKind::Write(_) | OpKind::Fail(_) | OpKind::TimeLimit(_) => {
            false
        }
        OpKind::GroupCount(op::GroupCount { side_effect, .. }) => side_effect.is_none(),
        OpKind::Select(op::Select { selections, .. }) => {
            selections.iter().all(|one| one.side_effect.is_none())
        }
        OpKind::Scope(scope) => match &scope.kind {
            ScopeKind::SideEffect { .. } | ScopeKind::Exchange { .. } => false,
            ScopeKind::Group { side_effect: Some(_), .. } => false,
            kind => kind.pipelines().all(|inside| inside.ops.iter().all(|op| has_no_effects(&op.kind))),
        },
        _ => true,
    }
}
