//! Memory that an operator's state holds.

use std::sync::Arc;

use super::meter::MemoryMeter;
use crate::error::QueryError;

/// Bytes of an operator's state, charged to its query until they are released or the operator is dropped.
#[derive(Debug, Default)]
pub(crate) struct StateMemory {
    meter: Option<Arc<MemoryMeter>>,
    bytes: usize,
    /// Whose it is, if somebody will ask.
    op: u32,
}

impl StateMemory {
    /// Charges further bytes.
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the query's bound.
    pub(crate) fn grow(&mut self, meter: &Arc<MemoryMeter>, bytes: usize) -> Result<(), QueryError> {
        if bytes == 0 {
            return Ok(());
        }
        let meter = Self::meter(&mut self.meter, &mut self.op, meter);
        self.bytes += bytes;
        meter.count(self.op, bytes as i64);
        meter.charge(bytes as isize)
    }

    /// Holds exactly `bytes` from now on.
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the query's bound.
    pub(crate) fn set(&mut self, meter: &Arc<MemoryMeter>, bytes: usize) -> Result<(), QueryError> {
        if bytes < self.bytes {
            self.give_back(self.bytes - bytes);
            return Ok(());
        }
        self.grow(meter, bytes - self.bytes)
    }

    /// Holds exactly `bytes` from now on, if there is room for them; otherwise, nothing. Whether there was.
    pub(crate) fn set_if_room(&mut self, meter: &Arc<MemoryMeter>, bytes: usize) -> bool {
        if bytes <= self.bytes {
            self.give_back(self.bytes - bytes);
            return true;
        }
        let meter = Self::meter(&mut self.meter, &mut self.op, meter);
        let has_room = meter.charge_if_room(bytes - self.bytes);
        match has_room {
            true => {
                meter.count(self.op, (bytes - self.bytes) as i64);
                self.bytes = bytes;
            }
            false => self.release(),
        }
        has_room
    }

    /// The meter that it charges, which is known with the first bytes, as is whose they are.
    fn meter<'m>(
        known: &'m mut Option<Arc<MemoryMeter>>,
        op: &mut u32,
        meter: &Arc<MemoryMeter>,
    ) -> &'m Arc<MemoryMeter> {
        known.get_or_insert_with(|| {
            *op = meter.operator();
            meter.clone()
        })
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Holds so many bytes from now on, if it has held more.
    pub(crate) fn shrink(&mut self, bytes: usize) {
        self.give_back(self.bytes.saturating_sub(bytes));
    }

    /// Gives everything back.
    pub(crate) fn release(&mut self) {
        self.give_back(self.bytes);
    }

    fn give_back(&mut self, bytes: usize) {
        if let (Some(meter), true) = (&self.meter, bytes > 0) {
            // Giving back cannot exceed a bound.
            let _ = meter.charge(-(bytes as isize));
            meter.count(self.op, -(bytes as i64));
            self.bytes -= bytes;
        }
    }
}

impl Drop for StateMemory {
    fn drop(&mut self) {
        self.release();
    }
}
