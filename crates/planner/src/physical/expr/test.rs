//! Conditions on a traverser.

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use values::Str;

use super::{Predicate, Quantifier};
use crate::physical::Slot;
use crate::physical::slots::{Slots, Use, Visit};
use crate::words::{InWords, Words};

/// A condition on a traverser.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The current object satisfies the predicate.
    Is(Predicate),
    /// The object in the slot satisfies the predicate (`where('a', eq('b'))`).
    SlotIs(Slot, Predicate),
    /// The current element has a value under the key that satisfies the predicate (any one, of a multi-property).
    Has(KeyId, Predicate),
    /// The current element has the key.
    HasKey(KeyId),
    /// As [`Test::Has`], for a key the catalog did not know when the plan was made (matches only uncommitted data).
    HasNamed(Str, Predicate),
    /// The current element's id satisfies the predicate. Ids are equal if their texts are (`'1'` finds `1`).
    HasId(Predicate),
    /// The current element's label is one of these, by id. Which list applies depends on the element.
    Label {
        /// Admissible vertex labels.
        vertex: Vec<VertexLabelId>,
        /// Admissible edge labels.
        edge: Vec<EdgeLabelId>,
    },
    /// The current element's label, as text, satisfies the predicate (of a vertex property: its key).
    LabelIs(Predicate),
    /// The current property's key satisfies the predicate.
    PropertyKey(Predicate),
    /// The current property's value satisfies the predicate.
    PropertyValue(Predicate),
    /// The current object is a collection, and that many of its members satisfy the predicate.
    Members(Quantifier, Predicate),
    /// The slot holds true (a mark of a test scope).
    Mark(Slot),
    /// The slot holds something (a fetched value that is not absent).
    Present(Slot),
    /// The slot holds the object of that name; that it holds none ends the query.
    Given(Slot, Str),
    /// The path visits no object twice. The two optional names are `from` and `to`.
    SimplePath(Option<Str>, Option<Str>),
    /// Whether the number of iterations completed in the innermost loop satisfies the predicate (`loops().is(…)`).
    Loops(Predicate),
    /// Always or never.
    Constant(bool),
    /// All hold.
    And(Vec<Test>),
    /// One holds.
    Or(Vec<Test>),
    /// It does not hold.
    Not(Box<Test>),
}

impl Test {
    /// Whether it looks at a side-effect (`where(within('x'))`).
    #[must_use]
    pub fn looks_at_side_effects(&self) -> bool {
        match self {
            Self::Is(predicate)
            | Self::SlotIs(_, predicate)
            | Self::Has(_, predicate)
            | Self::HasNamed(_, predicate)
            | Self::HasId(predicate)
            | Self::LabelIs(predicate)
            | Self::PropertyKey(predicate)
            | Self::PropertyValue(predicate)
            | Self::Members(_, predicate)
            | Self::Loops(predicate) => predicate.looks_at_side_effects(),
            Self::And(parts) | Self::Or(parts) => parts.iter().any(Self::looks_at_side_effects),
            Self::Not(inner) => inner.looks_at_side_effects(),
            Self::HasKey(_)
            | Self::Label { .. }
            | Self::Mark(_)
            | Self::Present(_)
            | Self::Given(..)
            | Self::SimplePath(..)
            | Self::Constant(_) => false,
        }
    }
}

impl InWords for Test {
    fn write(&self, words: &mut Words<'_>) {
        match self {
            Self::Is(predicate) => about("it", predicate, words),
            Self::SlotIs(slot, predicate) => {
                words.slot(*slot);
                about("", predicate, words);
            }
            Self::Has(key, predicate) => {
                words.key(*key);
                about("", predicate, words);
            }
            Self::HasKey(key) => {
                words.raw("has ");
                words.key(*key);
            }
            Self::HasNamed(name, predicate) => about(name, predicate, words),
            Self::HasId(predicate) => about("T.id", predicate, words),
            Self::Label { vertex, edge } => words.call("label in ", |w| {
                w.vertex_labels(vertex);
                if !edge.is_empty() {
                    w.raw("; edges: ");
                    w.edge_labels(edge);
                }
            }),
            Self::LabelIs(predicate) => about("T.label", predicate, words),
            Self::PropertyKey(predicate) => about("T.key", predicate, words),
            Self::PropertyValue(predicate) => about("T.value", predicate, words),
            Self::Members(quantifier, predicate) => about(quantifier.of_members(), predicate, words),
            Self::Mark(slot) => {
                words.raw("mark ");
                words.slot(*slot);
            }
            Self::Present(slot) => {
                words.raw("present ");
                words.slot(*slot);
            }
            Self::Given(slot, name) => {
                words.show(format_args!("given {name} "));
                words.slot(*slot);
            }
            Self::SimplePath(from, to) => {
                words.raw("simple path");
                words.path_ends(from.as_ref(), to.as_ref());
            }
            Self::Loops(predicate) => about("loops", predicate, words),
            Self::Constant(value) => words.show(value),
            Self::And(parts) => words.parts(parts, " and "),
            Self::Or(parts) => words.parts(parts, " or "),
            Self::Not(inner) => words.call("not ", |w| w.say(&**inner)),
        }
    }
}

fn about(subject: &str, predicate: &Predicate, words: &mut Words<'_>) {
    words.raw(subject);
    words.raw(" ");
    words.say(predicate);
}

impl Slots for Test {
    fn for_each_slot(&mut self, visit: Visit<'_>) {
        match self {
            Self::SlotIs(slot, predicate) => {
                visit(slot, Use::Read);
                predicate.for_each_slot(visit);
            }
            Self::Is(predicate)
            | Self::Has(_, predicate)
            | Self::HasNamed(_, predicate)
            | Self::HasId(predicate)
            | Self::LabelIs(predicate)
            | Self::PropertyKey(predicate)
            | Self::PropertyValue(predicate)
            | Self::Members(_, predicate)
            | Self::Loops(predicate) => predicate.for_each_slot(visit),
            Self::Mark(slot) | Self::Present(slot) | Self::Given(slot, _) => visit(slot, Use::Read),
            Self::HasKey(_) | Self::Label { .. } | Self::SimplePath(..) | Self::Constant(_) => {}
            Self::And(parts) | Self::Or(parts) => parts.for_each_slot(visit),
            Self::Not(inner) => inner.for_each_slot(visit),
        }
    }
}
