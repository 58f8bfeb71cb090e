//! `mergeV` and `mergeE`: what is there is found, what is not is created, one traverser after the other, since each sees what
//! those before it have created.
//!
//! ```text
//! row   wanted map ─► ends of the edge ─► search ─┬─ found: onMatch is set on each ─────────► they leave
//!                                                  └─ nothing: wanted and onCreate in one ───► the new one leaves
//! ```
//!
//! Each arrow may be left for a later call: a search may be long, and others have work, too. What is looked up sees the writes
//! of the transaction (`graph`'s overlay has a table of the values that it has given), so ten thousand merges of a batch are as
//! many look-ups in memory.

mod given;
mod search;

use planner::physical::{ElementKind, MergeEntries, MergeMap, MergePhase, OpKind, Operand, WriteKind, op};
use values::{Direction, Value, VertexRef, watch};

use super::{Change, MAX_BULK, TICKS, change};
use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::memory::StateMemory;
use crate::operator::{Context, Operator, Output, Step};
use crate::operators::element::find_vertex;
use crate::operators::row_origins::trace;
use crate::operators::view::{View, Viewpoint};

use given::{End, Given, Maps, Property, option_of};
use search::Search;

type Plan = op::Merge<Operand>;

/// Elements that are updated between two looks at the clock.
const BETWEEN_LOOKS: usize = 16;

/// The operator of a merge.
#[derive(Default)]
pub(in crate::operators) struct Merge {
    input: Option<Batch>,
    /// The row that is merged.
    row: usize,
    /// How many of the equal traversers that the row stands for have been.
    times: u64,
    under_way: Option<UnderWay>,
    /// What has been found or created, and in which rows.
    results: Vec<Value>,
    rows: Vec<u32>,
    held: StateMemory,
}

/// The merge of one traverser.
struct UnderWay {
    wanted: Given,
    /// What is there beside it, once it is known that it must be created.
    created: Option<Given>,
    /// The ends of the edge, as far as they were asked for.
    ends: [Option<Option<VertexRef>>; 2],
    /// The search for an end, or for the element itself.
    search: Option<Search>,
    /// What was found and has not left: there may be millions.
    found: Option<std::vec::IntoIter<Value>>,
    /// From where the search is seen.
    viewpoint: Viewpoint,
}

impl Operator for Merge {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if input.is_some() {
            (self.input, self.row, self.times) = (input, 0, 0);
        }
        let OpKind::Write(WriteKind::Merge(plan)) = &cx.op.kind else { return Ok(Step::Idle) };
        let Some(batch) = self.input.take() else { return Ok(Step::Idle) };
        let change = change(cx)?;
        while self.row < batch.len && self.rows.len() < Batch::TARGET_ROWS {
            let bulk = batch.bulk(self.row);
            if bulk > MAX_BULK {
                return Err(change.error(format!(
                    "{bulk} equal traversers would each merge an element; at most {MAX_BULK} may"
                )));
            }
            if self.merge(plan, change, &batch)? {
                self.under_way = None;
                self.times += 1;
                if self.times >= bulk {
                    (self.row, self.times) = (self.row + 1, 0);
                }
            }
            if cx.quota.is_spent() {
                break;
            }
        }
        let ended = self.row >= batch.len;
        if self.under_way.is_none() {
            self.held.release();
        }
        self.emit(&batch, cx, out);
        self.input = (!ended).then_some(batch);
        Ok(if ended { Step::Idle } else { Step::More })
    }

    fn reset(&mut self) {
        *self = Self::default();
    }
}

impl Merge {
    fn emit(&mut self, batch: &Batch, cx: &Context<'_>, out: &mut Output) {
        let results = std::mem::take(&mut self.results);
        let mut merged = batch.derive(&self.rows, Column::from_values(results));
        merged.bulk = None;
        self.rows.clear();
        trace(&mut merged, cx.op);
        out.emit(merged);
    }

