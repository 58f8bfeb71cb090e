//! Collections: lists, sets, maps and ranges.

use super::{Parser, Refusal, Result};
use crate::Argument;
use crate::signature::check_element;
use values::{Map, Set, Str, Value, watch};

impl Parser<'_, '_> {
    /// What begins with `[`: a list, or a map if its first element is a key.
    pub(super) fn list_or_map(&mut self) -> Result<Argument> {
        self.expect(b'[', "`[`")?;
        if self.cursor.eat(b']') {
            return Ok(Argument::Value(Value::list([])));
        }
        if self.cursor.eat(b':') {
            self.expect(b']', "`]`: `[:]` is the empty map")?;
            return Ok(Argument::Value(Map::new().into()));
        }
        let start = self.cursor.offset();
        match self.naked_key() {
            Some(key) => self.map(Argument::Value(key.into())),
            None if self.cursor.peek() == Some(b'(') => {
                let key = self.key()?;
                self.map(key)
            }
            None => {
                let first = self.element()?;
                if self.cursor.peek() != Some(b':') {
                    return self.list(first);
                }
                self.check_key(&first, start)?;
                self.map(first)
            }
        }
    }

    /// The elements of a list behind its first one.
    fn list(&mut self, first: Argument) -> Result<Argument> {
        let elements = self.elements(vec![first], b']', "`,` or `]`")?;
        Ok(match values_of(elements) {
            Ok(values) => Argument::Value(Value::from(values)),
            Err(elements) => Argument::List(elements),
        })
    }

    /// A set.
    pub(super) fn set(&mut self) -> Result<Argument> {
        self.expect(b'{', "`{`")?;
        if self.cursor.eat(b'}') {
            return Ok(Argument::Value(Set::new().into()));
        }
        let first = self.element()?;
        let elements = self.elements(vec![first], b'}', "`,` or `}`")?;
        Ok(match values_of(elements) {
            Ok(values) => Argument::Value(values.into_iter().inspect(hashed).collect::<Set>().into()),
            Err(elements) => Argument::Set(elements),
        })
    }

    /// What a collection can hold: any argument that is a value, or a traversal that will make one.
    pub(super) fn element(&mut self) -> Result<Argument> {
        let start = self.cursor.offset();
        let element = self.argument()?;
        check_element(&element).map_err(|kind| self.error(start, kind))?;
        Ok(element)
    }

    /// Further elements, up to and with the closing bracket.
    fn elements(&mut self, mut elements: Vec<Argument>, close: u8, expected: &str) -> Result<Vec<Argument>> {
        while self.cursor.eat(b',') {
            elements.push(self.element()?);
        }
        self.expect(close, expected)?;
        Ok(elements)
    }

    /// A map whose first key has been read; the cursor is before that key's colon.
    fn map(&mut self, first: Argument) -> Result<Argument> {
        let mut entries = Vec::new();
        let mut key = first;
        loop {
            self.expect(b':', "`:` and a value")?;
            entries.push((key, self.element()?));
            if !self.cursor.eat(b',') {
                self.expect(b']', "`,` or `]`")?;
                break;
            }
            key = match self.naked_key() {
                Some(key) => Argument::Value(key.into()),
                None => self.key()?,
            };
        }
        let is_value = |argument: &Argument| matches!(argument, Argument::Value(_));
        if !entries.iter().all(|(key, value)| is_value(key) && is_value(value)) {
            return Ok(Argument::Map(entries));
        }
        let map = entries.into_iter().filter_map(|entry| match entry {
            (Argument::Value(key), Argument::Value(value)) => Some((key, value)),
            _ => None,
        });
        let map = map.inspect(|(key, _)| hashed(key));
        Ok(Argument::Value(map.collect::<Map>().into()))
    }

    /// A key that is a word, and means that word even where it is a token elsewhere.
    fn naked_key(&mut self) -> Option<Str> {
        let start = self.cursor.offset();
        let word = self.cursor.word()?;
        if self.cursor.peek() == Some(b':') && !matches!(word, "NaN" | "Infinity") {
            return Some(word.into());
        }
        self.cursor.go_back(start);
        None
    }

