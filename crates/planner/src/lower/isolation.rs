//! Which subqueries get scope instances of their own, and the policies of their scheduling (Banyan, section 3.3).
//!
//! An instance per traverser can be cancelled as soon as its outcome is known, and costs some bookkeeping. That pays
//! where the subquery may do much more than its outcome needs; for a hop or two to a handful of vertices it does not,
//! and all the traversers of a batch share an instance.

use super::Lowering;
use crate::logical::{Chain, Kind, Seen, must_end_early};
use crate::physical::{Grain, InterPolicy, IntraPolicy, Policy};
use crate::thresholds::{MAX_INSTANCES, MAX_INSTANCES_FOR_FEW, SHARED_WORK, SHARED_WORK_FOR_FEW};

impl Lowering<'_> {
    /// What one instance of a subquery covers, whose work per traverser is that.
    pub(super) fn grain(&self, work: f64, few: bool) -> Grain {
        let shared = if few { SHARED_WORK_FOR_FEW } else { SHARED_WORK };
        let isolates = self.options.scopes && !self.options.disabled_rules.contains("isolation");
        if isolates && (self.options.eager || work > shared) { Grain::Traverser } else { Grain::Batch }
    }

    /// The grain of a subquery whose results beyond the first are not needed.
    pub(super) fn grain_of_first(&self, chain: &Chain) -> Grain {
        if must_end_early(chain) {
            return Grain::Traverser;
        }
        // What ends in an aggregation needs all of its input: there is nothing to cancel.
        let last = chain.steps.last().map(|step| &step.kind);
        match last {
            Some(Kind::Aggregate(_) | Kind::Group(_) | Kind::GroupCount(_))
                if !has_limit(chain) && !self.options.eager =>
            {
                Grain::Batch
            }
            _ => self.grain(self.cost.of_chain(chain, 1.0, &self.mix).work, false),
        }
    }

    /// The grain of a subquery all of whose results are needed.
    pub(super) fn grain_of_all(&self, chain: &Chain) -> Grain {
        if has_limit(chain) || self.options.eager {
            self.grain(self.cost.of_chain(chain, 1.0, &self.mix).work, false)
        } else {
            Grain::Batch
        }
    }

    /// The policy of a branch scope.
    pub(super) fn policy(&self, few: bool) -> Policy {
        let most = if few { MAX_INSTANCES_FOR_FEW } else { MAX_INSTANCES };
        self.policy_of(InterPolicy::BreadthFirst, most)
    }

    /// A policy, where the query does not say otherwise.
    pub(super) fn policy_of(&self, inter: InterPolicy, max_instances: u32) -> Policy {
        Policy {
            inter: self.options.inter.unwrap_or(inter),
            intra: match self.seen {
                Seen { side_effects: false, writes: false } => {
                    self.options.intra.unwrap_or(IntraPolicy::DepthFirst)
                }
                // Depth first, a traverser goes as far as it can before the next one follows.
                _ => IntraPolicy::DepthFirst,
            },
            max_instances: self.options.max_instances.unwrap_or(max_instances).max(1),
            ordered: false,
        }
    }
}

/// Whether the subquery may end before its input does.
fn has_limit(chain: &Chain) -> bool {
    chain.steps.iter().any(|step| matches!(step.kind, Kind::Range { high: Some(_), .. }))
}
