//! Opens stores whose files were damaged: the answer is an error, or correct data; never other data, never a panic.
//!
//! `STORE_DAMAGE_TRIALS` sets the number of damaged copies (default 60), `STORE_SEED` which bytes are hit.

use std::collections::BTreeMap;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use store::{
    Durability, FjallOptions, FjallStore, KeyRange, KeyspaceShape, ScanOrder, Store, StoreError, WriteBatch,
};

type Contents = BTreeMap<(String, Vec<u8>), Vec<u8>>;

/// The damage done to one file.
#[derive(Debug)]
enum Damage {
    Flip { at: usize, bits: u8 },
    Zero { at: usize, bytes: usize },
    Cut { at: usize },
}

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((x ^ (x >> 31)) % below.max(1) as u64) as usize
    }
}

/// A store whose data lies in tables, in the log, and in both; and what it must contain.
fn build(directory: &Path) -> Contents {
    let store = FjallStore::open(directory, FjallOptions::default()).unwrap();
    let mut contents = Contents::new();
    let names = ["sections", "indexes"];
    let keyspaces = [KeyspaceShape::Large, KeyspaceShape::Small];
    let keyspaces: Vec<_> =
        names.iter().zip(keyspaces).map(|(name, shape)| store.keyspace(name, shape).unwrap()).collect();
    for (name, keyspace) in names.iter().zip(&keyspaces) {
        let pairs: Vec<(Vec<u8>, Vec<u8>)> = (0..400_u32)
            .map(|number| (number.to_be_bytes().to_vec(), vec![number as u8; (number * 7 % 900) as usize]))
            .collect();
        let mut input = pairs.iter().map(|(key, value)| Ok((key.as_slice().into(), value.as_slice().into())));
        store.ingest(keyspace, &mut input).unwrap();
        contents.extend(pairs.into_iter().map(|(key, value)| (((*name).to_owned(), key), value)));
    }
    for round in 0..120_u32 {
        let mut batch = WriteBatch::new();
        for (name, keyspace) in names.iter().zip(&keyspaces) {
            let key = (round * 5 % 600).to_be_bytes().to_vec();
            let value = vec![round as u8 ^ 0x5A; (round * 31 % 6_000) as usize];
            batch.put(keyspace, key.clone(), value.clone());
            contents.insert(((*name).to_owned(), key), value);
            let deleted = (round * 3 % 400).to_be_bytes().to_vec();
            batch.delete(keyspace, deleted.clone());
            contents.remove(&((*name).to_owned(), deleted));
        }
        store.write_batch(batch, Durability::Sync).unwrap();
    }
    store.close().unwrap();
    contents
}

fn read(directory: &Path) -> Result<Contents, StoreError> {
    let store = FjallStore::open(directory, FjallOptions::default())?;
    let mut contents = Contents::new();
    for name in store.keyspace_names() {
        let keyspace = store.keyspace(&name, KeyspaceShape::Small)?;
        let snapshot = store.snapshot()?;
        for pair in snapshot.scan(&keyspace, KeyRange::all(), ScanOrder::Ascending)? {
            let (key, value) = pair?;
            let found = snapshot.get(&keyspace, &key)?;
            assert_eq!(found.as_ref(), Some(&value), "a get and a scan disagree");
            contents.insert((name.clone(), key.to_vec()), value.to_vec());
        }
    }
    Ok(contents)
}

/// Every file of a directory, without the zeros at the end of the log that was reserved.
fn load(directory: &Path) -> Vec<(PathBuf, Vec<u8>, u64)> {
    let mut files = Vec::new();
    let mut folders = vec![directory.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut bytes = fs::read(&path).unwrap();
            let length = bytes.len() as u64;
            let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
            if length > used as u64 + 4_096 {
                bytes.truncate(used);
            }
            files.push((path.strip_prefix(directory).unwrap().to_owned(), bytes, length));
        }
    }
    files.sort();
    files
}

fn store_copy(files: &[(PathBuf, Vec<u8>, u64)], to: &Path, hit: usize, damage: &Damage) {
    for (position, (path, bytes, length)) in files.iter().enumerate() {
        let path = to.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let (mut bytes, mut length) = (bytes.clone(), *length);
        if position == hit {
            match *damage {
                Damage::Flip { at, bits } => bytes[at] ^= bits,
                Damage::Zero { at, bytes: count } => {
                    bytes[at..].iter_mut().take(count).for_each(|byte| *byte = 0)
                }
                Damage::Cut { at } => {
                    bytes.truncate(at);
                    length = at as u64;
                }
            }
        }
        fs::write(&path, &bytes).unwrap();
        fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(length).unwrap();
    }
}

