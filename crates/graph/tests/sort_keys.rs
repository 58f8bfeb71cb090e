//! Sort keys of edge labels that have edges: changed while snapshots read, transactions write, and the process ends anywhere.

mod failing;
mod naive;
mod stored;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use failing::Failing;
use graph::{
    Dir, EdgeRef, Filtered, Graph, GraphError, GraphOptions, Place, SecondaryOptions, Snapshot, TreeBounds,
    Value, VertexRef,
};
use naive::orders::{Orders, lie_as_declared, orders, sort_by};
use naive::steps::{EDGES, KEYS, Shape, write};
use naive::{Naive, Random};
use store::{MemoryStore, Store};
use stored::pairs;

const TREE: TreeBounds = TreeBounds { min: 4, max: 8, fan_out: 4 };

fn options(builders: usize) -> GraphOptions {
    let secondary = SecondaryOptions {
        builders,
        share: 1.0,
        sort_edges: 50,
        threshold: 1e-9,
        ..SecondaryOptions::default()
    };
    GraphOptions { tree: TREE, merge_versions: 3, secondary, keeper: false, ..GraphOptions::default() }
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), options(0)).unwrap()
}

/// Two properties that put the edges in different orders.
fn set_values(transaction: &graph::Transaction, e: EdgeRef, n: usize) {
    transaction.set_edge_property(e, "weight", Value::Long((n * 7_919 % 1_009) as i64)).unwrap();
    transaction.set_edge_property(e, "price", Value::Long((n * 613 % 499) as i64)).unwrap();
}

/// A vertex with so many out-edges of the label "likes", in one transaction each ten.
fn star(graph: &Graph, edges: usize) -> (VertexRef, Vec<EdgeRef>) {
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "hub").unwrap();
    let leaf = transaction.add_vertex(None, "leaf").unwrap();
    transaction.commit().unwrap();
    let mut added = Vec::new();
    for numbers in (0..edges).collect::<Vec<_>>().chunks(10) {
        let transaction = graph.begin();
        for &n in numbers {
            let e = transaction.add_edge(None, "likes", hub, leaf).unwrap();
            set_values(&transaction, e, n);
            added.push(e);
        }
        transaction.commit().unwrap();
    }
    (hub, added)
}

/// The out-edges of a vertex, and the name of the key by which the list lies.
fn list(snapshot: &Snapshot, v: VertexRef) -> (Vec<EdgeRef>, Option<String>) {
    let (catalog, reader) = (snapshot.catalog(), snapshot.reader());
    let list = reader.list(v, catalog.edge_label("likes").unwrap(), Dir::Out);
    let edges: Vec<EdgeRef> = list.edges().collect();
    let key = list.sort_key();
    assert_eq!(edges.len(), list.len(), "the degree");
    if let Some(key) = key {
        let values: Vec<Option<i64>> = list
            .runs()
            .flat_map(|run| {
                let value = |i| run.value(i, key).and_then(|value| value.as_i64());
                (0..run.neighbours().len()).map(value).collect::<Vec<_>>()
            })
            .collect();
        assert!(values.is_sorted(), "by {}: {values:?}", catalog.key_name(key));
    }
    snapshot.check().unwrap();
    (edges, key.map(|key| catalog.key_name(key).to_string()))
}

/// Edge nodes that were read so far.
fn nodes_read(graph: &Graph) -> u64 {
    graph.stats().tree_use.iter().map(|(_, tree)| tree.nodes_read).sum()
}

#[test]
fn one_edge_of_a_hub_that_lies_by_a_property_is_read_and_changed_without_a_look_at_all_nodes() {
    const EDGES: usize = 2_000;
    let graph = open(&memory());
    graph
        .change_schema(|schema| {
            schema.edges.entry("likes".into()).or_default().sort_key = Some("weight".into());
            Ok(())
        })
        .unwrap();
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "hub").unwrap();
    let fans: Vec<_> = (0..EDGES).map(|_| transaction.add_vertex(None, "fan").unwrap()).collect();
    transaction.commit().unwrap();
    let mut edges = Vec::new();
    for (n, &fan) in fans.iter().enumerate() {
        let transaction = graph.begin();
        let e = transaction.add_edge(None, "likes", hub, fan).unwrap();
        set_values(&transaction, e, n);
        transaction.commit().unwrap();
        edges.push(e);
    }
    let weight = graph.snapshot().catalog().key("weight").unwrap();
    let before = nodes_read(&graph);
    for (n, &e) in edges.iter().enumerate().step_by(40) {
        let snapshot = graph.snapshot();
        let expected = (n * 7_919 % 1_009) as i64;
        assert_eq!(snapshot.reader().edge_value(e, weight), Some(Value::Long(expected)));
        let transaction = graph.begin();
        transaction.set_edge_property(e, "weight", Value::Long(expected + 1)).unwrap();
        transaction.commit().unwrap();
        assert_eq!(graph.snapshot().reader().edge_value(e, weight), Some(Value::Long(expected + 1)));
        assert_eq!(snapshot.reader().edge_value(e, weight), Some(Value::Long(expected)), "as it was then");
    }
    let looks = EDGES as u64 / 40 * 5;
    let read = nodes_read(&graph) - before;
    assert!(read <= looks * 2, "{read} nodes were read for {looks} looks");
    assert_eq!(list(&graph.snapshot(), hub).1.as_deref(), Some("weight"));
}

