//! `and()` and `or()` written between steps: `has('x').and().has('y')`.

use gremlin::{Instruction, StepName};

use super::{Binder, Bound, Shape};
use crate::PlanError;
use crate::logical::{Chain, Exists, Kind, Step};
use crate::physical::{Formula, Test};

/// The first `and()` or `or()` that stands between its operands.
fn first_infix(steps: &[Instruction<StepName>]) -> Option<usize> {
    steps.iter().position(is_infix)
}

fn is_infix(step: &Instruction<StepName>) -> bool {
    matches!(step.name, StepName::And | StepName::Or) && step.args.is_empty()
}

impl Binder<'_> {
    /// Whether there is a connective between steps.
    pub(super) fn has_infix(&self, steps: &[Instruction<StepName>]) -> bool {
        self.connects && first_infix(steps).is_some()
    }

    /// Binds steps with a connective between them. Its left operand begins after the source (the traversal's `V()`, or an
    /// `inject()`), if there is one, and its right one ends before an `inject()`; `and` binds closer than `or`.
    pub(super) fn infix(&mut self, steps: &[Instruction<StepName>], shape: Shape, out: &mut Chain) -> Bound {
        let first = first_infix(steps).unwrap_or(steps.len());
        let injects = |step: &Instruction<StepName>| step.name == StepName::Inject;
        let begins = |step: &Instruction<StepName>| matches!(step.name, StepName::V | StepName::E);
        let source = steps[..first].iter().rposition(injects);
        let source = source.or((self.depth == 1 && steps.first().is_some_and(begins)).then_some(0));
        let start = source.map_or(0, |source| source + 1);
        let end = steps[first..].iter().position(injects).map_or(steps.len(), |inject| first + inject);
        let shape = self.steps(&steps[..start], shape, out)?;
        let exists = self.connect(&steps[start..end], &shape, false)?;
        let name = if exists.formula == Formula::Any { StepName::Or } else { StepName::And };
        out.steps.push(Step::new(Kind::Exists(exists), name));
        match &steps[end..] {
            [] => Ok(shape),
            rest if first_infix(rest).is_some() => self.infix(rest, shape, out),
            rest => self.steps(rest, shape, out),
        }
    }

    /// `pattern`: whether `as` at the ends of the operands are names to be looked up, as in a `where`.
    pub(super) fn connect(
        &mut self,
        steps: &[Instruction<StepName>],
        shape: &Shape,
        pattern: bool,
    ) -> Result<Exists, PlanError> {
        let connective = if steps.iter().any(|step| is_infix(step) && step.name == StepName::Or) {
            StepName::Or
        } else {
            StepName::And
        };
        let mut branches = Vec::new();
        for operand in steps.split(|step| is_infix(step) && step.name == connective) {
            let branch = if operand.is_empty() {
                // A traversal without steps has no result.
                Chain::of(Kind::Filter(Test::Constant(false)), connective)
            } else if first_infix(operand).is_some() {
                let exists = self.connect(operand, shape, pattern)?;
                Chain::of(Kind::Exists(exists), StepName::And)
            } else if pattern {
                self.where_chain(operand, shape)?
            } else {
                self.chain(operand, shape.clone())?.0
            };
            branches.push(branch);
        }
        let formula = if connective == StepName::Or { Formula::Any } else { Formula::All };
        Ok(Exists { branches, formula })
    }
}
