//! Columnar batches of traversers: the messages of the dataflow. It must never know what an operator does with them, nor what
//! a query is: rows, columns and what they weigh are all there is.

pub mod bulk;
mod column;
pub mod path;
mod remembered;
mod weight;

use std::sync::Arc;

use planner::physical::Slot;
use values::Value;

pub use column::Column;
pub use path::{Paths, Visited};
pub use weight::{DEEPEST, Weight};

/// Scope tags of a batch's rows: the last element of the paper's scope tag, for instances that cover many traversers.
#[derive(Clone, Debug, PartialEq)]
pub enum Tags {
    /// Every row has this tag.
    Uniform(u32),
    /// One tag per row.
    Rows(Arc<Vec<u32>>),
}

impl Tags {
    /// The tag of a row.
    #[inline]
    pub fn get(&self, row: usize) -> u32 {
        match self {
            Self::Uniform(tag) => *tag,
            Self::Rows(tags) => tags[row],
        }
    }
    /// The tags of the rows named, in that order.
    pub fn gather(&self, rows: &[u32]) -> Self {
        match self {
            Self::Uniform(tag) => Self::Uniform(*tag),
            Self::Rows(tags) => Self::Rows(Arc::new(rows.iter().map(|&r| tags[r as usize]).collect())),
        }
    }
}

/// Bytes of a column beside its rows, in a batch with hundreds of them and few rows.
const COLUMN: usize = 72;

/// A batch of traversers, by columns.
///
/// ```text
/// row   tag   current   bulk   slot 0     slot 1    path
///  0     0     v[4]      1     "Ada"      absent     ●
///  1     0     v[9]      3     "Grace"    12         ●
/// ```
///
/// Rows with the same tag are in the order of the stream. A batch is never empty when it is sent.
#[derive(Clone, Debug)]
pub struct Batch {
    /// Number of rows.
    pub len: usize,
    /// The scope tag of each row.
    pub tags: Tags,
    /// The current object of each traverser.
    pub current: Arc<Column>,
    /// How many equal traversers each row stands for; `None`: one each.
    pub bulk: Option<Arc<Vec<u64>>>,
    /// The further columns, by [`Slot`]; `None` where a slot is not filled (yet).
    pub slots: Vec<Option<Arc<Column>>>,
    /// The paths; `None` where the plan records none.
    pub path: Option<Arc<Paths>>,
}

impl Batch {
    /// Rows that operators aim for in the batches they emit, once a stream has proved long.
    pub const TARGET_ROWS: usize = 2048;

    /// Bytes that a batch may have and be as good as nothing.
    pub(crate) const SLIGHT: usize = 1 << 14;

    /// A batch of traversers with nothing but their current objects, all with tag 0.
    pub fn new(current: Column, len: usize) -> Self {
        Self {
            len,
            tags: Tags::Uniform(0),
            current: Arc::new(current),
            bulk: None,
            slots: Vec::new(),
            path: None,
        }
    }

    /// The seed: one traverser at nothing, from which sources start.
    pub fn seed(slots: usize, paths: bool) -> Self {
        let mut seed = Self::new(Column::Uniform(Value::Null), 1);
        seed.slots = vec![None; slots];
        seed.path = paths.then(|| Arc::new(Paths::empty(1)));
        seed
    }

    /// The bulk of a row.
    #[inline]
    pub fn bulk(&self, row: usize) -> u64 {
        self.bulk.as_ref().map_or(1, |b| b[row])
    }

    /// The sum of all bulks, [`bulk::COUNTLESS`] past a long.
    pub fn total_bulk(&self) -> u64 {
        self.bulk.as_ref().map_or(self.len as u64, |b| b.iter().copied().fold(0, bulk::sum))
    }

    /// The column of a slot, if it is filled.
    #[inline]
    pub fn slot(&self, slot: Slot) -> Option<&Arc<Column>> {
        self.slots.get(slot.0 as usize)?.as_ref()
    }

