//! Points in time and spans of it.
//!
//! The calendar is the proleptic Gregorian one of ISO 8601, without leap seconds, as in `java.time`.

mod calendar;
mod datetime;
mod duration;
mod scan;

pub use calendar::{civil_from_days, days_from_civil, days_in_month};
pub use datetime::{DateKind, DateTime};
pub use duration::Duration;

/// Nanoseconds in a second.
pub const NANOS_PER_SECOND: u32 = 1_000_000_000;
/// Seconds in a day.
pub const SECONDS_PER_DAY: i64 = 86_400;
/// Largest offset from UTC, in seconds, either way.
pub const MAX_OFFSET: i32 = 18 * 3600;

/// Why a text is no date-time or duration, or why arithmetic left the calendar.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TimeError {
    /// The text does not follow the format.
    #[error("`{text}` is not {what}: {expected} expected at character {at}")]
    Syntax {
        /// The text, at most 64 characters of it.
        text: String,
        /// What it should have been.
        what: &'static str,
        /// What is missing.
        expected: &'static str,
        /// Where, in characters from 1.
        at: usize,
    },
    /// A field is out of its range.
    #[error("{field} out of range: {value}")]
    Range {
        /// The field.
        field: &'static str,
        /// Its value.
        value: i64,
    },
    /// A result beyond what the type can hold.
    #[error("the result is beyond the range of dates")]
    Overflow,
}
