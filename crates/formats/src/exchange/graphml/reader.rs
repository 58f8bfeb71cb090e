//! Reading GraphML.

use std::io::{self, BufRead, BufReader, Read};

use indexmap::IndexMap;
use quick_xml::XmlVersion;
use quick_xml::events::{BytesRef, BytesStart, Event};
use values::{Edge, Property, SeededMap, Str, Value, Vertex, VertexProperty, watch};

use super::super::error::{FileError, Place, Result};
use super::super::room::Holdings;
use super::super::{Element, GraphFileReader};
use super::{LABEL_E, LABEL_V};
use crate::numbers::fraction;

/// Most bytes of a tag, or of a text between tags.
const LONGEST: usize = 64 << 20;
/// Most elements inside one another.
const MAX_DEPTH: usize = 100;
/// Bytes of work that are a tick of the watch.
const BYTES_PER_TICK: usize = 32;

/// See the module.
pub(in super::super) struct Reader {
    xml: quick_xml::Reader<Bounded>,
    held: Holdings,
    /// Room for a tag or a text.
    buffer: Vec<u8>,
    keys: SeededMap<String, Key>,
    depth: usize,
    /// Whether the element that holds all others was there.
    has_root: bool,
    /// Where the tag or the text that was read last begins, and where the node or edge that was handed out last does.
    piece_begins: Place,
    begins: Place,
    /// The node or edge that is read.
    current: Option<Current>,
    /// The key and the text of the `data` that is read.
    data: Option<(String, String)>,
}

/// What a key means.
enum Key {
    /// The name of properties, and the type of their values.
    Named(Str, ValueType),
    /// Something that only the program knows which has declared it: how a node is drawn, say.
    Nameless,
}

/// The type of the values of a key.
#[derive(Clone, Copy)]
enum ValueType {
    Text,
    Int,
    Long,
    Float,
    Double,
    Boolean,
}

/// A node or an edge.
struct Current {
    begins: Place,
    id: Option<String>,
    /// Of an edge.
    ends: Option<(String, String)>,
    label: Option<String>,
    properties: IndexMap<Str, Value>,
}

/// A file of which a piece that must be in memory as a whole is not longer than [`LONGEST`].
struct Bounded {
    file: BufReader<Box<dyn Read + Send>>,
    piece: usize,
    /// Bytes in front of the next one, lines that ended there, and where the last one of these did.
    offset: u64,
    lines: u64,
    line_begins: u64,
}

impl Bounded {
    /// Where the next byte is.
    fn place(&self) -> Place {
        Place::Line(self.lines + 1, self.offset - self.line_begins + 1)
    }

    /// Notes that so many bytes of what is ahead are behind.
    fn pass(&mut self, count: usize) {
        let passed = &self.file.buffer()[..count];
        if let Some(last) = memchr::memrchr(b'\n', passed) {
            self.lines += memchr::memchr_iter(b'\n', passed).count() as u64;
            self.line_begins = self.offset + last as u64 + 1;
        }
        self.offset += count as u64;
        self.piece += count;
    }
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(into)?;
        self.consume(count);
        Ok(count)
    }
}

impl BufRead for Bounded {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.piece > LONGEST {
            let problem = format!("a tag or a text is longer than {} MiB", LONGEST >> 20);
            return Err(io::Error::other(problem));
        }
        self.file.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.pass(count);
        self.file.consume(count);
    }
}

impl Reader {
    pub(in super::super) fn new(from: Box<dyn Read + Send>, held: Holdings) -> Self {
        let file = BufReader::with_capacity(128 << 10, from);
        Self {
            xml: quick_xml::Reader::from_reader(Bounded {
                file,
                piece: 0,
                offset: 0,
                lines: 0,
                line_begins: 0,
            }),
            held,
            buffer: Vec::new(),
            keys: SeededMap::default(),
            depth: 0,
            has_root: false,
            piece_begins: Place::Line(1, 1),
            begins: Place::Line(1, 1),
            current: None,
            data: None,
        }
    }

    fn error<T>(&self, problem: impl Into<String>) -> Result<T> {
        Err(FileError::malformed(self.piece_begins, problem))
    }

    fn hold(&mut self, bytes: usize) -> Result<()> {
        if self.held.add(bytes) { Ok(()) } else { Err(FileError::NoRoom(self.piece_begins)) }
    }

    /// Reads a piece of the file: an element that has ended with it, or whether the file has.
    fn piece(&mut self) -> Result<Piece> {
        let mut buffer = std::mem::take(&mut self.buffer);
        buffer.clear();
        self.piece_begins = self.xml.get_ref().place();
        self.xml.get_mut().piece = 0;
        let event = match self.xml.read_event_into(&mut buffer) {
            Ok(event) => event,
            Err(quick_xml::Error::Io(_)) if self.xml.get_ref().piece > LONGEST => {
                return self.error(format!("a tag or a text is longer than {} MiB", LONGEST >> 20));
            }
            Err(quick_xml::Error::Io(error)) => {
                return Err(FileError::Io(io::Error::new(error.kind(), error)));
            }
            Err(error) => return self.error(format!("XML expected: {error}")),
        };
        let read = self.xml.get_mut().piece;
        watch::ticks(read / BYTES_PER_TICK + 1);
        self.hold(read)?;
        let piece = self.event(event)?;
        self.buffer = buffer;
        Ok(piece)
    }

