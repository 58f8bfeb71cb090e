//! Objects for Kryo. None refers to another: each is written as a new one.

use values::{DateKind, DateTime, Map, Value, watch};

use super::class;

/// Bytes that are written.
#[derive(Default)]
pub(super) struct Output(pub(super) Vec<u8>);

impl Output {
    pub(super) fn byte(&mut self, byte: u8) {
        self.0.push(byte);
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    /// An integer of variable length without a sign.
    pub(super) fn variable(&mut self, mut value: u64) {
        for _ in 0..8 {
            if value < 0x80 {
                return self.byte(value as u8);
            }
            self.byte(value as u8 | 0x80);
            value >>= 7;
        }
        self.byte(value as u8);
    }

    /// A count that is an object.
    pub(super) fn counted(&mut self, count: usize) {
        self.int(i32::try_from(count).unwrap_or(i32::MAX));
    }

    fn int(&mut self, value: i32) {
        self.variable(u64::from((value << 1 ^ value >> 31) as u32));
    }

    fn long(&mut self, value: i64) {
        self.variable((value << 1 ^ value >> 63) as u64);
    }

    pub(super) fn text_object(&mut self, text: &str) {
        self.byte(1);
        self.text(text);
    }

    fn text(&mut self, text: &str) {
        watch::ticks(text.len() / 64);
        match text.len() {
            0 => self.byte(0x81),
            // As Kryo does: others are written unit by unit.
            2..64 if text.is_ascii() => {
                self.bytes(text.as_bytes());
                if let Some(last) = self.0.last_mut() {
                    *last |= 0x80;
                }
            }
            _ => {
                self.units_begin(text.encode_utf16().count() + 1);
                text.encode_utf16().for_each(|unit| self.unit(unit));
            }
        }
    }

    /// The number of units, plus one: six bits in the first byte, seven in the next ones.
    fn units_begin(&mut self, count: usize) {
        if count < 0x40 {
            return self.byte(count as u8 | 0x80);
        }
        self.byte(count as u8 & 0x3f | 0xc0);
        let mut rest = count >> 6;
        while rest >= 0x80 {
            self.byte(rest as u8 | 0x80);
            rest >>= 7;
        }
        self.byte(rest as u8);
    }

    fn unit(&mut self, unit: u16) {
        match unit {
            0..=0x7f => self.byte(unit as u8),
            0x80..=0x7ff => self.bytes(&[0xc0 | (unit >> 6) as u8, 0x80 | unit as u8 & 0x3f]),
            _ => self.bytes(&[
                0xe0 | (unit >> 12) as u8,
                0x80 | (unit >> 6) as u8 & 0x3f,
                0x80 | unit as u8 & 0x3f,
            ]),
        }
    }

    fn class(&mut self, class: u64) {
        self.variable(class + 2);
    }

    /// The class of an object that may be referred to, and that this is a new one.
    fn new_object(&mut self, class: u64) {
        self.class(class);
        self.byte(1);
    }

    /// A class and an object of it.
    ///
    /// # Errors
    /// The name of its type, if it has no class.
    pub(super) fn value(&mut self, value: &Value) -> Result<(), &'static str> {
        watch::tick();
        match value {
            Value::Null => self.byte(0),
            Value::Int(it) => {
                self.class(class::INTEGER);
                self.int(*it);
            }
            Value::Long(it) => {
                self.class(class::LONG);
                self.long(*it);
            }
            Value::Bool(it) => {
                self.class(class::BOOLEAN);
                self.byte((*it).into());
            }
            Value::Byte(it) => {
                self.class(class::BYTE);
                self.byte(*it as u8);
            }
            Value::Short(it) => {
                self.class(class::SHORT);
                self.bytes(&it.to_be_bytes());
            }
            Value::Float(it) => {
                self.class(class::FLOAT);
                self.bytes(&it.to_be_bytes());
            }
            Value::Double(it) => {
                self.class(class::DOUBLE);
                self.bytes(&it.to_be_bytes());
            }
            Value::Char(it) => {
                // One that Java has no character for is no value of it.
                let unit = u16::try_from(u32::from(*it)).map_err(|_| "Character of two UTF-16 units")?;
                self.class(class::CHARACTER);
                self.bytes(&unit.to_be_bytes());
            }
            other => self.object(other)?,
        }
        Ok(())
    }

