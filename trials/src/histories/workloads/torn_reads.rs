//! Torn reads: a writer changes several places at once, most of them under names that are new, and readers look at all of
//! them in one request.
//!
//! ```text
//! (hub) gen = m                             a property that is always there: its versions are in order
//!       torn_key_7 = m                      a new key
//!       ─ torn_edge_7 {mark m} ─▶ (torn_7 {mark m})      a new label of edges, and one of vertices
//! ```

use std::ops::RangeInclusive;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastrand::Rng;
use values::Value;

use super::super::client::Request;
use super::super::history::{Element, Operation};
use super::{Marks, Step, Workload, answer};

/// The places that are written together, beside the property that is always there.
const PLACES: [&str; 3] = ["vertex", "edge", "key"];

/// Readers look at so many generations that somebody has begun, and at so many that nobody has.
const BEHIND: u64 = 2;
const AHEAD: u64 = 2;

/// The workload; its marks are those of the round.
pub(crate) struct TornReads {
    marks: Arc<Marks>,
    /// Generations that writers have begun.
    begun: AtomicU64,
}

fn register(place: &str, generation: u64) -> String {
    format!("torn:{place}:{generation}")
}

fn read(register: String, element: Element) -> Operation {
    Operation::ReadRegister { register, value: Some(element).filter(|element| *element != 0) }
}

impl TornReads {
    pub fn new(marks: Arc<Marks>) -> Self {
        Self { marks, begun: AtomicU64::new(0) }
    }

    fn write(&self) -> Step {
        let (n, mark) = (self.begun.fetch_add(1, Ordering::Relaxed), self.marks.next());
        let script = format!(
            "g.V('torn:hub').as('hub').map(__.coalesce(__.values('gen'), __.constant(0))).as('old').select('hub')\
             .property('gen', m).property('torn_key_{n}', m).addV('torn_{n}').property('mark', m).as('new')\
             .addE('torn_edge_{n}').from('hub').to('new').property('mark', m).select('old')"
        );
        let gen_write = Operation::Write { register: "torn:gen".into(), value: mark };
        let places = PLACES.map(|place| register(place, n));
        let writes: Vec<Operation> = [gen_write]
            .into_iter()
            .chain(places.clone().map(|register| Operation::Write { register, value: mark }))
            .collect();
        Step::new(Request::of(script).with("m", mark), writes.clone(), move |results| {
            let old = answer::number(answer::one(results)?)?;
            // Nobody else writes the other places, so it has seen that there is nothing.
            let nothing = places.map(|register| read(register, 0));
            Ok([read("torn:gen".into(), old)].into_iter().chain(nothing).chain(writes).collect())
        })
    }

    /// Reads of the generation that somebody will write next, and of those around it.
    fn look(&self, rng: &mut Rng) -> Step {
        let next = self.begun.load(Ordering::Relaxed);
        let generations = next.saturating_sub(BEHIND)..=next + AHEAD;
        let mut parts = vec![("gen".to_owned(), "__.coalesce(__.values('gen'), __.constant(0))".to_owned())];
        for n in generations.clone() {
            let edge = if rng.bool() { "outE" } else { "out" };
            let key = if rng.bool() { format!("has('torn_key_{n}').") } else { String::new() };
            parts.extend([
                (format!("vertex{n}"), format!("__.V().hasLabel('torn_{n}').values('mark').fold()")),
                (format!("edge{n}"), format!("__.{edge}('torn_edge_{n}').values('mark').fold()")),
                (format!("key{n}"), format!("__.{key}values('torn_key_{n}').fold()")),
            ]);
        }
        rng.shuffle(&mut parts);
        let names: Vec<String> = parts.iter().map(|(name, _)| format!("'{name}'")).collect();
        let by: String = parts.iter().map(|(_, part)| format!(".by({part})")).collect();
        let script = format!("g.V('torn:hub').project({}){by}", names.join(", "));
        Step::new(Request::of(script), Vec::new(), move |results| decode(results, generations))
    }
}

fn decode(results: &[Value], generations: RangeInclusive<u64>) -> Result<Vec<Operation>, String> {
    let result = answer::one(results)?;
    let mut reads = vec![read("torn:gen".into(), answer::number(answer::entry(result, "gen")?)?)];
    for (n, place) in generations.flat_map(|n| PLACES.map(|place| (n, place))) {
        let mark = match answer::numbers(answer::entry(result, &format!("{place}{n}"))?)?.as_slice() {
            [] => 0,
            [mark] => *mark,
            more => return Err(format!("{} times {place} of generation {n}", more.len())),
        };
        reads.push(read(register(place, n), mark));
    }
    Ok(reads)
}

impl Workload for TornReads {
    fn name(&self) -> &'static str {
        "torn_reads"
    }

    fn prepare(&self) -> Vec<Request> {
        vec![Request::of("g.addV('torn').property(id, 'torn:hub')")]
    }

    fn next(&self, client: usize, rng: &mut Rng) -> Step {
        // Few write, or they conflict with each other only.
        if client.is_multiple_of(4) { self.write() } else { self.look(rng) }
    }

    fn last_reads(&self) -> Vec<Step> {
        let mut rng = Rng::with_seed(0);
        (0..3).map(|_| self.look(&mut rng)).collect()
    }
}
