//! Every element of an open graph, against everything else that speaks of it.

use values::{EdgeRef, Value, VertexRef, excerpt};
use xxhash_rust::xxh3::xxh3_64;

use super::{CheckProgress, Findings, indexes};
use crate::define::check_existing;
use crate::model::{Dir, EdgeLabelId, KeyId, Schema, ValueRef};
use crate::read::{List, Reader, Run, Snapshot};
use crate::sections::{TreeName, VERTEX_IDS, order_values};

/// Vertices per batch.
const BATCH: usize = 1_024;

/// Checks the newest state of a graph that nobody writes to.
pub(super) fn check(snapshot: &Snapshot, findings: &mut Findings, progress: &mut dyn FnMut(CheckProgress)) {
    let mut contents = Contents::new(snapshot, findings);
    contents.run(progress);
    let catalog = snapshot.catalog();
    if let Err(error) = check_existing(snapshot, catalog, &Schema::default(), catalog.schema()) {
        findings.add("the schema", error);
    }
    if let Err(error) = snapshot.check() {
        findings.add("the graph", error);
    }
}

struct Contents<'a> {
    snapshot: &'a Snapshot,
    findings: &'a mut Findings,
    keys: Vec<KeyId>,
    /// By tablet: the sequence number that the next edge gets.
    next_seqs: Vec<u32>,
    vertices: Vec<u64>,
    /// By edge label: the edges that the lists one way hold, and a sum over them that does not depend on their order.
    edges: [Vec<(u64, u64)>; 2],
}

impl<'a> Contents<'a> {
    fn new(snapshot: &'a Snapshot, findings: &'a mut Findings) -> Self {
        let catalog = snapshot.catalog();
        let edges = vec![(0, 0); catalog.edge_label_bound()];
        Self {
            snapshot,
            findings,
            keys: catalog.keys().map(|(key, _)| key).collect(),
            next_seqs: snapshot.memory().allocator.seqs(),
            vertices: vec![0; catalog.vertex_label_bound()],
            edges: [edges.clone(), edges],
        }
    }

    fn run(&mut self, progress: &mut dyn FnMut(CheckProgress)) {
        let total = self.snapshot.vertex_count(None);
        self.for_each_vertex(|contents, reader, v| {
            contents.vertex(reader, v);
            let done: u64 = contents.vertices.iter().sum();
            if done.is_multiple_of(BATCH as u64) {
                progress(CheckProgress::Contents { done, total: total.max(done) });
            }
        });
        self.trees_of_empty_lists();
        self.compare_counts();
        if self.edges[0] != self.edges[1] {
            self.for_each_vertex(Self::name_unmatched);
        }
    }

