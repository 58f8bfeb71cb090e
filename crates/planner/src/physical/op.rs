//! The operators of a pipeline.

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use gremlin::{Cardinality, Column, Order, Pop};
use values::{Direction, Str, T, Value};

use super::{Expression, Operand, Scope, SideEffectId, Slot, Test};

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

/// Edge labels to follow.
#[derive(Clone, Debug, PartialEq)]
pub enum EdgeLabels {
    /// Any label.
    All,
    /// These labels; an empty list follows nothing.
    Only(Vec<EdgeLabelId>),
}

/// One step along edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Hop {
    /// The way.
    pub direction: Direction,
    /// The labels.
    pub labels: EdgeLabels,
}

/// What an expansion yields.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpandTo {
    /// The neighbours (`out`).
    Vertices,
    /// The edges (`outE`). The vertex it was reached from is kept where `otherV` needs it.
    Edges {
        /// Slot that receives the vertex the edge was reached from.
        from: Option<Slot>,
    },
}

/// A vertex that is known before it is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// The vertex with an id, which is the same for all traversers.
    Id(Operand),
    /// The vertex in a slot.
    Slot(Slot),
}

/// Which end of the current edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeEnd {
    /// The source (`outV`).
    Out,
    /// The target (`inV`).
    In,
    /// Both, source first (`bothV`).
    Both,
    /// The one that is not in the slot (`otherV`).
    Other(Slot),
}

/// Ids to look up. Each operand may be an id, an element (its id counts), or a collection of either.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceIds(pub Vec<Operand>);

/// Where a modulated step takes its object from (`by`).
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// The current object itself.
    Current,
    /// A slot, filled before.
    Slot(Slot),
}

/// One key of an `order`.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// What is compared. A traverser whose key is absent is dropped.
    pub by: By,
    /// How.
    pub order: Order,
}

/// How properties are returned.
#[derive(Clone, Debug, PartialEq)]
pub enum PropertyForm {
    /// `values`: each value.
    Values,
    /// `properties`: each property, as an object.
    Properties,
    /// `valueMap`: one map per element. The two flags are `with(tokens, ids)` and `with(tokens, labels)`.
    ValueMap {
        /// Includes `T.id`.
        ids: bool,
        /// Includes `T.label`.
        labels: bool,
        /// Unwraps single-element lists (`by(unfold())`).
        unfold: bool,
    },
    /// `elementMap`.
    ElementMap,
    /// `propertyMap`.
    PropertyMap,
}

/// Keys of a property step: none means all.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MapKeys {
    /// The keys asked for, known to the catalog or not.
    pub names: Vec<Str>,
    /// Those the catalog knows, in the same order.
    pub ids: Vec<KeyId>,
}

/// An aggregation of a whole stream (per scope tag) into one object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregation {
    /// Sum of bulks.
    Count,
    /// Sum of numbers; nothing if there is none.
    Sum,
    /// Smallest object; nothing if there is none.
    Min,
    /// Largest object; nothing if there is none.
    Max,
    /// Arithmetic mean; nothing if there is no number.
    Mean,
    /// All objects in a list.
    Fold,
}

/// A function of the current object alone, one result at most per traverser (steps with `Scope.local`, and simple maps).
#[derive(Clone, Debug, PartialEq)]
pub enum LocalFn {
    /// `count(local)`.
    Count,
    /// `sum(local)`.
    Sum,
    /// `min(local)`.
    Min,
    /// `max(local)`.
    Max,
    /// `mean(local)`.
    Mean,
    /// `range(local, low, high)`, `limit(local, n)`, `skip(local, n)`; high -1 for no end.
    Range(i64, i64),
    /// `tail(local, n)`.
    Tail(i64),
    /// `dedup(local)`.
    Dedup,
    /// `order(local)` by the member itself, a map's keys or its values, or an element's property.
    Order(Vec<(LocalSort, Order)>),
    /// `id()`.
    Id,
    /// `label()`.
    Label,
    /// `key()`.
    Key,
    /// `value()`.
    Value,
    /// `constant(x)`.
    Constant(Operand),
    /// `select(keys)` or `select(values)` of a map, an entry or a path.
    Column(Column),
    /// `select('k')` on a map object.
    MapEntry(Value),
    /// `loops()`.
    Loops,
    /// `index()` and everything else that is pure and named: the step's own name with its constant arguments.
    ///
    /// The arguments in their order: `asNumber(GType.INT)` has `"INT"`, `dateAdd(DT.hour, 2)` has `"hour", 2`,
    /// `dateDiff` the other date, `index().with(map)` the number of the indexer (0 list, 1 map), `concat`, `merge` and the other
    /// functions of lists theirs as given.
    Named(gremlin::StepName, Vec<Value>),
    /// As [`LocalFn::Named`], on each member of a list (`Scope.local` of the functions of text).
    Each(gremlin::StepName, Vec<Value>),
}

