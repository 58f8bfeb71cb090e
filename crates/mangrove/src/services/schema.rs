//! `mangrove.schema.…`

use graph::{SchemaDescription, SortStatus};
use values::{Map, Value};

use crate::{Error, asker::Asker, database::Inner};

/// The schema and the indexes, with the number of the version.
pub(super) fn show(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let snapshot = inner.snapshot();
    let mut shown = Map::new();
    shown.insert("version", snapshot.catalog().schema().version() as i64);
    if let Some(described) = inner.graph.schema().to_value().as_map() {
        described.iter().for_each(|(key, value)| _ = shown.insert(key.clone(), value.clone()));
    }
    Ok(vec![shown.into()])
}

/// The names that the graph has: of vertex labels, edge labels and keys.
pub(super) fn names(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let snapshot = inner.snapshot();
    let catalog = snapshot.catalog();
    let list = |names: Vec<Value>| Value::list(names);
    let mut shown = Map::new();
    shown.insert("vertices", list(catalog.vertex_labels().map(|(_, name)| name.as_str().into()).collect()));
    shown.insert("edges", list(catalog.edge_labels().map(|(_, name)| name.as_str().into()).collect()));
    shown.insert("keys", list(catalog.keys().map(|(_, name)| name.as_str().into()).collect()));
    Ok(vec![shown.into()])
}

/// The edge labels whose lists do not all lie by their sort key yet, and how far each is.
pub(super) fn sorting(inner: &Inner, _: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    Ok(inner.graph.sorting().iter().map(SortStatus::to_value).collect())
}

/// Declares what is given; the schema then.
pub(super) fn declare(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    let given = description(parameters)?;
    let [has_mode, has_null_values] =
        ["mode", "allow_null_values"].map(|field| parameters.get(&Value::from(field)).is_some());
    inner.graph.change_schema(|schema| {
        schema.extend(&given);
        if has_mode {
            schema.mode = given.mode;
        }
        if has_null_values {
            schema.allow_null_values = given.allow_null_values;
        }
        Ok(())
    })?;
    given.indexes.iter().try_for_each(|index| inner.graph.declare_index(index))?;
    show(inner, parameters, asker)
}

/// Makes the schema what is given; the schema then.
pub(super) fn apply(inner: &Inner, parameters: &Map, asker: &Asker) -> Result<Vec<Value>, Error> {
    inner.graph.apply_schema(&description(parameters)?)?;
    show(inner, parameters, asker)
}

/// What would change if the schema were what is given, a line each.
pub(super) fn check(inner: &Inner, parameters: &Map, _: &Asker) -> Result<Vec<Value>, Error> {
    let given = description(parameters)?;
    inner.graph.check_schema(&given)?;
    Ok(inner.graph.schema().difference(&given).into_iter().map(Value::from).collect())
}

fn description(parameters: &Map) -> Result<SchemaDescription, Error> {
    // What `show` gives can be given back.
    let version = Value::from("version");
    let fields = parameters.iter().filter(|(key, _)| **key != version);
    let fields: Map = fields.map(|(key, value)| (key.clone(), value.clone())).collect();
    Ok(SchemaDescription::from_value(&fields.into()).map_err(graph::GraphError::from)?)
}
