//! A store against a naive model: a sorted map, and copies of it as snapshots.

use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::ops::Bound;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use store::{
    Durability, KeyRange, Keyspace, KeyspaceShape, ScanOrder, Snapshot, Store, Transaction, WriteBatch,
};

type Map = BTreeMap<Vec<u8>, Vec<u8>>;
type Writes = Vec<(Vec<u8>, Option<Vec<u8>>)>;

/// One step of a random history.
#[derive(Clone, Debug)]
enum Step {
    Write(Writes),
    Ingest(Map),
    Begin,
    InTransaction(usize, Writes),
    Lock(usize, Vec<u8>),
    Commit(usize),
    Abandon(usize),
    Snapshot,
    Release(usize),
    Check { from: Bound<Vec<u8>>, to: Bound<Vec<u8>> },
}

/// Few, short keys, so that histories collide; with bytes at both ends of the order.
fn key() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(0), Just(1), Just(b'a'), Just(b'b'), Just(254), Just(255)];
    prop::collection::vec(byte, 1..3)
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![4 => prop::collection::vec(any::<u8>(), 0..8), 1 => (1_000..9_000_usize).prop_map(|n| vec![b'v'; n])]
}

fn writes() -> impl Strategy<Value = Writes> {
    prop::collection::vec((key(), prop::option::weighted(0.7, value())), 1..6)
}

fn bound() -> impl Strategy<Value = Bound<Vec<u8>>> {
    prop_oneof![Just(Bound::Unbounded), key().prop_map(Bound::Included), key().prop_map(Bound::Excluded)]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => writes().prop_map(Step::Write),
        1 => prop::collection::btree_map(key(), value(), 0..6).prop_map(Step::Ingest),
        2 => Just(Step::Begin),
        4 => (0..4_usize, writes()).prop_map(|(which, writes)| Step::InTransaction(which, writes)),
        1 => (0..4_usize, key()).prop_map(|(which, key)| Step::Lock(which, key)),
        3 => (0..4_usize).prop_map(Step::Commit),
        1 => (0..4_usize).prop_map(Step::Abandon),
        1 => Just(Step::Snapshot),
        1 => (0..4_usize).prop_map(Step::Release),
        4 => (bound(), bound()).prop_map(|(from, to)| Step::Check { from, to }),
    ]
}

/// What the model knows of an open transaction.
struct Open {
    transaction: Transaction,
    sees: Map,
    written: Vec<Vec<u8>>,
    locked: Vec<Vec<u8>>,
    began: usize,
}

struct History<'a> {
    store: &'a dyn Store,
    keyspace: Keyspace,
    now: Map,
    /// For every commit so far, the keys that it wrote.
    commits: Vec<Vec<Vec<u8>>>,
    open: Vec<Open>,
    snapshots: Vec<(Snapshot, Map)>,
}

fn apply(map: &mut Map, writes: &Writes) {
    for (key, value) in writes {
        match value {
            Some(value) => map.insert(key.clone(), value.clone()),
            None => map.remove(key),
        };
    }
}

