//! Modulators and named objects: each becomes a slot that is filled before it is read.

use gremlin::Pop;
use values::Str;

use super::pipeline::{Ops, unnumbered};
use super::{Lowering, Mix, Place};
use crate::logical::{Chain, Kind, Modulator, Origin, Role, Step};
use crate::physical::{
    By, EdgeLabels, FetchKind, LocalFn, Op, OpKind, Pipeline, Scope, ScopeKind, SelectForm, Selection,
    SideEffectId, Slot, Test, op,
};
use values::Direction;

/// Parts that have been fetched, of which one is looked for again. Who fetches thousands does not look for each among all.
const REMEMBERED: usize = 64;

impl Lowering<'_> {
    /// Where a modulator's result is, once the operators added here have run.
    pub(super) fn by(&mut self, base: &By, by: &Modulator, place: Place, ops: &mut Ops) -> By {
        match by.simplified() {
            Some(Modulator::Fetch(what)) => self.fetch(base, what, ops),
            Some(Modulator::FetchFrom(slot, what)) => self.fetch(&By::Slot(slot), what, ops),
            Some(Modulator::Degree(direction, labels)) => By::Slot(self.degree(base, direction, labels, ops)),
            Some(Modulator::Chain(chain)) => By::Slot(self.apply(base, &chain, place, ops)),
            None => match by {
                Modulator::Chain(chain) => match self.start_of(base, chain, place, ops) {
                    Some((start, rest)) => self.by(&start, &Modulator::Chain(rest), place, ops),
                    None => By::Slot(self.apply(base, chain, place, ops)),
                },
                _ => base.clone(),
            },
        }
    }

    /// For a chain that begins by taking a part of an object or a kept one: where that is, and the rest of the chain.
    /// A fetch is less than a subquery, and others may want the same part.
    fn start_of(&mut self, base: &By, chain: &Chain, place: Place, ops: &mut Ops) -> Option<(By, Chain)> {
        let (first, rest) = chain.steps.split_first()?;
        // Without that part there is nothing for the subquery to start at. The subquery as written starts all the same, and a
        // count in it is 0 then.
        if !first.labels.is_empty() || self.paths || answers_nothing(rest) {
            return None;
        }
        let start = match &first.kind {
            Kind::Load(slot) => By::Slot(*slot),
            Kind::Call(function) if is_part(function) => {
                let part = Modulator::Chain(Chain { steps: vec![first.clone()] });
                self.by(base, &part, place, ops)
            }
            Kind::Take(by) if by.simplified().is_some() => self.by(base, by, place, ops),
            _ => return None,
        };
        Some((start, Chain { steps: rest.to_vec() }))
    }

    /// As [`Lowering::by`], for readers that know slots only.
    pub(super) fn by_slot(&mut self, base: &By, by: &Modulator, place: Place, ops: &mut Ops) -> Slot {
        match self.by(base, by, place, ops) {
            By::Slot(slot) => slot,
            By::Current => {
                let slot = self.new_slot();
                ops.stay(OpKind::Store(slot));
                slot
            }
        }
    }

    /// A part of an object; the same part of the same object is fetched once.
    pub(super) fn fetch(&mut self, base: &By, what: FetchKind, ops: &mut Ops) -> By {
        if what == FetchKind::This {
            return base.clone();
        }
        let shared = !self.options.disabled_rules.contains("share-fetches");
        let mut last = ops.fetched.iter().rev().take(REMEMBERED);
        if let Some((_, _, slot)) = last.find(|(from, known, _)| shared && from == base && *known == what) {
            return By::Slot(*slot);
        }
        let into = self.new_slot();
        ops.stay(OpKind::Fetch(op::Fetch { from: base.clone(), what: what.clone(), into }));
        ops.fetched.push((base.clone(), what, into));
        By::Slot(into)
    }

    fn degree(&mut self, base: &By, direction: Direction, labels: EdgeLabels, ops: &mut Ops) -> Slot {
        let into = self.new_slot();
        match base {
            By::Current => ops.stay(OpKind::Degree(op::Degree { direction, labels, into: Some(into) })),
            By::Slot(slot) => {
                let degree = op(OpKind::Degree(op::Degree { direction, labels, into: None }), &ops.step);
                self.apply_ops(By::Slot(*slot), degree, into, ops);
            }
        }
        into
    }

    /// The first result of a subquery that starts at an object.
    fn apply(&mut self, base: &By, chain: &Chain, place: Place, ops: &mut Ops) -> Slot {
        let into = self.new_slot();
        let mut start = Ops { step: ops.step.clone(), ..Ops::default() };
        if *base == By::Current {
            let forgotten = ops.fetched.len().saturating_sub(REMEMBERED);
            start.fetched.extend_from_slice(&ops.fetched[forgotten..]);
        }
        let current = self.mix.clone();
        if *base != By::Current {
            self.mix = Mix::Unknown;
        }
        let child = self.chain(chain, place.inside_of_first(), start);
        let scope = Scope {
            kind: ScopeKind::Apply { child, from: base.clone(), into: Some(into), required: false },
            child: role_at(base).child(),
            grain: self.grain_of_first(chain),
            policy: self.policy(false),
            reads: None,
        };
        self.mix = current;
        ops.stay(OpKind::Scope(Box::new(scope)));
        into
    }

    /// One of a single operator, whose first result goes into a slot.
    fn apply_ops(&mut self, from: By, child: Op, into: Slot, ops: &mut Ops) {
        let child_role = role_at(&from).child();
        let scope = Scope {
            kind: ScopeKind::Apply {
                child: Pipeline::new(vec![child]),
                from,
                into: Some(into),
                required: false,
            },
            child: child_role,
            grain: self.grain(1.0, true),
            policy: self.policy(true),
            reads: None,
        };
        ops.stay(OpKind::Scope(Box::new(scope)));
    }

    /// Where a named object is.
    pub(super) fn origin(&mut self, origin: &Origin, ops: &mut Ops) -> By {
        match origin {
            Origin::Current => By::Current,
            Origin::Slot(slot) => By::Slot(*slot),
            Origin::Entry(name) => self.fetch(&By::Current, FetchKind::Property(name.clone(), None), ops),
            Origin::SideEffect(id) => {
                let name = self.side_effects[usize::from(id.0)].clone();
                self.look_up(
                    Selection { name, slot: None, side_effect: Some(*id), pop: Pop::Last, by: None },
                    ops,
                )
            }
            Origin::Named { name, slot, pop } => {
                let side_effect = self.side_effect(name);
                self.look_up(
                    Selection { name: name.clone(), slot: *slot, side_effect, pop: *pop, by: None },
                    ops,
                )
            }
        }
    }

    fn look_up(&mut self, selection: Selection, ops: &mut Ops) -> By {
        let into = self.new_slot();
        let select =
            op(OpKind::Select(op::Select { selections: vec![selection], form: SelectForm::One }), &ops.step);
        self.apply_ops(By::Current, select, into, ops);
        By::Slot(into)
    }

    /// A named object under its modulator.
    pub(super) fn named(&mut self, origin: &Origin, by: &Modulator, place: Place, ops: &mut Ops) -> By {
        let base = self.origin(origin, ops);
        self.by(&base, by, place, ops)
    }

    /// The side-effect of that name.
    pub(super) fn side_effect(&self, name: &str) -> Option<SideEffectId> {
        self.side_effects.get_index_of(name).map(|index| SideEffectId(index as u16))
    }
}

