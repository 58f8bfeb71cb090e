//! Reading Gryo.

use std::collections::VecDeque;

use values::{Edge, Property, SeededMap, Str, Value, Vertex, VertexProperty, watch};

use super::super::bytes::Bytes;
use super::super::error::{Place, Result};
use super::super::room::Holdings;
use super::super::{Element, GraphFileReader};
use super::input::Input;
use super::{HEADER, STAR_GRAPH, TERMINATOR};

/// What an edge or a property takes in memory.
const ELEMENT: usize = 192;

/// See the module.
pub(in super::super) struct Reader {
    input: Input,
    /// What was read of the last vertex and not handed out.
    waiting: VecDeque<Element>,
    /// Where that vertex begins, with its edges.
    begins: Place,
}

/// Properties by the id of what they belong to.
type Properties = SeededMap<Value, Vec<Property>>;

impl Reader {
    pub(in super::super) fn new(bytes: Bytes, held: Holdings) -> Self {
        let begins = bytes.in_bytes();
        Self { input: Input::new(bytes, held), waiting: VecDeque::new(), begins }
    }

    fn star(&mut self) -> Result<()> {
        self.input.begin();
        if self.input.array::<16>()?[..3] != HEADER[..3] {
            return self.input.error("a vertex begins with `gio`; this is no file of Gryo");
        }
        if !self.input.begins()? || self.input.byte()? != STAR_GRAPH {
            return self.input.error("a star graph expected");
        }
        let mut of_edges = self.properties()?;
        let mut of_properties = self.properties()?;
        let id = self.input.value()?;
        let label = self.input.text_object()?;
        self.edges(&id, &mut of_edges)?;
        // Those that leave enter another, where they are read.
        self.skip_edges()?;
        let properties = self.vertex_properties(&mut of_properties)?;
        if self.input.array()? != TERMINATOR {
            return self.input.error("the end of a vertex expected");
        }
        self.waiting.push_front(Element::Vertex(Vertex { id, label, properties }));
        Ok(())
    }

    /// A map, or null, from ids to maps from keys to values.
    fn properties(&mut self) -> Result<Properties> {
        let mut properties = Properties::default();
        if !self.input.begins()? {
            return Ok(properties);
        }
        for _ in 0..self.input.count()? {
            let id = self.input.value()?;
            let Value::Map(map) = self.input.value()? else {
                return self.input.error("a map of properties expected");
            };
            self.input.hold(ELEMENT)?;
            let mut of_id = Vec::with_capacity(map.len());
            for (key, value) in map.iter() {
                let Value::String(key) = key else {
                    return self.input.error("the key of a property is no text");
                };
                of_id.push(Property { key: key.clone(), value: value.clone(), owner: None });
            }
            properties.insert(id, of_id);
        }
        Ok(properties)
    }

    fn edges(&mut self, to: &Value, properties: &mut Properties) -> Result<()> {
        self.each_edge(|reader, label, id, from| {
            reader.input.hold(ELEMENT)?;
            let properties = properties.remove(&id).unwrap_or_default();
            let (out_v, in_v) = (Vertex::reference(from, ""), Vertex::reference(to.clone(), ""));
            let edge = Edge { id, label: label.clone(), out_v, in_v, properties };
            reader.waiting.push_back(Element::Edge(edge));
            Ok(())
        })
    }

    fn skip_edges(&mut self) -> Result<()> {
        self.each_edge(|_, _, _, _| Ok(()))
    }

    fn each_edge(&mut self, mut see: impl FnMut(&mut Self, &Str, Value, Value) -> Result<()>) -> Result<()> {
        if !self.input.boolean()? {
            return Ok(());
        }
        for _ in 0..self.input.counted()? {
            let label = self.input.text_object()?;
            for _ in 0..self.input.counted()? {
                watch::tick();
                let id = self.input.value()?;
                let other = self.input.value()?;
                see(self, &label, id, other)?;
            }
        }
        Ok(())
    }

    fn vertex_properties(&mut self, meta: &mut Properties) -> Result<Vec<VertexProperty>> {
        let mut properties = Vec::new();
        if !self.input.boolean()? {
            return Ok(properties);
        }
        for _ in 0..self.input.counted()? {
            let key = self.input.text_object()?;
            for _ in 0..self.input.counted()? {
                self.input.hold(ELEMENT)?;
                let id = self.input.value()?;
                let value = self.input.value()?;
                let of_it = meta.remove(&id).unwrap_or_default();
                let key = key.clone();
                properties.push(VertexProperty {
                    id,
                    key,
                    value,
                    properties: of_it,
                    vertex: None,
                    owner: None,
                });
            }
        }
        Ok(properties)
    }
}

impl GraphFileReader for Reader {
    fn next(&mut self) -> Result<Option<Element>> {
        if self.waiting.is_empty() {
            if self.input.bytes.peek()?.is_none() {
                return Ok(None);
            }
            self.begins = self.input.bytes.in_bytes();
            self.star().inspect_err(|_| self.waiting.clear())?;
        }
        Ok(self.waiting.pop_front())
    }

    fn place(&self) -> Place {
        self.begins
    }
}
