//! A fixed-size bit set over rows.

/// One bit per row.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(crate) struct Bits {
    words: Box<[u64]>,
}

impl Bits {
    /// `rows` cleared bits.
    pub(crate) fn new(rows: usize) -> Self {
        Self { words: vec![0; rows.div_ceil(64)].into() }
    }

    pub(crate) fn from_words(words: Box<[u64]>) -> Self {
        Self { words }
    }

    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The bit of `row`; false beyond the end.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> bool {
        self.words.get(row / 64).is_some_and(|word| word >> (row % 64) & 1 == 1)
    }

    /// Sets the bit of `row`, which must be within bounds.
    #[inline]
    pub(crate) fn set(&mut self, row: usize) {
        self.words[row / 64] |= 1 << (row % 64);
    }

    pub(crate) fn count(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_beyond_the_end_reads_as_cleared() {
        let mut bits = Bits::new(200);
        bits.set(130);
        bits.set(5);
        assert_eq!(bits.count(), 2);
        assert!(bits.get(130) && !bits.get(131) && !bits.get(10_000));
    }
}