    /// Goes on with the merge of one traverser; whether it has ended.
    fn merge(&mut self, plan: &Plan, change: Change<'_>, batch: &Batch) -> Result<bool, QueryError> {
        watch::ticks(TICKS);
        let maps = Maps { change, element: plan.element, batch, row: self.row };
        let mut now = match self.under_way.take() {
            Some(now) => now,
            None => UnderWay::begin(plan, maps)?,
        };
        let ended = self.go_on(&mut now, plan, maps)?;
        if !ended {
            self.under_way = Some(now);
        }
        Ok(ended)
    }

    fn go_on(&mut self, now: &mut UnderWay, plan: &Plan, maps: Maps<'_>) -> Result<bool, QueryError> {
        if let Some(found) = &mut now.found {
            return self.matched(found, plan, maps);
        }
        if now.created.is_none() {
            let wanted = std::mem::take(&mut now.wanted);
            let are_found = now.find_ends(&wanted, plan, maps);
            now.wanted = wanted;
            if !are_found? {
                return Ok(false);
            }
            if plan.phase != MergePhase::Create {
                let Some(found) = now.find(plan, maps)? else { return Ok(false) };
                if !found.is_empty() {
                    self.held.grow(&maps.change.cx.query.memory, found.len() * size_of::<Value>())?;
                    return self.matched(now.found.insert(found.into_iter()), plan, maps);
                }
            }
            if plan.phase == MergePhase::Find {
                return Ok(true);
            }
            now.created = Some(now.beside(plan, maps)?);
        }
        let created = now.created.take().unwrap_or_default();
        if !now.find_ends(&created, plan, maps)? {
            now.created = Some(created);
            return Ok(false);
        }
        let made = match plan.element {
            ElementKind::Vertex => maps.create_vertex(created)?,
            ElementKind::Edge => maps.create_edge(created, now.ends)?,
        };
        self.results.push(made);
        self.rows.push(self.row as u32);
        Ok(true)
    }

    /// Sets what `onMatch` says on what was found, which leaves; whether all has. A batch of it at most, and no longer than a turn.
    fn matched(
        &mut self,
        found: &mut std::vec::IntoIter<Value>,
        plan: &Plan,
        maps: Maps<'_>,
    ) -> Result<bool, QueryError> {
        let properties = plan.on_match.as_ref().map(|map| maps.of_update(map)).transpose()?;
        while self.rows.len() < Batch::TARGET_ROWS {
            let Some(element) = found.next() else { return Ok(true) };
            if let Some(properties) = &properties {
                watch::ticks(TICKS);
                maps.change.update(&element, properties)?;
            }
            self.rows.push(self.row as u32);
            self.results.push(element);
            if self.rows.len().is_multiple_of(BETWEEN_LOOKS) && maps.change.cx.quota.is_spent() {
                break;
            }
        }
        Ok(found.len() == 0)
    }
}

impl UnderWay {
    fn begin(plan: &Plan, maps: Maps<'_>) -> Result<Self, QueryError> {
        let wanted = maps.of_element(&plan.wanted)?;
        // What is known before is wrong whether it is needed or not.
        if let Some(map) = plan.on_match.as_ref().filter(|map| is_given(map)) {
            maps.of_update(map)?;
        }
        if let Some(map) = plan.on_create.as_ref().filter(|map| is_given(map) && is_given(&plan.wanted)) {
            both(wanted.clone(), maps.of_element(map)?, maps)?;
        }
        let viewpoint = Viewpoint::now(maps.change.cx);
        Ok(Self { wanted, created: None, ends: [None, None], search: None, found: None, viewpoint })
    }

    /// What the new element has; what was wanted is not asked for again.
    fn beside(&mut self, plan: &Plan, maps: Maps<'_>) -> Result<Given, QueryError> {
        let wanted = std::mem::take(&mut self.wanted);
        match &plan.on_create {
            None => Ok(wanted),
            Some(map) => both(wanted, maps.of_element(map)?, maps),
        }
    }

