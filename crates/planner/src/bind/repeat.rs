//! `repeat` with `until`, `emit` and `times`, before or after it.

use gremlin::{Argument, Instruction, StepName, Traversal};
use values::Str;

use super::call::Call;
use super::{Binder, Bound, Shape, Type};
use crate::PlanError;
use crate::logical::{Chain, Exists, Kind, LoopCondition, LoopControl, Repeat};
use crate::physical::{Formula, Slot};

/// A loop around the current place.
pub(super) struct Loop {
    /// Its name, if it has one.
    pub name: Option<Str>,
    /// Where loops inside it find its counter.
    pub counter: Option<Slot>,
}

impl Binder<'_> {
    pub(super) fn repeat(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        let (name, body) = match call.args.len() {
            2 => (Some(call.name_at(0, self)?), call.traversal_at(1)?),
            _ => (None, call.traversal_at(0)?),
        };
        let asked_for = name.as_ref().is_some_and(|name| self.names.counters.contains(name));
        let counter = asked_for.then(|| self.plan.new_slot());
        self.loops.push(Loop { name, counter });
        // From the second iteration on, the body's input is its own output: only what the body can do nothing else
        // with is certain.
        let expected = if on_vertices(body) { Shape::of(Type::Vertex) } else { Shape::unknown() };
        let outer = self.body_at.replace(self.depth + 1);
        let bound = self.child_in(body, expected, true);
        self.body_at = outer;
        let (body, once) = bound?;
        let inside = shape.or(once);
        let (mut head, mut tail) = (LoopControl::default(), LoopControl::default());
        for control in call.controls_before() {
            self.loop_condition(control, &inside, &mut head)?;
        }
        for control in call.controls_after() {
            self.loop_condition(control, &inside, &mut tail)?;
        }
        self.loops.pop();
        Self::push(out, Kind::Repeat(Box::new(Repeat { head, body, tail, counter })), call);
        Ok(inside)
    }

    fn loop_condition(
        &mut self,
        control: &Instruction<StepName>,
        shape: &Shape,
        controls: &mut LoopControl,
    ) -> Result<(), PlanError> {
        let call = Call::alone(control);
        let condition = match control.name {
            StepName::Times => LoopCondition::Times(call.integer_at(0, self)?),
            _ => match control.args.first() {
                None => LoopCondition::Always,
                Some(argument) => self.loop_test(&call, argument, shape)?,
            },
        };
        let place = if control.name == StepName::Emit { &mut controls.emit } else { &mut controls.until };
        if *place != LoopCondition::Never {
            return Err(call.invalid("the repeat() has this modulator already"));
        }
        *place = condition;
        Ok(())
    }

    fn loop_test(
        &mut self,
        call: &Call<'_>,
        argument: &Argument,
        shape: &Shape,
    ) -> Result<LoopCondition, PlanError> {
        let test = self.condition(call, argument, shape)?;
        Ok(LoopCondition::Exists(Exists { branches: vec![test], formula: Formula::All }))
    }
}

/// Whether a traversal begins with a step that only vertices can take.
fn on_vertices(traversal: &Traversal) -> bool {
    use StepName as S;
    traversal.steps.first().is_some_and(|step| {
        matches!(step.name, S::Out | S::In | S::Both | S::OutE | S::InE | S::BothE | S::ToE)
    })
}
