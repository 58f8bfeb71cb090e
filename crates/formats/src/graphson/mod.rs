//! Import of GraphSON as adjacency lists: one vertex with its properties and edges per line. The file may be packed.
//!
//! ```text
//! {"id":…,"label":"person","properties":{"name":[{"id":…,"value":"marko"}]},
//!  "outE":{"knows":[{"id":…,"inV":…,"properties":{"weight":…}}]},"inE":{…}}          (one line)
//! ```
//!
//! Two passes over the file, so that memory does not grow with the edges: vertices, then edges. An edge that is in `outE` and in
//! `inE` is taken from `outE`; one that is in one of them alone, from there ([`crate::sides`]). Where some edges have ids and others
//! have none, these have a pass of their own.

mod batch;
mod element;
pub(super) mod typed;

use std::collections::hash_map::Entry;
use std::path::Path;
use std::time::Instant;

use rustc_hash::{FxHashMap, FxHashSet};
use values::{Direction, Value, VertexRef};

pub(super) use self::batch::{EdgeBatches, VertexBatches};
pub(super) use self::element::{EdgeLine, NO_VERTEX_KEY, VERTEX_KEYS, VertexLine};
use super::ImportOptions;
use super::error::{Fault, ImportError};
use super::foreign::refuse_binary_inside;
use super::lines::Lines;
use super::progress::{ImportProgress, Monitor};
use super::rejects::Rejects;
use super::sides::{Sides, Survey, Turn};
use super::sink::{Sink, Source, Target};
use super::summary::{Counts, ImportSummary, finish};

/// Lines after which progress is reported.
const PROGRESS_LINES: u64 = 256;

/// Imports a GraphSON file, one vertex per line. Vertices and edges keep their ids, with their
/// types, and so do properties of vertices if the options say so; keys with several values or with meta-properties become
/// multi-properties.
///
/// # Errors
/// See [`ImportError`]. When bad rows are skipped, a line is left out whole in the
/// first pass; in the second, an edge without its other end is left out alone.
pub fn graphson(
    file: &Path,
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let begun = Instant::now();
    refuse_binary_inside(file)?;
    let length = std::fs::metadata(file).map_err(|e| ImportError::io(file, e))?.len();
    let mut sink = target.begin()?;
    sink.treat_bad_rows(options.bad_rows);
    let mut import = Import {
        file,
        // The file is read twice.
        monitor: Monitor::new(2 * length, progress),
        rejects: Rejects::new(options.bad_rows),
        counts: Counts::default(),
        keep_property_ids: options.keep_property_ids,
        null_values: sink.null_values(),
        sink,
        ids: FxHashMap::default(),
        survey: Survey::default(),
    };
    import.read_vertices()?;
    import.read_edges()?;
    let Import { sink, counts, monitor, rejects, .. } = import;
    let mut summary = finish(sink, counts, &monitor, rejects, begun)?;
    summary.bytes = length;
    Ok(summary)
}

/// The directions in which a line has edges.
const DIRECTIONS: [Direction; 2] = [Direction::Out, Direction::In];

/// A vertex, by its id and by what the graph calls it, with edges in these directions.
type LineEdges = ((Value, VertexRef), Vec<(Direction, EdgeLine)>);

/// An import on its way.
struct Import<'a> {
    file: &'a Path,
    sink: Box<dyn Sink + 'a>,
    monitor: Monitor<'a>,
    rejects: Rejects,
    counts: Counts,
    /// See [`ImportOptions::keep_property_ids`].
    keep_property_ids: bool,
    /// Whether a property may be null; if not, one that is none.
    null_values: bool,
    ids: FxHashMap<Value, VertexRef>,
    /// The edges that the first pass has seen.
    survey: Survey,
}

