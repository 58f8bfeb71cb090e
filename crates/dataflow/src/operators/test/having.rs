//! `has(key, predicate)` on many vertices: loops over columns.

use graph::{Ends, KeyId, PropertyColumn, Single, StripeTest, ValueRef};
use gremlin::PredicateOp;
use values::{Value, VertexRef};

use super::super::predicate::{At, Check, LongRange};
use super::super::view::Graph;
use super::subject::vertex_values;
use crate::batch::Batch;

/// Vertices from which on a column is made ready for all of them.
pub(super) const MANY: usize = 64;

/// A test of vertices by what they have under a key.
pub(super) struct Having<'a> {
    key: KeyId,
    check: &'a Check,
    /// If it is about a range of longs.
    longs: Option<LongRange>,
    /// Made when values are first looked at.
    column: Option<PropertyColumn<'a>>,
    /// For the vertices of one stripe.
    ranked: Option<StripeTest<'a>>,
    /// A vertex of a stripe whose ranks are not known, and how many values were asked for since.
    unranked: Option<(VertexRef, usize)>,
    batch: &'a Batch,
    graph: &'a Graph<'a>,
}

/// Values that follow one another.
#[derive(Clone, Copy)]
enum Wanted<'a> {
    Longs(i64, i64),
    Text(&'a str),
}

impl<'a> Having<'a> {
    /// The test for the rows of a batch.
    pub(super) fn new(key: KeyId, check: &'a Check, batch: &'a Batch, graph: &'a Graph<'a>) -> Self {
        Self {
            key,
            check,
            longs: LongRange::of(check),
            column: None,
            ranked: None,
            unranked: None,
            batch,
            graph,
        }
    }

    /// The key that it is about.
    pub(super) fn key(&self) -> KeyId {
        self.key
    }

    /// Makes ready for many vertices, most of which are in the stripe of this one, and which will be counted.
    pub(super) fn expect_to_count(&mut self, v: VertexRef) {
        if let Some(wanted) = self.wanted() {
            self.ranked = self.test_near(v, wanted);
            self.unranked = self.ranked.is_none().then_some((v, 0));
        }
        if self.ranked.is_none() {
            self.expect_many_near(v);
        }
    }

    /// Makes ready for many vertices, most of which are in the stripe of this one.
    pub(super) fn expect_many_near(&mut self, v: VertexRef) {
        self.column().expect_many_near(v);
    }