    /// Any other key; in parentheses also a token without its class.
    fn key(&mut self) -> Result<Argument> {
        let start = self.cursor.offset();
        let in_parentheses = self.cursor.eat(b'(');
        let key = self.argument()?;
        self.check_key(&key, start)?;
        if in_parentheses {
            self.expect(b')', "`)`")?;
        }
        Ok(key)
    }

    fn check_key(&mut self, key: &Argument, start: usize) -> Result<()> {
        match key {
            Argument::Value(_) | Argument::List(_) | Argument::Set(_) | Argument::Map(_) => Ok(()),
            _ => Err(self.unexpected(
                start,
                "a key: a word, a string, a number, a collection, or a token of T or Direction",
            )),
        }
    }

    /// `first..last`, of integers; the cursor is before the dots.
    pub(super) fn int_range(&mut self, first: &Value, start: usize) -> Result<Argument> {
        self.expect(b'.', "`..`")?;
        self.expect(b'.', "`..`")?;
        let last = self.number()?;
        let (Value::Int(first), Value::Int(last)) = (first, last) else {
            return Err(self.bad_range(start, "has an end that is not an int"));
        };
        let first = *first;
        self.count_range(start, first.abs_diff(last) as usize + 1)?;
        let values: Vec<Value> = if first <= last {
            (first..=last).map(Value::Int).collect()
        } else {
            (last..=first).rev().map(Value::Int).collect()
        };
        Ok(Argument::Value(Value::from(values)))
    }

    /// `first..last`, of strings that differ in their last character alone; the cursor is before the dots.
    pub(super) fn string_range(&mut self, first: Str, start: usize) -> Result<Argument> {
        self.expect(b'.', "`..`")?;
        self.expect(b'.', "`..`")?;
        if !matches!(self.cursor.peek(), Some(b'\'' | b'"')) {
            return Err(self.unexpected_here("a string, the range's other end"));
        }
        let last = self.string()?;
        if first.is_empty() && last.is_empty() {
            return Ok(Argument::Value(Value::list([])));
        }
        let (Some((prefix, from)), Some((other_prefix, to))) = (split_last(&first), split_last(&last)) else {
            return Err(self.bad_range(start, "has ends of different length"));
        };
        if prefix != other_prefix {
            return Err(self.bad_range(start, "has ends that differ in more than their last character"));
        }
        let count = u32::from(from).abs_diff(u32::from(to)) as usize + 1;
        // Each has the prefix, which may be as long as the text: it counts as the values that would take as much.
        let each = 1 + prefix.len() / size_of::<Value>();
        self.count_range(start, count.saturating_mul(each))?;
        let string = |c: char| {
            watch::tick();
            Value::from(format!("{prefix}{c}"))
        };
        let values: Vec<Value> = if from <= to {
            (from..=to).map(string).collect()
        } else {
            (to..=from).rev().map(string).collect()
        };
        Ok(Argument::Value(Value::from(values)))
    }

    #[cold]
    fn bad_range(&mut self, start: usize, problem: &str) -> Refusal {
        let literal = self.cursor.slice(start, self.cursor.offset()).trim_end().to_owned();
        self.bad_literal(start, &literal, problem)
    }
}

/// Tells the watch of a value that is hashed and may be compared: one that a variable stands for is as large as it is, and takes
/// two characters each time.
fn hashed(value: &Value) {
    const BYTES_PER_TICK: u64 = 64;
    watch::ticks(usize::try_from(value.extent().expanded / BYTES_PER_TICK).unwrap_or(usize::MAX));
}

/// The string without its last character, and that character.
fn split_last(text: &str) -> Option<(&str, char)> {
    let last = text.chars().next_back()?;
    Some((&text[..text.len() - last.len_utf8()], last))
}

/// The elements as values, if they all are.
fn values_of(elements: Vec<Argument>) -> std::result::Result<Vec<Value>, Vec<Argument>> {
    if !elements.iter().all(|element| matches!(element, Argument::Value(_))) {
        return Err(elements);
    }
    Ok(elements
        .into_iter()
        .filter_map(|element| match element {
            Argument::Value(value) => Some(value),
            _ => None,
        })
        .collect())
}
