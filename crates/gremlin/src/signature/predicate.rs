//! Which operands predicates take.

use super::Kind;
use crate::{ParseErrorKind, Predicate};

/// Whether the predicate's own operands, not those of the predicates inside it, are of the kinds it takes.
///
/// # Errors
/// [`ParseErrorKind::Arguments`], as for a step.
pub(crate) fn check_predicate(predicate: &Predicate) -> Result<(), ParseErrorKind> {
    let takes = match predicate {
        Predicate::TypeOf(_) => Kind::STRING.or(Kind::GTYPE),
        Predicate::Text(..) => Kind::NAME.or(Kind::TRAVERSAL),
        _ => Kind::ANY,
    };
    let call = predicate.name();
    match predicate.operands().map(Kind::of).find(|kind| !kind.is_in(takes)) {
        None => Ok(()),
        Some(wrong) => Err(ParseErrorKind::Arguments {
            call: call.to_owned(),
            given: wrong.to_string(),
            forms: format!("{call}({takes})"),
        }),
    }
}
