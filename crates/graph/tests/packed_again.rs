//! Lists that grow into edge-trees and, when few edges are left, go back into their sections.

mod failing;
mod stored;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use failing::Failing;
use graph::{
    Dir, EdgeRef, Filtered, Graph, GraphOptions, Place, SecondaryOptions, Seek, Snapshot, TreeBounds, Value,
    VertexRef,
};
use store::{MemoryStore, Store};
use stored::{Pairs, filled, pairs};

/// A list of more than 8 edges has a tree; one of 4 goes back.
const TREE: TreeBounds = TreeBounds { min: 2, max: 8, fan_out: 3 };

fn options() -> GraphOptions {
    let secondary = SecondaryOptions { builders: 0, share: 1.0, patience: 2, ..SecondaryOptions::default() };
    GraphOptions { tree: TREE, merge_versions: 3, secondary, keeper: false, ..GraphOptions::default() }
}

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), options()).unwrap()
}

fn hub(graph: &Graph) -> VertexRef {
    let transaction = graph.begin();
    let hub = transaction.add_vertex(Some(Value::Int(-1)), "hub").unwrap();
    transaction.commit().unwrap();
    hub
}

/// Adds edges with weights in no order; one commit each.
fn add(graph: &Graph, hub: VertexRef, numbers: std::ops::Range<usize>) -> Vec<EdgeRef> {
    let add = |n: usize| {
        let transaction = graph.begin();
        let leaf = transaction.add_vertex(None, "leaf").unwrap();
        let e = transaction.add_edge(None, "likes", hub, leaf).unwrap();
        transaction.set_edge_property(e, "weight", Value::Long((n * 7_919 % 1_009) as i64)).unwrap();
        transaction.commit().unwrap();
        e
    };
    numbers.map(add).collect()
}

fn remove(graph: &Graph, edges: &[EdgeRef]) {
    for e in edges {
        let transaction = graph.begin();
        transaction.drop_edge(*e).unwrap();
        transaction.commit().unwrap();
    }
}

fn sort_by_weight(graph: &Graph) {
    let declared = graph.change_schema(|schema| {
        schema.edges.entry("likes".into()).or_default().sort_key = Some("weight".into());
        Ok(())
    });
    declared.unwrap();
}

fn has_tree(graph: &Graph, hub: VertexRef) -> bool {
    let snapshot = graph.snapshot();
    let likes = snapshot.catalog().edge_label("likes").unwrap();
    snapshot.reader().list(hub, likes, Dir::Out).has_tree()
}

