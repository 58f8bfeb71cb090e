//! Graph algorithms: `pageRank`, `peerPressure`, `connectedComponent`, `shortestPath`. When all traversers have come, the algorithm
//! runs over the whole graph ([`crate::algorithms`]); then they leave as they came, or as paths.
//!
//! | file | what |
//! |---|---|
//! | `asking.rs` | a subquery that is asked about some elements at a time |
//! | `finding.rs` | the edges that subqueries find |
//! | `walking.rs` | who goes along the paths that are found |

mod asking;
mod finding;
mod walking;

use graph::{EdgeLabelId, ReadUnit};
use planner::physical::{
    Algorithm, AlgorithmKind, Along, ComputedProperty, Distance, EdgeLabels, Hop, IntraPolicy, Pipeline,
    Scope, ScopeKind,
};

use crate::algorithms::{
    self, Advance, Components, Doubles, Ground, Lengths, Links, PageRank, PeerPressure, ShortestPaths, Wanted,
};
use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::{Context, Operator, Output, Step};
use crate::operators::trace;

use asking::Asking;
use finding::Finding;
use walking::{Travellers, Walking};

/// See the module.
pub(super) struct AlgorithmScope {
    algorithm: Box<Algorithm<Pipeline>>,
    intra: IntraPolicy,
    /// The traversers.
    held: Vec<Batch>,
    memory: StateMemory,
    phase: Phase,
}

enum Phase {
    /// They come.
    Gathering,
    /// Edges are found by subqueries.
    Finding(Box<Finding>),
    /// Vertices are found.
    Aiming(Box<Aiming>),
    Running(Box<dyn algorithms::Algorithm>, usize),
    Walking(Box<Walking>),
    /// They leave: those from this batch on.
    Leaving(usize),
}

/// Vertices that a subquery finds: those that there are to the algorithm or, if the edges are known, those at which paths may end.
struct Aiming {
    asking: Asking,
    places: Vec<u32>,
    ground: Ground,
    links: Option<Links>,
}

impl AlgorithmScope {
    pub(super) fn new(scope: &Scope) -> Self {
        let ScopeKind::Algorithm(algorithm) = &scope.kind else { unreachable!("not an algorithm") };
        Self {
            algorithm: algorithm.clone(),
            intra: scope.policy.intra,
            held: Vec::new(),
            memory: StateMemory::default(),
            phase: Phase::Gathering,
        }
    }

    /// All traversers have come.
    fn begin(&self, cx: &Context<'_>) -> Result<Phase, QueryError> {
        if let Some(transaction) = cx.query.transaction() {
            transaction.note_read(ReadUnit::AllVertices);
            transaction.note_read(ReadUnit::AllEdges);
        }
        let ground = Ground::of(cx);
        match &self.algorithm.within {
            Some(within) => self.aim(within, None, ground, cx),
            None => self.with_ground(ground, cx),
        }
    }

    /// Finds vertices.
    fn aim(
        &self,
        at: &Pipeline,
        links: Option<Links>,
        ground: Ground,
        cx: &Context<'_>,
    ) -> Result<Phase, QueryError> {
        let mut asking = Asking::new(at, self.intra);
        asking.begin(Batch::seed(cx.query.plan.slots.into(), cx.query.plan.history.is_kept()), cx)?;
        Ok(Phase::Aiming(Box::new(Aiming { asking, places: Vec::new(), ground, links })))
    }

    /// It is known which vertices there are.
    fn with_ground(&self, ground: Ground, cx: &Context<'_>) -> Result<Phase, QueryError> {
        let finds_lengths = matches!(self.algorithm.distance, Distance::Found(_));
        match &self.algorithm.edges {
            Along::Hop(hop) if !finds_lengths => self.with_links(links_of(hop, &ground), ground, cx),
            edges => {
                let finding = Finding::new(edges, &self.algorithm.distance, self.intra, ground);
                Ok(Phase::Finding(Box::new(finding)))
            }
        }
    }

    /// The edges are known.
    fn with_links(&self, links: Links, ground: Ground, cx: &Context<'_>) -> Result<Phase, QueryError> {
        let priors = |priors: bool| priors.then(|| self.traversers(&ground));
        let run = |algorithm: Box<dyn algorithms::Algorithm>, property: &ComputedProperty| {
            Ok(Phase::Running(algorithm, property.number.into()))
        };
        match &self.algorithm.kind {
            AlgorithmKind::PageRank { alpha, times, priors: with, property } => {
                let priors = priors(*with);
                run(Box::new(PageRank::new(ground, links, (*alpha, *times), priors)?), property)
            }
            AlgorithmKind::PeerPressure { times, priors: with, property } => {
                let votes = priors(*with);
                run(Box::new(PeerPressure::new(ground, links, *times, votes)?), property)
            }
            AlgorithmKind::ConnectedComponent { property } => {
                run(Box::new(Components::new(ground, links)?), property)
            }
            AlgorithmKind::ShortestPath { .. } => match &self.algorithm.targets {
                None => self.with_targets(None, links, &ground, cx),
                Some(targets) => self.aim(targets, Some(links), ground, cx),
            },
        }
    }

