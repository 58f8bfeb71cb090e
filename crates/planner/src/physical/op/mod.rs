//! The operators of a pipeline. Each has a file, with its description, its words in `explain`, and the slots that it reads and
//! fills; here they are together.

mod barrier;
mod degree;
mod ends;
mod expand;
mod file;
mod function;
mod local;
mod merge;
mod property;
mod sack;
mod select;
mod source;
mod write;

use values::Str;

use super::slots::{Slots, Use, Visit};
use super::{Condition, Operand, Scope, SideEffectId, Slot, Test};
use crate::Rounded;
use crate::words::{InWords, Words};

pub(crate) use barrier::write_range;
pub use barrier::{Aggregation, Barrier, By, Collect, Dedup, GroupCount, Range, Sort, SortKey};
pub use degree::{BulkByDegree, BulkByEnds, BulkByWalks, Degree};
pub use ends::{EdgeEnd, ExpandInto, Target};
pub use expand::{EdgeLabels, Expand, ExpandTo, Hop, SortedPart, Top};
pub(crate) use expand::{write_hop, write_parts};
pub use file::{FileFormat, GraphFile};
pub use function::*;
pub use local::{LocalFn, LocalSort};
pub use merge::{Merge, MergeEntries, MergeMap, MergePhase, MergeValue};
pub use property::{Fetch, FetchKind, MapKeys, Properties, PropertyForm, Tokens};
pub use sack::{MergeSacks, Sack, SackWith};
pub use select::{Math, Path, Project, Select, SelectForm, Selection};
pub use source::{ById, IndexLookup, IndexRange, IndexedRange, Injected, Scan, SourceIds};
pub use write::{WriteKind, WriteProperty};

/// One operator with what every kind has.
#[derive(Clone, Debug, PartialEq)]
pub struct Op {
    /// Unique within the plan, `0..Plan::ops`, upstream first; given by the last stage of lowering. Profiles and the
    /// memory that a loop's iterations share are keyed by it.
    pub id: u32,
    /// What it does.
    pub kind: OpKind,
    /// The Gremlin step it came from, as `explain` and `profile` print it.
    pub step: Str,
    /// `as` labels that the operator's output carries in its path (only where the plan records paths).
    pub labels: Vec<Str>,
    /// Whether the operator's output is a new entry of the path. False for filters, fetches, marks and barriers.
    ///
    /// A scope that moves (`map`, `flatMap`, `coalesce`) appends its result to the path that its *input* had, and its
    /// results carry the input's slots; one that does not (`local`, `union`, `choose`, `optional`, `repeat`) lets its
    /// results keep the path and the slots they got inside.
    pub moves: bool,
    /// Rows that it sends in a whole run, over all scope instances: a guess, for `explain` and `profile`.
    pub rows: f64,
}

/// Vertices or edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum ElementKind {
    Vertex,
    Edge,
}

