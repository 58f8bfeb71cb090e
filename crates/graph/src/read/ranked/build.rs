//! Making the ranks of a stripe.

use crate::cells::SectionState;
use crate::model::{KeyId, SLOTS, STRIPE_VERTICES, TABLETS, ValueRef, vertex_at};
use crate::place::{Different, Filters, Ranks, Stripe};
use crate::read::reader::Reader;
use crate::sections::{Column, Rows};

/// Different values of a stripe at most: each has a rank of 16 bits, and so has having none.
const MOST: usize = u16::MAX as usize;

/// Bytes of different strings at most.
const MOST_TEXT: usize = 1 << 20;

/// A tablet's column: none, or one in memory without changes; the outer `None` if it is neither.
fn settled<'r>(
    stripe: &Stripe,
    tablet: usize,
    key: KeyId,
    reader: &'r Reader<'_>,
) -> Option<Option<&'r Column>> {
    let Some(cell) = stripe.get(tablet).and_then(|block| block.columns.get(key.index())) else {
        return Some(None);
    };
    match cell.read(reader.memory.cache.account.era(), &reader.guard) {
        SectionState::Loaded(column) => column.delta.is_empty().then_some(Some(column)),
        SectionState::Empty => Some(None),
        SectionState::Stored => None,
    }
}

/// The identity of a tablet's column, 0 if there is none; `None` if it is not in memory, or has changes.
#[inline]
pub(super) fn identity(stripe: &Stripe, tablet: usize, key: KeyId, reader: &Reader<'_>) -> Option<u64> {
    settled(stripe, tablet, key, reader).map(|column| column.map_or(0, |column| column.identity()))
}

/// The ranks of all values of a stripe under a key; `None` if a column is not in memory or has changes, if they are not all
/// longs or all strings, or if there are too many different ones.
pub(super) fn ranks(stripe: &Stripe, key: KeyId, reader: &Reader<'_>) -> Option<Ranks> {
    let mut columns = [None; TABLETS];
    for (tablet, column) in stripe.tablets().zip(&mut columns) {
        *column = settled(stripe, tablet, key, reader)?;
    }
    let sections = columns.map(|column| column.map_or(0, Column::identity));
    let mut array = empty_array();
    let different = match columns.iter().flatten().next()?.base().rows() {
        Rows::Long(_) => {
            let long = |value: ValueRef<'_>| match value {
                ValueRef::Long(long) => Some(long),
                _ => None,
            };
            Different::Longs(rank(gather(&columns, long)?, &mut array)?.into())
        }
        Rows::Str { .. } | Rows::Dictionary(_) => {
            let different = rank(gather(&columns, as_str)?, &mut array)?;
            if different.iter().map(|text| text.len()).sum::<usize>() > MOST_TEXT {
                return None;
            }
            Different::Strings(different.into_iter().map(Box::from).collect())
        }
        _ => return None,
    };
    Some(Ranks { array, different, filters: Filters::default(), sections })
}

fn as_str(value: ValueRef<'_>) -> Option<&str> {
    match value {
        ValueRef::Str(text) => Some(text),
        _ => None,
    }
}

fn empty_array() -> Box<crate::place::Array> {
    let zeros = vec![0; STRIPE_VERTICES as usize].into_boxed_slice();
    zeros.try_into().expect("it is as long as a stripe")
}

/// All values, each with the low bits of its vertex; `None` if one of them is of another type, or more than a value.
fn gather<'r, T>(
    columns: &[Option<&'r Column>; TABLETS],
    typed: impl Fn(ValueRef<'r>) -> Option<T>,
) -> Option<Vec<(T, u16)>> {
    let mut found = Vec::new();
    for (tablet, column) in columns.iter().enumerate() {
        let Some(values) = column.map(Column::base) else { continue };
        if values.is_multiple() {
            return None;
        }
        for slot in 0..SLOTS {
            if let Some(value) = values.get(slot) {
                found.push((typed(value)?, vertex_at(0, tablet as u8, slot as u16).0 as u16));
            }
        }
    }
    Some(found)
}

/// Writes the rank of each value to its vertex's place; the different values, if there are not too many.
fn rank<T: Ord>(mut values: Vec<(T, u16)>, array: &mut super::Array) -> Option<Vec<T>> {
    values.sort_unstable();
    let mut different: Vec<T> = Vec::new();
    for (value, place) in values {
        if different.last() != Some(&value) {
            different.push(value);
        }
        array[usize::from(place)] = different.len() as u16;
    }
    (different.len() <= MOST).then_some(different)
}
