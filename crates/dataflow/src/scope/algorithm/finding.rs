//! The edges that subqueries find, and how long they are.

use graph::{EdgeRef, ScanCursor, VertexRef};
use planner::physical::{Along, Distance, Hop, IntraPolicy, Pipeline};
use values::Value;

use super::asking::Asking;
use super::links_of;
use crate::algorithms::{Advance, Found, Ground, Kept, Links, length};
use crate::batch::Column;
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::Context;

/// Vertices that are asked about at a time.
const VERTICES: usize = 1 << 10;

/// Edges that may be kept: their numbers have 32 bits.
const MOST: usize = u32::MAX as usize;

/// See the module.
pub(super) struct Finding {
    ground: Ground,
    /// Finds the edges; else all of a hop are wanted.
    edges: Option<Asking>,
    hop: Option<Hop>,
    /// Says how long an edge is.
    lengths: Option<Asking>,
    cursor: ScanCursor,
    vertices: Vec<VertexRef>,
    /// The edges of these vertices.
    some: Vec<Found>,
    all: Vec<Found>,
    held: StateMemory,
    stage: Stage,
}

#[derive(Clone, Copy)]
enum Stage {
    Vertices,
    Edges,
    Lengths,
    Ended,
}

impl Finding {
    pub(super) fn new(
        edges: &Along<Pipeline>,
        distance: &Distance<Pipeline>,
        intra: IntraPolicy,
        ground: Ground,
    ) -> Self {
        let (edges, hop) = match edges {
            Along::Found(edges) => (Some(Asking::new(edges, intra)), None),
            Along::Hop(hop) => (None, Some(hop.clone())),
        };
        let lengths = match distance {
            Distance::Found(lengths) => Some(Asking::new(lengths, intra)),
            _ => None,
        };
        Self {
            ground,
            edges,
            hop,
            lengths,
            cursor: ScanCursor::default(),
            vertices: Vec::new(),
            some: Vec::new(),
            all: Vec::new(),
            held: StateMemory::default(),
            stage: Stage::Vertices,
        }
    }

    pub(super) fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Goes on for the quota.
    pub(super) fn go_on(&mut self, cx: &Context<'_>) -> Result<Advance<Links>, QueryError> {
        loop {
            let waits = match self.stage {
                Stage::Vertices => {
                    self.next_vertices(cx)?;
                    None
                }
                Stage::Edges => self.find_edges(cx)?.waits(),
                Stage::Lengths => self.find_lengths(cx)?.waits(),
                Stage::Ended => {
                    let bytes = Kept::bytes(self.all.len(), &self.ground.places);
                    self.held.set(&cx.query.memory, bytes)?;
                    let found = std::mem::take(&mut self.all);
                    return Ok(Advance::Done(Links::Kept(Kept::of(
                        found,
                        &self.ground.places,
                        std::mem::take(&mut self.held),
                    ))));
                }
            };
            if let Some(waits) = waits {
                return Ok(waits);
            }
            if cx.quota.is_spent() {
                return Ok(Advance::More);
            }
        }
    }

    /// Takes the next vertices, and asks about them.
    fn next_vertices(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        self.vertices.clear();
        let reader = self.ground.snapshot.reader();
        let more = reader.scan_vertices(None, &mut self.cursor, VERTICES, &mut self.vertices);
        reader.check()?;
        self.vertices.retain(|v| self.ground.admits(self.ground.places.of_vertex(*v)));
        if self.vertices.is_empty() {
            self.stage = if more { Stage::Vertices } else { Stage::Ended };
            return Ok(());
        }
        match &mut self.edges {
            Some(edges) => {
                edges.about(Column::Vertices(self.vertices.clone()), self.vertices.len(), cx)?;
                self.stage = Stage::Edges;
                Ok(())
            }
            None => {
                let links = self.hop.as_ref().map(|hop| links_of(hop, &self.ground));
                for &v in &self.vertices {
                    let lists = links.iter().flat_map(Links::lists);
                    for edge in lists.flat_map(|(dir, label)| reader.list(v, label, dir).edges()) {
                        self.some.extend(found(v, edge, &self.ground));
                    }
                }
                self.found_some(cx)
            }
        }
    }

    fn find_edges(&mut self, cx: &Context<'_>) -> Result<Advance<()>, QueryError> {
        let Self { edges: Some(edges), vertices, some, ground, .. } = self else {
            return Ok(Advance::Done(()));
        };
        let advance = edges.go_on(cx, |tag, batch, row| {
            let Value::EdgeRef(edge) = batch.current.value(row) else {
                let is = batch.current.value(row).type_name();
                return Err(QueryError::step(
                    &cx.op.step,
                    format!("its edges traversal must find edges, and not a {is}"),
                ));
            };
            if let Some(one) = vertices.get(tag as usize).and_then(|v| found(*v, edge, ground)) {
                let times = usize::try_from(batch.bulk(row)).unwrap_or(usize::MAX).min(MOST);
                let bytes = times.saturating_mul(size_of::<Found>()).min(isize::MAX as usize) as isize;
                cx.charge(bytes)?;
                cx.charge(-bytes)?;
                some.extend(std::iter::repeat_n(one, times));
            }
            Ok(())
        })?;
        if let Advance::Done(()) = advance {
            self.found_some(cx)?;
        }
        Ok(advance)
    }

    /// The edges of some vertices are found.
    fn found_some(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        // Vertices come in the order of their places; their edges may not.
        self.some.sort_by_key(|found| found.from);
        if self.all.len() + self.some.len() > MOST {
            return Err(QueryError::step(
                &cx.op.step,
                format!("its edges traversal has found more than {MOST} edges"),
            ));
        }
        let bytes = Kept::bytes(self.all.len() + self.some.len(), &self.ground.places);
        self.held.set(&cx.query.memory, bytes)?;
        match &mut self.lengths {
            Some(lengths) if !self.some.is_empty() => {
                let edges: Vec<EdgeRef> = self.some.iter().map(|found| found.edge).collect();
                let len = edges.len();
                // Until somebody says how long they are.
                self.some.iter_mut().for_each(|found| found.length = f64::NAN);
                lengths.about(Column::Edges(edges), len, cx)?;
                self.stage = Stage::Lengths;
            }
            _ => {
                self.all.append(&mut self.some);
                self.stage = Stage::Vertices;
            }
        }
        Ok(())
    }

    fn find_lengths(&mut self, cx: &Context<'_>) -> Result<Advance<()>, QueryError> {
        let Self { lengths: Some(lengths), some, .. } = self else { return Ok(Advance::Done(())) };
        let advance = lengths.go_on(cx, |tag, batch, row| {
            if let Some(found) = some.get_mut(tag as usize).filter(|found| found.length.is_nan()) {
                found.length = length(&batch.current.value(row), &cx.op.step)?;
            }
            Ok(())
        })?;
        if let Advance::Done(()) = advance {
            let unsaid = self.some.iter_mut().filter(|found| found.length.is_nan());
            unsaid.for_each(|found| found.length = 0.0);
            self.all.append(&mut self.some);
            self.stage = Stage::Vertices;
        }
        Ok(advance)
    }
}

/// An edge that was found from a vertex: it leads to its end or, if that is the vertex, to its beginning.
fn found(v: VertexRef, edge: EdgeRef, ground: &Ground) -> Option<Found> {
    let to = if edge.dst == v { edge.src } else { edge.dst };
    let place = |v| u32::try_from(ground.places.of_vertex(v)).ok();
    Some(Found { from: place(v)?, to: place(to)?, edge, length: 1.0 })
}
