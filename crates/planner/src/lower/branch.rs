//! Steps with subqueries become scopes.

use std::sync::Arc;

use super::pipeline::{Ops, unnumbered};
use super::{Lowering, Place};
use crate::logical::{Chain, Choice, Choose, Exists, Footprint, Group, Kind, Role, must_end_early};
use crate::physical::{By, Grain, OpKind, Pipeline, Scope, ScopeKind, Slot};

impl Lowering<'_> {
    /// Lowers a branch step. `true` if it was one.
    pub(super) fn branch(&mut self, kind: &Kind, place: Place, ops: &mut Ops) -> bool {
        match kind {
            Kind::Exists(exists) => self.exists(exists, None, place, ops),
            Kind::Map(chain) => {
                let child = self.inner(chain, place.inside_of_first(), ops);
                let kind = ScopeKind::Apply { child, from: By::Current, into: None, required: true };
                ops.go(self.scope(kind, Role::First, self.grain_of_first(chain), place.few));
            }
            Kind::FlatMap(chain) => {
                let child = self.inner_of_each(chain, place, ops);
                let kind = ScopeKind::FlatMap { child };
                ops.go(self.scope(kind, Role::Each, self.grain_of_all(chain), place.few));
            }
            Kind::Local(chain) => {
                // One run serves all the traversers that travel as one, unless it or a step behind could tell that it does: the
                // results of one come before those of the next.
                if place.shown
                    || place.listed && place.merged
                    || chain.footprint().touches(Footprint::REPEATED)
                {
                    ops.stay(OpKind::Unmerge);
                }
                let child = self.inner(chain, place.inside_of_each(place.few), ops);
                let kind = ScopeKind::FlatMap { child };
                ops.replace(self.scope(kind, Role::Local, self.grain_of_all(chain), place.few));
                ops.fetched.clear();
            }
            Kind::SideEffect(chain) => {
                let child = self.inner(chain, place.inside(false), ops);
                ops.stay(self.scope(ScopeKind::SideEffect { child }, Role::Nothing, Grain::Batch, place.few));
                ops.graph_changed();
            }
            Kind::Coalesce(branches) => {
                let children = branches.iter().map(|one| self.inner_of_each(one, place, ops)).collect();
                let kind = ScopeKind::Coalesce { branches: children };
                ops.go(self.scope(kind, Role::Each, self.grain_of_branches(branches, place.few), place.few));
            }
            Kind::Optional(chain) => {
                let child = self.inner(chain, place.inside_of_each(place.few), ops);
                let unchanged = Ops { step: ops.step.clone(), ..Ops::default() }.finish();
                let kind = ScopeKind::Coalesce { branches: vec![child, unchanged] };
                let grain = self.grain_of_branches(std::slice::from_ref(chain), place.few);
                ops.replace(self.scope(kind, Role::Optional, grain, place.few));
                ops.fetched.clear();
            }
            Kind::Union(branches) => {
                let branches = branches.iter().map(|one| self.inner(one, place, ops)).collect();
                ops.replace(self.scope(
                    ScopeKind::Union { branches },
                    Role::Stream,
                    Grain::Stream,
                    place.few,
                ));
                ops.fetched.clear();
            }
            Kind::Choose(choose) => self.choose(choose, place, ops),
            Kind::Repeat(repeat) => {
                // What leaves its body comes back to the beginning.
                let shown = place.shown || kind.shows_merging();
                self.repeat(repeat, Place { shown, ..place }, ops);
            }
            Kind::Algorithm(algorithm) => {
                let lowered = algorithm.map(|chain| self.inner(chain, place.inside(false), &Ops::default()));
                let keeps = lowered.keeps_traversers();
                let kind = ScopeKind::Algorithm(Box::new(lowered));
                let scope = self.scope(kind, Role::Each, Grain::Stream, false);
                if keeps {
                    ops.stay(scope)
                } else {
                    ops.go(scope)
                }
                ops.graph_changed();
            }
            Kind::Group(group) => self.group(group, place, ops),
            _ => return false,
        }
        true
    }

    /// What one of several sources yields.
    pub(super) fn union_of(&mut self, sources: Vec<OpKind>, ops: &mut Ops) {
        let branches = sources
            .into_iter()
            .map(|source| {
                let mut branch = Ops { step: ops.step.clone(), ..Ops::default() };
                branch.go(source);
                branch.finish()
            })
            .collect();
        ops.replace(self.scope(ScopeKind::Union { branches }, Role::Stream, Grain::Stream, false));
    }

    fn scope(&self, kind: ScopeKind, role: Role, grain: Grain, few: bool) -> OpKind {
        OpKind::Scope(Box::new(Scope {
            kind,
            child: role.child(),
            grain,
            policy: self.policy(few),
            reads: None,
        }))
    }

    /// A subquery that starts at the current object: what is known about that is known inside.
    fn inner(&mut self, chain: &Chain, place: Place, ops: &Ops) -> Pipeline {
        let start = Ops { step: ops.step.clone(), fetched: ops.fetched.clone(), ..Ops::default() };
        self.chain(chain, place, start)
    }

    /// The same of which each result goes on for itself: those that were merged inside do not travel as one outside.
    fn inner_of_each(&mut self, chain: &Chain, place: Place, ops: &Ops) -> Pipeline {
        let child = self.inner(chain, place.inside_of_each(place.few), ops);
        if !place.shown || !chain.footprint().touches(Footprint::STREAM) {
            return child;
        }
        let mut apart = Arc::unwrap_or_clone(child.ops);
        apart.push(unnumbered(OpKind::Unmerge, ops.step.clone(), false));
        Pipeline::new(apart)
    }

    /// A filter, or a mark of its outcome.
    pub(super) fn exists(&mut self, exists: &Exists, mark: Option<Slot>, place: Place, ops: &mut Ops) {
        let mut grain = self.grain_of_branches(&exists.branches, place.few);
        if exists.branches.iter().any(must_end_early) {
            grain = Grain::Traverser;
        }
        let branches =
            exists.branches.iter().map(|one| self.inner(one, place.inside_of_first(), ops)).collect();
        let kind = ScopeKind::Filter { branches, formula: exists.formula, mark };
        ops.stay(self.scope(kind, Role::Test, grain, place.few));
    }

    fn grain_of_branches(&self, branches: &[Chain], few: bool) -> Grain {
        self.grain(branches.iter().map(|branch| self.cost.of_chain(branch, 1.0, &self.mix).work).sum(), few)
    }

    fn choose(&mut self, choose: &Choose, place: Place, ops: &mut Ops) {
        let branch = |lowering: &mut Self, chain: &Option<Chain>, ops: &Ops| {
            chain.as_ref().map(|chain| lowering.inner(chain, place, ops))
        };
        let kind = match &choose.choice {
            Choice::If(exists, then) => {
                let mark = self.new_slot();
                self.exists(exists, Some(mark), place, ops);
                all_are_chosen(place, ops);
                let then = self.inner(then, place, ops);
                ScopeKind::If { mark, then, otherwise: branch(self, &choose.otherwise, ops) }
            }
            Choice::Switch(by, options) => {
                let by = by.of_choice().unwrap_or_else(|| by.clone());
                let choice = self.by_slot(&By::Current, &by, place, ops);
                all_are_chosen(place, ops);
                let options = options
                    .iter()
                    .map(|(option, chain)| (option.clone(), self.inner(chain, place, ops)))
                    .collect();
                ScopeKind::Switch {
                    choice,
                    options,
                    otherwise: branch(self, &choose.otherwise, ops),
                    unproductive: branch(self, &choose.unproductive, ops),
                }
            }
        };
        ops.replace(self.scope(kind, Role::Stream, Grain::Stream, place.few));
        ops.fetched.clear();
    }

    fn group(&mut self, group: &Group, place: Place, ops: &mut Ops) {
        let key = self.by(&By::Current, &group.key, place, ops);
        let value = self.inner(&group.value, place.inside(false), ops);
        let kind = ScopeKind::Group { key, value, side_effect: group.side_effect };
        let scope = self.scope(kind, Role::Group, Grain::Stream, false);
        match group.side_effect {
            Some(_) => ops.stay(scope),
            None => ops.go(scope),
        }
    }
}

/// Lets nobody into a branch before all have been chosen for, where that can be seen.
fn all_are_chosen(place: Place, ops: &mut Ops) {
    if place.chooses {
        ops.stay(OpKind::Gather);
    }
}
