//! A table that only grows and is read without a lock.

use std::sync::OnceLock;

/// Places of the first segment; each further one has twice as many as the one before.
const FIRST: usize = 8;
/// Segments: together they have a place for every number of 16 bits.
const SEGMENTS: usize = 14;

type Segment<T> = OnceLock<Box<[OnceLock<T>]>>;

/// Values by number. A place is filled once, and what is in it stays there: growing moves nothing.
#[derive(Debug)]
pub(super) struct Segments<T>([Segment<T>; SEGMENTS]);

impl<T> Default for Segments<T> {
    fn default() -> Self {
        Self([const { OnceLock::new() }; SEGMENTS])
    }
}

impl<T> Segments<T> {
    #[inline]
    pub(super) fn get(&self, number: usize) -> Option<&T> {
        let (segment, place) = place_of(number);
        self.0.get(segment)?.get()?[place].get()
    }

    /// Fills a place; the value comes back if there was one.
    ///
    /// # Panics
    /// If the number has more than 16 bits.
    pub(super) fn fill(&self, number: usize, value: T) -> Result<(), T> {
        let (segment, place) = place_of(number);
        let segment =
            self.0[segment].get_or_init(|| (0..FIRST << segment).map(|_| OnceLock::new()).collect());
        segment[place].set(value)
    }
}

fn place_of(number: usize) -> (usize, usize) {
    let shifted = number + FIRST;
    let segment = (shifted.ilog2() - FIRST.ilog2()) as usize;
    (segment, shifted - (FIRST << segment))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_16_bits_has_a_place_of_its_own() {
        let segments = Segments::default();
        assert!((0..=usize::from(u16::MAX)).all(|number| segments.fill(number, number).is_ok()));
        assert!((0..=usize::from(u16::MAX)).all(|number| segments.get(number) == Some(&number)));
        assert_eq!((segments.fill(9, 1), segments.get(9)), (Err(1), Some(&9)));
        assert_eq!(segments.get(1 << 20), None);
    }
}
