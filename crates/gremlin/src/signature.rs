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

use crate::{SourceName, StepName};

/// One list of parameters that a call takes.
struct Form {
    /// The parameters that must be there.
    params: &'static [Kind],
    /// What any number of further arguments must be; `None` when there can be none.
    rest: Option<Kind>,
}

/// A form of a call in words: what its arguments must be, and what any number of further ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormWords {
    /// The arguments that must be there, such as `string`, `traversal` or `T or column`.
    pub params: Vec<String>,
    /// What further arguments must be; `None` where there can be none.
    pub rest: Option<String>,
}

/// The forms of a step, for who tells users of them.
pub fn forms(step: StepName) -> Vec<FormWords> {
    in_words(forms::of_step(step))
}

/// The forms of a source instruction.
pub fn source_forms(source: SourceName) -> Vec<FormWords> {
    in_words(forms::of_source(source))
}

fn in_words(forms: &[Form]) -> Vec<FormWords> {
    let words = |form: &Form| FormWords {
        params: form.params.iter().map(Kind::to_string).collect(),
        rest: form.rest.map(|rest| rest.to_string()),
    };
    forms.iter().map(words).collect()
}