    /// How many traversers are at each vertex.
    fn traversers(&self, ground: &Ground) -> Doubles {
        let numbers = Doubles::zeros(ground.places.len());
        for batch in &self.held {
            for row in 0..batch.len {
                if let Some(v) = batch.current.vertex(row) {
                    let place = ground.places.of_vertex(v);
                    numbers.set(place, numbers.get(place) + batch.bulk(row) as f64);
                }
            }
        }
        numbers
    }

    /// The vertices at which paths may end are known.
    fn with_targets(
        &self,
        targets: Option<Vec<u32>>,
        links: Links,
        ground: &Ground,
        cx: &Context<'_>,
    ) -> Result<Phase, QueryError> {
        let AlgorithmKind::ShortestPath { max, include_edges } = self.algorithm.kind else {
            return Ok(Phase::Leaving(0));
        };
        let lengths = match &self.algorithm.distance {
            Distance::Hops => Lengths::Hops,
            Distance::Property(name, key) => {
                Lengths::Property(key.or_else(|| ground.snapshot.catalog().key(name)))
            }
            Distance::Found(_) => Lengths::Found,
        };
        let step = cx.op.step.to_string();
        let wanted = Wanted { step, lengths, max, includes_edges: include_edges, targets };
        let (sources, travellers) = Travellers::of(&self.held, cx)?;
        let paths = ShortestPaths::new(ground, links, sources, wanted)?;
        Ok(Phase::Walking(Box::new(Walking::new(paths, travellers))))
    }

    fn go_on(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        let next = match &mut self.phase {
            Phase::Gathering => self.begin(cx)?,
            Phase::Finding(finding) => match finding.go_on(cx)? {
                Advance::Done(links) => {
                    let ground = finding.ground().clone();
                    self.with_links(links, ground, cx)?
                }
                waits => return Ok(waits.step()),
            },
            Phase::Aiming(aiming) => {
                let Aiming { asking, places, ground, .. } = &mut **aiming;
                let found = |_: u32, batch: &Batch, row: usize| {
                    places.extend(batch.current.vertex(row).map(|v| ground.places.of_vertex(v) as u32));
                    Ok(())
                };
                match asking.go_on(cx, found)? {
                    Advance::Done(()) => {
                        let (mut places, mut ground) = (std::mem::take(places), ground.clone());
                        places.sort_unstable();
                        places.dedup();
                        match aiming.links.take() {
                            Some(links) => self.with_targets(Some(places), links, &ground, cx)?,
                            None => {
                                ground.within = Some(places.into());
                                self.with_ground(ground, cx)?
                            }
                        }
                    }
                    waits => return Ok(waits.step()),
                }
            }
            Phase::Running(algorithm, number) => match algorithm.go_on(cx)? {
                Advance::Done(property) => {
                    if let Some(computed) = &cx.query.computed {
                        computed.set(*number, property);
                    }
                    Phase::Leaving(0)
                }
                waits => return Ok(waits.step()),
            },
            Phase::Walking(walking) => match walking.go_on(&self.held, cx, out)? {
                Advance::Done(()) => Phase::Leaving(usize::MAX),
                waits => return Ok(waits.step()),
            },
            Phase::Leaving(at) => {
                let Some(batch) = self.held.get_mut(*at) else {
                    self.held.clear();
                    self.memory.release();
                    return Ok(Step::Idle);
                };
                *at += 1;
                let mut batch = std::mem::replace(batch, Batch::new(Column::Values(Vec::new()), 0));
                trace(&mut batch, cx.op);
                out.emit(batch);
                return Ok(Step::More);
            }
        };
        self.phase = next;
        Ok(Step::More)
    }
}

impl<T> Advance<T> {
    fn step(self) -> Step {
        if matches!(self, Self::Blocked) { Step::Blocked } else { Step::More }
    }
}

/// All edges of a hop.
fn links_of(hop: &Hop, ground: &Ground) -> Links {
    let labels = match &hop.labels {
        EdgeLabels::Only(labels) => labels.clone(),
        EdgeLabels::All => {
            (0..ground.snapshot.catalog().edge_label_bound() as u16).map(EdgeLabelId).collect()
        }
    };
    Links::Stored { labels, direction: hop.direction }
}

impl Operator for AlgorithmScope {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, _: &mut Output) -> Result<Step, QueryError> {
        if let Some(batch) = input {
            self.memory.grow(&cx.query.memory, batch.bytes())?;
            self.held.push(batch);
        }
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.go_on(cx, out)
    }

    fn reset(&mut self) {
        self.held.clear();
        self.memory.release();
        self.phase = Phase::Gathering;
    }
}
