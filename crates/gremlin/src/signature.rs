//! Which arguments each step, source instruction and predicate takes.
//!
//! A call may have several [`Form`]s, as the grammar's overloads; an argument has one [`Kind`], a parameter the union of
//! those it takes. Text and bytecode are held to the same forms, so no later stage meets a call it cannot read.

mod check;
mod forms;
mod kind;
mod predicate;

pub(crate) use check::{check_element, check_source, check_step};
pub(crate) use forms::is_start;
pub(crate) use predicate::check_predicate;

use kind::Kind;

/// One list of parameters that a call takes.
struct Form {
    /// The parameters that must be there.
    params: &'static [Kind],
    /// What any number of further arguments must be; `None` when there can be none.
    rest: Option<Kind>,
}
