//! The loop scope: an instance per iteration (Banyan, section 3.1).
//!
//! ```text
//!             ┌──────────────── back edge: iteration i → i + 1 ────────────────┐
//!             ▼                                                                │
//! ingress ► ⟨1⟩ head ─ body ─ tail ► ⟨2⟩ head ─ body ─ tail ► ⟨3⟩ …  ──────────┘
//!               │ exits        │ exits
//!               └──────────────┴───────────► egress
//! ```
//!
//! Head and tail are the loop's controls (`until`, `emit`) with the tests they need; what they let out leaves the
//! scope at once. Iteration i + 1 has seen the end of its input when iteration i has completed (the only operator that
//! feeds it), so the last iteration is the one that completes without having received a message (section 3.2).
//!
//! From both ends ([`InterPolicy::BothEnds`]), near results are found first as long as few traversers are on their way.
//! When there are many, for each run of the lowest iteration the highest has one: so what is a few steps away is found after
//! twice the work of a breadth-first search at most, and what is far, after twice that of a depth-first one.
//!
//! **Put away.** While more may come an iteration stays open, whatever it has done. Of loops inside one another, each of whose
//! iterations has all those of the loop inside it, all would be there at once. So one that remembers nothing gives its instance to
//! another iteration meanwhile.
//!
//! **An error** in an iteration is due when the iterations above have done what they were sent, for that was made of traversers
//! before the one that failed; those below have to do with later ones, and do nothing more.

use std::collections::VecDeque;
use std::sync::Arc;

use planner::physical::{Control, Grain, InterPolicy, Op, OpKind, Pipeline, Policy, Scope, ScopeKind};

use crate::batch::Batch;
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::memory::StateMemory;
use crate::operator::{Context, Operator, Output, Step};
use crate::query::Counters;
use crate::scope_memory::ScopeMemory;
use crate::scope_tag::ScopeTag;

use super::stream::has_effect;

/// Traversers that a loop which is run from both ends takes along breadth-first, before it also looks at the far end.
const NEAR: u64 = 1 << 17;

/// One iteration.
struct Iteration {
    /// From 1.
    tag: ScopeTag,
    /// `None` while it has no messages, if it remembers nothing.
    instance: Option<Instance>,
    blocked: bool,
}

impl Iteration {
    fn has_work(&self) -> bool {
        self.instance.as_ref().is_some_and(Instance::has_work)
    }
}

/// See the module.
pub(super) struct LoopScope {
    /// Head, body and tail in one pipeline, and where the tail starts.
    pipeline: Pipeline,
    tail_from: usize,
    /// Whether an iteration ends when a step in the body needs no more. It does not if traversers leave before the body, or what is
    /// done there shows.
    ends_early: bool,
    policy: Policy,
    /// Consecutive iterations, lowest first.
    iterations: VecDeque<Iteration>,
    /// Messages for the iteration after the last one in `iterations`, which MAX_SI does not let open yet.
    pending: Vec<Batch>,
    /// What these take: a loop that is deeper than MAX_SI may come to wait with most of what it has made.
    held: StateMemory,
    /// The iteration the front of `iterations` is, or will be: those before have completed.
    lowest: u64,
    memory: ScopeMemory,
    pool: Vec<Instance>,
    /// What instances take, those in the pool among them.
    made: StateMemory,
    /// Whether iterations are put away that are as if they had never had a message. It takes them what they have learnt about the
    /// size of batches, so it is done only where there is a loop inside.
    puts_away: bool,
    input_ended: bool,
    /// Rows that iterations were sent, in all.
    sent: u64,
    /// From both ends: whether it is the highest iteration's turn.
    far: bool,
    /// What an iteration has failed at; those that are left are the ones above it.
    failed: Option<QueryError>,
}

impl LoopScope {
    pub(super) fn new(scope: &Scope) -> Self {
        let ScopeKind::Repeat { head, body, tail } = &scope.kind else { unreachable!("not a loop") };
        debug_assert_eq!(scope.grain, Grain::Iteration);
        let (pipeline, tail_from) = iteration_pipeline(head, body, tail);
        Self {
            puts_away: has_loop(&pipeline),
            pipeline,
            tail_from,
            ends_early: head.is_empty() && !has_effect(body),
            policy: scope.policy,
            iterations: VecDeque::new(),
            pending: Vec::new(),
            held: StateMemory::default(),
            lowest: 1,
            memory: ScopeMemory::default(),
            pool: Vec::new(),
            made: StateMemory::default(),
            input_ended: false,
            sent: 0,
            far: false,
            failed: None,
        }
    }

