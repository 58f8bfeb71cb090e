//! Graph algorithms beside the same by hand over CSR arrays, on one executor and on two.
//!
//! ```text
//! offsets │0│3│3│5│ …     one for each vertex of the graph, and one
//! ends    │1│4│7│0│2│ …   vertices by their numbers: of out-edges, and of in-edges
//! ```

use std::path::Path;
use std::time::Duration;

use mangrove::Database;
use mangrove::graph::{Dir, EdgeLabelId, ScanCursor, Snapshot, Value, VertexRef};
use serde_json::json;

use crate::graph_under_test::{open, run};
use crate::measure::{millis, time};
use crate::parameters::Bindings;
use crate::report::{Report, rounded};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// Sources of shortest paths.
const SOURCES: usize = 10;

/// Runs of each.
const TRIES: usize = 3;

/// Edges of some labels between all vertices.
struct Csr {
    vertices: Vec<VertexRef>,
    /// By the id as a text: what breaks ties, and names components.
    ranks: Vec<u32>,
    out: Lists,
    r#in: Lists,
}

#[derive(Default)]
struct Lists {
    offsets: Vec<u32>,
    ends: Vec<u32>,
}

impl Lists {
    fn of(&self, v: usize) -> &[u32] {
        &self.ends[self.offsets[v] as usize..self.offsets[v + 1] as usize]
    }
}

