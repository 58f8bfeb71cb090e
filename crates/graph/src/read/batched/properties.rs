//! Values under one key.

use values::VertexRef;

use super::{Blocks, in_memory, within};
use crate::model::{KeyId, SLOTS, Single, ValueRef, slot_of};
use crate::read::reader::Reader;
use crate::sections::{Column, Rows};

/// The values of vertices under one key. Made by [`Reader::property_column`].
pub struct PropertyColumn<'r> {
    reader: &'r Reader<'r>,
    key: KeyId,
    /// The longs of a block if there is one for every slot, without changes since; and the column.
    blocks: Blocks<&'r [i64], Option<&'r Column>>,
}

/// What is kept of a column.
fn parts(column: Option<&Column>, has_own: bool) -> (&[i64], Option<&Column>) {
    let values = column.filter(|column| !has_own && column.delta.is_empty()).map(Column::base);
    match values.map(|values| (values.rows(), values.is_full())) {
        Some((Rows::Long(longs), true)) => (within(longs, SLOTS), column),
        _ => (&[], column),
    }
}

impl<'r> PropertyColumn<'r> {
    /// What a vertex has. (Always inlined, so that the value stays in registers.)
    #[inline(always)]
    pub fn get(&mut self, v: VertexRef) -> Single<'r> {
        let (longs, slot) = self.blocks.near(v);
        if let Some(&long) = longs.get(slot) {
            return Single::Value(ValueRef::Long(long));
        }
        let Self { reader, key, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        if let Some(own) = reader.own
            && let Some(single) = own.single(v, *key)
        {
            return single;
        }
        match blocks.of(v, || parts(reader.column(v, *key), reader.own.is_some())).1 {
            Some(column) => column.single(slot_of(v), reader.tick),
            None => Single::Absent,
        }
    }

    /// The long that a vertex has, if that is quickly said: `None` says nothing. Costs some instructions less than
    /// [`PropertyColumn::get`].
    #[inline(always)]
    pub fn long(&self, v: VertexRef) -> Option<i64> {
        let (longs, slot) = self.blocks.near(v);
        longs.get(slot).copied()
    }

    /// Makes ready for many vertices, most of which are in the stripe of this one.
    pub fn expect_many_near(&mut self, v: VertexRef) {
        let Self { reader, key, blocks } = self;
        let reader: &'r Reader<'r> = reader;
        let key = key.index();
        blocks.fill(v, reader, |block| {
            let column = block.columns.get(key).map_or(Some(None), |cell| in_memory(cell, reader))?;
            Some(parts(column, reader.own.is_some()))
        });
    }
}

impl Reader<'_> {
    /// The values under one key, for many vertices.
    pub fn property_column(&self, key: KeyId) -> PropertyColumn<'_> {
        PropertyColumn { reader: self, key, blocks: Blocks::new(&[], None) }
    }
}
