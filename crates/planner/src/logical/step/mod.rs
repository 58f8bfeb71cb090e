//! The steps of the logical plan. What a step has of its own is in a file with its words; here they are together.

mod access;
mod branch;
mod gathering;
mod modulator;
mod write;

use gremlin::{Order, StepName};
use values::{Direction, Str, watch};

use super::{Footprint, Role};
use crate::HIDDEN;
use crate::physical::op::{write_hop, write_range};
use crate::physical::{
    Aggregation, Algorithm, EdgeEnd, EdgeLabels, Expression, FetchKind, Hop, Injected, LocalFn, MapKeys,
    MergeSacks, Operand, PropertyForm, Sack, SackWith, SideEffectId, Slot, Test,
};
use crate::words::{InWords, Words};

pub use access::{Access, Lookup, Move};
pub use branch::{Choice, Choose, Exists, LoopCondition, LoopControl, Repeat};
pub use gathering::{Group, GroupCount, Select, Selected};
pub use modulator::{Comparison, Modulator, Origin};
pub use write::{AddEdge, AddVertex, Input, PropertyWrite, Write};

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
        watch::tick();
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
    /// `inject()`, and whether it comes in front of its stream or behind.
    Inject(Vec<Operand>, Injected),

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
    Path { by: Vec<FetchKind>, lenient: bool, from: Option<Str>, to: Option<Str> },
    /// The object in a slot becomes the current one.
    Load(Slot),
    /// `sack()`.
    Sack(Sack),
    /// `sack(operator)`.
    SackWith(SackWith<Modulator>),

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
    /// A barrier at which sacks are merged.
    MergeSacks(MergeSacks),
    /// A barrier for repeats only: the first of equal traversers passes at once.
    HoldRepeats,
    /// `aggregate()`.
    Collect { side_effect: SideEffectId, by: Modulator, eager: bool },
    /// `coin()`.
    Coin(f64),
    /// `timeLimit()`, in milliseconds.
    TimeLimit(u64),
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
    /// `pageRank()` and its kin.
    Algorithm(Box<Algorithm<Chain>>),

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
            | Self::MergeSacks(_)
            | Self::HoldRepeats
            | Self::Collect { .. }
            | Self::Sample(..)
            | Self::Algorithm(_)
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
            | Self::Sack(_)
            | Self::Map(_)
            | Self::FlatMap(_)
            | Self::Coalesce(_) => true,
            Self::Algorithm(algorithm) => !algorithm.keeps_traversers(),
            Self::Write(write) => {
                matches!(**write, Write::AddVertex(_) | Write::AddEdge(_) | Write::Merge(_))
            }
            _ => false,
        }
    }

    /// Whether traversers leave the step that have no past: nothing that was named before it is known to them.
    pub fn makes_traversers(&self) -> bool {
        match self {
            Self::Aggregate(_) | Self::Cap(_) | Self::Inject(..) => true,
            Self::Group(group) => group.side_effect.is_none(),
            Self::GroupCount(group) => group.side_effect.is_none(),
            _ => false,
        }
    }

    /// The same of those that leave its children and go on.
    pub fn lets_out_made(&self) -> bool {
        let mut made = self.makes_traversers();
        self.for_each_child(&mut |chain, role| {
            let goes_on = matches!(role, Role::Local | Role::Optional | Role::Stream);
            made |= goes_on && chain.steps.iter().any(|step| step.kind.lets_out_made());
        });
        made
    }

    /// Whether the step only drops traversers and never changes one.
    pub fn is_filter(&self) -> bool {
        matches!(self, Self::Filter(_) | Self::Compare(_) | Self::Exists(_) | Self::Identity)
    }
}

