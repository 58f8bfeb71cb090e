//! Reading values.

use values::number::MAX_DIGITS;
use values::{BigDecimal, BigInt, DateTime, Duration, Str, Uuid, Value};

use super::codes;
use super::version::Version;
use crate::error::Problem;
use crate::temporal::{LocalTime, valid_offset};
use crate::{DecodeError, MAX_DEPTH, WireValue};

/// A cursor over encoded bytes.
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    version: Version,
}

/// Nanoseconds of a second.
const NANOS: i32 = 1_000_000_000;

pub(super) type Read<T> = Result<T, DecodeError>;

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], version: Version) -> Self {
        Self { bytes, at: 0, depth: 0, version }
    }

    pub fn at(&self) -> usize {
        self.at
    }

    /// What has not been read.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    /// Checks that nothing follows.
    pub fn finish(&self) -> Read<()> {
        match self.left() {
            0 => Ok(()),
            left => Err(Problem::Trailing(left).at(self.at)),
        }
    }

    pub fn take(&mut self, count: usize) -> Read<&'a [u8]> {
        if count > self.left() {
            return Err(Problem::Truncated { needed: count, left: self.left() }.at(self.at));
        }
        let taken = &self.bytes[self.at..self.at + count];
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub fn u8(&mut self) -> Read<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn i32(&mut self) -> Read<i32> {
        self.array().map(i32::from_be_bytes)
    }

    pub fn i64(&mut self) -> Read<i64> {
        self.array().map(i64::from_be_bytes)
    }

    /// A length of which each unit takes at least `size` bytes of what is left.
    pub fn count(&mut self, size: usize) -> Read<usize> {
        let at = self.at;
        let length = self.i32()?;
        match usize::try_from(length) {
            Ok(count) if count <= self.left() / size => Ok(count),
            _ => Err(Problem::Length(length.into()).at(at)),
        }
    }

    pub fn bytes(&mut self) -> Read<&'a [u8]> {
        let count = self.count(1)?;
        self.take(count)
    }

    /// A string without code and flag.
    pub fn text(&mut self) -> Read<&'a str> {
        let at = self.at;
        std::str::from_utf8(self.bytes()?).map_err(|_| Problem::Utf8.at(at))
    }

    /// Whether a value follows, by its flag.
    pub fn present(&mut self) -> Read<bool> {
        let at = self.at;
        match self.u8()? {
            codes::PRESENT => Ok(true),
            codes::ABSENT => Ok(false),
            flag => Err(Problem::ValueFlag(flag).at(at)),
        }
    }

    /// Reads `count` items; room is made as they come, so that a length alone costs nothing.
    pub fn repeat<T>(&mut self, count: usize, read: impl Fn(&mut Self) -> Read<T>) -> Read<Vec<T>> {
        let mut items = Vec::with_capacity(count.min(64));
        for _ in 0..count {
            items.push(read(self)?);
        }
        Ok(items)
    }

    /// A fully qualified value of any type.
    pub fn any(&mut self) -> Read<WireValue> {
        let at = self.at;
        let code = self.u8()?;
        if self.has_variant(code) {
            return self.nested(Self::variant);
        }
        if !self.present()? {
            return Ok(WireValue::NULL);
        }
        let known = self.version.known(code).ok_or_else(|| Problem::UnknownTypeCode(code).at(at))?;
        self.nested(|r| r.of_type(known, at))
    }

    /// Whether a flag follows that only some types have, and only in version 4.
    fn has_variant(&self, code: u8) -> bool {
        self.version == Version::Four
            && matches!(code, codes::LIST | codes::MAP)
            && self.bytes.get(self.at) == Some(&codes::VARIANT)
    }

    /// A list of items with their bulks, or a map whose order counts. The flag has not been read.
    fn variant(&mut self) -> Read<WireValue> {
        let code = self.bytes[self.at - 1];
        self.at += 1;
        if code == codes::LIST { self.bulk_set() } else { self.entries().map(WireValue::map) }
    }

    /// The label of an element: a string, or in version 4 a list of them, of which there is one here. An empty one stands for none.
    pub fn label(&mut self) -> Read<Str> {
        if self.version == Version::One {
            return self.text().map(Str::from);
        }
        let at = self.at;
        let mut labels = self.items()?.into_iter();
        match (labels.next(), labels.next()) {
            (None, _) => Ok(Str::new()),
            (Some(WireValue::Value(Value::String(label))), None) => Ok(label),
            (Some(_), None) => Err(Problem::expected("a label", "a value that is no string").at(at)),
            (Some(_), Some(_)) => {
                Err(Problem::expected("one label, since an element has one here", "several").at(at))
            }
        }
    }

    /// Reads something that may contain more of its kind.
    pub fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == MAX_DEPTH {
            return Err(Problem::TooDeep.at(self.at));
        }
        self.depth += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    /// A fully qualified value that has to be one a query can see.
    pub fn value(&mut self) -> Read<Value> {
        let at = self.at;
        self.any()?.into_value().map_err(|problem| problem.at(at))
    }

    // The functions that recurse are kept apart from those that do not: a deep value then costs little stack.
    fn of_type(&mut self, code: u8, at: usize) -> Read<WireValue> {
        if let Some(scalar) = self.scalar(code)? {
            return Ok(WireValue::Value(scalar));
        }
        match code {
            codes::LIST => self.items().map(WireValue::list),
            codes::SET => self.items().map(WireValue::set),
            codes::MAP => self.entries().map(WireValue::map),
            codes::VERTEX => self.vertex().map(Value::from).map(WireValue::from),
            codes::EDGE => self.edge().map(Value::from).map(WireValue::from),
            codes::VERTEX_PROPERTY => self.vertex_property().map(Value::from).map(WireValue::from),
            codes::PROPERTY => self.property().map(Value::from).map(WireValue::from),
            codes::PATH => self.path().map(Value::from).map(WireValue::from),
            other => self.rarely(other, at),
        }
    }

    /// The scalar of that type; `None` if the type is no scalar's.
    fn scalar(&mut self, code: u8) -> Read<Option<Value>> {
        Ok(Some(match code {
            codes::INT => Value::Int(self.i32()?),
            codes::LONG => Value::Long(self.i64()?),
            codes::STRING => Value::str(self.text()?),
            codes::DOUBLE => Value::Double(f64::from_be_bytes(self.array()?)),
            codes::FLOAT => Value::Float(f32::from_be_bytes(self.array()?)),
            codes::BYTE => Value::Byte(self.u8()? as i8),
            codes::SHORT => Value::Short(i16::from_be_bytes(self.array()?)),
            codes::BOOLEAN => Value::Bool(self.boolean()?),
            codes::UUID => Value::Uuid(self.uuid()?),
            codes::CHAR => Value::Char(self.character()?),
            codes::BIG_INTEGER => self.big_integer()?.into(),
            codes::BIG_DECIMAL => self.big_decimal()?.into(),
            codes::BYTE_BUFFER => Value::binary(self.bytes()?),
            codes::DURATION => self.duration()?.into(),
            codes::OFFSET_DATE_TIME => self.offset_date_time()?.into(),
            _ => return Ok(None),
        }))
    }

    /// The types that only bytecode, or hardly anything, holds.
    fn rarely(&mut self, code: u8, at: usize) -> Read<WireValue> {
        if let Some(token) = self.token(code)? {
            return Ok(token);
        }
        if let Some(part) = self.part_of_bytecode(code)? {
            return Ok(part);
        }
        if let Some(extended) = self.extended(code)? {
            return Ok(extended);
        }
        match self.temporal(code)? {
            Some(temporal) => Ok(temporal.into()),
            None => Err(Problem::UnknownTypeCode(code).at(at)),
        }
    }

    /// A list without code and flag; each item takes at least two bytes.
    pub fn items(&mut self) -> Read<Vec<WireValue>> {
        let count = self.count(2)?;
        self.repeat(count, Self::any)
    }

    /// A map without code and flag.
    pub fn entries(&mut self) -> Read<Vec<(WireValue, WireValue)>> {
        let count = self.count(4)?;
        self.repeat(count, |r| Ok((r.any()?, r.any()?)))
    }

    fn boolean(&mut self) -> Read<bool> {
        let at = self.at;
        match self.u8()? {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(Problem::expected("a boolean, 0 or 1", other.to_string()).at(at)),
        }
    }

    pub fn uuid(&mut self) -> Read<Uuid> {
        self.array().map(Uuid::from_bytes)
    }

    /// The first byte of UTF-8 tells how many follow.
    fn character(&mut self) -> Read<char> {
        let at = self.at;
        let length = match self.bytes.get(at) {
            Some(0xf0..) => 4,
            Some(0xe0..) => 3,
            Some(0xc0..) => 2,
            _ => 1,
        };
        let text = std::str::from_utf8(self.take(length)?).map_err(|_| Problem::Utf8.at(at))?;
        text.chars().next().ok_or_else(|| Problem::Utf8.at(at))
    }

    fn big_integer(&mut self) -> Read<BigInt> {
        /// Bytes of an integer of as many digits as arithmetic allows.
        const MAX_BYTES: usize = MAX_DIGITS as usize * 5 / 12 + 1;
        let at = self.at;
        let bytes = self.bytes()?;
        if bytes.len() > MAX_BYTES {
            return Err(Problem::Invalid(format!("an integer may have at most {MAX_DIGITS} digits")).at(at));
        }
        Ok(BigInt::from_signed_bytes_be(bytes))
    }

    fn big_decimal(&mut self) -> Read<BigDecimal> {
        let scale = self.i32()?;
        Ok(BigDecimal::new(self.big_integer()?, scale.into()))
    }

    pub fn nanos(&mut self) -> Read<u32> {
        let at = self.at;
        match self.i32()? {
            nanos @ 0..1_000_000_000 => Ok(nanos as u32),
            other => Err(Problem::expected("nanoseconds of a second", other.to_string()).at(at)),
        }
    }

    fn duration(&mut self) -> Read<Duration> {
        // Go and .NET write both parts of a negative one as negative numbers.
        let at = self.at;
        let (seconds, nanos) = (self.i64()?, self.i32()?);
        let seconds = seconds.checked_add(nanos.div_euclid(NANOS).into());
        let seconds = seconds.ok_or_else(|| Problem::Invalid("the duration is too long".into()).at(at))?;
        Ok(Duration { seconds, nanos: nanos.rem_euclid(NANOS) as u32 })
    }

    /// A day, as a date-time at midnight UTC.
    pub fn local_date(&mut self) -> Read<DateTime> {
        let at = self.at;
        let (year, month, day) = (self.i32()?, self.u8()?, self.u8()?);
        DateTime::from_civil((year.into(), month.into(), day.into()), (0, 0, 0, 0), 0)
            .map_err(|error| Problem::Invalid(error.to_string()).at(at))
    }

    pub fn local_time(&mut self) -> Read<LocalTime> {
        let at = self.at;
        let nanos = self.i64()?;
        LocalTime::from_nanos(nanos)
            .ok_or_else(|| Problem::expected("nanoseconds of a day", nanos.to_string()).at(at))
    }

    pub fn zone_offset(&mut self) -> Read<i32> {
        let at = self.at;
        let offset = self.i32()?;
        if valid_offset(offset) {
            Ok(offset)
        } else {
            Err(Problem::expected("an offset within 18 hours", offset.to_string()).at(at))
        }
    }

    pub fn local_date_time(&mut self) -> Read<DateTime> {
        let (date, time) = (self.local_date()?, self.local_time()?.nanos());
        Ok(DateTime::new(date.seconds + time / 1_000_000_000, (time % 1_000_000_000) as u32, 0))
    }

    pub fn offset_date_time(&mut self) -> Read<DateTime> {
        let (local, offset) = (self.local_date_time()?, self.zone_offset()?);
        Ok(DateTime::new(local.seconds - i64::from(offset), local.nanos, offset))
    }
}
