//! The operators of a pipeline: Grasper's experts, one file (or folder) per category of step.
//!
//! | files | steps |
//! |---|---|
//! | `source/` | `V`, `E`, `inject`, lookups by id and index |
//! | `expand/` | `out`, `outE`, `inV`…, degrees |
//! | `filter.rs`, `test/`, `predicate/` | `has`, `is`, `where`, `simplePath`, `coin` |
//! | `property/` | `values`, `properties`, `valueMap`, `elementMap`, what `by('key')` fetches |
//! | `local/`, `math/`, `unfold.rs` | functions of the current object |
//! | `slots.rs`, `select.rs`, `paths.rs` | `as`, `project`, `select`, `path` |
//! | `sack.rs`, `merge_sacks.rs` | `sack`, `withSack`; barriers that merge sacks |
//! | `dedup.rs`, `range.rs`, `tail.rs`, `time_limit.rs`, `order.rs`, `sample.rs`, `barrier.rs` | parts and orders of a stream |
//! | `unmerge.rs`, `one_by_one.rs`, `gather.rs` | what a subquery that can tell traversers apart asks for, or a step that writes |
//! | `aggregate.rs`, `group_count.rs`, `collect.rs`, `ending.rs` | a stream into one object or a side-effect |
//! | `write/` | `addV`, `addE`, `mergeV`, `mergeE`, `property`, `drop`, `io` |
//! | `loop_control.rs` | `until` and `emit` |
//!
//! An operator finds its plan in the [`Context`] and keeps only what it must remember between two calls.
//!
//! They must never know which scope they stand in, who runs them, or who else has work.
//!
//! [`Context`]: crate::operator::Context

mod aggregate;
mod barrier;
mod chunk;
mod collect;
mod column_builder;
mod dedup;
mod direct;
mod element;
mod ending;
mod expand;
mod failing;
mod filter;
mod flat_map;
mod gain;
mod gather;
mod group_count;
mod ids;
mod local;
mod long_text;
mod loop_control;
mod making;
mod math;
mod merge_sacks;
mod one_by_one;
mod options;
mod order;
mod ordered;
mod paths;
mod per_row;
mod per_tag;
mod predicate;
mod property;
mod random;
mod range;
mod reduce;
mod repeated;
mod row_origins;
mod row_store;
mod sack;
mod sample;
mod seeded;
mod seen;
mod select;
mod shared_vertex_set;
mod slots;
mod sort_keys;
mod sorting;
mod source;
mod tail;
mod test;
#[cfg(test)]
mod tests;
mod time_limit;
mod unfold;
mod unmerge;
mod vertex_map;
mod vertex_page;
mod vertex_set;
mod view;
mod waiting;
mod width;
mod write;

use planner::physical::{EdgeEnd, Op, OpKind, PropertyForm, ScopeKind, WriteKind, op};

use crate::operator::Operator;

use direct::Direct;
use flat_map::FlatMap;
use per_row::per_row;

pub(crate) use failing::fails_at_a_row;
pub(crate) use gain::Gain;
pub(crate) use options::Options;
pub(crate) use row_origins::trace;
pub(crate) use view::{View, Viewpoint};
pub(crate) use waiting::Waiting;
pub(crate) use width::{reads_characters, width};

