//! Lengths of the lists of whole stripes.

use values::VertexRef;

use super::{Degrees, Ends};
use crate::Tick;
use crate::block::{STRIPE_VERTICES, slot_of, stripe_of};

/// Lookups per vertex of a stripe from which on a table of all its vertices pays: making an entry costs about as much as
/// a lookup without, and one with it half as much. Whoever waits until the lookups have cost as much as the table saves
/// spends at most twice what would have been best.
const PAYS: u32 = 2;

/// Bytes of tables that one [`DegreeCache`] has at most.
const MOST_BYTES: usize = 4 << 20;

/// Degrees that many lookups have asked for, laid out for the next ones.
///
/// ```text
/// stripe      0               1              2
///         │ asked: 17 │ asked: 40,000 │ asked: 0 │ …
///         │ –         │ ●             │ –        │
///                       └─▶ │ 3 │ 17 │ 0 │ …            the degree of each vertex of the stripe, by its low 16 bits
/// ```
///
/// An ordinary lookup finds the block of a vertex, and two offsets in its section; here it is one access to an array, made
/// once so many vertices have been asked for that it pays. It holds for one snapshot, and owns what it knows, so that it
/// lives as long as the query.
#[derive(Debug, Default)]
pub struct DegreeCache {
    stripes: Vec<Stripe>,
    bytes: usize,
    /// The snapshot that it holds for.
    tick: Option<Tick>,
}

#[derive(Debug, Default)]
struct Stripe {
    asked: u32,
    degrees: Box<[u32]>,
}

impl DegreeCache {
    /// Bytes it occupies.
    pub fn bytes(&self) -> usize {
        self.bytes + self.stripes.len() * size_of::<Stripe>()
    }

    /// The degrees of all vertices of the stripe in which all of these are, if they are known. Otherwise it is noted that
    /// they were asked for.
    fn stripe(&mut self, vertices: Ends<'_>, degrees: &mut Degrees<'_>) -> Option<&[u32]> {
        let (number, first) = (usize::from(vertices.stripe()?), vertices.list.first()?);
        if number >= self.stripes.len() {
            self.stripes.resize_with(number + 1, Stripe::default);
        }
        let stripe = &mut self.stripes[number];
        if stripe.degrees.is_empty() {
            stripe.asked = stripe.asked.saturating_add(vertices.list.len() as u32);
            self.bytes += stripe.make(*first, MOST_BYTES - self.bytes, degrees);
        }
        Some(&*self.stripes[number].degrees).filter(|degrees| !degrees.is_empty())
    }
}

impl Stripe {
    /// Looks up all degrees if that pays, takes no more than so many bytes, and needs no load. How many bytes it took.
    #[inline]
    fn make(&mut self, first: VertexRef, most: usize, degrees: &mut Degrees<'_>) -> usize {
        let vertices = degrees.vertices_of_stripe(first);
        if self.asked / PAYS < vertices || vertices as usize * size_of::<u32>() > most {
            return 0;
        }
        // If they are not there, it is not asked again at once.
        self.asked = 0;
        self.degrees = degrees.of_stripe(first).unwrap_or_default();
        size_of_val(&*self.degrees)
    }
}

impl Degrees<'_> {
    /// As [`Degrees::sum`], with a table that remembers the degrees of vertices that are asked for again and again. All
    /// readers it is used with must be of one query.
    pub fn sum_with(&mut self, table: &mut DegreeCache, vertices: Ends<'_>) -> u64 {
        if self.reader.own.is_some() {
            return self.sum(vertices.list);
        }
        if table.tick != Some(self.reader.tick) {
            *table = DegreeCache { tick: Some(self.reader.tick), ..DegreeCache::default() };
        }
        let Some(known) = table.stripe(vertices, self) else {
            return self.sum(vertices.list);
        };
        let (mut sum, mut looked_at) = (0, 0);
        for v in vertices.list {
            let Some(degree) = known.get((v.0 % STRIPE_VERTICES) as usize) else { break };
            sum += u64::from(*degree);
            looked_at += 1;
        }
        sum + self.sum(&vertices.list[looked_at..])
    }

    /// Vertices of the stripe of a vertex, whether they exist or not.
    fn vertices_of_stripe(&self, v: VertexRef) -> u32 {
        self.reader.core.blocks.stripe(stripe_of(v)).map_or(0, |stripe| stripe.allocated())
    }

    /// The degrees of all vertices of the stripe of a vertex; `None` if that would load sections, or if one of them does not
    /// fit.
    #[cold]
    fn of_stripe(&mut self, v: VertexRef) -> Option<Box<[u32]>> {
        let first = v.0 & !(STRIPE_VERTICES - 1);
        self.expect_many_near(v);
        let vertices = (0..self.vertices_of_stripe(v)).map(|n| VertexRef(first + n));
        let degree = |v: VertexRef| {
            let is_there = self.blocks.knows(v) && !self.has_stored_root(v);
            is_there.then(|| u32::try_from(self.of(v)).ok()).flatten()
        };
        vertices.map(degree).collect()
    }

    /// Whether the list of a vertex whose block is known has a tree whose root, which knows the degree, is not in memory.
    fn has_stored_root(&mut self, v: VertexRef) -> bool {
        let (_, section) = self.blocks.of(v, || (&[], None));
        let tree = section.and_then(|section| section.tree(slot_of(v)));
        tree.is_some_and(|tree| tree.root.loaded(&self.reader.guard).is_none())
    }
}
