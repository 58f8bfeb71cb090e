//! The branch scope: an instance per input traverser, cancelled as soon as its outcome is known (Banyan, section 3.1).
//!
//! ```text
//! ingress                 instances (at most MAX_SI)            egress
//! batch ─ row 0 ────────► ⟨7⟩ Expand ─ Expand ─ Is  ── match ─► passes row 0, terminates ⟨7⟩
//!       ─ row 1 ────────► ⟨8⟩ Expand ─ Expand ─ Is
//!       ─ row 2  (waits)
//! ```
//!
//! Turned off ([`Grain::Batch`]), one instance covers a whole batch and the rows are told apart by their tags.
//!
//! An error inside is due when the row that has met it has its turn, and is not decided by then: so if an instance of several
//! rows fails, they run again one after the other. What the rows before have come to passes first; those behind do nothing.
//!
//! | file | what |
//! |---|---|
//! | `outcome.rs` | what a row comes to, one type for each semantics |
//! | `rounds.rs` | whose turn it is |
//! | `in_order.rs` | outcomes that leave in the order of the inputs |

mod in_order;
mod outcome;
mod rounds;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use planner::physical::{Child, Grain, Op, Pipeline, Policy, Scope};

use super::egress::{Egress, Into, Outcome};
use super::passage::{self, Entrance};
use super::stream::has_effect;
use crate::batch::{Batch, Tags};
use crate::entered::{Entered, TagSet};
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::memory::StateMemory;
use crate::operator::{Context, Operator, Output, Step};
use crate::query::Counters;
use crate::scope_tag::ScopeTag;

use in_order::{InOrder, Passing};
use outcome::Semantics;
use rounds::{Rounds, ScopeInstance};

/// Time an instance gets per round.
const SLICE: Duration = Duration::from_micros(100);

/// Instances that may run between two looks at the clock; each looks at it itself when it has much to do.
const TURNS_PER_CLOCK: u32 = 16;

/// See the module.
pub(super) struct BranchScope {
    branches: Vec<Pipeline>,
    semantics: Semantics,
    child: Child,
    entrance: Entrance,
    grain: Grain,
    policy: Policy,
    waiting: VecDeque<Arc<Batch>>,
    /// Next row of the first waiting batch.
    next_row: u32,
    rounds: Rounds,
    /// Terminated instances, by branch, to be used again.
    pool: Vec<Vec<Instance>>,
    /// What instances take, those in the pool among them.
    made: StateMemory,
    opened: u64,
    /// Where results must leave in the order of the inputs.
    in_order: InOrder,
    egress: Egress,
    /// Whether a row may run again.
    is_repeatable: bool,
    /// The error that is due when the instances before that which has met it are through.
    failed: Option<QueryError>,
}

impl BranchScope {
    pub(super) fn new(scope: &Scope, op: &Op) -> Self {
        let (semantics, branches, from, into) = Semantics::of(&scope.kind);
        let replaces = matches!(into, Into::Current);
        let is_repeatable = !branches.iter().any(has_effect);
        Self {
            pool: branches.iter().map(|_| Vec::new()).collect(),
            branches,
            made: StateMemory::default(),
            semantics,
            child: scope.child,
            entrance: Entrance::of(scope, from),
            grain: scope.grain,
            policy: scope.policy,
            waiting: VecDeque::new(),
            next_row: 0,
            rounds: Rounds::default(),
            opened: 0,
            in_order: InOrder::default(),
            egress: Egress::new(into, &op.labels, op.moves && replaces),
            is_repeatable,
            failed: None,
        }
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.rounds.running.is_empty() && self.failed.is_none()
    }