/// On one line, with its subqueries.
impl InWords for Step {
    fn write(&self, words: &mut Words<'_>) {
        self.write_head(words);
        match &self.kind {
            Kind::Exists(exists) => Chain::write_branches(&exists.branches, words),
            Kind::Coalesce(branches) | Kind::Union(branches) => Chain::write_branches(branches, words),
            Kind::Map(child)
            | Kind::FlatMap(child)
            | Kind::Local(child)
            | Kind::SideEffect(child)
            | Kind::Optional(child) => {
                words.raw(" ");
                child.write_in_braces(words);
            }
            Kind::Group(group) => {
                words.raw(" ");
                group.value.write_in_braces(words);
            }
            Kind::Algorithm(algorithm) => {
                for subquery in algorithm.subqueries().into_iter().flatten() {
                    words.raw(" ");
                    subquery.write_in_braces(words);
                }
            }
            Kind::Choose(choose) => words.say(&**choose),
            Kind::Repeat(repeat) => words.say(&**repeat),
            _ => {}
        }
    }
}

impl Step {
    /// Without its subqueries: what `profile` calls it.
    pub fn write_head(&self, words: &mut Words<'_>) {
        self.kind.write_head(self.name.as_str(), words);
        for label in self.labels.iter().filter(|label| !label.name.starts_with(HIDDEN)) {
            words.raw(" as ");
            words.raw(&label.name);
            if let (Some(slot), false) = (label.slot, words.is_brief()) {
                words.raw(":");
                words.slot(slot);
            }
        }
    }

    /// Whether its subqueries can be written on lines of their own.
    fn has_blocks(&self) -> bool {
        self.kind.flow() == Flow::Branch || matches!(self.kind, Kind::Group(_) | Kind::Algorithm(_))
    }
}

/// On one line.
impl InWords for Chain {
    fn write(&self, words: &mut Words<'_>) {
        if words.is_brief() {
            return words.raw("…");
        }
        words.list(&self.steps, ".", |w, step| w.say(step));
    }
}

/// A nested chain is written on lines of its own if it would be longer than this, in bytes.
const LONGEST_INLINE: usize = 100;

impl Chain {
    fn write_in_braces(&self, words: &mut Words<'_>) {
        words.raw("{");
        words.say(self);
        words.raw("}");
    }

    fn write_branches(branches: &[Self], words: &mut Words<'_>) {
        words.raw(" {");
        words.list(branches, " | ", |w, chain| w.say(chain));
        words.raw("}");
    }

    /// A line for each step, with its flow type:
    ///
    /// ```text
    /// seq      V(Person.id = $0)
    /// seq      out(knows)
    /// branch   where all {out(likes).filter(length > 3)}
    /// barrier  count()
    /// ```
    pub fn write_lines(&self, indent: usize, words: &mut Words<'_>) {
        for step in &self.steps {
            let start = words.text.len();
            words.indent(indent);
            words.raw(match step.kind.flow() {
                Flow::Sequential => "seq      ",
                Flow::Barrier => "barrier  ",
                Flow::Branch => "branch   ",
            });
            let head = words.text.len();
            words.say(step);
            if words.text.len() - start > LONGEST_INLINE && step.has_blocks() {
                words.text.truncate(head);
                step.write_head(words);
                words.raw("\n");
                step.kind.for_each_child(&mut |child, _| {
                    child.write_lines(indent + 4, words);
                    words.indent(indent + 4);
                    words.raw("--\n");
                });
                continue;
            }
            words.raw("\n");
        }
    }
}

