//! The steps of the logical plan.

use gremlin::{Order, Pop, StepName};
use values::{Direction, Str};

use super::Footprint;
use crate::physical::{
    Aggregation, EdgeEnd, EdgeLabels, ElementKind, Expression, FetchKind, Formula, Hop, IndexedRange,
    LocalFn, MapKeys, Operand, Predicate, PropertyForm, SelectForm, SideEffectId, Slot, SortedPart, Test,
};
use graph::{EdgeLabelId, KeyId, VertexLabelId};
use gremlin::Cardinality;

/// Steps in a row: the logical form of an anonymous traversal.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Chain {
    /// The steps, first to last.
    pub steps: Vec<Step>,
}

impl Chain {
    /// A chain of one unlabelled step.
    pub fn of(kind: Kind, name: StepName) -> Self {
        Self { steps: vec![Step::new(kind, name)] }
    }

    /// What the chain reads and does beside its current objects.
    pub fn footprint(&self) -> Footprint {
        self.steps.iter().fold(Footprint::NONE, |sum, step| sum | step.footprint())
    }
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it does.
    pub kind: Kind,
    /// The Gremlin step it came from.
    pub name: StepName,
    /// The names that `as` gives its results.
    pub labels: Vec<Label>,
}

impl Step {
    /// A step without labels.
    pub fn new(kind: Kind, name: StepName) -> Self {
        Self { kind, name, labels: Vec::new() }
    }
}

/// A name given by `as`.
#[derive(Clone, Debug, PartialEq)]
pub struct Label {
    /// The name.
    pub name: Str,
    /// Where the object is kept for those who ask for the last object of that name; `None` if nobody does.
    pub slot: Option<Slot>,
}

/// How a step treats its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// One traverser at a time, independently of the others.
    Sequential,
    /// State over the stream.
    Barrier,
    /// Copies go into subqueries.
    Branch,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "fields are those of the physical operators of the same names")]
pub enum Kind {
    // ---- sources
    /// `V()`, `E()`.
    Graph(Access),
    /// `inject()`.
    Inject(Vec<Operand>),

    // ---- sequential
    /// Nothing; it carries labels.
    Identity,
    /// `out`, `outE` and their kin.
    Move(Move),
    /// `inV` and its kin.
    EdgeVertex(EdgeEnd),
    /// The number of edges.
    Degree { direction: Direction, labels: EdgeLabels },
    /// A move whose ends nobody looks at: the bulk is multiplied.
    BulkByDegree { direction: Direction, labels: EdgeLabels },
    /// Two such moves.
    BulkByWalks { first: Hop, then: Hop },
    /// A condition on the traverser alone.
    Filter(Test),
    /// `where(P)` with `by`, or on objects that have to be looked up.
    Compare(Comparison),
    /// `values`, `valueMap` and their kin.
    Properties { keys: MapKeys, form: PropertyForm },
    /// The value a modulator yields becomes the current object; without one the traverser is dropped.
    Take(Modulator),
    /// An object is put into a slot; the current one stays.
    Keep { into: Slot, origin: Origin, by: Modulator },
    /// A function of the current object.
    Call(LocalFn),
    /// `unfold()`.
    Unfold,
    /// `math()`: the expression and where its variables come from.
    Math { expression: Expression, variables: Vec<(Str, Origin, Modulator)> },
    /// `project()`.
    Project(Vec<(Str, Modulator)>),
    /// `select()`.
    Select(Select),
    /// `path()`.
    Path { by: Vec<FetchKind>, from: Option<Str>, to: Option<Str> },
    /// The object in a slot becomes the current one.
    Load(Slot),

    // ---- barriers
    /// `dedup()`; no keys: by the object itself.
    Dedup { keys: Vec<(Origin, Modulator)>, across_iterations: bool },
    /// `range()` and its kin.
    Range { low: u64, high: Option<u64> },
    /// `tail()`.
    Tail(u64),
    /// `order()`.
    Order { keys: Vec<(Modulator, Order)>, limit: Option<u64> },
    /// `count()` and its kin.
    Aggregate(Aggregation),
    /// `group()`.
    Group(Box<Group>),
    /// `groupCount()`.
    GroupCount(Box<GroupCount>),
    /// `barrier()`, and what bulking inserts.
    Barrier,
    /// A barrier for repeats only: the first of equal traversers passes at once.
    HoldRepeats,
    /// `aggregate()`.
    Collect { side_effect: SideEffectId, by: Modulator, eager: bool },
    /// `coin()`.
    Coin(f64),
    /// `sample()`, with a weight.
    Sample(u64, Option<Modulator>),
    /// `cap()`.
    Cap(Vec<SideEffectId>),
    /// `discard()`.
    Discard,
    /// `addV`, `addE`, `property`, `drop`.
    Write(Box<Write>),
    /// `fail()`.
    Fail(Str),

