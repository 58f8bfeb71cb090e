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

/// What tells most ids apart: their first eight bytes, in order. They are found out when they are asked for.
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
        let text = |place| text_of(&reader.id(places.vertex(place)));
        let beginning = |place| match self.0.get(place).to_bits() {
            0 => self.find_out(place, &text(place)),
            known => known,
        };
        beginning(a).cmp(&beginning(b)).then_with(|| text(a).cmp(&text(b)))
    }

    #[cold]
    fn find_out(&self, place: usize, text: &str) -> u64 {
        let mut first = [0; 8];
        first.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
        let beginning = u64::from_be_bytes(first);
        self.0.set(place, f64::from_bits(beginning));
        beginning
    }
}
