//! `group`, `groupCount`, and side-effects.

use gremlin::{Argument, Scope, StepName};
use values::{Value, excerpt};

use super::call::Call;
use super::names::{declare, side_effect};
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Flow, Footprint, Group, GroupCount, Kind, Modulator, Step};
use crate::physical::{Aggregation, SideEffectId};

impl Binder<'_> {
    pub(super) fn grouping_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let reduces = call.name == StepName::Cap
            || matches!(call.name, StepName::Group | StepName::GroupCount) && call.args.is_empty();
        if reduces {
            self.no_reducer_in_body(call)?;
        }
        match call.name {
            StepName::Group => {
                let side_effect = self.map_filled_by(call)?;
                let group = self.group(call, &shape, side_effect)?;
                Self::push(out, Kind::Group(Box::new(group)), call);
                Ok(if side_effect.is_some() { shape } else { Shape::of(Type::Map) })
            }
            StepName::GroupCount => {
                let side_effect = self.map_filled_by(call)?;
                let key = self.single_by(call, &shape)?;
                Self::push(out, Kind::GroupCount(Box::new(GroupCount { key, side_effect })), call);
                Ok(if side_effect.is_some() { shape } else { Shape::of(Type::Map) })
            }
            StepName::Cap => self.cap(call, out),
            _ => self.collect(call, shape, out),
        }
    }

    fn side_effect_at(&mut self, call: &Call<'_>, index: usize) -> Result<Option<SideEffectId>, PlanError> {
        if call.args.len() <= index {
            return Ok(None);
        }
        let name = call.name_at(index, self)?;
        declare(&name, &mut self.plan).map(Some)
    }

    /// The side-effect that a `group` or `groupCount` fills, each in its own way.
    fn map_filled_by(&mut self, call: &Call<'_>) -> Result<Option<SideEffectId>, PlanError> {
        let side_effect = self.side_effect_at(call, 0)?;
        let declared = side_effect.and_then(|id| self.plan.side_effects.get_index(id.0.into()));
        match declared {
            Some((name, declared)) if declared.reducer.is_some() => Err(call.invalid(format!(
                "it adds to what '{name}' holds in its own way; leave the operator out of withSideEffect('{name}', …)",
                name = excerpt(name)
            ))),
            _ => Ok(side_effect),
        }
    }

    fn group(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
        side_effect: Option<SideEffectId>,
    ) -> Result<Group, PlanError> {
        let mut bys = self.plain_bys(call, shape)?.into_iter();
        let key = bys.next().unwrap_or(Modulator::THIS);
        let mut value = bys.next().unwrap_or(Modulator::THIS);
        if self.productive_by.is_some()
            && let Some(Argument::Value(_) | Argument::Parameter(..)) =
                call.modulators(StepName::By).nth(1).and_then(|by| by.args.first())
        {
            // A list of them is there, whatever is in it.
            let known = self.productive_by.take();
            let plain = self.plain_bys(call, shape);
            self.productive_by = known;
            value = plain?.into_iter().nth(1).unwrap_or(value);
        }
        if bys.next().is_some() {
            return Err(call.invalid("its key and its value are set by two by(); there is a third"));
        }
        Ok(Group { key, value: value_of_group(value), side_effect })
    }

    /// `aggregate('x')`, `aggregate(scope, 'x')`, `store('x')`.
    fn collect(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let (eager, index) = match call.args.first() {
            Some(Argument::Scope(scope)) => (*scope == Scope::Global, 1),
            _ => (call.name == StepName::Aggregate, 0),
        };
        let Some(side_effect) = self.side_effect_at(call, index)? else {
            return Err(call.bad_argument(index, "the name of a side-effect"));
        };
        let by = self.single_by(call, &shape)?;
        Self::push(out, Kind::Collect { side_effect, by, eager }, call);
        Ok(shape)
    }

    fn cap(&mut self, call: &Call<'_>, out: &mut Chain) -> Bound {
        let mut ids = Vec::with_capacity(call.args.len());
        for (index, argument) in call.args.iter().enumerate() {
            if argument.as_value() == Some(&Value::Null) {
                continue;
            }
            let name = call.name_at(index, self)?;
            match side_effect(&name, &self.plan) {
                Some(id) => ids.push(id),
                None => {
                    let name = excerpt(&name);
                    return Err(call
                        .invalid(format!("no step of this traversal fills a side-effect called '{name}'")));
                }
            }
        }
        let shape = if ids.len() > 1 { Shape::of(Type::Map) } else { Shape::unknown() };
        Self::push(out, Kind::Cap(ids), call);
        Ok(shape)
    }
}

