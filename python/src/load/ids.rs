//! Which vertex has which id.

use arrow_array::{Array, ArrayRef};
use mangrove::values::{Value, VertexRef};
use rustc_hash::FxHashMap;

use super::{
    cells::{Whole, texts, value_of, whole},
    labels::Pick,
};

/// The vertices of a load, by their ids.
#[derive(Default)]
pub(super) struct Ids {
    whole: FxHashMap<i64, VertexRef>,
    texts: FxHashMap<Box<str>, VertexRef>,
    others: FxHashMap<Value, VertexRef>,
}

impl Ids {
    /// Notes what the rows of a batch are called.
    pub(super) fn note(&mut self, column: &ArrayRef, pick: &Pick, refs: &[VertexRef]) {
        if let Some(Whole(number)) = whole(column) {
            let numbers = pick.each(number);
            self.whole.extend(numbers.into_iter().zip(refs).filter_map(|(id, v)| Some((id?, *v))));
        } else if let Some(text) = texts(column) {
            let texts = pick.each(text);
            self.texts.extend(texts.into_iter().zip(refs).filter_map(|(id, v)| Some((id?.into(), *v))));
        } else if let Some(value) = value_of(column.data_type()) {
            let ids = pick.each(|row| value(column, row));
            ids.into_iter().zip(refs).for_each(|(id, v)| match id {
                None => {}
                Some(id) => match id.as_i64() {
                    Some(number) => drop(self.whole.insert(number, *v)),
                    None => drop(self.others.insert(id, *v)),
                },
            });
        }
    }

    /// The vertices with the ids in a column; with none for ids that no vertex has.
    pub(super) fn of_column(&self, column: &ArrayRef, pick: &Pick) -> Option<Vec<Option<VertexRef>>> {
        if let Some(Whole(number)) = whole(column) {
            return Some(pick.each(|row| number(row).and_then(|number| self.whole.get(&number).copied())));
        }
        if let Some(text) = texts(column) {
            return Some(pick.each(|row| text(row).and_then(|text| self.texts.get(text).copied())));
        }
        let value = value_of(column.data_type())?;
        Some(pick.each(|row| {
            let id = if column.is_null(row) { None } else { value(column, row) }?;
            match id.as_i64() {
                Some(number) => self.whole.get(&number).copied(),
                None => self.others.get(&id).copied(),
            }
        }))
    }
}
