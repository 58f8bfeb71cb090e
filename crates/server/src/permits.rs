//! Counts what is in use against a bound.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

/// A bounded number of places.
#[derive(Clone, Debug)]
pub(crate) struct Permits(Arc<Places>);

#[derive(Debug)]
struct Places {
    taken: AtomicUsize,
    bound: usize,
}

/// One place; dropping it frees it.
#[derive(Debug)]
pub(crate) struct Permit(Arc<Places>);

impl Permits {
    pub(crate) fn new(bound: usize) -> Self {
        Self(Arc::new(Places { taken: AtomicUsize::new(0), bound }))
    }

    /// Takes a place if there is one.
    pub(crate) fn take(&self) -> Option<Permit> {
        let free = |taken: usize| (taken < self.0.bound).then_some(taken + 1);
        // Relaxed: the count guards no other memory.
        self.0.taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, free).ok()?;
        Some(Permit(self.0.clone()))
    }

    /// Places in use.
    pub(crate) fn taken(&self) -> usize {
        self.0.taken.load(Ordering::Relaxed)
    }

    /// Places in all.
    pub(crate) fn bound(&self) -> usize {
        self.0.bound
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.taken.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_places_are_given_than_there_are_and_dropping_frees_one() {
        let permits = Permits::new(2);
        let (first, _second) = (permits.take().unwrap(), permits.take().unwrap());
        assert!(permits.take().is_none());
        drop(first);
        assert_eq!(permits.taken(), 1);
        assert!(permits.take().is_some());
    }
}
