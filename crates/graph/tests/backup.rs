//! Backups: taken while others write, each after the first with what has changed, and refused when a bit is wrong.

mod naive;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use graph::{BackupSummary, Cardinality, Graph, GraphError, GraphOptions, Value, VertexRef, restore};
use naive::steps::{Shape, write};
use naive::{Naive, Random};
use store::{FjallOptions, FjallStore, MemoryStore, Store};

const SHAPE: Shape = Shape { vertices: 25, edges: 60, hubs: 3 };

fn open(store: &Arc<dyn Store>) -> Graph {
    let options = GraphOptions { log_bytes: 10_000, merge_versions: 3, ..GraphOptions::default() };
    Graph::open(Arc::clone(store), options).unwrap()
}

fn work(graph: &Graph, model: &mut Naive, random: &mut Random) {
    for _ in 0..20 {
        let transaction = graph.begin();
        for _ in 0..6 {
            write(&transaction, model, random, SHAPE).unwrap();
        }
        transaction.commit().unwrap();
    }
}

fn restored(from: &Path, number: Option<u32>) -> Result<(Arc<dyn Store>, BackupSummary), GraphError> {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let summary = restore(from, number, &store)?;
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    Ok((store, summary))
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<_> = fs::read_dir(directory).unwrap().map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.file_name().unwrap() != "LOCK");
    files.sort();
    files
}

#[test]
fn each_backup_comes_back_as_it_was_and_holds_only_what_changed() {
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path().join("backups");
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    graph.create_index("person", "name").unwrap();
    let (mut model, mut random) = (Naive::default(), Random::new(5));
    let mut models = Vec::new();
    for round in 1..=4 {
        work(&graph, &mut model, &mut random);
        let summary = graph.backup(&to).unwrap();
        assert_eq!((summary.number, summary.written > 0), (round, true));
        models.push(model.clone());
        let again = graph.backup(&to).unwrap();
        assert_eq!(
            (again.number, again.written, again.bytes),
            (round, 0, 0),
            "nothing changed, nothing written"
        );
    }
    assert_eq!(files(&to).len(), 4);
    for (number, model) in (1..).zip(&models) {
        let (store, _) = restored(&to, Some(number)).unwrap();
        model.check(&open(&store).snapshot(), 5, &format!("backup {number}"));
    }
    // One small change is one small file, however large the graph is.
    graph.flush().unwrap();
    graph.backup(&to).unwrap();
    let transaction = graph.begin();
    let v = VertexRef(*model.vertices.keys().next().unwrap());
    transaction.set_vertex_property(v, Cardinality::Single, "tag", Value::Int(9), &[]).unwrap();
    transaction.commit().unwrap();
    let small = graph.backup(&to).unwrap();
    assert_eq!((small.written, small.removed), (1, 0), "one record of the log: {small}");
    let (store, summary) = restored(&to, None).unwrap();
    assert_eq!(summary.number, small.number);
    let graph = open(&store);
    let key = graph.snapshot().catalog().key("tag").unwrap();
    assert_eq!(graph.snapshot().reader().value(v, key), Some(Value::Int(9)));
}

/// Every transaction adds a vertex on both sides, and an edge between them.
#[test]
fn a_backup_taken_during_writes_is_one_moment_of_them() {
    let directory = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> =
        Arc::new(FjallStore::open(directory.path().join("store"), FjallOptions::default()).unwrap());
    let graph = open(&store);
    let to = directory.path().join("backups");
    let (stop, acknowledged) = (AtomicBool::new(false), AtomicI64::new(0));
    let mut least = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !stop.load(Ordering::Acquire) {
                    let transaction = graph.begin();
                    let left = transaction.add_vertex(None, "left").unwrap();
                    let right = transaction.add_vertex(None, "right").unwrap();
                    transaction.add_edge(None, "pair", left, right).unwrap();
                    transaction.commit().unwrap();
                    acknowledged.fetch_add(1, Ordering::AcqRel);
                }
            });
        }
        for round in 0..5 {
            while acknowledged.load(Ordering::Acquire) < 40 * (round + 1) {
                std::thread::yield_now();
            }
            least.push(acknowledged.load(Ordering::Acquire) as u64);
            graph.backup(&to).unwrap();
        }
        stop.store(true, Ordering::Release);
    });
    for (number, least) in (1..).zip(least) {
        let (store, _) = restored(&to, Some(number)).unwrap();
        let snapshot = open(&store).snapshot();
        let counts = ["left", "right"]
            .map(|label| snapshot.vertex_count(Some(snapshot.catalog().vertex_label(label).unwrap())));
        let edges = snapshot.edge_count(None);
        assert_eq!(counts, [edges, edges], "backup {number} holds a part of a transaction");
        assert!(
            edges >= least,
            "backup {number} holds {edges} transactions, {least} were acknowledged before it"
        );
    }
}

/// A small backup in two files.
fn two_files(to: &Path) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    for name in ["a", "b"] {
        let transaction = graph.begin();
        transaction.add_vertex(Some(Value::str(name)), "v").unwrap();
        transaction.commit().unwrap();
        graph.backup(to).unwrap();
    }
}

