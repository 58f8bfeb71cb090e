//! What an index finds at once, and what leaves of it.

use values::{Value, VertexRef};

use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;

/// Vertices that are charged to nobody while they wait: they soon are in a batch.
const FEW: usize = 1 << 12;

/// Vertices that were found at once and leave as there is room.
#[derive(Default)]
pub(super) struct AtOnce {
    /// All of them.
    pub(super) found: Vec<VertexRef>,
    /// How many have left.
    given: usize,
    held: StateMemory,
}

impl AtOnce {
    /// Whether some wait.
    pub(super) fn waits(&self) -> bool {
        self.given < self.found.len()
    }

    /// Charges them, if they take much: what is left of many that were found keeps their room.
    ///
    /// # Errors
    /// Past the query's bound.
    pub(super) fn charge(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        let capacity = self.found.capacity();
        if capacity <= FEW {
            return Ok(());
        }
        self.held.set(&cx.query.memory, capacity * size_of::<VertexRef>())
    }

    /// Gives the next `room` of them after a look at each; whether more wait.
    pub(super) fn give<E>(
        &mut self,
        room: usize,
        into: &mut Vec<Value>,
        look: impl Fn(VertexRef) -> Result<(), E>,
    ) -> Result<bool, E> {
        let end = self.found.len().min(self.given + room.max(1));
        let next = self.found.get(self.given..end).unwrap_or(&[]);
        next.iter().try_for_each(|v| look(*v))?;
        into.extend(next.iter().map(|v| Value::VertexRef(*v)));
        self.given = end;
        let waits = self.waits();
        if !waits {
            self.clear();
        }
        Ok(waits)
    }

    /// Forgets all of them, and keeps no more room than it has without a charge.
    pub(super) fn clear(&mut self) {
        self.found.clear();
        self.found.shrink_to(FEW);
        self.given = 0;
        self.held.release();
    }
}
