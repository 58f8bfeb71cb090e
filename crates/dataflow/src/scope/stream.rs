//! Scopes that split the stream without isolating traversers: `union`, `choose`, and the rest of a long pipeline.
//!
//! Each branch is one instance that lives as long as the scope and keeps the tags of its input. Where one of them has a barrier
//! inside, their results come branch by branch, as in TinkerPop: those of a branch wait until the branches before it are through.
//! If then one fills a side-effect, writes, which others may see, or asks for a side-effect, which those behind it may still fill,
//! nothing is done before all of the stream has come.

use planner::physical::{IntraPolicy, LocalFn, OpKind, Pipeline, Predicate, Scope, ScopeKind, Slot, op};

use crate::batch::{Batch, Tags};
use crate::entered::{Entered, TagSet};
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::operator::{Context, Operator, Output, Step};
use crate::operators::{Options, View, Waiting};

/// Which branches a row goes to.
enum Routing {
    /// All of them.
    All,
    /// By a mark; a missing branch passes the row unchanged.
    Mark { slot: Slot, then: usize, otherwise: Option<usize> },
    /// By an option: the first branch whose predicate holds for the choice.
    Options {
        choice: Slot,
        predicates: Vec<Predicate>,
        /// The same, made ready with the first batch.
        options: Option<Options>,
        /// The branch of the first predicate.
        first: usize,
        otherwise: Option<usize>,
        unproductive: Option<usize>,
    },
}

/// A branch, and who has entered it: only those get an answer from a `count` or a `fold` inside. `None` where the branch is
/// the stream itself, going on.
struct Branch {
    instance: Instance,
    entered: Option<TagSet>,
    /// Why it goes no further: an error that is due behind its results, when it has its turn.
    failed: Option<QueryError>,
}

impl Branch {
    fn receive(&mut self, batch: Batch, cx: &Context<'_>) -> Result<(), QueryError> {
        if self.failed.is_some() {
            return Ok(());
        }
        if let Some(entered) = &mut self.entered {
            match &batch.tags {
                Tags::Uniform(tag) => entered.insert(*tag),
                Tags::Rows(tags) => tags.iter().for_each(|tag| entered.insert(*tag)),
            }
        }
        self.instance.receive(batch, &inside(cx, &self.entered))
    }

    fn run(
        &mut self,
        cx: &Context<'_>,
        intra: IntraPolicy,
        out: &mut Output,
    ) -> Result<Progress, QueryError> {
        self.instance.run(&inside(cx, &self.entered), intra, out)
    }

    fn reset(&mut self) {
        self.instance.reset();
        self.failed = None;
        self.entered.iter_mut().for_each(TagSet::clear);
    }
}

/// The context inside a branch.
fn inside<'a>(cx: &Context<'a>, entered: &'a Option<TagSet>) -> Context<'a> {
    Context { entered: entered.as_ref().map_or(cx.entered, Entered::Only), ..*cx }
}

/// See the module.
pub(super) struct StreamScope {
    routing: Routing,
    branches: Vec<Branch>,
    /// Results that wait for the branches before their own, if branches come in turn.
    waiting: Vec<Waiting>,
    /// The stream, until all of it has come, if nothing may be done before.
    input: Option<Waiting>,
    /// The branch whose results go out at once.
    turn: usize,
    intra: IntraPolicy,
    dirty: bool,
    /// Whether the branches have been told of the end of the input.
    ended: bool,
}

impl StreamScope {
    pub(super) fn new(scope: &Scope) -> Self {
        let mut branches: Vec<Branch> = Vec::new();
        let goes_on = matches!(scope.kind, ScopeKind::Inline { .. });
        let mut add = |pipeline: &Pipeline| {
            let entered = (!goes_on).then(TagSet::default);
            branches.push(Branch { instance: Instance::new(pipeline.clone()), entered, failed: None });
            branches.len() - 1
        };
        let has_barrier = !goes_on && scope.kind.pipelines().any(has_barrier);
        // Where branches come in turn, so does what has no branch.
        let unchanged = has_barrier.then(Pipeline::default);
        let routing = match &scope.kind {
            ScopeKind::Union { branches } => {
                for branch in branches {
                    add(branch);
                }
                Routing::All
            }
            ScopeKind::Inline { child } => {
                add(child);
                Routing::All
            }
            ScopeKind::If { mark, then, otherwise } => {
                let then = add(then);
                let otherwise = otherwise.as_ref().or(unchanged.as_ref()).map(add);
                Routing::Mark { slot: *mark, then, otherwise }
            }
            ScopeKind::Switch { choice, options, otherwise, unproductive } => {
                // Where branches come in turn, TinkerPop has the options for what has no other before those.
                let otherwise = otherwise.as_ref().or(unchanged.as_ref()).map(&mut add);
                let unproductive = unproductive.as_ref().or(unchanged.as_ref()).map(&mut add);
                let first = usize::from(otherwise.is_some()) + usize::from(unproductive.is_some());
                for (_, branch) in options {
                    add(branch);
                }
                Routing::Options {
                    choice: *choice,
                    predicates: options.iter().map(|(p, _)| p.clone()).collect(),
                    options: None,
                    first,
                    otherwise,
                    unproductive,
                }
            }
            _ => unreachable!("not a stream scope"),
        };
        let in_turn = branches.len() > 1 && has_barrier;
        let waits = has_barrier && scope.kind.pipelines().any(|branch| has_effect(branch) || asks(branch));
        let input = waits.then(Waiting::default);
        let waiting =
            if in_turn { branches.iter().map(|_| Waiting::default()).collect() } else { Vec::new() };
        let intra = scope.policy.intra;
        Self { routing, branches, waiting, input, turn: 0, intra, dirty: false, ended: false }
    }

