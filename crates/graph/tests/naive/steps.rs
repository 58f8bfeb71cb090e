//! Random writes, done to a transaction and to the model alike.

use graph::{Cardinality, EdgeRef, GraphError, Transaction, Value, VertexRef};

use super::types::{RANK, rank};
use super::{Naive, Random};

pub const LABELS: [&str; 2] = ["person", "software"];
pub const EDGES: [&str; 3] = ["knows", "created", "likes"];
/// Values of all types, but under [`RANK`] numbers, whose type may be declared.
pub const KEYS: [&str; 4] = ["name", "age", "tag", RANK];

/// Names for a few elements each, so that there are new ones again and again.
pub const RARE: [&str; 48] = [
    "rare0", "rare1", "rare2", "rare3", "rare4", "rare5", "rare6", "rare7", "rare8", "rare9", "rare10",
    "rare11", "rare12", "rare13", "rare14", "rare15", "rare16", "rare17", "rare18", "rare19", "rare20",
    "rare21", "rare22", "rare23", "rare24", "rare25", "rare26", "rare27", "rare28", "rare29", "rare30",
    "rare31", "rare32", "rare33", "rare34", "rare35", "rare36", "rare37", "rare38", "rare39", "rare40",
    "rare41", "rare42", "rare43", "rare44", "rare45", "rare46", "rare47",
];

/// One that is about to be new, most likely: what one transaction has not committed, the next one wants, too, or another one at
/// the same time.
pub fn rare(model: &Naive, random: &mut Random) -> &'static str {
    let known = model.names.len();
    RARE[(known + random.below(4)).saturating_sub(1) % RARE.len()]
}

/// How large a graph may grow, and how uneven.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    pub vertices: usize,
    pub edges: usize,
    /// Of the ends of new edges, how many in ten are one of the first two vertices.
    pub hubs: usize,
}

/// A value of any type.
pub fn value(random: &mut Random) -> Value {
    match random.below(8) {
        0 => Value::Int(random.below(4) as i32),
        1 | 2 => Value::Long(random.below(4) as i64),
        3 => Value::Double(random.below(4) as f64 / 2.0),
        4 => Value::Bool(random.below(2) == 0),
        _ => Value::str(format!("v{}", random.below(5))),
    }
}

/// One of the vertices, if there are any.
pub fn pick_vertex(model: &Naive, random: &mut Random) -> Option<VertexRef> {
    let nth = random.below(model.vertices.len().max(1));
    model.vertices.keys().nth(nth).map(|&v| VertexRef(v))
}

fn pick_end(model: &Naive, random: &mut Random, shape: Shape) -> Option<VertexRef> {
    if random.below(10) >= shape.hubs {
        return pick_vertex(model, random);
    }
    let nth = random.below(model.vertices.len().clamp(1, 2));
    model.vertices.keys().nth(nth).map(|&v| VertexRef(v))
}

fn pick_edge(model: &Naive, random: &mut Random) -> Option<EdgeRef> {
    model.edges.get(random.below(model.edges.len().max(1))).map(|edge| edge.e)
}

/// One random write. The model follows if the transaction accepts it.
///
/// # Errors
/// What the transaction refused it with, but for ids that are taken.
pub fn write(
    transaction: &Transaction,
    model: &mut Naive,
    random: &mut Random,
    shape: Shape,
) -> Result<(), GraphError> {
    let choice = match random.below(20) {
        add @ 3..=8 if model.edges.len() > shape.edges => {
            if add < 6 {
                16
            } else {
                13
            }
        }
        0..=2 if model.vertices.len() > shape.vertices => 19,
        choice => choice,
    };
    match choice {
        0..=2 => add_vertex(transaction, model, random),
        8 if random.below(4) == 0 => grow_list(transaction, model, random),
        3..=8 => add_edge(transaction, model, random, shape),
        9..=12 => set_vertex_property(transaction, model, random),
        13..=15 => change_edge_property(transaction, model, random, choice == 15),
        16 | 17 if random.below(3) == 0 => thin_list(transaction, model, random),
        16 | 17 => {
            let Some(e) = pick_edge(model, random) else { return Ok(()) };
            transaction.drop_edge(e)?;
            model.edges.retain(|edge| edge.e != e);
            Ok(())
        }
        18 => change_vertex_property(transaction, model, random),
        _ if model.vertices.len() < 15 => Ok(()),
        _ => {
            let Some(v) = pick_vertex(model, random) else { return Ok(()) };
            transaction.drop_vertex(v)?;
            model.drop_vertex(v);
            Ok(())
        }
    }
}

/// A write with a name that may be new.
///
/// # Errors
/// As [`write`].
pub fn write_rare(
    transaction: &Transaction,
    model: &mut Naive,
    random: &mut Random,
) -> Result<(), GraphError> {
    let name = rare(model, random);
    // Also if the write fails: its transaction may have the name all the same.
    model.names.insert(name);
    let (v, w) = (pick_vertex(model, random), pick_vertex(model, random));
    // Each label of vertices takes blocks of its own: few of them.
    match (random.below(8), v, w) {
        (0..=3, Some(v), Some(w)) => {
            let e = transaction.add_edge(None, name, v, w)?;
            model.add_edge(e, name, None);
        }
        (4..=6, Some(v), _) => {
            let id = transaction.set_vertex_property(v, Cardinality::Single, name, Value::Int(1), &[])?;
            model.set_vertex_property(v, Cardinality::Single, name, Value::Int(1), &[], id);
        }
        _ => model.add_vertex(transaction.add_vertex(None, name)?, name, None),
    }
    Ok(())
}