/// What `order(local)` compares.
#[derive(Clone, Debug, PartialEq)]
pub enum LocalSort {
    /// The member itself (a map's entries by value).
    Member,
    /// A map's keys or values.
    Column(Column),
    /// A property of the member, or a key of a member that is a map.
    Property(Str, Option<KeyId>),
    /// The member's id or label.
    Token(T),
}

/// One selected label.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// The label, which is also the key in the resulting map.
    pub name: Str,
    /// Where the object is: a slot (the last object under that label), or `None` to look it up in a side-effect, in the
    /// current map, or in the path.
    pub slot: Option<Slot>,
    /// The side-effect of that name, if the plan has one.
    pub side_effect: Option<SideEffectId>,
    /// Which objects under the label.
    pub pop: Pop,
    /// How each selected object is transformed: a slot filled by a preceding scope.
    pub by: Option<Slot>,
}

/// The shape of `select`'s result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectForm {
    /// `select('a')`: the object itself.
    One,
    /// `select('a','b')`: a map.
    Map,
}

/// A change of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum WriteKind {
    /// `addV(label)`; the label may come from a slot.
    AddVertex {
        /// The label.
        label: Operand,
        /// An id of the user's choice.
        id: Option<Operand>,
        /// Properties set with it.
        properties: Vec<WriteProperty>,
    },
    /// `addE(label).from(a).to(b)`.
    AddEdge {
        /// The label.
        label: Operand,
        /// An id of the user's choice.
        id: Option<Operand>,
        /// The source: a slot, or `None` for the current vertex. A constant operand is a vertex id.
        from: Option<Operand>,
        /// The target, likewise.
        to: Option<Operand>,
        /// Properties set with it.
        properties: Vec<WriteProperty>,
    },
    /// `property(…)` on an element of the stream.
    SetProperty(WriteProperty),
    /// `drop()` of elements and properties.
    Drop,
}

/// One property to write.
#[derive(Clone, Debug, PartialEq)]
pub struct WriteProperty {
    /// The key.
    pub key: Operand,
    /// The value; an absent slot is an error.
    pub value: Operand,
    /// The cardinality asked for; `None` for the schema's default (single).
    pub cardinality: Option<Cardinality>,
    /// Whether the new vertex has been given a value under this key already, which it keeps unless the schema says otherwise.
    pub again: bool,
    /// Meta-properties.
    pub meta: Vec<(Operand, Operand)>,
}

/// Which entries of a range index are meant: values equal to `equal` under the first of its keys, and a value between
/// `low` and `high`, both included, under the next one, if either is there.
#[derive(Clone, Debug, PartialEq)]
pub struct IndexedRange {
    /// The keys of the index.
    pub keys: Vec<KeyId>,
    /// Values of the first keys.
    pub equal: Vec<Operand>,
    /// The smallest value of the next key.
    pub low: Option<Operand>,
    /// The largest value of the next key.
    pub high: Option<Operand>,
    /// Whether those that are found come in the order of that key's values, ascending or descending; those that have none
    /// do not come then.
    pub order: Option<Order>,
}

impl IndexedRange {
    /// A range of an index over one key, in no order.
    pub(crate) fn of(
        key: KeyId,
        equal: Vec<Operand>,
        (low, high): (Option<Operand>, Option<Operand>),
    ) -> Self {
        Self { keys: vec![key], equal, low, high, order: None }
    }

    /// Whether it is less than the whole index.
    pub(crate) fn is_bounded(&self) -> bool {
        !self.equal.is_empty() || self.low.is_some() || self.high.is_some()
    }

    /// All its operands.
    pub(crate) fn operands(&mut self) -> impl Iterator<Item = &mut Operand> {
        self.equal.iter_mut().chain(&mut self.low).chain(&mut self.high)
    }
}

/// Which part is wanted of lists that a sort key orders. Where a list is ordered otherwise (none was there yet when the key
/// was declared), all of it is read.
#[derive(Clone, Debug, PartialEq)]
pub struct SortedPart {
    /// The sort key.
    pub key: KeyId,
    /// No edges with smaller values. (A test that says so as well is behind it.)
    pub low: Option<Operand>,
    /// No edges with larger values. (Likewise.)
    pub high: Option<Operand>,
    /// Whether the test behind says nothing but that values are above `low` and below `high`, so that it holds for
    /// whatever lies strictly between the two.
    pub exact: bool,
    /// Of those that pass the test, the first or last few of every list.
    pub top: Option<Top>,
}

