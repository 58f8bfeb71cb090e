//! Names are given out with the commit that uses them: what is refused leaves none behind, and others get its ids.

mod stored;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use graph::{
    Cardinality, Direction, Graph, GraphError, GraphOptions, IndexDescription, IndexKind, NameSpace,
    ReadUnit, SchemaMode, Transaction, Value, VertexKeyDescription, VertexRef, name_hash, restore,
};
use store::{MemoryStore, Store};

fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

fn open(store: &Arc<dyn Store>) -> Graph {
    Graph::open(Arc::clone(store), GraphOptions::default()).unwrap()
}

/// Adds a vertex of a label, with that label as the value of a key of that name.
fn add(transaction: &Transaction, name: &str) -> VertexRef {
    let v = transaction.add_vertex(None, name).unwrap();
    transaction.set_vertex_property(v, Cardinality::Single, name, Value::str(name), &[]).unwrap();
    v
}

fn commit(graph: &Graph, name: &str) {
    let transaction = graph.begin();
    add(&transaction, name);
    transaction.commit().unwrap();
}

/// The labels and keys that are known, with their ids.
fn names(graph: &Graph) -> Vec<(u16, String)> {
    let snapshot = graph.snapshot();
    let labels = snapshot.catalog().vertex_labels().map(|(id, name)| (id.0, name.to_string()));
    let keys = snapshot.catalog().keys().map(|(id, name)| (id.0, name.to_string()));
    labels.chain(keys).collect()
}

fn named(names: &[(u16, &str)]) -> Vec<(u16, String)> {
    names.iter().map(|(id, name)| (*id, (*name).to_string())).collect()
}

#[test]
fn transactions_that_are_rolled_back_or_refused_give_their_names_back() {
    let graph = open(&memory());
    commit(&graph, "a");
    let rolled_back = graph.begin();
    add(&rolled_back, "b");
    rolled_back.rollback();
    let refused = graph.begin();
    let v = refused.base().reader().vertex_by_id(&Value::Long(0)).unwrap();
    refused.note_read(ReadUnit::VertexRecord(v));
    add(&refused, "c");
    let other = graph.begin();
    other.set_vertex_property(v, Cardinality::Single, "a", Value::Int(2), &[]).unwrap();
    other.commit().unwrap();
    assert!(matches!(refused.commit(), Err(GraphError::Conflict(_))));
    let dropped = graph.begin();
    for n in 0..1_000 {
        add(&dropped, &format!("d{n}"));
    }
    drop(dropped);
    assert_eq!(names(&graph), named(&[(0, "a"), (1, "a")]));
    commit(&graph, "e");
    assert_eq!(names(&graph), named(&[(0, "a"), (1, "e"), (1, "a"), (2, "e")]));
}

#[test]
fn a_transaction_knows_its_new_names_and_nobody_else_does() {
    let graph = open(&memory());
    commit(&graph, "a");
    let transaction = graph.begin();
    let before = transaction.snapshot();
    let [v, w] = ["b", "c"].map(|name| add(&transaction, name));
    transaction.add_edge(None, "to", v, w).unwrap();
    let snapshot = transaction.snapshot();
    let catalog = snapshot.catalog();
    let label = catalog.vertex_label("b").unwrap();
    assert_eq!((catalog.vertex_label_name(label).as_str(), snapshot.vertex_count(Some(label))), ("b", 1));
    let labels: Vec<_> = catalog.vertex_labels().map(|(_, name)| name.to_string()).collect();
    assert_eq!(labels, ["a", "b", "c"]);
    let reader = snapshot.reader();
    assert_eq!(reader.value(v, catalog.key("b").unwrap()), Some(Value::str("b")));
    assert_eq!(reader.degree(v, Direction::Out, &[]), 1);
    for other in [&before, &graph.snapshot()] {
        let catalog = other.catalog();
        assert_eq!(
            (catalog.vertex_label("b"), catalog.key("b"), catalog.edge_label("to")),
            (None, None, None)
        );
    }
    drop(reader);
    // What it drops again is gone with its edges and values, new ones as well.
    transaction.drop_vertex(v).unwrap();
    let reader_after = transaction.snapshot();
    assert_eq!(reader_after.reader().degree(w, Direction::Both, &[]), 0);
    transaction.commit().unwrap();
    assert!(graph.snapshot().catalog().vertex_label("c").is_some());
}

