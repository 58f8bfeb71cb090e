//! One seed's history.

mod group;

use std::collections::BTreeSet;
use std::sync::Arc;

use graph::{
    Dir, Filtered, Graph, GraphError, IndexDescription, IndexKind, List, NodeBounds, ScanCursor, Snapshot,
    VertexRef,
};
use store::{FaultCounts, Outage, SimulatedDisk, Store};

use self::group::{Change, Member};

use crate::naive::orders::{Orders, lie_as_declared, orders, sort_by};
use crate::naive::steps::{EDGES, KEYS, LABELS, rare, write, write_rare};
use crate::naive::types::{Declaration, RANK};
use crate::naive::{Naive, Random};
use crate::quiet::{Failure, quietly};
use crate::settings::Settings;

/// Operations of a history.
pub const OPERATIONS: usize = 1_000;

/// Snapshots that are kept at most, to be read later.
const OLD_SNAPSHOTS: usize = 3;

/// What came of some histories.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Restarts after which an acknowledged write was not there.
    pub lost: u64,
    /// Answers that were neither the model's nor an error.
    pub wrong: u64,
    pub acknowledged: u64,
    /// Times that several transactions were committed at once.
    pub groups: u64,
    pub restarts: u64,
    /// Sections that left memory while the graph was open.
    pub evictions: u64,
    /// Lists that went back from an edge-tree into their section.
    pub packed_again: u64,
    /// Range indexes that were declared, each time it is.
    pub range_indexes: u64,
    /// Types that were declared, or declared otherwise.
    pub declarations: u64,
    /// New names that are known in the end.
    pub rare_names: u64,
    /// Times that the size of nodes was declared, or declared otherwise.
    pub declared_nodes: u64,
    /// Sort keys that were declared, changed or dropped.
    pub sort_keys: u64,
    /// Times that all lists were found to lie by the sort keys of their labels, when some had not.
    pub sorted: u64,
    /// Secondary edge-trees, counted each time that some were thought about.
    pub secondary_trees: u64,
    /// Reads that ended in an error, as they should when the disk fails.
    pub refused_reads: u64,
    pub faults: FaultCounts,
    pub failed_seeds: Vec<u64>,
    /// Of the disk at the end: tells whether two histories are the same.
    pub digest: u64,
}

impl Report {
    pub fn add(&mut self, other: &Self) {
        self.lost += other.lost;
        self.wrong += other.wrong;
        self.acknowledged += other.acknowledged;
        self.groups += other.groups;
        self.restarts += other.restarts;
        self.refused_reads += other.refused_reads;
        self.evictions += other.evictions;
        self.packed_again += other.packed_again;
        self.secondary_trees += other.secondary_trees;
        self.range_indexes += other.range_indexes;
        self.declarations += other.declarations;
        self.rare_names += other.rare_names;
        self.declared_nodes += other.declared_nodes;
        self.sort_keys += other.sort_keys;
        self.sorted += other.sorted;
        self.failed_seeds.extend(&other.failed_seeds);
        self.failed_seeds.sort_unstable();
        let (sum, more) = (&mut self.faults, &other.faults);
        sum.refused += more.refused;
        sum.unacknowledged += more.unacknowledged;
        sum.failed_syncs += more.failed_syncs;
        sum.full += more.full;
        sum.power_cuts += more.power_cuts;
        sum.failed_reads += more.failed_reads;
        sum.damaged_reads += more.damaged_reads;
    }
}

/// What the graph may be after a restart instead of what was acknowledged.
struct Doubt {
    model: Naive,
    /// Edges of a bulk load, whose sequence numbers only the graph knows.
    loaded: Vec<(VertexRef, VertexRef)>,
}

/// How an answer compares with the model's.
enum Answer {
    Same,
    /// It is an error, and so says nothing.
    Refused,
    Different(Failure),
}

