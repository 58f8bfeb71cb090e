//! Writing GraphML: two walks to learn the keys and their types, two to write.

use std::fmt::Write as _;
use std::io::Write;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use values::{Direction, Edge, Str, Value, Vertex};

use super::super::apart::Apart;
use super::super::error::{FileError, Result};
use super::super::room::Holdings;
use super::super::{GraphFileWriter, Made, Pass, Stretch, StretchWriter};
use super::learned::{Learned, may_be_written_twice};
use super::{LABEL_E, LABEL_V};
use crate::error::quoted;

const BEGINS: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?><graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
                      xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
                      xsi:schemaLocation=\"http://graphml.graphdrawing.org/xmlns \
                      http://graphml.graphdrawing.org/xmlns/1.1/graphml.xsd\">";

/// See the module.
pub(in super::super) struct Writer {
    into: Box<dyn Write + Send>,
    /// What was learned of vertices, and of edges. When it is written, nothing more is.
    learned: Arc<[Learned; 2]>,
    writes: bool,
    /// The first one is of vertices and the second of edges, as what was learned is.
    pass: usize,
    line: String,
    /// Ids of the pass as they are written, where two might be alike.
    written: FxHashSet<String>,
    held: Holdings,
}

const OF_VERTICES: usize = 0;
const OF_EDGES: usize = 1;

impl Writer {
    pub(in super::super) fn new(into: Box<dyn Write + Send>, held: Holdings) -> Self {
        Self {
            into,
            learned: Arc::default(),
            writes: false,
            pass: 0,
            line: String::new(),
            written: FxHashSet::default(),
            held,
        }
    }

    /// What is learned of vertices, or of edges. Nobody else has it before it is written.
    fn learn(&mut self, of: usize) -> &mut Learned {
        &mut Arc::make_mut(&mut self.learned)[of]
    }

    /// Gives each key a name in the file: its own, unless another has it.
    fn name_keys(&mut self) -> Result<()> {
        let mut taken: FxHashSet<String> = [LABEL_V, LABEL_E].map(String::from).into_iter().collect();
        let learned = Arc::make_mut(&mut self.learned);
        for (of, label, suffix) in [(OF_VERTICES, LABEL_V, 'V'), (OF_EDGES, LABEL_E, 'E')] {
            if learned[of].keys.contains_key(label) {
                return Err(FileError::Unwritable(format!(
                    "there is a property `{label}`, which is how GraphML calls labels"
                )));
            }
            let other: FxHashSet<Str> = learned[1 - of].keys.keys().cloned().collect();
            for (key, values) in &mut learned[of].keys {
                let name = &mut values.name;
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
            let learned = Arc::clone(&self.learned);
            self.key(what, label, label, "string")?;
            for (key, values) in &learned[of].keys {
                said_of(self.key(what, &values.name, key, values.type_in_file()), || {
                    format!("the key {}", quoted(key))
                })?;
            }
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
            let learned = Arc::clone(&self.learned);
            let name = learned[of].keys.get(key).map_or(key.as_str(), |values| values.name.as_str());
            said_of(self.data(name, &text_of(value)), || format!("the property `{key}`"))?;
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
                    let problem = format!(
                        "the character U+{:04X} is none of XML, but GraphSON and Gryo have it",
                        u32::from(character)
                    );
                    return Err(FileError::Unwritable(problem));
                }
                other => self.line.push(other),
            }
        }
        Ok(())
    }

    fn node(&mut self, vertex: &Vertex) -> Result<()> {
        let properties = vertex.properties.iter().map(|property| (&property.key, &property.value));
        self.line.push_str("<node id=\"");
        self.escaped(&text_of(&vertex.id))?;
        self.line.push_str("\">");
        said_of(self.data(LABEL_V, &vertex.label), || "its label".into())?;
        self.properties(OF_VERTICES, properties)?;
        self.line.push_str("</node>");
        Ok(())
    }

    fn edge_between(&mut self, edge: &Edge) -> Result<()> {
        let properties = edge.properties.iter().map(|property| (&property.key, &property.value));
        for (before, id) in
            [("<edge id=\"", &edge.id), ("\" source=\"", &edge.out_v.id), ("\" target=\"", &edge.in_v.id)]
        {
            self.line.push_str(before);
            self.escaped(&text_of(id))?;
        }
        self.line.push_str("\">");
        said_of(self.data(LABEL_E, &edge.label), || "its label".into())?;
        self.properties(OF_EDGES, properties)?;
        self.line.push_str("</edge>");
        Ok(())
    }

    /// Refuses an id that another element has as the same text.
    fn refuse_twin(&mut self, what: &str, id: &Value) -> Result<()> {
        if !self.learned[self.pass].may_have_twins() || !may_be_written_twice(id) {
            return Ok(());
        }
        let text = text_of(id);
        let bytes = text.len() + ID;
        if !self.written.insert(text) {
            return Err(FileError::Unwritable(format!(
                "two {what} have ids that are the text {:?}, which would be one in GraphML; GraphSON and Gryo keep types of ids",
                text_of(id)
            )));
        }
        if !self.held.add(bytes) {
            let problem =
                "there is no room in memory for ids that may be alike as texts; write it as GraphSON or Gryo";
            return Err(FileError::Unwritable(problem.into()));
        }
        Ok(())
    }

    fn write_line(&mut self) -> Result<()> {
        self.into.write_all(self.line.as_bytes())?;
        self.line.clear();
        Ok(())
    }
}