/// The edges of the list with their weights, in its order.
fn edges(snapshot: &Snapshot, hub: VertexRef) -> Vec<(EdgeRef, Option<Value>)> {
    let (likes, weight) =
        (snapshot.catalog().edge_label("likes").unwrap(), snapshot.catalog().key("weight").unwrap());
    let reader = snapshot.reader();
    let list = reader.list(hub, likes, Dir::Out);
    let found: Vec<_> = list
        .runs()
        .flat_map(|run| {
            (0..run.neighbours().len()).map(|i| (run.edge(i), run.value(i, weight))).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(list.len(), found.len(), "the degree");
    for (e, value) in &found {
        assert_eq!(&reader.edge_value(*e, weight), value);
    }
    snapshot.check().unwrap();
    found
}

/// How many nodes of primary trees the store has, roots included.
fn stored_nodes(store: &Arc<dyn Store>) -> usize {
    pairs(store).iter().filter(|(name, key, _)| name == "sections" && key.first() == Some(&b't')).count()
}

#[test]
fn a_list_that_has_become_short_goes_back_into_its_section_with_the_next_flush() {
    for sorted in [false, true] {
        let store = memory();
        let graph = open(&store);
        if sorted {
            sort_by_weight(&graph);
        }
        let hub = hub(&graph);
        let all = add(&graph, hub, 0..40);
        graph.flush().unwrap();
        assert!(has_tree(&graph, hub) && stored_nodes(&store) > 5);
        remove(&graph, &all[..35]);
        graph.flush().unwrap();
        assert!(has_tree(&graph, hub), "five are more than half of eight");
        remove(&graph, &all[35..36]);
        let before = edges(&graph.snapshot(), hub);
        assert!(has_tree(&graph, hub), "it goes with a flush");
        graph.flush().unwrap();
        assert!(!has_tree(&graph, hub));
        assert_eq!((edges(&graph.snapshot(), hub), before.len()), (before.clone(), 4));
        assert_eq!((stored_nodes(&store), graph.stats().lists_packed_again), (0, 1));
        // What is between the two bounds stays as it is, until there are more than eight again.
        add(&graph, hub, 40..44);
        graph.flush().unwrap();
        assert!(!has_tree(&graph, hub), "eight lie together");
        add(&graph, hub, 44..45);
        graph.flush().unwrap();
        assert!(has_tree(&graph, hub) && stored_nodes(&store) > 1);
        let expected = edges(&graph.snapshot(), hub);
        drop(graph);
        let graph = open(&store);
        assert_eq!((edges(&graph.snapshot(), hub), expected.len()), (expected.clone(), 9));
        drop(graph);
        assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    }
}

#[test]
fn a_list_whose_vertex_is_dropped_goes_back_too() {
    let store = memory();
    let graph = open(&store);
    let hub = hub(&graph);
    add(&graph, hub, 0..40);
    graph.flush().unwrap();
    let transaction = graph.begin();
    transaction.drop_vertex(hub).unwrap();
    transaction.commit().unwrap();
    graph.flush().unwrap();
    assert_eq!((edges(&graph.snapshot(), hub), stored_nodes(&store)), (vec![], 0));
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
}

#[test]
fn an_older_snapshot_sees_the_list_as_it_was_and_holds_it_back() {
    let store = memory();
    let graph = open(&store);
    let hub = hub(&graph);
    let all = add(&graph, hub, 0..40);
    graph.flush().unwrap();
    let old = graph.snapshot();
    let before = edges(&old, hub);
    remove(&graph, &all[..38]);
    graph.flush().unwrap();
    assert!(has_tree(&graph, hub), "a snapshot needs versions of it");
    assert_eq!((edges(&old, hub), before.len()), (before, 40));
    drop(old);
    graph.flush().unwrap();
    assert!(!has_tree(&graph, hub));
    assert_eq!(edges(&graph.snapshot(), hub).len(), 2);
}

/// Who stands in the tree of a list goes on in the section where it stopped, whichever way it reads.
#[test]
fn a_reader_goes_on_where_it_stands_when_the_list_goes_back() {
    for sorted in [false, true] {
        let store = memory();
        let graph = open(&store);
        if sorted {
            sort_by_weight(&graph);
        }
        let hub = hub(&graph);
        let all = add(&graph, hub, 0..40);
        // Of every node some, so that the four that are left lie in several.
        let left = |n: usize| n % 10 == 3;
        remove(
            &graph,
            &all.iter().enumerate().filter(|(n, _)| !left(*n)).map(|(_, e)| *e).collect::<Vec<_>>(),
        );
        let snapshot = graph.snapshot();
        let expected: Vec<EdgeRef> = edges(&snapshot, hub).into_iter().map(|(e, _)| e).collect();
        let (likes, weight) =
            (snapshot.catalog().edge_label("likes").unwrap(), snapshot.catalog().key("weight").unwrap());
        let reader = snapshot.reader();
        let list = reader.list(hub, likes, Dir::Out);
        assert!(list.has_tree() && list.runs().count() > 1, "{} runs", list.runs().count());
        let least = Value::Long(i64::MIN);
        let (mut place, mut seek) = (Place::default(), Seek::default());
        let (mut found, mut sought) = (Vec::new(), Vec::new());
        let (mut back, stretches) = (Seek::default(), reader.stretches(hub, likes, Dir::Out, 1));
        let mut backwards: Vec<EdgeRef> = Vec::new();
        let mut take_back = || {
            let (run, ahead) = list.run_back(None, &mut back).unwrap();
            back.position += ahead;
            backwards.extend((0..ahead).rev().map(|i| run.edge(i)));
            ahead > 0
        };
        assert!(take_back());
        for step in 0..expected.len() {
            let run = list.run(&mut place);
            found.push(run.edge(place.position - run.first()));
            place.position += 1;
            if let Some((run, at)) = list.run_from(&least, &mut seek) {
                sought.push(run.edge(at));
                seek.position += 1;
            }
            if step == 1 {
                graph.flush().unwrap();
                assert!(!list.has_tree() && stretches.len() > 1);
            }
        }
        while take_back() {}
        backwards.reverse();
        assert_eq!((&found, &backwards), (&expected, &expected));
        assert_eq!(list.sort_key(), sorted.then_some(weight));
        assert_eq!(sought, if sorted { expected.clone() } else { vec![] });
        let cut = stretches.into_iter().flat_map(|stretch| {
            let mut place = stretch.place;
            let run = list.run(&mut place);
            (stretch.place.position..stretch.end).map(|i| run.edge(i - run.first())).collect::<Vec<_>>()
        });
        assert_eq!(cut.collect::<Vec<_>>(), expected);
        snapshot.check().unwrap();
    }
}

/// Reads the hub's list as if few of its edges were wanted, and lets the graph decide what trees pay.
fn want(graph: &Graph, hub: VertexRef) {
    {
        let snapshot = graph.snapshot();
        let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
        let list = reader.list(hub, catalog.edge_label("likes").unwrap(), Dir::Out);
        for _ in 0..20 {
            let looked_at = list.runs().map(|run| run.neighbours().len()).sum();
            let read = Filtered { looked_at, passed: 1, first: true };
            list.note_filtered(catalog.key("weight").unwrap(), read);
        }
    }
    graph.adapt_secondary_trees().unwrap();
}

#[test]
fn the_secondary_trees_of_a_list_and_who_reads_them_go_before_it_goes_back() {
    let store = memory();
    let graph = open(&store);
    let hub = hub(&graph);
    let all = add(&graph, hub, 0..60);
    want(&graph, hub);
    assert_eq!(graph.secondary_trees().len(), 1);
    remove(&graph, &all[..56]);
    graph.flush().unwrap();
    assert!(has_tree(&graph, hub), "it has a secondary tree");
    {
        let snapshot = graph.snapshot();
        let catalog = snapshot.catalog();
        let (likes, weight) = (catalog.edge_label("likes").unwrap(), catalog.key("weight").unwrap());
        let reader = snapshot.reader();
        let list = reader.list(hub, likes, Dir::Out).ordered_by(weight).unwrap();
        assert_eq!(list.tree(), Some(weight));
        let (mut place, mut weights) = (Place::default(), Vec::new());
        for step in 0..4 {
            let run = list.run(&mut place);
            weights.push(run.value(place.position - run.first(), weight).unwrap().as_i64());
            place.position += 1;
            if step == 1 {
                graph.adapt_secondary_trees().unwrap();
                graph.flush().unwrap();
                assert!(has_tree(&graph, hub), "somebody reads what was its secondary tree");
            }
        }
        assert!(weights.is_sorted() && snapshot.check().is_ok(), "{weights:?}");
    }
    graph.adapt_secondary_trees().unwrap();
    assert_eq!(graph.secondary_trees(), []);
    graph.flush().unwrap();
    assert!(!has_tree(&graph, hub));
    assert_eq!(edges(&graph.snapshot(), hub).len(), 4);
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
}

/// A flush in which a list goes back may end anywhere. What it would have deleted it deletes last.
#[test]
fn a_flush_that_ends_early_leaves_the_list_in_one_place_or_the_other() {
    let store = memory();
    let graph = open(&store);
    let hub = hub(&graph);
    let all = add(&graph, hub, 0..60);
    graph.flush().unwrap();
    remove(&graph, &all[..57]);
    let before = pairs(&store);
    let expected = edges(&graph.snapshot(), hub);
    graph.flush().unwrap();
    assert!(!has_tree(&graph, hub));
    drop(graph);
    let sections: Vec<_> = pairs(&store).into_iter().filter(|(name, _, _)| name == "sections").collect();
    for written in 0..=sections.len() {
        for part in [&sections[..written], &sections[written..]] {
            let torn = filled(before.iter().chain(part));
            let again = open(&torn);
            assert_eq!(edges(&again.snapshot(), hub), expected, "{written} of {} sections", sections.len());
            add(&again, hub, 100..120);
            again.flush().unwrap();
            let grown = edges(&again.snapshot(), hub);
            let layout = again.layout().unwrap();
            let nodes = layout.iter().map(|kind| match kind.kind {
                graph::SectionKind::Trees(..) => kind.sections,
                _ => 0,
            });
            assert_eq!(stored_nodes(&torn) as u64, nodes.sum::<u64>(), "what an older tree has left");
            drop(again);
            assert_eq!(graph::check(&torn, &mut |_| {}).unwrap(), []);
            assert_eq!((edges(&open(&torn).snapshot(), hub), grown.len()), (grown.clone(), 23));
        }
    }
}

/// A list goes back, but the flush fails, and it grows into another tree. When that one is written the section on disk still
/// leads to the old one, whose nodes must not be overwritten before.
#[test]
fn a_list_that_goes_back_and_forth_before_it_is_written_leaves_its_old_tree_whole() {
    let inner = memory();
    let left = AtomicUsize::new(usize::MAX - 1);
    let failing = Arc::new(Failing { inner: Arc::clone(&inner), left, last_reaches_disk: false });
    let store: Arc<dyn Store> = Arc::clone(&failing) as Arc<dyn Store>;
    let graph = open(&store);
    let hub = hub(&graph);
    let all = add(&graph, hub, 0..60);
    graph.flush().unwrap();
    remove(&graph, &all[..57]);
    failing.left.store(0, Ordering::SeqCst);
    graph.flush().unwrap_err();
    failing.left.store(usize::MAX - 1, Ordering::SeqCst);
    assert!(!has_tree(&graph, hub));
    add(&graph, hub, 60..90);
    assert!(has_tree(&graph, hub));
    let (before, expected) = (pairs(&inner), edges(&graph.snapshot(), hub));
    graph.flush().unwrap();
    drop(graph);
    assert_eq!(edges(&open(&inner).snapshot(), hub), expected);
    let is_node = |key: &[u8]| key.first() == Some(&b't') && key.get(10) == Some(&2);
    let nodes: Pairs =
        pairs(&inner).into_iter().filter(|(name, key, _)| name == "sections" && is_node(key)).collect();
    assert!(nodes.len() > 3, "{} nodes", nodes.len());
    for written in 1..=nodes.len() {
        let torn = filled(before.iter().chain(&nodes[..written]));
        assert_eq!(edges(&open(&torn).snapshot(), hub), expected, "{written} of {} nodes", nodes.len());
    }
}

/// Lets the readers end, also where the writer fails.
struct Ends<'a>(&'a AtomicBool);

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Lists go back and forth while others read them, with memory for next to nothing.
#[test]
fn lists_go_back_and_forth_while_they_are_read() {
    let store = memory();
    let graph = Graph::open(Arc::clone(&store), GraphOptions { cache_bytes: 20_000, ..options() }).unwrap();
    let hub = hub(&graph);
    let mut all = add(&graph, hub, 0..3);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _ends = Ends(&done);
        for _ in 0..2 {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let snapshot = graph.snapshot();
                    let first = edges(&snapshot, hub);
                    assert!((3..=30).contains(&first.len()), "{} edges", first.len());
                    std::thread::yield_now();
                    assert_eq!(edges(&snapshot, hub), first);
                }
            });
        }
        for _ in 0..30 {
            all.extend(add(&graph, hub, 0..27));
            graph.flush().unwrap();
            remove(&graph, &all.split_off(3));
            // Who reads it as it was holds it back for a moment.
            (0..1_000).find(|_| graph.flush().is_err() || !has_tree(&graph, hub)).unwrap();
        }
    });
    assert_eq!(graph.stats().lists_packed_again, 30);
    let expected = edges(&graph.snapshot(), hub);
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    assert_eq!(edges(&open(&store).snapshot(), hub), expected);
}