fn add_vertex(transaction: &Transaction, model: &mut Naive, random: &mut Random) -> Result<(), GraphError> {
    let label = LABELS[random.below(2)];
    let id = (random.below(3) == 0).then(|| Value::Long(1000 + random.below(200) as i64));
    let taken = id.as_ref().is_some_and(|id| model.vertex_by_id(id).is_some());
    match transaction.add_vertex(id.clone(), label) {
        Ok(v) => {
            assert!(!taken, "an id that is taken was accepted");
            model.add_vertex(v, label, id);
            Ok(())
        }
        Err(GraphError::DuplicateVertexId(id)) => {
            assert!(taken, "the id {id:?} is not taken");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

fn add_edge(
    transaction: &Transaction,
    model: &mut Naive,
    random: &mut Random,
    shape: Shape,
) -> Result<(), GraphError> {
    let ends = (pick_end(model, random, shape), pick_end(model, random, shape));
    let (Some(src), Some(dst)) = ends else { return Ok(()) };
    let label = EDGES[random.below(3)];
    let id = (random.below(6) == 0).then(|| Value::str(format!("e{}", random.below(50))));
    let taken = id.as_ref().is_some_and(|id| model.edge_by_id(id).is_some());
    match transaction.add_edge(id.clone(), label, src, dst) {
        Ok(e) => {
            assert!(!taken, "an id that is taken was accepted");
            model.add_edge(e, label, id);
            Ok(())
        }
        Err(GraphError::DuplicateEdgeId(id)) => {
            assert!(taken, "the id {id:?} is not taken");
            Ok(())
        }
        Err(error) => Err(error),
    }
}

/// How [`grow_list`] and [`thin_list`] pick the lists that they change: more often than not the same few.
const LISTS: Shape = Shape { hubs: 7, vertices: 0, edges: 0 };

/// Adds some edges of one label to a vertex: a short list becomes long.
fn grow_list(transaction: &Transaction, model: &mut Naive, random: &mut Random) -> Result<(), GraphError> {
    let Some(hub) = pick_end(model, random, LISTS) else { return Ok(()) };
    let (label, is_source) = (EDGES[random.below(3)], random.below(2) == 0);
    for _ in 0..random.below(8) {
        let Some(other) = pick_vertex(model, random) else { return Ok(()) };
        let (src, dst) = if is_source { (hub, other) } else { (other, hub) };
        let e = transaction.add_edge(None, label, src, dst)?;
        model.add_edge(e, label, None);
    }
    Ok(())
}

/// Drops all edges of one label that a vertex has, but for a few: a long list becomes short.
fn thin_list(transaction: &Transaction, model: &mut Naive, random: &mut Random) -> Result<(), GraphError> {
    let Some(v) = pick_end(model, random, LISTS) else { return Ok(()) };
    let (label, kept) = (EDGES[random.below(3)], random.below(3));
    let edges: Vec<EdgeRef> =
        model.edges.iter().filter(|edge| edge.label == label).map(|edge| edge.e).collect();
    for e in edges.into_iter().filter(|e| e.src == v || e.dst == v).skip(kept) {
        transaction.drop_edge(e)?;
        model.edges.retain(|edge| edge.e != e);
    }
    Ok(())
}

fn set_vertex_property(
    transaction: &Transaction,
    model: &mut Naive,
    random: &mut Random,
) -> Result<(), GraphError> {
    let Some(v) = pick_vertex(model, random) else { return Ok(()) };
    let key = KEYS[random.below(4)];
    let value = if key == RANK { rank(random) } else { value(random) };
    let cardinality =
        [Cardinality::Single, Cardinality::Single, Cardinality::List, Cardinality::Set][random.below(4)];
    let meta: Vec<_> = (random.below(4) == 0)
        .then(|| ("since".into(), Value::Long(random.below(9) as i64)))
        .into_iter()
        .collect();
    let id = transaction.set_vertex_property(v, cardinality, key, value.clone(), &meta)?;
    model.set_vertex_property(v, cardinality, key, value, &meta, id);
    Ok(())
}

fn change_edge_property(
    transaction: &Transaction,
    model: &mut Naive,
    random: &mut Random,
    drops: bool,
) -> Result<(), GraphError> {
    let Some(e) = pick_edge(model, random) else { return Ok(()) };
    let key = KEYS[random.below(4)];
    if drops {
        transaction.drop_edge_property(e, key)?;
        model.edge_mut(e).properties.remove(key);
        return Ok(());
    }
    let value = if key == RANK { rank(random) } else { value(random) };
    transaction.set_edge_property(e, key, value.clone())?;
    model.set_edge_property(e, key, value);
    Ok(())
}

fn change_vertex_property(
    transaction: &Transaction,
    model: &mut Naive,
    random: &mut Random,
) -> Result<(), GraphError> {
    let Some(v) = pick_vertex(model, random) else { return Ok(()) };
    let properties = model.vertices[&v.0].properties.values().flatten();
    let Some(id) = properties.map(|property| property.id).next() else { return Ok(()) };
    if random.below(2) == 0 {
        transaction.drop_vertex_property(id)?;
        model.drop_vertex_property(v, id);
    } else {
        transaction.set_meta_property(id, "since", Value::Int(7))?;
        model.set_meta_property(v, id, "since", Value::Int(7));
    }
    Ok(())
}
