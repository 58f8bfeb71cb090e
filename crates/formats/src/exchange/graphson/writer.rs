//! Writing GraphSON 3: a vertex on each line, edges before properties, as TinkerPop has them.

use std::io::Write;

use indexmap::IndexMap;
use values::{Direction, Edge, Property, Str, Value, Vertex, VertexProperty};

use super::super::error::{FileError, Result};
use super::super::{GraphFileWriter, Made, Pass, Stretch, StretchWriter};
use super::value::write_value;

/// Bytes that are written at once.
const FULL: usize = 64 << 10;

/// See the module.
pub(in super::super) struct Writer {
    into: Box<dyn Write + Send>,
    text: Text,
}

impl Writer {
    pub(in super::super) fn new(into: Box<dyn Write + Send>) -> Self {
        Self { into, text: Text::default() }
    }

    fn write_some(&mut self) -> Result<()> {
        if self.text.bytes.len() >= FULL {
            self.into.write_all(&self.text.bytes)?;
            self.text.bytes.clear();
        }
        Ok(())
    }
}

impl GraphFileWriter for Writer {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Stars]
    }

    fn begin(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn vertex(&mut self, vertex: &Vertex) -> Result<()> {
        self.text.vertex(vertex)
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<()> {
        self.text.edge(direction, edge)?;
        self.write_some()
    }

    fn end_vertex(&mut self) -> Result<()> {
        self.text.end_vertex()?;
        self.write_some()
    }

    fn apart(&self) -> Option<Box<dyn StretchWriter>> {
        Some(Box::new(Text::default()))
    }

    fn add(&mut self, stretch: Stretch) -> Result<()> {
        match stretch.0 {
            Made::Text(bytes) => Ok(self.into.write_all(&bytes)?),
            Made::Own(_) => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<()> {
        self.into.write_all(&self.text.bytes)?;
        self.text.bytes.clear();
        Ok(self.into.flush()?)
    }
}

/// Vertices as lines.
#[derive(Default)]
struct Text {
    bytes: Vec<u8>,
    /// What comes behind the edges of the vertex.
    properties: Vec<VertexProperty>,
    /// The direction and the label of the edges that are being written.
    open: Option<(Direction, Str)>,
}

impl Text {
    fn raw(&mut self, text: &str) {
        self.bytes.extend_from_slice(text.as_bytes());
    }

    fn text(&mut self, text: &str) -> Result<()> {
        serde_json::to_writer(&mut self.bytes, text).map_err(|error| FileError::Io(error.into()))
    }

    fn value(&mut self, value: &Value, of: &dyn Fn() -> String) -> Result<()> {
        write_value(value, &mut self.bytes).map_err(|what| {
            FileError::Unwritable(format!("{} is a {what}, for which GraphSON has no type", of()))
        })
    }

    /// Goes to the edges of this direction and label.
    fn open(&mut self, direction: Direction, label: &Str) -> Result<()> {
        match &self.open {
            Some((open, of)) if *open == direction && of == label => {
                self.raw(",");
                return Ok(());
            }
            Some((open, _)) if *open == direction => self.raw("],"),
            open => {
                if open.is_some() {
                    self.raw("]}");
                }
                self.raw(if direction == Direction::In { ",\"inE\":{" } else { ",\"outE\":{" });
            }
        }
        self.open = Some((direction, label.clone()));
        self.text(label)?;
        self.raw(":[");
        Ok(())
    }

    fn plain_properties(&mut self, properties: &[Property]) -> Result<()> {
        if properties.is_empty() {
            return Ok(());
        }
        self.raw(",\"properties\":{");
        for (number, property) in properties.iter().enumerate() {
            if number > 0 {
                self.raw(",");
            }
            self.text(&property.key)?;
            self.raw(":");
            self.value(&property.value, &|| format!("a property `{}`", property.key))?;
        }
        self.raw("}");
        Ok(())
    }

    fn vertex_properties(&mut self, properties: Vec<VertexProperty>) -> Result<()> {
        if properties.is_empty() {
            return Ok(());
        }
        // Values under one key are together.
        let mut by_key: IndexMap<Str, Vec<VertexProperty>> = IndexMap::new();
        properties.into_iter().for_each(|it| by_key.entry(it.key.clone()).or_default().push(it));
        for (at, (key, values)) in by_key.iter().enumerate() {
            self.raw(if at == 0 { ",\"properties\":{" } else { "]," });
            self.text(key)?;
            self.raw(":[");
            for (number, property) in values.iter().enumerate() {
                self.raw(if number > 0 { ",{\"id\":" } else { "{\"id\":" });
                self.value(&property.id, &|| format!("the id of a property `{key}`"))?;
                self.raw(",\"value\":");
                self.value(&property.value, &|| format!("a property `{key}`"))?;
                self.plain_properties(&property.properties)?;
                self.raw("}");
            }
        }
        self.raw("]}");
        Ok(())
    }
}

impl StretchWriter for Text {
    fn vertex(&mut self, vertex: &Vertex) -> Result<()> {
        self.raw("{\"id\":");
        self.value(&vertex.id, &|| "the id of a vertex".into())?;
        self.raw(",\"label\":");
        self.text(&vertex.label)?;
        self.properties.clone_from(&vertex.properties);
        Ok(())
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<()> {
        self.open(direction, &edge.label)?;
        self.raw("{\"id\":");
        self.value(&edge.id, &|| "the id of an edge".into())?;
        let (key, end) = match direction {
            Direction::In => (",\"outV\":", &edge.out_v),
            _ => (",\"inV\":", &edge.in_v),
        };
        self.raw(key);
        self.value(&end.id, &|| "the id of a vertex".into())?;
        self.plain_properties(&edge.properties)?;
        self.raw("}");
        Ok(())
    }

    fn end_vertex(&mut self) -> Result<()> {
        if self.open.take().is_some() {
            self.raw("]}");
        }
        let properties = std::mem::take(&mut self.properties);
        self.vertex_properties(properties)?;
        self.raw("}\n");
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.bytes.len()
    }

    fn take(&mut self) -> Stretch {
        Stretch(Made::Text(std::mem::take(&mut self.bytes)))
    }
}
