//! Loads of what a batch is going to need, together.
//!
//! A reader that is told which vertices it will be asked for next ([`Reader::expect`]) loads, when it misses a section, those
//! of the next vertices with it, where that takes long. What a hit costs is not touched: a miss looks at the vertices.

use crossbeam_epoch::Guard;
use values::VertexRef;

use super::reader::Reader;
use crate::cells::{SectionCell, SectionState};
use crate::model::adjacency_number;
use crate::resident::Memory;
use crate::sections::{SectionKey, SectionName, TreeName, TreePart};

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
    /// same time, if loads take long at the moment; it may load what in the end is not asked for. With one alone nothing comes.
    #[inline]
    pub fn expect(&self, vertices: &[VertexRef]) {
        if vertices.len() > 1 && self.memory.pools.expects_long() {
            note(&mut self.ahead.borrow_mut().rows, vertices);
        }
    }

    /// As [`Reader::expect`], of vertices that one of those leads to, about which it will be asked between them. There may be
    /// very many of them; so where nothing has been loaded for long, they are noted only once this reader has missed
    /// something.
    #[inline]
    pub fn expect_ends(&self, vertices: &[VertexRef]) {
        if self.memory.pools.expects_long() && (self.has_missed.get() || self.memory.pools.foresees_loads()) {
            note(&mut self.ahead.borrow_mut().ends, vertices);
        }
    }

    /// Loads a section that was missed, together with what else the next vertices need of the kind.
    #[cold]
    pub(crate) fn load_with_next(&self, missed: SectionKey) {
        self.has_missed.set(true);
        if self.ahead.borrow().is_empty() {
            return;
        }
        let keys = self.missed_next(missed);
        if keys.len() > 1 {
            self.memory.helpers.load(self.snapshot().memory(), self.request(), keys);
        }
    }

    /// The section that was missed and those of the vertices after it, as many as are loaded together.
    fn missed_next(&self, missed: SectionKey) -> Vec<SectionKey> {
        let (mut keys, most) = (vec![missed], self.memory.options.pools.together);
        if most <= 1 || self.memory.cache.is_short() {
            return keys;
        }
        let ahead = self.ahead.borrow();
        // What is ahead may be of another step than what is missed: then it is not among them.
        let after = |vertices: &[VertexRef]| {
            let at = vertices.iter().position(|v| same_kind(*v, missed) == Some(missed));
            at.map_or(vertices.len(), |at| at + 1)
        };
        let (ends, rows) = (&ahead.ends[after(&ahead.ends)..], &ahead.rows[after(&ahead.rows)..]);
        for v in ends.iter().chain(rows).take(LOOK_AHEAD) {
            let Some(key) = same_kind(*v, missed).filter(|key| *key != missed) else { continue };
            if !keys.contains(&key) && self.memory.is_on_disk(key, &self.guard) {
                keys.push(key);
                if keys.len() >= most {
                    break;
                }
            }
        }
        keys
    }
}

/// What a vertex has in the place of a section: that of its block, or the root of its own list's tree.
fn same_kind(v: VertexRef, section: SectionKey) -> Option<SectionKey> {
    match section {
        SectionKey::Block { name, .. } => Some(SectionKey::of(v, name)),
        SectionKey::Tree { name, part: TreePart::Root } => Some(TreeName { v, ..name }.key(TreePart::Root)),
        _ => None,
    }
}

fn is_stored<T>(cell: Option<&SectionCell<T>>, guard: &Guard) -> bool {
    cell.is_some_and(|cell| matches!(cell.get(guard), SectionState::Stored))
}

impl Memory {
    /// Whether a section of a block, or a root, is there but not in memory. Of a root it is not known if its section is not.
    fn is_on_disk(&self, key: SectionKey, guard: &Guard) -> bool {
        match key {
            SectionKey::Block { stripe, tablet, name } => {
                let Some(stripe) = self.blocks.stripe(stripe.into()) else { return false };
                let block = stripe.block(tablet.into());
                match name {
                    SectionName::Presence => is_stored(Some(&block.presence), guard),
                    SectionName::Column(key) => is_stored(block.columns.get(key.index()), guard),
                    SectionName::Adjacency(label, dir) => {
                        is_stored(block.adjacency.get(adjacency_number(label, dir)), guard)
                    }
                }
            }
            SectionKey::Tree { name, part: TreePart::Root } => {
                self.tree_in_memory(name, guard).is_some_and(|tree| is_stored(Some(&tree.root), guard))
            }
            _ => false,
        }
    }
}