/// What an id takes in memory beside its text.
const ID: usize = 48;

/// Adds to what cannot be written what that is of.
fn said_of(result: Result<()>, what: impl FnOnce() -> String) -> Result<()> {
    result.map_err(|error| match error {
        FileError::Unwritable(problem) => FileError::Unwritable(format!("{}: {problem}", what())),
        other => other,
    })
}

/// An id in messages.
fn shown(id: &Value) -> String {
    id.as_str().map_or_else(|| id.to_string(), quoted)
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
        (self.pass, self.writes) = (pass % 2, pass >= 2);
        self.written.clear();
        self.held.clear();
        if pass == 2 { self.head() } else { Ok(()) }
    }

    fn vertex(&mut self, vertex: &Vertex) -> Result<()> {
        if !self.writes {
            let mut keys = FxHashSet::default();
            if let Some(twice) = vertex.properties.iter().find(|property| !keys.insert(&property.key)) {
                return Err(FileError::Unwritable(format!(
                    "Multiple properties exist for the provided key: [{}]. Multi-properties are not directly \
                     supported by GraphML format",
                    twice.key
                )));
            }
            let learned = self.learn(OF_VERTICES);
            learned.id(&vertex.id);
            for property in &vertex.properties {
                learned.value(&property.key, &property.value, property.properties.len());
            }
            return Ok(());
        }
        self.refuse_twin("vertices", &vertex.id)?;
        said_of(self.node(vertex), || format!("the vertex {}", shown(&vertex.id)))?;
        self.write_line()
    }

    fn edge(&mut self, _: Direction, edge: &Edge) -> Result<()> {
        if !self.writes {
            let learned = self.learn(OF_EDGES);
            learned.id(&edge.id);
            edge.properties.iter().for_each(|property| learned.value(&property.key, &property.value, 0));
            return Ok(());
        }
        self.refuse_twin("edges", &edge.id)?;
        said_of(self.edge_between(edge), || format!("the edge {}", shown(&edge.id)))?;
        self.write_line()
    }

    fn apart(&self) -> Option<Box<dyn StretchWriter>> {
        let another = |into| Self::new(into, self.held.another());
        if !self.writes {
            return Some(Box::new(Learner { writer: another(Box::new(std::io::sink())), pass: self.pass }));
        }
        // Whether two ids are one text, only who sees all of them can tell.
        if self.learned[self.pass].may_have_twins() {
            return None;
        }
        let learned = Arc::clone(&self.learned);
        Some(Apart::boxed(|into| Self { learned, writes: true, pass: self.pass, ..another(into) }))
    }

    fn add(&mut self, stretch: Stretch) -> Result<()> {
        match stretch.0 {
            Made::Text(bytes) => self.into.write_all(&bytes)?,
            Made::Own(own) => {
                if let Ok(learned) = own.downcast::<Learned>() {
                    self.learn(self.pass).add(*learned);
                }
            }
        }
        Ok(())
    }

    fn losses(&self) -> Vec<String> {
        let [vertices, edges] = &*self.learned;
        [vertices.losses("vertices"), edges.losses("edges")].concat()
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
        let learned = std::mem::take(self.writer.learn(self.pass));
        Stretch(Made::Own(Box::new(learned)))
    }
}
