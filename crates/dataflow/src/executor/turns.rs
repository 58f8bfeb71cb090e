//! Whose turn it is: members of a group take turns, and a member may be a group itself (Banyan, section 4.2: the operator
//! trees of an executor hang below scopes that are scheduled like any other).
//!
//! ```text
//! executor ─┬─ address 10.0.0.7 ─┬─ connection 3 ─┬─ query 7
//!           │                    │                └─ query 9
//!           │                    └─ connection 4 ─── query 8
//!           ├─ tenant 5, weight 3 ── connection 1 ─── query 5
//!           └─ the application ───── … ───────────── query 6
//! ```
//!
//! The next turn is that of the member which has used the least time; of equal ones, that of one which has had none yet, and
//! then of the one that came first. Whoever comes, or comes back, begins with as much as the member that has used least, so
//! nobody saves up turns by being away. Who has used more than that and leaves is remembered until the others have caught up.
//!
//! Where there are hundreds of others that is long for somebody who wants very little, and the others would not notice. So
//! every other turn may be a *favour*: it goes to a member that has come for a first turn, if it takes a tenth of the time at
//! most. Neither many nor long queries keep such a one waiting for longer than a turn or two. A favour of a turn at most is not
//! counted: among hundreds, who is done some has soon had many times what each of the others has, and would wait for seconds
//! until they have caught up, once it takes more than a tenth for a moment.
//!
//! A tenant has a share as large as its weight: time counts for so much less. A level more is a longer path.

use std::time::Duration;

use crate::query::{Party, Path};
use crate::quota::TURN;

/// Time that counts for a turn at least, so that no turn is for nothing.
const LEAST: Duration = Duration::from_micros(1);

/// A member is light that takes this part of the time at most.
const LIGHT: u32 = 10;

/// Time over which that is measured, of all members together.
const WINDOW: Duration = Duration::from_millis(100);

/// Members that are remembered beside those that wait, before those are sought who need not be.
const REMEMBERED: usize = 16;

/// Those who wait for a turn.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    all: Group<T>,
    /// One that waits while no other does: most often there are no others, and then there is nothing to be fair about.
    alone: Option<(Path, T, bool)>,
}

impl<T> Default for Turns<T> {
    fn default() -> Self {
        Self { all: Group::default(), alone: None }
    }
}

impl<T> Turns<T> {
    /// Whether nobody waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.alone.is_none() && self.all.waiting == 0
    }

    /// One comes that has had no turn yet, or has not wanted one for some time.
    pub(crate) fn come(&mut self, path: Path, item: T) {
        self.add(path, item, true);
    }

    /// One wants another turn after the one that it has just had.
    pub(crate) fn come_again(&mut self, path: Path, item: T) {
        self.add(path, item, false);
    }

    fn add(&mut self, path: Path, item: T, fresh: bool) {
        if self.is_empty() {
            self.alone = Some((path, item, fresh));
            return;
        }
        if let Some((path, item, fresh)) = self.alone.take() {
            self.all.add(&path, item, fresh);
        }
        self.all.add(&path, item, fresh);
    }

    /// The one whose turn it is. It waits no longer.
    pub(crate) fn next(&mut self) -> Option<T> {
        match self.alone.take() {
            Some((_, item, _)) => Some(item),
            None => self.all.next(),
        }
    }

    /// One of those that `need_not_wait`, whosever turn it is. It waits no longer.
    pub(crate) fn out_of_turn(&mut self, need_not_wait: impl Fn(&T) -> bool) -> Option<T> {
        match self.alone.take() {
            Some((_, item, _)) if need_not_wait(&item) => Some(item),
            Some(alone) => {
                self.alone = Some(alone);
                None
            }
            None => self.all.out_of_turn(&need_not_wait),
        }
    }

    /// Counts the time of a turn, had here or elsewhere.
    pub(crate) fn count(&mut self, path: Path, time: Duration) {
        if self.all.members.is_empty() {
            return;
        }
        if self.is_empty() {
            // Nobody is kept waiting by it.
            self.all = Group::default();
            return;
        }
        self.all.count(&path, time.max(LEAST));
    }
}

/// Members that take turns.
#[derive(Debug)]
struct Group<T> {
    /// Those that wait, and those that are remembered. There are as many as clients have queries at the most, which is some
    /// hundreds: they are looked through for each turn, which takes a microsecond, and the turn some hundreds.
    members: Vec<Member<T>>,
    /// How many of them wait.
    waiting: usize,
    /// Whoever waits has used this at least: what a newcomer begins with.
    least: Duration,
    /// Members that have come so far.
    come: u64,
    /// Time that members have used, all together.
    clock: Duration,
    /// Whether the last turn was a favour.
    favoured: bool,
}

