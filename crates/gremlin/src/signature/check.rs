//! Holding the arguments of a call to its forms.

use std::fmt::Write;

use super::{Form, Kind, forms};
use crate::{Argument, ParseErrorKind, SourceName, StepName};

/// Whether the arguments fit a form of the step.
///
/// # Errors
/// [`ParseErrorKind::Arguments`], which names the step, the kinds given, and the step's forms.
#[inline]
pub(crate) fn check_step(step: StepName, args: &[Argument]) -> Result<(), ParseErrorKind> {
    check(step.as_str(), forms::of_step(step), args)
}

/// As [`check_step`], for a source instruction.
pub(crate) fn check_source(source: SourceName, args: &[Argument]) -> Result<(), ParseErrorKind> {
    check(source.as_str(), forms::of_source(source), args)
}

/// Whether a collection, or a strategy's configuration, can hold the argument.
///
/// # Errors
/// [`ParseErrorKind::Arguments`], as for a step.
#[inline]
pub(crate) fn check_element(argument: &Argument) -> Result<(), ParseErrorKind> {
    let kind = Kind::of(argument);
    if kind.is_in(Kind::ANY) {
        return Ok(());
    }
    Err(ParseErrorKind::Arguments {
        call: "[…]".to_owned(),
        given: kind.to_string(),
        forms: "[value…]".to_owned(),
    })
}

#[inline]
fn check(call: &str, forms: &'static [Form], args: &[Argument]) -> Result<(), ParseErrorKind> {
    if forms.iter().any(|form| form.takes(args)) { Ok(()) } else { Err(refusal(call, forms, args)) }
}

impl Form {
    #[inline]
    fn takes(&self, args: &[Argument]) -> bool {
        if args.len() < self.params.len() || (self.rest.is_none() && args.len() > self.params.len()) {
            return false;
        }
        let (given, more) = args.split_at(self.params.len());
        given.iter().zip(self.params).all(|(arg, param)| Kind::of(arg).is_in(*param))
            && self.rest.is_none_or(|rest| more.iter().all(|arg| Kind::of(arg).is_in(rest)))
    }
}

#[cold]
fn refusal(call: &str, forms: &'static [Form], args: &[Argument]) -> ParseErrorKind {
    const SHOWN: usize = 8;
    let mut given: Vec<String> = args.iter().take(SHOWN).map(|arg| Kind::of(arg).to_string()).collect();
    if args.len() > SHOWN {
        given.push("…".to_owned());
    }
    let mut texts = String::new();
    for (i, form) in forms.iter().enumerate() {
        let between = if i == 0 { "" } else { ", " };
        // Writing to a string cannot fail.
        let _ = write!(texts, "{between}{call}({})", form.text());
    }
    ParseErrorKind::Arguments { call: call.to_owned(), given: given.join(", "), forms: texts }
}

impl Form {
    fn text(&self) -> String {
        let params = self.params.iter().map(Kind::to_string);
        params.chain(self.rest.map(|rest| format!("{rest}…"))).collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use values::Value;

    #[test]
    fn a_refusal_names_the_step_what_was_given_and_its_forms() {
        let args = [Argument::Value(Value::from("a"))];
        let refusal = check_step(StepName::Limit, &args).unwrap_err().to_string();
        assert_eq!(
            refusal,
            "`limit` has no form (string); its forms are limit(integer), limit(scope, integer)"
        );
    }

    #[test]
    fn further_arguments_must_be_of_the_kind_of_the_rest() {
        let label = Argument::Value(Value::from("a"));
        assert!(check_step(StepName::Out, &[label.clone(), label.clone()]).is_ok());
        assert!(check_step(StepName::Out, &[label.clone(), Argument::Value(Value::Int(1))]).is_err());
        assert!(check_step(StepName::Select, &[label.clone(), label]).is_ok());
    }

    #[test]
    fn every_step_and_source_instruction_has_a_form() {
        for step in StepName::ALL {
            assert!(!forms::of_step(*step).is_empty(), "{step:?}");
        }
        for source in SourceName::ALL {
            assert!(!forms::of_source(*source).is_empty(), "{source:?}");
        }
    }
}
