//! Tests and predicates on the columns of a traverser. Each has its words and its slots beside it.

mod operand;
mod predicate;
mod test;

pub use operand::Operand;
pub use predicate::{Predicate, Quantifier};
pub use test::Test;
