//! Moves vertices in indexes as commits change their properties.

use values::VertexRef;

use crate::block::slot_of;
use crate::core::FIRST_INDEX;
use crate::memory::SectionCell;
use crate::property::PropertyState;
use crate::schema::Index;
use crate::section::Column;
use crate::section_key::SectionKey;
use crate::writer::Application;
use crate::{Result, Tick, index_hash};

impl Application<'_> {
    /// Takes a vertex out of an index under the values it had, and puts it in under those it gets.
    pub(crate) fn maintain(
        &mut self,
        index: &Index,
        v: VertexRef,
        (cell, name): (&SectionCell<Column>, SectionKey),
        state: &PropertyState,
    ) -> Result<()> {
        let column: Option<&Column> = self.core.section(cell, || name, self.guard)?;
        // Replaying, a column may be ahead of this change. What it holds is then not what was there before, and
        // taking that out of the index could hide it for good; leaving a stale entry in is harmless.
        let column = column.filter(|column| column.settled < self.tick);
        let before = column.map_or_else(Vec::new, |column| column.cells(slot_of(v), Tick::MAX));
        let before: Vec<u32> = before.iter().map(|cell| index_hash(&cell.value)).collect();
        let after: Vec<u32> = state.to_cells().iter().map(|cell| index_hash(&cell.value)).collect();
        let number = FIRST_INDEX + index.number as usize;
        for &hash in before.iter().filter(|hash| !after.contains(hash)) {
            self.change_index(number, hash, v, false)?;
        }
        for &hash in after.iter().filter(|hash| !before.contains(hash)) {
            self.change_index(number, hash, v, true)?;
        }
        Ok(())
    }
}