#[test]
fn of_two_transactions_with_the_same_new_name_one_may_abort_and_the_other_commit() {
    for first_commits in [false, true] {
        let store = memory();
        let graph = open(&store);
        let (one, other, third) = (graph.begin(), graph.begin(), graph.begin());
        let v = add(&one, "a");
        let w = add(&other, "a");
        add(&third, "a");
        let reader = other.base().reader();
        assert_eq!(reader.label(v), reader.label(w), "they share an id");
        drop((reader, third));
        if first_commits {
            one.commit().unwrap();
        } else {
            one.rollback();
        }
        commit(&graph, "b");
        other.commit().unwrap();
        drop(graph);
        let graph = open(&store);
        assert_eq!(names(&graph), named(&[(0, "a"), (1, "b"), (1, "a"), (2, "b")]));
        let snapshot = graph.snapshot();
        let label = snapshot.catalog().vertex_label("a");
        assert_eq!(snapshot.vertex_count(label), if first_commits { 2 } else { 1 });
    }
}

#[test]
fn a_snapshot_from_before_does_not_see_the_name_and_a_transaction_from_before_may_use_it() {
    let graph = open(&memory());
    let (before, transaction) = (graph.snapshot(), graph.begin());
    commit(&graph, "a");
    assert_eq!(before.catalog().vertex_label("a"), None);
    assert_eq!((before.catalog().vertex_labels().count(), before.catalog().keys().count()), (0, 0));
    assert!(graph.snapshot().catalog().vertex_label("a").is_some());
    let v = add(&transaction, "a");
    let snapshot = transaction.snapshot();
    let label = snapshot.catalog().vertex_label("a").unwrap();
    assert_eq!((snapshot.reader().label(v), snapshot.vertex_count(Some(label))), (label, 1));
    transaction.commit().unwrap();
    assert_eq!(graph.snapshot().vertex_count(Some(label)), 2);
}

#[test]
fn whoever_found_a_name_unknown_conflicts_with_each_first_use_of_it_and_with_no_later_one() {
    let unknown = ReadUnit::Name(NameSpace::VertexLabel, name_hash("a"));
    let guarded = |graph: &Graph| {
        let transaction = graph.begin();
        transaction.note_read(unknown);
        add(&transaction, "z");
        transaction
    };
    let graph = open(&memory());
    let (late, one, other) = (guarded(&graph), graph.begin(), graph.begin());
    add(&one, "a");
    add(&other, "a");
    one.rollback();
    let still = guarded(&graph);
    other.commit().unwrap();
    for refused in [late, still] {
        assert!(matches!(refused.commit(), Err(GraphError::Conflict(_))));
    }
    // Who begins now knows the name.
    let knows = guarded(&graph);
    commit(&graph, "a");
    knows.commit().unwrap();
}

#[test]
fn an_index_or_a_schema_with_a_new_name_conflicts_with_whoever_found_it_unknown() {
    let declare: [fn(&Graph); 2] = [
        |graph| {
            let keys = vec!["k".to_owned()];
            let index = IndexDescription { label: "a".into(), keys, kind: IndexKind::Equality };
            graph.declare_index(&index).unwrap();
        },
        |graph| {
            graph
                .change_schema(|schema| {
                    schema.vertices.entry("a".into()).or_default();
                    Ok(())
                })
                .map(drop)
                .unwrap();
        },
    ];
    for declare in declare {
        let graph = open(&memory());
        let guarded = graph.begin();
        guarded.note_read(ReadUnit::Name(NameSpace::VertexLabel, name_hash("a")));
        add(&guarded, "z");
        declare(&graph);
        commit(&graph, "a");
        assert!(matches!(guarded.commit(), Err(GraphError::Conflict(_))));
    }
}

