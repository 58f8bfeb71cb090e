//! Converts what is in memory when types change.

use crossbeam_epoch::Guard;

use crate::cells::SectionCell;
use crate::model::{Dir, EdgeLabelId, KeyId, Retypes, Tick, adjacency_number};
use crate::place::Stripe;
use crate::resident::{Memory, Writer};
use crate::sections::{Convert, EdgeTree, Mergeable};

/// The sections in memory at the moment when other types are put in force.
pub(crate) struct Resident<'a> {
    pub(crate) memory: &'a Memory,
    pub(crate) retypes: &'a Retypes,
    /// The version of the schema whose types they have. (What changed before that may have been given up again, and other
    /// values written since.)
    pub(crate) version: u64,
    /// The stamp of the change. A section that includes it already was stored after it, and is met with when the log is replayed:
    /// its values have the types of that time, or of a later one.
    pub(crate) stamp: Tick,
}

impl Resident<'_> {
    /// Converts the sections whose types have changed.
    pub(crate) fn convert_all(&self, writer: &Writer) {
        let (columns, edges) =
            (self.retypes.columns_since(self.version), self.retypes.edges_since(self.version));
        for (_, stripe) in self.memory.blocks.iter() {
            let guard = crossbeam_epoch::pin();
            for (_, key) in columns.iter().filter(|(label, _)| *label == stripe.label) {
                self.convert_columns(stripe, *key, &guard);
            }
            for label in &edges {
                self.convert_lists(stripe, *label, &guard);
            }
            drop(guard);
            self.memory.make_room_for_writer(writer);
        }
        for label in edges {
            let guard = crossbeam_epoch::pin();
            let secondaries = self.memory.secondaries.retype(label, self.retypes, self.version);
            let resorted = self.memory.resorts.retype(label, self.retypes, self.version);
            for tree in secondaries.into_iter().chain(resorted) {
                self.convert_tree(label, &tree, &guard);
            }
        }
    }

    fn convert_columns(&self, stripe: &Stripe, key: KeyId, guard: &Guard) {
        let Some(conversions) = self.retypes.of_vertices(stripe.label, key, self.version) else { return };
        for tablet in stripe.tablets() {
            if let Some(cell) = stripe.block(tablet).columns.get(key.index()) {
                self.convert(cell, |column| column.converted(&conversions), guard);
            }
        }
    }

    fn convert_lists(&self, stripe: &Stripe, label: EdgeLabelId, guard: &Guard) {
        let Some(conversions) = self.retypes.of_edges(label, self.version) else { return };
        for (tablet, dir) in stripe.tablets().flat_map(|tablet| [(tablet, Dir::Out), (tablet, Dir::In)]) {
            let Some(cell) = stripe.block(tablet).adjacency.get(adjacency_number(label, dir)) else {
                continue;
            };
            let section = cell.loaded(guard);
            for (_, tree) in section.into_iter().flat_map(|section| section.trees()) {
                self.convert_tree(label, tree, guard);
            }
            self.convert(cell, |lists| lists.converted(&conversions), guard);
        }
    }

    /// Converts the edge nodes of a tree that are in memory. Where a node begins is left as it is: it is the same number.
    fn convert_tree(&self, label: EdgeLabelId, tree: &EdgeTree, guard: &Guard) {
        let Some(conversions) = self.retypes.of_edges(label, self.version) else { return };
        let roots = tree.root.loaded(guard).into_iter().chain(tree.any_former(guard));
        for node in roots.flat_map(|root| root.nodes()) {
            self.convert(&node.cell, |node| node.converted(&conversions), guard);
        }
    }

    fn convert<T: Mergeable>(
        &self,
        cell: &SectionCell<T>,
        converted: impl FnOnce(&T) -> Option<T>,
        guard: &Guard,
    ) {
        let section = cell.loaded(guard).filter(|section| section.settled() < self.stamp);
        if let Some(section) = section.and_then(converted) {
            cell.replace(section, &self.memory.cache.account, guard);
        }
    }
}