    /// Finds the vertices at the ends that a map names, unless they are known; whether they are now.
    fn find_ends(&mut self, given: &Given, plan: &Plan, maps: Maps<'_>) -> Result<bool, QueryError> {
        for (at, direction) in [Direction::Out, Direction::In].into_iter().enumerate() {
            let Some(end) = given.end(direction).filter(|_| self.ends[at].is_none()) else { continue };
            let vertex = match end {
                End::Vertex(vertex) => Some(maps.vertex(vertex)),
                End::Option(_) => self.option(direction, plan, maps)?.map(Some),
            };
            match vertex {
                Some(vertex) => self.ends[at] = Some(vertex),
                None => return Ok(false),
            }
        }
        Ok(true)
    }

    /// The vertex that `option(outV, …)` means; `None` if the search for it goes on.
    fn option(
        &mut self,
        end: Direction,
        plan: &Plan,
        maps: Maps<'_>,
    ) -> Result<Option<VertexRef>, QueryError> {
        let (token, place) = option_of(end);
        let error = |message| Err(maps.change.error(message));
        let option = if end == Direction::Out { &plan.out_v } else { &plan.in_v };
        let Some(option) = option else {
            return error(format!("option({token}) must be specified if it is used for {place}"));
        };
        let missing = || error(format!("Could not resolve vertex for option({token})"));
        match maps.change.cx.operand(option, maps.batch, maps.row) {
            None => error(format!(
                "The provided traverser does not map to a value: the traversal of option({token}) yields nothing"
            )),
            Some(vertex @ (Value::VertexRef(_) | Value::Vertex(_))) => match maps.vertex(&vertex) {
                Some(vertex) => Ok(Some(vertex)),
                None => {
                    let vertex = maps.change.excerpt_of(&vertex);
                    error(format!("Vertex could not be resolved from mergeE: {vertex}"))
                }
            },
            Some(Value::Map(_) | Value::Entry(_)) => {
                let wanted = MergeMap {
                    entries: MergeEntries::Computed(option.clone()),
                    cardinality: None,
                    also: None,
                };
                let wanted = Maps { element: ElementKind::Vertex, ..maps }.of_element(&wanted)?;
                let found = self.search(maps, |graph| Search::for_vertices(&wanted, graph))?;
                match found {
                    None => Ok(None),
                    Some(found) => found.vertices.first().map_or_else(missing, |v| Ok(Some(*v))),
                }
            }
            Some(other) => {
                let found = maps.change.excerpt_of(&other);
                error(format!("Vertex could not be resolved from mergeE: {found}"))
            }
        }
    }

    /// What is there of what is wanted; `None` if the search goes on.
    fn find(&mut self, plan: &Plan, maps: Maps<'_>) -> Result<Option<Vec<Value>>, QueryError> {
        let wanted = std::mem::take(&mut self.wanted);
        let found = match plan.element {
            ElementKind::Vertex => self.search(maps, |graph| Search::for_vertices(&wanted, graph))?,
            // At a vertex that is not there is no edge.
            ElementKind::Edge if self.ends.contains(&Some(None)) => Some(Search::default()),
            ElementKind::Edge => {
                let ends = self.ends.map(Option::flatten);
                self.search(maps, |graph| Search::for_edges(&wanted, ends, graph))?
            }
        };
        self.wanted = wanted;
        Ok(found.map(|found| {
            let vertices = found.vertices.into_iter().map(Value::VertexRef);
            vertices.chain(found.edges.into_iter().map(Value::EdgeRef)).collect()
        }))
    }

