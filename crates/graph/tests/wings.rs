//! The rules of the wings that a program can check: their order, their doors, and what only the handle knows.

mod imports;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use imports::{code_of, files, imports_of, module_of, resolved};

/// The wings, from the bottom: each may use those before it, and what `error.rs` has. Above them is the handle.
const ORDER: [&str; 20] = [
    "bytes",
    "model",
    "cells",
    "sections",
    "place",
    "cache",
    "durable",
    "resident",
    "apply",
    "read",
    "flush",
    "restart",
    "commit",
    "write",
    "define",
    "lists",
    "statistics",
    "indexes",
    "load",
    "care",
];

/// The files of the handle.
const HANDLE: [&str; 2] = ["graph", "lib"];

/// Modules behind a wing's door that are shown as such, since what they have is functions with names that say little alone: `units::name`.
const SHOWN: [(&str, &str); 3] = [("model", "element_id"), ("model", "order_key"), ("model", "units")];

/// Doors at which a lock is taken for somebody else: what they give is its guard.
const GUARDED: [&str; 6] =
    ["hold_analysis", "hold_definitions", "hold_flushes", "hold_sweeps", "lock_writer", "try_lock_writer"];

/// Most entries of `src`.
const MOST_ENTRIES: usize = 25;

/// A path that a file of a wing names, from the root of the crate.
struct Import {
    file: String,
    wing: String,
    /// Whether the file shows it to others as its own.
    is_shown: bool,
    path: Vec<String>,
}

fn source() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("src")
}

/// What the files of the wings import from the crate.
fn imports() -> Vec<Import> {
    let mut imports = Vec::new();
    for wing in ORDER {
        let mut inside = Vec::new();
        files(&source().join(wing), &mut inside);
        assert!(!inside.is_empty(), "the wing {wing} is empty");
        for file in inside {
            let name = file.strip_prefix(source()).unwrap().with_extension("");
            let module = module_of(&name);
            let text = fs::read_to_string(&file).unwrap();
            for (is_shown, path) in imports_of(&code_of(&text)) {
                if let Some(path) = resolved(&path, &module) {
                    let (file, wing) = (name.display().to_string(), wing.to_owned());
                    imports.push(Import { file, wing, is_shown, path });
                }
            }
        }
    }
    assert!(imports.len() > 1000, "only {} imports were found", imports.len());
    imports
}

/// What a wing has of methods.
struct Methods {
    wing: &'static str,
    /// All functions that it defines.
    own: BTreeSet<String>,
    /// Those that others may call, of types of wings below it.
    of_others: BTreeSet<String>,
    called: BTreeSet<String>,
}

fn methods() -> [Methods; ORDER.len()] {
    ORDER.map(|wing| {
        let mut inside = Vec::new();
        files(&source().join(wing), &mut inside);
        let codes = inside.iter().map(|file| code_of(&fs::read_to_string(file).unwrap()) + "\n");
        let code: String = codes.collect();
        let types = names_after(&code, &["struct ", "enum "], "");
        let foreign = impls_of(&code).into_iter().filter(|(name, _)| !types.contains(*name));
        let of_others = foreign.flat_map(|(_, body)| names_after(body, &["pub(crate) fn ", "pub fn "], ""));
        let called = [(".", "("), (".", "::<"), ("::", "("), ("::", "::<")];
        let called = called.iter().flat_map(|(before, behind)| names_after(&code, &[*before], behind));
        let (of_others, called) = (of_others.collect(), called.collect());
        Methods { wing, own: names_after(&code, &["fn "], ""), of_others, called }
    })
}

/// The words in some code that stand between one of these and that.
fn names_after(code: &str, before: &[&str], behind: &str) -> BTreeSet<String> {
    let is_other = |letter: char| letter != '_' && !letter.is_alphanumeric();
    let ends = before.iter().flat_map(|before| code.match_indices(before).map(|(at, _)| at + before.len()));
    let words = ends.filter_map(|at| {
        let (word, rest) = code[at..].split_at(code[at..].find(is_other)?);
        rest.starts_with(behind).then(|| word.to_owned())
    });
    words.collect()
}

