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

use super::resident::Resident;
use super::{Definitions, Retypes};
use crate::core::Core;
use crate::section::Convert;
use crate::section_key::{SectionKey, SectionName};
use crate::writer::Writer;
use crate::{Result, Tick};

impl Core {
    /// Puts definitions that the log has in force, unless newer ones are. The call of whoever holds the writer, before
    /// anything else of their commit, which is at `stamp`.
    pub(crate) fn adopt(&self, definitions: &Arc<Definitions>, stamp: Tick, writer: &Writer) -> Result<()> {
        let catalog = self.catalog();
        if definitions.revision <= catalog.revision() {
            return Ok(());
        }
        if definitions.retypes != catalog.definitions().retypes {
            // Whoever loads from here on converts; whoever has loaded before is found now.
            *self.retypes.write() = definitions.retypes.clone();
            let (retypes, version) = (&definitions.retypes, catalog.schema().version);
            Resident { core: self, retypes, version, stamp }.convert_all(writer);
        }
        self.node_sizes.declare(&definitions.schema);
        self.grow_catalog(|catalog| {
            catalog.restore_definitions(Arc::clone(definitions));
            catalog.set_pending(None);
            Ok(())
        })
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
