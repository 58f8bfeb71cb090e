//! Pure functions of text, numbers, dates and collections, and draws.

use gremlin::{Argument, Scope, StepName, Traversal};
use indexmap::IndexSet;
use values::Value;

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Footprint, Kind, Modulator, Origin};
use crate::physical::{Function, LocalFn, Operand, Quantifier, SideEffectId, Slot, Test};

/// `WithOptions.indexer`.
const INDEXER: &str = "~tinkerpop.index.indexer";

impl Binder<'_> {
    /// Functions that the engine knows by their step's name.
    pub(super) fn function(
        &mut self,
        function: Function,
        call: &Call<'_>,
        shape: &Shape,
        out: &mut Chain,
    ) -> Bound {
        let (local, first) = match call.args.first() {
            Some(Argument::Scope(scope)) => (*scope == Scope::Local, 1),
            _ => (false, 0),
        };
        let mut args = Vec::with_capacity(call.args.len());
        for argument in &call.args[first..] {
            args.push(match argument {
                Argument::GType(gtype) => Operand::Const(Value::str(gtype.as_str())),
                Argument::Dt(unit) => Operand::Const(Value::str(unit.as_str())),
                Argument::Traversal(child) => Operand::Slot(self.computed(call, child, shape, out)?),
                argument => self.operand(call, argument)?,
            });
        }
        if call.name == StepName::Format {
            self.format_side_effects(call, &mut args)?;
            self.format_bys(call, shape, out, &mut args)?;
        }
        if call.name == StepName::Index {
            args.push(Operand::Const(Value::Long(self.indexer(call)?)));
        }
        let of_each = if local { LocalFn::Each } else { LocalFn::Call };
        Self::push(out, Kind::Call(of_each(function, args)), call);
        Ok(Shape::of(Type::Unknown))
    }

    /// The side-effects that a template of `format` asks for: a list of their names, and then each of them.
    fn format_side_effects(&mut self, call: &Call<'_>, args: &mut Vec<Operand>) -> Result<(), PlanError> {
        let mut asked = IndexSet::new();
        if !self.plan.side_effects.is_empty() {
            let template = call.name_at(0, self)?;
            let ends = template.split("%{").skip(1);
            asked.extend(ends.filter_map(|end| self.plan.side_effects.get_index_of(end.split_once('}')?.0)));
        }
        // In the order of their names, by which they are looked up.
        asked.sort_by_key(|index| self.plan.side_effects.get_index(*index).map(|(name, _)| name.clone()));
        let names = asked.iter().filter_map(|index| self.plan.side_effects.get_index(*index));
        let names: Vec<Value> = names.map(|(name, _)| Value::String(name.clone())).collect();
        args.push(Operand::Const(names.into()));
        args.extend(asked.iter().map(|index| Operand::SideEffect(SideEffectId(*index as u16))));
        Ok(())
    }

    /// What the `by`s of `format` make of the traverser, for `%{_}` in turn; those that no turn comes to are not asked.
    fn format_bys(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
        out: &mut Chain,
        args: &mut Vec<Operand>,
    ) -> Result<(), PlanError> {
        if call.modulators(StepName::By).next().is_none() {
            return Ok(());
        }
        let turns = call.name_at(0, self)?.matches("%{_}").count();
        let bys = self.plain_bys(call, shape)?;
        let acts = |by: &Modulator| match by {
            Modulator::Chain(chain) => chain.footprint().touches(Footprint::REPEATED),
            _ => false,
        };
        // One that does something does so each time that it is its turn; what others have found is taken again.
        let computed = if bys.iter().any(acts) { turns } else { turns.min(bys.len()) };
        for by in bys.iter().cycle().take(computed).cloned() {
            let into = self.plan.new_slot();
            let by = by.simplified().unwrap_or(by);
            Self::push(out, Kind::Keep { into, origin: Origin::Current, by }, call);
            args.push(Operand::Slot(into));
        }
        Ok(())
    }

    /// Computes an argument: the first result of a traversal of each traverser, in the slot that is returned. Where there is
    /// none, the slot is empty.
    pub(super) fn computed(
        &mut self,
        call: &Call<'_>,
        traversal: &Traversal,
        shape: &Shape,
        out: &mut Chain,
    ) -> Result<Slot, PlanError> {
        // What it names, nobody sees outside of it.
        let before = self.names.in_sight();
        let bound = self.child(traversal, shape.clone());
        self.names.back_in_sight(before);
        let into = self.plan.new_slot();
        let by = Modulator::Chain(bound?.0);
        Self::push(out, Kind::Keep { into, origin: Origin::Current, by }, call);
        Ok(into)
    }

    /// `index().with(WithOptions.indexer, WithOptions.map)`: 0 for lists, 1 for maps.
    fn indexer(&mut self, call: &Call<'_>) -> Result<i64, PlanError> {
        let mut indexer = 0;
        for with in call.modulators(StepName::With) {
            let with = Call::alone(with);
            // Others have no effect.
            if with.name_at(0, self)? != INDEXER {
                continue;
            }
            indexer = match with.args.get(1).and_then(Argument::as_value).and_then(Value::as_i64) {
                Some(known @ (0 | 1)) => known,
                _ => {
                    return Err(call.invalid(
                        "WithOptions.indexer requires a single Integer argument (possible values are: WithOptions.[list|map])",
                    ));
                }
            };
        }
        Ok(indexer)
    }

    /// `all(p)`, `any(p)`, `none(p)`.
    pub(super) fn members(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let Some(Argument::Predicate(predicate)) = call.args.first() else {
            return Err(call.bad_argument(0, "a predicate"));
        };
        let quantifier = match call.name {
            StepName::Any => Quantifier::Any,
            StepName::All => Quantifier::All,
            _ => Quantifier::None,
        };
        let test = self.with_computed(call, &shape, out, |binder| binder.predicate(call, predicate))?;
        Self::push(out, Kind::Filter(Test::Members(quantifier, test)), call);
        Ok(shape)
    }

    /// `timeLimit(milliseconds)`. Of a time that has passed before it begins nothing is left.
    pub(super) fn time_limit(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let millis = u64::try_from(call.integer_at(0, self)?).unwrap_or(0);
        Self::push(out, Kind::TimeLimit(millis), call);
        Ok(shape)
    }

    /// `coin(p)`, `sample(n)`.
    pub(super) fn draw(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        if call.name == StepName::Coin {
            let probability = match call.value_at(0, self)? {
                Value::Double(p) => *p,
                Value::Float(p) => f64::from(*p),
                other => other.as_i64().ok_or_else(|| call.bad_argument(0, "a probability"))? as f64,
            };
            Self::push(out, Kind::Coin(probability), call);
            return Ok(shape);
        }
        let scope = match call.args.first() {
            Some(Argument::Scope(scope)) => Some(*scope),
            _ => None,
        };
        let count = call.integer_at(usize::from(scope.is_some()), self)?;
        if scope == Some(Scope::Local) {
            self.no_by(call, "sample(local)")?;
            let count = u64::try_from(count).unwrap_or(0);
            Self::push(out, Kind::Call(LocalFn::Sample(count)), call);
            return Ok(Shape::unknown());
        }
        let count = u64::try_from(count).unwrap_or(0);
        let weight = match self.single_by(call, &shape)? {
            by if by.is_this() => None,
            by => Some(by),
        };
        Self::push(out, Kind::Sample(count, weight), call);
        Ok(shape)
    }
}
