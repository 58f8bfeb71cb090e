//! Walking over subqueries.

use super::{Chain, Choice, Exists, Input, Kind, LoopCondition, Modulator, PropertyWrite, Repeat, Write};

/// What is done with the results of a chain: rules ask it to learn which of its results matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// They are the results of the query.
    Root,
    /// Only whether there is one matters (`where`).
    Test,
    /// Only the first matters (`map`, `by`).
    First,
    /// All matter, per input traverser (`flatMap`, `local`, `coalesce`, `optional`).
    Each,
    /// They are thrown away (`sideEffect`).
    Nothing,
    /// They join the stream (`union`, `choose`).
    Stream,
    /// They are repeated (`repeat`).
    Body,
    /// They become the value of a group.
    Group,
}

macro_rules! children {
    ($(#[$doc:meta])* $name:ident, $repeat:ident, $modulator:ident, $condition:ident, $property:ident, $input:ident, $iter:ident, $($mutability:tt)?) => {
        impl Kind {
            $(#[$doc])*
            pub fn $name(&$($mutability)? self, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
                match self {
                    Self::Exists(Exists { branches, .. }) => branches.$iter().for_each(|chain| visit(chain, Role::Test)),
                    Self::Coalesce(branches) => branches.$iter().for_each(|chain| visit(chain, Role::Each)),
                    Self::Union(branches) => branches.$iter().for_each(|chain| visit(chain, Role::Stream)),
                    Self::Map(chain) => visit(chain, Role::First),
                    Self::FlatMap(chain) | Self::Local(chain) | Self::Optional(chain) => visit(chain, Role::Each),
                    Self::SideEffect(chain) => visit(chain, Role::Nothing),
                    Self::Take(by) | Self::Keep { by, .. } | Self::Collect { by, .. } => $modulator(by, visit),
                    Self::Sample(_, weight) => weight.$iter().for_each(|by| $modulator(by, visit)),
                    Self::Project(entries) => entries.$iter().for_each(|(_, by)| $modulator(by, visit)),
                    Self::Math { variables, .. } => variables.$iter().for_each(|(_, _, by)| $modulator(by, visit)),
                    Self::Select(select) => select.selections.$iter().for_each(|one| $modulator(&$($mutability)? one.by, visit)),
                    Self::Dedup { keys, .. } => keys.$iter().for_each(|(_, by)| $modulator(by, visit)),
                    Self::Order { keys, .. } => keys.$iter().for_each(|(by, _)| $modulator(by, visit)),
                    Self::Compare(comparison) => {
                        $modulator(&$($mutability)? comparison.left.1, visit);
                        comparison.operands.$iter().for_each(|(_, _, by)| $modulator(by, visit));
                    }
                    Self::Group(group) => {
                        $modulator(&$($mutability)? group.key, visit);
                        visit(&$($mutability)? group.value, Role::Group);
                    }
                    Self::GroupCount(group) => $modulator(&$($mutability)? group.key, visit),
                    Self::Choose(choose) => {
                        match &$($mutability)? choose.choice {
                            Choice::If(exists, then) => {
                                exists.branches.$iter().for_each(|chain| visit(chain, Role::Test));
                                visit(then, Role::Stream);
                            }
                            Choice::Switch(by, options) => {
                                $modulator(by, visit);
                                options.$iter().for_each(|(_, chain)| visit(chain, Role::Stream));
                            }
                        }
                        choose.otherwise.$iter().for_each(|chain| visit(chain, Role::Stream));
                        choose.unproductive.$iter().for_each(|chain| visit(chain, Role::Stream));
                    }
                    Self::Repeat(repeat) => $repeat(repeat, visit),
                    Self::Write(write) => match &$($mutability)? **write {
                            Write::AddVertex(add) => {
                                $input(&$($mutability)? add.label, visit);
                                add.id.$iter().for_each(|id| $input(id, visit));
                                add.properties.$iter().for_each(|property| $property(property, visit));
                            }
                            Write::AddEdge(add) => {
                                $input(&$($mutability)? add.label, visit);
                                add.id.$iter().for_each(|id| $input(id, visit));
                                add.from.$iter().for_each(|from| $input(from, visit));
                                add.to.$iter().for_each(|to| $input(to, visit));
                                add.properties.$iter().for_each(|property| $property(property, visit));
                            }
                            Write::SetProperty(property) => $property(property, visit),
                            Write::Drop => {}
                        },
                    Self::Graph(_) | Self::Inject(_) | Self::Identity | Self::Move(_) | Self::EdgeVertex(_)
                    | Self::Degree { .. } | Self::BulkByDegree { .. } | Self::BulkByWalks { .. } | Self::Filter(_) | Self::Properties { .. }
                    | Self::Call(_) | Self::Unfold | Self::Path { .. } | Self::Load(_) | Self::Range { .. }
                    | Self::Tail(_) | Self::Aggregate(_) | Self::Barrier | Self::Coin(_) | Self::Cap(_) | Self::Discard
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

        fn $modulator(by: &$($mutability)? Modulator, visit: &mut dyn FnMut(&$($mutability)? Chain, Role)) {
            if let Modulator::Chain(chain) = by {
                visit(chain, Role::First);
            }
        }
    };
}

children!(
    /// Visits the step's direct subqueries.
    for_each_child, repeat_children, modulator_child, condition_children, property_children, input_child, iter,
);
children!(
    /// Visits the step's direct subqueries, to change them.
    for_each_child_mut, repeat_children_mut, modulator_child_mut, condition_children_mut, property_children_mut,
    input_child_mut, iter_mut, mut
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
