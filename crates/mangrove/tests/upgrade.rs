//! Graphs that former versions left, and graphs of versions that are still to come.
//!
//! `graphs/` has a graph of each format that `graphs/make` could still make, left by a process that was killed, and the backup
//! of it from before its last commit.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use mangrove::Database;
use mangrove::store::{Durability, FjallOptions, FjallStore, KeyspaceShape, Store, WriteBatch};

/// The format that this version writes, and the first that it cannot read.
const NEWEST: u32 = 9;

fn strings(db: &Database, traversal: &str) -> Vec<String> {
    db.query(traversal).unwrap().map(|value| value.unwrap().to_string()).collect()
}

/// The graphs of `graphs/`, unpacked: the directory of each, with `graph` and `backups` in it.
fn former() -> (tempfile::TempDir, Vec<PathBuf>) {
    let dir = tempfile::tempdir().unwrap();
    let graphs = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("tests/graphs");
    let mut found = Vec::new();
    for entry in fs::read_dir(graphs).unwrap() {
        let name = entry.unwrap().path();
        if let Some(format) = name.file_name().and_then(|name| name.to_str()?.strip_suffix(".tar.gz")) {
            tar::Archive::new(GzDecoder::new(File::open(&name).unwrap())).unpack(dir.path()).unwrap();
            found.push(dir.path().join(format));
        }
    }
    assert!(
        found.iter().any(|graph| graph.ends_with(format!("format-{NEWEST}"))),
        "there is none of this format"
    );
    (dir, found)
}

fn mangrove(data: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mangrove"));
    command.arg("--data").arg(data).args(args).env_remove("MANGROVE_CONFIG").output().unwrap()
}

