//! A pipeline under construction.

use std::collections::HashSet;

use values::Str;

use crate::HIDDEN;
use crate::logical::Label;
use crate::physical::{By, FetchKind, Op, OpKind, Pipeline, ScopeKind, Slot, Test};

/// An operator that gets its number at the end of lowering.
pub(super) fn unnumbered(kind: OpKind, step: Str, moves: bool) -> Op {
    Op { id: 0, kind, step, labels: Vec::new(), moves, rows: 0.0 }
}

/// The operators of a pipeline so far, and what is known about them.
#[derive(Clone, Default)]
pub(super) struct Ops {
    /// The operators.
    pub ops: Vec<Op>,
    /// What is expected of the step of each.
    pub expected: Vec<Expected>,
    /// What has been fetched already, and is still true.
    pub fetched: Vec<(By, FetchKind, Slot)>,
    /// The name of the step that is being lowered.
    pub step: Str,
    /// What is expected of it.
    pub expecting: Expected,
}

/// What is expected of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Expected {
    /// Traversers that enter or leave it, whichever are more, as a guess.
    pub rows: f64,
    /// The most edges that it may follow from one traverser, as far as that is known and they are wanted.
    pub at_once: f64,
    /// Whether a step behind it can tell how many travel as one.
    pub shown: bool,
}

/// Whether the operator gives its own labels to its results. Scopes whose results leave as the operators inside made
/// them do not.
fn labels_results(kind: &OpKind) -> bool {
    match kind {
        OpKind::Scope(scope) => {
            matches!(
                scope.kind,
                ScopeKind::Filter { .. }
                    | ScopeKind::Apply { .. }
                    | ScopeKind::SideEffect { .. }
                    | ScopeKind::Group { .. }
                    | ScopeKind::Algorithm(_)
            )
        }
        _ => true,
    }
}

impl Ops {
    /// Adds an operator that leaves the current object and the path as they are.
    pub fn stay(&mut self, kind: OpKind) {
        self.push(kind, false);
    }

    /// Adds an operator whose result is a new object, and a new entry of the path.
    pub fn go(&mut self, kind: OpKind) {
        self.push(kind, true);
        self.current_changed();
    }

    /// Adds an operator whose result is another object, or another stream, without being an entry of the path of its
    /// own.
    pub fn replace(&mut self, kind: OpKind) {
        self.push(kind, false);
        self.current_changed();
    }

    /// Notes how many traversers leave the operators of a step, of which the first has that number: as many as enter it, and
    /// from the one that does what the step does as many as leave it. Behind that one there are only names.
    pub fn expect(&mut self, first: usize, entering: f64, leaving: f64) {
        let Some(ops) = self.ops.get_mut(first..) else { return };
        let names = |op: &Op| matches!(op.kind, OpKind::Store(_));
        let last = ops.iter().rposition(|op| !names(op)).unwrap_or(0);
        for (place, op) in ops.iter_mut().enumerate() {
            op.rows = if place < last { entering } else { leaving };
        }
    }

    /// Shows each operator and the one behind it to `take`, which makes one of both where it can: then it says so, and the
    /// second is removed.
    pub fn merge_pairs(&mut self, take: impl Fn(&mut Op, &mut Op) -> bool) {
        let mut index = 1;
        while index < self.ops.len() {
            let (before, behind) = self.ops.split_at_mut(index);
            if let ([.., first], [second, ..]) = (before, behind)
                && take(first, second)
            {
                self.ops.remove(index);
                let of_second = self.expected.remove(index);
                let expected = &mut self.expected[index - 1];
                expected.rows = expected.rows.max(of_second.rows);
            } else {
                index += 1;
            }
        }
    }

    fn push(&mut self, kind: OpKind, moves: bool) {
        self.ops.push(unnumbered(kind, self.step.clone(), moves));
        self.expected.push(self.expecting);
    }

    fn current_changed(&mut self) {
        self.fetched.retain(|(from, ..)| *from != By::Current);
    }

    /// What was fetched into a slot, or from it, is no longer what it was.
    pub fn slot_changed(&mut self, changed: Slot) {
        self.fetched.retain(|(from, _, into)| *from != By::Slot(changed) && *into != changed);
    }

    /// Everything that was fetched may have changed.
    pub fn graph_changed(&mut self) {
        self.fetched.clear();
    }

    /// Gives the result so far these names.
    pub fn label(&mut self, labels: &[Label], paths: bool) {
        if labels.is_empty() {
            return;
        }
        for slot in labels.iter().filter_map(|label| label.slot) {
            self.slot_changed(slot);
            self.stay(OpKind::Store(slot));
        }
        if paths {
            if !self.ops.last().is_some_and(|last| labels_results(&last.kind)) {
                self.stay(OpKind::Filter(Test::Constant(true)));
            }
            if let Some(last) = self.ops.last_mut() {
                // What match() calls its variables, nobody sees.
                let shown = labels.iter().filter(|label| !label.name.starts_with(HIDDEN));
                last.labels.extend(shown.map(|label| label.name.clone()));
            }
        }
    }

    /// The pipeline. It has at least one operator.
    pub fn finish(mut self) -> Pipeline {
        if self.ops.is_empty() {
            self.step = Str::from("identity()");
            self.stay(OpKind::Filter(Test::Constant(true)));
        }
        for op in self.ops.iter_mut().filter(|op| op.labels.len() > 1) {
            // An object has a name once.
            let mut seen = HashSet::new();
            op.labels.retain(|label| seen.insert(label.clone()));
        }
        Pipeline::new(self.ops)
    }
}
