//! Predicates by the names they have on the wire.

use gremlin::{Argument, Predicate, PredicateOp, TextOp};
use values::Value;

use crate::error::Problem;

const COMPARE: [(&str, PredicateOp); 6] = [
    ("eq", PredicateOp::Eq),
    ("neq", PredicateOp::Neq),
    ("lt", PredicateOp::Lt),
    ("lte", PredicateOp::Lte),
    ("gt", PredicateOp::Gt),
    ("gte", PredicateOp::Gte),
];

const TEXT: [(&str, TextOp); 8] = [
    ("startingWith", TextOp::StartingWith),
    ("notStartingWith", TextOp::NotStartingWith),
    ("endingWith", TextOp::EndingWith),
    ("notEndingWith", TextOp::NotEndingWith),
    ("containing", TextOp::Containing),
    ("notContaining", TextOp::NotContaining),
    ("regex", TextOp::Regex),
    ("notRegex", TextOp::NotRegex),
];

/// A predicate taken apart for the wire.
pub(crate) struct Parts<'a> {
    /// Whether this is a `TextP`.
    pub is_text: bool,
    /// The name.
    pub name: &'static str,
    /// What it compares with.
    pub operands: Operands<'a>,
}

/// What a predicate compares with.
pub(crate) enum Operands<'a> {
    /// One operand.
    One(&'a Argument),
    /// Two operands.
    Two(&'a Argument, &'a Argument),
    /// The members of a collection.
    Collection(&'a [Argument]),
    /// The members of a collection that is a value.
    Values(&'a [Value]),
    /// Predicates to be combined.
    Predicates(&'a [Predicate]),
    /// A predicate to be negated.
    Predicate(&'a Predicate),
}

/// Takes a predicate apart.
pub(crate) fn parts(predicate: &Predicate) -> Parts<'_> {
    let (name, operands) = match predicate {
        Predicate::Compare(op, operand) => (name_of(&COMPARE, *op), Operands::One(operand)),
        Predicate::Text(op, operand) => (name_of(&TEXT, *op), Operands::One(operand)),
        Predicate::Within(operands) => ("within", collection(operands)),
        Predicate::Without(operands) => ("without", collection(operands)),
        Predicate::Inside(low, high) => ("inside", Operands::Two(low, high)),
        Predicate::Outside(low, high) => ("outside", Operands::Two(low, high)),
        Predicate::Between(low, high) => ("between", Operands::Two(low, high)),
        Predicate::TypeOf(operand) => ("typeOf", Operands::One(operand)),
        Predicate::And(predicates) => ("and", Operands::Predicates(predicates)),
        Predicate::Or(predicates) => ("or", Operands::Predicates(predicates)),
        Predicate::Not(predicate) => ("not", Operands::Predicate(predicate)),
    };
    Parts { is_text: matches!(predicate, Predicate::Text(..)), name, operands }
}

/// A lone lifted parameter stands for all the operands.
fn collection(operands: &[Argument]) -> Operands<'_> {
    match operands {
        [Argument::Parameter(_, Value::List(values))] => Operands::Values(values),
        operands => Operands::Collection(operands),
    }
}

fn name_of<T: PartialEq + Copy>(names: &[(&'static str, T)], token: T) -> &'static str {
    // Every token is in its table.
    names.iter().find(|(_, t)| *t == token).map_or("", |(name, _)| name)
}

/// Builds the predicate called `name` over `operands`, which are already spread.
pub(crate) fn build(name: &str, operands: Vec<Argument>) -> Result<Predicate, Problem> {
    if let Some((_, op)) = COMPARE.iter().find(|(n, _)| *n == name) {
        return Ok(Predicate::Compare(*op, Box::new(one(operands)?)));
    }
    if let Some((_, op)) = TEXT.iter().find(|(n, _)| *n == name) {
        return Ok(Predicate::Text(*op, Box::new(one(operands)?)));
    }
    Ok(match name {
        "within" => Predicate::Within(operands),
        "without" => Predicate::Without(operands),
        "inside" => two(operands, Predicate::Inside)?,
        "outside" => two(operands, Predicate::Outside)?,
        "between" => two(operands, Predicate::Between)?,
        "typeOf" => Predicate::TypeOf(Box::new(one(operands)?)),
        "and" => Predicate::And(predicates(operands)?),
        "or" => Predicate::Or(predicates(operands)?),
        "not" => match predicates(operands)?.pop() {
            Some(predicate) => predicate.negate(),
            None => return Err(Problem::expected("one operand of a predicate", "none")),
        },
        _ => return Err(Problem::unknown("predicate", name)),
    })
}

fn one(operands: Vec<Argument>) -> Result<Argument, Problem> {
    let count = operands.len();
    match <[Argument; 1]>::try_from(operands) {
        Ok([operand]) => Ok(operand),
        Err(_) => Err(Problem::expected("one operand of a predicate", count.to_string())),
    }
}

fn two(
    operands: Vec<Argument>,
    build: fn(Box<Argument>, Box<Argument>) -> Predicate,
) -> Result<Predicate, Problem> {
    let count = operands.len();
    match <[Argument; 2]>::try_from(operands) {
        Ok([low, high]) => Ok(build(Box::new(low), Box::new(high))),
        Err(_) => Err(Problem::expected("two operands of a predicate", count.to_string())),
    }
}

fn predicates(operands: Vec<Argument>) -> Result<Vec<Predicate>, Problem> {
    let predicate = |operand| match operand {
        Argument::Predicate(predicate) => Ok(predicate),
        other => Err(Problem::expected("a predicate", crate::wire_value::kind_of_argument(&other))),
    };
    if operands.is_empty() {
        return Err(Problem::expected("predicates to combine", "none"));
    }
    operands.into_iter().map(predicate).collect()
}
