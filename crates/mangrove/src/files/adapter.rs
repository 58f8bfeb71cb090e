//! Files of `formats` as the engine sees them.

use dataflow::{FileElement, FilePass, FileProblem, FileReader, FileWriter};
use formats::{Element, GraphFileReader, GraphFileWriter, Pass};
use values::{Direction, Edge, Vertex};

use super::packing::Packing;
use super::written::NewFile;

/// A file that is read.
pub(super) struct Read(pub(super) Box<dyn GraphFileReader>);

impl FileReader for Read {
    fn next(&mut self) -> Result<Option<FileElement>, FileProblem> {
        let element = self.0.next().map_err(problem)?;
        Ok(element.map(|element| match element {
            Element::Vertex(vertex) => FileElement::Vertex(vertex),
            Element::Edge(edge) => FileElement::Edge(edge),
        }))
    }

    fn names_vertices_in_edges(&self) -> bool {
        self.0.names_vertices_in_edges()
    }
}

/// A file that is written.
pub(super) struct Written {
    pub(super) writer: Box<dyn GraphFileWriter>,
    /// Where it writes to.
    pub(super) into: Packing,
    pub(super) file: NewFile,
}

impl FileWriter for Written {
    fn passes(&self) -> Vec<FilePass> {
        let pass = |pass: &Pass| match pass {
            Pass::Vertices => FilePass::Vertices,
            Pass::Edges => FilePass::Edges,
            Pass::Stars => FilePass::Stars,
        };
        self.writer.passes().iter().map(pass).collect()
    }

    fn begin(&mut self, pass: usize) -> Result<(), FileProblem> {
        self.writer.begin(pass).map_err(problem)
    }

    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileProblem> {
        self.writer.vertex(vertex).map_err(problem)
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<(), FileProblem> {
        self.writer.edge(direction, edge).map_err(problem)
    }

    fn end_vertex(&mut self) -> Result<(), FileProblem> {
        self.writer.end_vertex().map_err(problem)
    }

    fn finish(&mut self) -> Result<(), FileProblem> {
        self.writer.finish().map_err(problem)?;
        self.into.finish().map_err(|error| problem(error.into()))?;
        self.file.publish()
    }
}

fn problem(error: formats::FileError) -> FileProblem {
    error.to_string()
}
