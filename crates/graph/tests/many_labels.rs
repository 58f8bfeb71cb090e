//! Of thousands of edge labels a vertex has a few: these are found, whichever they are, and nothing asks for the others.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{Dir, Direction, EdgeRef, Graph, GraphOptions, ScanCursor, Snapshot, Value, VertexRef};
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
    compare_in(&graph.snapshot(), vertices, edges);
}

fn compare_in(snapshot: &Snapshot, vertices: &[VertexRef], edges: &[EdgeRef]) {
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
    compare_in(&transaction.snapshot(), &vertices, &edges);
    transaction.commit().unwrap();
    compare(&graph, &vertices, &edges);
    graph.flush().unwrap();
    drop(graph);
    compare(&open(&store), &vertices, &edges);
}

/// What is dropped takes all its edges with it, those of the transaction's own among them.
#[test]
fn a_vertex_is_dropped_with_its_edges_of_few_labels_among_thousands() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let (mut vertices, mut edges) = fill(&graph);
    let transaction = graph.begin();
    let [dropped, other] = [vertices.remove(3), vertices[0]];
    for label in ["label 5", "label 2999", "brand new"] {
        transaction.add_edge(None, label, dropped, other).unwrap();
        transaction.add_edge(None, label, other, dropped).unwrap();
    }
    transaction.drop_vertex(dropped).unwrap();
    edges.retain(|edge| edge.src != dropped && edge.dst != dropped);
    compare_in(&transaction.snapshot(), &vertices, &edges);
    transaction.commit().unwrap();
    compare(&graph, &vertices, &edges);
}

/// What a snapshot has under all keys of each vertex.
fn properties_in(snapshot: &Snapshot, vertices: &[VertexRef]) -> Vec<Vec<(String, Value)>> {
    let reader = snapshot.reader();
    let name = |key| snapshot.catalog().key_name(key).to_string();
    let of = |&v: &VertexRef| {
        let mut found = Vec::new();
        reader.vertex_properties(v, &[], &mut found);
        assert!(found.is_sorted_by_key(|entry| entry.key));
        let mut named: Vec<_> = found.into_iter().map(|entry| (name(entry.key), entry.value)).collect();
        named.sort_by(|a, b| a.0.cmp(&b.0));
        named
    };
    vertices.iter().map(of).collect()
}

#[test]
fn the_few_keys_of_a_vertex_are_found_among_thousands() {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let graph = open(&store);
    let (vertices, _) = fill(&graph);
    let mut known = vec![std::collections::BTreeMap::new(); VERTICES];
    let write =
        |known: &mut Vec<std::collections::BTreeMap<_, _>>, rows: std::ops::Range<usize>, key: &str| {
            let transaction = graph.begin();
            for n in rows {
                let (place, name) = (n * 7 % VERTICES, format!("{key} {n}"));
                let value = Value::Int(n as i32);
                transaction.set_vertex_property(vertices[place], None, &name, value.clone(), &[]).unwrap();
                known[place].insert(name, value);
            }
            let expected: Vec<Vec<_>> = known.iter().map(|of| of.clone().into_iter().collect()).collect();
            assert_eq!(properties_in(&transaction.snapshot(), &vertices), expected);
            transaction.commit().unwrap();
            assert_eq!(properties_in(&graph.snapshot(), &vertices), expected);
        };
    write(&mut known, 0..5, "key");
    write(&mut known, 5..LABELS, "key");
    write(&mut known, 0..300, "other");
    write(&mut known, 100..400, "key");
    graph.flush().unwrap();
    let transaction = graph.begin();
    transaction.drop_vertex(vertices[7]).unwrap();
    known[7].clear();
    assert!(properties_in(&transaction.snapshot(), &vertices[7..8])[0].is_empty());
    transaction.commit().unwrap();
    drop(graph);
    let expected: Vec<Vec<_>> = known.into_iter().map(|of| of.into_iter().collect()).collect();
    assert_eq!(properties_in(&open(&store).snapshot(), &vertices), expected);
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
