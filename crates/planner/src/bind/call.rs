//! A step with its arguments and the modulators that follow it.

use gremlin::{Argument, Instruction, Position, StepName, Traversal};
use values::{Str, Value};

use super::Binder;
use crate::PlanError;
use crate::error::MODULATES_NOTHING;

/// A step as written, with the modulators that belong to it.
#[derive(Clone, Copy)]
pub(super) struct Call<'t> {
    /// The step.
    pub name: StepName,
    /// Its arguments.
    pub args: &'t [Argument],
    /// Where it stands.
    pub at: Option<Position>,
    /// For `repeat`: the modulators before it. Otherwise empty.
    before: &'t [Instruction<StepName>],
    /// The modulators after it, `as` included.
    after: &'t [Instruction<StepName>],
    /// Index of the first step that no longer belongs to it.
    pub end: usize,
}

impl<'t> Call<'t> {
    /// The call that begins with the step of that index.
    pub fn at(steps: &'t [Instruction<StepName>], first: usize) -> Self {
        let is_control = |step: &Instruction<StepName>| {
            matches!(step.name, StepName::Until | StepName::Emit | StepName::Times)
        };
        let leading = steps[first..].iter().take_while(|step| is_control(step)).count();
        let main = match steps.get(first + leading) {
            Some(step) if step.name == StepName::Repeat => first + leading,
            _ => first,
        };
        let step = &steps[main];
        let mut taken = Taken::new(step.name, &steps[first..main]);
        let rest = &steps[main + 1..];
        let count = rest.iter().take_while(|modulator| taken.takes(modulator)).count();
        Self {
            name: step.name,
            args: &step.args,
            at: step.at,
            before: &steps[first..main],
            after: &rest[..count],
            end: main + 1 + count,
        }
    }

    /// A modulator by itself.
    pub fn alone(step: &'t Instruction<StepName>) -> Self {
        Self { name: step.name, args: &step.args, at: step.at, before: &[], after: &[], end: 0 }
    }

    /// The modulators of a name, in order.
    pub fn modulators(&self, name: StepName) -> impl Iterator<Item = &'t Instruction<StepName>> + use<'t> {
        self.after.iter().filter(move |modulator| modulator.name == name)
    }

    /// For `repeat`: the conditions before it.
    pub fn controls_before(&self) -> &'t [Instruction<StepName>] {
        self.before
    }

    /// For `repeat`: the conditions after it.
    pub fn controls_after(&self) -> impl Iterator<Item = &'t Instruction<StepName>> + use<'t> {
        self.after.iter().filter(|modulator| modulator.name != StepName::As)
    }

    /// The error of a step that is wrong.
    pub fn invalid(&self, problem: impl Into<String>) -> PlanError {
        PlanError::invalid(self.name, problem, self.at)
    }

    /// The error of an argument that does not fit.
    pub fn bad_argument(&self, index: usize, expected: &str) -> PlanError {
        self.invalid(format!("argument {} must be {expected}", index + 1))
    }

    /// The error of a form of the step that is not supported.
    pub fn unsupported(&self, form: &str) -> PlanError {
        PlanError::form(format!("step `{}` {form}", self.name.as_str()), self.at)
    }

    /// The error of a modulator that follows no step which takes it.
    pub fn misplaced(&self) -> PlanError {
        match self.name {
            StepName::Until | StepName::Emit | StepName::Times => {
                self.invalid("The repeat()-traversal was not defined: it modulates no repeat() here")
            }
            _ => self.invalid(MODULATES_NOTHING),
        }
    }

    /// The argument of that index as a value that shapes the plan. If it is a parameter, plans of this shape can no
    /// longer be shared.
    pub fn value_at(&self, index: usize, binder: &mut Binder<'_>) -> Result<&'t Value, PlanError> {
        let argument = self.args.get(index).ok_or_else(|| self.bad_argument(index, "given"))?;
        if is_parameter(argument) {
            binder.plan.pinned = true;
        }
        argument.as_value().ok_or_else(|| self.bad_argument(index, "a value"))
    }

    /// The argument of that index as a name.
    pub fn name_at(&self, index: usize, binder: &mut Binder<'_>) -> Result<Str, PlanError> {
        match self.value_at(index, binder)? {
            Value::String(name) => Ok(name.clone()),
            _ => Err(self.bad_argument(index, "a string")),
        }
    }

    /// All arguments as names.
    pub fn names(&self, binder: &mut Binder<'_>) -> Result<Vec<Str>, PlanError> {
        self.names_from(0, binder)
    }

    /// The arguments from an index on as names; nulls are left out, for nothing is called null.
    pub fn names_from(&self, first: usize, binder: &mut Binder<'_>) -> Result<Vec<Str>, PlanError> {
        let mut names = Vec::with_capacity(self.args.len().saturating_sub(first));
        for index in first..self.args.len() {
            match self.value_at(index, binder)? {
                Value::Null => {}
                Value::String(name) => names.push(name.clone()),
                _ => return Err(self.bad_argument(index, "a string")),
            }
        }
        Ok(names)
    }

    /// The argument of that index as a whole number.
    pub fn integer_at(&self, index: usize, binder: &mut Binder<'_>) -> Result<i64, PlanError> {
        self.value_at(index, binder)?.as_i64().ok_or_else(|| self.bad_argument(index, "a whole number"))
    }

    /// The argument of that index as a traversal.
    pub fn traversal_at(&self, index: usize) -> Result<&'t Traversal, PlanError> {
        match self.args.get(index) {
            Some(Argument::Traversal(traversal)) => Ok(traversal),
            Some(Argument::Lambda(_)) => Err(self.unsupported("with a lambda")),
            _ => Err(self.bad_argument(index, "a traversal")),
        }
    }
}

