//! Graph algorithms: `pageRank`, `peerPressure`, `connectedComponent`, `shortestPath`.

use graph::KeyId;
use values::Str;

use crate::physical::Hop;
use crate::words::{InWords, Words};

/// A graph algorithm over the whole graph, beginning when all traversers have come. `S`: what its subqueries are.
#[derive(Clone, Debug, PartialEq)]
pub struct Algorithm<S> {
    /// Which one.
    pub kind: AlgorithmKind,
    /// The edges that it goes along.
    pub edges: Along<S>,
    /// Finds the vertices that there are to it, starting at one traverser of nothing; `None`: all.
    pub within: Option<S>,
    /// Of `shortestPath`: finds the vertices at which paths may end, starting at one traverser of nothing; `None`: all may.
    pub targets: Option<S>,
    /// Of `shortestPath`: how long an edge is.
    pub distance: Distance<S>,
}

/// Which algorithm.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "the names are TinkerPop's")]
pub enum AlgorithmKind {
    /// The rank is put into a property; `priors`: it begins at the number of traversers at a vertex.
    PageRank { alpha: f64, times: u32, priors: bool, property: Property },
    /// The cluster, the id of a vertex, is put into a property; `priors`: a vertex votes with its number of traversers.
    PeerPressure { times: u32, priors: bool, property: Property },
    /// The component, the least id of its vertices as a text, is put into a property.
    ConnectedComponent { property: Property },
    /// Each traverser becomes one for each of the shortest paths from its vertex, no longer than `max`.
    ShortestPath { max: Option<f64>, include_edges: bool },
}

/// A property that a query computes: its name, and its number among them (`Plan::computed`).
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs, reason = "said above")]
pub struct Property {
    pub name: Str,
    pub number: u16,
}

/// Edges that an algorithm goes along.
#[derive(Clone, Debug, PartialEq)]
pub enum Along<S> {
    /// All of some labels, one way or both.
    Hop(Hop),
    /// Those that a subquery finds from a vertex.
    Found(S),
}

/// How long an edge is.
#[derive(Clone, Debug, PartialEq)]
pub enum Distance<S> {
    /// Each as long as any other.
    Hops,
    /// What it has under a key; 0 if it has nothing.
    Property(Str, Option<KeyId>),
    /// What a subquery says first; 0 if it says nothing.
    Found(S),
}

impl<S> Algorithm<S> {
    /// Its subqueries.
    pub fn subqueries(&self) -> [Option<&S>; 4] {
        let edges = if let Along::Found(edges) = &self.edges { Some(edges) } else { None };
        let distance = if let Distance::Found(distance) = &self.distance { Some(distance) } else { None };
        [edges, self.within.as_ref(), self.targets.as_ref(), distance]
    }

    /// Its subqueries, to change them.
    pub fn subqueries_mut(&mut self) -> [Option<&mut S>; 4] {
        let edges = if let Along::Found(edges) = &mut self.edges { Some(edges) } else { None };
        let distance = if let Distance::Found(distance) = &mut self.distance { Some(distance) } else { None };
        [edges, self.within.as_mut(), self.targets.as_mut(), distance]
    }

    /// The same with other subqueries.
    pub fn map<T>(&self, mut of: impl FnMut(&S) -> T) -> Algorithm<T> {
        let edges = match &self.edges {
            Along::Hop(hop) => Along::Hop(hop.clone()),
            Along::Found(edges) => Along::Found(of(edges)),
        };
        let within = self.within.as_ref().map(&mut of);
        let targets = self.targets.as_ref().map(&mut of);
        let distance = match &self.distance {
            Distance::Hops => Distance::Hops,
            Distance::Property(name, key) => Distance::Property(name.clone(), *key),
            Distance::Found(distance) => Distance::Found(of(distance)),
        };
        Algorithm { kind: self.kind.clone(), edges, within, targets, distance }
    }

    /// Whether its traversers leave as they came.
    pub fn keeps_traversers(&self) -> bool {
        !matches!(self.kind, AlgorithmKind::ShortestPath { .. })
    }
}

/// Without its subqueries.
impl<S> InWords for Algorithm<S> {
    fn write(&self, words: &mut Words<'_>) {
        let name = match &self.kind {
            AlgorithmKind::PageRank { .. } => "pageRank",
            AlgorithmKind::PeerPressure { .. } => "peerPressure",
            AlgorithmKind::ConnectedComponent { .. } => "connectedComponent",
            AlgorithmKind::ShortestPath { .. } => "shortestPath",
        };
        words.call(name, |w| {
            match &self.edges {
                Along::Hop(hop) => w.say(hop),
                Along::Found(_) => w.raw("edges found"),
            }
            if let Distance::Property(name, _) = &self.distance {
                w.show(format_args!("; as long as {name}"));
            }
            match &self.kind {
                AlgorithmKind::PageRank { alpha, times, property, .. } => {
                    w.show(format_args!("; alpha {alpha}, {times} times, into {}", property.name));
                }
                AlgorithmKind::PeerPressure { times, property, .. } => {
                    w.show(format_args!("; {times} times, into {}", property.name));
                }
                AlgorithmKind::ConnectedComponent { property } => {
                    w.show(format_args!("; into {}", property.name));
                }
                AlgorithmKind::ShortestPath { max, include_edges } => {
                    max.iter().for_each(|max| w.show(format_args!("; at most {max}")));
                    w.raw(if *include_edges { "; with edges" } else { "" });
                }
            }
        });
    }
}
