//! Parts of the files, made apart: what shapes rows have, on the first walk, and the rows themselves, on the second.

use std::sync::Arc;

use rustc_hash::FxHashSet;
use values::{Direction, Edge, Value, Vertex};

use super::cells::{Row, Rows, Shape};
use super::losses::Losses;
use super::sheet::Plan;
use super::{CsvConvention, VertexIds};
use crate::csv::scalar::ScalarType;
use crate::exchange::{FileError, Made, Stretch, StretchWriter};

/// Shapes that are remembered.
const MOST_SEEN: usize = 1 << 12;

/// What was made.
pub(super) struct CsvStretch {
    pub(super) content: Content,
    /// Ids that were seen on the first walk.
    pub(super) ids: VertexIds,
    pub(super) losses: Losses,
}

/// Of the first walk, and of the second.
pub(super) enum Content {
    /// Shapes that this maker has not seen before, in the order in which it has seen them.
    Shapes(Vec<Shape>),
    /// Rows, by the numbers of their files.
    Rows(Vec<(usize, Part)>),
}

/// Some rows of a file.
pub(super) enum Part {
    /// Lines of CSV.
    Lines(String),
    /// Rows that a writer of Parquet makes columns of.
    Rows(Vec<Row>),
}

impl Part {
    fn is_empty(&self) -> bool {
        match self {
            Self::Lines(lines) => lines.is_empty(),
            Self::Rows(rows) => rows.is_empty(),
        }
    }

    /// Takes what there is.
    fn take(&mut self) -> Self {
        match self {
            Self::Lines(lines) => Self::Lines(std::mem::take(lines)),
            Self::Rows(rows) => Self::Rows(std::mem::take(rows)),
        }
    }
}

/// Makes rows of elements of one kind.
pub(super) struct Maker {
    pub(super) rows: Rows,
    /// As far as they are known before the pass.
    known: VertexIds,
    plan: Arc<Plan>,
    ids: VertexIds,
    losses: Losses,
    seen: FxHashSet<Shape>,
    shapes: Vec<Shape>,
    /// By the numbers of the files.
    parts: Vec<Part>,
    bytes: usize,
    /// Ids of vertices that were written, if two of different types may be one text.
    written: FxHashSet<String>,
}

impl Maker {
    pub(super) fn new(rows: Rows, known: VertexIds, plan: &Arc<Plan>) -> Self {
        // On the first walk the plan changes, and nobody else may have it.
        let plan = if rows.writes { Arc::clone(plan) } else { Arc::new((**plan).clone()) };
        let files = if rows.writes { plan.count() } else { 0 };
        let part = || match rows.convention {
            CsvConvention::Parquet => Part::Rows(Vec::new()),
            CsvConvention::Neo4j | CsvConvention::Neptune => Part::Lines(String::new()),
        };
        Self {
            parts: (0..files).map(|_| part()).collect(),
            rows,
            known,
            plan,
            ids: VertexIds::default(),
            losses: Losses::default(),
            seen: FxHashSet::default(),
            shapes: Vec::new(),
            bytes: 0,
            written: FxHashSet::default(),
        }
    }

    /// The same for somebody else.
    pub(super) fn another(&self) -> Self {
        Self::new(self.rows.another(), self.known, &self.plan)
    }

    /// What was made; the next begins.
    pub(super) fn stretch(&mut self) -> CsvStretch {
        self.bytes = 0;
        let content = match self.rows.writes {
            false => Content::Shapes(std::mem::take(&mut self.shapes)),
            true => {
                let parts = self.parts.iter_mut().enumerate().filter(|(_, part)| !part.is_empty());
                Content::Rows(parts.map(|(number, part)| (number, part.take())).collect())
            }
        };
        CsvStretch { content, ids: std::mem::take(&mut self.ids), losses: std::mem::take(&mut self.losses) }
    }

    fn row(&mut self, row: Row) -> Result<(), FileError> {
        if self.rows.writes {
            self.bytes += self.plan.append(row, &mut self.parts)?;
            return Ok(());
        }
        let shape = row.shape();
        if !self.seen.contains(&shape) {
            if self.seen.len() >= MOST_SEEN {
                // To learn of one again changes nothing.
                self.seen.clear();
            }
            self.bytes += (shape.cells.len() + 1) * size_of::<Shape>();
            self.seen.insert(shape.clone());
            self.shapes.push(shape);
        }
        Ok(())
    }

    /// The text of the id of a vertex, of one that is written now if it is `new`. On the first walk nobody reads it, and it is none.
    fn vertex_id(&mut self, id: &Value, new: bool) -> Result<String, FileError> {
        if id.as_str() == Some("") {
            let problem = "the id of a vertex is an empty text, which a field cannot tell from none";
            return Err(FileError::Unwritable(problem.into()));
        }
        if !self.rows.writes {
            return Ok(String::new());
        }
        let text = id.to_string();
        if new {
            if id.as_str().is_none() && self.known.scalar(self.rows.convention) == ScalarType::String {
                self.losses.id_as_text();
            }
            if self.known.are_mixed && !self.written.insert(text.clone()) {
                let problem =
                    format!("two vertices have ids that are the text {text:?}, which would be one here");
                return Err(FileError::Unwritable(problem));
            }
        }
        Ok(text)
    }
}

impl StretchWriter for Maker {
    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileError> {
        if !self.rows.writes {
            self.ids.learn(&vertex.id);
        }
        let id = self.vertex_id(&vertex.id, true)?;
        let losses = &mut self.losses.in_pass(self.rows.writes);
        let row = self.rows.vertex(vertex, id, losses)?;
        self.row(row)
    }

    fn edge(&mut self, _: Direction, edge: &Edge) -> Result<(), FileError> {
        let ends = [self.vertex_id(&edge.out_v.id, false)?, self.vertex_id(&edge.in_v.id, false)?];
        let losses = &mut self.losses.in_pass(self.rows.writes);
        let row = self.rows.edge(edge, ends, losses);
        self.row(row)
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn take(&mut self) -> Stretch {
        Stretch(Made::Own(Box::new(self.stretch())))
    }
}
