//! Files of whole graphs, as `g.io(file)` reads and writes them: an element after the other, wherever they come from or go to.
//!
//! | format | read | written |
//! |---|---|---|
//! | GraphSON | 1 to 3, a vertex after the other, or all of them in `{"vertices": […]}` | 3, a vertex on each line |
//! | GraphML | nodes and edges in any order | keys, nodes, edges |
//! | Gryo | 3 (and what 1 has in common with it) | 3 |
//!
//! ```text
//!  bytes ──▶ GraphFileReader::next ──▶ Element::Vertex, Element::Edge …           (reader)
//!  passes ──▶ GraphFileWriter::vertex, edge, end_vertex … ──▶ finish ──▶ bytes     (writer)
//! ```
//!
//! What a reader holds it says to a [`Room`], which may refuse; what it hands out is its caller's. A vertex may have any
//! number of edges: only Gryo, whose format demands it, has all of a vertex in memory. Long work ticks the watch of whoever
//! does it ([`values::watch`]), so it ends with its query.

mod apart;
mod bytes;
mod error;
mod graphml;
mod graphson;
mod gryo;
mod room;

use std::any::Any;
use std::io::{Read, Write};

use values::{Direction, Edge, Vertex};

pub use error::{FileError, Place};
pub use room::Room;

use super::sides::{Kinds, Sides, Survey};
use bytes::Bytes;
use room::Holdings;

/// A format of such files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum GraphFormat {
    GraphSon,
    GraphMl,
    Gryo,
}

/// What a file has next.
#[derive(Clone, Debug)]
pub enum Element {
    /// A vertex with its properties. Ids of properties are null where the file has none.
    Vertex(Vertex),
    /// An edge. Its id is null where the file has none; of its ends the ids alone are known. They may come later.
    Edge(Edge),
}

/// A file that is read.
pub trait GraphFileReader: Send {
    /// The next element; none at the end.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    fn next(&mut self) -> Result<Option<Element>, FileError>;

    /// Whether an edge may name a vertex that the file has nowhere else: it is one without properties then.
    fn names_vertices_in_edges(&self) -> bool {
        false
    }

    /// Where the element that it has handed out last begins, as closely as its format allows.
    fn place(&self) -> Place;
}

/// What a writer wants to be told of, in one walk over the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pass {
    /// Vertices alone.
    Vertices,
    /// Edges alone, in whatever order: [`GraphFileWriter::edge`] is called without a vertex around it, with [`Direction::Out`].
    Edges,
    /// Vertices, each with the edges that enter it, then with those that leave it; those of one label together.
    Stars,
}

/// A file that is written.
pub trait GraphFileWriter: Send {
    /// What it wants to be told of, in that order.
    fn passes(&self) -> &'static [Pass];

    /// A pass begins.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn begin(&mut self, pass: usize) -> Result<(), FileError>;

    /// A vertex.
    ///
    /// # Errors
    /// If it has something that the format has no way to say, or the file cannot be written.
    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileError>;

    /// An edge that leaves the vertex, or enters it.
    ///
    /// # Errors
    /// As [`GraphFileWriter::vertex`].
    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<(), FileError>;

    /// The vertex has no more edges.
    ///
    /// # Errors
    /// As [`GraphFileWriter::vertex`].
    fn end_vertex(&mut self) -> Result<(), FileError> {
        Ok(())
    }

    /// Somebody who makes stretches of this pass apart, on whatever thread; none if the pass must be told as a whole.
    fn apart(&self) -> Option<Box<dyn StretchWriter>> {
        None
    }

    /// Takes the next stretch of the pass, in the order of what it is of, in place of having been told of that.
    ///
    /// # Errors
    /// As [`GraphFileWriter::vertex`].
    fn add(&mut self, stretch: Stretch) -> Result<(), FileError> {
        let _ = stretch;
        Ok(())
    }

    /// What the file does not say of the graph, in words, each with how often: what became a text, and what was left out.
    fn losses(&self) -> Vec<String> {
        Vec::new()
    }

    /// All passes are over: writes what is left.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn finish(&mut self) -> Result<(), FileError>;
}

/// Makes stretches of a pass: see [`GraphFileWriter::apart`].
pub trait StretchWriter: Send {
    /// As [`GraphFileWriter::vertex`].
    ///
    /// # Errors
    /// Likewise.
    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileError>;

