//! Dates and times other than the two kinds that are values.

use values::time::{MAX_OFFSET, SECONDS_PER_DAY, TimeError};
use values::{DateKind, DateTime, Str};

/// A date or time of `java.util` or `java.time` that has its own type on the wire.
///
/// Date-times that are local to no zone are kept as if they were UTC.
#[derive(Clone, Debug, PartialEq)]
pub enum Temporal {
    /// Milliseconds since the epoch (`java.util.Date`).
    Date(i64),
    /// Milliseconds since the epoch (`java.sql.Timestamp`).
    Timestamp(i64),
    /// A point in time, in UTC.
    Instant(DateTime),
    /// A day; the time is midnight.
    LocalDate(DateTime),
    /// A day and a time.
    LocalDateTime(DateTime),
    /// Nanoseconds since midnight.
    LocalTime(LocalTime),
    /// A day of any year.
    MonthDay {
        /// 1 to 12.
        month: u8,
        /// 1 to 31.
        day: u8,
    },
    /// A time with an offset from UTC.
    OffsetTime {
        /// The local time.
        time: LocalTime,
        /// Seconds from UTC.
        offset: i32,
    },
    /// An amount of days, months and years.
    Period {
        /// Years.
        years: i32,
        /// Months.
        months: i32,
        /// Days.
        days: i32,
    },
    /// A year.
    Year(i32),
    /// A month of a year.
    YearMonth {
        /// The year.
        year: i32,
        /// 1 to 12.
        month: u8,
    },
    /// A point in time, with its offset and the name of its zone where that was given.
    ZonedDateTime {
        /// The point in time.
        at: DateTime,
        /// The zone, such as `Europe/Paris`.
        zone: Option<Str>,
    },
    /// Seconds from UTC.
    ZoneOffset(i32),
}

/// Nanoseconds since midnight, less than a day's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalTime(u64);

impl LocalTime {
    const NANOS_PER_DAY: u64 = SECONDS_PER_DAY as u64 * 1_000_000_000;

    /// The time that many nanoseconds after midnight; `None` beyond a day.
    pub fn from_nanos(nanos: i64) -> Option<Self> {
        u64::try_from(nanos).ok().filter(|n| *n < Self::NANOS_PER_DAY).map(Self)
    }

    /// Nanoseconds since midnight.
    pub fn nanos(self) -> i64 {
        self.0 as i64
    }

    /// The time that a clock at the offset of `at` shows then.
    pub fn of(at: &DateTime) -> Self {
        let seconds = at.seconds.saturating_add(i64::from(at.offset())).rem_euclid(SECONDS_PER_DAY);
        Self(seconds as u64 * 1_000_000_000 + u64::from(at.nanos))
    }

    /// This time on the first day of the epoch, at `offset` seconds from UTC.
    fn on_first_day(self, offset: i32) -> DateTime {
        let seconds = (self.0 / 1_000_000_000) as i64 - i64::from(offset);
        DateTime::new(seconds, (self.0 % 1_000_000_000) as u32, offset)
    }
}

