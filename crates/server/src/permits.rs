//! Counts what is in use against a bound.

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use parking_lot::Mutex;

use crate::Holder;

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

/// A bounded number of places, of which each holder may have so many.
#[derive(Clone, Debug)]
pub(crate) struct Shares {
    all: Permits,
    most: usize,
    taken: Arc<Mutex<HashMap<Holder, usize>>>,
}

/// One place of a holder's; dropping it frees it.
#[derive(Debug)]
pub(crate) struct Share {
    _permit: Permit,
    holder: Holder,
    taken: Arc<Mutex<HashMap<Holder, usize>>>,
}

/// Why there is no place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoShare {
    /// All are taken.
    Full,
    /// The holder has as many as it may.
    Own,
}

impl Shares {
    pub(crate) fn new(bound: usize, most: usize) -> Self {
        Self { all: Permits::new(bound), most, taken: Arc::default() }
    }

    /// Takes a place if there is one for this holder.
    pub(crate) fn take(&self, holder: Holder) -> Result<Share, NoShare> {
        let mut taken = self.taken.lock();
        let own = taken.get(&holder).copied().unwrap_or(0);
        if own >= self.most {
            return Err(NoShare::Own);
        }
        let permit = self.all.take().ok_or(NoShare::Full)?;
        taken.insert(holder.clone(), own + 1);
        Ok(Share { _permit: permit, holder, taken: self.taken.clone() })
    }

    /// Places in use.
    pub(crate) fn taken(&self) -> usize {
        self.all.taken()
    }

    /// Places in all, and of one holder.
    pub(crate) fn bounds(&self) -> (usize, usize) {
        (self.all.bound(), self.most)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut taken = self.taken.lock();
        match taken.get_mut(&self.holder) {
            Some(own) if *own > 1 => *own -= 1,
            _ => _ = taken.remove(&self.holder),
        }
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

    #[test]
    fn a_holder_has_its_share_and_leaves_the_rest_to_others() {
        let shares = Shares::new(3, 2);
        let holder = |name: &str| Holder::User(name.into());
        let (first, _second) = (shares.take(holder("ada")).unwrap(), shares.take(holder("ada")).unwrap());
        assert_eq!(shares.take(holder("ada")).unwrap_err(), NoShare::Own);
        let other = shares.take(holder("bob")).unwrap();
        assert_eq!(shares.take(holder("bob")).unwrap_err(), NoShare::Full);
        drop(first);
        assert!(shares.take(holder("ada")).is_ok());
        drop(other);
        assert!(!shares.taken.lock().contains_key(&holder("bob")));
    }
}
