//! Decides which secondary trees pay (ByteGraph, section 4.3.2, equation 2).
//!
//! ```text
//!              Σ over requests (N_pri − N_sec)        edge nodes that they read, less those that a tree by the property
//!  B(p, t)  =  ───────────────────────────────        would have needed
//!                          N_all                      edge nodes that all requests have read, in the period t
//! ```
//!
//! A share of the reads alone would let the first query of a quiet night build a tree. So what a list and a property have
//! saved is also added up over the periods in which the share was large enough, and must come to a few times the size of the
//! tree, which is what building costs.
//!
//! Decides only: no clock, no threads, no input or output.

use rustc_hash::FxHashMap;

use crate::sections::TreeName;

/// How many times the nodes of a tree must have been saved before it is built: it is read, sorted, written, and read again.
const PAYS: f64 = 4.0;

/// The part of the threshold below which a tree does not pay any more.
const KEEPS: f64 = 0.25;

/// A period with fewer edge nodes read, or changes of trees, says nothing: it goes on.
const BUSY: f64 = 64.0;

/// Busy periods for which a tree that could not be built is not tried again.
const REST: u32 = 10;

/// Trees that are thought about at once.
const MOST: usize = 4_096;

/// What was done in a period.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    /// Edge nodes that all requests have read.
    pub(crate) read: f64,
    /// Changes of secondary trees. A tree that is changed and never read costs something, too.
    pub(crate) changed: f64,
}

/// What to do.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Advice {
    /// Trees to build, the most useful first.
    pub(crate) build: Vec<TreeName>,
    /// Trees to drop.
    pub(crate) drop: Vec<TreeName>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Advisor {
    wanted: FxHashMap<TreeName, Wanted>,
    there: FxHashMap<TreeName, There>,
    /// Trees that could not be built, and for how many periods they are not tried again.
    failed: FxHashMap<TreeName, u32>,
    /// What was done in this period, before its end was last asked for.
    work: Work,
}

/// A tree that is not there.
#[derive(Debug, Default)]
struct Wanted {
    /// Nodes that it would have saved in this period.
    saved: f64,
    /// The same in the periods before.
    saved_before: f64,
    /// Nodes that it would have.
    nodes: f64,
    /// The benefit in the last period.
    benefit: f64,
}

/// A tree that is there.
#[derive(Debug, Default)]
struct There {
    /// Nodes that it has saved in this period.
    saved: f64,
    /// The benefit in the last busy period.
    benefit: f64,
    /// Busy periods in a row in which it did not pay.
    idle: u32,
}

impl Advisor {
    /// Reads have looked at edges worth `saved` nodes more than with this tree, which would have `nodes`.
    pub(crate) fn missed(&mut self, tree: TreeName, saved: f64, nodes: f64) {
        if self.wanted.len() >= MOST && !self.wanted.contains_key(&tree) {
            return;
        }
        let wanted = self.wanted.entry(tree).or_default();
        wanted.saved += saved;
        wanted.nodes = nodes;
    }

    /// Reads have used this tree, and so looked at `saved` nodes less.
    pub(crate) fn used(&mut self, tree: TreeName, saved: f64) {
        self.there.entry(tree).or_default().saved += saved;
    }

    /// A tree could not be built: its list changes too fast, or the disk or memory is short.
    pub(crate) fn failed(&mut self, tree: TreeName) {
        self.failed.insert(tree, REST);
    }

    /// The benefit of a tree that is there, in the last busy period.
    pub(crate) fn benefit(&self, tree: TreeName) -> f64 {
        self.there.get(&tree).map_or(0.0, |there| there.benefit)
    }

    /// Ends a period in which so much was done while the trees `there` existed, if that was enough.
    pub(crate) fn end_period(
        &mut self,
        work: Work,
        there: &[TreeName],
        threshold: f64,
        patience: u32,
    ) -> Advice {
        self.work.read += work.read;
        self.work.changed += work.changed;
        if self.work.read + self.work.changed < BUSY {
            return Advice::default();
        }
        let all = std::mem::take(&mut self.work).read.max(1.0);
        let drop = self.judge(all, there, threshold, patience);
        Advice { build: self.choose(all, there, threshold), drop }
    }

    /// The trees that have not paid for long enough.
    fn judge(&mut self, all: f64, there: &[TreeName], threshold: f64, patience: u32) -> Vec<TreeName> {
        self.there.retain(|tree, _| there.contains(tree));
        let mut drop = Vec::new();
        for tree in there {
            let known = self.there.entry(*tree).or_default();
            known.benefit = std::mem::take(&mut known.saved) / all;
            known.idle = if known.benefit < threshold * KEEPS { known.idle + 1 } else { 0 };
            if known.idle >= patience {
                known.idle = 0;
                drop.push(*tree);
            }
        }
        drop
    }