    fn column(&mut self) -> &mut PropertyColumn<'a> {
        self.column.get_or_insert_with(|| self.graph.reader.property_column(self.key))
    }

    /// The values that pass, if their ranks say which.
    fn wanted(&self) -> Option<Wanted<'a>> {
        match self.longs {
            Some(longs) => longs.bounds().map(|(low, high)| Wanted::Longs(low, high)),
            None => self.text().map(Wanted::Text),
        }
    }

    fn test_near(&self, v: VertexRef, wanted: Wanted<'_>) -> Option<StripeTest<'a>> {
        let ranks = self.graph.reader.ranks_near(v, self.key)?;
        match wanted {
            Wanted::Longs(low, high) => ranks.longs(low, high),
            Wanted::Text(text) => ranks.string(text),
        }
    }

    /// The text that a value must equal, if it is about that.
    fn text(&self) -> Option<&'a str> {
        match self.check {
            Check::Compare(PredicateOp::Eq, Value::String(text)) => Some(text.as_str()),
            _ => None,
        }
    }

    /// Of `len` items, writes those whose vertices pass to the beginning of `kept`, in their order; how many these are.
    /// `item` says what item `i` is and its vertex, perhaps from its place in `kept`; `row`, with which row's operands it
    /// is compared.
    #[inline(always)]
    pub(super) fn select<T: Copy>(
        &mut self,
        len: usize,
        kept: &mut [T],
        item: impl Fn(&[T], usize) -> (VertexRef, T),
        row: impl Fn(T) -> u32,
    ) -> usize {
        let (longs, text) = (self.longs, self.text());
        let (column, others) = self.parts();
        match (longs, text) {
            (Some(wanted), _) => keep(len, kept, item, |v, item| match column.long(v) {
                Some(long) => wanted.holds(long),
                None => others.holds(column, v, row(item)),
            }),
            (None, Some(text)) => keep(len, kept, item, |v, item| match column.get(v) {
                Single::Value(ValueRef::Str(value)) => value == text,
                _ => others.holds(column, v, row(item)),
            }),
            (None, None) => keep(len, kept, item, |v, item| others.holds(column, v, row(item))),
        }
    }

    /// How many of some vertices pass, compared with the operands of a row.
    pub(super) fn count(&mut self, reached: Ends<'_>, row: u32) -> usize {
        if let Some(test) = &mut self.ranked
            && let Some(count) = test.count(reached)
        {
            return count;
        }
        let vertices = reached.list;
        if let (Some(first), None) = (vertices.first(), &self.column) {
            // Ranks are known, but these are in several stripes.
            self.expect_many_near(*first);
        }
        if let Some((near, asked)) = &mut self.unranked
            && reached.stripe().is_some_and(|stripe| u32::from(stripe) == near.0 >> 16)
        {
            *asked += vertices.len();
        }
        let (longs, text) = (self.longs, self.text());
        let (column, others) = self.parts();
        match (longs, text) {
            (Some(wanted), _) => number_of(vertices, |v| match column.long(v) {
                Some(long) => wanted.holds(long),
                None => others.holds(column, v, row),
            }),
            (None, Some(text)) => number_of(vertices, |v| match column.get(v) {
                Single::Value(ValueRef::Str(value)) => value == text,
                _ => others.holds(column, v, row),
            }),
            (None, None) => number_of(vertices, |v| others.holds(column, v, row)),
        }
    }

    /// The column, and what tests the values that no loop here knows.
    fn parts(&mut self) -> (&mut PropertyColumn<'a>, Others<'a>) {
        let others = Others { key: self.key, check: self.check, batch: self.batch, graph: self.graph };
        (self.column(), others)
    }
}

/// Tests of any values. Out of line: what they need in registers would be reloaded for every vertex.
#[derive(Clone, Copy)]
struct Others<'a> {
    key: KeyId,
    check: &'a Check,
    batch: &'a Batch,
    graph: &'a Graph<'a>,
}

impl<'a> Others<'a> {
    #[inline(never)]
    fn holds(&self, column: &mut PropertyColumn<'a>, v: VertexRef, row: u32) -> bool {
        let at = At { batch: self.batch, row: row as usize, graph: self.graph };
        let holds = |value: ValueRef<'_>| self.check.holds(value, at);
        match column.get(v) {
            Single::Absent => false,
            Single::Value(value) => holds(value),
            Single::Several => vertex_values(v, self.key, self.graph, holds),
        }
    }
}

#[inline(always)]
fn number_of(vertices: &[VertexRef], mut holds: impl FnMut(VertexRef) -> bool) -> usize {
    vertices.iter().map(|&v| usize::from(holds(v))).sum()
}

impl Drop for Having<'_> {
    fn drop(&mut self) {
        if let Some((v, asked)) = self.unranked
            && asked > 0
        {
            self.graph.reader.note_asked(v, self.key, asked);
        }
    }
}

/// Writes the items that hold to the beginning of `kept`. Every item is written, and the place to write moves on if it
/// stays: half of them passing at random would cost a misprediction each.
#[inline(always)]
fn keep<T: Copy>(
    len: usize,
    kept: &mut [T],
    item: impl Fn(&[T], usize) -> (VertexRef, T),
    mut holds: impl FnMut(VertexRef, T) -> bool,
) -> usize {
    let mut count = 0;
    for i in 0..len {
        let (v, item) = item(kept, i);
        kept[count] = item;
        count += usize::from(holds(v, item));
    }
    count
}