    /// Fills a slot.
    pub fn set_slot(&mut self, slot: Slot, column: Arc<Column>) {
        let at = slot.0 as usize;
        if self.slots.len() <= at {
            self.slots.resize(at + 1, None);
        }
        self.slots[at] = Some(column);
    }

    /// The rows named by `rows` (a row may occur several times), in that order: filters and fan-outs are made of this.
    pub fn gather(&self, rows: &[u32]) -> Self {
        self.derive(rows, Column::gather(&self.current, rows))
    }

    /// As [`Batch::gather`], but with another current column, one value per entry of `rows`.
    pub fn derive(&self, rows: &[u32], current: Column) -> Self {
        self.derive_shared(rows, Arc::new(current))
    }

    /// As [`Batch::derive`], with a column that others may hold too.
    pub fn derive_shared(&self, rows: &[u32], current: Arc<Column>) -> Self {
        let pick = |c: &Arc<Column>| match &**c {
            Column::Uniform(_) => c.clone(),
            column if self.len == 1 => {
                Arc::new(column.get(0).map_or_else(|| column.gather(rows), Column::Uniform))
            }
            column => Arc::new(column.gather(rows)),
        };
        Self {
            len: rows.len(),
            tags: self.tags.gather(rows),
            current,
            bulk: self.bulk.as_ref().map(|b| Arc::new(rows.iter().map(|&r| b[r as usize]).collect())),
            slots: self.slots.iter().map(|s| s.as_ref().map(pick)).collect(),
            path: self.path.as_ref().map(|paths| Arc::new(paths.gather(rows))),
        }
    }

    /// Keeps the rows for which `keep` holds; the batch itself if all do, `None` if none does.
    pub fn filter(self, mut keep: impl FnMut(usize) -> bool) -> Option<Self> {
        let rows: Vec<u32> = (0..self.len as u32).filter(|&r| keep(r as usize)).collect();
        match rows.len() {
            0 => None,
            n if n == self.len => Some(self),
            _ => Some(self.gather(&rows)),
        }
    }

    /// The first `at` rows and the rest, either of which may be `None`.
    pub fn split(self, at: usize) -> (Option<Self>, Option<Self>) {
        if at == 0 {
            return (None, Some(self));
        }
        if at >= self.len {
            return (Some(self), None);
        }
        let rows: Vec<u32> = (0..self.len as u32).collect();
        (Some(self.gather(&rows[..at])), Some(self.gather(&rows[at..])))
    }

    /// Appends `other`'s rows. Slots that only one side has filled become absent in the other's rows.
    pub fn append(&self, other: &Self) -> Self {
        let (a, b) = (self.len, other.len);
        let slots = self.slots.len().max(other.slots.len());
        let slot = |i: usize| {
            let absent = |n: usize| Column::Optional(vec![None; n]);
            match (self.slots.get(i).cloned().flatten(), other.slots.get(i).cloned().flatten()) {
                (None, None) => None,
                (Some(x), Some(y)) => Some(Arc::new(x.concat(a, &y, b))),
                (Some(x), None) => Some(Arc::new(x.concat(a, &absent(b), b))),
                (None, Some(y)) => Some(Arc::new(absent(a).concat(a, &y, b))),
            }
        };
        let bulk = (self.bulk.is_some() || other.bulk.is_some())
            .then(|| Arc::new((0..a).map(|i| self.bulk(i)).chain((0..b).map(|i| other.bulk(i))).collect()));
        let tags = match (&self.tags, &other.tags) {
            (Tags::Uniform(x), Tags::Uniform(y)) if x == y => Tags::Uniform(*x),
            (x, y) => {
                Tags::Rows(Arc::new((0..a).map(|i| x.get(i)).chain((0..b).map(|i| y.get(i))).collect()))
            }
        };
        let path = match (&self.path, &other.path) {
            (Some(x), Some(y)) => Some(Arc::new(x.append(y))),
            _ => None,
        };
        Self {
            len: a + b,
            tags,
            current: Arc::new(self.current.concat(a, &other.current, b)),
            bulk,
            slots: (0..slots).map(slot).collect(),
            path,
        }
    }

