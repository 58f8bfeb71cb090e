//! Gremlin text and bytecode to one syntax tree.
//!
//! A [`Traversal`] is what both of Gremlin's notations say, as it was said: named steps with arguments, nothing
//! resolved, nothing planned. [`parse`] reads text; the `wire` crate reads bytecode into the same type.
//!
//! Invariant: this crate knows nothing of plans or of storage.

mod asked;
mod cursor;
mod error;
mod limits;
mod literal;
mod mutation;
mod name_index;
mod nearest;
mod parser;
mod print;
mod query;
mod shape;
mod signature;
mod text_memory;
mod traversal;
mod validate;

pub use asked::asked_about;
pub use error::{ParseError, ParseErrorKind};
pub use limits::{ParseLimits, ParseOptions};
pub use mutation::Effect;
pub use parser::{Bindings, Statements, is_own_word, parse, parse_parameters, parse_traversal, parse_with};
pub use query::{Action, Query, Statement, Terminal};
pub use shape::{Shape, ShapeKey, parameterize};
pub use signature::{FormWords, forms, source_forms};
pub use text_memory::{memory_of, memory_with};
pub use traversal::{
    Argument, Barrier, Cardinality, Column, Dt, Instruction, Lambda, Merge, Operator, Order, Pick, Pop,
    Position, Predicate, PredicateOp, Scope, SourceName, StepName, Strategy, TextOp, Traversal,
};
pub use validate::validate;
pub use values::GType;
