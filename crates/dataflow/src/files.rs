//! Files of whole graphs, as `io()` sees them.
//!
//! The engine knows elements and snapshots; where files lie and what their formats are is known by whoever hosts it.

use planner::physical::GraphFile;
use values::{Direction, Edge, Vertex};

/// Told how many bytes are held, when that has changed by much; false if they may not be.
pub type Room = Box<dyn FnMut(usize) -> bool + Send>;

/// What is wrong with a file, in words.
pub type FileProblem = String;

/// Opens files of graphs.
pub trait GraphFiles: Send + Sync {
    /// A file to be read.
    ///
    /// # Errors
    /// If there is no such file, or it may not be read.
    fn open(&self, file: &GraphFile, room: Room) -> Result<Box<dyn FileReader>, FileProblem>;

    /// A file to be written. Nobody sees it before [`FileWriter::finish`]; dropped before that, it has never been.
    ///
    /// # Errors
    /// If it may not be written.
    fn create(&self, file: &GraphFile, room: Room) -> Result<Box<dyn FileWriter>, FileProblem>;
}

/// What a file has next.
#[derive(Debug)]
pub enum FileElement {
    /// A vertex with its properties.
    Vertex(Vertex),
    /// An edge. Of its ends the ids alone are known; they may come later.
    Edge(Edge),
}

/// A file that is read.
pub trait FileReader: Send {
    /// The next element; none at the end.
    ///
    /// # Errors
    /// What is wrong with the file, and where.
    fn next(&mut self) -> Result<Option<FileElement>, FileProblem>;

    /// Whether an edge may name a vertex that the file has nowhere else: it is one without properties then.
    fn names_vertices_in_edges(&self) -> bool;
}

/// What a writer wants to be told of, in one walk over the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilePass {
    /// Vertices alone.
    Vertices,
    /// Edges alone, as those that leave a vertex.
    Edges,
    /// Vertices, each with the edges that enter it, then with those that leave it; those of one label together.
    Stars,
}

/// A file that is written.
pub trait FileWriter: Send {
    /// What it wants to be told of, in that order.
    fn passes(&self) -> Vec<FilePass>;

    /// A pass begins.
    ///
    /// # Errors
    /// If the file cannot be written.
    fn begin(&mut self, pass: usize) -> Result<(), FileProblem>;

    /// A vertex, whose edges come next in a pass over stars.
    ///
    /// # Errors
    /// If the format cannot tell it, or the file cannot be written.
    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileProblem>;

    /// An edge, seen from the vertex that it enters or leaves.
    ///
    /// # Errors
    /// As [`FileWriter::vertex`].
    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<(), FileProblem>;

    /// All edges of the vertex have come.
    ///
    /// # Errors
    /// As [`FileWriter::vertex`].
    fn end_vertex(&mut self) -> Result<(), FileProblem>;

    /// All passes are over: makes the file durable, and puts it in its place.
    ///
    /// # Errors
    /// If it cannot.
    fn finish(&mut self) -> Result<(), FileProblem>;
}
