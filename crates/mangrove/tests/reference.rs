//! Answers of the reference (TinkerGraph 3.8.1), however the query is run.
//!
//! `reference/*.txt` have traversals over TinkerPop's modern graph, each followed by its results, one a line and indented, or
//! by `error`. The order of results is compared where a traversal ends in `order()` only in so far as results are equal. So have
//! `reference_of_writes/*.txt`, of which each traversal finds the graph as it was.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mangrove::{Database, formats::ImportOptions};

/// What a traversal is started with: none of these may change an answer.
const WAYS: &[&str] = &[
    "g.",
    "g.with('mangrove.scopes',false).",
    "g.with('mangrove.maxSi',1).",
    "g.with('mangrove.policy.inter','dfs').",
    "g.with('mangrove.policy.inter','bfs').with('mangrove.policy.intra','bfs').",
    "g.with('mangrove.rules.off','forget,share-fetches').",
    "g.with('mangrove.rules.off','bulking,degree,walks,distinct,expand-into').",
    "g.with('mangrove.rules.off','inline-filter,filter-fusion,filter-push-down,simplify-by,exists-trim,nested-exists').",
];

fn folder(path: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join(path)
}

fn modern() -> Database {
    let db = Database::in_memory().unwrap();
    let file = folder("../../../shared/tinkerpop/data/tinkerpop-modern.json");
    db.import(file, None, &ImportOptions::default(), &|_| {}).unwrap();
    db
}

/// A traversal and its results, sorted; `None` for an error.
struct Case {
    traversal: String,
    expected: Option<Vec<String>>,
}

fn cases(text: &str) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("    ") {
            None => cases.push(Case { traversal: line.to_owned(), expected: Some(Vec::new()) }),
            Some(result) => {
                let case = cases.last_mut().expect("a traversal comes first");
                match result {
                    "error" => case.expected = None,
                    result => case.expected.as_mut().expect("no result of an error").push(result.to_owned()),
                }
            }
        }
    }
    cases
}

fn answer(db: &Database, traversal: &str) -> Option<Vec<String>> {
    let mut all: Vec<_> =
        db.query(traversal).ok()?.map(|value| Some(value.ok()?.to_string())).collect::<Option<_>>()?;
    all.sort();
    Some(all)
}

/// Compares the answers to all traversals in a folder, each asked of what `database` gives; how many.
fn compare(in_folder: &str, database: impl Fn() -> Arc<Database>) -> usize {
    let (mut compared, mut differing) = (0, Vec::new());
    for file in std::fs::read_dir(folder(in_folder)).unwrap() {
        let path = file.unwrap().path();
        for Case { traversal, expected } in cases(&std::fs::read_to_string(&path).unwrap()) {
            // Elsewhere it changes the order of maps.
            let eager = path.ends_with("loops_in_loops.txt").then_some(&"g.with('mangrove.eager',true).");
            for way in WAYS.iter().chain(eager) {
                let asked = format!("{way}{}", traversal.strip_prefix("g.").unwrap());
                let found = answer(&database(), &asked);
                if found != expected {
                    differing.push(format!("{asked}: {found:?}, and not {expected:?}"));
                }
                compared += 1;
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
    compared
}

#[test]
fn answers_are_those_of_the_reference_however_a_query_is_run() {
    let db = Arc::new(modern());
    let compared = compare("tests/reference", || db.clone());
    assert!(compared > 500, "{compared}");
}

#[test]
fn so_are_those_to_writes_each_over_a_graph_of_its_own() {
    let compared = compare("tests/reference_of_writes", || Arc::new(modern()));
    assert!(compared > 100, "{compared}");
}
