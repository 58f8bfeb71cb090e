//! The edges of one vertex after another, with their lengths.

use std::sync::OnceLock;

use graph::{Dir, EdgeLabelId, EdgeRef, ReadUnit, Reader, VertexRef};

use super::{Lengths, On, Wanted};
use crate::algorithms::Ground;
use crate::algorithms::links::Links;
use crate::error::QueryError;

/// The edges that a search goes along, or goes back along.
pub(super) struct Edges {
    links: Links,
    lists: Vec<(Dir, EdgeLabelId)>,
    /// Those that vertices of an extent have edges in, by its number.
    by_extent: Vec<OnceLock<Vec<(Dir, EdgeLabelId)>>>,
}

/// An edge that leads somewhere.
pub(super) struct Step {
    pub(super) to: VertexRef,
    pub(super) length: f64,
    pub(super) edge: Option<EdgeRef>,
}

impl Edges {
    pub(super) fn new(links: Links, ground: &Ground) -> Self {
        let extents = ground.places.extents().iter().map(|extent| extent.first.0 >> 16).max();
        let by_extent = (0..extents.map_or(0, |last| last + 1)).map(|_| OnceLock::new()).collect();
        Self { lists: links.lists(), links, by_extent }
    }

    /// The lists in which a vertex may have edges.
    #[inline]
    fn lists_of(&self, v: VertexRef, reader: &Reader<'_>) -> &[(Dir, EdgeLabelId)] {
        match self.by_extent.get((v.0 >> 16) as usize) {
            Some(lists) => lists.get_or_init(|| reader.lists_near(v, &self.lists)),
            None => &self.lists,
        }
    }

    /// Calls `visit` with the vertices that the edges of a vertex lead to, some at a time.
    #[inline]
    pub(super) fn for_each_end(
        &self,
        v: VertexRef,
        On { ground, reader, .. }: On<'_>,
        mut visit: impl FnMut(&[VertexRef]),
    ) {
        if let Links::Kept(kept) = &self.links {
            return visit(kept.ends(ground.places.of_vertex(v)));
        }
        for (dir, label) in self.lists_of(v, reader) {
            let mut place = graph::Place::default();
            loop {
                let run = reader.run(v, *label, *dir, &mut place);
                visit(run.neighbours());
                if run.neighbours().is_empty() || run.end() >= run.total() {
                    break;
                }
                place.position = run.end();
            }
        }
    }

    /// How many edges of a vertex there are to go along.
    pub(super) fn count(&self, v: VertexRef, On { ground, reader, .. }: On<'_>) -> usize {
        match &self.links {
            Links::Kept(kept) => kept.ends(ground.places.of_vertex(v)).len(),
            _ => {
                let total = |(dir, label): &(Dir, EdgeLabelId)| {
                    reader.run(v, *label, *dir, &mut graph::Place::default()).total()
                };
                self.lists_of(v, reader).iter().map(total).sum()
            }
        }
    }

    /// Calls `visit` with each edge of a vertex. The edges themselves are only said where they are wanted.
    pub(super) fn for_each(
        &self,
        v: VertexRef,
        On { wanted, ground, reader, .. }: On<'_>,
        mut visit: impl FnMut(Step),
    ) -> Result<(), QueryError> {
        let note = |edge, key| {
            if let Some(transaction) = ground.query.transaction() {
                transaction.note_read(ReadUnit::EdgeProperty(edge, key));
            }
        };
        if let Links::Kept(kept) = &self.links {
            for found in kept.found(ground.places.of_vertex(v)) {
                let length = match wanted.lengths {
                    Lengths::Hops => 1.0,
                    Lengths::Found => found.length,
                    Lengths::Property(None) => 0.0,
                    Lengths::Property(Some(key)) => {
                        note(found.edge, key);
                        length_of(reader.edge_value(found.edge, key), wanted)?
                    }
                };
                let edge = wanted.includes_edges.then_some(found.edge);
                visit(Step { to: ground.places.vertex(found.to as usize), length, edge });
            }
            return Ok(());
        }
        for (dir, label) in self.lists_of(v, reader) {
            for run in reader.list(v, *label, *dir).runs() {
                for (at, &to) in run.neighbours().iter().enumerate() {
                    let length = match wanted.lengths {
                        Lengths::Hops | Lengths::Found => 1.0,
                        Lengths::Property(None) => 0.0,
                        Lengths::Property(Some(key)) => {
                            note(run.edge(at), key);
                            length_of(run.value(at, key), wanted)?
                        }
                    };
                    visit(Step { to, length, edge: wanted.includes_edges.then(|| run.edge(at)) });
                }
            }
        }
        Ok(())
    }
}

/// The length of an edge with that distance.
///
/// # Errors
/// If it is no number, or less than 0.
fn length_of(distance: Option<graph::Value>, wanted: &Wanted) -> Result<f64, QueryError> {
    let Some(distance) = distance else { return Ok(0.0) };
    checked(&distance, &wanted.step)
}

/// A distance as a number.
///
/// # Errors
/// If it is none, or less than 0: then there need be no shortest path.
pub(crate) fn checked(distance: &graph::Value, step: &str) -> Result<f64, QueryError> {
    match distance.as_f64() {
        Some(length) if length >= 0.0 => Ok(length),
        Some(length) => Err(QueryError::step(
            step,
            format!("the distance of an edge must not be negative, but is {length}"),
        )),
        None => {
            let type_name = distance.type_name();
            Err(QueryError::step(
                step,
                format!("the distance of an edge must be a number, but is a {type_name}"),
            ))
        }
    }
}
