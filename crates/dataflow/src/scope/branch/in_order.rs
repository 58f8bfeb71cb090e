//! Outcomes that leave in the order of the inputs.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::batch::Batch;
use crate::scope::egress::Outcome;

/// Rows of a batch that pass, and how.
pub(super) type Passing = (Arc<Batch>, Vec<(u32, Outcome)>);

/// The instance whose turn it is, and what later ones have come to that have ended already.
///
/// ```text
/// instances   ⟨4⟩ has left   ⟨5⟩ next: runs   ⟨6⟩ ended, waits   ⟨7⟩ runs
/// ```
#[derive(Default)]
pub(super) struct InOrder {
    next: u64,
    ended: BTreeMap<u64, Passing>,
}

impl InOrder {
    /// Instances, of so many that were opened, that run, or wait for one that was opened before them.
    pub(super) fn open(&self, opened: u64) -> u64 {
        opened - self.next
    }

    /// An instance has ended: what may leave now.
    pub(super) fn end(&mut self, instance: u64, passing: Passing) -> Vec<Passing> {
        self.ended.insert(instance, passing);
        let mut leaving = Vec::new();
        while let Some(passing) = self.ended.remove(&self.next) {
            self.next += 1;
            leaving.push(passing);
        }
        leaving
    }

    /// Forgets what waits; the next instance that is opened has the turn.
    pub(super) fn restart(&mut self, opened: u64) {
        self.ended.clear();
        self.next = opened;
    }
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::*;
    use crate::batch::Column;

    #[test]
    fn what_ends_early_waits_for_those_opened_before_it() {
        let passing = |row| -> Passing {
            let batch = Batch::new(Column::Uniform(Value::Null), 8);
            (Arc::new(batch), vec![(row, Outcome::Pass)])
        };
        let rows = |leaving: Vec<Passing>| leaving.iter().map(|(_, rows)| rows[0].0).collect::<Vec<_>>();
        let mut order = InOrder::default();
        assert!(rows(order.end(2, passing(2))).is_empty() && rows(order.end(1, passing(1))).is_empty());
        assert_eq!(order.open(4), 4);
        assert_eq!(rows(order.end(0, passing(0))), [0, 1, 2]);
        assert_eq!(order.open(4), 1);
        order.restart(9);
        assert_eq!(rows(order.end(9, passing(9))), [9]);
    }
}
