//! Points in time and spans of it.

use mangrove::values::{DateKind, DateTime, Duration};
use pyo3::{prelude::*, types::PyDict};

use super::known;
use crate::errors;

const NANOS_PER_MICRO: u32 = 1_000;

/// A `datetime` with the offset that the point has, or without one if it was given so, as gremlinpython has a `Date` of Java.
/// Python counts microseconds, so what is below is cut off; its years are 1 to 9999.
pub(super) fn date_time<'py>(py: Python<'py>, point: &DateTime) -> PyResult<Bound<'py, PyAny>> {
    let ((year, month, day), (hour, minute, second)) = point.civil();
    if !(1..=9999).contains(&year) {
        return Err(errors::conversion(format!(
            "{point} is beyond the years 1 to 9999 that datetime has; ask for .asString() of it"
        )));
    }
    let micros = point.nanos / NANOS_PER_MICRO;
    known::date_time(py)?.call1((year, month, day, hour, minute, second, micros, zone(py, point)?))
}

/// A `timezone`, or nothing.
fn zone<'py>(py: Python<'py>, point: &DateTime) -> PyResult<Option<Bound<'py, PyAny>>> {
    let zone = known::time_zone(py)?;
    Ok(match (point.kind(), point.offset()) {
        (DateKind::Date | DateKind::Timestamp, _) => None,
        (_, 0) => Some(zone.getattr("utc")?),
        (_, offset) => Some(zone.call1((known::time_delta(py)?.call1((0, offset))?,))?),
    })
}

/// The point in time of a `datetime`; one without a zone is in UTC, and a `Date` of Java, as with gremlinpython.
/// None: it is pandas' `NaT`.
pub(super) fn of_date_time(given: &Bound<'_, PyAny>) -> PyResult<Option<DateTime>> {
    if given.ne(given)? {
        return Ok(None);
    }
    let field = |name| given.getattr(name)?.extract::<u32>();
    let offset = given.call_method0("utcoffset")?;
    let kind = if offset.is_none() { DateKind::Date } else { DateKind::OffsetDateTime };
    let offset = if offset.is_none() { 0 } else { of_time_delta(&offset)?.seconds };
    let nanos = field("microsecond")? * NANOS_PER_MICRO + nanosecond(given)?;
    let (date, time) = (date_of(given)?, (field("hour")?, field("minute")?, field("second")?, nanos));
    let offset = i32::try_from(offset).unwrap_or(i32::MAX);
    let point = DateTime::from_civil(date, time, offset).map(|point| point.of_kind(kind));
    point.map(Some).map_err(|error| errors::conversion(error.to_string()))
}

/// What a `pandas.Timestamp` has below microseconds.
fn nanosecond(given: &Bound<'_, PyAny>) -> PyResult<u32> {
    given.getattr_opt("nanosecond")?.map_or(Ok(0), |nanos| nanos.extract())
}

/// Midnight of a `date`, in UTC and as a `Date` of Java.
pub(super) fn of_date(given: &Bound<'_, PyAny>) -> PyResult<DateTime> {
    DateTime::from_civil(date_of(given)?, (0, 0, 0, 0), 0)
        .map(|point| point.of_kind(DateKind::Date))
        .map_err(|error| errors::conversion(error.to_string()))
}

fn date_of(given: &Bound<'_, PyAny>) -> PyResult<(i64, u32, u32)> {
    let field = |name| given.getattr(name)?.extract::<u32>();
    Ok((field("year")?.into(), field("month")?, field("day")?))
}

/// A `timedelta`, cut down to microseconds.
pub(super) fn time_delta<'py>(py: Python<'py>, span: &Duration) -> PyResult<Bound<'py, PyAny>> {
    let delta = known::time_delta(py)?.call1((0, span.seconds, span.nanos / NANOS_PER_MICRO));
    delta.map_err(|_| {
        errors::conversion(format!("{span} is beyond what timedelta has; ask for .asString() of it"))
    })
}

/// The span of a `timedelta`.
pub(super) fn of_time_delta(given: &Bound<'_, PyAny>) -> PyResult<Duration> {
    let field = |name| given.getattr(name)?.extract::<i64>();
    let seconds = field("days")? * 86_400 + field("seconds")?;
    // What a `pandas.Timedelta` has below microseconds.
    let nanos: u32 = given.getattr_opt("nanoseconds")?.map_or(Ok(0), |nanos| nanos.extract())?;
    Ok(Duration { seconds, nanos: field("microseconds")? as u32 * NANOS_PER_MICRO + nanos })
}

/// A `UUID`.
pub(super) fn uuid<'py>(py: Python<'py>, bytes: &[u8; 16]) -> PyResult<Bound<'py, PyAny>> {
    let named = PyDict::new(py);
    named.set_item("bytes", bytes.as_slice())?;
    known::uuid(py)?.call((), Some(&named))
}
