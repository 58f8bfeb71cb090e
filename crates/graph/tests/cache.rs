//! Graphs larger than the memory they may use.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use graph::{Cardinality, Dir, Graph, GraphError, GraphOptions, TreeBounds, Value, VertexRef};
use store::{MemoryStore, Store};

/// One test at a time: a reader of any graph of the process keeps the garbage of all of them.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const BUDGET: usize = 2 << 20;
/// What comes on top of the budget: the batch that is read, and garbage that its reader keeps.
const SLACK: u64 = 1 << 20;

fn open(store: &Arc<dyn Store>, cache_bytes: usize, keeper: bool) -> Graph {
    let tree = TreeBounds { min: 50, max: 100, fan_out: 8 };
    let options = GraphOptions { cache_bytes, keeper, tree, log_bytes: 4 << 20, ..GraphOptions::default() };
    Graph::open(Arc::clone(store), options).unwrap()
}

/// A graph of about 12 MB: persons with a text each, who all follow the first, and know those around them.
fn fill(graph: &Graph, persons: usize) -> Vec<VertexRef> {
    let mut all: Vec<VertexRef> = Vec::new();
    while all.len() < persons {
        let transaction = graph.begin();
        for _ in 0..500.min(persons - all.len()) {
            let v = transaction.add_vertex(None, "person").unwrap();
            let text = format!("{:0100}", all.len());
            transaction.set_vertex_property(v, Cardinality::Single, "text", Value::str(&text), &[]).unwrap();
            transaction.add_edge(None, "follows", v, *all.first().unwrap_or(&v)).unwrap();
            for back in 1..=8.min(all.len()) {
                transaction.add_edge(None, "knows", v, all[all.len() - back]).unwrap();
            }
            all.push(v);
        }
        transaction.commit().unwrap();
    }
    all
}

/// Reads everything a vertex has.
fn check(graph: &Graph, all: &[VertexRef], n: usize) {
    let snapshot = graph.snapshot();
    let reader = snapshot.reader();
    let (text, knows) =
        (snapshot.catalog().key("text").unwrap(), snapshot.catalog().edge_label("knows").unwrap());
    let expected = format!("{n:0100}");
    assert_eq!(reader.value(all[n], text), Some(Value::str(&expected)));
    let friends: Vec<VertexRef> = reader.list(all[n], knows, Dir::Out).neighbours().collect();
    let wanted: Vec<VertexRef> = (1..=8.min(n)).map(|back| all[n - back]).collect();
    assert_eq!(friends, wanted);
    snapshot.check().unwrap();
}

#[test]
fn a_graph_larger_than_its_cache_is_written_and_read_within_the_budget() {
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store, BUDGET, false);
    let all = fill(&graph, 20_000);
    let stats = graph.stats();
    assert!(stats.evictions > 0, "{stats:?}");
    let bound = BUDGET as u64 * 5 / 4 + SLACK;
    assert!(stats.cache_bytes <= bound, "{} bytes after writing", stats.cache_bytes);
    let mut most = 0;
    for n in (0..all.len()).rev().chain((0..all.len()).step_by(7)) {
        check(&graph, &all, n);
        if n % 100 == 0 {
            most = graph.stats().cache_bytes.max(most);
        }
    }
    assert!(most <= BUDGET as u64 + SLACK, "{most} bytes while reading");
    let (snapshot, hub) = (graph.snapshot(), all[0]);
    let follows = snapshot.catalog().edge_label("follows").unwrap();
    assert_eq!(snapshot.reader().list(hub, follows, Dir::In).neighbours().count(), all.len());
    assert!(graph.stats().cache_bytes <= BUDGET as u64 + SLACK);
    drop(snapshot);
    drop(graph);
    let again = open(&store, BUDGET, true);
    (0..all.len()).step_by(3).for_each(|n| check(&again, &all, n));
}

