//! Of thousands of edge labels a vertex has a few: these are found, whichever they are, and nothing asks for the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{Dir, Direction, EdgeRef, Graph, GraphOptions, ScanCursor, Value, VertexRef};
use store::{MemoryStore, Store};

const LABELS: usize = 3_000;
const VERTICES: usize = 200;

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), GraphOptions::default()).unwrap()
}

/// By vertex and direction: the labels and the edges along them.
type Lists = BTreeMap<(VertexRef, bool), BTreeMap<u16, Vec<EdgeRef>>>;

/// Every label has an edge; each vertex has a few.
fn fill(graph: &Graph) -> (Vec<VertexRef>, Vec<EdgeRef>) {
    let transaction = graph.begin();
    let vertices: Vec<_> = (0..VERTICES).map(|_| transaction.add_vertex(None, "v").unwrap()).collect();
    let edges = (0..LABELS).map(|n| {
        let (src, dst) = (vertices[n * 7 % VERTICES], vertices[n * n % VERTICES]);
        transaction.add_edge(None, &format!("label {n}"), src, dst).unwrap()
    });
    let edges = edges.collect();
    transaction.commit().unwrap();
    (vertices, edges)
}

fn lists_of(edges: &[EdgeRef]) -> Lists {
    let mut lists = Lists::new();
    for edge in edges {
        lists.entry((edge.src, true)).or_default().entry(edge.label).or_default().push(*edge);
        lists.entry((edge.dst, false)).or_default().entry(edge.label).or_default().push(*edge);
    }
    lists
}

fn compare(graph: &Graph, vertices: &[VertexRef], edges: &[EdgeRef]) {
    let snapshot = graph.snapshot();
    let (reader, lists) = (snapshot.reader(), lists_of(edges));
    for &v in vertices {
        let mut degrees = 0;
        for dir in [Dir::Out, Dir::In] {
            let mut seen = BTreeMap::<u16, Vec<EdgeRef>>::new();
            let mut order = Vec::new();
            reader.for_each_label(v, dir, |label, list| {
                order.push(label);
                let edges = list.runs().flat_map(|run| (0..run.neighbours().len()).map(move |i| run.edge(i)));
                seen.insert(label.0, edges.collect());
            });
            assert!(order.is_sorted());
            let known = lists.get(&(v, dir == Dir::Out)).cloned().unwrap_or_default();
            let degree = known.values().map(Vec::len).sum::<usize>() as u64;
            assert_eq!(seen, known, "{v:?} {dir:?}");
            let direction = if dir == Dir::Out { Direction::Out } else { Direction::In };
            assert_eq!(reader.degree(v, direction, &[]), degree);
            degrees += degree;
        }
        assert_eq!(reader.degree(v, Direction::Both, &[]), degrees);
    }
    for limit in [1, 7, 100_000] {
        let (mut cursor, mut scanned) = (ScanCursor::default(), Vec::new());
        while reader.scan_edges(None, &mut cursor, limit, &mut scanned) {}
        let mut sorted = edges.to_vec();
        sorted.sort_unstable_by_key(|edge| (edge.src, edge.label, edge.seq));
        assert_eq!(scanned, sorted, "{limit} at a time");
    }
    for &edge in edges.iter().step_by(11) {
        assert_eq!(reader.edge_by_id(&Value::Long(edge.generated_id())), Some(edge));
    }
    snapshot.check().unwrap();
}

#[test]
fn the_few_labels_of_a_vertex_are_found_among_thousands() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let (vertices, mut edges) = fill(&graph);
    compare(&graph, &vertices, &edges);
    let transaction = graph.begin();
    for edge in edges.extract_if(.., |edge| edge.label % 5 == 0) {
        transaction.drop_edge(edge).unwrap();
    }
    edges.push(transaction.add_edge(None, "label 2000", vertices[3], vertices[4]).unwrap());
    edges.push(transaction.add_edge(None, "a new label", vertices[3], vertices[4]).unwrap());
    let own = transaction.snapshot();
    assert_eq!(
        own.reader().degree(vertices[3], Direction::Out, &[]),
        edges.iter().filter(|edge| edge.src == vertices[3]).count() as u64
    );
    drop(own);
    transaction.commit().unwrap();
    compare(&graph, &vertices, &edges);
    graph.flush().unwrap();
    drop(graph);
    compare(&open(&store), &vertices, &edges);
}

/// Labels that are new to a graph have sections in blocks that older snapshots read.
#[test]
fn an_older_snapshot_knows_nothing_of_labels_that_came_later() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let (vertices, edges) = fill(&graph);
    let before = graph.snapshot();
    let transaction = graph.begin();
    for n in 0..500 {
        let (src, dst) = (vertices[n % VERTICES], vertices[(n + 1) % VERTICES]);
        transaction.add_edge(None, &format!("later {n}"), src, dst).unwrap();
    }
    transaction.commit().unwrap();
    let reader = before.reader();
    let (mut cursor, mut scanned) = (ScanCursor::default(), Vec::new());
    while reader.scan_edges(None, &mut cursor, 10_000, &mut scanned) {}
    assert_eq!(scanned.len(), edges.len());
    for &v in &vertices {
        let mut listed = 0;
        reader.for_each_label(v, Dir::Out, |_, list| listed += list.len());
        let known = edges.iter().filter(|edge| edge.src == v).count();
        assert_eq!((listed, reader.degree(v, Direction::Out, &[])), (known, known as u64));
    }
    before.check().unwrap();
}

#[test]
fn a_check_asks_for_what_is_there_and_not_for_every_label_of_every_free_place() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    fill(&graph);
    // A stripe for each vertex label, each with a thousand places that nobody has.
    let transaction = graph.begin();
    for n in 0..300 {
        transaction.add_vertex(None, &format!("vertex label {n}")).unwrap();
    }
    transaction.commit().unwrap();
    graph.flush().unwrap();
    drop(graph);
    let began = Instant::now();
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    let asked_for_all = 300 * 1_024 * LABELS as u64 * 2;
    let took = began.elapsed();
    assert!(took < Duration::from_nanos(asked_for_all * 5), "it took {took:?}");
}
