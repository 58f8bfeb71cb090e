//! Functions of the current object alone: steps with `Scope.local`, and the functions of text, numbers, dates and lists.

mod call;
mod collection;
mod date;
mod distinct;
mod held;
mod list;
mod number;
mod parts;
mod property;
mod sort;
mod text;
mod to_text;

pub(super) use collection::{count, each};

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::Arc;

use graph::EdgeLabelId;
use planner::physical::op::ToText;
use planner::physical::{Aggregation, Function, LocalFn, OpKind, Operand};
use values::{T, Value};

use crate::batch::{Batch, Column, bulk};
use crate::detach::excerpt_of;
use crate::error::QueryError;
use crate::operator::Context;

use super::aggregate::reduce_members;
use super::column_builder::ColumnBuilder;
use super::element;
use super::making::Making;
use super::row_origins::trace;
use super::view::{Graph, View};
use crate::memory::StateMemory;
use held::Unfinished;

/// What a function may look at besides the object.
#[derive(Clone, Copy)]
struct Around<'a> {
    cx: &'a Context<'a>,
    graph: &'a Graph<'a>,
    batch: &'a Batch,
    row: usize,
    /// The arguments, where they are the same for all rows.
    given: Option<&'a [Value]>,
    /// What the function holds while it works.
    held: &'a RefCell<StateMemory>,
}

/// Bytes that a function may hold without saying so.
const FREE: u64 = 64 << 10;

impl Around<'_> {
    /// Makes room for bytes that the function needs until it has its result.
    fn hold(&self, bytes: u64) -> Result<(), QueryError> {
        if bytes <= FREE {
            return Ok(());
        }
        self.admit(bytes)?;
        self.held.borrow_mut().grow(&self.cx.query.memory, bytes as usize)
    }

    /// Refuses what is larger than all that the query may hold.
    fn admit(&self, bytes: u64) -> Result<(), QueryError> {
        let limit = self.cx.query.memory.limit();
        if bytes > limit { Err(QueryError::ValueTooLarge { size: bytes, limit }) } else { Ok(()) }
    }

    /// Refuses a text that has become too long.
    fn fits(&self, bytes: usize) -> Result<(), QueryError> {
        self.admit(bytes as u64)?;
        if bytes > text::MAX_TEXT {
            return Err(self.error(format!("the text would be longer than {} MiB", text::MAX_TEXT >> 20)));
        }
        Ok(())
    }

    /// Whether the argument of that index was computed by a traversal.
    fn is_computed(&self, index: usize) -> bool {
        match &self.cx.op.kind {
            OpKind::Local(LocalFn::Call(_, args) | LocalFn::Each(_, args)) => {
                matches!(args.get(index), Some(Operand::Slot(_)))
            }
            _ => false,
        }
    }

    /// An error of the step.
    fn error(&self, message: impl Into<String>) -> QueryError {
        QueryError::step(&self.cx.op.step, message)
    }
}

/// Applies a function to the current object of each row; a row without a result is dropped.
pub(super) fn local(batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Local(function) = &cx.op.kind else { return Ok(Some(batch)) };
    let view = View::of(cx);
    let graph = view.graph();
    if let Some(column) = whole_column(function, &batch, cx, &graph) {
        let mut mapped = batch;
        mapped.current = Arc::new(column);
        trace(&mut mapped, cx.op);
        return Ok(Some(mapped));
    }
    let mapped = Mapped::with_room_for(batch.len);
    let mut work = Unfinished::new((batch, mapped), &cx.query.memory);
    let (batch, mapped) = work.get();
    mapped.fill(function, batch, cx, &graph)?;
    let (batch, mapped) = work.finish();
    Ok(mapped.in_place_of(batch, cx))
}

/// What has become of the rows of a batch.
struct Mapped {
    /// Those that have a result.
    rows: Vec<u32>,
    results: ColumnBuilder,
}

