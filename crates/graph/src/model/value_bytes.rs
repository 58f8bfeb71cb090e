//! Property values in bytes: a tag and its payload; and cells of them.

use std::sync::Arc;

use values::{BigDecimal, BigInt, DateTime, Duration, Map, Set, Str, Uuid, Value};

use super::names::KeyId;
use super::property::PropertyCell;
use crate::bytes::{Input, Malformed, Output};

/// Deepest nesting of collections that can be stored.
pub(crate) const MAX_DEPTH: usize = 64;

/// The type of a value that cannot be stored as a property, or nothing if it can.
pub(crate) fn unstorable(value: &Value) -> Option<&'static str> {
    unstorable_at(value, 0)
}

fn unstorable_at(value: &Value, depth: usize) -> Option<&'static str> {
    if depth > MAX_DEPTH {
        return Some("collection nested more than 64 deep");
    }
    match value {
        Value::Path(_) => Some("path"),
        Value::Property(_) => Some("property"),
        Value::VertexProperty(_) => Some("vertex property"),
        Value::Edge(_) | Value::EdgeRef(_) => Some("edge"),
        Value::Vertex(_) | Value::VertexRef(_) => Some("vertex"),
        Value::T(_) | Value::Direction(_) => Some("token"),
        Value::BulkSet(_) => Some("bulk set"),
        Value::Entry(_) => Some("map entry"),
        Value::List(items) => items.iter().find_map(|item| unstorable_at(item, depth + 1)),
        Value::Set(items) => items.iter().find_map(|item| unstorable_at(item, depth + 1)),
        Value::Map(map) => map.iter().find_map(|(key, value)| {
            unstorable_at(key, depth + 1).or_else(|| unstorable_at(value, depth + 1))
        }),
        // Named one by one, as in `Output::value`: what is let in here and unknown there would be lost.
        Value::Null
        | Value::Bool(_)
        | Value::Byte(_)
        | Value::Short(_)
        | Value::Int(_)
        | Value::Long(_)
        | Value::Float(_)
        | Value::Double(_)
        | Value::BigInteger(_)
        | Value::BigDecimal(_)
        | Value::Char(_)
        | Value::String(_)
        | Value::Uuid(_)
        | Value::Binary(_)
        | Value::DateTime(_)
        | Value::Duration(_) => None,
    }
}

/// Bytes that a value takes in memory and in the log, roughly.
pub(crate) fn weight(value: &Value) -> usize {
    16 + match value {
        Value::String(s) => s.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::List(items) => items.iter().map(weight).sum(),
        Value::Set(items) => items.iter().map(weight).sum(),
        Value::Map(map) => map.iter().map(|(key, value)| weight(key) + weight(value)).sum(),
        Value::BigInteger(v) => (v.bits() / 8) as usize,
        Value::BigDecimal(v) => v.digits() as usize,
        _ => 0,
    }
}

macro_rules! tags {
    ($($name:ident = $tag:literal),* $(,)?) => { $(const $name: u8 = $tag;)* };
}
tags! {
    NULL = 0, FALSE = 1, TRUE = 2, BYTE = 3, SHORT = 4, INT = 5, LONG = 6, BIG_INTEGER = 7, FLOAT = 8, DOUBLE = 9,
    BIG_DECIMAL = 10, CHAR = 11, STRING = 12, UUID = 13, DATE_TIME = 14, DURATION = 15, BINARY = 16, LIST = 17,
    SET = 18, MAP = 19,
}

