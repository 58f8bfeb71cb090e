//! How much of a query's memory is the state of which operator, while it is profiled.
//!
//! ```text
//! thread    AT = 3                whose call it is in, by its number in the plan
//!             │
//! StateMemory { op: 3, bytes }    belongs to whoever charged first; gives back to the same, wherever it is dropped
//!             │
//! by_op     [ 0: now, peak │ … │ 3: now, peak │ … ]
//! ```

use std::cell::Cell;
use std::sync::atomic::{AtomicI64, Ordering};

/// No operator.
pub(super) const NOBODY: u32 = u32::MAX;

thread_local! {
    static AT: Cell<u32> = const { Cell::new(NOBODY) };
}

/// See the module.
#[derive(Debug)]
pub(crate) struct ByOperator {
    by_op: Box<[Held]>,
}

/// Bytes of one operator, of all its instances together.
#[derive(Debug, Default)]
struct Held {
    now: AtomicI64,
    peak: AtomicI64,
}

impl ByOperator {
    /// For so many operators.
    pub(crate) fn new(ops: u32) -> Self {
        Self { by_op: (0..ops).map(|_| Held::default()).collect() }
    }

    /// Adds bytes to those of an operator, or takes them off.
    pub(super) fn charge(&self, op: u32, bytes: i64) {
        if let Some(held) = self.by_op.get(op as usize) {
            let now = held.now.fetch_add(bytes, Ordering::Relaxed) + bytes;
            held.peak.fetch_max(now, Ordering::Relaxed);
        }
    }

    /// Most bytes that the state of an operator took at once.
    pub(crate) fn peak(&self, op: u32) -> u64 {
        self.by_op.get(op as usize).map_or(0, |held| held.peak.load(Ordering::Relaxed).max(0) as u64)
    }
}

/// The operator whose call this thread is in.
pub(crate) fn current() -> u32 {
    AT.get()
}

/// What is charged for state until this is dropped is the operator's.
pub(crate) fn charging(op: u32) -> Charging {
    Charging { before: AT.replace(op) }
}

/// See [`charging`].
pub(crate) struct Charging {
    before: u32,
}

impl Drop for Charging {
    fn drop(&mut self) {
        AT.set(self.before);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::{MemoryMeter, StateMemory};
    use super::*;

    #[test]
    fn bytes_are_of_the_operator_that_charged_them_first_wherever_they_are_given_back() {
        let by_operator = Arc::new(ByOperator::new(3));
        let meter = Arc::new(MemoryMeter::new(1 << 20).watched(by_operator.clone()));
        let (mut outer, mut inner) = (StateMemory::default(), StateMemory::default());
        {
            let _outer = charging(0);
            outer.grow(&meter, 100).unwrap();
            {
                let _inner = charging(2);
                inner.grow(&meter, 1_000).unwrap();
            }
            // It is dropped in a call of the one around it.
            drop(inner);
            outer.set(&meter, 300).unwrap();
            assert!(outer.set_if_room(&meter, 400));
        }
        assert_eq!(current(), NOBODY);
        outer.release();
        let mut nobodys = StateMemory::default();
        nobodys.grow(&meter, 5_000).unwrap();
        assert_eq!([0, 1, 2].map(|op| by_operator.peak(op)), [400, 0, 1_000]);
        for held in &by_operator.by_op {
            assert_eq!(held.now.load(Ordering::Relaxed), 0);
        }
    }
}
