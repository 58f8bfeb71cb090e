//! From which snapshot on the lists of a label are read in which order.
//!
//! ```text
//! stamp          ──── T1 ───────── T2 ────▶
//! read in   as they lie │  by since  │  by weight
//! ```

use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use crate::model::{EdgeLabelId, KeyId, Tick};
use crate::sections::Order;

/// A sort key, and the first snapshot that reads packed lists by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    pub(crate) since: Tick,
    pub(crate) key: KeyId,
}

/// The turns of the labels that have sections between orders, or sections in the store that lie otherwise.
#[derive(Debug, Default)]
pub(crate) struct Orders {
    /// Labels with turns: mostly none, which costs one look.
    len: AtomicUsize,
    /// Oldest first, at least one.
    labels: RwLock<FxHashMap<EdgeLabelId, Vec<Turn>>>,
}

impl Orders {
    fn newest_if<R>(&self, label: EdgeLabelId, look: impl FnOnce(&[Turn]) -> Option<R>) -> Option<R> {
        if self.len.load(Ordering::Acquire) == 0 {
            return None;
        }
        look(self.labels.read().get(&label)?)
    }

    /// In which order a snapshot at `tick` reads a section that is between orders; none as it lies.
    pub(crate) fn at(&self, label: EdgeLabelId, tick: Tick) -> Option<Order> {
        let turn = |turns: &[Turn]| turns.iter().rev().find(|turn| turn.since <= tick).copied();
        self.newest_if(label, turn).map(|turn| Order::Key(turn.key))
    }

    /// The order that all packed lists of a label will have, if it was changed.
    pub(crate) fn newest(&self, label: EdgeLabelId) -> Option<Turn> {
        self.newest_if(label, |turns| turns.last().copied())
    }

    /// Lets snapshots at `since` and later read the lists by another key.
    pub(crate) fn turn(&self, label: EdgeLabelId, turn: Turn) {
        let mut labels = self.labels.write();
        let turns = labels.entry(label).or_default();
        if turn.since == 0 {
            // Nobody reads.
            turns.clear();
        }
        turns.push(turn);
        self.len.store(labels.len(), Ordering::Release);
    }

    /// Forgets the turns of a label, if this is still the newest: all its sections lie so.
    pub(crate) fn forget(&self, label: EdgeLabelId, newest: Turn) {
        let mut labels = self.labels.write();
        if labels.get(&label).is_some_and(|turns| turns.last() == Some(&newest)) {
            labels.remove(&label);
            self.len.store(labels.len(), Ordering::Release);
        }
    }

    /// The labels that have turns, with the newest of each.
    pub(crate) fn all(&self) -> Vec<(EdgeLabelId, Turn)> {
        let labels = self.labels.read();
        let mut all: Vec<_> =
            labels.iter().filter_map(|(label, turns)| Some((*label, *turns.last()?))).collect();
        all.sort_unstable_by_key(|(label, _)| *label);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_snapshot_has_the_order_of_its_time() {
        let (orders, label) = (Orders::default(), EdgeLabelId(2));
        let turn = |since, key| Turn { since, key: KeyId(key) };
        assert_eq!((orders.at(label, 9), orders.newest(label)), (None, None));
        orders.turn(label, turn(5, 1));
        orders.turn(label, turn(8, 3));
        let at = |tick| orders.at(label, tick).and_then(Order::key).map(|key| key.0);
        assert_eq!([4, 5, 7, 8, 9].map(at), [None, Some(1), Some(1), Some(3), Some(3)]);
        assert_eq!(orders.at(EdgeLabelId(1), 9), None);
        orders.forget(label, turn(5, 1));
        assert_eq!(orders.newest(label), Some(turn(8, 3)), "there is a newer one");
        orders.forget(label, turn(8, 3));
        assert_eq!(orders.newest(label), None);
        orders.turn(label, turn(9, 1));
        orders.turn(label, turn(0, 4));
        assert_eq!(orders.at(label, 0), Some(Order::Key(KeyId(4))));
        assert_eq!(orders.all(), [(label, turn(0, 4))]);
    }
}