#[test]
fn a_budget_that_becomes_smaller_is_kept_to_soon_and_a_larger_one_is_used() {
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store, 64 << 20, true);
    let all = fill(&graph, 3_000);
    graph.flush().unwrap();
    let before = graph.cache_bytes();
    let small = before as usize / 4;
    graph.set_cache_bytes(small);
    let begun = std::time::Instant::now();
    while graph.cache_bytes() > small as u64 {
        assert!(begun.elapsed().as_secs() < 20, "{} of {before} bytes, wanted: {small}", graph.cache_bytes());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    (0..all.len()).step_by(7).for_each(|n| check(&graph, &all, n));
    let bound = small as u64 + small as u64 / 4;
    assert!(graph.cache_bytes() <= bound);
    graph.set_cache_bytes(64 << 20);
    (0..all.len()).for_each(|n| check(&graph, &all, n));
    assert!(graph.cache_bytes() > bound, "{} of {before}", graph.cache_bytes());
}

#[test]
fn what_is_read_again_and_again_stays_while_others_scan() {
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let all = fill(&open(&store, 1 << 30, true), 20_000);
    let graph = open(&store, 4 << 20, false);
    // Vertices of one block: the sections of one tablet's first stripe.
    let hot: Vec<usize> = (0..20).map(|n| n * 64).collect();
    let mut missed = 0;
    for n in 0..all.len() {
        check(&graph, &all, n);
        if n % 50 == 0 {
            let before = graph.stats().loads;
            hot.iter().for_each(|&n| check(&graph, &all, n));
            missed += u64::from(graph.stats().loads > before && n > all.len() / 4);
        }
    }
    let looks = (all.len() / 50) as u64;
    assert!(graph.stats().evictions > 100, "{:?}", graph.stats());
    assert!(missed * 20 < looks, "{missed} of {looks} looks at what is hot had to load");
}

#[test]
fn commits_of_one_group_have_not_all_that_they_change_in_memory_at_once() {
    const GROUP: usize = 8;
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let filled = open(&store, 1 << 30, true);
    let all = fill(&filled, 20_000);
    filled.flush().unwrap();
    drop(filled);
    let budget = 512 << 10;
    let graph = open(&store, budget, false);
    // The texts of a tablet are some 50 kB; each commit changes those of eight.
    let change = |n: usize| {
        let transaction = graph.begin();
        for tablet in 0..8 {
            let v = all[n * 8 + tablet];
            transaction.set_vertex_property(v, Cardinality::Single, "text", Value::str("new"), &[]).unwrap();
        }
        transaction.submit().unwrap()
    };
    let submitted: Vec<_> = (0..GROUP).map(change).collect();
    // The first to wait leads all of them.
    for commit in submitted {
        commit.wait().unwrap();
    }
    let most = graph.stats().most_cache_bytes;
    assert!(most <= (budget * 5 / 4) as u64 + SLACK / 2, "{most} bytes");
    let snapshot = graph.snapshot();
    let text = snapshot.catalog().key("text").unwrap();
    for &v in &all[..GROUP * 8] {
        assert_eq!(snapshot.reader().value(v, text), Some(Value::str("new")));
    }
}

#[test]
fn versions_that_an_old_snapshot_sees_are_not_evicted() {
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store, 64 << 10, true);
    let all = fill(&graph, 3_000);
    let old = graph.snapshot();
    let text = old.catalog().key("text").unwrap();
    for part in all.chunks(100) {
        let transaction = graph.begin();
        for &v in part {
            transaction.set_vertex_property(v, Cardinality::Single, "text", Value::str("new"), &[]).unwrap();
        }
        transaction.commit().unwrap();
        graph.flush().unwrap();
    }
    for (n, &v) in all.iter().enumerate() {
        let expected = format!("{n:0100}");
        assert_eq!(old.reader().value(v, text), Some(Value::str(&expected)), "{n}");
        assert_eq!(graph.snapshot().reader().value(v, text), Some(Value::str("new")), "{n}");
    }
    old.check().unwrap();
    drop(old);
    (0..all.len()).step_by(10).for_each(|n| {
        assert_eq!(graph.snapshot().reader().value(all[n], text), Some(Value::str("new")));
    });
}

/// Changes the text of some vertices to something large.
fn enlarge(graph: &Graph, part: &[VertexRef], mark: usize) -> Result<(), GraphError> {
    let transaction = graph.begin();
    for &v in part {
        let text = format!("{mark:040000}");
        transaction.set_vertex_property(v, Cardinality::Single, "text", Value::str(&text), &[])?;
    }
    transaction.commit().map(drop)
}