    /// Ingress: hands the rows to their branches; rows without a branch pass at once.
    fn route(&mut self, batch: Batch, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        if matches!(self.routing, Routing::All) {
            for branch in &mut self.branches {
                branch.receive(batch.clone(), cx)?;
            }
            return Ok(());
        }
        let mut rows: Vec<Vec<u32>> = vec![Vec::new(); self.branches.len()];
        let mut unchanged = Vec::new();
        self.targets(&batch, cx, |row, branch| match branch {
            Some(branch) => rows[branch].push(row),
            None => unchanged.push(row),
        })?;
        for (branch, rows) in self.branches.iter_mut().zip(rows) {
            if !rows.is_empty() {
                branch.receive(batch.gather(&rows), cx)?;
            }
        }
        if !unchanged.is_empty() {
            out.emit(batch.gather(&unchanged));
        }
        Ok(())
    }

    /// Tells `each` the branch that a row goes to; `None` if it passes unchanged.
    fn targets(
        &mut self,
        batch: &Batch,
        cx: &Context<'_>,
        mut each: impl FnMut(u32, Option<usize>),
    ) -> Result<(), QueryError> {
        let rows = 0..batch.len as u32;
        match &mut self.routing {
            // `route` sends these to all.
            Routing::All => rows.for_each(|row| each(row, None)),
            Routing::Mark { slot, then, otherwise } => {
                let marks = batch.slot(*slot);
                let is_marked = |row: u32| marks.is_some_and(|marks| marks.is_true(row as usize));
                rows.for_each(|row| each(row, if is_marked(row) { Some(*then) } else { *otherwise }));
            }
            Routing::Options { choice, predicates, options, first, otherwise, unproductive } => {
                let view = View::of(cx);
                let graph = view.graph();
                let options = options.get_or_insert_with(|| Options::new(predicates, cx));
                let (options, choices) = (options.ready(predicates, cx, &graph)?, batch.slot(*choice));
                for row in rows {
                    let choice = choices.and_then(|choices| choices.get(row as usize));
                    let taken = choice.map(|value| options.first(&value, batch, row as usize, &graph));
                    each(
                        row,
                        match taken {
                            None => *unproductive,
                            Some(Some(option)) => Some(*first + option),
                            Some(None) => *otherwise,
                        },
                    );
                }
            }
        }
        Ok(())
    }

    /// Runs the branches, first to last, until there is output.
    fn work(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let mut state = Step::Idle;
        for index in 0..self.branches.len() {
            let is_early = self.is_early(index);
            let branch = &mut self.branches[index];
            if !branch.instance.has_work() || is_early {
                continue;
            }
            let mut own = Output::default();
            let waits = !self.waiting.is_empty() && index != self.turn;
            let progress = match branch.run(cx, self.intra, if waits { &mut own } else { out }) {
                Err(error) if waits && error.is_of_traverser() => {
                    branch.instance.reset();
                    branch.failed = Some(error);
                    continue;
                }
                progress => progress?,
            };
            for batch in own.batches {
                self.waiting[index].push(batch, cx)?;
            }
            match progress {
                Progress::Ready => state = Step::More,
                Progress::Blocked if state == Step::Idle => state = Step::Blocked,
                _ => {}
            }
            if !out.is_empty() || cx.quota.is_spent() {
                break;
            }
        }
        let can_work = |(index, branch): (usize, &Branch)| {
            branch.instance.has_work() && !branch.instance.is_blocked() && !self.is_early(index)
        };
        if state != Step::More && self.branches.iter().enumerate().any(can_work) {
            state = Step::More;
        }
        Ok(state)
    }

    /// Whether a branch must not begin before those before it are through.
    fn is_early(&self, branch: usize) -> bool {
        self.input.is_some() && !self.waiting.is_empty() && branch != self.turn
    }

