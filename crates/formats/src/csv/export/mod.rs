//! Export to CSV, or to Parquet: a directory of files that [`super::csv()`] or [`super::parquet()`] reads again as the same graph.
//!
//! ```text
//! vertices-person.csv                                     edges-knows.csv
//! :ID{id-type:int},:LABEL,name:string,age:int             :START_ID,:END_ID,:TYPE,:ID{id-type:int},weight:double
//! 1,person,marko,29                                       1,2,knows,7,0.5
//! ```
//!
//! A file holds rows of one label whose values under one key have one type (`sheet.rs`); a label may so have several files. The graph is
//! walked twice: first to learn what files there are to be, then to write them, both on as many threads as there are (`stretch.rs`). What
//! a row is in columns of a convention, `cells.rs` says; what no column can say is counted (`losses.rs`). Of Parquet the rows go on as
//! they are, and become columns in the file's writer (`parquet_sheet.rs`).

mod cells;
mod losses;
#[cfg(feature = "parquet")]
mod parquet_sheet;
mod sheet;
mod stretch;

use std::io::Write;

use values::{Direction, Edge, Value, Vertex};

use self::cells::Rows;
use self::losses::Losses;
use self::sheet::Sheets;
use self::stretch::{Content, CsvStretch, Maker};
use super::scalar::ScalarType;
use crate::exchange::{FileError, GraphFileWriter, Made, Pass, Stretch, StretchWriter};

/// The convention by which headers say what columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CsvConvention {
    /// That of `neo4j-admin database import`.
    Neo4j,
    /// That of Amazon Neptune's load format for Gremlin.
    Neptune,
    /// The first one, in columns of Parquet files that have types. A build without the feature `parquet` refuses it.
    Parquet,
}

/// Makes a file of that name.
pub type MakeFile = Box<dyn FnMut(&str) -> std::io::Result<Box<dyn Write + Send>> + Send>;

/// Writes a graph as CSV or Parquet files, which somebody else makes.
pub struct CsvWriter {
    /// Makes rows of the pass, where they are not made apart.
    maker: Maker,
    make: MakeFile,
    ids: VertexIds,
    vertices: Sheets,
    edges: Sheets,
    losses: Losses,
    pass: usize,
}

/// The ids of vertices.
#[derive(Clone, Copy, Debug, Default)]
struct VertexIds {
    of: Option<ScalarType>,
    /// Whether some are of another type than others. They are texts then.
    are_mixed: bool,
}

impl VertexIds {
    fn learn(&mut self, id: &Value) {
        let found = ScalarType::of_value(id).unwrap_or(ScalarType::String);
        self.add(Self { of: Some(found), are_mixed: false });
    }

    /// Learns of those that somebody else has seen.
    fn add(&mut self, others: Self) {
        let differs = self.of.zip(others.of).is_some_and(|(known, found)| known != found);
        self.are_mixed |= others.are_mixed || differs;
        self.of = others.of.or(self.of);
    }

    /// The type that all of them have in the files.
    fn scalar(self, convention: CsvConvention) -> ScalarType {
        let are_texts = self.are_mixed || convention == CsvConvention::Neptune;
        self.of.filter(|_| !are_texts).unwrap_or(ScalarType::String)
    }
}

/// The first pass that writes.
const FIRST_WRITTEN: usize = 2;

impl CsvWriter {
    /// A writer. Without `edge_ids` it leaves out the column of ids of edges, which `neo4j-admin` does not know.
    pub fn new(convention: CsvConvention, edge_ids: bool, make: MakeFile) -> Self {
        let sheets = |is_edges| Sheets::new(convention, is_edges);
        let (vertices, edges) = (sheets(false), sheets(true));
        Self {
            maker: Maker::new(Rows::new(convention, edge_ids), VertexIds::default(), vertices.plan()),
            make,
            ids: VertexIds::default(),
            vertices,
            edges,
            losses: Losses::default(),
            pass: 0,
        }
    }

    /// The number of files.
    pub fn files(&self) -> usize {
        self.vertices.count() + self.edges.count()
    }

    /// The files of the pass.
    fn sheets(&mut self) -> &mut Sheets {
        if self.pass.is_multiple_of(2) { &mut self.vertices } else { &mut self.edges }
    }

    fn take(&mut self, stretch: CsvStretch) -> Result<(), FileError> {
        self.ids.add(stretch.ids);
        self.losses.add(stretch.losses);
        match stretch.content {
            Content::Shapes(shapes) => shapes.iter().try_for_each(|shape| self.sheets().learn(shape)),
            Content::Rows(files) => {
                files.into_iter().try_for_each(|(number, rows)| self.sheets().write(number, rows))
            }
        }
    }
}

impl GraphFileWriter for CsvWriter {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Vertices, Pass::Edges, Pass::Vertices, Pass::Edges]
    }

    fn begin(&mut self, pass: usize) -> Result<(), FileError> {
        if cfg!(not(feature = "parquet")) && self.maker.rows.convention == CsvConvention::Parquet {
            return Err(FileError::Unwritable(crate::foreign::PARQUET.to_string()));
        }
        let rest = self.maker.stretch();
        self.take(rest)?;
        self.pass = pass;
        let mut rows = self.maker.rows.another();
        if pass == FIRST_WRITTEN {
            rows.writes = true;
            let of_vertices = self.ids.scalar(rows.convention);
            self.vertices.open(of_vertices, true, &mut self.make)?;
            self.edges.open(of_vertices, rows.edge_ids, &mut self.make)?;
        }
        let ids = self.ids;
        self.maker = Maker::new(rows, ids, self.sheets().plan());
        Ok(())
    }

    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileError> {
        self.maker.vertex(vertex)?;
        self.hand_on()
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<(), FileError> {
        self.maker.edge(direction, edge)?;
        self.hand_on()
    }

    fn apart(&self) -> Option<Box<dyn StretchWriter>> {
        // Whether two ids are one text, only who sees all of them can tell.
        let sees_all = self.ids.are_mixed && self.maker.rows.writes;
        (!sees_all).then(|| Box::new(self.maker.another()) as Box<dyn StretchWriter>)
    }

    fn add(&mut self, stretch: Stretch) -> Result<(), FileError> {
        match stretch.0 {
            Made::Own(own) => own.downcast().map_or(Ok(()), |stretch| self.take(*stretch)),
            Made::Text(_) => Ok(()),
        }
    }

    fn losses(&self) -> Vec<String> {
        self.losses.told(self.maker.rows.convention)
    }

    fn finish(&mut self) -> Result<(), FileError> {
        let rest = self.maker.stretch();
        self.take(rest)?;
        self.vertices.finish()?;
        self.edges.finish()
    }
}

/// Bytes of rows that are written at once.
const FULL: usize = 256 << 10;

impl CsvWriter {
    /// Takes what was made, if it is enough.
    fn hand_on(&mut self) -> Result<(), FileError> {
        if self.maker.bytes() < FULL {
            return Ok(());
        }
        let made = self.maker.stretch();
        self.take(made)
    }
}
