//! Which entry is looked at next: the queues of S3-FIFO ("FIFO queues are all you need for cache eviction", SOSP 2023).
//!
//! ```text
//!                 in                                in
//!  probation  │ e9 │ e8 │ e7 │ ─▶ out     main  │ e4 │ e2 │ e1 │ ─▶ out      ghosts  names of what left probation,
//!              a tenth of the budget                                          as many as main has entries
//! ```
//!
//! This is a state machine without a clock and without the cached things themselves: its owner looks at the candidate and
//! says what became of it. Unlike in the paper, a read counts only if it is in a later era than the one before (see
//! `memory::account`), since one traversal reads one section thousands of times.

use std::collections::VecDeque;

use rustc_hash::FxHashSet;

/// Ghosts that are kept at least.
const FEWEST_GHOSTS: usize = 1024;

/// Which queue an entry stands in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Tier {
    Probation,
    Main,
}

/// An entry, with its size when it was queued.
pub(crate) struct Candidate<E> {
    pub(crate) entry: E,
    name: u64,
    bytes: usize,
    tier: Tier,
}

/// See the module.
pub(super) struct Queues<E> {
    probation: VecDeque<Candidate<E>>,
    main: VecDeque<Candidate<E>>,
    probation_bytes: usize,
    probation_bound: usize,
    ghosts: Ghosts,
}

impl<E> Queues<E> {
    /// Empty queues of a cache with a budget of so many bytes.
    pub(super) fn new(budget: usize) -> Self {
        Self {
            probation: VecDeque::new(),
            main: VecDeque::new(),
            probation_bytes: 0,
            probation_bound: budget / 10,
            ghosts: Ghosts::default(),
        }
    }

    /// Of another budget from now on.
    pub(super) fn set_budget(&mut self, budget: usize) {
        self.probation_bound = budget / 10;
    }

    /// Entries in both queues.
    pub(super) fn len(&self) -> usize {
        self.probation.len() + self.main.len()
    }

    /// Queues an entry: behind probation, unless it was evicted from there lately.
    pub(super) fn admit(&mut self, entry: E, name: u64, bytes: usize) {
        let tier = if self.ghosts.remove(name) { Tier::Main } else { Tier::Probation };
        self.push(Candidate { entry, name, bytes, tier });
    }

    /// The next candidate, taken out.
    pub(super) fn next(&mut self) -> Option<Candidate<E>> {
        let full = self.probation_bytes > self.probation_bound;
        let candidate = if full || self.main.is_empty() {
            self.probation.pop_front().or_else(|| self.main.pop_front())
        } else {
            self.main.pop_front()
        }?;
        if candidate.tier == Tier::Probation {
            self.probation_bytes -= candidate.bytes;
        }
        Some(candidate)
    }

    /// It was read again: it stands behind the main queue from now on.
    pub(super) fn promote(&mut self, candidate: Candidate<E>) {
        self.push(Candidate { tier: Tier::Main, ..candidate });
    }

    /// It cannot go yet: it keeps its tier and goes to the end.
    pub(super) fn postpone(&mut self, candidate: Candidate<E>) {
        self.push(candidate);
    }

    /// It is evicted.
    pub(super) fn evicted(&mut self, candidate: &Candidate<E>) {
        if candidate.tier == Tier::Probation {
            self.ghosts.add(candidate.name, self.main.len().max(FEWEST_GHOSTS));
        }
    }

    /// Takes out the entries of which `is_there` says that they are not.
    pub(super) fn retain(&mut self, is_there: impl Fn(&E) -> bool) {
        self.main.retain(|candidate| is_there(&candidate.entry));
        self.probation.retain(|candidate| {
            let stays = is_there(&candidate.entry);
            if !stays {
                self.probation_bytes -= candidate.bytes;
            }
            stays
        });
    }

