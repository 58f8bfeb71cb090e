//! Objects of Kryo.

use std::sync::Arc;

use values::{BigDecimal, BigInt, DateKind, DateTime, Duration, Map, Set, Str, Uuid, Value, watch};

use super::super::bytes::Bytes;
use super::super::error::{FileError, Result};
use super::super::room::Holdings;
use super::class;

/// Most collections inside one another.
const MAX_DEPTH: usize = 100;
/// Most bytes of a text or an array of bytes. Longer ones cannot be stored.
const LONGEST: usize = 256 << 20;
/// Most bytes of a number of any size.
const LONGEST_NUMBER: usize = 1 << 16;
/// What an object takes in memory, its own bytes aside.
const OBJECT: usize = 64;

/// A file of objects.
pub(super) struct Input {
    pub(super) bytes: Bytes,
    pub(super) held: Holdings,
    /// The objects of this vertex so far, which later ones may refer to; none for one that is being read, or is none that is
    /// ever referred to.
    objects: Vec<Option<Value>>,
}

impl Input {
    pub(super) fn new(bytes: Bytes, held: Holdings) -> Self {
        Self { bytes, held, objects: Vec::new() }
    }

    /// Forgets the objects of the last vertex.
    pub(super) fn begin(&mut self) {
        self.objects.clear();
        self.held.clear();
    }

    pub(super) fn error<T>(&self, problem: impl Into<String>) -> Result<T> {
        Err(FileError::malformed(self.bytes.in_bytes(), problem))
    }