    /// Lets out what waits of the branch whose turn it is; whether there was anything. It comes before all that the branch
    /// still makes.
    fn release(&mut self, out: &mut Output) -> bool {
        let waiting = self.waiting.get_mut(self.turn).filter(|waiting| !waiting.is_empty());
        waiting.map(|waiting| waiting.release_next(out)).is_some()
    }

    /// Gives the next branch its turn when the one that has it is through; whether it did.
    fn pass_turn(&mut self) -> bool {
        let passes = self.turn + 1 < self.waiting.len() && !self.branches[self.turn].instance.has_work();
        self.turn += usize::from(passes);
        passes
    }
}

/// Whether a branch has a step inside that does what others may see.
pub(super) fn has_effect(branch: &Pipeline) -> bool {
    branch.ops.iter().any(|op| match &op.kind {
        OpKind::Collect(_) | OpKind::Write(_) | OpKind::Coin(_) | OpKind::Sample(..) => true,
        OpKind::GroupCount(op::GroupCount { side_effect, .. }) => side_effect.is_some(),
        OpKind::Scope(scope) => {
            matches!(scope.kind, ScopeKind::Group { side_effect: Some(_), .. })
                || scope.kind.pipelines().any(has_effect)
        }
        _ => false,
    })
}

/// Whether a branch has a step inside that takes what a side-effect holds.
fn asks(branch: &Pipeline) -> bool {
    branch.ops.iter().any(|op| match &op.kind {
        OpKind::Cap(_) => true,
        OpKind::Filter(test) => test.looks_at_side_effects(),
        OpKind::Local(LocalFn::Scoped { side_effects, .. }) => !side_effects.is_empty(),
        OpKind::Select(select) => select.selections.iter().any(|one| one.side_effect.is_some()),
        OpKind::Scope(scope) => scope.kind.pipelines().any(asks),
        _ => false,
    })
}

/// Whether a branch has a step inside that gives nothing before it has everything.
fn has_barrier(branch: &Pipeline) -> bool {
    branch.ops.iter().any(|op| match &op.kind {
        OpKind::Order(_)
        | OpKind::Aggregate(_)
        | OpKind::GroupCount(_)
        | OpKind::Barrier(_)
        | OpKind::Range(_)
        | OpKind::Tail(_)
        | OpKind::Sample(..)
        | OpKind::Dedup(_)
        | OpKind::Cap(_)
        | OpKind::Gather
        | OpKind::Collect(_) => true,
        OpKind::Scope(scope) => {
            matches!(scope.kind, ScopeKind::Group { .. }) || scope.kind.pipelines().any(has_barrier)
        }
        _ => false,
    })
}

impl Operator for StreamScope {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.dirty = true;
        if let (Some(batch), Some(waiting)) = (input.as_ref(), &mut self.input) {
            waiting.push(batch.clone(), cx)?;
            return Ok(Step::Idle);
        }
        if let Some(batch) = input {
            self.route(batch, cx, out)?;
        }
        self.work(cx, out)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.dirty = true;
        if let Some(waiting) = self.input.as_mut().filter(|waiting| !waiting.is_empty()) {
            let mut next = Output::default();
            waiting.release_next(&mut next);
            next.batches.into_iter().try_for_each(|batch| self.route(batch, cx, out))?;
            return Ok(Step::More);
        }
        if !std::mem::replace(&mut self.ended, true) {
            let going = self.branches.iter_mut().filter(|branch| branch.failed.is_none());
            going.for_each(|branch| branch.instance.end_input());
        }
        if self.release(out) {
            return Ok(Step::More);
        }
        if let Some(error) = self.branches.get_mut(self.turn).and_then(|branch| branch.failed.take()) {
            return Err(error);
        }
        let state = self.work(cx, out)?;
        match state {
            _ if self.pass_turn() => Ok(Step::More),
            Step::Blocked => Ok(Step::Blocked),
            Step::Idle if self.branches.iter().all(|b| !b.instance.has_work()) => Ok(Step::Idle),
            _ => Ok(Step::More),
        }
    }

    fn is_blank(&self) -> bool {
        let is_blank = |branch: &Branch| branch.failed.is_none() && branch.instance.is_blank();
        let waits = self.waiting.iter().chain(&self.input).any(|waiting| !waiting.is_empty());
        !waits && !self.ended && self.branches.iter().all(is_blank)
    }

    fn reset(&mut self) {
        if std::mem::take(&mut self.dirty) {
            self.branches.iter_mut().for_each(Branch::reset);
        }
        self.waiting.iter_mut().for_each(Waiting::clear);
        self.input.iter_mut().for_each(Waiting::clear);
        self.turn = 0;
        self.ended = false;
    }
}
