//! Reading TinkerPop's feature files: the traversals in them, and the parameters they use.

use std::path::{Path, PathBuf};

use gremlin::{Argument, Bindings, parse};
use values::{Map, Set, Value};

/// One scenario.
#[allow(dead_code, reason = "each test that includes this module uses other parts of it")]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// All of its lines.
    pub text: String,
    /// The Gremlin in it: graph initialiser, traversal, and counts to verify.
    pub traversals: Vec<String>,
    /// Its parameters.
    pub bindings: Bindings,
}

/// Every scenario of the suite.
pub fn scenarios() -> Vec<Scenario> {
    let mut files = Vec::new();
    feature_files(
        Path::new(&format!(
            "{}/../../../shared/tinkerpop/features",
            std::env::var("CARGO_MANIFEST_DIR").unwrap()
        )),
        &mut files,
    );
    files.sort();
    files.iter().flat_map(|file| read(file)).collect()
}

fn feature_files(folder: &Path, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    for entry in entries {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            feature_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "feature") {
            found.push(path);
        }
    }
}

fn read(file: &Path) -> Vec<Scenario> {
    let text = std::fs::read_to_string(file).expect("feature files are UTF-8");
    let mut parts = text.split("Scenario: ");
    parts.next();
    parts.map(scenario).collect()
}

fn scenario(text: &str) -> Scenario {
    let name = text.lines().next().unwrap_or_default().to_owned();
    // Gremlin stands between triple quotes: every second part of a split.
    let mut traversals: Vec<String> =
        text.split("\"\"\"").skip(1).step_by(2).map(|s| s.trim().to_owned()).collect();
    for line in text.lines() {
        if let Some((_, counted)) = line.split_once(" for count of \"") {
            traversals.push(counted.trim_end().trim_end_matches('"').replace("\\\"", "\""));
        }
    }
    traversals.retain(|text| text.starts_with("g."));
    let bindings = text.lines().filter_map(parameter).collect();
    Scenario { name, text: text.to_owned(), traversals, bindings }
}

/// `… using the parameter NAME defined as "VALUE"`.
fn parameter(line: &str) -> Option<(values::Str, Argument)> {
    let (_, rest) = line.split_once("using the parameter ")?;
    let (name, rest) = rest.split_once(" defined as \"")?;
    let notation = rest.trim_end().strip_suffix('"')?.replace("\\\"", "\"");
    Some((name.into(), value(&notation).into()))
}

/// A value of the notation's kind; elements, of which only the server knows the ids, become strings.
fn value(notation: &str) -> Value {
    let inside = |prefix: &str| notation.strip_prefix(prefix).and_then(|rest| rest.strip_suffix(']'));
    if let Some(list) = inside("l[") {
        return list.split(',').map(value).collect::<Vec<_>>().into();
    }
    if let Some(set) = inside("s[") {
        return set.split(',').map(value).collect::<Set>().into();
    }
    if notation == "null" {
        return Value::Null;
    }
    if notation.starts_with("m[") {
        return Map::new().into();
    }
    if let Some(number) = notation.strip_prefix("d[") {
        let (digits, suffix) = number.split_once("].").unwrap_or((number.trim_end_matches(']'), ""));
        let text = format!("g.inject({digits}{suffix})");
        let (traversal, _) = parse(&text, &Bindings::new())
            .and_then(gremlin::Query::into_traversal)
            .unwrap_or_else(|error| panic!("{notation}: {error}"));
        return traversal.steps[0].args[0].as_value().expect("a number is a value").clone();
    }
    Value::from(notation)
}
