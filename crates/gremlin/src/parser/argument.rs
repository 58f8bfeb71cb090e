//! Arguments: literals, tokens, variables, predicates and anonymous traversals.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{SystemTime, UNIX_EPOCH};

use super::token::{self, Token};
use super::{Parser, Refusal, Result};
use crate::cursor::shorten;
use crate::literal::{Quoted, number, string};
use crate::nearest::nearest;
use crate::{Argument, Cardinality, ParseErrorKind, StepName};
use values::{DateTime, Duration, GType, Str, Uuid, Value, watch};

const EXPECTED: &str = "an argument: a literal, a token, a variable, a predicate or an anonymous traversal";

impl<'t> Parser<'t, '_> {
    /// `(`, arguments, `)`.
    #[inline]
    pub(super) fn arguments(&mut self) -> Result<Vec<Argument>> {
        self.expect(b'(', "`(`")?;
        if self.cursor.eat(b')') {
            return Ok(Vec::new());
        }
        let mut args = Vec::new();
        loop {
            args.push(self.argument()?);
            if self.cursor.eat(b',') {
                continue;
            }
            self.expect(b')', "`,` or `)`")?;
            return Ok(args);
        }
    }

    /// Any argument.
    pub(super) fn argument(&mut self) -> Result<Argument> {
        let limit = self.options.limits.depth;
        if self.depth >= limit {
            return Err(self.error(self.cursor.offset(), ParseErrorKind::TooDeep { limit }));
        }
        self.depth += 1;
        // To read and to keep one takes some hundreds of nanoseconds.
        watch::ticks(4);
        let argument = match self.cursor.peek() {
            Some(b'"' | b'\'') => self.string_or_range(),
            Some(b'0'..=b'9' | b'+' | b'-') => self.number_or_range(),
            Some(b'[') => self.list_or_map(),
            Some(b'{') => self.set(),
            _ => self.word_argument(),
        };
        self.depth -= 1;
        argument
    }

    fn string_or_range(&mut self) -> Result<Argument> {
        let start = self.cursor.offset();
        let first = self.string()?;
        if let Some(character) = self.character(&first, start)? {
            return Ok(Argument::Value(character));
        }
        if self.cursor.at_range_dots() {
            self.string_range(first, start)
        } else {
            Ok(Argument::Value(first.into()))
        }
    }

    /// What a string is that is followed by `c`, as TinkerPop 4 writes characters.
    fn character(&mut self, string: &Str, start: usize) -> Result<Option<Value>> {
        // Space behind the string would have been passed over.
        let literal = self.cursor.slice(start, self.cursor.offset());
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        let is_marked = literal.ends_with(['\'', '"'])
            && self.cursor.rest().strip_prefix('c').is_some_and(|rest| !rest.starts_with(part));
        if !is_marked {
            return Ok(None);
        }
        let mut characters = string.chars();
        let (Some(character), None) = (characters.next(), characters.next()) else {
            return Err(self.bad_literal(start, literal, "must have one character, since `c` follows it"));
        };
        self.cursor.advance(1);
        Ok(Some(Value::Char(character)))
    }

    /// A string literal.
    pub(super) fn string(&mut self) -> Result<Str> {
        let start = self.cursor.offset();
        match string(self.cursor.rest()) {
            Quoted::Closed(string, length) => {
                self.cursor.advance(length);
                Ok(string)
            }
            Quoted::Unclosed => {
                let quote = self.cursor.rest().chars().next().unwrap_or('"');
                Err(self.error(start, ParseErrorKind::UnfinishedString { quote }))
            }
            Quoted::BadEscape(at, problem) => {
                let literal: String = self.cursor.rest()[at..].chars().take(2).collect();
                Err(self.bad_literal(start + at, &literal, problem))
            }
        }
    }

    fn number_or_range(&mut self) -> Result<Argument> {
        let start = self.cursor.offset();
        let first = self.number()?;
        if self.cursor.at_range_dots() { self.int_range(&first, start) } else { Ok(Argument::Value(first)) }
    }

    /// A number literal.
    pub(super) fn number(&mut self) -> Result<Value> {
        let start = self.cursor.offset();
        match number(self.cursor.rest()) {
            Some(Ok((value, length))) => {
                self.cursor.advance(length);
                Ok(value)
            }
            Some(Err(bad)) => {
                let literal = self.cursor.slice(start, start + bad.length);
                Err(self.bad_literal(start, literal, bad.problem))
            }
            None => Err(self.unexpected(start, "a number")),
        }
    }

    #[cold]
    pub(super) fn bad_literal(&mut self, start: usize, literal: &str, problem: impl Into<String>) -> Refusal {
        self.error(start, ParseErrorKind::Literal { literal: shorten(literal), problem: problem.into() })
    }

    /// What begins with a word; the character behind it tells what it is.
    fn word_argument(&mut self) -> Result<Argument> {
        let (word, offset) = self.expect_word(EXPECTED)?;
        match self.cursor.peek() {
            Some(b'(') => self.call(word, offset),
            Some(b'.') => self.dotted(word, offset),
            _ => self.bare(word, offset),
        }
    }

    /// `word(…`: an anonymous traversal without its `__`, a predicate, or a literal that looks like a call.
    fn call(&mut self, word: &str, offset: usize) -> Result<Argument> {
        match StepName::from_name(word) {
            Some(StepName::Not) => self.not(offset),
            Some(step) => Ok(Argument::Traversal(self.anonymous(step, offset)?)),
            None => match word {
                "datetime" | "DateTime" => self.date(offset),
                "UUID" => self.uuid(offset),
                "Duration" => self.duration(),
                "single" => self.cardinality_value(Cardinality::Single),
                "set" => self.cardinality_value(Cardinality::Set),
                "list" => self.cardinality_value(Cardinality::List),
                _ => match self.predicate(word, offset)? {
                    Some(predicate) => Ok(Argument::Predicate(predicate)),
                    None => Err(self.unknown_step(word, offset)),
                },
            },
        }
    }

    /// `class.…`: a token with its class, a predicate of `P` or `TextP`, or `__` and an anonymous traversal.
    fn dotted(&mut self, class: &'t str, offset: usize) -> Result<Argument> {
        if class == "__" {
            return Ok(Argument::Traversal(self.anonymous_after(class, offset)?));
        }
        if self.is_source(class) {
            return Err(self.error(offset, ParseErrorKind::NestedSource { source_name: class.to_owned() }));
        }
        self.expect(b'.', "`.`")?;
        let (mut class, mut name, mut at) = {
            let (name, at) = self.expect_word("a name")?;
            (class, name, at)
        };
        if class == "VertexProperty" && name == "Cardinality" {
            self.expect(b'.', "`.` and `single`, `list` or `set`")?;
            class = "Cardinality";
            (name, at) = self.expect_word("`single`, `list` or `set`")?;
        }
        if matches!(class, "P" | "TextP") {
            let predicate = self.predicate(name, at)?;
            return predicate.map(Argument::Predicate).ok_or_else(|| self.unknown_predicate(class, name, at));
        }
        match token::of_class(class, name) {
            Token::Found(Argument::Cardinality(cardinality)) if self.cursor.peek() == Some(b'(') => {
                self.cardinality_value(cardinality)
            }
            Token::Found(token) => Ok(token),
            Token::NoSuchName(known) => Err(self.error(
                at,
                ParseErrorKind::UnknownToken { class: class.to_owned(), name: shorten(name), known },
            )),
            Token::NoSuchClass => Err(self.unknown_variable(class, offset)),
        }
    }

    /// A word alone: a constant, a token, or a variable.
    fn bare(&mut self, word: &'t str, offset: usize) -> Result<Argument> {
        if let Some(own) = own(word) {
            return Ok(own);
        }
        if let Some(bound) = self.bindings.get(word) {
            // A value is shared; what is around values is copied, and may be large behind a name of one letter.
            self.count_values(offset, bound.contained())?;
            return Ok(bound.clone());
        }
        if word == "new" {
            return self.strategy_after_new().map(Argument::Strategy);
        }
        if self.is_source(word) {
            return Err(self.error(offset, ParseErrorKind::NestedSource { source_name: word.to_owned() }));
        }
        match GType::from_name(&word.to_ascii_uppercase()) {
            Some(gtype) => Ok(Argument::GType(gtype)),
            None => Err(self.unknown_variable(word, offset)),
        }
    }

    #[cold]
    fn unknown_variable(&mut self, word: &str, offset: usize) -> Refusal {
        let bound = self.bindings.keys().map(Str::as_str);
        let nearest = nearest(word, bound.chain(token::CLASSES.iter().copied()));
        self.error(offset, ParseErrorKind::UnknownVariable { name: shorten(word), nearest })
    }

    /// `(value)` behind a cardinality.
    fn cardinality_value(&mut self, cardinality: Cardinality) -> Result<Argument> {
        self.expect(b'(', "`(`")?;
        let start = self.cursor.offset();
        let Argument::Value(value) = self.argument()? else {
            return Err(self.unexpected(start, "a value"));
        };
        self.expect(b')', "`)`")?;
        Ok(Argument::CardinalityValue(cardinality, value))
    }

    /// `()` or `('text')`: the text, if there is one.
    fn literal_text(&mut self) -> Result<Option<Str>> {
        self.expect(b'(', "`(`")?;
        let text = match self.cursor.peek() {
            Some(b'\'' | b'"') => Some(self.string()?),
            _ => None,
        };
        self.expect(b')', "a string or `)`")?;
        Ok(text)
    }

    fn date(&mut self, offset: usize) -> Result<Argument> {
        let date = match self.literal_text()? {
            None => now(),
            Some(text) => text.parse::<DateTime>().map_err(|problem| {
                let problem = format!("is no date-time: {problem}");
                self.bad_literal(offset, &format!("datetime('{text}')"), problem)
            })?,
        };
        Ok(Argument::Value(Value::DateTime(date)))
    }

    /// `(seconds, nanoseconds)`, or with `false` behind them the same backwards, as TinkerPop 4 writes durations.
    fn duration(&mut self) -> Result<Argument> {
        self.expect(b'(', "`(`")?;
        let seconds = self.amount(i64::MAX)?;
        self.expect(b',', "`,` and nanoseconds")?;
        let nanos = self.amount(999_999_999)?;
        let is_positive = match self.cursor.eat(b',') {
            true => match self.expect_word("`true` or `false`")? {
                ("true", _) => true,
                ("false", _) => false,
                (_, at) => return Err(self.unexpected(at, "`true` or `false`")),
            },
            false => true,
        };
        self.expect(b')', "`)`")?;
        let seconds = if is_positive { seconds } else { -seconds };
        let nanos = if is_positive { nanos } else { -nanos };
        let duration = Duration {
            seconds: seconds + nanos.div_euclid(1_000_000_000),
            nanos: nanos.rem_euclid(1_000_000_000) as u32,
        };
        Ok(Argument::Value(duration.into()))
    }

    /// A whole number from 0 to `most`.
    fn amount(&mut self, most: i64) -> Result<i64> {
        let start = self.cursor.offset();
        match self.number()?.as_i64() {
            Some(amount) if (0..=most).contains(&amount) => Ok(amount),
            _ => Err(self.unexpected(start, format!("a whole number from 0 to {most}"))),
        }
    }

    fn uuid(&mut self, offset: usize) -> Result<Argument> {
        let uuid = match self.literal_text()? {
            None => random_uuid(),
            Some(text) => Uuid::try_parse(&text).map_err(|problem| {
                let problem = format!("is no UUID: {problem}");
                self.bad_literal(offset, &format!("UUID('{text}')"), problem)
            })?,
        };
        Ok(Argument::Value(Value::Uuid(uuid)))
    }
}

