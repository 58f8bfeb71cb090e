//! What was asked about values on the way to a plan, so that it can be told for which other values the plan is as good.
//!
//! A plan is made for the literals of the traversal that needs it first. Where an index was chosen by how many vertices have a
//! value, another literal may have a thousand times as many: the plan is used for it only if the answers are alike.

use std::cell::RefCell;

use graph::{Dir, EdgeLabelId, KeyId, VertexLabelId};

use crate::Statistics;
use crate::physical::{IndexedRange, Operand};
use crate::thresholds::{ALIKE, FEW_VERTICES};

/// A question about the values of literals, and the answer that a plan rests on.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Estimate {
    label: VertexLabelId,
    question: Question,
    answer: Option<f64>,
}

#[derive(Clone, Debug, PartialEq)]
enum Question {
    Equal(KeyId, Operand),
    Range(IndexedRange),
}

impl Estimate {
    /// Whether the answer is about the same now, for other literals.
    pub(crate) fn is_alike(&self, statistics: &dyn Statistics) -> bool {
        let now = match &self.question {
            Question::Equal(key, value) => statistics.equal(self.label, *key, value),
            Question::Range(range) => statistics.range(self.label, range),
        };
        match (self.answer, now) {
            (Some(then), Some(now)) => {
                let (then, now) = (then.max(FEW_VERTICES), now.max(FEW_VERTICES));
                then < now * ALIKE && now < then * ALIKE
            }
            (then, now) => then.is_some() == now.is_some(),
        }
    }
}

/// Statistics that note what they are asked about literals.
pub(crate) struct Estimates<'a> {
    statistics: &'a dyn Statistics,
    asked: RefCell<Vec<Estimate>>,
}

impl<'a> Estimates<'a> {
    pub(crate) fn new(statistics: &'a dyn Statistics) -> Self {
        Self { statistics, asked: RefCell::default() }
    }

    /// Everything that was asked.
    pub(crate) fn into_all(self) -> Vec<Estimate> {
        self.asked.into_inner()
    }

    fn note(&self, asked: Estimate) -> Option<f64> {
        let answer = asked.answer;
        let mut all = self.asked.borrow_mut();
        if !all.contains(&asked) {
            all.push(asked);
        }
        answer
    }
}

fn is_param(operand: &Operand) -> bool {
    matches!(operand, Operand::Param(_))
}

impl Statistics for Estimates<'_> {
    fn epoch(&self) -> u64 {
        self.statistics.epoch()
    }
    fn vertices(&self, label: Option<VertexLabelId>) -> u64 {
        self.statistics.vertices(label)
    }
    fn edges(&self, label: Option<EdgeLabelId>) -> u64 {
        self.statistics.edges(label)
    }
    fn degree(&self, label: EdgeLabelId, dir: Dir) -> f64 {
        self.statistics.degree(label, dir)
    }
    fn vertex_labels(&self) -> Vec<VertexLabelId> {
        self.statistics.vertex_labels()
    }
    fn edges_of(&self, vertex: VertexLabelId, edge: EdgeLabelId, dir: Dir) -> Option<(u64, u64)> {
        self.statistics.edges_of(vertex, edge, dir)
    }

    fn equal(&self, label: VertexLabelId, key: KeyId, value: &Operand) -> Option<f64> {
        let answer = self.statistics.equal(label, key, value);
        if is_param(value) {
            return self.note(Estimate { label, question: Question::Equal(key, value.clone()), answer });
        }
        answer
    }

    fn range(&self, label: VertexLabelId, range: &IndexedRange) -> Option<f64> {
        let answer = self.statistics.range(label, range);
        if range.equal.iter().chain(&range.low).chain(&range.high).any(is_param) {
            return self.note(Estimate { label, question: Question::Range(range.clone()), answer });
        }
        answer
    }

    fn distinct(&self, label: VertexLabelId, keys: &[KeyId], equal: usize) -> Option<f64> {
        self.statistics.distinct(label, keys, equal)
    }
}
