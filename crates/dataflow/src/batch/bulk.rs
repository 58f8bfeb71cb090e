//! Arithmetic with bulks.
//!
//! A bulk counts equal traversers, and walks through a graph are soon more than there are numbers for: 5^28 is past a long.
//! Such a bulk is [`COUNTLESS`], which stays what it is under every sum, product and difference. It may be limited, tested or
//! thrown away; whoever needs the number itself asks [`exact`], and gets an error instead of a wrong number.

use crate::error::QueryError;

/// More traversers than a long can count.
pub const COUNTLESS: u64 = u64::MAX;

/// The most that can be counted: TinkerPop counts in longs.
const MOST: u64 = i64::MAX as u64;

/// Both bulks together.
#[inline]
pub fn sum(a: u64, b: u64) -> u64 {
    match a.checked_add(b) {
        Some(sum) if sum <= MOST => sum,
        _ => COUNTLESS,
    }
}

/// One bulk for each of the other.
#[inline]
pub fn product(a: u64, b: u64) -> u64 {
    match a.checked_mul(b) {
        Some(product) if product <= MOST => product,
        _ => COUNTLESS,
    }
}

/// What is left of a bulk without so many; at least as many must be there.
#[inline]
pub fn difference(a: u64, b: u64) -> u64 {
    if a == COUNTLESS { COUNTLESS } else { a - b }
}

/// The number itself.
///
/// # Errors
/// [`QueryError::Countless`] if there is none.
#[inline]
pub fn exact(bulk: u64) -> Result<i64, QueryError> {
    i64::try_from(bulk).map_err(|_| QueryError::Countless)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_long_can_count_is_counted() {
        assert_eq!(exact(sum(MOST - 1, 1)).unwrap(), i64::MAX);
        assert_eq!(exact(product(1 << 31, 1 << 31)).unwrap(), 1 << 62);
        assert_eq!(difference(5, 2), 3);
    }

    #[test]
    fn more_is_countless_whatever_is_done_to_it() {
        for bulk in
            [sum(MOST, 1), product(1 << 32, 1 << 32), sum(COUNTLESS, COUNTLESS), difference(COUNTLESS, MOST)]
        {
            assert_eq!(bulk, COUNTLESS);
            assert!(exact(bulk).is_err());
        }
        assert_eq!(product(COUNTLESS, 0), 0, "but nothing is nothing");
    }
}
