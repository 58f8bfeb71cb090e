//! Of many lists, the first few of all: what is read of each list is bounded by what those before it had.
//!
//! ```text
//! order().by('date', desc).limit(3)
//! list 0   … 2016 2019 2022 │ 2023 2024 2025        three, and the least of them is 2023
//! list 1   … 2020 2021 2022 │ 2024                  one from 2023 on: now the least is 2024
//! list 2   … 2022 2022 2023 │                       none from 2024 on
//! ```
//!
//! So of n lists some n + k edges are read, not n·k, as in a k-way merge, but with no more than one list open at a time.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use planner::physical::Top;
use values::{Value, compare};

/// The best values so far, as many as are wanted.
#[derive(Default)]
pub(super) struct Best {
    /// Of which scope instance.
    tag: Option<u32>,
    /// The worst of them on top.
    values: BinaryHeap<Ranked>,
}

/// Bytes of a string that is remembered at most; without longer ones, further edges are read.
const LONGEST: usize = 64;

impl Best {
    /// Goes on with the lists of a scope instance. Those of another are forgotten: mostly they come one after another.
    pub(super) fn go_on(&mut self, tag: u32) {
        if self.tag.replace(tag) != Some(tag) {
            self.values.clear();
        }
    }

    /// What no further edge may be worse than, once there are enough.
    pub(super) fn bound(&self, top: Top) -> Option<&Value> {
        let enough = self.values.len() as u64 >= top.limit;
        self.values.peek().filter(|_| enough).map(|worst| &worst.value)
    }

    /// Takes note of an edge that has passed.
    pub(super) fn add(&mut self, value: Value, top: Top) {
        let fits = match &value {
            Value::String(text) => text.len() <= LONGEST,
            Value::Binary(_) | Value::List(_) | Value::Set(_) | Value::BulkSet(_) | Value::Map(_) => false,
            Value::BigInteger(_) | Value::BigDecimal(_) => false,
            _ => true,
        };
        if !fits || top.limit == 0 {
            return;
        }
        let ranked = Ranked { value, descending: top.descending };
        if (self.values.len() as u64) < top.limit {
            self.values.push(ranked);
        } else if let Some(mut worst) = self.values.peek_mut()
            && ranked < *worst
        {
            *worst = ranked;
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// A value, smaller the earlier it comes in the wanted order.
struct Ranked {
    value: Value,
    descending: bool,
}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        let order = compare::order(&self.value, &other.value);
        if self.descending { order.reverse() } else { order }
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Ranked {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Ranked {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bound_is_the_worst_of_the_best() {
        for descending in [true, false] {
            let (mut best, top) = (Best::default(), Top { limit: 3, descending });
            best.go_on(7);
            let sign = if descending { 1 } else { -1 };
            for n in [5, 1] {
                best.add(Value::Long(sign * n), top);
                assert_eq!(best.bound(top), None);
            }
            best.add(Value::from("x".repeat(LONGEST + 1)), top);
            assert_eq!(best.bound(top), None, "what is too long is not remembered");
            for (n, bound) in [(3, 1), (0, 1), (4, 3), (3, 3), (9, 4), (9, 5)] {
                best.add(Value::Long(sign * n), top);
                assert_eq!(best.bound(top), Some(&Value::Long(sign * bound)), "{n}");
            }
            best.go_on(7);
            assert!(best.bound(top).is_some());
            best.go_on(8);
            assert_eq!(best.bound(top), None);
        }
    }
}