fn touch(graph: &Graph) {
    let transaction = graph.begin();
    transaction.add_vertex(None, "other").unwrap();
    transaction.commit().unwrap();
}

fn check(store: &Arc<dyn Store>) {
    let findings = graph::check(store, &mut |_| {}).unwrap();
    assert!(findings.is_empty(), "{}", findings[0]);
}

/// Nodes of primary trees in the store, and those that the trees lead to.
fn tree_nodes(store: &Arc<dyn Store>) -> (usize, usize) {
    let stored = pairs(store).iter().filter(|(name, key, _)| name == "sections" && key[0] == b't').count();
    let graph = open(store);
    let is_tree = |kind: &graph::SectionKind| matches!(kind, graph::SectionKind::Trees(..));
    let sizes = graph.layout().unwrap();
    (stored, sizes.iter().filter(|sizes| is_tree(&sizes.kind)).map(|sizes| sizes.sections as usize).sum())
}

/// A snapshot, what it is to find, and in which order it found it first.
type Kept = (Snapshot, Naive, Orders);

fn keep(graph: &Graph, model: &Naive) -> Kept {
    let snapshot = graph.snapshot();
    let found = orders(model, &snapshot);
    (snapshot, model.clone(), found)
}

fn check_kept((snapshot, model, found): &Kept, seed: u64) {
    model.check(snapshot, seed, "at an old snapshot");
    assert_eq!(&orders(model, snapshot), found, "seed {seed}: an old snapshot finds another order");
}

fn history(seed: u64, options: &GraphOptions, shape: Shape) -> usize {
    println!("seed {seed}");
    let mut random = Random::new(seed);
    let store = memory();
    let reopen = || Graph::open(Arc::clone(&store), options.clone()).unwrap();
    let mut graph = reopen();
    let (mut model, mut old, mut changes) = (Naive::default(), Vec::<Kept>::new(), 0);
    for _ in 0..150 {
        let transaction = graph.begin();
        let mut tentative = model.clone();
        for _ in 0..random.below(12) {
            write(&transaction, &mut tentative, &mut random, shape).unwrap();
        }
        if random.below(6) == 0 {
            tentative.check(&transaction.snapshot(), seed, "inside a transaction");
        }
        transaction.commit().unwrap();
        model = tentative;
        match random.below(30) {
            0..=3 => old.push(keep(&graph, &model)),
            4 | 5 => graph.flush().unwrap(),
            6..=9 => {
                let key = [None, Some(KEYS[1]), Some(KEYS[2]), Some(KEYS[3])][random.below(4)];
                let (label, before) = (EDGES[random.below(3)], graph.schema());
                let version = sort_by(&graph, label, key).unwrap();
                let was = before.edges.get(label).and_then(|edge| edge.sort_key.clone());
                changes += usize::from(was.as_deref() != key);
                assert!(version > 0);
            }
            10..=13 => {
                let sorted = graph.sort_lists().unwrap();
                if sorted {
                    assert!(lie_as_declared(&model, &graph.snapshot()), "seed {seed}: lists lie otherwise");
                    assert_eq!(graph.sorting(), [], "seed {seed}");
                }
            }
            14 => {
                old.clear();
                drop(graph);
                graph = reopen();
                model.check(&graph.snapshot(), seed, "after a restart");
            }
            15 | 16 if !old.is_empty() => check_kept(&old.swap_remove(random.below(old.len())), seed),
            17 | 18 => model.check(&graph.snapshot(), seed, "now"),
            _ => {}
        }
        if old.len() > 3 {
            check_kept(&old.remove(0), seed);
        }
    }
    old.iter().for_each(|kept| check_kept(kept, seed));
    old.clear();
    graph.await_sorted_lists().unwrap();
    assert!(lie_as_declared(&model, &graph.snapshot()));
    model.check(&graph.snapshot(), seed, "sorted");
    drop(graph);
    check(&store);
    model.check(&reopen().snapshot(), seed, "after the last restart");
    changes
}

