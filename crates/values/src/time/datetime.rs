//! Points in time.

use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use super::scan::Scanner;
use super::{
    Duration, MAX_OFFSET, NANOS_PER_SECOND, SECONDS_PER_DAY, TimeError, civil_from_days, days_from_civil,
    days_in_month,
};

/// A point in time with the UTC offset it was given in (TinkerPop's `OffsetDateTime`), or as one of Java's older dates.
///
/// Equality, order and hash look at the instant alone: noon in London is one o'clock in Paris, and a `Date` too.
#[derive(Clone, Copy, Debug)]
pub struct DateTime {
    /// Seconds since 1970-01-01T00:00:00Z.
    pub seconds: i64,
    /// Nanoseconds within the second, `0..1_000_000_000`.
    pub nanos: u32,
    /// The offset and the kind in one number, so that a value is no larger: `kind << 18 + offset`.
    zone: i32,
}

/// As what a point in time was given, and is handed out again: programs in Java cast to it, and Python takes a
/// `Date` for a time without a zone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum DateKind {
    /// `java.time.OffsetDateTime`: what Gremlin itself makes.
    #[default]
    OffsetDateTime,
    /// `java.util.Date`, in UTC; milliseconds where it travels.
    Date,
    /// `java.sql.Timestamp`, in UTC; milliseconds where it travels.
    Timestamp,
}

/// Bits of [`DateTime::zone`] below the kind: an offset is within ±64,800.
const OFFSET_BITS: u32 = 18;

/// First second of the year -999,999,999, the earliest that `java.time` knows.
const MIN_SECONDS: i64 = -31_557_014_167_219_200;
/// Last second of the year 999,999,999.
const MAX_SECONDS: i64 = 31_556_889_864_403_199;

impl DateTime {
    /// The point `seconds` and `nanos` (below a second) after 1970-01-01T00:00:00Z, given at an offset of so many
    /// seconds from UTC, within ±18 hours.
    pub const fn new(seconds: i64, nanos: u32, offset: i32) -> Self {
        Self { seconds, nanos, zone: offset }
    }

    /// A point in UTC, `millis` milliseconds after 1970-01-01T00:00:00Z.
    pub fn from_epoch_millis(millis: i64) -> Self {
        Self::new(millis.div_euclid(1000), (millis.rem_euclid(1000) * 1_000_000) as u32, 0)
    }

    /// Offset from UTC in seconds, within ±18 hours.
    pub fn offset(&self) -> i32 {
        self.zone - (self.kind_number() << OFFSET_BITS)
    }

    /// As what it was given.
    pub fn kind(&self) -> DateKind {
        match self.kind_number() {
            1 => DateKind::Date,
            2 => DateKind::Timestamp,
            _ => DateKind::OffsetDateTime,
        }
    }

    /// The same point as one of that kind; the older ones are in UTC.
    pub fn of_kind(self, kind: DateKind) -> Self {
        let zone = match kind {
            DateKind::OffsetDateTime => self.offset(),
            DateKind::Date => 1 << OFFSET_BITS,
            DateKind::Timestamp => 2 << OFFSET_BITS,
        };
        Self { zone, ..self }
    }

    /// Offset and kind as one number, for storage.
    pub fn zone(&self) -> i32 {
        self.zone
    }

    /// The point with that [`zone`](Self::zone), as storage has it.
    pub fn stored(seconds: i64, nanos: u32, zone: i32) -> Self {
        Self { seconds, nanos, zone }
    }

    fn kind_number(&self) -> i32 {
        (self.zone + (1 << (OFFSET_BITS - 1))) >> OFFSET_BITS
    }

    /// Milliseconds since 1970-01-01T00:00:00Z, cut down to whole ones; saturates at the ends of 64 bits.
    pub fn epoch_millis(&self) -> i64 {
        self.seconds.saturating_mul(1000).saturating_add(i64::from(self.nanos / 1_000_000))
    }

