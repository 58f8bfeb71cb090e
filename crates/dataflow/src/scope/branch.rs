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
//! Instances share the scope's quota in rounds. Within a round the inter-instance policy decides; one that has used up
//! its slice waits for the next round, so that a traverser with a huge subquery does not hold up the others.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use planner::physical::{
    By, Child, Formula, Grain, InterPolicy, Op, Pipeline, Policy, Scope, ScopeKind, Slot,
};
use values::Value;

use super::egress::{Egress, Into, Outcome};
use super::passage;
use super::stream::has_effect;
use crate::batch::{Batch, Tags};
use crate::entered::{Entered, TagSet};
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::operator::{Context, Operator, Output, Step};
use crate::query::Counters;

/// Time an instance gets per round.
const SLICE: Duration = Duration::from_micros(100);

/// Instances that may run between two looks at the clock; each looks at it itself when it has much to do.
const TURNS_PER_CLOCK: u32 = 16;

/// What the scope makes of its instances' results.
enum Logic {
    /// Row passes if the formula over the branches holds.
    Filter { formula: Formula, mark: Option<Slot> },
    /// Row passes with the first result.
    Apply { into: Option<Slot>, required: bool },
    /// Results pass in the row's place.
    FlatMap,
    /// Row passes when its subquery has ended.
    SideEffect,
    /// Results of the first branch that has any pass in the row's place.
    Coalesce,
}

/// One scope instance: the rows it covers and where it is with them.
struct ScopeInstance {
    /// The scope tag's last element: instances are numbered as they are opened.
    id: u64,
    /// Rounds of scheduling it has used up.
    round: u64,
    input: Arc<Batch>,
    /// It covers rows `first..first + hits.len()`; a row's tag inside is its distance from `first`.
    first: u32,
    /// Per tag: whether the subquery has had a result (for a filter: whether the row is decided as passing).
    hits: Vec<bool>,
    /// Number of rows that still may be decided by the current branch.
    open: usize,
    /// The tags that have entered the current branch; `None` for all.
    entered: Option<TagSet>,
    /// Per tag: the first result, for `Apply`.
    results: Vec<Option<Value>>,
    branch: usize,
    instance: Instance,
    /// Once it has failed and runs again row by row: what the rows before have come to.
    again: Option<Vec<(u32, Outcome)>>,
    /// It covers rows up to here, though not all at once.
    end: u32,
    /// Whether results of it have left.
    has_left: bool,
}

impl ScopeInstance {
    /// How many rows it covers at once, and whether it runs again row by row.
    fn shape(&self) -> (usize, bool) {
        (self.hits.len(), self.again.is_some())
    }
}

/// See the module.
pub(super) struct BranchScope {
    branches: Vec<Pipeline>,
    logic: Logic,
    /// What the subqueries see, and the object that they start at.
    child: Child,
    from: By,
    grain: Grain,
    policy: Policy,
    waiting: VecDeque<Arc<Batch>>,
    /// Next row of the first waiting batch.
    next_row: u32,
    running: Vec<ScopeInstance>,
    /// Terminated instances, by branch, to be used again.
    pool: Vec<Vec<Instance>>,
    opened: u64,
    /// Where results must leave in the order of the inputs: the instance whose turn it is, and the outcomes of later
    /// ones that have ended already.
    next: u64,
    ended: BTreeMap<u64, Passing>,
    egress: Egress,
    /// Whether a row may run again.
    is_repeatable: bool,
    /// The instance whose error is due when those before it are through.
    failed: Option<(u64, QueryError)>,
}

/// Rows of a batch that pass, and how.
type Passing = (Arc<Batch>, Vec<(u32, Outcome)>);

impl BranchScope {
    pub(super) fn new(scope: &Scope, op: &Op) -> Self {
        let mut start = By::Current;
        let (branches, logic, into) = match &scope.kind {
            ScopeKind::Filter { branches, formula, mark } => (
                branches.clone(),
                Logic::Filter { formula: *formula, mark: *mark },
                mark.map_or(Into::Nothing, Into::Slot),
            ),
            ScopeKind::Apply { child, from, into, required } => {
                start = from.clone();
                let logic = Logic::Apply { into: *into, required: *required };
                (vec![child.clone()], logic, into.map_or(Into::Current, Into::Slot))
            }
            ScopeKind::FlatMap { child } => (vec![child.clone()], Logic::FlatMap, Into::Nothing),
            ScopeKind::SideEffect { child } => (vec![child.clone()], Logic::SideEffect, Into::Nothing),
            ScopeKind::Coalesce { branches } => (branches.clone(), Logic::Coalesce, Into::Nothing),
            _ => unreachable!("not a branch scope"),
        };
        let replaces = matches!(into, Into::Current);
        let is_repeatable = !branches.iter().any(has_effect);
        Self {
            pool: branches.iter().map(|_| Vec::new()).collect(),
            branches,
            logic,
            child: scope.child,
            from: start,
            grain: scope.grain,
            policy: scope.policy,
            waiting: VecDeque::new(),
            next_row: 0,
            running: Vec::new(),
            opened: 0,
            next: 0,
            ended: BTreeMap::new(),
            egress: Egress::new(into, &op.labels, op.moves && replaces),
            is_repeatable,
            failed: None,
        }
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.running.is_empty() && self.failed.is_none()
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
        let round = self.running.iter().map(|si| si.round).min().unwrap_or(0);
        let instance = self.take_instance(0);
        let mut si = ScopeInstance {
            id: self.opened,
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
                .fetch_max(self.running.len() as u64 + 1, std::sync::atomic::Ordering::Relaxed);
        }
        if matches!(self.logic, Logic::Apply { .. }) {
            si.results.resize(rows, None);
        }
        self.start_branch(&mut si, cx)?;
        self.running.push(si);
        Ok(true)
    }