#[test]
fn every_snapshot_finds_what_the_model_has_in_one_order_while_sort_keys_change() {
    let shape = Shape { vertices: 25, edges: 150, hubs: 6 };
    let changes: usize = (0..9)
        .map(|seed| {
            let cache_bytes = [0, 20_000, 1 << 30][seed as usize % 3];
            let tree = [TREE, TreeBounds { min: 2, max: 4, fan_out: 3 }, TreeBounds::default()];
            let tree = tree[seed as usize / 3 % 3];
            history(seed, &GraphOptions { cache_bytes, tree, log_bytes: 20_000, ..options(0) }, shape)
        })
        .sum();
    assert!(changes > 80, "{changes}");
}

#[test]
fn a_snapshot_goes_on_in_the_middle_of_a_list_as_if_nothing_had_happened() {
    for edges in [6, 300] {
        let graph = open(&memory());
        let (hub, _) = star(&graph, edges);
        let old = graph.snapshot();
        let reader = old.reader();
        let likes = old.catalog().edge_label("likes").unwrap();
        let (expected, _) = list(&old, hub);
        let mut place = Place::at(edges / 2);
        let first = reader.run(hub, likes, Dir::Out, &mut place);
        assert_eq!(first.edge(edges / 2 - first.first()), expected[edges / 2]);
        drop(reader);
        sort_by(&graph, "likes", Some("weight")).unwrap();
        let between = graph.snapshot();
        let as_between = list(&between, hub);
        // Packed lists are sorted when they are read, trees lie as before.
        assert_eq!(as_between.1.as_deref(), (edges == 6).then_some("weight"));
        for round in 0..3 {
            assert!(!graph.sort_lists().unwrap(), "an old snapshot is there");
            graph.flush().unwrap();
            let reader = old.reader();
            let mut rest = Vec::new();
            let mut place = place;
            while rest.len() < edges - edges / 2 {
                let run = reader.run(hub, likes, Dir::Out, &mut place);
                rest.push(run.edge(place.position - run.first()));
                place.position += 1;
            }
            assert_eq!(rest, expected[edges / 2..], "round {round}");
            drop(reader);
            assert_eq!(list(&old, hub), (expected.clone(), None));
            assert_eq!(list(&between, hub), as_between);
            touch(&graph);
        }
        assert!(graph.sorting()[0].waiting);
        drop((old, between));
        graph.await_sorted_lists().unwrap();
        assert_eq!(graph.sorting(), []);
        assert_eq!(list(&graph.snapshot(), hub).1.as_deref(), Some("weight"));
    }
}

#[test]
fn each_of_several_snapshots_keeps_the_order_of_its_time() {
    let store = memory();
    let graph = open(&store);
    let (hub, _) = star(&graph, 200);
    let (small, _) = star(&graph, 5);
    let mut kept = Vec::new();
    let mut keep = |graph: &Graph| {
        let snapshot = graph.snapshot();
        let found = (list(&snapshot, hub), list(&snapshot, small));
        kept.push((snapshot, found));
    };
    keep(&graph);
    sort_by(&graph, "likes", Some("weight")).unwrap();
    keep(&graph);
    sort_by(&graph, "likes", Some("price")).unwrap();
    keep(&graph);
    sort_by(&graph, "likes", None).unwrap();
    keep(&graph);
    sort_by(&graph, "likes", Some("weight")).unwrap();
    keep(&graph);
    let by: Vec<_> = kept.iter().map(|(_, (_, small))| small.1.clone()).collect();
    let by: Vec<_> = by.iter().map(Option::as_deref).collect();
    assert_eq!(by, [None, Some("weight"), Some("price"), Some("price"), Some("weight")]);
    for _ in 0..kept.len() {
        graph.sort_lists().unwrap();
        for (snapshot, (of_hub, of_small)) in &kept {
            assert_eq!((&list(snapshot, hub), &list(snapshot, small)), (of_hub, of_small));
        }
        kept.remove(0);
        touch(&graph);
    }
    graph.await_sorted_lists().unwrap();
    assert_eq!(list(&graph.snapshot(), hub).1.as_deref(), Some("weight"));
    drop(graph);
    check(&store);
    let (stored, reachable) = tree_nodes(&store);
    assert_eq!(stored, reachable, "nodes of former trees are left in the store");
}

