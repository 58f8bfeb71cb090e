//! What clients do: each workload has objects of its own, and requests of which one answer tells all that was read.

mod answer;
mod answers;
mod append;
mod compare_and_set;
mod drops;
mod guards;
mod hot_vertex;
mod sessions;
mod sorted_edges;
mod torn_reads;
mod transfers;
mod upserts;
mod write_skew;

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};

use fastrand::Rng;
use values::Value;

use super::client::Request;
use super::history::{Element, Object, Operation};
use super::operator::Indexed;

/// A transaction before it is sent.
pub(crate) struct Step {
    /// What is sent.
    pub request: Request,
    /// What it writes, if it happens. Of several things that it may write, all.
    pub intended: Vec<Operation>,
    /// Reads its answer.
    pub decode: Decode,
    /// In figures it is one of these; none: one of its workload.
    pub kind: Option<&'static str>,
    /// Whether it may be told that somebody has its id or unique value: it does not look first.
    pub is_blind: bool,
}

/// From the results of a transaction that has committed to what it did.
pub(crate) type Decode = Box<dyn FnOnce(&[Value]) -> Result<Vec<Operation>, String> + Send>;

impl Step {
    pub fn new(
        request: Request,
        intended: Vec<Operation>,
        decode: impl FnOnce(&[Value]) -> Result<Vec<Operation>, String> + Send + 'static,
    ) -> Self {
        Self { request, intended, decode: Box::new(decode), kind: None, is_blind: false }
    }

    /// The same, counted as one of `kind`.
    #[must_use]
    pub fn of_kind(mut self, kind: &'static str) -> Self {
        self.kind = Some(kind);
        self
    }
}

/// A kind of transactions and the objects that they share.
pub(crate) trait Workload: Send + Sync {
    /// Its name in figures.
    fn name(&self) -> &'static str;

    /// What is there before the clients begin.
    fn prepare(&self) -> Vec<Request>;

    /// The next transaction of a client.
    fn next(&self, client: usize, rng: &mut Rng) -> Step;

    /// Keys that may be indexed, or not, while clients write.
    fn indexed(&self) -> Vec<Indexed> {
        Vec::new()
    }

    /// Labels of edges of which one vertex gets many.
    fn hubs(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// A label of edges, and keys that they may be sorted by.
    fn sorted(&self) -> Option<(&'static str, [&'static str; 2])> {
        None
    }

    /// Reads of everything, when all clients have stopped.
    fn last_reads(&self) -> Vec<Step>;
}

/// Gives every write of a round a number of its own.
#[derive(Default)]
pub(crate) struct Marks(AtomicI64);

impl Marks {
    /// The next number, from 1.
    pub fn next(&self) -> Element {
        self.0.fetch_add(1, Ordering::Relaxed) + 1
    }
}

/// Races: some transactions in a row are about the same few things, so several of one thing are on their way at the same time.
/// They begin beside each other, or when one of them is about to end; some come late, when all that is long over.
#[derive(Default)]
pub(crate) struct Races(AtomicU64);

impl Races {
    /// Transactions of one race.
    const RACERS: u64 = 6;
    /// Races that are on at a time.
    const LANES: u64 = 5;
    /// Of so many transactions one comes late.
    const LATE: u32 = 8;
    /// By so many races at most.
    const LATEST: u64 = 16;

    /// Joins a race that is on, or one of the last; its number, from 0.
    pub fn join(&self, rng: &mut Rng) -> u64 {
        let begun = self.0.fetch_add(1, Ordering::Relaxed);
        let race = begun / (Self::RACERS * Self::LANES) * Self::LANES + rng.u64(..Self::LANES);
        if rng.u32(..Self::LATE) == 0 { race.saturating_sub(rng.u64(1..=Self::LATEST)) } else { race }
    }

    /// How many races there may have been, of which every `all`-th from number `first` on is counted.
    pub fn begun(&self, first: usize, all: usize) -> u64 {
        let begun = self.0.load(Ordering::Relaxed).div_ceil(Self::RACERS * Self::LANES) * Self::LANES;
        (begun + all as u64 - 1 - first as u64) / all as u64
    }
}

/// Adds to a set if nothing is in it. The answer has the marks of what was there, or that of what was added; it is empty
/// if something was there and the request does not say what.
pub(crate) fn race(request: Request, set: Object, mark: Element) -> Step {
    let add = Operation::Add { set: set.clone(), element: mark };
    Step::new(request, vec![add.clone()], move |results| {
        let marks: Vec<Element> = results.iter().map(answer::number).collect::<Result<_, _>>()?;
        match marks.as_slice() {
            [] => Ok(Vec::new()),
            [only] if *only == mark => Ok(vec![Operation::ReadSet { set, elements: Vec::new() }, add]),
            _ if marks.contains(&mark) => Err(format!("{mark} was added to what was there: {marks:?}")),
            _ => Ok(vec![Operation::ReadSet { set, elements: marks }]),
        }
    })
}

/// All of them, with fresh objects.
fn all() -> Vec<Box<dyn Workload>> {
    let marks = Arc::new(Marks::default());
    vec![
        Box::new(append::Append::new(marks.clone())),
        Box::new(guards::Guards::new(marks.clone())),
        Box::new(torn_reads::TornReads::new(marks.clone())),
        Box::new(compare_and_set::CompareAndSet::new(marks.clone())),
        Box::new(answers::Answers::new(marks.clone())),
        Box::new(transfers::Transfers::new(marks.clone())),
        Box::new(upserts::Upserts::new(marks.clone())),
        Box::new(write_skew::WriteSkew::new(marks.clone())),
        Box::new(drops::Drops::new(marks.clone())),
        Box::new(hot_vertex::HotVertex::new(marks.clone())),
        Box::new(sorted_edges::SortedEdges::new(marks.clone())),
        Box::new(sessions::Sessions::new(marks)),
    ]
}

/// Those of a round: so many, in turn over the rounds, of all or only of those with these names.
pub(crate) fn of_round(round: u64, most: usize, only: &[String]) -> Vec<Box<dyn Workload>> {
    let mut all = all();
    all.retain(|workload| only.is_empty() || only.iter().any(|name| name == workload.name()));
    if all.is_empty() {
        return all;
    }
    // The second term lets every workload meet every condition that comes in a fixed number of rounds.
    let first = (round as usize * most + round as usize / all.len()) % all.len();
    all.rotate_left(first);
    all.truncate(most);
    all
}