#[test]
fn commits_are_refused_while_an_old_snapshot_keeps_more_than_there_is_room_for() {
    const CROWD: u64 = 40 << 20;
    for keeper in [true, false] {
        let _alone = alone();
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        let graph = open(&store, BUDGET, keeper);
        let all = fill(&graph, 400);
        let old = graph.snapshot();
        let mut refused = None;
        for (mark, part) in all.chunks(25).cycle().take(400).enumerate() {
            match enlarge(&graph, part, mark) {
                Ok(()) => {}
                Err(error) => {
                    refused = Some(error);
                    break;
                }
            }
        }
        let refused = refused.expect("400 MB of versions were committed");
        assert!(matches!(refused, GraphError::Kept { .. }) && refused.is_retryable(), "{refused}");
        let most = graph.stats().most_cache_bytes;
        assert!(most <= BUDGET as u64 + CROWD + CROWD / 8, "{most} bytes");
        // What is there is read and right, and for whoever began before as it was.
        let text = old.catalog().key("text").unwrap();
        for n in (0..all.len()).step_by(7) {
            assert_eq!(old.reader().value(all[n], text), Some(Value::str(format!("{n:0100}"))), "{n}");
        }
        old.check().unwrap();
        drop(old);
        let began = Instant::now();
        while let Err(error) = enlarge(&graph, &all[..25], 9_999) {
            assert!(
                matches!(error, GraphError::Kept { .. }) && began.elapsed() < Duration::from_secs(20),
                "{error}"
            );
        }
        assert_eq!(
            graph.snapshot().reader().value(all[7], text),
            Some(Value::str(format!("{:040000}", 9_999)))
        );
        assert!(graph.stats().cache_bytes < BUDGET as u64 * 8, "{:?}", graph.stats());
    }
}

/// Otherwise transactions that are open at the same time would refuse each other for ever.
#[test]
fn a_transaction_is_not_refused_for_what_its_own_snapshot_keeps() {
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store, BUDGET, true);
    let all = fill(&graph, 400);
    let (first, others) = all.split_at(3);
    let writing = |v: VertexRef| {
        let transaction = graph.begin();
        let large = Value::str("x".repeat(1_000));
        transaction.set_vertex_property(v, Cardinality::Single, "text", large, &[]).unwrap();
        transaction
    };
    // They share the oldest snapshot.
    let (oldest, another, third) = (writing(first[0]), writing(first[1]), writing(first[2]));
    let refused = others
        .chunks(25)
        .cycle()
        .take(400)
        .enumerate()
        .find_map(|(mark, part)| enlarge(&graph, part, mark).err());
    assert!(matches!(refused, Some(GraphError::Kept { .. })), "{refused:?}");
    oldest.commit().unwrap();
    let refused = another.commit();
    assert!(matches!(refused, Err(GraphError::Kept { .. })), "one after the other: {refused:?}");
    drop(third);
    let began = Instant::now();
    while let Err(error) = enlarge(&graph, &others[..25], 9_999) {
        assert!(began.elapsed() < Duration::from_secs(20), "{error}");
    }
}

/// A reader goes through a tree from its end, node by node, while the tree is evicted, loaded again, changed and flushed.
#[test]
fn who_reads_an_evicted_tree_goes_on_in_its_own_time() {
    let _alone = alone();
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store, 0, false);
    graph
        .change_schema(|schema| {
            schema.edges.entry("follows".into()).or_default().sort_key = Some("since".into());
            Ok(())
        })
        .unwrap();
    let add = |hub: VertexRef, fan: VertexRef, since: i64| {
        let transaction = graph.begin();
        let edge = transaction.add_edge(None, "follows", fan, hub).unwrap();
        transaction.set_edge_property(edge, "since", Value::Long(since)).unwrap();
        transaction.commit().unwrap();
    };
    let setup = graph.begin();
    let (hub, fan) = (setup.add_vertex(None, "star").unwrap(), setup.add_vertex(None, "fan").unwrap());
    setup.commit().unwrap();
    (0..600).for_each(|n| add(hub, fan, n * 10));
    graph.flush().unwrap();
    let old = graph.snapshot();
    let (follows, since) =
        (old.catalog().edge_label("follows").unwrap(), old.catalog().key("since").unwrap());
    let reader = old.reader();
    let values = |run: &graph::Run<'_>| -> Vec<i64> {
        let value = |i| run.value(i, since).unwrap().as_i64().unwrap();
        (0..run.neighbours().len()).map(value).collect()
    };
    let (list, mut seek, mut seen) = (reader.list(hub, follows, Dir::In), graph::Seek::default(), Vec::new());
    let mut read_back = || {
        let (run, ahead) = list.run_back(None, &mut seek).unwrap();
        seek.position += ahead;
        seen.splice(0..0, values(&run).drain(..ahead));
        ahead > 0
    };
    assert!(read_back());
    for round in 0..10 {
        // With a budget of nothing each load evicts what was loaded before.
        assert!(graph.snapshot().reader().exists(fan));
        add(hub, fan, round * 500 + 5);
        graph.flush().unwrap();
    }
    while read_back() {}
    assert_eq!(seen, (0..600).map(|n| n * 10).collect::<Vec<i64>>());
    old.check().unwrap();
    let snapshot = graph.snapshot();
    assert_eq!(snapshot.reader().list(hub, follows, Dir::In).neighbours().count(), 610);
}