/// The first edges of every list, or the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Top {
    /// How many.
    pub limit: u64,
    /// Whether those with the largest values.
    pub descending: bool,
}

/// What an operator does.
#[derive(Clone, Debug, PartialEq)]
pub enum OpKind {
    // ---- sources: one input traverser becomes many (the seed, or mid-traversal `V()`)
    /// Every vertex or edge, or those of some labels.
    Scan {
        /// Vertices or edges.
        kind: ElementKind,
        /// Only these vertex labels; `None` for all.
        vertex_labels: Option<Vec<VertexLabelId>>,
        /// Only these edge labels; `None` for all.
        edge_labels: Option<Vec<EdgeLabelId>>,
    },
    /// The elements with these ids.
    ById {
        /// Vertices or edges.
        kind: ElementKind,
        /// The ids.
        ids: SourceIds,
    },
    /// The vertices of a label whose key equals one of the operands.
    IndexLookup {
        /// The vertex label.
        label: VertexLabelId,
        /// The indexed key.
        key: KeyId,
        /// The values.
        values: Vec<Operand>,
        /// Whether collections among the operands are spread, as in [`super::Predicate::Within`].
        spread: bool,
    },
    /// The vertices of a label whose values are in a range of an index, and perhaps others of that label.
    IndexRange {
        /// The vertex label.
        label: VertexLabelId,
        /// The index and the range.
        range: IndexedRange,
    },
    /// These objects (`inject`), before the input's own traversers.
    Inject(Vec<Operand>),

    // ---- sequential
    /// Along edges.
    Expand {
        /// The way.
        direction: Direction,
        /// The labels.
        labels: EdgeLabels,
        /// What it yields.
        to: ExpandTo,
        /// Only edges that satisfy this (a test on the edge, pushed down).
        edge_test: Option<Test>,
        /// Only ends that satisfy this: tests of their properties, all of which must hold. Of expansions to vertices that
        /// look at nothing of the edges and leave no duplicates out.
        end_test: Option<Test>,
        /// Edge properties to fetch on the way.
        fetch: Vec<(KeyId, Slot)>,
        /// Whether an end that an equal tag has already reached through this operator is left out: expansion fused
        /// with a `dedup` of the current object that follows it.
        distinct: bool,
        /// Which part of the lists is wanted, if they are ordered by a sort key.
        sorted: Option<SortedPart>,
        /// Which part of a long list is wanted, if it has a secondary edge-tree by one of these keys; the first that it has
        /// is used.
        secondary: Vec<SortedPart>,
    },
    /// From an edge to its ends.
    EdgeVertex(EdgeEnd),
    /// The number of edges (`out('x').count()` per traverser).
    Degree {
        /// The way.
        direction: Direction,
        /// The labels.
        labels: EdgeLabels,
        /// Where it goes; `None`: the current object.
        into: Option<Slot>,
    },
    /// Multiplies the bulk of the current vertex by the number of its edges, and drops it if there is none: an
    /// expansion whose ends nobody looks at (`out('x').count()` of a whole stream).
    BulkByDegree {
        /// The way.
        direction: Direction,
        /// The labels.
        labels: EdgeLabels,
    },
    /// Multiplies the bulk of the current vertex by the number of its neighbours that pass a test of their properties, and
    /// drops it if there is none: an expansion with an `end_test` whose ends are only counted.
    BulkByEnds {
        /// To the neighbours.
        hop: Hop,
        /// As the `end_test` of an expansion.
        test: Test,
    },
    /// From the current vertex along edges to one that is known, which becomes the current one; its bulk is multiplied by the
    /// number of these edges, and it is dropped if there is none. They are looked for in the shorter one of the two vertices'
    /// lists.
    ExpandInto {
        /// The edges.
        hop: Hop,
        /// The vertex.
        target: Target,
    },
    /// Multiplies the bulk of the current vertex by the number of walks of two steps: two such expansions in a row.
    BulkByWalks {
        /// To the neighbours.
        first: Hop,
        /// Beyond them; along a few labels that are named.
        then: Hop,
    },
    /// Makes slots absent that nothing downstream reads, so that their columns are freed and traversers that differed
    /// in them alone can be merged.
    Forget(Vec<Slot>),
    /// Keeps the traversers that satisfy the test.
    Filter(Test),
    /// Properties of elements.
    Properties {
        /// Which.
        keys: MapKeys,
        /// In what form.
        form: PropertyForm,
    },
    /// Fetches one value of an element (or an entry of a map object) into a slot; absent if there is none.
    Fetch {
        /// The element.
        from: By,
        /// What of it.
        what: FetchKind,
        /// Where it goes.
        into: Slot,
    },
    /// Copies the current object into a slot (`as`, and the start of a modulated step).
    Store(Slot),
    /// Makes a slot's object the current one. A traverser whose slot is absent is dropped.
    Load(Slot),
    /// A function of the current object; a traverser without a result is dropped.
    Local(LocalFn),
    /// `unfold`.
    Unfold,
    /// `math`: the expression with the slots its variables are in (`None`: the current object).
    Math {
        /// The expression.
        expression: Expression,
        /// The variables.
        variables: Vec<(Str, Option<Slot>)>,
    },
    /// `project`: a map of these keys, absent slots left out.
    Project {
        /// Keys and where their values are.
        entries: Vec<(Str, By)>,
    },
    /// `select`.
    Select {
        /// What is selected.
        selections: Vec<Selection>,
        /// In what form.
        form: SelectForm,
    },
    /// `path`. Each object may be transformed, round-robin, by `by`.
    Path {
        /// Transformations.
        by: Vec<FetchKind>,
        /// The label to start from.
        from: Option<Str>,
        /// The label to end at.
        to: Option<Str>,
    },

