//! Failed logins, and how long the next one has to wait.
//!
//! ```text
//! user and address    5 wrong ones are free, then 1 s, 2 s, 4 s … 60 s before the next; a right one forgives all
//! address             a wrong one takes one of 30, which come back one a second; without one left, names that nobody has
//!                     are not looked at any more, and are answered as those are that somebody has
//! ```
//!
//! So who guesses slows down himself and nobody else: neither the user whom he guesses, who comes from elsewhere, nor others
//! behind his own address. It is a state machine: it has no clock and no threads.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::Arc,
    time::{Duration, Instant},
};

/// Wrong passwords before anybody has to wait.
const FREE: u32 = 5;

/// The longest that anybody waits.
const LONGEST: Duration = Duration::from_secs(60);

/// For so long a wrong password is remembered.
const MEMORY: Duration = Duration::from_secs(15 * 60);

/// Wrong passwords of an address, whatever the names.
const OF_ADDRESS: f64 = 30.0;

/// Pairs, and addresses, that are remembered at most. The older half is forgotten for others.
const MOST: usize = 20_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Guesses {
    pairs: HashMap<(Arc<str>, IpAddr), Pair>,
    addresses: HashMap<IpAddr, Address>,
}

#[derive(Debug)]
struct Pair {
    wrong: u32,
    /// Being looked at now.
    under_way: u32,
    last: Instant,
    wait_until: Instant,
}

#[derive(Debug)]
struct Address {
    left: f64,
    at: Instant,
}

impl Address {
    fn refill(&mut self, now: Instant) {
        self.left = (self.left + now.saturating_duration_since(self.at).as_secs_f64()).min(OF_ADDRESS);
        self.at = now;
    }
}

impl Guesses {
    /// Somebody tries: how long he has to wait first. Otherwise [`Self::end`] must be told how it went.
    pub(crate) fn begin(
        &mut self,
        user: &Arc<str>,
        address: IpAddr,
        is_known: bool,
        now: Instant,
    ) -> Result<(), Duration> {
        if !is_known && self.is_used_up(address, now) {
            return Err(Duration::from_secs(1));
        }
        self.make_room(now);
        let pair = self.pairs.entry((user.clone(), address)).or_insert(Pair {
            wrong: 0,
            under_way: 0,
            last: now,
            wait_until: now,
        });
        let wait = pair.wait_until.saturating_duration_since(now);
        // As if those under way were all wrong.
        let is_much = pair.under_way > 0 && pair.wrong + pair.under_way >= FREE;
        if is_much || wait > Duration::ZERO {
            return Err(wait.max(Duration::from_secs(1)));
        }
        pair.under_way += 1;
        pair.last = now;
        self.take(address, 1.0, now);
        Ok(())
    }

    /// What came of a try; how long the next one has to wait.
    pub(crate) fn end(&mut self, user: &Arc<str>, address: IpAddr, is_right: bool, now: Instant) -> Duration {
        if is_right {
            self.pairs.remove(&(user.clone(), address));
            self.take(address, -1.0, now);
            return Duration::ZERO;
        }
        let Some(pair) = self.pairs.get_mut(&(user.clone(), address)) else { return Duration::ZERO };
        pair.under_way = pair.under_way.saturating_sub(1);
        pair.wrong = pair.wrong.saturating_add(1);
        pair.last = now;
        if pair.wrong < FREE {
            return Duration::ZERO;
        }
        let wait = Duration::from_secs(1 << (pair.wrong - FREE).min(10)).min(LONGEST);
        pair.wait_until = now + wait;
        wait
    }

    /// Nothing came of a try: nobody looked at it.
    pub(crate) fn forgo(&mut self, user: &Arc<str>, address: IpAddr, now: Instant) {
        self.take(address, -1.0, now);
        if let Some(pair) = self.pairs.get_mut(&(user.clone(), address)) {
            pair.under_way = pair.under_way.saturating_sub(1);
        }
    }

    /// Whether so many logins of an address have failed that names nobody has are not looked at any more.
    pub(crate) fn is_used_up(&mut self, address: IpAddr, now: Instant) -> bool {
        self.addresses.get_mut(&address).is_some_and(|address| {
            address.refill(now);
            address.left < 1.0
        })
    }

    /// Takes from what an address has left; each try, until it is known to be right.
    fn take(&mut self, address: IpAddr, tries: f64, now: Instant) {
        let of_address = self.addresses.entry(address).or_insert(Address { left: OF_ADDRESS, at: now });
        of_address.refill(now);
        of_address.left = (of_address.left - tries).clamp(-OF_ADDRESS, OF_ADDRESS);
    }

