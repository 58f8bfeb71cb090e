//! `select`: objects that were labelled, by slot, from a side-effect, from the current map or from the path.

use std::sync::Arc;

use gremlin::Pop;
use planner::physical::{OpKind, SelectForm, Selection, op};
use values::{Map, Str, Value};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::column_builder::ColumnBuilder;
use super::row_origins::trace;

/// See the module. A traverser that lacks one of the labels is dropped.
pub(super) fn select(batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Select(op::Select { selections, form }) = &cx.op.kind else { return Ok(Some(batch)) };
    let side_effects: Vec<Option<Value>> = selections
        .iter()
        .map(|s| s.side_effect.filter(|_| s.by.is_none()).map(|id| cx.query.side_effects.value(id)))
        .collect();
    let mut rows = Vec::with_capacity(batch.len);
    let mut results = ColumnBuilder::with_capacity(batch.len);
    for row in 0..batch.len {
        let find = |(selection, side_effect): (&Selection, &Option<Value>)| {
            find(selection, side_effect.as_ref(), &batch, row)
        };
        let result = match form {
            SelectForm::One => selections.first().zip(side_effects.first()).and_then(find),
            SelectForm::Map => {
                let entry = |(s, e): (&Selection, &Option<Value>)| {
                    Some((Value::String(s.name.clone()), find((s, e))?))
                };
                selections.iter().zip(&side_effects).map(entry).collect::<Option<Map>>().map(Value::from)
            }
        };
        if let Some(result) = result {
            rows.push(row as u32);
            results.push_value(Some(result));
        }
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let mut selected = if rows.len() == batch.len { batch } else { batch.gather(&rows) };
    selected.current = Arc::new(results.finish());
    trace(&mut selected, cx.op);
    Ok(Some(selected))
}

/// The selected object; `None` if there is none under the label, or its `by` gave nothing.
fn find(selection: &Selection, side_effect: Option<&Value>, batch: &Batch, row: usize) -> Option<Value> {
    if let Some(by) = selection.by {
        return batch.slot(by)?.get(row);
    }
    lookup(selection, side_effect, batch, row)
}

/// In TinkerPop's order: the current map, the side-effects, the objects on the way.
fn lookup(selection: &Selection, side_effect: Option<&Value>, batch: &Batch, row: usize) -> Option<Value> {
    let in_map = match &*batch.current {
        Column::Values(values) => entry(&values[row], selection),
        Column::Uniform(value) => entry(value, selection),
        Column::Optional(values) => values[row].as_ref().and_then(|value| entry(value, selection)),
        _ => None,
    };
    in_map.or_else(|| side_effect.cloned()).or_else(|| match (selection.slot, selection.pop) {
        (Some(slot), Pop::Last) => batch.slot(slot)?.get(row),
        (slot, pop) => in_path(&selection.name, pop, batch, row).or_else(|| {
            let only = batch.slot(slot?)?.get(row)?;
            Some(if pop == Pop::All { Value::list([only]) } else { only })
        }),
    })
}

fn entry(object: &Value, selection: &Selection) -> Option<Value> {
    match object {
        Value::Map(map) => map.get(&Value::String(selection.name.clone())).cloned(),
        _ => None,
    }
}

/// The objects under the label in the path, which of them as `pop` says.
pub(super) fn in_path(name: &Str, pop: Pop, batch: &Batch, row: usize) -> Option<Value> {
    let visited = batch.path.as_ref()?.looked_through(row);
    let labelled = visited.filter(|visited| visited.labels().contains(name));
    let mut found: Vec<Value> = labelled.map(|visited| visited.object()).collect();
    found.reverse();
    match pop {
        Pop::First => found.into_iter().next(),
        Pop::Last => found.pop(),
        Pop::All => (!found.is_empty()).then(|| found.into()),
        Pop::Mixed if found.len() == 1 => found.pop(),
        Pop::Mixed => (!found.is_empty()).then(|| found.into()),
    }
}
