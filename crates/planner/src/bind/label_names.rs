//! Labels of vertices and edges, by name.

use gremlin::{Argument, PredicateOp};
use indexmap::IndexSet;
use values::{Str, Value, watch};

use super::Binder;
use super::call::Call;
use crate::PlanError;
use crate::physical::{EdgeLabels, Operand, Predicate, Test};

/// Labels as written.
#[derive(Default)]
struct Written {
    names: IndexSet<Str>,
    /// Those that are known only when the query runs.
    later: Vec<Operand>,
}

impl Binder<'_> {
    fn written_labels(&mut self, call: &Call<'_>, args: &[Argument]) -> Result<Written, PlanError> {
        let mut labels = Written::default();
        for argument in args {
            watch::ticks(2);
            match self.operand(call, argument)? {
                // Nothing has no label.
                Operand::Const(Value::Null) => {}
                Operand::Const(Value::String(name)) => {
                    labels.names.insert(name);
                }
                Operand::Const(_) => return Err(call.invalid("a label must be a string")),
                later => labels.later.push(later),
            }
        }
        Ok(labels)
    }

    /// The edge labels of `out('x')`, and the test that edges must pass where ids cannot say it.
    pub(super) fn edge_labels(
        &mut self,
        call: &Call<'_>,
        args: &[Argument],
    ) -> Result<(EdgeLabels, Option<Test>), PlanError> {
        if args.is_empty() {
            return Ok((EdgeLabels::All, None));
        }
        let written = self.written_labels(call, args)?;
        let mut ids = IndexSet::with_capacity(written.names.len());
        let mut unknown = Vec::new();
        for name in written.names {
            match self.schema.edge_label(&name) {
                Some(id) => {
                    ids.insert(id);
                }
                None => unknown.push(name),
            }
        }
        // A traversal that writes may create a label that the catalog does not know yet.
        if written.later.is_empty() && (unknown.is_empty() || !self.plan.writes) {
            return Ok((EdgeLabels::Only(ids.into_iter().collect()), None));
        }
        let names = ids
            .into_iter()
            .map(|id| self.schema.edge_label_name(id))
            .chain(unknown)
            .map(|name| Operand::Const(Value::String(name)))
            .chain(written.later)
            .collect();
        Ok((EdgeLabels::All, Some(Test::LabelIs(one_of(names)))))
    }

    /// `hasLabel('x', 'y')`. `by_id`: whether the elements have labels that are in the catalog.
    pub(super) fn label_test(
        &mut self,
        call: &Call<'_>,
        args: &[Argument],
        by_id: bool,
    ) -> Result<Test, PlanError> {
        let written = self.written_labels(call, args)?;
        if by_id && written.later.is_empty() {
            let vertex: Vec<_> =
                written.names.iter().filter_map(|name| self.schema.vertex_label(name)).collect();
            let edge: Vec<_> = written.names.iter().filter_map(|name| self.schema.edge_label(name)).collect();
            let known = |name: &Str| {
                self.schema.vertex_label(name).is_some() || self.schema.edge_label(name).is_some()
            };
            if !self.plan.writes || written.names.iter().all(known) {
                return Ok(Test::Label { vertex, edge });
            }
        }
        let names = written.names.into_iter().map(|name| Operand::Const(Value::String(name)));
        Ok(Test::LabelIs(one_of(names.chain(written.later).collect())))
    }
}

/// Equal to one of these.
pub(super) fn one_of(mut members: Vec<Operand>) -> Predicate {
    match members.len() {
        1 => Predicate::Compare(PredicateOp::Eq, members.remove(0)),
        _ => Predicate::Within { members, spread: false },
    }
}
