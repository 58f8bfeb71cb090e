//! `barrier`: collects everything and lets it go at the end, equal traversers as one with the sum of their bulks.
//!
//! A barrier of repeats lets the first of equal traversers go at once, and collects those that come after it.

use std::sync::Arc;

use planner::physical::OpKind;
use rustc_hash::FxHashMap;
use values::{SeededMap, Value, VertexRef};

use crate::batch::{Batch, Column, bulk};
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::fan::trace;
use super::held::Held;
use super::row_store::{Leaving, Place, RowStore};
use super::vertex_map::VertexMap;

/// What tells traversers apart: tag, current object, filled slots, and the history (by identity: equal histories that
/// are not shared stay apart, which only costs).
type Identity = (u32, Value, Box<[Option<Value>]>, (u64, u32));

/// The same of a vertex where no slot is filled. Clients choose nothing of it.
type Visit = (u32, VertexRef, (u64, u32));

/// See the module.
#[derive(Default)]
pub(super) struct Barrier {
    store: RowStore,
    /// The kept rows, in the order in which the first of each came; with a bulk of 0, nothing is kept yet of those that equal
    /// one which has gone.
    places: Vec<(u32, Place)>,
    known: SeededMap<Identity, u32>,
    /// The same for vertices that nothing else tells apart.
    vertices: VertexMap,
    /// And for those that their histories or tags tell apart.
    visits: FxHashMap<Visit, u32>,
    /// And for other objects of which that is true.
    objects: SeededMap<Value, u32>,
    leaving: Leaving,
    held: Held,
    ended: bool,
}

impl Operator for Barrier {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Barrier { first_passes }) = (input, &cx.op.kind) else {
            return Ok(Step::Idle);
        };
        let batch = Arc::new(batch);
        let is_alone = batch.slots.iter().all(Option::is_none);
        let bare = is_alone && cx.single_tag && batch.path.is_none();
        let vertices = match &*batch.current {
            Column::Vertices(vertices) if is_alone => Some(vertices),
            _ => None,
        };
        let (mut number, mut passing) = (None, Vec::new());
        for row in 0..batch.len {
            let tag = batch.tags.get(row);
            let next = self.places.len() as u32;
            let place = match vertices {
                Some(vertices) if bare => self.vertices.get_or_insert(vertices[row], next),
                Some(vertices) => {
                    let visit = (tag, vertices[row], history(&batch, row));
                    *self.visits.entry(visit).or_insert(next)
                }
                None if bare => *self.objects.entry(batch.current.value(row)).or_insert(next),
                None => *self.known.entry(identity(&batch, row, tag)).or_insert(next),
            };
            if place == next {
                let mut kept = Place { batch: 0, row: 0, bulk: 0 };
                if *first_passes {
                    passing.push(row as u32);
                } else {
                    let number = *number.get_or_insert_with(|| self.store.add(batch.clone()));
                    kept = Place { batch: number, row: row as u32, bulk: batch.bulk(row) };
                }
                self.places.push((tag, kept));
                continue;
            }
            let place = &mut self.places[place as usize].1;
            if place.bulk == 0 {
                place.batch = *number.get_or_insert_with(|| self.store.add(batch.clone()));
                place.row = row as u32;
            }
            place.bulk = bulk::sum(place.bulk, batch.bulk(row));
        }
        let known = self.known.len() * (size_of::<Identity>() + 8)
            + self.visits.len() * (size_of::<Visit>() + 12)
            + self.objects.len() * (size_of::<Value>() + 8)
            + self.vertices.bytes();
        self.held.set(cx, self.store.bytes() + self.places.len() * size_of::<(u32, Place)>() + known)?;
        if !passing.is_empty() {
            let all = passing.len() == batch.len;
            let mut passing = if all { Arc::unwrap_or_clone(batch) } else { batch.gather(&passing) };
            trace(&mut passing, cx.op);
            out.emit(passing);
        }
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if !std::mem::replace(&mut self.ended, true) {
            self.known = SeededMap::default();
            self.visits = FxHashMap::default();
            self.objects = SeededMap::default();
            self.vertices = VertexMap::default();
            if !cx.single_tag {
                self.places.sort_by_key(|(tag, _)| *tag);
            }
            let kept = self.places.drain(..).map(|(_, place)| place).filter(|place| place.bulk > 0);
            self.leaving.start(kept.collect());
        }
        Ok(self.leaving.emit_next(&self.store, cx, out))
    }

    fn reset(&mut self) {
        self.store.clear();
        self.places.clear();
        self.known.clear();
        self.visits.clear();
        self.objects.clear();
        self.vertices = VertexMap::default();
        self.leaving.clear();
        self.held.release();
        self.ended = false;
    }
}

fn identity(batch: &Batch, row: usize, tag: u32) -> Identity {
    let filled = batch.slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let slots = batch.slots[..filled].iter().map(|slot| slot.as_ref().and_then(|column| column.get(row)));
    (tag, batch.current.value(row), slots.collect(), history(batch, row))
}

fn history(batch: &Batch, row: usize) -> (u64, u32) {
    batch.path.as_ref().map_or((0, 0), |paths| paths.mark(row))
}
