//! Schemas as TOML files: the maps of [`SchemaDescription::from_value`], written as tables. See `docs/schema.md`.

use std::path::{Path, PathBuf};

use graph::{SchemaDescription, SchemaError};
use values::{Map, Value};

/// Why a file is no schema.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFileError {
    /// It cannot be read.
    #[error("cannot read the schema {path}: {reason}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the operating system says.
        reason: String,
    },
    /// It is not TOML, or holds what no schema holds.
    #[error("{path}: {reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where, and what is wrong.
        reason: String,
    },
}

/// Reads a schema file.
///
/// # Errors
/// With the place of what was not understood.
pub fn read(path: &Path) -> Result<SchemaDescription, SchemaFileError> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| SchemaFileError::Unreadable { path: path.into(), reason: error.to_string() })?;
    parse(&text).map_err(|reason| SchemaFileError::Malformed { path: path.into(), reason })
}

fn parse(text: &str) -> Result<SchemaDescription, String> {
    let table: toml::Table = text.parse().map_err(|error: toml::de::Error| error.to_string())?;
    let value = value_of(&toml::Value::Table(table));
    SchemaDescription::from_value(&value).map_err(|error: SchemaError| error.to_string())
}

/// A schema as a file.
pub fn write(schema: &SchemaDescription) -> String {
    let toml = toml_of(&schema.to_value());
    // A description is made of strings, booleans, longs, lists and maps: all of them have a form in TOML.
    toml.and_then(|toml| toml::to_string_pretty(&toml).ok()).unwrap_or_default()
}

fn value_of(toml: &toml::Value) -> Value {
    match toml {
        toml::Value::String(text) => Value::str(text.as_str()),
        toml::Value::Boolean(truth) => Value::Bool(*truth),
        toml::Value::Integer(number) => Value::Long(*number),
        toml::Value::Float(number) => Value::Double(*number),
        toml::Value::Datetime(time) => Value::from(time.to_string()),
        toml::Value::Array(items) => Value::from(items.iter().map(value_of).collect::<Vec<_>>()),
        toml::Value::Table(table) => {
            let entries = table.iter().map(|(key, value)| (Value::str(key.as_str()), value_of(value)));
            entries.collect::<Map>().into()
        }
    }
}

fn toml_of(value: &Value) -> Option<toml::Value> {
    Some(match value {
        Value::String(text) => toml::Value::String(text.to_string()),
        Value::Bool(truth) => toml::Value::Boolean(*truth),
        Value::Long(number) => toml::Value::Integer(*number),
        Value::List(items) => toml::Value::Array(items.iter().map(toml_of).collect::<Option<_>>()?),
        Value::Map(map) => {
            let entry = |(key, value): (&Value, &Value)| Some((key.as_str()?.to_owned(), toml_of(value)?));
            toml::Value::Table(map.iter().map(entry).collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const EXAMPLE: &str = r#"
        mode = "strict"

        [vertices.person.keys]
        id = { type = "long", required = true }
        name = "string"
        email = { type = "string", cardinality = "set", meta = { since = "datetime" } }

        [edges.knows]
        sort = "since"
        nodes = 500
        keys = { since = "datetime" }

        [[indexes]]
        label = "person"
        keys = ["id"]
        kind = "unique"
    "#;

    #[test]
    fn a_schema_comes_back_from_its_file() {
        let schema = parse(EXAMPLE).unwrap();
        assert!(schema.vertices["person"].keys["id"].required);
        assert_eq!(schema.edges["knows"].sort_key.as_deref(), Some("since"));
        assert_eq!(schema.edges["knows"].nodes, Some(graph::NodeBounds { min: 250, max: 500 }));
        assert_eq!(parse(&write(&schema)).unwrap(), schema);
    }

    #[test]
    fn a_mistake_is_reported_with_its_place() {
        let error = parse("[vertices.person.keys]\nage = \"lnog\"").unwrap_err();
        assert!(error.starts_with("vertices.person.keys.age: no type is called \"lnog\""), "{error}");
        let error = parse("mode = ").unwrap_err();
        assert!(error.contains("line 1"), "{error}");
    }
}
