//! What a section is turned into when it is loaded: the types and the order of now.

use super::memory::Memory;
use super::orders::Turn;
use crate::model::Retypes;
use crate::sections::{Convert, SectionKey, SectionName};

impl Memory {
    /// A section that was loaded, with the types of the schema in force, and in the order that its lists are to have.
    pub(super) fn as_of_now<T: Convert>(
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
        let section = conversions.and_then(|conversions| section.converted(&conversions)).unwrap_or(section);
        let SectionKey::Block { name: SectionName::Adjacency(label, _), .. } = key else { return section };
        match self.resorts.orders.newest(label) {
            Some(turn) => section.turned(turn.key, self.reads_before(turn)),
            None => section,
        }
    }

    /// The same of one that was read and does not stay.
    pub(crate) fn read_as_of_now<T: Convert>(&self, section: T, key: SectionKey, written: u64) -> T {
        self.as_of_now(section, key, written, &self.retypes.read())
    }

    /// Has loads convert by these from here on, and does `turn` while nobody is between reading a section and putting it in its
    /// place.
    pub(crate) fn convert_loads_by(&self, retypes: &Retypes, turn: impl FnOnce()) {
        let mut loads = self.retypes.write();
        loads.clone_from(retypes);
        turn();
    }

    /// Whether a snapshot may read sections as they lay before a turn.
    pub(crate) fn reads_before(&self, turn: Turn) -> bool {
        self.timeline.watermark().bits() < turn.since
    }
}
