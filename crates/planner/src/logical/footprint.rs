//! What a step touches beside its current object.
//!
//! Rules move, merge and drop steps; the footprint says which of that changes an answer. It errs on the side of
//! touching too much.

use super::{
    Access, Choice, Comparison, Exists, Kind, Lookup, LoopCondition, Modulator, Move, Origin, Select, Step,
    Write,
};
use crate::physical::op::ToText;
use crate::physical::{Child, EdgeEnd, Function, LocalFn, Operand, Predicate, Test};
use gremlin::Order;

/// A set of things a step may touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Footprint(u16);

impl Footprint {
    /// Nothing but the current object.
    pub const NONE: Self = Self(0);
    /// Reads objects kept earlier (`select('a')`, `where(eq('a'))`).
    pub const SLOTS: Self = Self(1);
    /// Reads the path.
    pub const PATH: Self = Self(2);
    /// Reads the number of iterations.
    pub const LOOPS: Self = Self(4);
    /// Reads a side-effect.
    pub const SIDE_EFFECT: Self = Self(8);
    /// Fills a side-effect.
    pub const FILLS: Self = Self(128);
    /// Changes the graph, or stops the query.
    pub const WRITES: Self = Self(16);
    /// Depends on how often an object is in the stream, or on its neighbours in the stream.
    pub const STREAM: Self = Self(32);
    /// Gives names to objects for others to read.
    pub const NAMES: Self = Self(64);

    /// Draws at random.
    pub const RANDOM: Self = Self(256);
    /// What running once more does, beside making the same results once more.
    pub const REPEATED: Self = Self(Self::FILLS.0 | Self::WRITES.0 | Self::RANDOM.0);

    /// Whether any of `other` is touched.
    pub fn touches(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Whether the step is a function of each current object and of nothing else.
    pub fn is_pure(self) -> bool {
        self.0 == 0
    }
}

impl std::ops::BitOr for Footprint {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl Step {
    /// What the step and its subqueries touch.
    pub fn footprint(&self) -> Footprint {
        let own = self.kind.footprint();
        if self.labels.is_empty() { own } else { own | Footprint::NAMES }
    }
}

impl Kind {
    /// What the step and its subqueries touch; not that it names its results.
    pub fn footprint(&self) -> Footprint {
        let mut sum = self.own_footprint();
        self.for_each_child(&mut |chain, _| sum = sum | chain.footprint());
        sum
    }

    /// Whether answers could tell that several traversers enter as one with a bulk, though the traversal did not ask for it:
    /// a subquery that runs once for all of them draws once, and one that sees the bulk has a `limit` for all of them. A barrier that
    /// merges sacks adds up those of the traversers that it is given.
    pub fn shows_merging(&self) -> bool {
        let mut shows = matches!(self, Self::MergeSacks(_));
        self.for_each_child(&mut |chain, role| {
            let told = match role.child() {
                Child::Stream => chain.steps.iter().any(|step| step.kind.shows_merging()),
                Child::Whole => chain.footprint().touches(Footprint::REPEATED | Footprint::STREAM),
                Child::Each | Child::EachTimesBulk | Child::Fresh => {
                    chain.footprint().touches(Footprint::REPEATED)
                }
            };
            shows |= told;
        });
        shows
    }

    /// Whether it writes, and a subquery that computes what it writes does more than that: it runs as often as the step writes.
    pub fn acts_for_what_it_writes(&self) -> bool {
        let mut acts = false;
        if let Self::Write(_) = self {
            self.for_each_child(&mut |chain, _| acts |= chain.footprint().touches(Footprint::REPEATED));
        }
        acts
    }

