//! The key that equal shapes share.

use std::fmt::{self, Write};
use std::sync::Arc;

use values::Value;

use crate::Argument;

/// The key of a shape: all of its structure, written down, so that two keys are equal only if the shapes are.
///
/// (A hash of it would be shorter; but whoever made two shapes collide would get one's plan run for the other.)
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ShapeKey(Arc<[u8]>);

impl ShapeKey {
    /// How long it is, in bytes: as a shape grows, so does that.
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

    pub(super) fn tag(&mut self, tag: u8) {
        self.0.push(tag);
    }

    /// A count, seven bits a byte.
    pub(super) fn count(&mut self, mut count: usize) {
        while count >= 0x80 {
            self.0.push(count as u8 | 0x80);
            count >>= 7;
        }
        self.0.push(count as u8);
    }

    pub(super) fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
    }

    /// A value that is part of the structure.
    pub(super) fn value(&mut self, value: &Value) {
        self.tag(type_tag(value));
        match value {
            Value::String(string) => self.text(string),
            Value::Int(n) => self.0.extend_from_slice(&n.to_le_bytes()),
            Value::Long(n) => self.0.extend_from_slice(&n.to_le_bytes()),
            Value::Bool(b) => self.tag(u8::from(*b)),
            Value::Null => {}
            other => self.printed(&Argument::Value(other.clone())),
        }
    }

    /// An argument as its canonical text, which differs wherever the argument does.
    pub(super) fn printed(&mut self, argument: &Argument) {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = write!(text, "{argument}");
        self.text(&text);
    }

    /// The type of a lifted value; of a map also its keys, and the types under them.
    pub(super) fn signature(&mut self, value: &Value) {
        self.tag(type_tag(value));
        if let Value::Map(map) = value {
            self.count(map.len());
            for (key, value) in map.iter() {
                self.value(key);
                self.signature(value);
            }
        }
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
