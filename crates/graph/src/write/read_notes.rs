//! What one batch of reads has read, on its way to the transaction.

use std::cell::RefCell;

use timeline::Unit;

use super::transaction::Transaction;
use crate::model::{ReadUnit, units};

/// Units that are gathered before the transaction is told.
const GATHERED: usize = 1 << 12;

/// Gathers what is read inside a transaction, and tells it all at once: its lock is taken once for thousands of elements. What
/// has been gathered is told at the latest when this is dropped; the transaction must not be committed before.
pub struct ReadNotes<'a> {
    transaction: &'a Transaction,
    units: RefCell<Vec<Unit>>,
    /// Whether it is only shown: see `Transaction::note_shown_units`.
    shown: bool,
}

impl<'a> ReadNotes<'a> {
    /// Nothing was read yet.
    pub fn new(transaction: &'a Transaction) -> Self {
        Self { transaction, units: RefCell::default(), shown: false }
    }

    /// The same for what the answer shows as it is at the commit.
    pub fn of_shown(transaction: &'a Transaction) -> Self {
        Self { transaction, units: RefCell::default(), shown: true }
    }

    /// Records that a unit was read.
    #[inline]
    pub fn note(&self, read: ReadUnit) {
        let mut gathered = self.units.borrow_mut();
        gathered.extend(units::of_read(read).into_iter().flatten());
        if gathered.len() >= GATHERED {
            self.tell(&mut gathered);
        }
    }

    fn tell(&self, gathered: &mut Vec<Unit>) {
        match self.shown {
            true => self.transaction.note_shown_units(gathered.drain(..)),
            false => self.transaction.note_units(gathered.drain(..)),
        }
    }
}

impl Drop for ReadNotes<'_> {
    fn drop(&mut self) {
        let mut gathered = self.units.take();
        if !gathered.is_empty() {
            self.tell(&mut gathered);
        }
    }
}
