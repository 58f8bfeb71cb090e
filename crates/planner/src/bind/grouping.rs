//! `group`, `groupCount`, and side-effects.

use gremlin::{Argument, Scope, StepName};
use values::Value;

use super::call::Call;
use super::names::{declare, side_effect};
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Footprint, Group, GroupCount, Kind, Modulator, Step};
use crate::physical::{Aggregation, SideEffectId};

/// Whether a chain makes its results of each traverser by itself, and does nothing else.
fn gives_one_by_one(chain: &Chain) -> bool {
    let apart = Footprint::STREAM | Footprint::FILLS | Footprint::WRITES;
    !chain.footprint().touches(apart) && chain.steps.iter().all(|step| step.kind != Kind::Barrier)
}

impl Binder<'_> {
    pub(super) fn grouping_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let reduces = call.name == StepName::Cap
            || matches!(call.name, StepName::Group | StepName::GroupCount) && call.args.is_empty();
        if reduces {
            self.no_reducer_in_body(call)?;
        }
        match call.name {
            StepName::Group => {
                let side_effect = self.side_effect_at(call, 0)?;
                let group = self.group(call, &shape, side_effect)?;
                Self::push(out, Kind::Group(Box::new(group)), call);
                Ok(if side_effect.is_some() { shape } else { Shape::of(Type::Map) })
            }
            StepName::GroupCount => {
                let side_effect = self.side_effect_at(call, 0)?;
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

    fn group(
        &mut self,
        call: &Call<'_>,
        shape: &Shape,
        side_effect: Option<SideEffectId>,
    ) -> Result<Group, PlanError> {
        let mut bys = self.plain_bys(call, shape)?.into_iter();
        let key = bys.next().unwrap_or(Modulator::THIS);
        let value = bys.next().unwrap_or(Modulator::THIS);
        if bys.next().is_some() {
            return Err(call.invalid("its key and its value are set by two by(); there is a third"));
        }
        let fold = Step::new(Kind::Aggregate(Aggregation::Fold), StepName::Fold);
        let value = match value {
            // Where nothing reduces them, each traverser replaces what the one before it gave.
            Modulator::Chain(chain) if gives_one_by_one(&chain) => Chain {
                steps: vec![
                    Step::new(Kind::Map(chain), StepName::By),
                    Step::new(Kind::Tail(1), StepName::By),
                ],
            },
            Modulator::Chain(chain) => chain,
            by if by.is_this() => Chain { steps: vec![fold] },
            // A property or token as the value means the list of all of them.
            by => Chain { steps: vec![Step::new(Kind::Take(by), StepName::By), fold] },
        };
        Ok(Group { key, value, side_effect })
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
