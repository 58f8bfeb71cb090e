//! How many traversers come out of a chain, and how much work that is: guesses, from counts and samples.
//!
//! They decide how a plan runs, never what it answers: whether a subquery gets scope instances of its own, and where
//! a pipeline may spread over executors.

use std::cell::RefCell;

use graph::{Dir, EdgeLabelId};
use values::Direction;

use crate::Statistics;
use crate::logical::{Access, Chain, Kind, Lookup, LoopCondition, Move, Repeat, Step};
use crate::physical::{EdgeLabels, ElementKind, Test};

/// Share of traversers that a test lets pass.
const TEST: f64 = 0.3;
/// Share of vertices that a comparison of a value for equality lets pass.
const EQUALITY: f64 = 0.05;
/// Iterations of a loop whose number is not known.
const ITERATIONS: i64 = 4;

/// The part of the vertices that one end of a range leaves; the equality of a value counts as two ends.
const NARROWED: f64 = 0.3;

/// A guess.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Guess {
    /// Traversers that come out.
    pub rows: f64,
    /// Traversers that were made on the way.
    pub work: f64,
}

/// Guesses, remembering what it asked the graph.
pub(super) struct Cost<'a> {
    statistics: &'a dyn Statistics,
    degrees: RefCell<Vec<(EdgeLabelId, Dir, f64)>>,
}

impl<'a> Cost<'a> {
    pub fn new(statistics: &'a dyn Statistics) -> Self {
        Self { statistics, degrees: RefCell::new(Vec::new()) }
    }

    /// What becomes of that many traversers in a chain.
    pub fn of_chain(&self, chain: &Chain, rows: f64) -> Guess {
        let mut guess = Guess { rows, work: 0.0 };
        for step in &chain.steps {
            let next = self.of_step(step, guess.rows);
            guess = Guess { rows: next.rows, work: guess.work + next.work };
        }
        guess
    }

    /// What becomes of them in a step.
    pub fn of_step(&self, step: &Step, rows: f64) -> Guess {
        let mut work = rows;
        let out = match &step.kind {
            Kind::Graph(access) => rows * self.found(access),
            Kind::Move(step_move) => {
                let reached = rows * self.of_move(step_move);
                work += reached;
                let reached = if step_move.edge_test.is_some() { reached * TEST } else { reached };
                if step_move.distinct { self.at_most_all(reached) } else { reached }
            }
            Kind::Filter(test) => rows * selectivity(test),
            Kind::Exists(exists) => {
                work += exists.branches.iter().map(|branch| self.of_chain(branch, rows).work).sum::<f64>();
                rows * TEST
            }
            Kind::Range { low, high } => match high {
                Some(high) => rows.min(high.saturating_sub(*low) as f64),
                None => rows,
            },
            Kind::Tail(n) | Kind::Sample(n, _) => rows.min(*n as f64),
            Kind::Order { limit: Some(limit), .. } => rows.min(*limit as f64),
            Kind::Aggregate(_) | Kind::Cap(_) => 1.0,
            Kind::Group(group) => {
                work += self.of_chain(&group.value, rows).work;
                if group.side_effect.is_some() { rows } else { 1.0 }
            }
            Kind::GroupCount(group) => {
                if group.side_effect.is_some() {
                    rows
                } else {
                    1.0
                }
            }
            Kind::Dedup { .. } => self.at_most_all(rows),
            Kind::Discard => 0.0,
            Kind::Unfold => rows * 4.0,
            Kind::FlatMap(chain) | Kind::Local(chain) | Kind::Optional(chain) => {
                let inner = self.of_chain(chain, rows);
                work += inner.work;
                inner.rows.max(if matches!(step.kind, Kind::Optional(_)) { rows } else { 0.0 })
            }
            Kind::Map(chain) | Kind::SideEffect(chain) => {
                work += self.of_chain(chain, rows).work;
                rows
            }
            Kind::Coalesce(branches) => match branches.first() {
                Some(first) => {
                    let inner = self.of_chain(first, rows);
                    work += inner.work;
                    inner.rows.max(rows)
                }
                None => 0.0,
            },
            Kind::Union(branches) => branches
                .iter()
                .map(|branch| {
                    let inner = self.of_chain(branch, rows);
                    work += inner.work;
                    inner.rows
                })
                .sum(),
            Kind::Repeat(repeat) => {
                let inner = self.of_repeat(repeat, rows);
                work += inner.work;
                inner.rows
            }
            _ => {
                work += self.of_modulators(step, rows);
                rows
            }
        };
        Guess { rows: out, work }
    }