    /// Instances that run, and those that have ended but must wait for one opened before them.
    fn open_instances(&self) -> u64 {
        if self.policy.ordered { self.opened - self.next } else { self.running.len() as u64 }
    }

    /// MAX_SI. Results that pass as they come can only come in order if instances come one after another.
    fn most_instances(&self, cx: &Context<'_>) -> u64 {
        match self.logic {
            _ if cx.alone => 1,
            Logic::FlatMap | Logic::Coalesce if self.policy.ordered => 1,
            _ => u64::from(self.policy.max_instances.max(1)),
        }
    }

    fn take_instance(&mut self, branch: usize) -> Instance {
        self.pool[branch].pop().unwrap_or_else(|| Instance::new(self.branches[branch].clone()))
    }

    /// The instance to run next: fewest rounds used, then the inter-instance policy.
    fn choose(&self, blocked: &[u64]) -> Option<usize> {
        let runnable = self.running.iter().enumerate().filter(|(_, si)| !blocked.contains(&si.id));
        let order = |si: &ScopeInstance| match self.policy.inter {
            InterPolicy::BreadthFirst | InterPolicy::BothEnds => si.id,
            InterPolicy::DepthFirst => u64::MAX - si.id,
        };
        runnable.min_by_key(|(_, si)| (si.round, order(si))).map(|(at, _)| at)
    }

    /// Runs one instance for a slice and takes its results. How it went, and whether it has used its slice up.
    fn run_one(
        &mut self,
        at: usize,
        cx: &Context<'_>,
        out: &mut Output,
    ) -> Result<(Progress, bool), QueryError> {
        let si = &mut self.running[at];
        let child = child_context(cx, si.shape(), &si.entered);
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
            let instance = &mut self.running[at].instance;
            if instance.has_messages()
                && let Some(counters) = cx.query.profile.of(cx.op.id)
            {
                Counters::add(&counters.cancelled, 1);
            }
        }
        if decided || progress == Progress::Complete {
            self.end_branch(at, cx, out)?;
        } else if slice_spent && self.open(cx)? {
            self.level_rounds();
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
        let mut si = self.running.remove(at);
        si.instance.reset();
        if si.hits.len() > 1 && self.is_repeatable && !si.has_left {
            si.again = Some(Vec::new());
            return self.restart(at, si, cx);
        }
        // Those behind it do nothing, whether they have begun or not.
        self.running.retain(|other| other.id < si.id);
        self.waiting.clear();
        self.next_row = 0;
        self.failed = Some((si.id, error));
        self.pool[si.branch].push(si.instance);
        self.end((si.input, si.again.unwrap_or_default()), si.id, out);
        Ok(())
    }

    /// Begins the row of an instance that runs again row by row.
    fn restart(&mut self, at: usize, mut si: ScopeInstance, cx: &Context<'_>) -> Result<(), QueryError> {
        let fresh = self.take_instance(0);
        let used = std::mem::replace(&mut si.instance, fresh);
        self.pool[si.branch].push(used);
        (si.branch, si.hits) = (0, vec![false]);
        si.results.truncate(1);
        si.results.fill(None);
        self.start_branch(&mut si, cx)?;
        self.running.insert(at, si);
        Ok(())
    }

    /// Whether the current branch can no longer change any row's outcome.
    fn is_decided(&self, at: usize) -> bool {
        let decides = matches!(self.logic, Logic::Filter { .. } | Logic::Apply { .. });
        decides && self.running[at].open == 0
    }

    /// Egress: what results mean for the rows they belong to.
    fn take_results(&mut self, at: usize, batch: Batch, out: &mut Output) {
        let si = &mut self.running[at];
        for row in 0..batch.len {
            let tag = batch.tags.get(row) as usize;
            if std::mem::replace(&mut si.hits[tag], true) {
                continue;
            }
            si.open -= 1;
            if let Logic::Apply { .. } = self.logic {
                si.results[tag] = Some(batch.current.value(row));
            }
        }
        if matches!(self.logic, Logic::FlatMap | Logic::Coalesce) {
            si.has_left = true;
            let rows: Vec<u32> = (0..batch.len).map(|row| si.first + batch.tags.get(row)).collect();
            out.emit(passage::leave(&si.input, &rows, batch, self.child));
        }
    }

