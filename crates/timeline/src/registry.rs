//! Which snapshots are in use, and how far old versions may go.

use std::collections::{BTreeMap, VecDeque};

use crate::Stamp;

/// The stamps at which readers run. Registering at the newest stamp and deregistering cost a constant.
///
/// New snapshots read at a stamp that only grows, so their counts form a queue in stamp order; readers leave in any
/// order, and the queue is cut at its front while nobody is left there. Readers of history, who come at a stamp
/// before the queue's last, are rare and counted in a tree.
///
/// ```text
///   first = 17                         registration 19 is queue[19 - first]
///   queue:  (T40, 2) (T44, 0) (T45, 1)
///   pinned: T12 ─▶ 1
/// ```
#[derive(Clone, Debug, Default)]
pub struct SnapshotRegistry {
    queue: VecDeque<(Stamp, u32)>,
    /// The number of the registration at the front of the queue.
    first: u64,
    pinned: BTreeMap<Stamp, u32>,
}

/// A registered snapshot; it is given back to end it.
#[derive(PartialEq, Eq, Debug)]
#[must_use = "a registration that is not given back holds the watermark for ever"]
pub struct Registration(Place);

#[derive(PartialEq, Eq, Debug)]
enum Place {
    Queued(u64),
    Pinned(Stamp),
}

impl SnapshotRegistry {
    /// Nobody reads.
    pub fn new() -> Self {
        Self::default()
    }

    /// Somebody begins to read at `stamp`.
    pub fn register(&mut self, stamp: Stamp) -> Registration {
        match self.queue.back_mut() {
            Some((last, count)) if *last == stamp => *count += 1,
            Some((last, _)) if *last > stamp => {
                *self.pinned.entry(stamp).or_default() += 1;
                return Registration(Place::Pinned(stamp));
            }
            _ => self.queue.push_back((stamp, 1)),
        }
        Registration(Place::Queued(self.first + self.queue.len() as u64 - 1))
    }

    /// A reader has ended.
    pub fn deregister(&mut self, registration: Registration) {
        match registration.0 {
            Place::Pinned(stamp) => {
                if let Some(count) = self.pinned.get_mut(&stamp) {
                    *count -= 1;
                    if *count == 0 {
                        self.pinned.remove(&stamp);
                    }
                }
            }
            Place::Queued(number) => {
                let place =
                    usize::try_from(number - self.first).ok().and_then(|place| self.queue.get_mut(place));
                let (_, count) =
                    place.expect("a queued entry stays until its last registration is given back");
                *count -= 1;
                self.cut();
            }
        }
    }

    /// The oldest stamp that somebody reads at.
    pub fn oldest(&self) -> Option<Stamp> {
        let queued = self.queue.front().map(|&(stamp, _)| stamp);
        let pinned = self.pinned.first_key_value().map(|(&stamp, _)| stamp);
        queued.into_iter().chain(pinned).min()
    }

    /// How many snapshots are in use.
    pub fn len(&self) -> usize {
        let queued = self.queue.iter().map(|&(_, count)| count as usize).sum::<usize>();
        queued + self.pinned.values().map(|&count| count as usize).sum::<usize>()
    }

    /// Whether nobody reads.
    pub fn is_empty(&self) -> bool {
        self.queue.is_empty() && self.pinned.is_empty()
    }

    fn cut(&mut self) {
        while let Some((_, 0)) = self.queue.front() {
            self.queue.pop_front();
            self.first += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_held_by_its_last_reader() {
        let mut registry = SnapshotRegistry::new();
        let stamps: Vec<Stamp> = [3, 3, 5, 9].map(Stamp::from_bits).to_vec();
        let mut open: Vec<Registration> = stamps.iter().map(|&stamp| registry.register(stamp)).collect();
        registry.deregister(open.remove(2));
        assert_eq!(registry.oldest(), Some(stamps[0]));
        registry.deregister(open.remove(0));
        assert_eq!(registry.oldest(), Some(stamps[0]));
        registry.deregister(open.remove(0));
        assert_eq!(registry.oldest(), Some(stamps[3]));
        registry.deregister(open.remove(0));
        assert_eq!(registry.oldest(), None);
        assert!(registry.is_empty());
    }

    #[test]
    fn a_reader_of_history_holds_its_stamp() {
        let mut registry = SnapshotRegistry::new();
        let newest = registry.register(Stamp::from_bits(9));
        let history = registry.register(Stamp::from_bits(4));
        assert_eq!(registry.oldest(), Some(Stamp::from_bits(4)));
        assert_eq!(registry.len(), 2);
        registry.deregister(history);
        assert_eq!(registry.oldest(), Some(Stamp::from_bits(9)));
        registry.deregister(newest);
        assert!(registry.is_empty());
    }
}
