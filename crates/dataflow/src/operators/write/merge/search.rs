//! Looking for the elements that a merge means: by id, by an index, along the list of a vertex, or among all.
//!
//! ```text
//! [T.id: 7, …]                          by id
//! [T.label: 'person', name: 'a', …]     an index over the label and one of the keys, or several of them; else the label's vertices
//! [OUT: 1, IN: 2, T.label: 'knows']     the shorter one of the lists between the two
//! ```
//!
//! What is found so is held to all that the map says. Everything that was looked at is noted, also that there was nothing: of two
//! merges that create the same at once, one is run again.

use std::collections::VecDeque;

use graph::{
    Dir, EdgeLabelId, IndexKind, IndexState, KeyId, NameSpace, Place, RangeQuery, ReadUnit, ScanCursor,
    VertexLabelId, for_each_equal_hash, name_hash,
};
use values::{EdgeRef, Value, VertexRef, watch};

use super::super::TICKS;
use super::given::Given;
use crate::operators::element::{edges_by_id, find_edge, find_vertex, is_id, vertices_by_id};
use crate::operators::view::Graph;

/// Finds the number of a label.
type LabelOf<'a> = &'a dyn Fn(&str) -> Option<u16>;

/// Elements looked at in one call.
const LOOKS: usize = 1024;

/// A search under way.
#[derive(Default)]
pub(super) struct Search {
    label: Option<u16>,
    /// The properties that it must have.
    properties: Vec<(KeyId, Value)>,
    /// What is left to be looked through.
    places: VecDeque<Where>,
    /// The ends that an edge must have.
    ends: [Option<VertexRef>; 2],
    /// What was found.
    pub(super) vertices: Vec<VertexRef>,
    pub(super) edges: Vec<EdgeRef>,
}

/// A part of the graph that is looked through.
enum Where {
    Vertices(Option<VertexLabelId>, ScanCursor),
    Edges(Option<EdgeLabelId>, ScanCursor),
    /// A list of a vertex, of which those are wanted that lead to another, if that is known.
    List {
        of: VertexRef,
        dir: Dir,
        label: EdgeLabelId,
        wanted: Option<VertexRef>,
        place: Place,
    },
}

impl Search {
    /// Begins to look for vertices.
    pub(super) fn for_vertices(given: &Given, graph: &Graph<'_>) -> Self {
        let label = |name: &str| graph.reader.snapshot().catalog().vertex_label(name).map(|label| label.0);
        let Some(mut search) = Self::of(given, (NameSpace::VertexLabel, &label), graph) else {
            return Self::default();
        };
        match &given.id {
            Some(id) if is_id(id) => vertices_by_id(id, graph).for_each(|v| search.keep_vertex(v, graph)),
            Some(v) => find_vertex(v, graph).into_iter().for_each(|v| search.keep_vertex(v, graph)),
            None => search.begin_vertices(graph),
        }
        search
    }

    /// Begins to look for edges, whose ends are known as far as something is said of them.
    pub(super) fn for_edges(given: &Given, ends: [Option<VertexRef>; 2], graph: &Graph<'_>) -> Self {
        let label = |name: &str| graph.reader.snapshot().catalog().edge_label(name).map(|label| label.0);
        let Some(mut search) = Self::of(given, (NameSpace::EdgeLabel, &label), graph) else {
            return Self::default();
        };
        search.ends = ends;
        match &given.id {
            Some(id) if is_id(id) => edges_by_id(id, graph).for_each(|e| search.keep_edge(e, graph)),
            Some(e) => find_edge(e, graph).into_iter().for_each(|e| search.keep_edge(e, graph)),
            None => search.begin_edges(graph),
        }
        search
    }

