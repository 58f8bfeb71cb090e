//! One scope instance: a running copy of a pipeline.
//!
//! ```text
//!            mailbox        mailbox        mailbox
//! input ──► [▪▪] op 0 ──► [▪] op 1 ──► [ ] op 2 ──► output
//!            done │          │            │
//!                 └ ended ───┴─ ready ────┘      one machine word each: bit i speaks of op i
//! ```
//!
//! Operators are created by their first message (Banyan, section 4.3). Progress is tracked by end-of-stream marks
//! (section 3.2): in a chain, operator i has seen the end of its input exactly when operators `0..i` have completed
//! and its mailbox is empty, so the marks need no messages of their own, and an operator that would only ever receive
//! the mark is not created (section 4.4): the instance completes it on its behalf.
//!
//! **Errors** have their place in the stream. When an operator fails at a traverser, what was made of those before it goes on
//! downstream, and nothing else; only when that has been done, and the instance is still needed, the error is due. An operator
//! that is given a batch does its halves, until it is known whose error it is.

use planner::physical::{IntraPolicy, Op, OpKind, Pipeline, ScopeKind};

use crate::batch::Batch;
use crate::edge_part::EdgePart;
use crate::error::QueryError;
use crate::executor::LongStep;
use crate::experts;
use crate::looks;
use crate::mailbox::{Load, Mailbox};
use crate::memory::{Charge, by_operator};
use crate::operator::{Context, Operator, Output, Step};
use crate::operators::{self, Gain};
use crate::pace::Pace;
use crate::query::Counters;
use crate::raised;

/// Batches that may wait in one mailbox before the operator upstream of it must wait. Depth-first scheduling never
/// gets there.
const MAILBOX_BOUND: usize = 32;

/// Rows from which on a batch's bytes are charged to the query and the quota is looked at after it.
const LARGE_BATCH: usize = 256;

/// Bytes from which on a batch counts as large whatever its rows.
const LARGE_BYTES: usize = Batch::SLIGHT;

/// Bytes, written out, beyond which a batch is worked on in pieces.
const PIECE: u64 = 4 << 20;

/// Bytes of a batch from which on a step may outlast a turn.
const LONG_BYTES: usize = 1 << 20;

/// The same of a function that goes through all characters of its texts.
const LONG_TEXT: usize = 128 << 10;

/// How far a scope instance has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// There is work left.
    Ready,
    /// Everything received so far is processed.
    Idle,
    /// All work left waits for something outside of the executor.
    Blocked,
    /// The end of the input has passed through all operators.
    Complete,
}

/// One operator's place in the instance.
#[derive(Default)]
struct Node {
    mailbox: Mailbox,
    operator: Option<Box<dyn Operator>>,
    /// Whether the operator has state that a reset must clear.
    used: bool,
    /// Whether it asked to be called again without input.
    backlog: bool,
    /// Whether what it was given last was charged: it may be large.
    charged: bool,
    /// What that is charged, until the operator is through with it.
    working: Option<Charge>,
    /// How long it takes for its rows.
    pace: Pace,
}

impl Node {
    /// For an operator that has seen nothing yet.
    fn new(op: &Op) -> Self {
        Self { pace: Pace::of(&op.kind), ..Self::default() }
    }

    /// The next batch to work on, and what it was charged, if it is large; none while the operator has a backlog. What large
    /// values hold counts no longer: it may be in what the operator makes of them, or keeps.
    #[inline]
    fn take_input(&mut self) -> (Option<Batch>, Option<usize>) {
        if self.backlog {
            return (None, None);
        }
        let Some((batch, load)) = self.mailbox.pop() else { return (None, None) };
        let charged = load.as_ref().map(|load| load.charge.bytes());
        self.charged = charged.is_some();
        self.working = load.map(Load::without_large);
        (Some(batch), charged)
    }
}

/// A running copy of a pipeline.
pub(crate) struct Instance {
    pipeline: Pipeline,
    nodes: Vec<Node>,
    /// Operators with mail or backlog.
    ready: u64,
    /// Those of them that wait for something outside.
    blocked: u64,
    /// Operators `0..completed` have completed.
    completed: usize,
    /// Whether the end of the input has been announced.
    input_ended: bool,
    /// Operators from here on see one more completed iteration than those before (the tail of a loop's body).
    tail_from: usize,
    /// Whether an operator that needs no more ends what is upstream of it.
    ends_early: bool,
    /// What an empty pipeline (`identity()`) has received: it is its own output.
    passing: Vec<Batch>,
    /// What operators emit into, one after another: empty between their calls.
    output: Output,
    /// The operator that has failed, and why: it and those before it do nothing more.
    failed: Option<(usize, QueryError)>,
}

