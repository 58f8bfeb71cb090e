//! Filters on one traverser: `has` in all its forms, `is`, `simplePath`; and `filter`, `not`, `and`, `or`.

use gremlin::{Argument, PredicateOp, StepName, Traversal};
use values::{Str, T, Value};

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Exists, Kind, Step};
use crate::physical::{Formula, LocalFn, Operand, Predicate, PropertyForm, Test};

impl Binder<'_> {
    /// Filters that are one test.
    pub(super) fn filter_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        if let (StepName::Has, Some(Argument::Traversal(child))) = (call.name, call.args.last()) {
            return self.has_traversal(call, child, shape, out);
        }
        let test = match call.name {
            StepName::SimplePath | StepName::CyclicPath => self.simple_path(call, out)?,
            _ => self.with_computed(call, &shape, out, |binder| binder.test(call, &shape))?,
        };
        Self::push(out, Kind::Filter(test), call);
        Ok(shape)
    }

    fn test(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Test, PlanError> {
        Ok(match call.name {
            StepName::Has => self.has(call, shape)?,
            StepName::HasId => Test::HasId(self.id_predicate(call)?),
            StepName::HasLabel => self.has_label(call, shape)?,
            StepName::HasKey => Test::PropertyKey(self.predicate_or_values(call)?),
            StepName::HasValue => Test::PropertyValue(self.predicate_or_members(call)?),
            StepName::HasNot => match key(call, 0, self)? {
                Some(key) => Test::Not(Box::new(self.has_key(&key))),
                None => Test::Constant(true),
            },
            _ => match call.args.first() {
                Some(argument) => Test::Is(self.predicate_or_value(call, argument)?),
                None => return Err(call.bad_argument(0, "a value or a predicate")),
            },
        })
    }

    fn has(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Test, PlanError> {
        match call.args {
            [_] => Ok(match key(call, 0, self)? {
                Some(key) => self.has_key(&key),
                None => Test::Constant(false),
            }),
            [_, value] => self.has_named(call, 0, value, shape),
            [label, _, value] => {
                let by_id = has_label_id(shape.ty);
                let label = self.label_test(call, std::slice::from_ref(label), by_id)?;
                Ok(Test::And(vec![label, self.has_named(call, 1, value, shape)?]))
            }
            _ => Err(call.invalid("it takes a key, with a value or a predicate, and a label before them")),
        }
    }

    /// `has(key, traversal)`, `has(T, traversal)`, a label before them: some value under the key has a result of the traversal,
    /// as in TinkerPop up to 3.7.
    fn has_traversal(&mut self, call: &Call<'_>, child: &Traversal, shape: Shape, out: &mut Chain) -> Bound {
        let place = call.args.len() - 2;
        if let [label, _, _] = call.args {
            let by_id = has_label_id(shape.ty);
            let label = self.label_test(call, std::slice::from_ref(label), by_id)?;
            Self::push(out, Kind::Filter(label), call);
        }
        let value = match call.value_at(place, self)? {
            Value::T(T::Id) => Kind::Call(LocalFn::Id),
            Value::T(T::Label) => Kind::Call(LocalFn::Label),
            Value::T(T::Key) => Kind::Call(LocalFn::Key),
            Value::T(T::Value) => Kind::Call(LocalFn::Value),
            _ => match key(call, place, self)? {
                Some(key) => Kind::Properties { keys: self.map_keys(vec![key]), form: PropertyForm::Values },
                None => Kind::Filter(Test::Constant(false)),
            },
        };
        let mut chain = Chain::of(value, call.name);
        chain.steps.extend(self.child(child, Shape::unknown())?.0.steps);
        Self::push(out, Kind::Exists(Exists { branches: vec![chain], formula: Formula::All }), call);
        Ok(shape)
    }

    /// `has(name, value)`, where the name is a token, a property key, or a token by the name that TinkerPop hides it under;
    /// `index` is the name's among the arguments.
    fn has_named(
        &mut self,
        call: &Call<'_>,
        index: usize,
        value: &Argument,
        shape: &Shape,
    ) -> Result<Test, PlanError> {
        let token = match call.value_at(index, self)? {
            Value::T(token) => Some(*token),
            Value::String(name) => name.strip_prefix('~').and_then(T::from_name),
            _ => None,
        };
        match token {
            Some(token) => self.has_token(call, token, value, shape),
            None => self.has_value(call, index, value),
        }
    }

    /// `has(key, value)`; `key` is the index of the key among the arguments.
    fn has_value(&mut self, call: &Call<'_>, key_index: usize, value: &Argument) -> Result<Test, PlanError> {
        let predicate = self.predicate_or_value(call, value)?;
        Ok(match key(call, key_index, self)? {
            Some(key) => match self.schema.key(&key) {
                Some(id) => Test::Has(id, predicate),
                None => Test::HasNamed(key, predicate),
            },
            None => Test::Constant(false),
        })
    }

    fn has_key(&self, key: &Str) -> Test {
        match self.schema.key(key) {
            Some(id) => Test::HasKey(id),
            // Any value will do.
            None => Test::HasNamed(key.clone(), Predicate::And(Vec::new())),
        }
    }

    fn has_token(
        &mut self,
        call: &Call<'_>,
        token: T,
        value: &Argument,
        shape: &Shape,
    ) -> Result<Test, PlanError> {
        match (token, value) {
            (T::Label, Argument::Predicate(_)) => Ok(Test::LabelIs(self.predicate_or_value(call, value)?)),
            (T::Label, _) => self.label_test(call, std::slice::from_ref(value), has_label_id(shape.ty)),
            (T::Id, _) => Ok(Test::HasId(self.predicate_or_value(call, value)?)),
            (T::Key, _) => Ok(Test::PropertyKey(self.predicate_or_value(call, value)?)),
            (T::Value, _) => Ok(Test::PropertyValue(self.predicate_or_value(call, value)?)),
        }
    }

    fn id_predicate(&mut self, call: &Call<'_>) -> Result<Predicate, PlanError> {
        match call.args {
            [Argument::Value(Value::Null)] => Ok(Predicate::Or(Vec::new())),
            _ => self.predicate_or_values(call),
        }
    }

    fn has_label(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Test, PlanError> {
        let by_id = has_label_id(shape.ty);
        match call.args {
            [Argument::Predicate(gremlin::Predicate::Compare(PredicateOp::Eq, label))] => {
                self.label_test(call, std::slice::from_ref(&**label), by_id)
            }
            [Argument::Predicate(gremlin::Predicate::Within(labels))]
                if labels.iter().all(|label| matches!(label, Argument::Value(Value::String(_)))) =>
            {
                self.label_test(call, labels, by_id)
            }
            [Argument::Predicate(predicate)] => Ok(Test::LabelIs(self.predicate(call, predicate)?)),
            labels => self.label_test(call, labels, by_id),
        }
    }

    fn simple_path(&mut self, call: &Call<'_>, out: &mut Chain) -> Result<Test, PlanError> {
        let (from, to) = self.path_ends(call)?;
        if call.modulators(StepName::By).next().is_some() {
            let bys = self.bys_of_named(call, &Shape::unknown())?;
            let steps = vec![self.path_by(bys, (from, to), false, call), Kind::Call(LocalFn::IsSimple)];
            let is_simple = self.kept(steps, call, out);
            let wanted = Value::Bool(call.name == StepName::SimplePath);
            return Ok(Test::SlotIs(is_simple, equal_to(Operand::Const(wanted))));
        }
        let simple = Test::SimplePath(from, to);
        Ok(if call.name == StepName::CyclicPath { Test::Not(Box::new(simple)) } else { simple })
    }

    /// The labels at which the part of the path that counts begins and ends.
    pub(super) fn path_ends(&mut self, call: &Call<'_>) -> Result<(Option<Str>, Option<Str>), PlanError> {
        let mut end = |name| match call.modulators(name).last() {
            Some(modulator) => Call::alone(modulator).name_at(0, self).map(Some),
            None => Ok(None),
        };
        Ok((end(StepName::From)?, end(StepName::To)?))
    }

    /// `filter`, `not`, `and`, `or`.
    pub(super) fn exists_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        if let [Argument::Predicate(predicate)] = call.args {
            let test = self.with_computed(call, &shape, out, |binder| binder.predicate(call, predicate))?;
            let test = Test::Is(test);
            Self::push(out, Kind::Filter(test), call);
            return Ok(shape);
        }
        if call.args.is_empty() && !self.connects {
            // All of no conditions hold, and not one of them.
            Self::push(out, Kind::Filter(Test::Constant(call.name == StepName::And)), call);
            return Ok(shape);
        }
        let mut branches = Vec::with_capacity(call.args.len());
        for index in 0..call.args.len() {
            branches.push(self.child(call.traversal_at(index)?, shape.clone())?.0);
        }
        let formula = match call.name {
            StepName::Or => Formula::Any,
            StepName::Not => Formula::None,
            _ => Formula::All,
        };
        Self::push(out, Kind::Exists(Exists { branches, formula }), call);
        Ok(shape)
    }

    /// A predicate or a traversal as a condition on a traverser (`until`, `emit`, `choose`).
    pub(super) fn condition(
        &mut self,
        call: &Call<'_>,
        argument: &Argument,
        shape: &Shape,
    ) -> Result<Chain, PlanError> {
        match argument {
            Argument::Predicate(predicate) => {
                let mut chain = Chain::default();
                let test =
                    self.with_computed(call, shape, &mut chain, |binder| binder.predicate(call, predicate))?;
                chain.steps.push(Step::new(Kind::Filter(Test::Is(test)), StepName::Is));
                Ok(chain)
            }
            Argument::Traversal(traversal) => Ok(self.child(traversal, shape.clone())?.0),
            Argument::Lambda(_) => Err(call.unsupported("with a lambda")),
            value => {
                let operand = self.operand(call, value)?;
                Ok(Chain::of(Kind::Filter(Test::Is(equal_to(operand))), StepName::Is))
            }
        }
    }
}

/// Equal to that.
pub(super) fn equal_to(operand: Operand) -> Predicate {
    Predicate::Compare(PredicateOp::Eq, operand)
}

/// A property key; `None` for null, which no property is called.
fn key(call: &Call<'_>, index: usize, binder: &mut Binder<'_>) -> Result<Option<Str>, PlanError> {
    match call.value_at(index, binder)? {
        Value::Null => Ok(None),
        Value::String(key) => Ok(Some(key.clone())),
        _ => Err(call.bad_argument(index, "a property key")),
    }
}

/// Whether all objects of a kind have a label of the catalog: that of a vertex property is its key.
fn has_label_id(ty: Type) -> bool {
    matches!(ty, Type::Vertex | Type::Edge)
}
