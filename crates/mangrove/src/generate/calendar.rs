//! The time that the network lives in, in milliseconds since 1970 (UTC).

/// One day.
pub(super) const DAY: i64 = 86_400_000;
/// The first moment: 2010-01-01.
pub(super) const START: i64 = 1_262_304_000_000;
/// The end, which nothing reaches: 2013-01-01.
pub(super) const END: i64 = 1_356_998_400_000;
/// The last people join a month before the end, so that everybody has time to do something.
pub(super) const LAST_JOINING: i64 = END - 30 * DAY;
/// What the interface of the imagined site needs between a cause and its effect.
pub(super) const STEP: i64 = 10_000;
/// Midnight of 1970-01-01 plus this is the earliest birthday: 1980-01-01.
pub(super) const FIRST_BIRTHDAY: i64 = 315_532_800_000;
/// Number of days that birthdays spread over (ten years).
pub(super) const BIRTHDAYS: u64 = 3652;

const SERIAL_BITS: u32 = 40;

/// An id that sorts by time first: the number of 30-day periods since [`START`] above 40 bits of serial number, so ids
/// are sparse, as LDBC's are.
pub(super) fn dated_id(moment: i64, serial: u64) -> u64 {
    let period = ((moment - START) / (30 * DAY)).max(0) as u64;
    period << SERIAL_BITS | serial
}

/// The calendar year of a moment between 1970 and 2100.
pub(super) fn year(moment: i64) -> i64 {
    // 1,461 days are four years, and 1972 was a leap year.
    let days = moment / DAY;
    1970 + (days * 4 + 2) / 1461
}

/// The midnight that a moment's day began with.
pub(super) fn midnight(moment: i64) -> i64 {
    moment - moment.rem_euclid(DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn years_turn_at_new_year() {
        for (y, first) in
            [(1970, 0), (1972, 63_072_000_000), (1973, 94_694_400_000), (2010, START), (2013, END)]
        {
            assert_eq!(year(first), y);
            assert_eq!(year(first + DAY), y);
            if y > 1970 {
                assert_eq!(year(first - 1), y - 1);
            }
        }
    }

    #[test]
    fn later_ids_are_larger() {
        assert!(dated_id(START, 999) < dated_id(START + 31 * DAY, 3));
    }
}
