//! Spans of time.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use super::scan::Scanner;
use super::{NANOS_PER_SECOND, SECONDS_PER_DAY, TimeError};

/// A span of time (Java's `Duration`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Duration {
    /// Whole seconds; negative for a negative span.
    pub seconds: i64,
    /// Nanoseconds to add, `0..1_000_000_000`.
    pub nanos: u32,
}

impl Duration {
    /// A span of that many milliseconds.
    pub fn from_millis(millis: i64) -> Self {
        Self { seconds: millis.div_euclid(1000), nanos: (millis.rem_euclid(1000) * 1_000_000) as u32 }
    }

    /// A span of that many nanoseconds. `None` beyond 64 bits of seconds.
    pub fn from_nanos(nanos: i128) -> Option<Self> {
        let second = i128::from(NANOS_PER_SECOND);
        let seconds = i64::try_from(nanos.div_euclid(second)).ok()?;
        Some(Self { seconds, nanos: nanos.rem_euclid(second) as u32 })
    }

    /// The whole span in nanoseconds.
    pub fn as_nanos(&self) -> i128 {
        i128::from(self.seconds) * i128::from(NANOS_PER_SECOND) + i128::from(self.nanos)
    }

    /// The span in milliseconds, of which a part is cut off; saturates at the ends of 64 bits.
    pub fn as_millis(&self) -> i64 {
        let nanos = i64::from(self.nanos);
        if self.seconds >= 0 {
            return self.seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000);
        }
        // Of what is negative the nanoseconds lead back towards nothing.
        (self.seconds + 1).saturating_mul(1000).saturating_add((nanos - 1_000_000_000) / 1_000_000)
    }

    /// The span of `count` times the unit that a `DT` token names: `second`, `minute`, `hour` or `day`.
    ///
    /// # Errors
    /// When there is no such unit or the span leaves 64 bits of seconds.
    pub fn of(count: i64, unit: &str) -> Result<Self, TimeError> {
        let unit = match unit {
            "second" => 1,
            "minute" => 60,
            "hour" => 3600,
            "day" => SECONDS_PER_DAY,
            _ => {
                return Err(Scanner::new(unit, "a unit of time").error("`second`, `minute`, `hour` or `day`"));
            }
        };
        count.checked_mul(unit).map(|seconds| Self { seconds, nanos: 0 }).ok_or(TimeError::Overflow)
    }
}

impl FromStr for Duration {
    type Err = TimeError;

    /// Reads ISO 8601 durations of days, hours, minutes and seconds, such as `P2DT3H4M20.5S` or `-PT6H`.
    fn from_str(text: &str) -> Result<Self, TimeError> {
        let mut s = Scanner::new(text, "an ISO 8601 duration");
        let sign: i128 = if s.accept(b"+-") == Some(b'-') { -1 } else { 1 };
        s.expect(b'P', "`P`")?;
        let mut nanos = 0i128;
        let mut parts = 0;
        // Units left to use, largest first; a `T` drops the days.
        let mut units: &[(u8, i64)] = &[(b'D', SECONDS_PER_DAY), (b'H', 3600), (b'M', 60), (b'S', 1)];
        let mut in_time = false;
        while !s.is_done() {
            if !in_time && s.accept(b"T").is_some() {
                in_time = true;
                units = &[(b'H', 3600), (b'M', 60), (b'S', 1)];
            }
            let (amount, letter) = scan_part(&mut s)?;
            let place = units.iter().position(|(name, _)| *name == letter);
            let place =
                place.filter(|_| in_time || letter == b'D').ok_or_else(|| s.error("a unit in its place"))?;
            nanos += amount * i128::from(units[place].1);
            units = &units[place + 1..];
            parts += 1;
        }
        if parts == 0 {
            return Err(s.error("an amount and its unit"));
        }
        Self::from_nanos(sign * nanos).ok_or(TimeError::Overflow)
    }
}

/// An amount in nanoseconds of one, and the letter of its unit.
fn scan_part(s: &mut Scanner<'_>) -> Result<(i128, u8), TimeError> {
    let negative = s.accept(b"+-") == Some(b'-');
    let whole = s.digits(1, 19, "an amount")?;
    let whole: i128 = whole.parse().map_err(|_| s.error("an amount"))?;
    let has_fraction = matches!(s.peek(), Some(b'.' | b','));
    let nanos = whole * i128::from(NANOS_PER_SECOND) + i128::from(s.fraction()?);
    let units: &[u8] = if has_fraction { b"S" } else { b"DHMS" };
    let letter = s.accept(units).ok_or_else(|| s.error("a unit"))?;
    Ok((if negative { -nanos } else { nanos }, letter))
}

impl Display for Duration {
    /// As Java prints a `Duration`: hours, minutes and seconds, such as `PT8H6M12.345S`.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let nanos = self.as_nanos();
        if nanos == 0 {
            return f.write_str("PT0S");
        }
        // Every part carries the sign of the whole.
        let (sign, nanos) = (if nanos < 0 { "-" } else { "" }, nanos.unsigned_abs());
        let (seconds, fraction) =
            (nanos / u128::from(NANOS_PER_SECOND), nanos % u128::from(NANOS_PER_SECOND));
        f.write_str("PT")?;
        for (amount, unit) in [(seconds / 3600, 'H'), (seconds / 60 % 60, 'M')] {
            if amount > 0 {
                write!(f, "{sign}{amount}{unit}")?;
            }
        }
        let second = seconds % 60;
        match fraction {
            0 if second == 0 => Ok(()),
            0 => write!(f, "{sign}{second}S"),
            _ => write!(f, "{sign}{second}.{}S", format!("{fraction:09}").trim_end_matches('0')),
        }
    }
}
