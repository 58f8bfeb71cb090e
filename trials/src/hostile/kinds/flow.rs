//! A traversal that is written and weighed step by step.

use super::super::ground::{BALL, DEGREE, VERTICES};
use super::super::needs::Needs;
use super::super::query::Hostile;

/// Bytes of a small value in a list, a path or a set, at least.
pub(super) const SLOT: f64 = 16.0;

/// A traversal under construction, with the stream that leaves its last step.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    pub text: String,
    pub needs: Needs,
    /// Traversers, each counted as often as its bulk.
    pub rows: f64,
    /// Different objects among them. An engine that merges equal traversers handles these only.
    pub distinct: f64,
    /// Bytes of each object.
    pub size: f64,
    /// Whether each traverser differs from all others by its path.
    pub apart: bool,
}

impl Flow {
    /// A stream of so many traversers at different objects.
    pub fn from(text: impl Into<String>, rows: f64) -> Self {
        let needs = Needs::default().rows(rows);
        Self { text: text.into(), needs, rows, distinct: rows, size: SLOT, apart: false }
    }

    /// All vertices.
    pub fn vertices() -> Self {
        Self::from("g.V()", VERTICES as f64)
    }

    /// The vertices of the ball, from each of which 16 edges lead to others, and 16 come.
    pub fn ball() -> Self {
        Self::from("g.V().hasLabel('ball')", BALL as f64)
    }

    /// One number.
    pub fn one() -> Self {
        Self::from("g.inject(1)", 1.0)
    }

    /// A step that costs no more than handing on what comes.
    pub fn then(mut self, step: &str) -> Self {
        self.text.push('.');
        self.text.push_str(step);
        self.needs = self.needs.rows(self.handled());
        self
    }

    /// Traversers that go through a step, merged where they may be.
    pub fn handled(&self) -> f64 {
        if self.apart { self.rows } else { self.distinct }
    }

    /// From the ball to its neighbours, so often: `out('e')` to 16, `both('e')` to 32.
    pub fn walk(mut self, both: bool, times: i32) -> Self {
        let fanout = (if both { 2 * DEGREE } else { DEGREE }) as f64;
        let step = if both { "both('e')" } else { "out('e')" };
        self.text = format!("{}.repeat({step}).times({times})", self.text);
        for _ in 0..times {
            self.rows *= fanout;
            self.needs = self.needs.rows(if self.apart { self.rows } else { self.distinct * fanout });
        }
        self.distinct = self.distinct.min(BALL as f64);
        self
    }

    /// Each traverser becomes two that differ, so often.
    pub fn two_texts(mut self, times: i32) -> Self {
        self.text = format!("{}.repeat(union(concat('a'),concat('b'))).times({times})", self.text);
        for _ in 0..times {
            self.rows *= 2.0;
            self.distinct *= 2.0;
            self.needs = self.needs.rows(self.distinct);
        }
        self
    }

    /// Each traverser becomes two that are equal, so often.
    pub fn two_alike(mut self, times: i32) -> Self {
        self.text = format!("{}.repeat(union(identity(),identity())).times({times})", self.text);
        self.rows *= 2f64.powi(times);
        self.needs = self.needs.rows(self.distinct * f64::from(times));
        self
    }

    /// The paths so far, of so many objects each. They keep the traversers apart, also before.
    pub fn paths(mut self, objects: i32) -> Self {
        self.text.push_str(".path()");
        self.apart = true;
        self.distinct = self.rows;
        self.size = SLOT * f64::from(objects);
        self.needs = self.needs.rows(self.rows);
        self
    }

    /// What must hold all different objects before it can go on, such as `order()`.
    pub fn gathered(mut self, step: &str) -> Self {
        self = self.then(step);
        // That what is alike in objects is kept once is left to the engine.
        self.needs = self.needs.holds(self.distinct * SLOT.min(self.size));
        self
    }

    /// What makes a value of all of it, such as `fold()`.
    pub fn folded(mut self, step: &str) -> Self {
        let size = self.rows * self.size;
        self = self.gathered(step);
        (self.rows, self.distinct, self.size) = (1.0, 1.0, size);
        self
    }

    /// What makes a value of each different object and how often it comes, such as `groupCount()`.
    pub fn counted(mut self, step: &str) -> Self {
        let size = self.distinct * (self.size + SLOT);
        self = self.gathered(step);
        (self.rows, self.distinct, self.size) = (1.0, 1.0, size);
        self
    }

    /// The number of what comes, or another value that does not grow with it.
    pub fn reduced(mut self, step: &str) -> Self {
        self = self.then(step);
        (self.rows, self.distinct, self.size) = (1.0, 1.0, SLOT);
        self
    }

    /// As it is, its results sent.
    pub fn sent(mut self) -> Hostile {
        self.needs = self.needs.results(self.rows).work(self.rows * self.size).value(self.size);
        let query = Hostile::script(self.text).needs(self.needs);
        if self.apart || self.rows <= self.distinct { query } else { query.in_text() }
    }
}
