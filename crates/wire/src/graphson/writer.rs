//! Writing values.

use values::{DateKind, DateTime, MapKind, Value, watch};

use super::{Dialect, Version, base64, json};
use crate::message::Properties;
use crate::wire_value::{Extended, Graph, Tree};
use crate::{EncodeError, MAX_DEPTH, MAX_RESULTS, WireValue};

/// Appends JSON to a buffer.
pub(super) struct Writer<'a> {
    pub(super) out: &'a mut Vec<u8>,
    pub(super) dialect: Dialect,
    pub(super) properties: Properties,
    depth: usize,
    /// The most bytes that there may be.
    most: usize,
}

pub(super) type Written = Result<(), EncodeError>;

impl<'a> Writer<'a> {
    pub fn new(out: &'a mut Vec<u8>, dialect: Dialect, properties: Properties) -> Self {
        Self { out, dialect, properties, depth: 0, most: usize::MAX }
    }

    /// One that writes no more than a message may have.
    pub fn of_message(out: &'a mut Vec<u8>, dialect: Dialect, properties: Properties) -> Self {
        Self { most: MAX_RESULTS, ..Self::new(out, dialect, properties) }
    }

    /// There is one more of many. What a value shares, and what is there a million times, is much larger here than it was.
    #[inline]
    pub(super) fn one_more(&self) -> Written {
        watch::tick();
        if self.out.len() <= self.most { Ok(()) } else { Err(EncodeError::TooLarge) }
    }

    pub fn raw(&mut self, text: &str) {
        self.out.extend_from_slice(text.as_bytes());
    }

    pub fn string(&mut self, text: &str) {
        json::string(text, self.out);
    }

    /// Something that may contain more of its kind.
    pub fn nested(&mut self, write: impl FnOnce(&mut Self) -> Written) -> Written {
        if self.depth == MAX_DEPTH {
            return Err(EncodeError::TooDeep);
        }
        self.one_more()?;
        self.depth += 1;
        write(self)?;
        self.depth -= 1;
        Ok(())
    }

    /// What `write` writes, under its type where types are written.
    pub fn typed(&mut self, type_name: &str, write: impl FnOnce(&mut Self) -> Written) -> Written {
        if !self.dialect.typed {
            return write(self);
        }
        let (prefix, rest) = self.dialect.type_name(type_name);
        self.raw("{\"@type\":\"");
        self.raw(prefix);
        self.raw(rest);
        self.raw("\",\"@value\":");
        write(self)?;
        self.raw("}");
        Ok(())
    }

    /// Text that has a type of its own.
    pub fn typed_text(&mut self, type_name: &str, text: &str) -> Written {
        self.typed(type_name, |w| {
            w.string(text);
            Ok(())
        })
    }

    /// A number as it displays itself.
    pub fn number(&mut self, type_name: &str, number: impl std::fmt::Display) -> Written {
        self.typed(type_name, |w| {
            json::display(number, w.out);
            Ok(())
        })
    }

    /// A point in time as what it was given; version 4 has one kind alone.
    fn date_time(&mut self, v: &DateTime) -> Written {
        match v.kind() {
            DateKind::Date if self.dialect.version != Version::V4 => self.number("g:Date", v.epoch_millis()),
            DateKind::Timestamp if self.dialect.version != Version::V4 => {
                self.number("g:Timestamp", v.epoch_millis())
            }
            _ => self.typed_text("gx:OffsetDateTime", &v.to_string()),
        }
    }