    fn make_room(&mut self, now: Instant) {
        if self.pairs.len() >= MOST {
            self.pairs
                .retain(|_, pair| pair.under_way > 0 || now.saturating_duration_since(pair.last) < MEMORY);
            let since = middle(self.pairs.values().map(|pair| pair.last));
            if self.pairs.len() >= MOST {
                self.pairs.retain(|_, pair| pair.under_way > 0 || pair.last > since.unwrap_or(now));
            }
        }
        if self.addresses.len() >= MOST {
            self.addresses.retain(|_, address| {
                address.refill(now);
                address.left < OF_ADDRESS
            });
            if self.addresses.len() >= MOST {
                // So many attackers: what they may is bounded by the hashes that one thread computes.
                self.addresses.clear();
            }
        }
    }
}

/// A moment that half of them are before.
fn middle(moments: impl Iterator<Item = Instant>) -> Option<Instant> {
    let mut moments: Vec<_> = moments.collect();
    let half = moments.len() / 2;
    (half > 0).then(|| *moments.select_nth_unstable(half).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 1));
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(10, 0, 0, 2));

    fn name(name: &str) -> Arc<str> {
        name.into()
    }

    #[test]
    fn who_guesses_waits_longer_each_time_and_nobody_else_does() {
        let (mut guesses, ada, mut now) = (Guesses::default(), name("ada"), Instant::now());
        let mut waits = Vec::new();
        for _ in 0..14 {
            guesses.begin(&ada, HERE, true, now).unwrap();
            let wait = guesses.end(&ada, HERE, false, now);
            waits.push(wait.as_secs());
            if wait > Duration::ZERO {
                assert!(guesses.begin(&ada, HERE, true, now).unwrap_err() <= wait);
            }
            assert_eq!(guesses.begin(&ada, THERE, true, now), Ok(()), "from elsewhere");
            guesses.end(&ada, THERE, true, now);
            assert_eq!(guesses.begin(&name("bob"), HERE, true, now), Ok(()), "another one");
            guesses.end(&name("bob"), HERE, true, now);
            now += wait;
        }
        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 60, 60, 60, 60]);
        guesses.begin(&ada, HERE, true, now).unwrap();
        guesses.end(&ada, HERE, true, now);
        guesses.begin(&ada, HERE, true, now).unwrap();
        assert_eq!(guesses.end(&ada, HERE, false, now), Duration::ZERO, "a right one forgives");
    }

    #[test]
    fn many_at_once_are_no_way_around() {
        let (mut guesses, ada, now) = (Guesses::default(), name("ada"), Instant::now());
        let let_in = (0..100).filter(|_| guesses.begin(&ada, HERE, true, now).is_ok()).count();
        assert_eq!(let_in, FREE as usize);
    }

    #[test]
    fn names_that_nobody_has_are_not_looked_at_for_ever_and_those_of_others_are() {
        let (mut guesses, mut now) = (Guesses::default(), Instant::now());
        let mut let_in = 0;
        for number in 0..1_000 {
            let nobody = name(&format!("nobody{number}"));
            if guesses.begin(&nobody, HERE, false, now).is_ok() {
                guesses.end(&nobody, HERE, false, now);
                let_in += 1;
            }
        }
        assert_eq!(let_in, OF_ADDRESS as usize);
        assert!(guesses.begin(&name("ada"), HERE, true, now).is_ok());
        guesses.end(&name("ada"), HERE, true, now);
        assert!(guesses.begin(&name("nobody"), THERE, false, now).is_ok());
        now += Duration::from_secs(2);
        assert!(guesses.begin(&name("nobody"), HERE, false, now).is_ok());
    }

    #[test]
    fn nor_are_many_of_them_at_once() {
        let (mut guesses, now) = (Guesses::default(), Instant::now());
        let names = (0..1_000).map(|number| name(&format!("nobody{number}")));
        let let_in = names.filter(|nobody| guesses.begin(nobody, HERE, false, now).is_ok()).count();
        assert_eq!(let_in, OF_ADDRESS as usize);
    }

    #[test]
    fn it_does_not_grow_without_bound() {
        let (mut guesses, now) = (Guesses::default(), Instant::now());
        for number in 0..2 * MOST as u32 {
            let address = IpAddr::from(number.to_be_bytes());
            if guesses.begin(&name("ada"), address, true, now).is_ok() {
                guesses.end(&name("ada"), address, false, now);
            }
        }
        assert!(guesses.pairs.len() <= MOST && guesses.addresses.len() <= MOST);
    }
}
