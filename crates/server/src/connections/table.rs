//! Bounds on open connections, and who gives way at them.

use std::{
    cmp::Reverse,
    collections::HashMap,
    net::{IpAddr, Ipv6Addr},
    sync::Arc,
};

use parking_lot::Mutex;

use super::presence::Presence;
use crate::Network;

/// The connections that count against a bound, by the address of their client.
///
/// At a bound the connection that has been idle longest gives way, of the address that has most; one that answers a
/// request never does.
#[derive(Clone, Debug)]
pub(crate) struct ConnectionTable(Arc<Mutex<Rows>>);

#[derive(Debug)]
struct Rows {
    bound: usize,
    bound_per_address: usize,
    count: usize,
    by_address: HashMap<IpAddr, Vec<Arc<Presence>>>,
    /// Proxies, behind which many may be: the bound of an address is not theirs.
    proxies: Vec<Network>,
}

/// A place among the connections; dropping it frees it.
#[derive(Debug)]
pub(crate) struct Place {
    table: ConnectionTable,
    address: IpAddr,
    presence: Arc<Presence>,
}

/// Why there is no place: which bound is reached, by connections that all answer requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Full {
    #[error(
        "this address has {0} connections with requests, as many as server.max_connections_per_address allows; try again later"
    )]
    Address(usize),
    #[error("this server has {0} connections, as many as server.max_connections allows; try again later")]
    Server(usize),
}

impl ConnectionTable {
    pub(crate) fn new(bound: usize, bound_per_address: usize) -> Self {
        let rows =
            Rows { bound, bound_per_address, count: 0, by_address: HashMap::new(), proxies: Vec::new() };
        Self(Arc::new(Mutex::new(rows)))
    }

    /// The same without a bound per address for connections of these proxies.
    pub(crate) fn with_proxies(self, proxies: &[Network]) -> Self {
        self.0.lock().proxies = proxies.to_vec();
        self
    }

    /// Takes a place if one is free.
    pub(crate) fn take_free(&self, peer: IpAddr, presence: &Arc<Presence>) -> Option<Place> {
        let (mut rows, address) = (self.0.lock(), counted_under(peer));
        rows.check(address).ok()?;
        Some(self.place(&mut rows, address, presence))
    }

    /// Takes a place, if need be that of a connection which does nothing.
    pub(crate) fn take(&self, peer: IpAddr, presence: &Arc<Presence>) -> Result<Place, Full> {
        let (mut rows, address) = (self.0.lock(), counted_under(peer));
        if let Err(full) = rows.check(address)
            && !rows.make_room(full, address)
        {
            return Err(full);
        }
        Ok(self.place(&mut rows, address, presence))
    }

    fn place(&self, rows: &mut Rows, address: IpAddr, presence: &Arc<Presence>) -> Place {
        rows.count += 1;
        rows.by_address.entry(address).or_default().push(presence.clone());
        Place { table: self.clone(), address, presence: presence.clone() }
    }

    /// Places that are taken.
    pub(crate) fn taken(&self) -> usize {
        self.0.lock().count
    }
}

/// The address that a client is counted under. Who has one IPv6 address has all that begin with the same 64 bits.
pub(super) fn counted_under(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        address => address,
    }
}

impl Rows {
    fn of(&self, address: IpAddr) -> usize {
        self.by_address.get(&address).map_or(0, Vec::len)
    }

    /// Whether one more connection of that address is within the bounds.
    fn check(&self, address: IpAddr) -> Result<(), Full> {
        let is_proxy = || self.proxies.iter().any(|network| network.contains(address));
        if self.of(address) >= self.bound_per_address && !is_proxy() {
            return Err(Full::Address(self.bound_per_address));
        }
        if self.count >= self.bound {
            return Err(Full::Server(self.bound));
        }
        Ok(())
    }

    /// Makes one connection go, for a newcomer from `address`.
    fn make_room(&mut self, full: Full, address: IpAddr) -> bool {
        // It may have begun a request since it was found idle; then another one is looked for.
        while let Some((rival, since, presence)) = self.most_dispensable(full, address) {
            if presence.dismiss(since) {
                self.remove(rival, &presence);
                return true;
            }
        }
        false
    }

