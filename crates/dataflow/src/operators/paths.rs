//! `path`: the history of a traverser as an object.

use std::sync::Arc;

use planner::physical::{FetchKind, OpKind, op};
use values::{Path, Value, watch};

use crate::batch::{Batch, Column};
use crate::error::QueryError;
use crate::operator::Context;

use super::making::Making;
use super::property::{Unfit, fetch_one};
use super::row_origins::trace;
use super::test::between;
use super::view::{Graph, View};

/// See the module. A traverser for which one of the `by`s gives nothing is dropped.
pub(super) fn path(batch: Batch, cx: &Context<'_>) -> Result<Option<Batch>, QueryError> {
    let OpKind::Path(op::Path { by, lenient, from, to }) = &cx.op.kind else { return Ok(Some(batch)) };
    let Some(paths) = batch.path.clone() else {
        return Err(QueryError::Internal {
            step: cx.op.step.to_string(),
            message: "no paths are recorded".into(),
        });
    };
    let view = View::of(cx);
    let graph = view.graph();
    let (mut rows, mut results) = (Vec::with_capacity(batch.len), Vec::with_capacity(batch.len));
    let mut making = Making::new(cx);
    for row in 0..batch.len {
        let part = between(&paths, row, from.as_ref(), to.as_ref())?;
        let mut path = Path::default();
        let mut complete = true;
        for (i, visited) in part.iter().rev().enumerate() {
            let object = transformed(visited.object(), by, i, &graph).map_err(|several| several.error(cx))?;
            match object {
                Some(object) => {
                    watch::ticks(visited.labels().len() / 16);
                    path.push(object, visited.labels().to_vec());
                }
                None => complete = *lenient,
            }
            if !complete {
                break;
            }
        }
        if complete {
            rows.push(row as u32);
            let path = Value::from(path);
            making.add(&path)?;
            results.push(path);
        }
    }
    if rows.is_empty() {
        return Ok(None);
    }
    let mut mapped = if rows.len() == batch.len { batch } else { batch.gather(&rows) };
    mapped.current = Arc::new(Column::Values(results));
    trace(&mut mapped, cx.op);
    Ok(Some(mapped))
}

/// The ith object, transformed by its turn of the `by`s.
fn transformed(object: Value, by: &[FetchKind], i: usize, graph: &Graph<'_>) -> Result<Option<Value>, Unfit> {
    match by {
        [] => Ok(Some(object)),
        by => fetch_one(&object, &by[i % by.len()], graph),
    }
}
