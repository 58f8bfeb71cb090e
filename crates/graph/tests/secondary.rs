//! Secondary edge-trees: built and dropped by what reads tell, kept while others write, and there after a restart.

mod stored;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph::{
    Cardinality, Dir, EdgeRef, Filtered, Graph, GraphOptions, List, SecondaryOptions, SecondaryState, Seek,
    Snapshot, TreeBounds, Value, VertexRef,
};
use store::{Durability, KeyRange, KeyspaceShape, MemoryStore, ScanOrder, Store, WriteBatch};
use stored::{filled, pairs};

/// Whole lists read, so that the periods count as busy ones.
const READS: usize = 20;

fn options(builders: usize) -> GraphOptions {
    GraphOptions {
        tree: TreeBounds { min: 4, max: 8, fan_out: 6 },
        merge_versions: 3,
        secondary: SecondaryOptions {
            builders,
            share: 1.0,
            patience: 2,
            sort_edges: 50,
            ..SecondaryOptions::default()
        },
        ..GraphOptions::default()
    }
}

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), options(0)).unwrap()
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

/// A hub, and that many edges from it; their weights are in no order.
fn star(graph: &Graph, edges: usize) -> (VertexRef, Vec<EdgeRef>) {
    let transaction = graph.begin();
    let hub = transaction.add_vertex(Some(Value::Int(-1)), "hub").unwrap();
    transaction.commit().unwrap();
    let added = (0..edges).map(|n| add(graph, hub, n)).collect();
    (hub, added)
}

fn weight(n: usize) -> Value {
    Value::Long((n * 7_919 % 1_009) as i64)
}

fn add(graph: &Graph, hub: VertexRef, n: usize) -> EdgeRef {
    let transaction = graph.begin();
    let leaf = transaction.add_vertex(None, "leaf").unwrap();
    let e = transaction.add_edge(None, "likes", hub, leaf).unwrap();
    transaction.set_edge_property(e, "weight", weight(n)).unwrap();
    transaction.set_edge_property(e, "n", Value::Long(n as i64)).unwrap();
    transaction.commit().unwrap();
    e
}

fn add_all(graph: &Graph, hub: VertexRef, numbers: std::ops::Range<usize>) {
    for n in numbers {
        add(graph, hub, n);
    }
}

/// Reads a list a few times.
fn read(list: List<'_>) {
    let edges: usize = (0..READS).map(|_| list.edges().count()).sum();
    assert_eq!(edges, READS * list.len());
}

fn with_list<R>(snapshot: &Snapshot, hub: VertexRef, look: impl FnOnce(List<'_>, graph::KeyId) -> R) -> R {
    let catalog = snapshot.catalog();
    let (likes, weight) = (catalog.edge_label("likes").unwrap(), catalog.key("weight").unwrap());
    let reader = snapshot.reader();
    let result = look(reader.list(hub, likes, Dir::Out), weight);
    snapshot.check().unwrap();
    result
}

/// Reads the hub's list as if few of its edges were wanted, and lets the graph decide.
fn want(graph: &Graph, hub: VertexRef) {
    with_list(&graph.snapshot(), hub, |list, weight| {
        for _ in 0..READS {
            let looked_at = list.runs().map(|run| run.neighbours().len()).sum();
            list.note_filtered(weight, Filtered { looked_at, passed: 1, first: true });
        }
    });
    graph.adapt_secondary_trees().unwrap();
}

/// The edges in the order of their weights, as a tree has them; none if there is no tree.
fn by_weight(snapshot: &Snapshot, hub: VertexRef) -> Option<Vec<(Option<Value>, EdgeRef)>> {
    with_list(snapshot, hub, |list, weight| {
        let tree = list.ordered_by(weight)?;
        assert_eq!(tree.tree(), Some(weight));
        let edges = |run: graph::Run<'_>| -> Vec<_> {
            (0..run.neighbours().len()).map(|i| (run.value(i, weight), run.edge(i))).collect()
        };
        Some(tree.runs().flat_map(edges).collect())
    })
}

/// What the tree has to have, by the primary one.
fn expected(snapshot: &Snapshot, hub: VertexRef) -> Vec<(Option<Value>, EdgeRef)> {
    let mut all: Vec<_> = with_list(snapshot, hub, |list, weight| {
        let edges = |run: graph::Run<'_>| -> Vec<_> {
            (0..run.neighbours().len()).map(|i| (run.value(i, weight), run.edge(i))).collect()
        };
        list.runs().flat_map(edges).collect()
    });
    all.sort_by_key(|(weight, e)| (weight.as_ref().and_then(Value::as_i64), e.dst, e.seq));
    all
}