#[test]
fn what_is_not_declared_any_more_is_still_found_where_it_lies() {
    let store = memory();
    let graph = open(&store);
    let (hub, edges) = star(&graph, 300);
    sort_by(&graph, "likes", Some("weight")).unwrap();
    graph.await_sorted_lists().unwrap();
    sort_by(&graph, "likes", None).unwrap();
    assert!(graph.sort_lists().unwrap(), "there is nothing to be done");
    let (late, _) = star(&graph, 5);
    drop(graph);
    let graph = open(&store);
    assert_eq!(list(&graph.snapshot(), hub).1.as_deref(), Some("weight"));
    let transaction = graph.begin();
    for (n, e) in edges.iter().enumerate() {
        match n % 3 {
            0 => transaction.drop_edge(*e).unwrap(),
            1 => transaction.set_edge_property(*e, "weight", Value::Long(-(n as i64))).unwrap(),
            _ => {}
        }
    }
    transaction.commit().unwrap();
    assert_eq!(list(&graph.snapshot(), hub).0.len(), 200);
    assert_eq!(list(&graph.snapshot(), late).0.len(), 5);
    sort_by(&graph, "likes", Some("price")).unwrap();
    graph.await_sorted_lists().unwrap();
    for v in [hub, late] {
        assert_eq!(list(&graph.snapshot(), v).1.as_deref(), Some("price"));
    }
    drop(graph);
    check(&store);
}

#[test]
fn a_secondary_tree_by_the_new_sort_key_goes_and_others_stay() {
    let store = memory();
    let graph = open(&store);
    let (hub, edges) = star(&graph, 300);
    for key in ["weight", "price"] {
        let snapshot = graph.snapshot();
        let catalog = snapshot.catalog();
        let reader = snapshot.reader();
        let list = reader.list(hub, catalog.edge_label("likes").unwrap(), Dir::Out);
        (0..40).map(|_| list.runs().count()).for_each(drop);
        let read = Filtered { looked_at: 1_000_000, passed: 1, first: true };
        list.note_filtered(catalog.key(key).unwrap(), read);
        graph.adapt_secondary_trees().unwrap();
    }
    let keys = |graph: &Graph| {
        let snapshot = graph.snapshot();
        let catalog = snapshot.catalog();
        let reader = snapshot.reader();
        let list = reader.list(hub, catalog.edge_label("likes").unwrap(), Dir::Out);
        let mut keys: Vec<String> =
            list.secondary_keys().into_iter().map(|key| catalog.key_name(key).to_string()).collect();
        keys.sort();
        keys
    };
    assert_eq!(keys(&graph), ["price", "weight"]);
    sort_by(&graph, "likes", Some("weight")).unwrap();
    graph.await_sorted_lists().unwrap();
    assert_eq!(keys(&graph), ["price"]);
    let transaction = graph.begin();
    edges.iter().step_by(3).for_each(|e| transaction.drop_edge(*e).unwrap());
    transaction.commit().unwrap();
    graph.flush().unwrap();
    drop(graph);
    check(&store);
}

/// The process ends before or after each of its writes to the store, while the key of a label with short lists and a hub
/// changes, and is begun again.
#[test]
fn wherever_the_process_ends_what_it_has_begun_is_finished_after_it() {
    let edges = 60;
    let prepared = memory();
    let hub = {
        let graph = open(&prepared);
        let (hub, _) = star(&graph, edges);
        star(&graph, 5);
        graph.flush().unwrap();
        hub
    };
    let before = pairs(&prepared);
    let (mut ended, mut resumed) = (false, 0);
    for left in 0.. {
        for last_reaches_disk in [false, true] {
            let inner = stored::filled(&before);
            let left = AtomicUsize::new(left);
            let failing: Arc<dyn Store> =
                Arc::new(Failing { inner: Arc::clone(&inner), left, last_reaches_disk });
            let done = change_in_one_go(&failing, hub);
            ended |= done.is_ok();
            drop(failing);
            let graph = open(&inner);
            let (found, _) = list(&graph.snapshot(), hub);
            assert!([edges, edges + 1].contains(&found.len()), "{} edges", found.len());
            resumed += usize::from(!graph.sorting().is_empty());
            if graph.schema().edges.get("likes").is_some_and(|edge| edge.sort_key.is_some()) {
                graph.await_sorted_lists().unwrap();
                assert_eq!(list(&graph.snapshot(), hub).1.as_deref(), Some("weight"));
            }
            graph.flush().unwrap();
            drop(graph);
            check(&inner);
            let (stored, reachable) = tree_nodes(&inner);
            assert_eq!(stored, reachable, "nodes are left that no tree leads to");
        }
        if ended {
            break;
        }
    }
    assert!(resumed > 10, "it was hardly ever in the middle: {resumed}");
}

