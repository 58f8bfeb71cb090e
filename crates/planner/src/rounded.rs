//! Guesses in words.

use std::fmt;

/// A number of rows as far as a guess can be believed: `0.04`, `7`, `1.2k`, `35M`.
pub struct Rounded(pub f64);

impl fmt::Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = match self.0 {
            rows if rows < 999.5 => (rows, ""),
            rows if rows < 999.5e3 => (rows / 1e3, "k"),
            rows if rows < 999.5e6 => (rows / 1e6, "M"),
            rows => (rows / 1e9, "G"),
        };
        let decimals = match number {
            0.0 => 0,
            number if number < 0.95 => 2,
            number if number < 9.95 && (0.05..0.95).contains(&number.fract()) => 1,
            _ => 0,
        };
        write!(f, "{number:.decimals$}{unit}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guess_has_two_digits_or_so() {
        let written = |rows: f64| Rounded(rows).to_string();
        let rows = [0.0, 0.042, 0.96, 1.0, 7.26, 12.3, 999.4, 999.6, 1_240.0, 35_400_000.0, 8e12];
        let texts = ["0", "0.04", "1", "1", "7.3", "12", "999", "1k", "1.2k", "35M", "8000G"];
        assert_eq!(rows.map(written), texts);
    }
}
