//! Numbers as texts.

use std::str::FromStr;

/// A fraction, of 32 or 64 bits. One that is beyond the range of its type would be read as infinite, which only `Infinity` and its kin
/// are.
pub(super) fn fraction<T: FromStr + Into<f64> + Copy>(text: &str) -> Option<T> {
    let number = text.parse::<T>().ok()?;
    let is_in_range = !number.into().is_infinite() || !text.bytes().any(|byte| byte.is_ascii_digit());
    is_in_range.then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_range_of_a_type_is_no_number_of_it() {
        for text in ["1e39", "-3.5e38", "1e400"] {
            assert_eq!(fraction::<f32>(text), None, "{text}");
        }
        assert_eq!(fraction::<f64>("1e39"), Some(1e39));
        assert_eq!(fraction::<f64>("-1e400"), None);
        assert_eq!(fraction::<f64>("-Infinity"), Some(f64::NEG_INFINITY));
        assert_eq!(fraction::<f32>("inf"), Some(f32::INFINITY));
        assert!(fraction::<f64>("NaN").is_some_and(f64::is_nan));
        assert_eq!(fraction::<f32>("1e-60"), Some(0.0));
        assert_eq!(fraction::<f64>("x"), None);
    }
}
