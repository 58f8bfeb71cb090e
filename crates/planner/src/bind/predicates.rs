//! Predicates and operands.
//!
//! An operand may be a traversal (TinkerPop 4.0): `has('age', gt(V(1).values('age')))`. It begins at whom the step asks about, and its
//! first result is the operand; without a result nothing is satisfied. It is computed before the step, into a slot.

use gremlin::{Argument, Predicate as Written, PredicateOp, Traversal};
use values::{Str, Value, watch};

use super::call::Call;
use super::{Binder, Shape};
use crate::PlanError;
use crate::logical::Chain;
use crate::physical::{Operand, Predicate};

/// Operands that traversals compute, while the step is bound that they belong to.
pub(super) struct Computing {
    /// What they begin at.
    from: Shape,
    /// What computes those that were bound.
    chain: Chain,
}

impl Binder<'_> {
    /// Binds what may have traversals as operands, which begin at objects of that shape: what computes them goes to `out`.
    pub(super) fn with_computed<R>(
        &mut self,
        call: &Call<'_>,
        from: &Shape,
        out: &mut Chain,
        bind: impl FnOnce(&mut Self) -> Result<R, PlanError>,
    ) -> Result<R, PlanError> {
        if !call.args.iter().any(has_computed) {
            return bind(self);
        }
        let computing = Computing { from: from.clone(), chain: Chain::default() };
        let around = self.computing.replace(computing);
        let bound = bind(self);
        if let Some(Computing { chain, .. }) = std::mem::replace(&mut self.computing, around) {
            out.steps.extend(chain.steps);
        }
        bound
    }

    /// An operand that a traversal computes, where a step has such.
    fn computed_operand(&mut self, call: &Call<'_>, traversal: &Traversal) -> Result<Operand, PlanError> {
        let Some(Computing { from, mut chain }) = self.computing.take() else {
            return Err(call.unsupported("with a traversal as an operand"));
        };
        let slot = self.computed(call, traversal, &from, &mut chain);
        self.computing = Some(Computing { from, chain });
        slot.map(Operand::Slot)
    }

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
            Argument::Traversal(traversal) => self.computed_operand(call, traversal),
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
            Written::Within(members) => self.within(call, members, resolve)?,
            Written::Without(members) => Predicate::Not(Box::new(self.within(call, members, resolve)?)),
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
        call: &Call<'_>,
        members: &[Argument],
        resolve: &mut dyn FnMut(&mut Self, &Argument) -> Result<Operand, PlanError>,
    ) -> Result<Predicate, PlanError> {
        let traversals = members.iter().filter(|member| matches!(member, Argument::Traversal(_))).count();
        if traversals > 0 && traversals < members.len() {
            return Err(call.invalid(
                "Cannot mix traversals and literal values. Use __.constant(val) to wrap each value as a traversal."));
        }
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

/// Whether a traversal is an operand of it.
fn has_computed(argument: &Argument) -> bool {
    fn any(predicate: &Written) -> bool {
        predicate.operands().any(has_computed) || predicate.inner().iter().any(any)
    }
    match argument {
        Argument::Traversal(_) => true,
        Argument::Predicate(predicate) => any(predicate),
        _ => false,
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