/// Whether the argument is a literal that was lifted out of the shape.
pub(super) fn is_parameter(argument: &Argument) -> bool {
    match argument {
        Argument::Parameter(..) => true,
        Argument::Binding(_, inner) => is_parameter(inner),
        _ => false,
    }
}

/// Decides which of the steps that follow a step modulate it.
struct Taken {
    step: StepName,
    until: bool,
    emit: bool,
}

impl Taken {
    fn new(step: StepName, before: &[Instruction<StepName>]) -> Self {
        Self {
            step,
            until: before.iter().any(|control| control.name != StepName::Emit),
            emit: before.iter().any(|control| control.name == StepName::Emit),
        }
    }

    fn takes(&mut self, modulator: &Instruction<StepName>) -> bool {
        use StepName as S;
        match (modulator.name, self.step) {
            (S::As, _) => true,
            (
                S::By,
                S::Order
                | S::Group
                | S::GroupCount
                | S::Project
                | S::Select
                | S::Path
                | S::Dedup
                | S::Aggregate
                | S::Sample
                | S::Sack
                | S::Tree
                | S::Store
                | S::Where
                | S::Math
                | S::ValueMap
                | S::PropertyMap
                | S::SimplePath
                | S::CyclicPath
                | S::Format,
            ) => true,
            (S::With, S::PageRank | S::PeerPressure | S::ConnectedComponent | S::ShortestPath) => true,
            (S::With, S::ValueMap | S::PropertyMap | S::Index | S::AddV | S::AddE | S::Property) => true,
            // Hints to other systems, as in TinkerPop.
            (
                S::With,
                S::V
                | S::E
                | S::Out
                | S::In
                | S::Both
                | S::OutE
                | S::InE
                | S::BothE
                | S::OutV
                | S::InV
                | S::BothV
                | S::OtherV
                | S::Values
                | S::Properties
                | S::Has
                | S::HasLabel
                | S::HasId
                | S::HasKey
                | S::HasValue
                | S::Filter
                | S::Where,
            ) => true,
            (S::With | S::Read | S::Write, S::Io) => true,
            // What it gathers is asked for behind it.
            (S::Cap, S::Profile) => true,
            (S::From | S::To, S::AddE | S::Path | S::SimplePath | S::CyclicPath) => {
                !matches!(modulator.args.first(), Some(Argument::Value(Value::Direction(_))))
            }
            (S::Property, S::AddV | S::AddE) => true,
            (S::Option, S::Branch | S::Choose | S::MergeV | S::MergeE) => true,
            (S::Until | S::Times, S::Repeat) => !std::mem::replace(&mut self.until, true),
            (S::Emit, S::Repeat) => !std::mem::replace(&mut self.emit, true),
            _ => false,
        }
    }
}
