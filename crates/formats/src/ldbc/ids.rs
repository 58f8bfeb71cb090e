//! From LDBC ids to vertices, for one label.

use values::VertexRef;

use graph::prefetch;

/// How many ids before one is looked up its slot is fetched.
const FAR: usize = 24;
/// How many before, the id that the slot leads to.
const NEAR: usize = 8;

/// No position.
const EMPTY: u32 = u32::MAX;

/// The least number of slots, as a power of two.
const LEAST_BITS: u32 = 6;

/// How many times the slots at least doubled are more at once: who expects too much takes no more memory than that.
const MOST_GROWTH: usize = 8;

/// The vertices of one label by their LDBC ids.
///
/// ```text
/// slots      │ · │ 3 │ · │ 0 │ 2 │ · │ 1 │ · │      positions: where the hash of the id says, or in the next slot that is free;
///                  │       └──────────────┐        bits that no position needs have others of the hash, the tag
/// in_order   │ id, vertex │ id, vertex │ id, vertex │ id, vertex │
/// ```
///
/// Finding an id costs two cache misses, as an id with another tag is not looked at. So ids are looked up many at a time, while
/// what the next ones need is on its way. But most files about a label's vertices list them in the order in which its own file
/// does (`comment_hasCreator_person` follows `comment`): the place behind the last one that was found is looked at first.
///
/// They are the one thing besides the edges that an import keeps of every vertex: 17 to 23 bytes, as at most three quarters of
/// the slots are taken, and three eighths at least where as many ids come as were expected.
#[derive(Default)]
pub(super) struct Ids {
    /// A power of two of them, or none.
    slots: Box<[u32]>,
    in_order: Vec<Known>,
    /// How many ids there will be, roughly: growing step by step copies all that there are each time.
    expected: usize,
}

/// An id and its vertex, in 12 bytes.
#[derive(Clone, Copy)]
#[repr(C, packed(4))]
struct Known {
    id: i64,
    vertex: VertexRef,
}

impl Ids {
    /// Says that about so many more ids will come.
    pub(super) fn expect(&mut self, more: usize) {
        self.expected = self.in_order.len() + more;
    }

    /// Enters ids, whose vertices are yet to be made, and says which of them are new.
    pub(super) fn enter(&mut self, ids: &[i64]) -> Vec<bool> {
        let mut is_new = Vec::with_capacity(ids.len());
        for (i, &id) in ids.iter().enumerate() {
            if (self.in_order.len() + 1) * 4 > self.slots.len() * 3 {
                self.grow();
            }
            if let Some(&next) = ids.get(i + FAR) {
                prefetch(&self.slots, self.slot_of(next));
            }
            let (slot, position) = self.seek(id);
            is_new.push(position.is_none());
            if position.is_none() {
                self.slots[slot] = self.entry(id, self.in_order.len());
                self.in_order.push(Known { id, vertex: VertexRef::default() });
            }
        }
        is_new
    }

    /// Fills in the vertices of the ids that were new in the last [`Ids::enter`], in their order.
    pub(super) fn fill(&mut self, vertices: &[VertexRef]) {
        let first = self.in_order.len().saturating_sub(vertices.len());
        self.in_order[first..].iter_mut().zip(vertices).for_each(|(known, vertex)| known.vertex = *vertex);
    }

    pub(super) fn contains(&self, id: i64) -> bool {
        self.position(id).is_some()
    }

    /// The vertices with these ids, where there are any.
    pub(super) fn find(&self, ids: &[i64]) -> Vec<Option<VertexRef>> {
        let mut last = 0;
        // Whether ids have come in the order of the label's own file lately: then nothing need be fetched.
        let mut in_turn = false;
        let find = |(i, &id): (usize, &i64)| {
            if !in_turn {
                self.fetch(ids, i);
            }
            let behind = [last, last + 1].into_iter().find(|&position| self.is_at(position, id));
            in_turn = behind.is_some();
            last = behind.or_else(|| self.position(id))?;
            Some(self.in_order[last].vertex)
        };
        ids.iter().enumerate().map(find).collect()
    }

    /// Has the processor fetch what later ids need.
    #[inline(always)]
    fn fetch(&self, ids: &[i64], i: usize) {
        if let Some(&far) = ids.get(i + FAR) {
            prefetch(&self.slots, self.slot_of(far));
        }
        if let Some(&near) = ids.get(i + NEAR)
            && let Some(position) = self.seek_where(near, |_| true).1
        {
            prefetch(&self.in_order, position);
        }
    }

    fn is_at(&self, position: usize, id: i64) -> bool {
        self.in_order.get(position).is_some_and(|known| known.id == id)
    }

    /// The slot where an id is looked for first.
    #[inline(always)]
    fn slot_of(&self, id: i64) -> usize {
        (hash(id) >> (u64::BITS - self.slots.len().trailing_zeros())) as usize
    }

    /// The bits of an entry that its position may need: there are fewer positions than slots.
    #[inline(always)]
    fn position_mask(&self) -> u32 {
        (self.slots.len() - 1) as u32
    }

    /// The other bits of an id's entry, from those of its hash that do not say which slot it is.
    #[inline(always)]
    fn tag_of(&self, id: i64) -> u32 {
        ((hash(id) << self.slots.len().trailing_zeros()) >> u32::BITS) as u32 & !self.position_mask()
    }

