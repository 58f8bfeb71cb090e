//! What a transaction notes beside its writes.

use super::transaction::Transaction;
use crate::durable::Note;
use crate::error::{GraphError, Result};
use crate::model::{name_hash, units};

/// Most bytes of a note's name.
const LONGEST_NAME: usize = 1 << 10;
/// Most bytes of a note.
const LARGEST: usize = 16 << 20;

impl Transaction {
    /// Leaves bytes under a name of the caller's, for [`Graph::note`](crate::Graph::note) to find: durable together with the
    /// transaction's writes, or not at all. None takes away what is there. Notes are no part of the graph: no query sees them, and a
    /// transaction may write nothing else. Of two that leave a note under the same name at the same time, one is refused.
    ///
    /// # Errors
    /// If the name has more than 1 KiB, or the note more than 16 MiB, or the transaction is full.
    pub fn leave_note(&self, name: &str, content: Option<Vec<u8>>) -> Result<()> {
        let too_much = |what, limit: usize| {
            let advice = "keep what is larger in several notes, or in properties";
            Err(GraphError::LimitExceeded { what, limit: limit as u64, advice })
        };
        let bytes = content.as_ref().map_or(0, Vec::len);
        if name.len() > LONGEST_NAME {
            return too_much("the name of a note", LONGEST_NAME);
        }
        if bytes > LARGEST {
            return too_much("the bytes of a note", LARGEST);
        }
        let mut writes = self.writes.lock();
        writes.next_write(&self.memory().options, name.len() + bytes)?;
        let unit = units::note(name_hash(name));
        writes.reads([unit]);
        writes.replaces([unit])?;
        writes.note(Note { name: name.into(), content });
        Ok(())
    }
}