    /// The connection that has been idle longest, of the address that has most. Nobody gives way to a newcomer from
    /// another address that has as many itself.
    fn most_dispensable(&self, full: Full, newcomer: IpAddr) -> Option<(IpAddr, u64, Arc<Presence>)> {
        let has = self.of(newcomer);
        let gives_way = |address: IpAddr, count: usize| match full {
            Full::Address(_) => address == newcomer,
            Full::Server(_) => address == newcomer || count > has,
        };
        let longest_idle = |presences: &[Arc<Presence>]| {
            let idle =
                presences.iter().filter_map(|presence| Some((presence.idle_since()?, presence.clone())));
            idle.min_by_key(|(since, _)| *since)
        };
        self.by_address
            .iter()
            .filter(|(address, presences)| gives_way(**address, presences.len()))
            .filter_map(|(address, all)| {
                longest_idle(all).map(|(since, one)| (all.len(), *address, since, one))
            })
            .max_by_key(|(count, _, since, _)| (*count, Reverse(*since)))
            .map(|(_, address, since, presence)| (address, since, presence))
    }

    /// Forgets a connection, if it is still there.
    fn remove(&mut self, address: IpAddr, presence: &Arc<Presence>) {
        let Some(presences) = self.by_address.get_mut(&address) else { return };
        let Some(at) = presences.iter().position(|other| Arc::ptr_eq(other, presence)) else { return };
        presences.swap_remove(at);
        self.count -= 1;
        if presences.is_empty() {
            self.by_address.remove(&address);
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.table.0.lock().remove(self.address, &self.presence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(n: u8) -> IpAddr {
        IpAddr::from([10, 0, 0, n])
    }

    /// A connection that has begun and ended a request, so that it is idle later than those before.
    fn come(table: &ConnectionTable, from: u8) -> (Arc<Presence>, Result<Place, Full>) {
        std::thread::sleep(std::time::Duration::from_micros(10));
        let presence = Arc::new(Presence::new());
        let place = table.take(address(from), &presence);
        (presence, place)
    }

    fn is_gone(presence: &Presence) -> bool {
        !presence.begin()
    }

    #[test]
    fn at_the_bound_the_longest_idle_of_the_address_that_has_most_gives_way() {
        let table = ConnectionTable::new(4, 4);
        let alone = come(&table, 1);
        let (busy, first, second) = (come(&table, 2), come(&table, 2), come(&table, 2));
        assert!(busy.0.begin());
        let newcomer = come(&table, 3);
        assert!(newcomer.1.is_ok() && is_gone(&first.0));
        assert_eq!(table.taken(), 4);
        assert!(!is_gone(&second.0) && !is_gone(&alone.0));
    }

    #[test]
    fn nobody_gives_way_to_an_address_that_has_as_many() {
        let table = ConnectionTable::new(2, 2);
        let (one, other) = (come(&table, 1), come(&table, 2));
        assert!(one.0.begin());
        assert_eq!(come(&table, 1).1.unwrap_err(), Full::Server(2));
        assert!(!is_gone(&other.0));
        one.0.rest();
        assert!(come(&table, 1).1.is_ok());
        assert!(is_gone(&one.0), "its own idle one does");
    }

    #[test]
    fn an_address_at_its_bound_gives_way_itself_or_is_refused() {
        let table = ConnectionTable::new(10, 2);
        let (_other, one, two) = (come(&table, 1), come(&table, 2), come(&table, 2));
        let third = come(&table, 2);
        assert!(third.1.is_ok() && is_gone(&one.0));
        assert!(two.0.begin() && third.0.begin());
        assert_eq!(come(&table, 2).1.unwrap_err(), Full::Address(2));
        assert!(table.take_free(address(2), &Arc::new(Presence::new())).is_none());
    }

    #[test]
    fn places_are_freed_once() {
        let table = ConnectionTable::new(1, 1);
        let (first, second) = (come(&table, 1), come(&table, 1));
        drop(first);
        assert_eq!(table.taken(), 1);
        drop(second);
        assert_eq!(table.taken(), 0);
    }

    #[test]
    fn a_network_of_ipv6_is_one_address() {
        let of = |text: &str| counted_under(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
    }
}