#[derive(Debug)]
struct Member<T> {
    party: Party,
    used: Duration,
    /// Whether it has had no turn since it came.
    fresh: bool,
    /// When it came, as a number.
    came: u64,
    /// Whether it took little of the time when that was last measured, and what it has used since which time.
    light: bool,
    spent: Duration,
    since: Duration,
    place: Place<T>,
}

/// Where a member is.
#[derive(Debug)]
enum Place<T> {
    /// It does not wait.
    Away,
    Waits(T),
    /// Some of its members wait.
    Within(Group<T>),
}

impl<T> Default for Group<T> {
    fn default() -> Self {
        let (least, clock) = (Duration::ZERO, Duration::ZERO);
        Self { members: Vec::new(), waiting: 0, least, come: 0, clock, favoured: false }
    }
}

impl<T> Member<T> {
    fn waits(&self) -> bool {
        !matches!(self.place, Place::Away)
    }

    /// Takes what waits, or one of those that `choose` finds within. Who has nobody left that waits is away.
    fn take(&mut self, choose: impl FnOnce(&mut Group<T>) -> Option<T>) -> Option<T> {
        match std::mem::replace(&mut self.place, Place::Away) {
            Place::Away => None,
            Place::Waits(item) => Some(item),
            Place::Within(mut group) => {
                let item = choose(&mut group);
                if group.waiting > 0 {
                    self.place = Place::Within(group);
                }
                item
            }
        }
    }

    /// Whether it may be done a favour.
    fn is_favourite(&self) -> bool {
        self.fresh && self.light
    }

    /// Measures how much of the time it takes, if it is time to.
    fn measure(&mut self, clock: Duration) {
        let elapsed = clock.saturating_sub(self.since);
        if elapsed >= WINDOW {
            self.light = self.spent * LIGHT <= elapsed;
            (self.spent, self.since) = (Duration::ZERO, clock);
        }
    }
}

impl<T> Group<T> {
    /// The member for a party; one that is away if it is new.
    fn member(&mut self, party: Party) -> &mut Member<T> {
        let known = self.members.iter().position(|member| member.party == party);
        let at = known.unwrap_or_else(|| {
            self.members.push(Member {
                party,
                used: self.least,
                fresh: true,
                came: 0,
                light: true,
                spent: Duration::ZERO,
                since: self.clock,
                place: Place::Away,
            });
            self.members.len() - 1
        });
        &mut self.members[at]
    }

    fn add(&mut self, path: &[Party], item: T, fresh: bool) {
        let Some((&party, inside)) = path.split_first() else { return };
        let (least, clock, come) = (self.least, self.clock, self.come + 1);
        let member = self.member(party);
        let comes = !member.waits();
        if comes {
            (member.used, member.fresh, member.came) = (member.used.max(least), fresh, come);
            member.measure(clock);
        }
        match (&mut member.place, inside) {
            (place, []) => *place = Place::Waits(item),
            (Place::Within(group), inside) => group.add(inside, item, fresh),
            (place, inside) => {
                let mut group = Self::default();
                group.add(inside, item, fresh);
                *place = Place::Within(group);
            }
        }
        self.come += u64::from(comes);
        self.waiting += usize::from(comes);
    }

    fn next(&mut self) -> Option<T> {
        let favours = !self.favoured;
        let order = |member: &&mut Member<T>| {
            (!(favours && member.is_favourite()), member.used, !member.fresh, member.came)
        };
        let member = self.members.iter_mut().filter(|member| member.waits()).min_by_key(order)?;
        self.favoured = favours && member.is_favourite();
        let item = member.take(Self::next);
        self.waiting -= usize::from(!member.waits());
        item
    }

    fn out_of_turn(&mut self, need_not_wait: &impl Fn(&T) -> bool) -> Option<T> {
        for member in self.members.iter_mut().filter(|member| member.waits()) {
            let item = match &member.place {
                Place::Waits(item) if !need_not_wait(item) => None,
                _ => member.take(|group| group.out_of_turn(need_not_wait)),
            };
            if item.is_some() {
                self.waiting -= usize::from(!member.waits());
                return item;
            }
        }
        None
    }

