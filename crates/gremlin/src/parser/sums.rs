//! Sums as a statement: what Groovy's users ask a server to see whether it is there. `1 + 1`, `x * 2 - 1`, `'a' + 'b'`, `'-' * 80`.
//!
//! ```text
//! sum      =  product { ( "+" | "-" ) product }
//! product  =  value { "*" value }
//! ```
//!
//! Division is none of it: what `1/2` is, Groovy's users and all others would not agree on.

use std::borrow::Cow;

use values::Value;
use values::number::{ArithmeticError, add, mul, sub};

use super::{Parser, Result};
use crate::cursor::shorten;
use crate::{Argument, ParseErrorKind};

/// Most signs in a sum, most bytes of a text and most bits of a number that it may come to: nobody computes like this.
const MOST_SIGNS: usize = 1_000;
const MOST_BYTES: usize = 1 << 16;
const MOST_BITS: u64 = 1 << 12;

impl Parser<'_, '_> {
    /// A value, or a sum of values.
    pub(super) fn sum(&mut self) -> Result<Value> {
        let (start, mut signs) = (self.cursor.offset(), 0);
        let mut total = self.product(start, &mut signs)?;
        loop {
            let operation = match self.cursor.peek() {
                Some(b'+') => plus,
                Some(b'-') => minus,
                _ => return Ok(total),
            };
            self.cursor.advance(1);
            let with = self.product(start, &mut signs)?;
            total = self.counted(operation(&total, &with), start, &mut signs)?;
        }
    }

    fn product(&mut self, start: usize, signs: &mut usize) -> Result<Value> {
        let mut total = self.value()?;
        while self.cursor.peek() == Some(b'*') {
            self.cursor.advance(1);
            let with = self.value()?;
            total = self.counted(times(&total, &with), start, signs)?;
        }
        Ok(total)
    }

    fn value(&mut self) -> Result<Value> {
        let start = self.cursor.offset();
        match self.argument()? {
            Argument::Value(value) => Ok(value),
            _ => Err(self.unexpected(start, "a traversal, a variable or a literal")),
        }
    }

    /// What a sign has made, if it is worth making.
    fn counted(&mut self, made: Result<Value, String>, start: usize, signs: &mut usize) -> Result<Value> {
        *signs += 1;
        let made = made.and_then(|made| match &made {
            Value::BigInteger(number) if number.bits() > MOST_BITS => {
                Err("comes to too large a number".into())
            }
            _ if *signs > MOST_SIGNS => Err("has too many parts".into()),
            _ => Ok(made),
        });
        made.map_err(|problem| {
            let literal = shorten(self.cursor.slice(start, self.cursor.offset()).trim_end());
            self.error(start, ParseErrorKind::Literal { literal, problem })
        })
    }
}

fn plus(a: &Value, b: &Value) -> Result<Value, String> {
    if !matches!((a, b), (Value::String(_), _) | (_, Value::String(_))) {
        return number(add, a, b);
    }
    let (a, b) = (words(a)?, words(b)?);
    if a.len() + b.len() > MOST_BYTES { Err(TOO_LONG.into()) } else { Ok(Value::from(format!("{a}{b}"))) }
}

fn minus(a: &Value, b: &Value) -> Result<Value, String> {
    number(sub, a, b)
}

fn times(a: &Value, b: &Value) -> Result<Value, String> {
    match (a, b.as_i64()) {
        (Value::String(text), Some(times)) => match usize::try_from(times) {
            Ok(times) if text.len().saturating_mul(times) <= MOST_BYTES => {
                Ok(Value::from(text.repeat(times)))
            }
            Ok(_) => Err(TOO_LONG.into()),
            Err(_) => Err("repeats a text less than no times".into()),
        },
        _ => number(mul, a, b),
    }
}

const TOO_LONG: &str = "comes to too long a text";

type Operation = fn(&Value, &Value) -> Result<Value, ArithmeticError>;

/// A sum of numbers, none of which is larger than what may come of it.
fn number(operation: Operation, a: &Value, b: &Value) -> Result<Value, String> {
    if !(is_small(a) && is_small(b)) {
        return Err("has too large a number in it".into());
    }
    operation(a, b).map_err(|error| error.to_string())
}

fn is_small(value: &Value) -> bool {
    match value {
        Value::BigInteger(number) => number.bits() <= MOST_BITS,
        Value::BigDecimal(number) => {
            let (digits, exponent) = number.as_bigint_and_exponent();
            digits.bits() <= MOST_BITS && exponent.unsigned_abs() <= MOST_BITS
        }
        _ => true,
    }
}

/// What a text is continued with: a text, number, truth or nothing. What a variable has besides may be as large as a graph.
fn words(value: &Value) -> Result<Cow<'_, str>, String> {
    match value {
        Value::String(text) => Ok(Cow::Borrowed(text.as_str())),
        Value::Null | Value::Bool(_) | Value::Char(_) => Ok(value.to_string().into()),
        number if number.is_number() && is_small(number) => Ok(number.to_string().into()),
        other => Err(format!("adds a value of type {} to a text", other.type_name())),
    }
}