impl Output {
    /// Appends a storable value; what is not storable was refused before and becomes null.
    pub(crate) fn value(&mut self, value: &Value) {
        match value {
            Value::Bool(false) => self.u8(FALSE),
            Value::Bool(true) => self.u8(TRUE),
            Value::Byte(v) => self.tagged(BYTE, &v.to_le_bytes()),
            Value::Short(v) => self.tagged(SHORT, &v.to_le_bytes()),
            Value::Int(v) => self.tagged(INT, &v.to_le_bytes()),
            Value::Long(v) => self.tagged(LONG, &v.to_le_bytes()),
            Value::Float(v) => self.tagged(FLOAT, &v.to_bits().to_le_bytes()),
            Value::Double(v) => self.tagged(DOUBLE, &v.to_bits().to_le_bytes()),
            Value::Char(v) => self.tagged(CHAR, &u32::from(*v).to_le_bytes()),
            Value::Uuid(v) => self.tagged(UUID, v.as_bytes()),
            Value::String(v) => self.tagged_block(STRING, v.as_bytes()),
            Value::Binary(v) => self.tagged_block(BINARY, v),
            Value::BigInteger(v) => self.tagged_block(BIG_INTEGER, &v.to_signed_bytes_le()),
            Value::BigDecimal(v) => {
                let (digits, scale) = v.as_bigint_and_exponent();
                self.tagged_block(BIG_DECIMAL, &digits.to_signed_bytes_le());
                self.u64(scale as u64);
            }
            Value::DateTime(v) => {
                self.u8(DATE_TIME);
                self.date_time(v);
            }
            Value::Duration(v) => {
                self.tagged(DURATION, &v.seconds.to_le_bytes());
                self.u32(v.nanos);
            }
            Value::List(items) => {
                self.u8(LIST);
                self.list(items.iter(), Self::value);
            }
            Value::Set(items) => {
                self.u8(SET);
                self.list(items.iter(), Self::value);
            }
            Value::Map(map) => {
                self.u8(MAP);
                self.list(map.iter(), |output, (key, value)| {
                    output.value(key);
                    output.value(value);
                });
            }
            Value::Null
            | Value::BulkSet(_)
            | Value::Entry(_)
            | Value::Path(_)
            | Value::Property(_)
            | Value::VertexProperty(_)
            | Value::Vertex(_)
            | Value::VertexRef(_)
            | Value::Edge(_)
            | Value::EdgeRef(_)
            | Value::T(_)
            | Value::Direction(_) => self.u8(NULL),
        }
    }

    pub(crate) fn date_time(&mut self, v: &DateTime) {
        self.u64(v.seconds as u64);
        self.u32(v.nanos);
        self.u32(v.zone() as u32);
    }

    fn tagged(&mut self, tag: u8, payload: &[u8]) {
        self.u8(tag);
        self.bytes.extend_from_slice(payload);
    }

    fn tagged_block(&mut self, tag: u8, payload: &[u8]) {
        self.u8(tag);
        self.block(payload);
    }

    /// Whether there is a value, and it.
    pub(crate) fn optional_value(&mut self, value: Option<&Value>) {
        self.u8(value.is_some().into());
        value.into_iter().for_each(|value| self.value(value));
    }

    /// Property cells, with their meta-properties.
    pub(crate) fn cells(&mut self, cells: &[PropertyCell]) {
        self.list(cells, |output, cell| {
            output.u16(cell.place);
            output.value(&cell.value);
            output.entries(&cell.meta);
        });
    }

    /// Keys and values.
    pub(crate) fn entries(&mut self, entries: &[(KeyId, Value)]) {
        self.list(entries, |output, (key, value)| {
            output.u16(key.0);
            output.value(value);
        });
    }
}

