//! A walk over a graph, or a part of it, on which a writer is told of all that is there.

use dataflow::detach::{Detail, detach};
use formats::{FileError, GraphFileWriter, Pass};
use graph::{Dir, GraphError, Reader, ScanCursor, Snapshot};
use values::{Direction, EdgeRef, Value, VertexRef};

use super::part::Part;

/// Vertices that are found at once, and looked at with one reader.
const AT_ONCE: usize = 256;

/// Why it has ended too early.
pub(super) enum WalkError {
    /// The graph cannot be read.
    Graph(GraphError),
    /// The file cannot be written.
    File(FileError),
    /// It was not to go on.
    Stopped,
}

impl From<GraphError> for WalkError {
    fn from(error: GraphError) -> Self {
        Self::Graph(error)
    }
}

impl From<FileError> for WalkError {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// Tells a writer, pass by pass, of all vertices and edges, or of those of a part; how many there are. `go_on` is asked now and then
/// whether it is to go on, and told how many it has come to.
pub(super) fn walk(
    snapshot: &Snapshot,
    part: Option<&Part>,
    writer: &mut dyn GraphFileWriter,
    go_on: &dyn Fn(u64) -> bool,
) -> Result<(u64, u64), WalkError> {
    let mut counts = (0, 0);
    for (number, pass) in writer.passes().iter().enumerate() {
        writer.begin(number)?;
        match pass {
            Pass::Vertices => counts.0 = 0,
            Pass::Edges => counts.1 = 0,
            Pass::Stars => counts = (0, 0),
        }
        let mut pass = PassOver { pass: *pass, part, writer, counts: &mut counts, go_on };
        match part {
            Some(part) => pass.over(snapshot, part.vertices().chunks(AT_ONCE).map(<[_]>::to_vec))?,
            None => pass.over(snapshot, all_vertices(snapshot))?,
        }
    }
    writer.finish()?;
    Ok(counts)
}

/// All vertices, some at a time.
fn all_vertices(snapshot: &Snapshot) -> impl Iterator<Item = Vec<VertexRef>> {
    let (mut cursor, mut is_more) = (ScanCursor::default(), true);
    std::iter::from_fn(move || {
        let mut found = Vec::new();
        while found.is_empty() && is_more {
            is_more = snapshot.reader().scan_vertices(None, &mut cursor, AT_ONCE, &mut found);
        }
        (!found.is_empty()).then_some(found)
    })
}

/// One pass.
struct PassOver<'a> {
    pass: Pass,
    part: Option<&'a Part>,
    writer: &'a mut dyn GraphFileWriter,
    /// Vertices and edges.
    counts: &'a mut (u64, u64),
    go_on: &'a dyn Fn(u64) -> bool,
}

impl PassOver<'_> {
    fn over(
        &mut self,
        snapshot: &Snapshot,
        vertices: impl Iterator<Item = Vec<VertexRef>>,
    ) -> Result<(), WalkError> {
        for some in vertices {
            // A reader keeps what it has read in memory.
            let reader = snapshot.reader();
            for v in some {
                self.vertex(&reader, v)?;
            }
            reader.check()?;
            if !(self.go_on)(self.counts.0 + self.counts.1) {
                return Err(WalkError::Stopped);
            }
        }
        Ok(())
    }

    fn vertex(&mut self, reader: &Reader<'_>, v: VertexRef) -> Result<(), WalkError> {
        if self.pass != Pass::Edges
            && let Value::Vertex(vertex) = detach(&Value::VertexRef(v), reader, Detail::Properties)
        {
            // What could not be read must not be written.
            reader.check()?;
            self.counts.0 += 1;
            self.writer.vertex(&vertex)?;
        }
        if self.pass == Pass::Stars {
            self.edges(reader, v, Direction::In)?;
        }
        if self.pass != Pass::Vertices {
            self.edges(reader, v, Direction::Out)?;
        }
        if self.pass == Pass::Stars {
            self.writer.end_vertex()?;
        }
        Ok(())
    }

    fn edges(&mut self, reader: &Reader<'_>, v: VertexRef, direction: Direction) -> Result<(), WalkError> {
        let dir = if direction == Direction::In { Dir::In } else { Dir::Out };
        let mut written = Ok(());
        reader.for_each_label(v, dir, |_, list| {
            for e in list.edges() {
                if written.is_ok() && self.part.is_none_or(|part| part.has_edge(e)) {
                    written = self.edge(reader, e, direction);
                }
            }
        });
        written
    }

    fn edge(&mut self, reader: &Reader<'_>, e: EdgeRef, direction: Direction) -> Result<(), WalkError> {
        if let Value::Edge(edge) = detach(&Value::EdgeRef(e), reader, Detail::Properties) {
            reader.check()?;
            self.counts.1 += u64::from(direction == Direction::Out);
            self.writer.edge(direction, &edge)?;
        }
        Ok(())
    }
}