/// The operator that executes `op`.
///
/// # Panics
/// If it is a scope, which is a bug of the caller: see [`crate::experts`].
pub(crate) fn create(op: &Op) -> Box<dyn Operator> {
    match &op.kind {
        OpKind::Scan(_) => Box::<FlatMap<source::Scan>>::default(),
        OpKind::ById(_) => Box::new(per_row(source::ById::default())),
        OpKind::IndexLookup(_) => Box::new(per_row(source::IndexLookup::default())),
        OpKind::IndexRange(_) => Box::new(per_row(source::IndexRange::default())),
        OpKind::Inject(..) => Box::<source::Inject>::default(),
        OpKind::Expand(_) => Box::<FlatMap<expand::Expand>>::default(),
        OpKind::EdgeVertex(EdgeEnd::Both) => Box::new(per_row(expand::BothEnds)),
        OpKind::EdgeVertex(_) => Box::new(Direct(expand::one_end)),
        OpKind::Degree(_) => Box::new(Direct(expand::degree)),
        OpKind::BulkByWalks(_) | OpKind::BulkByEnds(_) => Box::<expand::Walks>::default(),
        OpKind::BulkByDegree(_) => Box::new(Direct(expand::bulk_by_degree)),
        OpKind::ExpandInto(_) => Box::<expand::ExpandInto>::default(),
        OpKind::Forget(_) => Box::new(Direct(slots::forget)),
        OpKind::Filter(_) => Box::<filter::Filter>::default(),
        OpKind::Coin(_) => Box::<filter::Coin>::default(),
        OpKind::TimeLimit(_) => Box::<time_limit::TimeLimit>::default(),
        OpKind::Properties(op::Properties {
            form: PropertyForm::Values | PropertyForm::Properties, ..
        }) => Box::new(per_row(property::PropertyStream::default())),
        OpKind::Properties(_) => Box::new(Direct(property::property_map)),
        OpKind::Fetch(_) => Box::new(Direct(property::fetch)),
        OpKind::Store(_) => Box::new(Direct(slots::store)),
        OpKind::Load(_) => Box::new(Direct(slots::load)),
        OpKind::Sack(_) => Box::new(Direct(sack::sack)),
        OpKind::SackWith(_) => Box::new(Direct(sack::sack_with)),
        OpKind::Local(_) => Box::new(Direct(local::local)),
        OpKind::Unfold => Box::new(per_row(unfold::Unfold::default())),
        OpKind::Math(_) => Box::<math::MathOp>::default(),
        OpKind::Project(_) => Box::new(Direct(slots::project)),
        OpKind::Select(_) => Box::new(Direct(select::select)),
        OpKind::Path(_) => Box::new(Direct(paths::path)),
        OpKind::Dedup(_) => Box::<dedup::Dedup>::default(),
        OpKind::Range(_) => Box::<range::Range>::default(),
        OpKind::Tail(_) => Box::<tail::Tail>::default(),
        OpKind::Order(_) => Box::<order::Order>::default(),
        OpKind::Sample(..) => Box::<sample::Sample>::default(),
        OpKind::Aggregate(_) => Box::<aggregate::Aggregate>::default(),
        OpKind::GroupCount(_) => Box::<group_count::GroupCount>::default(),
        OpKind::Barrier(_) => Box::<barrier::Barrier>::default(),
        OpKind::MergeSacks(_) => Box::<merge_sacks::MergeSacks>::default(),
        OpKind::Unmerge => Box::<unmerge::Unmerge>::default(),
        OpKind::Gather => Box::<gather::Gather>::default(),
        OpKind::OneByOne => Box::<one_by_one::OneByOne>::default(),
        OpKind::Collect(_) => Box::<collect::Collect>::default(),
        OpKind::Cap(_) => Box::<ending::Cap>::default(),
        OpKind::Discard => Box::new(Direct(ending::discard)),
        OpKind::Fail(_) => Box::new(Direct(ending::fail)),
        OpKind::Write(WriteKind::Merge(_)) => Box::<write::Merge>::default(),
        OpKind::Write(WriteKind::File(_)) => Box::<write::File>::default(),
        OpKind::Write(_) => Box::new(Direct(write::write)),
        OpKind::LoopControl { until, emit } => Box::new(loop_control::LoopControl::new(until, emit)),
        OpKind::Scope(_) => unreachable!("{} is a scope", op.step),
    }
}

/// Whether an operator that never got a message still has something to say at the end of its input.
pub(crate) fn emits_on_empty(kind: &OpKind) -> bool {
    match kind {
        OpKind::Aggregate(aggregation) => aggregation.answers_nothing(),
        OpKind::Cap(_) | OpKind::Inject(..) => true,
        OpKind::GroupCount(op::GroupCount { side_effect, .. }) => side_effect.is_none(),
        _ => false,
    }
}

/// Whether an operator keeps the batches it gets, and charges them as its own, before it is through with them.
pub(crate) fn keeps_its_input(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Order(_))
}

/// Whether an operator looks at the clock within its steps, however long its input is: it gives each a time of its own.
pub(crate) fn divides_its_work(kind: &OpKind) -> bool {
    matches!(kind, OpKind::Scope(scope) if !matches!(scope.kind, ScopeKind::Group { .. }))
}
