//! The order of the ids of vertices as texts.

use std::cmp::Ordering;

use graph::{Reader, Value};

use super::numbers::Doubles;
use super::places::Places;

/// The id of a vertex as Java's `toString` has it.
pub(super) fn text_of(id: &Value) -> String {
    match id {
        Value::String(id) => id.to_string(),
        Value::Long(id) => id.to_string(),
        id => id.to_string(),
    }
}

/// The first eight bytes of the id's text, in order: they tell most ids apart.
pub(super) fn beginning_of(id: &Value) -> u64 {
    match id {
        Value::Long(id @ 0..) => of_digits(*id as u64),
        Value::String(id) => of_bytes(id.as_bytes()),
        id => of_bytes(text_of(id).as_bytes()),
    }
}

fn of_bytes(text: &[u8]) -> u64 {
    let mut first = [0; 8];
    first.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    u64::from_be_bytes(first)
}

/// All eight digits at once, halved thrice:
///
/// ```text
/// 1234 5678  →  12 34 56 78  →  1 2 3 4 5 6 7 8      the first in the lowest bits
/// ```
fn of_digits(number: u64) -> u64 {
    const POWERS: [u64; 12] = {
        let mut powers = [1; 12];
        let mut at = 1;
        while at < powers.len() {
            powers[at] = 10 * powers[at - 1];
            at += 1;
        }
        powers
    };
    let len = number.checked_ilog10().unwrap_or(0) as usize + 1;
    let (first, missing) = match len > 8 {
        true => (number / POWERS[len - 8], 0),
        false => (number * POWERS[8 - len], 8 - len),
    };
    let halves = (first / 10_000) | ((first % 10_000) << 32);
    // Of what is below 10,000, n · 10,486 / 2²⁰ is n / 100; of what is below 100, n · 103 / 2¹⁰ is n / 10.
    let hundreds = (halves * 10_486) >> 20 & 0x7f_0000_007f;
    let pairs = hundreds | (halves - 100 * hundreds) << 16;
    let tens = (pairs * 103) >> 10 & 0x000f_000f_000f_000f;
    let digits = tens | (pairs - 10 * tens) << 8;
    let text = (digits | 0x3030_3030_3030_3030).swap_bytes();
    text & !0 << (8 * missing)
}

/// How the text of the id of one vertex compares with that of another, both by their places; they begin alike.
pub(super) fn compare_whole((a, b): (usize, usize), places: &Places, reader: &Reader<'_>) -> Ordering {
    let text = |place| text_of(&reader.id(places.vertex(place)));
    text(a).cmp(&text(b))
}

/// The beginnings of many. They are found out when they are asked for.
#[derive(Debug)]
pub(super) struct Beginnings(Doubles);

impl Beginnings {
    /// Bytes of so many.
    pub(super) const BYTES: usize = Doubles::BYTES;

    pub(super) fn none(len: usize) -> Self {
        Self(Doubles::zeros(len))
    }

    /// How the id of one vertex compares with that of another, both by their places.
    pub(super) fn compare(&self, (a, b): (usize, usize), places: &Places, reader: &Reader<'_>) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let beginning = |place| match self.0.get(place).to_bits() {
            0 => self.find_out(place, &reader.id(places.vertex(place))),
            known => known,
        };
        beginning(a).cmp(&beginning(b)).then_with(|| compare_whole((a, b), places, reader))
    }

    #[cold]
    fn find_out(&self, place: usize, id: &Value) -> u64 {
        let beginning = beginning_of(id);
        self.0.set(place, f64::from_bits(beginning));
        beginning
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_begins_as_its_text_does() {
        let mut number = 1_u64;
        let random = (0..10_000).map(|at| {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (number >> (at % 63 + 1)) as i64
        });
        let ids =
            [0, 1, 9, 10, 99, 100, 12_345_678, 123_456_789, 99_999_999, 100_000_000, i64::MAX, -1, i64::MIN];
        for id in ids.into_iter().chain(random).map(Value::Long).chain([
            Value::from("ab"),
            Value::from("über alles"),
            Value::Int(7),
        ]) {
            assert_eq!(beginning_of(&id), of_bytes(text_of(&id).as_bytes()), "{id:?}");
        }
    }
}