    fn of_modulators(&self, step: &Step, rows: f64) -> f64 {
        let mut work = 0.0;
        step.kind.for_each_child(&mut |chain, _| work += self.of_chain(chain, rows).work);
        work
    }

    fn of_repeat(&self, repeat: &Repeat, rows: f64) -> Guess {
        let mut guess = Guess { rows, work: 0.0 };
        for _ in 0..iterations(repeat) {
            let next = self.of_chain(&repeat.body, guess.rows);
            guess = Guess { rows: next.rows, work: guess.work + next.work };
        }
        guess
    }

    /// Traversers that enter the loop's largest iteration.
    pub fn entering_body(&self, repeat: &Repeat, rows: f64) -> f64 {
        let (mut most, mut rows) = (rows, rows);
        for _ in 1..iterations(repeat) {
            rows = self.of_chain(&repeat.body, rows).rows;
            most = most.max(rows);
        }
        most
    }

    fn found(&self, access: &Access) -> f64 {
        let count = |labels: usize, total: u64| if labels == 0 { 0.0 } else { total as f64 };
        match (&access.lookup, access.element) {
            (Lookup::All, ElementKind::Vertex) => self.statistics.vertices(None) as f64,
            (Lookup::All, ElementKind::Edge) => self.statistics.edges(None) as f64,
            (Lookup::Ids(ids), _) => ids.len() as f64,
            (Lookup::Index { labels, values, .. }, _) => (labels.len() * values.len()) as f64,
            (Lookup::Range { labels, range }, _) => {
                let total: u64 = labels.iter().map(|label| self.statistics.vertices(Some(*label))).sum();
                let ends = usize::from(range.low.is_some()) + usize::from(range.high.is_some());
                let narrowing = (2 * range.equal.len() + ends) as i32;
                (total as f64 * NARROWED.powi(narrowing)).max(1.0)
            }
            (Lookup::VertexLabels(labels), _) => {
                count(labels.len(), labels.iter().map(|label| self.statistics.vertices(Some(*label))).sum())
            }
            (Lookup::EdgeLabels(labels), _) => {
                count(labels.len(), labels.iter().map(|label| self.statistics.edges(Some(*label))).sum())
            }
        }
    }

    /// Edges per vertex.
    fn of_move(&self, step_move: &Move) -> f64 {
        self.degree(step_move.direction, &step_move.labels)
    }

    fn degree(&self, direction: Direction, labels: &EdgeLabels) -> f64 {
        let dirs = Dir::of(direction);
        match labels {
            EdgeLabels::All => {
                let vertices = self.statistics.vertices(None).max(1);
                dirs.len() as f64 * (self.statistics.edges(None) as f64 / vertices as f64).max(1.0)
            }
            EdgeLabels::Only(labels) => labels
                .iter()
                .map(|label| dirs.iter().map(|dir| self.one_degree(*label, *dir)).sum::<f64>())
                .sum(),
        }
    }

    fn one_degree(&self, label: EdgeLabelId, dir: Dir) -> f64 {
        let known =
            self.degrees.borrow().iter().find(|(l, d, _)| (*l, *d) == (label, dir)).map(|found| found.2);
        known.unwrap_or_else(|| {
            let degree = self.statistics.degree(label, dir);
            self.degrees.borrow_mut().push((label, dir, degree));
            degree
        })
    }

    fn at_most_all(&self, rows: f64) -> f64 {
        rows.min(self.statistics.vertices(None).max(1) as f64)
    }
}

/// How often a loop's body runs, within reason.
fn iterations(repeat: &Repeat) -> i64 {
    let times = [&repeat.head.until, &repeat.tail.until].into_iter().find_map(|until| match until {
        LoopCondition::Times(n) => Some(*n),
        _ => None,
    });
    times.unwrap_or(ITERATIONS).clamp(0, 16)
}

fn selectivity(test: &Test) -> f64 {
    use crate::physical::Predicate;
    use gremlin::PredicateOp;
    match test {
        Test::Has(_, Predicate::Compare(PredicateOp::Eq, _)) | Test::HasId(_) => EQUALITY,
        Test::Constant(true) => 1.0,
        Test::Constant(false) => 0.0,
        Test::And(parts) => parts.iter().map(selectivity).product(),
        Test::Not(inner) => 1.0 - selectivity(inner),
        Test::HasKey(_) | Test::Present(_) | Test::SimplePath(..) => 0.9,
        _ => TEST,
    }
}
