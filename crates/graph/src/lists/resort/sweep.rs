//! Goes through the sections of a label whose sort key was changed, and sorts what does not lie so.
//!
//! ```text
//! packed lists ──▶ trees ──▶ former roots are forgotten ──▶ all is flushed ──▶ the catalog forgets the label ──▶ done
//!      └─ waits for snapshots from before the turn   └─ waits for those from before the new roots
//! ```

use std::sync::Arc;

use super::Turn;
use super::trees::Built;
use crate::define::Definer;
use crate::error::Result;
use crate::model::EdgeLabelId;
use crate::resident::{Phase, Sweep};
use crate::sections::{SectionKey, TreeName};

impl Definer {
    /// Sorts what can be sorted now; whether nothing is left to be done. One thread at a time: others wait for it.
    pub(crate) fn sort_lists(&self) -> Result<bool> {
        let _sweeping = self.resorts.hold_sweeps();
        let mut nothing_left = true;
        for (label, turn) in self.resorts.orders.all() {
            nothing_left &= self.sort_label(label, turn)?;
        }
        Ok(nothing_left)
    }

    fn sort_label(&self, label: EdgeLabelId, turn: Turn) -> Result<bool> {
        let begun = || Sweep { turn, phase: Phase::Packed, waiting: false, gone_through: (0, 0) };
        let mut sweep = self.resorts.sweep(label, turn).unwrap_or_else(begun);
        loop {
            sweep.waiting = false;
            let next = match sweep.phase {
                Phase::Packed if self.reads_before(turn) => None,
                Phase::Packed => self.sort_packed(label, &mut sweep)?,
                Phase::Trees => self.sort_trees(label, &mut sweep)?,
                Phase::Formers => self.finish_sweep(label, turn)?,
                Phase::Done => return Ok(true),
            };
            sweep.waiting = next.is_none();
            sweep.phase = next.unwrap_or(sweep.phase);
            self.resorts.note_sweep(label, sweep.clone());
            if sweep.waiting {
                return Ok(false);
            }
        }
    }

    /// Whether to leave it at that for now: the graph is being closed, or there is a newer turn.
    fn is_sweep_over(&self, label: EdgeLabelId, turn: Turn) -> bool {
        self.resorts.is_stopping() || self.resorts.orders.newest(label) != Some(turn)
    }

    fn sort_packed(&self, label: EdgeLabelId, sweep: &mut Sweep) -> Result<Option<Phase>> {
        let keys = self.sections_of(label);
        for (done, key) in keys.iter().enumerate() {
            if self.is_sweep_over(label, sweep.turn) {
                return Ok(None);
            }
            self.sort_section(*key, label, sweep.turn)?;
            sweep.gone_through = (done + 1, keys.len());
            self.resorts.note_sweep(label, sweep.clone());
            self.make_room_by_flush()?;
        }
        sweep.gone_through = (0, keys.len());
        // What is stored of trees is compared with what leads to it.
        self.flush()?;
        Ok(Some(Phase::Trees))
    }

    fn sort_trees(&self, label: EdgeLabelId, sweep: &mut Sweep) -> Result<Option<Phase>> {
        let catalog = self.catalog();
        if catalog.sort_key(label) != Some(sweep.turn.key) {
            // It is not declared any more: trees stay as they lie.
            return Ok(Some(Phase::Formers));
        }
        let (keys, mut all) = (self.sections_of(label), true);
        for (done, key) in keys.iter().enumerate() {
            for name in self.trees_in(*key)? {
                if self.is_sweep_over(label, sweep.turn) {
                    return Ok(None);
                }
                self.make_room_by_flush()?;
                if sweep.turn.since == 0 {
                    self.delete_unreachable(name)?;
                }
                all &= self.sort_tree(name, sweep.turn.key)? != Built::Later;
            }
            self.forget_formers(label)?;
            sweep.gone_through = (done + 1, keys.len());
            self.resorts.note_sweep(label, sweep.clone());
        }
        Ok(all.then_some(Phase::Formers))
    }

    /// What was sorted cannot leave memory before it is written.
    fn make_room_by_flush(&self) -> Result<()> {
        if self.cache.is_over() && !self.evict_to(self.cache.high_water()) {
            self.flush()?;
            self.evict_to(self.cache.high_water());
        }
        Ok(())
    }

    /// The lists of a section that have trees.
    fn trees_in(&self, key: SectionKey) -> Result<Vec<TreeName>> {
        let guard = crossbeam_epoch::pin();
        let Some(cell) = self.list_cell(key) else { return Ok(Vec::new()) };
        self.section(cell, || key, &guard)?;
        Ok(self.trees_of(key, &guard).into_iter().map(|(name, _)| name).collect())
    }

    /// Makes it durable that all lists lie as the schema says; nothing if an old snapshot is in the way.
    fn finish_sweep(&self, label: EdgeLabelId, turn: Turn) -> Result<Option<Phase>> {
        if self.forget_formers(label)? {
            return Ok(None);
        }
        self.flush()?;
        let _defining = self.hold_definitions();
        if self.resorts.orders.newest(label) != Some(turn) {
            return Ok(None);
        }
        let catalog = self.catalog();
        if catalog.sort_key(label) == Some(turn.key) && catalog.definitions().sorting.contains_key(&label) {
            self.declare(|declared| declared.define(|definitions| definitions.sorting.remove(&label)));
            self.log_definitions()?;
        }
        // Whoever has hold of a section between orders asks for its turns.
        let orders = Arc::clone(&self.resorts.orders);
        crossbeam_epoch::pin().defer(move || orders.forget(label, turn));
        tracing::info!(label = %catalog.edge_label_name(label), "all lists lie by their sort key");
        Ok(Some(Phase::Done))
    }
}