/// What an operator does.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    // ---- sources: one input traverser becomes many (the seed, or mid-traversal `V()`)
    /// Every vertex or edge, or those of some labels.
    Scan(Scan),
    /// The elements with these ids.
    ById(ById),
    /// The vertices of a label whose key equals one of the operands.
    IndexLookup(IndexLookup),
    /// The vertices of a label whose values are in a range of an index, and perhaps others of that label.
    IndexRange(IndexRange),
    /// These objects (`inject`), before the input's own traversers or behind them.
    Inject(Vec<Operand>, Injected),

    // ---- sequential
    /// Along edges.
    Expand(Expand),
    /// From an edge to its ends.
    EdgeVertex(EdgeEnd),
    /// The number of edges.
    Degree(Degree),
    /// The bulk is multiplied by the number of edges.
    BulkByDegree(BulkByDegree),
    /// The bulk is multiplied by the number of neighbours that pass a test.
    BulkByEnds(BulkByEnds),
    /// Along edges to a vertex that is known.
    ExpandInto(ExpandInto),
    /// The bulk is multiplied by the number of walks of two steps.
    BulkByWalks(BulkByWalks),
    /// Makes slots absent that nothing downstream reads, so that their columns are freed and traversers that differed
    /// in them alone can be merged.
    Forget(Vec<Slot>),
    /// Keeps the traversers that satisfy the test.
    Filter(Test),
    /// Properties of elements.
    Properties(Properties),
    /// Fetches one value into a slot.
    Fetch(Fetch),
    /// Copies the current object into a slot (`as`, and the start of a modulated step).
    Store(Slot),
    /// Makes a slot's object the current one. A traverser whose slot is absent is dropped.
    Load(Slot),
    /// The sack becomes the current object.
    Sack(Sack),
    /// Puts something into the sack.
    SackWith(SackWith<By>),
    /// A function of the current object; a traverser without a result is dropped.
    Local(LocalFn),
    /// `unfold`.
    Unfold,
    /// `math`.
    Math(Math),
    /// `project`.
    Project(Project),
    /// `select`.
    Select(Select),
    /// `path`.
    Path(Path),

    // ---- barriers and the like: state per scope tag
    /// One traverser per distinct object (or combination of slots).
    Dedup(Dedup),
    /// Some traversers, by their place in the stream.
    Range(Range),
    /// The last n.
    Tail(u64),
    /// Sorts.
    Order(Sort),
    /// Reduces the stream to one object.
    Aggregate(Aggregation),
    /// A map from objects to the sum of their bulks.
    GroupCount(GroupCount),
    /// Collects everything and lets it go at the end; equal traversers are merged.
    Barrier(Barrier),
    /// The same, with what is in their sacks.
    MergeSacks(MergeSacks),
    /// Makes of each merged traverser as many as its bulk says.
    Unmerge,
    /// Collects everything and lets it go at the end, as it came.
    Gather,
    /// Passes traversers on one by one: the next when all that came of the last has gone as far as it can.
    OneByOne,
    /// Adds objects to a side-effect and passes the traversers on.
    Collect(Collect),
    /// Keeps each traverser with this probability (`coin`).
    Coin(f64),
    /// Ends the stream so many milliseconds after its first traverser (`timeLimit`).
    TimeLimit(u64),
    /// This many traversers, drawn at random, each as likely as its weight in the slot (alike without one) (`sample`).
    Sample(u64, Option<Slot>),
    /// Emits a side-effect when the input has ended (`cap`).
    Cap(Vec<SideEffectId>),
    /// Drops every traverser (`discard`, `none`, `iterate()`).
    Discard,
    /// Changes the graph.
    Write(WriteKind),
    /// Stops the query with this message (`fail`).
    Fail(Str),

    // ---- loops and subqueries
    /// A decision point of the enclosing loop. The engine puts it before and after the body when it instantiates a
    /// `Repeat` scope; plans do not contain it.
    LoopControl {
        /// Leaves the loop.
        until: Condition,
        /// A copy leaves the loop.
        emit: Condition,
    },
    /// A scope.
    Scope(Box<Scope>),
}

/// On one line, without what a scope has inside.
impl InWords for Op {
    fn write(&self, words: &mut Words<'_>) {
        words.say(&self.kind);
        for label in &self.labels {
            words.raw(" as ");
            words.raw(label);
        }
        if let OpKind::Scope(scope) = &self.kind {
            words.raw(" [");
            words.say(&scope.grain);
            words.say(&scope.policy);
            words.raw("]");
        }
        if self.rows > 0.0 {
            words.show(format_args!("  ~{}", Rounded(self.rows)));
        }
        if !self.step.is_empty() {
            words.raw("    ← ");
            words.raw(&self.step);
        }
    }
}

