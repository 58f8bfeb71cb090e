//! TinkerPop's modern graph, as `mangrove generate modern` writes it.

use std::path::Path;
use std::process::Command;

use mangrove::generate::{GenerateError, MODERN_EDGES, MODERN_VERTICES, modern};
use mangrove::{Database, formats::ImportOptions};

fn strings(db: &Database, traversal: &str) -> Vec<String> {
    db.query(traversal).unwrap().map(|value| value.unwrap().to_string()).collect()
}

#[test]
fn it_is_the_file_that_tinkerpop_has() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("modern.json");
    modern(&file).unwrap();
    let crates = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    let reference = Path::new(&crates).join("../formats/tests/samples/tinkerpop-modern.json");
    assert_eq!(std::fs::read(file).unwrap(), std::fs::read(reference).unwrap());
}

#[test]
fn imported_it_has_the_ids_labels_and_values_of_the_reference() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("modern.json");
    modern(&file).unwrap();
    let db = Database::in_memory().unwrap();
    db.import(&file, None, &ImportOptions::default(), &|_| {}).unwrap();
    assert_eq!(strings(&db, "g.V().count()"), [MODERN_VERTICES.to_string()]);
    assert_eq!(strings(&db, "g.E().count()"), [MODERN_EDGES.to_string()]);
    let vertices = "g.V().order().by(id).format('%{_} %{_} %{_} %{_}').by(id).by(label).by('name')
                    .by(coalesce(values('age'), values('lang')))";
    assert_eq!(
        strings(&db, vertices),
        [
            "1 person marko 29",
            "2 person vadas 27",
            "3 software lop java",
            "4 person josh 32",
            "5 software ripple java",
            "6 person peter 35",
        ]
    );
    let edges = "g.E().order().by(id).format('%{_} %{_} %{_} %{_} %{_}').by(id).by(outV().id()).by(label)
                 .by(inV().id()).by('weight')";
    assert_eq!(
        strings(&db, edges),
        [
            "7 1 knows 2 0.5",
            "8 1 knows 4 1.0",
            "9 1 created 3 0.4",
            "10 4 created 5 1.0",
            "11 4 created 3 0.4",
            "12 6 created 3 0.2",
        ]
    );
}

#[test]
fn a_file_that_is_there_stays_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("notes.txt");
    std::fs::write(&file, "mine").unwrap();
    let refused = modern(&file).unwrap_err();
    assert!(matches!(refused, GenerateError::FileExists { .. }));
    assert!(refused.to_string().contains("notes.txt` is there"), "{refused}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "mine");
    let nowhere = modern(&dir.path().join("no/such/modern.json")).unwrap_err();
    assert!(nowhere.to_string().starts_with("cannot write `"), "{nowhere}");
}

#[test]
fn the_command_writes_modern_json_where_it_is_run() {
    let dir = tempfile::tempdir().unwrap();
    let run = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mangrove"));
        command
            .args(["generate", "modern"])
            .current_dir(dir.path())
            .env_remove("MANGROVE_CONFIG")
            .output()
            .unwrap()
    };
    let first = run();
    assert!(first.status.success(), "{}", String::from_utf8_lossy(&first.stderr));
    assert_eq!(String::from_utf8_lossy(&first.stdout), "6 vertices and 6 edges in modern.json\n");
    let second = run();
    assert_eq!(second.status.code(), Some(1));
    let complaint = String::from_utf8_lossy(&second.stderr).into_owned();
    assert!(complaint.contains("`modern.json` is there: remove it or choose another name"), "{complaint}");
}
