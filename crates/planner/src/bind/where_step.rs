//! `where`, in its three forms.

use std::borrow::Cow;

use gremlin::{Argument, Instruction, Predicate as Written, StepName, Traversal};
use values::{Str, Value};

use super::call::{Call, is_parameter};
use super::{Binder, Bound, Shape};
use crate::PlanError;
use crate::logical::{Chain, Comparison, Exists, Kind, Modulator, Origin, Select, Selected, Step};
use crate::physical::{FetchKind, Formula, Operand, Predicate, SelectForm, Slot, Test};
use gremlin::{Pop, PredicateOp, TextOp};

impl Binder<'_> {
    /// `where(P)`, `where('a', P)`, `where(traversal)`.
    pub(super) fn where_step(&mut self, call: &Call<'_>, shape: Shape, out: &mut Chain) -> Bound {
        match call.args {
            [Argument::Predicate(predicate)] => self.where_predicate(call, None, predicate, &shape, out)?,
            [_, Argument::Predicate(predicate)] => {
                let name = call.name_at(0, self)?;
                self.where_predicate(call, Some(name), predicate, &shape, out)?;
            }
            _ => {
                let traversal = call.traversal_at(0)?;
                if call.modulators(StepName::By).next().is_some() {
                    return Err(call.invalid("by() does not apply to a where() with a traversal"));
                }
                if !self.has_infix(&traversal.steps) && !has_variables(&traversal.steps) {
                    return self.exists_step(call, shape, out);
                }
                let exists = self.where_traversal(traversal, &shape)?;
                Self::push(out, Kind::Exists(exists), call);
            }
        }
        Ok(shape)
    }

    /// Compares a named object, or the current one, with named objects; each may be modulated.
    fn where_predicate(
        &mut self,
        call: &Call<'_>,
        left: Option<Str>,
        predicate: &Written,
        shape: &Shape,
        out: &mut Chain,
    ) -> Result<(), PlanError> {
        if has_regex(predicate) {
            return Err(call.invalid(
                "a regular expression in where() would be a name and a pattern at once; use is(regex('…')) or has('key', regex('…'))",
            ));
        }
        let (origin, left_shape) = match &left {
            Some(name) => {
                let (origin, named) = self.resolve(call, name, shape)?;
                (self.must_have(name, origin, call.name, out), named)
            }
            None => (Origin::Current, shape.clone()),
        };
        let is_plain = call.modulators(StepName::By).next().is_none();
        let mut operands: Vec<(Slot, Origin, Modulator)> = Vec::new();
        let predicate = self.predicate_with(call, predicate, &mut |binder, operand| {
            if let Argument::Traversal(traversal) = operand {
                return Ok(Operand::Slot(binder.computed(call, traversal, shape, out)?));
            }
            let (name, origin, named) = binder.named_operand(call, operand, shape)?;
            let origin = binder.must_have(&name, origin, call.name, out);
            Ok(match origin {
                Origin::Slot(slot) if is_plain => Operand::Slot(slot),
                Origin::SideEffect(id) if is_plain => Operand::SideEffect(id),
                origin => {
                    let by = binder.by_in_turn(call, operands.len() + 1, &named, true)?;
                    let slot = binder.plan.new_slot();
                    operands.push((slot, origin, by));
                    Operand::Slot(slot)
                }
            })
        })?;
        let left = (origin, self.by_in_turn(call, 0, &left_shape, left.is_some())?);
        let kind = match (&left.0, left.1.is_this(), operands.is_empty()) {
            (Origin::Current, true, true) => Kind::Filter(Test::Is(predicate)),
            (Origin::Slot(slot), true, true) => Kind::Filter(Test::SlotIs(*slot, predicate)),
            _ => Kind::Compare(Comparison { left, operands, predicate }),
        };
        Self::push(out, kind, call);
        Ok(())
    }

    /// An operand of a `where`'s predicate: a name, or a list that holds one.
    fn named_operand(
        &mut self,
        call: &Call<'_>,
        operand: &Argument,
        shape: &Shape,
    ) -> Result<(Str, Origin, Shape), PlanError> {
        self.plan.pinned |= is_parameter(operand);
        let name = match operand.as_value() {
            Some(Value::String(name)) => name.clone(),
            Some(Value::List(names)) => match names.first() {
                Some(Value::String(name)) => name.clone(),
                _ => return Err(call.invalid("the operands of its predicate are names of objects")),
            },
            _ => return Err(call.invalid("the operands of its predicate are names of objects")),
        };
        let (origin, named) = self.resolve(call, &name, shape)?;
        Ok((name, origin, named))
    }

    /// `where(traversal)`: an `as` at its start says where it begins, one at its end what it must reach.
    pub(super) fn where_traversal(
        &mut self,
        traversal: &Traversal,
        shape: &Shape,
    ) -> Result<Exists, PlanError> {
        if self.has_infix(&traversal.steps) {
            return self.connect(&traversal.steps, shape, true);
        }
        Ok(Exists { branches: vec![self.where_chain(&traversal.steps, shape)?], formula: Formula::All })
    }

    /// One operand of a `where`.
    pub(super) fn where_chain(
        &mut self,
        steps: &[Instruction<StepName>],
        shape: &Shape,
    ) -> Result<Chain, PlanError> {
        if let [step] = steps
            && is_connective(step)
        {
            return self.where_connective(step, shape);
        }
        let steps = &*with_name_behind_properties(steps);
        let (start, rest) = match steps.split_first() {
            Some((step, rest)) if step.name == StepName::As => (Some(Call::alone(step)), rest),
            _ => (None, steps),
        };
        let (end, mut middle) = match rest.split_last() {
            Some((step, middle)) if step.name == StepName::As => (Some(Call::alone(step)), middle),
            _ => (None, rest),
        };
        // The same name once more says nothing more.
        while let (Some(end), Some((step, before))) = (&end, middle.split_last())
            && step.name == StepName::As
            && step.args == end.args
        {
            middle = before;
        }
        // Names at the ends of a connective's operands are compared with, whatever comes behind it.
        let (first, middle) = match middle.split_first() {
            Some((step, rest)) if start.is_none() && is_connective(step) => {
                (self.where_connective(step, shape)?, rest)
            }
            _ => (Chain::default(), middle),
        };
        let mut chain = Chain::default();
        let goal = match &end {
            Some(end) => {
                let goal = self.goal(end, shape, &mut chain)?;
                Some(self.out_of_reach(goal, end, middle, &mut chain))
            }
            None => None,
        };
        let mut inner = shape.clone();
        if let Some(start) = start {
            let name = start.name_at(0, self)?;
            let (origin, named) = self.resolve(&start, &name, shape)?;
            let origin = self.must_have(&name, origin, StepName::Where, &mut chain);
            chain.steps.push(Step::new(look_up(origin, &name), StepName::As));
            inner = named;
        }
        let outer = std::mem::replace(&mut self.in_body, false);
        let body = self.chain(middle, inner);
        self.in_body = outer;
        let body = body?.0;
        chain.steps.extend(first.steps);
        let forgets = body.steps.iter().any(|step| step.kind.lets_out_made());
        match &goal {
            // The name is that of the traverser at the start, whoever comes up inside.
            Some(Operand::Slot(_)) if forgets => {
                chain.steps.push(Step::new(Kind::FlatMap(body), StepName::Where));
            }
            _ => chain.steps.extend(body.steps),
        }
        if let Some(goal) = goal {
            let reached = Test::Is(Predicate::Compare(PredicateOp::Eq, goal));
            chain.steps.push(Step::new(Kind::Filter(reached), StepName::As));
        }
        Ok(chain)
    }

    /// What an `as` at the end of a `where` names, looked up at its start: inside it other objects are current.
    fn goal(&mut self, end: &Call<'_>, shape: &Shape, chain: &mut Chain) -> Result<Operand, PlanError> {
        let name = end.name_at(0, self)?;
        let origin = self.resolve(end, &name, shape)?.0;
        let origin = self.must_have(&name, origin, StepName::Where, chain);
        Ok(match origin {
            Origin::Slot(slot) => Operand::Slot(slot),
            Origin::SideEffect(id) => Operand::SideEffect(id),
            origin => {
                let into = self.plan.new_slot();
                chain.steps.push(Step::new(Kind::Keep { into, origin, by: Modulator::THIS }, StepName::As));
                Operand::Slot(into)
            }
        })
    }

    /// The goal in a slot of its own, if the steps on the way give its name to something else.
    fn out_of_reach(
        &mut self,
        goal: Operand,
        end: &Call<'_>,
        way: &[Instruction<StepName>],
        chain: &mut Chain,
    ) -> Operand {
        let Operand::Slot(slot) = goal else { return goal };
        if !way.iter().any(|step| gives_one_of(step, end.args)) {
            return goal;
        }
        let into = self.plan.new_slot();
        let keep = Kind::Keep { into, origin: Origin::Slot(slot), by: Modulator::THIS };
        chain.steps.push(Step::new(keep, StepName::As));
        Operand::Slot(into)
    }

    fn where_connective(&mut self, step: &Instruction<StepName>, shape: &Shape) -> Result<Chain, PlanError> {
        let call = Call::alone(step);
        let mut branches = Vec::with_capacity(step.args.len());
        for index in 0..step.args.len() {
            let inner = self.where_traversal(call.traversal_at(index)?, shape)?;
            branches.push(match inner {
                Exists { mut branches, .. } if branches.len() == 1 => branches.remove(0),
                several => Chain::of(Kind::Exists(several), StepName::Where),
            });
        }
        let formula = match step.name {
            StepName::Or => Formula::Any,
            StepName::Not => Formula::None,
            _ => Formula::All,
        };
        Ok(Chain::of(Kind::Exists(Exists { branches, formula }), step.name))
    }
}

