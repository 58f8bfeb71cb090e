//! Random transactions, reads at old snapshots, flushes and restarts, against a model that is too simple to be wrong.

mod naive;

use std::sync::Arc;

use graph::{Cardinality, EdgeRef, Graph, GraphOptions, Snapshot, Transaction, TreeBounds, Value, VertexRef};
use naive::{Naive, Random};
use store::{MemoryStore, Store};

const LABELS: [&str; 2] = ["person", "software"];
const EDGES: [&str; 3] = ["knows", "created", "likes"];
const KEYS: [&str; 3] = ["name", "age", "tag"];

/// A short log and small deltas, so that flushes and merges happen by themselves.
fn small() -> GraphOptions {
    GraphOptions { log_bytes: 20_000, merge_versions: 3, ..GraphOptions::default() }
}

/// Bounds at which lists of five edges become trees, and trees of a dozen edges have all three levels.
fn bushy() -> GraphOptions {
    GraphOptions { tree: TreeBounds { min: 2, max: 4, fan_out: 3 }, ..small() }
}

fn value(random: &mut Random) -> Value {
    match random.below(8) {
        0 => Value::Int(random.below(4) as i32),
        1 | 2 => Value::Long(random.below(4) as i64),
        3 => Value::Double(random.below(4) as f64 / 2.0),
        4 => Value::Bool(random.below(2) == 0),
        _ => Value::str(format!("v{}", random.below(5))),
    }
}

fn pick_vertex(model: &Naive, random: &mut Random) -> Option<VertexRef> {
    // Half of the time one of two hubs.
    let nth = if random.below(2) == 0 { random.below(2) } else { random.below(model.vertices.len().max(1)) };
    model.vertices.keys().nth(nth).map(|&v| VertexRef(v))
}

fn pick_edge(model: &Naive, random: &mut Random) -> Option<EdgeRef> {
    model.edges.get(random.below(model.edges.len().max(1))).map(|edge| edge.e)
}

/// One random write, done to both.
fn write(transaction: &Transaction, model: &mut Naive, random: &mut Random) {
    let choice = match random.below(20) {
        add @ 3..=8 if model.edges.len() > 60 => {
            if add < 6 {
                16
            } else {
                13
            }
        }
        0..=2 if model.vertices.len() > 25 => 19,
        choice => choice,
    };
    match choice {
        0..=2 => {
            let label = LABELS[random.below(2)];
            let id = (random.below(3) == 0).then(|| Value::Long(1000 + random.below(200) as i64));
            let taken = id.as_ref().is_some_and(|id| model.vertex_by_id(id).is_some());
            match transaction.add_vertex(id.clone(), label) {
                Ok(v) => {
                    assert!(!taken, "an id that is taken was accepted");
                    model.add_vertex(v, label, id);
                }
                Err(error) => assert!(taken, "{error}"),
            }
        }
        3..=8 => {
            let (Some(src), Some(dst)) = (pick_vertex(model, random), pick_vertex(model, random)) else {
                return;
            };
            let label = EDGES[random.below(3)];
            let id = (random.below(6) == 0).then(|| Value::str(format!("e{}", random.below(50))));
            let taken = id.as_ref().is_some_and(|id| model.edge_by_id(id).is_some());
            match transaction.add_edge(id.clone(), label, src, dst) {
                Ok(e) => {
                    assert!(!taken, "an id that is taken was accepted");
                    model.add_edge(e, label, id);
                }
                Err(error) => assert!(taken, "{error}"),
            }
        }
        9..=12 => {
            let Some(v) = pick_vertex(model, random) else { return };
            let (key, value) = (KEYS[random.below(3)], value(random));
            let cardinality = [Cardinality::Single, Cardinality::Single, Cardinality::List, Cardinality::Set]
                [random.below(4)];
            let meta: Vec<_> = (random.below(4) == 0)
                .then(|| ("since".into(), Value::Long(random.below(9) as i64)))
                .into_iter()
                .collect();
            let id = transaction.set_vertex_property(v, cardinality, key, value.clone(), &meta).unwrap();
            model.set_vertex_property(v, cardinality, key, value, &meta, id);
        }
        13 | 14 => {
            let Some(e) = pick_edge(model, random) else { return };
            let (key, value) = (KEYS[random.below(3)], value(random));
            transaction.set_edge_property(e, key, value.clone()).unwrap();
            model.edge_mut(e).properties.insert(key.into(), value);
        }
        15 => {
            let Some(e) = pick_edge(model, random) else { return };
            let key = KEYS[random.below(3)];
            transaction.drop_edge_property(e, key).unwrap();
            model.edge_mut(e).properties.remove(key);
        }
        16 | 17 => {
            let Some(e) = pick_edge(model, random) else { return };
            transaction.drop_edge(e).unwrap();
            model.edges.retain(|edge| edge.e != e);
        }
        18 => {
            let Some(v) = pick_vertex(model, random) else { return };
            let properties = model.vertices[&v.0].properties.values().flatten();
            let Some(id) = properties.map(|property| property.id).next() else { return };
            if random.below(2) == 0 {
                transaction.drop_vertex_property(id).unwrap();
                model.drop_vertex_property(v, id);
            } else {
                transaction.set_meta_property(id, "since", Value::Int(7)).unwrap();
                model.set_meta_property(v, id, "since", Value::Int(7));
            }
        }
        _ => {
            if model.vertices.len() < 15 {
                return;
            }
            let Some(v) = pick_vertex(model, random) else { return };
            transaction.drop_vertex(v).unwrap();
            model.drop_vertex(v);
        }
    }
}

