//! Writing GraphML: two walks to learn the keys and their types, two to write.

use std::fmt::Write as _;
use std::io::Write;

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use values::{Direction, Edge, Str, Value, Vertex};

use super::super::apart::Apart;
use super::super::error::{FileError, Result};
use super::super::{GraphFileWriter, Made, Pass, Stretch, StretchWriter};
use super::{LABEL_E, LABEL_V};

const BEGINS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
                      xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                      xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
                      http://graphml.graphdrawing.org/xmlns/1.1/graphml.xsd\">";

/// See the module.
pub(in super::super) struct Writer {
    into: Box<dyn Write + Send>,
    /// The keys of vertices, and those of edges.
    keys: [Keys; 2],
    writes: bool,
    /// The first one is of vertices and the second of edges, as the keys are.
    pass: usize,
    line: String,
}

/// Keys with their types and what they are called in the file.
type Keys = IndexMap<Str, (&'static str, String)>;

const OF_VERTICES: usize = 0;
const OF_EDGES: usize = 1;

impl Writer {
    pub(in super::super) fn new(into: Box<dyn Write + Send>) -> Self {
        Self { into, keys: Default::default(), writes: false, pass: 0, line: String::new() }
    }

    fn learn<'p>(&mut self, of: usize, properties: impl Iterator<Item = (&'p Str, &'p Value)>) {
        for (key, value) in properties {
            let found = type_of(value);
            self.learn_key(of, key, found);
        }
    }

    fn learn_key(&mut self, of: usize, key: &Str, found: &'static str) {
        match self.keys[of].get_mut(key) {
            // What is of several types is text.
            Some((known, _)) if *known != found => *known = "string",
            Some(_) => {}
            None => _ = self.keys[of].insert(key.clone(), (found, String::new())),
        }
    }

    /// Gives each key a name in the file: its own, unless another has it.
    fn name_keys(&mut self) -> Result<()> {
        let mut taken: FxHashSet<String> = [LABEL_V, LABEL_E].map(String::from).into_iter().collect();
        for (of, label, suffix) in [(OF_VERTICES, LABEL_V, 'V'), (OF_EDGES, LABEL_E, 'E')] {
            if self.keys[of].contains_key(label) {
                return Err(FileError::Unwritable(format!(
                    "there is a property `{label}`, which is how GraphML calls labels"
                )));
            }
            let other: FxHashSet<Str> = self.keys[1 - of].keys().cloned().collect();
            for (key, (_, name)) in &mut self.keys[of] {
                *name = key.to_string();
                if other.contains(key) {
                    name.push(suffix);
                }
                while !taken.insert(name.clone()) {
                    name.push(suffix);
                }
            }
        }
        Ok(())
    }

    fn head(&mut self) -> Result<()> {
        self.name_keys()?;
        self.line.push_str(BEGINS);
        for (of, what, label) in [(OF_VERTICES, "node", LABEL_V), (OF_EDGES, "edge", LABEL_E)] {
            let keys = std::mem::take(&mut self.keys[of]);
            self.key(what, label, label, "string")?;
            for (key, (of_type, name)) in &keys {
                self.key(what, name, key, of_type)?;
            }
            self.keys[of] = keys;
        }
        self.line.push_str("<graph id=\"G\" edgedefault=\"directed\">");
        self.write_line()
    }

    fn key(&mut self, of: &str, id: &str, name: &str, of_type: &str) -> Result<()> {
        self.line.push_str("<key id=\"");
        self.escaped(id)?;
        _ = write!(self.line, "\" for=\"{of}\" attr.name=\"");
        self.escaped(name)?;
        _ = write!(self.line, "\" attr.type=\"{of_type}\"></key>");
        Ok(())
    }

    fn data(&mut self, key: &str, text: &str) -> Result<()> {
        self.line.push_str("<data key=\"");
        self.escaped(key)?;
        self.line.push_str("\">");
        self.escaped(text)?;
        self.line.push_str("</data>");
        Ok(())
    }

    fn properties<'p>(
        &mut self,
        of: usize,
        properties: impl Iterator<Item = (&'p Str, &'p Value)>,
    ) -> Result<()> {
        for (key, value) in properties {
            // All were met on the first walk.
            let name = self.keys[of].get(key).map_or_else(|| key.to_string(), |(_, name)| name.clone());
            self.data(&name, &text_of(value))?;
        }
        Ok(())
    }

    /// A text or an attribute. What XML would take for white space of its own is written as a reference.
    fn escaped(&mut self, text: &str) -> Result<()> {
        for character in text.chars() {
            match character {
                '<' => self.line.push_str("&lt;"),
                '>' => self.line.push_str("&gt;"),
                '&' => self.line.push_str("&amp;"),
                '"' => self.line.push_str("&quot;"),
                '\n' | '\r' | '\t' => _ = write!(self.line, "&#{};", u32::from(character)),
                '\0'..='\x1f' | '\u{fffe}' | '\u{ffff}' => {
                    let problem =
                        format!("the character U+{:04X} of a text is none of XML", u32::from(character));
                    return Err(FileError::Unwritable(problem));
                }
                other => self.line.push(other),
            }
        }
        Ok(())
    }

    fn write_line(&mut self) -> Result<()> {
        self.into.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

/// The type in GraphML; text for what has none.
fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Int(_) => "int",
        Value::Long(_) => "long",
        Value::Float(_) => "float",
        Value::Double(_) => "double",
        Value::Bool(_) => "boolean",
        _ => "string",
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        // Java's names are read by Java; digits are the shortest that make the same number.
        Value::Float(it) if it.is_infinite() => if *it > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        Value::Double(it) if it.is_infinite() => if *it > 0.0 { "Infinity" } else { "-Infinity" }.into(),
        Value::Float(it) => format!("{it:?}"),
        Value::Double(it) => format!("{it:?}"),
        other => other.to_string(),
    }
}

