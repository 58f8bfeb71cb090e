//! What writes plans down: the words that all that is in a plan shares. What it says of itself stands beside its type.

use std::fmt::{self, Write};

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use values::{Direction, Str, T, Value, watch};

use crate::Schema;
use crate::physical::{SideEffectId, Slot};

/// Most spaces before a line.
const MOST_INDENT: usize = 80;

/// Most bytes of a plan in words, unless less is wanted.
const MOST_BYTES: usize = 4 << 20;

/// Most bytes of the name of a step: whoever shows one shows fewer letters.
const MOST_BRIEF: usize = 1 << 10;

/// Most bytes of a constant: one may have megabytes, and stand at thousands of places.
const MOST_OF_VALUE: usize = 4 << 10;

/// Bytes that take as long as a tick to write: see [`watch`].
const BYTES_PER_TICK: usize = 64;

/// Writes into a text until that has so many bytes; then "…", and nothing more.
///
/// A value stands in memory once, however often a traversal mentions it; written down it stands there each time, which can make
/// gigabytes of a short request.
pub(crate) struct Bounded<'a> {
    /// Where it is written.
    pub text: &'a mut String,
    /// The bound.
    pub most: usize,
}

impl Write for Bounded<'_> {
    /// Fails where there is no room, so that whoever writes need not go on.
    fn write_str(&mut self, more: &str) -> fmt::Result {
        watch::ticks(1 + more.len() / BYTES_PER_TICK);
        let Some(room) = self.most.checked_sub(self.text.len()) else { return Err(fmt::Error) };
        if more.len() <= room {
            self.text.push_str(more);
            return Ok(());
        }
        let end = (room..more.len()).find(|at| more.is_char_boundary(*at)).unwrap_or(more.len());
        self.text.push_str(&more[..end]);
        // That it is longer than the bound says that it is cut.
        self.text.push('…');
        Err(fmt::Error)
    }
}

/// Writes plans down.
pub(crate) struct Words<'a> {
    /// Names of ids.
    pub schema: &'a dyn Schema,
    /// What has been written.
    pub text: String,
    /// Most bytes of it.
    most: usize,
    /// Whether subqueries and slots are left out: names of steps say neither.
    brief: bool,
}

/// What has words of its own, for `explain()` and the names of steps in `profile()`.
pub(crate) trait InWords {
    /// Writes it down.
    fn write(&self, words: &mut Words<'_>);
}

impl<'a> Words<'a> {
    /// Nothing written yet.
    pub fn new(schema: &'a dyn Schema) -> Self {
        Self { schema, text: String::with_capacity(64), most: MOST_BYTES, brief: false }
    }

    /// As [`Words::new`], for the name of a step.
    pub fn brief(schema: &'a dyn Schema) -> Self {
        Self { brief: true, most: MOST_BRIEF, ..Self::new(schema) }
    }

    /// The same, no longer than so many bytes.
    pub fn at_most(self, bytes: usize) -> Self {
        Self { most: bytes, ..self }
    }

    /// Whether subqueries and slots are left out.
    pub fn is_brief(&self) -> bool {
        self.brief
    }

    /// Writes text as it is.
    pub fn raw(&mut self, text: &str) {
        // What there is no room for is left out.
        let _ = self.bounded().write_str(text);
    }

    fn bounded(&mut self) -> Bounded<'_> {
        Bounded { text: &mut self.text, most: self.most }
    }

    /// Whether it is cut.
    fn is_full(&self) -> bool {
        self.text.len() > self.most
    }

    /// Begins a line so far in, but for lines of what is nested deeper than anybody could follow: with thousands of levels the
    /// spaces alone would take gigabytes.
    pub fn indent(&mut self, by: usize) {
        self.raw(&" ".repeat(by.min(MOST_INDENT)));
    }

    /// Writes something with a text of its own.
    pub fn show(&mut self, what: impl std::fmt::Display) {
        let _ = write!(self.bounded(), "{what}");
    }

    /// Writes what has words of its own.
    pub fn say(&mut self, what: &impl InWords) {
        what.write(self);
    }

    /// Writes several of them, with commas.
    pub fn all<'w>(&mut self, several: impl IntoIterator<Item = &'w (impl InWords + 'w)>) {
        self.list(several, ", ", |w, one| w.say(one));
    }