impl Instance {
    /// A new instance of a pipeline. Nothing is allocated for its operators yet.
    pub(crate) fn new(pipeline: Pipeline) -> Self {
        let nodes = pipeline.ops.iter().map(Node::new).collect();
        debug_assert!(pipeline.ops.len() <= Pipeline::MAX_OPS);
        Self {
            pipeline,
            nodes,
            ready: 0,
            blocked: 0,
            completed: 0,
            input_ended: false,
            tail_from: usize::MAX,
            ends_early: true,
            passing: Vec::new(),
            output: Output::default(),
            failed: None,
        }
    }

    /// About what one takes by itself, with operators that have seen little.
    pub(crate) fn bytes(pipeline: &Pipeline) -> usize {
        /// An operator of the usual size, and what it keeps for the next batch.
        const OPERATOR: usize = 1 << 10;
        // A scope whose instances live as long as it does has them from the beginning.
        let inside = |op: &Op| match &op.kind {
            OpKind::Scope(scope) if !has_instances_in_turn(&scope.kind) => {
                scope.kind.pipelines().map(Self::bytes).sum()
            }
            _ => 0,
        };
        let nodes = pipeline.ops.len() * (size_of::<Node>() + OPERATOR);
        size_of::<Self>() + nodes + pipeline.ops.iter().map(inside).sum::<usize>()
    }

    /// An instance of a loop's iteration, whose operators from `tail_from` on come after the body.
    /// What is upstream of one that needs no more goes on all the same, unless it `ends_early`.
    pub(crate) fn of_iteration(pipeline: Pipeline, tail_from: usize, ends_early: bool) -> Self {
        Self { tail_from, ends_early, ..Self::new(pipeline) }
    }

    /// Delivers a batch to the first operator. Ignored once the instance needs no more input.
    pub(crate) fn receive(&mut self, batch: Batch, cx: &Context<'_>) -> Result<(), QueryError> {
        if self.is_closed() {
            return Ok(());
        }
        if self.nodes.is_empty() {
            self.passing.push(batch);
            return Ok(());
        }
        self.deliver(0, batch, Gain::All, cx)
    }

    /// Tells the first operator, an expansion, which edges of the one row it receives next are wanted.
    pub(crate) fn restrict(&mut self, part: EdgePart) {
        let node = &mut self.nodes[0];
        let operator = node.operator.get_or_insert_with(|| experts::create(&self.pipeline.ops[0]));
        node.used = true;
        operator.restrict(part);
    }

    /// Announces the end of the input.
    pub(crate) fn end_input(&mut self) {
        self.input_ended = true;
    }

    /// Whether further input would be ignored: some operator has asked for completion.
    pub(crate) fn is_closed(&self) -> bool {
        self.completed > 0 || self.input_ended || self.failed.is_some()
    }

    /// Whether all that could be done waits for something outside, as far as the last run could see.
    pub(crate) fn is_blocked(&self) -> bool {
        self.ready != 0 && self.ready & !self.blocked == 0
    }

    /// Whether the end of the input has passed through all operators and all output has left.
    pub(crate) fn is_complete(&self) -> bool {
        self.input_ended && self.completed == self.nodes.len() && self.passing.is_empty()
    }

    /// Whether messages wait, or operators have more to say to messages they have got.
    pub(crate) fn has_messages(&self) -> bool {
        self.ready != 0 || !self.passing.is_empty() || self.failed.is_some()
    }

    /// Whether anything waits to be processed, be it only the end of the input.
    pub(crate) fn has_work(&self) -> bool {
        self.has_messages() || (self.input_ended && self.completed < self.nodes.len())
    }

    /// Whether it is as a new one that may still get input: [`Operator::is_blank`] of all operators. An operator that answers an empty
    /// input owes that to whoever has this instance.
    pub(crate) fn is_blank(&self) -> bool {
        let is_blank = |(node, op): (&Node, &Op)| {
            let is_new = !node.used || node.operator.as_ref().is_none_or(|operator| operator.is_blank());
            is_new && !experts::emits_on_empty(&op.kind)
        };
        let is_open = !self.is_closed() && !self.has_messages();
        is_open && self.nodes.iter().zip(&*self.pipeline.ops).all(is_blank)
    }

