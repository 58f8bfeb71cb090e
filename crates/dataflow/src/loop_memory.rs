//! What the iterations of one loop remember together.

use std::any::Any;
use std::sync::Arc;

use parking_lot::Mutex;
use rustc_hash::FxHashMap;

type Entry = Arc<dyn Any + Send + Sync>;

/// State that belongs to a loop rather than to one of its iterations: the vertices that a breadth-first search has
/// reached in any iteration, for instance. Keyed by operator ([`planner::physical::Op::id`]).
#[derive(Default)]
pub struct LoopMemory(Mutex<FxHashMap<u32, Entry>>);

impl LoopMemory {
    /// The state that operator `op` shares between iterations, created on first use.
    ///
    /// # Panics
    /// If the operator asks for two different types, which is a bug of the operator.
    pub fn shared<T: Default + Send + 'static>(&self, op: u32) -> Arc<Mutex<T>> {
        let entry = self.0.lock().entry(op).or_insert_with(|| Arc::new(Mutex::new(T::default()))).clone();
        entry.downcast::<Mutex<T>>().expect("an operator asks for one type only")
    }
}

impl std::fmt::Debug for LoopMemory {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("LoopMemory").field(&self.0.lock().len()).finish()
    }
}