fn refused(to: &Path) -> String {
    match restored(to, None) {
        Err(error @ GraphError::Backup { .. }) => error.to_string(),
        Err(error) => panic!("{error}"),
        Ok((_, summary)) => panic!("restored {summary}"),
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_refused_by_restore_and_by_the_next_backup() {
    let directory = tempfile::tempdir().unwrap();
    let to = directory.path();
    two_files(to);
    let other: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let other = open(&other);
    for file in files(to) {
        let sound = fs::read(&file).unwrap();
        for at in 0..sound.len() {
            let mut damaged = sound.clone();
            damaged[at] ^= 1 << (at % 8);
            fs::write(&file, damaged).unwrap();
            refused(to);
            if at % 50 == 0 {
                assert!(matches!(other.backup(to), Err(GraphError::Backup { .. })));
                fs::write(&file, &sound[..at]).unwrap();
                assert!(refused(to).contains(file.file_name().unwrap().to_str().unwrap()));
            }
        }
        fs::write(&file, [&sound[..], b"x"].concat()).unwrap();
        refused(to);
        fs::write(&file, sound).unwrap();
    }
    assert!(restored(to, None).is_ok());
}

#[test]
fn files_that_do_not_belong_together_are_refused() {
    let [mine, yours] = [0, 1].map(|_| tempfile::tempdir().unwrap());
    two_files(mine.path());
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    open(&store).create_index("x", "y").unwrap();
    open(&store).backup(yours.path()).unwrap();
    let [first, second] = [0, 1].map(|place| files(mine.path())[place].clone());
    let (sound, newer) = (fs::read(&first).unwrap(), fs::read(&second).unwrap());
    fs::copy(&files(yours.path())[0], &first).unwrap();
    assert!(refused(mine.path()).contains("does not go on from the file before"));
    fs::copy(&second, &first).unwrap();
    assert!(refused(mine.path()).contains("does not go on"));
    fs::remove_file(&first).unwrap();
    assert!(refused(mine.path()).contains("backup-000001.mangrove"), "the second goes on from it");
    let next = open(&(Arc::new(MemoryStore::new()) as Arc<dyn Store>)).backup(mine.path());
    assert!(matches!(next, Err(GraphError::Backup { .. })), "it would be written over: {next:?}");
    assert_eq!(fs::read(&second).unwrap(), newer);
    fs::write(&first, sound).unwrap();
    assert!(matches!(restored(mine.path(), Some(3)), Err(GraphError::Backup { .. })));
    let (store, _) = restored(mine.path(), None).unwrap();
    let full = restore(mine.path(), None, &store).unwrap_err();
    assert!(full.to_string().contains("empty directory"), "{full}");
}

#[test]
fn there_is_no_backup_in_an_empty_directory() {
    let directory = tempfile::tempdir().unwrap();
    assert!(refused(directory.path()).contains("there is no backup"));
}

#[test]
fn of_two_backups_into_one_directory_at_a_time_one_is_refused_and_none_is_lost() {
    let directory = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let finished = std::thread::scope(|scope| {
        let work = || {
            let mut finished = 0;
            for _ in 0..40 {
                let transaction = graph.begin();
                transaction.add_vertex(None, "v").unwrap();
                transaction.commit().unwrap();
                match graph.backup(directory.path()) {
                    Ok(summary) => finished += u32::from(summary.written > 0),
                    Err(error) => assert!(error.to_string().contains("another backup is being"), "{error}"),
                }
            }
            finished
        };
        let others: Vec<_> = (0..3).map(|_| scope.spawn(work)).collect();
        others.into_iter().map(|other| other.join().unwrap()).sum::<u32>()
    });
    graph.backup(directory.path()).unwrap();
    let (store, summary) = restored(directory.path(), None).unwrap();
    assert!(summary.number >= finished && finished > 0, "{finished} were finished, {summary}");
    assert_eq!(open(&store).snapshot().vertex_count(None), 120);
}

#[test]
fn a_chain_of_more_files_than_are_open_at_a_time_comes_back() {
    let directory = tempfile::tempdir().unwrap();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    for _ in 0..100 {
        let transaction = graph.begin();
        transaction.add_vertex(None, "v").unwrap();
        transaction.commit().unwrap();
        graph.backup(directory.path()).unwrap();
    }
    let (store, summary) = restored(directory.path(), None).unwrap();
    assert_eq!((summary.number, open(&store).snapshot().vertex_count(None)), (100, 100));
}

#[test]
fn a_backup_leaves_the_room_that_the_store_needs() {
    let directory = tempfile::tempdir().unwrap();
    let options = FjallOptions { reserve_bytes: 0, ..FjallOptions::default() };
    let place = directory.path().join("store");
    drop(open(&(Arc::new(FjallStore::open(&place, options).unwrap()) as Arc<dyn Store>)));
    let options = FjallOptions { reserve_bytes: u64::MAX, ..options };
    let store: Arc<dyn Store> = Arc::new(FjallStore::open(&place, options).unwrap());
    let to = directory.path().join("backups");
    let graph = open(&store);
    let refused = graph.backup(&to).unwrap_err();
    assert!(refused.to_string().contains("free some space"), "{refused}");
    assert_eq!(files(&to), Vec::<PathBuf>::new());
}

#[test]
fn a_backup_that_was_interrupted_leaves_the_ones_before_as_they_were() {
    let directory = tempfile::tempdir().unwrap();
    two_files(directory.path());
    fs::write(directory.path().join("backup-000003.unfinished"), "half of it").unwrap();
    let (store, summary) = restored(directory.path(), None).unwrap();
    assert_eq!(summary.number, 2);
    let graph = open(&store);
    let transaction = graph.begin();
    transaction.add_vertex(None, "v").unwrap();
    transaction.commit().unwrap();
    assert_eq!(graph.backup(directory.path()).unwrap().number, 3);
    assert_eq!(open(&restored(directory.path(), None).unwrap().0).snapshot().vertex_count(None), 3);
}