/// What a word means before it is looked for among the variables: a constant, or a token.
fn own(word: &str) -> Option<Argument> {
    constant(word).map(Argument::Value).or_else(|| token::bare(word))
}

/// Whether a word is Gremlin's own, such as `id`, `desc` or `true`: a text that has it means that, also where a variable is called so.
pub fn is_own_word(word: &str) -> bool {
    own(word).is_some()
}

fn constant(word: &str) -> Option<Value> {
    Some(match word {
        "true" => Value::Bool(true),
        "false" => Value::Bool(false),
        "null" => Value::Null,
        "NaN" => Value::Double(f64::NAN),
        "Infinity" => Value::Double(f64::INFINITY),
        _ => return None,
    })
}

/// What `datetime()` means: the text is read when the query runs.
fn now() -> DateTime {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    DateTime::new(since.as_secs() as i64, since.subsec_nanos(), 0)
}

/// What `UUID()` means. The standard library's hasher keys are seeded from the system's randomness, and differ each
/// time.
fn random_uuid() -> Uuid {
    let word = || RandomState::new().build_hasher().finish();
    let bits = u128::from(word()) << 64 | u128::from(word());
    uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid()
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::is_own_word;
    use crate::{Argument, Bindings, parse_traversal};

    #[test]
    fn words_of_gremlins_own_are_those_that_a_variable_does_not_change() {
        for word in
            ["id", "label", "key", "value", "values", "desc", "list", "from", "IN", "sum", "true", "NaN"]
        {
            assert!(is_own_word(word), "{word}");
        }
        for word in ["x", "name", "ids", "in", "V", "T", "string", "new", "g"] {
            assert!(!is_own_word(word), "{word}");
            let bindings = Bindings::from([(word.into(), Value::Int(7).into())]);
            let traversal = parse_traversal(&format!("g.inject({word})"), &bindings).unwrap();
            assert_eq!(traversal.steps[0].args, [Argument::Value(Value::Int(7))], "{word}");
        }
    }
}