impl Csr {
    fn extract(snapshot: &Snapshot, labels: &[EdgeLabelId]) -> Self {
        let reader = snapshot.reader();
        let (mut vertices, mut cursor) = (Vec::new(), ScanCursor::default());
        while reader.scan_vertices(None, &mut cursor, 1 << 16, &mut vertices) {}
        vertices.sort_unstable();
        let most = vertices.last().map_or(0, |v| v.0 as usize + 1);
        let mut numbers = vec![0_u32; most];
        vertices.iter().enumerate().for_each(|(n, v)| numbers[v.0 as usize] = n as u32);
        let lists = |dir| {
            let mut lists = Lists { offsets: vec![0], ends: Vec::new() };
            for v in &vertices {
                for label in labels {
                    lists
                        .ends
                        .extend(reader.list(*v, *label, dir).neighbours().map(|to| numbers[to.0 as usize]));
                }
                lists.offsets.push(lists.ends.len() as u32);
            }
            lists
        };
        let (out, r#in) = (lists(Dir::Out), lists(Dir::In));
        let text = |v: &VertexRef| match reader.id(*v) {
            Value::String(id) => id.to_string(),
            id => id.to_string(),
        };
        let texts: Vec<String> = vertices.iter().map(text).collect();
        let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
        order.sort_by_key(|n| &texts[*n as usize]);
        let mut ranks = vec![0; vertices.len()];
        order.iter().enumerate().for_each(|(rank, n)| ranks[*n as usize] = rank as u32);
        Self { vertices, ranks, out, r#in }
    }

    /// The sum of the ranks, which is 1.
    fn page_rank(&self) -> f64 {
        let n = self.vertices.len();
        let (mut ranks, mut given, mut next) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        let mut energy = 1.0;
        for round in 0..21 {
            let share = energy / n as f64;
            let mut change = 0.0;
            energy = 0.0;
            for v in 0..n {
                let mut rank = share;
                if round > 0 {
                    for from in self.r#in.of(v) {
                        rank += given[*from as usize];
                    }
                }
                change += f64::abs(rank - ranks[v]);
                ranks[v] = rank;
                energy += 0.15 * rank;
                match self.out.of(v).len() {
                    0 => energy += 0.85 * rank,
                    degree => next[v] = 0.85 * rank / degree as f64,
                }
            }
            std::mem::swap(&mut given, &mut next);
            if change < 0.000_01 {
                break;
            }
        }
        ranks.iter().sum()
    }

    /// The cluster of each.
    fn peer_pressure(&self) -> Vec<u32> {
        let n = self.vertices.len();
        let mut clusters: Vec<u32> = (0..n as u32).collect();
        let mut next = clusters.clone();
        let mut votes = Vec::new();
        for _ in 0..30 {
            for v in 0..n {
                votes.clear();
                votes.push(clusters[v]);
                votes.extend(self.r#in.of(v).iter().map(|from| clusters[*from as usize]));
                votes.sort_unstable();
                let best = votes
                    .chunk_by(|a, b| a == b)
                    .max_by_key(|one| (one.len(), std::cmp::Reverse(self.ranks[one[0] as usize])));
                next[v] = best.map_or(v as u32, |one| one[0]);
            }
            std::mem::swap(&mut clusters, &mut next);
            if clusters == next {
                break;
            }
        }
        clusters
    }

    /// The component of each.
    fn components(&self) -> Vec<u32> {
        let n = self.vertices.len();
        let mut parents: Vec<u32> = (0..n as u32).collect();
        fn find(parents: &mut [u32], mut v: u32) -> u32 {
            while parents[v as usize] != v {
                let above = parents[parents[v as usize] as usize];
                parents[v as usize] = above;
                v = above;
            }
            v
        }
        for v in 0..n {
            for to in self.out.of(v) {
                let (one, other) = (find(&mut parents, v as u32), find(&mut parents, *to));
                parents[one.max(other) as usize] = one.min(other);
            }
        }
        let mut least: Vec<u32> = self.ranks.clone();
        for v in 0..n {
            let root = find(&mut parents, v as u32) as usize;
            least[root] = least[root].min(self.ranks[v]);
        }
        (0..n as u32).map(|v| least[find(&mut parents, v) as usize]).collect()
    }

    fn both(&self, v: u32) -> impl Iterator<Item = u32> {
        self.out.of(v as usize).iter().chain(self.r#in.of(v as usize)).copied()
    }

    /// The number of shortest paths from a vertex to those at most so far away, or to a target: each is built.
    fn paths(&self, from: u32, target: Option<u32>, most: u32) -> usize {
        let mut distances = vec![u32::MAX; self.vertices.len()];
        let (mut reached, mut next) = (vec![from], 0);
        distances[from as usize] = 0;
        while next < reached.len() && target.is_none_or(|target| distances[target as usize] == u32::MAX) {
            let v = reached[next];
            let distance = distances[v as usize] + 1;
            next += 1;
            if distance > most {
                break;
            }
            for to in self.both(v) {
                if distances[to as usize] == u32::MAX {
                    distances[to as usize] = distance;
                    reached.push(to);
                }
            }
        }
        let mut marked = vec![target.is_none(); self.vertices.len()];
        let mut open: Vec<u32> =
            target.into_iter().filter(|target| distances[*target as usize] < u32::MAX).collect();
        while let Some(v) = open.pop() {
            marked[v as usize] = true;
            for before in self.both(v) {
                let leads = distances[before as usize].checked_add(1) == Some(distances[v as usize]);
                if leads && !std::mem::replace(&mut marked[before as usize], true) {
                    open.push(before);
                }
            }
        }
        let (mut count, mut path) = (0, vec![from]);
        self.walk(&mut path, target, (&distances, &marked), &mut count);
        count
    }

    fn walk(&self, path: &mut Vec<u32>, target: Option<u32>, known: (&[u32], &[bool]), count: &mut usize) {
        let Some(&v) = path.last() else { return };
        if target.is_none_or(|target| target == v) {
            *count += std::hint::black_box(path.clone()).len().min(1);
        }
        let leads = |to: &u32| known.0[*to as usize] == known.0[v as usize] + 1 && known.1[*to as usize];
        let mut next: Vec<u32> = self.both(v).filter(leads).collect();
        next.sort_unstable();
        next.dedup();
        for to in next {
            path.push(to);
            self.walk(path, target, known, count);
            path.pop();
        }
    }
}

/// What came of a loop by hand.
enum Answer {
    /// The sum of what the vertices have.
    Sum(f64),
    /// What each vertex has, of which it is asked how many there are.
    Each(Vec<u32>),
    /// A number.
    Count(usize),
}

impl Answer {
    fn figure(self) -> f64 {
        match self {
            Self::Sum(sum) => sum,
            Self::Each(mut each) => {
                each.sort_unstable();
                each.dedup();
                each.len() as f64
            }
            Self::Count(count) => count as f64,
        }
    }
}

/// What is asked, and what by hand.
struct Question {
    name: String,
    /// What is measured.
    text: String,
    /// What shows that the answer is right.
    check: String,
    by_hand: fn(&Csr, &Ends) -> Answer,
}

/// Where paths begin and end.
struct Ends {
    sources: Vec<u32>,
    target: u32,
    /// The same as Gremlin has their ids.
    source_ids: String,
    target_id: String,
}

impl Ends {
    /// Persons far apart.
    fn of(csr: &Csr, snapshot: &Snapshot) -> Outcome<Self> {
        let person = snapshot.catalog().vertex_label("Person").ok_or("the graph has no persons")?;
        let reader = snapshot.reader();
        let persons =
            (0..csr.vertices.len() as u32).filter(|n| reader.label(csr.vertices[*n as usize]) == person);
        let persons: Vec<u32> = persons.collect();
        let chosen: Vec<u32> = (0..=SOURCES).map(|n| persons[n * (persons.len() - 1) / SOURCES]).collect();
        let id = |n: &u32| match reader.id(csr.vertices[*n as usize]) {
            Value::String(id) => format!("'{id}'"),
            Value::Long(id) => format!("{id}L"),
            id => id.to_string(),
        };
        let ids: Vec<String> = chosen.iter().map(id).collect();
        let (target, sources) = (chosen[SOURCES], chosen[..SOURCES].to_vec());
        Ok(Self { sources, target, source_ids: ids[..SOURCES].join(", "), target_id: ids[SOURCES].clone() })
    }
}

fn questions(graph: &str, hop: &str, ends: &Ends) -> Vec<Question> {
    let question = |name: &str, step: String, check: &str, by_hand| Question {
        name: format!("{name}, {graph}"),
        text: format!("g.V().{step}.count()"),
        check: format!("g.V().{step}.{check}"),
        by_hand,
    };
    let paths = |name: &str, with: String, by_hand| {
        let text = format!("g.V({}).shortestPath(){with}.count()", ends.source_ids);
        Question { name: format!("{name}, {graph}"), check: text.clone(), text, by_hand }
    };
    let mut all = vec![
        question(
            "pageRank",
            format!("pageRank().with(PageRank.edges, outE({hop}))"),
            "values('gremlin.pageRankVertexProgram.pageRank').sum()",
            |csr, _| Answer::Sum(csr.page_rank()),
        ),
        question(
            "peerPressure",
            format!("peerPressure().with(PeerPressure.edges, outE({hop}))"),
            "values('gremlin.peerPressureVertexProgram.cluster').dedup().count()",
            |csr, _| Answer::Each(csr.peer_pressure()),
        ),
        question(
            "connectedComponent",
            format!("connectedComponent().with(ConnectedComponent.edges, bothE({hop}))"),
            "values('gremlin.connectedComponentVertexProgram.component').dedup().count()",
            |csr, _| Answer::Each(csr.components()),
        ),
        paths(
            "shortestPath to a target",
            format!(
                ".with(ShortestPath.edges, bothE({hop})).with(ShortestPath.target, hasId({}))",
                ends.target_id
            ),
            |csr, ends| {
                let paths = |from: &u32| csr.paths(*from, Some(ends.target), u32::MAX);
                Answer::Count(ends.sources.iter().map(paths).sum())
            },
        ),
    ];
    if !hop.is_empty() {
        all.push(paths(
            "shortestPath, at most 3 edges",
            format!(".with(ShortestPath.edges, bothE({hop})).with(ShortestPath.maxDistance, 3)"),
            |csr, ends| Answer::Count(ends.sources.iter().map(|from| csr.paths(*from, None, 3)).sum()),
        ));
    }
    all
}

/// The shortest of some runs, and what came of the last.
fn best_of<T>(mut run: impl FnMut() -> Outcome<T>) -> Outcome<(Duration, T)> {
    let (mut best, mut last) = time(&mut run);
    for _ in 1..TRIES {
        let (took, answer) = time(&mut run);
        (best, last) = (best.min(took), answer);
    }
    Ok((best, last?))
}

fn figure(database: &Database, text: &str) -> Outcome<f64> {
    let answer = run(database, text, &Bindings::default())?;
    Ok(answer.first().and_then(Value::as_f64).ok_or("no number")?)
}

/// # Errors
/// If the graph cannot be opened, or an answer differs from that by hand.
pub fn bench(graph: &Path, only: Option<&str>, report: &Report) -> Outcome<()> {
    let mut measured = Vec::new();
    let database = open(graph, 1)?;
    let snapshot = database.snapshot();
    let catalog = snapshot.catalog();
    let all: Vec<EdgeLabelId> = (0..catalog.edge_label_bound() as u16).map(EdgeLabelId).collect();
    let knows = catalog.edge_label("knows").ok_or("the graph has no `knows` edges")?;
    for (name, labels, hop) in [("whole graph", &all[..], ""), ("knows", &[knows][..], "'knows'")] {
        let csr = Csr::extract(&snapshot, labels);
        let ends = Ends::of(&csr, &snapshot)?;
        for question in questions(name, hop, &ends) {
            if only.is_some_and(|only| !question.name.contains(only)) {
                continue;
            }
            println!("{}: {}", question.name, question.text);
            let (by_hand, expected) = best_of(|| Ok((question.by_hand)(&csr, &ends)))?;
            let (on_one, _) = best_of(|| figure(&database, &question.text))?;
            let (answer, expected) = (figure(&database, &question.check)?, expected.figure());
            if (answer - expected).abs() > 1e-6 {
                return Err(format!("{}: {answer}, and {expected} by hand", question.name).into());
            }
            measured.push((question, by_hand, on_one));
        }
    }
    drop(snapshot);
    database.close()?;
    let database = open(graph, 2)?;
    let mut rows = Vec::new();
    for (question, by_hand, on_one) in measured {
        let (on_two, _) = best_of(|| figure(&database, &question.text))?;
        rows.push(json!({
            "name": question.name,
            "ms": rounded(millis(on_one)),
            "csr_ms": rounded(millis(by_hand)),
            "ratio": rounded(on_one.as_secs_f64() / by_hand.as_secs_f64()),
            "two_ms": rounded(millis(on_two)),
            "gain": rounded(on_one.as_secs_f64() / on_two.as_secs_f64()),
        }));
    }
    report.rows("algorithms", &rows)?;
    Ok(())
}
