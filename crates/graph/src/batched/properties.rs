//! Values under one key.

use values::VertexRef;

use super::{Blocks, in_memory, within};
use crate::block::slot_of;
use crate::section::{Column, Rows, SLOTS};
use crate::{KeyId, Reader, ValueRef};

/// The values of vertices under one key. Made by [`Reader::property_column`].
pub struct PropertyColumn<'r> {
    reader: &'r Reader<'r>,
    key: KeyId,
    blocks: Blocks<View<'r>>,
}

/// Where the values of a block are.
#[derive(Clone, Copy)]
struct View<'r> {
    /// If there is a long for every slot, without changes since.
    longs: &'r [i64],
    column: Option<&'r Column>,
}

impl<'r> View<'r> {
    const NONE: Self = Self { longs: &[], column: None };

    fn of(column: Option<&'r Column>, has_own: bool) -> Self {
        let values = column.filter(|column| !has_own && column.delta.is_empty()).map(Column::base);
        match values.map(|values| (values.rows(), values.is_full())) {
            Some((Rows::Long(longs), true)) => Self { longs: within(longs, SLOTS), column },
            _ => Self { column, ..Self::NONE },
        }
    }
}

/// What a vertex has under a key.
#[derive(Clone, Copy, Debug)]
pub enum Single<'r> {
    /// Nothing.
    Absent,
    /// One value.
    Value(ValueRef<'r>),
    /// Several, or one that is more than a value: ask [`Reader::vertex_properties`].
    Several,
}

impl<'r> PropertyColumn<'r> {
    /// What a vertex has. (Always inlined, so that the value stays in registers.)
    #[inline(always)]
    pub fn get(&mut self, v: VertexRef) -> Single<'r> {
        let (view, slot) = self.blocks.near(v);
        if let Some(&long) = view.longs.get(slot) {
            return Single::Value(ValueRef::Long(long));
        }
        let Self { reader, key, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        if let Some(own) = reader.own
            && let Some(state) = own.property(v, *key)
        {
            return state.single();
        }
        match blocks.of(v, || View::of(reader.column(v, *key), reader.own.is_some())).column {
            Some(column) => column.single(slot_of(v), reader.tick),
            None => Single::Absent,
        }
    }

    /// The long that a vertex has, if that is quickly said: `None` says nothing. Costs some instructions less than
    /// [`PropertyColumn::get`].
    #[inline(always)]
    pub fn long(&self, v: VertexRef) -> Option<i64> {
        let (view, slot) = self.blocks.near(v);
        view.longs.get(slot).copied()
    }

    /// How many of some vertices have a long that holds, up to the first of which [`PropertyColumn::long`] says nothing; and
    /// how many come before that one.
    #[inline(always)]
    pub fn count_longs(&self, vertices: &[VertexRef], holds: impl Fn(i64) -> bool) -> (usize, usize) {
        let mut count = 0;
        for (i, &v) in vertices.iter().enumerate() {
            match self.long(v) {
                Some(long) => count += usize::from(holds(long)),
                None => return (count, i),
            }
        }
        (count, vertices.len())
    }

    /// Makes ready for many vertices, most of which are in the stripe of this one.
    pub fn expect_many_near(&mut self, v: VertexRef) {
        let Self { reader, key, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        let key = key.index();
        blocks.fill(v, reader, |block| {
            let column = block.columns.get(key).map_or(Some(None), |cell| in_memory(cell, reader))?;
            Some(View::of(column, reader.own.is_some()))
        });
    }
}

impl Reader<'_> {
    /// The values under one key, for many vertices.
    pub fn property_column(&self, key: KeyId) -> PropertyColumn<'_> {
        PropertyColumn { reader: self, key, blocks: Blocks::new(View::NONE) }
    }
}