    /// Terminates the instance: drops all messages, cascades into the scopes inside, and makes it ready to be used again.
    pub(crate) fn reset(&mut self) {
        for i in 0..self.nodes.len() {
            self.silence(i);
            let node = &mut self.nodes[i];
            if std::mem::take(&mut node.used)
                && let Some(operator) = &mut node.operator
            {
                operator.reset();
            }
        }
        (self.ready, self.blocked, self.completed) = (0, 0, 0);
        self.input_ended = false;
        self.passing.clear();
        // What the call that failed had emitted.
        self.output.clear();
        self.failed = None;
    }

    /// Works until there is output, the quota is spent, or nothing can be done.
    pub(crate) fn run(
        &mut self,
        cx: &Context<'_>,
        intra: IntraPolicy,
        out: &mut Output,
    ) -> Result<Progress, QueryError> {
        // What was blocked before may be runnable now; whoever schedules us has reason to think so.
        self.blocked = 0;
        out.batches.append(&mut self.passing);
        loop {
            if let Some(i) = self.choose(intra) {
                self.step(i, cx, out)?;
            } else if self.failed.is_some() {
                return self.fail();
            } else if self.may_complete() {
                self.complete_next(cx, out)?;
            } else {
                return Ok(self.rest());
            }
            if !out.is_empty() {
                return Ok(self.after_output());
            }
            if looks::is_due() {
                cx.query.check()?;
                if cx.quota.is_spent() {
                    return Ok(self.after_output());
                }
            }
        }
    }

    /// The error is due, unless what was made before it is held up outside.
    fn fail(&mut self) -> Result<Progress, QueryError> {
        match self.failed.take() {
            Some((_, error)) if self.ready == 0 => Err(error),
            failed => {
                self.failed = failed;
                Ok(Progress::Blocked)
            }
        }
    }

    /// Operator `i` has failed, with nothing to show for it. What waits downstream comes before that.
    fn note_failure(&mut self, i: usize, error: QueryError) {
        self.output.clear();
        (0..=i).for_each(|j| self.silence(j));
        self.failed = Some((i, error));
    }

    /// What to say when returning early.
    fn after_output(&self) -> Progress {
        if self.is_complete() { Progress::Complete } else { Progress::Ready }
    }

    /// What to say when nothing can be run.
    fn rest(&self) -> Progress {
        if self.is_complete() {
            Progress::Complete
        } else if self.ready != 0 {
            Progress::Blocked
        } else {
            Progress::Idle
        }
    }

    /// Whether the most upstream operator that has not completed has seen all its input.
    fn may_complete(&self) -> bool {
        self.completed < self.nodes.len() && self.input_ended && self.ready & (1 << self.completed) == 0
    }

    /// The next operator to run: the intra-scope policy (section 3.1), with mailboxes kept within their bound.
    fn choose(&self, intra: IntraPolicy) -> Option<usize> {
        let runnable = self.ready & !self.blocked;
        if runnable == 0 {
            return None;
        }
        let deepest = 63 - runnable.leading_zeros() as usize;
        if intra == IntraPolicy::DepthFirst {
            return Some(deepest);
        }
        let mut rest = runnable;
        while rest != 0 {
            let i = rest.trailing_zeros() as usize;
            if self.nodes.get(i + 1).is_none_or(|next| next.mailbox.len() < MAILBOX_BOUND) {
                return Some(i);
            }
            rest &= rest - 1;
        }
        Some(deepest)
    }

    /// Gives a batch to an operator, in pieces where the query wants smaller ones or the operator takes long.
    fn deliver(&mut self, to: usize, batch: Batch, gain: Gain, cx: &Context<'_>) -> Result<(), QueryError> {
        let most =
            cx.query.plan.batch.map_or(usize::MAX, |most| most as usize).min(self.nodes[to].pace.most());
        if batch.len <= most {
            return self.deliver_whole(to, batch, gain, cx);
        }
        let rows: Vec<u32> = (0..batch.len as u32).collect();
        let mut pieces = rows.chunks(most);
        pieces.try_for_each(|piece| self.deliver_whole(to, batch.gather(piece), gain, cx))
    }

