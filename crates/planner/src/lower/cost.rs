//! How many traversers come out of a chain, and how much work that is: guesses, from statistics.
//!
//! They decide how a plan runs, never what it answers: whether a subquery gets scope instances of its own, and where
//! a pipeline may spread over executors. They go along a chain with what is known about the labels of its vertices
//! ([`Mix`]): vertices have as many edges as those of their label have on average, the ones without any included.

use std::cell::{Cell, RefCell};

use graph::{Dir, EdgeLabelId, KeyId, VertexLabelId};
use gremlin::PredicateOp;
use values::Direction;

use super::label_mix::{Labels, Mix, far_ends};
use crate::Statistics;
use crate::logical::{Access, Chain, Kind, Lookup, LoopCondition, Move, Repeat, Step};
use crate::physical::{EdgeEnd, EdgeLabels, ElementKind, IndexedRange, Operand, Predicate, Test, ends};
use crate::thresholds::{
    EQUALITY_PASSES, LOOP_ITERATIONS, MOST_ITERATIONS_GUESSED, MOST_PAIRS, PRESENCE_PASSES, RANGE_END_LEAVES,
    TEST_PASSES, UNFOLDED_MEMBERS,
};

/// No guess is larger: what comes of it stays a number.
const MOST: f64 = 1e60;

/// A guess.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Guess {
    /// Traversers that come out.
    pub rows: f64,
    /// Traversers that were made on the way.
    pub work: f64,
    /// What they are.
    pub mix: Mix,
}

/// Guesses, remembering what it asked the graph.
pub(crate) struct Cost<'a> {
    statistics: &'a dyn Statistics,
    labels: Vec<VertexLabelId>,
    degrees: RefCell<Vec<(EdgeLabelId, Dir, f64)>>,
    /// Whether the guess is about what is inside a loop.
    in_loop: Cell<bool>,
}

impl<'a> Cost<'a> {
    pub fn new(statistics: &'a dyn Statistics) -> Self {
        Self {
            statistics,
            labels: statistics.vertex_labels(),
            degrees: RefCell::default(),
            in_loop: Cell::default(),
        }
    }

    /// What becomes of that many traversers in a chain.
    pub fn of_chain(&self, chain: &Chain, rows: f64, mix: &Mix) -> Guess {
        let mut guess = Guess { rows, work: 0.0, mix: mix.clone() };
        for step in &chain.steps {
            let next = self.of_step(step, guess.rows, &guess.mix);
            guess = Guess { work: guess.work + next.work, ..next };
        }
        guess
    }

    /// What becomes of them in a step.
    pub fn of_step(&self, step: &Step, rows: f64, mix: &Mix) -> Guess {
        let guess = |rows: f64, work: f64, mix: Mix| Guess { rows, work, mix };
        let kept = || mix.clone();
        let mut made = match &step.kind {
            Kind::Graph(access) => guess(rows * self.found(access), 0.0, self.mix_of(access)),
            Kind::Move(step_move) => self.of_move(step_move, rows, mix),
            Kind::EdgeVertex(end) => {
                let ends = if *end == EdgeEnd::Both { 2.0 } else { 1.0 };
                guess(rows * ends, 0.0, mix.after_end(*end))
            }
            Kind::Filter(test) => guess(rows * self.selectivity(test, mix), 0.0, mix.after_test(test).0),
            Kind::Compare(_) => guess(rows * TEST_PASSES, 0.0, kept()),
            Kind::Exists(exists) => {
                let work = exists.branches.iter().map(|branch| self.of_each(branch, rows, mix).work).sum();
                guess(rows * TEST_PASSES, work, kept())
            }
            Kind::Range { low, high } => match high {
                Some(high) => guess(rows.min(high.saturating_sub(*low) as f64), 0.0, kept()),
                None => guess(rows, 0.0, kept()),
            },
            Kind::Algorithm(algorithm) if algorithm.keeps_traversers() => guess(rows, 0.0, kept()),
            Kind::Tail(n) | Kind::Sample(n, _) => guess(rows.min(*n as f64), 0.0, kept()),
            Kind::Order { limit, .. } => {
                let work = self.of_modulators(step, rows, mix);
                guess(limit.map_or(rows, |limit| rows.min(limit as f64)), work, kept())
            }
            Kind::Aggregate(_) | Kind::Cap(_) => guess(1.0, 0.0, Mix::Unknown),
            Kind::Group(group) => {
                let work = self.of_chain(&group.value, rows, mix).work;
                match group.side_effect {
                    Some(_) => guess(rows, work, kept()),
                    None => guess(1.0, work, Mix::Unknown),
                }
            }
            Kind::GroupCount(group) => match group.side_effect {
                Some(_) => guess(rows, 0.0, kept()),
                None => guess(1.0, 0.0, Mix::Unknown),
            },
            Kind::Dedup { .. } => guess(self.at_most_all(rows, mix), 0.0, kept()),
            Kind::Discard => guess(0.0, 0.0, Mix::Unknown),
            Kind::Unfold => guess(rows * UNFOLDED_MEMBERS, 0.0, Mix::Unknown),
            Kind::FlatMap(chain) | Kind::Local(chain) => self.of_each(chain, rows, mix),
            Kind::Optional(chain) => {
                let inner = self.of_each(chain, rows, mix);
                guess(inner.rows.max(rows), inner.work, Mix::Unknown)
            }
            Kind::Map(chain) => {
                let inner = self.of_each(chain, rows, mix);
                guess(rows, inner.work, inner.mix)
            }
            Kind::SideEffect(chain) => guess(rows, self.of_each(chain, rows, mix).work, kept()),
            Kind::Coalesce(branches) => match branches.first() {
                Some(first) => {
                    let inner = self.of_each(first, rows, mix);
                    guess(inner.rows.max(rows), inner.work, Mix::Unknown)
                }
                None => guess(0.0, 0.0, Mix::Unknown),
            },
            Kind::Union(branches) => branches.iter().fold(guess(0.0, 0.0, Mix::Unknown), |sum, branch| {
                let inner = self.of_chain(branch, rows, mix);
                guess(sum.rows + inner.rows, sum.work + inner.work, Mix::Unknown)
            }),
            Kind::Repeat(repeat) => self.of_repeat(repeat, rows, mix),
            kind if leaves_current(kind) => guess(rows, self.of_modulators(step, rows, mix), kept()),
            _ => guess(rows, self.of_modulators(step, rows, mix), Mix::Unknown),
        };
        made.work += rows;
        made
    }