    /// Opens the next instance, if there is input for one and MAX_SI allows it.
    fn open(&mut self, cx: &Context<'_>) -> Result<bool, QueryError> {
        if self.failed.is_some() || self.open_instances() >= self.most_instances(cx) {
            return Ok(false);
        }
        let Some(input) = self.waiting.front().cloned() else { return Ok(false) };
        let first = self.next_row;
        let rows = if self.grain == Grain::Batch && !cx.alone { input.len } else { 1 };
        self.next_row += rows as u32;
        if self.next_row as usize >= input.len {
            self.waiting.pop_front();
            self.next_row = 0;
        }
        let round = self.rounds.current();
        let instance = self.take_instance(0, cx)?;
        let mut si = ScopeInstance {
            tag: cx.tag.within(self.opened),
            round,
            input,
            first,
            hits: vec![false; rows],
            open: rows,
            entered: None,
            results: Vec::new(),
            branch: 0,
            instance,
            again: None,
            end: first + rows as u32,
            has_left: false,
        };
        self.opened += 1;
        if let Some(counters) = cx.query.profile.of(cx.op.id) {
            Counters::add(&counters.opened, 1);
            counters
                .concurrent
                .fetch_max(self.rounds.running.len() as u64 + 1, std::sync::atomic::Ordering::Relaxed);
        }
        if self.semantics.keeps_result() {
            si.results.resize(rows, None);
        }
        self.start_branch(&mut si, cx)?;
        self.rounds.running.push(si);
        Ok(true)
    }

    /// Instances that run, and those that have ended but must wait for one opened before them.
    fn open_instances(&self) -> u64 {
        if self.policy.ordered { self.in_order.open(self.opened) } else { self.rounds.running.len() as u64 }
    }

    /// MAX_SI. Results that pass as they come can only come in order if instances come one after another.
    fn most_instances(&self, cx: &Context<'_>) -> u64 {
        if cx.alone || self.policy.ordered && self.semantics.lets_results_out() {
            return 1;
        }
        u64::from(self.policy.max_instances.max(1))
    }

    fn take_instance(&mut self, branch: usize, cx: &Context<'_>) -> Result<Instance, QueryError> {
        if let Some(instance) = self.pool[branch].pop() {
            return Ok(instance);
        }
        let pipeline = &self.branches[branch];
        self.made.grow(&cx.query.memory, Instance::bytes(pipeline))?;
        Ok(Instance::new(pipeline.clone()))
    }

    /// What the instances in the pool take.
    fn pooled(&self) -> usize {
        let of_branch =
            |(pool, pipeline): (&Vec<Instance>, &Pipeline)| pool.len() * Instance::bytes(pipeline);
        self.pool.iter().zip(&self.branches).map(of_branch).sum()
    }

    /// Runs one instance for a slice and takes its results. How it went, and whether it has used its slice up.
    fn run_one(
        &mut self,
        at: usize,
        cx: &Context<'_>,
        out: &mut Output,
    ) -> Result<(Progress, bool), QueryError> {
        let si = &mut self.rounds.running[at];
        let child = child_context(cx, si.tag, si.shape(), &si.entered);
        let mut results = Output::default();
        let progress = match si.instance.run(&child, self.policy.intra, &mut results) {
            Err(error) if error.is_of_traverser() => {
                self.fail(at, error, cx, out)?;
                return Ok((Progress::Ready, false));
            }
            progress => progress?,
        };
        let slice_spent = progress == Progress::Ready && results.is_empty() && child.quota.is_spent();
        si.round += u64::from(slice_spent);
        for batch in results.batches {
            self.take_results(at, batch, out);
        }
        out.exits.extend(results.exits);
        let decided = self.is_decided(at);
        if decided && progress != Progress::Complete {
            let instance = &mut self.rounds.running[at].instance;
            if instance.has_messages()
                && let Some(counters) = cx.query.profile.of(cx.op.id)
            {
                Counters::add(&counters.cancelled, 1);
            }
        }
        if decided || progress == Progress::Complete {
            self.end_branch(at, cx, out)?;
        } else if slice_spent && self.open(cx)? {
            self.rounds.level();
        }
        Ok((progress, slice_spent))
    }

    /// An instance has failed: it begins again row by row, or the error is that of its row.
    fn fail(
        &mut self,
        at: usize,
        error: QueryError,
        cx: &Context<'_>,
        out: &mut Output,
    ) -> Result<(), QueryError> {
        let mut si = self.rounds.running.remove(at);
        si.instance.reset();
        if si.hits.len() > 1 && self.is_repeatable && !si.has_left {
            si.again = Some(Vec::new());
            return self.restart(at, si, cx);
        }
        // Those behind it do nothing, whether they have begun or not.
        self.rounds.running.retain(|other| other.tag.instance < si.tag.instance);
        self.waiting.clear();
        self.next_row = 0;
        self.failed = Some(error);
        let outcomes = si.again.take().unwrap_or_default();
        self.end(si.tag, si.passing(outcomes), out);
        self.pool[si.branch].push(si.instance);
        Ok(())
    }