    /// Without the subqueries.
    pub(super) fn own_footprint(&self) -> Footprint {
        match self {
            Self::Filter(test) => of_test(test),
            Self::Move(Move { edge_test, from, fetch, distinct, .. }) => {
                let mut sum = edge_test.as_ref().map_or(Footprint::NONE, of_test);
                if from.is_some() || !fetch.is_empty() {
                    sum = sum | Footprint::NAMES;
                }
                if *distinct {
                    sum = sum | Footprint::STREAM;
                }
                sum
            }
            Self::EdgeVertex(EdgeEnd::OtherThanBefore) => Footprint::PATH,
            Self::EdgeVertex(EdgeEnd::Other(_)) | Self::Load(_) | Self::Sack(_) => Footprint::SLOTS,
            Self::SackWith(with) => of_modulator(&with.by) | Footprint::SLOTS | Footprint::NAMES,
            Self::MergeSacks(_) => Footprint::STREAM | Footprint::SLOTS | Footprint::NAMES,
            Self::Graph(Access { lookup, .. }) => match lookup {
                Lookup::Ids(ids) => of_operands(ids),
                Lookup::Index { values, .. } => of_operands(values),
                _ => Footprint::NONE,
            },
            Self::Inject(..) => Footprint::STREAM,
            Self::Compare(Comparison { left, operands, predicate }) => operands.iter().fold(
                of_origin(&left.0) | of_modulator(&left.1) | of_predicate(predicate),
                |sum, (_, origin, by)| sum | of_origin(origin) | of_modulator(by),
            ),
            Self::Call(function) => of_function(function),
            Self::Take(by) => of_modulator(by),
            Self::Keep { origin, by, .. } => of_origin(origin) | of_modulator(by) | Footprint::NAMES,
            Self::Math { variables, .. } => variables
                .iter()
                .fold(Footprint::NONE, |sum, (_, origin, by)| sum | of_origin(origin) | of_modulator(by)),
            Self::Project(entries) => {
                entries.iter().fold(Footprint::NONE, |sum, (_, by)| sum | of_modulator(by))
            }
            Self::Select(Select { selections, .. }) => {
                selections.iter().fold(Footprint::NONE, |sum, selected| {
                    sum | of_origin(&selected.origin) | of_modulator(&selected.by)
                })
            }
            Self::Path { from, to, .. } => of_path(from.is_some() || to.is_some()),
            Self::Dedup { keys, .. } => keys
                .iter()
                .fold(Footprint::STREAM, |sum, (origin, by)| sum | of_origin(origin) | of_modulator(by)),
            Self::Order { keys, .. } => keys.iter().fold(Footprint::STREAM, |sum, (by, order)| {
                let drawn = if *order == Order::Shuffle { Footprint::RANDOM } else { Footprint::NONE };
                sum | of_modulator(by) | drawn
            }),
            Self::Range { .. }
            | Self::Tail(_)
            | Self::Aggregate(_)
            | Self::Barrier
            | Self::Algorithm(_)
            | Self::HoldRepeats
            | Self::BulkByDegree { .. }
            | Self::BulkByWalks { .. } => Footprint::STREAM,
            Self::Group(group) => with_side_effect(of_modulator(&group.key), group.side_effect.is_some()),
            Self::GroupCount(group) => {
                with_side_effect(of_modulator(&group.key), group.side_effect.is_some())
            }
            Self::Collect { by, .. } => of_modulator(by) | Footprint::FILLS,
            Self::Coin(_) => Footprint::STREAM | Footprint::RANDOM,
            Self::TimeLimit(_) => Footprint::STREAM,
            Self::Sample(_, weight) => {
                let drawn = Footprint::STREAM | Footprint::RANDOM;
                weight.as_ref().map_or(drawn, |by| drawn | of_modulator(by))
            }
            Self::Cap(_) => Footprint::SIDE_EFFECT | Footprint::STREAM,
            Self::Write(write) => match &**write {
                Write::Drop => Footprint::WRITES,
                _ => Footprint::WRITES | Footprint::SLOTS,
            },
            Self::Fail(_) => Footprint::WRITES,
            Self::Choose(choose) => match &choose.choice {
                Choice::Switch(by, _) => of_modulator(by),
                Choice::If(..) => Footprint::NONE,
            },
            Self::Repeat(repeat) => {
                let conditions =
                    [&repeat.head.until, &repeat.head.emit, &repeat.tail.until, &repeat.tail.emit];
                let counter = if repeat.counter.is_some() { Footprint::NAMES } else { Footprint::NONE };
                conditions.into_iter().fold(counter, |sum, condition| match condition {
                    LoopCondition::Test(test) => sum | of_test(test),
                    _ => sum,
                })
            }
            // A union repeats its input, a coalesce does not: neither looks at the stream itself.
            _ => Footprint::NONE,
        }
    }
}

/// A part of a path that nothing is called stops the query.
fn of_path(part: bool) -> Footprint {
    Footprint::PATH | if part { Footprint::WRITES } else { Footprint::NONE }
}

fn with_side_effect(footprint: Footprint, side_effect: bool) -> Footprint {
    footprint | if side_effect { Footprint::FILLS } else { Footprint::STREAM }
}

fn of_modulator(by: &Modulator) -> Footprint {
    match by {
        Modulator::FetchFrom(..) => Footprint::SLOTS,
        // Of a traversal only what the step does with its result: it is one of the subqueries.
        Modulator::Chain(_) | Modulator::Fetch(_) | Modulator::Degree(..) => Footprint::NONE,
    }
}

fn of_origin(origin: &Origin) -> Footprint {
    match origin {
        Origin::Current | Origin::Entry(_) => Footprint::NONE,
        Origin::Slot(_) => Footprint::SLOTS,
        Origin::SideEffect(_) => Footprint::SIDE_EFFECT,
        Origin::Named { .. } => Footprint::SLOTS | Footprint::PATH | Footprint::SIDE_EFFECT,
    }
}

fn of_function(function: &LocalFn) -> Footprint {
    match function {
        LocalFn::Loops => Footprint::LOOPS,
        LocalFn::Sample(_) => Footprint::RANDOM,
        LocalFn::Constant(operand)
        | LocalFn::Rebuilt(operand)
        | LocalFn::EntryOf(operand)
        | LocalFn::ListOf(operand)
        | LocalFn::Made { by: operand, .. } => of_operand(operand),
        LocalFn::Call(Function::ToText(ToText::Format), args) => of_operands(args) | Footprint::PATH,
        LocalFn::Call(_, args)
        | LocalFn::Each(_, args)
        | LocalFn::PathOf(args)
        | LocalFn::PathOfSome(args) => of_operands(args),
        LocalFn::Scoped { key, side_effects, .. } => {
            let side_effect = if side_effects.is_empty() { Footprint::NONE } else { Footprint::SIDE_EFFECT };
            of_operand(key) | Footprint::PATH | side_effect
        }
        _ => Footprint::NONE,
    }
}

fn of_operand(operand: &Operand) -> Footprint {
    match operand {
        Operand::Const(_) | Operand::Param(_) => Footprint::NONE,
        Operand::Slot(_) => Footprint::SLOTS,
        Operand::SideEffect(_) => Footprint::SIDE_EFFECT,
    }
}

fn of_operands(operands: &[Operand]) -> Footprint {
    operands.iter().fold(Footprint::NONE, |sum, operand| sum | of_operand(operand))
}

fn of_predicate(predicate: &Predicate) -> Footprint {
    match predicate {
        Predicate::Compare(_, operand) | Predicate::Text(_, operand) => of_operand(operand),
        Predicate::Within { members, .. } => of_operands(members),
        Predicate::TypeOf(_) => Footprint::NONE,
        Predicate::And(parts) | Predicate::Or(parts) => {
            parts.iter().fold(Footprint::NONE, |sum, part| sum | of_predicate(part))
        }
        Predicate::Not(inner) => of_predicate(inner),
    }
}

/// What a test looks at beside the current object.
pub(crate) fn of_test(test: &Test) -> Footprint {
    match test {
        Test::Is(predicate)
        | Test::Has(_, predicate)
        | Test::HasNamed(_, predicate)
        | Test::HasId(predicate)
        | Test::LabelIs(predicate)
        | Test::PropertyKey(predicate)
        | Test::PropertyValue(predicate)
        | Test::Members(_, predicate) => of_predicate(predicate),
        Test::SlotIs(_, predicate) => Footprint::SLOTS | of_predicate(predicate),
        Test::Given(..) => Footprint::SLOTS | Footprint::WRITES,
        Test::Mark(_) | Test::Present(_) => Footprint::SLOTS,
        Test::SimplePath(from, to) => of_path(from.is_some() || to.is_some()),
        Test::Loops(predicate) => Footprint::LOOPS | of_predicate(predicate),
        Test::HasKey(_) | Test::Label { .. } | Test::Constant(_) => Footprint::NONE,
        Test::And(parts) | Test::Or(parts) => {
            parts.iter().fold(Footprint::NONE, |sum, part| sum | of_test(part))
        }
        Test::Not(inner) => of_test(inner),
    }
}

/// What the subqueries of a filter touch.
impl Exists {
    /// What its branches touch.
    pub fn footprint(&self) -> Footprint {
        self.branches.iter().fold(Footprint::NONE, |sum, branch| sum | branch.footprint())
    }
}