    /// What the slot of an id has. A graph has fewer than 2³² vertices, so the position fits, and fewer than slots, so this is
    /// never [`EMPTY`].
    #[inline(always)]
    fn entry(&self, id: i64, position: usize) -> u32 {
        self.tag_of(id) | position as u32
    }

    /// The slot that an id has or, if there is none, gets, and its position.
    #[inline(always)]
    fn seek(&self, id: i64) -> (usize, Option<usize>) {
        self.seek_where(id, |position| self.is_at(position, id))
    }

    /// As [`Self::seek`], of the first id with the tag of this one that is as asked for. There is always a free slot.
    #[inline(always)]
    fn seek_where(&self, id: i64, is_it: impl Fn(usize) -> bool) -> (usize, Option<usize>) {
        if self.slots.is_empty() {
            return (0, None);
        }
        let (tag, mask) = (self.tag_of(id), self.position_mask());
        let mut slot = self.slot_of(id);
        loop {
            match self.slots[slot] {
                EMPTY => return (slot, None),
                entry if entry & !mask == tag && is_it((entry & mask) as usize) => {
                    return (slot, Some((entry & mask) as usize));
                }
                _ => slot = (slot + 1) & (self.slots.len() - 1),
            }
        }
    }

    fn position(&self, id: i64) -> Option<usize> {
        self.seek(id).1
    }

    /// Makes room for the ids that are expected, or for some of them if they are many more than there are.
    fn grow(&mut self) {
        let least = (self.slots.len() * 2).max(1 << LEAST_BITS);
        let slots = (self.expected * 4 / 3 + 1).next_power_of_two().clamp(least, least * MOST_GROWTH);
        self.slots = vec![EMPTY; slots].into();
        self.in_order.reserve_exact(slots / 4 * 3 - self.in_order.len());
        for position in 0..self.in_order.len() {
            let id = self.in_order[position].id;
            let (slot, _) = self.seek_where(id, |_| false);
            self.slots[slot] = self.entry(id, position);
        }
    }
}

/// Ids of a file are often close together, or equally far apart; the upper bits of this product are not.
#[inline(always)]
fn hash(id: i64) -> u64 {
    (id as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashMap;

    use super::*;

    fn entered(ids: &[i64]) -> Ids {
        let mut known = Ids::default();
        let new = known.enter(ids).into_iter().filter(|new| *new).count();
        known.fill(&(0..new as u32).map(VertexRef).collect::<Vec<_>>());
        known
    }

    #[test]
    fn ids_are_found_in_any_order_and_repeated_ones_refused() {
        let mut ids = Ids::default();
        assert_eq!(ids.find(&[7]), [None]);
        assert!(!ids.contains(7));
        assert_eq!(ids.enter(&[30, 10, 30, 20]), [true, true, false, true]);
        ids.fill(&[VertexRef(3), VertexRef(1), VertexRef(2)]);
        assert_eq!(ids.enter(&[10, 40]), [false, true]);
        ids.fill(&[VertexRef(4)]);
        let found = ids.find(&[30, 30, 10, 20, 40, 99, 30, 40]);
        assert_eq!(found, [3, 3, 1, 2, 4, 99, 3, 4].map(|v| (v != 99).then_some(VertexRef(v))));
        assert!(ids.contains(40) && !ids.contains(99));
    }

    #[test]
    fn ids_are_found_whether_more_or_fewer_were_expected() {
        for expected in [0, 1, 900, 1_000, 10_000, 1 << 40] {
            let mut known = Ids::default();
            for part in [0..1_000, 1_000..3_000] {
                known.expect(expected);
                let ids: Vec<i64> = part.map(|n| n * 977).collect();
                assert!(known.enter(&ids).into_iter().all(|new| new));
                known.fill(&ids.iter().map(|id| VertexRef(*id as u32)).collect::<Vec<_>>());
            }
            let ids: Vec<i64> = (0..3_000).map(|n| n * 977).collect();
            assert!(known.find(&ids).iter().zip(&ids).all(|(v, id)| *v == Some(VertexRef(*id as u32))));
            assert_eq!(known.find(&[-1]), [None]);
            assert!(known.in_order.capacity() <= 3_000 * 4 * MOST_GROWTH, "{expected}");
        }
    }

    #[test]
    fn many_ids_of_every_kind_are_found_while_the_slots_double() {
        let mut random = fastrand::Rng::with_seed(11);
        let kinds: [&mut dyn FnMut(i64) -> i64; 4] = [
            &mut |n| n,
            &mut |n| n << 32 | 7,
            &mut |n| n.wrapping_mul(0x0001_0000_0001) ^ i64::MIN,
            &mut |_| random.i64(..),
        ];
        for kind in kinds {
            let ids: Vec<i64> = (0..20_000).map(kind).collect();
            let known = entered(&ids);
            assert!(known.in_order.len() * 4 <= known.slots.len() * 3);
            let mut expected = FxHashMap::default();
            ids.iter().for_each(|&id| {
                let next = expected.len() as u32;
                expected.entry(id).or_insert(VertexRef(next));
            });
            let mut shuffled = [&ids[..], &[-1, i64::MAX - 3]].concat();
            fastrand::Rng::with_seed(3).shuffle(&mut shuffled);
            for asked in [&ids, &shuffled] {
                let found = known.find(asked);
                assert!(found.iter().zip(asked).all(|(found, id)| found.as_ref() == expected.get(id)));
            }
        }
    }
}