pub struct Run {
    seed: u64,
    random: Random,
    settings: Settings,
    disk: SimulatedDisk,
    /// None while the disk does not let it be opened.
    graph: Option<Graph>,
    /// What was acknowledged.
    model: Naive,
    /// What the graph may be instead after a restart: writes failed, and one may have reached the disk all the same.
    doubts: Vec<Doubt>,
    /// The graph said that it accepts no more writes.
    stopped: bool,
    indexes: BTreeSet<IndexDescription>,
    /// Snapshots, what they are to find, and in which order they found it first.
    old: Vec<(Snapshot, Naive, Orders)>,
    operations: usize,
    report: Report,
    /// Whether to tell what is done.
    told: bool,
}

impl Run {
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed + 1);
        let settings = Settings::draw(&mut random);
        Self {
            seed,
            random,
            disk: SimulatedDisk::new(seed, settings.faults),
            settings,
            graph: None,
            model: Naive::default(),
            doubts: Vec::new(),
            stopped: false,
            indexes: BTreeSet::new(),
            old: Vec::new(),
            operations: 0,
            report: Report::default(),
            told: std::env::var_os("MANGROVE_SIM_TRACE").is_some(),
        }
    }

    fn tell(&self, what: impl FnOnce() -> String) {
        if self.told {
            eprintln!("{:4} {} {:?}", self.operations, what(), self.disk.counts());
        }
    }

    /// The whole history; it ends early at the first thing that is lost or wrong.
    pub fn run(mut self) -> Report {
        self.open();
        self.declare_sort_keys();
        while self.operations < OPERATIONS && self.sound() {
            self.turn();
        }
        if self.sound() {
            self.restart();
        }
        if self.sound() {
            self.check_all();
        }
        self.report.rare_names = self.model.names.len() as u64;
        (self.report.faults, self.report.digest) = (self.disk.counts(), self.disk.digest());
        if !self.sound() {
            self.report.failed_seeds.push(self.seed);
        }
        self.report
    }

    /// Holds what is stored in the end to every invariant of a graph, not only to what was ever asked.
    fn check_all(&mut self) {
        self.old.clear();
        self.disk.allow_faults(false);
        let flushed = self.random.below(2) == 0 && self.graph().flush().is_ok();
        self.graph = None;
        self.disk.stop(Outage::Process);
        let store: Arc<dyn Store> = Arc::new(self.disk.mount(self.settings.limits));
        match graph::check(&store, &mut |_| {}) {
            Ok(findings) if findings.is_empty() => {}
            Ok(findings) => self.wrong(format!("the check finds, flushed {flushed}: {}", findings[0])),
            Err(error) => self.wrong(format!("the check fails: {error}")),
        }
    }

    fn sound(&self) -> bool {
        (self.report.lost, self.report.wrong) == (0, 0)
    }

    fn turn(&mut self) {
        self.operations += 1;
        match self.random.below(100) {
            0..=2 => self.bulk_load(),
            3..=8 => {
                let graph = self.graph();
                let flushed = graph.flush();
                self.tell(|| format!("flush {flushed:?}"));
            }
            9..=11 => self.create_index(),
            12..=17 => {
                let snapshot = self.graph().snapshot();
                self.disk.allow_faults(false);
                let found = orders(&self.model, &snapshot);
                self.disk.allow_faults(true);
                self.old.push((snapshot, self.model.clone(), found));
                if self.old.len() > OLD_SNAPSHOTS {
                    self.old.remove(0);
                }
            }
            18..=25 if !self.old.is_empty() => {
                let (snapshot, expected, found) = self.old.swap_remove(self.random.below(self.old.len()));
                let answer = self.compare(&expected, &snapshot, "at an old snapshot");
                self.note(answer);
                let again =
                    || assert_eq!(orders(&expected, &snapshot), found, "in another order than before");
                self.note(answer_of(&snapshot, quietly(again)));
            }
            26 | 27 => {
                let (model, snapshot) = (self.model.clone(), self.graph().snapshot());
                let answer = self.compare(&model, &snapshot, "all of it");
                self.note(answer);
            }
            28 => drop(self.disk.free_space()),
            29..=36 => self.adapt(),
            37 => self.declare_nodes(),
            38..=41 => self.declare(),
            42 | 43 if self.settings.sorted => self.change_sort_key(),
            44..=46 if self.settings.sorted => self.sort_lists(),
            _ => self.transaction(),
        }
        if self.sound() {
            self.look();
        }
        if self.sound() && self.random.below(100) < self.settings.restarts {
            self.restart();
        }
    }

    fn graph(&self) -> Graph {
        self.graph.clone().expect("the graph is open between turns")
    }

    /// A transaction of a few random writes, and its end.
    fn transaction(&mut self) {
        let graph = self.graph();
        let transaction = graph.begin();
        let mut tentative = self.model.clone();
        for _ in 0..self.random.below(12) {
            self.operations += 1;
            let shape = self.settings.shape;
            let is_rare = self.random.below(6) == 0;
            let outcome = quietly(|| match is_rare {
                true => write_rare(&transaction, &mut tentative, &mut self.random),
                false => write(&transaction, &mut tentative, &mut self.random, shape),
            });
            match outcome {
                Ok(Ok(())) => {}
                // A write that fails has written nothing; what was read must have failed.
                Ok(Err(GraphError::Store(_) | GraphError::Corrupt { .. })) => self.report.refused_reads += 1,
                Ok(Err(error)) => return self.wrong(format!("a write was refused with: {error}")),
                // An answer on the way was wrong, which is as it may be if the disk did not give it.
                Err(failure) if failure.of_the_model && transaction.snapshot().check().is_err() => return,
                Err(failure) => return self.wrong(failure.text),
            }
        }
        if self.random.below(10) == 0 {
            self.operations += 1;
            transaction.rollback();
            return;
        }
        let mut members = vec![Member { transaction, change: Change::To(tentative) }];
        if self.random.below(4) == 0 {
            members.extend(self.followers(&graph));
        }
        if self.sound() {
            self.commit_together(members);
        }
    }

    fn acknowledge(&mut self, model: Naive) {
        if self.stopped {
            return self.wrong("a write succeeded after the graph had said that none would".into());
        }
        self.model = model;
        self.doubts.clear();
        self.report.acknowledged += 1;
    }

    /// A write failed. Only a full disk promises that nothing of it is there; after any other failure it may turn up
    /// after a restart, unless the graph had given up writing before.
    fn refused(&mut self, error: &GraphError, tentative: Doubt) {
        match error {
            GraphError::Store(cause) if matches!(**cause, store::StoreError::DiskFull { .. }) => {}
            _ if self.stopped => {}
            GraphError::Store(_) | GraphError::LogFailed(_) | GraphError::Corrupt { .. } => {
                self.stopped |= matches!(error, GraphError::LogFailed(_));
                self.doubts.push(tentative);
            }
            error => self.wrong(format!("refused with: {error}")),
        }
    }

    /// Creates an index by hash, or a range index over one or two keys.
    fn create_index(&mut self) {
        let mut pick = |names: &[&str]| names[self.random.below(names.len())].to_owned();
        let (label, mut keys) = (pick(&LABELS), vec![pick(&KEYS)]);
        let kind = [IndexKind::Equality, IndexKind::Range][self.random.below(2)];
        if kind == IndexKind::Range && self.random.below(2) == 0 {
            keys.push(KEYS[self.random.below(KEYS.len())].to_owned());
        }
        if keys.len() == 2 && keys[0] == keys[1] {
            keys.pop();
        }
        let index = IndexDescription { label, keys, kind };
        let created = self.graph().declare_index(&index);
        // Only one thread at a time uses the disk, or a seed would not be a history.
        self.graph().await_indexes();
        self.tell(|| format!("{index:?} {created:?}"));
        if created.is_ok() {
            self.report.range_indexes += u64::from(index.kind == IndexKind::Range);
            self.indexes.insert(index);
        }
    }

    /// Declares a type, as which what is there is read from then on, at older snapshots, too.
    fn declare(&mut self) {
        let declaration = Declaration::draw(&mut self.random);
        let declared = declaration.declare(&self.graph());
        self.tell(|| format!("{declaration:?} {declared:?}"));
        let (mut tentative, is_admitted) = (self.model.clone(), self.model.admits(&declaration));
        tentative.retype(&declaration);
        match declared {
            Ok(_) if !is_admitted => self.wrong(format!("{declaration:?} was accepted")),
            Ok(_) if tentative.types == self.model.types => {}
            Ok(_) => {
                self.acknowledge(tentative);
                self.report.declarations += 1;
                self.old.iter_mut().for_each(|(_, model, _)| model.retype(&declaration));
            }
            Err(GraphError::Schema(_)) if !is_admitted => {}
            Err(error) => self.refused(&error, Doubt { model: tentative, loaded: Vec::new() }),
        }
    }

    /// Declares how large the nodes of a label's trees get, or no longer does. No answer depends on it.
    fn declare_nodes(&mut self) {
        let (graph, label) = (self.graph(), EDGES[self.random.below(EDGES.len())]);
        let nodes = [None, Some(NodeBounds { min: 2, max: 16 }), Some(NodeBounds::up_to(20))];
        let nodes = nodes[self.random.below(nodes.len())];
        if graph.schema().edges.get(label).and_then(|declared| declared.nodes) == nodes {
            return;
        }
        let declared = graph.change_schema(|schema| {
            schema.edges.entry(label.into()).or_default().nodes = nodes;
            Ok(())
        });
        self.tell(|| format!("{label} {nodes:?} {declared:?}"));
        match declared {
            Ok(_) => {
                self.acknowledge(self.model.clone());
                self.report.declared_nodes += 1;
            }
            Err(error) => self.refused(&error, Doubt { model: self.model.clone(), loaded: Vec::new() }),
        }
    }

    /// Declares another sort key, or none. Each list says how it lies; what it has does not depend on it.
    fn change_sort_key(&mut self) {
        let (graph, label) = (self.graph(), EDGES[self.random.below(EDGES.len())]);
        let key = [None, Some(KEYS[1]), Some(KEYS[2]), Some(RANK)][self.random.below(4)];
        let was = graph.schema().edges.get(label).and_then(|declared| declared.sort_key.clone());
        if was.as_deref() == key {
            return;
        }
        let declared = sort_by(&graph, label, key);
        self.tell(|| format!("{label} by {key:?} {declared:?}"));
        match declared {
            Ok(_) => {
                self.acknowledge(self.model.clone());
                self.report.sort_keys += 1;
            }
            Err(error) => self.refused(&error, Doubt { model: self.model.clone(), loaded: Vec::new() }),
        }
    }

    /// Sorts what does not lie by its sort key yet, as far as the disk and old snapshots let it.
    fn sort_lists(&mut self) {
        let graph = self.graph();
        if graph.sorting().is_empty() {
            return;
        }
        if self.random.below(2) == 0 {
            self.old.clear();
        }
        let sorted = graph.sort_lists();
        self.tell(|| format!("sort {sorted:?}: {:?}", graph.sorting()));
        if matches!(sorted, Ok(true)) {
            self.report.sorted += 1;
            self.disk.allow_faults(false);
            let as_declared = lie_as_declared(&self.model, &graph.snapshot());
            self.disk.allow_faults(true);
            if !as_declared {
                self.wrong("lists lie otherwise than they were sorted".into());
            }
        }
    }

    /// Whether the types are declared that the model has.
    fn has_types_of(model: &Naive, snapshot: &Snapshot) -> bool {
        let catalog = snapshot.catalog();
        let (schema, rank) = (catalog.schema(), catalog.key(RANK));
        let vertex = |label| schema.vertex(catalog.vertex_label(label)?)?.keys.get(&rank?)?.value_type;
        let edge = |label| schema.edge(catalog.edge_label(label)?)?.keys.get(&rank?)?.value_type;
        LABELS.iter().all(|label| vertex(label) == model.types.get(*label).copied())
            && EDGES.iter().all(|label| edge(label) == model.types.get(*label).copied())
    }

    /// Tells that a long list was read for a few edges, or none, and lets the graph build and drop secondary edge-trees.
    fn adapt(&mut self) {
        let graph = self.graph();
        {
            let snapshot = graph.snapshot();
            let (reader, catalog) = (snapshot.reader(), snapshot.catalog());
            let labels: Vec<_> = catalog.edge_labels().map(|(label, _)| label).collect();
            let hubs = self.model.vertices.keys().take(2).map(|&v| VertexRef(v));
            let lists = hubs.flat_map(|hub| labels.iter().map(move |label| (hub, *label)));
            let lists: Vec<List<'_>> = lists
                .flat_map(|(hub, label)| [Dir::Out, Dir::In].map(|dir| reader.list(hub, label, dir)))
                .filter(|list| list.has_tree())
                .collect();
            let key = catalog.key(KEYS[self.random.below(KEYS.len())]);
            if let (Some(key), false) = (key, lists.is_empty()) {
                let list = lists[self.random.below(lists.len())];
                // Whole lists, until there are enough of them for their number to say something.
                (0..40).map(|_| list.runs().count()).for_each(drop);
                let read = Filtered { looked_at: 1_000_000, passed: 1, first: true };
                list.note_filtered(key, read);
            }
        }
        let adapted = graph.adapt_secondary_trees();
        self.report.secondary_trees += graph.secondary_trees().len() as u64;
        self.tell(|| format!("adapt {adapted:?}: {:?}", graph.secondary_trees()));
    }

    /// A bulk load of a small network, if the graph is empty.
    fn bulk_load(&mut self) {
        if !self.model.vertices.is_empty() {
            return;
        }
        // They would see the load, too.
        self.old.clear();
        let graph = self.graph();
        let (types, names) = (self.model.types.clone(), self.model.names.clone());
        let empty = Naive { types, names, ..Naive::default() };
        let mut load = Doubt { model: empty, loaded: Vec::new() };
        match self.load(&graph, &mut load) {
            Ok(()) => {
                self.disk.allow_faults(false);
                load.learn_edges(&graph.snapshot());
                self.disk.allow_faults(true);
                self.acknowledge(load.model);
            }
            Err(GraphError::NotEmpty { .. }) => self.wrong("an empty graph is not empty".into()),
            Err(error) => {
                self.tell(|| format!("bulk load {error}"));
                self.refused(&error, load);
            }
        }
    }

    fn load(&mut self, graph: &Graph, load: &mut Doubt) -> Result<(), GraphError> {
        let mut bulk = graph.bulk_load()?;
        let mut everybody = Vec::new();
        let rare = rare(&self.model, &mut self.random);
        load.model.names.insert(rare);
        for label in LABELS.into_iter().chain([rare]) {
            let refs = bulk.vertices_without_columns(label, 1 + self.random.below(10))?;
            refs.iter().for_each(|&v| load.model.add_vertex(v, label, None));
            everybody.extend(refs);
        }
        let end = |random: &mut Random| everybody[random.below(everybody.len())];
        load.loaded =
            (0..self.random.below(40)).map(|_| (end(&mut self.random), end(&mut self.random))).collect();
        let (src, dst): (Vec<VertexRef>, Vec<VertexRef>) = load.loaded.iter().copied().unzip();
        bulk.edges(EDGES[0], &src, &dst, None, Vec::new())?;
        self.operations += 1;
        bulk.finish(&|_| {}).map(drop)
    }

    /// Looks at a part of the graph.
    fn look(&mut self) {
        let snapshot = self.graph().snapshot();
        let (model, seed) = (&self.model, self.seed);
        let random = &mut self.random;
        let outcome = quietly(|| model.check_some(&snapshot, random, seed, "at a glance"));
        let answer = answer_of(&snapshot, outcome);
        self.note(answer);
    }

    fn compare(&self, model: &Naive, snapshot: &Snapshot, when: &str) -> Answer {
        answer_of(snapshot, quietly(|| model.check(snapshot, self.seed, when)))
    }

    fn note(&mut self, answer: Answer) {
        match answer {
            Answer::Same => {}
            Answer::Refused => self.report.refused_reads += 1,
            Answer::Different(failure) => self.wrong(failure.text),
        }
    }

    fn wrong(&mut self, what: String) {
        eprintln!("MANGROVE_SIM_SEED={}, operation {}: {what}", self.seed, self.operations);
        self.report.wrong += 1;
    }

    /// Ends the process in one way or another, and opens the graph again.
    fn restart(&mut self) {
        self.operations += 1;
        self.report.restarts += 1;
        self.old.clear();
        let outage = match self.random.below(3) {
            0 => {
                let _ = self.graph().store().close();
                Outage::Process
            }
            1 => Outage::Process,
            _ => Outage::Power,
        };
        let stats = self.graph().stats();
        self.report.evictions += stats.evictions;
        self.report.packed_again += stats.lists_packed_again;
        self.graph = None;
        self.disk.stop(outage);
        self.tell(|| format!("{outage:?}"));
        self.open();
        if self.graph.is_some() {
            self.recognise();
        }
    }

    /// Lets the lists of some labels be ordered by a property, which random writes also change.
    fn declare_sort_keys(&mut self) {
        if !self.settings.sorted {
            return;
        }
        self.disk.allow_faults(false);
        let declared = self.graph().change_schema(|schema| {
            schema.edges.entry(EDGES[0].into()).or_default().sort_key = Some(KEYS[1].into());
            schema.edges.entry(EDGES[1].into()).or_default().sort_key = Some(RANK.into());
            schema.edges.entry(EDGES[2].into()).or_default().sort_key = Some(KEYS[2].into());
            Ok(())
        });
        self.disk.allow_faults(true);
        if let Err(error) = declared {
            self.wrong(format!("the sort keys were refused: {error}"));
        }
    }

    /// Opens the graph, as often as the disk makes it necessary.
    fn open(&mut self) {
        for attempt in 0.. {
            self.disk.allow_faults(attempt < 4);
            let before = self.disk.counts();
            let store: Arc<dyn Store> = Arc::new(self.disk.mount(self.settings.limits));
            let opened = Graph::open(store, self.settings.graph.clone());
            self.tell(|| format!("open {:?}", opened.as_ref().err()));
            match opened {
                Ok(graph) => {
                    graph.await_indexes();
                    let unbuilt = graph.index_status().iter().any(|status| status.failure.is_some());
                    let stopped = graph.flush().is_err() || unbuilt;
                    if stopped && injected(&before) != injected(&self.disk.counts()) {
                        // Building the indexes that were begun, it met with something.
                        drop(graph);
                        self.disk.stop(Outage::Power);
                        continue;
                    }
                    self.disk.allow_faults(true);
                    self.graph = Some(graph);
                    return;
                }
                Err(error) if injected(&before) == injected(&self.disk.counts()) => {
                    return self.lost(format!("the graph does not open: {error}"));
                }
                Err(_) => self.disk.stop(Outage::Process),
            }
        }
    }

    /// Finds out which of the states that are possible the graph is in.
    fn recognise(&mut self) {
        for attempt in 0.. {
            self.disk.allow_faults(attempt < 3);
            match self.recognise_once() {
                Answer::Same => break,
                Answer::Refused if attempt > 5 => {
                    // The disk is well: what is not there now never will be.
                    let snapshot = self.graph().snapshot();
                    let _ = self.compare(&self.model, &snapshot, "after a restart");
                    return self.lost(format!("it cannot be read: {:?}", snapshot.check().err()));
                }
                Answer::Refused => self.report.refused_reads += 1,
                Answer::Different(failure) => return self.lost(failure.text),
            }
        }
        self.disk.allow_faults(true);
        self.doubts.clear();
        self.stopped = false;
        let known = self.graph().schema().indexes;
        if let Some(gone) = self.indexes.iter().find(|index| !known.contains(index)) {
            self.lost(format!("the index {gone:?} is gone"));
        }
    }

    fn recognise_once(&mut self) -> Answer {
        let snapshot = self.graph().snapshot();
        let mut texts = match self.compare(&self.model, &snapshot, "after a restart") {
            Answer::Different(failure) => failure.text,
            Answer::Same if !Self::has_types_of(&self.model, &snapshot) => "other types are declared".into(),
            answer => return answer,
        };
        let mut doubts = std::mem::take(&mut self.doubts);
        for doubt in &mut doubts {
            doubt.learn_edges(&snapshot);
            match self.compare(&doubt.model, &snapshot, "after a restart, with what was refused") {
                Answer::Same if Self::has_types_of(&doubt.model, &snapshot) => {
                    self.model = std::mem::take(&mut doubt.model);
                    return Answer::Same;
                }
                Answer::Refused => {
                    self.doubts = doubts;
                    return Answer::Refused;
                }
                Answer::Different(failure) => texts = format!("{texts}\nand {}", failure.text),
                Answer::Same => texts = format!("{texts}\nand other types are declared"),
            }
        }
        Answer::Different(Failure { text: texts, of_the_model: true })
    }

    fn lost(&mut self, what: String) {
        eprintln!("MANGROVE_SIM_SEED={}, operation {}: lost: {what}", self.seed, self.operations);
        self.report.lost += 1;
    }
}