impl Temporal {
    /// The type's name in GraphSON.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Date(_) => "g:Date",
            Self::Timestamp(_) => "g:Timestamp",
            Self::Instant(_) => "gx:Instant",
            Self::LocalDate(_) => "gx:LocalDate",
            Self::LocalDateTime(_) => "gx:LocalDateTime",
            Self::LocalTime(_) => "gx:LocalTime",
            Self::MonthDay { .. } => "gx:MonthDay",
            Self::OffsetTime { .. } => "gx:OffsetTime",
            Self::Period { .. } => "gx:Period",
            Self::Year(_) => "gx:Year",
            Self::YearMonth { .. } => "gx:YearMonth",
            Self::ZonedDateTime { .. } => "gx:ZonedDateTime",
            Self::ZoneOffset(_) => "gx:ZoneOffset",
        }
    }

    /// The point in time, where this is one.
    pub fn to_date_time(&self) -> Option<DateTime> {
        match self {
            Self::Date(millis) => Some(DateTime::from_epoch_millis(*millis).of_kind(DateKind::Date)),
            Self::Timestamp(millis) => {
                Some(DateTime::from_epoch_millis(*millis).of_kind(DateKind::Timestamp))
            }
            Self::Instant(at) | Self::LocalDate(at) | Self::LocalDateTime(at) => Some(*at),
            Self::ZonedDateTime { at, .. } => Some(*at),
            _ => None,
        }
    }

    /// The text in GraphSON; the two that are numbers there are numbers here.
    pub fn to_text(&self) -> String {
        match self {
            Self::Date(millis) | Self::Timestamp(millis) => millis.to_string(),
            Self::Instant(at) => instant(at),
            Self::LocalDate(at) => split_date_time(at).0,
            Self::LocalDateTime(at) => at.to_string().trim_end_matches('Z').to_owned(),
            Self::LocalTime(time) => {
                split_date_time(&time.on_first_day(0)).1.trim_end_matches('Z').to_owned()
            }
            Self::MonthDay { month, day } => format!("--{month:02}-{day:02}"),
            Self::OffsetTime { time, offset } => split_date_time(&time.on_first_day(*offset)).1,
            Self::Period { years, months, days } => period(*years, *months, *days),
            Self::Year(year) => year.to_string(),
            Self::YearMonth { year, month } if *year < 0 => format!("-{:04}-{month:02}", -i64::from(*year)),
            Self::YearMonth { year, month } => format!("{year:04}-{month:02}"),
            Self::ZonedDateTime { at, zone: Some(zone) } => format!("{at}[{zone}]"),
            Self::ZonedDateTime { at, zone: None } => at.to_string(),
            Self::ZoneOffset(offset) => offset_text(*offset),
        }
    }

    /// Reads the text of the type that GraphSON calls `gx:…`. `None` if there is no such type.
    pub(crate) fn parse(type_name: &str, text: &str) -> Option<Result<Self, TimeError>> {
        let at = |text: String| text.parse::<DateTime>();
        Some(match type_name {
            "gx:Instant" => at(text.into()).map(Self::Instant),
            "gx:LocalDate" => at(format!("{text}T00:00")).map(Self::LocalDate),
            "gx:LocalDateTime" => at(text.into()).map(Self::LocalDateTime),
            "gx:LocalTime" => at(format!("1970-01-01T{text}")).map(|at| Self::LocalTime(LocalTime::of(&at))),
            "gx:MonthDay" => at(format!("2000{}", text.strip_prefix('-').unwrap_or(text))).map(|at| {
                let ((_, month, day), _) = at.civil();
                Self::MonthDay { month: month as u8, day: day as u8 }
            }),
            "gx:OffsetTime" => at(format!("1970-01-01T{text}"))
                .map(|at| Self::OffsetTime { time: LocalTime::of(&at), offset: at.offset() }),
            "gx:Period" => parse_period(text),
            "gx:Year" => text.parse().map(Self::Year).map_err(|_| out_of_range("year", text)),
            "gx:YearMonth" => at(format!("{text}-01")).map(|at| {
                let ((year, month, _), _) = at.civil();
                // The calendar ends at the year 999,999,999, so this fits.
                Self::YearMonth { year: year as i32, month: month as u8 }
            }),
            "gx:ZonedDateTime" => parse_zoned(text),
            "gx:ZoneOffset" => at(format!("1970-01-02T00:00{text}")).map(|at| Self::ZoneOffset(at.offset())),
            _ => return None,
        })
    }
}

fn out_of_range(field: &'static str, text: &str) -> TimeError {
    TimeError::Syntax { text: crate::error::excerpt(text), what: field, expected: "a number", at: 1 }
}

/// Java prints the seconds of an `Instant` always, those of other date-times only where there are some.
fn instant(at: &DateTime) -> String {
    let text = at.to_string();
    if at.seconds.rem_euclid(60) == 0 && at.nanos == 0 { text.replace('Z', ":00Z") } else { text }
}

fn split_date_time(at: &DateTime) -> (String, String) {
    let text = at.to_string();
    let (date, time) = text.split_once('T').unwrap_or((&text, ""));
    (date.to_owned(), time.to_owned())
}

fn offset_text(offset: i32) -> String {
    let text = DateTime::new(-i64::from(offset), 0, offset).to_string();
    text.trim_start_matches("1970-01-01T00:00").to_owned()
}

fn period(years: i32, months: i32, days: i32) -> String {
    let parts = [(years, 'Y'), (months, 'M'), (days, 'D')];
    let text: String = parts.iter().filter(|(n, _)| *n != 0).map(|(n, unit)| format!("{n}{unit}")).collect();
    if text.is_empty() { "P0D".into() } else { format!("P{text}") }
}

fn parse_period(text: &str) -> Result<Temporal, TimeError> {
    let error = || TimeError::Syntax {
        text: crate::error::excerpt(text),
        what: "an ISO 8601 period",
        expected: "`P`, years, months, weeks and days",
        at: 1,
    };
    let mut rest = text.strip_prefix('P').filter(|rest| !rest.is_empty()).ok_or_else(error)?;
    let (mut years, mut months, mut days) = (0i32, 0i32, 0i32);
    while !rest.is_empty() {
        let end = rest.find(|c: char| c.is_ascii_alphabetic()).ok_or_else(error)?;
        let amount: i32 = rest[..end].parse().map_err(|_| error())?;
        let (field, amount) = match rest.as_bytes()[end] {
            b'Y' => (&mut years, Some(amount)),
            b'M' => (&mut months, Some(amount)),
            b'W' => (&mut days, amount.checked_mul(7)),
            b'D' => (&mut days, Some(amount)),
            _ => return Err(error()),
        };
        *field = amount.and_then(|amount| field.checked_add(amount)).ok_or_else(error)?;
        rest = &rest[end + 1..];
    }
    Ok(Temporal::Period { years, months, days })
}

fn parse_zoned(text: &str) -> Result<Temporal, TimeError> {
    let (at, zone) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
        Some((at, zone)) => (at, Some(Str::from(zone))),
        None => (text, None),
    };
    Ok(Temporal::ZonedDateTime { at: at.parse()?, zone })
}

/// Whether an offset is within ±18 hours.
pub(crate) fn valid_offset(offset: i32) -> bool {
    (-MAX_OFFSET..=MAX_OFFSET).contains(&offset)
}
