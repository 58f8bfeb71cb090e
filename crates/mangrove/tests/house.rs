//! The rules of the house that a program can check.

/// What `graph` reads its own imports with.
#[path = "../../graph/tests/imports/mod.rs"]
mod imports;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use imports::{code_of, files, imports_of, module_of, resolved};
use serde_json::Value as Json;

/// Which crates of the workspace each crate may use. An arrow that is not here points upwards or sideways.
const ARROWS: [(&str, &[&str]); 12] = [
    ("values", &[]),
    ("store", &[]),
    ("access", &["store"]),
    ("timeline", &[]),
    ("graph", &["values", "store", "timeline"]),
    ("formats", &["values", "graph"]),
    ("gremlin", &["values"]),
    ("planner", &["values", "gremlin", "graph"]),
    ("dataflow", &["values", "gremlin", "graph", "planner"]),
    ("wire", &["values", "gremlin"]),
    ("server", &["access", "values", "gremlin", "wire"]),
    (
        "mangrove",
        &[
            "values", "store", "access", "timeline", "graph", "formats", "gremlin", "planner", "dataflow",
            "wire", "server",
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
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..").canonicalize().unwrap()
}

/// The workspace's crates with the crates that they use, development dependencies aside, and those of features if
/// `always`.
fn dependencies(always: bool) -> BTreeMap<String, Vec<String>> {
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
    packages
        .iter()
        .map(|package| {
            let used = package["dependencies"].as_array().unwrap().iter();
            let used = used.filter(|used| used["kind"].as_str() != Some("dev"));
            let used = used.filter(|used| !(always && used["optional"] == true));
            (text(&package["name"]), used.map(|used| text(&used["name"])).collect())
        })
        .collect()
}

/// The Python module is built from a lock file of its own, which nobody looks at until the next wheel.
#[test]
fn the_python_module_s_lock_file_knows_what_the_crates_use() {
    let locked = fs::read_to_string(root().join("python/Cargo.lock")).unwrap();
    let dependencies = dependencies(true);
    let mut compared = 0;
    for package in locked.split("[[package]]") {
        let mut lines = package.lines();
        let name = lines.find_map(|line| line.strip_prefix("name = ")).unwrap_or_default().trim_matches('"');
        let Some(used) = dependencies.get(name) else { continue };
        let listed: BTreeSet<_> =
            lines.filter_map(|line| line.trim().strip_prefix('"')?.split(['"', ' ']).next()).collect();
        for used in used {
            assert!(
                listed.contains(used.as_str()),
                "{name} uses {used}: run `cargo metadata --manifest-path python/Cargo.toml`, which writes it down"
            );
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared} dependencies were compared");
}

#[test]
fn dependencies_between_crates_point_downwards_only() {
    let dependencies = dependencies(false);
    for (name, allowed) in ARROWS {
        let used = dependencies.get(name).unwrap_or_else(|| panic!("there is no crate {name}"));
        for other in used.iter().filter(|other| dependencies.contains_key(*other)) {
            assert!(allowed.contains(&other.as_str()), "{name} must not use {other}");
        }
    }
    for name in dependencies.keys().filter(|name| !BESIDE.contains(&name.as_str())) {
        assert!(ARROWS.iter().any(|(known, _)| known == name), "say in this test what {name} may use");
    }
}

fn sources(directory: &Path, found: &mut Vec<PathBuf>) {
    files(directory, found);
    found.retain(|file| file.extension().is_some_and(|extension| extension == "rs"));
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

/// Crates whose folders are wings: none may import another that imports it. (Those of `graph` have an order besides, which a test
/// there knows.)
const WINGED: [&str; 4] = ["dataflow", "mangrove", "planner", "server"];

/// What a file of a crate imports directly below the crate's root: `a` of `crate::a::B`, in whatever way it says so.
fn imported(file: &Path, text: &str) -> BTreeSet<String> {
    let module = module_of(file);
    let paths = imports_of(&code_of(text)).into_iter().filter_map(|(_, path)| resolved(&path, &module));
    paths.filter_map(|path| path.into_iter().next()).collect()
}

/// The folders right below the root of a crate.
fn folders(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(root().join("crates").join(name).join("src")).unwrap();
    entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect()
}

#[test]
fn every_wing_says_what_it_must_never_know() {
    for folder in WINGED.iter().chain(&["graph"]).flat_map(|name| folders(name)) {
        let text = fs::read_to_string(folder.join("mod.rs")).unwrap();
        let words: Vec<_> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        assert!(words.join(" ").contains("must never know"), "{}", folder.display());
    }
}

#[test]
fn no_two_folders_of_a_crate_import_each_other() {
    for name in WINGED {
        let source = root().join("crates").join(name).join("src");
        let folders = folders(name);
        let mut arrows: BTreeMap<(String, String), String> = BTreeMap::new();
        for folder in &folders {
            let from = folder.file_name().unwrap().to_str().unwrap();
            let mut files = Vec::new();
            sources(folder, &mut files);
            for file in files.iter().filter(|file| !file.components().any(|part| part.as_os_str() == "tests"))
            {
                let text = fs::read_to_string(file).unwrap();
                for to in imported(file.strip_prefix(&source).unwrap(), &text) {
                    if to != from && source.join(&to).is_dir() {
                        arrows.insert((from.to_owned(), to), file.display().to_string());
                    }
                }
            }
        }
        assert!(arrows.len() > 2, "the arrows of {name} were not found");
        for ((from, to), file) in &arrows {
            let back = arrows.get(&(to.clone(), from.clone()));
            assert!(back.is_none(), "{name}: {file} imports {to}, and {} imports {from}", back.unwrap());
        }
    }
}

#[test]
fn imports_are_found_in_whatever_way_a_file_says_them() {
    let found = |text: &str| imported(Path::new("m/inner/file.rs"), text).into_iter().collect::<Vec<_>>();
    assert_eq!(found("use crate::a::{B, c};\nuse crate::{d, e::F};\n// crate::g\n"), ["a", "d", "e"]);
    assert_eq!(found("let x = crate::h::i(crate::j);\nlet y = \"crate::k\";\n"), ["h", "j"]);
    assert_eq!(found("use crate::{\n    a::{self, B,\n        c::D},\n    e,\n};\n"), ["a", "e"]);
    assert_eq!(found("pub(crate) use super::super::super::a::B;\nuse super::c;\n"), ["a", "m"]);
    assert_eq!(found("use self::b::C;\nuse std::fs;\n"), Vec::<String>::new());
    assert_eq!(found("#[cfg(test)]\nmod tests;\nuse crate::a::B;\n"), ["a"]);
    assert_eq!(found("#[cfg(test)]\nmod tests {\n    use crate::a::B;\n}\n"), Vec::<String>::new());
    assert_eq!(imported(Path::new("m/mod.rs"), "use super::a::B;\n").into_iter().next().unwrap(), "a");
}

/// Pages that lead through the house.
const GUIDES: [&str; 2] = ["ARCHITECTURE.md", "CONTRIBUTING.md"];

/// Whether a text in backticks names a file or a folder of the project, rather than one beside it or one that is made.
fn is_place(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-./".contains(letter);
    let names = text.ends_with(".rs") || text.ends_with('/') && text.len() > 1;
    names && text.chars().all(is_part) && !text.starts_with("..") && !text.starts_with("target/")
}

#[test]
fn the_guides_name_places_that_are_there() {
    let mut files = Vec::new();
    ["crates", "bench", "trials", "tests", "docs", ".ci"]
        .iter()
        .for_each(|folder| sources(&root().join(folder), &mut files));
    let files: Vec<String> = files.iter().map(|file| format!("/{}", file.display())).collect();
    let mut places = 0;
    for guide in GUIDES {
        let text = fs::read_to_string(root().join(guide)).unwrap();
        for place in text.split('`').skip(1).step_by(2).filter(|text| is_place(text)) {
            places += 1;
            let is_there = |file: &String| match place.strip_suffix('/') {
                Some(folder) => file.contains(&format!("/{folder}/")),
                None => file.ends_with(&format!("/{place}")),
            };
            let is_folder = place.ends_with('/') && root().join(place).is_dir();
            assert!(is_folder || files.iter().any(is_there), "{guide}: there is no {place}");
        }
    }
    assert!(places > 50, "only {places} places were found");
}

/// A test that was compiled in another checkout may be run in this one, if the two share a target folder: cargo takes it for the
/// same. So where a test lies is asked when it runs.
#[test]
fn tests_ask_where_they_are_when_they_run() {
    let mut files = Vec::new();
    ["crates", "trials/tests"].iter().for_each(|folder| sources(&root().join(folder), &mut files));
    let compiled = concat!("env!(\"CARGO_", "MANIFEST_DIR\")");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(!text.contains(compiled), "{}: std::env::var instead of env!", file.display());
    }
}

/// Patches that plant faults, or take mends out: what moves must move in them, too.
#[test]
fn the_patches_of_the_trials_apply() {
    let mut patches = Vec::new();
    for folder in ["trials/planted", "trials/holes"] {
        let entries = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        patches.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "patch")));
    }
    assert!(patches.len() > 3, "the patches were not found");
    for patch in patches {
        let check = Command::new("git").args(["apply", "--check"]).arg(&patch).current_dir(root()).output();
        let output = check.expect("the patches are applied by git");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}