    /// Records the current objects as new entries of the paths, with these labels. No-op where no paths are recorded.
    pub fn extend_path(&mut self, labels: &[values::Str]) {
        if let Some(paths) = &self.path {
            self.path = Some(Arc::new(paths.extend(self.current.clone(), labels)));
        }
    }

    /// Adds labels to the last entries of the paths. No-op where no paths are recorded.
    pub fn relabel_path(&mut self, labels: &[values::Str]) {
        if let (Some(paths), false) = (&self.path, labels.is_empty()) {
            self.path = Some(Arc::new(paths.relabel(labels)));
        }
    }

    /// Bytes held, roughly, with what the values point to.
    pub fn bytes(&self) -> usize {
        self.weight().bytes
    }

    /// What its rows weigh.
    pub fn weight(&self) -> Weight {
        let mut weight = Weight::default();
        self.add_to(&mut weight);
        weight
    }

    /// Adds what its rows weigh.
    pub(crate) fn add_to(&self, weight: &mut Weight) {
        let path = self.path.as_ref().map_or(0, |paths| paths.bytes());
        weight.bytes +=
            128 + path + self.slots.len() * COLUMN + self.bulk.as_ref().map_or(0, |b| b.len() * 8);
        let before = weight.bytes;
        weight.add_shared(&self.current, self.len);
        // What a traverser has just visited is the end of its path too, and has been counted there.
        if self.path.as_ref().is_some_and(|paths| paths.ends_in(&self.current)) {
            weight.bytes = before;
        }
        for slot in self.slots.iter().flatten() {
            weight.add_shared(slot, self.len);
        }
    }

    /// Whether a column may hold values of any size.
    #[inline]
    pub(crate) fn has_values(&self) -> bool {
        self.current.has_values() || self.slots.iter().flatten().any(|slot| slot.has_values())
    }

    /// Whether it is as good as nothing: a few rows with small values. Most batches of short queries are.
    pub(crate) fn is_slight(&self) -> bool {
        // Of more columns it is sooner known what they weighed a moment ago than looked through what is in them.
        if !self.has_few_slots() || self.slot_bytes() > Self::SLIGHT / 2 {
            return false;
        }
        let mut room = Self::SLIGHT - self.slot_bytes();
        self.current.is_slight(&mut room) && self.slots.iter().flatten().all(|slot| slot.is_slight(&mut room))
    }

    /// Whether there are so few rows and columns that the batch is as good as nothing if the values in them are small.
    #[inline]
    pub(crate) fn has_few_slots(&self) -> bool {
        const FEW: usize = 64;
        self.len <= FEW && self.path.is_none() && self.slot_bytes() <= Self::SLIGHT
    }

    /// Whether its columns are as good as nothing, beside what values in them point to.
    #[inline]
    pub(crate) fn is_narrow(&self) -> bool {
        self.slot_bytes() <= 2 * Self::SLIGHT
    }

    /// Whether what is in one of its columns is as good as nothing.
    #[inline]
    pub(crate) fn is_slight_in(&self, column: &Column) -> bool {
        column.is_slight(&mut { Self::SLIGHT / 2 })
    }

    fn slot_bytes(&self) -> usize {
        (self.len * size_of::<Value>() + COLUMN) * (self.slots.len() + 1)
    }

    /// The batch in pieces of some `most` bytes, written out: a row or more each.
    pub(crate) fn in_pieces(&self, most: u64) -> impl Iterator<Item = Self> {
        let mut row = 0;
        std::iter::from_fn(move || {
            let from = row;
            let mut weight = Weight::default();
            while row < self.len && (row == from || weight.expanded < most) {
                for column in self.slots.iter().flatten().chain([&self.current]) {
                    weight.add(&column.value(row));
                }
                row += 1;
            }
            let rows: Vec<u32> = (from as u32..row as u32).collect();
            (!rows.is_empty()).then(|| self.gather(&rows))
        })
    }
}
