//! Import of files of whole graphs, as `g.io(file)` reads them: GraphSON in all its forms, GraphML, Gryo; packed or not.
//!
//! The file is read twice, vertices first, so that memory does not grow with its edges. An edge may name a vertex that is nowhere
//! else, where the format allows it: it is one without properties then, as in TinkerPop. An edge of GraphSON may be at one of its ends
//! alone; only where some are so and others are not, the ids of edges are remembered ([`super::sides`]).

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use indexmap::IndexMap;
use rustc_hash::{FxHashMap, FxHashSet};
use values::{Edge, Str, Value, Vertex, VertexRef};

use super::ImportOptions;
use super::error::ImportError;
use super::exchange::{Element, FileError, GraphFormat, Place, TwiceReader};
use super::foreign::{LOOKED_AT, whole_graph};
use super::graphson::{EdgeBatches, EdgeLine, VertexBatches, VertexLine};
use super::packed::{Counted, is_packed, unpacked};
use super::progress::{ImportProgress, Monitor};
use super::rejects::Rejects;
use super::sides::{Kinds, Sides, Turn};
use super::sink::{Sink, Source, Standing, Target};
use super::summary::{Counts, ImportSummary, finish};
use graph::{BulkCell, NameSpace, check_id, check_name};

/// Elements after which progress is reported.
const FULL: usize = 16 << 10;
/// The label of a vertex that edges alone name.
const DEFAULT_LABEL: &str = "vertex";

/// The format of a file of a whole graph; `None` if it is none. GraphSON with a vertex on each line is left to
/// [`super::graphson()`], which reads it faster and names the line of what is wrong.
///
/// # Errors
/// [`ImportError::Io`] if it cannot be read.
pub fn whole_format(path: &Path) -> Result<Option<GraphFormat>, ImportError> {
    let failed = |e| ImportError::io(path, e);
    let packed = {
        let mut start = Vec::new();
        File::open(path).and_then(|file| file.take(4).read_to_end(&mut start)).map_err(failed)?;
        is_packed(&start)
    };
    let mut start = Vec::new();
    let inside = File::open(path).and_then(unpacked);
    match inside.and_then(|inside| inside.take(LOOKED_AT).read_to_end(&mut start)) {
        // It is for whoever unpacks it to say what is wrong.
        Err(_) if packed => return Ok(None),
        read => read.map_err(failed)?,
    };
    Ok(whole_graph(&start).filter(|(_, is_fast)| !is_fast).map(|(format, _)| format))
}

/// Imports a file of a whole graph. Ids are kept, with their types as far as the format tells them, and so are
/// those of vertices' properties if the options say so.
///
/// # Errors
/// See [`ImportError`]. Such a file is good or bad as a whole: nothing of it is skipped, but what a graph that has data refuses.
pub fn whole(
    file: &Path,
    format: GraphFormat,
    target: &dyn Target,
    options: &ImportOptions,
    progress: &dyn Fn(ImportProgress),
) -> Result<ImportSummary, ImportError> {
    let begun = Instant::now();
    let length = std::fs::metadata(file).map_err(|e| ImportError::io(file, e))?.len();
    let mut sink = target.begin()?;
    sink.treat_bad_rows(options.bad_rows);
    let mut import = Import {
        file,
        format,
        monitor: Monitor::new(2 * length, progress),
        counts: Counts::default(),
        keep_property_ids: options.keep_property_ids,
        element_bytes: options.element_bytes,
        null_values: sink.null_values(),
        sink,
        ids: FxHashMap::default(),
        place: None,
    };
    let (sides, kinds) = import.read_vertices()?;
    // Once, but for files whose edges are of both kinds.
    kinds.turns().iter().try_for_each(|turn| import.read_edges(*turn, sides.anew()))?;
    let Import { sink, counts, monitor, .. } = import;
    let mut summary = finish(sink, counts, &monitor, Rejects::new(options.bad_rows), begun)?;
    summary.bytes = length;
    Ok(summary)
}

