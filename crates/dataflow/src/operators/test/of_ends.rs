//! Tests of the vertices that an expansion reaches, where it meets them.

use graph::Ends;
use values::VertexRef;

use super::super::view::Graph;
use super::Ready;
use super::having::Having;
use crate::batch::Batch;

/// Rows from which many ends are to be expected.
const MANY_ROWS: usize = 8;

/// Ends of one row that are many.
const MANY_ENDS: usize = 64;

/// Some tests by property, all of which the ends of edges must pass.
pub(in crate::operators) struct OfEnds<'a> {
    all: Vec<Having<'a>>,
    graph: &'a Graph<'a>,
    /// How many ends of a row it takes to make ready for many; `usize::MAX` once that is done.
    make_ready_from: usize,
}

impl<'a> OfEnds<'a> {
    /// The tests for the ends reached from the rows of a batch. `None` if they look at more than properties.
    pub(in crate::operators) fn new(test: &'a Ready, batch: &'a Batch, graph: &'a Graph<'a>) -> Option<Self> {
        let mut all = Vec::new();
        let make_ready_from = if batch.len >= MANY_ROWS { 1 } else { MANY_ENDS };
        gather(test, batch, graph, &mut all).then_some(Self { all, graph, make_ready_from })
    }

    /// How many of some vertices pass that were reached from a row of the batch.
    pub(in crate::operators) fn count(&mut self, reached: Ends<'_>, row: usize) -> usize {
        let vertices = reached.list;
        self.graph.reader.expect_ends(vertices);
        match &mut self.all[..] {
            [test] => {
                self.graph.note_properties(vertices, 0..vertices.len() as u32, test.key());
                if vertices.len() >= self.make_ready_from {
                    self.make_ready_from = usize::MAX;
                    test.expect_to_count(vertices[0]);
                }
                test.count(reached, row as u32)
            }
            _ => {
                let mut found = Vec::with_capacity(vertices.len());
                self.take(vertices, row, &mut found);
                found.len()
            }
        }
    }

    /// Appends the vertices that pass to `found`; they were reached from a row of the batch.
    pub(in crate::operators) fn take(
        &mut self,
        vertices: &[VertexRef],
        row: usize,
        found: &mut Vec<VertexRef>,
    ) {
        let (before, row) = (found.len(), row as u32);
        self.graph.reader.expect_ends(vertices);
        for test in &self.all {
            self.graph.note_properties(vertices, 0..vertices.len() as u32, test.key());
        }
        let Some((first, others)) = self.all.split_first_mut() else {
            return found.extend_from_slice(vertices);
        };
        if vertices.len() >= self.make_ready_from {
            self.make_ready_from = usize::MAX;
            first.expect_many_near(vertices[0]);
        }
        found.resize(before + vertices.len(), VertexRef(0));
        let kept = &mut found[before..];
        let mut left = first.select(vertices.len(), kept, |_, i| (vertices[i], vertices[i]), |_| row);
        for test in others {
            left = test.select(left, kept, |kept, i| (kept[i], kept[i]), |_| row);
        }
        found.truncate(before + left);
    }
}

fn gather<'a>(test: &'a Ready, batch: &'a Batch, graph: &'a Graph<'a>, all: &mut Vec<Having<'a>>) -> bool {
    match test {
        Ready::Has(key, check) => all.push(Having::new(*key, check, batch, graph)),
        Ready::And(tests) => return tests.iter().all(|test| gather(test, batch, graph, all)),
        _ => return false,
    }
    true
}
