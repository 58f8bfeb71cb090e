//! Loads of what a batch is going to need, together.
//!
//! A reader that is told which vertices it will be asked for next ([`Reader::expect`]) loads, when it misses a section, those
//! of the next vertices with it, where that takes long. What a hit costs is not touched: a miss looks at the vertices.

use std::sync::Arc;

use crossbeam_epoch::Guard;
use values::VertexRef;

use crate::Reader;
use crate::block::{Block, adjacency_number, stripe_of};
use crate::core::Core;
use crate::memory::{SectionCell, SectionState};
use crate::placement::CellVisitor;
use crate::pools::Request;
use crate::section::Mergeable;
use crate::section_key::{SectionKey, SectionName};

/// Vertices after the one whose section is missed that are looked at.
const LOOK_AHEAD: usize = 4_096;

/// Vertices that a reader will be asked for next.
#[derive(Default)]
pub(crate) struct Ahead {
    /// Those that a batch is at.
    rows: Vec<VertexRef>,
    /// Those that one of them leads to.
    ends: Vec<VertexRef>,
}

impl Ahead {
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty() && self.ends.is_empty()
    }
}

#[cold]
fn note(noted: &mut Vec<VertexRef>, vertices: &[VertexRef]) {
    noted.clear();
    noted.extend_from_slice(vertices);
}

impl Reader<'_> {
    /// The vertices that it will be asked for next, in this order. What has to be loaded for some of them is then loaded at the
    /// same time, if loads take long at the moment; it may load what in the end is not asked for.
    #[inline]
    pub fn expect(&self, vertices: &[VertexRef]) {
        if self.core.pools.expects_long() {
            note(&mut self.ahead.borrow_mut().rows, vertices);
        }
    }

    /// As [`Reader::expect`], of vertices that one of those leads to, about which it will be asked between them.
    #[inline]
    pub fn expect_ends(&self, vertices: &[VertexRef]) {
        if self.core.pools.expects_long() {
            note(&mut self.ahead.borrow_mut().ends, vertices);
        }
    }

    /// Loads a section that was missed, together with what else the next vertices need of the kind.
    #[cold]
    pub(crate) fn load_with_next(&self, missed: SectionKey) {
        let keys = self.missed_next(missed);
        if keys.len() > 1 {
            self.core.helpers.load(self.snapshot().core(), self.request(), keys);
        }
    }

    /// The section that was missed and those of the vertices after it, as many as are loaded together.
    fn missed_next(&self, missed: SectionKey) -> Vec<SectionKey> {
        let mut keys = vec![missed];
        let (ahead, SectionKey::Block { name, .. }) = (self.ahead.borrow(), missed) else { return keys };
        let most = self.core.options.pools.together;
        if most <= 1 || self.core.cache.is_short() {
            return keys;
        }
        let key = |v: &VertexRef| SectionKey::of(*v, name);
        // What is ahead may be of another step than what is missed: then it is not among them.
        let after = |vertices: &'_ [VertexRef]| {
            let at = vertices.iter().position(|v| key(v) == missed);
            at.map_or(vertices.len(), |at| at + 1)
        };
        let (ends, rows) = (&ahead.ends[after(&ahead.ends)..], &ahead.rows[after(&ahead.rows)..]);
        for v in ends.iter().chain(rows).take(LOOK_AHEAD) {
            let key = key(v);
            if key != missed && self.is_missing(*v, name) && !keys.contains(&key) {
                keys.push(key);
                if keys.len() >= most {
                    break;
                }
            }
        }
        keys
    }

    /// Whether a section of the block of a vertex would have to be loaded.
    fn is_missing(&self, v: VertexRef, name: SectionName) -> bool {
        let Some(stripe) = self.core.blocks.stripe(stripe_of(v)) else { return false };
        let block: &Block = stripe.block(v.tablet() as usize);
        match name {
            SectionName::Presence => is_stored(Some(&block.presence), &self.guard),
            SectionName::Column(key) => is_stored(block.columns.get(key.index()), &self.guard),
            SectionName::Adjacency(label, dir) => {
                is_stored(block.adjacency.get(adjacency_number(label, dir)), &self.guard)
            }
        }
    }
}

fn is_stored<T>(cell: Option<&SectionCell<T>>, guard: &Guard) -> bool {
    cell.is_some_and(|cell| matches!(cell.get(guard), SectionState::Stored))
}

impl Core {
    /// Loads a section, if it is not in memory, for somebody who will ask for it. That it failed they find out themselves.
    pub(crate) fn load_ahead(&self, key: SectionKey, request: Option<&Arc<Request>>) {
        self.visit(key, LoadAhead { core: self, key, request });
    }
}

struct LoadAhead<'a> {
    core: &'a Core,
    key: SectionKey,
    request: Option<&'a Arc<Request>>,
}

impl CellVisitor for LoadAhead<'_> {
    type Output = ();

    fn visit<T: Mergeable>(self, cell: &SectionCell<T>) {
        let guard = crossbeam_epoch::pin();
        let _ = self.core.section_for(self.request, cell, || self.key, &guard);
    }
}
