//! Reads of one kind of section for the many vertices of a batch.
//!
//! A read of one vertex walks stripe, block, cell and section. The vertices of a batch mostly lie in the 64 blocks of
//! one stripe, so the first three steps are taken once per block and then remembered by tablet:
//!
//! ```text
//! vertex ─▶ tablet ─▶ │ ● │ ● │ · │ ● │ …  64 sections of the current stripe, found as they are met
//!                       │
//!                       └─▶ section ─▶ slot
//! ```

use values::VertexRef;

use crate::block::{TABLETS, slot_of, stripe_of};
use crate::section::{Adjacency, Column, Rows};
use crate::{Dir, EdgeLabelId, KeyId, Reader, ValueRef};

/// What is known of the sections of one kind in the stripe of the vertex that was asked for last.
struct StripeSections<S> {
    stripe: usize,
    /// Bit t: tablet t was looked up.
    known: u64,
    sections: [S; TABLETS],
}

impl<S: Copy> StripeSections<S> {
    const fn new(unknown: S) -> Self {
        Self { stripe: usize::MAX, known: 0, sections: [unknown; TABLETS] }
    }

    #[inline(always)]
    fn of(&mut self, v: VertexRef, look_up: impl FnOnce() -> S) -> S {
        let (stripe, tablet) = (stripe_of(v), v.tablet() as usize);
        if stripe != self.stripe {
            (self.stripe, self.known) = (stripe, 0);
        }
        if self.known >> tablet & 1 == 0 {
            self.sections[tablet] = look_up();
            self.known |= 1 << tablet;
        }
        self.sections[tablet]
    }
}

/// Degrees along one edge label, one way. Made by [`Reader::degrees`].
pub struct Degrees<'r> {
    reader: &'r Reader<'r>,
    label: EdgeLabelId,
    dir: Dir,
    sections: StripeSections<Offsets<'r>>,
}

/// Where the degrees of a block are.
#[derive(Clone, Copy)]
struct Offsets<'r> {
    offsets: &'r [u32],
    /// The section, if its offsets do not say all.
    changed: Option<&'r Adjacency>,
}

impl<'r> Offsets<'r> {
    const NONE: Self = Self { offsets: &[], changed: None };

    fn of(section: Option<&'r Adjacency>) -> Self {
        section.map_or(Self::NONE, |section| Self {
            offsets: section.offsets(),
            changed: (!section.delta.is_empty() || !section.trees().is_empty()).then_some(section),
        })
    }

    #[inline(always)]
    fn degree(self, slot: usize, otherwise: impl FnOnce() -> u64) -> u64 {
        match (self.changed, self.offsets.get(slot..slot + 2)) {
            (None, Some(pair)) => u64::from(pair[1] - pair[0]),
            (None, None) => 0,
            (Some(section), Some(pair)) if pair[0] < pair[1] && section.delta.is_empty() => {
                u64::from(pair[1] - pair[0])
            }
            _ => otherwise(),
        }
    }
}

impl Degrees<'_> {
    /// Adds the numbers of edges of vertices to `degrees`.
    pub fn add_to(&mut self, vertices: &[VertexRef], degrees: &mut [u64]) {
        let Self { reader, label, dir, sections } = self;
        let each = vertices.iter().copied().zip(degrees);
        if reader.own.is_some() {
            return each.for_each(|(v, degree)| *degree += reader.list_len(v, *label, *dir));
        }
        for (v, degree) in each {
            let section = sections.of(v, || Offsets::of(reader.adjacency(v, *label, *dir)));
            *degree += section.degree(slot_of(v), || reader.list_len(v, *label, *dir));
        }
    }
}

impl Degrees<'_> {
    /// The numbers of edges of vertices, all together.
    pub fn sum(&mut self, vertices: &[VertexRef]) -> u64 {
        let Self { reader, label, dir, sections } = self;
        if reader.own.is_some() {
            return vertices.iter().map(|&v| reader.list_len(v, *label, *dir)).sum();
        }
        let degree = |&v: &VertexRef| {
            let section = sections.of(v, || Offsets::of(reader.adjacency(v, *label, *dir)));
            section.degree(slot_of(v), || reader.list_len(v, *label, *dir))
        };
        vertices.iter().map(degree).sum()
    }
}

/// The values of vertices under one key. Made by [`Reader::property_column`].
pub struct PropertyColumn<'r> {
    reader: &'r Reader<'r>,
    key: KeyId,
    sections: StripeSections<View<'r>>,
}

/// Where the values of a block are.
#[derive(Clone, Copy)]
enum View<'r> {
    None,
    /// Longs, without changes since.
    Longs(Longs<'r>),
    Column(&'r Column),
}

/// The rows of a column of longs, and a bit for each of them that there is.
#[derive(Clone, Copy)]
struct Longs<'r> {
    rows: &'r [i64],
    present: &'r [u64],
}

impl Longs<'_> {
    #[inline(always)]
    fn get(self, slot: usize) -> Option<i64> {
        match (self.rows.get(slot), self.present.get(slot / 64)) {
            (Some(&long), Some(word)) if word >> (slot % 64) & 1 == 1 => Some(long),
            _ => None,
        }
    }
}

impl<'r> View<'r> {
    fn of(column: Option<&'r Column>) -> Self {
        match column {
            None => Self::None,
            Some(column) => match column.base().rows() {
                Rows::Long(rows) if column.delta.is_empty() => {
                    Self::Longs(Longs { rows, present: column.base().present().words() })
                }
                _ => Self::Column(column),
            },
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
        let Self { reader, key, sections } = self;
        let reader: &'r Reader<'r> = reader;
        if let Some(own) = reader.own
            && let Some(state) = own.property(v, *key)
        {
            return state.single();
        }
        let slot = slot_of(v);
        match sections.of(v, || View::of(reader.column(v, *key))) {
            View::Longs(longs) => {
                longs.get(slot).map_or(Single::Absent, |long| Single::Value(ValueRef::Long(long)))
            }
            View::Column(column) => column.single(slot, reader.tick),
            View::None => Single::Absent,
        }
    }

    /// Whether a vertex has a long that satisfies `long`, or something else that satisfies `other`. For columns of longs
    /// this is a loop's worth of instructions less than [`PropertyColumn::get`].
    #[inline(always)]
    pub fn has_long(
        &mut self,
        v: VertexRef,
        long: impl FnOnce(i64) -> bool,
        other: impl FnOnce(Single<'r>) -> bool,
    ) -> bool {
        if self.reader.own.is_none()
            && let Self { reader, key, sections } = self
            && let View::Longs(longs) = sections.of(v, || View::of(reader.column(v, *key)))
        {
            return match longs.get(slot_of(v)) {
                Some(value) => long(value),
                None => false,
            };
        }
        other(self.get(v))
    }
}

impl<'a> Reader<'a> {
    /// Degrees along one edge label, one way, for many vertices.
    pub fn degrees(&self, label: EdgeLabelId, dir: Dir) -> Degrees<'_> {
        Degrees { reader: self, label, dir, sections: StripeSections::new(Offsets::NONE) }
    }

    /// The values under one key, for many vertices.
    pub fn property_column(&self, key: KeyId) -> PropertyColumn<'_> {
        PropertyColumn { reader: self, key, sections: StripeSections::new(View::None) }
    }
}
