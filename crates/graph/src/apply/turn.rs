//! The moment at which a label gets another sort key: part of putting a schema in force.

use std::sync::Arc;

use crate::cells::{SectionCell, SectionState};
use crate::model::{Catalog, Definitions, Dir, EdgeLabelId, KeyId, Tick, adjacency_number};
use crate::resident::{Memory, Turn, Writer};
use crate::sections::{Adjacency, Order, SectionKey, SectionName};

impl Memory {
    /// How the lists of a section lie that is begun now.
    pub(crate) fn order_of_new(&self, label: EdgeLabelId, catalog: &Catalog) -> Order {
        // While the others of the label are on their way, like these.
        let turn = self.resorts.orders.newest(label);
        Order::of(turn.map(|turn| turn.key).or_else(|| catalog.sort_key(label)))
    }

    /// The labels that get another sort key with new definitions. Those without any section need no sweep, and are taken out of the
    /// definitions that are to be sorted. The call of whoever holds the writer.
    pub(crate) fn labels_to_turn(
        &self,
        definitions: &Arc<Definitions>,
    ) -> (Arc<Definitions>, Vec<(EdgeLabelId, KeyId)>) {
        let catalog = self.catalog();
        let is_other = |label: &EdgeLabelId| catalog.sort_key(*label) != definitions.schema.sort_key(*label);
        let turned = definitions.sorting.keys().copied().filter(is_other);
        let (some, none): (Vec<_>, Vec<_>) = turned.partition(|label| !self.sections_of(*label).is_empty());
        let key = |label| Some((label, definitions.schema.sort_key(label)?));
        let turned = some.into_iter().filter_map(key).collect();
        if none.is_empty() {
            return (Arc::clone(definitions), turned);
        }
        let mut pruned = Definitions::clone(definitions);
        none.iter().for_each(|label| _ = pruned.sorting.remove(label));
        (pruned.into(), turned)
    }

    /// Lets snapshots at `since` and later read the packed lists of labels by other keys. Nobody reads what is before 1: the
    /// sections in memory are sorted then. The call of whoever holds the writer, and has told who loads.
    pub(crate) fn turn_resident(&self, labels: &[(EdgeLabelId, KeyId)], since: Tick, writer: &Writer) {
        for (_, stripe) in self.blocks.iter().filter(|_| !labels.is_empty()) {
            let guard = crossbeam_epoch::pin();
            for (label, key) in labels {
                for cell in stripe.tablets().flat_map(|tablet| lists_of(stripe.block(tablet), *label)) {
                    let Some(section) = cell.loaded(&guard) else { continue };
                    let lies_so = section.order == Order::Key(*key) && !section.is_between_orders();
                    if since == 0 && !lies_so {
                        let sorted = section.sorted(writer.applied, *key).with_later(section);
                        cell.replace(sorted, &self.cache.account, &guard);
                    } else if !lies_so {
                        section.part_from_order();
                    }
                }
            }
        }
        if !labels.is_empty() {
            self.resorts.ring();
        }
    }

    /// What must be told to whoever loads sections of these labels.
    pub(crate) fn turn_loads(&self, labels: &[(EdgeLabelId, KeyId)], since: Tick) {
        for (label, key) in labels {
            self.resorts.orders.turn(*label, Turn { since, key: *key });
        }
    }

    /// Takes up what an earlier life of the graph has left undone. Nobody reads yet.
    pub(crate) fn resume_turns(&self) {
        let catalog = self.catalog();
        let labels = catalog.definitions().sorting.keys();
        let labels: Vec<_> = labels.filter_map(|label| Some((*label, catalog.sort_key(*label)?))).collect();
        self.turn_loads(&labels, 0);
    }

    /// The sections of lists along a label, in memory or in the store.
    pub(crate) fn sections_of(&self, label: EdgeLabelId) -> Vec<SectionKey> {
        let guard = crossbeam_epoch::pin();
        let mut keys = Vec::new();
        for (stripe, block) in self.blocks.iter() {
            for tablet in block.tablets() {
                for dir in [Dir::Out, Dir::In] {
                    let cell = block.block(tablet).adjacency.get(adjacency_number(label, dir));
                    if cell.is_some_and(|cell| !matches!(cell.get(&guard), SectionState::Empty)) {
                        let name = SectionName::Adjacency(label, dir);
                        keys.push(SectionKey::Block { stripe: stripe as u16, tablet: tablet as u8, name });
                    }
                }
            }
        }
        keys
    }
}

fn lists_of(
    block: &crate::place::Block,
    label: EdgeLabelId,
) -> impl Iterator<Item = &SectionCell<Adjacency>> {
    [Dir::Out, Dir::In].into_iter().filter_map(move |dir| block.adjacency.get(adjacency_number(label, dir)))
}
