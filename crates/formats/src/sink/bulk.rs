//! An empty graph, which a bulk load fills.
//!
//! What the load refuses, it refuses of a chunk. So where there is something to refuse by, a schema or unique values, the rows are looked
//! at one by one as soon as a chunk has something wrong, and those that are at fault are told or left out.

use graph::{BulkColumn, BulkLoad, BulkProgress, Graph, NameSpace, refused_rows};
use values::{Value, VertexRef};

use super::refused::{Refused, bad_row};
use super::uniques::Uniques;
use super::{Outcome, Rows, Sink, Tally, Target};
use crate::columns::retain;
use crate::error::{Fault, ImportError};
use crate::rejects::BadRows;

/// In place of a vertex that was refused.
const NONE: VertexRef = VertexRef(u32::MAX);

impl Target for Graph {
    /// Begins a bulk load of a graph, which must be empty.
    fn begin(&self) -> Result<Box<dyn Sink + '_>, ImportError> {
        let null_values = self.snapshot().catalog().schema().allow_null_values();
        let load = self.bulk_load()?;
        let uniques = Uniques::of(load.catalog());
        let (refused, taken) = (Refused::default(), Tally::default());
        Ok(Box::new(Bulk { load, null_values, uniques, refused, taken }))
    }
}

struct Bulk {
    load: BulkLoad,
    null_values: bool,
    uniques: Uniques,
    refused: Refused,
    /// What was taken.
    taken: Tally,
}

/// Of each row of a chunk whether it is taken; none if all are.
type Kept = Option<Vec<bool>>;

impl Bulk {
    /// Finds the rows of a chunk that the schema refuses.
    fn refused_by_schema(
        &self,
        place: (NameSpace, &str),
        rows: Rows<'_>,
        columns: &[BulkColumn],
    ) -> Vec<(usize, Fault)> {
        let catalog = self.load.catalog();
        if catalog.schema().is_empty() || self.load.admit(place, rows.len(), columns).is_ok() {
            return Vec::new();
        }
        let refused = refused_rows(catalog, place, rows.len(), columns, true).into_iter();
        refused.map(|(row, error)| (row, fault(error.to_string()))).collect()
    }

    /// Counts rows that are at fault, and says which are left; an error if the first of them is to stop the import.
    fn leave_out(&mut self, rows: Rows<'_>, faults: Vec<(usize, Fault)>) -> Result<Kept, ImportError> {
        if faults.is_empty() {
            return Ok(None);
        }
        let mut kept = vec![true; rows.len()];
        for (row, fault) in faults {
            kept[row] = false;
            self.refused.add(bad_row(rows.file, rows.place(row), fault))?;
        }
        Ok(Some(kept))
    }

    /// The vertices of a chunk that are at fault, in order. Unique are the values of those that are not.
    fn faults_of_vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        columns: &[BulkColumn],
    ) -> Vec<(usize, Fault)> {
        let by_schema = self.refused_by_schema((NameSpace::VertexLabel, label), rows, columns);
        if self.uniques.are_none() {
            return by_schema;
        }
        let mut by_schema = by_schema.into_iter().peekable();
        let mut faults = Vec::new();
        for row in 0..rows.len() {
            match by_schema.next_if(|(refused, _)| *refused == row) {
                Some(refused) => faults.push(refused),
                None => faults.extend(self.uniques.take(label, columns, row).err().map(|fault| (row, fault))),
            }
        }
        faults
    }
}

impl Sink for Bulk {
    fn vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        mut ids: Option<Vec<Value>>,
        mut columns: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>, ImportError> {
        let faults = self.faults_of_vertices(label, rows, &columns);
        let kept = self.leave_out(rows, faults)?;
        let mut count = rows.len();
        if let Some(kept) = &kept {
            keep(&mut ids, &mut columns, kept);
            count = kept.iter().filter(|kept| **kept).count();
        }
        if count == 0 {
            // Not even the label may be known.
            return Ok(vec![NONE; rows.len()]);
        }
        let vertices = match ids.is_none() && columns.is_empty() {
            true => self.load.vertices_without_columns(label, count)?,
            false => self.load.vertices(label, ids, columns)?,
        };
        self.taken.vertices += count as u64;
        let Some(kept) = kept else { return Ok(vertices) };
        let mut vertices = vertices.into_iter();
        let mut next = |kept| if kept { vertices.next() } else { None }.unwrap_or(NONE);
        Ok(kept.into_iter().map(&mut next).collect())
    }

    fn edges(
        &mut self,
        label: &str,
        (from, to): (&[VertexRef], &[VertexRef]),
        rows: Rows<'_>,
        mut ids: Option<Vec<Value>>,
        mut columns: Vec<BulkColumn>,
    ) -> Result<(), ImportError> {
        let mut faults = self.refused_by_schema((NameSpace::EdgeLabel, label), rows, &columns);
        if self.refused.count > 0 {
            let dangling = (0..rows.len()).filter(|row| [from[*row], to[*row]].contains(&NONE));
            let dangling: Vec<_> =
                dangling.map(|row| (row, fault("a vertex that it connects was refused".into()))).collect();
            faults.extend(dangling);
            faults.sort_by_key(|(row, _)| *row);
            faults.dedup_by_key(|(row, _)| *row);
        }
        let Some(kept) = self.leave_out(rows, faults)? else {
            self.taken.edges += from.len() as u64;
            return Ok(self.load.edges(label, from, to, ids, columns)?);
        };
        keep(&mut ids, &mut columns, &kept);
        let ends = |ends: &[VertexRef]| -> Vec<VertexRef> {
            ends.iter().zip(&kept).filter(|(_, kept)| **kept).map(|(end, _)| *end).collect()
        };
        let (from, to) = (ends(from), ends(to));
        if from.is_empty() {
            return Ok(());
        }
        self.taken.edges += from.len() as u64;
        Ok(self.load.edges(label, &from, &to, ids, columns)?)
    }

    fn index(&mut self, label: &str, key: &str) -> Result<(), ImportError> {
        Ok(self.load.index(label, key)?)
    }

    fn treat_bad_rows(&mut self, policy: BadRows) {
        self.refused.policy = policy;
    }

    fn null_values(&self) -> bool {
        self.null_values
    }

    fn finish(self: Box<Self>, progress: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError> {
        let stats = Some(self.load.finish(progress)?);
        let Refused { count, reports, .. } = self.refused;
        let tally = (count > 0).then_some(Tally { refused: count, ..self.taken });
        Ok(Outcome { stats, tally, reports })
    }
}

/// Leaves rows out of a chunk.
fn keep(ids: &mut Option<Vec<Value>>, columns: &mut [BulkColumn], kept: &[bool]) {
    if let Some(ids) = ids {
        let mut kept = kept.iter();
        ids.retain(|_| *kept.next().unwrap_or(&true));
    }
    columns.iter_mut().for_each(|column| retain(&mut column.values, kept));
}

fn fault(problem: String) -> Fault {
    Fault { column: 0, field: None, problem }
}