    /// A plain array.
    pub fn array<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T) -> Written,
    ) -> Written {
        self.raw("[");
        for (i, item) in items.into_iter().enumerate() {
            if i > 0 {
                self.raw(",");
            }
            self.one_more()?;
            write(self, item)?;
        }
        self.raw("]");
        Ok(())
    }

    /// A list or set, under its type in version 3.
    pub fn collection<T>(
        &mut self,
        type_name: &str,
        items: impl IntoIterator<Item = T>,
        write: impl FnMut(&mut Self, T) -> Written,
    ) -> Written {
        if self.dialect.wraps_collections() {
            self.typed(type_name, |w| w.array(items, write))
        } else {
            self.array(items, write)
        }
    }

    /// A plain object.
    pub fn object(&mut self, write: impl FnOnce(&mut Fields<'_, 'a>) -> Written) -> Written {
        self.raw("{");
        write(&mut Fields { writer: self, first: true })?;
        self.raw("}");
        Ok(())
    }

    /// A map with names for keys: under its type, keys and values in turn, in version 3; else an object.
    pub fn named_map(&mut self, write: impl FnOnce(&mut Fields<'_, 'a>) -> Written) -> Written {
        if !self.dialect.wraps_collections() {
            return self.object(write);
        }
        self.typed("g:Map", |w| {
            w.raw("[");
            write(&mut Fields { writer: w, first: true })?;
            w.raw("]");
            Ok(())
        })
    }

    /// A value of any type.
    pub fn value(&mut self, value: &Value) -> Written {
        match value {
            Value::Null => self.raw("null"),
            Value::Bool(v) => self.raw(if *v { "true" } else { "false" }),
            Value::String(v) => self.string(v),
            Value::Int(v) => return self.number("g:Int32", v),
            Value::Long(v) => return self.number("g:Int64", v),
            Value::Byte(v) => return self.number("gx:Byte", v),
            Value::Short(v) => return self.number("gx:Int16", v),
            Value::BigInteger(v) => return self.number("gx:BigInteger", v),
            Value::BigDecimal(v) => {
                return self.number("gx:BigDecimal", values::number::format_decimal(v));
            }
            Value::Double(v) => return self.float("g:Double", |out| json::double(*v, out)),
            Value::Float(v) => return self.float("g:Float", |out| json::single(*v, out)),
            Value::Char(v) => return self.typed_text("gx:Char", v.encode_utf8(&mut [0; 4])),
            Value::Uuid(v) => return self.typed_text("g:UUID", &v.to_string()),
            Value::DateTime(v) => return self.date_time(v),
            Value::Duration(v) => return self.typed_text("gx:Duration", &v.to_string()),
            Value::T(v) => return self.typed_text("g:T", v.as_str()),
            Value::Direction(v) => return self.typed_text("g:Direction", v.as_str()),
            Value::Binary(v) => {
                return self.typed("gx:ByteBuffer", |w| {
                    w.raw("\"");
                    base64::encode(v, w.out);
                    w.raw("\"");
                    Ok(())
                });
            }
            Value::VertexRef(_) => return Err(EncodeError::Attached("vertex")),
            Value::EdgeRef(_) => return Err(EncodeError::Attached("edge")),
            Value::List(v) => return self.nested(|w| w.collection("g:List", v.iter(), Self::value)),
            Value::Set(v) => return self.nested(|w| w.collection("g:Set", v.iter(), Self::value)),
            Value::BulkSet(v) => {
                let members = v.iter().map(|(m, n)| (m, i64::try_from(n).unwrap_or(i64::MAX)));
                return self.nested(|w| w.bulk_set(members, Self::value));
            }
            Value::Map(v) => {
                return self.nested(|w| match v.kind() {
                    MapKind::Tree => w.extended(&Extended::Tree(Tree::of(v))),
                    MapKind::Graph if w.dialect.has_graphs() => w.extended(&Extended::Graph(Graph::of(v))),
                    MapKind::Metrics if w.dialect.version != Version::V4 => w.extended(&Extended::profile(v)),
                    _ => w.map(v.iter()),
                });
            }
            Value::Entry(v) => return self.nested(|w| w.map(std::iter::once((&v.0, &v.1)))),
            element => return self.nested(|w| w.element(element)),
        }
        Ok(())
    }

    fn float(&mut self, type_name: &str, write: impl FnOnce(&mut Vec<u8>)) -> Written {
        self.typed(type_name, |w| {
            write(w.out);
            Ok(())
        })
    }

    pub fn map<'v>(&mut self, mut entries: impl Iterator<Item = (&'v Value, &'v Value)>) -> Written {
        if self.dialect.wraps_collections() {
            let both = entries.flat_map(|(key, value)| [key, value]);
            return self.typed("g:Map", |w| w.array(both, Self::value));
        }
        self.object(|o| entries.try_for_each(|(key, value)| o.field(&key_text(key), |w| w.value(value))))
    }

    /// A value or anything else that can travel.
    pub fn wire_value(&mut self, value: &WireValue) -> Written {
        match value {
            WireValue::Value(value) => self.value(value),
            WireValue::Argument(argument) => self.argument(argument),
            WireValue::List(items) => self.nested(|w| w.collection("g:List", items, Self::wire_value)),
            WireValue::Set(items) => self.nested(|w| w.collection("g:Set", items, Self::wire_value)),
            WireValue::Map(entries) => self.nested(|w| w.wire_map(entries)),
            WireValue::Extended(extended) => self.nested(|w| w.extended(extended)),
        }
    }

    fn wire_map(&mut self, entries: &[(WireValue, WireValue)]) -> Written {
        if self.dialect.wraps_collections() {
            let both = entries.iter().flat_map(|(key, value)| [key, value]);
            return self.typed("g:Map", |w| w.array(both, Self::wire_value));
        }
        self.object(|o| {
            entries.iter().try_for_each(|(key, value)| {
                let text = match key {
                    WireValue::Value(key) => key_text(key),
                    _ => {
                        return Err(EncodeError::Unsupported {
                            format: "JSON",
                            what: "a key that is no value",
                        });
                    }
                };
                o.field(&text, |w| w.wire_value(value))
            })
        })
    }
}

