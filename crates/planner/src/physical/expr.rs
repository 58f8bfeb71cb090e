//! Tests and predicates on the columns of a traverser.

use graph::{EdgeLabelId, KeyId, VertexLabelId};
use gremlin::{PredicateOp, TextOp};
use values::{Str, Value};

use super::{SideEffectId, Slot};

/// Where a predicate's operand comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// Fixed in the plan.
    Const(Value),
    /// Given with each run: index into the query's parameters.
    Param(u32),
    /// A column of the same traverser.
    Slot(Slot),
    /// A side-effect of the query, as it is when the test runs.
    SideEffect(SideEffectId),
}

/// A condition on one value.
#[derive(Clone, Debug, PartialEq)]
pub enum Predicate {
    /// A comparison (Gremlin equality and comparability).
    Compare(PredicateOp, Operand),
    /// Equal to one of these. An operand that is a collection stands for its members when `spread`.
    Within {
        /// The members.
        members: Vec<Operand>,
        /// Whether collections among the operands are spread (a parameter or side-effect that holds the whole list).
        spread: bool,
    },
    /// A test on text.
    Text(TextOp, Operand),
    /// Of a type, by TinkerPop's type name.
    TypeOf(Str),
    /// All of them hold.
    And(Vec<Predicate>),
    /// One of them holds.
    Or(Vec<Predicate>),
    /// It does not hold. Comparing what cannot be compared is false, so its negation is true (TinkerPop 3.8).
    Not(Box<Predicate>),
}

/// How many members must satisfy a predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// At least one (`any(p)`).
    Any,
    /// All (`all(p)`).
    All,
    /// None (`none(p)`).
    None,
}

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
    /// The current element's label, as text, satisfies the predicate (also for properties: their key).
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
