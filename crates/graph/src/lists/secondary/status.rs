//! What there is to tell about secondary trees.

use values::{Str, Value};

use crate::model::Dir;
use crate::read::Snapshot;
use crate::resident::Memory;
use crate::sections::TreeName;

/// Where in its life a secondary edge-tree is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SecondaryState {
    /// It is being built.
    Building,
    /// It is read.
    Ready,
    /// It was dropped, and is kept for snapshots that may be reading it.
    Dropped,
}

impl std::fmt::Display for SecondaryState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Building => "building",
            Self::Ready => "ready",
            Self::Dropped => "dropped",
        })
    }
}

/// A secondary edge-tree.
#[derive(Clone, PartialEq, Debug)]
pub struct SecondaryStatus {
    /// The id of the vertex whose edges it has.
    pub vertex: Value,
    /// Their label.
    pub edge_label: Str,
    /// Which way they lead.
    pub dir: Dir,
    /// The property that it is sorted by.
    pub key: Str,
    /// Where in its life it is.
    pub state: SecondaryState,
    /// Its edges, once it has been built.
    pub edges: Option<u64>,
    /// Its edge nodes, once it has been built.
    pub nodes: Option<u64>,
    /// Of these, how many are in memory.
    pub nodes_in_memory: u64,
    /// Edge nodes that it has saved in the last busy period, for each of all that were read (equation 2 of ByteGraph).
    pub benefit: f64,
}

impl std::fmt::Display for SecondaryStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let way = if self.dir == Dir::Out { "out" } else { "in" };
        let Self { vertex, edge_label, key, state, .. } = self;
        write!(f, "{way} {edge_label} of vertex {vertex} by {key}: {state}")?;
        if let (Some(edges), Some(nodes)) = (self.edges, self.nodes) {
            write!(f, ", {edges} edges in {nodes} nodes ({} in memory)", self.nodes_in_memory)?;
        }
        match self.benefit > 0.0 {
            true => write!(f, ", saves {:.1} nodes for each that is read", self.benefit),
            false => Ok(()),
        }
    }
}

impl SecondaryStatus {
    /// As a map, with the names of the fields.
    pub fn to_value(&self) -> Value {
        let mut map = values::Map::new();
        map.insert("vertex", self.vertex.clone());
        map.insert("edgeLabel", self.edge_label.clone());
        map.insert("direction", if self.dir == Dir::Out { "OUT" } else { "IN" });
        map.insert("key", self.key.clone());
        map.insert("state", self.state.to_string());
        for (name, number) in [("edges", self.edges), ("nodes", self.nodes)] {
            if let Some(number) = number {
                map.insert(name, number as i64);
            }
        }
        map.insert("nodesInMemory", self.nodes_in_memory as i64);
        map.insert("benefit", self.benefit);
        map.into()
    }
}

impl Memory {
    /// The secondary trees, in the order of their lists.
    pub(crate) fn secondary_status(self: &std::sync::Arc<Self>) -> Vec<SecondaryStatus> {
        let with = |names: Vec<TreeName>, state| names.into_iter().map(move |name| (name, state));
        let dead = self.secondaries.dead().into_iter().map(|(name, _)| name).collect();
        let mut all: Vec<(TreeName, SecondaryState)> = with(self.secondaries.live(), SecondaryState::Ready)
            .chain(with(self.secondaries.building(), SecondaryState::Building))
            .chain(with(dead, SecondaryState::Dropped))
            .collect();
        all.sort_unstable_by_key(|(name, _)| *name);
        let snapshot = Snapshot::latest(self);
        all.into_iter().map(|(name, state)| self.describe_secondary(&snapshot, name, state)).collect()
    }

    fn describe_secondary(
        &self,
        snapshot: &Snapshot,
        name: TreeName,
        state: SecondaryState,
    ) -> SecondaryStatus {
        let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
        let tree = self.secondaries.tree(name).filter(|_| state != SecondaryState::Building);
        // What cannot be read is not told; who reads it will hear of it.
        let root = tree.as_ref().and_then(|tree| self.tree_root(None, tree, name, &reader.guard).ok());
        let in_memory = |root: &crate::sections::TreeRoot| {
            root.nodes().filter(|node| node.cell.loaded(&reader.guard).is_some()).count() as u64
        };
        SecondaryStatus {
            vertex: reader.id(name.v),
            edge_label: catalog.edge_label_name(name.label).clone(),
            dir: name.dir,
            key: name.by.map_or_else(Str::default, |key| catalog.key_name(key).clone()),
            state,
            edges: root.map(|root| root.degree(reader.tick).into()),
            nodes: root.map(|root| root.nodes().count() as u64),
            nodes_in_memory: root.map_or(0, in_memory),
            benefit: self.secondaries.benefit(name),
        }
    }
}
