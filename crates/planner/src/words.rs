//! What writes plans down: the words that all that is in a plan shares. What it says of itself stands beside its type.

use std::fmt::Write as _;

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use values::{Direction, Str, T, Value, watch};

use crate::Schema;
use crate::physical::{SideEffectId, Slot};

/// Most spaces before a line.
const MOST_INDENT: usize = 80;

/// Writes plans down.
pub(crate) struct Words<'a> {
    /// Names of ids.
    pub schema: &'a dyn Schema,
    /// What has been written.
    pub text: String,
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
        Self { schema, text: String::with_capacity(64), brief: false }
    }

    /// As [`Words::new`], for the name of a step.
    pub fn brief(schema: &'a dyn Schema) -> Self {
        Self { brief: true, ..Self::new(schema) }
    }

    /// Whether subqueries and slots are left out.
    pub fn is_brief(&self) -> bool {
        self.brief
    }

    /// Writes text as it is.
    pub fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Begins a line so far in, but for lines of what is nested deeper than anybody could follow: with thousands of levels the
    /// spaces alone would take gigabytes.
    pub fn indent(&mut self, by: usize) {
        self.text.extend(std::iter::repeat_n(' ', by.min(MOST_INDENT)));
    }

    /// Writes something with a text of its own.
    pub fn show(&mut self, what: impl std::fmt::Display) {
        // Writing into a string cannot fail.
        let _ = write!(self.text, "{what}");
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

    /// Writes a constant.
    pub fn value(&mut self, value: &Value) {
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