    /// The current branch has ended or was terminated: the next branch, or the outcome.
    fn end_branch(&mut self, at: usize, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        let mut si = self.running.remove(at);
        si.instance.reset();
        let next = si.branch + 1;
        if next < self.branches.len() && rows_for_next_branch(&self.logic, &si) > 0 {
            let fresh = self.take_instance(next);
            let used = std::mem::replace(&mut si.instance, fresh);
            self.pool[si.branch].push(used);
            si.branch = next;
            self.start_branch(&mut si, cx)?;
            self.running.insert(at, si);
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
        self.pool[si.branch].push(si.instance);
        self.end((si.input, outcomes), si.id, out);
        if self.egress.is_full() || self.is_idle() || self.grain == Grain::Batch {
            self.flush(out);
        }
        Ok(())
    }

    /// What an instance has come to passes, when it has its turn.
    fn end(&mut self, passing: Passing, id: u64, out: &mut Output) {
        if !self.policy.ordered {
            return self.pass(passing, out);
        }
        self.ended.insert(id, passing);
        while let Some(passing) = self.ended.remove(&self.next) {
            self.next += 1;
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
        match &self.logic {
            Logic::Filter { formula, mark } => {
                let passes = match formula {
                    Formula::All | Formula::Any => si.hits[tag],
                    Formula::None => !si.hits[tag],
                };
                match mark {
                    Some(_) => Some(Outcome::With(Some(Value::Bool(passes)))),
                    None => passes.then_some(Outcome::Pass),
                }
            }
            Logic::Apply { into, required } => match &si.results[tag] {
                Some(value) => Some(Outcome::With(Some(value.clone()))),
                None if *required || into.is_none() => None,
                None => Some(Outcome::With(None)),
            },
            Logic::FlatMap | Logic::Coalesce => None,
            Logic::SideEffect => Some(Outcome::Pass),
        }
    }

    /// Feeds the current branch of an instance with the rows that are still undecided.
    fn start_branch(&self, si: &mut ScopeInstance, cx: &Context<'_>) -> Result<(), QueryError> {
        let all = si.branch == 0;
        // Only a conjunction goes on with the rows that had a result; it then asks them again.
        let conjunction = !all && is_conjunction(cx);
        let asks = |tag: &u32| {
            let undecided = all || si.hits[*tag as usize] == conjunction;
            undecided && passage::can_enter(&si.input, si.first + tag, &self.from)
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
            let batch = passage::enter(&si.input, &rows, tags, self.child, &self.from);
            si.instance.receive(batch, &child_context(cx, si.shape(), &si.entered))?;
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
        let mut blocked: Vec<u64> = Vec::new();
        for turn in 1u32.. {
            let Some(at) = self.choose(&blocked) else {
                if self.open(cx)? {
                    continue;
                }
                self.flush(out);
                if self.running.is_empty() && self.failed.is_some() {
                    return self.raise(out);
                }
                return Ok(if self.is_idle() { Step::Idle } else { Step::Blocked });
            };
            let id = self.running[at].id;
            let (progress, slice_spent) = self.run_one(at, cx, out)?;
            if progress == Progress::Blocked {
                blocked.push(id);
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
            Some((_, error)) if out.is_empty() => Err(error),
            failed => {
                self.failed = failed;
                Ok(Step::More)
            }
        }
    }

    /// A newcomer goes before those that have just used up a slice.
    fn level_rounds(&mut self) {
        let Some((newest, others)) = self.running.split_last_mut() else { return };
        newest.round = others.iter().map(|si| si.round).min().unwrap_or(0).saturating_sub(1);
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

    fn reset(&mut self) {
        self.waiting.clear();
        self.next_row = 0;
        // A terminated scope terminates its instances in cascade; their operators go with them.
        self.running.clear();
        self.ended.clear();
        self.failed = None;
        self.next = self.opened;
        self.egress.reset();
    }
}

/// The context inside an instance that covers `tags` traversers; `alone`: that runs again row by row.
fn child_context<'a>(
    cx: &Context<'a>,
    (tags, alone): (usize, bool),
    entered: &'a Option<TagSet>,
) -> Context<'a> {
    Context {
        single_tag: tags == 1,
        tags: tags as u32,
        entered: entered.as_ref().map_or(Entered::All, Entered::Only),
        alone: cx.alone || alone,
        quota: cx.quota.part(SLICE),
        // What pieces of the stream share says nothing of the streams of single traversers.
        piece_memory: None,
        ..*cx
    }
}

/// Rows the next branch must look at.
fn rows_for_next_branch(logic: &Logic, si: &ScopeInstance) -> usize {
    let wants_hits = matches!(logic, Logic::Filter { formula: Formula::All, .. });
    si.hits.iter().filter(|&&hit| hit == wants_hits).count()
}

/// Whether the scope is a filter whose branches must all have a result.
fn is_conjunction(cx: &Context<'_>) -> bool {
    matches!(&cx.op.kind, planner::physical::OpKind::Scope(scope)
        if matches!(scope.kind, ScopeKind::Filter { formula: Formula::All, .. }))
}
