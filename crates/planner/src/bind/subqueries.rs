//! Steps that send traversers into child traversals.

use gremlin::{Argument, Pick, StepName};
use values::Value;

use super::call::Call;
use super::filters::equal_to;
use super::{Binder, Bound, Shape};
use crate::PlanError;
use crate::logical::{Chain, Choice, Choose, Exists, Kind, Modulator};
use crate::physical::{FetchKind, Formula, Injected};

/// The error of an option of `choose` that is for every traverser.
fn any_option(option: &Call<'_>) -> PlanError {
    option.invalid("Choose step can not have an any-option as only one option per traverser is allowed")
}

impl Binder<'_> {
    pub(super) fn subquery(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let (kind, shape) = match call.name {
            StepName::Union | StepName::Coalesce => {
                let (branches, result) = self.branches(call, &shape)?;
                // One without branches lets nothing pass, as a union does.
                let is_union = call.name == StepName::Union || branches.is_empty();
                let kind = if is_union { Kind::Union } else { Kind::Coalesce };
                // What a coalesce keeps of its inside is the result alone.
                let from = result.from.filter(|_| call.name == StepName::Union);
                (kind(branches), Shape { from, ..result })
            }
            StepName::Choose => {
                let (choose, result) = self.choose(call, &shape)?;
                (Kind::Choose(Box::new(choose)), result)
            }
            name => {
                let (mut chain, result) = self.child(call.traversal_at(0)?, shape.clone())?;
                // As in TinkerPop, that of `optional` has what it injects first.
                if let (StepName::Optional, Some(Kind::Inject(_, place))) =
                    (name, chain.steps.first_mut().map(|step| &mut step.kind))
                {
                    *place = Injected::First;
                }
                let outside = Shape { from: None, ..result.clone() };
                match name {
                    StepName::Map => (Kind::Map(chain), outside),
                    StepName::FlatMap => (Kind::FlatMap(chain), outside),
                    StepName::Local => (Kind::Local(chain), result),
                    StepName::SideEffect => (Kind::SideEffect(chain), shape),
                    _ => (Kind::Optional(chain), shape.or(result)),
                }
            }
        };
        Self::push(out, kind, call);
        Ok(shape)
    }

    /// The branches, and what is known of the results of all of them.
    fn branches(&mut self, call: &Call<'_>, shape: &Shape) -> Result<(Vec<Chain>, Shape), PlanError> {
        let mut branches = Vec::with_capacity(call.args.len());
        let mut common: Option<Shape> = None;
        for index in 0..call.args.len() {
            let traversal = call.traversal_at(index)?;
            let (chain, result) = match call.name {
                StepName::Union => self.stream_child(traversal, shape.clone())?,
                _ => self.child(traversal, shape.clone())?,
            };
            branches.push(chain);
            common = Some(match common {
                Some(known) => known.or(result),
                None => result,
            });
        }
        Ok((branches, common.unwrap_or_default()))
    }

    fn choose(&mut self, call: &Call<'_>, shape: &Shape) -> Result<(Choose, Shape), PlanError> {
        let mut options = call.modulators(StepName::Option).peekable();
        if options.peek().is_none() && call.args.len() > 1 {
            return self.choose_if(call, shape);
        }
        let choice = self.choice(call, shape)?;
        let mut choose =
            Choose { choice: Choice::Switch(choice, Vec::new()), otherwise: None, unproductive: None };
        let mut results = Vec::new();
        for option in options {
            let option = Call::alone(option);
            if option.args.len() != 2 {
                return Err(any_option(&option));
            }
            let (chain, result) = self.stream_child(option.traversal_at(1)?, shape.clone())?;
            results.push(result);
            self.option(&option, chain, &mut choose)?;
        }
        // What matches no option passes unchanged.
        let known = results.into_iter().fold(shape.clone(), Shape::or);
        Ok((choose, known))
    }

    /// What the options are compared with.
    fn choice(&mut self, call: &Call<'_>, shape: &Shape) -> Result<Modulator, PlanError> {
        match call.args.first() {
            Some(Argument::Traversal(traversal)) => {
                Ok(Modulator::Chain(self.child(traversal, shape.clone())?.0))
            }
            Some(Argument::Column(column)) => Ok(Modulator::Fetch(FetchKind::Column(*column))),
            Some(Argument::Lambda(_)) => Err(call.unsupported("with a lambda")),
            _ => match call.value_at(0, self)? {
                Value::T(token) => Ok(Modulator::Fetch(FetchKind::Token(*token))),
                _ => Err(call.bad_argument(0, "a traversal, a predicate or a token")),
            },
        }
    }

    fn option(&mut self, option: &Call<'_>, chain: Chain, choose: &mut Choose) -> Result<(), PlanError> {
        let Choice::Switch(_, options) = &mut choose.choice else { return Ok(()) };
        match &option.args[0] {
            Argument::Pick(Pick::None) => _ = choose.otherwise.get_or_insert(chain),
            Argument::Pick(Pick::Unproductive) => _ = choose.unproductive.get_or_insert(chain),
            Argument::Pick(Pick::Any) => {
                return Err(any_option(option));
            }
            Argument::Traversal(_) => {
                return Err(option.invalid("Traversal is not allowed as a Pick token for choose().option()"));
            }
            Argument::Predicate(predicate) => options.push((self.predicate(option, predicate)?, chain)),
            value => options.push((equal_to(self.operand(option, value)?), chain)),
        }
        Ok(())
    }

    /// `choose(test, then, otherwise)`.
    fn choose_if(&mut self, call: &Call<'_>, shape: &Shape) -> Result<(Choose, Shape), PlanError> {
        let test = self.condition(call, &call.args[0], shape)?;
        let exists = Exists { branches: vec![test], formula: Formula::All };
        let (then, known) = self.stream_child(call.traversal_at(1)?, shape.clone())?;
        let (otherwise, known) = match call.args.len() {
            2 => (None, known.or(shape.clone())),
            _ => {
                let (chain, result) = self.stream_child(call.traversal_at(2)?, shape.clone())?;
                (Some(chain), known.or(result))
            }
        };
        Ok((Choose { choice: Choice::If(exists, then), otherwise, unproductive: None }, known))
    }
}