    /// Begins the row of an instance that runs again row by row.
    fn restart(&mut self, at: usize, mut si: ScopeInstance, cx: &Context<'_>) -> Result<(), QueryError> {
        let fresh = self.take_instance(0, cx)?;
        let used = std::mem::replace(&mut si.instance, fresh);
        self.pool[si.branch].push(used);
        (si.tag, si.branch, si.hits) = (si.tag.of_row(si.first), 0, vec![false]);
        si.results.truncate(1);
        si.results.fill(None);
        self.start_branch(&mut si, cx)?;
        self.rounds.running.insert(at, si);
        Ok(())
    }

    /// Whether the current branch can no longer change any row's outcome.
    fn is_decided(&self, at: usize) -> bool {
        self.semantics.decides_early() && self.rounds.running[at].open == 0
    }

    /// Egress: what results mean for the rows they belong to.
    fn take_results(&mut self, at: usize, batch: Batch, out: &mut Output) {
        let si = &mut self.rounds.running[at];
        for row in 0..batch.len {
            let tag = batch.tags.get(row) as usize;
            if std::mem::replace(&mut si.hits[tag], true) {
                continue;
            }
            si.open -= 1;
            if self.semantics.keeps_result() {
                si.results[tag] = Some(batch.current.value(row));
            }
        }
        if self.semantics.lets_results_out() {
            si.has_left = true;
            let rows: Vec<u32> = (0..batch.len).map(|row| si.first + batch.tags.get(row)).collect();
            out.emit(passage::leave(&si.input, &rows, batch, self.child));
        }
    }

    /// The current branch has ended or was terminated: the next branch, or the outcome.
    fn end_branch(&mut self, at: usize, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        let mut si = self.rounds.running.remove(at);
        si.instance.reset();
        let next = si.branch + 1;
        if next < self.branches.len() && self.rows_for_next_branch(&si) > 0 {
            let fresh = self.take_instance(next, cx)?;
            let used = std::mem::replace(&mut si.instance, fresh);
            self.pool[si.branch].push(used);
            si.branch = next;
            self.start_branch(&mut si, cx)?;
            self.rounds.running.insert(at, si);
            return Ok(());
        }
        let mut outcomes = si.again.take().unwrap_or_default();
        outcomes.extend(
            (0..si.hits.len()).filter_map(|tag| Some((si.first + tag as u32, self.outcome(&si, tag)?))),
        );
        if si.first + (si.hits.len() as u32) < si.end {
            si.first += 1;
            si.again = Some(outcomes);
            return self.restart(at, si, cx);
        }
        self.end(si.tag, si.passing(outcomes), out);
        self.pool[si.branch].push(si.instance);
        if self.egress.is_full() || self.is_idle() || self.grain == Grain::Batch {
            self.flush(out);
        }
        Ok(())
    }

    /// What an instance has come to passes, when it has its turn.
    fn end(&mut self, tag: ScopeTag, passing: Passing, out: &mut Output) {
        if !self.policy.ordered {
            return self.pass(passing, out);
        }
        for passing in self.in_order.end(tag.instance, passing) {
            self.pass(passing, out);
        }
    }

    fn pass(&mut self, (input, outcomes): Passing, out: &mut Output) {
        for (row, outcome) in outcomes {
            if let Some(batch) = self.egress.pass(&input, row, outcome) {
                out.emit(batch);
            }
        }
    }

    /// What becomes of a row at the end of its instance; `None` drops it (or its results have left already).
    fn outcome(&self, si: &ScopeInstance, tag: usize) -> Option<Outcome> {
        self.semantics.outcome(si.hits[tag], si.results.get(tag).and_then(Option::as_ref))
    }

    /// Rows the next branch must look at.
    fn rows_for_next_branch(&self, si: &ScopeInstance) -> usize {
        let wants_hits = self.semantics.is_conjunction();
        si.hits.iter().filter(|&&hit| hit == wants_hits).count()
    }

