//! Reading GraphSON.

use serde_json::Value as Json;
use values::{Edge, Property, Str, Value, Vertex, VertexProperty};

use super::super::bytes::Bytes;
use super::super::error::{FileError, Result};
use super::super::room::Holdings;
use super::super::{Element, GraphFileReader};
use super::json::JsonReader;
use crate::graphson::typed;

/// The label of a vertex that has none (TinkerPop's default).
const DEFAULT_LABEL: &str = "vertex";
/// What a property takes in memory beside its value.
const PROPERTY: usize = 128;

/// See the module.
pub(in super::super) struct Reader {
    json: JsonReader,
    place: At,
    /// The vertex that is read.
    vertex: Vertex,
    has_id: bool,
    /// Edges so far, as they are at the vertices that they enter and leave.
    entering: u64,
    leaving: u64,
}

/// Where in the file one is. `first`: nothing was read yet of what is there.
enum At {
    /// At its beginning.
    Beginning,
    /// Between vertices; whether all of them are in one array.
    Between {
        wrapped: bool,
        first: bool,
    },
    /// Among the keys of a vertex.
    Vertex {
        wrapped: bool,
        first: bool,
    },
    /// Among the labels of edges.
    Labels {
        wrapped: bool,
        first: bool,
    },
    /// Among the edges of a label.
    Edges {
        wrapped: bool,
        label: Str,
        first: bool,
        typed: bool,
    },
    End,
}

impl Reader {
    pub(in super::super) fn new(bytes: Bytes, held: Holdings) -> Self {
        Self {
            json: JsonReader { bytes, held },
            place: At::Beginning,
            vertex: Vertex::reference(Value::Null, DEFAULT_LABEL),
            has_id: false,
            entering: 0,
            leaving: 0,
        }
    }

    /// Goes on from where it is to the next element, or the next place.
    fn go_on(&mut self) -> Result<Option<Element>> {
        match std::mem::replace(&mut self.place, At::End) {
            At::Beginning => self.begin().map(|()| None),
            At::Between { wrapped, first } => self.between(wrapped, first).map(|()| None),
            At::Vertex { wrapped, first } => self.in_vertex(wrapped, first),
            At::Labels { wrapped, first } => self.in_labels(wrapped, first).map(|()| None),
            At::Edges { wrapped, label, first, typed } => self.in_edges(wrapped, label, first, typed),
            At::End => Ok(None),
        }
    }

    fn begin(&mut self) -> Result<()> {
        let mark = "\u{feff}".as_bytes();
        if self.json.bytes.ahead()?.starts_with(mark) {
            self.json.bytes.pass(mark.len());
        }
        if self.json.peek()?.is_none() {
            return Ok(());
        }
        self.json.expect(b'{', "a vertex, a JSON object,")?;
        if self.json.peek()? == Some(b'}') {
            return self.json.error("a vertex has no `id`");
        }
        let key = self.json.key()?;
        if key == "vertices" {
            self.json.expect(b'[', "an array of vertices")?;
            self.place = At::Between { wrapped: true, first: true };
            return Ok(());
        }
        self.begin_vertex();
        self.key_of_vertex(&key, false)
    }

    fn between(&mut self, wrapped: bool, mut first: bool) -> Result<()> {
        if wrapped {
            if !self.json.another(b']', &mut first)? {
                return self.end_of_wrapped();
            }
        } else if self.json.peek()?.is_none() {
            return self.end();
        }
        self.json.expect(b'{', "a vertex, a JSON object,")?;
        self.begin_vertex();
        self.place = At::Vertex { wrapped, first: true };
        Ok(())
    }

    fn end_of_wrapped(&mut self) -> Result<()> {
        let mut first = false;
        while self.json.another(b'}', &mut first)? {
            let key = self.json.key()?;
            if key == "edges" {
                return self
                    .json
                    .error("edges beside the vertices are not read: each must be in `inE` and `outE`");
            }
            self.json.skip()?;
        }
        if self.json.peek()?.is_some() {
            return self.json.error("nothing expected behind the array of vertices");
        }
        self.end()
    }

