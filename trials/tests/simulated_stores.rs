//! The checker of histories beside stores whose isolation is known: it passes what a serializable one does, in time that
//! grows with the history and not faster, and finds in the others what their isolation admits, and nothing graver.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::{Duration, Instant};

use fastrand::Rng;
use trials::histories::{AnomalyKind, Element, History, Operation, Outcome, Transaction, check};

/// How a store keeps transactions apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Isolation {
    /// All of a transaction happens at one moment between its request and its answer.
    Serializable,
    /// It reads as of its beginning, and is refused if somebody has replaced what it replaces.
    Snapshot,
    /// Each of its reads is of what has committed by then.
    ReadCommitted,
    /// Serializable, but those that only read may read what was there some commits ago.
    StaleReaders,
}

/// A committed change and when it was made.
type Change = (u64, Operation);

/// A store that keeps every change.
#[derive(Default)]
struct Store {
    changes: HashMap<String, Vec<Change>>,
    commits: u64,
}

impl Store {
    fn changes(&self, object: &str, at: u64) -> impl Iterator<Item = &Operation> {
        let changes = self.changes.get(object).map_or(&[][..], Vec::as_slice);
        changes.iter().filter(move |(commit, _)| *commit <= at).map(|(_, change)| change)
    }

    /// Whether somebody has replaced the object since.
    fn is_newer(&self, object: &str, than: u64) -> bool {
        self.changes.get(object).and_then(|changes| changes.last()).is_some_and(|(commit, _)| *commit > than)
    }

    /// What a read sees of the store as it was after commit `at`, and of what its own transaction did.
    fn read(&self, read: &Operation, at: u64, own: &[Operation]) -> Operation {
        let object = read.object();
        let changes = self.changes(object, at).chain(own.iter().filter(|change| change.object() == object));
        match read {
            Operation::ReadList { list, .. } => {
                let appended = changes.filter_map(|change| match change {
                    Operation::Append { element, .. } => Some(*element),
                    _ => None,
                });
                Operation::ReadList { list: list.clone(), elements: appended.collect() }
            }
            Operation::ReadRegister { register, .. } => {
                let written = changes.filter_map(|change| match change {
                    Operation::Write { value, .. } => Some(*value),
                    _ => None,
                });
                Operation::ReadRegister { register: register.clone(), value: written.last() }
            }
            _ => {
                let mut elements = BTreeSet::new();
                for change in changes {
                    match change {
                        Operation::Add { element, .. } => elements.insert(*element),
                        Operation::Remove { element, .. } => elements.remove(element),
                        _ => false,
                    };
                }
                Operation::ReadSet { set: object.clone(), elements: elements.into_iter().collect() }
            }
        }
    }

    fn commit(&mut self, changes: &[Operation]) {
        self.commits += 1;
        for change in changes {
            let of_object = self.changes.entry(change.object().clone()).or_default();
            of_object.push((self.commits, change.clone()));
        }
    }
}

/// A transaction on its way: what it still has to do, and what it has done.
struct Running {
    invoked: u64,
    snapshot: u64,
    to_do: Vec<Operation>,
    done: Vec<Operation>,
}

const CLIENTS: usize = 8;

/// So many transactions of one object of each kind are followed by fresh objects.
const EPOCH: usize = 300;

struct Simulation {
    isolation: Isolation,
    rng: Rng,
    store: Store,
    now: u64,
    next_element: Element,
    running: BTreeMap<usize, Running>,
    history: Vec<Transaction>,
}

impl Simulation {
    fn run(isolation: Isolation, seed: u64, transactions: usize) -> History {
        let mut simulation = Self {
            isolation,
            rng: Rng::with_seed(seed),
            store: Store::default(),
            now: 0,
            next_element: 0,
            running: BTreeMap::new(),
            history: Vec::new(),
        };
        while simulation.history.len() < transactions {
            simulation.now += 1;
            let client = simulation.rng.usize(..CLIENTS);
            match simulation.running.remove(&client) {
                None => simulation.begin(client),
                Some(running) => simulation.step(client, running),
            }
        }
        History::new(simulation.history)
    }

    fn begin(&mut self, client: usize) {
        let to_do = (0..self.rng.usize(1..5)).flat_map(|_| self.idea()).rev().collect();
        let (invoked, snapshot) = (self.now, self.store.commits);
        self.running.insert(client, Running { invoked, snapshot, to_do, done: Vec::new() });
    }

    /// One or two operations on a random object; what they read is filled in later.
    fn idea(&mut self) -> Vec<Operation> {
        self.next_element += 1;
        let (element, epoch) = (self.next_element, self.history.len() / EPOCH);
        let name = |kind: &str, number: u32| format!("{kind}{number}.{epoch}");
        let number = self.rng.u32(..4);
        let (list, register, set) = (name("list", number), name("register", number), name("set", number));
        match self.rng.u32(..6) {
            0 => vec![Operation::Append { list, element }],
            1 => vec![Operation::ReadList { list, elements: Vec::new() }],
            2 => vec![Operation::ReadRegister { register, value: None }],
            3 => {
                let read = Operation::ReadRegister { register: register.clone(), value: None };
                vec![read, Operation::Write { register, value: element }]
            }
            4 => vec![Operation::Add { set, element }],
            _ => vec![Operation::ReadSet { set, elements: Vec::new() }],
        }
    }

