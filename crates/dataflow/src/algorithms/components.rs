//! `connectedComponent`: each vertex gets the least id, as a text, of all from which it can be reached.
//!
//! Where edges lead both ways, it is found out first which vertices are connected: a forest of parents, in which the roots of two
//! vertices that an edge connects become one. Most graphs have one component that most vertices are in, and two edges of each vertex
//! find nearly all of it. So a few edges of each are looked at, then all edges of those that are elsewhere, from either end (Sutton,
//! Ben-Nun, Barak: Optimizing Parallel Graph Connectivity Computation via Subgraph Sampling, IPDPS 2018, algorithm 3). If there is no
//! such component, each edge is looked at once.
//!
//! Otherwise what is least goes along the edges, round by round, until nothing changes.

use std::cmp::Ordering;
use std::sync::Arc;

use graph::{Direction, Reader, VertexRef, VertexValues};

use super::links::Links;
use super::members::{Count, Members};
use super::named::{Named, Texts};
use super::numbers::Numbers;
use super::places::Places;
use super::sweep::{Sweep, Visit};
use super::texts::{Beginnings, beginning_of, compare_whole};
use super::work::{Advance, Doing};
use super::{Algorithm, Ground, hold};
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;

/// See the module.
pub(crate) struct Components {
    links: Arc<Links>,
    known: Arc<Known>,
    ground: Ground,
    phase: Phase,
    held: StateMemory,
}

/// What all rounds know.
struct Known {
    places: Arc<Places>,
    /// If edges do not lead both ways.
    beginnings: Beginnings,
    members: Arc<Members>,
    /// Of each vertex its parent, if edges lead both ways; of a root, itself.
    parents: Numbers,
    /// The vertex with the least id known to each; in a forest, to each root.
    least: Numbers,
}

enum Phase {
    Counting(Doing<Sweep<Count>>),
    /// A few edges of each.
    Sampling(Doing<Sweep<Connect>>),
    Connecting(Doing<Sweep<Connect>>),
    Choosing(Doing<Sweep<Choose>>),
    /// Against the edges; whether something has changed.
    Spreading(Arc<Links>, Doing<Sweep<Spread>>, bool),
}

impl Components {
    pub(crate) fn new(ground: Ground, links: Links) -> Result<Self, QueryError> {
        let len = ground.places.len();
        let beginnings = if is_forest(&links) { 0 } else { len };
        let numbers = len * (Members::BYTES + 2 * Numbers::BYTES);
        let held = hold(&ground, numbers + beginnings * Beginnings::BYTES)?;
        let (beginnings, members) = (Beginnings::none(beginnings), Members::none(&ground));
        let phase = Phase::Counting(Doing::new(
            Sweep::new(Count(members.clone(), ground.clone()), None, &ground),
            &ground,
        ));
        let (parents, least) = (Numbers::own(len), Numbers::own(len));
        let known = Known { places: ground.places.clone(), beginnings, members, parents, least };
        Ok(Self { links: Arc::new(links), known: Arc::new(known), phase, ground, held })
    }

    fn sweep<V: Visit>(&self, visit: V, links: Option<&Arc<Links>>) -> Doing<Sweep<V>> {
        Doing::new(Sweep::new(visit, links, &self.ground), &self.ground)
    }

    /// It is known which vertices there are.
    fn begin(&self) -> Result<Phase, QueryError> {
        match self.out_edges() {
            Some(links) => {
                let sample = Connect { known: self.known.clone(), most: SAMPLED, left_out: None };
                Ok(Phase::Sampling(self.sweep(sample, Some(&links))))
            }
            None => Ok(self.spread(Arc::new(self.links.against(&self.ground)?))),
        }
    }

    /// A few edges of each vertex are known.
    fn connect(&self) -> Phase {
        let left_out = self.known.where_most_are();
        // Each edge is in the list of its source; with some vertices left out, it is looked for at both ends.
        let links = left_out.map_or_else(|| self.out_edges(), |_| Some(self.links.clone()));
        let connect = Connect { known: self.known.clone(), most: usize::MAX, left_out };
        Phase::Connecting(self.sweep(connect, links.as_ref()))
    }

    /// The edges in the lists of their sources, if they lead both ways.
    fn out_edges(&self) -> Option<Arc<Links>> {
        match &*self.links {
            Links::Stored { labels, direction: Direction::Both } => {
                Some(Arc::new(Links::Stored { labels: labels.clone(), direction: Direction::Out }))
            }
            _ => None,
        }
    }

