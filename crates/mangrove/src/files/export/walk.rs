//! A walk over a graph, or a part of it, on which a writer is told of all that is there.
//!
//! ```text
//! chunks of vertices   0  1  2  3  4 …
//! thread A             0     2     4   ─ stretches ─▶ channel A ─┐
//! thread B                1     3      ─ stretches ─▶ channel B ─┴─▶ the writer takes 0, 1, 2, 3, 4 …     (the calling thread)
//! ```
//!
//! A writer that can take stretches which were made apart is told on as many threads as there are cores; any other one on this.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use dataflow::detach::{Detail, detach};
use formats::{FileError, GraphFileWriter, Pass, Stretch, StretchWriter};
use graph::{Dir, GraphError, Reader, Run, ScanCursor, Snapshot};
use values::{Direction, Edge, Property, Value, Vertex, VertexRef};

use super::part::Part;

/// Vertices that are found at once, and looked at with one reader.
const AT_ONCE: usize = 256;
/// Bytes of a stretch that are handed on, also in the midst of a chunk: a vertex may have millions of edges.
const FULL: usize = 1 << 20;
/// Stretches that a thread may be ahead.
const AHEAD: usize = 2;
/// Most threads.
const THREADS: usize = 16;

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

/// Vertices and edges.
type Counts = (u64, u64);

/// How a walk goes.
#[derive(Clone, Copy)]
pub(super) struct Manner<'a> {
    /// Whether it may take as many threads as there are cores.
    pub(super) on_all_cores: bool,
    /// Asked now and then whether it is to go on, and told to how many elements it has come.
    pub(super) go_on: &'a dyn Fn(u64) -> bool,
}

impl Manner<'_> {
    fn check(&self, counts: Counts) -> Result<(), WalkError> {
        if (self.go_on)(counts.0 + counts.1) { Ok(()) } else { Err(WalkError::Stopped) }
    }
}

/// Tells a writer, pass by pass, of all vertices and edges, or of those of a part; how many there are.
pub(super) fn walk(
    snapshot: &Snapshot,
    part: Option<&Part>,
    writer: &mut dyn GraphFileWriter,
    manner: Manner<'_>,
) -> Result<Counts, WalkError> {
    let mut counts = (0, 0);
    for (number, &pass) in writer.passes().iter().enumerate() {
        writer.begin(number)?;
        let over = Over { pass, part, snapshot };
        let found = over.all(writer, manner)?;
        match pass {
            Pass::Vertices => counts.0 = found.0,
            Pass::Edges => counts.1 = found.1,
            Pass::Stars => counts = found,
        }
    }
    writer.finish()?;
    Ok(counts)
}

/// Who is told.
enum Told<'a> {
    File(&'a mut dyn GraphFileWriter),
    Stretch(&'a mut dyn StretchWriter),
}

impl Told<'_> {
    fn vertex(&mut self, vertex: &Vertex) -> Result<(), FileError> {
        match self {
            Self::File(writer) => writer.vertex(vertex),
            Self::Stretch(writer) => writer.vertex(vertex),
        }
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<(), FileError> {
        match self {
            Self::File(writer) => writer.edge(direction, edge),
            Self::Stretch(writer) => writer.edge(direction, edge),
        }
    }

    fn end_vertex(&mut self) -> Result<(), FileError> {
        match self {
            Self::File(writer) => writer.end_vertex(),
            Self::Stretch(writer) => writer.end_vertex(),
        }
    }
}

/// What a thread sends: a stretch and, at the end of a chunk, what was in that.
type Sent = Result<(Stretch, Option<Counts>), WalkError>;

/// A pass over all vertices, or those of a part.
#[derive(Clone, Copy)]
struct Over<'a> {
    pass: Pass,
    part: Option<&'a Part>,
    snapshot: &'a Snapshot,
}

impl<'a> Over<'a> {
    /// Tells the writer of all; how many there were.
    fn all(self, writer: &mut dyn GraphFileWriter, manner: Manner<'_>) -> Result<Counts, WalkError> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(THREADS);
        let apart =
            manner.on_all_cores.then(|| (0..threads).map(|_| writer.apart()).collect::<Option<Vec<_>>>());
        if let Some(apart) = apart.flatten() {
            return self.all_apart(apart, writer, manner);
        }
        let mut counts = (0, 0);
        for vertices in self.chunks() {
            let reader = self.snapshot.reader();
            let mut chunk =
                Chunk { over: self, reader: &reader, told: Told::File(&mut *writer), counts: (0, 0) };
            chunk.vertices(vertices, &mut |_| Ok(()))?;
            counts = (counts.0 + chunk.counts.0, counts.1 + chunk.counts.1);
            manner.check(counts)?;
        }
        Ok(counts)
    }

