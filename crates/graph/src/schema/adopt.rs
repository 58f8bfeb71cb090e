//! Puts a new schema in force.
//!
//! ```text
//!  in the log ─▶ writer held:  new loads convert │ what is in memory is converted │ the catalog is published ─▶ visible
//! ```
//!
//! The moment is that of the definitions' own commit: everything before it was applied under the old schema, everything
//! after it comes under the new one. So no reader that has the new schema finds a value of an old type, and no flush writes a
//! value of a new type before the log has the schema that explains it. A snapshot from before goes on reading, and may meet
//! values of either type: they are the same numbers.
//!
//! Replaying the log comes by here as well, at the same place in the order of commits.

use std::sync::Arc;

use crossbeam_epoch::Guard;

use super::{Definitions, Retypes};
use crate::block::{Stripe, TABLETS, adjacency_number};
use crate::core::Core;
use crate::memory::SectionCell;
use crate::section::{Convert, Mergeable};
use crate::section_key::{SectionKey, SectionName};
use crate::tree::EdgeTree;
use crate::writer::Writer;
use crate::{Dir, EdgeLabelId, KeyId, Result};

impl Core {
    /// Puts definitions that the log has in force, unless newer ones are. The call of whoever holds the writer.
    pub(crate) fn adopt(&self, definitions: &Arc<Definitions>, writer: &Writer) -> Result<()> {
        let catalog = self.catalog();
        if definitions.revision <= catalog.revision() {
            return Ok(());
        }
        if definitions.retypes != catalog.definitions().retypes {
            // Whoever loads from here on converts; whoever has loaded before is found now.
            *self.retypes.write() = definitions.retypes.clone();
            self.convert_resident(&definitions.retypes, catalog.schema().version, writer);
        }
        self.node_sizes.declare(&definitions.schema);
        self.grow_catalog(|catalog| {
            catalog.restore_definitions(Arc::clone(definitions));
            catalog.set_pending(None);
            Ok(())
        })
    }

    /// Converts the sections in memory whose types have changed since a version, which is that of what is in memory. (What
    /// changed before that may have been given up again, and other values written since.)
    fn convert_resident(&self, retypes: &Retypes, version: u64, writer: &Writer) {
        let (columns, edges) = (retypes.columns_since(version), retypes.edges_since(version));
        for (_, stripe) in self.blocks.iter() {
            let guard = crossbeam_epoch::pin();
            for (_, key) in columns.iter().filter(|(label, _)| *label == stripe.label) {
                self.convert_columns(retypes, version, stripe, *key, &guard);
            }
            for label in &edges {
                self.convert_lists(retypes, version, stripe, *label, &guard);
            }
            drop(guard);
            self.make_room_for_writer(writer);
        }
        for label in edges {
            let guard = crossbeam_epoch::pin();
            for tree in self.secondaries.retype(label, retypes, version) {
                self.convert_tree(retypes, version, label, &tree, &guard);
            }
        }
    }

    fn convert_columns(&self, retypes: &Retypes, version: u64, stripe: &Stripe, key: KeyId, guard: &Guard) {
        let Some(conversions) = retypes.of_vertices(stripe.label, key, version) else { return };
        for tablet in 0..TABLETS {
            if let Some(cell) = stripe.block(tablet).columns.get(key.index()) {
                self.convert(cell, |column| column.converted(&conversions), guard);
            }
        }
    }

    fn convert_lists(
        &self,
        retypes: &Retypes,
        version: u64,
        stripe: &Stripe,
        label: EdgeLabelId,
        guard: &Guard,
    ) {
        let Some(conversions) = retypes.of_edges(label, version) else { return };
        for (tablet, dir) in (0..TABLETS).flat_map(|tablet| [(tablet, Dir::Out), (tablet, Dir::In)]) {
            let Some(cell) = stripe.block(tablet).adjacency.get(adjacency_number(label, dir)) else {
                continue;
            };
            let section = cell.loaded(guard);
            for (_, tree) in section.into_iter().flat_map(|section| section.trees()) {
                self.convert_tree(retypes, version, label, tree, guard);
            }
            self.convert(cell, |lists| lists.converted(&conversions), guard);
        }
    }

    /// Converts the edge nodes of a tree that are in memory. Where a node begins is left as it is: it is the same number.
    fn convert_tree(
        &self,
        retypes: &Retypes,
        version: u64,
        label: EdgeLabelId,
        tree: &EdgeTree,
        guard: &Guard,
    ) {
        let Some(conversions) = retypes.of_edges(label, version) else { return };
        for node in tree.root.loaded(guard).into_iter().flat_map(|root| root.nodes()) {
            self.convert(&node.cell, |node| node.converted(&conversions), guard);
        }
    }

    fn convert<T: Mergeable>(
        &self,
        cell: &SectionCell<T>,
        converted: impl FnOnce(&T) -> Option<T>,
        guard: &Guard,
    ) {
        if let Some(section) = cell.loaded(guard).and_then(converted) {
            cell.replace(section, &self.cache.account, guard);
        }
    }

    /// A section that was loaded, with the types of the schema in force.
    pub(crate) fn as_of_now<T: Convert>(
        &self,
        section: T,
        key: SectionKey,
        written: u64,
        retypes: &Retypes,
    ) -> T {
        let conversions = match key {
            SectionKey::Block { stripe, name: SectionName::Column(key), .. } => {
                let label = self.blocks.stripe(stripe.into()).map(|stripe| stripe.label);
                label.and_then(|label| retypes.of_vertices(label, key, written))
            }
            SectionKey::Block { name: SectionName::Adjacency(label, _), .. } => {
                retypes.of_edges(label, written)
            }
            SectionKey::Tree { name, .. } => retypes.of_edges(name.label, written),
            SectionKey::Block { .. } | SectionKey::Index { .. } | SectionKey::Ordered { .. } => None,
        };
        conversions.and_then(|conversions| section.converted(&conversions)).unwrap_or(section)
    }
}
