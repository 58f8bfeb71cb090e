//! Names that some use and that may not be given out.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use values::Str;

use super::MAX_NAMES;

/// What is reserved of one kind.
#[derive(Debug, Default)]
pub(super) struct Reserved {
    pub(super) by_name: FxHashMap<Str, u16>,
    pub(super) by_id: FxHashMap<u16, Reservation>,
    /// Ids below `next` that no name has. The lowest is taken first, so that tables by id stay short.
    pub(super) free: BTreeSet<u16>,
    pub(super) next: usize,
}

/// A name that some use and that may not be given out.
#[derive(Debug)]
pub(super) struct Reservation {
    pub(super) name: Str,
    pub(super) holders: usize,
    /// Whether a commit has taken it to the log, or is about to.
    pub(super) logged: bool,
    /// Whether the disk may have it all the same: then it stays this name's.
    pub(super) kept: bool,
}

impl Reserved {
    pub(super) fn next_id(&mut self) -> Option<u16> {
        if let Some(free) = self.free.pop_first() {
            return Some(free);
        }
        let id = (self.next < MAX_NAMES).then_some(self.next as u16)?;
        self.next += 1;
        Some(id)
    }

    pub(super) fn release(&mut self, id: u16, is_given: bool) {
        let Some(reservation) = self.by_id.get_mut(&id) else { return };
        reservation.holders -= 1;
        // Of a commit that failed nobody knows whether the log has it. There are no further ones, so it may stay.
        let stays = reservation.logged || reservation.kept;
        if reservation.holders > 0 || stays && !is_given {
            return;
        }
        if let Some(Reservation { name, .. }) = self.by_id.remove(&id) {
            self.by_name.remove(&name);
        }
        if !is_given {
            self.free.insert(id);
        }
    }

    /// Keeps no memory for what was many.
    pub(super) fn shrink(&mut self) {
        if self.by_id.is_empty() && self.by_id.capacity() > 64 {
            self.by_id.shrink_to_fit();
            self.by_name.shrink_to_fit();
        }
    }
}