fn run(seed: u64, transactions: usize, options: &GraphOptions) {
    println!("seed {seed}");
    let open = |store: &Arc<dyn Store>| Graph::open(Arc::clone(store), options.clone()).unwrap();
    let mut random = Random::new(seed);
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
    let mut graph = open(&store);
    graph.create_index("person", "name").unwrap();
    let mut model = Naive::default();
    let mut old: Vec<(Snapshot, Naive)> = Vec::new();
    let mut trees = 0;
    for round in 0..transactions {
        let transaction = graph.begin();
        let mut tentative = model.clone();
        let mut midway = None;
        let writes = random.below(12);
        for step in 0..writes {
            write(&transaction, &mut tentative, &mut random);
            if step == writes / 2 && random.below(8) == 0 {
                midway = Some((transaction.snapshot(), tentative.clone()));
            }
        }
        if random.below(6) == 0 {
            tentative.check(&transaction.snapshot(), seed, "inside a transaction");
        }
        if let Some((snapshot, expected)) = &midway {
            expected.check(snapshot, seed, "at an earlier write of a transaction");
        }
        drop(midway);
        if random.below(10) == 0 {
            transaction.rollback();
        } else {
            transaction.commit().unwrap();
            model = tentative;
        }
        match random.below(40) {
            0..=3 => old.push((graph.snapshot(), model.clone())),
            4 | 5 => graph.flush().unwrap(),
            6 => {
                old.clear();
                drop(graph);
                graph = open(&store);
                model.check(&graph.snapshot(), seed, "after a restart");
            }
            7 => graph.create_index(LABELS[random.below(2)], KEYS[random.below(3)]).unwrap(),
            8 if !old.is_empty() => {
                let (snapshot, expected) = old.swap_remove(random.below(old.len()));
                expected.check(&snapshot, seed, "at an old snapshot");
            }
            9 | 10 => model.check(&graph.snapshot(), seed, &format!("after transaction {round}")),
            _ => {}
        }
        if old.len() > 4 {
            old.remove(0);
        }
        if round % 50 == 0 {
            trees = trees.max(graph.stats().trees);
        }
    }
    assert_eq!(trees > 0, options.tree.max < 60, "{trees} lists became trees");
    for (snapshot, expected) in old {
        expected.check(&snapshot, seed, "at an old snapshot, at the end");
    }
    model.check(&graph.snapshot(), seed, "at the end");
    graph.flush().unwrap();
    drop(graph);
    model.check(&open(&store).snapshot(), seed, "after the last restart");
}

#[test]
fn a_graph_answers_as_the_model_does_after_any_sequence_of_operations() {
    for seed in 0..10 {
        run(seed, 300, &small());
    }
}

#[test]
fn a_graph_of_edge_trees_answers_as_the_model_does() {
    for seed in 100..115 {
        run(seed, 300, &bushy());
    }
}

#[test]
fn long_histories_with_merged_deltas_answer_as_the_model_does() {
    run(4711, 2000, &small());
    run(4712, 2000, &bushy());
}
