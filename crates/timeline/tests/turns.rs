//! Random schedules of transactions that lose against each other: whoever has lost goes first the next time.

use std::time::Duration;

use proptest::prelude::*;
use proptest::sample::Index;
use timeline::{
    Capacity, Footprint, Reservations, Sequencer, Stamp, Ticket, Turn, Unit, UnitKind, Validator,
};

const UNITS: u64 = 8;
const TERM: Duration = Duration::from_millis(20);

#[derive(Clone, Debug)]
enum Step {
    /// A request that reads, replaces and adds to some units.
    Begin { reads: Vec<u64>, replaces: Vec<u64>, adds: Vec<u64> },
    /// One of those that run tries to commit.
    Commit(Index),
    /// One of those that lost asks for its turn.
    Ask(Index),
    /// One of those that lost gives up.
    GiveUp(Index),
    /// The oldest commit on its way becomes visible.
    Settle,
    /// So many milliseconds pass.
    Wait(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let units = || prop::collection::vec(0..UNITS, 0..3);
    prop_oneof![
        4 => (units(), units(), units())
            .prop_map(|(reads, replaces, adds)| Step::Begin { reads, replaces, adds }),
        5 => any::<Index>().prop_map(Step::Commit),
        5 => any::<Index>().prop_map(Step::Ask),
        1 => any::<Index>().prop_map(Step::GiveUp),
        4 => Just(Step::Settle),
        2 => (0..15_u8).prop_map(Step::Wait),
    ]
}

struct Request {
    snapshot: Stamp,
    footprint: Footprint,
    /// Its ticket, and when its turn came, if it lost before.
    turn: Option<(Ticket, Duration)>,
}

struct Database {
    validator: Validator,
    sequencer: Sequencer,
    reservations: Reservations,
    now: Duration,
    running: Vec<Request>,
    lost: Vec<(Ticket, Footprint)>,
    on_their_way: Vec<Stamp>,
}

impl Database {
    fn new() -> Self {
        Self {
            validator: Validator::new(Stamp::ZERO, 10_000),
            sequencer: Sequencer::new(),
            reservations: Reservations::new(Capacity::default()),
            now: Duration::ZERO,
            running: Vec::new(),
            lost: Vec::new(),
            on_their_way: Vec::new(),
        }
    }

    fn run(&mut self, step: Step) {
        match step {
            Step::Begin { reads, replaces, adds } => {
                let footprint = footprint(&reads, &replaces, &adds);
                self.running.push(Request { snapshot: self.sequencer.visible(), footprint, turn: None });
            }
            Step::Commit(which) if !self.running.is_empty() => {
                let request = self.running.remove(which.index(self.running.len()));
                self.commit(request);
            }
            Step::Ask(which) if !self.lost.is_empty() => self.ask(which.index(self.lost.len())),
            Step::GiveUp(which) if !self.lost.is_empty() => {
                let (ticket, _) = self.lost.remove(which.index(self.lost.len()));
                self.reservations.release(ticket, self.sequencer.assigned());
            }
            Step::Settle if !self.on_their_way.is_empty() => {
                let stamp = self.on_their_way.remove(0);
                self.sequencer.durable(stamp);
                self.sequencer.applied(stamp);
            }
            Step::Wait(ms) => self.now += Duration::from_millis(ms.into()),
            _ => {}
        }
    }

    fn commit(&mut self, request: Request) {
        let Request { snapshot, footprint, turn } = request;
        let ticket = turn.map(|(ticket, _)| ticket);
        let valid = self.validator.check(snapshot, &footprint).is_ok();
        let free = self.reservations.check(&footprint, ticket, self.now).is_ok();
        if let Some((_, came)) = turn {
            let in_time = self.now < came + TERM;
            assert!(!in_time || (valid && free), "its turn had come, and it lost all the same");
        }
        if valid && free {
            let stamp = self.sequencer.assign().unwrap();
            self.validator.record(stamp, &footprint);
            self.on_their_way.push(stamp);
            ticket.map(|ticket| self.reservations.release(ticket, stamp));
            return;
        }
        let (again, assigned) = (footprint.clone(), self.sequencer.assigned());
        let ticket = self.reservations.reserve(ticket, again, assigned, (TERM, self.now)).unwrap();
        self.lost.push((ticket, footprint));
    }

    fn ask(&mut self, at: usize) {
        let (ticket, visible) = (self.lost[at].0, self.sequencer.visible());
        match self.reservations.turn(ticket, visible, self.now) {
            Turn::Come => {
                let (ticket, footprint) = self.lost.remove(at);
                self.running.push(Request { snapshot: visible, footprint, turn: Some((ticket, self.now)) });
            }
            Turn::Waits(latest) => assert!(latest > self.now),
        }
    }

    /// Lets everything come to its end, with nobody new. Everybody gets through.
    fn finish(&mut self) {
        for _ in 0..10 * (self.lost.len() + self.running.len() + 1) {
            while let Some(request) = self.running.pop() {
                self.commit(request);
            }
            while !self.on_their_way.is_empty() {
                self.run(Step::Settle);
            }
            (0..self.lost.len()).rev().for_each(|at| self.ask(at));
        }
        assert!(self.lost.is_empty() && self.running.is_empty() && self.reservations.is_empty());
    }
}

fn footprint(reads: &[u64], replaces: &[u64], adds: &[u64]) -> Footprint {
    let unit = |number: &u64| Unit::new(UnitKind::Vertex, 0, *number);
    let mut footprint = Footprint::new();
    reads.iter().for_each(|number| footprint.reads(unit(number)));
    replaces.iter().for_each(|number| footprint.replaces(unit(number)).unwrap());
    adds.iter().for_each(|number| footprint.adds(unit(number)).unwrap());
    footprint
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    #[test]
    fn whoever_lost_commits_once_its_turn_has_come(steps in prop::collection::vec(step(), 1..200)) {
        let mut database = Database::new();
        steps.into_iter().for_each(|step| database.run(step));
        database.finish();
    }
}
