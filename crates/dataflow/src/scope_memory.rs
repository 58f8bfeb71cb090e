//! What the instances of one scope remember together.

use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

type Entry = Arc<dyn Any + Send + Sync>;

/// State that belongs to a scope rather than to one of its instances: the vertices that a breadth-first search has
/// reached in any iteration of a loop, or in any piece of an exchange. Keyed by operator ([`planner::physical::Op::id`]).
#[derive(Default)]
pub struct ScopeMemory {
    entries: Mutex<FxHashMap<u32, Entry>>,
    has_company: AtomicBool,
}

impl ScopeMemory {
    /// The state that operator `op` shares between instances, created on first use.
    ///
    /// # Panics
    /// If the operator asks for two different types, which is a bug of the operator.
    pub fn shared<T: Default + Send + Sync + 'static>(&self, op: u32) -> Arc<T> {
        let entry = self.entries.lock().entry(op).or_insert_with(|| Arc::new(T::default())).clone();
        entry.downcast().expect("an operator asks for one type only")
    }

    /// Notes that from now on several executors may run instances of the scope at once. None is under way at this moment.
    pub(crate) fn expect_company(&self) {
        self.has_company.store(true, Ordering::Release);
    }

    /// Whether several executors may run instances of the scope at once; till then, one instance runs after another.
    pub(crate) fn has_company(&self) -> bool {
        self.has_company.load(Ordering::Acquire)
    }
}

impl std::fmt::Debug for ScopeMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ScopeMemory").field(&self.entries.lock().len()).finish()
    }
}