#[track_caller]
fn assert_complete(graph: &Graph, hub: VertexRef) {
    let snapshot = graph.snapshot();
    assert_eq!(by_weight(&snapshot, hub).expect("there is no tree"), expected(&snapshot, hub));
}

/// Pairs in the store of secondary trees.
fn stored(store: &Arc<dyn Store>) -> usize {
    let sections = store.keyspace("sections", KeyspaceShape::Large).unwrap();
    store.snapshot().unwrap().scan(&sections, KeyRange::prefix(b"s"), ScanOrder::Ascending).unwrap().count()
}

#[test]
fn a_list_that_is_filtered_often_gets_a_tree_that_commits_keep() {
    let store = memory();
    let graph = open(&store);
    let (hub, edges) = star(&graph, 300);
    assert!(by_weight(&graph.snapshot(), hub).is_none());
    want(&graph, hub);
    assert_complete(&graph, hub);
    let before = graph.snapshot();
    let old = expected(&before, hub);
    let transaction = graph.begin();
    for (n, &e) in edges.iter().enumerate() {
        match n % 5 {
            0 => transaction.set_edge_property(e, "weight", weight(n + 500)).unwrap(),
            1 => transaction.drop_edge(e).unwrap(),
            2 => transaction.drop_edge_property(e, "weight").unwrap(),
            3 => transaction.set_edge_property(e, "n", Value::Long(-1)).unwrap(),
            _ => {}
        }
    }
    transaction.commit().unwrap();
    add_all(&graph, hub, 300..400);
    assert_complete(&graph, hub);
    assert_eq!(by_weight(&before, hub).unwrap(), old, "an old snapshot sees what it saw");
    let status = graph.secondary_trees();
    assert_eq!((status.len(), status[0].state), (1, SecondaryState::Ready));
    assert_eq!((status[0].key.as_str(), &status[0].vertex), ("weight", &Value::Int(-1)));
    assert_eq!(status[0].edges, Some(340));
}

#[test]
fn a_range_is_found_without_reading_the_rest() {
    let store = memory();
    let graph = open(&store);
    let (hub, _) = star(&graph, 1_000);
    want(&graph, hub);
    drop(graph);
    let graph = open(&store);
    let snapshot = graph.snapshot();
    let found = with_list(&snapshot, hub, |list, weight| {
        let tree = list.ordered_by(weight).unwrap();
        let mut seek = Seek::default();
        let (run, at) = tree.run_from(&Value::Long(500), &mut seek).unwrap();
        (run.value(at, weight), graph.stats().loads)
    });
    assert_eq!(found.0, Some(Value::Long(500)));
    assert!(found.1 <= 12, "{} sections and nodes were loaded", found.1);
}

#[test]
fn a_tree_and_what_was_committed_since_survive_a_restart() {
    let store = memory();
    let graph = open(&store);
    let (hub, edges) = star(&graph, 200);
    want(&graph, hub);
    // Behind the last flush: only the log has it.
    let transaction = graph.begin();
    edges.iter().step_by(3).for_each(|&e| transaction.drop_edge(e).unwrap());
    edges.iter().skip(1).step_by(3).for_each(|&e| {
        transaction.set_edge_property(e, "weight", Value::Long(5_000)).unwrap();
    });
    transaction.commit().unwrap();
    add_all(&graph, hub, 200..300);
    drop(graph);
    let again = open(&store);
    assert_complete(&again, hub);
    again.flush().unwrap();
    drop(again);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    assert_complete(&open(&store), hub);
}

#[test]
fn a_tree_that_does_not_pay_goes_when_nobody_reads_it_any_more() {
    let store = memory();
    let graph = open(&store);
    let (hub, _) = star(&graph, 200);
    want(&graph, hub);
    assert!(stored(&store) > 0);
    let reading = graph.snapshot();
    let old = by_weight(&reading, hub).unwrap();
    // Busy periods in which nobody uses it.
    for _ in 0..3 {
        with_list(&graph.snapshot(), hub, |list, _| read(list));
        graph.adapt_secondary_trees().unwrap();
    }
    assert!(by_weight(&graph.snapshot(), hub).is_none(), "new snapshots do not use it");
    assert_eq!(graph.secondary_trees()[0].state, SecondaryState::Dropped);
    add_all(&graph, hub, 200..230);
    graph.flush().unwrap();
    graph.adapt_secondary_trees().unwrap();
    assert_eq!(by_weight(&reading, hub).unwrap(), old, "who reads it goes on");
    drop(reading);
    graph.adapt_secondary_trees().unwrap();
    assert_eq!((graph.secondary_trees(), stored(&store)), (vec![], 0));
    want(&graph, hub);
    assert_complete(&graph, hub);
}