fn output(data: &Path, args: &[&str]) -> String {
    let output = mangrove(data, args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a command complains about; it must fail, and say so in a line and not in a panic.
fn complaint(data: &Path, args: &[&str]) -> String {
    let output = mangrove(data, args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_graph_of_a_former_version_is_opened_whole_and_goes_on() {
    let (_dir, graphs) = former();
    for graph in graphs {
        let graph = graph.join("graph");
        let db = Database::open(&graph).unwrap();
        let names = strings(&db, "g.V().hasLabel('person').values('name').order()");
        assert_eq!(names, ["ada", "josh", "marko", "peter", "vadas"], "{}", graph.display());
        // What was acknowledged before the process was killed, with a meta-property.
        assert_eq!(
            strings(&db, "g.V().has('person', 'name', 'ada').properties('email').values('since')"),
            ["1843"]
        );
        assert_eq!(
            strings(&db, "g.V().has('person', 'age', gt(32)).values('name').order()"),
            ["ada", "peter"]
        );
        let of_marko = "g.V(1).outE('knows').count()";
        assert_eq!(strings(&db, of_marko), ["3002"], "a list in an edge-tree");
        assert_eq!(
            strings(&db, "g.V(1).outE('knows').order().by('weight').limit(2).values('weight')"),
            ["0.5", "1.0"]
        );
        assert_eq!(strings(&db, "g.E(7).inV().values('name')"), ["vadas"]);
        let plan = db.explain("g.V().has('person', 'name', 'ada')").unwrap().to_string();
        assert!(plan.contains("IndexLookup"), "the unique index is used: {plan}");
        let twice = db.query("g.addV('person').property('name', 'ada')").err();
        assert!(twice.is_some_and(|error| error.to_string().contains("name")), "and it is unique");
        db.query(
            "g.addV('person').property('name', 'grace').addE('knows').to(__.V(1)).property('weight', 1.5d)",
        )
        .unwrap();
        db.close().unwrap();
        assert!(output(&graph, &["check"]).ends_with("is sound\n"));
        assert_eq!(output(&graph, &["query", "--format", "plain", "g.V().count()"]), "8\n");
    }
}

#[test]
fn an_upgrade_is_undone_by_the_backup_from_before() {
    let (dir, graphs) = former();
    for graph in graphs {
        // The upgrade: opened, written to, closed.
        Database::open(graph.join("graph")).unwrap().query("g.V(1).outE('knows').drop()").unwrap();
        let again = dir.path().join("again");
        output(&again, &["restore", &graph.join("backups").display().to_string()]);
        let db = Database::open(&again).unwrap();
        let before = ["josh", "marko", "peter", "vadas"];
        assert_eq!(strings(&db, "g.V().hasLabel('person').values('name').order()"), before);
        assert_eq!(strings(&db, "g.V(1).outE('knows').count()"), ["3002"]);
        db.close().unwrap();
        fs::remove_dir_all(again).unwrap();
    }
}

#[test]
fn a_graph_of_a_newer_version_is_refused_by_its_format_and_left_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("graph");
    let db = Database::open(&graph).unwrap();
    db.query("g.addV('person')").unwrap();
    db.close().unwrap();
    let write_format = |format: u32| {
        let store = FjallStore::open(&graph, FjallOptions::default()).unwrap();
        let meta = store.keyspace("meta", KeyspaceShape::Small).unwrap();
        let mut batch = WriteBatch::new();
        batch.put(&meta, "format", format.to_le_bytes());
        store.write_batch(batch, Durability::Sync).unwrap();
    };
    write_format(NEWEST + 1);
    let expected =
        "the graph is stored in format 10, but this version reads formats up to 9; use a newer Mangrove";
    let refused = Database::open(&graph).err().unwrap();
    assert!(refused.to_string().contains(expected), "{refused}");
    let backups = dir.path().join("backups").display().to_string();
    for args in [
        &["serve", "--port", "0"][..],
        &["query", "g.V()"],
        &["console"],
        &["stats"],
        &["analyze"],
        &["schema", "show"],
        &["backup", &backups],
        &["import", "nothing.csv"],
        &["export", "out.json"],
    ] {
        let said = complaint(&graph, args);
        assert!(said.contains(expected) && said.contains("graph"), "{args:?}: {said}");
    }
    let checked = output_of_check(&graph);
    assert!(checked.contains("format 10"), "{checked}");
    // Whoever has the newer version finds everything as it was.
    write_format(NEWEST);
    assert_eq!(output(&graph, &["query", "--format", "plain", "g.V().count()"]), "1\n");
}

/// `check` prints its findings on standard output, and ends with 1.
fn output_of_check(graph: &Path) -> String {
    let output = mangrove(graph, &["check"]);
    assert_eq!(output.status.code(), Some(1));
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Checksums are XXH3-64, at the end of what they are of.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = xxhash_rust::xxh3::xxh3_64(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

#[test]
fn a_store_of_a_newer_version_is_refused_by_its_format() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("graph");
    Database::open(&graph).unwrap().close().unwrap();
    let mark = graph.join("MANGROVE");
    let mut bytes = fs::read(&mark).unwrap();
    bytes.truncate(bytes.len() - 8);
    bytes[8..16].copy_from_slice(&2u64.to_le_bytes());
    fs::write(&mark, sealed(bytes)).unwrap();
    let said = complaint(&graph, &["query", "g.V()"]);
    let expected = "has an unknown format (format 2, this is format 1); open it with the version of Mangrove that wrote it";
    assert!(said.contains(expected) && said.contains(&graph.display().to_string()), "{said}");
}

#[test]
fn a_backup_of_a_newer_version_is_refused_by_its_format() {
    let dir = tempfile::tempdir().unwrap();
    let graph = dir.path().join("graph");
    Database::open(&graph).unwrap().close().unwrap();
    let backups = dir.path().join("backups");
    output(&graph, &["backup", &backups.display().to_string()]);
    let file = backups.join("backup-000001.mangrove");
    let mut bytes = fs::read(&file).unwrap();
    let rest = bytes.split_off(32);
    bytes.truncate(24);
    bytes[8..12].copy_from_slice(&2u32.to_le_bytes());
    let mut newer = sealed(bytes);
    newer.extend(rest);
    fs::write(&file, newer).unwrap();
    let said = complaint(&dir.path().join("new"), &["restore", &backups.display().to_string()]);
    assert!(
        said.contains("its format is 2, this version reads 1") && said.contains("backup-000001"),
        "{said}"
    );
    assert!(!dir.path().join("new").exists(), "nothing is made of it");
}
