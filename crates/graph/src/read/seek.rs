//! Reads of lists by sort key that begin in their midst: at a value, and from there on or back.
//!
//! ```text
//! list    │ … 7 8 8 │ 9 9 9 │ 9 12 14 │ … │
//! from 9            └─▶                       position counts from here on
//! back from 9                 ◀─┘             position counts from here back
//! ```

use std::sync::Arc;

use values::{Value, VertexRef};

use super::list::{List, Run};
use super::reader::Reader;
use super::runs::{NodeView, Place};
use crate::model::{KeyId, ValueRef};
use crate::sections::{EdgeTree, NodePlace, SortPlace, Target, TreeName, TreeRoot};

/// Where a reader stands in a list, counted from where a value is in its order. See [`List::run_from`](crate::read::List::run_from)
/// and [`List::run_back`](crate::read::List::run_back).
#[derive(Clone, Copy, Debug, Default)]
pub struct Seek {
    /// Edges between where the value is and the next edge to look at.
    pub position: usize,
    /// The tree that `node` is of.
    version: u64,
    node: NodePlace,
    /// The position where `node` begins, in the direction of reading.
    first: i64,
}

impl<'r> List<'r> {
    /// In a list by a sort key: the run that holds a place, counted from the first edge whose value is not before `value` as
    /// TinkerPop orders values, and the edge of the run that is there: the run's length at the end of the list. With an
    /// edge-tree, finding the first costs no more than the tree's height. `None` if the list is not ordered by a sort key.
    pub fn run_from(self, value: &Value, seek: &mut Seek) -> Option<(Run<'r>, usize)> {
        let (key, value) = (self.sort_key()?, ValueRef::of(value));
        if let Some(tree) = self.reader().tree_of(self.name()) {
            return self.tree_run_from(&tree, (key, value), seek);
        }
        let run = self.run(&mut Place::default());
        let at = (run.first_from(key, value) + seek.position).min(run.neighbours().len());
        Some((run, at))
    }

    fn tree_run_from(
        self,
        tree: &Arc<EdgeTree>,
        (key, value): (KeyId, ValueRef<'_>),
        seek: &mut Seek,
    ) -> Option<(Run<'r>, usize)> {
        let (reader, name) = (self.reader(), self.name());
        let Some(root) = reader.tree_root(tree, name) else {
            let again = reader.went_back(name).then(|| self.run_from(&value.to_value(), seek));
            return again.flatten();
        };
        let least = SortPlace { value: Some(value), neighbour: VertexRef(0), seq: 0 };
        let mut is_first = reader.begin(seek, root, name, &Target::Place(least));
        while let Some(run) = reader.seek_run(root, name, seek.node)? {
            if std::mem::take(&mut is_first) {
                seek.first = -(run.first_from(key, value) as i64);
            }
            let at = seek.position as i64 - seek.first;
            if at < run.neighbours().len() as i64 {
                return Some((run, at as usize));
            }
            seek.first += run.neighbours().len() as i64;
            seek.node = root.next(seek.node);
        }
        Some((Run::empty(name.v, name.label, name.dir), 0))
    }

    /// The run that holds a place, counted back from the last edge whose value is not after `value` as TinkerPop orders values,
    /// or from the end of the list; and how many of its edges are still ahead, those before this one: none at the beginning of
    /// the list. `None` if there is a value, but the list is not ordered by a sort key.
    pub fn run_back(self, value: Option<&Value>, seek: &mut Seek) -> Option<(Run<'r>, usize)> {
        let from = match value {
            Some(value) => Some((self.sort_key()?, ValueRef::of(value))),
            None => None,
        };
        if let Some(tree) = self.reader().tree_of(self.name()) {
            return self.tree_run_back(&tree, from, seek);
        }
        let run = self.run(&mut Place::default());
        let behind = end_in(&run, from).saturating_sub(seek.position);
        Some((run, behind))
    }

    fn tree_run_back(
        self,
        tree: &Arc<EdgeTree>,
        from: Option<(KeyId, ValueRef<'_>)>,
        seek: &mut Seek,
    ) -> Option<(Run<'r>, usize)> {
        let (reader, name) = (self.reader(), self.name());
        let Some(root) = reader.tree_root(tree, name) else {
            let value = from.map(|(_, value)| value.to_value());
            let again = reader.went_back(name).then(|| self.run_back(value.as_ref(), seek));
            return again.flatten();
        };
        let target = match from {
            Some((_, value)) => {
                let (neighbour, seq) = (VertexRef(u32::MAX), u32::MAX);
                Target::Place(SortPlace { value: Some(value), neighbour, seq })
            }
            None => Target::Last,
        };
        let mut is_first = reader.begin(seek, root, name, &target);
        while let Some(run) = reader.seek_run(root, name, seek.node)? {
            let len = run.neighbours().len();
            if std::mem::take(&mut is_first) {
                seek.first = end_in(&run, from) as i64 - len as i64;
            }
            let at = seek.position as i64 - seek.first;
            if at < len as i64 {
                return Some((run, len - at as usize));
            }
            let Some(previous) = root.previous(seek.node) else { break };
            seek.first += len as i64;
            seek.node = previous;
        }
        Some((Run::empty(name.v, name.label, name.dir), 0))
    }

    /// How many edge nodes hold what lies between two values, or all from or up to one, in a list by a sort key: what reading
    /// it costs. One, if it has no tree.
    pub fn nodes_between(self, low: Option<&Value>, high: Option<&Value>) -> usize {
        let (reader, name) = (self.reader(), self.name());
        let Some(tree) = reader.tree_of(name) else { return 1 };
        let Some(root) = reader.tree_root(&tree, name) else { return 1 };
        let target = |value, end| {
            let value = Some(ValueRef::of(value));
            Target::Place(SortPlace { value, neighbour: VertexRef(end), seq: end })
        };
        let from = low.map_or_else(NodePlace::default, |low| root.locate(&target(low, 0)));
        let to = high.map_or_else(|| root.last(), |high| root.locate(&target(high, u32::MAX)));
        root.nodes_from_to(from, to)
    }
}

impl Reader<'_> {
    /// Goes to the node that holds the target, if nothing of this tree was read yet; whether it did.
    fn begin(&self, seek: &mut Seek, root: &TreeRoot, name: TreeName, target: &Target<'_>) -> bool {
        if seek.version == root.version {
            return false;
        }
        self.count_list(name.label);
        (seek.version, seek.node) = (root.version, root.locate(target));
        true
    }

    /// The run of the node at a place; nothing behind the last one. None if it cannot be read.
    fn seek_run(&self, root: &TreeRoot, name: TreeName, place: NodePlace) -> Option<Option<Run<'_>>> {
        let Some(node) = root.node(place) else { return Some(None) };
        let own = self.own_changes(name.v, name.label, name.dir);
        NodeView { reader: self, root, name, node, place }.run(own.as_ref()).map(Some)
    }
}

/// Of a run: the edge behind the last one whose value is not after that from which it is read back.
fn end_in(run: &Run<'_>, from: Option<(KeyId, ValueRef<'_>)>) -> usize {
    from.map_or(run.neighbours().len(), |(key, value)| run.first_after(key, value))
}