    /// What has been read must be whole.
    fn end(&mut self) -> Result<()> {
        let Self { entering, leaving, .. } = *self;
        if leaving > entering {
            return self.json.error(format!(
                "the file has {leaving} edges in `outE` and {entering} in `inE`; each must be in both"
            ));
        }
        Ok(())
    }

    fn begin_vertex(&mut self) {
        self.json.held.clear();
        self.vertex = Vertex::reference(Value::Null, DEFAULT_LABEL);
        self.has_id = false;
    }

    fn in_vertex(&mut self, wrapped: bool, mut first: bool) -> Result<Option<Element>> {
        if self.json.another(b'}', &mut first)? {
            let key = self.json.key()?;
            return self.key_of_vertex(&key, wrapped).map(|()| None);
        }
        self.need_id()?;
        self.place = At::Between { wrapped, first: false };
        let next = Vertex::reference(Value::Null, DEFAULT_LABEL);
        Ok(Some(Element::Vertex(std::mem::replace(&mut self.vertex, next))))
    }

    fn need_id(&self) -> Result<()> {
        if self.has_id { Ok(()) } else { self.json.error("a vertex needs an `id` in front of its edges") }
    }

    fn key_of_vertex(&mut self, key: &str, wrapped: bool) -> Result<()> {
        self.place = At::Vertex { wrapped, first: false };
        match key {
            "id" => {
                self.vertex.id = self.typed_value()?;
                self.has_id = true;
            }
            "label" => self.vertex.label = self.json.text()?.into(),
            "inE" if self.json.peek()? == Some(b'{') => {
                self.need_id()?;
                self.json.bytes.pass(1);
                self.place = At::Labels { wrapped, first: true };
            }
            "outE" if self.json.peek()? == Some(b'{') => self.count_leaving()?,
            "properties" if self.json.peek()? == Some(b'{') => self.properties()?,
            "inE" | "outE" | "properties" if self.json.peek()? != Some(b'n') => {
                return self.json.error(format!("an object expected in `{key}`"));
            }
            "@type" => return self.json.error(
                "a vertex is written without a type around it; this is no file as `io().write()` writes it",
            ),
            _ => _ = self.json.skip()?,
        }
        Ok(())
    }

    fn in_labels(&mut self, wrapped: bool, mut first: bool) -> Result<()> {
        if !self.json.another(b'}', &mut first)? {
            self.place = At::Vertex { wrapped, first: false };
            return Ok(());
        }
        let label = self.json.key()?;
        if label == CLASS {
            self.json.skip()?;
            self.place = At::Labels { wrapped, first: false };
            return Ok(());
        }
        let typed = self.begin_array("an array of edges")?;
        self.place = At::Edges { wrapped, label: label.into(), first: true, typed };
        Ok(())
    }

    /// Goes into an array; whether it is in another that tells its type (`["java.util.ArrayList", […]]`), as in GraphSON 1.
    fn begin_array(&mut self, what: &str) -> Result<bool> {
        self.json.expect(b'[', what)?;
        let typed = self.json.peek()? == Some(b'"');
        if typed {
            self.json.text()?;
            self.json.expect(b',', "`,`")?;
            self.json.expect(b'[', what)?;
        }
        Ok(typed)
    }

    fn end_array(&mut self, typed: bool) -> Result<()> {
        if typed { self.json.expect(b']', "`]`") } else { Ok(()) }
    }

    fn in_edges(
        &mut self,
        wrapped: bool,
        label: Str,
        mut first: bool,
        typed: bool,
    ) -> Result<Option<Element>> {
        if !self.json.another(b']', &mut first)? {
            self.end_array(typed)?;
            self.place = At::Labels { wrapped, first: false };
            return Ok(None);
        }
        let held = self.json.held.bytes();
        let edge = self.edge(label.clone())?;
        // It is its caller's now.
        self.json.held.back_to(held);
        self.entering += 1;
        self.place = At::Edges { wrapped, label, first: false, typed };
        Ok(Some(Element::Edge(edge)))
    }

