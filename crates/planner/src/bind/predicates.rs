//! Predicates and operands.

use gremlin::{Argument, Predicate as Written, PredicateOp};
use values::{Str, Value, watch};

use super::Binder;
use super::call::Call;
use crate::PlanError;
use crate::physical::{Operand, Predicate};

impl Binder<'_> {
    /// An argument as an operand.
    pub(super) fn operand(&mut self, call: &Call<'_>, argument: &Argument) -> Result<Operand, PlanError> {
        watch::tick();
        match argument {
            Argument::Value(value) => Ok(Operand::Const(value.clone())),
            Argument::Parameter(index, _) => {
                self.plan.params = self.plan.params.max(index + 1);
                Ok(Operand::Param(*index))
            }
            Argument::Binding(_, inner) => self.operand(call, inner),
            Argument::Traversal(_) => Err(call.unsupported("with a traversal as an operand")),
            Argument::Lambda(_) => Err(call.unsupported("with a lambda")),
            Argument::List(items) | Argument::Set(items) => {
                // A collection literal with something in it that is not a plain value.
                let values: Option<Vec<Value>> = items.iter().map(|item| item.as_value().cloned()).collect();
                self.plan.pinned = true;
                values.map(|values| Operand::Const(Value::list(values))).ok_or_else(|| not_a_value(call))
            }
            _ => Err(not_a_value(call)),
        }
    }

    /// Arguments from an index on as operands.
    pub(super) fn operands(&mut self, call: &Call<'_>, first: usize) -> Result<Vec<Operand>, PlanError> {
        call.args[first.min(call.args.len())..].iter().map(|argument| self.operand(call, argument)).collect()
    }

    /// The argument as a predicate: a plain value stands for `eq(value)`.
    pub(super) fn predicate_or_value(
        &mut self,
        call: &Call<'_>,
        argument: &Argument,
    ) -> Result<Predicate, PlanError> {
        match argument {
            Argument::Predicate(predicate) => self.predicate(call, predicate),
            value => Ok(Predicate::Compare(PredicateOp::Eq, self.operand(call, value)?)),
        }
    }

    /// The arguments from an index on as a predicate: several values, or a collection, stand for `within`.
    pub(super) fn predicate_or_values(&mut self, call: &Call<'_>) -> Result<Predicate, PlanError> {
        match call.args {
            [Argument::Predicate(predicate)] => self.predicate(call, predicate),
            [Argument::Value(value)] if !is_collection(value) => {
                Ok(Predicate::Compare(PredicateOp::Eq, Operand::Const(value.clone())))
            }
            // A parameter's type is part of the shape that the plan is kept by.
            [parameter @ Argument::Parameter(_, value)] if !is_collection(value) && *value != Value::Null => {
                Ok(Predicate::Compare(PredicateOp::Eq, self.operand(call, parameter)?))
            }
            _ => Ok(Predicate::Within { members: self.operands(call, 0)?, spread: true }),
        }
    }

    /// The arguments as a predicate: one value is what something must equal, a collection too; several are what it must be one of.
    pub(super) fn predicate_or_members(&mut self, call: &Call<'_>) -> Result<Predicate, PlanError> {
        match call.args {
            [one] => self.predicate_or_value(call, one),
            _ => Ok(Predicate::Within { members: self.operands(call, 0)?, spread: false }),
        }
    }

    /// A predicate as written.
    pub(super) fn predicate(&mut self, call: &Call<'_>, predicate: &Written) -> Result<Predicate, PlanError> {
        self.predicate_with(call, predicate, &mut |binder, operand| binder.operand(call, operand))
    }

    /// A predicate as written, whose operands are found by `resolve`.
    pub(super) fn predicate_with(
        &mut self,
        call: &Call<'_>,
        predicate: &Written,
        resolve: &mut dyn FnMut(&mut Self, &Argument) -> Result<Operand, PlanError>,
    ) -> Result<Predicate, PlanError> {
        let mut compare = |binder: &mut Self, op, operand: &Argument| {
            resolve(binder, operand).map(|operand| Predicate::Compare(op, operand))
        };
        Ok(match predicate {
            Written::Compare(op, operand) => compare(self, *op, operand)?,
            Written::Inside(low, high) => Predicate::And(vec![
                compare(self, PredicateOp::Gt, low)?,
                compare(self, PredicateOp::Lt, high)?,
            ]),
            Written::Outside(low, high) => Predicate::Or(vec![
                compare(self, PredicateOp::Lt, low)?,
                compare(self, PredicateOp::Gt, high)?,
            ]),
            Written::Between(low, high) => Predicate::And(vec![
                compare(self, PredicateOp::Gte, low)?,
                compare(self, PredicateOp::Lt, high)?,
            ]),
            Written::Within(members) => self.within(members, resolve)?,
            Written::Without(members) => Predicate::Not(Box::new(self.within(members, resolve)?)),
            Written::TypeOf(name) => Predicate::TypeOf(type_name(call, name)?),
            Written::Text(op, operand) => Predicate::Text(*op, resolve(self, operand)?),
            Written::And(parts) => Predicate::And(self.predicates(call, parts, resolve)?),
            Written::Or(parts) => Predicate::Or(self.predicates(call, parts, resolve)?),
            Written::Not(inner) => Predicate::Not(Box::new(self.predicate_with(call, inner, resolve)?)),
        })
    }

    fn predicates(
        &mut self,
        call: &Call<'_>,
        parts: &[Written],
        resolve: &mut dyn FnMut(&mut Self, &Argument) -> Result<Operand, PlanError>,
    ) -> Result<Vec<Predicate>, PlanError> {
        parts.iter().map(|part| self.predicate_with(call, part, resolve)).collect()
    }

    /// A single operand that is not a plain constant may stand for all the members: a parameter that holds the list,
    /// a side-effect.
    fn within(
        &mut self,
        members: &[Argument],
        resolve: &mut dyn FnMut(&mut Self, &Argument) -> Result<Operand, PlanError>,
    ) -> Result<Predicate, PlanError> {
        let members: Vec<Operand> =
            members.iter().map(|member| resolve(self, member)).collect::<Result<_, _>>()?;
        let spread = match &members[..] {
            [Operand::Const(value)] => is_collection(value),
            [_] => true,
            _ => members.iter().any(|member| matches!(member, Operand::SideEffect(_))),
        };
        Ok(Predicate::Within { members, spread })
    }
}

fn is_collection(value: &Value) -> bool {
    matches!(value, Value::List(_) | Value::Set(_) | Value::BulkSet(_))
}

fn type_name(call: &Call<'_>, argument: &Argument) -> Result<Str, PlanError> {
    match argument {
        Argument::GType(gtype) => Ok(gtype.as_str().into()),
        other => match other.as_value() {
            Some(Value::String(name)) => Ok(name.clone()),
            _ => Err(call.invalid("typeOf() takes a GType or the name of a type")),
        },
    }
}

fn not_a_value(call: &Call<'_>) -> PlanError {
    call.unsupported("with an operand that is not a value")
}
