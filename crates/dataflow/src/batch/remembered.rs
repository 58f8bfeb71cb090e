//! The last few columns that were weighed.
//!
//! A batch that passes from operator to operator, and gains a column at each, has most of its columns in common with the one
//! before. What these weigh is remembered, for a thread, by where they lie. A weak reference keeps that place from being
//! taken by another column; the values themselves are freed as soon as nobody else has them.

use std::cell::RefCell;
use std::sync::{Arc, Weak};

use super::Column;

/// What a column of small values weighs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Known {
    pub(super) bytes: usize,
    pub(super) expanded: u64,
    pub(super) largest: u64,
    pub(super) depth: u16,
}

/// A batch of a query with many projected columns has some thirty, of which no two should have one place: 10 KB for a thread.
const PLACES: usize = 256;

/// A column and what it weighs.
type Remembered = (Weak<Column>, Known);

thread_local! {
    static RECENT: RefCell<[Option<Remembered>; PLACES]> = const { RefCell::new([const { None }; PLACES]) };
}

fn place(column: &Arc<Column>) -> usize {
    // Columns are allocated one beside the other: the product's upper bits tell them apart.
    let mixed = (Arc::as_ptr(column) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (u64::BITS - PLACES.ilog2())) as usize
}

/// What a column weighs, if that is remembered.
pub(super) fn find(column: &Arc<Column>) -> Option<Known> {
    RECENT.with_borrow(|recent| match &recent[place(column)] {
        Some((of, known)) if of.as_ptr() == Arc::as_ptr(column) => Some(*known),
        _ => None,
    })
}

/// Remembers what a column weighs.
pub(super) fn keep(column: &Arc<Column>, known: Known) {
    RECENT.with_borrow_mut(|recent| recent[place(column)] = Some((Arc::downgrade(column), known)));
}

#[cfg(test)]
mod tests {
    use values::Value;

    use super::super::Weight;
    use super::*;

    fn weight(column: &Arc<Column>, len: usize) -> (usize, u64, u64, u16) {
        let mut weight = Weight::default();
        weight.add_shared(column, len);
        (weight.bytes, weight.expanded, weight.largest, weight.depth)
    }

    #[test]
    fn a_column_weighs_the_same_however_often_it_is_asked() {
        for len in [1, 15, 16, 300] {
            let value = |i: usize| match i % 3 {
                0 => Value::from("a text of more than fifteen bytes"),
                1 => Value::list([Value::Int(i as i32), Value::from("another text that is not short")]),
                _ => Value::Int(1),
            };
            let column = Arc::new(Column::Values((0..len).map(value).collect()));
            let mut plain = Weight::default();
            plain.add_column(&column, len);
            let plain = (plain.bytes, plain.expanded, plain.largest, plain.depth);
            for _ in 0..3 {
                assert_eq!(weight(&column, len), plain);
            }
        }
    }

    #[test]
    fn a_column_is_not_taken_for_one_that_lay_where_it_lies() {
        for i in 0..1_000 {
            let text = Value::from("x".repeat(16 + i % 7));
            let column = Arc::new(Column::Values(vec![text; 16]));
            assert_eq!(weight(&column, 16).0, 16 * (size_of::<Value>() + 48 + 16 + i % 7));
        }
    }

    #[test]
    fn large_values_are_counted_once_in_all_columns() {
        let text = Value::from("x".repeat(1 << 20));
        let columns = [0, 1].map(|_| Arc::new(Column::Values(vec![text.clone(); 16])));
        let mut weight = Weight::default();
        (0..3).for_each(|_| columns.iter().for_each(|column| weight.add_shared(column, 16)));
        assert!((1 << 20..2 << 20).contains(&weight.bytes), "{}", weight.bytes);
    }
}
