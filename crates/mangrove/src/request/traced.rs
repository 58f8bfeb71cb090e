//! What whoever traces a request is told of one of its queries: how long it ran, with its scopes and its loads, and its commit.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Instant,
};

use dataflow::{Profile, QueryError};
use planner::physical::{OpKind, Pipeline, Plan};
use server::{Part, Trace};

use super::answer::refusal;
use crate::profile;

/// Characters of a step that are told.
const SHOWN: usize = 80;

/// A query that is traced. What is not told by then is told when it is dropped: its client has gone.
pub(super) struct Traced {
    trace: Trace,
    plan: Arc<Plan>,
    attempt: u32,
    /// Whether its end is a commit.
    commits: bool,
    begun: Instant,
    /// When it had run; what follows is its commit, if it has one.
    ran: Option<Instant>,
    committed: Option<Instant>,
    /// Its scopes, each before those within it, with how deep they are.
    scopes: Vec<(usize, Part)>,
    loads: Option<Part>,
    is_told: bool,
}

impl Traced {
    /// One that begins now.
    pub(super) fn new(trace: Trace, plan: Arc<Plan>, attempt: u32, commits: bool) -> Self {
        Self {
            trace,
            plan,
            attempt,
            commits,
            begun: Instant::now(),
            ran: None,
            committed: None,
            scopes: Vec::new(),
            loads: None,
            is_told: false,
        }
    }

    /// It has run, as far as it comes to that.
    pub(super) fn counted(&mut self, profile: &Profile) {
        self.ran = Some(Instant::now());
        let plan = self.plan.clone();
        self.see(&plan.root, 0, profile);
        self.loads = profile.loaded().map(|loaded| {
            Part::new("loads", loaded.begun, loaded.ended)
                .with("mangrove.loads", whole(loaded.count))
                .with("mangrove.loads.time_us", whole(loaded.time.as_micros()))
        });
    }

    fn see(&mut self, pipeline: &Pipeline, depth: usize, profile: &Profile) {
        for op in pipeline.ops.iter() {
            let OpKind::Scope(scope) = &op.kind else { continue };
            let counters = profile.of(op.id);
            let Some((counters, (first, last))) = counters.and_then(|it| Some((it, it.span()?))) else {
                continue;
            };
            let step: String = self.shown(op.step.as_ref()).chars().take(SHOWN).collect();
            let count = |counter: &std::sync::atomic::AtomicU64| whole(counter.load(Ordering::Relaxed));
            let part = Part::new(format!("scope {step}"), self.begun + first, self.begun + last)
                .with("mangrove.rows_in", count(&counters.rows))
                .with("mangrove.rows_out", count(&counters.rows_out))
                .with("mangrove.scope.opened", count(&counters.opened))
                .with("mangrove.scope.cancelled", count(&counters.cancelled))
                .with("mangrove.time_us", whole(counters.time().as_micros()));
            self.scopes.push((depth, part));
            scope.kind.pipelines().for_each(|inside| self.see(inside, depth + 1, profile));
        }
    }

    /// A step as it may be told: what stands in brackets may be a value of somebody's.
    fn shown<'s>(&self, step: &'s str) -> &'s str {
        let end = step.find('(').filter(|_| !self.trace.shows_texts());
        &step[..end.unwrap_or(step.len())]
    }

    fn steps(&self) -> String {
        let steps = profile::steps(&self.plan);
        steps.iter().map(|step| self.shown(step)).collect::<Vec<_>>().join("\n")
    }

    /// It gives its results: if it has a commit, that is done.
    pub(super) fn answers(&mut self) {
        if self.ran.is_some() && self.committed.is_none() {
            self.committed = Some(Instant::now());
        }
    }

    /// It is over.
    pub(super) fn finish(&mut self, outcome: Result<(), &QueryError>) {
        self.answers();
        let error = outcome.err().map(|error| refusal(&error.clone().into()).kind.name().to_owned());
        self.tell(error);
    }

    fn tell(&mut self, error: Option<String>) {
        if std::mem::replace(&mut self.is_told, true) {
            return;
        }
        let (now, commits) = (Instant::now(), self.commits && self.ran.is_some());
        // One that only reads gives its results as it runs.
        let ended = if commits { self.ran.unwrap_or(now) } else { now };
        let (ran_wrong, committed_wrong) = if commits { (None, error) } else { (error, None) };
        let mut run = Part::new("run", self.begun, ended)
            .with("mangrove.attempt", i64::from(self.attempt) + 1)
            .with("mangrove.plan", self.steps());
        run.error = ran_wrong;
        let below = self.trace.add(run);
        let mut above = vec![below.clone()];
        for (depth, scope) in self.scopes.drain(..) {
            above.truncate(depth + 1);
            let scope = above.last().unwrap_or(&below).add(scope);
            above.push(scope);
        }
        if let Some(loads) = self.loads.take() {
            below.add(loads);
        }
        if commits {
            let mut commit = Part::new("commit", ended, self.committed.unwrap_or(now));
            commit.error = committed_wrong;
            self.trace.add(commit);
        }
    }
}

impl Drop for Traced {
    fn drop(&mut self) {
        self.tell(Some("its client has gone".to_owned()));
    }
}

fn whole(count: impl TryInto<i64>) -> i64 {
    count.try_into().unwrap_or(i64::MAX)
}