impl Kind {
    /// The step without its subqueries; `name` is what Gremlin calls it.
    fn write_head(&self, name: &str, words: &mut Words<'_>) {
        match self {
            Self::Graph(access) => words.say(access),
            Self::Move(step) => words.say(step),
            Self::EdgeVertex(end) => words.raw(match end {
                EdgeEnd::Out => "outV()",
                EdgeEnd::In => "inV()",
                EdgeEnd::Both => "bothV()",
                EdgeEnd::Other(_) | EdgeEnd::OtherThanBefore => "otherV()",
            }),
            Self::Degree { direction, labels } => {
                words.call("degree", |w| write_hop(*direction, labels, w));
            }
            Self::BulkByDegree { direction, labels } => {
                words.call("bulkByDegree", |w| write_hop(*direction, labels, w));
            }
            Self::BulkByWalks { first, then } => words.call("bulkByWalks", |w| w.all([first, then])),
            Self::Inject(operands, _) => words.call("inject", |w| w.all(operands)),
            Self::Identity => words.raw("identity()"),
            Self::Filter(test) => words.call("filter", |w| w.say(test)),
            Self::Compare(comparison) => words.call("where", |w| w.say(comparison)),
            Self::Properties { keys, form } => words.call(form.name(), |w| w.say(keys)),
            Self::Take(by) => words.call("take", |w| w.say(by)),
            Self::Keep { into, origin, by } => words.call("keep", |w| {
                w.slot(*into);
                w.raw(": ");
                origin.write_by(by, w);
            }),
            Self::Call(function) => words.say(function),
            Self::Unfold => words.raw("unfold()"),
            Self::Math { expression, variables } => words.call("math", |w| {
                w.raw(expression.text());
                for (variable, origin, by) in variables {
                    w.show(format_args!("; {variable} is "));
                    origin.write_by(by, w);
                }
            }),
            Self::Project(entries) => words.call("project", |w| {
                w.list(entries, ", ", |w, (key, by)| {
                    w.raw(key);
                    w.raw(": ");
                    w.say(by);
                });
            }),
            Self::Select(select) => words.say(select),
            Self::Path { by, from, to, .. } => {
                words.call("path", |w| w.all(by));
                words.path_ends(from.as_ref(), to.as_ref());
            }
            Self::Load(slot) => words.call("load", |w| w.slot(*slot)),
            Self::Exists(exists) => {
                words.raw(name);
                exists.write_formula(words);
            }
            Self::Write(write) => words.say(&**write),
            Self::Fail(message) => words.call("fail", |w| w.raw(message)),
            _ => self.write_barrier_or_branch(name, words),
        }
    }

    fn write_barrier_or_branch(&self, name: &str, words: &mut Words<'_>) {
        match self {
            Self::Dedup { keys, across_iterations } => {
                words.call("dedup", |w| w.list(keys, ", ", |w, (origin, by)| origin.write_by(by, w)));
                words.raw(if *across_iterations { " across iterations" } else { "" });
            }
            Self::Range { low, high } => write_range(*low, *high, words),
            Self::Tail(n) => words.show(format_args!("tail({n})")),
            Self::Order { keys, limit } => {
                words.call("order", |w| {
                    w.list(keys, ", ", |w, (by, order)| {
                        w.say(by);
                        w.raw(" ");
                        w.raw(order.as_str());
                    });
                });
                if let Some(limit) = limit {
                    words.show(format_args!(" first {limit}"));
                }
            }
            Self::Aggregate(what) => words.call(what.name(), |_| {}),
            Self::Group(group) => words.say(&**group),
            Self::GroupCount(group) => words.say(&**group),
            Self::Barrier => words.raw("barrier()"),
            Self::MergeSacks(merge) => words.say(merge),
            Self::Sack(sack) => words.say(sack),
            Self::SackWith(with) => words.say(with),
            Self::HoldRepeats => words.raw("barrier(of repeats)"),
            Self::Collect { side_effect, by, eager } => {
                words.call(if *eager { "aggregate" } else { "store" }, |w| w.say(by));
                words.collecting_in(Some(*side_effect));
            }
            Self::Coin(p) => words.show(format_args!("coin({p})")),
            Self::TimeLimit(millis) => words.show(format_args!("timeLimit({millis})")),
            Self::Sample(n, weight) => {
                words.show(format_args!("sample({n})"));
                if let Some(by) = weight {
                    words.raw(" by ");
                    words.say(by);
                }
            }
            Self::Cap(ids) => words.call("cap", |w| w.list(ids, ", ", |w, id| w.side_effect(*id))),
            Self::Algorithm(algorithm) => words.say(&**algorithm),
            Self::Discard => words.raw("discard()"),
            _ => words.raw(name),
        }
    }
}
