//! Cycles, and the class of each.
//!
//! The gravest classes are looked for first, each in the part of the graph that its dependencies make:
//!
//! ```text
//! G0        ww
//! G1c       ww wr
//! G-single  ww wr        and one rw
//! G2        ww wr rw
//!           the same with real time
//! ```
//!
//! A knot, a strongly connected component, of which a transaction was in a graver cycle is left alone: it would show
//! again in every class that follows.

use std::collections::{HashMap, VecDeque};

use super::super::history::{History, Operation};
use super::anomaly::{Anomaly, AnomalyKind};
use super::components::components;
use super::dependencies::{Edge, Graph, Reasons, Why};
use super::objects::ObjectHistory;

/// What cycles are looked for together.
struct Level {
    reasons: Reasons,
    /// Whether there is exactly one anti-dependency.
    has_one_rw: bool,
}

const SEEN: Reasons = Reasons::WW.and(Reasons::WR);
const LEVELS: [Level; 7] = [
    Level { reasons: Reasons::WW, has_one_rw: false },
    Level { reasons: SEEN, has_one_rw: false },
    Level { reasons: SEEN.and(Reasons::RW), has_one_rw: true },
    Level { reasons: SEEN.and(Reasons::RW), has_one_rw: false },
    Level { reasons: SEEN.and(Reasons::REAL_TIME), has_one_rw: false },
    Level { reasons: SEEN.and(Reasons::RW).and(Reasons::REAL_TIME), has_one_rw: true },
    Level { reasons: SEEN.and(Reasons::RW).and(Reasons::REAL_TIME), has_one_rw: false },
];
const ALL: Reasons = SEEN.and(Reasons::RW).and(Reasons::REAL_TIME);

/// Most places of a knot at which a cycle is looked for.
const MOST_SEARCHES: usize = 2_000;
/// Most cycles of one knot that are reported.
const MOST_CYCLES: usize = 100;

/// A way from a transaction back to it: where each edge begins, and the edge.
type Cycle = Vec<(u32, Edge)>;

/// The anomalies that cycles show.
pub(crate) fn find(history: &History, objects: &[ObjectHistory<'_>], graph: &Graph) -> Vec<Anomaly> {
    let knots = components(graph, 0..graph.nodes() as u32, ALL, |_| true);
    let knotted: Vec<u32> = knots.into_iter().flatten().collect();
    let mut inside = vec![false; graph.nodes()];
    knotted.iter().for_each(|node| inside[*node as usize] = true);
    let mut explained = vec![false; graph.nodes()];
    let mut anomalies = Vec::new();
    for level in &LEVELS {
        let knots = components(graph, knotted.iter().copied(), level.reasons, |node| inside[node as usize]);
        for knot in knots {
            if knot.iter().any(|node| explained[*node as usize]) {
                continue;
            }
            for cycle in level.cycles(graph, &knot) {
                cycle.iter().for_each(|(node, _)| explained[*node as usize] = true);
                anomalies.push(describe(history, objects, graph, &cycle));
            }
        }
    }
    anomalies
}

impl Level {
    fn cycles(&self, graph: &Graph, knot: &[u32]) -> Vec<Cycle> {
        let members: HashMap<u32, ()> = knot.iter().map(|node| (*node, ())).collect();
        let transactions = knot.iter().copied().filter(|node| graph.is_transaction(*node));
        if !self.has_one_rw {
            let from_each = transactions.take(MOST_SEARCHES);
            let cycles = from_each.filter_map(|node| way(graph, &members, node, node, self.reasons));
            return cycles.min_by_key(Vec::len).into_iter().collect();
        }
        let mut cycles: Vec<Cycle> = Vec::new();
        let anti = transactions.flat_map(|node| graph.edges(node).iter().map(move |edge| (node, *edge)));
        let anti = anti.filter(|(_, edge)| Reasons::RW.have(edge.why) && members.contains_key(&edge.to));
        let others = if self.reasons == ALL { SEEN.and(Reasons::REAL_TIME) } else { SEEN };
        for (node, edge) in anti.take(MOST_SEARCHES) {
            if let Some(back) = way(graph, &members, edge.to, node, others) {
                let cycle: Cycle = std::iter::once((node, edge)).chain(back).collect();
                if !cycles.iter().any(|known| is_same(known, &cycle)) {
                    cycles.push(cycle);
                }
            }
            if cycles.len() == MOST_CYCLES {
                break;
            }
        }
        cycles
    }
}

/// Whether both go through the same nodes.
fn is_same(one: &Cycle, other: &Cycle) -> bool {
    let nodes = |cycle: &Cycle| {
        let mut nodes: Vec<u32> = cycle.iter().map(|(node, _)| *node).collect();
        nodes.sort_unstable();
        nodes
    };
    one.len() == other.len() && nodes(one) == nodes(other)
}

/// The shortest way, of one edge or more, that stays among `members`.
fn way(graph: &Graph, members: &HashMap<u32, ()>, from: u32, to: u32, reasons: Reasons) -> Option<Cycle> {
    let mut reached: HashMap<u32, (u32, Edge)> = HashMap::new();
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        for edge in graph.edges(node).iter().filter(|edge| reasons.have(edge.why)) {
            if !members.contains_key(&edge.to) || reached.contains_key(&edge.to) {
                continue;
            }
            reached.insert(edge.to, (node, *edge));
            if edge.to == to {
                return Some(back(&reached, from, to));
            }
            queue.push_back(edge.to);
        }
    }
    None
}