impl Mapped {
    fn with_room_for(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), results: ColumnBuilder::with_capacity(rows) }
    }

    /// Applies a function to the object of each row.
    fn fill(
        &mut self,
        function: &LocalFn,
        batch: &Batch,
        cx: &Context<'_>,
        graph: &Graph<'_>,
    ) -> Result<(), QueryError> {
        let mut making = Making::new(cx);
        let held = RefCell::default();
        let given = given(function, batch, cx);
        let given = given.as_deref();
        for row in 0..batch.len {
            let around = Around { cx, graph, batch, row, given, held: &held };
            let result = apply(function, &batch.current.value(row), around)?;
            held.borrow_mut().release();
            if let Some(result) = result {
                // It is with the others before it is weighed, which may be the end of the query.
                self.results.push_value(Some(result));
                self.rows.push(row as u32);
                self.results.last().map_or(Ok(()), |result| making.add(result))?;
            }
        }
        Ok(())
    }

    /// The batch with the results as its objects.
    fn in_place_of(self, batch: Batch, cx: &Context<'_>) -> Option<Batch> {
        let Self { rows, results } = self;
        if rows.is_empty() {
            return None;
        }
        let mut mapped = if rows.len() == batch.len { batch } else { batch.gather(&rows) };
        mapped.current = Arc::new(results.finish());
        trace(&mut mapped, cx.op);
        Some(mapped)
    }
}

/// Functions that are quicker for a whole column.
fn whole_column(function: &LocalFn, batch: &Batch, cx: &Context<'_>, graph: &Graph<'_>) -> Option<Column> {
    match (function, &*batch.current) {
        (LocalFn::Constant(operand), _) if !matches!(operand, Operand::Slot(_)) => {
            match cx.operand(operand, batch, 0)? {
                // A uniform null is the seed's alone.
                Value::Null => Some(Column::Values(vec![Value::Null; batch.len])),
                value => Some(Column::Uniform(value)),
            }
        }
        (LocalFn::Id, Column::Vertices(vertices)) => {
            let mut ids = ColumnBuilder::with_capacity(batch.len);
            vertices.iter().for_each(|v| ids.push_value(Some(graph.reader.id(*v))));
            Some(ids.finish())
        }
        (LocalFn::Label, Column::Edges(edges)) => {
            let catalog = graph.reader.snapshot().catalog();
            let label =
                |e: &values::EdgeRef| Value::String(catalog.edge_label_name(EdgeLabelId(e.label)).clone());
            Some(Column::Values(edges.iter().map(label).collect()))
        }
        _ => None,
    }
}

// For each row, in one place.
#[inline(always)]
fn apply(function: &LocalFn, object: &Value, around: Around<'_>) -> Result<Option<Value>, QueryError> {
    let arithmetic = |e: values::number::ArithmeticError| around.error(e.to_string());
    match function {
        LocalFn::Count => Ok(Some(Value::Long(bulk::exact(collection::count(object) as u64)?))),
        // A member of a bulk set may be there more often than anybody can count to.
        LocalFn::Sum | LocalFn::Min | LocalFn::Max | LocalFn::Mean
            if let (Value::BulkSet(members), Some(aggregation)) = (object, aggregation(function)) =>
        {
            reduce_members(&aggregation, members, around.cx)
        }
        LocalFn::Sum => collection::sum(object).map_err(arithmetic),
        LocalFn::Min => collection::extreme(object, values::number::min).map_err(arithmetic),
        LocalFn::Max => collection::extreme(object, values::number::max).map_err(arithmetic),
        LocalFn::Mean => collection::mean(object).map_err(arithmetic),
        LocalFn::Range(low, high) => collection::part(object, *low, *high, around).map(Some),
        LocalFn::Tail(n) => {
            let size = bulk::exact(collection::count(object) as u64)?;
            collection::part(object, size.saturating_sub(*n), size, around).map(Some)
        }
        LocalFn::Dedup => collection::dedup(object, around).map(Some),
        LocalFn::Order(keys) => {
            sort::sorted(object, keys, around).map(Some).map_err(|unfit| unfit.error(around.cx))
        }
        LocalFn::Id => token(object, T::Id, around).map(Some),
        LocalFn::Label => token(object, T::Label, around).map(Some),
        LocalFn::Key => token(object, T::Key, around).map(Some),
        LocalFn::Value => token(object, T::Value, around).map(Some),
        LocalFn::Constant(value) => Ok(operand(value, around)),
        LocalFn::Column(part) => parts::column(object, *part, around).map(Some),
        LocalFn::MapEntry(key) => Ok(map_entry(object, key)),
        LocalFn::Loops => {
            let loops = around.cx.tag.loops;
            Ok(Some(i32::try_from(loops).map_or(Value::Long(loops), Value::Int)))
        }
        LocalFn::Sample(count) => parts::sample(object, *count, around).map(Some),
        LocalFn::Members => parts::members(object, around),
        LocalFn::Rebuilt(members) => {
            operand(members, around).map(|members| parts::rebuilt(object, members, around)).transpose()
        }
        LocalFn::EntryOf(value) => {
            Ok(operand(value, around).and_then(|value| parts::entry_of(object, value)))
        }
        LocalFn::Turn { first, of } => parts::turn(object, *first, *of, around),
        LocalFn::ListOf(value) => Ok(Some(operand(value, around).into_iter().collect::<Vec<_>>().into())),
        LocalFn::PathOf(lists) => Ok(parts::path_of(object, lists, false, around)),
        LocalFn::PathOfSome(lists) => Ok(parts::path_of(object, lists, true, around)),
        LocalFn::IsSimple => parts::is_simple(object, around),
        LocalFn::Scoped { key, pop, side_effects } => {
            Ok(operand(key, around).and_then(|key| parts::scoped(object, &key, *pop, side_effects, around)))
        }
        LocalFn::Made { .. } if object.is_null() => Ok(Some(Value::Null)),
        LocalFn::Made { by, must: true } => argument(by, object, around).map(Some),
        LocalFn::Made { by, must: false } => Ok(operand(by, around)),
        LocalFn::Call(Function::ToText(ToText::Format), args) => {
            let made: Vec<Option<Value>> = args.iter().map(|arg| operand(arg, around)).collect();
            to_text::format(object, &made, around)
        }
        LocalFn::Call(function, args) => {
            call::call(*function, &arguments(args, object, around)?, object, around)
        }
        LocalFn::Each(function, args) => {
            call::call_on_each(*function, &arguments(args, object, around)?, object, around)
        }
    }
}

