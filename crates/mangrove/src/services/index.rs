//! `mangrove.index.…`

use graph::{GraphError, IndexDescription, IndexStatus};
use values::{Map, Value};

use crate::{Error, asker::Asker, database::Inner};

/// Declares an index, and waits for it on request; its status then.
pub(super) fn create(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let wait = parameters.get(&Value::from("wait")).and_then(Value::as_bool).unwrap_or(false);
    let index = description(parameters)?;
    inner.graph.declare_index(&index)?;
    if wait {
        inner.graph.await_index(&index)?;
    }
    let statuses = inner.graph.index_status();
    Ok(statuses.iter().filter(|status| status.index == index).map(IndexStatus::to_value).collect())
}

/// Drops an index; no result.
pub(super) fn drop(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    inner.graph.drop_index(&description(parameters)?)?;
    Ok(Vec::new())
}

/// The status of every index.
pub(super) fn list(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    Ok(inner.graph.index_status().iter().map(IndexStatus::to_value).collect())
}

fn description(parameters: &Map) -> Result<IndexDescription, Error> {
    let wait = Value::from("wait");
    let fields = parameters.iter().filter(|(key, _)| **key != wait);
    let fields: Map = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    Ok(IndexDescription::from_value(&fields.into()).map_err(GraphError::from)?)
}