impl GraphFileWriter for Writer {
    fn passes(&self) -> &'static [Pass] {
        &[Pass::Vertices, Pass::Edges, Pass::Vertices, Pass::Edges]
    }

    fn begin(&mut self, pass: usize) -> Result<()> {
        (self.pass, self.writes) = (pass, pass >= 2);
        if pass == 2 { self.head() } else { Ok(()) }
    }

    fn vertex(&mut self, vertex: &Vertex) -> Result<()> {
        let properties = || vertex.properties.iter().map(|property| (&property.key, &property.value));
        if !self.writes {
            let mut keys = FxHashSet::default();
            if let Some(twice) = vertex.properties.iter().find(|property| !keys.insert(&property.key)) {
                return Err(FileError::Unwritable(format!(
                    "Multiple properties exist for the provided key: [{}]. Multi-properties are not directly \
                     supported by GraphML format",
                    twice.key
                )));
            }
            self.learn(OF_VERTICES, properties());
            return Ok(());
        }
        self.line.push_str("<node id=\"");
        self.escaped(&text_of(&vertex.id))?;
        self.line.push_str("\">");
        self.data(LABEL_V, &vertex.label)?;
        self.properties(OF_VERTICES, properties())?;
        self.line.push_str("</node>");
        self.write_line()
    }

    fn edge(&mut self, _: Direction, edge: &Edge) -> Result<()> {
        let properties = || edge.properties.iter().map(|property| (&property.key, &property.value));
        if !self.writes {
            self.learn(OF_EDGES, properties());
            return Ok(());
        }
        for (before, id) in
            [("<edge id=\"", &edge.id), ("\" source=\"", &edge.out_v.id), ("\" target=\"", &edge.in_v.id)]
        {
            self.line.push_str(before);
            self.escaped(&text_of(id))?;
        }
        self.line.push_str("\">");
        self.data(LABEL_E, &edge.label)?;
        self.properties(OF_EDGES, properties())?;
        self.line.push_str("</edge>");
        self.write_line()
    }

    fn apart(&self) -> Option<Box<dyn StretchWriter>> {
        if !self.writes {
            return Some(Box::new(Learner { writer: Self::new(Box::new(std::io::sink())), pass: self.pass }));
        }
        let keys = self.keys.clone();
        Some(Apart::boxed(|into| Self { keys, writes: true, ..Self::new(into) }))
    }

    fn add(&mut self, stretch: Stretch) -> Result<()> {
        match stretch.0 {
            Made::Text(bytes) => self.into.write_all(&bytes)?,
            Made::Keys(keys) => keys.iter().for_each(|(key, found)| self.learn_key(self.pass, key, found)),
            Made::Own(_) => {}
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.line.push_str("</graph></graphml>");
        self.write_line()?;
        Ok(self.into.flush()?)
    }
}

/// Learns keys apart.
struct Learner {
    writer: Writer,
    pass: usize,
}

impl StretchWriter for Learner {
    fn vertex(&mut self, vertex: &Vertex) -> Result<()> {
        self.writer.vertex(vertex)
    }

    fn edge(&mut self, direction: Direction, edge: &Edge) -> Result<()> {
        self.writer.edge(direction, edge)
    }

    fn bytes(&self) -> usize {
        0
    }

    fn take(&mut self) -> Stretch {
        let keys = std::mem::take(&mut self.writer.keys[self.pass]);
        Stretch(Made::Keys(keys.into_iter().map(|(key, (found, _))| (key, found)).collect()))
    }
}
