//! Which elements a traversal begins at, and where it goes along edges.

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use values::Direction;

use crate::physical::op::write_parts;
use crate::physical::{EdgeLabels, ElementKind, IndexedRange, Operand, Slot, SortedPart, Test};
use crate::words::{InWords, Words, move_name};

/// Which elements `V()` or `E()` yields.
#[derive(Clone, Debug, PartialEq)]
pub struct Access {
    /// Vertices or edges.
    pub element: ElementKind,
    /// How they are found.
    pub lookup: Lookup,
}

/// How elements are found.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the fields are those of the physical sources")]
pub enum Lookup {
    /// All of them.
    All,
    /// Those with one of these ids.
    Ids(Vec<Operand>),
    /// Vertices of these labels.
    VertexLabels(Vec<VertexLabelId>),
    /// Edges of these labels.
    EdgeLabels(Vec<EdgeLabelId>),
    /// Through an equality index.
    Index { labels: Vec<VertexLabelId>, key: KeyId, values: Vec<Operand>, spread: bool },
    /// Through a range index; those that it finds are to be tested.
    Range { labels: Vec<VertexLabelId>, range: IndexedRange },
}

/// Along edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Move {
    /// The way.
    pub direction: Direction,
    /// The labels.
    pub labels: EdgeLabels,
    /// Whether it yields the edges; otherwise the neighbours.
    pub edges: bool,
    /// Only edges that satisfy this.
    pub edge_test: Option<Test>,
    /// For edges: where the vertex is kept that they were reached from, for `otherV`.
    pub from: Option<Slot>,
    /// Edge properties fetched on the way.
    pub fetch: Vec<(KeyId, Slot)>,
    /// Whether an end that was reached before is left out.
    pub distinct: bool,
    /// Which part is wanted of lists that a sort key orders.
    pub sorted: Option<SortedPart>,
    /// Which parts are wanted of lists that a secondary edge-tree orders.
    pub secondary: Vec<SortedPart>,
}

impl InWords for Access {
    fn write(&self, words: &mut Words<'_>) {
        words.call(if self.element == ElementKind::Vertex { "V" } else { "E" }, |w| w.say(&self.lookup));
    }
}

impl InWords for Lookup {
    fn write(&self, words: &mut Words<'_>) {
        let any_of = |w: &mut Words<'_>, labels: &[VertexLabelId]| {
            w.list(labels, "|", |w, label| w.vertex_labels(&[*label]));
        };
        match self {
            Self::All => {}
            Self::Ids(ids) => words.all(ids),
            Self::VertexLabels(labels) => {
                words.raw("label ");
                words.vertex_labels(labels);
            }
            Self::EdgeLabels(labels) => {
                words.raw("label ");
                words.edge_labels(labels);
            }
            Self::Index { labels, key, values, spread } => {
                words.raw("index ");
                any_of(words, labels);
                words.raw(".");
                words.key(*key);
                words.raw(if *spread { " = all of " } else { " = " });
                words.all(values);
            }
            Self::Range { labels, range } => {
                words.raw("index range ");
                any_of(words, labels);
                words.raw(": ");
                words.say(range);
            }
        }
    }
}

impl InWords for Move {
    fn write(&self, words: &mut Words<'_>) {
        words.call(move_name(self.direction, self.edges), |w| {
            w.say(&self.labels);
            if let Some(test) = &self.edge_test {
                w.raw("; edges with ");
                w.say(test);
            }
            for (key, slot) in &self.fetch {
                w.raw("; fetch ");
                w.key(*key);
                w.raw(":");
                w.slot(*slot);
            }
            w.raw(if self.distinct { "; distinct" } else { "" });
            write_parts(self.sorted.as_ref(), &self.secondary, w);
        });
    }
}
