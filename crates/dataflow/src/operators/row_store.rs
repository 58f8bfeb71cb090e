//! Rows that a barrier keeps until its input has ended.

use std::sync::Arc;

use super::fan::trace;
use crate::batch::{Batch, Column, Paths, Tags, Weight};
use crate::operator::{Context, Output, Step};

/// A kept row: which batch, which row of it, and its bulk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) batch: u32,
    pub(super) row: u32,
    pub(super) bulk: u64,
}

/// Batches of which some rows are kept.
#[derive(Debug, Default)]
pub(super) struct RowStore {
    batches: Vec<Arc<Batch>>,
    /// Of all of them together, for they share values.
    weight: Weight,
}

impl RowStore {
    /// Keeps a batch. Its number.
    pub(super) fn add(&mut self, batch: Arc<Batch>) -> u32 {
        batch.add_to(&mut self.weight);
        self.batches.push(batch);
        (self.batches.len() - 1) as u32
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
        self.weight = Weight::default();
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

/// Kept rows on their way out, in batches of [`Batch::TARGET_ROWS`].
#[derive(Debug, Default)]
pub(super) struct Leaving {
    places: Vec<Place>,
    next: usize,
}

impl Leaving {
    /// These rows are to leave, in this order.
    pub(super) fn start(&mut self, places: Vec<Place>) {
        (self.places, self.next) = (places, 0);
    }

    /// Emits the next batch as the operator's result, if one is left. Whether more will follow.
    pub(super) fn emit_next(&mut self, store: &RowStore, cx: &Context<'_>, out: &mut Output) -> Step {
        if let Some(mut batch) = self.next(store) {
            trace(&mut batch, cx.op);
            out.emit(batch);
        }
        if self.is_done() { Step::Idle } else { Step::More }
    }

    /// The next batch; `None` when all have left.
    fn next(&mut self, store: &RowStore) -> Option<Batch> {
        let rest = &self.places[self.next..];
        if rest.is_empty() {
            return None;
        }
        let batch = store.gather(&rest[..rest.len().min(Batch::TARGET_ROWS)]);
        self.next += batch.len;
        Some(batch)
    }

    /// Whether all have left.
    fn is_done(&self) -> bool {
        self.next >= self.places.len()
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.start(Vec::new());
    }
}
