//! Writing GraphSON 3: a vertex on each line, edges before properties, as TinkerPop has them.

use std::io::Write;

use indexmap::IndexMap;
use serde_json::Value as Json;
use values::{Direction, Edge, Property, Str, Value, Vertex, VertexProperty};

use super::super::error::{FileError, Result};
use super::super::{GraphFileWriter, Pass};
use super::value::json_of;

/// See the module.
pub(in super::super) struct Writer {
    into: Box<dyn Write + Send>,
    /// What comes behind the edges of the vertex.
    properties: Vec<VertexProperty>,
    /// The direction and the label of the edges that are being written.
    open: Option<(Direction, Str)>,
}

impl Writer {
    pub(in super::super) fn new(into: Box<dyn Write + Send>) -> Self {
        Self { into, properties: Vec::new(), open: None }
    }

    fn raw(&mut self, text: &str) -> Result<()> {
        Ok(self.into.write_all(text.as_bytes())?)
    }

    fn text(&mut self, text: &str) -> Result<()> {
        serde_json::to_writer(&mut self.into, text).map_err(|error| FileError::Io(error.into()))
    }

    fn value(&mut self, value: &Value, of: &dyn Fn() -> String) -> Result<()> {
        let json: Json = json_of(value).map_err(|what| {
            FileError::Unwritable(format!("{} is a {what}, for which GraphSON has no type", of()))
        })?;
        serde_json::to_writer(&mut self.into, &json).map_err(|error| FileError::Io(error.into()))
    }

    /// Goes to the edges of this direction and label.
    fn open(&mut self, direction: Direction, label: &Str) -> Result<()> {
        match &self.open {
            Some((open, of)) if *open == direction && of == label => return self.raw(","),
            Some((open, _)) if *open == direction => self.raw("],")?,
            open => {
                let close = open.is_some();
                if close {
                    self.raw("]}")?;
                }
                self.raw(if direction == Direction::In { ",\"inE\":{" } else { ",\"outE\":{" })?;
            }
        }
        self.open = Some((direction, label.clone()));
        self.text(label)?;
        self.raw(":[")
    }

    fn plain_properties(&mut self, properties: &[Property]) -> Result<()> {
        if properties.is_empty() {
            return Ok(());
        }
        self.raw(",\"properties\":{")?;
        for (number, property) in properties.iter().enumerate() {
            if number > 0 {
                self.raw(",")?;
            }
            self.text(&property.key)?;
            self.raw(":")?;
            self.value(&property.value, &|| format!("a property `{}`", property.key))?;
        }
        self.raw("}")
    }

    fn vertex_properties(&mut self, properties: Vec<VertexProperty>) -> Result<()> {
        if properties.is_empty() {
            return Ok(());
        }
        // Values under one key are together.
        let mut by_key: IndexMap<Str, Vec<VertexProperty>> = IndexMap::new();
        properties.into_iter().for_each(|it| by_key.entry(it.key.clone()).or_default().push(it));
        for (at, (key, values)) in by_key.iter().enumerate() {
            self.raw(if at == 0 { ",\"properties\":{" } else { "]," })?;
            self.text(key)?;
            self.raw(":[")?;
            for (number, property) in values.iter().enumerate() {
                self.raw(if number > 0 { ",{\"id\":" } else { "{\"id\":" })?;
                self.value(&property.id, &|| format!("the id of a property `{key}`"))?;
                self.raw(",\"value\":")?;
                self.value(&property.value, &|| format!("a property `{key}`"))?;
                self.plain_properties(&property.properties)?;
                self.raw("}")?;
            }
        }
        self.raw("]}")
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
        self.raw("{\"id\":")?;
        self.value(&vertex.id, &|| "the id of a vertex".into())?;
        self.raw(",\"label\":")?;
        self.text(&vertex.label)?;
        self.properties.clone_from(&vertex.properties);
        Ok(())
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<()> {
        self.open(direction, &edge.label)?;
        self.raw("{\"id\":")?;
        self.value(&edge.id, &|| "the id of an edge".into())?;
        let (key, end) = match direction {
            Direction::In => (",\"outV\":", &edge.out_v),
            _ => (",\"inV\":", &edge.in_v),
        };
        self.raw(key)?;
        self.value(&end.id, &|| "the id of a vertex".into())?;
        self.plain_properties(&edge.properties)?;
        self.raw("}")
    }

    fn end_vertex(&mut self) -> Result<()> {
        if self.open.take().is_some() {
            self.raw("]}")?;
        }
        let properties = std::mem::take(&mut self.properties);
        self.vertex_properties(properties)?;
        self.raw("}\n")
    }

    fn finish(&mut self) -> Result<()> {
        Ok(self.into.flush()?)
    }
}