/// What a step with `Scope.local` is called when it reduces traversers.
fn aggregation(function: &LocalFn) -> Option<Aggregation> {
    match function {
        LocalFn::Sum => Some(Aggregation::Sum),
        LocalFn::Min => Some(Aggregation::Min),
        LocalFn::Max => Some(Aggregation::Max),
        LocalFn::Mean => Some(Aggregation::Mean),
        _ => None,
    }
}

/// What an operand is for a row, if there is anything.
fn operand(operand: &Operand, around: Around<'_>) -> Option<Value> {
    around.cx.operand(operand, around.batch, around.row)
}

/// An argument of a function for a row. What a traversal was to compute must be there.
fn argument(arg: &Operand, object: &Value, around: Around<'_>) -> Result<Value, QueryError> {
    operand(arg, around).ok_or_else(|| {
        around.error(format!(
            "The provided traverser does not map to a value: its traversal has no result for {} of type {}",
            excerpt_of(object, &around.graph.reader),
            object.type_name()
        ))
    })
}

/// All of them.
fn arguments<'a>(
    args: &[Operand],
    object: &Value,
    around: Around<'a>,
) -> Result<Cow<'a, [Value]>, QueryError> {
    match around.given {
        Some(given) => Ok(Cow::Borrowed(given)),
        None => {
            args.iter().map(|arg| argument(arg, object, around)).collect::<Result<_, _>>().map(Cow::Owned)
        }
    }
}

/// The arguments of a function that are the same for all rows, if all are.
fn given(function: &LocalFn, batch: &Batch, cx: &Context<'_>) -> Option<Vec<Value>> {
    let (LocalFn::Call(_, args) | LocalFn::Each(_, args)) = function else { return None };
    let given = |arg: &Operand| match arg {
        Operand::Const(_) | Operand::Param(_) => cx.operand(arg, batch, 0),
        Operand::Slot(_) | Operand::SideEffect(_) => None,
    };
    args.iter().map(given).collect()
}

fn token(object: &Value, token: T, around: Around<'_>) -> Result<Value, QueryError> {
    element::token_of(object, token, around.graph).ok_or_else(|| {
        around.error(format!("a value of type {} has no {}", object.type_name(), token.as_str()))
    })
}

fn map_entry(object: &Value, key: &Value) -> Option<Value> {
    match object {
        Value::Map(map) => map.get(key).cloned(),
        Value::Entry(entry) => (entry.0 == *key).then(|| entry.1.clone()),
        _ => None,
    }
}