    /// The point at which clocks at `offset` (seconds from UTC) show the given date and time.
    ///
    /// # Errors
    /// When a field is out of its range: the year beyond ±999,999,999, no such day, an offset beyond ±18 hours.
    pub fn from_civil(
        (year, month, day): (i64, u32, u32),
        (hour, minute, second, nanos): (u32, u32, u32, u32),
        offset: i32,
    ) -> Result<Self, TimeError> {
        let check =
            |field, value: i64, ok: bool| if ok { Ok(()) } else { Err(TimeError::Range { field, value }) };
        check("year", year, year.abs() <= 999_999_999)?;
        check("month", month.into(), (1..=12).contains(&month))?;
        check("day of month", day.into(), day >= 1 && day <= days_in_month(year, month))?;
        check("hour", hour.into(), hour < 24)?;
        check("minute", minute.into(), minute < 60)?;
        check("second", second.into(), second < 60)?;
        check("nanosecond", nanos.into(), nanos < NANOS_PER_SECOND)?;
        check("offset", offset.into(), offset.abs() <= MAX_OFFSET)?;
        let time_of_day = i64::from(hour * 3600 + minute * 60 + second);
        let local = days_from_civil(year, month, day) * SECONDS_PER_DAY + time_of_day;
        Ok(Self::new(local - i64::from(offset), nanos, offset))
    }

    /// The date and time that clocks at this offset show: (year, month, day) and (hour, minute, second).
    pub fn civil(&self) -> ((i64, u32, u32), (u32, u32, u32)) {
        let local = self.seconds.saturating_add(i64::from(self.offset()));
        let time = local.rem_euclid(SECONDS_PER_DAY) as u32;
        (civil_from_days(local.div_euclid(SECONDS_PER_DAY)), (time / 3600, time / 60 % 60, time % 60))
    }

    /// This point, `span` later (or earlier, if it is negative), as an `OffsetDateTime`.
    ///
    /// # Errors
    /// When the result leaves the years ±999,999,999.
    pub fn plus(&self, span: Duration) -> Result<Self, TimeError> {
        let nanos = self.nanos + span.nanos;
        let carry = i64::from(nanos / NANOS_PER_SECOND);
        let seconds = self.seconds.checked_add(span.seconds).and_then(|s| s.checked_add(carry));
        match seconds {
            Some(seconds) if (MIN_SECONDS..=MAX_SECONDS).contains(&seconds) => {
                Ok(Self::new(seconds, nanos % NANOS_PER_SECOND, self.offset()))
            }
            _ => Err(TimeError::Overflow),
        }
    }

    /// The span from `earlier` to this point; negative if `earlier` is later. Saturates at the ends of 64 bits.
    pub fn since(&self, earlier: &Self) -> Duration {
        let borrow = self.nanos < earlier.nanos;
        let nanos = self.nanos + if borrow { NANOS_PER_SECOND } else { 0 } - earlier.nanos;
        let seconds = self.seconds.saturating_sub(earlier.seconds).saturating_sub(i64::from(borrow));
        Duration { seconds, nanos }
    }
}

impl PartialEq for DateTime {
    fn eq(&self, other: &Self) -> bool {
        (self.seconds, self.nanos) == (other.seconds, other.nanos)
    }
}

impl Eq for DateTime {}

impl Hash for DateTime {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.seconds, self.nanos).hash(state);
    }
}

impl PartialOrd for DateTime {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for DateTime {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.seconds, self.nanos).cmp(&(other.seconds, other.nanos))
    }
}

impl FromStr for DateTime {
    type Err = TimeError;

    /// Reads what Gremlin's `datetime()` does: `2018-03`, `2018-03-22`, `2018-03-22T00:35`, seconds, a fraction,
    /// and an offset as `Z`, `+16`, `+1600`, `+16:00`, `+160000` or `+16:00:00`; UTC where there is none.
    ///
    /// As Java does it (`ResolverStyle.SMART`), a day up to the 31st that a month does not have is its last one, and 24:00 the
    /// midnight that follows.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let mut s = Scanner::new(text, "an ISO 8601 date-time");
        let mut date = scan_date(&mut s)?;
        if (29..=31).contains(&date.2) && (1..=12).contains(&date.1) {
            date.2 = date.2.min(days_in_month(date.0, date.1));
        }
        if s.is_done() {
            return Self::from_civil(date, (0, 0, 0, 0), 0);
        }
        s.expect(b'T', "`T` and a time, or the end")?;
        let time = scan_time(&mut s)?;
        let offset = scan_offset(&mut s)?;
        if !s.is_done() {
            return Err(s.error("the end"));
        }
        if time != (24, 0, 0, 0) {
            return Self::from_civil(date, time, offset);
        }
        let midnight = Self::from_civil(date, (0, 0, 0, 0), offset)?;
        Ok(Self::new(midnight.seconds + SECONDS_PER_DAY, 0, offset))
    }
}