    // ---- branches
    /// `where`, `filter`, `not`, `and`, `or` with traversals.
    Exists(Exists),
    /// `map()`.
    Map(Chain),
    /// `flatMap()`.
    FlatMap(Chain),
    /// `local()`.
    Local(Chain),
    /// `sideEffect()`.
    SideEffect(Chain),
    /// `coalesce()`.
    Coalesce(Vec<Chain>),
    /// `optional()`.
    Optional(Chain),
    /// `union()`.
    Union(Vec<Chain>),
    /// `choose()`.
    Choose(Box<Choose>),
    /// `repeat()`.
    Repeat(Box<Repeat>),
}

impl Kind {
    /// How the step treats its stream.
    pub fn flow(&self) -> Flow {
        match self {
            Self::Dedup { .. }
            | Self::Range { .. }
            | Self::Tail(_)
            | Self::Order { .. }
            | Self::Aggregate(_)
            | Self::Group(_)
            | Self::GroupCount(_)
            | Self::Barrier
            | Self::HoldRepeats
            | Self::Collect { .. }
            | Self::Sample(..)
            | Self::Cap(_) => Flow::Barrier,
            Self::Exists(_)
            | Self::Map(_)
            | Self::FlatMap(_)
            | Self::Local(_)
            | Self::SideEffect(_)
            | Self::Coalesce(_)
            | Self::Optional(_)
            | Self::Union(_)
            | Self::Choose(_)
            | Self::Repeat(_) => Flow::Branch,
            _ => Flow::Sequential,
        }
    }

    /// Whether what leaves the step is an object that the step itself has made or found, behind the one that entered on its
    /// path.
    pub fn makes_object(&self) -> bool {
        match self {
            Self::Graph(_)
            | Self::Move(_)
            | Self::EdgeVertex(_)
            | Self::Degree { .. }
            | Self::Properties { .. }
            | Self::Take(_)
            | Self::Call(_)
            | Self::Unfold
            | Self::Math { .. }
            | Self::Project(_)
            | Self::Select(_)
            | Self::Path { .. }
            | Self::Load(_)
            | Self::Map(_)
            | Self::FlatMap(_)
            | Self::Coalesce(_) => true,
            Self::Write(write) => matches!(**write, Write::AddVertex(_) | Write::AddEdge(_)),
            _ => false,
        }
    }

    /// Whether traversers leave the step that have no past: nothing that was named before it is known to them.
    pub fn makes_traversers(&self) -> bool {
        match self {
            Self::Aggregate(_) | Self::Cap(_) | Self::Inject(_) => true,
            Self::Group(group) => group.side_effect.is_none(),
            Self::GroupCount(group) => group.side_effect.is_none(),
            _ => false,
        }
    }

    /// Whether the step only drops traversers and never changes one.
    pub fn is_filter(&self) -> bool {
        matches!(self, Self::Filter(_) | Self::Compare(_) | Self::Exists(_) | Self::Identity)
    }
}

/// Which elements `V()` or `E()` yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Vertices or edges.
    pub element: ElementKind,
    /// How they are found.
    pub lookup: Lookup,
}

/// How elements are found.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of the physical sources")]
pub enum Lookup {
    /// All of them.
    All,
    /// Those with one of these ids.
    Ids(Vec<Operand>),
    /// Vertices of these labels.
    VertexLabels(Vec<VertexLabelId>),
    /// Edges of these labels.
    EdgeLabels(Vec<EdgeLabelId>),
    /// Through an equality index.
    Index { labels: Vec<VertexLabelId>, key: KeyId, values: Vec<Operand>, spread: bool },
    /// Through a range index; those that it finds are to be tested.
    Range { labels: Vec<VertexLabelId>, range: IndexedRange },
}

/// Along edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The way.
    pub direction: Direction,
    /// The labels.
    pub labels: EdgeLabels,
    /// Whether it yields the edges; otherwise the neighbours.
    pub edges: bool,
    /// Only edges that satisfy this.
    pub edge_test: Option<Test>,
    /// For edges: where the vertex is kept that they were reached from, for `otherV`.
    pub from: Option<Slot>,
    /// Edge properties fetched on the way.
    pub fetch: Vec<(KeyId, Slot)>,
    /// Whether an end that was reached before is left out.
    pub distinct: bool,
    /// Which part is wanted of lists that a sort key orders.
    pub sorted: Option<SortedPart>,
    /// Which parts are wanted of lists that a secondary edge-tree orders.
    pub secondary: Vec<SortedPart>,
}

/// What a `by` makes of an object.
#[derive(Clone, Debug, PartialEq)]
pub enum Modulator {
    /// A part of it: the object itself, a property, its id, …
    Fetch(FetchKind),
    /// A part of the object in a slot, whatever the current object is.
    FetchFrom(Slot, FetchKind),
    /// The number of its edges.
    Degree(Direction, EdgeLabels),
    /// The first result of a traversal.
    Chain(Chain),
}

impl Modulator {
    /// The object itself.
    pub const THIS: Self = Self::Fetch(FetchKind::This);

    /// Whether it is the object itself.
    pub fn is_this(&self) -> bool {
        *self == Self::THIS
    }
}

