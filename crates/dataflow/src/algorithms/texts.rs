//! The order of the ids of vertices as texts.

use std::cmp::Ordering;
use std::fmt::Write;
use std::sync::Arc;

use graph::{Reader, Value, VertexRef};

use super::Ground;
use super::members::Members;
use super::numbers::Doubles;
use super::places::Places;
use super::sweep::Visit;

/// The id of a vertex as Java's `toString` has it.
pub(super) fn text_of(id: &Value) -> String {
    let mut text = String::new();
    // A text takes whatever is written to it.
    let _ = match id {
        Value::String(id) => write!(text, "{id}"),
        id => write!(text, "{id}"),
    };
    text
}

/// What tells most ids apart: their first eight bytes, in order.
#[derive(Debug)]
pub(super) struct Beginnings(Doubles);

impl Beginnings {
    /// Bytes of so many.
    pub(super) const BYTES: usize = Doubles::BYTES;

    pub(super) fn none(len: usize) -> Arc<Self> {
        Arc::new(Self(Doubles::zeros(len)))
    }

    /// Whether the id of one vertex comes before that of another, both by their places.
    pub(super) fn compare(&self, (a, b): (usize, usize), places: &Places, reader: &Reader<'_>) -> Ordering {
        if a == b {
            return Ordering::Equal;
        }
        let beginning = |place| self.0.get(place).to_bits();
        let text = |place| text_of(&reader.id(places.vertex(place)));
        beginning(a).cmp(&beginning(b)).then_with(|| text(a).cmp(&text(b)))
    }
}

/// Finds them out, and which vertices there are.
pub(super) struct Begin {
    pub(super) beginnings: Arc<Beginnings>,
    pub(super) members: Arc<Members>,
    pub(super) ground: Ground,
}

impl Visit for Begin {
    type Own = ();

    fn begin(&self, _: &mut (), v: VertexRef, place: usize, reader: &Reader<'_>) -> bool {
        if reader.exists(v) && self.ground.admits(place) {
            self.members.add(place);
            let text = text_of(&reader.id(v));
            let mut first = [0; 8];
            first.iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
            self.beginnings.0.set(place, f64::from_bits(u64::from_be_bytes(first)));
        }
        false
    }

    fn along(&self, _: &mut (), _: &[VertexRef]) {}

    fn end(&self, _: &mut (), _: VertexRef, _: usize, _: &Reader<'_>) {}
}