    /// What is wanted; `None`, and noted, if nothing has that label or one of those keys.
    fn of(given: &Given, (space, label): (NameSpace, LabelOf<'_>), graph: &Graph<'_>) -> Option<Self> {
        let in_vain = |space, name: &str| graph.note(|| ReadUnit::Name(space, name_hash(name)));
        let mut search = Self::default();
        if let Some(name) = &given.label {
            search.label = label(name);
            if search.label.is_none() {
                in_vain(space, name);
                return None;
            }
        }
        for (name, property) in &given.properties {
            let Some(key) = graph.reader.snapshot().catalog().key(name) else {
                in_vain(NameSpace::Key, name);
                return None;
            };
            search.properties.push((key, property.value.clone()));
        }
        Some(search)
    }

    fn begin_vertices(&mut self, graph: &Graph<'_>) {
        if let Some(label) = self.label.map(VertexLabelId) {
            return self.begin_label(label, graph);
        }
        // Whatever label it has, and one that nobody knows yet.
        graph.note(|| ReadUnit::AllVertices);
        if self.properties.is_empty() {
            return self.places.push_back(Where::Vertices(None, ScanCursor::default()));
        }
        for (label, _) in graph.reader.snapshot().catalog().vertex_labels() {
            self.begin_label(label, graph);
        }
    }

    /// The vertices of a label: from an index, if one helps, or one by one.
    fn begin_label(&mut self, label: VertexLabelId, graph: &Graph<'_>) {
        let mut found = Vec::new();
        if self.look_up(label, graph, &mut found) || self.look_up_in_order(label, graph, &mut found) {
            return found.into_iter().for_each(|v| self.keep_vertex(v, graph));
        }
        self.places.push_back(Where::Vertices(Some(label), ScanCursor::default()));
    }

    /// Asks an index by equality.
    fn look_up(&self, label: VertexLabelId, graph: &Graph<'_>, found: &mut Vec<VertexRef>) -> bool {
        let catalog = graph.reader.snapshot().catalog();
        let indexed = self.properties.iter().find(|(key, _)| catalog.has_index(label, *key));
        let Some((key, value)) = indexed else { return false };
        for_each_equal_hash(value, |hash| graph.note(|| ReadUnit::IndexKey(label, *key, hash)));
        graph.reader.index_lookup(label, *key, value, found)
    }

    /// Asks the index in order that has most of the keys.
    fn look_up_in_order(&self, label: VertexLabelId, graph: &Graph<'_>, found: &mut Vec<VertexRef>) -> bool {
        let value_of = |key: &KeyId| self.properties.iter().find(|(known, _)| known == key).map(|(_, v)| v);
        let indexes = graph.reader.snapshot().catalog().indexes();
        let in_order = indexes.iter().filter(|index| {
            let definition = &index.definition;
            definition.label == label
                && definition.kind == IndexKind::Range
                && index.state == IndexState::Ready
        });
        let known = in_order.map(|index| {
            let keys = &index.definition.keys;
            (keys, keys.iter().map_while(value_of).cloned().collect::<Vec<Value>>())
        });
        let Some((keys, equal)) =
            known.max_by_key(|(_, equal)| equal.len()).filter(|(_, equal)| !equal.is_empty())
        else {
            return false;
        };
        keys.iter().take(equal.len()).for_each(|key| graph.note(|| ReadUnit::IndexRange(label, *key)));
        let query = RangeQuery { label, keys, equal: &equal, low: None, high: None };
        graph.reader.range_lookup(query, found)
    }

    fn begin_edges(&mut self, graph: &Graph<'_>) {
        let label = self.label.map(EdgeLabelId);
        let [out, into] = self.ends;
        let (Some(one), dir) = out.map_or((into, Dir::In), |out| (Some(out), Dir::Out)) else {
            graph.note(|| label.map_or(ReadUnit::AllEdges, ReadUnit::EdgeLabelMembership));
            return self.places.push_back(Where::Edges(label, ScanCursor::default()));
        };
        let labels = match label {
            Some(label) => vec![label],
            None => {
                graph.note(|| ReadUnit::AnyList(one, dir));
                graph.reader.snapshot().catalog().edge_labels().map(|(label, _)| label).collect()
            }
        };
        for label in labels {
            let (mut of, mut dir, mut wanted) = (one, dir, out.and(into));
            if let Some(other) = wanted
                && graph.reader.list_len(other, label, dir.reverse()) < graph.reader.list_len(of, label, dir)
            {
                (of, dir, wanted) = (other, dir.reverse(), Some(of));
            }
            graph.note_list(of, label, dir);
            let place = graph.reader.whole(of, label, dir);
            self.places.push_back(Where::List { of, dir, label, wanted, place });
        }
    }

    /// Goes on for a while; whether all was looked at.
    pub(super) fn go(&mut self, graph: &Graph<'_>) -> bool {
        let Some(mut place) = self.places.pop_front() else { return true };
        if self.look_through(&mut place, graph) {
            self.places.push_front(place);
        }
        self.places.is_empty()
    }

    /// Looks through some of a part of the graph; whether there is more of it.
    fn look_through(&mut self, place: &mut Where, graph: &Graph<'_>) -> bool {
        match place {
            Where::Vertices(label, cursor) => {
                graph.note(|| label.map_or(ReadUnit::AllVertices, ReadUnit::LabelMembership));
                let mut seen = Vec::new();
                let more = graph.reader.scan_vertices(*label, cursor, LOOKS, &mut seen);
                seen.into_iter().for_each(|v| self.keep_vertex(v, graph));
                more
            }
            Where::Edges(label, cursor) => {
                let mut seen = Vec::new();
                let more = graph.reader.scan_edges(*label, cursor, LOOKS, &mut seen);
                seen.into_iter().for_each(|e| self.keep_edge(e, graph));
                more
            }
            Where::List { of, dir, label, wanted, place } => {
                let run = graph.reader.run(*of, *label, *dir, place);
                let first = place.position - run.first();
                let end = run.neighbours().len().min(first + LOOKS);
                for i in first..end {
                    if wanted.is_none_or(|wanted| run.neighbour(i) == wanted) {
                        self.keep_edge(run.edge(i), graph);
                    }
                }
                place.position = run.first() + end;
                end > first && place.position < run.total()
            }
        }
    }

    fn keep_vertex(&mut self, v: VertexRef, graph: &Graph<'_>) {
        watch::ticks(TICKS);
        graph.note_vertex(v);
        if self.label.is_some_and(|label| graph.reader.label(v).0 != label) {
            return;
        }
        let has = |(key, value): &(KeyId, Value)| {
            graph.note_property(v, Some(*key));
            graph.reader.has_value(v, *key, value)
        };
        if self.properties.iter().all(has) {
            self.vertices.push(v);
        }
    }

    fn keep_edge(&mut self, e: EdgeRef, graph: &Graph<'_>) {
        watch::ticks(TICKS);
        graph.note_edge(e);
        let [out, into] = self.ends;
        if self.label.is_some_and(|label| e.label != label)
            || out.is_some_and(|out| e.src != out)
            || into.is_some_and(|into| e.dst != into)
        {
            return;
        }
        let has = |(key, value): &(KeyId, Value)| {
            graph.note_edge_property(e, Some(*key));
            graph.reader.edge_value_ref(e, *key).is_some_and(|found| found.equals(value))
        };
        if self.properties.iter().all(has) {
            self.edges.push(e);
        }
    }
}
