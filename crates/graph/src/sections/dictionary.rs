//! Strings of which a column has few different ones: each of them once, and a code per row.
//!
//! ```text
//! codes   │0│1│0│0│2│…          one per row, of 8 or 16 bits; whatever, where the row has no value
//! ends    │7│13│19│             one per different string
//! text    │FirefoxChromeOpera│
//! ```

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::values::span;

/// Codes in the narrowest width that holds them all.
#[derive(Clone, Debug)]
enum Codes {
    Narrow(Box<[u8]>),
    Wide(Box<[u16]>),
}

/// The rows of a column of strings that repeat.
#[derive(Clone, Debug)]
pub(crate) struct Dictionary {
    codes: Codes,
    ends: Box<[u32]>,
    text: Box<str>,
}

impl Dictionary {
    /// A dictionary of parts that were decoded: codes, and the ends of the strings in the text. None if a code has no
    /// string. `ends` ascends within the text, at the boundaries of characters.
    pub(crate) fn new(codes: Box<[u16]>, ends: Box<[u32]>, text: Box<str>) -> Option<Self> {
        if codes.iter().any(|&code| usize::from(code) >= ends.len()) {
            return None;
        }
        let codes = match ends.len() {
            0..=256 => Codes::Narrow(codes.iter().map(|&code| code as u8).collect()),
            _ => Codes::Wide(codes),
        };
        Some(Self { codes, ends, text })
    }

    /// The dictionary of a column of strings, if it takes at most three quarters of their bytes.
    pub(crate) fn of(present: &Bits, ends: &[u32], text: &str) -> Option<Self> {
        let plain = size_of_val(ends) + text.len();
        let most = plain - plain / 4;
        let (mut known, mut codes) = (FxHashMap::default(), Vec::with_capacity(ends.len()));
        let (mut own_ends, mut own_text) = (Vec::new(), String::new());
        for row in 0..ends.len() {
            let string =
                span(ends, row).filter(|_| present.get(row)).and_then(|(start, end)| text.get(start..end));
            let Some(string) = string else {
                codes.push(0);
                continue;
            };
            let code = *known.entry(string).or_insert_with(|| {
                own_text.push_str(string);
                own_ends.push(own_text.len() as u32);
                own_ends.len() - 1
            });
            codes.push(u16::try_from(code).ok()?);
            if size_of_val(&own_ends[..]) + own_text.len() + ends.len() > most {
                return None;
            }
        }
        let dictionary = Self::new(codes.into(), own_ends.into(), own_text.into())?;
        (dictionary.bytes() <= most).then_some(dictionary)
    }

    /// The string of a row; none beyond the end. For a row without a value it is any.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&str> {
        let code = match &self.codes {
            Codes::Narrow(codes) => usize::from(*codes.get(row)?),
            Codes::Wide(codes) => usize::from(*codes.get(row)?),
        };
        let (start, end) = span(&self.ends, code)?;
        self.text.get(start..end)
    }

    /// The codes, row by row.
    pub(crate) fn codes(&self) -> impl Iterator<Item = u16> {
        let (narrow, wide): (&[u8], &[u16]) = match &self.codes {
            Codes::Narrow(codes) => (codes, &[]),
            Codes::Wide(codes) => (&[], codes),
        };
        narrow.iter().map(|&code| code.into()).chain(wide.iter().copied())
    }

    /// Where the different strings end, and they themselves.
    pub(crate) fn strings(&self) -> (&[u32], &str) {
        (&self.ends, &self.text)
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        let codes = match &self.codes {
            Codes::Narrow(codes) => size_of_val::<[u8]>(codes),
            Codes::Wide(codes) => size_of_val::<[u16]>(codes),
        };
        codes + size_of_val::<[u32]>(&self.ends) + self.text.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(rows: &[Option<&str>]) -> (Bits, Vec<u32>, String) {
        let (mut present, mut ends, mut text) = (Bits::new(rows.len()), Vec::new(), String::new());
        for (row, string) in rows.iter().enumerate() {
            if let Some(string) = string {
                present.set(row);
                text.push_str(string);
            }
            ends.push(text.len() as u32);
        }
        (present, ends, text)
    }

    fn dictionary(rows: &[Option<&str>]) -> Option<Dictionary> {
        let (present, ends, text) = column(rows);
        Dictionary::of(&present, &ends, &text)
    }

    #[test]
    fn strings_that_repeat_are_kept_once() {
        let browsers = ["Firefox", "Chröme", ""];
        let rows: Vec<Option<&str>> =
            (0..1000).map(|n| (n % 7 != 0).then(|| browsers[n % browsers.len()])).collect();
        let dictionary = dictionary(&rows).unwrap();
        assert!(dictionary.bytes() < 1100, "a byte each: {}", dictionary.bytes());
        for (row, string) in rows.iter().enumerate().filter(|(_, string)| string.is_some()) {
            assert_eq!(dictionary.get(row), *string, "row {row}");
        }
        assert_eq!(dictionary.get(1000), None);
    }

    #[test]
    fn codes_grow_to_sixteen_bits_and_no_further() {
        let names: Vec<String> = (0..70_000).map(|n| format!("somebody called number {n}")).collect();
        let repeated = |different: usize| -> Vec<Option<&str>> {
            (0..4 * different).map(|n| Some(names[n % different].as_str())).collect()
        };
        for different in [256, 257, 60_000] {
            let rows = repeated(different);
            let dictionary = dictionary(&rows).unwrap();
            assert!((0..rows.len()).all(|row| dictionary.get(row) == rows[row]), "{different}");
        }
        assert!(dictionary(&repeated(70_000)).is_none());
    }

    #[test]
    fn strings_that_differ_have_no_dictionary() {
        let names: Vec<String> = (0..1000).map(|n| format!("name {n}")).collect();
        let rows: Vec<Option<&str>> = names.iter().map(|name| Some(name.as_str())).collect();
        assert!(dictionary(&rows).is_none());
        assert!(dictionary(&[]).is_none_or(|empty| empty.get(0).is_none()));
    }

    #[test]
    fn a_code_without_a_string_is_refused() {
        assert!(Dictionary::new([0, 1].into(), [1].into(), "a".into()).is_none());
    }
}
