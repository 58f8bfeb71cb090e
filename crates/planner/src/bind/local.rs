//! Steps that make one object of one object.

use gremlin::{Argument, StepName};
use rustc_hash::FxHashSet;
use values::{Str, Value, excerpt};

use super::call::Call;
use super::modulators::nth;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator};
use crate::physical::{LocalFn, Operand};

impl Binder<'_> {
    /// Maps without a stream.
    pub(super) fn map_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let (kind, shape) = match call.name {
            StepName::Id => (Kind::Call(LocalFn::Id), Shape::of(Type::Scalar)),
            StepName::Label => (Kind::Call(LocalFn::Label), Shape::of(Type::Scalar)),
            StepName::Key => (Kind::Call(LocalFn::Key), Shape::of(Type::Scalar)),
            StepName::Value => (Kind::Call(LocalFn::Value), Shape::unknown()),
            StepName::Constant => {
                let Some(argument) = call.args.first() else { return Err(call.bad_argument(0, "a value")) };
                (Kind::Call(LocalFn::Constant(self.operand(call, argument)?)), Shape::unknown())
            }
            StepName::Loops => (self.loops(call)?, Shape::of(Type::Scalar)),
            StepName::Unfold => (Kind::Unfold, Shape::unknown()),
            StepName::Path => (self.path(call)?, Shape::of(Type::Scalar)),
            StepName::Math => (self.math(call, &shape)?, Shape::of(Type::Scalar)),
            StepName::Project => {
                let (kind, keys) = self.project(call, &shape)?;
                // What a by() makes nothing of has no entry.
                let lacks = call.modulators(StepName::By).any(|by| !by.args.is_empty());
                (kind, Shape { keys: Some(keys), lacks, ..Shape::of(Type::Map) })
            }
            // `identity()`, and an `as` that follows no step.
            _ => {
                if call.name == StepName::As {
                    let names = call.names(self)?;
                    self.define_at_start(&names, &shape, out);
                }
                return Ok(shape);
            }
        };
        Self::push(out, kind, call);
        Ok(shape)
    }

    /// `as` as the first step of a traversal names its input.
    fn define_at_start(&mut self, names: &[Str], shape: &Shape, out: &mut Chain) {
        let mut step = crate::logical::Step::new(Kind::Identity, StepName::As);
        for name in names {
            let slot = self.names.define(name, shape, &mut self.plan);
            if slot.is_none() && !self.plan.history.is_kept() {
                continue;
            }
            step.labels.push(crate::logical::Label { name: name.clone(), slot });
        }
        out.steps.push(step);
    }

    fn path(&mut self, call: &Call<'_>) -> Result<Kind, PlanError> {
        let bys = self.bys_of_named(call, &Shape::unknown())?;
        let ends = self.path_ends(call)?;
        Ok(self.path_by(bys, ends, false, call))
    }

    fn project(&mut self, call: &Call<'_>, shape: &Shape) -> Result<(Kind, Vec<Str>), PlanError> {
        let keys = call.names(self)?;
        let mut known = FxHashSet::default();
        if let Some(key) = keys.iter().find(|key| !known.insert(*key)) {
            return Err(call.invalid(format!("its keys must be unique, and '{}' is not", excerpt(key))));
        }
        let bys = self.plain_bys(call, shape)?;
        let entries = keys.iter().enumerate().map(|(index, key)| (key.clone(), nth(&bys, index))).collect();
        Ok((Kind::Project(entries), keys))
    }

    fn loops(&mut self, call: &Call<'_>) -> Result<Kind, PlanError> {
        let has_left = self.loops_left == self.loops.len();
        let Some(Value::String(name)) = call.args.first().and_then(Argument::as_value) else {
            // TinkerPop's traversers count where something asks them to, and have been in no loop outside of all.
            let count = self.names.repeats || self.names.gives_any() || self.plan.history.is_kept();
            if !count && self.sack.settings.is_none() {
                return Err(call.invalid("there is no repeat() around it whose iterations it could count"));
            }
            let none = LocalFn::Constant(Operand::Const(Value::Int(0)));
            return Ok(Kind::Call(if has_left { none } else { LocalFn::Loops }));
        };
        if self.loops[..self.loops_left].iter().any(|one| one.name.as_ref() == Some(name)) {
            let name = excerpt(name);
            let message = format!(
                "what comes here is not in the loop '{name}': a reducer made it, or it was found by its name, on the path or in a collection"
            );
            return Err(call.invalid(message));
        }
        match self.loops.iter().rev().position(|one| one.name.as_ref() == Some(name)) {
            Some(0) => Ok(Kind::Call(LocalFn::Loops)),
            Some(_) => match self
                .loops
                .iter()
                .rev()
                .find(|one| one.name.as_ref() == Some(name))
                .and_then(|one| one.counter)
            {
                Some(slot) => Ok(Kind::Take(Modulator::FetchFrom(slot, crate::physical::FetchKind::This))),
                None => {
                    let name = excerpt(name);
                    Err(call.invalid(format!("the counter of loop '{name}' is out of reach here")))
                }
            },
            None => Err(call.invalid(format!("no repeat() around it is called '{}'", excerpt(name)))),
        }
    }
}