fn scan_date(s: &mut Scanner<'_>) -> Result<(i64, u32, u32), TimeError> {
    let sign = s.accept(b"+-");
    let year = s.number(4, 9, "a year of at least four digits")?;
    let year = if sign == Some(b'-') { -year } else { year };
    s.expect(b'-', "`-` and a month")?;
    let month = s.digits(1, 2, "a month")?;
    let day = match s.accept(b"-") {
        Some(_) if month.len() == 1 => return Err(s.error("a month of two digits before a day")),
        Some(_) => s.number(2, 2, "a day of two digits")? as u32,
        None => 1,
    };
    Ok((year, month.parse().unwrap_or_default(), day))
}

fn scan_time(s: &mut Scanner<'_>) -> Result<(u32, u32, u32, u32), TimeError> {
    let hour = s.number(2, 2, "an hour of two digits")? as u32;
    s.expect(b':', "`:` and minutes")?;
    let minute = s.number(2, 2, "minutes of two digits")? as u32;
    if s.accept(b":").is_none() {
        return Ok((hour, minute, 0, 0));
    }
    let second = s.number(2, 2, "seconds of two digits")? as u32;
    Ok((hour, minute, second, s.fraction()?))
}

/// An offset in seconds. Its parts may or may not be separated by colons; minutes and seconds may be left out.
fn scan_offset(s: &mut Scanner<'_>) -> Result<i32, TimeError> {
    let sign = match s.accept(b"Z+-") {
        None | Some(b'Z') => return Ok(0),
        Some(b'-') => -1,
        Some(_) => 1,
    };
    let mut seconds = s.number(2, 2, "hours of an offset")? * 3600;
    for (unit, field) in [(60, "minute of the offset"), (1, "second of the offset")] {
        if s.accept(b":").is_none() && s.is_done() {
            break;
        }
        let value = s.number(2, 2, "two digits of an offset")?;
        if value > 59 {
            return Err(TimeError::Range { field, value });
        }
        seconds += value * unit;
    }
    Ok(sign * seconds as i32)
}

impl Display for DateTime {
    /// As Java prints an `OffsetDateTime`: seconds only where there are some, a fraction of 3, 6 or 9 digits.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ((year, month, day), (hour, minute, second)) = self.civil();
        match year {
            0..=9999 => write!(f, "{year:04}")?,
            10_000.. => write!(f, "+{year}")?,
            _ => write!(f, "-{:04}", -year)?,
        }
        write!(f, "-{month:02}-{day:02}T{hour:02}:{minute:02}")?;
        if second > 0 || self.nanos > 0 {
            write!(f, ":{second:02}")?;
        }
        match self.nanos {
            0 => {}
            n if n % 1_000_000 == 0 => write!(f, ".{:03}", n / 1_000_000)?,
            n if n % 1_000 == 0 => write!(f, ".{:06}", n / 1_000)?,
            n => write!(f, ".{n:09}")?,
        }
        write_offset(self.offset(), f)
    }
}

fn write_offset(offset: i32, f: &mut Formatter<'_>) -> fmt::Result {
    if offset == 0 {
        return f.write_str("Z");
    }
    let (sign, o) = (if offset < 0 { '-' } else { '+' }, offset.unsigned_abs());
    write!(f, "{sign}{:02}:{:02}", o / 3600, o / 60 % 60)?;
    if !o.is_multiple_of(60) {
        write!(f, ":{:02}", o % 60)?;
    }
    Ok(())
}