/// The way that was found, from its end.
fn back(reached: &HashMap<u32, (u32, Edge)>, from: u32, to: u32) -> Cycle {
    let mut way = Vec::new();
    let mut at = to;
    loop {
        let (before, edge) = reached[&at];
        way.push((before, edge));
        if before == from {
            way.reverse();
            return way;
        }
        at = before;
    }
}

/// The anomaly that a cycle is.
fn describe(history: &History, objects: &[ObjectHistory<'_>], graph: &Graph, cycle: &Cycle) -> Anomaly {
    // Behind a relay the reason is the one that led there.
    let steps: Vec<(u32, Edge)> =
        cycle.iter().copied().filter(|(node, _)| graph.is_transaction(*node)).collect();
    let name = |edge: &Edge| edge.object.map_or("", |object| objects[object as usize].name);
    let mut about = String::new();
    for (node, edge) in &steps {
        let transaction = &history.transactions[*node as usize];
        let why = match edge.why {
            Why::WriteWrite => "ww",
            Why::WriteRead => "wr",
            Why::ReadWrite => "rw",
            Why::PredicateReadWrite => "rw (predicate)",
            Why::RealTime => "before",
            Why::Onward => "",
        };
        about += &format!("T{node} [{}] {why} {} ─▶ ", transaction.workload, name(edge));
    }
    about += &format!("T{}", steps[0].0);
    let object = steps.iter().find(|(_, edge)| Reasons::RW.have(edge.why)).unwrap_or(&steps[0]);
    Anomaly {
        kind: class(history, objects, &steps),
        object: name(&object.1).to_owned(),
        transactions: steps.iter().map(|(node, _)| *node as usize).collect(),
        about,
    }
}

/// The class of a cycle, by its dependencies.
fn class(history: &History, objects: &[ObjectHistory<'_>], steps: &[(u32, Edge)]) -> AnomalyKind {
    let has = |why: Why| steps.iter().any(|(_, edge)| edge.why == why);
    let anti: Vec<_> = steps.iter().filter(|(_, edge)| Reasons::RW.have(edge.why)).collect();
    let object = steps[0].1.object;
    let at_one_object = steps.iter().all(|(_, edge)| edge.object == object);
    // Two elements of one set are two items.
    let at_one_item = at_one_object && object.is_some_and(|object| !objects[object as usize].is_set());
    match anti.as_slice() {
        [_] if has(Why::RealTime) => AnomalyKind::StaleRead,
        _ if has(Why::RealTime) => AnomalyKind::RealTime,
        [] if has(Why::WriteRead) => AnomalyKind::G1c,
        [] => AnomalyKind::G0,
        _ if steps.len() == 2 && at_one_item && steps.iter().all(|(node, _)| writes(history, *node)) => {
            AnomalyKind::LostUpdate
        }
        [(reader, _)] if !writes(history, *reader) => AnomalyKind::TornRead,
        [_] => AnomalyKind::GSingle,
        _ if has(Why::PredicateReadWrite) => AnomalyKind::G2,
        _ => AnomalyKind::G2Item,
    }
}

fn writes(history: &History, transaction: u32) -> bool {
    history.transactions[transaction as usize].operations.iter().any(Operation::writes)
}