    /// Feeds the current branch of an instance with the rows that are still undecided.
    fn start_branch(&self, si: &mut ScopeInstance, cx: &Context<'_>) -> Result<(), QueryError> {
        let all = si.branch == 0;
        // Only a conjunction goes on with the rows that had a result; it then asks them again.
        let conjunction = !all && self.semantics.is_conjunction();
        let asks = |tag: &u32| {
            let undecided = all || si.hits[*tag as usize] == conjunction;
            undecided && self.entrance.lets_in(&si.input, si.first + tag)
        };
        let tags: Vec<u32> = (0..si.hits.len() as u32).filter(asks).collect();
        if conjunction {
            si.hits.fill(false);
        }
        si.open = tags.len();
        si.entered = (tags.len() < si.hits.len()).then(|| tags.iter().copied().collect());
        if !tags.is_empty() {
            let rows: Vec<u32> = tags.iter().map(|tag| si.first + tag).collect();
            let tags = if si.hits.len() == 1 { Tags::Uniform(0) } else { Tags::Rows(Arc::new(tags)) };
            let batch = self.entrance.enter(&si.input, &rows, tags);
            si.instance.receive(batch, &child_context(cx, si.tag, si.shape(), &si.entered))?;
        }
        si.instance.end_input();
        Ok(())
    }

    fn flush(&mut self, out: &mut Output) {
        if let Some(batch) = self.egress.flush() {
            out.emit(batch);
        }
    }

    /// Runs instances until there is output, the quota is spent or nothing can be done.
    fn work(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let mut blocked: Vec<ScopeTag> = Vec::new();
        for turn in 1u32.. {
            let chosen = match cx.query.memory.is_scarce() {
                true => self.rounds.oldest(&blocked),
                false => self.rounds.choose(self.policy.inter, &blocked),
            };
            let Some(at) = chosen else {
                if self.open(cx)? {
                    continue;
                }
                self.flush(out);
                if self.rounds.running.is_empty() && self.failed.is_some() {
                    return self.raise(out);
                }
                return Ok(if self.is_idle() { Step::Idle } else { Step::Blocked });
            };
            let tag = self.rounds.running[at].tag;
            let (progress, slice_spent) = self.run_one(at, cx, out)?;
            if progress == Progress::Blocked {
                blocked.push(tag);
            }
            if !out.is_empty() {
                return Ok(if self.is_idle() { Step::Idle } else { Step::More });
            }
            // Also where scopes are inside one another, each takes no more than one further step when time is up.
            if (slice_spent || turn.is_multiple_of(TURNS_PER_CLOCK)) && cx.quota.is_spent() {
                break;
            }
        }
        cx.query.check()?;
        self.flush(out);
        Ok(if self.is_idle() { Step::Idle } else { Step::More })
    }

    /// All before the row that has failed are through: what they have come to goes first.
    fn raise(&mut self, out: &Output) -> Result<Step, QueryError> {
        match self.failed.take() {
            Some(error) if out.is_empty() => Err(error),
            failed => {
                self.failed = failed;
                Ok(Step::More)
            }
        }
    }
}

impl Operator for BranchScope {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input {
            self.waiting.push_back(Arc::new(batch));
        }
        self.work(cx, out)
    }

    fn complete(&mut self, _cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.flush(out);
        Ok(Step::Idle)
    }

    fn is_blank(&self) -> bool {
        let none_waits = !self.policy.ordered || self.in_order.open(self.opened) == 0;
        self.is_idle() && self.egress.is_empty() && none_waits
    }

    fn reset(&mut self) {
        self.waiting.clear();
        self.next_row = 0;
        // A terminated scope terminates its instances in cascade; their operators go with them.
        self.rounds.running.clear();
        // As long as the scope itself is in a pool, one is enough: there may be as many such scopes as there are instances.
        self.pool.iter_mut().for_each(|pool| pool.truncate(1));
        self.made.shrink(self.pooled());
        self.failed = None;
        self.in_order.restart(self.opened);
        self.egress.reset();
    }
}

/// The context inside an instance that covers `tags` traversers; `alone`: that runs again row by row.
fn child_context<'a>(
    cx: &Context<'a>,
    tag: ScopeTag,
    (tags, alone): (usize, bool),
    entered: &'a Option<TagSet>,
) -> Context<'a> {
    Context {
        tag,
        single_tag: tags == 1,
        tags: tags as u32,
        entered: entered.as_ref().map_or(Entered::All, Entered::Only),
        alone: cx.alone || alone,
        quota: cx.quota.part(SLICE),
        // What is shared in the stream says nothing of the streams of single traversers.
        loop_memory: None,
        piece_memory: None,
        ..*cx
    }
}