    fn spread(&self, against: Arc<Links>) -> Phase {
        let spreading = self.sweep(Spread(self.known.clone()), Some(&against));
        Phase::Spreading(against, spreading, false)
    }

    /// The property: of a vertex, what its root has.
    fn named(&mut self) -> Box<dyn VertexValues> {
        let known = self.known.clone();
        let least = move |place: usize| {
            let root = find(&known.parents, place as u32);
            known.members.contain(place).then(|| known.least.get(root as usize))
        };
        Box::new(Named::<Texts, _>::new(least, &self.ground, std::mem::take(&mut self.held)))
    }
}

impl Algorithm for Components {
    fn go_on(&mut self, cx: &Context<'_>) -> Result<Advance<Box<dyn VertexValues>>, QueryError> {
        let waits = match &mut self.phase {
            Phase::Counting(counting) => counting.go_on(cx, |_, _| ())?.waits(),
            Phase::Sampling(connecting) | Phase::Connecting(connecting) => {
                connecting.go_on(cx, |_, _| ())?.waits()
            }
            Phase::Choosing(choosing) => choosing.go_on(cx, |_, _| ())?.waits(),
            Phase::Spreading(_, spreading, has_changed) => {
                spreading.go_on(cx, |_, spread| *has_changed |= spread.has_changed)?.waits()
            }
        };
        if let Some(waits) = waits {
            return Ok(waits);
        }
        self.phase = match &self.phase {
            Phase::Counting(_) => self.begin()?,
            Phase::Sampling(_) => self.connect(),
            Phase::Connecting(_) => {
                Phase::Choosing(self.sweep(Choose(self.known.clone()), Some(&self.links)))
            }
            Phase::Spreading(against, _, true) => self.spread(against.clone()),
            Phase::Choosing(_) | Phase::Spreading(..) => return Ok(Advance::Done(self.named())),
        };
        Ok(Advance::More)
    }
}

/// Whether edges lead both ways.
fn is_forest(links: &Links) -> bool {
    matches!(links, Links::Stored { direction: Direction::Both, .. })
}

/// The root of a vertex in the forest. On the way there, every other parent is skipped from now on.
#[inline]
fn find(parents: &Numbers, place: u32) -> u32 {
    let mut at = place;
    loop {
        let parent = parents.get(at as usize);
        if parent == at || parent == NONE {
            return at;
        }
        let above = parents.get(parent as usize);
        if above != parent {
            parents.change(at as usize, parent, above);
        }
        at = parent;
    }
}

/// Stands for no number.
const NONE: u32 = u32::MAX;

/// Makes one tree of those of two vertices: the root with the higher place gets the other as its parent. The root of the one is
/// known, or was its root before; what it is now is said.
#[inline]
fn join(parents: &Numbers, root: u32, other: u32) -> u32 {
    if parents.get(other as usize) == root {
        return root;
    }
    let mut root = root;
    loop {
        let (one, other) = (find(parents, root), find(parents, other));
        if one == other || parents.change(one.max(other) as usize, one.max(other), one.min(other)) {
            return one.min(other);
        }
        root = one;
    }
}

/// Edges of each vertex that are looked at first.
const SAMPLED: usize = 2;

/// Vertices that are asked for their component to find the largest, which has to have one in so many of them.
const ASKED: usize = 1024;
const MANY: usize = 4;

impl Known {
    /// A vertex of the component that most seem to be in so far; `None` if no component has many.
    fn where_most_are(&self) -> Option<u32> {
        let step = (self.places.len() / ASKED).max(1);
        let places = (0..self.places.len()).step_by(step).filter(|place| self.members.contain(*place));
        let mut roots: Vec<u32> = places.map(|place| find(&self.parents, place as u32)).collect();
        roots.sort_unstable();
        let largest = roots.chunk_by(|a, b| a == b).max_by_key(|one| one.len())?;
        (largest.len() >= roots.len() / MANY).then_some(largest[0])
    }
}

/// Connects the ends of edges.
struct Connect {
    known: Arc<Known>,
    /// Edges of each vertex that are looked at.
    most: usize,
    /// A vertex of the component whose edges are not.
    left_out: Option<u32>,
}

