//! Objects by name: a named object is an entry of the current map, else a side-effect, else the last object of that
//! `as` label (TinkerPop's `Scoping`).

use gremlin::{Pop, StepName};
use values::Str;

use super::call::Call;
use super::names::side_effect;
use super::{Binder, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator, Origin, Step};
use crate::physical::Test;

impl Binder<'_> {
    /// Where the object of that name comes from, and what is known about it.
    ///
    /// # Errors
    /// If nothing in the traversal can have that name.
    pub(super) fn resolve(
        &mut self,
        call: &Call<'_>,
        name: &Str,
        shape: &Shape,
    ) -> Result<(Origin, Shape), PlanError> {
        let resolved = self.find(name, Pop::Last, shape);
        match self.is_named(name) || shape.may_be_map() {
            true => Ok(resolved),
            false => Err(call.invalid(format!(
                "neither an as() label nor a side-effect is called '{}', and the current object is no map",
                values::excerpt(name)
            ))),
        }
    }

    /// Ends the query where a traverser has no object of a name that it must have. Says where the object is then.
    pub(super) fn must_have(
        &mut self,
        name: &Str,
        origin: Origin,
        step: StepName,
        out: &mut Chain,
    ) -> Origin {
        let slot = match origin {
            _ if self.names.is_certain(name) => return origin,
            Origin::Slot(slot) => slot,
            Origin::Named { .. } | Origin::Entry(_) => {
                let into = self.plan.new_slot();
                out.steps.push(Step::new(Kind::Keep { into, origin, by: Modulator::THIS }, step));
                into
            }
            other => return other,
        };
        out.steps.push(Step::new(Kind::Filter(Test::Given(slot, name.clone())), step));
        Origin::Slot(slot)
    }

    /// Whether an `as` label or a side-effect has that name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        side_effect(name, &self.plan).is_some() || self.names.is_given(name)
    }

    /// As [`Binder::resolve`]; a name that nothing has yields nothing when the query runs.
    pub(super) fn find(&mut self, name: &Str, pop: Pop, shape: &Shape) -> (Origin, Shape) {
        let is_key = shape.ty == Type::Map && shape.keys.as_ref().is_some_and(|keys| keys.contains(name));
        if is_key && !(shape.lacks && self.is_named(name)) {
            return (Origin::Entry(name.clone()), Shape::unknown());
        }
        let is_certainly_no_entry = !shape.may_be_map() || shape.keys.is_some() && !is_key;
        if let (Some(id), true) = (side_effect(name, &self.plan), is_certainly_no_entry) {
            return (Origin::SideEffect(id), Shape::unknown());
        }
        let one_only = pop == Pop::Last || pop != Pop::All && !self.names.has_history(name);
        match self.names.slot(name) {
            Some((slot, named)) if one_only && is_certainly_no_entry => (Origin::Slot(slot), named.clone()),
            Some((slot, named)) if one_only => {
                let shape = if shape.ty == Type::Unknown {
                    Shape::unknown().or(named.clone())
                } else {
                    Shape::unknown()
                };
                (Origin::Named { name: name.clone(), slot: Some(slot), pop }, shape)
            }
            Some((slot, _)) if pop == Pop::All && !self.names.has_history(name) => {
                (Origin::Named { name: name.clone(), slot: Some(slot), pop }, Shape::of(Type::List))
            }
            _ if shape.ty == Type::Map
                && !self.names.is_given(name)
                && side_effect(name, &self.plan).is_none() =>
            {
                (Origin::Entry(name.clone()), Shape::unknown())
            }
            _ => {
                let ty = if pop == Pop::All { Type::List } else { Type::Unknown };
                (Origin::Named { name: name.clone(), slot: None, pop }, Shape::of(ty))
            }
        }
    }

    /// A named object under a modulator: which must be bound for objects of that name.
    pub(super) fn resolve_all(
        &mut self,
        call: &Call<'_>,
        names: &[Str],
        shape: &Shape,
        out: &mut Chain,
    ) -> Result<Vec<(Origin, Modulator)>, PlanError> {
        let mut keys = Vec::with_capacity(names.len());
        for name in names {
            let (origin, named) = self.resolve(call, name, shape)?;
            let origin = self.must_have(name, origin, call.name, out);
            keys.push((origin, self.single_by_of_named(call, &named)?));
        }
        Ok(keys)
    }
}