/// A key as the name of a field: elements by their id, anything else as it prints.
fn key_text(key: &Value) -> String {
    match key {
        Value::String(key) => key.to_string(),
        Value::Vertex(v) => v.id.to_string(),
        Value::Edge(e) => e.id.to_string(),
        Value::VertexProperty(p) => p.id.to_string(),
        other => other.to_string(),
    }
}

/// The fields of an object, or the entries of a map with names for keys.
pub(super) struct Fields<'w, 'a> {
    writer: &'w mut Writer<'a>,
    first: bool,
}

impl<'a> Fields<'_, 'a> {
    /// Writes a field.
    pub fn field(&mut self, name: &str, write: impl FnOnce(&mut Writer<'a>) -> Written) -> Written {
        self.name(name, ":")?;
        write(self.writer)
    }

    /// Writes an entry of a map that was begun with [`Writer::named_map`].
    pub fn entry(&mut self, name: &str, write: impl FnOnce(&mut Writer<'a>) -> Written) -> Written {
        let separator = if self.writer.dialect.wraps_collections() { "," } else { ":" };
        self.name(name, separator)?;
        write(self.writer)
    }

    /// Writes a field of text.
    pub fn text(&mut self, name: &str, text: &str) -> Written {
        self.field(name, |w| {
            w.string(text);
            Ok(())
        })
    }

    /// The version in which they are written.
    pub fn version(&self) -> Version {
        self.writer.dialect.version
    }

    fn name(&mut self, name: &str, separator: &str) -> Written {
        self.writer.one_more()?;
        if !std::mem::take(&mut self.first) {
            self.writer.raw(",");
        }
        self.writer.string(name);
        self.writer.raw(separator);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(value: &Value, most: usize) -> (Written, usize) {
        let mut out = Vec::new();
        let mut writer = Writer { most, ..Writer::new(&mut out, Dialect::UNTYPED, Properties::Given) };
        let written = writer.value(value);
        (written, out.len())
    }

    #[test]
    fn what_is_written_ends_at_the_bound_however_little_it_takes_in_memory() {
        let text = Value::from("\u{1}".repeat(1_000));
        let often = values::BulkSet::from_iter([(text.clone(), 1_000)]);
        let shared = Value::from(vec![Value::from(vec![text; 100]); 10]);
        let keys = (0..1_000).map(|key| (Value::Long(key), Value::from("x".repeat(1_000))));
        for value in [Value::from(often), shared, Value::from(values::Map::from_iter(keys))] {
            let (outcome, length) = written(&value, 100_000);
            assert_eq!(outcome, Err(EncodeError::TooLarge));
            assert!((100_000..110_000).contains(&length), "{length}");
            assert_eq!(written(&value, 10_000_000).0, Ok(()));
        }
    }

    #[test]
    fn a_long_text_is_escaped_as_a_short_one_is() {
        let text = "\"ä\\\u{1f}\n€\t\u{7f}".repeat(3_000);
        let mut out = Vec::new();
        json::string(&text, &mut out);
        assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
        assert_eq!(String::from_utf8(out).unwrap(), serde_json::to_string(&text).unwrap());
    }
}
