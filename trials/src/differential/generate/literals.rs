//! Literals and predicates.

use super::{Generator, Kind};
use crate::differential::graph::{EDGE_LABELS, FIRST_EDGE, NAMES, VERTEX_LABELS};

impl Generator<'_> {
    /// The id of a vertex, mostly of one that exists.
    pub(super) fn vertex_id(&mut self) -> i64 {
        self.rng.i64(1..=self.graph.vertices.len() as i64 + 1)
    }

    /// The id of an edge, mostly of one that exists.
    pub(super) fn edge_id(&mut self) -> i64 {
        FIRST_EDGE + self.rng.i64(0..=self.graph.edges.len() as i64)
    }

    pub(super) fn vertex_label(&mut self) -> &'static str {
        if self.once_in(12) { "nope" } else { self.pick(VERTEX_LABELS) }
    }

    pub(super) fn edge_label(&mut self) -> &'static str {
        if self.once_in(12) { "nope" } else { self.pick(EDGE_LABELS) }
    }

    /// A key of what has properties, and the kind of its values.
    pub(super) fn key(&mut self, of: &Kind) -> (&'static str, Kind) {
        let keys: &[(&str, Kind)] = match of {
            Kind::Edge => &[
                ("weight", Kind::Number),
                ("weight", Kind::Number),
                ("n", Kind::Number),
                ("name", Kind::Text),
                ("nope", Kind::Mixed),
            ],
            Kind::VertexProperty => {
                &[("since", Kind::Number), ("since", Kind::Number), ("until", Kind::Number)]
            }
            _ => &[
                ("name", Kind::Text),
                ("name", Kind::Text),
                ("name", Kind::Text),
                ("age", Kind::Number),
                ("age", Kind::Number),
                ("age", Kind::Number),
                ("n", Kind::Number),
                ("n", Kind::Number),
                ("tag", Kind::Text),
                ("tag", Kind::Text),
                ("x", Kind::Mixed),
                ("ok", Kind::Bool),
                ("born", Kind::Date),
                ("nope", Kind::Mixed),
            ],
        };
        keys[self.rng.usize(..keys.len())].clone()
    }

    /// A key with one value at most, for `by`.
    pub(super) fn single_key(&mut self, of: &Kind) -> (&'static str, Kind) {
        loop {
            let (key, kind) = self.key(of);
            if key != "tag" || self.once_in(20) {
                return (key, kind);
            }
        }
    }

    /// A literal of that kind.
    pub(super) fn literal(&mut self, kind: &Kind) -> String {
        match kind {
            Kind::Number => self.number(),
            Kind::Text => self.text(),
            Kind::Bool => self.pick(&["true", "false"]).to_owned(),
            Kind::Date => format!("datetime('1970-01-0{}T00:00:00Z')", self.rng.u8(1..4)),
            Kind::Many(of) => {
                let many: Vec<_> = (0..self.rng.usize(..4)).map(|_| self.literal(of)).collect();
                format!("[{}]", many.join(", "))
            }
            Kind::Map(_) => format!("[a: {}, b: {}]", self.number(), self.text()),
            _ => match self.rng.u8(..4) {
                0 => self.text(),
                1 => self.pick(&["true", "false"]).to_owned(),
                _ => self.number(),
            },
        }
    }

    /// A small number of one of the types that Gremlin can write.
    pub(super) fn number(&mut self) -> String {
        match self.rng.u8(..10) {
            0 => format!("{}L", self.rng.i32(-2..4)),
            1 => format!("{:?}", f64::from(self.rng.i32(-4..8)) / 4.0),
            2 => format!("{:?}f", self.rng.i32(-2..4) as f32 / 2.0),
            3 => self.rng.i32(20..24).to_string(),
            _ => self.rng.i32(-1..4).to_string(),
        }
    }

    pub(super) fn text(&mut self) -> String {
        match self.rng.u8(..4) {
            0 => format!("'{}'", self.pick(&["red", "green", "blue", "knows", "person", "", "a", "n"])),
            _ => format!("'{}'", self.pick(NAMES)),
        }
    }

    /// A predicate on objects of that kind.
    pub(super) fn predicate(&mut self, kind: &Kind) -> String {
        match self.rng.u8(..12) {
            0 => format!("{}.and({})", self.simple_predicate(kind), self.simple_predicate(kind)),
            1 => format!("{}.or({})", self.simple_predicate(kind), self.simple_predicate(kind)),
            2 => format!("not({})", self.simple_predicate(kind)),
            3 => format!("{}.negate()", self.simple_predicate(kind)),
            _ => self.simple_predicate(kind),
        }
    }

    fn simple_predicate(&mut self, kind: &Kind) -> String {
        if *kind == Kind::Text && self.rng.bool() {
            let op = self.pick(&[
                "startingWith",
                "endingWith",
                "containing",
                "notStartingWith",
                "notEndingWith",
                "notContaining",
                "TextP.containing",
            ]);
            let part = self.pick(&["a", "an", "B", "n", "e", " ", "", "o"]);
            return format!("{op}('{part}')");
        }
        if self.once_in(12) {
            let name = self.pick(&["INT", "LONG", "NUMBER", "STRING", "BOOLEAN", "DOUBLE", "LIST", "VERTEX"]);
            return format!("typeOf(GType.{name})");
        }
        match self.rng.u8(..10) {
            0 | 1 => {
                let op = self.pick(&["within", "without", "P.within"]);
                let many: Vec<_> = (0..self.rng.usize(..4)).map(|_| self.literal(kind)).collect();
                match self.rng.bool() {
                    true => format!("{op}({})", many.join(", ")),
                    false => format!("{op}([{}])", many.join(", ")),
                }
            }
            2 => {
                let op = self.pick(&["between", "inside", "outside"]);
                format!("{op}({}, {})", self.literal(kind), self.literal(kind))
            }
            _ => {
                let op = self.pick(&["eq", "neq", "gt", "lt", "gte", "lte", "P.gt", "P.eq"]);
                format!("{op}({})", self.literal(kind))
            }
        }
    }
}
