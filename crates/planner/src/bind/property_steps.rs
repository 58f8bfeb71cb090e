//! `values`, `properties`, `valueMap`, `propertyMap`, `elementMap`.

use gremlin::{Argument, StepName};
use indexmap::IndexSet;
use values::{Str, Value};

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind};
use crate::physical::{MapKeys, PropertyForm};

/// `WithOptions.tokens`.
const TOKENS: &str = "~tinkerpop.valueMap.tokens";
/// Bit of `WithOptions.ids`.
const IDS: i64 = 1;
/// Bit of `WithOptions.labels`.
const LABELS: i64 = 2;
/// `WithOptions.all`.
const ALL: i64 = 15;

impl Binder<'_> {
    pub(super) fn property_step(&mut self, call: &Call<'_>, shape: &Shape, out: &mut Chain) -> Bound {
        let flagged = matches!(call.args.first().and_then(Argument::as_value), Some(Value::Bool(true)));
        let first =
            usize::from(matches!(call.args.first().and_then(Argument::as_value), Some(Value::Bool(_))));
        let names: IndexSet<Str> = call.names_from(first, self)?.into_iter().collect();
        let names: Vec<Str> = names.into_iter().collect();
        let keys = self.map_keys(names);
        let tokens = self.tokens(call, flagged)?;
        if call.modulators(StepName::By).count() > 1 {
            return Err(call.invalid("valueMap()/propertyMap() step can only have one by modulator"));
        }
        let (form, ty) = match call.name {
            StepName::Values => (PropertyForm::Values, Type::Unknown),
            StepName::Properties => (PropertyForm::Properties, Type::Property),
            StepName::ElementMap => (PropertyForm::ElementMap, Type::Map),
            StepName::PropertyMap if tokens != 0 => return Err(call.unsupported("with tokens")),
            StepName::PropertyMap if call.modulators(StepName::By).next().is_some() => {
                return Err(call.unsupported("with by()"));
            }
            StepName::PropertyMap => (PropertyForm::PropertyMap, Type::Map),
            _ => {
                let unfold = self.unfolds(call, shape)?;
                let form =
                    PropertyForm::ValueMap { ids: tokens & IDS != 0, labels: tokens & LABELS != 0, unfold };
                (form, Type::Map)
            }
        };
        // Keys that no element has yet leave nothing to look for, unless this traversal may write them.
        Self::push(out, Kind::Properties { keys, form }, call);
        Ok(Shape::of(ty))
    }

    /// Keys by name, with the ids of those that have one.
    pub(super) fn map_keys(&self, names: Vec<Str>) -> MapKeys {
        let ids = names.iter().filter_map(|name| self.schema.key(name)).collect();
        MapKeys { names, ids }
    }

    /// Which tokens `with(WithOptions.tokens, …)` asks for.
    fn tokens(&mut self, call: &Call<'_>, flagged: bool) -> Result<i64, PlanError> {
        let mut tokens = if flagged { ALL } else { 0 };
        for with in call.modulators(StepName::With) {
            let with = Call::alone(with);
            if with.name_at(0, self)? != TOKENS {
                return Err(call.unsupported("with that option: only WithOptions.tokens is known"));
            }
            tokens = if with.args.len() < 2 { ALL } else { with.integer_at(1, self)? };
        }
        Ok(tokens)
    }

    /// Whether the values are unwrapped: `by(unfold())`.
    fn unfolds(&mut self, call: &Call<'_>, shape: &Shape) -> Result<bool, PlanError> {
        let mut unfold = false;
        for by in call.modulators(StepName::By) {
            unfold = match &by.args[..] {
                [] => false,
                [Argument::Traversal(traversal)] => {
                    matches!(&self.child(traversal, shape.clone())?.0.steps[..], [step] if step.kind == Kind::Unfold)
                }
                _ => false,
            };
            if !unfold && !by.args.is_empty() {
                return Err(call.unsupported("with a by() other than by(unfold())"));
            }
        }
        Ok(unfold)
    }
}