    fn event(&mut self, event: Event<'_>) -> Result<Piece> {
        match event {
            Event::Start(tag) => {
                self.check_root(tag.local_name().as_ref())?;
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return self.error(format!("more than {MAX_DEPTH} elements inside one another"));
                }
                self.begin(&tag)?;
                Ok(Piece::Nothing)
            }
            Event::Empty(tag) => {
                self.check_root(tag.local_name().as_ref())?;
                self.begin(&tag)?;
                self.end(tag.local_name().as_ref())
            }
            Event::End(tag) => {
                self.depth = self.depth.saturating_sub(1);
                self.end(tag.local_name().as_ref())
            }
            Event::Text(text) => {
                let text = text.xml10_content();
                if self.depth == 0 && !text.trim_start_matches('\u{feff}').trim().is_empty() {
                    return self.error("this is no XML: there is a text outside of the element `graphml`");
                }
                self.text(&text)
            }
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => {
                let character = self.referred(&reference)?;
                self.text(character.encode_utf8(&mut [0; 4]))
            }
            Event::Eof if self.depth > 0 => self.error("the file ends inside an element"),
            Event::Eof if !self.has_root => self.error("this is no GraphML: there is no element `graphml`"),
            Event::Eof => Ok(Piece::End),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => Ok(Piece::Nothing),
        }
    }

    /// Checks that an element is inside of `graphml`, or that, and the only one.
    fn check_root(&mut self, name: &str) -> Result<()> {
        if self.depth > 0 {
            return Ok(());
        }
        if name != "graphml" || std::mem::replace(&mut self.has_root, true) {
            return self.error(format!(
                "this is no GraphML: the element `{name}` stands where `graphml` should, once"
            ));
        }
        Ok(())
    }

    /// Entities that a document defines itself are not known: they can be made to grow without end.
    fn referred(&self, reference: &BytesRef<'_>) -> Result<char> {
        let known = match &**reference {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "apos" => Some('\''),
            "quot" => Some('"'),
            _ => reference.resolve_char_ref().ok().flatten(),
        };
        match known {
            Some(character) => Ok(character),
            None => self.error(format!("`&{};` is no character of XML", shortened(reference))),
        }
    }

    fn text(&mut self, text: &str) -> Result<Piece> {
        if let Some((_, so_far)) = &mut self.data {
            so_far.push_str(text);
            if so_far.len() > LONGEST {
                return self.error(format!("a text is longer than {} MiB", LONGEST >> 20));
            }
        }
        Ok(Piece::Nothing)
    }

    fn begin(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        if self.data.is_some() {
            return self.error("a text expected in `data`, found an element");
        }
        match tag.local_name().as_ref() {
            "key" => self.key(tag),
            "node" | "edge" if self.current.is_some() => {
                self.error("a node or an edge inside another is not read")
            }
            "node" => {
                let id = Some(self.needed(tag, "id")?);
                self.current = Some(Current::new(self.piece_begins, id, None));
                Ok(())
            }
            "edge" => {
                let id = self.attribute(tag, "id")?;
                let ends = Some((self.needed(tag, "source")?, self.needed(tag, "target")?));
                self.current = Some(Current::new(self.piece_begins, id, ends));
                Ok(())
            }
            "hyperedge" => self.error("an edge between more than two nodes (`hyperedge`) is not read"),
            "data" if self.current.is_some() => {
                let key = self.needed(tag, "key")?;
                match self.keys.get(&key) {
                    Some(Key::Named(..)) => self.data = Some((key, String::new())),
                    Some(Key::Nameless) => {}
                    None => {
                        let key = shortened(&key);
                        return self.error(format!(
                            "there is `data` of the key {key:?}, which no element `key` declares; add one with this `id`, an \
                             `attr.name` and an `attr.type`"
                        ));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn key(&mut self, tag: &BytesStart<'_>) -> Result<()> {
        let id = self.needed(tag, "id")?;
        let name = self.attribute(tag, "attr.name")?;
        let of = match self.attribute(tag, "attr.type")?.as_deref() {
            Some("int") => ValueType::Int,
            Some("long") => ValueType::Long,
            Some("float") => ValueType::Float,
            Some("double") => ValueType::Double,
            Some("boolean") => ValueType::Boolean,
            _ => ValueType::Text,
        };
        self.keys.insert(id, name.map_or(Key::Nameless, |name| Key::Named(name.into(), of)));
        if self.keys.len() > MOST_KEYS {
            return self.error(format!("more than {MOST_KEYS} keys"));
        }
        Ok(())
    }

    fn attribute(&self, tag: &BytesStart<'_>, name: &str) -> Result<Option<String>> {
        let found = tag.try_get_attribute(name);
        let value = found.map_err(|error| error.to_string()).and_then(|attribute| {
            let value = attribute.map(|it| it.normalized_value(XmlVersion::Explicit1_0));
            value.transpose().map_err(|error| error.to_string())
        });
        match value {
            Ok(value) => Ok(value.map(String::from)),
            Err(error) => self.error(format!("XML expected: {error}")),
        }
    }

    fn needed(&self, tag: &BytesStart<'_>, name: &str) -> Result<String> {
        match self.attribute(tag, name)? {
            Some(value) => Ok(value),
            None => {
                self.error(format!("`{}` needs the attribute `{name}`", shortened(tag.local_name().as_ref())))
            }
        }
    }

    fn end(&mut self, name: &str) -> Result<Piece> {
        match name {
            "data" => {
                if let Some((key, text)) = self.data.take() {
                    self.put(&key, text)?;
                }
                Ok(Piece::Nothing)
            }
            "node" | "edge" => match self.current.take() {
                Some(current) => {
                    self.held.clear();
                    self.begins = current.begins;
                    Ok(Piece::Element(current.into_element()))
                }
                None => Ok(Piece::Nothing),
            },
            _ => Ok(Piece::Nothing),
        }
    }

    fn put(&mut self, id: &str, text: String) -> Result<()> {
        let (Some(current), Some(Key::Named(name, of))) = (&mut self.current, self.keys.get(id)) else {
            return Ok(());
        };
        if id == if current.ends.is_some() { LABEL_E } else { LABEL_V } {
            current.label = Some(text);
            return Ok(());
        }
        match of.value(&text) {
            Ok(value) => _ = current.properties.insert(name.clone(), value),
            Err(expected) => {
                let problem = format!("`{name}`: {expected} expected, found {:?}", shortened(&text));
                return self.error(problem);
            }
        }
        self.hold(KEY)
    }
}

/// Most keys of a file: more names than a graph can have.
const MOST_KEYS: usize = 1 << 17;
/// What a property takes in memory beside its value.
const KEY: usize = 128;

/// What a piece of the file was.
enum Piece {
    Nothing,
    Element(Element),
    End,
}

impl ValueType {
    fn value(self, text: &str) -> std::result::Result<Value, &'static str> {
        let number = text.trim();
        match self {
            Self::Text => Ok(Value::from(text)),
            Self::Int => number.parse().map(Value::Int).map_err(|_| "a whole number of 32 bits"),
            Self::Long => number.parse().map(Value::Long).map_err(|_| "a whole number of 64 bits"),
            Self::Float => fraction(number).map(Value::Float).ok_or("a number of 32 bits"),
            Self::Double => fraction(number).map(Value::Double).ok_or("a number of 64 bits"),
            // As Java: what is not true is false.
            Self::Boolean => Ok(Value::Bool(number.eq_ignore_ascii_case("true"))),
        }
    }
}

impl Current {
    fn new(begins: Place, id: Option<String>, ends: Option<(String, String)>) -> Self {
        Self { begins, id, ends, label: None, properties: IndexMap::new() }
    }

    fn into_element(self) -> Element {
        let id = self.id.map_or(Value::Null, Value::from);
        match self.ends {
            None => {
                let property = |(key, value)| VertexProperty {
                    id: Value::Null,
                    key,
                    value,
                    properties: Vec::new(),
                    vertex: None,
                    owner: None,
                };
                let label = self.label.map_or_else(|| "vertex".into(), Str::from);
                let properties = self.properties.into_iter().map(property).collect();
                Element::Vertex(Vertex { id, label, properties })
            }
            Some((from, to)) => {
                let property = |(key, value)| Property { key, value, owner: None };
                Element::Edge(Edge {
                    id,
                    label: self.label.map_or_else(|| "edge".into(), Str::from),
                    out_v: Vertex::reference(from, ""),
                    in_v: Vertex::reference(to, ""),
                    properties: self.properties.into_iter().map(property).collect(),
                })
            }
        }
    }
}

/// What fits into a message.
fn shortened(text: &str) -> &str {
    &text[..text.floor_char_boundary(40)]
}

impl GraphFileReader for Reader {
    fn next(&mut self) -> Result<Option<Element>> {
        loop {
            match self.piece()? {
                Piece::Nothing => {}
                Piece::Element(element) => return Ok(Some(element)),
                Piece::End => return Ok(None),
            }
        }
    }

    fn names_vertices_in_edges(&self) -> bool {
        true
    }

    fn place(&self) -> Place {
        self.begins
    }
}