    /// What becomes of them in a chain that runs for each by itself.
    fn of_each(&self, chain: &Chain, rows: f64, mix: &Mix) -> Guess {
        let one = self.of_chain(chain, 1.0, mix);
        Guess { rows: one.rows * rows, work: one.work * rows, mix: one.mix }
    }

    fn of_modulators(&self, step: &Step, rows: f64, mix: &Mix) -> f64 {
        let mut work = 0.0;
        step.kind.for_each_child(&mut |chain, _| work += self.of_each(chain, rows, mix).work);
        work
    }

    /// Iteration by iteration; in a loop inside of another one, all are taken to be as the first, for otherwise the guess would
    /// take as long as the loops themselves.
    fn of_repeat(&self, repeat: &Repeat, rows: f64, mix: &Mix) -> Guess {
        if self.in_loop.replace(true) {
            return self.of_equal_iterations(repeat, rows, mix);
        }
        let mut guess = Guess { rows, work: 0.0, mix: mix.clone() };
        for _ in 0..iterations(repeat) {
            let next = self.of_chain(&repeat.body, guess.rows, &guess.mix);
            guess = Guess { work: guess.work + next.work, ..next };
        }
        self.in_loop.set(false);
        guess
    }

    fn of_equal_iterations(&self, repeat: &Repeat, rows: f64, mix: &Mix) -> Guess {
        let iterations = iterations(repeat) as i32;
        if iterations == 0 || rows <= 0.0 {
            return Guess { rows, work: 0.0, mix: mix.clone() };
        }
        let first = self.of_chain(&repeat.body, rows, mix);
        let growth = first.rows / rows;
        let sum: f64 = (0..iterations).map(|iteration| growth.powi(iteration)).sum();
        let (rows, work) = ((rows * growth.powi(iterations)).min(MOST), (first.work * sum).min(MOST));
        Guess { rows, work, mix: first.mix }
    }

    /// Traversers that enter the loop's largest iteration, and what enters its last.
    pub fn entering_body(&self, repeat: &Repeat, rows: f64, mix: &Mix) -> (f64, Mix) {
        let (mut most, mut rows, mut mix) = (rows, rows, mix.clone());
        let outside = self.in_loop.replace(true);
        for _ in 1..iterations(repeat) {
            let next = self.of_chain(&repeat.body, rows, &mix);
            (rows, mix) = (next.rows, next.mix);
            most = most.max(rows);
        }
        self.in_loop.set(outside);
        (most, mix)
    }