    /// Sends a batch to an iteration, which is opened by it (or kept until MAX_SI lets it open).
    fn send(&mut self, tag: ScopeTag, batch: Batch, cx: &Context<'_>) -> Result<(), QueryError> {
        self.sent += batch.len as u64;
        // Messages to an iteration that has completed early (a full `limit` in the body) are ignored.
        let Some(at) = tag.instance.checked_sub(self.lowest).map(|at| at as usize) else { return Ok(()) };
        if at < self.iterations.len() {
            return self.receive(at, [batch], cx);
        }
        self.pending.push(batch);
        self.open_pending(cx)?;
        // If it was not let in, it waits.
        self.pending.last().map_or(Ok(()), |batch| self.held.grow(&cx.query.memory, batch.bytes()))
    }

    /// Opens the next iteration if messages wait for it and MAX_SI allows it.
    fn open_pending(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        let open = self.iterations.len();
        if self.pending.is_empty() || open >= self.policy.max_instances.max(1) as usize {
            return Ok(());
        }
        let tag = ScopeTag::iteration(self.lowest + open as u64);
        self.iterations.push_back(Iteration { tag, instance: None, blocked: false });
        if let Some(counters) = cx.query.profile.of(cx.op.id) {
            Counters::add(&counters.opened, 1);
            counters.concurrent.fetch_max(open as u64 + 1, std::sync::atomic::Ordering::Relaxed);
        }
        let batches = std::mem::take(&mut self.pending);
        self.held.release();
        self.receive(open, batches, cx)?;
        self.announce_ends();
        Ok(())
    }

    /// Gives batches to an open iteration, which gets an instance if it has none.
    fn receive(
        &mut self,
        at: usize,
        batches: impl IntoIterator<Item = Batch>,
        cx: &Context<'_>,
    ) -> Result<(), QueryError> {
        if self.iterations[at].instance.is_none() {
            self.iterations[at].instance = Some(self.take_instance(cx)?);
        }
        let iteration = &mut self.iterations[at];
        iteration.blocked = false;
        let inside = inside(&self.memory, cx, iteration.tag);
        let Some(instance) = &mut iteration.instance else { return Ok(()) };
        batches.into_iter().try_for_each(|batch| instance.receive(batch, &inside))
    }

    fn take_instance(&mut self, cx: &Context<'_>) -> Result<Instance, QueryError> {
        if let Some(instance) = self.pool.pop() {
            return Ok(instance);
        }
        self.made.grow(&cx.query.memory, Instance::bytes(&self.pipeline))?;
        Ok(Instance::of_iteration(self.pipeline.clone(), self.tail_from, self.ends_early))
    }

    /// Whether the lowest open iteration gets no more input: everything before it has completed.
    fn lowest_has_ended(&self) -> bool {
        (self.lowest > 1 || self.input_ended) && self.failed.is_none()
    }

    /// The lowest open iteration gets no more input once everything before it has completed.
    fn announce_ends(&mut self) {
        if self.lowest_has_ended()
            && let Some(Iteration { instance: Some(first), .. }) = self.iterations.front_mut()
        {
            first.end_input();
        }
    }

    /// The iteration to run next, by the inter-instance policy.
    fn choose(&self) -> Option<usize> {
        let runnable = |at: &usize| {
            let iteration = &self.iterations[*at];
            iteration.has_work() && !iteration.blocked
        };
        // From both ends, it is the turn of one.
        let policy = match self.policy.inter {
            InterPolicy::BothEnds if self.far => InterPolicy::DepthFirst,
            policy => policy,
        };
        // They stand in their order, or in its reverse.
        let (lowest, highest) = (self.iterations.front()?.tag, self.iterations.back()?.tag);
        match lowest.compare(highest, policy).is_le() {
            true => (0..self.iterations.len()).find(runnable),
            false => (0..self.iterations.len()).rev().find(runnable),
        }
    }

    /// From both ends: which has the next turn. Where memory grows short it is always the highest, of which little waits.
    fn change_ends(&mut self, cx: &Context<'_>) {
        if self.sent > NEAR {
            self.far = !self.far || cx.query.memory.is_half_used();
        }
    }

    fn run_one(&mut self, at: usize, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        let tag = self.iterations[at].tag;
        let mut results = Output::default();
        let inside = inside(&self.memory, cx, tag);
        let iteration = &mut self.iterations[at];
        let Some(instance) = &mut iteration.instance else { return Ok(()) };
        let progress = match instance.run(&inside, self.policy.intra, &mut results) {
            Err(error) if error.is_of_traverser() => return self.note_failure(at, error, cx),
            progress => progress?,
        };
        iteration.blocked = progress == Progress::Blocked;
        if self.puts_away && iteration.instance.as_ref().is_some_and(Instance::is_blank) {
            self.put_away(at);
        }
        results.exits.into_iter().for_each(|batch| out.emit(batch));
        for batch in results.batches {
            self.send(tag.next_iteration(), batch, cx)?;
        }
        self.retire(cx)
    }

    /// Keeps an iteration's instance for another one.
    fn put_away(&mut self, at: usize) {
        if let Some(mut instance) = self.iterations[at].instance.take() {
            instance.reset();
            self.pool.push(instance);
        }
    }