impl InWords for OpKind {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Scan(scan) => words.say(scan),
            Self::ById(by_id) => words.say(by_id),
            Self::IndexLookup(lookup) => words.say(lookup),
            Self::IndexRange(range) => words.say(range),
            Self::Inject(operands, _) => words.call("Inject", |w| w.all(operands)),
            Self::Expand(expand) => words.say(expand),
            Self::EdgeVertex(end) => words.say(end),
            Self::Degree(degree) => words.say(degree),
            Self::BulkByDegree(degree) => words.say(degree),
            Self::BulkByEnds(ends) => words.say(ends),
            Self::ExpandInto(into) => words.say(into),
            Self::BulkByWalks(walks) => words.say(walks),
            Self::Forget(slots) => words.call("Forget", |w| w.list(slots, ", ", |w, slot| w.slot(*slot))),
            Self::Filter(test) => words.call("Filter", |w| w.say(test)),
            Self::Properties(properties) => words.say(properties),
            Self::Fetch(fetch) => words.say(fetch),
            Self::Store(slot) => {
                words.raw("Store");
                words.filling(Some(*slot));
            }
            Self::Load(slot) => words.call("Load", |w| w.slot(*slot)),
            Self::Sack(sack) => words.say(sack),
            Self::SackWith(with) => words.say(with),
            Self::Local(function) => words.call("Local", |w| w.say(function)),
            Self::Unfold => words.raw("Unfold"),
            Self::Math(math) => words.say(math),
            Self::Project(project) => words.say(project),
            Self::Select(select) => words.say(select),
            Self::Path(path) => words.say(path),
            Self::Dedup(dedup) => words.say(dedup),
            Self::Range(range) => words.say(range),
            Self::Tail(n) => words.show(format_args!("Tail({n})")),
            Self::Order(sort) => words.say(sort),
            Self::Aggregate(what) => words.call("Aggregate", |w| w.raw(what.name())),
            Self::GroupCount(group) => words.say(group),
            Self::Barrier(barrier) => words.say(barrier),
            Self::MergeSacks(merge) => words.say(merge),
            Self::Unmerge => words.raw("Unmerge"),
            Self::Gather => words.raw("Gather"),
            Self::OneByOne => words.raw("OneByOne"),
            Self::Collect(collect) => words.say(collect),
            Self::Coin(p) => words.show(format_args!("Coin({p})")),
            Self::TimeLimit(millis) => words.show(format_args!("TimeLimit({millis})")),
            Self::Sample(n, weight) => {
                words.show(format_args!("Sample({n})"));
                if let Some(slot) = weight {
                    words.raw(" by ");
                    words.slot(*slot);
                }
            }
            Self::Cap(ids) => words.call("Cap", |w| w.list(ids, ", ", |w, id| w.side_effect(*id))),
            Self::Discard => words.raw("Discard"),
            Self::Write(write) => words.say(write),
            Self::Fail(message) => words.call("Fail", |w| w.raw(message)),
            Self::LoopControl { until, emit } => {
                words.raw("LoopControl");
                Condition::write_both(until, emit, words);
            }
            Self::Scope(scope) => words.say(&scope.kind),
        }
    }
}

/// The slots that the operator itself names; of a scope those of the scope, not of its pipelines.
impl Slots for OpKind {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::Scan(scan) => scan.for_each_slot(visit),
            Self::ById(by_id) => by_id.for_each_slot(visit),
            Self::IndexLookup(lookup) => lookup.for_each_slot(visit),
            Self::IndexRange(range) => range.for_each_slot(visit),
            Self::Inject(operands, _) => operands.for_each_slot(visit),
            Self::Expand(expand) => expand.for_each_slot(visit),
            Self::EdgeVertex(end) => end.for_each_slot(visit),
            Self::Degree(degree) => degree.for_each_slot(visit),
            Self::BulkByDegree(degree) => degree.for_each_slot(visit),
            Self::BulkByEnds(ends) => ends.for_each_slot(visit),
            Self::ExpandInto(into) => into.for_each_slot(visit),
            Self::BulkByWalks(walks) => walks.for_each_slot(visit),
            Self::Filter(test) => test.for_each_slot(visit),
            Self::Properties(properties) => properties.for_each_slot(visit),
            Self::Fetch(fetch) => fetch.for_each_slot(visit),
            Self::Store(slot) => visit(slot, Use::Fill),
            Self::Load(slot) => visit(slot, Use::Read),
            Self::Local(function) => function.for_each_slot(visit),
            Self::Math(math) => math.for_each_slot(visit),
            Self::Project(project) => project.for_each_slot(visit),
            Self::Select(select) => select.for_each_slot(visit),
            Self::Path(path) => path.for_each_slot(visit),
            Self::Dedup(dedup) => dedup.for_each_slot(visit),
            Self::Range(range) => range.for_each_slot(visit),
            Self::Order(sort) => sort.for_each_slot(visit),
            Self::GroupCount(group) => group.for_each_slot(visit),
            Self::Barrier(barrier) => barrier.for_each_slot(visit),
            Self::Sack(sack) => sack.for_each_slot(visit),
            Self::SackWith(with) => with.for_each_slot(visit),
            Self::MergeSacks(merge) => merge.for_each_slot(visit),
            Self::Collect(collect) => collect.for_each_slot(visit),
            Self::Sample(_, weight) => weight.iter_mut().for_each(|slot| visit(slot, Use::Read)),
            Self::Write(write) => write.for_each_slot(visit),
            Self::LoopControl { until, emit } => {
                until.for_each_slot(visit);
                emit.for_each_slot(visit);
            }
            Self::Scope(scope) => scope.kind.for_each_slot(visit),
            // What is forgotten is neither read nor filled.
            Self::Forget(_)
            | Self::Unfold
            | Self::Tail(_)
            | Self::Aggregate(_)
            | Self::Unmerge
            | Self::Gather
            | Self::OneByOne
            | Self::Coin(_)
            | Self::TimeLimit(_)
            | Self::Cap(_)
            | Self::Discard
            | Self::Fail(_) => {}
        }
    }
}
