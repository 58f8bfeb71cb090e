//! A stable sort that can be left and gone on with: runs are sorted one by one, then merged two by two.
//!
//! ```text
//! runs    [1 5 9] [2 3 8] [4 6 7]
//! merged  [1 2 3 5 8 9] [4 6 7]        a pass over all of it, which may be left after any stretch
//! merged  [1 2 3 4 5 6 7 8 9]
//! ```
//!
//! A sort of millions takes seconds, and a turn half a millisecond.

use std::cmp::Ordering;

/// Numbers in a run that is sorted at once, or merged: some tenths of a millisecond.
const RUN: usize = 1 << 10;

/// Bytes that are compared in about that time, if the keys begin alike.
const BYTES: u64 = 4 << 20;

/// The numbers from 0 on, on their way into an order.
#[derive(Debug, Default)]
pub(super) struct Sorting {
    /// Runs of `run` numbers; before there are such, those before `at`, in sorted runs.
    order: Vec<u32>,
    count: usize,
    run: usize,
    /// How many are sorted, or merged, between two looks at the clock.
    piece: usize,
    /// What this pass has merged.
    merged: Vec<u32>,
    /// Where the pair of runs begins that is being merged, and how far it has got in each.
    at: usize,
    left: usize,
    right: usize,
}

impl Sorting {
    /// Of so many numbers.
    pub(super) fn of(count: u32) -> Self {
        Self {
            order: Vec::with_capacity(count as usize),
            count: count as usize,
            piece: RUN,
            ..Self::default()
        }
    }

    /// The same, of numbers whose keys have so many bytes together, written out: megabytes are not compared in no time.
    pub(super) fn of_keys(count: u32, bytes: u64) -> Self {
        let each = (bytes / u64::from(count.max(1))).max(1);
        let piece = (BYTES / each).clamp(2, RUN as u64) as usize;
        Self { piece, ..Self::of(count) }
    }

    /// Goes on until all is sorted or the quota is spent; whether all is. Numbers that compare equal stay in their order.
    pub(super) fn go_on(
        &mut self,
        mut compare: impl FnMut(u32, u32) -> Ordering,
        mut is_spent: impl FnMut() -> bool,
    ) -> bool {
        while self.run == 0 {
            let end = self.count.min(self.at + self.piece);
            self.order.extend(self.at as u32..end as u32);
            self.order[self.at..end].sort_by(|a, b| compare(*a, *b));
            self.at = end;
            if end == self.count {
                self.run = self.piece;
                self.begin_pass();
            }
            if is_spent() {
                return self.is_sorted();
            }
        }
        while !self.is_sorted() {
            self.merge_stretch(&mut compare);
            if is_spent() {
                return self.is_sorted();
            }
        }
        true
    }

    /// The numbers in their order, once they are sorted.
    pub(super) fn sorted(self) -> Vec<u32> {
        self.order
    }

    fn is_sorted(&self) -> bool {
        self.run >= self.count.max(1)
    }

    fn begin_pass(&mut self) {
        self.merged.clear();
        if !self.is_sorted() {
            self.merged.reserve_exact(self.order.len());
        }
        self.begin_pair(0);
    }

    fn begin_pair(&mut self, at: usize) {
        (self.at, self.left) = (at, at);
        self.right = self.middle();
    }

    /// Where the second run of the pair begins, and where it ends.
    fn middle(&self) -> usize {
        self.order.len().min(self.at + self.run)
    }

    fn end(&self) -> usize {
        self.order.len().min(self.at + 2 * self.run)
    }

    /// Merges some numbers of a pair; after the last pair of a pass begins the next.
    fn merge_stretch(&mut self, compare: &mut impl FnMut(u32, u32) -> Ordering) {
        let (middle, end) = (self.middle(), self.end());
        let full = self.merged.len() + self.piece;
        while self.left < middle && self.right < end && self.merged.len() < full {
            let (left, right) = (self.order[self.left], self.order[self.right]);
            if compare(left, right).is_le() {
                self.merged.push(left);
                self.left += 1;
            } else {
                self.merged.push(right);
                self.right += 1;
            }
        }
        if self.left < middle && self.right < end {
            return;
        }
        // Of one of them nothing is left.
        let next = if self.left < middle { &mut self.left } else { &mut self.right };
        let until = if *next < middle { middle } else { end };
        let some = *next..until.min(*next + RUN);
        self.merged.extend_from_slice(&self.order[some.clone()]);
        *next = some.end;
        if self.left < middle || self.right < end {
            return;
        }
        if end < self.order.len() {
            return self.begin_pair(end);
        }
        std::mem::swap(&mut self.order, &mut self.merged);
        self.run *= 2;
        self.begin_pass();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn next(random: &mut u64) -> u64 {
        *random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        *random >> 33
    }

    /// Sorts with a look at the clock that says so every `often` times.
    fn sorted(keys: &[u8], often: usize) -> (Vec<u32>, usize) {
        let (mut sorting, mut turns, mut looks) = (Sorting::of(keys.len() as u32), 1, 0);
        let compare = |a: u32, b: u32| keys[a as usize].cmp(&keys[b as usize]);
        let mut is_spent = || {
            looks += 1;
            looks % often == 0
        };
        while !sorting.go_on(compare, &mut is_spent) {
            turns += 1;
        }
        (sorting.sorted(), turns)
    }

    #[test]
    fn it_sorts_as_any_stable_sort_however_often_it_is_left() {
        let mut random = 7u64;
        for count in [0, 1, 2, RUN - 1, RUN, RUN + 1, 2 * RUN, 5 * RUN + 3, 8 * RUN + 1] {
            for kinds in [1, 3, 200] {
                let keys: Vec<u8> = (0..count).map(|_| (next(&mut random) % kinds) as u8).collect();
                let mut expected: Vec<u32> = (0..count as u32).collect();
                expected.sort_by_key(|number| keys[*number as usize]);
                for often in [1, 3, usize::MAX] {
                    assert_eq!(sorted(&keys, often).0, expected, "{count} numbers of {kinds} kinds");
                }
            }
        }
    }

    #[test]
    fn a_turn_does_a_run_or_a_stretch() {
        let mut random = 7u64;
        let keys: Vec<u8> = (0..64 * RUN).map(|_| next(&mut random) as u8).collect();
        let (_, turns) = sorted(&keys, 1);
        assert!(turns >= 64 + 6 * 64 / 2, "{turns}");
        let mut heavy = Sorting::of_keys(64, 64 << 20);
        let (mut turns, mut compared) = (1, 0);
        let mut most = 0;
        loop {
            let before = compared;
            let compare = |a: u32, b: u32| {
                compared += 1;
                keys[a as usize].cmp(&keys[b as usize])
            };
            let is_sorted = heavy.go_on(compare, || true);
            most = most.max(compared - before);
            if is_sorted {
                break;
            }
            turns += 1;
        }
        assert!(turns > 64 && most <= 8, "{turns} turns, up to {most} comparisons in one");
        let expected: Vec<u32> = {
            let mut all: Vec<u32> = (0..64).collect();
            all.sort_by_key(|number| keys[*number as usize]);
            all
        };
        assert_eq!(heavy.sorted(), expected);
    }
}