/// What a subquery is that starts at such an object.
fn role_at(base: &By) -> Role {
    if *base == By::Current { Role::First } else { Role::FirstOfOther }
}

/// Whether some step has a result for a stream without traversers.
fn answers_nothing(steps: &[Step]) -> bool {
    steps.iter().any(|step| match &step.kind {
        Kind::Aggregate(aggregation) => aggregation.answers_nothing(),
        Kind::Group(_) | Kind::GroupCount(_) | Kind::Cap(_) | Kind::Inject(..) => true,
        _ => false,
    })
}

/// Whether the function takes a part of its object.
fn is_part(function: &LocalFn) -> bool {
    matches!(function, LocalFn::Id | LocalFn::Label | LocalFn::Key | LocalFn::Value | LocalFn::Column(_))
}

/// An operator inside a modulator's subquery.
pub(super) fn op(kind: OpKind, step: &Str) -> Op {
    let moves =
        matches!(kind, OpKind::Load(_) | OpKind::Degree(op::Degree { into: None, .. }) | OpKind::Select(_));
    unnumbered(kind, step.clone(), moves)
}

/// Keeps the traversers whose modulators all had a result.
pub(super) fn productive(slots: Vec<Slot>, ops: &mut Ops) {
    let mut tests: Vec<Test> = Vec::with_capacity(slots.len());
    for slot in slots {
        let test = Test::Present(slot);
        if !tests.contains(&test) {
            tests.push(test);
        }
    }
    match tests.len() {
        0 => {}
        1 => ops.stay(OpKind::Filter(tests.remove(0))),
        _ => ops.stay(OpKind::Filter(Test::And(tests))),
    }
}
