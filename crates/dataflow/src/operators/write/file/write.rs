//! The graph becomes a file.

use graph::{Dir, ReadUnit, ScanCursor};
use values::{Direction, EdgeRef, Value, VertexRef, watch};

use super::failed;
use crate::detach::{Detacher, Detail};
use crate::error::QueryError;
use crate::files::{FilePass, FileProblem, FileWriter};
use crate::operator::Context;
use crate::operators::view::{Graph, View};
use crate::operators::write::TICKS;

/// Vertices or edges that are found at once.
const AT_ONCE: usize = 256;

/// A graph on its way into a file.
pub(super) struct Writing {
    file: Box<dyn FileWriter>,
    passes: Vec<FilePass>,
    /// The pass, and whether it has begun.
    pass: usize,
    has_begun: bool,
    cursor: ScanCursor,
    /// Whether there may be more behind the cursor.
    is_more: bool,
    /// What was found, last first.
    vertices: Vec<VertexRef>,
    edges: Vec<EdgeRef>,
}

impl Writing {
    pub(super) fn new(file: Box<dyn FileWriter>) -> Self {
        let passes = file.passes();
        Self {
            file,
            passes,
            pass: 0,
            has_begun: false,
            cursor: ScanCursor::default(),
            is_more: true,
            vertices: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Goes on for a turn; whether all has been written.
    pub(super) fn go_on(&mut self, cx: &Context<'_>) -> Result<bool, QueryError> {
        let view = View::of(cx);
        let graph = view.graph();
        while let Some(&pass) = self.passes.get(self.pass) {
            if !std::mem::replace(&mut self.has_begun, true) {
                graph.note(|| ReadUnit::AllVertices);
                graph.note(|| ReadUnit::AllEdges);
                self.file.begin(self.pass).map_err(|error| failed(cx, error))?;
            }
            if !self.element(pass, &graph).map_err(|error| failed(cx, error))? {
                (self.pass, self.has_begun) = (self.pass + 1, false);
                (self.cursor, self.is_more) = (ScanCursor::default(), true);
            }
            graph.reader.check()?;
            if cx.quota.is_spent() {
                return Ok(false);
            }
        }
        self.file.finish().map_err(|error| failed(cx, error))?;
        Ok(true)
    }

    /// Writes the next element of a pass; whether there was one, or may be.
    fn element(&mut self, pass: FilePass, graph: &Graph<'_>) -> Result<bool, FileProblem> {
        watch::ticks(TICKS);
        let detacher = &mut Detacher::new(&graph.reader, Detail::Properties, u64::MAX);
        if pass == FilePass::Edges {
            if self.edges.is_empty() && self.is_more {
                self.is_more = graph.reader.scan_edges(None, &mut self.cursor, AT_ONCE, &mut self.edges);
                self.edges.reverse();
            }
            let Some(e) = self.edges.pop() else { return Ok(self.is_more) };
            self.edge(Direction::Out, e, graph, detacher)?;
            return Ok(true);
        }
        if self.vertices.is_empty() && self.is_more {
            self.is_more = graph.reader.scan_vertices(None, &mut self.cursor, AT_ONCE, &mut self.vertices);
            self.vertices.reverse();
        }
        let Some(v) = self.vertices.pop() else { return Ok(self.is_more) };
        graph.note(|| ReadUnit::VertexRecord(v));
        if let (Value::Vertex(vertex), _) = detacher.owned(Value::VertexRef(v)) {
            self.file.vertex(&vertex)?;
        }
        if pass == FilePass::Stars {
            self.edges_of(v, Direction::In, graph, detacher)?;
            self.edges_of(v, Direction::Out, graph, detacher)?;
            self.file.end_vertex()?;
        }
        Ok(true)
    }

    fn edges_of(
        &mut self,
        v: VertexRef,
        direction: Direction,
        graph: &Graph<'_>,
        detacher: &mut Detacher<'_>,
    ) -> Result<(), FileProblem> {
        let dir = if direction == Direction::In { Dir::In } else { Dir::Out };
        let mut written = Ok(());
        graph.reader.for_each_label(v, dir, |_, list| {
            for e in list.edges() {
                if written.is_ok() {
                    watch::ticks(TICKS);
                    written = self.edge(direction, e, graph, detacher);
                }
            }
        });
        written
    }

    fn edge(
        &mut self,
        direction: Direction,
        e: EdgeRef,
        graph: &Graph<'_>,
        detacher: &mut Detacher<'_>,
    ) -> Result<(), FileProblem> {
        graph.note(|| ReadUnit::Edge(e));
        match detacher.owned(Value::EdgeRef(e)) {
            (Value::Edge(edge), _) => self.file.edge(direction, &edge),
            _ => Ok(()),
        }
    }
}
