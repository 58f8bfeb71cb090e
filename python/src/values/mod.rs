//! Values of the engine as Python's, and back.

pub(crate) mod elements;
pub(crate) mod from_python;
mod known;
mod numpy;
mod times;
pub(crate) mod to_python;