#[test]
fn a_tree_that_is_used_stays() {
    let graph = open(&memory());
    let (hub, _) = star(&graph, 200);
    want(&graph, hub);
    for _ in 0..6 {
        with_list(&graph.snapshot(), hub, |list, weight| {
            read(list);
            let tree = list.ordered_by(weight).unwrap();
            (0..READS).for_each(|_| tree.note_used(Filtered { looked_at: 8, passed: 1, first: true }));
        });
        graph.adapt_secondary_trees().unwrap();
    }
    let status = &graph.secondary_trees()[0];
    assert_eq!(status.state, SecondaryState::Ready);
    assert!(status.benefit > 0.5, "{status:?}");
}

#[test]
fn what_a_crash_has_left_of_a_tree_is_deleted() {
    let store = memory();
    {
        let graph = open(&store);
        let (hub, _) = star(&graph, 100);
        want(&graph, hub);
    }
    let named = stored(&store);
    let sections = store.keyspace("sections", KeyspaceShape::Large).unwrap();
    let mut batch = WriteBatch::new();
    // Nodes of trees by key 9 of two vertices, and one by key 0 of a third, before and behind the one that is named.
    for (slot, key) in [(0u8, 9u8), (7, 9), (9, 0)] {
        for id in 0..3_000u32 {
            let mut name = vec![b's', 0, 0, 0, 32, 0, 0, 0, 0, slot, 0, key, 2];
            name.extend_from_slice(&id.to_be_bytes());
            batch.put(&sections, name, "left over");
        }
    }
    store.write_batch(batch, Durability::Sync).unwrap();
    assert_eq!(stored(&store), named + 9_000);
    drop(Graph::open(Arc::clone(&store), options(1)).unwrap());
    assert_eq!(stored(&store), named);
}

#[test]
fn a_tree_is_complete_that_is_built_while_its_list_is_written() {
    let store = memory();
    let mut slow = options(0);
    slow.secondary.share = 0.2;
    let graph = Graph::open(Arc::clone(&store), slow).unwrap();
    let (hub, edges) = star(&graph, 2_000);
    let stop = AtomicBool::new(false);
    let written = std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut written = 0;
            while !stop.load(Ordering::Relaxed) {
                let transaction = graph.begin();
                match written % 3 {
                    0 => transaction.drop_edge(edges[written / 3 % 1_000]).unwrap(),
                    1 => {
                        let e = edges[1_000 + written / 3 % 1_000];
                        transaction.set_edge_property(e, "weight", weight(written)).unwrap();
                    }
                    _ => {
                        transaction.add_edge(None, "likes", hub, edges[0].dst).unwrap();
                    }
                }
                transaction.commit().unwrap();
                written += 1;
                // The builder's snapshot keeps all versions, and each of its forty passes reads them: as fast as it can, the
                // writer would make them longer than they are already.
                if written > 2_000 {
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
            }
            written
        });
        want(&graph, hub);
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    assert!(written > 20, "only {written} commits happened meanwhile");
    assert_complete(&graph, hub);
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
}

#[test]
fn threads_build_trees_by_themselves() {
    let mut options = options(2);
    options.secondary.period = std::time::Duration::from_millis(5);
    let graph = Graph::open(memory(), options).unwrap();
    let (hub, _) = star(&graph, 500);
    let until = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while by_weight(&graph.snapshot(), hub).is_none() {
        assert!(std::time::Instant::now() < until, "no tree was built in a minute");
        with_list(&graph.snapshot(), hub, |list, weight| {
            let looked_at = list.runs().map(|run| run.neighbours().len()).sum();
            list.note_filtered(weight, Filtered { looked_at, passed: 1, first: true });
        });
    }
    assert_complete(&graph, hub);
}

