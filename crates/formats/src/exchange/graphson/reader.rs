//! Reading GraphSON.

use serde_json::Value as Json;
use values::{Direction, Edge, Property, Str, Value, Vertex, VertexProperty};

use super::super::bytes::Bytes;
use super::super::error::{FileError, Place, Result};
use super::super::room::Holdings;
use super::super::{Element, GraphFileReader};
use super::json::JsonReader;
use crate::graphson::{NO_VERTEX_KEY, VERTEX_KEYS, typed};
use crate::sides::{EdgeKey, Sides, Survey};

/// The label of a vertex that has none (TinkerPop's default).
const DEFAULT_LABEL: &str = "vertex";
/// What a property takes in memory beside its value.
const PROPERTY: usize = 128;

/// See the module.
pub(crate) struct Reader {
    json: JsonReader,
    place: At,
    /// The vertex that is read.
    vertex: Vertex,
    has_id: bool,
    edges: Edges,
    /// Where the vertex begins, and the element that was handed out last.
    vertex_begins: Place,
    begins: Place,
}

/// What becomes of the edges in `inE` and `outE`.
pub(crate) enum Edges {
    /// Those in `inE` are handed out. They are counted, and so are those in `outE`.
    Counted {
        /// Those in `inE`.
        entering: u64,
        /// Those in `outE`.
        leaving: u64,
    },
    /// Both are noted, and none is handed out.
    Surveyed(Survey),
    /// They are handed out from where each is to be taken.
    Taken(Sides),
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
    /// Among the labels of edges in this direction.
    Labels {
        wrapped: bool,
        direction: Direction,
        first: bool,
    },
    /// Among the edges of a label.
    Edges {
        wrapped: bool,
        direction: Direction,
        label: Str,
        first: bool,
        typed: bool,
    },
    End,
}

impl Reader {
    pub(in super::super) fn new(bytes: Bytes, held: Holdings, edges: Edges) -> Self {
        let begins = bytes.in_text();
        Self {
            json: JsonReader { bytes, held },
            place: At::Beginning,
            vertex: Vertex::reference(Value::Null, DEFAULT_LABEL),
            has_id: false,
            edges,
            vertex_begins: begins,
            begins,
        }
    }

    /// What has become of the edges.
    pub(in super::super) fn into_edges(self) -> Edges {
        self.edges
    }

    /// Goes on from where it is to the next element, or the next place.
    fn go_on(&mut self) -> Result<Option<Element>> {
        match std::mem::replace(&mut self.place, At::End) {
            At::Beginning => self.begin().map(|()| None),
            At::Between { wrapped, first } => self.between(wrapped, first).map(|()| None),
            At::Vertex { wrapped, first } => self.in_vertex(wrapped, first),
            At::Labels { wrapped, direction, first } => {
                self.in_labels(wrapped, direction, first).map(|()| None)
            }
            At::Edges { wrapped, direction, label, first, typed } => {
                self.in_edges((wrapped, direction), label, first, typed)
            }
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
        self.begin_object("a vertex, a JSON object,")?;
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
        self.begin_object("a vertex, a JSON object,")?;
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
        if let Edges::Counted { entering, leaving } = self.edges
            && leaving > entering
        {
            return self.json.error(format!(
                "the file has {leaving} edges in `outE` and {entering} in `inE`; each must be in both"
            ));
        }
        Ok(())
    }

    /// Goes into an object that is an element.
    fn begin_object(&mut self, what: &str) -> Result<()> {
        self.json.peek()?;
        self.begins = self.json.bytes.in_text();
        self.json.expect(b'{', what)
    }

    fn begin_vertex(&mut self) {
        self.vertex_begins = self.begins;
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
        self.begins = self.vertex_begins;
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
            "inE" if self.json.peek()? == Some(b'{') => self.begin_edges(wrapped, Direction::In)?,
            "outE" if self.json.peek()? == Some(b'{') => self.begin_edges(wrapped, Direction::Out)?,
            "properties" if self.json.peek()? == Some(b'{') => self.properties()?,
            "inE" | "outE" | "properties" if self.json.peek()? != Some(b'n') => {
                return self.json.error(format!("an object expected in `{key}`"));
            }
            "@type" => return self.json.error(
                "a vertex is written without a type around it; this is no file as `io().write()` writes it",
            ),
            // io() passes over what TinkerPop passes over; an import must not lose it.
            key if !matches!(self.edges, Edges::Counted { .. })
                && key != CLASS
                && !VERTEX_KEYS.contains(&key) =>
            {
                return self.json.error(format!("`{key}`: {NO_VERTEX_KEY}"));
            }
            _ => _ = self.json.skip()?,
        }
        Ok(())
    }

