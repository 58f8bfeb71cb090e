//! Export to CSV: a directory of files that [`super::csv()`] reads again as the same graph.
//!
//! ```text
//! vertices-person.csv                                     edges-knows.csv
//! :ID{id-type:int},:LABEL,name:string,age:int             :START_ID,:END_ID,:TYPE,:ID{id-type:int},weight:double
//! 1,person,marko,29                                       1,2,knows,7,0.5
//! ```
//!
//! A file holds rows of one label whose values under one key have one type (`sheet.rs`); a label may so have several files. The graph is
//! walked twice: first to learn what files there are to be, then to write them. What a row is in columns of a convention, `cells.rs`
//! says; what no column can say is counted (`losses.rs`).

mod cells;
mod losses;
mod sheet;

use std::io::Write;

use rustc_hash::FxHashSet;
use values::{Direction, Edge, Value, Vertex};

use self::cells::{Row, row_of_edge, row_of_vertex};
use self::losses::Losses;
use self::sheet::Sheets;
use super::scalar::ScalarType;
use crate::exchange::{FileError, GraphFileWriter, Pass};

/// The convention by which headers say what columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvConvention {
    /// That of `neo4j-admin database import`.
    Neo4j,
    /// That of Amazon Neptune's load format for Gremlin.
    Neptune,
}

/// Makes a file of that name.
pub type MakeFile = Box<dyn FnMut(&str) -> std::io::Result<Box<dyn Write + Send>> + Send>;

/// Writes a graph as CSV files, which somebody else makes.
pub struct CsvWriter {
    convention: CsvConvention,
    /// Whether edges have a column of ids.
    edge_ids: bool,
    make: MakeFile,
    ids: VertexIds,
    vertices: Sheets,
    edges: Sheets,
    losses: Losses,
    writes: bool,
}

/// The ids of vertices.
#[derive(Default)]
struct VertexIds {
    of: Option<ScalarType>,
    /// Whether some are of another type than others. They are texts then.
    are_mixed: bool,
    /// Those that were written, if two of different types may be one text.
    written: FxHashSet<String>,
}

impl VertexIds {
    fn learn(&mut self, id: &Value) {
        let found = ScalarType::of_value(id).unwrap_or(ScalarType::String);
        self.are_mixed |= self.of.is_some_and(|known| known != found);
        self.of = Some(found);
    }

    /// The type that all of them have in the files.
    fn scalar(&self, convention: CsvConvention) -> ScalarType {
        let are_texts = self.are_mixed || convention == CsvConvention::Neptune;
        self.of.filter(|_| !are_texts).unwrap_or(ScalarType::String)
    }

    /// Notes that one is written; whether no other one is the same text.
    fn is_free(&mut self, text: &str) -> bool {
        !self.are_mixed || self.written.insert(text.to_owned())
    }
}

impl CsvWriter {
    /// A writer. Without `edge_ids` it leaves out the column of ids of edges, which `neo4j-admin` does not know.
    pub fn new(convention: CsvConvention, edge_ids: bool, make: MakeFile) -> Self {
        Self {
            convention,
            edge_ids,
            make,
            ids: VertexIds::default(),
            vertices: Sheets::new(convention, false),
            edges: Sheets::new(convention, true),
            losses: Losses::default(),
            writes: false,
        }
    }

    /// What the files do not say of the graph, in words, each with how often.
    pub fn losses(&self) -> Vec<String> {
        self.losses.told(self.convention)
    }

    /// The number of files.
    pub fn files(&self) -> usize {
        self.vertices.count() + self.edges.count()
    }

    fn row(&mut self, row: Row, is_edge: bool) -> Result<(), FileError> {
        let sheets = if is_edge { &mut self.edges } else { &mut self.vertices };
        if self.writes { sheets.write(&row) } else { sheets.learn(&row) }
    }

    /// The text of the id of a vertex, of one that is written now if it is `new`.
    fn vertex_id(&mut self, id: &Value, new: bool) -> Result<String, FileError> {
        let text = id.to_string();
        if new && self.writes {
            if id.as_str().is_none() && self.ids.scalar(self.convention) == ScalarType::String {
                self.losses.id_as_text();
            }
            if !self.ids.is_free(&text) {
                let problem =
                    format!("two vertices have ids that are the text {text:?}, which would be one here");
                return Err(FileError::Unwritable(problem));
            }
        }
        if text.is_empty() {
            let problem = "the id of a vertex is an empty text, which a field cannot tell from none";
            return Err(FileError::Unwritable(problem.into()));
        }
        Ok(text)
    }
}

impl GraphFileWriter for CsvWriter {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Vertices, Pass::Edges, Pass::Vertices, Pass::Edges]
    }

    fn begin(&mut self, pass: usize) -> Result<(), FileError> {
        if pass == 2 {
            self.writes = true;
            self.vertices.open(self.ids.scalar(self.convention), true, &mut self.make)?;
            self.edges.open(ScalarType::String, self.edge_ids, &mut self.make)?;
        }
        Ok(())
    }

    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileError> {
        if !self.writes {
            self.ids.learn(&vertex.id);
        }
        let id = self.vertex_id(&vertex.id, true)?;
        let row = row_of_vertex(vertex, id, self.convention, &mut self.losses.in_pass(self.writes))?;
        self.row(row, false)
    }

    fn edge(&mut self, _: Direction, edge: &Edge) -> Result<(), FileError> {
        let ends = [self.vertex_id(&edge.out_v.id, false)?, self.vertex_id(&edge.in_v.id, false)?];
        let losses = &mut self.losses.in_pass(self.writes);
        let row = row_of_edge(edge, ends, self.convention, self.edge_ids, losses);
        self.row(row, true)
    }

    fn finish(&mut self) -> Result<(), FileError> {
        self.vertices.finish()?;
        self.edges.finish()
    }
}