    /// The same on several threads.
    fn all_apart(
        self,
        apart: Vec<Box<dyn StretchWriter>>,
        writer: &mut dyn GraphFileWriter,
        manner: Manner<'_>,
    ) -> Result<Counts, WalkError> {
        let threads = apart.len();
        std::thread::scope(|scope| {
            let channels: Vec<Receiver<Sent>> = apart
                .into_iter()
                .enumerate()
                .map(|(number, mut own)| {
                    let (sender, receiver) = sync_channel(AHEAD);
                    scope.spawn(move || {
                        for vertices in self.chunks().skip(number).step_by(threads) {
                            let made = self.stretches(vertices, &mut *own, &sender);
                            let failed = made.is_err();
                            // Nobody receives it if the writer has failed.
                            if sender.send(made.map(|counts| (own.take(), Some(counts)))).is_err() || failed {
                                break;
                            }
                        }
                    });
                    receiver
                })
                .collect();
            let mut counts = (0, 0);
            let mut chunk = 0;
            // A thread has no more chunks when there is none of that number. One that panicked makes the scope panic.
            while let Ok(sent) = channels[chunk % threads].recv() {
                let (stretch, end) = sent?;
                writer.add(stretch)?;
                if let Some((vertices, edges)) = end {
                    counts = (counts.0 + vertices, counts.1 + edges);
                    manner.check(counts)?;
                    chunk += 1;
                }
            }
            Ok(counts)
        })
    }

    /// Makes stretches of a chunk, and sends them as they are full; what is left at its end stays.
    fn stretches(
        self,
        vertices: Vec<VertexRef>,
        own: &mut dyn StretchWriter,
        sender: &SyncSender<Sent>,
    ) -> Result<Counts, WalkError> {
        // A reader keeps what it has read in memory.
        let reader = self.snapshot.reader();
        let mut chunk = Chunk { over: self, reader: &reader, told: Told::Stretch(own), counts: (0, 0) };
        chunk.vertices(vertices, &mut |told| {
            if let Told::Stretch(own) = told
                && own.bytes() >= FULL
            {
                // That nobody receives it is noticed at the end of the chunk.
                let _ = sender.send(Ok((own.take(), None)));
            }
            Ok(())
        })?;
        Ok(chunk.counts)
    }

    /// The vertices, some at a time; the same each time.
    fn chunks(self) -> Box<dyn Iterator<Item = Vec<VertexRef>> + 'a> {
        match self.part {
            Some(part) => Box::new(part.vertices().chunks(AT_ONCE).map(<[_]>::to_vec)),
            None => Box::new(all_vertices(self.snapshot)),
        }
    }
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

/// Some vertices of a pass.
struct Chunk<'a, 'r> {
    over: Over<'a>,
    reader: &'r Reader<'a>,
    told: Told<'a>,
    counts: Counts,
}

/// Asked after each element.
type After<'f> = &'f mut dyn FnMut(&mut Told<'_>) -> Result<(), WalkError>;

impl Chunk<'_, '_> {
    fn vertices(&mut self, vertices: Vec<VertexRef>, after: After<'_>) -> Result<(), WalkError> {
        for v in vertices {
            self.vertex(v, after)?;
        }
        // What could not be read must not be written.
        Ok(self.reader.check()?)
    }

    fn vertex(&mut self, v: VertexRef, after: After<'_>) -> Result<(), WalkError> {
        let pass = self.over.pass;
        if pass != Pass::Edges
            && let Value::Vertex(vertex) = detach(&Value::VertexRef(v), self.reader, Detail::Properties)
        {
            self.reader.check()?;
            self.counts.0 += 1;
            self.told.vertex(&vertex)?;
        }
        if pass == Pass::Stars {
            self.edges(v, Direction::In, after)?;
        }
        if pass != Pass::Vertices {
            self.edges(v, Direction::Out, after)?;
        }
        if pass == Pass::Stars {
            self.told.end_vertex()?;
        }
        after(&mut self.told)
    }

    fn edges(&mut self, v: VertexRef, direction: Direction, after: After<'_>) -> Result<(), WalkError> {
        let dir = if direction == Direction::In { Dir::In } else { Dir::Out };
        let reader = self.reader;
        let mut own = None;
        let mut written = Ok(());
        reader.for_each_label(v, dir, |label, list| {
            let mut runs = list.runs();
            while written.is_ok()
                && let Some(run) = runs.next()
            {
                let own = own.get_or_insert_with(|| reference(reader, v));
                let label = reader.snapshot().catalog().edge_label_name(label);
                let edge = Edge {
                    id: Value::Null,
                    label: label.clone(),
                    out_v: own.clone(),
                    in_v: own.clone(),
                    properties: Vec::new(),
                };
                written = self.run(&run, edge, direction, after);
            }
        });
        written
    }

    /// Tells of the edges of a run, in each of which is filled in what it has of its own.
    fn run(
        &mut self,
        run: &Run<'_>,
        mut edge: Edge,
        direction: Direction,
        after: After<'_>,
    ) -> Result<(), WalkError> {
        let reader = self.reader;
        let catalog = reader.snapshot().catalog();
        for i in 0..run.neighbours().len() {
            if self.over.part.is_some_and(|part| !part.has_edge(run.edge(i))) {
                continue;
            }
            edge.id = run.edge_id(i);
            let other = reference(reader, run.neighbour(i));
            *(if direction == Direction::In { &mut edge.out_v } else { &mut edge.in_v }) = other;
            edge.properties.clear();
            run.each_value(i, |key, value| {
                let (key, value) = (catalog.key_name(key).clone(), value.to_value());
                edge.properties.push(Property { key, value, owner: None });
            });
            reader.check()?;
            self.counts.1 += u64::from(direction == Direction::Out);
            self.told.edge(direction, &edge)?;
            after(&mut self.told)?;
        }
        Ok(())
    }
}

/// Id and label of a vertex.
fn reference(reader: &Reader<'_>, v: VertexRef) -> Vertex {
    let label = reader.snapshot().catalog().vertex_label_name(reader.label(v)).clone();
    Vertex::reference(reader.id(v), label)
}