/// Where a named object comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Origin {
    /// It is the current object.
    Current,
    /// The last object under an `as` label.
    Slot(Slot),
    /// An entry of the current object, which is a map.
    Entry(Str),
    /// A side-effect.
    SideEffect(SideEffectId),
    /// Found out at run time: an entry of the current map, else the slot's object, else in the path.
    Named {
        /// The name.
        name: Str,
        /// The slot, where the name is also an `as` label.
        slot: Option<Slot>,
        /// Which of several.
        pop: Pop,
    },
}

/// A comparison of objects that are not all current.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// What is compared.
    pub left: (Origin, Modulator),
    /// What the slots in `predicate` stand for; they are filled before the test.
    pub operands: Vec<(Slot, Origin, Modulator)>,
    /// The comparison.
    pub predicate: Predicate,
}

/// `select()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// What is selected.
    pub selections: Vec<Selected>,
    /// In what form.
    pub form: SelectForm,
}

/// One selected object.
#[derive(Clone, Debug, PartialEq)]
pub struct Selected {
    /// Its name.
    pub name: Str,
    /// Where it comes from.
    pub origin: Origin,
    /// Which of several.
    pub pop: Pop,
    /// What is made of it.
    pub by: Modulator,
}

/// `group()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The key.
    pub key: Modulator,
    /// The values of one key become one value.
    pub value: Chain,
    /// Where the map goes, instead of into the stream.
    pub side_effect: Option<SideEffectId>,
}

/// `groupCount()`.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupCount {
    /// The key.
    pub key: Modulator,
    /// Where the map goes, instead of into the stream.
    pub side_effect: Option<SideEffectId>,
}

/// A filter over subqueries.
#[derive(Clone, Debug, PartialEq)]
pub struct Exists {
    /// The subqueries.
    pub branches: Vec<Chain>,
    /// When the traverser passes.
    pub formula: Formula,
}

/// `choose()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Choose {
    /// What decides.
    pub choice: Choice,
    /// The branch when nothing matched, or the condition does not hold; `None` passes the traverser.
    pub otherwise: Option<Chain>,
    /// The branch when there is nothing to compare; `None` passes the traverser.
    pub unproductive: Option<Chain>,
}

/// What decides a `choose()`.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// Whether a subquery has a result: then this branch is taken.
    If(Exists, Chain),
    /// The first option that a value satisfies.
    Switch(Modulator, Vec<(Predicate, Chain)>),
}

/// `repeat()`.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeat {
    /// Tested before each iteration.
    pub head: LoopControl,
    /// What is repeated.
    pub body: Chain,
    /// Tested after each iteration.
    pub tail: LoopControl,
    /// Where the number of completed iterations is kept, for loops nested inside that ask for it by name.
    pub counter: Option<Slot>,
}

/// When traversers leave a loop.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct LoopControl {
    /// They leave if this holds.
    pub until: LoopCondition,
    /// Otherwise, if this holds, a copy leaves.
    pub emit: LoopCondition,
}

/// A condition of a loop.
#[derive(Clone, Debug, PartialEq, Default)]
pub enum LoopCondition {
    /// Never.
    #[default]
    Never,
    /// Always.
    Always,
    /// Once this many iterations are completed.
    Times(i64),
    /// If the traverser satisfies a test.
    Test(Test),
    /// If subqueries have results.
    Exists(Exists),
}

/// A change of the graph.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// `addV()`.
    AddVertex(AddVertex),
    /// `addE()`.
    AddEdge(AddEdge),
    /// `property()`.
    SetProperty(PropertyWrite),
    /// `drop()`.
    Drop,
}

/// `addV()` with its properties.
#[derive(Clone, Debug, PartialEq)]
pub struct AddVertex {
    /// The label.
    pub label: Input,
    /// An id of the user's choice.
    pub id: Option<Input>,
    /// Its properties.
    pub properties: Vec<PropertyWrite>,
}

/// `addE()` with its properties.
#[derive(Clone, Debug, PartialEq)]
pub struct AddEdge {
    /// The label.
    pub label: Input,
    /// An id of the user's choice.
    pub id: Option<Input>,
    /// The source; the current vertex if nothing is said.
    pub from: Option<Input>,
    /// The target, likewise.
    pub to: Option<Input>,
    /// Its properties.
    pub properties: Vec<PropertyWrite>,
}

/// A property to write.
#[derive(Clone, Debug, PartialEq)]
pub struct PropertyWrite {
    /// The key.
    pub key: Input,
    /// The value.
    pub value: Input,
    /// The cardinality asked for.
    pub cardinality: Option<Cardinality>,
    /// Whether the new vertex has been given a value under this key already, which it keeps unless the schema says otherwise.
    pub again: bool,
    /// Meta-properties.
    pub meta: Vec<(Input, Input)>,
}

/// A value that a write needs.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// Given.
    Operand(Operand),
    /// The first result of a traversal.
    Chain(Chain),
    /// A named object.
    Origin(Origin),
}
