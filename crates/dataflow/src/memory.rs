//! How much memory a query may hold.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use crate::error::QueryError;

/// Counts the bytes of a query's intermediate results against a bound.
#[derive(Debug)]
pub struct MemoryMeter {
    used: AtomicI64,
    peak: AtomicI64,
    limit: u64,
}

impl MemoryMeter {
    /// A meter with a bound in bytes.
    pub fn new(limit: u64) -> Self {
        Self { used: AtomicI64::new(0), peak: AtomicI64::new(0), limit }
    }

    /// Adds `bytes` (negative to give back).
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the bound; the charge stands, since the query ends.
    pub fn charge(&self, bytes: isize) -> Result<(), QueryError> {
        let used = self.used.fetch_add(bytes as i64, Ordering::Relaxed) + bytes as i64;
        if bytes > 0 {
            self.peak.fetch_max(used, Ordering::Relaxed);
            if used > 0 && used as u64 > self.limit {
                return Err(QueryError::MemoryExceeded { limit: self.limit });
            }
        }
        Ok(())
    }

    /// Adds `bytes` if there is room for them: for what a query can do without. Whether there was.
    pub fn charge_if_room(&self, bytes: usize) -> bool {
        let room = |used: i64| {
            let with = used + bytes as i64;
            (with.max(0) as u64 <= self.limit).then_some(with)
        };
        let Ok(before) = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, room) else {
            return false;
        };
        self.peak.fetch_max(before + bytes as i64, Ordering::Relaxed);
        true
    }

    /// Whether half of what may be held is.
    pub(crate) fn is_half_used(&self) -> bool {
        self.used() > self.limit / 2
    }

    /// Bytes held now.
    pub fn used(&self) -> u64 {
        self.used.load(Ordering::Relaxed).max(0) as u64
    }

    /// Most bytes held at once.
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed).max(0) as u64
    }
}

/// Bytes charged to a query that are given back when this is dropped: with the message they were charged for, whether
/// it was processed or its scope instance terminated.
#[derive(Debug)]
pub struct Charge {
    meter: Arc<MemoryMeter>,
    bytes: isize,
}

impl Charge {
    /// Charges `bytes` to the query of a context.
    ///
    /// # Errors
    /// [`QueryError::MemoryExceeded`] past the query's bound.
    pub fn take(cx: &crate::operator::Context<'_>, bytes: usize) -> Result<Self, QueryError> {
        let charge = Self { meter: cx.query.memory.clone(), bytes: bytes as isize };
        charge.meter.charge(charge.bytes)?;
        Ok(charge)
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        // Giving back cannot exceed a bound.
        let _ = self.meter.charge(-self.bytes);
    }
}
