//! `repeat` becomes a loop scope: one instance per iteration.

use super::pipeline::{Ops, unnumbered};
use super::{Lowering, Place};
use crate::logical::{Footprint, Kind, LoopCondition, LoopControl, Repeat, Role, Seen};
use crate::physical::{
    By, Condition, Control, Grain, InterPolicy, IntraPolicy, LocalFn, OpKind, Pipeline, Policy, Scope,
    ScopeKind, Slot, Test,
};
use crate::thresholds::{MAX_ITERATIONS, MAX_ITERATIONS_TO_FAR_END};

impl Lowering<'_> {
    pub(super) fn repeat(&mut self, repeat: &Repeat, place: Place, ops: &mut Ops) {
        let head = self.control(&repeat.head, repeat.counter, place, ops);
        let tail = self.control(&repeat.tail, repeat.counter, place, ops);
        let mut start = Ops { step: ops.step.clone(), ..Ops::default() };
        self.count(repeat.counter, &mut start);
        let (rows, mix) = self.cost.entering_body(repeat, place.rows, &self.mix);
        self.mix = mix;
        let body = self.chain(&repeat.body, Place { rows, ..place }, start);
        let policy = self.policy_of_loop(repeat, place.few);
        let kind = ScopeKind::Repeat { head, body, tail };
        let scope = Scope { kind, child: Role::Body.child(), grain: Grain::Iteration, policy, reads: None };
        ops.replace(OpKind::Scope(Box::new(scope)));
        // The body may have filled any slot anew.
        ops.fetched.clear();
    }

    /// Where iterations may see what others do, each is through before the next begins, whatever the query asks for.
    fn policy_of_loop(&self, repeat: &Repeat, few: bool) -> Policy {
        let effects = Footprint::FILLS | Footprint::WRITES;
        let does = Kind::Repeat(Box::new(repeat.clone())).footprint().touches(effects);
        if does && self.seen != Seen::default() {
            return Policy {
                inter: InterPolicy::BreadthFirst,
                intra: IntraPolicy::DepthFirst,
                max_instances: MAX_ITERATIONS,
                ordered: false,
            };
        }
        let inter = inter(repeat, few);
        let most = if inter == InterPolicy::BothEnds { MAX_ITERATIONS_TO_FAR_END } else { MAX_ITERATIONS };
        self.policy_of(inter, most)
    }

    /// Keeps the number of completed iterations, for those who ask for it inside loops further in.
    fn count(&mut self, counter: Option<Slot>, ops: &mut Ops) {
        let Some(counter) = counter else { return };
        let loops = unnumbered(OpKind::Local(LocalFn::Loops), ops.step.clone(), false);
        let kind = ScopeKind::Apply {
            child: Pipeline::new(vec![loops]),
            from: By::Current,
            into: Some(counter),
            required: false,
        };
        let policy = self.policy(false);
        let scope = Scope { kind, child: Role::First.child(), grain: Grain::Batch, policy, reads: None };
        ops.stay(OpKind::Scope(Box::new(scope)));
    }

    /// The decision points of a control. What `until` lets out is not asked by an `emit` that is a subquery.
    fn control(
        &mut self,
        control: &LoopControl,
        counter: Option<Slot>,
        place: Place,
        ops: &Ops,
    ) -> Vec<Control> {
        let asks = |condition: &LoopCondition| matches!(condition, LoopCondition::Exists(_));
        let mut points = Vec::new();
        let (mut until, emit) = (&control.until, &control.emit);
        if *until != LoopCondition::Never && asks(emit) {
            points.push(self.decision(until, &LoopCondition::Never, counter, place, ops));
            until = &LoopCondition::Never;
        }
        if *until != LoopCondition::Never || *emit != LoopCondition::Never {
            points.push(self.decision(until, emit, counter, place, ops));
        }
        points
    }

    fn decision(
        &mut self,
        until: &LoopCondition,
        emit: &LoopCondition,
        counter: Option<Slot>,
        place: Place,
        ops: &Ops,
    ) -> Control {
        let mut tests = Ops { step: ops.step.clone(), ..Ops::default() };
        self.count(counter, &mut tests);
        let until = self.loop_condition(until, place, &mut tests);
        let emit = self.loop_condition(emit, place, &mut tests);
        // No tests need no pipeline, not even one that does nothing.
        Control { tests: Pipeline::new(tests.ops), until, emit }
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
/// there soonest depth-first. A loop that looks on its way, and in which nothing is merged (`distinct` and `hold-repeats`
/// have seen to that where they could), may have as many traversers as there are walks before it gets anywhere, so it
/// also looks at the far end then. Where all are wanted, breadth-first lets a body that merges (a barrier, `dedup`) merge
/// the most, and one that gathers see near before far; what merges nothing runs depth-first, which holds a few batches per
/// iteration instead of whole frontiers.
fn inter(repeat: &Repeat, few: bool) -> InterPolicy {
    let fixed =
        [&repeat.head.until, &repeat.tail.until].iter().any(|until| matches!(until, LoopCondition::Times(_)));
    let emits = [&repeat.head.emit, &repeat.tail.emit].iter().any(|emit| **emit != LoopCondition::Never);
    let gathers = Footprint::STREAM | Footprint::FILLS | Footprint::WRITES;
    let flows = !repeat.body.footprint().touches(gathers);
    match (few, flows) {
        (true, _) if fixed && !emits => InterPolicy::DepthFirst,
        (true, true) => InterPolicy::BothEnds,
        (false, true) => InterPolicy::DepthFirst,
        (_, false) => InterPolicy::BreadthFirst,
    }
}
