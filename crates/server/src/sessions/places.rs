//! How many sessions there may be.

use std::{collections::HashMap, net::IpAddr, sync::Arc};

use parking_lot::Mutex;

use crate::request::Refusal;

/// The sessions that count against a bound, by the address of their client.
#[derive(Clone, Debug)]
pub(crate) struct SessionPlaces(Arc<Mutex<Counts>>);

#[derive(Debug)]
struct Counts {
    bound: usize,
    bound_per_address: usize,
    count: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// A place for a session; dropping it frees it.
#[derive(Debug)]
pub(crate) struct SessionPlace {
    places: SessionPlaces,
    address: IpAddr,
}

impl SessionPlaces {
    pub(crate) fn new(bound: usize, bound_per_address: usize) -> Self {
        Self(Arc::new(Mutex::new(Counts { bound, bound_per_address, count: 0, by_address: HashMap::new() })))
    }

    /// Takes a place for a session of that address.
    pub(crate) fn take(&self, address: IpAddr) -> Result<SessionPlace, Refusal> {
        let mut counts = self.0.lock();
        let own = counts.by_address.get(&address).copied().unwrap_or(0);
        if own >= counts.bound_per_address {
            return Err(Refusal::too_many(format!(
                "this address has {own} sessions, as many as server.max_sessions_per_address allows; close one of them first"
            )));
        }
        if counts.count >= counts.bound {
            return Err(Refusal::too_many(format!(
                "this server has {} sessions, as many as server.max_sessions allows; try again later",
                counts.bound
            )));
        }
        counts.count += 1;
        counts.by_address.insert(address, own + 1);
        Ok(SessionPlace { places: self.clone(), address })
    }

    /// Places that are taken.
    pub(crate) fn taken(&self) -> usize {
        self.0.lock().count
    }
}

impl Drop for SessionPlace {
    fn drop(&mut self) {
        let mut counts = self.places.0.lock();
        counts.count -= 1;
        let left = counts.by_address.get_mut(&self.address).map(|own| {
            *own -= 1;
            *own
        });
        if left == Some(0) {
            counts.by_address.remove(&self.address);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_and_all_together_have_so_many_sessions_and_none_is_left_behind() {
        let places = SessionPlaces::new(3, 2);
        let [one, other] = [1, 2].map(|last| IpAddr::from([10, 0, 0, last]));
        let (first, second) = (places.take(one).unwrap(), places.take(one).unwrap());
        assert!(places.take(one).unwrap_err().message.contains("per_address"));
        let third = places.take(other).unwrap();
        assert!(places.take(other).unwrap_err().message.contains("max_sessions allows"));
        drop(first);
        let fourth = places.take(other).unwrap();
        assert_eq!(places.taken(), 3);
        drop((second, third, fourth));
        assert!(places.0.lock().by_address.is_empty() && places.taken() == 0);
    }
}