/// The blocks of methods in some code that are of no trait: of which type, and what is in them.
fn impls_of(code: &str) -> Vec<(&str, &str)> {
    let blocks = code.split("\nimpl").skip(1).filter_map(|block| block.split_once(" {\n"));
    let inherent = blocks.filter(|(head, _)| !head.contains(" for ")).map(|(head, rest)| {
        let name = if head.starts_with('<') {
            head.split_once("> ").map_or("", |(_, name)| name)
        } else {
            head.trim()
        };
        let name = name.split('<').next().unwrap_or_default();
        (name.rsplit("::").next().unwrap_or_default(), rest.split("\n}").next().unwrap_or_default())
    });
    inherent.collect()
}

fn height(wing: &str) -> usize {
    ORDER.iter().position(|known| *known == wing).unwrap_or(ORDER.len())
}

#[test]
fn the_wings_are_what_is_in_the_house() {
    let mut entries = BTreeSet::new();
    for entry in fs::read_dir(source()).unwrap() {
        let path = entry.unwrap().path();
        entries.insert(path.file_stem().unwrap().to_str().unwrap().to_owned());
    }
    assert!(entries.len() <= MOST_ENTRIES, "{} entries are more than {MOST_ENTRIES}", entries.len());
    let known = ORDER.iter().chain(&HANDLE).chain(&["error"]).map(|name| (*name).to_owned());
    assert_eq!(entries, known.collect(), "say in this test where it stands");
}

