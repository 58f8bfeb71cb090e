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

use super::retype::Resident;
use crate::error::Result;
use crate::model::{Definitions, Tick};
use crate::resident::{Memory, Writer};

impl Memory {
    /// Puts definitions that the log has in force, unless newer ones are. The call of whoever holds the writer, before
    /// anything else of their commit, which is at `stamp`. `is_read`: whether somebody may be reading, as nobody does when the
    /// log is replayed.
    pub(crate) fn adopt(
        &self,
        definitions: &Arc<Definitions>,
        (stamp, is_read): (Tick, bool),
        writer: &Writer,
    ) -> Result<()> {
        let catalog = self.catalog();
        if definitions.revision <= catalog.revision() {
            return Ok(());
        }
        let (definitions, turned) = self.labels_to_turn(definitions);
        let since = if is_read { stamp } else { 0 };
        let is_retyped = definitions.retypes != catalog.definitions().retypes;
        if is_retyped || !turned.is_empty() {
            // Whoever loads from here on converts; whoever has loaded before is found now.
            self.convert_loads_by(&definitions.retypes, || self.turn_loads(&turned, since));
        }
        if is_retyped {
            let (retypes, version) = (&definitions.retypes, catalog.schema().version);
            Resident { memory: self, retypes, version, stamp }.convert_all(writer);
        }
        self.turn_resident(&turned, since, writer);
        self.node_sizes.declare(&definitions.schema);
        self.declare(|declared| {
            declared.restore_definitions(definitions, stamp);
            declared.set_pending(None);
        });
        Ok(())
    }
}
