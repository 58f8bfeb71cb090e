//! Objects that come from nowhere.

use std::sync::Arc;

use planner::physical::{Injected, OpKind};
use values::Value;

use crate::batch::{Batch, Column, Paths, Tags};
use crate::entered::TagSet;
use crate::error::QueryError;
use crate::operator::{Context, Operator, Output, Step};

use super::super::element::attach;
use super::super::reduce::owed;
use super::super::row_origins::trace;
use super::super::view::{Graph, View};

/// `inject`: once per scope tag the given objects and the input's own traversers, whichever are first. The seed of a query is no
/// traverser of its own. An element that a client sends is the one of the graph, as if by `V(id)`.
#[derive(Default)]
pub(in crate::operators) struct Inject {
    /// Tags that have got their objects.
    injected: TagSet,
}

impl Inject {
    /// Emits the objects for all tags that have not got them.
    fn inject(&mut self, like: Option<&Batch>, cx: &Context<'_>, out: &mut Output) -> Result<(), QueryError> {
        let OpKind::Inject(operands, _) = &cx.op.kind else { return Ok(()) };
        let seed = Batch::seed(cx.query.plan.slots as usize, cx.query.plan.history.is_kept());
        let like = like.unwrap_or(&seed);
        let mut objects: Vec<Value> = operands.iter().filter_map(|o| cx.operand(o, like, 0)).collect();
        if objects.iter().any(may_have_elements) {
            let view = View::of(cx);
            let graph = view.graph();
            let of_graph = objects.into_iter().map(|object| of_graph(object, &graph, cx));
            objects = of_graph.collect::<Result<_, _>>()?;
        }
        let fresh: Vec<u32> = owed(cx).filter(|tag| !self.injected.contains(*tag)).collect();
        fresh.iter().for_each(|tag| self.injected.insert(*tag));
        if fresh.is_empty() || objects.is_empty() {
            return Ok(());
        }
        let len = fresh.len() * objects.len();
        let column = Column::from_values(fresh.iter().flat_map(|_| objects.iter().cloned()).collect());
        let mut batch = Batch::new(column, len);
        batch.slots = vec![None; cx.query.plan.slots as usize];
        batch.path = cx.query.plan.history.is_kept().then(|| Arc::new(Paths::empty(len)));
        if !cx.single_tag {
            let tags = fresh.iter().flat_map(|tag| std::iter::repeat_n(*tag, objects.len()));
            batch.tags = Tags::Rows(Arc::new(tags.collect()));
        }
        trace(&mut batch, cx.op);
        out.emit(batch);
        Ok(())
    }
}

impl Operator for Inject {
    fn step(&mut self, input: Option<Batch>, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        if !matches!(cx.op.kind, OpKind::Inject(_, Injected::Last)) {
            self.inject(input.as_ref(), cx, out)?;
        }
        if let Some(mut batch) = input.filter(|batch| !is_seed(batch)) {
            // What passes is called what the new objects are.
            batch.relabel_path(&cx.op.labels);
            out.emit(batch);
        }
        Ok(Step::Idle)
    }

    fn complete(&mut self, cx: &Context<'_>, out: &mut Output) -> Result<Step, QueryError> {
        self.inject(None, cx, out)?;
        Ok(Step::Idle)
    }

    fn reset(&mut self) {
        self.injected.clear();
    }
}

/// Whether there may be an element of the graph to be looked for.
fn may_have_elements(object: &Value) -> bool {
    matches!(object, Value::Vertex(_) | Value::Edge(_) | Value::List(_) | Value::Set(_))
}

/// An object, or the element of the graph that it is.
///
/// # Errors
/// If it is an element that is not in the graph.
fn of_graph(object: Value, graph: &Graph<'_>, cx: &Context<'_>) -> Result<Value, QueryError> {
    match attach(object, graph) {
        Value::Vertex(vertex) => Err(QueryError::step(&cx.op.step, absent("vertex", &vertex.id))),
        Value::Edge(edge) => Err(QueryError::step(&cx.op.step, absent("edge", &edge.id))),
        object => Ok(object),
    }
}

fn absent(kind: &str, id: &Value) -> String {
    format!("the {kind} {} is not in the graph", values::excerpt(id))
}

/// Whether this is the seed. No operator emits a uniform null, so nothing else looks like it.
fn is_seed(batch: &Batch) -> bool {
    *batch.current == Column::Uniform(Value::Null)
        && batch.slots.iter().all(Option::is_none)
        && batch.path.as_ref().is_none_or(|paths| paths.is_empty())
}
