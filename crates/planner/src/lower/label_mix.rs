//! Which labels the vertices of a stream have, as a guess.
//!
//! ```text
//! V().hasLabel(Post)      Post 1.0
//! .in(likes)              Person 0.9, Bot 0.1      as the ends of all such edges
//! .outE(knows).inV()      Person 1.0
//! ```

use std::rc::Rc;

use graph::{Dir, EdgeLabelId, KeyId, VertexLabelId};
use values::Direction;

use crate::Statistics;
use crate::physical::{EdgeEnd, EdgeLabels, Test};
use crate::thresholds::MOST_PAIRS;

/// Labels of vertices. Nothing is known if there are none.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Labels {
    /// With the share of each.
    shares: Rc<[(VertexLabelId, f64)]>,
    /// Keys by whose values they were found: tests of these let most of them pass.
    found_by: Rc<[KeyId]>,
}

/// What is known about the objects of a stream.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum Mix {
    /// Nothing.
    #[default]
    Unknown,
    /// They are vertices of these labels.
    Vertices(Labels),
    /// They are edges with such sources and targets; the last end is the one that they lead to.
    Edges { out: Labels, into: Labels, leads_out: bool },
}

impl Labels {
    fn of(weights: impl Iterator<Item = (VertexLabelId, f64)>) -> Self {
        let weights: Vec<_> = weights.filter(|(_, weight)| *weight > 0.0).collect();
        let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let shares = weights.into_iter().map(|(label, weight)| (label, weight / sum)).collect();
        Self { shares, found_by: Rc::default() }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (VertexLabelId, f64)> {
        self.shares.iter().copied()
    }

    pub(super) fn are_found_by(&self, key: KeyId) -> bool {
        self.found_by.contains(&key)
    }

    pub(super) fn is_known(&self) -> bool {
        !self.shares.is_empty()
    }
}

impl Mix {
    /// Vertices of these labels, as many of each as there are, found by the values of some keys.
    pub(super) fn of_labels(labels: &[VertexLabelId], keys: &[KeyId], statistics: &dyn Statistics) -> Self {
        let weights = labels.iter().map(|label| (*label, statistics.vertices(Some(*label)) as f64));
        Self::Vertices(Labels { found_by: keys.into(), ..Labels::of(weights) })
    }

    /// The labels, if they are vertices.
    pub(super) fn vertices(&self) -> Option<&Labels> {
        match self {
            Self::Vertices(labels) => Some(labels).filter(|labels| labels.is_known()),
            _ => None,
        }
    }

    /// After a step along edges, whose far ends have such labels.
    pub(super) fn after_move(&self, direction: Direction, edges: bool, far: Labels) -> Self {
        if !edges {
            return Self::Vertices(far);
        }
        let near = match self {
            Self::Vertices(labels) => labels.clone(),
            _ => Labels::default(),
        };
        match direction {
            Direction::Out => Self::Edges { out: near, into: far, leads_out: false },
            Direction::In => Self::Edges { out: far, into: near, leads_out: true },
            Direction::Both => Self::Unknown,
        }
    }

    /// After a step from edges to their ends.
    pub(super) fn after_end(&self, end: EdgeEnd) -> Self {
        let Self::Edges { out, into, leads_out } = self else { return Self::Unknown };
        match end {
            EdgeEnd::Out => Self::Vertices(out.clone()),
            EdgeEnd::In => Self::Vertices(into.clone()),
            EdgeEnd::Other(_) => Self::Vertices(if *leads_out { out } else { into }.clone()),
            EdgeEnd::Both | EdgeEnd::OtherThanBefore => Self::Unknown,
        }
    }

    /// After a test, as far as it is about labels; with the share of vertices that such a test lets pass.
    pub(super) fn after_test(&self, test: &Test) -> (Self, Option<f64>) {
        match (test, self.vertices()) {
            (Test::And(parts), _) => parts.iter().fold((self.clone(), None), |(mix, share), part| {
                let (mix, further) = mix.after_test(part);
                (mix, share.map_or(further, |share: f64| Some(share * further.unwrap_or(1.0))))
            }),
            (Test::Label { vertex, .. }, Some(labels)) => {
                let kept = || labels.iter().filter(|(label, _)| vertex.contains(label));
                let found_by = Rc::clone(&labels.found_by);
                (
                    Self::Vertices(Labels { found_by, ..Labels::of(kept()) }),
                    Some(kept().map(|(_, share)| share).sum()),
                )
            }
            _ => (self.clone(), None),
        }
    }
}

/// The labels of the vertices to which edges lead, as of all edges of these labels.
pub(super) fn far_ends(
    direction: Direction,
    labels: &EdgeLabels,
    all: &[VertexLabelId],
    statistics: &dyn Statistics,
) -> Labels {
    let EdgeLabels::Only(edges) = labels else { return Labels::default() };
    if edges.len() * all.len() > MOST_PAIRS {
        return Labels::default();
    }
    let ends = |vertex: VertexLabelId, edge: EdgeLabelId, dir: Dir| {
        statistics.edges_of(vertex, edge, dir.reverse()).map_or(0.0, |(edges, _)| edges as f64)
    };
    let weight = |vertex: VertexLabelId| -> f64 {
        let lists = edges.iter().flat_map(|edge| Dir::of(direction).iter().map(move |dir| (*edge, *dir)));
        lists.map(|(edge, dir)| ends(vertex, edge, dir)).sum()
    };
    Labels::of(all.iter().map(|label| (*label, weight(*label))))
}