    // ---- barriers and the like: state per scope tag
    /// One traverser per distinct object (or combination of slots).
    Dedup {
        /// What must be distinct.
        by: Vec<By>,
        /// Whether the memory is shared by all iterations of the enclosing loop.
        across_iterations: bool,
        /// Whether the expansion before it leaves out duplicates already, in all pieces of an exchange together, as long as
        /// there is one scope tag.
        in_pieces: bool,
    },
    /// Traversers low..high of the stream, counted by bulk; high `None` for no end. Completes its scope instance once full.
    Range {
        /// First to pass.
        low: u64,
        /// First not to pass.
        high: Option<u64>,
    },
    /// The last n.
    Tail(u64),
    /// Sorts; with a limit it keeps only the first `limit` (top-k).
    Order {
        /// The keys, most significant first. Empty: by the object itself.
        keys: Vec<SortKey>,
        /// How many are needed.
        limit: Option<u64>,
    },
    /// Reduces the stream to one object.
    Aggregate(Aggregation),
    /// A map from objects to the sum of their bulks.
    GroupCount {
        /// The key.
        key: By,
        /// Puts the map into a side-effect and passes the traversers.
        side_effect: Option<SideEffectId>,
    },
    /// Collects everything and lets it go at the end; equal traversers are merged (bulked).
    Barrier {
        /// Whether the first of equal traversers passes at once, and only those that come after it are collected.
        first_passes: bool,
    },
    /// Makes of each merged traverser as many as its bulk says.
    Unmerge,
    /// Collects everything and lets it go at the end, as it came.
    Gather,
    /// Passes traversers on one by one: the next when all that came of the last has gone as far as it can.
    OneByOne,
    /// Adds objects to a side-effect and passes the traversers on.
    Collect {
        /// Where to.
        side_effect: SideEffectId,
        /// What.
        by: By,
        /// Whether everything is collected before anything passes on (`aggregate` with global scope).
        eager: bool,
    },
    /// Keeps each traverser with this probability (`coin`).
    Coin(f64),
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
        until: super::Condition,
        /// A copy leaves the loop.
        emit: super::Condition,
    },
    /// A scope.
    Scope(Box<Scope>),
}

/// What a [`OpKind::Fetch`] fetches.
#[derive(Clone, Debug, PartialEq)]
pub enum FetchKind {
    /// The object itself.
    This,
    /// The first value under a key; of a map object, the entry of that name.
    Property(Str, Option<KeyId>),
    /// The same where a vertex must not have several values: `by('key')`.
    Only(Str, Option<KeyId>),
    /// Id, label, key or value.
    Token(T),
    /// Keys or values of a map.
    Column(Column),
}

impl FetchKind {
    /// The key whose value it fetches, if it does, and the catalog knows it.
    pub fn key(&self) -> Option<KeyId> {
        match self {
            Self::Property(_, key) | Self::Only(_, key) => *key,
            _ => None,
        }
    }
}
