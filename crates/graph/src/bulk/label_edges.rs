//! The edges of a bulk load: in memory as long as there is room, then in temporary files.

use store::Store;

use super::MAX_EDGES;
use super::edges::EdgeRows;
use super::spill::{Run, SpillFiles};
use crate::{Dir, EdgeLabelId, Result};

/// All edges of a load.
pub(super) struct LoadedEdges {
    labels: Vec<LabelEdges>,
    /// Bytes of them that stay in memory.
    budget: usize,
    files: Option<SpillFiles>,
}

/// The edges of one label.
pub(super) struct LabelEdges {
    rows: EdgeRows,
    /// What was in memory before `rows`, in input order: out and in.
    runs: Vec<[Run; 2]>,
    /// Edges in the runs.
    spilled: u64,
}

impl LoadedEdges {
    pub(super) fn new(budget: usize) -> Self {
        Self { labels: Vec::new(), budget, files: None }
    }

    /// Where further edges of a label go.
    pub(super) fn rows_of(&mut self, label: EdgeLabelId) -> &mut EdgeRows {
        let place = match self.labels.iter().position(|edges| edges.rows.label == label) {
            Some(place) => place,
            None => {
                let rows = EdgeRows::new(label);
                self.labels.push(LabelEdges { rows, runs: Vec::new(), spilled: 0 });
                self.labels.len() - 1
            }
        };
        &mut self.labels[place].rows
    }

    /// Moves what is in memory to temporary files if it is more than there is room for, and the store has a place for them.
    pub(super) fn keep_to_budget(&mut self, store: &dyn Store) -> Result<()> {
        let bytes: usize = self.labels.iter().map(|edges| edges.rows.bytes()).sum();
        let is_over = bytes > self.budget || self.labels.iter().any(|edges| edges.rows.len() > MAX_EDGES / 2);
        if !is_over {
            return Ok(());
        }
        if self.files.is_none() {
            self.files = SpillFiles::create(store)?;
        }
        self.spill()
    }

    /// Moves what is in memory to the temporary files, if there are any.
    fn spill(&mut self) -> Result<()> {
        let Some(files) = &mut self.files else { return Ok(()) };
        let mut full: Vec<&mut LabelEdges> =
            self.labels.iter_mut().filter(|edges| edges.rows.len() > 0).collect();
        full.iter_mut().for_each(|edges| edges.rows.close());
        let rows: Vec<&EdgeRows> = full.iter().map(|edges| &edges.rows).collect();
        let runs = files.write(&rows)?;
        for (edges, runs) in full.into_iter().zip(runs) {
            edges.spilled += edges.rows.len() as u64;
            edges.runs.push(runs);
            edges.rows.clear();
        }
        Ok(())
    }

    /// Bytes that went through temporary files.
    pub(super) fn spilled_bytes(&self) -> u64 {
        self.files.as_ref().map_or(0, SpillFiles::len)
    }

    /// Ends the input: all of it is in memory then, or all of it in files.
    pub(super) fn close(mut self) -> Result<(Vec<LabelEdges>, Option<SpillFiles>)> {
        self.spill()?;
        for edges in &mut self.labels {
            match &self.files {
                // The room that the rows had is needed to build sections.
                Some(_) => edges.rows = EdgeRows::new(edges.rows.label),
                None => edges.rows.close(),
            }
        }
        Ok((self.labels, self.files))
    }
}

impl LabelEdges {
    pub(super) fn label(&self) -> EdgeLabelId {
        self.rows.label
    }

    /// The number of edges.
    pub(super) fn len(&self) -> u64 {
        self.spilled + self.rows.len() as u64
    }

    /// What is in memory.
    pub(super) fn rows(&self) -> &EdgeRows {
        &self.rows
    }

    /// What was in memory before, by the lists one way.
    pub(super) fn runs(&self, dir: Dir) -> Vec<&Run> {
        self.runs.iter().map(|runs| &runs[dir as usize]).collect()
    }
}