#[test]
fn a_schema_that_is_refused_gives_its_names_back() {
    let graph = open(&memory());
    commit(&graph, "a");
    let before = names(&graph);
    let change = |graph: &Graph| {
        graph.change_schema(|schema| {
            schema.mode = SchemaMode::Strict;
            let key = VertexKeyDescription { required: true, ..VertexKeyDescription::default() };
            schema.vertices.entry("a".into()).or_default().keys.insert("new".into(), key);
            Ok(())
        })
    };
    change(&graph).unwrap_err();
    assert_eq!(names(&graph), before);
    let transaction = graph.begin();
    let v = transaction.base().reader().vertex_by_id(&Value::Long(0)).unwrap();
    transaction.drop_vertex(v).unwrap();
    transaction.commit().unwrap();
    change(&graph).unwrap();
    assert_eq!(names(&graph).len(), before.len() + 1);
}

/// A graph whose ids have gaps: labels a and d, keys a, d and later.
fn with_gaps(store: &Arc<dyn Store>) -> Graph {
    let graph = open(store);
    let open = ["b", "c"].map(|name| {
        let transaction = graph.begin();
        if name == "b" {
            commit(&graph, "a");
        }
        add(&transaction, name);
        transaction
    });
    commit(&graph, "d");
    drop(open);
    graph
}

#[test]
fn ids_with_gaps_survive_the_log_a_checkpoint_and_a_backup_and_the_gaps_are_filled() {
    let known = named(&[(0, "a"), (3, "d"), (1, "a"), (4, "d")]);
    let filled = named(&[(0, "a"), (1, "e"), (3, "d"), (1, "a"), (2, "e"), (4, "d")]);
    let check = |store: &Arc<dyn Store>| {
        assert_eq!(graph::check(store, &mut |_| {}).unwrap(), []);
        let graph = open(store);
        assert_eq!(names(&graph), known);
        commit(&graph, "e");
        assert_eq!(names(&graph), filled);
        let snapshot = graph.snapshot();
        for (label, name) in snapshot.catalog().vertex_labels() {
            let key = snapshot.catalog().key(name).unwrap();
            let mut found = Vec::new();
            snapshot.reader().scan_vertices(Some(label), &mut Default::default(), 10, &mut found);
            assert_eq!(found.len(), 1);
            assert_eq!(snapshot.reader().value(found[0], key), Some(Value::str(name.to_string())));
        }
        drop(snapshot);
        // And once more, with what has filled them.
        graph.flush().unwrap();
        drop(graph);
        assert_eq!(names(&open(store)), filled);
    };
    let store = memory();
    let graph = with_gaps(&store);
    assert_eq!(names(&graph), known);
    let folder = tempfile::tempdir().unwrap();
    drop(graph);
    let copy = |store: &Arc<dyn Store>| stored::filled(&stored::pairs(store));
    check(&copy(&store));
    let graph = open(&store);
    graph.flush().unwrap();
    graph.backup(folder.path().join("backups")).unwrap();
    drop(graph);
    check(&copy(&store));
    let restored = memory();
    restore(folder.path().join("backups"), None, &restored).unwrap();
    check(&restored);
}

#[test]
fn all_ids_in_use_are_an_error_that_says_what_to_do_and_passes_when_names_are_given_back() {
    let options = GraphOptions { held_bytes: 1 << 30, ..GraphOptions::default() };
    let graph = Graph::open(memory(), options).unwrap();
    commit(&graph, "a");
    let v = graph.snapshot().reader().vertex_by_id(&Value::Long(0)).unwrap();
    let set = |transaction: &Transaction, key: &str| {
        transaction.set_vertex_property(v, Cardinality::Single, key, Value::Int(1), &[]).map(drop)
    };
    let all = graph.begin();
    // One is hidden, and one is "a".
    for n in 0..65_533 {
        set(&all, &format!("k{n}")).unwrap();
    }
    let one = graph.begin();
    let full = set(&one, "one more").unwrap_err();
    assert!(matches!(full, GraphError::TooManyNames { space: NameSpace::Key, limit: 65_535 }), "{full}");
    assert!(full.to_string().contains("keep what varies in values of properties"), "{full}");
    set(&one, "a").unwrap();
    all.rollback();
    set(&one, "one more").unwrap();
    one.commit().unwrap();
    let snapshot = graph.snapshot();
    let keys: Vec<_> = snapshot.catalog().keys().map(|(id, name)| (id.0, name.as_str())).collect();
    assert_eq!(keys, [(1, "a"), (2, "one more")]);
}