/// Amounts move between accounts of which most are on disk: every snapshot has the same sum.
#[test]
fn every_snapshot_is_consistent_while_sections_come_and_go() {
    let _alone = alone();
    const ACCOUNTS: usize = 12_000;
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store, 400 << 10, true);
    let mut accounts = Vec::new();
    for _ in 0..ACCOUNTS / 1000 {
        let setup = graph.begin();
        for _ in 0..1000 {
            let v = setup.add_vertex(None, "account").unwrap();
            setup.set_vertex_property(v, Cardinality::Single, "balance", Value::Long(100), &[]).unwrap();
            accounts.push(v);
        }
        setup.commit().unwrap();
    }
    let (stop, checks) = (AtomicBool::new(false), AtomicU64::new(0));
    let sum = |graph: &Graph| {
        let snapshot = graph.snapshot();
        let balance = snapshot.catalog().key("balance").unwrap();
        // A reader per vertex: nothing is held for longer.
        let sum: i64 =
            accounts.iter().map(|&v| snapshot.reader().value(v, balance).unwrap().as_i64().unwrap()).sum();
        let moves = snapshot.catalog().edge_label("move");
        let edges = moves.map_or(0, |moves| {
            accounts.iter().map(|&v| snapshot.reader().list(v, moves, Dir::In).len()).sum::<usize>()
        });
        snapshot.check().unwrap();
        assert_eq!((sum, edges as u64), (100 * ACCOUNTS as i64, snapshot.edge_count(None)));
    };
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..2usize)
            .map(|writer| {
                let (graph, accounts) = (graph.clone(), &accounts);
                scope.spawn(move || {
                    for n in 0..1500usize {
                        let (from, to) =
                            (accounts[(n * 7919 + writer * 31) % ACCOUNTS], accounts[n * n % 200]);
                        if from == to {
                            continue;
                        }
                        loop {
                            let transaction = graph.begin();
                            let snapshot = transaction.snapshot();
                            let balance = snapshot.catalog().key("balance").unwrap();
                            for (v, by) in [(from, -1), (to, 1)] {
                                transaction.note_read(graph::ReadUnit::VertexRecord(v));
                                let before = snapshot.reader().value(v, balance).unwrap().as_i64().unwrap();
                                let after = Value::Long(before + by);
                                transaction
                                    .set_vertex_property(v, Cardinality::Single, "balance", after, &[])
                                    .unwrap();
                            }
                            transaction.add_edge(None, "move", from, to).unwrap();
                            match transaction.commit() {
                                Ok(_) => break,
                                Err(error) => assert!(error.is_retryable(), "{error}"),
                            }
                        }
                    }
                })
            })
            .collect();
        let reader = {
            let (graph, stop, checks, sum) = (graph.clone(), &stop, &checks, &sum);
            scope.spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    sum(&graph);
                    checks.fetch_add(1, Ordering::Relaxed);
                }
            })
        };
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        stop.store(true, Ordering::Relaxed);
        reader.join().unwrap();
    });
    sum(&graph);
    assert!(checks.load(Ordering::Relaxed) > 0);
    assert!(graph.stats().evictions > 100, "{:?}", graph.stats());
    drop(graph);
    sum(&open(&store, 400 << 10, true));
}