    fn object(&mut self, value: &Value) -> Result<(), &'static str> {
        match value {
            Value::String(text) => {
                self.new_object(class::STRING);
                self.text(text);
            }
            Value::Uuid(it) => {
                self.new_object(class::UUID);
                self.bytes(it.as_bytes());
            }
            Value::BigInteger(it) => {
                self.new_object(class::BIG_INTEGER);
                self.array(&it.to_signed_bytes_be());
            }
            Value::BigDecimal(it) => {
                let (unscaled, scale) = it.as_bigint_and_exponent();
                let scale = i32::try_from(scale).map_err(|_| "BigDecimal with a scale beyond 32 bits")?;
                self.new_object(class::BIG_DECIMAL);
                self.array(&unscaled.to_signed_bytes_be());
                self.int(scale);
            }
            Value::DateTime(_) => self.date(value)?,
            Value::Duration(it) => {
                let nanos = i64::try_from(it.as_nanos()).map_err(|_| "Duration of more than 292 years")?;
                self.new_object(class::DURATION);
                self.bytes(&nanos.to_be_bytes());
            }
            Value::Binary(bytes) => {
                self.new_object(class::BYTE_BUFFER);
                let length = i32::try_from(bytes.len()).map_err(|_| "Binary of more than 2 GiB")?;
                self.bytes(&length.to_be_bytes());
                self.bytes(bytes);
            }
            Value::List(members) => {
                self.new_object(class::ARRAY_LIST);
                self.variable(members.len() as u64);
                members.iter().try_for_each(|member| self.value(member))?;
            }
            Value::Set(members) => {
                self.new_object(class::LINKED_HASH_SET);
                self.variable(members.len() as u64);
                members.iter().try_for_each(|member| self.value(member))?;
            }
            Value::Map(map) => {
                self.new_object(class::LINKED_HASH_MAP);
                self.entries(map)?;
            }
            other => return Err(other.type_name()),
        }
        Ok(())
    }

    fn entries(&mut self, map: &Map) -> Result<(), &'static str> {
        self.variable(map.len() as u64);
        map.iter().try_for_each(|(key, value)| {
            self.value(key)?;
            self.value(value)
        })
    }

    /// A map of properties, of which the keys are texts.
    pub(super) fn properties(
        &mut self,
        properties: &[values::Property],
    ) -> Result<(), (String, &'static str)> {
        self.new_object(class::HASH_MAP);
        self.variable(properties.len() as u64);
        for property in properties {
            self.new_object(class::STRING);
            self.text(&property.key);
            self.value(&property.value).map_err(|what| (property.key.to_string(), what))?;
        }
        Ok(())
    }

    fn array(&mut self, bytes: &[u8]) {
        self.variable(bytes.len() as u64 + 1);
        self.bytes(bytes);
    }

    fn millis(&mut self, class: u64, date: &DateTime) {
        self.new_object(class);
        self.variable(date.epoch_millis() as u64);
    }

    fn date(&mut self, value: &Value) -> Result<(), &'static str> {
        let Value::DateTime(date) = value else { return Err(value.type_name()) };
        let older = match date.kind() {
            DateKind::OffsetDateTime => None,
            DateKind::Date => Some(class::DATE),
            DateKind::Timestamp => Some(class::TIMESTAMP),
        };
        if let Some(class) = older {
            self.millis(class, date);
            return Ok(());
        }
        let ((year, month, day), (hour, minute, second)) = date.civil();
        let year = i32::try_from(year).map_err(|_| "OffsetDateTime of a year beyond 32 bits")?;
        self.new_object(class::OFFSET_DATE_TIME);
        self.byte(1);
        self.bytes(&year.to_be_bytes());
        for part in [month, day, hour, minute, second, date.nanos] {
            self.bytes(&part.to_be_bytes());
        }
        self.byte(1);
        self.text(&offset_text(date.offset()));
        Ok(())
    }
}

/// As Java writes an offset.
fn offset_text(offset: i32) -> String {
    if offset == 0 {
        return "Z".into();
    }
    let (sign, seconds) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    match seconds {
        0 => format!("{sign}{hours:02}:{minutes:02}"),
        _ => format!("{sign}{hours:02}:{minutes:02}:{seconds:02}"),
    }
}