    fn begin_edges(&mut self, wrapped: bool, direction: Direction) -> Result<()> {
        match &self.edges {
            Edges::Counted { .. } if direction == Direction::Out => return self.count_leaving(),
            Edges::Taken(sides) if !sides.look_at(direction) => return self.json.skip().map(drop),
            _ => {}
        }
        self.need_id()?;
        self.json.bytes.pass(1);
        self.place = At::Labels { wrapped, direction, first: true };
        Ok(())
    }

    fn in_labels(&mut self, wrapped: bool, direction: Direction, mut first: bool) -> Result<()> {
        if !self.json.another(b'}', &mut first)? {
            self.place = At::Vertex { wrapped, first: false };
            return Ok(());
        }
        let label = self.json.key()?;
        if label == CLASS {
            self.json.skip()?;
            self.place = At::Labels { wrapped, direction, first: false };
            return Ok(());
        }
        let typed = self.begin_array("an array of edges")?;
        self.place = At::Edges { wrapped, direction, label: label.into(), first: true, typed };
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
        (wrapped, direction): (bool, Direction),
        label: Str,
        mut first: bool,
        typed: bool,
    ) -> Result<Option<Element>> {
        if !self.json.another(b']', &mut first)? {
            self.end_array(typed)?;
            self.place = At::Labels { wrapped, direction, first: false };
            return Ok(None);
        }
        let held = self.json.held.bytes();
        let edge = self.edge(label.clone(), direction)?;
        // It is its caller's now.
        self.json.held.back_to(held);
        self.place = At::Edges { wrapped, direction, label, first: false, typed };
        Ok(self.takes(direction, &edge).then_some(Element::Edge(edge)))
    }

    /// Whether an edge that is in this direction is handed out.
    fn takes(&mut self, direction: Direction, edge: &Edge) -> bool {
        let key = || {
            let id = Some(&edge.id).filter(|id| !id.is_null());
            EdgeKey::new(id, &edge.label, &edge.out_v.id, &edge.in_v.id)
        };
        match &mut self.edges {
            Edges::Counted { entering, .. } => {
                *entering += 1;
                true
            }
            Edges::Surveyed(survey) => {
                survey.see(direction, &key());
                false
            }
            Edges::Taken(sides) => sides.take(direction, key),
        }
    }

    fn edge(&mut self, label: Str, direction: Direction) -> Result<Edge> {
        let (list, end) = if direction == Direction::Out { ("outE", "inV") } else { ("inE", "outV") };
        self.begin_object("an edge, a JSON object,")?;
        let (mut id, mut other, mut properties, mut first) = (Value::Null, None, Vec::new(), true);
        while self.json.another(b'}', &mut first)? {
            match self.json.key()?.as_str() {
                "id" => id = self.typed_value()?,
                key if key == end => other = Some(self.typed_value()?),
                "properties" if self.json.peek()? == Some(b'{') => properties = self.plain_properties()?,
                _ => _ = self.json.skip()?,
            }
        }
        let Some(other) = other else {
            return self.json.error(format!("an edge in `{list}` needs an `{end}`"));
        };
        let (other, own) = (Vertex::reference(other, ""), Vertex::reference(self.vertex.id.clone(), ""));
        let (out_v, in_v) = if direction == Direction::Out { (own, other) } else { (other, own) };
        Ok(Edge { id, label, out_v, in_v, properties })
    }

    fn count_leaving(&mut self) -> Result<()> {
        self.json.bytes.pass(1);
        let (mut first, mut count) = (true, 0);
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
                count += 1;
            }
            self.end_array(typed)?;
        }
        if let Edges::Counted { leaving, .. } = &mut self.edges {
            *leaving += count;
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
        typed::value(&json).map_err(|error| FileError::malformed(place, error.0))
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

    fn place(&self) -> Place {
        self.begins
    }
}
