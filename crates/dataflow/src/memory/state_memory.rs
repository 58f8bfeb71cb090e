//! Memory that an operator's state holds.

use std::sync::Arc;

use super::meter::MemoryMeter;
use crate::error::QueryError;

/// Bytes of an operator's state, charged to its query until they are released or the operator is dropped.
#[derive(Debug, Default)]
pub(crate) struct StateMemory {
    meter: Option<Arc<MemoryMeter>>,
    bytes: usize,
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
        let meter = self.meter.get_or_insert_with(|| meter.clone());
        self.bytes += bytes;
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
        let meter = self.meter.get_or_insert_with(|| meter.clone());
        let has_room = meter.charge_if_room(bytes - self.bytes);
        match has_room {
            true => self.bytes = bytes,
            false => self.release(),
        }
        has_room
    }

    /// Bytes that it holds.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Gives everything back.
    pub(crate) fn release(&mut self) {
        self.give_back(self.bytes);
    }

    fn give_back(&mut self, bytes: usize) {
        if let (Some(meter), true) = (&self.meter, bytes > 0) {
            // Giving back cannot exceed a bound.
            let _ = meter.charge(-(bytes as isize));
            self.bytes -= bytes;
        }
    }
}

impl Drop for StateMemory {
    fn drop(&mut self) {
        self.release();
    }
}
