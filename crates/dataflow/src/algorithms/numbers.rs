//! A number for each vertex, by its place, which whoever works on the vertex may change while others read. Nobody relies on when a
//! change is seen: what a round reads was written before it began, or may be of either round.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A double each.
#[derive(Debug)]
pub(crate) struct Doubles(Box<[AtomicU64]>);

impl Doubles {
    /// Zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        Self((0..len).map(|_| AtomicU64::new(0)).collect())
    }

    /// That of a place; 0 beyond all of them.
    #[inline(always)]
    pub(crate) fn get(&self, place: usize) -> f64 {
        self.0.get(place).map_or(0.0, |number| f64::from_bits(number.load(Ordering::Relaxed)))
    }

    #[inline(always)]
    pub(crate) fn set(&self, place: usize, number: f64) {
        if let Some(cell) = self.0.get(place) {
            cell.store(number.to_bits(), Ordering::Relaxed);
        }
    }

    /// Bytes of so many.
    pub(super) const BYTES: usize = 8;
}

/// A whole number each.
#[derive(Debug)]
pub(super) struct Numbers(Box<[AtomicU32]>);

impl Numbers {
    /// Bytes of so many.
    pub(super) const BYTES: usize = 4;

    /// All the same.
    pub(super) fn all(number: u32, len: usize) -> Self {
        Self((0..len).map(|_| AtomicU32::new(number)).collect())
    }

    /// Each its own place.
    pub(super) fn own(len: usize) -> Self {
        Self((0..len as u32).map(AtomicU32::new).collect())
    }

    /// That of a place; `u32::MAX` beyond all of them.
    #[inline(always)]
    pub(super) fn get(&self, place: usize) -> u32 {
        self.0.get(place).map_or(u32::MAX, |number| number.load(Ordering::Relaxed))
    }

    #[inline(always)]
    pub(super) fn set(&self, place: usize, number: u32) {
        if let Some(cell) = self.0.get(place) {
            cell.store(number, Ordering::Relaxed);
        }
    }

    /// Changes a number, if it is what is expected; whether it was.
    #[inline(always)]
    pub(super) fn change(&self, place: usize, expected: u32, number: u32) -> bool {
        let Some(cell) = self.0.get(place) else { return false };
        cell.compare_exchange_weak(expected, number, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}
