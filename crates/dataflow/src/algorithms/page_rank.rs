//! `pageRank`, as TinkerPop's `PageRankVertexProgram` has it: what teleports is shared out among all vertices, and so is what
//! vertices without edges have.
//!
//! ```text
//! rank(v) = Σ α · rank(u) / edges(u)  over all u with an edge to v,  + energy / vertices
//! energy  = Σ (1 – α) · rank(v)  +  Σ α · rank(v)  over all v without edges
//! ```
//!
//! Each vertex takes what it gets (so nobody else writes its rank) of what was given in the round before.

use std::sync::Arc;

use graph::{Reader, ValueRef, VertexRef, VertexValues};

use super::links::Links;
use super::members::{Count, Members};
use super::numbers::Doubles;
use super::places::Places;
use super::sweep::{Sweep, Visit};
use super::work::{Advance, Doing};
use super::{Algorithm, Ground, hold};
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;

/// When the ranks have changed by less, all of them together, it is enough.
const EPSILON: f64 = 0.000_01;

/// See the module.
pub(crate) struct PageRank {
    ground: Ground,
    against: Arc<Links>,
    alpha: f64,
    /// Rounds that are left.
    rounds: u32,
    /// Ranks to begin with; without them, each has the same part of 1.
    priors: Option<Doubles>,
    members: Arc<Members>,
    vertices: u64,
    /// What is to be shared out.
    energy: f64,
    ranks: Arc<Doubles>,
    /// What each vertex gives to each that its edges lead to: in the round before, and in this one.
    given: [Arc<Doubles>; 2],
    phase: Phase,
    held: StateMemory,
}

enum Phase {
    Counting(Doing<Sweep<Count>>),
    Ranking(Doing<Sweep<Rank>>, Vec<(usize, Ranked)>),
}

impl PageRank {
    pub(crate) fn new(
        ground: Ground,
        links: Links,
        (alpha, times): (f64, u32),
        priors: Option<Doubles>,
    ) -> Result<Self, QueryError> {
        let len = ground.places.len();
        let held = hold(&ground, len * (3 * Doubles::BYTES + Members::BYTES))?;
        let (against, members) = (Arc::new(links.against(&ground)?), Members::none(&ground));
        let counting = Doing::new(
            Sweep::new(Count(members.clone(), ground.clone()), Some(&Arc::new(links)), &ground),
            &ground,
        );
        let zeros = || Arc::new(Doubles::zeros(len));
        Ok(Self {
            against,
            alpha,
            rounds: times.saturating_add(1),
            priors,
            members,
            vertices: 0,
            energy: 0.0,
            ranks: zeros(),
            given: [zeros(), zeros()],
            phase: Phase::Counting(counting),
            ground,
            held,
        })
    }

    /// Begins a round.
    fn begin(&mut self, is_first: bool) {
        self.rounds -= 1;
        self.given.reverse();
        let rank = Rank {
            alpha: self.alpha,
            share: self.energy.max(0.0) / self.vertices.max(1) as f64,
            priors: if is_first { self.priors.take() } else { None },
            members: self.members.clone(),
            ranks: self.ranks.clone(),
            before: self.given[0].clone(),
            given: self.given[1].clone(),
            places: self.ground.places.clone(),
        };
        let links = (!is_first).then_some(&self.against);
        let doing = Doing::new(Sweep::new(rank, links, &self.ground), &self.ground);
        self.phase = Phase::Ranking(doing, Vec::new());
    }
}

impl Algorithm for PageRank {
    fn go_on(&mut self, cx: &Context<'_>) -> Result<Advance<Box<dyn VertexValues>>, QueryError> {
        match &mut self.phase {
            Phase::Counting(counting) => {
                let vertices = &mut self.vertices;
                let advance = counting.go_on(cx, |_, counted| *vertices += counted.members)?;
                if let Some(waits) = advance.waits() {
                    return Ok(waits);
                }
                self.energy = if self.priors.is_some() { 0.0 } else { 1.0 };
                self.begin(true);
            }
            Phase::Ranking(ranking, ranked) => {
                let advance = ranking.go_on(cx, |piece, one| ranked.push((piece, one)))?;
                if let Some(waits) = advance.waits() {
                    return Ok(waits);
                }
                // In the order of the pieces, whoever was first: the sums are of doubles.
                ranked.sort_unstable_by_key(|(piece, _)| *piece);
                let (gained, change) = ranked.iter().fold((0.0, 0.0), |(energy, change), (_, one)| {
                    (energy + one.energy, change + one.change)
                });
                if self.rounds == 0 || change < EPSILON {
                    let mut held = std::mem::take(&mut self.held);
                    held.set(&cx.query.memory, self.ground.places.len() * Doubles::BYTES)?;
                    let (ranks, places) = (self.ranks.clone(), self.ground.places.clone());
                    let ranks = Ranks { ranks, places, _held: held };
                    return Ok(Advance::Done(Box::new(ranks)));
                }
                self.energy += gained;
                self.begin(false);
            }
        }
        Ok(Advance::More)
    }
}

/// A round.
struct Rank {
    alpha: f64,
    /// What each vertex gets of what is shared out.
    share: f64,
    priors: Option<Doubles>,
    members: Arc<Members>,
    ranks: Arc<Doubles>,
    before: Arc<Doubles>,
    given: Arc<Doubles>,
    places: Arc<Places>,
}

#[derive(Default)]
struct Ranked {
    rank: f64,
    energy: f64,
    change: f64,
}

impl Visit for Rank {
    type Own = Ranked;

    #[inline(always)]
    fn begin(&self, own: &mut Ranked, _: VertexRef, place: usize, _: &Reader<'_>) -> bool {
        own.rank = self.priors.as_ref().map_or(0.0, |priors| priors.get(place));
        self.members.contain(place)
    }

    #[inline(always)]
    fn along(&self, own: &mut Ranked, ends: &[VertexRef]) {
        for end in ends {
            own.rank += self.before.get(self.places.of_vertex(*end));
        }
    }

    #[inline(always)]
    fn end(&self, own: &mut Ranked, _: VertexRef, place: usize, _: &Reader<'_>) {
        let rank = own.rank + self.share;
        own.change += (rank - self.ranks.get(place)).abs();
        self.ranks.set(place, rank);
        let degree = self.members.degree(place).unwrap_or(0);
        if degree > 0 {
            self.given.set(place, self.alpha * rank / f64::from(degree));
        }
        // As TinkerPop adds it up: what was shared out is taken away vertex by vertex, and leaves a residue.
        let gained = if degree > 0 { (1.0 - self.alpha) * rank } else { rank };
        own.energy += gained - self.share;
    }
}

/// The ranks as a property.
struct Ranks {
    ranks: Arc<Doubles>,
    places: Arc<Places>,
    _held: StateMemory,
}

impl VertexValues for Ranks {
    fn get(&self, v: VertexRef) -> Option<ValueRef<'_>> {
        Some(ValueRef::Double(self.ranks.get(self.places.of_vertex(v))))
    }
}
