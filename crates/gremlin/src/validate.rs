//! Holding a traversal that did not come as text to the rules that text is held to.

use crate::signature::{check_element, check_predicate, check_source, check_step, is_start};
use crate::{Argument, ParseError, ParseErrorKind, ParseLimits, Predicate, Traversal};
use values::watch;

/// Checks a whole traversal that came as bytecode: that it begins with a step that can, that each call has arguments
/// that one of its forms takes, and that it is not nested too deep.
///
/// # Errors
/// The same kinds as [`crate::parse`], without a position.
pub fn validate(traversal: &Traversal, limits: &ParseLimits) -> Result<(), ParseError> {
    let checked = match traversal.steps.first() {
        None => Err(ParseErrorKind::NoStep),
        Some(first) if !is_start(first.name) => {
            Err(ParseErrorKind::NotAStart { name: first.name.as_str().to_owned() })
        }
        Some(_) => check_traversal(traversal, limits.depth, limits),
    };
    checked.map_err(|kind| ParseError { at: None, kind })
}

/// `depth` is how many levels of arguments there may still be.
fn check_traversal(traversal: &Traversal, depth: u32, limits: &ParseLimits) -> Result<(), ParseErrorKind> {
    for call in &traversal.source {
        check_source(call.name, &call.args)?;
        check_arguments(&call.args, depth, limits)?;
    }
    for call in &traversal.steps {
        check_step(call.name, &call.args)?;
        check_arguments(&call.args, depth, limits)?;
    }
    Ok(())
}

fn check_arguments(args: &[Argument], depth: u32, limits: &ParseLimits) -> Result<(), ParseErrorKind> {
    args.iter().try_for_each(|argument| check_argument(argument, depth, limits))
}

fn check_argument(argument: &Argument, depth: u32, limits: &ParseLimits) -> Result<(), ParseErrorKind> {
    watch::tick();
    let depth = depth.checked_sub(1).ok_or(ParseErrorKind::TooDeep { limit: limits.depth })?;
    match argument {
        Argument::Traversal(traversal) => check_traversal(traversal, depth, limits),
        Argument::Predicate(predicate) => check_predicates(predicate, depth, limits),
        Argument::Binding(_, inner) => check_argument(inner, depth, limits),
        Argument::List(items) | Argument::Set(items) => check_elements(items.iter(), depth, limits),
        Argument::Map(entries) => check_elements(entries.iter().flat_map(|(k, v)| [k, v]), depth, limits),
        Argument::Strategy(strategy) => {
            check_elements(strategy.configuration.iter().map(|(_, value)| value), depth, limits)
        }
        _ => Ok(()),
    }
}

fn check_elements<'a>(
    mut elements: impl Iterator<Item = &'a Argument>,
    depth: u32,
    limits: &ParseLimits,
) -> Result<(), ParseErrorKind> {
    elements.try_for_each(|element| {
        check_element(element)?;
        check_argument(element, depth, limits)
    })
}

/// Checks a predicate inside of which there may be `depth` more levels, be they predicates or operands.
pub(crate) fn check_predicates(
    predicate: &Predicate,
    depth: u32,
    limits: &ParseLimits,
) -> Result<(), ParseErrorKind> {
    watch::tick();
    check_predicate(predicate)?;
    predicate.operands().try_for_each(|operand| check_argument(operand, depth, limits))?;
    predicate.inner().iter().try_for_each(|inner| {
        let depth = depth.checked_sub(1).ok_or(ParseErrorKind::TooDeep { limit: limits.depth })?;
        check_predicates(inner, depth, limits)
    })
}
