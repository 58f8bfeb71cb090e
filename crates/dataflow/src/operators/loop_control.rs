//! `until` and `emit`: where traversers leave a loop.

use planner::physical::{Condition, OpKind};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::test::Prepared;
use super::view::{Graph, View};

/// A condition's tests, made ready.
#[derive(Debug)]
enum Decision {
    Fixed,
    Test(Box<Prepared>),
    Either(Box<Decision>, Box<Decision>),
}

impl Decision {
    fn new(condition: &Condition) -> Self {
        match condition {
            Condition::Never | Condition::Always | Condition::Times(_) => Self::Fixed,
            Condition::Test(_) => Self::Test(Box::default()),
            Condition::Either(a, b) => Self::Either(Box::new(Self::new(a)), Box::new(Self::new(b))),
        }
    }

    /// Sets `holds` for the rows for which the condition does.
    fn decide(
        &mut self,
        condition: &Condition,
        batch: &Batch,
        cx: &Context<'_>,
        graph: &Graph<'_>,
        holds: &mut [bool],
    ) -> Result<(), QueryError> {
        match (self, condition) {
            (_, Condition::Never) => {}
            (_, Condition::Always) => holds.fill(true),
            (_, Condition::Times(n)) if cx.tag.loops >= *n => holds.fill(true),
            (Self::Test(prepared), Condition::Test(test)) => {
                prepared.passing(test, batch, cx, graph)?.iter().for_each(|row| holds[row as usize] = true);
            }
            (Self::Either(x, y), Condition::Either(a, b)) => {
                x.decide(a, batch, cx, graph, holds)?;
                y.decide(b, batch, cx, graph, holds)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Rows for which `until` holds leave the loop; the others go on, those for which `emit` holds after a copy has left.
pub(super) struct LoopControl {
    until: Decision,
    emit: Decision,
}

impl LoopControl {
    pub(super) fn new(until: &Condition, emit: &Condition) -> Self {
        Self { until: Decision::new(until), emit: Decision::new(emit) }
    }
}

impl Operator for LoopControl {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::LoopControl { until, emit }) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        let view = View::of(cx);
        let graph = view.graph();
        let mut leaves = vec![false; batch.len];
        self.until.decide(until, &batch, cx, &graph, &mut leaves)?;
        let rows = |leaves: &[bool], wanted: bool| -> Vec<u32> {
            (0..leaves.len() as u32).filter(|&row| leaves[row as usize] == wanted).collect()
        };
        let staying = rows(&leaves, false);
        let rest = match staying.len() {
            0 => None,
            n if n == batch.len => Some(batch.clone()),
            _ => Some(batch.gather(&staying)),
        };
        if let Some(rest) = rest.as_ref().filter(|_| *emit != Condition::Never) {
            // Nobody asks it of who leaves, for whom it might fail.
            let mut emits = vec![false; rest.len];
            self.emit.decide(emit, rest, cx, &graph, &mut emits)?;
            staying.iter().zip(emits).for_each(|(&row, emits)| leaves[row as usize] = emits);
        }
        let leaving = rows(&leaves, true);
        match leaving.len() {
            0 => {}
            n if n == batch.len => out.exit(batch),
            _ => out.exit(batch.gather(&leaving)),
        }
        if let Some(rest) = rest {
            out.emit(rest);
        }
        Ok(Step::Idle)
    }

    fn is_blank(&self) -> bool {
        true
    }

    fn reset(&mut self) {}
}