    /// Goes on with a search, or begins it; what was found, once it has ended.
    fn search(
        &mut self,
        maps: Maps<'_>,
        begin: impl FnOnce(&crate::operators::view::Graph<'_>) -> Search,
    ) -> Result<Option<Search>, QueryError> {
        let cx = maps.change.cx;
        let view = View::at(&self.viewpoint, cx);
        let graph = view.graph();
        let mut search = self.search.take().unwrap_or_else(|| begin(&graph));
        let mut ended = search.go(&graph);
        while !ended && !cx.quota.is_spent() {
            ended = search.go(&graph);
        }
        if ended {
            return Ok(Some(search));
        }
        self.search = Some(search);
        Ok(None)
    }
}

/// Whether the map is the same for all traversers.
fn is_given(map: &MergeMap<Operand>) -> bool {
    !matches!(map.entries, MergeEntries::Computed(Operand::Slot(_) | Operand::SideEffect(_)))
}

/// Both maps in one.
fn both(wanted: Given, more: Given, maps: Maps<'_>) -> Result<Given, QueryError> {
    if more.is_empty() {
        return Ok(wanted);
    }
    wanted.with(more).map_err(|key| {
        maps.change.error(format!("option(onCreate) cannot override values from merge() argument: ({key})"))
    })
}

impl Maps<'_> {
    /// The vertex that a map names as an end, if it is there.
    fn vertex(&self, named: &Value) -> Option<VertexRef> {
        let view = View::of(self.change.cx);
        find_vertex(named, &view.graph())
    }

    fn create_vertex(&self, given: Given) -> Result<Value, QueryError> {
        let label = given.label.as_deref().unwrap_or("vertex");
        let v = self.change.transaction.add_vertex(given.id, label)?;
        // What has a cardinality is set when the vertex is there.
        let (plain, with): (Vec<_>, Vec<_>) =
            given.properties.into_iter().partition(|(_, property)| property.cardinality.is_none());
        for (key, Property { value, cardinality }) in plain.into_iter().chain(with) {
            self.change.put_on_vertex(v, (&key, value), cardinality, &[])?;
        }
        Ok(Value::VertexRef(v))
    }

    fn create_edge(&self, given: Given, ends: [Option<Option<VertexRef>>; 2]) -> Result<Value, QueryError> {
        let end = |at: usize, direction: Direction, name: &str| match (ends[at], given.end(direction)) {
            (Some(Some(vertex)), _) => Ok(vertex),
            (_, None) => Err(self
                .change
                .error(format!("{name} Vertex not specified in onCreate - edge cannot be created"))),
            (_, Some(End::Vertex(id))) => {
                let id = self.change.excerpt_of(id);
                Err(self.change.error(format!("Vertex id could not be resolved from mergeE: {id}")))
            }
            (_, Some(End::Option(_))) => Err(self.change.error("Vertex could not be resolved from mergeE")),
        };
        let (src, dst) = (end(0, Direction::Out, "Out")?, end(1, Direction::In, "In")?);
        let label = given.label.as_deref().unwrap_or("edge");
        let e = self.change.transaction.add_edge(given.id.clone(), label, src, dst)?;
        for (key, Property { value, cardinality }) in given.properties {
            self.change.put_on_edge(e, (&key, value), cardinality)?;
        }
        Ok(Value::EdgeRef(e))
    }
}

impl Change<'_> {
    /// Sets properties of an element that a merge has found.
    fn update(
        &self,
        element: &Value,
        properties: &indexmap::IndexMap<values::Str, Property>,
    ) -> Result<(), QueryError> {
        for (key, Property { value, cardinality }) in properties {
            let pair = (&**key, value.clone());
            match element {
                Value::VertexRef(v) => self.put_on_vertex(*v, pair, *cardinality, &[])?,
                Value::EdgeRef(e) => self.put_on_edge(*e, pair, *cardinality)?,
                other => {
                    return Err(self.error(format!("a merge finds elements, not a {}", other.type_name())));
                }
            }
        }
        Ok(())
    }

    /// Sets all that a map says on each element of a batch.
    pub(super) fn update_all(&self, mut batch: Batch, map: &MergeMap<Operand>) -> Result<Batch, QueryError> {
        for row in 0..batch.len {
            let element = batch.current.get(row).unwrap_or_default();
            let is_edge = matches!(element, Value::EdgeRef(_));
            let kind = if is_edge { ElementKind::Edge } else { ElementKind::Vertex };
            let maps = Maps { change: *self, element: kind, batch: &batch, row };
            self.update(&element, &maps.of_update(map)?)?;
        }
        trace(&mut batch, self.cx.op);
        Ok(batch)
    }
}