/// Threads that commit, roll back and conflict with names from a small set, while another flushes.
#[test]
fn under_load_no_element_ever_has_another_name_than_it_was_given() {
    const THREADS: u64 = 4;
    let store = memory();
    let graph = open(&store);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                graph.flush().unwrap();
            }
        });
        let writers: Vec<_> = (0..THREADS)
            .map(|thread| {
                let graph = &graph;
                scope.spawn(move || {
                    let mut random = thread + 1;
                    let mut next = |below: u64| {
                        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
                        (random >> 33) % below
                    };
                    for round in 0..200 {
                        let transaction = graph.begin();
                        let names: Vec<_> = (0..3).map(|_| format!("n{}-{}", round / 8, next(9))).collect();
                        let added: Vec<_> = names.iter().map(|name| add(&transaction, name)).collect();
                        transaction.add_edge(None, &names[0], added[0], added[1]).unwrap();
                        let snapshot = transaction.snapshot();
                        for (v, name) in added.iter().zip(&names) {
                            let label = snapshot.reader().label(*v);
                            assert_eq!(snapshot.catalog().vertex_label_name(label), name.as_str());
                        }
                        drop(snapshot);
                        if next(3) == 0 {
                            transaction.commit().map(drop).unwrap()
                        } else {
                            transaction.rollback()
                        }
                    }
                })
            })
            .collect();
        writers.into_iter().for_each(|writer| writer.join().unwrap());
        stop.store(true, Ordering::Relaxed);
    });
    let look = |graph: &Graph| {
        let snapshot = graph.snapshot();
        let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
        let mut found = Vec::new();
        reader.scan_vertices(None, &mut Default::default(), usize::MAX, &mut found);
        assert!(found.len() > 30, "hardly anything was committed");
        for v in found {
            let name = catalog.vertex_label_name(reader.label(v)).to_string();
            assert_eq!(reader.value(v, catalog.key(&name).unwrap()), Some(Value::str(name)));
        }
        snapshot.vertex_count(None)
    };
    let committed = look(&graph);
    drop(graph);
    assert_eq!(graph::check(&store, &mut |_| {}).unwrap(), []);
    assert_eq!(look(&open(&store)), committed);
}

/// Says what names cost, in release: `make measure`.
#[test]
#[ignore = "it measures"]
fn a_new_name_in_each_commit_costs_hardly_more_than_none() {
    const COMMITS: usize = 20_000;
    let time = |name: &dyn Fn(usize) -> (String, String)| {
        let graph = open(&memory());
        commit(&graph, "warm");
        let begun = Instant::now();
        for n in 0..COMMITS {
            let (edge, key) = name(n);
            let transaction = graph.begin();
            let v = transaction.add_vertex(None, "warm").unwrap();
            transaction.set_vertex_property(v, Cardinality::Single, &key, Value::Int(1), &[]).unwrap();
            transaction.add_edge(None, &edge, v, v).unwrap();
            transaction.commit().unwrap();
        }
        begun.elapsed()
    };
    for _ in 0..2 {
        let old = time(&|n| (format!("edge{}", n % 2), format!("key{}", n % 2)));
        let labels = time(&|n| (format!("edge{n}"), "key".into()));
        let keys = time(&|n| ("edge".into(), format!("key{n}")));
        println!(
            "{COMMITS} commits: {old:?}, with a new edge label each {labels:?}, with a new key each {keys:?}"
        );
        assert!(labels.max(keys) < old * 2, "a new name costs as much as a commit");
    }
}
