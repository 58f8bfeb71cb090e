//! `by`: what is made of an object before a step looks at it.

use gremlin::{Argument, Instruction, Order, StepName, Traversal};
use values::Value;

use super::call::Call;
use super::{Binder, Shape};
use crate::PlanError;
use crate::logical::{Chain, Kind, Modulator, Step};
use crate::physical::{FetchKind, LocalFn, Operand};

impl Binder<'_> {
    /// The `by` modulators of a step, each with the order it asks for. They apply to objects of the given shape.
    pub(super) fn bys(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
    ) -> Result<Vec<(Modulator, Option<Order>)>, PlanError> {
        call.modulators(StepName::By).map(|by| self.by(by, shape)).collect()
    }

    /// As [`Binder::bys`], for steps that sort nothing.
    pub(super) fn plain_bys(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Vec<Modulator>, PlanError> {
        let bys = self.bys(call, shape)?;
        match bys.iter().any(|(_, order)| order.is_some()) {
            true => Err(order_in_by(call)),
            false => Ok(bys.into_iter().map(|(by, _)| by).collect()),
        }
    }

    /// As [`Binder::plain_bys`], of objects that are found by name: what is made of one knows nothing of where its traverser
    /// has been.
    pub(super) fn bys_of_named(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
    ) -> Result<Vec<Modulator>, PlanError> {
        self.without_past(|binder| binder.plain_bys(call, shape))
    }

    /// Binds what is made of an object that has no past: it has no names and no path, and is in no loop.
    pub(super) fn without_past<T>(&mut self, bind: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.names.out_of_sight();
        let left = std::mem::replace(&mut self.loops_left, self.loops.len());
        let bound = bind(self);
        self.loops_left = left;
        self.names.back_in_sight(before);
        bound
    }

    /// The `by` for the object of that number, for they take turns; without one, the object itself. Of an object that is found
    /// `by_name` it is made as in [`Binder::bys_of_named`].
    pub(super) fn by_in_turn(
        &mut self,
        call: &Call<'_>,
        number: usize,
        shape: &Shape,
        by_name: bool,
    ) -> Result<Modulator, PlanError> {
        let count = call.modulators(StepName::By).count();
        let Some(by) = number.checked_rem(count).and_then(|turn| call.modulators(StepName::By).nth(turn))
        else {
            return Ok(Modulator::THIS);
        };
        let made = match by_name {
            true => self.without_past(|binder| binder.by(by, shape)),
            false => self.by(by, shape),
        };
        match made? {
            (by, None) => Ok(by),
            (_, Some(_)) => Err(order_in_by(call)),
        }
    }

    /// The only `by` of a step; without one, the object itself.
    pub(super) fn single_by(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Modulator, PlanError> {
        let bys = self.plain_bys(call, shape)?;
        Self::only(call, bys)
    }

    /// As [`Binder::single_by`], of objects that are found by name.
    pub(super) fn single_by_of_named(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
    ) -> Result<Modulator, PlanError> {
        let bys = self.bys_of_named(call, shape)?;
        Self::only(call, bys)
    }

    fn only(call: &Call<'_>, mut bys: Vec<Modulator>) -> Result<Modulator, PlanError> {
        match bys.len() {
            0 => Ok(Modulator::THIS),
            1 => Ok(bys.remove(0)),
            _ => Err(call.invalid(format!("{} step can only have one by modulator", title(call.name)))),
        }
    }

    fn by(
        &mut self,
        by: &Instruction<StepName>,
        shape: &Shape,
    ) -> Result<(Modulator, Option<Order>), PlanError> {
        let call = Call::alone(by);
        let order = match by.args.last() {
            Some(Argument::Order(order)) => Some(*order),
            _ => None,
        };
        let modulator = match by.args.first() {
            None | Some(Argument::Order(_)) => Modulator::THIS,
            Some(Argument::Column(column)) => Modulator::Fetch(FetchKind::Column(*column)),
            Some(Argument::Traversal(traversal)) => {
                // What it names, nobody sees outside of it.
                let before = self.names.in_sight();
                let bound = self.child(traversal, shape.clone());
                self.names.back_in_sight(before);
                Modulator::Chain(kept_apart(bound?.0, traversal))
            }
            Some(Argument::Lambda(_)) => return Err(call.unsupported("with a lambda")),
            Some(_) => match call.value_at(0, self)? {
                Value::String(name) => Modulator::Fetch(FetchKind::Only(name.clone(), self.schema.key(name))),
                Value::T(token) => Modulator::Fetch(FetchKind::Token(*token)),
                _ => return Err(call.bad_argument(0, "a property key, a token or a traversal")),
            },
        };
        Ok((self.productive(modulator), order))
    }

    /// Under `ProductiveByStrategy`, what has no result has null for one. Of reducers all have one.
    fn productive(&self, by: Modulator) -> Modulator {
        let Some(known) = &self.productive_by else { return by };
        let found = match by {
            Modulator::Fetch(FetchKind::Only(ref name, _)) if known.is_empty() || !known.contains(name) => {
                Chain::of(Kind::Take(by), StepName::By)
            }
            Modulator::Chain(chain) if !chain.steps.last().is_some_and(|last| reduces(&last.kind)) => chain,
            by => return by,
        };
        let null = Kind::Call(LocalFn::Constant(Operand::Const(Value::Null)));
        let branches = vec![found, Chain::of(null, StepName::Constant)];
        Modulator::Chain(Chain::of(Kind::Coalesce(branches), StepName::By))
    }
}

/// Properties before which something is named are not those that `by('key')` takes, though nobody asks for the name.
fn kept_apart(mut chain: Chain, traversal: &Traversal) -> Chain {
    let first = traversal.steps.iter().find(|step| step.name != StepName::Identity);
    let is_named = first.is_some_and(|step| step.name == StepName::As);
    let first = chain.steps.iter_mut().find(|step| step.kind != Kind::Identity);
    if let (true, Some(Step { kind: Kind::Properties { keys, .. }, .. })) = (is_named, first) {
        keys.apart = true;
    }
    chain
}

/// Whether the step makes one object of a whole stream.
fn reduces(kind: &Kind) -> bool {
    match kind {
        Kind::Aggregate(_) => true,
        Kind::Group(group) => group.side_effect.is_none(),
        Kind::GroupCount(count) => count.side_effect.is_none(),
        _ => false,
    }
}

/// The error of a `by` with an order behind a step that sorts nothing.
fn order_in_by(call: &Call<'_>) -> PlanError {
    call.invalid(
        "it does not support traversal/comparator-based modulation: only order() takes an order in its by()",
    )
}

/// A step's name as TinkerPop's messages begin with it.
fn title(name: StepName) -> String {
    let name = name.as_str();
    name[..1].to_ascii_uppercase() + &name[1..]
}

/// The modulator for the object of that number: they take turns.
pub(super) fn nth(bys: &[Modulator], index: usize) -> Modulator {
    match bys.len() {
        0 => Modulator::THIS,
        count => bys[index % count].clone(),
    }
}
