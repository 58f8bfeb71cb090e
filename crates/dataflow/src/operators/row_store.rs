//! Rows that a barrier keeps until its input has ended.

use std::sync::Arc;

use super::row_origins::trace;
use crate::batch::{Batch, Column, Paths, Tags, Weight};
use crate::operator::{Context, Output, Step};

/// A kept row: which batch, which row of it, and its bulk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) batch: u32,
    pub(super) row: u32,
    pub(super) bulk: u64,
}

/// Batches, and rows in them for each that is kept, from which on a copy is worth its while.
const SPARSE: (usize, usize) = (4, 64);

/// Batches of which some rows are kept.
#[derive(Debug, Default)]
pub(super) struct RowStore {
    batches: Vec<Arc<Batch>>,
    /// Rows of all of them.
    rows: usize,
    /// Of all of them together, for they share values.
    weight: Weight,
}

impl RowStore {
    /// Keeps a batch. Its number.
    pub(super) fn add(&mut self, batch: Arc<Batch>) -> u32 {
        batch.add_to(&mut self.weight);
        self.rows += batch.len;
        self.batches.push(batch);
        (self.batches.len() - 1) as u32
    }

    /// Whether so many rows are few of those that are in memory for them, and there is something to be gained by a copy.
    pub(super) fn is_sparse(&self, rows: usize) -> bool {
        self.batches.len() >= SPARSE.0 && self.rows / SPARSE.1 >= rows
    }

    /// The batch of a row.
    pub(super) fn batch(&self, place: Place) -> &Batch {
        &self.batches[place.batch as usize]
    }

    /// Bytes of the batches kept, roughly.
    pub(super) fn bytes(&self) -> usize {
        self.weight.bytes
    }

    /// The batch of these rows, in this order, with these bulks.
    pub(super) fn gather(&self, places: &[Place]) -> Batch {
        let batch = |place: &Place| &self.batches[place.batch as usize];
        let first = places.first().map(batch);
        let slots = self.batches.iter().map(|b| b.slots.len()).max().unwrap_or(0);
        let column = |of: &dyn Fn(&Batch) -> Option<&Column>| self.gather_column(places, of);
        let same_tag = |tag: u32| places.iter().all(|p| batch(p).tags.get(p.row as usize) == tag);
        let tags = match first.map(|b| b.tags.get(places[0].row as usize)) {
            None => Tags::Uniform(0),
            Some(tag) if same_tag(tag) => Tags::Uniform(tag),
            Some(_) => {
                Tags::Rows(Arc::new(places.iter().map(|p| batch(p).tags.get(p.row as usize)).collect()))
            }
        };
        let current = column(&|b| Some(&b.current)).unwrap_or_else(|| Column::Values(Vec::new()));
        let path = first.and_then(|b| b.path.as_ref()).map(|_| Arc::new(self.gather_paths(places)));
        Batch {
            len: places.len(),
            tags,
            current: Arc::new(current),
            bulk: places
                .iter()
                .any(|p| p.bulk != 1)
                .then(|| Arc::new(places.iter().map(|p| p.bulk).collect())),
            slots: (0..slots)
                .map(|i| column(&|b| b.slots.get(i).and_then(|slot| slot.as_deref())).map(Arc::new))
                .collect(),
            path,
        }
    }

    /// The paths of the rows.
    fn gather_paths(&self, places: &[Place]) -> Paths {
        let path = |place: &Place| {
            let paths = self.batches[place.batch as usize].path.as_deref()?;
            Some((paths, place.row as usize))
        };
        Paths::collect(places.iter().map(path))
    }

    /// One column of the rows; `None` if no batch has it.
    fn gather_column(&self, places: &[Place], of: &dyn Fn(&Batch) -> Option<&Column>) -> Option<Column> {
        let columns: Vec<Option<&Column>> = self.batches.iter().map(|batch| of(batch)).collect();
        let first = columns.iter().flatten().next()?;
        let typed = match first {
            Column::Vertices(_) => {
                typed(&columns, places, |c| if let Column::Vertices(v) = c { Some(v) } else { None })
                    .map(Column::Vertices)
            }
            Column::Edges(_) => {
                typed(&columns, places, |c| if let Column::Edges(v) = c { Some(v) } else { None })
                    .map(Column::Edges)
            }
            Column::Longs(_) => {
                typed(&columns, places, |c| if let Column::Longs(v) = c { Some(v) } else { None })
                    .map(Column::Longs)
            }
            Column::Uniform(value) => {
                let same = |c: &Option<&Column>| matches!(c, Some(Column::Uniform(other)) if other == value);
                (!value.is_null() && columns.iter().all(same)).then(|| Column::Uniform(value.clone()))
            }
            _ => None,
        };
        Some(typed.unwrap_or_else(|| {
            let get = |p: &Place| columns[p.batch as usize].and_then(|column| column.get(p.row as usize));
            Column::from_optional(places.iter().map(get).collect())
        }))
    }

    /// Forgets all rows but these, and renumbers them.
    pub(super) fn compact(&mut self, places: &mut [Place]) {
        let kept = Arc::new(self.gather(places));
        for (row, place) in places.iter_mut().enumerate() {
            (place.batch, place.row) = (0, row as u32);
        }
        self.clear();
        self.add(kept);
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.batches.clear();
        (self.rows, self.weight) = (0, Weight::default());
    }
}

/// The rows of columns that are all of one type.
fn typed<T: Copy>(
    columns: &[Option<&Column>],
    places: &[Place],
    as_typed: fn(&Column) -> Option<&Vec<T>>,
) -> Option<Vec<T>> {
    let columns: Option<Vec<&Vec<T>>> = columns.iter().map(|column| as_typed((*column)?)).collect();
    let columns = columns?;
    Some(places.iter().map(|p| columns[p.batch as usize][p.row as usize]).collect())
}

/// Rows that are looked at for a batch at most: some may have a bulk of 0.
const LOOKED_AT: usize = 4 * Batch::TARGET_ROWS;

/// Kept rows on their way out, in batches of [`Batch::TARGET_ROWS`].
#[derive(Default)]
pub(super) struct Leaving {
    /// Found only when their batch leaves: there may be millions.
    places: Option<Box<dyn Iterator<Item = Place> + Send>>,
}

impl Leaving {
    /// These rows are to leave, in this order, but for those with a bulk of 0.
    pub(super) fn start(&mut self, places: impl Iterator<Item = Place> + Send + 'static) {
        self.places = Some(Box::new(places));
    }

    /// Emits the next batch as the operator's result, if one is left. Whether more may follow.
    pub(super) fn emit_next(&mut self, store: &RowStore, cx: &Context<'_>, out: &mut Output) -> Step {
        let Some(places) = &mut self.places else { return Step::Idle };
        let (mut next, mut looked_at) = (Vec::new(), 0);
        for place in places.by_ref().take(LOOKED_AT) {
            looked_at += 1;
            if place.bulk > 0 {
                next.push(place);
            }
            if next.len() == Batch::TARGET_ROWS {
                break;
            }
        }
        let is_done = next.len() < Batch::TARGET_ROWS && looked_at < LOOKED_AT;
        if is_done {
            self.places = None;
        }
        if !next.is_empty() {
            let mut batch = store.gather(&next);
            trace(&mut batch, cx.op);
            out.emit(batch);
        }
        if is_done { Step::Idle } else { Step::More }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.places = None;
    }
}
