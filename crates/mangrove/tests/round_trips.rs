//! Sample graphs, imported, exported in every format, and imported again: equal, or the format has no way to say it.
//!
//! `MANGROVE_FILES` names a directory of further graphs: each file or folder in it that `mangrove import` reads is one (`make files`).

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use mangrove::{Database, ExportFormat, ExportOptions, formats::ImportOptions, values::Value};

fn imported(source: &Path) -> Database {
    let db = Database::in_memory().unwrap();
    let done = db.import(source, None, &ImportOptions::default(), &|_| {});
    done.unwrap_or_else(|error| panic!("{}: {error}", source.display()));
    db
}

fn all(db: &Database, query: &str) -> Vec<Value> {
    db.query(query).unwrap().map(Result::unwrap).collect()
}

/// What a format keeps of a graph.
#[derive(Clone, Copy, Debug)]
struct Keeps {
    format: ExportFormat,
    name: &'static str,
    /// Types of ids; otherwise they become texts.
    types_of_ids: bool,
    /// Properties of properties, and their ids.
    metas: bool,
}

const FORMATS: &[Keeps] = &[
    Keeps { format: ExportFormat::Graphson, name: "a.json", types_of_ids: true, metas: true },
    Keeps { format: ExportFormat::Graphson, name: "a.json.gz", types_of_ids: true, metas: true },
    Keeps { format: ExportFormat::Gryo, name: "a.kryo", types_of_ids: true, metas: true },
    Keeps { format: ExportFormat::Gryo, name: "a.kryo.gz", types_of_ids: true, metas: true },
    Keeps { format: ExportFormat::Graphml, name: "a.xml", types_of_ids: false, metas: false },
    Keeps { format: ExportFormat::Graphml, name: "a.graphml.gz", types_of_ids: false, metas: false },
    Keeps { format: ExportFormat::Neo4j, name: "neo4j", types_of_ids: true, metas: false },
    Keeps { format: ExportFormat::Neptune, name: "neptune", types_of_ids: false, metas: false },
    #[cfg(feature = "parquet")]
    Keeps { format: ExportFormat::Parquet, name: "parquet", types_of_ids: true, metas: false },
];

/// A graph in words that do not depend on any order: elements with their ids, labels and properties, with the types of all of it.
fn contents(db: &Database, keeps: Keeps) -> Vec<String> {
    let id = if keeps.types_of_ids { "id()" } else { "id().asString()" };
    let property = match keeps.metas {
        true => "project('k','v','i','m').by(key()).by(value()).by(id()).by(valueMap())",
        false => "project('k','v').by(key()).by(value())",
    };
    let vertices = format!(
        "g.V().project('id','label','properties').by({id}).by(label).by(properties().{property}.order().by('k').fold())"
    );
    let edges = format!(
        "g.E().project('id','label','from','to','properties').by({id}).by(label).by(outV().{id}).by(inV().{id})\
         .by(properties().project('k','v').by(key()).by(value()).order().by('k').fold())"
    );
    let mut words: Vec<String> =
        [vertices, edges].iter().flat_map(|query| all(db, query)).map(|value| format!("{value:?}")).collect();
    words.sort();
    words
}

/// The first difference is enough.
fn assert_same(found: &[String], expected: &[String], what: &str) {
    let differ = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert_eq!((differ, found.len()), (None, expected.len()), "{what}");
}

/// Exports a graph in every format, and imports that again.
fn comes_back_from_every_format(db: &Database, what: &str) {
    let dir = tempfile::tempdir().unwrap();
    for &keeps in FORMATS {
        let target = dir.path().join(keeps.name);
        let options = ExportOptions { format: Some(keeps.format), ..ExportOptions::default() };
        match db.export(&target, &options) {
            Err(refused) if keeps.format == ExportFormat::Graphml => {
                let refused = refused.to_string();
                assert!(
                    has_several(db) && refused.contains("Multiple properties exist"),
                    "{what}: {refused}"
                );
                assert!(!target.exists());
                continue;
            }
            done => _ = done.unwrap_or_else(|error| panic!("{what} as {}: {error}", keeps.name)),
        }
        let back = imported(&target);
        assert_same(&contents(&back, keeps), &contents(db, keeps), &format!("{what} as {}", keeps.name));
    }
}

