//! One pass over the frames.

use std::path::Path;

use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use mangrove::{
    formats::{Places, Rows, Sink, Standing},
    graph::BulkColumn,
    values::{Value, VertexRef},
};
use pyo3::{PyErr, PyResult};

use super::{
    Failure, Loaded,
    cells::{column, value_of},
    frame::{Cells, Frame, Frames, Names},
    ids::{self, Ids},
    labels::{self, Pick},
    told,
};
use crate::{errors, guard};

/// A load on its way.
struct Loading<'a> {
    sink: Box<dyn Sink + 'a>,
    names: &'a Names,
    ids: Ids,
    has_nodes: bool,
    vertices: u64,
    edges: u64,
}

/// Puts all rows of all frames into a sink, vertices first.
pub(super) fn load(sink: Box<dyn Sink + '_>, frames: &Frames) -> Result<Loaded, Failure> {
    let mut loading =
        Loading { sink, names: &frames.names, ids: Ids::default(), has_nodes: false, vertices: 0, edges: 0 };
    frames.nodes.iter().try_for_each(|frame| each_batch(frame, |part| loading.nodes(&part)))?;
    frames.edges.iter().try_for_each(|frame| each_batch(frame, |part| loading.edges(&part)))?;
    let Loading { sink, vertices, edges, .. } = loading;
    let outcome = sink.finish(&|_| {})?;
    Ok(told(outcome.tally, (vertices, edges)))
}

/// A batch of a frame.
struct Part<'a> {
    frame: &'a Frame,
    batch: &'a RecordBatch,
    /// The number of its first row, from 0.
    first: u64,
}

fn each_batch(frame: &Frame, mut take: impl FnMut(Part<'_>) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut first = 0;
    for batch in frame.batches()? {
        let batch = batch.map_err(|error| frame.unreadable(&error))?;
        if guard::is_interrupted() {
            return Err(errors::new("CancelledError", "the load was interrupted".into()).into());
        }
        take(Part { frame, batch: &batch, first })?;
        first += batch.num_rows() as u64;
    }
    Ok(())
}

impl Part<'_> {
    /// Something is wrong with the frame.
    fn refuse(&self, problem: impl std::fmt::Display) -> PyErr {
        errors::conversion(format!("{}: {problem}", self.frame.name))
    }

    fn row_of(&self, pick: &Pick, at: usize) -> u64 {
        self.first
            + match pick {
                Pick::All(_) => at as u64,
                Pick::These(rows) => rows[at].into(),
            }
    }

    /// The numbers of rows, from 0 as frames count them.
    fn places(&self, pick: &Pick) -> Vec<u64> {
        (0..pick.len()).map(|at| self.row_of(pick, at)).collect()
    }

    /// A column, if there is one of that name.
    fn cells(&self, name: &str) -> Option<Cells<'_>> {
        Frame::cells(self.batch, name)
    }

    /// The ids that elements are to have, if there is a column of them.
    fn own_ids(&self, names: &Names, must_be: bool, pick: &Pick) -> PyResult<Option<Vec<Value>>> {
        let name = names.id.as_str();
        let Some(cells) = self.cells(name) else { return self.no_ids(names, must_be) };
        self.ids(name, cells, pick).map(Some)
    }

    /// They get ids of the graph, unless a column was meant that is not there.
    fn no_ids(&self, Names { id, .. }: &Names, must_be: bool) -> PyResult<Option<Vec<Value>>> {
        let fields = self.batch.schema_ref().fields();
        let alike = fields.iter().find(|field| field.name().eq_ignore_ascii_case(id));
        if let Some(alike) = alike {
            let (alike, problem) = (alike.name(), format!("there is no column {id:?} of ids"));
            return Err(
                self.refuse(format!("{problem}, but {alike:?}; name it with id={alike:?}, or rename it"))
            );
        }
        match must_be {
            true => {
                Err(self.refuse(format!("there is no column {id:?}, and id={id:?} says that it has the ids")))
            }
            false => Ok(None),
        }
    }

    fn ids(&self, name: &str, cells: Cells<'_>, pick: &Pick) -> PyResult<Vec<Value>> {
        let value = value_of(cells.field).ok_or_else(|| self.no_id_type(name, cells))?;
        let ids = pick.each(|row| if cells.array.is_null(row) { None } else { value(cells.array, row) });
        if let Some(at) = ids.iter().position(Option::is_none) {
            let row = self.row_of(pick, at);
            return Err(self.refuse(format!("row {row}: it has no id in the column {name:?}")));
        }
        Ok(ids.into_iter().flatten().map(ids::key).collect())
    }

    fn no_id_type(&self, name: &str, cells: Cells<'_>) -> PyErr {
        self.refuse(format!("the column {name:?} has ids, and {} can be none", cells.field.data_type()))
    }

    /// The columns that are properties.
    fn properties(&self, but: &[&str], pick: &Pick, is_of_edges: bool) -> PyResult<Vec<BulkColumn>> {
        let mut columns = Vec::new();
        for (field, cells) in self.batch.schema_ref().fields().iter().zip(self.batch.columns()) {
            if but.contains(&field.name().as_str()) || *cells.data_type() == DataType::Null {
                continue;
            }
            let values = column(Cells { field, array: cells }, pick, is_of_edges).ok_or_else(|| {
                self.refuse(format!(
                    "the column {:?} is of type {}, which no property has",
                    field.name(),
                    field.data_type()
                ))
            })?;
            columns.push(BulkColumn { key: field.name().clone(), values });
        }
        Ok(columns)
    }
}