/// The properties that an element is made with are its own, so that a name in front of them is at the end, as in TinkerPop, which
/// folds them into the step that makes it: `addE('x').as('a').property('k', 1)`.
fn with_name_behind_properties(steps: &[Instruction<StepName>]) -> Cow<'_, [Instruction<StepName>]> {
    let of = |name: StepName, steps: &[Instruction<StepName>]| {
        steps.iter().rev().take_while(|step| step.name == name).count()
    };
    let (before, properties) = steps.split_at(steps.len() - of(StepName::Property, steps));
    let (making, names) = before.split_at(before.len() - of(StepName::As, before));
    let is_part = |step: &&Instruction<StepName>| {
        matches!(step.name, StepName::From | StepName::To | StepName::Property)
    };
    let are_folded = match making.iter().rev().find(|step| !is_part(step)).map(|step| step.name) {
        Some(StepName::AddE) => true,
        // One with a cardinality or properties of its own is set when the vertex is there.
        Some(StepName::AddV) => properties.iter().all(|step| step.args.len() == 2),
        _ => false,
    };
    if properties.is_empty() || names.is_empty() || !are_folded {
        return Cow::Borrowed(steps);
    }
    Cow::Owned([making, properties, names].concat())
}

/// Whether a `where` has a name at its start, or at its end, that it looks up; otherwise it is a filter like any other, and a name in it
/// names an object. As in TinkerPop's `TraversalHelper.getVariableLocations`, a name behind a `where(P)` at the end is none.
fn has_variables(steps: &[Instruction<StepName>]) -> bool {
    let compares_a_name = |step: &Instruction<StepName>| matches!(step.args[..], [_, Argument::Predicate(_)]);
    let steps = &*with_name_behind_properties(steps);
    let Some(first) = steps.first() else { return false };
    let at_start = match first.name {
        StepName::As | StepName::Match => true,
        StepName::Where if compares_a_name(first) => true,
        StepName::And | StepName::Or | StepName::Not | StepName::Where => {
            let inside = |arg: &Argument| matches!(arg, Argument::Traversal(t) if has_variables(&t.steps));
            first.args.iter().any(inside)
        }
        _ => false,
    };
    let mut backwards = steps.iter().rev().skip_while(|step| step.name == StepName::As);
    let at_end = match backwards.find(|step| step.name != StepName::By) {
        Some(last)
            if last.name == StepName::Where && matches!(last.args.last(), Some(Argument::Predicate(_))) =>
        {
            compares_a_name(last)
        }
        _ => steps.last().is_some_and(|step| step.name == StepName::As),
    };
    at_start || at_end
}