fn choose(files: &[(PathBuf, Vec<u8>, u64)], random: &mut Random) -> (usize, Damage) {
    let candidates: Vec<usize> = (0..files.len()).filter(|&file| !files[file].1.is_empty()).collect();
    // Half of the hits go to the log, which is one file of many, and the one whose damage is hardest to tell.
    let log = candidates.iter().copied().find(|&file| files[file].0.extension().is_some_and(|e| e == "jnl"));
    let hit = match log {
        Some(log) if random.next(2) == 0 => log,
        _ => candidates[random.next(candidates.len())],
    };
    let at = random.next(files[hit].1.len());
    let damage = match random.next(10) {
        0 => Damage::Zero { at, bytes: 1 + random.next(64) },
        1 => Damage::Cut { at },
        _ => Damage::Flip { at, bits: 1 << random.next(8) },
    };
    (hit, damage)
}

fn environment(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} is not a number")))
}

#[test]
fn a_damaged_store_is_an_error_or_correct_and_never_wrong() {
    let trials = environment("STORE_DAMAGE_TRIALS").unwrap_or(60);
    let seed = environment("STORE_SEED").unwrap_or_else(|| RandomState::new().hash_one(0));
    println!("damaged stores: {trials} trials with STORE_SEED={seed}");
    let original = tempfile::tempdir().unwrap();
    let expected = build(original.path());
    let files = load(original.path());
    let mut findings = Vec::new();
    let (mut refused, mut correct) = (0, 0);
    for trial in 0..trials {
        let mut random = Random(seed.wrapping_add(trial));
        let (hit, damage) = choose(&files, &mut random);
        let copy = tempfile::tempdir().unwrap();
        store_copy(&files, copy.path(), hit, &damage);
        let what =
            || format!("trial {trial}: {damage:?} in {} of {}", files[hit].0.display(), files[hit].1.len());
        match catch_unwind(AssertUnwindSafe(|| read(copy.path()))) {
            Err(_) => findings.push(format!("{}: panic", what())),
            Ok(Err(_)) => refused += 1,
            Ok(Ok(contents)) if contents == expected => correct += 1,
            Ok(Ok(contents)) => {
                let missing = expected.keys().filter(|key| !contents.contains_key(*key)).count();
                let extra = contents.keys().filter(|key| !expected.contains_key(*key)).count();
                let wrong =
                    expected.iter().filter(|(key, value)| contents.get(*key).is_some_and(|v| v != *value));
                findings.push(format!(
                    "{}: {missing} missing, {extra} extra, {} wrong",
                    what(),
                    wrong.count()
                ));
            }
        }
    }
    println!("damaged stores: {refused} refused with an error, {correct} not affected");
    assert!(findings.is_empty(), "with STORE_SEED={seed}:\n{}", findings.join("\n"));
    assert!(trials < 20 || refused > 0, "no damage was ever noticed");
}

/// Where in the log a value lies.
fn place_of(files: &[(PathBuf, Vec<u8>, u64)], value: &[u8]) -> (usize, usize) {
    let log = files.iter().position(|(path, ..)| path.extension().is_some_and(|e| e == "jnl")).unwrap();
    let at = files[log].1.windows(value.len()).position(|window| window == value).unwrap();
    (log, at)
}

/// The files of a store that was not closed, as a crash would leave them: some groups were synced, some more were not.
fn crashed_after(synced: usize, more: usize) -> (tempfile::TempDir, Vec<(PathBuf, Vec<u8>, u64)>) {
    let directory = tempfile::tempdir().unwrap();
    let store = FjallStore::open(directory.path(), FjallOptions::default()).unwrap();
    let things = store.keyspace("things", KeyspaceShape::Small).unwrap();
    for group in 0..synced + more {
        let mut batch = WriteBatch::new();
        let value = format!("value of group {group:02}") + &"x".repeat(1_100);
        batch.put(&things, format!("{group:02}").as_str(), value.as_str());
        let durability = if group < synced { Durability::Sync } else { Durability::Buffered };
        store.write_batch(batch, durability).unwrap();
    }
    let files = load(directory.path());
    (directory, files)
}