impl Loading<'_> {
    fn nodes(&mut self, part: &Part<'_>) -> Result<(), Failure> {
        let Names { id, id_is_given, label, .. } = self.names;
        for (of, pick) in labels::of(part.frame, part.batch, label, part.first)? {
            let ids = part.own_ids(self.names, *id_is_given, &pick)?;
            let mut but = vec![id.as_str()];
            but.extend(part.frame.label.is_none().then_some(label.as_str()));
            let columns = part.properties(&but, &pick, false)?;
            let places = part.places(&pick);
            let refs = self.sink.vertices(&of, rows(part, &places), ids, columns)?;
            if let Some(cells) = part.cells(id) {
                self.ids.note(cells, &pick, &refs);
            }
            self.has_nodes = true;
            self.vertices += refs.len() as u64;
        }
        Ok(())
    }

    fn edges(&mut self, part: &Part<'_>) -> Result<(), Failure> {
        let Names { id, id_is_given, label, source, target } = self.names;
        // Where there are vertices, it is the name of the column of their ids.
        let must_have_ids = *id_is_given && !self.has_nodes;
        for (of, pick) in labels::of(part.frame, part.batch, label, part.first)? {
            let from = self.ends(part, source, &pick)?;
            let to = self.ends(part, target, &pick)?;
            let ids = part.own_ids(self.names, must_have_ids, &pick)?;
            let mut but = vec![id.as_str(), source, target];
            but.extend(part.frame.label.is_none().then_some(label.as_str()));
            let columns = part.properties(&but, &pick, true)?;
            let places = part.places(&pick);
            self.sink.edges(&of, (&from, &to), rows(part, &places), ids, columns)?;
            self.edges += from.len() as u64;
        }
        Ok(())
    }

    /// The vertices that edges come from, or lead to.
    fn ends(&mut self, part: &Part<'_>, name: &str, pick: &Pick) -> Result<Vec<VertexRef>, Failure> {
        let Some(cells) = part.cells(name) else {
            let problem = format!(
                "there is no column {name:?}, which has the id of the vertex at one end of each edge; name it with source='…', target='…'"
            );
            return Err(part.refuse(problem).into());
        };
        let found = self.ids.of_column(cells, pick).ok_or_else(|| part.no_id_type(name, cells))?;
        let mut ends = Vec::with_capacity(found.len());
        for (at, end) in found.into_iter().enumerate() {
            ends.push(match end {
                Some(end) => end,
                None => self.elsewhere(part, (name, cells), part.row_of(pick, at))?,
            });
        }
        Ok(ends)
    }

    /// A vertex that no frame has: one of the graph.
    fn elsewhere(
        &mut self,
        part: &Part<'_>,
        (name, cells): (&str, Cells<'_>),
        row: u64,
    ) -> Result<VertexRef, Failure> {
        let only = Pick::These(vec![(row - part.first) as u32]);
        let id = part.ids(name, cells, &only)?.pop().unwrap_or_default();
        let also = ids::other_notation(&id);
        let told = if let Value::String(text) = &id { format!("{text:?}") } else { id.to_string() };
        let ids: Vec<Value> = [id].into_iter().chain(also).collect();
        let found = self.sink.has_others().then(|| self.sink.elsewhere(&ids)).flatten();
        found.ok_or_else(|| {
            let place =
                if self.sink.has_others() { "neither the frames nor the graph have" } else { "no frame has" };
            part.refuse(format!("row {row}: {place} a vertex with the id {told} that {name:?} names")).into()
        })
    }
}

/// Rows of a part, as a sink takes them.
fn rows<'a>(part: &'a Part<'_>, places: &'a [u64]) -> Rows<'a> {
    Rows { file: Path::new(&part.frame.name), places: Places::Lines(places), standing: Standing::Own }
}