/// Whether there is a vertex with several values under a key, or with properties of properties.
fn has_several(db: &Database) -> bool {
    let several = "g.V().or(__.properties().properties(), __.properties().groupCount().by(key()).unfold().select(values).is(gt(1)))";
    !all(db, &format!("{several}.limit(1)")).is_empty()
}

fn beside(path: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../..").join(path)
}

/// What lies in a directory, in the order of its names.
fn entries(directory: &Path) -> Vec<PathBuf> {
    let read = fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut entries: Vec<_> = read.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// Imports all of a directory, each by itself; how many there were.
fn all_come_back(directory: &Path) -> usize {
    let sources = entries(directory);
    for source in &sources {
        let began = Instant::now();
        let db = imported(source);
        let count = |query| all(&db, query)[0].to_string();
        let [vertices, edges] = [count("g.V().count()"), count("g.E().count()")];
        comes_back_from_every_format(&db, &source.display().to_string());
        let took = began.elapsed().as_secs_f64();
        println!("{}: {vertices} vertices, {edges} edges, {took:.1} s", source.display());
    }
    sources.len()
}

#[test]
fn tinkerpops_samples_come_back_from_every_format() {
    assert_eq!(all_come_back(&beside("../shared/tinkerpop/data")), 10);
}

#[test]
fn samples_of_others_come_back_from_every_format() {
    assert_eq!(all_come_back(&beside("tests/files/air-routes")), 2);
}

#[test]
fn a_list_in_the_form_of_snap_comes_back_from_every_format() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut list = "# Undirected graph: ../../data/output/ca-like.txt\n# FromNodeId\tToNodeId\n".to_owned();
    // One of them has more edges than are written at once.
    for number in 0..9_000 {
        let from = if number % 3 > 0 { 7 } else { random.u32(..500) };
        list.push_str(&format!("{from}\t{}\r\n", random.u32(..500)));
    }
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("ca-like.txt");
    fs::write(&path, &list).unwrap();
    let db = imported(&path);
    assert_eq!(all(&db, "g.E().count()"), [Value::Long(9_000)]);
    comes_back_from_every_format(&db, "a list");
    fs::write(&path, "# weighted, with a loop and one edge twice\n1 2 0.5\n1 2 0.5\n2 2 -1e3\n").unwrap();
    comes_back_from_every_format(&imported(&path), "a list with weights");
}

#[test]
fn kuzus_demo_comes_back_from_every_format() {
    let docs = fs::read_to_string(beside("docs/import.md")).unwrap();
    let mapping = docs.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in [
        ("user.csv", "Adam,30\nKarissa,40\nZhang,50\nNoura,25\n"),
        ("city.csv", "Waterloo,150000\nKitchener,200000\nGuelph,75000\n"),
        ("follows.csv", "Adam,Karissa,2020\nAdam,Zhang,2020\nKarissa,Zhang,2021\nZhang,Noura,2022\n"),
        ("lives-in.csv", "Adam,Waterloo\nKarissa,Waterloo\nZhang,Kitchener\nNoura,Guelph\n"),
        ("mapping.toml", mapping),
    ] {
        fs::write(dir.path().join(name), content).unwrap();
    }
    comes_back_from_every_format(&imported(&dir.path().join("mapping.toml")), "Kuzu's demo");
}

#[test]
fn graphs_of_a_directory_that_somebody_names_come_back_from_every_format() {
    match std::env::var_os("MANGROVE_FILES").filter(|directory| !directory.is_empty()) {
        Some(directory) => _ = all_come_back(Path::new(&directory)),
        None => println!("skipped: MANGROVE_FILES names no directory"),
    }
}