impl History<'_> {
    fn run(&mut self, step: Step) {
        match step {
            Step::Write(writes) => self.write(&writes),
            Step::Ingest(map) => self.ingest(map),
            Step::Begin => self.begin(),
            Step::InTransaction(which, writes) => self.write_in(which, &writes),
            Step::Lock(which, key) => self.lock(which, key),
            Step::Commit(which) => self.commit(which),
            Step::Abandon(which) => drop((which < self.open.len()).then(|| self.open.remove(which))),
            Step::Snapshot => self.snapshots.push((self.store.snapshot().unwrap(), self.now.clone())),
            Step::Release(which) => {
                drop((which < self.snapshots.len()).then(|| self.snapshots.remove(which)))
            }
            Step::Check { from, to } => self.check(from, to),
        }
    }

    fn write(&mut self, writes: &Writes) {
        let mut batch = WriteBatch::new();
        for (key, value) in writes {
            match value {
                Some(value) => batch.put(&self.keyspace, key.clone(), value.clone()),
                None => batch.delete(&self.keyspace, key.clone()),
            }
        }
        self.store.write_batch(batch, Durability::Buffered).unwrap();
        apply(&mut self.now, writes);
        self.commits.push(writes.iter().map(|(key, _)| key.clone()).collect());
    }

    /// Ingestion is not validated against transactions, so there must be none.
    fn ingest(&mut self, map: Map) {
        self.open.clear();
        let mut pairs = map.iter().map(|(key, value)| Ok((key.as_slice().into(), value.as_slice().into())));
        self.store.ingest(&self.keyspace, &mut pairs).unwrap();
        self.commits.push(map.keys().cloned().collect());
        self.now.extend(map);
    }

    fn begin(&mut self) {
        if self.open.len() < 4 {
            let (sees, began) = (self.now.clone(), self.commits.len());
            let transaction = self.store.begin().unwrap();
            self.open.push(Open { transaction, sees, written: Vec::new(), locked: Vec::new(), began });
        }
    }

    fn write_in(&mut self, which: usize, writes: &Writes) {
        let Some(open) = self.open.get_mut(which) else { return };
        for (key, value) in writes {
            match value {
                Some(value) => open.transaction.put(&self.keyspace, key.clone(), value.clone()).unwrap(),
                None => open.transaction.delete(&self.keyspace, key.clone()).unwrap(),
            }
            open.written.push(key.clone());
        }
        apply(&mut open.sees, writes);
    }

    fn lock(&mut self, which: usize, key: Vec<u8>) {
        let Some(open) = self.open.get_mut(which) else { return };
        open.transaction.lock(&self.keyspace, key.clone()).unwrap();
        open.locked.push(key);
    }

    fn commit(&mut self, which: usize) {
        if which >= self.open.len() {
            return;
        }
        let open = self.open.remove(which);
        let others = self.commits[open.began..].iter().flatten();
        let depends = |key| open.written.contains(key) || open.locked.contains(key);
        let conflicts = !open.written.is_empty() && others.clone().any(depends);
        let writes: Writes =
            open.written.iter().map(|key| (key.clone(), open.sees.get(key).cloned())).collect();
        let outcome = open.transaction.commit(Durability::Buffered);
        assert_eq!(outcome.is_err(), conflicts, "{outcome:?}");
        // Who locks a key has read it, and whoever writes it later does not conflict with that.
        if outcome.is_ok() && !open.written.is_empty() {
            apply(&mut self.now, &writes);
            self.commits.push(open.written);
        }
    }

    fn check(&self, from: Bound<Vec<u8>>, to: Bound<Vec<u8>>) {
        let range = KeyRange::new::<Vec<u8>>((from, to));
        let now = self.store.snapshot().unwrap();
        self.check_view(&self.now, &range, |order| now.scan(&self.keyspace, range.clone(), order).unwrap());
        for (snapshot, map) in &self.snapshots {
            self.check_view(map, &range, |order| {
                snapshot.scan(&self.keyspace, range.clone(), order).unwrap()
            });
            for key in self.now.keys() {
                let value = snapshot.get(&self.keyspace, key).unwrap();
                assert_eq!(value.as_deref(), map.get(key).map(Vec::as_slice));
            }
        }
        for open in &self.open {
            let scan = |order| open.transaction.scan(&self.keyspace, range.clone(), order).unwrap();
            self.check_view(&open.sees, &range, scan);
        }
    }

    fn check_view(&self, map: &Map, range: &KeyRange, scan: impl Fn(ScanOrder) -> store::Scan) {
        let inside = |key: &&Vec<u8>| {
            let after_start = match range.start() {
                Bound::Included(start) => key.as_slice() >= &start[..],
                Bound::Excluded(start) => key.as_slice() > &start[..],
                Bound::Unbounded => true,
            };
            let before_end = match range.end() {
                Bound::Included(end) => key.as_slice() <= &end[..],
                Bound::Excluded(end) => key.as_slice() < &end[..],
                Bound::Unbounded => true,
            };
            after_start && before_end
        };
        let mut expected: Vec<(Vec<u8>, Vec<u8>)> = map
            .iter()
            .filter(|(key, _)| inside(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        for order in [ScanOrder::Ascending, ScanOrder::Descending] {
            let found: Vec<(Vec<u8>, Vec<u8>)> = scan(order)
                .map(|pair| pair.map(|(key, value)| (key.to_vec(), value.to_vec())).unwrap())
                .collect();
            assert_eq!(found, expected, "{range:?} {order:?}");
            expected.reverse();
        }
    }
}

/// The seed in the environment variable `STORE_SEED`, else a new one.
fn seed() -> [u8; 32] {
    let given = std::env::var("STORE_SEED").ok().map(|seed| seed.parse().expect("STORE_SEED is a number"));
    let seed: u64 = given.unwrap_or_else(|| RandomState::new().hash_one(0));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes
}

pub fn a_store_behaves_like_a_sorted_map(store: &dyn Store) {
    let seed = seed();
    let config = Config { cases: 60, failure_persistence: None, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let case = std::cell::Cell::new(0);
    let outcome = runner.run(&prop::collection::vec(step(), 1..60), |steps| {
        case.set(case.get() + 1);
        let keyspace = store.keyspace(&format!("case {}", case.get()), KeyspaceShape::Small).unwrap();
        let (now, commits, open, snapshots) = Default::default();
        let mut history = History { store, keyspace, now, commits, open, snapshots };
        steps.into_iter().for_each(|step| history.run(step));
        history.check(Bound::Unbounded, Bound::Unbounded);
        Ok(())
    });
    if let Err(failure) = outcome {
        panic!(
            "{failure}\nrun it again with STORE_SEED={}",
            u64::from_le_bytes(seed[..8].try_into().unwrap())
        );
    }
}
