//! In which order a snapshot finds its lists: the same however often it looks.

use std::collections::BTreeMap;

use graph::{Dir, EdgeRef, Graph, GraphError, Snapshot, VertexRef};

use super::Naive;

/// By vertex, edge label and direction.
pub type Orders = BTreeMap<(u32, u16, bool), Vec<EdgeRef>>;

/// The lists of all vertices of a model, as a snapshot finds them.
pub fn orders(model: &Naive, snapshot: &Snapshot) -> Orders {
    let mut orders = Orders::new();
    let reader = snapshot.reader();
    for &v in model.vertices.keys() {
        for (label, _) in snapshot.catalog().edge_labels() {
            for (dir, is_out) in [(Dir::Out, true), (Dir::In, false)] {
                let edges: Vec<EdgeRef> = reader.list(VertexRef(v), label, dir).edges().collect();
                orders.insert((v, label.0, is_out), edges);
            }
        }
    }
    orders
}

/// Declares the sort key of an edge label, or none; the number of the version in force.
pub fn sort_by(graph: &Graph, label: &str, key: Option<&str>) -> Result<u64, GraphError> {
    graph.change_schema(|schema| {
        schema.edges.entry(label.into()).or_default().sort_key = key.map(str::to_owned);
        Ok(())
    })
}

/// Whether all lists of a label that have edges lie by its sort key, if it has one.
pub fn lie_as_declared(model: &Naive, snapshot: &Snapshot) -> bool {
    let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
    let lies_so = |v: u32, dir| {
        catalog.edge_labels().all(|(label, _)| {
            let list = reader.list(VertexRef(v), label, dir);
            let declared = catalog.sort_key(label);
            list.is_empty() || declared.is_none() || list.sort_key() == declared
        })
    };
    model.vertices.keys().all(|&v| lies_so(v, Dir::Out) && lies_so(v, Dir::In))
}
