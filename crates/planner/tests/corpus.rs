//! Every traversal of TinkerPop's feature suite and of ByteGraph's query set is planned, or refused by name.

mod social_network;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use planner::{Options, PlanError};

fn shared(path: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared").join(path)
}

fn files(directory: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(directory).unwrap_or_else(|e| panic!("{}: {e}", directory.display()));
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, extension, found);
        } else if path.extension().is_some_and(|it| it == extension) {
            found.push(path);
        }
    }
}

/// The traversals of a feature file: the text between `"""` after `the traversal of`.
fn traversals(feature: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut inside: Option<String> = None;
    for line in feature.lines() {
        let line = line.trim();
        match (&mut inside, line) {
            (Some(text), "\"\"\"") => {
                found.push(std::mem::take(text));
                inside = None;
            }
            (Some(text), line) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, "\"\"\"") => inside = Some(String::new()),
            _ => {}
        }
    }
    found
}

#[test]
fn the_feature_suite_is_planned_or_refused_by_name() {
    let mut features = Vec::new();
    files(&shared("tinkerpop/features"), "feature", &mut features);
    let (mut planned, mut unparsed) = (0, 0);
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut invalid: BTreeMap<String, usize> = BTreeMap::new();
    let mut last = BTreeMap::new();
    for file in features {
        for text in traversals(&std::fs::read_to_string(file).unwrap()) {
            let Ok(mut traversal) = gremlin::parse_traversal(&text, &Default::default()) else {
                unparsed += 1;
                continue;
            };
            gremlin::parameterize(&mut traversal);
            for executors in [1, 4] {
                let options = Options { explain: true, executors, ..Options::default() };
                let network = &social_network::SocialNetwork;
                match planner::plan(&traversal, network, network, &options) {
                    Ok(plan) => {
                        planned += 1;
                        check(&plan, &text);
                    }
                    Err(PlanError::Unsupported { what, .. }) => *refused.entry(what).or_default() += 1,
                    Err(other) => {
                        last.insert(other.to_string(), text.clone());
                        *invalid.entry(other.to_string()).or_default() += 1;
                    }
                }
            }
        }
    }
    if std::env::var("SHOW").is_ok() {
        println!(
            "planned {planned}, unparsed {unparsed}\nrefused {refused:#?}\ninvalid {invalid:#?}\n{last:#?}"
        );
    }
    let refusals: usize = refused.values().sum();
    assert!(planned > 3_000, "only {planned} planned; {unparsed} not parsed; refused: {refused:#?}");
    assert!(refusals < planned / 4, "{refusals} refused: {refused:#?}");
    assert!(invalid.values().sum::<usize>() < 120, "{invalid:#?}");
}

/// What every plan must be.
fn check(planned: &planner::Planned, text: &str) {
    let mut ids = Vec::new();
    assert!(!planned.plan.root.ops.is_empty(), "{text}");
    check_pipeline(&planned.plan.root, &mut ids, text);
    let expected: Vec<u32> = (0..planned.plan.ops).collect();
    ids.sort_unstable();
    assert_eq!(ids, expected, "{text}");
}

fn check_pipeline(pipeline: &planner::physical::Pipeline, ids: &mut Vec<u32>, text: &str) {
    use planner::physical::{OpKind, Pipeline};
    assert!(pipeline.ops.len() <= Pipeline::MAX_OPS, "{text}");
    for op in pipeline.ops.iter() {
        ids.push(op.id);
        if let OpKind::Scope(scope) = &op.kind {
            assert!(scope.policy.max_instances > 0, "{text}");
            for inner in scope.kind.pipelines() {
                check_pipeline(inner, ids, text);
            }
        }
    }
}

/// Values for the bindings of the benchmark's queries; see its README.
fn bindings() -> gremlin::Bindings {
    let longs = [
        "personId",
        "messageId",
        "person1Id",
        "person2Id",
        "maxDate",
        "minDate",
        "startDate",
        "endDate",
        "firstDay",
        "endDay",
        "wrapDay",
        "workFromYear",
        "n",
        "steps",
    ];
    let strings = [
        "firstName",
        "countryXName",
        "countryYName",
        "tagName",
        "countryName",
        "tagClassName",
        "classSubstring",
    ];
    let longs = longs.into_iter().map(|name| (name.into(), values::Value::Long(20).into()));
    longs.chain(strings.into_iter().map(|name| (name.into(), values::Value::str("x").into()))).collect()
}

#[test]
fn the_benchmarks_queries_are_planned() {
    let mut queries = Vec::new();
    files(
        &Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../bench/queries"),
        "gremlin",
        &mut queries,
    );
    assert!(queries.len() > 30, "{queries:?}");
    for file in queries {
        let text = std::fs::read_to_string(&file).unwrap();
        let mut traversal =
            gremlin::parse_traversal(&text, &bindings()).unwrap_or_else(|e| panic!("{file:?}: {e}"));
        gremlin::parameterize(&mut traversal);
        let network = &social_network::SocialNetwork;
        let executors = std::env::var("EXECUTORS").map_or(1, |n| n.parse().unwrap());
        let options = Options { explain: true, executors, ..Options::default() };
        let planned =
            planner::plan(&traversal, network, network, &options).unwrap_or_else(|e| panic!("{file:?}: {e}"));
        check(&planned, &text);
        assert!(planned.reusable, "{file:?}");
        if std::env::var("SHOW").is_ok_and(|name| file.to_string_lossy().contains(&name)) {
            println!("{}", planned.explanation.unwrap());
        }
    }
}