/// What a group's value is, of all that have its key (TinkerPop's `Grouping`).
///
/// An object, a property or a token means the list of all of them. A traversal with a barrier sees them all; one without
/// has an answer for each, and the last one's stays.
fn value_of_group(by: Modulator) -> Chain {
    let fold = Step::new(Kind::Aggregate(Aggregation::Fold), StepName::Fold);
    match by {
        by if by.is_this() => Chain { steps: vec![fold] },
        Modulator::Chain(chain) if chain.steps.iter().all(|step| step.kind == Kind::Identity) => {
            Chain { steps: vec![fold] }
        }
        Modulator::Chain(chain) if chain.steps.iter().any(|step| sees_all(&step.kind)) => {
            match chain.listed_key() {
                Some(key) => list_of(Modulator::Fetch(key), fold),
                None => one_by_one(chain),
            }
        }
        Modulator::Chain(chain) => {
            // What runs for each of those that travel as one, where that can be told.
            let often = chain.footprint().touches(Footprint::REPEATED);
            let each = Kind::Map(chain);
            let each = if often { Kind::Local(Chain::of(each, StepName::By)) } else { each };
            Chain { steps: vec![Step::new(each, StepName::By), Step::new(Kind::Tail(1), StepName::Tail)] }
        }
        by => list_of(by, fold),
    }
}

fn list_of(by: Modulator, fold: Step) -> Chain {
    Chain { steps: vec![Step::new(Kind::Take(by), StepName::By), fold] }
}

/// A value with a barrier. Traversers come to it one after the other, so what fills a side-effect in front of it does not wait
/// for the next, and what gathers inside of a branch there gathers of one.
fn one_by_one(mut chain: Chain) -> Chain {
    for step in chain.steps.iter_mut().take_while(|step| !sees_all(&step.kind)) {
        if let Kind::Collect { eager, .. } = &mut step.kind {
            *eager = false;
        }
        let branches = matches!(
            step.kind,
            Kind::Union(_) | Kind::Choose(_) | Kind::Optional(_) | Kind::Coalesce(_) | Kind::Repeat(_)
        );
        if branches && step.kind.footprint().touches(Footprint::STREAM) {
            let branch = std::mem::replace(&mut step.kind, Kind::Identity);
            step.kind = Kind::Local(Chain { steps: vec![Step::new(branch, StepName::By)] });
        }
    }
    owe_nothing(&mut chain);
    chain
}

/// Where the first barrier makes nothing of nothing, as a `sum()` does, there is no such key, whatever a `count()` behind it would
/// make of that: the rest runs for what the barrier has made.
fn owe_nothing(chain: &mut Chain) {
    let Some(barrier) = chain.steps.iter().position(|step| sees_all(&step.kind)) else { return };
    let may_be_nothing = matches!(
        chain.steps[barrier].kind,
        Kind::Aggregate(Aggregation::Sum | Aggregation::Min | Aggregation::Max | Aggregation::Mean)
    );
    if may_be_nothing && chain.steps[barrier + 1..].iter().any(|step| sees_all(&step.kind)) {
        let rest = Chain { steps: chain.steps.split_off(barrier + 1) };
        chain.steps.push(Step::new(Kind::FlatMap(rest), StepName::By));
    }
}

/// Whether a step is a barrier to TinkerPop's `group()`: `barrier()` and what fills a side-effect are not.
pub(super) fn sees_all(kind: &Kind) -> bool {
    match kind {
        Kind::Group(group) => group.side_effect.is_none(),
        Kind::GroupCount(count) => count.side_effect.is_none(),
        Kind::Barrier | Kind::Collect { .. } => false,
        kind => kind.flow() == Flow::Barrier,
    }
}
