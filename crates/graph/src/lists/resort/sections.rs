//! Sorts the packed lists of a section, beside the commits.

use super::Turn;
use crate::error::Result;
use crate::model::EdgeLabelId;
use crate::resident::Memory;
use crate::sections::{Order, SectionKey};

/// How often a section may change in another way than by versions before it is sorted while commits wait.
const TRIES: usize = 4;

impl Memory {
    /// Sorts the lists of a section and lets the next flush write it. No snapshot is before the turn.
    ///
    /// The base is sorted while commits go on, which add versions; these are copied to the new one while the writer is held.
    /// Nothing is done once there is a newer turn: what has been sorted is then between orders, as all sections are.
    pub(super) fn sort_section(&self, key: SectionKey, label: EdgeLabelId, turn: Turn) -> Result<()> {
        let Some(cell) = self.list_cell(key) else { return Ok(()) };
        for attempt in 0.. {
            let guard = crossbeam_epoch::pin();
            let Some(section) = self.section(cell, || key, &guard)? else { return Ok(()) };
            let is_last = attempt >= TRIES;
            let mut writer = self.lock_writer();
            // Turns come while the writer is held.
            let is_over = || self.resorts.orders.newest(label) != Some(turn);
            if is_over() {
                return Ok(());
            }
            let stamp = self.settled_stamp(&writer);
            let lies_so = section.order == Order::Key(turn.key) && !section.is_between_orders();
            let mut sorted = None;
            if !lies_so && !is_last {
                drop(writer);
                sorted = Some(section.sorted(stamp, turn.key));
                writer = self.lock_writer();
                if is_over() {
                    return Ok(());
                }
            }
            let Some(now) = cell.loaded(&guard) else { continue };
            if !std::ptr::eq(now, section) && !is_last {
                continue;
            }
            if !lies_so || is_last {
                let sorted = sorted.unwrap_or_else(|| now.sorted(stamp, turn.key));
                cell.replace(sorted.with_later(now), &self.cache.account, &guard);
            }
            writer.dirty.insert(key);
            return Ok(());
        }
        Ok(())
    }
}
