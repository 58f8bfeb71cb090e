//! Scopes that split the stream without isolating traversers: `union`, `choose`, and the rest of a long pipeline.
//!
//! Each branch is one instance that lives as long as the scope and keeps the tags of its input.

use planner::physical::{IntraPolicy, Pipeline, Predicate, Scope, ScopeKind, Slot};

use crate::batch::Batch;
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
    /// By an option: every branch whose predicate holds for the choice.
    Options {
        choice: Slot,
        predicates: Vec<Predicate>,
        otherwise: Option<usize>,
        unproductive: Option<usize>,
    },
}

/// See the module.
pub(super) struct StreamScope {
    routing: Routing,
    branches: Vec<Instance>,
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
        let mut branches: Vec<Instance> = Vec::new();
        let mut add = |pipeline: &Option<Pipeline>| {
            pipeline.as_ref().map(|p| {
                branches.push(Instance::new(p.clone()));
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
            let mut found = false;
            self.targets(&batch, row, cx, |target| {
                found = true;
                match target {
                    Some(branch) => rows[branch].push(row as u32),
                    None => unchanged.push(row as u32),
                }
            })?;
            debug_assert!(found);
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

    /// Calls `found` for each branch a row goes to; `None` for passing unchanged.
    fn targets(
        &self,
        batch: &Batch,
        row: usize,
        cx: &Context<'_>,
        mut found: impl FnMut(Option<usize>),
    ) -> Result<(), QueryError> {
        match &self.routing {
            Routing::All => (0..self.branches.len()).for_each(|b| found(Some(b))),
            Routing::Mark(slot) => {
                let yes = batch.slot(*slot).is_some_and(|marks| marks.is_true(row));
                found(if yes { self.then } else { self.otherwise });
            }
            Routing::Options { choice, predicates, otherwise, unproductive } => {
                let Some(value) = batch.slot(*choice).and_then(|c| c.get(row)) else {
                    found(*unproductive);
                    return Ok(());
                };
                let mut any = false;
                for (branch, predicate) in predicates.iter().enumerate() {
                    if predicate_holds(predicate, &value, batch, row, cx)? {
                        any = true;
                        found(Some(branch));
                    }
                }
                if !any {
                    found(*otherwise);
                }
            }
        }
        Ok(())
    }

    /// Runs the branches, first to last, until there is output.
    fn work(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let mut state = Step::Idle;
        for branch in &mut self.branches {
            if !branch.has_work() {
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
        if state != Step::More && self.branches.iter().any(|b| b.has_work() && !b.is_blocked()) {
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
            self.branches.iter_mut().for_each(Instance::end_input);
        }
        match self.work(cx, out)? {
            Step::Blocked => Ok(Step::Blocked),
            Step::Idle if self.branches.iter().all(|b| !b.has_work()) => Ok(Step::Idle),
            _ => Ok(Step::More),
        }
    }

    fn reset(&mut self) {
        if std::mem::take(&mut self.dirty) {
            self.branches.iter_mut().for_each(Instance::reset);
        }
        self.ended = false;
    }
}