    fn push(&mut self, candidate: Candidate<E>) {
        match candidate.tier {
            Tier::Probation => {
                self.probation_bytes += candidate.bytes;
                self.probation.push_back(candidate);
            }
            Tier::Main => self.main.push_back(candidate),
        }
    }
}

/// Names of what was evicted lately, oldest first.
#[derive(Default)]
struct Ghosts {
    order: VecDeque<u64>,
    names: FxHashSet<u64>,
}

impl Ghosts {
    fn add(&mut self, name: u64, bound: usize) {
        if self.names.insert(name) {
            self.order.push_back(name);
        }
        while self.order.len() > bound {
            if let Some(oldest) = self.order.pop_front() {
                self.names.remove(&oldest);
            }
        }
    }

    /// Whether it was there. Its place in the order stays taken until its turn comes.
    fn remove(&mut self, name: u64) -> bool {
        self.names.remove(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A cache of entries of 1 byte that are read as told; the number of misses.
    struct Model {
        queues: Queues<u64>,
        budget: usize,
        resident: std::collections::HashMap<u64, bool>,
        misses: usize,
    }

    impl Model {
        fn new(budget: usize) -> Self {
            Self { queues: Queues::new(budget), budget, resident: Default::default(), misses: 0 }
        }

        fn read(&mut self, name: u64) {
            if let Some(touched) = self.resident.get_mut(&name) {
                *touched = true;
                return;
            }
            self.misses += 1;
            self.resident.insert(name, false);
            self.queues.admit(name, name, 1);
            while self.resident.len() > self.budget {
                let candidate = self.queues.next().unwrap();
                if std::mem::take(self.resident.get_mut(&candidate.entry).unwrap()) {
                    self.queues.promote(candidate);
                } else {
                    self.resident.remove(&candidate.entry);
                    self.queues.evicted(&candidate);
                }
            }
            assert_eq!(self.queues.len(), self.resident.len());
        }
    }

    #[test]
    fn what_is_gone_leaves_both_queues_with_its_bytes() {
        let mut queues = Queues::new(100);
        (0..10u64).for_each(|entry| queues.admit(entry, entry, 5));
        let promoted = queues.next().unwrap();
        queues.promote(promoted);
        queues.retain(|entry| entry % 3 == 1);
        assert_eq!((queues.len(), queues.probation_bytes), (3, 15));
        let left = std::iter::from_fn(|| queues.next()).map(|candidate| candidate.entry);
        assert_eq!(left.collect::<Vec<_>>(), [1, 4, 7]);
        assert_eq!(queues.probation_bytes, 0);
    }

    #[test]
    fn a_scan_does_not_drive_out_what_is_read_again_and_again() {
        let mut cache = Model::new(100);
        for _ in 0..3 {
            (0..50).for_each(|name| cache.read(name));
        }
        for scanned in 1000..3000 {
            cache.read(scanned);
            cache.read(scanned % 50);
        }
        let before = cache.misses;
        (0..50).for_each(|name| cache.read(name));
        assert_eq!(cache.misses, before, "the fifty are all there");
    }

    #[test]
    fn what_returns_soon_after_its_eviction_stays() {
        let mut cache = Model::new(100);
        // Three times as many as probation holds, in turns: each is evicted from it before it is read again.
        for round in 0..4 {
            (0..30).for_each(|name| cache.read(name));
            (0..200).for_each(|other| cache.read(1000 + round * 1000 + other));
        }
        let before = cache.misses;
        (0..30).for_each(|name| cache.read(name));
        assert_eq!(cache.misses, before);
    }

    #[test]
    fn ghosts_are_bounded() {
        let mut cache = Model::new(10);
        (0..100_000).for_each(|name| cache.read(name));
        assert!(cache.queues.ghosts.order.len() <= FEWEST_GHOSTS);
        assert!(cache.queues.ghosts.names.len() <= FEWEST_GHOSTS);
        assert_eq!(cache.queues.len(), 10);
    }
}