    fn count(&mut self, path: &[Party], time: Duration) {
        let Some((&party, inside)) = path.split_first() else { return };
        let favoured = self.favoured;
        let member = self.member(party);
        // A larger share is time that counts for less.
        let is_free = favoured && member.is_favourite() && time <= TURN;
        let counted = if is_free { Duration::ZERO } else { time / party.weight() };
        (member.used, member.spent, member.fresh) = (member.used + counted, member.spent + time, false);
        if let Place::Within(group) = &mut member.place {
            group.count(inside, time);
        }
        let used = member.used;
        self.clock += time;
        let least = self.members.iter().filter(|member| member.waits()).map(|member| member.used).min();
        self.least = self.least.max(least.unwrap_or(used).min(used));
        if self.members.len() > self.waiting + REMEMBERED {
            let least = self.least;
            self.members.retain(|member| member.waits() || member.used > least);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use super::*;
    use crate::query::Caller;

    const TURN: Duration = Duration::from_micros(500);

    fn client(address: u8, connection: u64) -> Caller {
        Caller::Client { address: IpAddr::from([10, 0, 0, address]), connection }
    }

    /// An executor on which queries take turns; each is told by its number.
    #[derive(Default)]
    struct Executor {
        turns: Turns<(Path, u64)>,
    }

    impl Executor {
        fn come(&mut self, caller: Caller, query: u64) {
            let path = caller.path(query);
            self.turns.come(path, (path, query));
        }

        /// The next query has a turn of this length, and wants another.
        fn turn(&mut self, time: Duration) -> u64 {
            let (path, query) = self.turns.next().unwrap();
            self.turns.count(path, time);
            self.turns.come_again(path, (path, query));
            query
        }

        /// The next query has a short turn, and is done.
        fn last_turn(&mut self) -> u64 {
            let (path, query) = self.turns.next().unwrap();
            self.turns.count(path, TURN / 50);
            query
        }

        /// How often each of the queries was among so many turns.
        fn shares(&mut self, turns: usize, queries: &[u64]) -> Vec<usize> {
            let had: Vec<u64> = (0..turns).map(|_| self.turn(TURN)).collect();
            queries.iter().map(|query| had.iter().filter(|had| *had == query).count()).collect()
        }
    }

    #[test]
    fn turns_go_round_addresses_then_connections_then_queries() {
        let mut executor = Executor::default();
        executor.come(client(1, 1), 1);
        executor.come(client(1, 2), 2);
        executor.come(client(1, 2), 3);
        for query in 4..20 {
            executor.come(client(2, query), query);
        }
        executor.come(Caller::Application, 20);
        let shares = executor.shares(4_800, &[1, 2, 3, 4, 19, 20]);
        let expected = [800, 400, 400, 100, 100, 1600];
        for (share, expected) in shares.iter().zip(expected) {
            assert!(share.abs_diff(expected) <= 2, "{shares:?}");
        }
    }

    #[test]
    fn a_tenant_has_a_share_as_large_as_its_weight() {
        let tenant = |tenant: u32, weight: u16, connection| Caller::Tenant { tenant, weight, connection };
        let mut executor = Executor::default();
        executor.come(tenant(1, 1, 1), 1);
        for query in 2..10 {
            executor.come(tenant(2, 3, query), query);
        }
        executor.come(client(1, 1), 10);
        let shares = executor.shares(5_000, &[1, 2, 10]);
        for (share, expected) in shares.iter().zip([1_000, 3_000 / 8, 1_000]) {
            assert!(share.abs_diff(expected) <= 2, "{shares:?}");
        }
    }

    #[test]
    fn whoever_comes_has_the_next_turn_however_many_others_there_are() {
        for caller in [client(1, 7), client(1, 999), client(2, 1), Caller::Application] {
            for connections in [1, 200] {
                let mut executor = Executor::default();
                for heavy in 0..200 {
                    // With a connection for each query, the caller's is none of these.
                    let connection = if connections == 1 { 7 } else { 1_000 + heavy };
                    executor.come(client(1, connection), heavy);
                }
                executor.shares(400, &[]);
                for probe in 1_000..1_500 {
                    executor.turn(TURN);
                    executor.come(caller, probe);
                    assert_eq!(executor.last_turn(), probe, "{caller:?}, {connections} connections");
                }
            }
        }
    }

    /// Favours are every other turn at most, and the turns between go round as ever.
    #[test]
    fn many_who_are_done_favours_leave_another_half_of_its_share() {
        let mut executor = Executor::default();
        executor.come(client(1, 1), 0);
        let mut had = 0;
        for query in 1..10_000 {
            executor.come(client((query % 100) as u8 + 2, query % 100), query);
            let (path, who) = executor.turns.next().unwrap();
            executor.turns.count(path, TURN);
            if who == 0 {
                had += 1;
                executor.turns.come_again(path, (path, who));
            }
        }
        assert!(had > 10_000 / 101 / 2, "{had}");
    }

    #[test]
    fn who_takes_much_in_short_turns_is_done_no_favours() {
        let mut executor = Executor::default();
        for heavy in 0..50 {
            executor.come(client(1, heavy), heavy);
        }
        let mut short = 0;
        for query in 100..10_000 {
            executor.come(client(1, 99), query);
            let (path, who) = executor.turns.next().unwrap();
            executor.turns.count(path, TURN);
            short += u64::from(who >= 100);
            if who < 50 {
                executor.turns.come_again(path, (path, who));
            }
        }
        assert!(short < 1_000, "{short} of 9,900 turns, among 51 connections");
    }

    #[test]
    fn who_takes_a_little_too_much_waits_for_a_round_and_not_until_all_have_had_as_much() {
        let mut executor = Executor::default();
        for heavy in 0..200 {
            executor.come(client(1, heavy), heavy);
        }
        let mut longest = 0;
        for query in 1_000..20_000 {
            executor.come(client(1, 999), query);
            // Less than a tenth of the time for a while, and then more: either for longer than it is measured.
            let short = if query % 1_000 < 500 { TURN / 20 } else { TURN / 8 };
            let mut waited = 0;
            loop {
                let (path, who) = executor.turns.next().unwrap();
                executor.turns.count(path, if who == query { short } else { TURN });
                if who == query {
                    break;
                }
                executor.turns.come_again(path, (path, who));
                waited += 1;
            }
            longest = longest.max(waited);
        }
        assert!((2..=2 * 200).contains(&longest), "{longest} turns");
    }

    #[test]
    fn short_queries_one_after_another_do_not_keep_a_long_one_from_its_share() {
        let mut executor = Executor::default();
        executor.come(client(1, 1), 0);
        let (mut long, mut short) = (0, 0);
        for query in 1..1_000 {
            executor.come(client(2, 2), query);
            let (path, who) = executor.turns.next().unwrap();
            executor.turns.count(path, TURN);
            if who == 0 {
                long += 1;
                executor.turns.come_again(path, (path, who));
                let (path, _) = executor.turns.next().unwrap();
                executor.turns.count(path, TURN);
            }
            short += 1;
        }
        assert!(long * 3 > short, "{long} turns beside {short} short queries");
    }

    #[test]
    fn nobody_saves_up_turns_by_being_away() {
        let mut executor = Executor::default();
        executor.come(client(1, 1), 1);
        executor.come(client(2, 2), 2);
        executor.shares(1_000, &[]);
        executor.come(client(3, 3), 3);
        let shares = executor.shares(300, &[1, 2, 3]);
        assert!(shares.iter().all(|share| share.abs_diff(100) <= 2), "{shares:?}");
    }

    #[test]
    fn a_long_turn_is_made_up_for() {
        let mut executor = Executor::default();
        executor.come(client(1, 1), 1);
        executor.come(client(2, 2), 2);
        assert_eq!(executor.turn(TURN * 40), 1);
        let shares = executor.shares(40, &[1, 2]);
        assert!(shares[1] >= 39, "{shares:?}");
        let shares = executor.shares(100, &[1, 2]);
        assert!(shares[0].abs_diff(50) <= 2, "{shares:?}");
    }

    #[test]
    fn a_turn_that_was_had_elsewhere_counts_too() {
        let mut executor = Executor::default();
        executor.come(client(1, 1), 1);
        executor.come(client(2, 2), 2);
        executor.turn(TURN);
        // A piece of another query of the first address.
        executor.turns.count(client(1, 7).path(9), TURN * 10);
        let shares = executor.shares(10, &[1, 2]);
        assert!(shares[1] >= 9, "{shares:?}");
    }

    #[test]
    fn who_need_not_wait_is_found_wherever_it_waits() {
        let mut executor = Executor::default();
        assert!(executor.turns.out_of_turn(|_| true).is_none());
        executor.come(client(1, 1), 1);
        assert!(executor.turns.out_of_turn(|(_, query)| *query == 2).is_none());
        for (query, caller) in [(2, client(1, 1)), (3, client(1, 2)), (4, client(2, 3))] {
            executor.come(caller, query);
        }
        executor.turn(TURN * 1_000);
        for query in [2, 4, 1] {
            let found = executor.turns.out_of_turn(|(_, waits)| *waits == query);
            assert_eq!(found.map(|(_, found)| found), Some(query));
        }
        assert_eq!(executor.turn(TURN), 3);
        assert!(executor.turns.out_of_turn(|(_, query)| *query == 3).is_some());
        assert!(executor.turns.is_empty() && executor.turns.next().is_none());
    }

    #[test]
    fn little_is_remembered_of_those_who_are_gone() {
        let mut executor = Executor::default();
        executor.come(client(1, 1), 0);
        for query in 1..10_000 {
            executor.come(client((query % 200) as u8, query), query);
            executor.last_turn();
            executor.turn(TURN);
        }
        let group = &executor.turns.all;
        assert!(group.members.len() <= 2 * REMEMBERED, "{}", group.members.len());
        executor.turns.next();
        assert!(executor.turns.is_empty() && executor.turns.next().is_none());
    }
}
