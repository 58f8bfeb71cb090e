//! The simulated disk keeps what it must, loses what it may, and tells the same story for the same seed.

use store::{
    Durability, KeyRange, Keyspace, KeyspaceShape, Outage, ScanOrder, SimulatedDisk, SimulatedFaults, Store,
    StoreError, StoreLimits, WriteBatch,
};

fn put(store: &dyn Store, keyspace: &Keyspace, key: u8, durability: Durability) -> Result<(), StoreError> {
    let mut batch = WriteBatch::new();
    batch.put(keyspace, [key], [key; 50]);
    batch.put(keyspace, [key, 0], [key; 50]);
    store.write_batch(batch, durability)
}

/// The keys that are there; both of a batch, or none.
fn keys(store: &dyn Store, keyspace: &Keyspace) -> Vec<u8> {
    let scan = store.snapshot().unwrap().scan(keyspace, KeyRange::all(), ScanOrder::Ascending).unwrap();
    let keys: Vec<_> = scan.map(|pair| pair.unwrap().0).collect();
    assert!(keys.chunks(2).all(|batch| batch[1][..] == [batch[0][0], 0]), "half a batch: {keys:?}");
    keys.chunks(2).map(|batch| batch[0][0]).collect()
}

#[test]
fn a_power_cut_keeps_what_was_synced_and_a_prefix_of_the_rest() {
    let mut survived = [false; 4];
    for seed in 0..40 {
        let disk = SimulatedDisk::new(seed, SimulatedFaults::NONE);
        let store = disk.mount(StoreLimits::default());
        let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
        put(&store, &things, 0, Durability::Sync).unwrap();
        (1..4).for_each(|key| put(&store, &things, key, Durability::Buffered).unwrap());
        disk.stop(Outage::Power);
        assert!(put(&store, &things, 9, Durability::Sync).is_err(), "the power is off");
        let store = disk.mount(StoreLimits::default());
        let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
        let found = keys(&store, &things);
        assert_eq!(found, (0..found.len() as u8).collect::<Vec<_>>());
        survived[found.len() - 1] = true;
        disk.stop(Outage::Power);
        let store = disk.mount(StoreLimits::default());
        let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
        assert_eq!(keys(&store, &things), found, "what was shown is durable");
    }
    assert_eq!(survived, [true; 4]);
}

#[test]
fn the_end_of_a_process_loses_nothing_that_was_written() {
    let disk = SimulatedDisk::new(5, SimulatedFaults::NONE);
    let store = disk.mount(StoreLimits::default());
    let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
    (0..4).for_each(|key| put(&store, &things, key, Durability::Buffered).unwrap());
    disk.stop(Outage::Process);
    let store = disk.mount(StoreLimits::default());
    let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
    assert_eq!(keys(&store, &things), [0, 1, 2, 3]);
}

#[test]
fn a_full_disk_takes_writes_again_and_other_failures_stop_them() {
    let disk = SimulatedDisk::new(5, SimulatedFaults::NONE);
    let store = disk.mount(StoreLimits::default());
    let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
    disk.fill(1, 2);
    let outcomes = [0, 1, 2, 3].map(|key| put(&store, &things, key, Durability::Sync).is_ok());
    assert_eq!(outcomes, [true, false, false, true]);
    assert_eq!(keys(&store, &things), [0, 3]);
}

/// What happens to a hundred writes and reads.
fn history(seed: u64) -> (Vec<String>, u64) {
    let faults = SimulatedFaults { writes_between: 5, reads_between: 5, full_for: 3 };
    let disk = SimulatedDisk::new(seed, faults);
    let mut told = Vec::new();
    for round in 0..10 {
        let store = disk.mount(StoreLimits::default());
        let opened = store.keyspace("things", KeyspaceShape::Small);
        told.push(format!("{opened:?}"));
        let Ok(things) = opened else {
            disk.stop(Outage::Process);
            continue;
        };
        for key in 0..10 {
            told.push(format!("{:?}", put(&store, &things, round * 10 + key, Durability::Buffered)));
            told.push(format!("{:?}", store.snapshot().unwrap().get(&things, [round * 10 + key])));
        }
        disk.stop(Outage::Power);
    }
    (told, disk.digest())
}

#[test]
fn a_seed_decides_all_faults() {
    assert_eq!(history(3), history(3));
    assert_ne!(history(3), history(4));
    let told = history(3).0.concat();
    for fault in ["before it was done", "DiskFull", "Halted", "the read was made to fail"] {
        assert!(told.contains(fault), "{fault} never happened");
    }
}
