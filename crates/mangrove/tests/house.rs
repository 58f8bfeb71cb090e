//! The rules of the house that a program can check.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value as Json;

/// Which crates of the workspace each crate may use. An arrow that is not here points upwards or sideways.
const ARROWS: [(&str, &[&str]); 11] = [
    ("values", &[]),
    ("store", &[]),
    ("timeline", &[]),
    ("graph", &["values", "store", "timeline"]),
    ("formats", &["values", "graph"]),
    ("gremlin", &["values"]),
    ("planner", &["values", "gremlin", "graph"]),
    ("dataflow", &["values", "gremlin", "graph", "planner"]),
    ("wire", &["values", "gremlin"]),
    ("server", &["values", "gremlin", "wire"]),
    (
        "mangrove",
        &[
            "values", "store", "timeline", "graph", "formats", "gremlin", "planner", "dataflow", "wire",
            "server",
        ],
    ),
];

/// What stands beside the house and may use all of it.
const BESIDE: [&str; 2] = ["bench", "trials"];

/// Most lines of a source file. Longer ones hold more than one idea.
const MOST_LINES: usize = 700;

/// Names of files from which nobody can guess what is inside.
const VAGUE: [&str; 6] = ["utils", "util", "common", "helpers", "misc", "manager"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The workspace's crates with the crates of the workspace that they use, development dependencies aside.
fn dependencies() -> BTreeMap<String, Vec<String>> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let output = Command::new(cargo)
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Json = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let text = |json: &Json| json.as_str().unwrap().to_owned();
    let own: Vec<_> = packages.iter().map(|package| text(&package["name"])).collect();
    packages
        .iter()
        .map(|package| {
            let used = package["dependencies"].as_array().unwrap().iter();
            let used =
                used.filter(|used| used["kind"].as_str() != Some("dev")).map(|used| text(&used["name"]));
            (text(&package["name"]), used.filter(|name| own.contains(name)).collect())
        })
        .collect()
}

#[test]
fn dependencies_between_crates_point_downwards_only() {
    let dependencies = dependencies();
    for (name, allowed) in ARROWS {
        let used = dependencies.get(name).unwrap_or_else(|| panic!("there is no crate {name}"));
        for other in used {
            assert!(allowed.contains(&other.as_str()), "{name} must not use {other}");
        }
    }
    for name in dependencies.keys().filter(|name| !BESIDE.contains(&name.as_str())) {
        assert!(ARROWS.iter().any(|(known, _)| known == name), "say in this test what {name} may use");
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn source_files_hold_one_idea_and_are_named_for_it() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    assert!(files.len() > 100, "the sources were not found");
    for file in files {
        let name = file.file_stem().unwrap().to_str().unwrap();
        assert!(!VAGUE.contains(&name), "{} says nothing about what is in it", file.display());
        let lines = fs::read_to_string(&file).unwrap().lines().count();
        assert!(
            lines <= MOST_LINES,
            "{} has {lines} lines; more than {MOST_LINES} are several ideas",
            file.display()
        );
    }
}
