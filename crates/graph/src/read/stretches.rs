//! Cutting a list for several readers.
//!
//! ```text
//! edge nodes   │ 2,000 │ 2,000 │ 1,100 │ 2,000 │ 1,312 │
//! stretches    └───── 5,100 ───────────┘└──── 3,312 ────┘    at least 4,000 edges each, but for the last
//! ```

use values::VertexRef;

use super::reader::Reader;
use super::runs::Place;
use crate::model::{Dir, EdgeLabelId};
use crate::sections::{NodePlace, TreeName, TreeRoot};

/// Edges of a list that follow each other.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    /// Where it begins.
    pub place: Place,
    /// The position behind its last edge.
    pub end: usize,
}

impl Reader<'_> {
    /// Cuts a list into stretches of at least `edges` edges each, one behind the other; the last may have fewer. Whoever reads
    /// a stretch finds its beginning without going through the list. The order is that of [`Reader::whole`]. A list that lies
    /// together is one stretch, and so is one that this transaction has changed; an empty list has none.
    ///
    /// Nothing is loaded but the root and the meta nodes of a tree.
    pub fn stretches(&self, v: VertexRef, label: EdgeLabelId, dir: Dir, edges: usize) -> Vec<Stretch> {
        let len = self.list_len(v, label, dir) as usize;
        if len == 0 {
            return Vec::new();
        }
        let place = self.whole(v, label, dir);
        let name = TreeName::primary(v, label, dir).by(place.tree());
        let tree =
            if len > edges && self.own_changes(v, label, dir).is_none() { self.tree_of(name) } else { None };
        match tree {
            Some(tree) => match self.tree_root(&tree, name) {
                Some(root) => self.stretches_of_tree(root, name, edges),
                None if self.went_back(name) => self.stretches(v, label, dir, edges),
                None => Vec::new(),
            },
            None => vec![Stretch { place, end: len }],
        }
    }

    fn stretches_of_tree(&self, root: &TreeRoot, name: TreeName, edges: usize) -> Vec<Stretch> {
        let at_node = |node: NodePlace, position: usize| Place {
            position,
            version: root.version,
            node,
            first: position,
            tree: name.by,
        };
        let (mut stretches, mut place, mut end) = (Vec::new(), at_node(NodePlace::default(), 0), 0);
        for (at, node) in root.places().zip(root.nodes()) {
            if end - place.position >= edges.max(1) {
                stretches.push(Stretch { place, end });
                place = at_node(at, end);
            }
            end += node.len_at(self.tick, &self.guard);
        }
        if end > place.position {
            stretches.push(Stretch { place, end });
        }
        stretches
    }
}
