//! `mangrove export`, as a user types it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mangrove"));
    command.args(args).env_remove("MANGROVE_CONFIG").env("HOME", std::env::temp_dir()).output().unwrap()
}

/// What a command prints; it must succeed.
fn output(args: &[&str]) -> String {
    let output = run(args);
    assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What a command complains about; it must fail.
fn complaint(args: &[&str]) -> String {
    let output = run(args);
    assert!(!output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr).unwrap()
}

fn sample(name: &str) -> String {
    let samples =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data");
    samples.join(name).display().to_string()
}

/// A directory with a sample in the graph `graph`, and names in it.
fn imported(name: &str) -> (tempfile::TempDir, impl Fn(&str) -> String) {
    let dir = tempfile::tempdir().unwrap();
    let root: PathBuf = dir.path().into();
    let path = move |name: &str| root.join(name).display().to_string();
    output(&["--data", &path("graph"), "import", &sample(name)]);
    (dir, path)
}

#[test]
fn a_file_is_written_where_its_folder_is_and_replaced_on_request() {
    let (_dir, path) = imported("tinkerpop-modern.json");
    let graph = path("graph");
    let said = output(&["--data", &graph, "export", &path("out.json")]);
    assert!(said.starts_with("6 vertices and 6 edges"), "{said}");
    let again = complaint(&["--data", &graph, "export", &path("out.json")]);
    assert!(again.contains("out.json is there; add --overwrite"), "{again}");
    output(&["--data", &graph, "export", &path("out.json"), "--overwrite"]);
    let nowhere = complaint(&["--data", &graph, "export", &path("missing/out.json")]);
    let expected = format!("there is no folder {}, where out.json is to be written", path("missing"));
    assert!(nowhere.contains(&expected) && !nowhere.contains("io_directory"), "{nowhere}");
}