    fn edge(&mut self, label: Str) -> Result<Edge> {
        self.json.expect(b'{', "an edge, a JSON object,")?;
        let (mut id, mut from, mut properties, mut first) = (Value::Null, None, Vec::new(), true);
        while self.json.another(b'}', &mut first)? {
            match self.json.key()?.as_str() {
                "id" => id = self.typed_value()?,
                "outV" => from = Some(self.typed_value()?),
                "properties" if self.json.peek()? == Some(b'{') => properties = self.plain_properties()?,
                _ => _ = self.json.skip()?,
            }
        }
        let Some(from) = from else { return self.json.error("an edge in `inE` needs an `outV`") };
        let (out_v, in_v) = (Vertex::reference(from, ""), Vertex::reference(self.vertex.id.clone(), ""));
        Ok(Edge { id, label, out_v, in_v, properties })
    }

    fn count_leaving(&mut self) -> Result<()> {
        self.json.bytes.pass(1);
        let mut first = true;
        while self.json.another(b'}', &mut first)? {
            if self.json.key()? == CLASS {
                self.json.skip()?;
                continue;
            }
            if self.json.peek()? != Some(b'[') {
                return self.json.error("an array of edges expected");
            }
            let typed = self.begin_array("an array of edges")?;
            let mut first = true;
            while self.json.another(b']', &mut first)? {
                self.json.skip()?;
                self.leaving += 1;
            }
            self.end_array(typed)?;
        }
        Ok(())
    }

    fn properties(&mut self) -> Result<()> {
        self.json.bytes.pass(1);
        let mut first = true;
        while self.json.another(b'}', &mut first)? {
            let key = self.json.key()?;
            if key == CLASS {
                self.json.skip()?;
                continue;
            }
            let key = Str::from(key);
            let typed = self.begin_array("an array of properties")?;
            let mut first = true;
            while self.json.another(b']', &mut first)? {
                let property = self.property(key.clone())?;
                self.vertex.properties.push(property);
            }
            self.end_array(typed)?;
        }
        Ok(())
    }

    fn property(&mut self, key: Str) -> Result<VertexProperty> {
        self.json.hold(PROPERTY)?;
        self.json.expect(b'{', "a property, a JSON object,")?;
        let (mut id, mut value, mut properties, mut first) = (Value::Null, None, Vec::new(), true);
        while self.json.another(b'}', &mut first)? {
            match self.json.key()?.as_str() {
                "id" => id = self.typed_value()?,
                "value" => value = Some(self.typed_value()?),
                "properties" if self.json.peek()? == Some(b'{') => properties = self.plain_properties()?,
                _ => _ = self.json.skip()?,
            }
        }
        let Some(value) = value else { return self.json.error("a property needs a `value`") };
        Ok(VertexProperty { id, key, value, properties, vertex: None, owner: None })
    }

    /// Properties of an edge, or of a property.
    fn plain_properties(&mut self) -> Result<Vec<Property>> {
        self.json.bytes.pass(1);
        let (mut properties, mut first) = (Vec::new(), true);
        while self.json.another(b'}', &mut first)? {
            let key = self.json.key()?;
            if key == CLASS {
                self.json.skip()?;
                continue;
            }
            self.json.hold(PROPERTY)?;
            properties.push(Property { key: key.into(), value: self.typed_value()?, owner: None });
        }
        Ok(properties)
    }

    fn typed_value(&mut self) -> Result<Value> {
        let place = {
            self.json.peek()?;
            self.json.bytes.in_text()
        };
        let json: Json = self.json.value()?;
        typed::any_version(&json).map_err(|error| FileError::malformed(place, error.0))
    }
}

/// Where typed GraphSON 1 tells the class of an object.
const CLASS: &str = "@class";

impl GraphFileReader for Reader {
    fn next(&mut self) -> Result<Option<Element>> {
        loop {
            let element = self.go_on()?;
            if element.is_some() || matches!(self.place, At::End) {
                return Ok(element);
            }
        }
    }
}