/// An import on its way.
struct Import<'a> {
    file: &'a Path,
    format: GraphFormat,
    sink: Box<dyn Sink + 'a>,
    monitor: Monitor<'a>,
    counts: Counts,
    keep_property_ids: bool,
    /// See [`ImportOptions::element_bytes`].
    element_bytes: usize,
    null_values: bool,
    /// The vertices by their ids, whole numbers alike whatever their types.
    ids: FxHashMap<Value, VertexRef>,
    /// Where the element that is worked on begins.
    place: Option<Place>,
}

impl Import<'_> {
    /// Reads the vertices; where edges are to be taken from, and whether they have ids.
    fn read_vertices(&mut self) -> Result<(Sides, Kinds), ImportError> {
        let mut batches = VertexBatches::default();
        let mut named = IndexMap::new();
        let mut seen = Kinds::default();
        let reader = self.each(TwiceReader::first, |import, element, names_vertices| match element {
            Element::Vertex(vertex) => {
                let place = import.offset();
                batches.add(import.vertex(vertex)?, place);
                if batches.is_full() {
                    import.load_vertices(&mut batches, Standing::Own)?;
                }
                Ok(1)
            }
            Element::Edge(edge) if names_vertices => {
                seen.see(!edge.id.is_null());
                for id in [edge.out_v.id, edge.in_v.id] {
                    let key = id.id_key();
                    if !import.ids.contains_key(&key) {
                        named.entry(key).or_insert((id, import.offset()));
                    }
                }
                Ok(0)
            }
            Element::Edge(_) => Ok(0),
        })?;
        self.load_vertices(&mut batches, Standing::Own)?;
        for (key, (id, place)) in named {
            if !self.ids.contains_key(&key) {
                batches.add(self.vertex(Vertex::reference(id, DEFAULT_LABEL))?, place);
                if batches.is_full() {
                    self.load_vertices(&mut batches, Standing::Referred)?;
                }
            }
        }
        self.load_vertices(&mut batches, Standing::Referred)?;
        let (sides, known) = reader.into_sides();
        Ok((sides, if self.format == GraphFormat::GraphSon { known } else { seen }))
    }

    /// A vertex as a row; enters its id, with a reference yet to be filled in.
    fn vertex(&mut self, vertex: Vertex) -> Result<VertexLine, ImportError> {
        let Vertex { id, label, properties } = vertex;
        check_id(&id).map_err(|error| self.wrong(format!("the vertex {id}: {error}")))?;
        if self.ids.insert(id.id_key(), VertexRef::default()).is_some() {
            return Err(self.wrong(format!("two vertices have the id {id}")));
        }
        self.check_names(NameSpace::VertexLabel, [&label].into_iter(), &id)?;
        let metas = properties.iter().flat_map(|property| &property.properties).map(|meta| &meta.key);
        self.check_names(NameSpace::Key, properties.iter().map(|property| &property.key).chain(metas), &id)?;
        let mut cells: IndexMap<String, Vec<BulkCell>> = IndexMap::new();
        let mut ids = FxHashSet::default();
        for property in properties {
            // What cannot be an id, or is another property's, is left out: the value counts.
            let kept = Some(property.id).filter(|id| self.keep_property_ids && check_id(id).is_ok());
            let id = kept.filter(|id| ids.insert(id.clone()));
            let meta = property.properties.into_iter().map(|meta| (meta.key, meta.value)).collect();
            let cell = BulkCell { value: property.value, meta, id };
            cells.entry(property.key.to_string()).or_default().push(cell);
        }
        let mut vertex = VertexLine { id, label: label.to_string(), properties: cells.into_iter().collect() };
        if !self.null_values {
            vertex.leave_out_nulls();
        }
        Ok(vertex)
    }

    /// Where the element that is worked on begins: its line, or its byte where there are none.
    fn offset(&self) -> u64 {
        match self.place {
            Some(Place::Line(place, _) | Place::Byte(place)) => place,
            None => 0,
        }
    }

    fn load_vertices(&mut self, batches: &mut VertexBatches, standing: Standing) -> Result<(), ImportError> {
        let in_bytes = self.format == GraphFormat::Gryo;
        let source = Source { file: self.file, in_bytes, standing };
        let loaded = batches.load(&mut *self.sink, source, &mut self.counts)?;
        self.ids.extend(loaded.into_iter().map(|(id, vertex)| (id.id_key(), vertex)));
        Ok(())
    }

    fn read_edges(&mut self, turn: Turn, sides: Sides) -> Result<(), ImportError> {
        let mut batches = EdgeBatches::default();
        self.each(
            |format, from, most| TwiceReader::second(format, from, most, sides),
            |import, element, _| {
                let Element::Edge(edge) = element else { return Ok(0) };
                if !turn.is_of(!edge.id.is_null()) {
                    return Ok(0);
                }
                let ends = (import.end(&edge, &edge.out_v)?, import.end(&edge, &edge.in_v)?);
                let edge = import.edge(edge)?;
                if batches.is_full_for(&edge) {
                    import.load_edges(&mut batches)?;
                }
                batches.add(ends, edge, import.offset());
                Ok(1)
            },
        )?;
        self.load_edges(&mut batches)
    }

    fn load_edges(&mut self, batches: &mut EdgeBatches) -> Result<(), ImportError> {
        let source = Source { in_bytes: self.format == GraphFormat::Gryo, ..Source::of(self.file) };
        batches.load(&mut *self.sink, source, &mut self.counts)
    }

    /// The vertex at an end: of the file, or else of the graph.
    fn end(&mut self, edge: &Edge, end: &Vertex) -> Result<VertexRef, ImportError> {
        let found = self.ids.get(&end.id.id_key()).copied();
        let found = found.or_else(|| self.sink.elsewhere(std::slice::from_ref(&end.id)));
        found.ok_or_else(|| {
            let label = &edge.label;
            self.wrong(format!("an edge `{label}` has an end {}, but there is no vertex of that id", end.id))
        })
    }

    fn edge(&self, edge: Edge) -> Result<EdgeLine, ImportError> {
        let Edge { id, label, in_v, properties, .. } = edge;
        let id = Some(id).filter(|id| !id.is_null());
        if let Some(id) = &id {
            check_id(id).map_err(|error| self.wrong(format!("the edge {id}: {error}")))?;
        }
        self.check_names(NameSpace::EdgeLabel, [&label].into_iter(), &in_v.id)?;
        self.check_names(NameSpace::Key, properties.iter().map(|property| &property.key), &in_v.id)?;
        let properties = properties.into_iter().map(|it| (it.key.to_string(), it.value));
        let properties = properties.filter(|(_, value)| self.null_values || !value.is_null()).collect();
        Ok(EdgeLine { id, label: label.to_string(), other: in_v.id, properties })
    }

    /// Refuses names that cannot be, of an element that is, or goes to, the vertex with that id.
    fn check_names<'n>(
        &self,
        space: NameSpace,
        mut names: impl Iterator<Item = &'n Str>,
        id: &Value,
    ) -> Result<(), ImportError> {
        let checked = names.try_for_each(|name| check_name(space, name));
        checked.map_err(|error| self.wrong(format!("at the vertex {id}: {error}")))
    }

    /// Calls `work` with each element, and whether an edge may name a vertex that is nowhere else; it returns the number of rows that
    /// it has made of it. The reader is handed back when it has come to the end.
    fn each(
        &mut self,
        reader: impl FnOnce(GraphFormat, Box<dyn Read + Send>, usize) -> TwiceReader,
        mut work: impl FnMut(&mut Self, Element, bool) -> Result<u64, ImportError>,
    ) -> Result<TwiceReader, ImportError> {
        let failed = |e| ImportError::io(self.file, e);
        let (file, read) = Counted::open(self.file).map_err(failed)?;
        let mut reader = reader(self.format, unpacked(file).map_err(failed)?, self.element_bytes);
        let names_vertices = reader.inner().names_vertices_in_edges();
        let (mut told, mut rows, mut elements) = (0, 0, 0_usize);
        // What a reader says itself has a place of its own.
        self.place = None;
        while let Some(element) = reader.inner().next().map_err(|error| self.unreadable(&error))? {
            self.place = Some(reader.inner().place());
            rows += work(self, element, names_vertices)?;
            self.place = None;
            elements += 1;
            if elements.is_multiple_of(FULL) {
                self.tell(&read, &mut told, std::mem::take(&mut rows));
            }
        }
        self.tell(&read, &mut told, rows);
        Ok(reader)
    }

    fn tell(&mut self, read: &AtomicU64, told: &mut u64, rows: u64) {
        let now = read.load(Ordering::Relaxed);
        self.monitor.advance(now - std::mem::replace(told, now), rows);
    }

    /// The error of a reader, with the way out where what it reads is good, and too large.
    fn unreadable(&self, error: &FileError) -> ImportError {
        let (FileError::NoRoom(place), most) = (error, self.element_bytes >> 20) else {
            return self.wrong(error.to_string());
        };
        self.wrong(match self.format {
            GraphFormat::Gryo => format!(
                "{place}: a vertex of Gryo is read with all its edges, and this one takes more than {most} MiB; write the graph as GraphSON \
                 or CSV instead"
            ),
            _ => format!("{place}: a vertex or an edge takes more than {most} MiB; keep large values elsewhere, and their names here"),
        })
    }

    fn wrong(&self, problem: String) -> ImportError {
        let place = self.place.map(|place| format!("{place}: ")).unwrap_or_default();
        ImportError::layout(self.file, format!("{place}{problem}"))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use graph::{BulkColumn, BulkProgress};

    use super::*;
    use crate::sink::{Outcome, Rows};

    /// Takes everything, and remembers how many vertices came at a time.
    #[derive(Default)]
    struct Counting(RefCell<Vec<(usize, Standing)>>);

    impl Target for Counting {
        fn begin(&self) -> Result<Box<dyn Sink + '_>, ImportError> {
            Ok(Box::new(self))
        }
    }

    impl Sink for &Counting {
        fn vertices(
            &mut self,
            _: &str,
            rows: Rows<'_>,
            _: Option<Vec<Value>>,
            _: Vec<BulkColumn>,
        ) -> Result<Vec<VertexRef>, ImportError> {
            self.0.borrow_mut().push((rows.len(), rows.standing));
            Ok(vec![VertexRef::default(); rows.len()])
        }

        fn edges(
            &mut self,
            _: &str,
            _: (&[VertexRef], &[VertexRef]),
            _: Rows<'_>,
            _: Option<Vec<Value>>,
            _: Vec<BulkColumn>,
        ) -> Result<(), ImportError> {
            Ok(())
        }

        fn index(&mut self, _: &str, _: &str) -> Result<(), ImportError> {
            Ok(())
        }

        fn null_values(&self) -> bool {
            false
        }

        fn finish(self: Box<Self>, _: &dyn Fn(BulkProgress)) -> Result<Outcome, ImportError> {
            Ok(Outcome { stats: None, tally: None, reports: Vec::new() })
        }
    }

    #[test]
    fn vertices_that_edges_alone_name_come_a_batch_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("graph.xml");
        let edge = |target: usize| format!(r#"<edge source="hub" target="{target}"/>"#);
        let edges: String = (0..FULL + 10).map(edge).collect();
        std::fs::write(&file, format!("<graphml><graph>{edges}</graph></graphml>")).unwrap();
        let target = Counting::default();
        whole(&file, GraphFormat::GraphMl, &target, &ImportOptions::default(), &|_| {}).unwrap();
        // The last one with the hub.
        let expected = [(FULL, Standing::Referred), (11, Standing::Referred)];
        assert_eq!(target.0.into_inner(), expected);
    }
}
