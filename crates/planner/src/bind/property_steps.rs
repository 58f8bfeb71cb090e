//! `values`, `properties`, `valueMap`, `propertyMap`, `elementMap`.

use gremlin::{Argument, StepName};
use indexmap::IndexSet;
use values::{Str, Value};

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator};
use crate::physical::op::Tokens;
use crate::physical::{MapKeys, PropertyForm};

/// `WithOptions.tokens`.
const TOKENS: &str = "~tinkerpop.valueMap.tokens";

/// What no property is called.
const NO_KEY: Str = Str::new();

impl Binder<'_> {
    pub(super) fn property_step(&mut self, call: &Call<'_>, out: &mut Chain) -> Bound {
        let flagged = matches!(call.args.first().and_then(Argument::as_value), Some(Value::Bool(true)));
        let first =
            usize::from(matches!(call.args.first().and_then(Argument::as_value), Some(Value::Bool(_))));
        let written = call.names_from(first, self)?;
        let count = written.len();
        let mut names: IndexSet<Str> = written.into_iter().collect();
        if names.is_empty() && call.args.len() > first {
            // Nulls alone are no keys, and not all of them.
            names.insert(NO_KEY);
        }
        let apart = names.len() < count;
        let keys = MapKeys { apart, ..self.map_keys(names.into_iter().collect()) };
        let tokens = self.tokens(call, flagged)?;
        if call.modulators(StepName::By).count() > 1 {
            return Err(call.invalid("valueMap()/propertyMap() step can only have one by modulator"));
        }
        let (form, ty) = match call.name {
            StepName::Values => (PropertyForm::Values, Type::Unknown),
            StepName::Properties => (PropertyForm::Properties, Type::Property),
            StepName::ElementMap => (PropertyForm::ElementMap, Type::Map),
            StepName::PropertyMap => (PropertyForm::PropertyMap, Type::Map),
            _ => (PropertyForm::ValueMap { tokens, unfold: false }, Type::Map),
        };
        let kind = self.map_with(call, keys, form)?;
        // Keys that no element has yet leave nothing to look for, unless this traversal may write them.
        Self::push(out, kind, call);
        Ok(Shape::of(ty))
    }

    /// A property step with its `by`. To unwrap what `valueMap` has in lists takes no subquery.
    fn map_with(&mut self, call: &Call<'_>, keys: MapKeys, form: PropertyForm) -> Result<Kind, PlanError> {
        let by = self.single_by_of_named(call, &Shape::unknown())?;
        if let (Modulator::Chain(chain), PropertyForm::ValueMap { tokens, .. }) = (&by, &form)
            && let [step] = &chain.steps[..]
            && step.kind == Kind::Unfold
        {
            return Ok(Kind::Properties {
                keys,
                form: PropertyForm::ValueMap { tokens: *tokens, unfold: true },
            });
        }
        let map = Kind::Properties { keys, form };
        Ok(if by.is_this() { map } else { self.map_by(map, by, call) })
    }

    /// Keys by name, with the ids of those that have one.
    pub(super) fn map_keys(&self, names: Vec<Str>) -> MapKeys {
        let ids = names.iter().filter_map(|name| self.schema.key(name)).collect();
        MapKeys { names, ids, apart: false }
    }

    /// Which tokens `with(WithOptions.tokens, …)` asks for; other options have no effect.
    fn tokens(&mut self, call: &Call<'_>, flagged: bool) -> Result<Tokens, PlanError> {
        let mut tokens = if flagged { Tokens::ALL } else { Tokens::NONE };
        for with in call.modulators(StepName::With) {
            let with = Call::alone(with);
            if with.name_at(0, self)? != TOKENS {
                continue;
            }
            tokens = match with.args.get(1).and_then(Argument::as_value) {
                None | Some(Value::Bool(true)) => Tokens::ALL,
                Some(Value::Bool(false)) => Tokens::NONE,
                Some(number) => match number.as_i64() {
                    Some(bits) => tokens | Tokens::of_bits(bits),
                    None => {
                        return Err(call.invalid(
                            "WithOptions.tokens requires Integer arguments (possible values are: WithOptions.[none|ids|labels|keys|values|all])",
                        ));
                    }
                },
            };
        }
        Ok(tokens)
    }
}