fn is_connective(step: &Instruction<StepName>) -> bool {
    matches!(step.name, StepName::And | StepName::Or | StepName::Not)
}

/// Whether a predicate has a pattern in it.
fn has_regex(predicate: &Written) -> bool {
    match predicate {
        Written::Text(op, _) => matches!(op, TextOp::Regex | TextOp::NotRegex),
        Written::And(parts) | Written::Or(parts) => parts.iter().any(has_regex),
        Written::Not(inner) => has_regex(inner),
        _ => false,
    }
}

/// Makes a named object the current one.
pub(super) fn look_up(origin: Origin, name: &Str) -> Kind {
    match origin {
        Origin::Slot(slot) => Kind::Load(slot),
        Origin::Current => Kind::Identity,
        Origin::Entry(name) => Kind::Take(Modulator::Fetch(FetchKind::Property(name, None))),
        origin => Kind::Select(Select {
            selections: vec![Selected { name: name.clone(), origin, pop: Pop::Last, by: Modulator::THIS }],
            form: SelectForm::One,
        }),
    }
}

/// Whether a step, or one inside it, is an `as` of one of these names.
fn gives_one_of(step: &Instruction<StepName>, names: &[Argument]) -> bool {
    let gives = step.name == StepName::As && step.args.iter().any(|name| names.contains(name));
    let inside = |arg: &Argument| match arg {
        Argument::Traversal(child) => child.steps.iter().any(|step| gives_one_of(step, names)),
        _ => false,
    };
    gives || step.args.iter().any(inside)
}