    /// Writes the parts of a condition, in parentheses.
    pub fn parts(&mut self, parts: &[impl InWords], separator: &str) {
        self.call("", |w| w.list(parts, separator, |w, part| w.say(part)));
    }

    /// Writes items with a separator between them.
    pub fn list<I: IntoIterator>(
        &mut self,
        items: I,
        separator: &str,
        mut one: impl FnMut(&mut Self, I::Item),
    ) {
        for (i, item) in items.into_iter().enumerate() {
            watch::tick();
            if self.is_full() {
                return;
            }
            if i > 0 {
                self.raw(separator);
            }
            one(self, item);
        }
    }

    /// Writes a name and, in parentheses, what it is given.
    pub fn call(&mut self, name: &str, args: impl FnOnce(&mut Self)) {
        self.raw(name);
        self.raw("(");
        args(self);
        self.raw(")");
    }

    /// Writes a slot.
    pub fn slot(&mut self, slot: Slot) {
        if self.brief {
            return self.raw("…");
        }
        self.raw("s");
        self.show(slot.0);
    }

    /// Writes the slot that something goes into, if it does.
    pub fn filling(&mut self, slot: Option<Slot>) {
        if let Some(slot) = slot {
            self.raw(" → ");
            self.slot(slot);
        }
    }

    /// Writes a side-effect.
    pub fn side_effect(&mut self, id: SideEffectId) {
        self.raw("side-effect ");
        self.show(id.0);
    }

    /// Writes the side-effect that something goes into, if it does.
    pub fn collecting_in(&mut self, id: Option<SideEffectId>) {
        if let Some(id) = id {
            self.raw(" into ");
            self.side_effect(id);
        }
    }

    /// Writes a constant, or the beginning of a long one.
    pub fn value(&mut self, value: &Value) {
        let most = self.most;
        self.most = most.min(self.text.len().saturating_add(MOST_OF_VALUE));
        self.all_of_value(value);
        self.most = most;
    }

    fn all_of_value(&mut self, value: &Value) {
        match value {
            Value::String(s) => {
                self.raw("'");
                self.raw(s);
                self.raw("'");
            }
            Value::Null => self.raw("null"),
            Value::Bool(v) => self.show(v),
            Value::Float(v) => self.show(v),
            Value::Double(v) => self.show(v),
            Value::T(t) => self.token(*t),
            Value::List(items) => {
                self.raw("[");
                self.list(items.iter(), ", ", |w, item| w.value(item));
                self.raw("]");
            }
            Value::Map(map) if map.is_empty() => self.raw("[:]"),
            Value::Map(map) => {
                self.raw("[");
                self.list(map.iter(), ", ", |w, (key, value)| {
                    w.value(key);
                    w.raw(": ");
                    w.value(value);
                });
                self.raw("]");
            }
            other => self.show(other),
        }
    }

    /// Writes a token.
    pub fn token(&mut self, token: T) {
        self.raw(match token {
            T::Id => "T.id",
            T::Label => "T.label",
            T::Key => "T.key",
            T::Value => "T.value",
        });
    }

    /// Writes between which names a path is looked at.
    pub fn path_ends(&mut self, from: Option<&Str>, to: Option<&Str>) {
        for (word, end) in [(" from '", from), (" to '", to)] {
            if let Some(name) = end {
                self.raw(word);
                self.raw(name);
                self.raw("'");
            }
        }
    }

    /// Writes the name of a key.
    pub fn key(&mut self, key: KeyId) {
        let name = self.schema.key_name(key);
        self.raw(&name);
    }

    /// Writes the names of vertex labels.
    pub fn vertex_labels(&mut self, labels: &[VertexLabelId]) {
        self.list(labels, ", ", |w, label| {
            let name = w.schema.vertex_label_name(*label);
            w.raw(&name);
        });
    }

    /// Writes the names of edge labels.
    pub fn edge_labels(&mut self, labels: &[EdgeLabelId]) {
        self.list(labels, ", ", |w, label| {
            let name = w.schema.edge_label_name(*label);
            w.raw(&name);
        });
    }
}

/// The name of a vertex step: `out`, `bothE`, …
pub(crate) fn move_name(direction: Direction, edges: bool) -> &'static str {
    match (direction, edges) {
        (Direction::Out, false) => "out",
        (Direction::In, false) => "in",
        (Direction::Both, false) => "both",
        (Direction::Out, true) => "outE",
        (Direction::In, true) => "inE",
        (Direction::Both, true) => "bothE",
    }
}
