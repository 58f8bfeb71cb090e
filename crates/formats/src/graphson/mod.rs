//! Import of GraphSON 3 adjacency lists: one vertex with its properties and edges per line.
//!
//! ```text
//! {"id":…,"label":"person","properties":{"name":[{"id":…,"value":"marko"}]},
//!  "outE":{"knows":[{"id":…,"inV":…,"properties":{"weight":…}}]},"inE":{…}}          (one line)
//! ```
//!
//! Two passes over the file, so that memory does not grow with the edges: vertices, then edges (from `outE`; an edge's
//! other mention in `inE` is not needed).

mod batch;
mod element;
pub(super) mod typed;

use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::time::Instant;

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use values::{Value, VertexRef};

pub(super) use self::batch::{EdgeBatch, VertexBatch};
pub(super) use self::element::{EdgeLine, VertexLine};
use super::ImportOptions;
use super::error::{Fault, ImportError};
use super::foreign::refuse_binary;
use super::lines::LONGEST_LINE;
use super::progress::{ImportProgress, Monitor};
use super::rejects::Rejects;
use super::summary::{Counts, ImportSummary, finish};
use graph::{BulkLoad, Graph};

/// Elements after which batches are handed on.
const FULL: usize = 16 << 10;
/// Lines after which progress is reported.
const PROGRESS_LINES: u64 = 256;

/// Imports a GraphSON 3 file, one vertex per line, into an empty graph. Vertices and edges keep their ids, with their
/// types, and so do properties of vertices if the options say so; keys with several values or with meta-properties become
/// multi-properties.
///
/// # Errors
/// See [`ImportError`]. The graph is empty then, as before. When bad rows are skipped, a line is left out whole in the
/// first pass; in the second, an edge without its other end is left out alone.
pub fn graphson(
    file: &Path,
    graph: &Graph,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let begun = Instant::now();
    refuse_binary(file)?;
    let length = std::fs::metadata(file).map_err(|e| ImportError::io(file, e))?.len();
    let mut import = Import {
        file,
        bulk: graph.bulk_load()?,
        // The file is read twice.
        monitor: Monitor::new(2 * length, progress),
        rejects: Rejects::new(options.bad_rows),
        counts: Counts::default(),
        keep_property_ids: options.keep_property_ids,
        null_values: graph.snapshot().catalog().schema().allow_null_values(),
        ids: FxHashMap::default(),
    };
    import.read_vertices()?;
    import.read_edges()?;
    let Import { bulk, counts, monitor, rejects, .. } = import;
    let mut summary = finish(bulk, counts, &monitor, rejects, begun)?;
    summary.bytes = length;
    Ok(summary)
}

/// An import on its way.
struct Import<'a> {
    file: &'a Path,
    bulk: BulkLoad,
    monitor: Monitor<'a>,
    rejects: Rejects,
    counts: Counts,
    /// See [`ImportOptions::keep_property_ids`].
    keep_property_ids: bool,
    /// Whether a property may be null; if not, one that is none.
    null_values: bool,
    ids: FxHashMap<Value, VertexRef>,
}