fn change_in_one_go(store: &Arc<dyn Store>, hub: VertexRef) -> Result<(), GraphError> {
    // Small batches: a write for each node.
    let graph = Graph::open(Arc::clone(store), GraphOptions { flush_batch_bytes: 1, ..options(0) })?;
    sort_by(&graph, "likes", Some("weight"))?;
    let transaction = graph.begin();
    let leaf = transaction.add_vertex(None, "leaf")?;
    let e = transaction.add_edge(None, "likes", hub, leaf)?;
    transaction.set_edge_property(e, "weight", Value::Long(500))?;
    transaction.commit()?;
    graph.await_sorted_lists()?;
    graph.flush()
}

/// Ends the threads of a test however it ends.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Adds, changes and drops edges of a hub until it is told to stop; the edges that are there then.
fn write_on(graph: &Graph, hub: VertexRef, stop: &AtomicBool) -> Vec<EdgeRef> {
    let mut random = Random::new(7);
    let mut there = list(&graph.snapshot(), hub).0;
    while !stop.load(Ordering::Relaxed) {
        let transaction = graph.begin();
        let leaf = transaction.add_vertex(None, "leaf").unwrap();
        let e = transaction.add_edge(None, "likes", hub, leaf).unwrap();
        transaction.set_edge_property(e, "weight", Value::Long(random.below(1_000) as i64)).unwrap();
        let mut tentative = there.clone();
        let gone = tentative.swap_remove(random.below(there.len()));
        transaction.drop_edge(gone).unwrap();
        let moved = tentative[random.below(tentative.len())];
        transaction.set_edge_property(moved, "price", Value::Long(random.below(500) as i64)).unwrap();
        tentative.push(e);
        match transaction.commit() {
            Ok(_) => there = tentative,
            // The schema was changed meanwhile.
            Err(error) if error.is_retryable() => {}
            Err(error) => panic!("{error}"),
        }
    }
    there
}

/// While threads write and read, the key changes again and again; the worker does what is to be done.
#[test]
fn others_read_and_write_while_a_thread_sorts() {
    let store = memory();
    let graph = Graph::open(Arc::clone(&store), options(1)).unwrap();
    let (hub, _) = star(&graph, 400);
    let (small, _) = star(&graph, 6);
    let (stop, reads) = (AtomicBool::new(false), AtomicUsize::new(0));
    let mut there = std::thread::scope(|scope| {
        let ends = Stop(&stop);
        let writer = scope.spawn(|| write_on(&graph, hub, &stop));
        for _ in 0..2 {
            scope.spawn(|| {
                let _ends = Stop(&stop);
                while !stop.load(Ordering::Relaxed) {
                    let snapshot = graph.snapshot();
                    let first = [hub, small].map(|v| list(&snapshot, v));
                    std::thread::sleep(Duration::from_millis(3));
                    assert_eq!([hub, small].map(|v| list(&snapshot, v)), first);
                    reads.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for key in ["weight", "price", "weight", "price"] {
            sort_by(&graph, "likes", Some(key)).unwrap();
            let begun = Instant::now();
            while !graph.sorting().is_empty() && !stop.load(Ordering::Relaxed) {
                assert!(begun.elapsed() < Duration::from_secs(300), "{:?}", graph.sorting());
                std::thread::sleep(Duration::from_millis(5));
            }
            assert_eq!(list(&graph.snapshot(), hub).1.as_deref(), Some(key));
        }
        drop(ends);
        writer.join().unwrap()
    });
    assert!(reads.load(Ordering::Relaxed) > 0);
    let (mut found, _) = list(&graph.snapshot(), hub);
    found.sort();
    there.sort();
    assert_eq!(found, there);
    graph.flush().unwrap();
    drop(graph);
    check(&store);
}
