//! Predicates.

use super::chain::as_type;
use super::{Parser, Refusal, Result};
use crate::cursor::shorten;
use crate::signature::check_predicate;
use crate::validate::check_predicates;
use crate::{Argument, ParseErrorKind, Predicate, PredicateOp, StepName, TextOp};
use values::{Value, watch};

/// Every predicate that is not a comparison and not about text.
const OTHERS: [&str; 7] = ["within", "without", "inside", "outside", "between", "typeOf", "not"];

impl Parser<'_, '_> {
    /// The predicate of that name, with what is chained to it; `None` when no predicate has the name. The cursor is
    /// behind the name.
    pub(super) fn predicate(&mut self, name: &str, offset: usize) -> Result<Option<Predicate>> {
        let known = PredicateOp::from_name(name).is_some()
            || TextOp::from_name(name).is_some()
            || OTHERS.contains(&name);
        if !known {
            return Ok(None);
        }
        let mut args = self.arguments()?;
        let predicate = match (name, args.len()) {
            ("within", _) => Predicate::Within(self.spread(args, offset)?),
            ("without", _) => Predicate::Without(self.spread(args, offset)?),
            ("inside" | "outside" | "between", 2) => two_ended(name, args),
            (_, 1) => one_ended(name, args.pop()).ok_or_else(|| self.wrong_operands(name, offset))?,
            _ => return Err(self.wrong_operands(name, offset)),
        };
        check_predicate(&predicate).map_err(|kind| self.error(offset, kind))?;
        self.connectives(predicate).map(Some)
    }

    /// `not(…)`: of a predicate it is a predicate, of a traversal a step. The cursor is behind the name.
    pub(super) fn not(&mut self, offset: usize) -> Result<Argument> {
        let mut args = self.arguments()?;
        match (args.len(), args.pop()) {
            (1, Some(Argument::Predicate(inner))) => {
                self.connectives(inner.negate()).map(Argument::Predicate)
            }
            (_, last) => {
                args.extend(last);
                self.anonymous_from(StepName::Not, offset, args).map(Argument::Traversal)
            }
        }
    }

    /// What is chained to a predicate: `.and(…)`, `.or(…)`, `.negate()`. Each may put another level around the
    /// predicate though the text does not nest, so the levels are counted, and the whole is checked once at the end.
    fn connectives(&mut self, mut predicate: Predicate) -> Result<Predicate> {
        const EXPECTED: &str = "`and`, `or` or `negate`";
        let limits = self.options.limits;
        let room = limits.depth - self.depth;
        let start = self.cursor.offset();
        let mut levels = 0;
        while self.cursor.eat(b'.') {
            let (word, offset) = self.expect_word(EXPECTED)?;
            let before = std::mem::discriminant(&predicate);
            predicate = match word {
                "negate" => {
                    self.no_arguments()?;
                    predicate.negate()
                }
                "and" => Predicate::And(joined(predicate, self.right_hand(offset)?, |p| match p {
                    Predicate::And(inner) => Ok(inner),
                    other => Err(other),
                })),
                "or" => Predicate::Or(joined(predicate, self.right_hand(offset)?, |p| match p {
                    Predicate::Or(inner) => Ok(inner),
                    other => Err(other),
                })),
                _ => return Err(self.unexpected(offset, EXPECTED)),
            };
            // The same kind as before was extended, not wrapped. A negation taken back is counted as a level too, so
            // this bounds the work; the depth itself is checked below.
            levels += u32::from(std::mem::discriminant(&predicate) != before);
            if levels > 2 * room {
                return Err(self.error(offset, ParseErrorKind::TooDeep { limit: limits.depth }));
            }
        }
        if levels > 0 {
            check_predicates(&predicate, room, &limits).map_err(|kind| self.error(start, kind))?;
        }
        Ok(predicate)
    }

    /// The one predicate that `and` or `or` takes.
    fn right_hand(&mut self, offset: usize) -> Result<Predicate> {
        let mut args = self.arguments()?;
        match (args.len(), args.pop()) {
            (1, Some(Argument::Predicate(predicate))) => Ok(predicate),
            _ => Err(self.unexpected(offset, "exactly one predicate in the parentheses")),
        }
    }

    /// The operands of `within`: a lone collection stands for its elements.
    fn spread(&mut self, mut args: Vec<Argument>, offset: usize) -> Result<Vec<Argument>> {
        let [lone] = args.as_mut_slice() else { return Ok(args) };
        let spread: Vec<Argument> = match lone {
            Argument::Value(Value::List(items)) => {
                self.count_values(offset, items.len())?;
                items.iter().cloned().map(Argument::Value).collect()
            }
            Argument::Value(Value::Set(items)) => {
                self.count_values(offset, items.len())?;
                items.iter().cloned().map(Argument::Value).collect()
            }
            Argument::List(items) | Argument::Set(items) => std::mem::take(items),
            _ => return Ok(args),
        };
        Ok(spread)
    }

    #[cold]
    fn wrong_operands(&mut self, name: &str, offset: usize) -> Refusal {
        let forms = match name {
            "inside" | "outside" | "between" => format!("{name}(value, value)"),
            "not" => "not(predicate)".to_owned(),
            _ => format!("{name}(value)"),
        };
        let given = "these arguments".to_owned();
        self.error(offset, ParseErrorKind::Arguments { call: name.to_owned(), given, forms })
    }

    #[cold]
    pub(super) fn unknown_predicate(&mut self, class: &str, name: &str, offset: usize) -> Refusal {
        let known: Vec<&str> = match class {
            "TextP" => TextOp::ALL.iter().map(|op| op.as_str()).collect(),
            _ => PredicateOp::ALL.iter().map(|op| op.as_str()).chain(OTHERS).collect(),
        };
        let (class, name, known) = (class.to_owned(), shorten(name), known.join(", "));
        self.error(offset, ParseErrorKind::UnknownToken { class, name, known })
    }
}

fn two_ended(name: &str, mut args: Vec<Argument>) -> Predicate {
    let mut next = || Box::new(args.pop().unwrap_or(Argument::Value(Value::Null)));
    let (high, low) = (next(), next());
    match name {
        "inside" => Predicate::Inside(low, high),
        "outside" => Predicate::Outside(low, high),
        _ => Predicate::Between(low, high),
    }
}

/// A predicate of one operand; `None` when it takes another number of them, or a predicate and was given none.
fn one_ended(name: &str, operand: Option<Argument>) -> Option<Predicate> {
    let operand = operand?;
    if name == "not" {
        return match operand {
            Argument::Predicate(inner) => Some(inner.negate()),
            _ => None,
        };
    }
    if name == "typeOf" {
        let mut operand = operand;
        as_type(&mut operand);
        return Some(Predicate::TypeOf(Box::new(operand)));
    }
    let operand = Box::new(operand);
    match PredicateOp::from_name(name) {
        Some(op) => Some(Predicate::Compare(op, operand)),
        None => TextOp::from_name(name).map(|op| Predicate::Text(op, operand)),
    }
}

/// The parts of a conjunction or disjunction of two: those of a part that is itself one are taken out of it.
fn joined(
    left: Predicate,
    right: Predicate,
    parts: impl Fn(Predicate) -> std::result::Result<Vec<Predicate>, Predicate>,
) -> Vec<Predicate> {
    let mut all = parts(left).unwrap_or_else(|single| vec![single]);
    match parts(right) {
        Ok(more) => {
            // Those of a chain of chains are moved once for each.
            watch::ticks(more.len());
            all.extend(more);
        }
        Err(single) => all.push(single),
    }
    all
}