impl Import<'_> {
    fn read_vertices(&mut self) -> Result<(), ImportError> {
        let mut batches = VertexBatches::default();
        self.each_line(|import, number, line| {
            match import.vertex(line) {
                Ok(vertex) => batches.add(vertex, number),
                Err(fault) => import.rejects.add(import.file, number, fault)?,
            }
            if batches.is_full() {
                import.load_vertices(&mut batches)?;
            }
            Ok(1)
        })?;
        self.load_vertices(&mut batches)
    }

    /// The vertex of a line; enters its id, with a reference yet to be filled in.
    fn vertex(&mut self, line: &[u8]) -> Result<VertexLine, Fault> {
        let json = element::parse(line)?;
        let mut vertex = element::vertex(&json, self.keep_property_ids)?;
        if !self.null_values {
            vertex.leave_out_nulls();
        }
        // An unreadable edge spoils its line: better found before the vertex is taken.
        let [leaving, entering] = DIRECTIONS.map(|direction| element::edges(&json, direction));
        let edges = [leaving?, entering?];
        match self.ids.entry(vertex.id.clone()) {
            Entry::Vacant(place) => place.insert(VertexRef::default()),
            Entry::Occupied(_) => {
                let problem = "an id of its own expected, but an earlier line has the same".to_owned();
                return Err(Fault { column: 1, field: Some("id".to_owned()), problem });
            }
        };
        for (direction, edges) in DIRECTIONS.into_iter().zip(edges) {
            edges.iter().for_each(|edge| self.survey.see(direction, &edge.key(direction, &vertex.id)));
        }
        Ok(vertex)
    }

    fn load_vertices(&mut self, batches: &mut VertexBatches) -> Result<(), ImportError> {
        self.ids.extend(batches.load(&mut *self.sink, Source::of(self.file), &mut self.counts)?);
        Ok(())
    }

    fn read_edges(&mut self) -> Result<(), ImportError> {
        self.survey.kinds().turns().iter().try_for_each(|turn| self.read_edges_of(*turn))
    }

    fn read_edges_of(&mut self, turn: Turn) -> Result<(), ImportError> {
        let mut batches = EdgeBatches::default();
        let mut sides = self.survey.sides(Direction::Out);
        let mut done = FxHashSet::default();
        self.each_line(|import, number, line| {
            // Lines with faults, and repeated ones, were reported by the first pass.
            let Some((vertex, edges)) = import.edges(line, &sides, &mut done) else { return Ok(0) };
            let (id, vertex) = vertex;
            let mut count = 0;
            for (at, edge) in edges.into_iter().filter(|(_, edge)| turn.is_of(edge.id.is_some())) {
                if !sides.take(at, || edge.key(at, &id)) {
                    continue;
                }
                count += 1;
                let Some(other) = import.other_end(&edge) else {
                    import.rejects.add(import.file, number, element::dangling(&edge, at))?;
                    continue;
                };
                let ends = if at == Direction::Out { (vertex, other) } else { (other, vertex) };
                if batches.is_full_for(&edge) {
                    import.load_edges(&mut batches)?;
                }
                batches.add(ends, edge, number);
            }
            Ok(count)
        })?;
        self.load_edges(&mut batches)
    }

    fn load_edges(&mut self, batches: &mut EdgeBatches) -> Result<(), ImportError> {
        batches.load(&mut *self.sink, Source::of(self.file), &mut self.counts)
    }

    /// The vertex at the other end of an edge: of the file, or else of the graph.
    fn other_end(&mut self, edge: &EdgeLine) -> Option<VertexRef> {
        let known = self.ids.get(&edge.other).copied();
        known.or_else(|| self.sink.elsewhere(std::slice::from_ref(&edge.other)))
    }

    /// The vertex of a good line, and its edges at the ends that are looked at.
    fn edges(&self, line: &[u8], sides: &Sides, done: &mut FxHashSet<VertexRef>) -> Option<LineEdges> {
        let json = element::parse(line).ok()?;
        let id = element::id_of(&json).ok()?;
        let vertex = *self.ids.get(&id)?;
        let mut edges = Vec::new();
        for direction in DIRECTIONS.into_iter().filter(|direction| sides.look_at(*direction)) {
            edges.extend(element::edges(&json, direction).ok()?.into_iter().map(|edge| (direction, edge)));
        }
        if !self.null_values {
            edges.iter_mut().for_each(|(_, edge)| edge.properties.retain(|(_, value)| !value.is_null()));
        }
        done.insert(vertex).then_some(((id, vertex), edges))
    }

    /// Calls `work` with the number (from 1) and the bytes of every line that is not blank; it returns the number of rows
    /// that it made of the line.
    fn each_line(
        &mut self,
        mut work: impl FnMut(&mut Self, u64, &[u8]) -> Result<u64, ImportError>,
    ) -> Result<(), ImportError> {
        let mut lines = Lines::open(self.file)?;
        let mut rows = 0;
        while let Some((number, line)) = lines.next()? {
            rows += work(self, number, line)?;
            if number.is_multiple_of(PROGRESS_LINES) {
                self.monitor.advance(lines.advance(), std::mem::take(&mut rows));
            }
        }
        self.monitor.advance(lines.advance(), rows);
        Ok(())
    }
}