    /// Visits every vertex that is there, and looks that the others have no edges, and that none is where none was given out.
    fn for_each_vertex(&mut self, mut visit: impl FnMut(&mut Self, &Reader<'_>, VertexRef)) {
        let stripes = self.snapshot.memory().blocks.iter();
        let runs: Vec<(u32, u32)> =
            stripes.map(|(number, stripe)| ((number as u32) << 16, stripe.allocated())).collect();
        for (first, allocated) in runs {
            for from in (0..allocated).step_by(BATCH) {
                let reader = self.snapshot.reader();
                for n in from..from + BATCH as u32 {
                    let v = VertexRef(first + n);
                    match reader.exists(v) {
                        true if n < allocated => visit(self, &reader, v),
                        true => self.findings.add(place(v), "its reference is to be given out again"),
                        false => self.nobody(&reader, v),
                    }
                }
            }
        }
    }

    /// A reference that no vertex has.
    fn nobody(&mut self, reader: &Reader<'_>, v: VertexRef) {
        for dir in [Dir::Out, Dir::In] {
            reader.for_each_label(v, dir, |_, list| {
                let problem = format!("there is no such vertex, and it has {} edges", list.len());
                self.findings.add(list_place(list.name()), problem);
            });
        }
    }

    fn vertex(&mut self, reader: &Reader<'_>, v: VertexRef) {
        let label = reader.label(v);
        match self.vertices.get_mut(label.index()) {
            Some(count) => *count += 1,
            None => return self.findings.add(place(v), format!("its label {} has no name", label.0)),
        }
        if let Some(id) = reader.user_id(v) {
            self.vertex_id(reader, v, &id.to_value());
        }
        indexes::check_vertex(reader, v, self.findings);
        for dir in [Dir::Out, Dir::In] {
            reader.for_each_label(v, dir, |_, list| {
                let mut listed = 0;
                for run in list.runs() {
                    listed += run.neighbours().len();
                    self.run_of(reader, v, &run);
                }
                if listed != list.len() {
                    let problem = format!("it has {listed} edges, and its degree is {}", list.len());
                    self.findings.add(list_place(list.name()), problem);
                }
                if list.sort_key().is_some_and(|key| !is_in_order(list, key)) {
                    self.findings.add(list_place(list.name()), "it is not in the order of its sort key");
                }
                self.tree(reader, list.name());
                self.secondary_trees(list);
            });
        }
    }

    fn tree(&mut self, reader: &Reader<'_>, name: TreeName) {
        if let Some(problem) = reader.tree_problem(name) {
            self.findings.add(list_place(name), problem);
        }
    }

    /// Looks at the secondary edge-trees of lists that no vertex is visited for.
    fn trees_of_empty_lists(&mut self) {
        for name in self.snapshot.memory().secondaries.live() {
            let reader = self.snapshot.reader();
            let list = reader.list(name.v, name.label, name.dir);
            if list.is_empty() {
                self.secondary_trees(list);
            }
        }
    }

    /// Compares the secondary edge-trees of a list with it: each must have the same edges, in its order.
    fn secondary_trees(&mut self, list: List<'_>) {
        let keys = list.secondary_keys();
        if keys.is_empty() {
            return;
        }
        let whole = self.sum_of(list);
        for key in keys {
            let tree = list.in_tree(Some(key));
            self.tree(&self.snapshot.reader(), tree.name());
            let name = self.snapshot.catalog().key_name(key);
            if self.sum_of(tree) != whole {
                let problem = format!("its secondary edge-tree by {name} has other edges");
                self.findings.add(list_place(list.name()), problem);
            }
            if !is_in_order(tree, key) {
                let problem = format!("its secondary edge-tree by {name} is not in order");
                self.findings.add(list_place(list.name()), problem);
            }
        }
    }

    /// The number of a list's edges, and a sum over them that does not depend on their order.
    fn sum_of(&self, list: List<'_>) -> (usize, u64) {
        list.runs().fold((0, 0), |(count, sum), run| {
            let edges = run.neighbours().len();
            (count + edges, (0..edges).fold(sum, |sum: u64, i| sum.wrapping_add(self.digest(&run, i))))
        })
    }

    fn vertex_id(&mut self, reader: &Reader<'_>, v: VertexRef, id: &Value) {
        let problem = match indexes::has_hash(reader, VERTEX_IDS, id, v) {
            Ok(true) if reader.vertex_by_id(id) == Some(v) => return,
            Ok(true) => format!("its id {} leads to another vertex", excerpt(id)),
            Ok(false) => format!("the index of ids does not have its id {}", excerpt(id)),
            Err(error) => return self.findings.add("the index of ids", error),
        };
        self.findings.add(place(v), problem);
    }

    fn edge_id(&mut self, reader: &Reader<'_>, e: EdgeRef, id: &Value) {
        let problem = match indexes::has_edge_id(reader, id, e) {
            Ok(true) if reader.edge_by_id(id) == Some(e) => return,
            Ok(true) => format!("the id {} of its edge {} leads to another edge", excerpt(id), e.seq),
            Ok(false) => {
                format!("the index of edge ids does not have the id {} of its edge {}", excerpt(id), e.seq)
            }
            Err(error) => return self.findings.add("the index of edge ids", error),
        };
        self.findings.add(list_place(TreeName::primary(e.src, EdgeLabelId(e.label), Dir::Out)), problem);
    }

    fn run_of(&mut self, reader: &Reader<'_>, v: VertexRef, list: &Run<'_>) {
        let label = list.label();
        for i in 0..list.neighbours().len() {
            let e = list.edge(i);
            if !reader.exists(list.neighbour(i)) {
                let problem =
                    format!("its edge {} leads to vertex {}, which is not there", e.seq, list.neighbour(i).0);
                self.findings.add(list_place(TreeName::primary(v, label, list.dir())), problem);
            }
            if list.dir() == Dir::Out
                && let Some(id) = list.user_id(i)
            {
                self.edge_id(reader, e, &id.to_value());
            }
            if self.next_seqs.get(e.src.tablet() as usize).is_some_and(|next| e.seq >= *next) {
                let problem = format!("its edge {} has a number that is to be given out again", e.seq);
                self.findings.add(list_place(TreeName::primary(v, label, list.dir())), problem);
            }
            let digest = self.digest(list, i);
            let (count, sum) = &mut self.edges[list.dir() as usize][label.index()];
            *count += 1;
            *sum = sum.wrapping_add(digest);
        }
    }

    /// A number for an edge and all its properties, the same at both of its ends.
    fn digest(&self, list: &Run<'_>, i: usize) -> u64 {
        self.digest_of(list.edge(i), |key| list.value_ref(i, key))
    }

    fn digest_of<'v>(&self, e: EdgeRef, value: impl Fn(KeyId) -> Option<ValueRef<'v>>) -> u64 {
        use std::fmt::Write;
        let mut text = format!("{} {} {}", e.src.0, e.dst.0, e.seq);
        for &key in &self.keys {
            if let Some(value) = value(key) {
                let _ = write!(text, " {} {:?}", key.0, value.to_value());
            }
        }
        xxh3_64(text.as_bytes())
    }

