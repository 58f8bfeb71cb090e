//! The edges that subqueries find, and how long they are.

use graph::{Dir, EdgeLabelId, EdgeRef, Place, ScanCursor, VertexRef};
use planner::physical::{Along, Distance, Hop, IntraPolicy, Pipeline};
use values::{Value, watch};

use super::asking::Asking;
use super::links_of;
use crate::algorithms::{Advance, Found, Ground, Kept, Links, length};
use crate::batch::Column;
use crate::error::QueryError;
use crate::executor::LongStep;
use crate::memory::StateMemory;
use crate::operator::Context;

/// Vertices that are asked about at a time.
const VERTICES: usize = 1 << 10;

/// Edges that may be kept: their numbers have 32 bits.
const MOST: usize = u32::MAX as usize;

/// Edges for which room is made at a time, and times that one is found from which on others may have the executor meanwhile.
const STRETCH: usize = 1 << 12;

/// Edges of a hop of which it is asked at a time how long they are, or about as many: a vertex may have millions.
const EDGES: usize = 1 << 14;

/// Lists that are read between two looks at the clock: there may be a list for each of thousands of labels.
const LISTS: usize = 1 << 6;

/// See the module.
pub(super) struct Finding {
    ground: Ground,
    /// Finds the edges; else all of a hop are wanted.
    edges: Option<Asking>,
    hop: Option<Hop>,
    /// The lists of the hop, of each vertex.
    lists: Vec<(Dir, EdgeLabelId)>,
    /// How far reading them has come.
    at: At,
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

/// The next edge of the next list of the next vertex.
#[derive(Default)]
struct At {
    vertex: usize,
    list: usize,
    place: Place,
}

#[derive(Clone, Copy)]
enum Stage {
    Vertices,
    /// Edges are found by the subquery.
    Edges,
    /// They are read along a hop.
    Lists,
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
            lists: Vec::new(),
            at: At::default(),
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
                Stage::Lists => {
                    self.read_lists(cx)?;
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
                self.lists = links.map(|links| links.lists()).unwrap_or_default();
                (self.at, self.stage) = (At::default(), Stage::Lists);
                Ok(())
            }
        }
    }

    /// Reads edges of a hop, a run at a time, until there are many or the quota is spent.
    fn read_lists(&mut self, cx: &Context<'_>) -> Result<(), QueryError> {
        let Self { ground, lists, at, vertices, some, all, held, .. } = self;
        let reader = ground.snapshot.reader();
        let mut read = 0;
        while let Some(&v) = vertices.get(at.vertex)
            && some.len() < EDGES
        {
            let Some(&(dir, label)) = lists.get(at.list) else {
                *at = At { vertex: at.vertex + 1, ..At::default() };
                continue;
            };
            let run = reader.run(v, label, dir, &mut at.place);
            let edges = at.place.position.saturating_sub(run.first())..run.neighbours().len();
            hold(held, all.len() + some.len() + edges.len(), ground, cx)?;
            some.extend(edges.filter_map(|i| found(v, run.edge(i), ground)));
            if run.neighbours().is_empty() || run.end() >= run.total() {
                *at = At { vertex: at.vertex, list: at.list + 1, place: Place::default() };
            } else {
                at.place.position = run.end();
            }
            read += 1;
            if read % LISTS == 0 && cx.quota.is_spent() {
                return Ok(());
            }
        }
        reader.check()?;
        self.found_some(cx)
    }

    /// What comes when some edges are kept: the lists that are left of these vertices, or the next ones.
    fn after_some(&self) -> Stage {
        let are_left = self.edges.is_none() && self.at.vertex < self.vertices.len();
        if are_left { Stage::Lists } else { Stage::Vertices }
    }

    fn find_edges(&mut self, cx: &Context<'_>) -> Result<Advance<()>, QueryError> {
        let Self { edges: Some(edges), vertices, some, all, held, ground, .. } = self else {
            return Ok(Advance::Done(()));
        };
        let advance = edges.go_on(cx, |tag, batch, row| {
            watch::tick();
            let Value::EdgeRef(edge) = batch.current.value(row) else {
                let is = batch.current.value(row).type_name();
                return Err(QueryError::step(
                    &cx.op.step,
                    format!("its edges traversal must find edges, and not a {is}"),
                ));
            };
            if let Some(one) = vertices.get(tag as usize).and_then(|v| found(*v, edge, ground)) {
                let times = usize::try_from(batch.bulk(row)).unwrap_or(usize::MAX);
                hold(held, (all.len() + some.len()).saturating_add(times), ground, cx)?;
                let _long = (times > STRETCH).then(|| LongStep::begin(|| cx.query.check())).transpose()?;
                some.extend(std::iter::repeat_n(one, times).inspect(|_| watch::tick()));
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
        self.some.sort_by_key(|found| {
            watch::tick();
            found.from
        });
        hold(&mut self.held, self.all.len() + self.some.len(), &self.ground, cx)?;
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
                self.stage = self.after_some();
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
            self.stage = self.after_some();
        }
        Ok(advance)
    }
}

/// Holds room for so many edges and a few more, so that it is not asked for with each, before there are so many.
fn hold(held: &mut StateMemory, edges: usize, ground: &Ground, cx: &Context<'_>) -> Result<(), QueryError> {
    if edges > MOST {
        return Err(QueryError::step(
            &cx.op.step,
            format!("its edges traversal has found more than {MOST} edges"),
        ));
    }
    held.set(&cx.query.memory, Kept::bytes(edges.next_multiple_of(STRETCH), &ground.places))
}

/// An edge that was found from a vertex: it leads to its end or, if that is the vertex, to its beginning.
fn found(v: VertexRef, edge: EdgeRef, ground: &Ground) -> Option<Found> {
    let to = if edge.dst == v { edge.src } else { edge.dst };
    let place = |v| u32::try_from(ground.places.of_vertex(v)).ok();
    Some(Found { from: place(v)?, to: place(to)?, edge, length: 1.0 })
}