impl Doubt {
    /// Takes the loaded edges into the model, under the sequence numbers that they have in the graph: the input's order
    /// within each tablet. Edges that are not as they were loaded are left out, and so make a difference.
    fn learn_edges(&mut self, snapshot: &Snapshot) {
        if self.loaded.is_empty() {
            return;
        }
        let (mut cursor, mut found) = (ScanCursor::default(), Vec::new());
        while snapshot.reader().scan_edges(None, &mut cursor, 100, &mut found) {}
        found.sort_by_key(|e| e.seq);
        self.model.edges.clear();
        let mut taken = vec![0; 64];
        for &(src, dst) in &self.loaded {
            let tablet = src.tablet();
            let place = &mut taken[tablet as usize];
            let e = found.iter().filter(|e| e.src.tablet() == tablet).nth(*place);
            *place += 1;
            if let Some(e) = e.filter(|e| (e.src, e.dst) == (src, dst)) {
                self.model.add_edge(*e, EDGES[0], None);
            }
        }
    }
}

/// What a comparison says about an answer. A panic of the graph is wrong whatever the disk did.
fn answer_of(snapshot: &Snapshot, outcome: Result<(), Failure>) -> Answer {
    match (outcome, snapshot.check()) {
        (Err(failure), Err(_)) if !failure.of_the_model => Answer::Different(failure),
        (_, Err(_)) => Answer::Refused,
        (Ok(()), Ok(())) => Answer::Same,
        (Err(failure), Ok(())) => Answer::Different(failure),
    }
}

/// The faults that can make a graph refuse to open.
fn injected(counts: &FaultCounts) -> FaultCounts {
    FaultCounts { writes: 0, reads: 0, ..*counts }
}
