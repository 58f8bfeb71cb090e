//! The literals of Gremlin text: numbers and strings.
//!
//! Both readers take the text from the literal's first character on and give the value with the bytes it took.

mod number;
mod string;

pub(crate) use number::number;
pub(crate) use string::{Quoted, string};