    fn deliver_whole(
        &mut self,
        to: usize,
        batch: Batch,
        gain: Gain,
        cx: &Context<'_>,
    ) -> Result<(), QueryError> {
        if let Some(counters) = cx.query.profile.of(self.pipeline.ops[to].id) {
            Counters::add(&counters.batches, 1);
            Counters::add(&counters.rows, batch.len as u64);
        }
        self.ready |= 1 << to;
        let mailbox = &mut self.nodes[to].mailbox;
        let is_short = || batch.len < LARGE_BATCH && batch.is_narrow() && !batch.has_values();
        if gain.is_slight(&batch) || is_short() {
            mailbox.push(batch, None);
            return Ok(());
        }
        let weight = batch.weight();
        weight.admit(cx.query.memory.limit())?;
        let is_large = batch.len >= LARGE_BATCH || weight.bytes >= LARGE_BYTES;
        let load = is_large.then(|| Load::take(&cx.query.memory, &weight)).transpose()?;
        if weight.expanded <= PIECE || batch.len == 1 {
            mailbox.push(batch, load);
            return Ok(());
        }
        // Operators work on a batch without a look at the clock. What the pieces share goes with the last.
        let mut pieces = batch.in_pieces(PIECE).peekable();
        let mut load = load;
        while let Some(piece) = pieces.next() {
            let load = if pieces.peek().is_none() { load.take() } else { None };
            mailbox.push(piece, load);
        }
        Ok(())
    }

    fn step(&mut self, i: usize, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        let op = &self.pipeline.ops[i];
        let node = &mut self.nodes[i];
        node.used = true;
        let (input, charge) = node.take_input();
        let rows = input.as_ref().map_or(0, |batch| batch.len);
        let is_large = rows >= LARGE_BATCH || rows > 0 && charge.is_some();
        let is_paced = (is_large || rows > 0 && (node.pace.is_slow() || writes(cx)))
            && !operators::divides_its_work(&op.kind);
        let began = is_paced.then(|| cx.query.clock.now());
        let long_from = if operators::reads_characters(&op.kind) { LONG_TEXT } else { LONG_BYTES };
        let may_outlast =
            is_paced && (node.pace.outlasts() || charge.is_some_and(|bytes| bytes >= long_from));
        let long = may_outlast.then(|| LongStep::begin(|| cx.query.check())).transpose()?;
        let operator = node.operator.get_or_insert_with(|| experts::create(op));
        let output = &mut self.output;
        let may_fail = |batch: &&Batch| batch.len > 1 && operators::fails_at_a_row(&op.kind, batch);
        let again = input.as_ref().filter(may_fail).cloned();
        let step = match timed(&cx.at(op, i >= self.tail_from), |cx| operator.step(input, cx, output)) {
            Err(error) if error.is_of_traverser() => {
                drop(long);
                match again {
                    Some(batch) => self.halve(i, &batch),
                    None => self.note_failure(i, error),
                }
                return Ok(());
            }
            step => step?,
        };
        drop(long);
        if is_large {
            looks::make_due();
        }
        // Who asks to be called again has looked at the clock.
        if let (Some(began), Step::Idle) = (began, step) {
            node.pace.note(rows, cx.query.clock.now().saturating_sub(began));
            looks::make_due();
        }
        if step == Step::More && output.is_empty() {
            // It has worked as long as it may, and has nothing to show for it.
            looks::make_due();
        }
        self.note(i, step);
        self.route(i, cx, out)
    }

    /// Has operator `i`, which has failed at some row of a batch, do the halves of it.
    fn halve(&mut self, i: usize, batch: &Batch) {
        self.output.clear();
        let node = &mut self.nodes[i];
        if let Some(operator) = &mut node.operator {
            operator.reset();
        }
        node.backlog = false;
        node.working = None;
        let rows: Vec<u32> = (0..batch.len as u32).collect();
        let (first, second) = rows.split_at(rows.len() / 2);
        [second, first].iter().for_each(|half| node.mailbox.push_front(batch.gather(half)));
        self.ready |= 1 << i;
    }

    /// Takes down what operator `i` said of itself.
    fn note(&mut self, i: usize, step: Step) {
        let node = &mut self.nodes[i];
        node.backlog = matches!(step, Step::More | Step::Blocked);
        if !node.backlog || operators::keeps_its_input(&self.pipeline.ops[i].kind) {
            node.working = None;
        }
        let bit = 1 << i;
        if node.backlog || !node.mailbox.is_empty() {
            self.ready |= bit;
        } else {
            self.ready &= !bit;
        }
        if step == Step::Blocked {
            self.blocked |= bit;
        }
        if step == Step::Done && self.ends_early {
            self.terminate_upstream(i);
        }
    }