    /// As [`GraphFileWriter::edge`].
    ///
    /// # Errors
    /// Likewise.
    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<(), FileError>;

    /// As [`GraphFileWriter::end_vertex`].
    ///
    /// # Errors
    /// Likewise.
    fn end_vertex(&mut self) -> Result<(), FileError> {
        Ok(())
    }

    /// Bytes of the stretch so far.
    fn bytes(&self) -> usize;

    /// The stretch so far. The next one begins, be it in the midst of a vertex.
    fn take(&mut self) -> Stretch;
}

/// A part of a file, or of several, as it was made apart.
pub struct Stretch(pub(super) Made);

/// What was made.
pub(super) enum Made {
    /// A part of a text.
    Text(Vec<u8>),
    /// What only its own writer knows.
    Own(Box<dyn Any + Send>),
}

/// The JSON value of a line that is deeper than serde's parser goes.
pub(super) fn deep_json(line: &[u8]) -> Result<serde_json::Value, FileError> {
    graphson::json_of_line(line)
}

/// A reader of a file of this format.
pub fn graph_file_reader(
    format: GraphFormat,
    from: Box<dyn Read + Send>,
    room: Room,
) -> Box<dyn GraphFileReader> {
    let held = Holdings::new(room);
    match format {
        GraphFormat::GraphSon => {
            let edges = graphson::Edges::Counted { entering: 0, leaving: 0 };
            Box::new(graphson::Reader::new(Bytes::new(from), held, edges))
        }
        GraphFormat::GraphMl => Box::new(graphml::Reader::new(from, held)),
        GraphFormat::Gryo => Box::new(gryo::Reader::new(Bytes::new(from), held)),
    }
}

/// A reader for whoever reads a file twice: vertices first, then edges.
pub(super) enum TwiceReader {
    /// One that must know from the first time where edges are.
    GraphSon(Box<graphson::Reader>),
    Other(Box<dyn GraphFileReader>),
}

impl TwiceReader {
    /// The first time. What is handed out of edges has their ends alone to tell, and only of formats in which these may be nowhere else.
    pub(super) fn first(format: GraphFormat, from: Box<dyn Read + Send>, most: usize) -> Self {
        Self::new(format, from, most, graphson::Edges::Surveyed(Survey::default()))
    }

    /// The second time: each edge is handed out once.
    pub(super) fn second(format: GraphFormat, from: Box<dyn Read + Send>, most: usize, sides: Sides) -> Self {
        Self::new(format, from, most, graphson::Edges::Taken(sides))
    }

    /// `most`: bytes that it may hold.
    fn new(format: GraphFormat, from: Box<dyn Read + Send>, most: usize, edges: graphson::Edges) -> Self {
        let room: Room = Box::new(move |bytes| bytes <= most);
        match format {
            GraphFormat::GraphSon => {
                let reader = graphson::Reader::new(Bytes::new(from), Holdings::new(room), edges);
                Self::GraphSon(Box::new(reader))
            }
            other => Self::Other(graph_file_reader(other, from, room)),
        }
    }

    /// The reader.
    pub(super) fn inner(&mut self) -> &mut dyn GraphFileReader {
        match self {
            Self::GraphSon(reader) => &mut **reader,
            Self::Other(reader) => &mut **reader,
        }
    }

    /// Where edges are to be taken from the second time, and whether they have ids, as far as the reader knows.
    pub(super) fn into_sides(self) -> (Sides, Kinds) {
        match self {
            Self::GraphSon(reader) => match reader.into_edges() {
                graphson::Edges::Surveyed(survey) => (survey.sides(Direction::In), survey.kinds()),
                graphson::Edges::Taken(sides) => (sides, Kinds::default()),
                graphson::Edges::Counted { .. } => (Sides::At(Direction::In), Kinds::default()),
            },
            Self::Other(_) => (Sides::At(Direction::In), Kinds::default()),
        }
    }
}

/// A writer of a file of this format.
pub fn graph_file_writer(
    format: GraphFormat,
    into: Box<dyn Write + Send>,
    room: Room,
) -> Box<dyn GraphFileWriter> {
    match format {
        GraphFormat::GraphSon => Box::new(graphson::Writer::new(into)),
        GraphFormat::GraphMl => Box::new(graphml::Writer::new(into, Holdings::new(room))),
        GraphFormat::Gryo => Box::new(gryo::Writer::new(into, Holdings::new(room))),
    }
}
