//! The oracle against a naive model: the transitive closure of everything that was ever assigned or is said by clocks.

use proptest::prelude::*;
use proptest::sample::Index;
use timeline::{
    Epoch, Gatekeeper, GatekeeperId, OracleError, OracleGraph, TimeOrder, TimelineOracle, Timestamp,
    VectorClock,
};

const GATEKEEPERS: usize = 4;

#[derive(Clone, Debug)]
enum Step {
    Stamp(usize),
    Announce {
        from: usize,
        to: usize,
    },
    Decide(Index, Index),
    Assign(Vec<(Index, Index)>),
    /// A transaction ends: the horizon may pass it.
    End(Index),
    Collect,
}

fn step() -> impl Strategy<Value = Step> {
    let pair = || (any::<Index>(), any::<Index>());
    prop_oneof![
        6 => (0..GATEKEEPERS).prop_map(Step::Stamp),
        1 => (0..GATEKEEPERS, 0..GATEKEEPERS).prop_map(|(from, to)| Step::Announce { from, to }),
        5 => pair().prop_map(|(a, b)| Step::Decide(a, b)),
        2 => prop::collection::vec(pair(), 1..4).prop_map(Step::Assign),
        2 => any::<Index>().prop_map(Step::End),
        1 => Just(Step::Collect),
    ]
}

/// Everything that ever happened, and `before[a][b]` for every pair, closed under transitivity.
#[derive(Default)]
struct Model {
    events: Vec<Timestamp>,
    before: Vec<Vec<bool>>,
}

impl Model {
    fn add(&mut self, timestamp: Timestamp) {
        let mut row = vec![false; self.events.len()];
        for (other, before) in self.events.iter().zip(&mut self.before) {
            before.push(other.is_before(&timestamp));
        }
        row.push(false);
        self.events.push(timestamp);
        self.before.push(row);
        self.close();
    }

    fn assign(&mut self, first: usize, second: usize) {
        self.before[first][second] = true;
        self.close();
    }

    fn close(&mut self) {
        let count = self.events.len();
        for middle in 0..count {
            for from in 0..count {
                if self.before[from][middle] {
                    for to in 0..count {
                        self.before[from][to] |= self.before[middle][to];
                    }
                }
            }
        }
    }

    fn order(&self, left: usize, right: usize) -> TimeOrder {
        match (left == right, self.before[left][right], self.before[right][left]) {
            (true, false, false) => TimeOrder::Equal,
            (_, true, false) => TimeOrder::Before,
            (_, false, true) => TimeOrder::After,
            (_, false, false) => TimeOrder::Concurrent,
            (_, true, true) => panic!("the timeline has a cycle"),
        }
    }
}

struct Cluster {
    gatekeepers: Vec<Gatekeeper>,
    oracle: OracleGraph,
    model: Model,
    /// The transactions that run; only they are asked about.
    running: Vec<usize>,
}

impl Cluster {
    fn new() -> Self {
        let gatekeeper = |id| Gatekeeper::new(Epoch(3), GatekeeperId(id as u16), GATEKEEPERS);
        Self {
            gatekeepers: (0..GATEKEEPERS).map(gatekeeper).collect(),
            oracle: OracleGraph::new(10_000),
            model: Model::default(),
            running: Vec::new(),
        }
    }

    fn run(&mut self, step: Step) {
        match step {
            Step::Stamp(who) => {
                self.running.push(self.model.events.len());
                self.model.add(self.gatekeepers[who].stamp());
            }
            Step::Announce { from, to } => {
                let announcement = self.gatekeepers[from].announce();
                self.gatekeepers[to].receive(&announcement).unwrap();
            }
            Step::Collect => {
                let horizon = self.horizon();
                self.oracle.collect(&horizon);
            }
            _ if self.running.is_empty() => {}
            Step::Decide(a, b) => self.decide(*a.get(&self.running), *b.get(&self.running)),
            Step::Assign(pairs) => {
                let pairs: Vec<(usize, usize)> =
                    pairs.iter().map(|(a, b)| (*a.get(&self.running), *b.get(&self.running))).collect();
                self.assign(&pairs);
            }
            Step::End(which) => {
                let at = which.index(self.running.len());
                self.running.remove(at);
            }
        }
    }

    fn decide(&mut self, first: usize, second: usize) {
        let established = self.model.order(first, second);
        let events = &self.model.events;
        let decided = self.oracle.decide(&events[first], &events[second]).unwrap();
        if established == TimeOrder::Concurrent {
            assert_eq!(decided, TimeOrder::Before, "without an established order, arrival order counts");
            self.model.assign(first, second);
        } else {
            assert_eq!(decided, established, "decisions are irrevocable");
        }
    }

    fn assign(&mut self, pairs: &[(usize, usize)]) {
        let events = &self.model.events;
        let named: Vec<(&Timestamp, &Timestamp)> =
            pairs.iter().map(|&(a, b)| (&events[a], &events[b])).collect();
        let outcome = self.oracle.assign(&named);
        let mut closed = Model { events: self.model.events.clone(), before: self.model.before.clone() };
        let mut possible = true;
        for &(first, second) in pairs {
            possible &= matches!(closed.order(first, second), TimeOrder::Before | TimeOrder::Concurrent);
            if possible {
                closed.assign(first, second);
            }
        }
        assert_eq!(outcome.is_ok(), possible, "{outcome:?}");
        match outcome {
            Ok(()) => self.model = closed,
            Err(error) => assert!(matches!(error, OracleError::Cycle { .. })),
        }
    }

    /// At most every timestamp that runs or is to come.
    fn horizon(&self) -> Timestamp {
        let running = self.running.iter().map(|&event| self.model.events[event].clock().clone());
        let to_come = self.gatekeepers.iter().map(|gatekeeper| gatekeeper.clock().clone());
        let meet = running.chain(to_come).reduce(|left: VectorClock, right| left.meet(&right));
        Timestamp::new(Epoch(3), meet.expect("there are gatekeepers"), GatekeeperId(0))
    }

    fn check_all(&self) {
        for &left in &self.running {
            for &right in &self.running {
                let (a, b) = (&self.model.events[left], &self.model.events[right]);
                assert_eq!(self.oracle.query(a, b), Ok(self.model.order(left, right)), "{a:?} {b:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn the_timeline_is_one_irrevocable_partial_order(steps in prop::collection::vec(step(), 1..40)) {
        let mut cluster = Cluster::new();
        for step in steps {
            cluster.run(step);
            cluster.check_all();
        }
    }
}

#[test]
fn an_oracle_whose_transactions_end_stays_small() {
    let mut cluster = Cluster::new();
    let mut largest = 0;
    for round in 0..20 {
        for who in 0..GATEKEEPERS {
            cluster.run(Step::Stamp(who));
        }
        let newest = cluster.model.events.len() - GATEKEEPERS;
        for other in 1..GATEKEEPERS {
            cluster.decide(newest, newest + other);
        }
        cluster.check_all();
        cluster.running.clear();
        for (from, to) in (0..GATEKEEPERS).flat_map(|from| (0..GATEKEEPERS).map(move |to| (from, to))) {
            cluster.run(Step::Announce { from, to });
        }
        cluster.run(Step::Collect);
        largest = largest.max(cluster.oracle.events());
        assert!(round < 2 || largest <= 2 * GATEKEEPERS, "{largest} transactions after round {round}");
    }
}
