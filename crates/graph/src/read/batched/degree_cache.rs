//! Lengths of the lists of whole stripes.

use values::VertexRef;

use super::degrees::Degrees;
use super::ends::Ends;
use crate::model::{STRIPE_VERTICES, TABLETS, Tick, slot_of, stripe_of, vertex_at};

/// The degrees of a stripe's vertices, by the last 16 bits of their references; [`MANY`] stands for that many or more.
///
/// Half a word each: so many fit into the nearest cache that walking through lists finds them there. There are always as many
/// as a stripe can have vertices, so that no lookup needs a check of bounds; what no vertex has is never touched.
type Table = [u16; STRIPE_VERTICES as usize];

/// A degree that does not fit into a table: the list is asked.
const MANY: u16 = u16::MAX;

/// Lookups in a stripe below which no table of it is made, however few vertices it has: its zeros alone cost as much as some
/// thousand lookups.
const LEAST_ASKED: u32 = 4096;

/// Bytes of tables that one [`DegreeCache`] has at most.
const MOST_BYTES: usize = 4 << 20;

/// Degrees that many lookups have asked for, laid out for the next ones.
///
/// ```text
/// stripe      0               1              2
///         │ asked: 17 │ asked: 40,000 │ asked: 0 │ …
///         │ –         │ ●             │ –        │
///                       └─▶ │ 3 │ 17 │ 0 │ …            65,536 of 16 bits: the degree of each vertex by its low 16 bits
/// ```
///
/// An ordinary lookup finds the block of a vertex, and two offsets in its section; here it is one access to an array, made
/// once as many vertices have been asked for as the stripe has: by then the lookups have cost more than to make it, and
/// waiting longer would cost more than it could save. It holds for one snapshot, and owns what it knows, so that it lives as
/// long as the query.
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
    degrees: Option<Box<Table>>,
    /// Whether some of them are [`MANY`].
    has_many: bool,
}

impl DegreeCache {
    /// Bytes it occupies.
    pub fn bytes(&self) -> usize {
        self.bytes + self.stripes.len() * size_of::<Stripe>()
    }

    /// What is known of the stripe in which all of these vertices are, if its degrees are. Otherwise it is noted that they
    /// were asked for.
    fn stripe(&mut self, vertices: Ends<'_>, degrees: &mut Degrees<'_>) -> Option<(&Table, bool)> {
        let (number, first) = (usize::from(vertices.stripe()?), vertices.list.first()?);
        if number >= self.stripes.len() {
            self.stripes.resize_with(number + 1, Stripe::default);
        }
        let stripe = &mut self.stripes[number];
        if stripe.degrees.is_none() {
            stripe.asked = stripe.asked.saturating_add(vertices.list.len() as u32);
            self.bytes += stripe.make(*first, MOST_BYTES - self.bytes, degrees);
        }
        let stripe = &self.stripes[number];
        stripe.degrees.as_deref().map(|degrees| (degrees, stripe.has_many))
    }
}

impl Stripe {
    /// Looks up all degrees if that pays, takes no more than so many bytes, and needs no load. How many bytes it took.
    #[inline]
    fn make(&mut self, first: VertexRef, most: usize, degrees: &mut Degrees<'_>) -> usize {
        let vertices = degrees.vertices_of_stripe(first);
        if self.asked < vertices.max(LEAST_ASKED) || size_of::<Table>() > most {
            return 0;
        }
        // If they are not there, it is not asked again at once.
        self.asked = 0;
        self.degrees = degrees.of_stripe(first, vertices);
        let Some(known) = self.degrees.as_deref() else { return 0 };
        self.has_many = known.contains(&MANY);
        size_of::<Table>()
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
        let Some((known, has_many)) = table.stripe(vertices, self) else {
            return self.sum(vertices.list);
        };
        let degree = |v: &VertexRef| known[usize::from(v.0 as u16)];
        if !has_many {
            return vertices.list.iter().map(|v| u64::from(degree(v))).sum();
        }
        let of = |v: &VertexRef| match degree(v) {
            MANY => self.of(*v),
            degree => u64::from(degree),
        };
        vertices.list.iter().map(of).sum()
    }

    /// Vertices of the stripe of a vertex, whether they exist or not.
    fn vertices_of_stripe(&self, v: VertexRef) -> u32 {
        self.reader.memory.blocks.stripe(stripe_of(v)).map_or(0, |stripe| stripe.allocated())
    }

    /// The degrees of the vertices of the stripe of a vertex, of which there are so many; `None` if that would load sections.
    #[cold]
    fn of_stripe(&mut self, v: VertexRef, vertices: u32) -> Option<Box<Table>> {
        let mut table: Box<Table> = vec![0; STRIPE_VERTICES as usize].into_boxed_slice().try_into().ok()?;
        self.expect_many_near(v);
        for tablet in 0..TABLETS {
            let slots = (vertices as usize + TABLETS - 1 - tablet) / TABLETS;
            let mut places = table.iter_mut().skip(tablet).step_by(TABLETS).take(slots);
            let first = vertex_at(stripe_of(v) as u16, tablet as u8, 0);
            // As many as the offsets tell of, all at once.
            let offsets = self.blocks.near(first).0;
            for (pair, place) in offsets.windows(2).zip(places.by_ref()) {
                *place = entry(u64::from(pair[1] - pair[0]));
            }
            let told = offsets.len().saturating_sub(1).min(slots);
            for (place, slot) in places.zip(told..) {
                *place = entry(self.of_known(vertex_at(stripe_of(v) as u16, tablet as u8, slot as u16))?);
            }
        }
        Some(table)
    }

    /// The degree of a vertex; `None` if that would load something.
    fn of_known(&mut self, v: VertexRef) -> Option<u64> {
        let is_there = self.blocks.knows(v) && !self.has_stored_root(v);
        is_there.then(|| self.of(v))
    }

    /// Whether the list of a vertex whose block is known has a tree whose root, which knows the degree, is not in memory.
    fn has_stored_root(&mut self, v: VertexRef) -> bool {
        let (_, section) = self.blocks.of(v, || (&[], None));
        let tree = section.and_then(|section| section.tree(slot_of(v)));
        tree.is_some_and(|tree| tree.root.loaded(&self.reader.guard).is_none())
    }
}

/// A degree as a table has it.
fn entry(degree: u64) -> u16 {
    u16::try_from(degree).unwrap_or(MANY)
}
