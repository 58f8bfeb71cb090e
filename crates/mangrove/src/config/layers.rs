//! How the layers are read and laid over each other.

use std::path::Path;

use serde::Deserialize;
use toml::{Table, Value};

use super::{Config, ConfigError};

const PREFIX: &str = "MANGROVE_";

/// One setting from a variable or a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Where it comes from, for messages: `MANGROVE_SERVER_PORT` or `--port`.
    origin: String,
    /// The dotted key: `server.port`.
    key: String,
    /// The value as text.
    value: String,
}

impl Override {
    /// A setting given as `--set key=value`, or by a flag of its own that stands for `key`.
    pub fn flag(key: impl Into<String>, value: impl ToString) -> Self {
        let key = key.into();
        Self { origin: format!("--set {key}"), key, value: value.to_string() }
    }
}

/// Parses the file, and checks it against [`Config`] while mistakes still have a line and a column.
pub(super) fn parse_file(path: &Path, text: &str) -> Result<Table, ConfigError> {
    let located = |error: toml::de::Error| {
        let offset = error.span().map_or(0, |span| span.start);
        let before = text.get(..offset).unwrap_or(text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        ConfigError::File {
            path: path.into(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            reason: with_suggestion(error.message()),
        }
    };
    toml::from_str::<Config>(text).map_err(located)?;
    toml::from_str(text).map_err(located)
}

/// Adds the nearest name to serde's message about an unknown field, which lists the known ones.
fn with_suggestion(message: &str) -> String {
    let Some((unknown, known)) =
        message.strip_prefix("unknown field `").and_then(|rest| rest.split_once('`'))
    else {
        return message.trim_end().replace('\n', " ");
    };
    let known = known.split('`').skip(1).step_by(2);
    format!("there is no setting `{unknown}` here{}", suggestion(unknown, known))
}

/// `; did you mean …?` with the name closest to `unknown`, if one is close.
fn suggestion<'a>(unknown: &str, known: impl Iterator<Item = &'a str>) -> String {
    known
        .map(|name| (strsim::osa_distance(unknown, name), name))
        .min()
        .filter(|(distance, name)| *distance <= name.len().div_ceil(3))
        .map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}

/// Every setting there is, by its dotted key, with its default value.
fn settings() -> Vec<(String, Value)> {
    fn flatten(prefix: &str, table: Table, out: &mut Vec<(String, Value)>) {
        for (name, value) in table {
            let key = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            match value {
                Value::Table(table) => flatten(&key, table, out),
                value => out.push((key, value)),
            }
        }
    }
    let mut out = Vec::new();
    let defaults =
        Table::try_from(Config::default()).expect("the defaults have a TOML form; a test reads them");
    flatten("", defaults, &mut out);
    out
}

/// The dotted keys of what is not the same in two configurations.
pub(super) fn differences(one: &Config, other: &Config) -> Vec<String> {
    fn compare(prefix: &str, one: &Table, other: &Table, out: &mut Vec<String>) {
        let keys: std::collections::BTreeSet<_> = one.keys().chain(other.keys()).collect();
        for name in keys {
            let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
            match (one.get(name), other.get(name)) {
                (Some(Value::Table(one)), Some(Value::Table(other))) => compare(&key, one, other, out),
                (one, other) if one != other => out.push(key),
                _ => {}
            }
        }
    }
    let table = |config: &Config| Table::try_from(config).unwrap_or_default();
    let mut out = Vec::new();
    compare("", &table(one), &table(other), &mut out);
    out
}

/// The settings among the environment's variables. One that starts right but names no setting is reported and
/// skipped: it may be meant for another version of the program.
pub(super) fn from_environment(environment: impl IntoIterator<Item = (String, String)>) -> Vec<Override> {
    let settings = settings();
    let variable = |key: &str| format!("{PREFIX}{}", key.to_uppercase().replace('.', "_"));
    let mut overrides = Vec::new();
    for (name, value) in environment {
        if !name.starts_with(PREFIX) {
            continue;
        }
        match settings.iter().find(|(key, _)| variable(key) == name) {
            Some((key, _)) => overrides.push(Override { origin: name, key: key.clone(), value }),
            None => tracing::debug!(%name, "the variable names no setting"),
        }
    }
    overrides.sort_by(|a, b| a.key.cmp(&b.key));
    overrides
}

/// Lays one setting over a table.
pub(super) fn apply(table: &mut Table, change: &Override) -> Result<(), ConfigError> {
    let settings = settings();
    let Some((_, default)) = settings.iter().find(|(key, _)| *key == change.key) else {
        return Err(ConfigError::UnknownKey {
            origin: change.origin.clone(),
            key: change.key.clone(),
            suggestion: suggestion(&change.key, settings.iter().map(|(key, _)| key.as_str())),
        });
    };
    let invalid = |reason: String| ConfigError::Invalid { origin: change.origin.clone(), reason };
    let value = parse_value(&change.value, default).map_err(invalid)?;
    insert(table, &change.key, value.clone());
    // Checked on its own, so that the message can name its origin.
    let mut alone = Table::new();
    insert(&mut alone, &change.key, value);
    Config::deserialize(alone)
        .map_err(|error| invalid(format!("{}: {}", change.value, error.message().trim_end())))?;
    Ok(())
}

/// Reads text as a value of the type that `default` has.
fn parse_value(text: &str, default: &Value) -> Result<Value, String> {
    let parsed = match default {
        Value::Integer(_) => text.replace('_', "").parse().ok().map(Value::Integer),
        Value::Float(_) => text.parse().ok().map(Value::Float),
        Value::Boolean(_) => text.parse().ok().map(Value::Boolean),
        // All lists are of texts that have no comma.
        Value::Array(_) => {
            let members = text.split(',').map(str::trim).filter(|member| !member.is_empty());
            Some(Value::Array(members.map(Value::from).collect()))
        }
        _ => Some(Value::String(text.into())),
    };
    parsed.ok_or_else(|| format!("`{text}` is not of type {}", default.type_str()))
}

/// Puts a value under a dotted key. What is in the way has been checked to be a table.
fn insert(table: &mut Table, key: &str, value: Value) {
    match key.split_once('.') {
        None => {
            table.insert(key.into(), value);
        }
        Some((section, rest)) => {
            if let Value::Table(inner) = table.entry(section).or_insert_with(|| Table::new().into()) {
                insert(inner, rest, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_default_and_a_variable_of_its_own() {
        let settings = settings();
        assert!(settings.iter().any(|(key, _)| key == "server.port"));
        let mut names: Vec<_> = settings.iter().map(|(key, _)| key.replace('.', "_")).collect();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), settings.len(), "two settings share a variable");
    }

    #[test]
    fn every_setting_and_its_default_is_in_the_documentation() {
        let text = include_str!("../../../../docs/configuration.md");
        for (key, default) in settings() {
            let default = default.to_string();
            let row = format!("| `{key}` | `{}` |", default.trim_matches('"'));
            assert!(text.contains(&row), "docs/configuration.md lacks: {row}");
        }
    }

    #[test]
    fn only_a_close_name_is_suggested() {
        assert_eq!(suggestion("prot", ["host", "port"].into_iter()), "; did you mean `port`?");
        assert_eq!(suggestion("colour", ["host", "port"].into_iter()), "");
    }
}