    /// An iteration has failed: it and those below do nothing more, and nothing more enters.
    fn note_failure(&mut self, at: usize, error: QueryError, cx: &Context<'_>) -> Result<(), QueryError> {
        self.failed = Some(error);
        (0..=at).for_each(|_| self.close_lowest());
        self.open_pending(cx)
    }

    /// Closes iterations that have completed, lowest first, and passes the end of the stream on along the back edge. Behind an
    /// error nothing completes: there it closes those that have done what they were sent.
    fn retire(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        loop {
            self.announce_ends();
            let has_ended = self.lowest_has_ended();
            let finished = self.iterations.front().is_some_and(|i| match (&self.failed, &i.instance) {
                (None, Some(instance)) => instance.is_complete(),
                (None, None) => has_ended,
                (Some(_), _) => !i.has_work(),
            });
            if !finished {
                return Ok(());
            }
            self.close_lowest();
            self.open_pending(cx)?;
        }
    }

    /// Closes the lowest open iteration.
    fn close_lowest(&mut self) {
        if !self.iterations.is_empty() {
            self.put_away(0);
            self.iterations.pop_front();
            self.lowest += 1;
        }
    }

    fn work(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.iterations.iter_mut().for_each(|i| i.blocked = false);
        self.retire(cx)?;
        while let Some(at) = self.choose() {
            self.run_one(at, cx, out)?;
            self.change_ends(cx);
            if !out.is_empty() || cx.quota.is_spent() {
                break;
            }
        }
        Ok(match self.choose() {
            Some(_) => Step::More,
            None if self.iterations.iter().any(|i| i.blocked) => Step::Blocked,
            // What was made before goes on first.
            None if self.failed.is_some() && !out.is_empty() => Step::More,
            None => return self.failed.take().map_or(Ok(Step::Idle), Err),
        })
    }
}

impl Operator for LoopScope {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input {
            self.send(ScopeTag::iteration(1), batch, cx)?;
        }
        self.work(cx, out)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.input_ended = true;
        match self.work(cx, out)? {
            Step::Idle if self.iterations.is_empty() && self.pending.is_empty() => Ok(Step::Idle),
            Step::Blocked => Ok(Step::Blocked),
            _ => Ok(Step::More),
        }
    }

    fn is_blank(&self) -> bool {
        let is_blank = |i: &Iteration| i.instance.as_ref().is_none_or(Instance::is_blank);
        let is_open = self.lowest == 1 && !self.input_ended;
        is_open && self.pending.is_empty() && self.failed.is_none() && self.iterations.iter().all(is_blank)
    }

    fn reset(&mut self) {
        (0..self.iterations.len()).for_each(|at| self.put_away(at));
        self.iterations.clear();
        // As long as the scope itself is in a pool, one is enough: there may be as many such scopes as there are instances.
        self.pool.truncate(1);
        self.made.shrink(self.pool.len() * Instance::bytes(&self.pipeline));
        self.pending.clear();
        self.held.release();
        self.lowest = 1;
        self.memory = ScopeMemory::default();
        self.input_ended = false;
        (self.sent, self.far) = (0, false);
        self.failed = None;
    }
}

/// Whether there is a loop inside, each of whose iterations may have an instance.
fn has_loop(pipeline: &Pipeline) -> bool {
    pipeline.ops.iter().any(|op| match &op.kind {
        OpKind::Scope(scope) => {
            matches!(scope.kind, ScopeKind::Repeat { .. }) || scope.kind.pipelines().any(has_loop)
        }
        _ => false,
    })
}

/// The context inside an iteration.
fn inside<'a>(memory: &'a ScopeMemory, cx: &Context<'a>, tag: ScopeTag) -> Context<'a> {
    Context { tag, loop_memory: cx.loop_memory.or(Some(memory)), piece_memory: None, ..*cx }
}

/// Head tests and control, body, tail tests and control, in one chain; and where the tail starts.
fn iteration_pipeline(head: &[Control], body: &Pipeline, tail: &[Control]) -> (Pipeline, usize) {
    let mut ops: Vec<Op> = Vec::new();
    let decide = |ops: &mut Vec<Op>, points: &[Control]| {
        for point in points {
            ops.extend(point.tests.ops.iter().cloned());
            ops.push(control_op(point));
        }
    };
    decide(&mut ops, head);
    ops.extend(body.ops.iter().cloned());
    let tail_from = ops.len();
    decide(&mut ops, tail);
    (Pipeline { ops: Arc::new(ops) }, tail_from)
}

/// The loop's decision as an operator. It belongs to no operator of the plan, so it has no counters.
fn control_op(control: &Control) -> Op {
    Op {
        id: u32::MAX,
        kind: OpKind::LoopControl { until: control.until.clone(), emit: control.emit.clone() },
        step: "repeat".into(),
        labels: Vec::new(),
        moves: false,
        rows: 0.0,
    }
}
