//! What of the graph a step reads, and what of it a step changes.

use super::{Access, Chain, Kind, Lookup, LoopCondition, Modulator, Move, Repeat, Step, Write};
use crate::physical::{ElementKind, LocalFn, Test};

/// Parts of the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Parts(u8);

impl Parts {
    pub(super) const NONE: Self = Self(0);
    /// Which vertices there are.
    const VERTICES: Self = Self(1);
    /// Which edges there are, and between what.
    const EDGES: Self = Self(2);
    /// The properties of both.
    pub(super) const PROPERTIES: Self = Self(4);
    const ALL: Self = Self(7);

    /// Whether both have a part in common.
    pub(super) fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    fn properties_if(yes: bool) -> Self {
        if yes { Self::PROPERTIES } else { Self::NONE }
    }
}

impl std::ops::BitOr for Parts {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What a step and its subqueries read of the graph.
pub(super) fn reads(kind: &Kind) -> Parts {
    with_children(kind, own_reads, reads)
}

/// What a step and its subqueries change in the graph.
pub(super) fn changes(kind: &Kind) -> Parts {
    with_children(kind, own_changes, changes)
}

/// What the subqueries of a step read of the graph.
pub(super) fn reads_inside(kind: &Kind) -> Parts {
    with_children(kind, |_| Parts::NONE, reads)
}

fn with_children(kind: &Kind, own: fn(&Kind) -> Parts, of: fn(&Kind) -> Parts) -> Parts {
    let mut sum = own(kind);
    kind.for_each_child(&mut |chain: &Chain, _| {
        sum = chain.steps.iter().fold(sum, |sum, step: &Step| sum | of(&step.kind));
    });
    sum
}

fn own_changes(kind: &Kind) -> Parts {
    let Kind::Write(write) = kind else { return Parts::NONE };
    match &**write {
        Write::AddVertex(_) => Parts::VERTICES,
        Write::AddEdge(_) => Parts::EDGES,
        Write::Merge(merge) => of_elements(merge.element) | Parts::PROPERTIES,
        Write::Update(_) | Write::SetProperty(_) => Parts::PROPERTIES,
        Write::File(file) => {
            if file.reads {
                Parts::ALL
            } else {
                Parts::NONE
            }
        }
        Write::Drop => Parts::ALL,
    }
}

/// What a step looks at of the graph beside which element it has.
pub(super) fn own_reads(kind: &Kind) -> Parts {
    match kind {
        Kind::Graph(Access { element, lookup }) => of_elements(*element) | of_lookup(lookup),
        Kind::Move(Move { edge_test, fetch, sorted, secondary, .. }) => {
            let tested = edge_test.as_ref().is_some_and(test_reads);
            let looks = tested || !fetch.is_empty() || sorted.is_some() || !secondary.is_empty();
            Parts::EDGES | Parts::properties_if(looks)
        }
        Kind::Degree { .. } | Kind::BulkByDegree { .. } | Kind::BulkByWalks { .. } => Parts::EDGES,
        Kind::Properties { .. } | Kind::Path { .. } => Parts::PROPERTIES,
        Kind::Filter(test) => Parts::properties_if(test_reads(test)),
        Kind::SackWith(with) => of_modulator(&with.by),
        Kind::Take(by) | Kind::Keep { by, .. } | Kind::Collect { by, .. } => of_modulator(by),
        Kind::Math { variables, .. } => of_all(variables.iter().map(|(_, _, by)| by)),
        Kind::Project(entries) => of_all(entries.iter().map(|(_, by)| by)),
        Kind::Select(select) => of_all(select.selections.iter().map(|one| &one.by)),
        Kind::Dedup { keys, .. } => of_all(keys.iter().map(|(_, by)| by)),
        Kind::Order { keys, .. } => of_all(keys.iter().map(|(by, _)| by)),
        Kind::Sample(_, weight) => of_all(weight.iter()),
        Kind::Compare(comparison) => {
            let operands = comparison.operands.iter().map(|(_, _, by)| by);
            of_all(operands.chain([&comparison.left.1]))
        }
        Kind::Algorithm(_) => Parts::ALL,
        Kind::Group(group) => of_modulator(&group.key),
        Kind::GroupCount(group) => of_modulator(&group.key),
        Kind::Repeat(repeat) => of_conditions(repeat),
        Kind::Write(write) => match &**write {
            Write::Merge(merge) => of_elements(merge.element) | Parts::VERTICES | Parts::PROPERTIES,
            Write::File(file) if !file.reads => Parts::ALL,
            _ => Parts::NONE,
        },
        Kind::Call(LocalFn::Order(_) | LocalFn::Call(..) | LocalFn::Value) => Parts::PROPERTIES,
        _ => Parts::NONE,
    }
}

fn of_elements(element: ElementKind) -> Parts {
    if element == ElementKind::Vertex { Parts::VERTICES } else { Parts::EDGES }
}

fn of_lookup(lookup: &Lookup) -> Parts {
    Parts::properties_if(matches!(lookup, Lookup::Index { .. } | Lookup::Range { .. }))
}

fn of_all<'a>(modulators: impl Iterator<Item = &'a Modulator>) -> Parts {
    modulators.fold(Parts::NONE, |sum, by| sum | of_modulator(by))
}

fn of_modulator(by: &Modulator) -> Parts {
    match by {
        Modulator::Fetch(what) | Modulator::FetchFrom(_, what) => Parts::properties_if(what.is_property()),
        Modulator::Degree(..) => Parts::EDGES,
        // It is a subquery of the step.
        Modulator::Chain(_) => Parts::NONE,
    }
}

fn of_conditions(repeat: &Repeat) -> Parts {
    let tests =
        |condition: &LoopCondition| matches!(condition, LoopCondition::Test(test) if test_reads(test));
    let controls = [&repeat.head, &repeat.tail];
    Parts::properties_if(controls.iter().any(|control| tests(&control.until) || tests(&control.emit)))
}

fn test_reads(test: &Test) -> bool {
    match test {
        Test::Is(_)
        | Test::SlotIs(..)
        | Test::HasId(_)
        | Test::Label { .. }
        | Test::LabelIs(_)
        | Test::Mark(_)
        | Test::Present(_)
        | Test::Given(..)
        | Test::SimplePath(..)
        | Test::Loops(_)
        | Test::Constant(_) => false,
        Test::And(parts) | Test::Or(parts) => parts.iter().any(test_reads),
        Test::Not(inner) => test_reads(inner),
        _ => true,
    }
}
