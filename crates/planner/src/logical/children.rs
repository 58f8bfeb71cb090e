//! Walking over subqueries.

use super::{
    Chain, Choice, Exists, Input, Kind, LoopCondition, Modulator, Origin, PropertyWrite, Repeat, Write,
};
use crate::physical::Child;

/// What a subquery is to its step: rules ask it to learn which of its results matter, and everything that has to know what
/// the subquery sees of the stream asks [`Role::child`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Its results are the results of the query.
    Root,
    /// Only whether there is one matters (`where`).
    Test,
    /// Only the first matters (`map`, `by`).
    First,
    /// Only the first matters, and it starts at another object than the current one (`by` of what is selected).
    FirstOfOther,
    /// All matter, per traverser that enters (`flatMap`, `coalesce`).
    Each,
    /// All matter, per traverser, also of those that travel as one (`local`).
    Local,
    /// All matter, and if there is none the traverser goes on (`optional`).
    Optional,
    /// They are thrown away (`sideEffect`).
    Nothing,
    /// They join the stream (`union`, `choose`).
    Stream,
    /// They are repeated (`repeat`).
    Body,
    /// They become the value of a group.
    Group,
}

impl Role {
    /// What a subquery of this role sees of what enters its step, and what becomes of its results.
    pub fn child(self) -> Child {
        match self {
            Self::Test | Self::First | Self::Each | Self::Nothing => Child::Each,
            Self::FirstOfOther => Child::Fresh,
            Self::Local => Child::EachTimesBulk,
            Self::Optional => Child::Whole,
            Self::Root | Self::Stream | Self::Body | Self::Group => Child::Stream,
        }
    }

    /// The role of a modulator's subquery whose object comes from there.
    pub fn of_modulator(origin: &Origin) -> Self {
        if *origin == Origin::Current { Self::First } else { Self::FirstOfOther }
    }
}