    pub(super) fn hold(&mut self, bytes: usize) -> Result<()> {
        if self.held.add(bytes) { Ok(()) } else { Err(FileError::NoRoom(self.bytes.in_bytes())) }
    }

    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N]> {
        let mut array = [0; N];
        self.bytes.fill(&mut array)?;
        Ok(array)
    }

    pub(super) fn byte(&mut self) -> Result<u8> {
        self.array().map(|[byte]| byte)
    }

    /// An integer of variable length without a sign: seven bits a byte, and of the ninth byte all eight.
    fn variable(&mut self) -> Result<u64> {
        let mut value = 0;
        for place in 0..9 {
            let byte = self.byte()?;
            if place == 8 {
                return Ok(value | u64::from(byte) << 56);
            }
            value |= u64::from(byte & 0x7f) << (7 * place);
            if byte & 0x80 == 0 {
                break;
            }
        }
        Ok(value)
    }

    /// One of at most 32 bits, in at most five bytes.
    fn variable_32(&mut self) -> Result<u32> {
        let mut value = 0u32;
        for place in 0..5 {
            let byte = self.byte()?;
            value |= u32::from(byte & 0x7f).checked_shl(7 * place).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        self.error("an integer has more than five bytes")
    }

    /// An integer with a sign.
    pub(super) fn int(&mut self) -> Result<i32> {
        let value = self.variable_32()?;
        Ok((value >> 1) as i32 ^ -((value & 1) as i32))
    }

    fn long(&mut self) -> Result<i64> {
        let value = self.variable()?;
        Ok((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// The number of something that follows. It is taken for nothing but a bound of how much to read.
    pub(super) fn count(&mut self) -> Result<usize> {
        Ok(self.variable_32()? as usize)
    }

    /// A count that is an object.
    pub(super) fn counted(&mut self) -> Result<usize> {
        match usize::try_from(self.int()?) {
            Ok(count) => Ok(count),
            Err(_) => self.error("a number of things is negative"),
        }
    }

    pub(super) fn boolean(&mut self) -> Result<bool> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            other => self.error(format!("true (1) or false (0) expected, found {other}")),
        }
    }

    /// A text that is an object: new, or one that was read before.
    pub(super) fn text_object(&mut self) -> Result<Str> {
        match self.reference(|input| input.text().map(Value::String))? {
            Some(Value::String(text)) => Ok(text),
            _ => self.error("a text expected"),
        }
    }

    /// Whether an object begins here, and is not null; it is one that is never referred to.
    pub(super) fn begins(&mut self) -> Result<bool> {
        match self.variable_32()? {
            0 => Ok(false),
            1 => {
                self.remember(None)?;
                Ok(true)
            }
            _ => self.error("a new object expected, found a reference"),
        }
    }

    fn remember(&mut self, object: Option<Value>) -> Result<usize> {
        self.hold(OBJECT)?;
        self.objects.push(object);
        Ok(self.objects.len() - 1)
    }

    /// An object, read by `read` if it is new; none if it is null.
    fn reference(&mut self, read: impl FnOnce(&mut Self) -> Result<Value>) -> Result<Option<Value>> {
        match self.variable_32()? {
            0 => Ok(None),
            1 => {
                // Its number is given before those of what is in it.
                let number = self.remember(None)?;
                let value = read(self)?;
                self.objects[number] = Some(value.clone());
                Ok(Some(value))
            }
            reference => match self.objects.get(reference as usize - 2) {
                Some(Some(known)) => Ok(Some(known.clone())),
                Some(None) => self.error("an object refers to one that it is in"),
                None => self.error("an object refers to one that was not there yet"),
            },
        }
    }

    /// A text: of ASCII characters, of which the last has its highest bit set; or the number of its UTF-16 units plus one and
    /// these, each encoded on its own.
    fn text(&mut self) -> Result<Str> {
        let first = self.byte()?;
        if first & 0x80 == 0 {
            return self.ascii(first);
        }
        let mut length = usize::from(first & 0x3f);
        if first & 0x40 != 0 {
            for place in [6, 13, 20, 27] {
                let byte = self.byte()?;
                length |= usize::from(byte & 0x7f) << place;
                if byte & 0x80 == 0 {
                    break;
                }
            }
        }
        match length {
            0 => self.error("a text expected, found null"),
            1.. if length > LONGEST => self.too_long("a text"),
            units => self.units(units - 1),
        }
    }

    fn too_long<T>(&self, what: &str) -> Result<T> {
        self.error(format!("{what} is longer than {} MiB", LONGEST >> 20))
    }

    fn ascii(&mut self, first: u8) -> Result<Str> {
        let mut text = vec![first];
        loop {
            let byte = self.byte()?;
            text.push(byte & 0x7f);
            if text.len().is_multiple_of(1 << 10) {
                self.hold(1 << 10)?;
            }
            if byte & 0x80 != 0 {
                break;
            }
            if text.len() > LONGEST {
                return self.too_long("a text");
            }
        }
        self.hold(text.len() % (1 << 10))?;
        match String::from_utf8(text) {
            Ok(text) => Ok(text.into()),
            Err(_) => self.error("a text is not ASCII"),
        }
    }

    fn units(&mut self, count: usize) -> Result<Str> {
        let mut text = String::new();
        let mut high = None;
        for number in 0..count {
            if number % 256 == 0 {
                self.hold(256)?;
            }
            let unit = self.unit()?;
            let character = match (high.take(), unit) {
                (Some(high), 0xdc00..=0xdfff) => {
                    char::from_u32(0x10000 + ((u32::from(high) - 0xd800) << 10) + (u32::from(unit) - 0xdc00))
                }
                (None, 0xd800..=0xdbff) => {
                    high = Some(unit);
                    continue;
                }
                (None, unit) => char::from_u32(unit.into()),
                (Some(_), _) => None,
            };
            match character {
                Some(character) => text.push(character),
                None => return self.error("half of a character (a lone surrogate) is no text"),
            }
        }
        if high.is_some() {
            return self.error("half of a character (a lone surrogate) is no text");
        }
        Ok(text.into())
    }

    /// A unit of UTF-16 in one to three bytes.
    fn unit(&mut self) -> Result<u16> {
        let first = u16::from(self.byte()?);
        let next = |input: &mut Self| input.byte().map(|byte| u16::from(byte & 0x3f));
        match first >> 4 {
            0..=7 => Ok(first),
            12 | 13 => Ok((first & 0x1f) << 6 | next(self)?),
            14 => Ok((first & 0x0f) << 12 | next(self)? << 6 | next(self)?),
            _ => self.error("a text is not UTF-8 as Java writes it"),
        }
    }

    /// A class and an object of it; null is a value.
    pub(super) fn value(&mut self) -> Result<Value> {
        self.value_at(0)
    }

    fn value_at(&mut self, depth: usize) -> Result<Value> {
        watch::tick();
        if depth > MAX_DEPTH {
            return self.error(format!("more than {MAX_DEPTH} collections inside one another"));
        }
        self.hold(OBJECT)?;
        let class = match u64::from(self.variable_32()?) {
            0 => return Ok(Value::Null),
            1 => return self.error("an object of a class that TinkerPop does not register is not read"),
            class => class - 2,
        };
        match class {
            class::INTEGER => self.int().map(Value::Int),
            class::FLOAT => self.array().map(|bytes| Value::Float(f32::from_be_bytes(bytes))),
            class::BOOLEAN => self.boolean().map(Value::Bool),
            class::BYTE => self.byte().map(|byte| Value::Byte(byte as i8)),
            class::SHORT => self.array().map(|bytes| Value::Short(i16::from_be_bytes(bytes))),
            class::LONG => self.long().map(Value::Long),
            class::DOUBLE => self.array().map(|bytes| Value::Double(f64::from_be_bytes(bytes))),
            class::CHARACTER => {
                let unit = u16::from_be_bytes(self.array()?);
                match char::from_u32(unit.into()) {
                    Some(character) => Ok(Value::Char(character)),
                    None => self.error("half of a character (a lone surrogate) is no character"),
                }
            }
            _ => Ok(self.reference(|input| input.object(class, depth))?.unwrap_or_default()),
        }
    }

    /// What is in a new object of a class.
    fn object(&mut self, class: u64, depth: usize) -> Result<Value> {
        match class {
            class::STRING => self.text().map(Value::String),
            class::ARRAY_LIST | class::LINKED_LIST => {
                let count = self.count()?;
                self.members(count, depth).map(Value::from)
            }
            class::ARRAYS_AS_LIST => match self.reference(|input| input.object(class::ARRAY_LIST, depth))? {
                Some(list) => Ok(list),
                None => self.error("a list expected, found null"),
            },
            class::EMPTY_LIST => Ok(Value::from(Vec::new())),
            class::SINGLETON_LIST => self.members(1, depth).map(Value::from),
            class::HASH_SET | class::LINKED_HASH_SET => {
                let count = self.count()?;
                Ok(self.members(count, depth)?.into_iter().collect::<Set>().into())
            }
            class::EMPTY_SET => Ok(Set::default().into()),
            class::SINGLETON_SET => Ok(self.members(1, depth)?.into_iter().collect::<Set>().into()),
            class::HASH_MAP | class::LINKED_HASH_MAP => {
                let count = self.count()?;
                self.entries(count, depth).map(Value::from)
            }
            class::EMPTY_MAP => Ok(Map::default().into()),
            class::SINGLETON_MAP => self.entries(1, depth).map(Value::from),
            class::UUID => Ok(Value::Uuid(Uuid::from_u128(u128::from_be_bytes(self.array()?)))),
            class::BIG_INTEGER => Ok(Value::BigInteger(Arc::new(self.big_integer()?))),
            class::BIG_DECIMAL => {
                let unscaled = self.big_integer()?;
                let scale = self.int()?;
                Ok(Value::BigDecimal(Arc::new(BigDecimal::new(unscaled, scale.into()))))
            }
            class::BYTE_ARRAY => {
                let count = self.count()?;
                self.binary(count.checked_sub(1))
            }
            class::BYTE_BUFFER => {
                let count = i32::from_be_bytes(self.array()?);
                self.binary(usize::try_from(count).ok())
            }
            _ => self.time(class),
        }
    }

    fn time(&mut self, class: u64) -> Result<Value> {
        match class {
            class::DATE | class::TIMESTAMP => {
                let kind = if class == class::DATE { DateKind::Date } else { DateKind::Timestamp };
                let millis = self.variable()? as i64;
                Ok(DateTime::from_epoch_millis(millis).of_kind(kind).into())
            }
            class::DURATION => {
                let nanos = i64::from_be_bytes(self.array()?);
                Ok(Duration::from_nanos(nanos.into()).map_or(Value::Null, Value::from))
            }
            class::INSTANT => {
                let (seconds, nanos) = (i64::from_be_bytes(self.array()?), u32::from_be_bytes(self.array()?));
                let span = Duration { seconds, nanos };
                self.date(if nanos < 1_000_000_000 {
                    DateTime::from_epoch_millis(0).plus(span).ok()
                } else {
                    None
                })
            }
            class::LOCAL_DATE => {
                let days = i64::from_be_bytes(self.array()?);
                let span = days.checked_mul(86_400).map(|seconds| Duration { seconds, nanos: 0 });
                self.date(span.and_then(|span| DateTime::from_epoch_millis(0).plus(span).ok()))
            }
            class::LOCAL_DATE_TIME => self.local_date_time(0),
            class::OFFSET_DATE_TIME => {
                // The parts are objects, too. Java has one offset for all dates in UTC, so later ones refer to it.
                let local =
                    self.reference(|input| input.civil().map(|parts| Value::list(parts.map(Value::Int))))?;
                let offset = self.text_object()?;
                let Some(local) = local.as_ref().and_then(civil_of) else {
                    return self.error("a date and an offset expected");
                };
                match offset_seconds(&offset) {
                    Some(offset) => self.date_of(local, offset),
                    None => self.error(format!("{offset:?} is no offset of a time zone")),
                }
            }
            other => {
                self.error(format!("an object of the class number {other}, which no property can be of"))
            }
        }
    }

    fn local_date_time(&mut self, offset: i32) -> Result<Value> {
        let civil = self.civil()?;
        self.date_of(civil, offset)
    }

    /// Year, month, day, hour, minute, second, nanosecond.
    fn civil(&mut self) -> Result<[i32; 7]> {
        let mut civil = [0; 7];
        for part in &mut civil {
            *part = i32::from_be_bytes(self.array()?);
        }
        Ok(civil)
    }

    fn date_of(&mut self, civil: [i32; 7], offset: i32) -> Result<Value> {
        let [year, month, day, hour, minute, second, nanos] = civil;
        let part = |part: i32| u32::try_from(part).unwrap_or(u32::MAX);
        let date = DateTime::from_civil(
            (year.into(), part(month), part(day)),
            (part(hour), part(minute), part(second), part(nanos)),
            offset,
        );
        self.date(date.ok())
    }

    fn date(&self, date: Option<DateTime>) -> Result<Value> {
        match date {
            Some(date) => Ok(date.into()),
            None => self.error("a date that no calendar has"),
        }
    }

    fn members(&mut self, count: usize, depth: usize) -> Result<Vec<Value>> {
        // Nothing is reserved: the number may be anything.
        let mut members = Vec::new();
        for _ in 0..count {
            members.push(self.value_at(depth + 1)?);
        }
        Ok(members)
    }

    pub(super) fn entries(&mut self, count: usize, depth: usize) -> Result<Map> {
        let mut map = Map::new();
        for _ in 0..count {
            let key = self.value_at(depth + 1)?;
            map.insert(key, self.value_at(depth + 1)?);
        }
        Ok(map)
    }

    fn big_integer(&mut self) -> Result<BigInt> {
        let Some(count) = self.count()?.checked_sub(1) else {
            return self.error("a number expected, found null");
        };
        if count > LONGEST_NUMBER {
            return self.error(format!("a number has more than {LONGEST_NUMBER} bytes"));
        }
        let mut bytes = vec![0; count];
        self.bytes.fill(&mut bytes)?;
        Ok(BigInt::from_signed_bytes_be(&bytes))
    }

    fn binary(&mut self, count: Option<usize>) -> Result<Value> {
        let Some(count) = count else { return self.error("an array of bytes expected") };
        if count > LONGEST {
            return self.too_long("an array of bytes");
        }
        let mut bytes = Vec::new();
        while bytes.len() < count {
            let more = (count - bytes.len()).min(64 << 10);
            self.hold(more)?;
            let had = bytes.len();
            bytes.resize(had + more, 0);
            self.bytes.fill(&mut bytes[had..])?;
        }
        Ok(Value::binary(bytes))
    }
}

/// The parts of a date that were kept.
fn civil_of(kept: &Value) -> Option<[i32; 7]> {
    let Value::List(parts) = kept else { return None };
    let mut civil = [0; 7];
    for (place, part) in civil.iter_mut().zip(parts.iter()) {
        let Value::Int(part) = part else { return None };
        *place = *part;
    }
    (parts.len() == civil.len()).then_some(civil)
}

/// Seconds of `Z`, `+h`, `+hh`, `+hh:mm` or `+hh:mm:ss`.
fn offset_seconds(text: &str) -> Option<i32> {
    if text == "Z" {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let mut seconds = 0;
    for (part, unit) in rest.splitn(3, ':').zip([3600, 60, 1]) {
        let is_plain = part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit());
        seconds += unit * part.parse::<i32>().ok().filter(|_| is_plain)?;
    }
    Some(sign * seconds)
}