    fn compare_counts(&mut self) {
        let catalog = self.snapshot.catalog();
        for (label, name) in catalog.vertex_labels() {
            let (counted, known) = (self.vertices[label.index()], self.snapshot.vertex_count(Some(label)));
            if counted != known {
                let problem = format!("{counted} are there, and {known} are counted");
                self.findings.add(format!("vertices with label {name}"), problem);
            }
        }
        for (label, name) in catalog.edge_labels() {
            let [out, into] = [0, 1].map(|dir: usize| self.edges[dir][label.index()]);
            let known = self.snapshot.edge_count(Some(label));
            if out.0 != known {
                let problem = format!("{} are there, and {known} are counted", out.0);
                self.findings.add(format!("edges with label {name}"), problem);
            }
            if out != into {
                let problem = format!(
                    "the {} in lists of their sources are not the {} in lists of their targets",
                    out.0, into.0
                );
                self.findings.add(format!("edges with label {name}"), problem);
            }
        }
    }

    /// Names the edges of a vertex that are not, or not the same, at their other ends.
    fn name_unmatched(&mut self, reader: &Reader<'_>, v: VertexRef) {
        for dir in [Dir::Out, Dir::In] {
            reader.for_each_label(v, dir, |label, list| {
                let [out, into] = [0, 1].map(|dir: usize| self.edges[dir][label.index()]);
                if out != into {
                    list.runs().for_each(|run| self.name_unmatched_of(reader, v, label, &run));
                }
            });
        }
    }

    fn name_unmatched_of(&mut self, reader: &Reader<'_>, v: VertexRef, label: EdgeLabelId, list: &Run<'_>) {
        for i in 0..list.neighbours().len() {
            let e = list.edge(i);
            let mirror = TreeName::primary(list.neighbour(i), label, list.dir().reverse());
            let there = reader.place_in_list(mirror, (v, e.seq));
            let there = there.map(|place| self.digest_of(e, |key| place.value(key)));
            let problem = match there {
                None => format!("its edge {} is not in the list of vertex {}", e.seq, list.neighbour(i).0),
                Some(digest) if digest != self.digest(list, i) => {
                    format!("its edge {} has other properties at vertex {}", e.seq, list.neighbour(i).0)
                }
                Some(_) => continue,
            };
            self.findings.add(list_place(TreeName::primary(v, label, list.dir())), problem);
        }
    }
}

fn place(v: VertexRef) -> String {
    format!("vertex {}", v.0)
}

fn list_place(TreeName { v, label, dir, .. }: TreeName) -> String {
    format!("list of vertex {} along edge label {} ({dir:?})", v.0, label.0)
}

/// Whether the edges of a list are in the order of their values under `key`.
fn is_in_order(list: List<'_>, key: KeyId) -> bool {
    let mut last: Option<Option<Value>> = None;
    list.runs().all(|run| {
        (0..run.neighbours().len()).all(|i| {
            let value = run.value(i, key);
            let (a, b) = (last.as_ref().map(Option::as_ref), value.as_ref());
            let fits = a.is_none_or(|a| order_values(a.map(ValueRef::of), b.map(ValueRef::of)).is_le());
            last = Some(value);
            fits
        })
    })
}