impl Input<'_> {
    /// The next value.
    pub(crate) fn value(&mut self) -> Result<Value, Malformed> {
        self.value_at(0)
    }

    /// A value, if one is said to be there.
    pub(crate) fn optional_value(&mut self) -> Result<Option<Value>, Malformed> {
        if self.u8()? == 0 { Ok(None) } else { self.value().map(Some) }
    }

    fn value_at(&mut self, depth: usize) -> Result<Value, Malformed> {
        Malformed::unless(depth <= MAX_DEPTH + 1, "a value is nested too deep")?;
        let item = |input: &mut Self| input.value_at(depth + 1);
        Ok(match self.u8()? {
            NULL => Value::Null,
            FALSE => Value::Bool(false),
            TRUE => Value::Bool(true),
            BYTE => Value::Byte(self.u8()? as i8),
            SHORT => Value::Short(self.u16()? as i16),
            INT => Value::Int(self.u32()? as i32),
            LONG => Value::Long(self.u64()? as i64),
            BIG_INTEGER => Value::BigInteger(Arc::new(BigInt::from_signed_bytes_le(self.block()?))),
            FLOAT => Value::Float(f32::from_bits(self.u32()?)),
            DOUBLE => Value::Double(f64::from_bits(self.u64()?)),
            BIG_DECIMAL => {
                let digits = BigInt::from_signed_bytes_le(self.block()?);
                Value::BigDecimal(Arc::new(BigDecimal::new(digits, self.u64()? as i64)))
            }
            CHAR => match char::from_u32(self.u32()?) {
                Some(c) => Value::Char(c),
                None => return Err(Malformed::new("a character is out of range")),
            },
            STRING => Value::String(Str::from(self.str()?)),
            UUID => Value::Uuid(Uuid::from_slice(self.take(16)?).unwrap_or_default()),
            DATE_TIME => Value::DateTime(self.date_time()?),
            DURATION => {
                let seconds = self.u64()? as i64;
                Value::Duration(Duration { seconds, nanos: self.u32()? })
            }
            BINARY => Value::Binary(self.block()?.into()),
            LIST => Value::from(self.list::<_, Vec<_>>(1, item)?),
            SET => Value::from(self.list::<_, Set>(1, item)?),
            MAP => Value::from(self.list::<_, Map>(2, |input| Ok((item(input)?, item(input)?)))?),
            tag => return Err(Malformed::new(format!("no value has tag {tag}"))),
        })
    }

    pub(crate) fn date_time(&mut self) -> Result<DateTime, Malformed> {
        let seconds = self.u64()? as i64;
        let (nanos, zone) = (self.u32()?, self.u32()? as i32);
        Ok(DateTime::stored(seconds, nanos, zone))
    }

    /// Property cells, with their meta-properties.
    pub(crate) fn cells(&mut self) -> Result<Vec<PropertyCell>, Malformed> {
        self.list(7, |input| {
            Ok(PropertyCell { place: input.u16()?, value: input.value()?, meta: input.entries()? })
        })
    }

    /// Keys and values.
    pub(crate) fn entries<C: FromIterator<(KeyId, Value)>>(&mut self) -> Result<C, Malformed> {
        self.list(3, |input| Ok((KeyId(input.u16()?), input.value()?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Value> {
        let list = Value::from(vec![Value::Int(1), Value::str("two"), Value::Null]);
        vec![
            Value::Null,
            Value::Bool(true),
            Value::Byte(-1),
            Value::Short(300),
            Value::Int(i32::MIN),
            Value::Long(i64::MAX),
            Value::BigInteger(Arc::new(BigInt::from(-7) << 200)),
            Value::Float(1.5),
            Value::Double(f64::NAN),
            Value::BigDecimal(Arc::new("-12.3400".parse().unwrap())),
            Value::Char('\u{1F333}'),
            Value::str("a string that is longer than what fits inline"),
            Value::Uuid(Uuid::from_u128(42)),
            Value::DateTime(DateTime::new(-1, 5, -3600)),
            Value::Duration(Duration { seconds: 3, nanos: 4 }),
            Value::Binary([1u8, 2, 3].as_slice().into()),
            list.clone(),
            Value::from([list.clone(), Value::Int(2)].into_iter().collect::<Set>()),
            Value::from([(Value::str("k"), list)].into_iter().collect::<Map>()),
        ]
    }

    #[test]
    fn every_storable_type_comes_back_as_it_was() {
        for value in samples() {
            assert_eq!(unstorable(&value), None, "{value:?}");
            let mut output = Output::default();
            output.value(&value);
            let mut input = Input::new(&output.bytes);
            let back = input.value().unwrap();
            input.end().unwrap();
            assert_eq!(format!("{back:?}"), format!("{value:?}"));
        }
    }

    #[test]
    fn cut_and_random_bytes_are_errors_or_values_but_never_panics() {
        for value in samples() {
            let mut output = Output::default();
            output.value(&value);
            for len in 0..output.bytes.len() {
                assert!(Input::new(&output.bytes[..len]).value().is_err(), "{value:?} cut at {len}");
            }
            for place in 0..output.bytes.len() {
                let mut changed = output.bytes.clone();
                changed[place] ^= 0x5a;
                let _ = Input::new(&changed).value();
            }
        }
    }

    #[test]
    fn elements_and_bottomless_nesting_are_refused() {
        assert_eq!(unstorable(&Value::VertexRef(values::VertexRef(1))), Some("vertex"));
        let entry = Value::entry("k", 1);
        assert_eq!(unstorable(&entry), Some("map entry"));
        assert_eq!(unstorable(&Value::list([entry])), Some("map entry"));
        let mut nested = Value::Null;
        for _ in 0..100 {
            nested = Value::from(vec![nested]);
        }
        assert!(unstorable(&nested).is_some());
        let bytes: Vec<u8> = [LIST, 1, 0, 0, 0].repeat(100_000);
        assert!(Input::new(&bytes).value().is_err());
    }
}
