//! The edges of a bulk load: in memory as long as there is room, then in a temporary file.

use store::Store;
use values::VertexRef;

use super::MAX_EDGES;
use super::column::BulkColumn;
use super::edges::EdgeRows;
use super::rows::SpareChunks;
use super::spill::{Run, SpillFile};
use crate::error::{GraphError, Result};
use crate::model::{Dir, EdgeLabelId, KeyId};

/// All edges of a load.
pub(super) struct LoadedEdges {
    labels: Vec<LabelEdges>,
    /// Bytes of them that stay in memory.
    budget: usize,
    /// Room that edges had which are in the file now.
    spare: SpareChunks,
    file: Option<SpillFile>,
    /// Whether some could not be moved to a file: nobody knows what is where then.
    is_broken: bool,
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
        Self { labels: Vec::new(), budget, spare: SpareChunks::new(), file: None, is_broken: false }
    }

    /// The number of edges of a label that are in memory.
    pub(super) fn in_memory(&self, label: EdgeLabelId) -> usize {
        self.labels.iter().find(|edges| edges.label() == label).map_or(0, |edges| edges.rows.len())
    }

    /// Appends edges of a label, with their sequence numbers and columns that are as long as they are.
    pub(super) fn add(
        &mut self,
        label: EdgeLabelId,
        ends: (&[VertexRef], &[VertexRef]),
        seqs: &[u32],
        columns: &[(KeyId, &BulkColumn)],
    ) -> Result<()> {
        self.check()?;
        let place = match self.labels.iter().position(|edges| edges.label() == label) {
            Some(place) => place,
            None => {
                let rows = EdgeRows::new(label);
                self.labels.push(LabelEdges { rows, runs: Vec::new(), spilled: 0 });
                self.labels.len() - 1
            }
        };
        self.labels[place].rows.add(ends, seqs, columns, &mut self.spare);
        Ok(())
    }

    fn check(&self) -> Result<()> {
        if self.is_broken {
            let problem = "some could not be written to a temporary file before; begin again".into();
            return Err(GraphError::BadBulk { what: "edges".into(), problem });
        }
        Ok(())
    }

    /// Moves some of what is in memory to a temporary file if it is more than there is room for, and the store has a place for
    /// one: the labels that have most, until a quarter of the room is free. So there are edges in the end that were never
    /// written to a file, most of the room full unless most edges have one label.
    pub(super) fn keep_to_budget(&mut self, store: &dyn Store) -> Result<()> {
        let mut bytes: usize = self.labels.iter().map(|edges| edges.rows.bytes()).sum();
        let is_over = |bytes| bytes > self.budget;
        let is_long = |edges: &LabelEdges| edges.rows.len() > MAX_EDGES / 2;
        if !is_over(bytes) && !self.labels.iter().any(is_long) {
            return Ok(());
        }
        self.is_broken = true;
        if self.file.is_none() {
            self.file = SpillFile::create(store)?;
        }
        let Some(file) = &mut self.file else {
            self.is_broken = false;
            return Ok(());
        };
        let mut full: Vec<&mut LabelEdges> =
            self.labels.iter_mut().filter(|edges| edges.rows.len() > 0).collect();
        full.sort_by_key(|edges| std::cmp::Reverse(edges.rows.bytes()));
        full.retain(|edges| {
            let is_spilled = bytes > self.budget / 4 * 3 || is_long(edges);
            bytes -= if is_spilled { edges.rows.bytes() } else { 0 };
            is_spilled
        });
        full.into_iter().try_for_each(|edges| edges.spill(file, &mut self.spare))?;
        self.is_broken = false;
        Ok(())
    }

    /// Bytes that went through temporary files.
    pub(super) fn spilled_bytes(&self) -> u64 {
        self.file.as_ref().map_or(0, SpillFile::len)
    }

    /// Ends the input.
    pub(super) fn close(mut self) -> Result<(Vec<LabelEdges>, Option<SpillFile>)> {
        self.check()?;
        self.labels.iter_mut().for_each(|edges| edges.rows.close());
        Ok((self.labels, self.file))
    }
}

impl LabelEdges {
    /// Moves what is in memory to the temporary file.
    fn spill(&mut self, file: &mut SpillFile, spare: &mut SpareChunks) -> Result<()> {
        self.rows.close();
        self.runs.push(file.write(&self.rows)?);
        self.spilled += self.rows.len() as u64;
        self.rows.clear(spare);
        Ok(())
    }

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
