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
        let mut stops = vec![false; batch.len];
        self.until.decide(until, &batch, cx, &graph, &mut stops)?;
        let mut leaves = stops.clone();
        if *emit != Condition::Never {
            self.emit.decide(emit, &batch, cx, &graph, &mut leaves)?;
        }
        let of = |wanted: bool, marks: &[bool]| -> Vec<u32> {
            (0..marks.len() as u32).filter(|&row| marks[row as usize] == wanted).collect()
        };
        let (leaving, staying) = (of(true, &leaves), of(false, &stops));
        match leaving.len() {
            0 => {}
            n if n == batch.len => out.exit(batch.clone()),
            _ => out.exit(batch.gather(&leaving)),
        }
        match staying.len() {
            0 => {}
            n if n == batch.len => out.emit(batch),
            _ => out.emit(batch.gather(&staying)),
        }
        Ok(Step::Idle)
    }

    fn is_blank(&self) -> bool {
        true
    }

    fn reset(&mut self) {}
}