    /// The trees that would pay.
    fn choose(&mut self, all: f64, there: &[TreeName], threshold: f64) -> Vec<TreeName> {
        let mut build = Vec::new();
        self.failed.retain(|_, rest| {
            *rest -= 1;
            *rest > 0
        });
        let failed = &self.failed;
        self.wanted.retain(|tree, wanted| {
            wanted.benefit = wanted.saved / all;
            wanted.saved_before += std::mem::take(&mut wanted.saved);
            if wanted.benefit < threshold || there.contains(tree) || failed.contains_key(tree) {
                return false;
            }
            let pays = wanted.saved_before >= PAYS * wanted.nodes;
            if pays {
                build.push((wanted.benefit, *tree));
            }
            !pays
        });
        build.sort_by(|(a, tree), (b, other)| b.total_cmp(a).then(tree.cmp(other)));
        build.into_iter().map(|(_, tree)| tree).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Dir, EdgeLabelId, KeyId};
    use values::VertexRef;

    fn tree(v: u32) -> TreeName {
        TreeName::primary(VertexRef(v), EdgeLabelId(0), Dir::Out).by(Some(KeyId(3)))
    }

    fn end(advisor: &mut Advisor, all: f64, there: &[TreeName]) -> Advice {
        advisor.end_period(Work { read: all, changed: 0.0 }, there, 0.05, 3)
    }

    #[test]
    fn a_tree_is_built_once_it_would_have_saved_enough_of_all_reads_and_of_its_own_cost() {
        let mut advisor = Advisor::default();
        advisor.missed(tree(1), 300.0, 100.0);
        assert_eq!(end(&mut advisor, 1_000.0, &[]).build, [], "three times its nodes are not enough");
        advisor.missed(tree(1), 100.0, 100.0);
        assert_eq!(end(&mut advisor, 1_000.0, &[]).build, [tree(1)], "four times over two periods are");
        assert_eq!(end(&mut advisor, 1_000.0, &[]).build, [], "it is asked for once");
    }

    #[test]
    fn a_small_share_of_the_reads_builds_nothing_however_long_it_lasts() {
        let mut advisor = Advisor::default();
        for _ in 0..100 {
            advisor.missed(tree(1), 40.0, 10.0);
            assert_eq!(end(&mut advisor, 1_000.0, &[]), Advice::default());
        }
    }

    #[test]
    fn the_most_useful_come_first() {
        let mut advisor = Advisor::default();
        advisor.missed(tree(1), 400.0, 10.0);
        advisor.missed(tree(2), 500.0, 10.0);
        assert_eq!(end(&mut advisor, 1_000.0, &[]).build, [tree(2), tree(1)]);
    }

    #[test]
    fn a_tree_that_does_not_pay_is_dropped_after_some_busy_periods_in_a_row() {
        let mut advisor = Advisor::default();
        let there = [tree(1)];
        for _ in 0..2 {
            assert_eq!(end(&mut advisor, 1_000.0, &there).drop, []);
        }
        for _ in 0..10 {
            assert_eq!(end(&mut advisor, 3.0, &there).drop, [], "a quiet period goes on");
        }
        advisor.used(tree(1), 20.6);
        assert_eq!(end(&mut advisor, 1_000.0, &there).drop, [], "it pays again");
        assert!((advisor.benefit(tree(1)) - 0.02).abs() < 1e-9);
        for _ in 0..2 {
            assert_eq!(end(&mut advisor, 1_000.0, &there).drop, []);
        }
        assert_eq!(end(&mut advisor, 1_000.0, &there).drop, there);
    }

    #[test]
    fn a_tree_that_is_only_changed_is_dropped_and_one_that_is_read_as_well_is_not() {
        let mut advisor = Advisor::default();
        let (there, work) = ([tree(1), tree(2)], Work { read: 2.0, changed: 1_000.0 });
        let mut dropped = Vec::new();
        for _ in 0..3 {
            advisor.used(tree(2), 50.0);
            dropped = advisor.end_period(work, &there, 0.05, 3).drop;
        }
        assert_eq!(dropped, [tree(1)]);
    }

    #[test]
    fn a_tree_that_could_not_be_built_is_tried_again_after_a_while() {
        let mut advisor = Advisor::default();
        advisor.failed(tree(1));
        for _ in 1..REST {
            advisor.missed(tree(1), 500.0, 10.0);
            assert_eq!(end(&mut advisor, 1_000.0, &[]).build, []);
        }
        advisor.missed(tree(1), 500.0, 10.0);
        assert_eq!(end(&mut advisor, 1_000.0, &[]).build, [tree(1)]);
    }

    #[test]
    fn notes_are_bounded() {
        let mut advisor = Advisor::default();
        (0..2 * MOST as u32).for_each(|v| advisor.missed(tree(v), 1.0, 1.0));
        assert_eq!(advisor.wanted.len(), MOST);
        assert_eq!(end(&mut advisor, 1e9, &[]), Advice::default());
        assert!(advisor.wanted.is_empty());
    }
}
