//! Rewrite rules over the logical plan: one file each, with a picture of before and after and a switch of its own
//! name (`g.with('mangrove.rules.off', 'degree')`).
//!
//! Each runs once, in the order of [`RULES`]; a rule leaves behind what the later ones want to find.
//!
//! A rule must never know more of the graph than its schema and its statistics say, nor change an answer.

mod bulking;
mod count_compare;
mod dedup_before_order;
mod degree;
mod distinct;
mod early_limit;
mod edge_fetch;
mod exists_trim;
mod filter_fusion;
mod filter_push_down;
mod hold_repeats;
mod incident_to_adjacent;
mod index_lookup;
mod index_order;
mod inline_compare;
mod inline_filter;
mod label_scan;
mod nested_exists;
mod order_before_exists;
mod range_lookup;
mod rule_set;
mod secondary_trees;
mod simplify_by;
mod sorted_lists;
#[cfg(test)]
pub(crate) mod testing;
mod top_k;
mod walks;

pub use rule_set::RuleSet;

use values::watch;

use crate::logical::{Chain, Logical, Role, Step};
use crate::{Options, Schema, Statistics};

/// What a rule may look at beside the plan.
pub(crate) struct Context<'a> {
    /// Names and indexes.
    pub schema: &'a dyn Schema,
    /// How much there is of what.
    pub statistics: &'a dyn Statistics,
    /// Whether traversers record their paths.
    pub paths: bool,
}

/// A rewrite.
pub(crate) struct Rule {
    /// What it is called in `mangrove.rules.off` and in `explain`.
    pub name: &'static str,
    /// Rewrites the plan; `true` if it changed.
    pub apply: fn(&mut Logical, &Context<'_>) -> bool,
}

/// The rules, in the order in which they run.
pub(crate) const RULES: &[Rule] = &[
    Rule { name: "inline-filter", apply: inline_filter::apply },
    Rule { name: "filter-fusion", apply: filter_fusion::apply },
    Rule { name: "range-lookup", apply: range_lookup::apply },
    Rule { name: "index-lookup", apply: index_lookup::apply },
    Rule { name: "label-scan", apply: label_scan::apply },
    Rule { name: "filter-push-down", apply: filter_push_down::apply },
    Rule { name: "simplify-by", apply: simplify_by::apply },
    Rule { name: "edge-fetch", apply: edge_fetch::apply },
    Rule { name: "incident-to-adjacent", apply: incident_to_adjacent::apply },
    Rule { name: "exists-trim", apply: exists_trim::apply },
    Rule { name: "degree", apply: degree::apply },
    Rule { name: "count-compare", apply: count_compare::apply },
    Rule { name: "nested-exists", apply: nested_exists::apply },
    Rule { name: "inline-compare", apply: inline_compare::apply },
    Rule { name: "dedup-before-order", apply: dedup_before_order::apply },
    Rule { name: "early-limit", apply: early_limit::apply },
    Rule { name: "order-before-exists", apply: order_before_exists::apply },
    Rule { name: "top-k", apply: top_k::apply },
    Rule { name: "sorted-lists", apply: sorted_lists::apply },
    Rule { name: "secondary-trees", apply: secondary_trees::apply },
    Rule { name: "distinct", apply: distinct::apply },
    Rule { name: "bulking", apply: bulking::apply },
    Rule { name: "hold-repeats", apply: hold_repeats::apply },
    Rule { name: "walks", apply: walks::apply },
    Rule { name: "index-order", apply: index_order::apply },
];

/// Decisions of the lowering that can be switched off like rules.
pub(crate) const LOWERING: &[&str] =
    &["share-fetches", "expand-into", "end-test", "forget", "isolation", "exchange"];

/// Runs the rules that are switched on. `after` is told the name of each that changed the plan.
pub(crate) fn rewrite(
    plan: &mut Logical,
    schema: &dyn Schema,
    statistics: &dyn Statistics,
    options: &Options,
    mut after: impl FnMut(&'static str, &Logical),
) {
    for rule in RULES {
        if options.disabled_rules.contains(rule.name) {
            continue;
        }
        let context = Context { schema, statistics, paths: plan.history.is_kept() };
        if (rule.apply)(plan, &context) {
            after(rule.name, plan);
        }
    }
}

/// Rewrites every chain of the plan, subqueries first.
fn each_chain(plan: &mut Logical, mut visit: impl FnMut(&mut Chain, Role) -> bool) -> bool {
    plan.root.rewrite(Role::Root, &mut |chain, role| {
        watch::ticks(chain.steps.len());
        visit(chain, role)
    })
}

/// Takes a step out of a chain. The names it gave go to the step before it, whose results they are now.
fn remove(chain: &mut Chain, index: usize) -> Step {
    let mut removed = chain.steps.remove(index);
    if index > 0 {
        let labels = std::mem::take(&mut removed.labels);
        chain.steps[index - 1].labels.extend(labels);
    }
    removed
}
