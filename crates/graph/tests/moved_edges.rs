//! Edges of long lists by sort key, whose values change: they move from node to node while nodes are split and joined.

use std::sync::Arc;

use graph::{Dir, EdgeRef, Graph, GraphOptions, SecondaryOptions, Snapshot, TreeBounds, Value, VertexRef};
use store::MemoryStore;

fn open() -> Graph {
    let secondary = SecondaryOptions { builders: 0, ..SecondaryOptions::default() };
    let tree = TreeBounds { min: 6, max: 12, fan_out: 4 };
    let options =
        GraphOptions { tree, merge_versions: 0, secondary, keeper: false, ..GraphOptions::default() };
    let graph = Graph::open(Arc::new(MemoryStore::new()), options).unwrap();
    let declared = graph.change_schema(|schema| {
        schema.edges.entry("likes".into()).or_default().sort_key = Some("weight".into());
        Ok(())
    });
    declared.unwrap();
    graph
}

/// A generator that gives the same numbers for the same seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }
}

fn edges(snapshot: &Snapshot, hub: VertexRef) -> Vec<(i64, u32)> {
    let catalog = snapshot.catalog();
    let Some(likes) = catalog.edge_label("likes") else { return Vec::new() };
    let weight = catalog.key("weight").unwrap();
    let reader = snapshot.reader();
    let list = reader.list(hub, likes, Dir::Out);
    let found: Vec<_> = list
        .runs()
        .flat_map(|run| {
            let edge = |i: usize| (run.value(i, weight).and_then(|v| v.as_i64()).unwrap(), run.edge(i).seq);
            (0..run.neighbours().len()).map(edge).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(list.len(), found.len(), "the degree");
    found
}

/// A change of one edge at a time, against a list of pairs; now and then a snapshot is kept, which keeps versions from being
/// merged.
fn history(seed: u64) {
    let (graph, mut random) = (open(), Random(seed));
    let transaction = graph.begin();
    let hub = transaction.add_vertex(None, "hub").unwrap();
    transaction.commit().unwrap();
    let mut model: Vec<(i64, EdgeRef)> = Vec::new();
    let mut old: Option<(Snapshot, Vec<(i64, u32)>)> = None;
    let expected = |model: &[(i64, EdgeRef)]| {
        let mut all: Vec<_> = model.iter().map(|(weight, e)| (*weight, e.seq)).collect();
        all.sort_unstable();
        all
    };
    for step in 0..150 {
        let transaction = graph.begin();
        match random.below(10) {
            _ if step < 40 => {
                let e = transaction.add_edge(None, "likes", hub, hub).unwrap();
                let weight = random.below(100) as i64;
                transaction.set_edge_property(e, "weight", Value::Long(weight)).unwrap();
                model.push((weight, e));
            }
            0..=5 if !model.is_empty() => {
                let (nth, weight) = (random.below(model.len()), random.below(100) as i64);
                model[nth].0 = weight;
                transaction.set_edge_property(model[nth].1, "weight", Value::Long(weight)).unwrap();
            }
            6 | 7 if !model.is_empty() => {
                let (_, e) = model.swap_remove(random.below(model.len()));
                transaction.drop_edge(e).unwrap();
            }
            8 => old = None,
            _ => old = Some((graph.snapshot(), expected(&model))),
        }
        drop(transaction.commit());
        assert_eq!(edges(&graph.snapshot(), hub), expected(&model), "seed {seed}, step {step}");
        if let Some((snapshot, expected)) = &old {
            assert_eq!(&edges(snapshot, hub), expected, "seed {seed}, step {step}, at an old snapshot");
        }
    }
}

#[test]
fn an_edge_that_moves_is_in_one_place_at_every_snapshot_whatever_becomes_of_its_nodes() {
    // In the last three, two nodes are joined between which an edge has moved that an old snapshot sees where it was.
    (0..20).chain([263, 529, 817]).for_each(history);
}