/// The root of the vertex that somebody is at, and how many of its edges are left.
#[derive(Default)]
struct Connecting {
    root: u32,
    left: usize,
}

impl Visit for Connect {
    type Own = Connecting;

    const OF_EDGES: bool = true;

    fn begin(&self, own: &mut Connecting, _: VertexRef, place: usize, _: &Reader<'_>) -> bool {
        let Known { members, parents, .. } = &*self.known;
        if !members.contain(place) {
            return false;
        }
        *own = Connecting { root: find(parents, place as u32), left: self.most };
        // Who has ever had the same root is connected.
        self.left_out.is_none_or(|there| find(parents, there) != own.root)
    }

    #[inline(always)]
    fn along(&self, own: &mut Connecting, ends: &[VertexRef]) {
        let Known { places, members, parents, .. } = &*self.known;
        let ends = &ends[..ends.len().min(own.left)];
        own.left -= ends.len();
        for end in ends {
            let place = places.of_vertex(*end);
            if members.see(place) {
                own.root = join(parents, own.root, place as u32);
            }
        }
    }

    #[inline(always)]
    fn has_enough(&self, own: &Connecting) -> bool {
        own.left == 0
    }

    fn end(&self, _: &mut Connecting, _: VertexRef, _: usize, _: &Reader<'_>) {}
}

/// Chooses the least of each tree.
struct Choose(Arc<Known>);

/// The vertex that was the least of its tree when it was last looked, and how its id begins.
#[derive(Default)]
struct Choosing {
    least: Option<(u32, u64)>,
}

impl Choose {
    /// Whether the id of a vertex comes before that of the least known so far, as a text.
    #[inline]
    fn is_less(
        &self,
        own: &mut Choosing,
        (v, place): (VertexRef, usize),
        known: u32,
        reader: &Reader<'_>,
    ) -> bool {
        let places = &self.0.places;
        let known_begins = match own.least {
            Some((least, beginning)) if least == known => beginning,
            _ => {
                let beginning = beginning_of(&reader.id(places.vertex(known as usize)));
                own.least = Some((known, beginning));
                beginning
            }
        };
        let order = beginning_of(&reader.id(v)).cmp(&known_begins);
        order.then_with(|| compare_whole((place, known as usize), places, reader)) == Ordering::Less
    }
}

impl Visit for Choose {
    type Own = Choosing;

    const OF_EDGES: bool = true;

    fn begin(&self, own: &mut Choosing, v: VertexRef, place: usize, reader: &Reader<'_>) -> bool {
        let Known { members, parents, least, .. } = &*self.0;
        let root = find(parents, place as u32) as usize;
        // What is known to a root at first is itself.
        if root != place && members.contain(place) {
            loop {
                let known = least.get(root);
                if !self.is_less(own, (v, place), known, reader) || least.change(root, known, place as u32) {
                    break;
                }
            }
        }
        false
    }

    fn along(&self, _: &mut Choosing, _: &[VertexRef]) {}

    fn end(&self, _: &mut Choosing, _: VertexRef, _: usize, _: &Reader<'_>) {}
}

/// Takes the least of those who have an edge to a vertex.
struct Spread(Arc<Known>);

#[derive(Default)]
struct Spreading {
    /// What the neighbours of the vertex know, each once, if they are next to each other.
    least: Vec<u32>,
    has_changed: bool,
}

impl Visit for Spread {
    type Own = Spreading;

    fn begin(&self, own: &mut Spreading, _: VertexRef, place: usize, _: &Reader<'_>) -> bool {
        own.least.clear();
        self.0.members.contain(place)
    }

    fn along(&self, own: &mut Spreading, ends: &[VertexRef]) {
        for end in ends {
            let place = self.0.places.of_vertex(*end);
            let least = self.0.least.get(place);
            if least != NONE && self.0.members.see(place) && own.least.last() != Some(&least) {
                own.least.push(least);
            }
        }
    }

    fn end(&self, own: &mut Spreading, _: VertexRef, place: usize, reader: &Reader<'_>) {
        let Known { places, beginnings, least, .. } = &*self.0;
        let known = least.get(place);
        let less =
            |best: u32, one: &u32| match beginnings.compare((*one as usize, best as usize), places, reader) {
                Ordering::Less => *one,
                _ => best,
            };
        let best = own.least.iter().fold(known, less);
        if best != known {
            least.set(place, best);
            own.has_changed = true;
        }
    }
}