    fn step(&mut self, client: usize, mut running: Running) {
        let at_once = matches!(self.isolation, Isolation::Serializable | Isolation::StaleReaders);
        let only_reads = running.to_do.iter().chain(&running.done).all(|operation| !operation.writes());
        if at_once {
            running.snapshot = self.store.commits;
            if self.isolation == Isolation::StaleReaders && only_reads {
                running.snapshot = running.snapshot.saturating_sub(self.rng.u64(..20));
            }
        }
        while let Some(operation) = running.to_do.pop() {
            let done = if operation.writes() { operation } else { self.read(&running, &operation) };
            running.done.push(done);
            if !at_once {
                break;
            }
        }
        if running.to_do.is_empty() {
            self.end(client, running);
        } else {
            self.running.insert(client, running);
        }
    }

    fn read(&self, running: &Running, read: &Operation) -> Operation {
        let at =
            if self.isolation == Isolation::ReadCommitted { self.store.commits } else { running.snapshot };
        let own: Vec<Operation> = running.done.iter().filter(|change| change.writes()).cloned().collect();
        self.store.read(read, at, &own)
    }

    fn end(&mut self, client: usize, running: Running) {
        let writes: Vec<Operation> =
            running.done.iter().filter(|operation| operation.writes()).cloned().collect();
        // Elements may be added to a set beside each other.
        let replaced = writes.iter().filter(|change| !matches!(change, Operation::Add { .. }));
        let lost = replaced.into_iter().any(|change| self.store.is_newer(change.object(), running.snapshot));
        let is_refused = (self.isolation == Isolation::Snapshot && lost) || self.rng.u32(..50) == 0;
        if !is_refused {
            self.store.commit(&writes);
        }
        // Of some that have happened, and some that have not, nobody hears.
        let outcome = match (self.rng.u32(..50), is_refused) {
            (0, _) => Outcome::Unknown,
            (_, true) => Outcome::Refused,
            _ => Outcome::Committed,
        };
        self.now += 1;
        let operations = if outcome == Outcome::Committed { running.done } else { writes };
        self.history.push(Transaction {
            client: client as u32,
            workload: format!("{:?}", self.isolation),
            request: String::new(),
            invoked: running.invoked,
            completed: self.now,
            outcome,
            operations,
            broken: None,
        });
    }
}

/// How many anomalies of each class a store of some isolation shows.
fn anomalies(isolation: Isolation, seed: u64) -> BTreeMap<AnomalyKind, usize> {
    let mut found = BTreeMap::new();
    for anomaly in check(&Simulation::run(isolation, seed, 2_000)) {
        *found.entry(anomaly.kind).or_default() += 1;
    }
    found
}

#[test]
fn a_serializable_store_passes() {
    for seed in 0..3 {
        assert_eq!(anomalies(Isolation::Serializable, seed), BTreeMap::new(), "seed {seed}");
    }
}

#[test]
fn a_store_with_snapshot_isolation_shows_write_skew_and_nothing_else() {
    for seed in 0..3 {
        let found = anomalies(Isolation::Snapshot, seed);
        // Cycles of several anti-dependencies, some of which real time closes.
        let admitted = [AnomalyKind::G2Item, AnomalyKind::G2, AnomalyKind::RealTime];
        assert!(found.contains_key(&AnomalyKind::G2Item), "seed {seed}: {found:?}");
        assert!(found.contains_key(&AnomalyKind::G2), "seed {seed}: {found:?}");
        assert!(found.keys().all(|kind| admitted.contains(kind)), "seed {seed}: {found:?}");
    }
}

#[test]
fn a_store_with_committed_reads_shows_lost_updates_and_torn_reads() {
    for seed in 0..3 {
        let found = anomalies(Isolation::ReadCommitted, seed);
        for kind in [AnomalyKind::LostUpdate, AnomalyKind::TornRead, AnomalyKind::Internal] {
            assert!(found.contains_key(&kind), "seed {seed}: {found:?}");
        }
        let impossible = [AnomalyKind::G0, AnomalyKind::G1a, AnomalyKind::G1b, AnomalyKind::G1c];
        assert!(found.keys().all(|kind| !impossible.contains(kind)), "seed {seed}: {found:?}");
    }
}

#[test]
fn a_store_with_stale_readers_shows_stale_reads_and_nothing_else() {
    for seed in 0..3 {
        let found = anomalies(Isolation::StaleReaders, seed);
        // What was written last, and the last reader missed, is as good as lost.
        let admitted = [AnomalyKind::StaleRead, AnomalyKind::Lost];
        assert!(found.contains_key(&AnomalyKind::StaleRead), "seed {seed}: {found:?}");
        assert!(found.keys().all(|kind| admitted.contains(kind)), "seed {seed}: {found:?}");
    }
}

#[test]
fn the_time_grows_with_the_history_and_not_faster() {
    let time = |transactions: usize| {
        let history = Simulation::run(Isolation::Serializable, 1, transactions);
        let shortest = (0..3).map(|_| {
            let began = Instant::now();
            assert_eq!(check(&history), []);
            began.elapsed()
        });
        shortest.min().unwrap_or(Duration::ZERO)
    };
    let (few, many) = (time(3_000), time(24_000));
    println!("3,000 transactions: {few:?}; 24,000: {many:?}");
    assert!(many < few * 8 * 3, "eight times as many transactions take {few:?} and {many:?}");
}
