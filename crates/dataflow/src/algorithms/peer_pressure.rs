//! `peerPressure`, as TinkerPop's `PeerPressureVertexProgram` has it: each vertex begins as a cluster of its own, and joins in each
//! round the one for which its neighbours and itself have the most votes; of several, that whose id as a text is the least.

use std::cmp::Ordering;
use std::sync::Arc;

use graph::{Reader, VertexRef, VertexValues};
use rustc_hash::FxHashMap;

use super::links::Links;
use super::members::{Count, Members};
use super::named::{Ids, Named};
use super::numbers::{Doubles, Numbers};
use super::places::Places;
use super::sweep::{Sweep, Visit};
use super::texts::Beginnings;
use super::work::{Advance, Doing};
use super::{Algorithm, Ground, hold};
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;

/// See the module.
pub(crate) struct PeerPressure {
    against: Arc<Links>,
    rounds: u32,
    known: Arc<Known>,
    /// The place of the vertex that names the cluster of each: in the round before, and in this one.
    clusters: [Arc<Numbers>; 2],
    ground: Ground,
    phase: Phase,
    held: StateMemory,
}

/// What all rounds know.
struct Known {
    places: Arc<Places>,
    beginnings: Beginnings,
    members: Arc<Members>,
    /// How many votes each vertex has; without it, one.
    votes: Option<Doubles>,
}

enum Phase {
    Counting(Doing<Sweep<Count>>),
    /// Whether a vertex has joined another cluster.
    Voting(Doing<Sweep<Vote>>, bool),
}

impl PeerPressure {
    pub(crate) fn new(
        ground: Ground,
        links: Links,
        rounds: u32,
        votes: Option<Doubles>,
    ) -> Result<Self, QueryError> {
        let len = ground.places.len();
        let held =
            hold(&ground, len * (Doubles::BYTES + Beginnings::BYTES + Members::BYTES + 2 * Numbers::BYTES))?;
        let (beginnings, members) = (Beginnings::none(len), Members::none(&ground));
        let count = Sweep::new(Count(members.clone(), ground.clone()), None, &ground);
        let phase = Phase::Counting(Doing::new(count, &ground));
        let places = ground.places.clone();
        let clusters = [Arc::new(Numbers::own(len)), Arc::new(Numbers::own(len))];
        let against = Arc::new(links.against(&ground)?);
        let known = Arc::new(Known { places, beginnings, members, votes });
        Ok(Self { against, rounds, known, clusters, ground, phase, held })
    }
}

impl Algorithm for PeerPressure {
    fn go_on(&mut self, cx: &Context<'_>) -> Result<Advance<Box<dyn VertexValues>>, QueryError> {
        let (waits, goes_on) = match &mut self.phase {
            Phase::Counting(counting) => (counting.go_on(cx, |_, _| ())?.waits(), true),
            Phase::Voting(voting, has_changed) => {
                let advance = voting.go_on(cx, |_, voted| *has_changed |= voted.has_changed)?;
                (advance.waits(), *has_changed)
            }
        };
        if let Some(waits) = waits {
            return Ok(waits);
        }
        if !goes_on || self.rounds == 0 {
            let (known, clusters) = (self.known.clone(), self.clusters[1].clone());
            let cluster = move |place| known.members.contain(place).then(|| clusters.get(place));
            let held = std::mem::take(&mut self.held);
            return Ok(Advance::Done(Box::new(Named::<Ids, _>::new(cluster, &self.ground, held))));
        }
        self.rounds -= 1;
        self.clusters.reverse();
        let [before, now] = self.clusters.clone();
        let vote =
            Sweep::new(Vote { known: self.known.clone(), before, now }, Some(&self.against), &self.ground);
        self.phase = Phase::Voting(Doing::new(vote, &self.ground), false);
        Ok(Advance::More)
    }
}

/// A round.
struct Vote {
    known: Arc<Known>,
    before: Arc<Numbers>,
    now: Arc<Numbers>,
}

#[derive(Default)]
struct Voting {
    /// The clusters that are voted for, and by how many.
    votes: Vec<(u32, f64)>,
    /// The same, once there are many.
    many: FxHashMap<u32, f64>,
    has_changed: bool,
}

/// Votes of one vertex that are sorted; more are counted as they come.
const FEW: usize = 1 << 12;

impl Vote {
    fn votes_of(&self, place: usize) -> f64 {
        self.known.votes.as_ref().map_or(1.0, |votes| votes.get(place))
    }
}

impl Visit for Vote {
    type Own = Voting;

    fn begin(&self, own: &mut Voting, _: VertexRef, place: usize, _: &Reader<'_>) -> bool {
        own.votes.clear();
        own.votes.push((self.before.get(place), self.votes_of(place)));
        self.known.members.contain(place)
    }

    fn along(&self, own: &mut Voting, ends: &[VertexRef]) {
        let vote = |end: &VertexRef| {
            let place = self.known.places.of_vertex(*end);
            let votes = if self.known.members.see(place) { self.votes_of(place) } else { 0.0 };
            (self.before.get(place), votes)
        };
        if own.many.is_empty() && own.votes.len() + ends.len() <= FEW {
            return own.votes.extend(ends.iter().map(vote));
        }
        for (cluster, votes) in own.votes.drain(..).chain(ends.iter().map(vote)) {
            *own.many.entry(cluster).or_insert(0.0) += votes;
        }
    }

    fn end(&self, own: &mut Voting, _: VertexRef, place: usize, reader: &Reader<'_>) {
        let before = self.before.get(place);
        own.votes.extend(own.many.drain());
        let cluster = self.winner(&mut own.votes, reader).unwrap_or(place as u32);
        own.has_changed |= cluster != before;
        self.now.set(place, cluster);
    }
}

impl Vote {
    /// The cluster with the most votes; none if none has any.
    fn winner(&self, votes: &mut [(u32, f64)], reader: &Reader<'_>) -> Option<u32> {
        if let [(only, votes)] = votes {
            return (*votes > 0.0).then_some(*only);
        }
        votes.sort_unstable_by_key(|(cluster, _)| *cluster);
        let mut best: Option<(u32, f64)> = None;
        for of_one in votes.chunk_by(|(one, _), (other, _)| one == other) {
            let (cluster, sum) = (of_one[0].0, of_one.iter().map(|(_, votes)| votes).sum::<f64>());
            let is_better = match best {
                None => sum > 0.0,
                Some((other, most)) => sum > most || sum == most && self.is_before((cluster, other), reader),
            };
            if is_better {
                best = Some((cluster, sum));
            }
        }
        best.map(|(cluster, _)| cluster)
    }

    fn is_before(&self, (one, other): (u32, u32), reader: &Reader<'_>) -> bool {
        let Known { places, beginnings, .. } = &*self.known;
        beginnings.compare((one as usize, other as usize), places, reader) == Ordering::Less
    }
}
