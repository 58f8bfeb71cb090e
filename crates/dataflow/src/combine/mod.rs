//! What becomes of two values that are to be one: in a sack, in a side-effect, in a group, and where a stream is folded.
//!
//! It must never know who holds the values, nor where they come from.
//!
//! | file | what |
//! |---|---|
//! | `operators.rs` | TinkerPop's operators (`Operator.sum` and its kin) |
//! | `given.rs` | a value that users gave, and an object that is added to it |
//! | `groups.rs` | two results of one group |

mod given;
mod groups;
mod operators;

pub(crate) use given::{is_grown, merge, merge_times, mismatch, once_is_enough, too_deep};
pub(crate) use groups::Combine;
pub(crate) use operators::combine;