    fn found(&self, access: &Access) -> f64 {
        let vertices = |labels: &[VertexLabelId]| -> u64 {
            labels.iter().map(|label| self.statistics.vertices(Some(*label))).sum()
        };
        match (&access.lookup, access.element) {
            (Lookup::All, ElementKind::Vertex) => self.statistics.vertices(None) as f64,
            (Lookup::All, ElementKind::Edge) => self.statistics.edges(None) as f64,
            (Lookup::Ids(ids), _) => ids.len() as f64,
            (Lookup::Index { labels, key, values, .. }, _) => {
                let found = |label: &VertexLabelId, value| self.statistics.equal(*label, *key, value);
                let pairs = labels.iter().flat_map(|label| values.iter().map(move |value| (label, value)));
                pairs.map(|(label, value)| found(label, value).unwrap_or(1.0)).sum()
            }
            (Lookup::Range { labels, range, .. }, _) => {
                let ends = usize::from(range.low.is_some()) + usize::from(range.high.is_some());
                let narrowing = (2 * range.equal.len() + ends) as i32;
                let found = |label: &VertexLabelId| {
                    let guess = || {
                        (vertices(std::slice::from_ref(label)) as f64 * RANGE_END_LEAVES.powi(narrowing))
                            .max(1.0)
                    };
                    self.statistics.range(*label, range).unwrap_or_else(guess)
                };
                labels.iter().map(found).sum()
            }
            (Lookup::VertexLabels(labels), _) => vertices(labels) as f64,
            (Lookup::EdgeLabels(labels), _) => {
                labels.iter().map(|label| self.statistics.edges(Some(*label))).sum::<u64>() as f64
            }
        }
    }

    fn mix_of(&self, access: &Access) -> Mix {
        let (labels, keys): (&[_], &[_]) = match (&access.lookup, access.element) {
            (Lookup::All, ElementKind::Vertex) => (&self.labels, &[]),
            (Lookup::Index { labels, key, .. }, _) => (labels, std::slice::from_ref(key)),
            (Lookup::Range { labels, range }, _) => {
                let bounded = range.low.is_some() || range.high.is_some();
                (labels, &range.keys[..range.equal.len() + usize::from(bounded)])
            }
            (Lookup::VertexLabels(labels), _) => (labels, &[]),
            _ => return Mix::Unknown,
        };
        Mix::of_labels(labels, keys, self.statistics)
    }

    fn of_move(&self, step: &Move, rows: f64, mix: &Mix) -> Guess {
        let all = rows * self.edges_per_vertex(step.direction, &step.labels, mix);
        let far = far_ends(step.direction, &step.labels, &self.labels, self.statistics);
        let mix = mix.after_move(step.direction, step.edges, far);
        let passing = if step.edge_test.is_some() { all * TEST_PASSES } else { all };
        let limit = step.sorted.as_ref().and_then(|sorted| sorted.top).map(|top| rows * top.limit as f64);
        let passing = limit.map_or(passing, |limit| passing.min(limit));
        let rows = if step.distinct { self.at_most_all(passing, &mix) } else { passing };
        Guess { rows, work: all, mix }
    }

    /// The most edges that a step may follow from one traverser, if it follows all of some lists; 0 if that is not known.
    pub fn most_at_once(&self, step: &Step, mix: &Mix) -> f64 {
        let (direction, labels) = match &step.kind {
            Kind::Move(Move { direction, labels, sorted: None, .. }) => (*direction, labels),
            Kind::BulkByWalks { first, .. } => (first.direction, &first.labels),
            _ => return 0.0,
        };
        let most_of = |vertex: VertexLabelId| -> u64 {
            let most = |edge: Option<EdgeLabelId>| -> u64 {
                let dirs = Dir::of(direction).iter();
                dirs.map(|dir| self.statistics.most_edges(vertex, edge, *dir).unwrap_or(0)).sum()
            };
            match labels {
                EdgeLabels::Only(labels) if labels.len() * self.labels.len() > MOST_PAIRS => 0,
                EdgeLabels::All => most(None),
                EdgeLabels::Only(labels) => labels.iter().map(|label| most(Some(*label))).sum(),
            }
        };
        let most = match mix.vertices() {
            Some(labels) => labels.iter().map(|(vertex, _)| most_of(vertex)).max(),
            None => self.labels.iter().map(|vertex| most_of(*vertex)).max(),
        };
        most.unwrap_or(0) as f64
    }

    fn edges_per_vertex(&self, direction: Direction, labels: &EdgeLabels, mix: &Mix) -> f64 {
        let dirs = Dir::of(direction);
        match labels {
            EdgeLabels::All => {
                let vertices = self.statistics.vertices(None).max(1);
                dirs.len() as f64 * (self.statistics.edges(None) as f64 / vertices as f64).max(1.0)
            }
            EdgeLabels::Only(labels) => {
                let lists = labels.iter().flat_map(|label| dirs.iter().map(move |dir| (*label, *dir)));
                if mix.vertices().is_some_and(|vertices| vertices.iter().count() * labels.len() > MOST_PAIRS)
                {
                    return lists.map(|(label, dir)| self.one_degree(label, dir)).sum();
                }
                lists.map(|(label, dir)| self.of_list(label, dir, mix)).sum()
            }
        }
    }