#[test]
fn who_reads_all_of_a_list_reads_the_tree_of_which_most_is_in_memory() {
    let store = memory();
    let graph = open(&store);
    let (hub, _) = star(&graph, 400);
    want(&graph, hub);
    drop(graph);
    let graph = open(&store);
    let snapshot = graph.snapshot();
    with_list(&snapshot, hub, |list, weight| read(list.ordered_by(weight).unwrap()));
    let loads = graph.stats().loads;
    let (reader, likes) = (snapshot.reader(), snapshot.catalog().edge_label("likes").unwrap());
    let mut place = reader.whole(hub, likes, Dir::Out);
    let mut seen = Vec::new();
    loop {
        let run = reader.run(hub, likes, Dir::Out, &mut place);
        seen.extend((0..run.neighbours().len()).map(|i| run.edge(i)));
        place.position = run.end();
        if run.end() >= run.total() {
            break;
        }
    }
    assert_eq!(graph.stats().loads, loads, "nothing had to be loaded");
    let mut all: Vec<EdgeRef> = expected(&snapshot, hub).into_iter().map(|(_, e)| e).collect();
    seen.sort();
    all.sort();
    assert_eq!(seen, all);
}

#[test]
fn a_list_of_a_vertex_that_is_dropped_takes_its_tree_along() {
    let store = memory();
    let graph = open(&store);
    let (hub, _) = star(&graph, 100);
    let transaction = graph.begin();
    transaction.set_vertex_property(hub, Cardinality::Single, "name", "hub".into(), &[]).unwrap();
    transaction.commit().unwrap();
    want(&graph, hub);
    let transaction = graph.begin();
    transaction.drop_vertex(hub).unwrap();
    transaction.commit().unwrap();
    assert_eq!(by_weight(&graph.snapshot(), hub), Some(vec![]));
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
}

/// Whether a pair is an edge node of a tree: of a primary one, or of a secondary one.
fn is_node(pair: &(String, Vec<u8>, Vec<u8>), of: u8) -> bool {
    let kind = if of == b's' { 12 } else { 10 };
    pair.0 == "sections" && pair.1.first() == Some(&of) && pair.1.get(kind) == Some(&2)
}

/// A flush writes the nodes of a tree in any number of batches. Where it ends between them, replaying the log meets nodes
/// that are ahead of it beside others that are not: no edge may be left where it was before, nor be missing.
#[test]
fn a_flush_that_ends_within_a_tree_leaves_every_edge_in_its_place() {
    let store = memory();
    let graph = open(&store);
    let (hub, edges) = star(&graph, 120);
    want(&graph, hub);
    graph.flush().unwrap();
    let mut random = 1u64;
    for _ in 0..60 {
        let transaction = graph.begin();
        for _ in 0..3 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let e = edges[(random >> 40) as usize % edges.len()];
            match random >> 33 & 7 {
                0 => transaction.drop_edge(e).unwrap(),
                1 => drop(transaction.drop_edge_property(e, "weight")),
                2 => drop(transaction.set_edge_property(e, "n", Value::Long(-1))),
                _ => {
                    drop(transaction.set_edge_property(e, "weight", weight((random >> 20) as usize % 5_000)))
                }
            }
        }
        transaction.commit().unwrap();
    }
    let before = pairs(&store);
    let expected = expected(&graph.snapshot(), hub);
    graph.flush().unwrap();
    drop(graph);
    let after = pairs(&store);
    let primary: Vec<_> = after.iter().filter(|pair| is_node(pair, b't')).collect();
    let secondary: Vec<_> = after.iter().filter(|pair| is_node(pair, b's')).collect();
    assert!(secondary.len() > 10 && primary.len() > 10, "{} and {}", secondary.len(), primary.len());
    for (ahead, descending) in (0..=secondary.len()).flat_map(|ahead| [(ahead, false), (ahead, true)]) {
        let nodes = secondary.iter().copied();
        let written: Vec<_> =
            if descending { nodes.rev().take(ahead).collect() } else { nodes.take(ahead).collect() };
        let torn = filled(before.iter().chain(primary.iter().copied()).chain(written));
        let again = open(&torn);
        let found = by_weight(&again.snapshot(), hub).unwrap();
        assert_eq!(found, expected, "{ahead} nodes were written, descending {descending}");
        again.flush().unwrap();
        drop(again);
        assert_eq!(graph::check(&torn, &mut |_| {}).unwrap(), []);
    }
}
