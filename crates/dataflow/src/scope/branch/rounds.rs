//! Instances share the scope's quota in rounds.
//!
//! Within a round the inter-instance policy decides; one that has used up its slice waits for the next round, so that a traverser
//! with a huge subquery does not hold up the others. Where memory is scarce they go on one after the other.

use std::sync::Arc;

use planner::physical::InterPolicy;
use values::Value;

use super::in_order::Passing;
use crate::batch::Batch;
use crate::entered::TagSet;
use crate::instance::Instance;
use crate::scope::egress::Outcome;
use crate::scope_tag::ScopeTag;

/// One scope instance: the rows it covers and where it is with them.
pub(super) struct ScopeInstance {
    pub(super) tag: ScopeTag,
    /// Rounds of scheduling it has used up.
    pub(super) round: u64,
    pub(super) input: Arc<Batch>,
    /// It covers rows `first..first + hits.len()`; a row's tag inside is its distance from `first`.
    pub(super) first: u32,
    /// Per tag: whether the subquery has had a result (for a filter: whether the row is decided as passing).
    pub(super) hits: Vec<bool>,
    /// Number of rows that still may be decided by the current branch.
    pub(super) open: usize,
    /// The tags that have entered the current branch; `None` for all.
    pub(super) entered: Option<TagSet>,
    /// Per tag: the first result, for `Apply`.
    pub(super) results: Vec<Option<Value>>,
    pub(super) branch: usize,
    pub(super) instance: Instance,
    /// Once it has failed and runs again row by row: what the rows before have come to.
    pub(super) again: Option<Vec<(u32, Outcome)>>,
    /// It covers rows up to here, though not all at once.
    pub(super) end: u32,
    /// Whether results of it have left.
    pub(super) has_left: bool,
}

impl ScopeInstance {
    /// How many rows it covers at once, and whether it runs again row by row.
    pub(super) fn shape(&self) -> (usize, bool) {
        (self.hits.len(), self.again.is_some())
    }

    /// What it has come to, with these outcomes of its rows.
    pub(super) fn passing(&self, outcomes: Vec<(u32, Outcome)>) -> Passing {
        (self.input.clone(), outcomes)
    }
}

/// The instances that run.
#[derive(Default)]
pub(super) struct Rounds {
    pub(super) running: Vec<ScopeInstance>,
}

impl Rounds {
    /// The instance to run next: fewest rounds used, then the inter-instance policy.
    pub(super) fn choose(&self, policy: InterPolicy, blocked: &[ScopeTag]) -> Option<usize> {
        let runnable = self.running.iter().enumerate().filter(|(_, si)| !blocked.contains(&si.tag));
        let first = runnable
            .min_by(|(_, a), (_, b)| a.round.cmp(&b.round).then_with(|| a.tag.compare(b.tag, policy)));
        first.map(|(at, _)| at)
    }

    /// The instance that was opened first: where memory is scarce one goes on until it ends and gives back what it holds, and not all of
    /// them by turns, each of which comes to hold as much.
    pub(super) fn oldest(&self, blocked: &[ScopeTag]) -> Option<usize> {
        let runnable = self.running.iter().enumerate().filter(|(_, si)| !blocked.contains(&si.tag));
        runnable.min_by(|(_, a), (_, b)| a.tag.compare(b.tag, InterPolicy::BreadthFirst)).map(|(at, _)| at)
    }

    /// The round that a new instance begins in.
    pub(super) fn current(&self) -> u64 {
        self.running.iter().map(|si| si.round).min().unwrap_or(0)
    }

    /// A newcomer goes before those that have just used up a slice.
    pub(super) fn level(&mut self) {
        let Some((newest, others)) = self.running.split_last_mut() else { return };
        newest.round = others.iter().map(|si| si.round).min().unwrap_or(0).saturating_sub(1);
    }
}