    /// `NotifyCompletion`: operators upstream of `i` are terminated with everything that waits there and at `i`.
    fn terminate_upstream(&mut self, i: usize) {
        for j in 0..=i {
            self.silence(j);
        }
        for node in &mut self.nodes[..i] {
            if std::mem::take(&mut node.used)
                && let Some(operator) = &mut node.operator
            {
                operator.reset();
            }
        }
        self.completed = self.completed.max(i);
        self.input_ended = true;
        // It is the error of one that nobody needs.
        if self.failed.as_ref().is_some_and(|(at, _)| *at < i) {
            self.failed = None;
        }
    }

    /// Drops the mail and the backlog of an operator.
    fn silence(&mut self, i: usize) {
        let node = &mut self.nodes[i];
        node.mailbox.clear();
        node.backlog = false;
        node.working = None;
        self.ready &= !(1 << i);
        self.blocked &= !(1 << i);
    }

    /// Tells the most upstream operator that has not completed that its input has ended.
    fn complete_next(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        let i = self.completed;
        let op = &self.pipeline.ops[i];
        let node = &mut self.nodes[i];
        if !node.used && !experts::emits_on_empty(&op.kind) {
            self.completed += 1;
            return Ok(());
        }
        let operator = node.operator.get_or_insert_with(|| experts::create(op));
        node.used = true;
        let output = &mut self.output;
        let step = match timed(&cx.at(op, i >= self.tail_from), |cx| operator.complete(cx, output)) {
            Err(error) if error.is_of_traverser() => {
                self.note_failure(i, error);
                return Ok(());
            }
            step => step?,
        };
        match step {
            // It is told again once its consumers have run.
            Step::More => looks::make_due(),
            Step::Blocked => {
                node.backlog = true;
                self.ready |= 1 << i;
                self.blocked |= 1 << i;
            }
            Step::Idle | Step::Done => self.completed += 1,
        }
        self.route(i, cx, out)
    }

    /// What of the batches that operator `i` has emitted is to be weighed.
    fn gain(&self, i: usize) -> Gain {
        if self.nodes[i].charged || i % WEIGHED_EVERY == WEIGHED_EVERY - 1 {
            return Gain::All;
        }
        Gain::of(&self.pipeline.ops[i].kind)
    }

    /// Moves what operator `i` has emitted to its successor, or out of the instance.
    fn route(&mut self, i: usize, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        if let Some(counters) = cx.query.profile.of(self.pipeline.ops[i].id) {
            for batch in &self.output.batches {
                Counters::add(&counters.rows_out, batch.len as u64);
                Counters::add(&counters.traversers, batch.total_bulk());
            }
        }
        out.exits.append(&mut self.output.exits);
        if i + 1 == self.nodes.len() {
            out.batches.append(&mut self.output.batches);
            return Ok(());
        }
        let gain = self.gain(i);
        let mut batches = std::mem::take(&mut self.output.batches);
        let delivered = batches.drain(..).try_for_each(|batch| self.deliver(i + 1, batch, gain, cx));
        self.output.batches = batches;
        delivered
    }
}

/// Whether a scope opens instances as traversers come.
fn has_instances_in_turn(kind: &ScopeKind) -> bool {
    matches!(
        kind,
        ScopeKind::Filter { .. }
            | ScopeKind::Apply { .. }
            | ScopeKind::FlatMap { .. }
            | ScopeKind::SideEffect { .. }
            | ScopeKind::Coalesce { .. }
            | ScopeKind::Repeat { .. }
    )
}

/// Operators after which batches are weighed as a whole: so little that each of them adds comes to something.
const WEIGHED_EVERY: usize = 8;

/// Whether steps change the graph, and take longer for their rows than others.
fn writes(cx: &Context<'_>) -> bool {
    cx.query.transaction().is_some()
}

/// Runs a call of an operator; a test that it could not apply makes it fail.
fn timed(
    cx: &Context<'_>,
    call: impl FnOnce(&Context<'_>) -> Result<Step, QueryError>,
) -> Result<Step, QueryError> {
    let step = measured(cx, call);
    raised::take().map_or(step, Err)
}

/// Runs a call of an operator and adds its time to the operator's counters where the query is profiled.
fn measured(
    cx: &Context<'_>,
    call: impl FnOnce(&Context<'_>) -> Result<Step, QueryError>,
) -> Result<Step, QueryError> {
    match cx.query.profile.of(cx.op.id) {
        Some(counters) if cx.query.profile.timed => {
            let since_begun = || cx.query.clock.now().saturating_sub(cx.query.profile.begun());
            let begun = since_begun();
            let _charging = by_operator::charging(cx.op.id);
            let step = call(cx);
            counters.called(begun, since_begun());
            step
        }
        _ => call(cx),
    }
}
