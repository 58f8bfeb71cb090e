//! Which vertex has which id.
//!
//! Ids are the same here that are the same in the graph (docs/schema.md): equal numbers, whatever their types, and a number or a UUID and
//! its usual notation as a text. Where there are both, each finds its own.

use arrow_array::Array;
use mangrove::values::{Uuid, Value, VertexRef};
use rustc_hash::FxHashMap;

use super::{
    cells::{Whole, texts, value_of, whole},
    frame::Cells,
    labels::Pick,
};

/// The vertices of a load, by their ids.
#[derive(Default)]
pub(super) struct Ids {
    whole: FxHashMap<i64, VertexRef>,
    texts: FxHashMap<Box<str>, VertexRef>,
    others: FxHashMap<Value, VertexRef>,
}

/// An id as the graph tells ids apart: a whole number is a long, whatever its type. That of a pandas column in which one is missing
/// is a double.
pub(super) fn key(id: Value) -> Value {
    let number = match id {
        Value::Double(number) => Some(number),
        Value::Float(number) => Some(number.into()),
        _ => None,
    };
    match number.filter(|number| number.fract() == 0.0 && number.abs() < EXACT) {
        Some(number) => Value::Long(number as i64),
        None => id.id_key(),
    }
}

/// Whole numbers below it are told apart by a double.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// The other notation of an id, if it has one: `7` of `'7'`, and the other way round.
pub(super) fn other_notation(id: &Value) -> Option<Value> {
    match id {
        Value::Long(number) => Some(Value::from(number.to_string())),
        Value::Uuid(uuid) => Some(Value::from(uuid.to_string())),
        Value::String(text) => of_text(text),
        _ => None,
    }
}

/// What a text is the usual notation of.
fn of_text(text: &str) -> Option<Value> {
    if let Some(number) = text.parse::<i64>().ok().filter(|number| number.to_string() == text) {
        return Some(Value::Long(number));
    }
    Uuid::try_parse(text).ok().filter(|uuid| uuid.to_string() == text).map(Value::Uuid)
}

impl Ids {
    /// Notes what the rows of a batch are called.
    pub(super) fn note(&mut self, cells: Cells<'_>, pick: &Pick, refs: &[VertexRef]) {
        if let Some(Whole(number)) = whole(cells.array) {
            let numbers = pick.each(number);
            self.whole.extend(numbers.into_iter().zip(refs).filter_map(|(id, v)| Some((id?, *v))));
        } else if let Some(text) = texts(cells.array) {
            let texts = pick.each(text);
            self.texts.extend(texts.into_iter().zip(refs).filter_map(|(id, v)| Some((id?.into(), *v))));
        } else if let Some(value) = value_of(cells.field) {
            let ids = pick.each(|row| value(cells.array, row));
            ids.into_iter().zip(refs).for_each(|(id, v)| match id.map(key) {
                None => {}
                Some(Value::Long(number)) => drop(self.whole.insert(number, *v)),
                Some(id) => drop(self.others.insert(id, *v)),
            });
        }
    }

    /// The vertices with the ids in a column; with none for ids that no vertex has.
    pub(super) fn of_column(&self, cells: Cells<'_>, pick: &Pick) -> Option<Vec<Option<VertexRef>>> {
        if let Some(Whole(number)) = whole(cells.array) {
            return Some(pick.each(|row| number(row).and_then(|number| self.of_number(number))));
        }
        if let Some(text) = texts(cells.array) {
            return Some(pick.each(|row| text(row).and_then(|text| self.of_text(text))));
        }
        let value = value_of(cells.field)?;
        Some(pick.each(|row| {
            let id = if cells.array.is_null(row) { None } else { value(cells.array, row) }?;
            match key(id) {
                Value::Long(number) => self.of_number(number),
                id => self.others.get(&id).copied().or_else(|| self.of_other(&id)),
            }
        }))
    }

    fn of_number(&self, number: i64) -> Option<VertexRef> {
        let found = self.whole.get(&number).copied();
        found.or_else(|| self.texts.get(number.to_string().as_str()).copied())
    }

    fn of_text(&self, text: &str) -> Option<VertexRef> {
        self.texts.get(text).copied().or_else(|| match of_text(text)? {
            Value::Long(number) => self.whole.get(&number).copied(),
            id => self.others.get(&id).copied(),
        })
    }

    fn of_other(&self, id: &Value) -> Option<VertexRef> {
        match other_notation(id)? {
            Value::String(text) => self.texts.get(text.as_str()).copied(),
            _ => None,
        }
    }
}
