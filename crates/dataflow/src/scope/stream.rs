//! Scopes that split the stream without isolating traversers: `union`, `choose`, and the rest of a long pipeline.
//!
//! Each branch is one instance that lives as long as the scope and keeps the tags of its input.

use planner::physical::{IntraPolicy, Pipeline, Predicate, Scope, ScopeKind, Slot};

use crate::batch::{Batch, Tags};
use crate::entered::{Entered, TagSet};
use crate::error::QueryError;
use crate::instance::{Instance, Progress};
use crate::operator::{Context, Operator, Output, Step};
use crate::operators::predicate_holds;

/// Which branches a row goes to.
enum Routing {
    /// All of them.
    All,
    /// By a mark: branch 0 if true, else branch 1; a missing branch passes the row unchanged.
    Mark(Slot),
    /// By an option: the first branch whose predicate holds for the choice.
    Options {
        choice: Slot,
        predicates: Vec<Predicate>,
        otherwise: Option<usize>,
        unproductive: Option<usize>,
    },
}

/// A branch, and who has entered it: only those get an answer from a `count` or a `fold` inside. `None` where the branch is
/// the stream itself, going on.
struct Branch {
    instance: Instance,
    entered: Option<TagSet>,
}

impl Branch {
    fn receive(&mut self, batch: Batch, cx: &Context<'_>) -> Result<(), QueryError> {
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
    /// The branch for a mark, `None` where the row passes unchanged.
    then: Option<usize>,
    otherwise: Option<usize>,
    intra: IntraPolicy,
    dirty: bool,
    /// Whether the branches have been told of the end of the input.
    ended: bool,
}

impl StreamScope {
    pub(super) fn new(scope: &Scope) -> Self {
        let mut branches: Vec<Branch> = Vec::new();
        let goes_on = matches!(scope.kind, ScopeKind::Inline { .. });
        let mut add = |pipeline: &Option<Pipeline>| {
            pipeline.as_ref().map(|p| {
                let entered = (!goes_on).then(TagSet::default);
                branches.push(Branch { instance: Instance::new(p.clone()), entered });
                branches.len() - 1
            })
        };
        let (mut then, mut otherwise) = (None, None);
        let routing = match &scope.kind {
            ScopeKind::Union { branches } => {
                for branch in branches {
                    add(&Some(branch.clone()));
                }
                Routing::All
            }
            ScopeKind::Inline { child } => {
                add(&Some(child.clone()));
                Routing::All
            }
            ScopeKind::Choose { mark: Some(mark), then: yes, otherwise: no, .. } => {
                then = add(yes);
                otherwise = add(no);
                Routing::Mark(*mark)
            }
            ScopeKind::Choose { choice, options, otherwise: no, unproductive, .. } => {
                for (_, branch) in options {
                    add(&Some(branch.clone()));
                }
                Routing::Options {
                    choice: choice.unwrap_or(Slot(u16::MAX)),
                    predicates: options.iter().map(|(p, _)| p.clone()).collect(),
                    otherwise: add(no),
                    unproductive: add(unproductive),
                }
            }
            _ => unreachable!("not a stream scope"),
        };
        Self { routing, branches, then, otherwise, intra: scope.policy.intra, dirty: false, ended: false }
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
        for row in 0..batch.len {
            match self.target(&batch, row, cx)? {
                Some(branch) => rows[branch].push(row as u32),
                None => unchanged.push(row as u32),
            }
        }
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

    /// The branch that a row goes to; `None` if it passes unchanged.
    fn target(&self, batch: &Batch, row: usize, cx: &Context<'_>) -> Result<Option<usize>, QueryError> {
        match &self.routing {
            // `route` sends these to all.
            Routing::All => Ok(None),
            Routing::Mark(slot) => {
                let yes = batch.slot(*slot).is_some_and(|marks| marks.is_true(row));
                Ok(if yes { self.then } else { self.otherwise })
            }
            Routing::Options { choice, predicates, otherwise, unproductive } => {
                let Some(value) = batch.slot(*choice).and_then(|c| c.get(row)) else {
                    return Ok(*unproductive);
                };
                for (branch, predicate) in predicates.iter().enumerate() {
                    if predicate_holds(predicate, &value, batch, row, cx)? {
                        return Ok(Some(branch));
                    }
                }
                Ok(*otherwise)
            }
        }
    }

    /// Runs the branches, first to last, until there is output.
    fn work(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let mut state = Step::Idle;
        for branch in &mut self.branches {
            if !branch.instance.has_work() {
                continue;
            }
            match branch.run(cx, self.intra, out)? {
                Progress::Ready => state = Step::More,
                Progress::Blocked if state == Step::Idle => state = Step::Blocked,
                _ => {}
            }
            if !out.is_empty() || cx.quota.is_spent() {
                break;
            }
        }
        if state != Step::More
            && self.branches.iter().any(|b| b.instance.has_work() && !b.instance.is_blocked())
        {
            state = Step::More;
        }
        Ok(state)
    }
}

impl Operator for StreamScope {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.dirty = true;
        if let Some(batch) = input {
            self.route(batch, cx, out)?;
        }
        self.work(cx, out)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.dirty = true;
        if !std::mem::replace(&mut self.ended, true) {
            self.branches.iter_mut().for_each(|branch| branch.instance.end_input());
        }
        match self.work(cx, out)? {
            Step::Blocked => Ok(Step::Blocked),
            Step::Idle if self.branches.iter().all(|b| !b.instance.has_work()) => Ok(Step::Idle),
            _ => Ok(Step::More),
        }
    }

    fn reset(&mut self) {
        if std::mem::take(&mut self.dirty) {
            self.branches.iter_mut().for_each(Branch::reset);
        }
        self.ended = false;
    }
}
