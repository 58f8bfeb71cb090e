//! Children that start at the parts of an object: `by` of `path`, of `order(local)`, of `valueMap`.
//!
//! The object is taken apart in a subquery, and what comes of its parts is kept beside it, as a list in a slot; then a function
//! of the object and the list makes the result. The parts enter as new traversers, which know nothing of where the
//! object's traverser has been:
//!
//! ```text
//! path().by(out().count())   map {path().keep(s0: {turn(0 of 1).unfold().keep(s1: it).keep(s2: s1 by {…}).load(s2).fold()}).path(s0)}
//! ```

use gremlin::StepName;
use values::Str;

use super::Binder;
use super::call::Call;
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator, Origin, Step};
use crate::physical::{Aggregation, FetchKind, LocalFn, Operand, Slot};

impl Binder<'_> {
    /// The steps that make traversers of an object's members, and keep each in a slot.
    pub(super) fn each_member(&mut self, member: Slot) -> Vec<Kind> {
        vec![Kind::Call(LocalFn::Members), Kind::Unfold, Self::keep_current(member)]
    }

    /// Keeps the current object.
    pub(super) fn keep_current(into: Slot) -> Kind {
        Kind::Keep { into, origin: Origin::Current, by: Modulator::THIS }
    }

    /// Keeps what a `by` makes of a kept object.
    pub(super) fn keep_of(object: Slot, into: Slot, by: Modulator) -> Kind {
        // One value, where a `by` wants one: what is kept of a traversal is the first of several.
        let by = by.simplified().unwrap_or(by);
        Kind::Keep { into, origin: Origin::Slot(object), by }
    }

    /// Keeps the result of some steps.
    pub(super) fn kept(&mut self, steps: Vec<Kind>, call: &Call<'_>, out: &mut Chain) -> Slot {
        let into = self.plan.new_slot();
        let by = Modulator::Chain(of(steps, call.name));
        Self::push(out, Kind::Keep { into, origin: Origin::Current, by }, call);
        into
    }

    /// `path()` with modulators, which take turns; a path of which one makes nothing is left out. A `lenient` one leaves out only
    /// the object of which nothing is made.
    pub(super) fn path_by(
        &mut self,
        bys: Vec<Modulator>,
        (from, to): (Option<Str>, Option<Str>),
        lenient: bool,
        call: &Call<'_>,
    ) -> Kind {
        let simple: Option<Vec<_>> = bys.iter().map(Modulator::as_fetch).collect();
        if let Some(by) = simple {
            return Kind::Path { by, lenient, from, to };
        }
        let mut chain = Chain::of(Kind::Path { by: Vec::new(), lenient: false, from, to }, call.name);
        let count = bys.len();
        let mut lists = Vec::with_capacity(count);
        for (first, by) in bys.into_iter().enumerate() {
            let (object, made) = (self.plan.new_slot(), self.plan.new_slot());
            let steps = vec![
                Kind::Call(LocalFn::Turn { first, of: count }),
                Kind::Unfold,
                Self::keep_current(object),
                Self::keep_of(object, made, by),
                if lenient { Kind::Call(LocalFn::ListOf(Operand::Slot(made))) } else { Kind::Load(made) },
                Kind::Aggregate(Aggregation::Fold),
            ];
            lists.push(Operand::Slot(self.kept(steps, call, &mut chain)));
        }
        let path = if lenient { LocalFn::PathOfSome(lists) } else { LocalFn::PathOf(lists) };
        Self::push(&mut chain, Kind::Call(path), call);
        Kind::Map(chain)
    }

    /// A map with a modulator for its values; an entry of which it makes nothing is left out.
    pub(super) fn map_by(&mut self, map: Kind, by: Modulator, call: &Call<'_>) -> Kind {
        let mut chain = Chain::of(map, call.name);
        let [entry, value, made] = [(); 3].map(|()| self.plan.new_slot());
        let mut steps = self.each_member(entry);
        steps.extend([
            Self::keep_of(entry, value, Modulator::Fetch(FetchKind::Column(gremlin::Column::Values))),
            Self::keep_of(value, made, by),
            Kind::Filter(crate::physical::Test::Present(made)),
            Kind::Call(LocalFn::EntryOf(Operand::Slot(made))),
            Kind::Aggregate(Aggregation::Fold),
        ]);
        let entries = self.kept(steps, call, &mut chain);
        Self::push(&mut chain, Kind::Call(LocalFn::Rebuilt(Operand::Slot(entries))), call);
        Kind::Map(chain)
    }

    /// Refuses a `by` of a step that takes none.
    pub(super) fn no_by(&self, call: &Call<'_>, step: &str) -> Result<(), PlanError> {
        match call.modulators(StepName::By).next() {
            Some(_) => Err(call.invalid(format!("{step} takes no by()"))),
            None => Ok(()),
        }
    }
}

/// A chain of steps of one name.
fn of(steps: Vec<Kind>, name: StepName) -> Chain {
    Chain { steps: steps.into_iter().map(|kind| Step::new(kind, name)).collect() }
}
