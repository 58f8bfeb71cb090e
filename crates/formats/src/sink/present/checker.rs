//! A look at all of a file before anything of it is written: is it sound, is an id taken, does the schema take it?

use graph::{BulkColumn, BulkProgress, Graph, NameSpace, Reader, refused_rows};
use values::{Value, VertexRef};

use super::batch::Batch;
use super::edge::taken_edge;
use super::refusal::fault;
use super::vertex::{other_label, shown, taken_vertex};
use super::{Merge, PresentOptions};
use crate::error::{Fault, ImportError};
use crate::sink::uniques::Uniques;
use crate::sink::{Outcome, Rows, Sink, Standing};

/// See the module. It looks at the graph as it is then: a snapshot of all that time would keep what others change meanwhile.
pub(super) struct Checker<'g> {
    options: &'g PresentOptions,
    graph: &'g Graph,
    uniques: Uniques,
}

impl<'g> Checker<'g> {
    pub(super) fn new(graph: &'g Graph, options: &'g PresentOptions) -> Self {
        Self { options, graph, uniques: Uniques::of(graph.snapshot().catalog()) }
    }

    /// Refuses rows that the schema does not take, of elements that are added or that are there.
    fn obey(
        &self,
        (space, label): (NameSpace, &str),
        rows: Rows<'_>,
        columns: &[BulkColumn],
    ) -> Result<(), ImportError> {
        let snapshot = self.graph.snapshot();
        // What is merged may have the rest already.
        let are_whole = self.options.merge == Merge::Nothing;
        let refused = refused_rows(snapshot.catalog(), (space, label), rows.len(), columns, are_whole);
        match refused.into_iter().next() {
            None => Ok(()),
            Some((row, error)) => Err(rows.refused(row, fault(None, error.to_string()))),
        }
    }

    /// Refuses values that are to be unique, if a vertex of the graph has them, or an earlier row.
    fn refuse_repeated(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        columns: &[BulkColumn],
    ) -> Result<(), ImportError> {
        if self.uniques.are_none() || self.options.merge != Merge::Nothing {
            return Ok(());
        }
        let snapshot = self.graph.snapshot();
        let reader = snapshot.reader();
        for row in 0..rows.len() {
            self.uniques.take(label, columns, row).map_err(|fault| rows.refused(row, fault))?;
            for (key, value) in self.uniques.values(label, columns, row) {
                if let Some(fault) = taken_value(&reader, (label, key), &value) {
                    return Err(rows.refused(row, fault));
                }
            }
        }
        Ok(snapshot.check()?)
    }

    /// Looks at each of the rows that have ids.
    fn each_id(
        &self,
        (label, rows): (&str, Rows<'_>),
        ids: Option<Vec<Value>>,
        look: impl Fn(&Reader<'_>, &Value) -> Option<Fault>,
    ) -> Result<(), ImportError> {
        let batch = Batch::new(label, rows, ids, Vec::new(), 0);
        let snapshot = self.graph.snapshot();
        let reader = snapshot.reader();
        for (row, id) in batch.ids.iter().flatten().enumerate() {
            if let Some(fault) = look(&reader, id) {
                return Err(ImportError::BadRow(batch.bad_row(row, fault)));
            }
        }
        Ok(snapshot.check()?)
    }
}

/// What to say of a row that has a value which a vertex of the graph has, and which is to be unique.
fn taken_value(reader: &Reader<'_>, (label, key): (&str, &str), value: &Value) -> Option<Fault> {
    let catalog = reader.snapshot().catalog();
    let mut found = Vec::new();
    reader.index_lookup(catalog.vertex_label(label)?, catalog.key(key)?, value, &mut found);
    let holder = found.first()?;
    let problem = format!(
        "values of {key:?} are unique among vertices {label:?}, and the vertex {} of the graph has {}",
        shown(&reader.id(*holder)),
        shown(value)
    );
    Some(fault(Some(key), problem))
}

impl Sink for Checker<'_> {
    fn vertices(
        &mut self,
        label: &str,
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<Vec<VertexRef>, ImportError> {
        if rows.standing == Standing::Own {
            self.obey((NameSpace::VertexLabel, label), rows, &columns)?;
            self.refuse_repeated(label, rows, &columns)?;
        }
        if rows.standing == Standing::Own && !self.options.new_ids {
            self.each_id((label, rows), ids, |reader, id| {
                let found = reader.vertex_by_id(id)?;
                match self.options.merge {
                    Merge::Nothing => Some(taken_vertex(reader, id, found)),
                    Merge::ById => other_label(reader, id, (found, label)),
                    // Whether it is the one that the row is merged with is known when the values are looked up.
                    Merge::ByKey(_) => None,
                }
            })?;
        }
        Ok(vec![VertexRef::default(); rows.len()])
    }

    fn edges(
        &mut self,
        label: &str,
        _: (&[VertexRef], &[VertexRef]),
        rows: Rows<'_>,
        ids: Option<Vec<Value>>,
        columns: Vec<BulkColumn>,
    ) -> Result<(), ImportError> {
        self.obey((NameSpace::EdgeLabel, label), rows, &columns)?;
        if self.options.merge == Merge::Nothing && !self.options.new_ids {
            self.each_id((label, rows), ids, |reader, id| {
                reader.edge_by_id(id).map(|found| taken_edge(reader, id, found))
            })?;
        }
        Ok(())
    }

    fn index(&mut self, _: &str, _: &str) -> Result<(), ImportError> {
        Ok(())
    }

    fn has_others(&self) -> bool {
        true
    }

    fn elsewhere(&mut self, ids: &[Value]) -> Option<VertexRef> {
        let snapshot = self.graph.snapshot();
        let reader = snapshot.reader();
        ids.iter().find_map(|id| reader.vertex_by_id(id))
    }

    fn null_values(&self) -> bool {
        self.graph.snapshot().catalog().schema().allow_null_values()
    }

    fn finish(self: Box<Self>, _: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError> {
        Ok(Outcome { stats: None, tally: None, reports: Vec::new() })
    }
}