/// How many groups are there when the log of twenty, ten of them synced, is damaged where one has its value.
fn groups_after(damage: impl Fn(usize) -> Damage, group: usize) -> Result<usize, StoreError> {
    let (_directory, files) = crashed_after(10, 10);
    let (log, at) = place_of(&files, format!("value of group {group:02}").as_bytes());
    let copy = tempfile::tempdir().unwrap();
    store_copy(&files, copy.path(), log, &damage(at));
    let contents = read(copy.path())?;
    let groups: Vec<&[u8]> = contents.keys().map(|(_, key)| key.as_slice()).collect();
    let expected: Vec<String> = (0..groups.len()).map(|group| format!("{group:02}")).collect();
    assert_eq!(groups, expected.iter().map(String::as_bytes).collect::<Vec<_>>(), "what is left is a prefix");
    // What was cut does not come back, and the store goes on from there.
    assert_eq!(read(copy.path())?, contents);
    Ok(groups.len())
}

#[test]
fn after_a_crash_damage_to_synced_groups_is_an_error() {
    for group in [0, 4, 8] {
        let outcome = groups_after(|at| Damage::Zero { at, bytes: 8 }, group);
        assert!(matches!(outcome, Err(StoreError::Corrupt { .. })), "group {group}: {outcome:?}");
    }
}

#[test]
fn after_a_crash_a_torn_end_is_cut_and_nothing_before_it_is_lost() {
    // A sector that a power cut took, and the end of what a killed process was writing.
    let lost_sector = |at: usize| Damage::Zero { at: at.next_multiple_of(512), bytes: 512 };
    for group in [11, 15, 19] {
        assert_eq!(groups_after(lost_sector, group).unwrap(), group);
        assert_eq!(groups_after(|at| Damage::Cut { at }, group).unwrap(), group);
    }
}

#[test]
fn after_a_crash_a_flipped_bit_of_the_last_synced_group_is_an_error() {
    let (_directory, files) = crashed_after(3, 0);
    let (log, value) = place_of(&files, b"value of group 02");
    // The item's header is in front of the value, with the key; before that the group's.
    let (first, end) = (value - 36, files[log].1.len());
    // Of every part of the group some bytes; each is a store to open.
    let parts =
        [first..first + 5, first + 5..first + 13, first + 13..value, value..end - 53, end - 53..end - 13];
    let some = parts.into_iter().flat_map(|part| [part.start, part.start + part.len() / 2, part.end - 1]);
    for at in some.chain([end - 13, end - 12, end - 4, end - 3, end - 2, end - 1]) {
        let copy = tempfile::tempdir().unwrap();
        store_copy(&files, copy.path(), log, &Damage::Flip { at, bits: 1 << (at % 8) });
        let outcome = read(copy.path()).map(|contents| contents.len());
        // The engine's sequence number only says which of two writes is newer, and is still the largest.
        let is_sequence = (first + 5..first + 13).contains(&at) && matches!(outcome, Ok(3));
        let is_error = matches!(outcome, Err(StoreError::Corrupt { .. }));
        assert!(is_error || is_sequence, "byte {at} of {first}..{end}: {outcome:?}");
    }
}

#[test]
fn what_was_recovered_after_a_crash_must_be_there_from_then_on() {
    let (_directory, files) = crashed_after(3, 0);
    let copy = tempfile::tempdir().unwrap();
    store_copy(&files, copy.path(), usize::MAX, &Damage::Cut { at: 0 });
    let store = FjallStore::open(copy.path(), FjallOptions::default()).unwrap();
    // It is killed again; then its log is one group shorter, as if the last one had been torn.
    let files = load(copy.path());
    let (log, at) = place_of(&files, b"value of group 02");
    let second = tempfile::tempdir().unwrap();
    store_copy(&files, second.path(), log, &Damage::Cut { at });
    let outcome = read(second.path()).map(|contents| contents.len());
    assert!(matches!(outcome, Err(StoreError::Corrupt { .. })), "{outcome:?}");
    drop(store);
}

#[test]
fn a_missing_log_file_of_a_closed_store_is_an_error() {
    let directory = tempfile::tempdir().unwrap();
    build(directory.path());
    let logs = fs::read_dir(directory.path()).unwrap().map(|entry| entry.unwrap().path());
    logs.filter(|path| path.extension().is_some_and(|e| e == "jnl"))
        .for_each(|log| fs::remove_file(log).unwrap());
    assert!(matches!(read(directory.path()), Err(StoreError::Corrupt { .. })));
}
