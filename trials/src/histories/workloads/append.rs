//! Appends to lists and reads of lists, several in a transaction: values of a property, and edges.
//!
//! ```text
//! (list) l = 3, 7, 12                      the values, as they came
//! (hub) ─ to {mark 4} ─▶ (leaf)            the marks of the edges, as they came: out of the hub, and into the leaf
//!       ─ to {mark 9} ─▶ (leaf)
//! ```
//!
//! An edge is appended to two lists at once. Lists of edges grow past what a section holds and become edge-trees, if
//! the round says so.

use std::sync::Arc;

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::Operation;
use super::super::operator::Indexed;
use super::{Marks, Step, Workload, answer};

const LISTS: usize = 8;
const HUBS: usize = 4;
const LEAVES: usize = 3;

/// The workload; its marks are those of the round.
pub(crate) struct Append {
    marks: Arc<Marks>,
}

/// What a read gives back.
#[derive(Clone, Copy)]
enum Shape {
    List,
    Length,
}

/// A transaction as it is put together: each part goes on behind the last one.
#[derive(Default)]
struct Chain {
    script: String,
    bindings: Vec<(String, Value)>,
    /// What it does, in order; a read has the name that its result gets.
    steps: Vec<Done>,
}

enum Done {
    Wrote(Vec<Operation>),
    Read(String, String, Shape),
}

impl Append {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks }
    }

    fn add_to(&self, chain: &mut Chain, rng: &mut Rng) {
        let list = format!("append:list{}", rng.usize(..LISTS));
        let hub = format!("append:hub{}", rng.usize(..HUBS));
        let leaf = format!("append:leaf{}", rng.usize(..LEAVES));
        match rng.u32(..12) {
            0..4 => {
                let mark = self.marks.next();
                let at = chain.at(&list, rng);
                let value = chain.bind(mark);
                chain.script += &format!("{at}.property(list, 'l', {value})");
                chain.steps.push(Done::Wrote(vec![Operation::Append { list, element: mark }]));
            }
            4..6 => chain.read(&list, "values('l').fold()", Shape::List, rng),
            6 => chain.read(&list, "properties('l').value().fold()", Shape::List, rng),
            7 => chain.read(&list, "values('l').count()", Shape::Length, rng),
            8..10 => {
                let mark = self.marks.next();
                let at = chain.at(&hub, rng);
                let (value, to) = (chain.bind(mark), chain.bind(leaf.as_str()));
                chain.script += &format!("{at}.addE('to').to(__.V({to})).property('mark', {value})");
                let append = |list| Operation::Append { list, element: mark };
                chain.steps.push(Done::Wrote([hub, leaf].map(append).into()));
            }
            10 if rng.bool() => chain.read(&hub, "outE('to').count()", Shape::Length, rng),
            10 => chain.read(&hub, "outE('to').values('mark').fold()", Shape::List, rng),
            _ => chain.read(&leaf, "inE('to').values('mark').fold()", Shape::List, rng),
        }
    }
}

impl Chain {
    /// A variable.
    fn bind(&mut self, value: impl Into<Value>) -> String {
        let name = format!("x{}", self.bindings.len());
        self.bindings.push((name.clone(), value.into()));
        name
    }

    /// Goes to a vertex, by its id or by its name.
    fn at(&mut self, vertex: &str, rng: &mut Rng) -> String {
        let name = self.bind(vertex);
        // Without an index all of them are looked at, so this conflicts with everything.
        match rng.u32(..12) {
            0 => format!(".V().has('append', 'name', {name})"),
            _ => format!(".V({name})"),
        }
    }

    fn read(&mut self, vertex: &str, what: &str, shape: Shape, rng: &mut Rng) {
        let (at, result) = (self.at(vertex, rng), format!("r{}", self.steps.len()));
        self.script += &format!("{at}.map(__.{what}).as('{result}')");
        self.steps.push(Done::Read(result, vertex.to_owned(), shape));
    }

    fn into_step(self) -> Step {
        let reads: Vec<String> = self
            .steps
            .iter()
            .filter_map(|step| match step {
                Done::Read(result, ..) => Some(format!("'{result}'")),
                Done::Wrote(_) => None,
            })
            .collect();
        let end = match reads.len() {
            0 => ".constant(true)".to_owned(),
            // One is not put into a map.
            1 => format!(".project({0}).by(__.select({0}))", reads[0]),
            _ => format!(".select({})", reads.join(", ")),
        };
        let intended = self.steps.iter().flat_map(|step| match step {
            Done::Wrote(operations) => operations.clone(),
            Done::Read(..) => Vec::new(),
        });
        let request = Request { bindings: self.bindings, ..Request::of(format!("g{}{end}", self.script)) };
        let (intended, steps) = (intended.collect(), self.steps);
        Step::new(request, intended, move |results| decode(results, steps))
    }
}

fn decode(results: &[Value], steps: Vec<Done>) -> Result<Vec<Operation>, String> {
    let result = answer::one(results)?;
    let mut operations = Vec::new();
    for step in steps {
        match step {
            Done::Wrote(written) => operations.extend(written),
            Done::Read(name, list, shape) => {
                let read = answer::entry(result, &name)?;
                operations.push(match shape {
                    Shape::List => Operation::ReadList { list, elements: answer::numbers(read)? },
                    Shape::Length => Operation::ReadLength { list, length: answer::length(read)? },
                });
            }
        }
    }
    Ok(operations)
}

impl Workload for Append {
    fn name(&self) -> &'static str {
        "append"
    }

    fn prepare(&self) -> Vec<Request> {
        let vertex = |name: String| {
            Request::of("g.addV('append').property(id, x).property('name', x)").with("x", name.as_str())
        };
        let lists = (0..LISTS).map(|n| format!("append:list{n}"));
        let hubs = (0..HUBS).map(|n| format!("append:hub{n}"));
        let leaves = (0..LEAVES).map(|n| format!("append:leaf{n}"));
        lists.chain(hubs).chain(leaves).map(vertex).collect()
    }

    fn indexed(&self) -> Vec<Indexed> {
        vec![Indexed { label: "append", key: "name", is_unique: true }]
    }

    fn hubs(&self) -> Vec<&'static str> {
        vec!["to"]
    }

    fn next(&self, _: usize, rng: &mut Rng) -> Step {
        let mut chain = Chain::default();
        for _ in 0..rng.usize(1..5) {
            self.add_to(&mut chain, rng);
        }
        chain.into_step()
    }

    fn last_reads(&self) -> Vec<Step> {
        let read = |vertex: String, what: &str| {
            let mut chain = Chain::default();
            // Always by the id: the index is read while the clients write.
            let at = chain.bind(vertex.as_str());
            chain.script = format!(".V({at}).map(__.{what}).as('r0')");
            chain.steps.push(Done::Read("r0".into(), vertex, Shape::List));
            chain.into_step()
        };
        let lists = (0..LISTS).map(|n| read(format!("append:list{n}"), "values('l').fold()"));
        let hubs = (0..HUBS).map(|n| read(format!("append:hub{n}"), "outE('to').values('mark').fold()"));
        let leaves = (0..LEAVES).map(|n| read(format!("append:leaf{n}"), "inE('to').values('mark').fold()"));
        lists.chain(hubs).chain(leaves).collect()
    }
}
