//! Days since the epoch to year, month and day, and back.

/// Days in 400 years, after which the calendar repeats.
const DAYS_PER_CYCLE: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01.
const EPOCH_OFFSET: i64 = 719_468;

/// The days from 1970-01-01 to a date of the proleptic Gregorian calendar.
///
/// Years begin in March here, so that the leap day is the last one and months have regular lengths.
pub fn days_from_civil(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let cycle = year.div_euclid(400);
    let year_of_cycle = year.rem_euclid(400);
    let month_from_march = i64::from((month + 9) % 12);
    let day_of_year = (153 * month_from_march + 2) / 5 + i64::from(day) - 1;
    let day_of_cycle = year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    cycle * DAYS_PER_CYCLE + day_of_cycle - EPOCH_OFFSET
}

/// The year, month (1–12) and day (1–31) of a number of days since 1970-01-01.
pub fn civil_from_days(days: i64) -> (i64, u32, u32) {
    let days = days + EPOCH_OFFSET;
    let cycle = days.div_euclid(DAYS_PER_CYCLE);
    let day_of_cycle = days.rem_euclid(DAYS_PER_CYCLE);
    let year_of_cycle =
        (day_of_cycle - day_of_cycle / 1_460 + day_of_cycle / 36_524 - day_of_cycle / 146_096) / 365;
    let day_of_year = day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = ((month_from_march + 2) % 12 + 1) as u32;
    let year = year_of_cycle + cycle * 400 + i64::from(month <= 2);
    (year, month, day)
}

/// Number of days of a month (1–12).
pub fn days_in_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_days() {
        assert_eq!(days_from_civil(1970, 1, 1), 0);
        assert_eq!(days_from_civil(2000, 2, 29), 11_016);
        assert_eq!(civil_from_days(-1), (1969, 12, 31));
        assert_eq!(civil_from_days(-719_528), (0, 1, 1));
    }

    #[test]
    fn every_day_of_three_cycles_follows_the_one_before() {
        let (mut year, mut month, mut day) = (1599, 12, 31);
        for days in days_from_civil(1600, 1, 1)..days_from_civil(2801, 1, 1) {
            if day < days_in_month(year, month) {
                day += 1;
            } else if month < 12 {
                (month, day) = (month + 1, 1);
            } else {
                (year, month, day) = (year + 1, 1, 1);
            }
            assert_eq!(civil_from_days(days), (year, month, day));
            assert_eq!(days_from_civil(year, month, day), days);
        }
    }
}
