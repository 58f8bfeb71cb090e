//! The key that equal shapes share.

use std::fmt::{self, Write};
use std::sync::Arc;

use values::{Value, watch};

use crate::Argument;

/// The key of a shape: all of its structure, written down, so that two keys are equal only if the shapes are.
///
/// Of one that is longer than [`ShapeKey::KEPT`] the rest may be left out: nothing is kept under it.
///
/// (A hash of it would be shorter; but whoever made two shapes collide would get one's plan run for the other.)
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ShapeKey(Arc<[u8]>);

/// Bytes at which a key ends, more or less: no value of megabytes is written down for nobody. What is written once there are so many
/// is left out, so a key of which something is missing has at least these.
const ENOUGH: usize = 2 * ShapeKey::KEPT;

impl ShapeKey {
    /// Bytes of the longest key under which anything may be kept.
    pub const KEPT: usize = 16 << 10;

    /// How long it is, in bytes: as a shape grows, so does that, up to a bound.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }
}

impl fmt::Debug for ShapeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ShapeKey({} bytes)", self.0.len())
    }
}

/// Writes a key, piece by piece. Every piece tells its own length, so that pieces cannot be confused.
#[derive(Default)]
pub(super) struct KeyWriter(Vec<u8>);

impl KeyWriter {
    pub(super) fn finish(self) -> ShapeKey {
        ShapeKey(self.0.into())
    }

    /// Whether nothing more is written.
    fn is_full(&self) -> bool {
        self.0.len() >= ENOUGH
    }

    /// A few bytes.
    fn bytes(&mut self, bytes: &[u8]) {
        if !self.is_full() {
            self.0.extend_from_slice(bytes);
        }
    }

    pub(super) fn tag(&mut self, tag: u8) {
        self.bytes(&[tag]);
    }

    /// A count, seven bits a byte.
    pub(super) fn count(&mut self, mut count: usize) {
        if self.is_full() {
            return;
        }
        while count >= 0x80 {
            self.0.push(count as u8 | 0x80);
            count >>= 7;
        }
        self.0.push(count as u8);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        let room = ENOUGH.saturating_sub(self.0.len());
        self.0.extend_from_slice(&text.as_bytes()[..room.min(text.len())]);
    }

    /// A value that is part of the structure.
    pub(super) fn value(&mut self, value: &Value) {
        self.tag(type_tag(value));
        match value {
            Value::String(string) => self.text(string),
            Value::Int(n) => self.bytes(&n.to_le_bytes()),
            Value::Long(n) => self.bytes(&n.to_le_bytes()),
            Value::Bool(b) => self.tag(u8::from(*b)),
            Value::Null => {}
            other => self.printed(&Argument::Value(other.clone())),
        }
    }

    /// An argument as its canonical text, which differs wherever the argument does.
    pub(super) fn printed(&mut self, argument: &Argument) {
        if self.is_full() {
            return;
        }
        let mut beginning = Beginning { text: String::new(), room: ENOUGH.saturating_sub(self.0.len()) };
        // Where it fails there is enough of it.
        let _ = write!(beginning, "{argument}");
        self.text(&beginning.text);
    }

    /// The type of a lifted value; of a map also its keys, and the types under them.
    pub(super) fn signature(&mut self, value: &Value) {
        self.tag(type_tag(value));
        // V([]) is V().
        self.tag(u8::from(value.is_empty_collection()));
        let Value::Map(map) = value else { return };
        self.count(map.len());
        for (key, value) in map.iter() {
            // A map that a variable stands for is as large as it is, and takes a few characters wherever it is said.
            if self.is_full() {
                return;
            }
            watch::tick();
            self.value(key);
            self.signature(value);
        }
    }
}

/// What is written, up to somewhat more than there is room for.
struct Beginning {
    text: String,
    room: usize,
}

impl Write for Beginning {
    fn write_str(&mut self, piece: &str) -> fmt::Result {
        if self.text.len() > self.room {
            return Err(fmt::Error);
        }
        self.text.push_str(&piece[..piece.ceil_char_boundary(piece.len().min(self.room + 1))]);
        Ok(())
    }
}

/// A number for each type of value.
fn type_tag(value: &Value) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Byte(_) => 2,
        Value::Short(_) => 3,
        Value::Int(_) => 4,
        Value::Long(_) => 5,
        Value::BigInteger(_) => 6,
        Value::Float(_) => 7,
        Value::Double(_) => 8,
        Value::BigDecimal(_) => 9,
        Value::Char(_) => 10,
        Value::String(_) => 11,
        Value::Uuid(_) => 12,
        Value::DateTime(_) => 13,
        Value::Duration(_) => 14,
        Value::Binary(_) => 15,
        Value::List(_) => 16,
        Value::Set(_) | Value::BulkSet(_) => 17,
        Value::Map(_) => 18,
        Value::T(_) => 19,
        Value::Direction(_) => 20,
        // Elements and what else no index knows.
        _ => 21,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_of_megabytes_is_not_written_down_and_short_ones_are_whole() {
        let list = |n: i32| Argument::Value(Value::list((0..n).map(Value::Int).collect::<Vec<_>>()));
        let key_of = |arguments: &[Argument]| {
            let mut writer = KeyWriter::default();
            arguments.iter().for_each(|argument| writer.printed(argument));
            writer.value(&Value::str("x".repeat(arguments.len() * 1_000)));
            writer.finish()
        };
        assert_ne!(key_of(&[list(100)]), key_of(&[list(101)]));
        let long = key_of(&vec![list(1_000_000); 300]);
        assert!((ENOUGH..2 * ENOUGH).contains(&long.bytes()), "{}", long.bytes());
    }

    #[test]
    fn whatever_is_written_a_key_is_hardly_longer_than_enough() {
        let map = |value: &Value| {
            let entries = (0..1_000).map(|n| (Value::from(format!("a{n}")), value.clone()));
            Value::from(entries.collect::<values::Map>())
        };
        // Each is a thousand times as large as the one before, and takes no more memory.
        let nested = map(&map(&map(&map(&Value::Int(1)))));
        let pieces: [&dyn Fn(&mut KeyWriter); 5] = [
            &|writer: &mut KeyWriter| writer.signature(&nested),
            &|writer: &mut KeyWriter| writer.tag(7),
            &|writer: &mut KeyWriter| writer.count(1 << 20),
            &|writer: &mut KeyWriter| writer.value(&Value::Long(7)),
            &|writer: &mut KeyWriter| writer.value(&nested),
        ];
        for (number, piece) in pieces.iter().enumerate() {
            let mut writer = KeyWriter::default();
            (0..2 * ENOUGH).for_each(|_| piece(&mut writer));
            let bytes = writer.finish().bytes();
            assert!((ENOUGH..ENOUGH + 16).contains(&bytes), "{number}: {bytes}");
        }
    }
}