    /// Edges per vertex along one label, one way: of the labels that the vertices have, or of vertices that have any.
    fn of_list(&self, label: EdgeLabelId, dir: Dir, mix: &Mix) -> f64 {
        let of_labels = mix.vertices().and_then(|labels| {
            let average = |vertex: VertexLabelId| {
                let (edges, _) = self.statistics.edges_of(vertex, label, dir)?;
                Some(edges as f64 / self.statistics.vertices(Some(vertex)).max(1) as f64)
            };
            labels.iter().map(|(vertex, share)| Some(share * average(vertex)?)).sum::<Option<f64>>()
        });
        of_labels.unwrap_or_else(|| self.one_degree(label, dir))
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

    /// No more than there are.
    fn at_most_all(&self, rows: f64, mix: &Mix) -> f64 {
        let all = match mix.vertices() {
            Some(labels) => labels.iter().map(|(label, _)| self.statistics.vertices(Some(label))).sum(),
            None => self.statistics.vertices(None),
        };
        rows.min(all.max(1) as f64)
    }

    /// The share of traversers that a test lets pass.
    fn selectivity(&self, test: &Test, mix: &Mix) -> f64 {
        match test {
            Test::Label { .. } => mix.after_test(test).1.unwrap_or(TEST_PASSES),
            Test::Has(key, predicate) => match mix.vertices() {
                Some(labels) if labels.are_found_by(*key) => 1.0,
                Some(labels) => self.of_values(*key, predicate, labels).unwrap_or_else(|| guess(test)),
                None => guess(test),
            },
            Test::And(parts) => parts.iter().map(|part| self.selectivity(part, mix)).product(),
            Test::Not(inner) => 1.0 - self.selectivity(inner, mix),
            _ => guess(test),
        }
    }

    /// The share of vertices with values that satisfy a predicate, if indexes of all their labels know.
    fn of_values(&self, key: KeyId, predicate: &Predicate, labels: &Labels) -> Option<f64> {
        let values: &[Operand] = match predicate {
            Predicate::Compare(PredicateOp::Eq, value) => std::slice::from_ref(value),
            Predicate::Within { members, spread: false } => members,
            _ => &[],
        };
        let equal = |label, value: &Operand| {
            let range = || IndexedRange::of(key, vec![value.clone()], (None, None));
            self.statistics.equal(label, key, value).or_else(|| self.statistics.range(label, &range()))
        };
        let found = |label| match (values, ends(predicate)) {
            ([], (None, None)) => None,
            ([], ends) => self.statistics.range(label, &IndexedRange::of(key, Vec::new(), ends)),
            (values, _) => values.iter().map(|value| equal(label, value)).sum::<Option<f64>>(),
        };
        let share = |(label, share): (VertexLabelId, f64)| {
            Some(share * found(label)? / self.statistics.vertices(Some(label)).max(1) as f64)
        };
        labels.iter().map(share).sum::<Option<f64>>().map(|share| share.min(1.0))
    }
}

/// Whether the current objects behind a step are those before it.
fn leaves_current(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::Identity
            | Kind::Keep { .. }
            | Kind::Barrier
            | Kind::MergeSacks(_)
            | Kind::Sack(_)
            | Kind::SackWith(_)
            | Kind::HoldRepeats
            | Kind::Collect { .. }
            | Kind::Coin(_)
            | Kind::TimeLimit(_)
            | Kind::BulkByDegree { .. }
            | Kind::BulkByWalks { .. }
    )
}

/// How often a loop's body runs, within reason.
fn iterations(repeat: &Repeat) -> i64 {
    let times = [&repeat.head.until, &repeat.tail.until].into_iter().find_map(|until| match until {
        LoopCondition::Times(n) => Some(*n),
        _ => None,
    });
    times.unwrap_or(LOOP_ITERATIONS).clamp(0, MOST_ITERATIONS_GUESSED)
}

/// The share of traversers that a test lets pass, if nothing is known about what they are.
fn guess(test: &Test) -> f64 {
    match test {
        Test::Has(_, Predicate::Compare(PredicateOp::Eq, _)) | Test::HasId(_) => EQUALITY_PASSES,
        Test::Constant(true) => 1.0,
        Test::Constant(false) => 0.0,
        Test::And(parts) => parts.iter().map(guess).product(),
        Test::Not(inner) => 1.0 - guess(inner),
        Test::HasKey(_) | Test::Present(_) | Test::Given(..) | Test::SimplePath(..) => PRESENCE_PASSES,
        _ => TEST_PASSES,
    }
}
