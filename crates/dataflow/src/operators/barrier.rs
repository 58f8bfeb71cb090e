//! `barrier`: collects everything and lets it go at the end, equal traversers as one with the sum of their bulks.
//!
//! A barrier of repeats lets the first of equal traversers go at once, and collects those that come after it.

use std::sync::Arc;

use planner::physical::{History, OpKind, op};
use rustc_hash::FxBuildHasher;
use values::{Value, VertexRef};

use crate::batch::{Batch, Column, bulk};
use crate::error::QueryError;
use crate::growing::{Chunked, GrowingMap};
use crate::memory::reclaim;
use crate::operator::{Context, Operator, Output, Step};

use super::row_origins::trace;
use super::row_store::{Leaving, Place, RowStore};
use super::sorting::Sorting;
use super::vertex_map::VertexMap;
use crate::memory::StateMemory;

/// What tells traversers apart: tag, current object, filled slots, and the history.
pub(super) type Identity = (u32, Value, Box<[Option<Value>]>, (u64, u64));

/// The same of a vertex where no slot is filled. Clients choose nothing of it: what a path is hashed to has a seed.
type Visit = (u32, VertexRef, (u64, u64));

/// See the module.
#[derive(Default)]
pub(super) struct Barrier {
    store: RowStore,
    /// The kept rows, in the order in which the first of each came; with a bulk of 0, nothing is kept yet of those that equal
    /// one which has gone.
    places: Chunked<(u32, Place)>,
    known: GrowingMap<Identity, u32>,
    /// The same for vertices that nothing else tells apart.
    vertices: VertexMap,
    /// And for those that their histories or tags tell apart.
    visits: GrowingMap<Visit, u32, FxBuildHasher>,
    /// And for other objects of which that is true.
    objects: GrowingMap<Value, u32>,
    /// At the end, by tags, if there are several.
    sorting: Option<Sorting>,
    leaving: Leaving,
    held: StateMemory,
    ended: bool,
}

impl Operator for Barrier {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let (Some(batch), OpKind::Barrier(op::Barrier { first_passes, compares_paths })) =
            (input, &cx.op.kind)
        else {
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
        let paths = if *compares_paths { Histories::of(cx) } else { Histories::Same };
        for row in 0..batch.len {
            let tag = batch.tags.get(row);
            let next = self.places.len() as u32;
            let place = match vertices {
                Some(vertices) if bare => self.vertices.get_or_insert(vertices[row], next),
                Some(vertices) => {
                    let visit = (tag, vertices[row], history(&batch, row, paths));
                    *self.visits.get_or_insert(visit, || next).1
                }
                None if bare => *self.objects.get_or_insert(batch.current.value(row), || next).1,
                None => *self.known.get_or_insert(identity(&batch, row, tag, paths), || next).1,
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
        self.held.set(
            &cx.query.memory,
            self.store.bytes() + self.places.len() * size_of::<(u32, Place)>() + known,
        )?;
        if !passing.is_empty() {
            let all = passing.len() == batch.len;
            let mut passing = if all { Arc::unwrap_or_clone(batch) } else { batch.gather(&passing) };
            trace(&mut passing, cx.op);
            out.emit(passing);
        }
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if !self.ended {
            if !self.start_leaving(cx) {
                return Ok(Step::More);
            }
            self.ended = true;
        }
        Ok(self.leaving.emit_next(&self.store, cx, out))
    }

    fn reset(&mut self) {
        let bytes = self.held.bytes();
        if bytes > reclaim::KEPT {
            return reclaim::free(std::mem::take(self), bytes);
        }
        self.store.clear();
        self.places.clear();
        self.known.clear();
        self.visits.clear();
        self.objects.clear();
        self.vertices = VertexMap::default();
        self.sorting = None;
        self.leaving.clear();
        self.held.release();
        self.ended = false;
    }
}

impl Barrier {
    /// Lets the kept rows leave, tag by tag; `false` if sorting them by their tags takes more than this turn.
    fn start_leaving(&mut self, cx: &Context<'_>) -> bool {
        let places = &self.places;
        if !cx.single_tag {
            let mut sorting = self.sorting.take().unwrap_or_else(|| Sorting::of(places.len() as u32));
            let by_tag = |a: u32, b: u32| places[a as usize].0.cmp(&places[b as usize].0);
            if !sorting.go_on(by_tag, || cx.quota.is_spent()) {
                self.sorting = Some(sorting);
                return false;
            }
            let places = std::mem::take(&mut self.places);
            self.leaving.start(sorting.sorted().into_iter().map(move |i| places[i as usize].1));
        } else {
            let places = std::mem::take(&mut self.places);
            self.leaving.start(places.into_iter().map(|(_, place)| place));
        }
        let known = (
            std::mem::take(&mut self.known),
            std::mem::take(&mut self.visits),
            std::mem::take(&mut self.objects),
            std::mem::take(&mut self.vertices),
        );
        reclaim::free(known, self.held.bytes());
        true
    }
}

/// When the paths of two traversers are taken for equal.
#[derive(Clone, Copy)]
pub(super) enum Histories {
    /// If they are the same in memory: equal ones that are not stay apart, which only costs where nobody can tell.
    Same,
    /// If they have the same objects with the same names; or, if only these count, the same objects that have names
    /// ([`planner::physical::History::Named`]).
    Equal {
        /// Whether only these count.
        named: bool,
    },
}

impl Histories {
    /// By what is in them, as far as it counts in the query.
    pub(super) fn of(cx: &Context<'_>) -> Self {
        Self::Equal { named: cx.query.plan.history == History::Named }
    }
}

pub(super) fn identity(batch: &Batch, row: usize, tag: u32, paths: Histories) -> Identity {
    let filled = batch.slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    let slots = batch.slots[..filled].iter().map(|slot| slot.as_ref().and_then(|column| column.get(row)));
    (tag, batch.current.value(row), slots.collect(), history(batch, row, paths))
}

fn history(batch: &Batch, row: usize, by: Histories) -> (u64, u64) {
    batch.path.as_ref().map_or((0, 0), |paths| match by {
        Histories::Same => paths.mark(row),
        Histories::Equal { named } => paths.digest(row, named),
    })
}