impl Import<'_> {
    fn read_vertices(&mut self) -> Result<(), ImportError> {
        let mut batches: IndexMap<String, VertexBatch> = IndexMap::new();
        let mut pending = 0;
        self.each_line(|import, number, line| {
            match import.vertex(line) {
                Ok(vertex) => {
                    batches.entry(vertex.label.clone()).or_default().add(vertex);
                    pending += 1;
                }
                Err(fault) => import.rejects.add(import.file, number, fault)?,
            }
            if pending >= FULL {
                pending = 0;
                import.load_vertices(std::mem::take(&mut batches))?;
            }
            Ok(1)
        })?;
        self.load_vertices(batches)
    }

    /// The vertex of a line; enters its id, with a reference yet to be filled in.
    fn vertex(&mut self, line: &[u8]) -> Result<element::VertexLine, Fault> {
        let json = element::parse(line)?;
        let mut vertex = element::vertex(&json, self.keep_property_ids)?;
        if !self.null_values {
            vertex.leave_out_nulls();
        }
        // An unreadable edge spoils its line: better found before the vertex is taken.
        element::edges(&json)?;
        match self.ids.entry(vertex.id.clone()) {
            Entry::Vacant(place) => place.insert(VertexRef::default()),
            Entry::Occupied(_) => {
                let problem = "an id of its own expected, but an earlier line has the same".to_owned();
                return Err(Fault { column: 1, field: Some("id".to_owned()), problem });
            }
        };
        Ok(vertex)
    }

    fn load_vertices(&mut self, batches: IndexMap<String, VertexBatch>) -> Result<(), ImportError> {
        for (label, batch) in batches {
            let (ids, columns) = batch.into_columns();
            let vertices = self.bulk.vertices(&label, Some(ids.clone()), columns)?;
            self.counts.vertices += vertices.len() as u64;
            self.ids.extend(ids.into_iter().zip(vertices));
        }
        Ok(())
    }

    fn read_edges(&mut self) -> Result<(), ImportError> {
        let mut batches: IndexMap<String, EdgeBatch> = IndexMap::new();
        let mut pending = 0;
        let mut done = rustc_hash::FxHashSet::default();
        self.each_line(|import, number, line| {
            // Lines with faults, and repeated ones, were reported by the first pass.
            let Some((from, edges)) = import.edges(line, &mut done) else { return Ok(0) };
            let count = edges.len() as u64;
            for edge in edges {
                let Some(&to) = import.ids.get(&edge.to) else {
                    import.rejects.add(import.file, number, element::dangling(&edge))?;
                    continue;
                };
                if batches.get(&edge.label).is_some_and(|batch| batch.differs_from(&edge)) || pending >= FULL
                {
                    pending = 0;
                    import.load_edges(std::mem::take(&mut batches))?;
                }
                batches.entry(edge.label.clone()).or_default().add(from, to, edge);
                pending += 1;
            }
            Ok(count)
        })?;
        self.load_edges(batches)
    }

    fn edges(
        &self,
        line: &[u8],
        done: &mut rustc_hash::FxHashSet<VertexRef>,
    ) -> Option<(VertexRef, Vec<element::EdgeLine>)> {
        let json = element::parse(line).ok()?;
        let from = *self.ids.get(&element::id_of(&json).ok()?)?;
        let mut edges = element::edges(&json).ok()?;
        if !self.null_values {
            edges.iter_mut().for_each(|edge| edge.properties.retain(|(_, value)| !value.is_null()));
        }
        done.insert(from).then_some((from, edges))
    }

    fn load_edges(&mut self, batches: IndexMap<String, EdgeBatch>) -> Result<(), ImportError> {
        for (label, batch) in batches {
            let (from, to, ids, columns) = batch.into_columns();
            self.counts.edges += from.len() as u64;
            self.bulk.edges(&label, &from, &to, ids, columns)?;
        }
        Ok(())
    }

    /// Calls `work` with the number (from 1) and the bytes of every line that is not blank; it returns the number of rows
    /// that it made of the line.
    fn each_line(
        &mut self,
        mut work: impl FnMut(&mut Self, u64, &[u8]) -> Result<u64, ImportError>,
    ) -> Result<(), ImportError> {
        let path = self.file;
        let file = File::open(path).map_err(|e| ImportError::io(path, e))?;
        let mut reader = BufReader::with_capacity(256 << 10, file);
        let (mut line, mut number, mut bytes, mut rows) = (Vec::new(), 0, 0, 0);
        loop {
            line.clear();
            let limit = LONGEST_LINE as u64 + 1;
            let count = reader
                .by_ref()
                .take(limit)
                .read_until(b'\n', &mut line)
                .map_err(|e| ImportError::io(path, e))?;
            if count as u64 == limit {
                let problem = format!("line {} is longer than {} MiB", number + 1, LONGEST_LINE >> 20);
                return Err(ImportError::layout(path, problem));
            }
            if count == 0 {
                break;
            }
            number += 1;
            bytes += count as u64;
            let content = line.strip_prefix("\u{feff}".as_bytes()).filter(|_| number == 1).unwrap_or(&line);
            let content = content.trim_ascii();
            if !content.is_empty() {
                rows += work(self, number, content)?;
            }
            if number % PROGRESS_LINES == 0 {
                self.monitor.advance(bytes, rows);
                (bytes, rows) = (0, 0);
            }
        }
        self.monitor.advance(bytes, rows);
        Ok(())
    }
}
