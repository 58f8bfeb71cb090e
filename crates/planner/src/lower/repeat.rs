//! `repeat` becomes a loop scope: one instance per iteration.

use super::pipeline::{Ops, unnumbered};
use super::{Lowering, Place};
use crate::logical::{Footprint, LoopCondition, LoopControl, Repeat};
use crate::physical::{
    Condition, Control, Grain, InterPolicy, LocalFn, OpKind, Pipeline, Scope, ScopeKind, Test,
};

/// MAX_SI of loop scopes: iterations that may be under way at the same time.
const MAX_ITERATIONS: u32 = 64;

impl Lowering<'_> {
    pub(super) fn repeat(&mut self, repeat: &Repeat, place: Place, ops: &mut Ops) {
        let head = self.control(&repeat.head, place, ops);
        let tail = self.control(&repeat.tail, place, ops);
        let mut start = Ops { step: ops.step.clone(), ..Ops::default() };
        if let Some(counter) = repeat.counter {
            let loops = unnumbered(OpKind::Local(LocalFn::Loops), ops.step.clone(), false);
            let scope = Scope {
                kind: ScopeKind::Apply {
                    child: Pipeline::new(vec![loops]),
                    into: Some(counter),
                    required: false,
                },
                grain: Grain::Batch,
                policy: self.policy(false),
            };
            start.stay(OpKind::Scope(Box::new(scope)));
        }
        let (rows, mix) = self.cost.entering_body(repeat, place.rows, &self.mix);
        self.mix = mix;
        let body = self.chain(&repeat.body, Place { rows, ..place }, start);
        let policy = self.policy_of(inter(repeat, place.few), MAX_ITERATIONS);
        let scope = Scope { kind: ScopeKind::Repeat { head, body, tail }, grain: Grain::Iteration, policy };
        ops.replace(OpKind::Scope(Box::new(scope)));
        // The body may have filled any slot anew.
        ops.fetched.clear();
    }

    fn control(&mut self, control: &LoopControl, place: Place, ops: &Ops) -> Option<Control> {
        if control.is_never() {
            return None;
        }
        let mut tests = Ops { step: ops.step.clone(), ..Ops::default() };
        let until = self.loop_condition(&control.until, place, &mut tests);
        let emit = self.loop_condition(&control.emit, place, &mut tests);
        // No tests need no pipeline, not even one that does nothing.
        Some(Control { tests: Pipeline::new(tests.ops), until, emit })
    }

    fn loop_condition(&mut self, condition: &LoopCondition, place: Place, tests: &mut Ops) -> Condition {
        match condition {
            LoopCondition::Never => Condition::Never,
            LoopCondition::Always => Condition::Always,
            LoopCondition::Times(n) => Condition::Times(*n),
            LoopCondition::Test(test) => Condition::Test(test.clone()),
            LoopCondition::Exists(exists) => {
                let mark = self.new_slot();
                self.exists(exists, Some(mark), place, tests);
                Condition::Test(Test::Mark(mark))
            }
        }
    }
}

/// The policy between iterations. Where few results are wanted, a loop that looks for them on its way finds the near
/// ones first breadth-first, and need not open far iterations if they suffice; one that yields only at its end gets
/// there soonest depth-first. Where all are wanted, breadth-first lets a body that merges (a barrier, `dedup`) merge the
/// most, and one that gathers see near before far; what merges nothing runs depth-first, which holds a few batches per
/// iteration instead of whole frontiers.
fn inter(repeat: &Repeat, few: bool) -> InterPolicy {
    let fixed =
        [&repeat.head.until, &repeat.tail.until].iter().any(|until| matches!(until, LoopCondition::Times(_)));
    let emits = [&repeat.head.emit, &repeat.tail.emit].iter().any(|emit| **emit != LoopCondition::Never);
    let depth_first = match few {
        true => fixed && !emits,
        false => {
            let ordered = Footprint::STREAM | Footprint::FILLS | Footprint::WRITES;
            !repeat.body.footprint().touches(ordered)
        }
    };
    if depth_first { InterPolicy::DepthFirst } else { InterPolicy::BreadthFirst }
}