#[test]
fn no_import_runs_up() {
    let mut up = BTreeSet::new();
    for import in imports() {
        let target = import.path[0].as_str();
        if target != "error" && height(target) > height(&import.wing) {
            up.insert(format!("{} uses {}", import.file, import.path.join("::")));
        }
    }
    assert!(up.is_empty(), "these run up:\n{}", up.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn no_call_of_a_method_runs_up() {
    let methods = methods();
    let (mut up, mut known) = (Vec::new(), BTreeSet::new());
    for (place, caller) in methods.iter().enumerate() {
        known.extend(&caller.own);
        for above in &methods[place + 1..] {
            // A name that stands for something here as well is taken for that.
            let called = caller.called.intersection(&above.of_others).filter(|name| !known.contains(name));
            up.extend(called.map(|name| format!("{} calls {name} of {}", caller.wing, above.wing)));
        }
    }
    let found: usize = methods.iter().map(|methods| methods.of_others.len()).sum();
    assert!(found > 50, "only {found} methods were found that a wing adds to types below it");
    assert!(up.is_empty(), "these run up:\n{}", up.join("\n"));
}

/// Whoever else wants what a lock guards asks at its wing's door: the compiler sees to it where the field is not shown.
#[test]
fn no_lock_is_seen_outside_its_wing() {
    let (mut inside, mut locks, mut shown) = (Vec::new(), 0, Vec::new());
    files(&source(), &mut inside);
    for file in inside {
        let code = code_of(&fs::read_to_string(&file).unwrap());
        let is_lock = |line: &&str| {
            let ty = line.trim_end_matches(',').split_once(": ").map_or("", |(_, ty)| ty);
            line.starts_with("    ")
                && ["Mutex<", "RwLock<", "Condvar"].iter().any(|lock| ty.contains(lock))
                && !ty.contains("Guard<")
        };
        for line in code.lines().filter(is_lock) {
            locks += 1;
            let place = file.strip_prefix(source()).unwrap();
            // The module above a file is the wing or a part of it, but above the wing's door there is the house.
            let is_inside = line.contains("pub(super)")
                && place.components().count() + usize::from(!place.ends_with("mod.rs")) > 2;
            if line.trim_start().strip_prefix("pub").is_some_and(|rest| rest.starts_with([' ', '(']))
                && !is_inside
            {
                shown.push(format!("{}: {}", place.display(), line.trim()));
            }
        }
    }
    assert!(locks > 30, "only {locks} locks were found");
    assert!(shown.is_empty(), "these can be touched elsewhere:\n{}", shown.join("\n"));
}

#[test]
fn only_the_handle_knows_its_core() {
    let mut inside = Vec::new();
    files(&source(), &mut inside);
    let names = |file: &&PathBuf| {
        names_after(&code_of(&fs::read_to_string(file).unwrap()), &[" ", "(", "<", "&", ":"], "")
            .contains("Core")
    };
    let knowing: Vec<_> = inside.iter().filter(names).collect();
    assert_eq!(knowing, [&source().join("graph.rs")]);
}

#[test]
fn no_import_runs_past_a_door() {
    for import in imports() {
        let name = import.path.join("::");
        let is_elsewhere = import.path[0] != import.wing;
        assert!(!(is_elsewhere && import.is_shown), "{} shows {name} as its own", import.file);
        assert!(!is_elsewhere || import.path.len() > 1, "{} goes through the wing {name}", import.file);
        // Behind the door is what it shows: a thing, with what belongs to it, or one of the modules above.
        let is_thing = import.path.get(1).is_some_and(|part| part.starts_with(char::is_uppercase));
        let is_shown = || SHOWN.contains(&(&import.path[0], &import.path[1]));
        let is_behind = is_elsewhere && import.path.len() > 2 && !is_thing && import.path[0] != "error";
        assert!(!is_behind || is_shown(), "{} goes past the door for {name}", import.file);
    }
}

#[test]
fn doors_show_no_modules_and_no_types_of_others() {
    let (mut shown, mut aliases) = (Vec::new(), Vec::new());
    for wing in ORDER {
        let door = code_of(&fs::read_to_string(source().join(wing).join("mod.rs")).unwrap());
        let modules = names_after(&door, &["pub mod ", "pub(crate) mod "], "");
        shown.extend(modules.into_iter().map(|module| (wing, module)));
        let mut inside = Vec::new();
        files(&source().join(wing), &mut inside);
        for file in inside {
            let code = code_of(&fs::read_to_string(&file).unwrap());
            let is_alias =
                |line: &&str| line.starts_with("pub") && line.contains("type ") && line.contains("= crate::");
            aliases.extend(code.lines().filter(is_alias).map(|line| format!("{}: {line}", file.display())));
        }
    }
    let shown: Vec<_> = shown.iter().map(|(wing, module)| (*wing, module.as_str())).collect();
    assert_eq!(shown, SHOWN);
    assert!(aliases.is_empty(), "these are types of other wings:\n{}", aliases.join("\n"));
}

#[test]
fn only_some_doors_hand_out_guards() {
    let (mut inside, mut doors) = (Vec::new(), BTreeSet::new());
    files(&source(), &mut inside);
    for file in inside {
        let code = code_of(&fs::read_to_string(&file).unwrap());
        for function in code.split("pub(crate) fn ").skip(1) {
            let head = function.split([';', '{']).next().unwrap_or_default();
            if head.contains("-> ") && head.split("-> ").nth(1).is_some_and(|ty| ty.contains("Guard<")) {
                doors.insert(head.split(['(', '<']).next().unwrap_or_default().to_owned());
            }
        }
    }
    assert_eq!(doors.iter().map(String::as_str).collect::<Vec<_>>(), GUARDED);
}

/// What would be found of a file with these lines.
fn found(lines: &str) -> Vec<String> {
    imports_of(&code_of(lines)).into_iter().map(|(_, path)| path).collect()
}

#[test]
fn imports_are_found_wherever_they_stand() {
    assert_eq!(
        found("use crate::a::{b, c::{d, e as f}};\n"),
        ["crate::a::b", "crate::a::c::d", "crate::a::c::e"]
    );
    assert_eq!(found("fn f() -> crate::a::B {\n    use crate::c::D;\n}\n"), ["crate::c::D", "crate::a::B"]);
    assert_eq!(found("fn f(a: crate::a::B) {}\n// crate::c::D\n"), ["crate::a::B"]);
    assert_eq!(found("fn f() { super::a::b(); x.super_::c(); self::d::E }\n"), ["super::a::b", "self::d::E"]);
    assert_eq!(found("use std::fs;\nmod x;\npub(crate) use super::y::Z;\n"), ["std::fs", "super::y::Z"]);
    let module = ["read".to_owned(), "batched".to_owned(), "lists".to_owned()];
    assert_eq!(resolved("super::super::list::Run", &module).unwrap(), ["read", "list", "Run"]);
    assert_eq!(resolved("super::super::super::graph::Graph", &module).unwrap(), ["graph", "Graph"]);
}