macro_rules! children {
    ($(#[$doc:meta])* $name:ident, $repeat:ident, $modulator:ident, $condition:ident, $property:ident, $input:ident, $inputs:ident, $computed:ident, $subqueries:ident, $iter:ident, $($mutability:tt)?) => {
        impl Kind {
            $(#[$doc])*
            pub fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
                match self {
                    Self::Exists(Exists { branches, .. }) => branches.$iter().for_each(|chain| visit(chain, Role::Test)),
                    Self::Coalesce(branches) => branches.$iter().for_each(|chain| visit(chain, Role::Each)),
                    Self::Union(branches) => branches.$iter().for_each(|chain| visit(chain, Role::Stream)),
                    Self::Map(chain) => visit(chain, Role::First),
                    Self::FlatMap(chain) => visit(chain, Role::Each),
                    Self::Local(chain) => visit(chain, Role::Local),
                    Self::Optional(chain) => visit(chain, Role::Optional),
                    Self::SideEffect(chain) => visit(chain, Role::Nothing),
                    Self::SackWith(with) => $modulator(&$($mutability)? with.by, Role::First, visit),
                    Self::Take(by) | Self::Collect { by, .. } => $modulator(by, Role::First, visit),
                    Self::Keep { by, origin, .. } => $modulator(by, Role::of_modulator(origin), visit),
                    Self::Sample(_, weight) => weight.$iter().for_each(|by| $modulator(by, Role::First, visit)),
                    Self::Project(entries) => entries.$iter().for_each(|(_, by)| $modulator(by, Role::First, visit)),
                    Self::Math { variables, .. } => variables
                        .$iter()
                        .for_each(|(_, origin, by)| $modulator(by, Role::of_modulator(origin), visit)),
                    Self::Select(select) => select
                        .selections
                        .$iter()
                        .for_each(|one| $modulator(&$($mutability)? one.by, Role::of_modulator(&one.origin), visit)),
                    Self::Dedup { keys, .. } => {
                        keys.$iter().for_each(|(origin, by)| $modulator(by, Role::of_modulator(origin), visit));
                    }
                    Self::Order { keys, .. } => keys.$iter().for_each(|(by, _)| $modulator(by, Role::First, visit)),
                    Self::Compare(comparison) => {
                        let (origin, by) = &$($mutability)? comparison.left;
                        $modulator(by, Role::of_modulator(origin), visit);
                        comparison
                            .operands
                            .$iter()
                            .for_each(|(_, origin, by)| $modulator(by, Role::of_modulator(origin), visit));
                    }
                    Self::Group(group) => {
                        $modulator(&$($mutability)? group.key, Role::First, visit);
                        visit(&$($mutability)? group.value, Role::Group);
                    }
                    Self::GroupCount(group) => $modulator(&$($mutability)? group.key, Role::First, visit),
                    Self::Choose(choose) => {
                        match &$($mutability)? choose.choice {
                            Choice::If(exists, then) => {
                                exists.branches.$iter().for_each(|chain| visit(chain, Role::Test));
                                visit(then, Role::Stream);
                            }
                            Choice::Switch(by, options) => {
                                $modulator(by, Role::First, visit);
                                options.$iter().for_each(|(_, chain)| visit(chain, Role::Stream));
                            }
                        }
                        choose.otherwise.$iter().for_each(|chain| visit(chain, Role::Stream));
                        choose.unproductive.$iter().for_each(|chain| visit(chain, Role::Stream));
                    }
                    Self::Repeat(repeat) => $repeat(repeat, visit),
                    Self::Algorithm(algorithm) => {
                        algorithm.$subqueries().into_iter().flatten().for_each(|chain| visit(chain, Role::Each));
                    }
                    Self::Write(write) => match &$($mutability)? **write {
                            Write::AddVertex(add) => {
                                $input(&$($mutability)? add.label, visit);
                                add.id.$iter().for_each(|id| $input(id, visit));
                                add.properties.$iter().for_each(|property| $property(property, visit));
                            }
                            Write::AddEdge(add) => {
                                $input(&$($mutability)? add.label, visit);
                                add.to.$iter().for_each(|to| $input(to, visit));
                                add.from.$iter().for_each(|from| $input(from, visit));
                                add.id.$iter().for_each(|id| $input(id, visit));
                                add.properties.$iter().for_each(|property| $property(property, visit));
                            }
                            Write::Merge(merge) => merge.$inputs().for_each(|one| $input(one, visit)),
                            Write::Update(map) => map.$computed().into_iter().for_each(|one| $input(one, visit)),
                            Write::SetProperty(property) => $property(property, visit),
                            Write::Drop | Write::File(_) => {}
                        },
                    Self::Graph(_) | Self::Inject(..) | Self::Identity | Self::Move(_) | Self::EdgeVertex(_)
                    | Self::Degree { .. } | Self::BulkByDegree { .. } | Self::BulkByWalks { .. } | Self::Filter(_) | Self::Properties { .. }
                    | Self::Call(_) | Self::Unfold | Self::Path { .. } | Self::Load(_) | Self::Range { .. }
                    | Self::Tail(_) | Self::Aggregate(_) | Self::Barrier | Self::MergeSacks(_) | Self::Sack(_) | Self::HoldRepeats | Self::Coin(_) | Self::TimeLimit(_) | Self::Cap(_) | Self::Discard
                    | Self::Fail(_) => {}
                }
            }
        }

        fn $repeat(repeat: &$($mutability)? Repeat, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
            $condition(&$($mutability)? repeat.head.until, visit);
            $condition(&$($mutability)? repeat.head.emit, visit);
            visit(&$($mutability)? repeat.body, Role::Body);
            $condition(&$($mutability)? repeat.tail.until, visit);
            $condition(&$($mutability)? repeat.tail.emit, visit);
        }

        fn $condition(condition: &$($mutability)? LoopCondition, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
            if let LoopCondition::Exists(Exists { branches, .. }) = condition {
                branches.$iter().for_each(|chain| visit(chain, Role::Test));
            }
        }

        fn $property(write: &$($mutability)? PropertyWrite, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
            $input(&$($mutability)? write.key, visit);
            $input(&$($mutability)? write.value, visit);
            for (key, value) in &$($mutability)? write.meta {
                $input(key, visit);
                $input(value, visit);
            }
        }

        fn $input(input: &$($mutability)? Input, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
            if let Input::Chain(chain) = input {
                visit(chain, Role::First);
            }
        }

        fn $modulator(by: &$($mutability)? Modulator, role: Role, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
            if let Modulator::Chain(chain) = by {
                visit(chain, role);
            }
        }
    };
}

children!(
    /// Visits the step's direct subqueries.
    for_each_child, repeat_children, modulator_child, condition_children, property_children, input_child, inputs,
    computed, subqueries, iter,
);
children!(
    /// Visits the step's direct subqueries, to change them.
    for_each_child_mut, repeat_children_mut, modulator_child_mut, condition_children_mut, property_children_mut,
    input_child_mut, inputs_mut, computed_mut, subqueries_mut, iter_mut, mut
);

impl Chain {
    /// Visits every chain of the tree, subqueries before the chains that hold them. `true` if any visit was.
    pub fn rewrite(&mut self, role: Role, visit: &mut dyn FnMut(&mut Chain, Role) -> bool) -> bool {
        let mut changed = false;
        for step in &mut self.steps {
            step.kind.for_each_child_mut(&mut |chain, role| changed |= chain.rewrite(role, visit));
        }
        changed | visit(self, role)
    }
}
