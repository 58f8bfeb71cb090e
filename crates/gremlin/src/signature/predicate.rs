//! Which operands predicates take.

use super::Kind;
use crate::{ParseErrorKind, Predicate};

/// Whether the predicate's own operands, not those of the predicates inside it, are of the kinds it takes.
///
/// # Errors
/// [`ParseErrorKind::Arguments`], as for a step.
pub(crate) fn check_predicate(predicate: &Predicate) -> Result<(), ParseErrorKind> {
    let takes: &[Kind] = match predicate {
        Predicate::TypeOf(_) => &[Kind::STRING.or(Kind::GTYPE)],
        Predicate::Text(..) => &[Kind::NAME, Kind::TRAVERSAL],
        _ => &[Kind::ANY],
    };
    let call = predicate.name();
    let fits = |kind: &Kind| takes.iter().any(|takes| kind.is_in(*takes));
    match predicate.operands().map(Kind::of).find(|kind| !fits(kind)) {
        None => Ok(()),
        Some(wrong) => Err(ParseErrorKind::Arguments {
            call: call.to_owned(),
            given: wrong.to_string(),
            forms: takes.iter().map(|takes| format!("{call}({takes})")).collect::<Vec<_>>().join(", "),
        }),
    }
}
