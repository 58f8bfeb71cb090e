//! Writing Gryo 3.

use std::io::Write;

use values::{Direction, Edge, Property, Str, Value, Vertex};

use super::super::apart::Apart;
use super::super::error::{FileError, Result};
use super::super::room::Holdings;
use super::super::{GraphFileWriter, Made, Pass, Stretch, StretchWriter};
use super::output::Output;
use super::{HEADER, STAR_GRAPH, TERMINATOR};

/// See the module. What the format has in front of a vertex' edges is known behind them: a vertex waits for its end.
pub(in super::super) struct Writer {
    into: Box<dyn Write + Send>,
    held: Holdings,
    vertex: Vertex,
    /// Properties of edges: how many edges have some, and their maps.
    of_edges: (usize, Output),
    entering: Edges,
    leaving: Edges,
}

/// Edges of one direction.
#[derive(Default)]
struct Edges {
    labels: usize,
    done: Output,
    /// The label that is written: itself, how many edges, and these.
    open: Option<(Str, usize, Output)>,
}

impl Edges {
    fn of_label(&mut self, label: &Str) -> &mut Output {
        if self.open.as_ref().is_none_or(|(open, ..)| open != label) {
            self.close();
            self.labels += 1;
        }
        let (_, count, edges) = self.open.get_or_insert_with(|| (label.clone(), 0, Output::default()));
        *count += 1;
        edges
    }

    fn close(&mut self) {
        if let Some((label, count, edges)) = self.open.take() {
            self.done.text_object(&label);
            self.done.counted(count);
            self.done.0.extend_from_slice(&edges.0);
        }
    }

    /// All of them.
    fn write(&mut self, output: &mut Output) {
        self.close();
        output.byte(u8::from(self.labels > 0));
        if self.labels > 0 {
            output.counted(self.labels);
            output.0.append(&mut self.done.0);
        }
        *self = Self::default();
    }
}

fn unwritable(of: &str, what: &str) -> FileError {
    FileError::Unwritable(format!("{of} is a {what}, for which Gryo has no class here"))
}

impl Writer {
    pub(in super::super) fn new(into: Box<dyn Write + Send>, held: Holdings) -> Self {
        Self {
            into,
            held,
            vertex: Vertex::reference(Value::Null, ""),
            of_edges: Default::default(),
            entering: Edges::default(),
            leaving: Edges::default(),
        }
    }

    fn star(&mut self) -> Result<Output> {
        let vertex = std::mem::replace(&mut self.vertex, Vertex::reference(Value::Null, ""));
        let mut output = Output::default();
        output.0.extend_from_slice(&HEADER);
        output.0.extend_from_slice(&[1, STAR_GRAPH]);
        let (count, mut of_edges) = std::mem::take(&mut self.of_edges);
        output.byte(u8::from(count > 0));
        if count > 0 {
            output.variable(count as u64);
            output.0.append(&mut of_edges.0);
        }
        self.meta_properties(&vertex, &mut output)?;
        output.value(&vertex.id).map_err(|what| unwritable("the id of a vertex", what))?;
        output.text_object(&vertex.label);
        self.entering.write(&mut output);
        self.leaving.write(&mut output);
        self.properties(&vertex, &mut output)?;
        output.0.extend_from_slice(&TERMINATOR);
        Ok(output)
    }

    fn meta_properties(&self, vertex: &Vertex, output: &mut Output) -> Result<()> {
        let with_some = || vertex.properties.iter().filter(|property| !property.properties.is_empty());
        let count = with_some().count();
        output.byte(u8::from(count > 0));
        if count > 0 {
            output.variable(count as u64);
            for property in with_some() {
                output.value(&property.id).map_err(|what| unwritable("the id of a property", what))?;
                map_of(&property.properties, output)?;
            }
        }
        Ok(())
    }

    fn properties(&self, vertex: &Vertex, output: &mut Output) -> Result<()> {
        let mut by_key: indexmap::IndexMap<&Str, Vec<_>> = indexmap::IndexMap::new();
        vertex.properties.iter().for_each(|it| by_key.entry(&it.key).or_default().push(it));
        output.byte(u8::from(!by_key.is_empty()));
        if by_key.is_empty() {
            return Ok(());
        }
        output.counted(by_key.len());
        for (key, values) in by_key {
            output.text_object(key);
            output.counted(values.len());
            for property in values {
                output.value(&property.id).map_err(|what| unwritable("the id of a property", what))?;
                output
                    .value(&property.value)
                    .map_err(|what| unwritable(&format!("a property `{key}`"), what))?;
            }
        }
        Ok(())
    }
}

fn map_of(properties: &[Property], output: &mut Output) -> Result<()> {
    output.properties(properties).map_err(|(key, what)| unwritable(&format!("a property `{key}`"), what))
}

impl GraphFileWriter for Writer {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Stars]
    }

    fn begin(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn vertex(&mut self, vertex: &Vertex) -> Result<()> {
        self.vertex = vertex.clone();
        Ok(())
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<()> {
        let (edges, end) = match direction {
            Direction::In => (&mut self.entering, &edge.out_v),
            _ => (&mut self.leaving, &edge.in_v),
        };
        let output = edges.of_label(&edge.label);
        let before = output.0.len();
        output.value(&edge.id).map_err(|what| unwritable("the id of an edge", what))?;
        output.value(&end.id).map_err(|what| unwritable("the id of a vertex", what))?;
        let mut more = output.0.len() - before;
        // An edge to where it comes from is met twice; its properties are there once.
        let is_new = direction == Direction::In || edge.out_v.id != edge.in_v.id;
        if is_new && !edge.properties.is_empty() {
            let (count, maps) = &mut self.of_edges;
            let before = maps.0.len();
            *count += 1;
            maps.value(&edge.id).map_err(|what| unwritable("the id of an edge", what))?;
            map_of(&edge.properties, maps)?;
            more += maps.0.len() - before;
        }
        // It is copied once when the vertex is put together.
        if self.held.add(2 * more) {
            return Ok(());
        }
        let id = &self.vertex.id;
        Err(FileError::Unwritable(format!(
            "there is no room in memory for the edges of the vertex {id}, which Gryo wants at once"
        )))
    }

    fn end_vertex(&mut self) -> Result<()> {
        let star = self.star()?;
        self.into.write_all(&star.0)?;
        self.held.clear();
        Ok(())
    }

    fn apart(&self) -> Option<Box<dyn StretchWriter>> {
        Some(Apart::boxed(|into| Self::new(into, self.held.another())))
    }

    fn add(&mut self, stretch: Stretch) -> Result<()> {
        match stretch.0 {
            Made::Text(bytes) => Ok(self.into.write_all(&bytes)?),
            Made::Own(_) => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        Ok(self.into.flush()?)
    }
}
