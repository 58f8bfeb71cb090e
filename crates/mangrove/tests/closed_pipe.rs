//! No command minds that nobody reads what it says.

use std::path::Path;
use std::process::{Command, Stdio};

fn modern_json() -> String {
    let shared = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared");
    shared.join("tinkerpop/data/tinkerpop-modern.json").display().to_string()
}

fn mangrove(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mangrove"));
    command.args(args).stdin(Stdio::null()).env_remove("MANGROVE_CONFIG").env("HOME", std::env::temp_dir());
    command
}

/// The writing end of a pipe whose reader has left.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

/// Runs a command whose output nobody reads: it must do its work all the same.
fn unheard(args: &[&str]) {
    let output = mangrove(args).stdout(closed()).output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{args:?}: {} {complaint}", output.status);
}

/// Runs a command whose complaints nobody reads: it must fail, and not crash.
fn uncomplained(args: &[&str]) {
    let status = mangrove(args).stdout(closed()).stderr(closed()).status().unwrap();
    assert_eq!(status.code(), Some(1), "{args:?}: {status}");
}

fn count(data: &str) -> String {
    let output = mangrove(&["--data", data, "query", "--format", "plain", "g.V().count()"]).output().unwrap();
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[test]
fn every_command_does_its_work_when_its_output_is_closed() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let data = path("g");
    unheard(&["version"]);
    unheard(&["--data", &data, "import", &modern_json()]);
    assert_eq!(count(&data), "6", "the import was done");
    for args in [
        &["check"][..],
        &["stats"],
        &["analyze"],
        &["schema", "show"],
        &["query", "g.V()"],
        &["query", "--format", "json", "g.V()"],
        &["query", "--explain", "g.V()"],
        &["query", "--profile", "g.V()"],
        &["console"],
        &["backup", &path("backups")],
    ] {
        unheard(&[&["--data", &data], args].concat());
    }
    unheard(&["--data", &path("restored"), "restore", &path("backups")]);
    assert_eq!(count(&path("restored")), "6", "the backup was made and brought back");
    unheard(&["generate", "social", "--persons", "5", &path("social")]);
    assert!(Path::new(&path("social")).exists());
    unheard(&["generate", "modern", &path("modern.json")]);
    assert!(Path::new(&path("modern.json")).exists());
    unheard(&["man", &path("man")]);
    assert!(Path::new(&path("man/mangrove.1")).exists());
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        unheard(&["completions", shell]);
    }
    for args in [&["--help"][..], &["--version"], &["import", "--help"]] {
        unheard(args);
    }
}

#[test]
fn a_schema_is_applied_though_nobody_hears_of_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    std::fs::write(path("schema.toml"), "[vertices.person.keys]\nname = \"string\"\n").unwrap();
    let shown = |data: &str| {
        let output = mangrove(&["--data", data, "schema", "show"]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let apply = mangrove(&["--data", &path("g"), "--create", "schema", "apply", &path("schema.toml")])
        .output()
        .unwrap();
    assert!(apply.status.success(), "{}", String::from_utf8_lossy(&apply.stderr));
    unheard(&["--data", &path("h"), "--create", "schema", "apply", &path("schema.toml")]);
    assert_eq!(shown(&path("g")), shown(&path("h")));
}

#[test]
fn a_command_that_fails_does_not_crash_when_its_complaint_is_not_read() {
    uncomplained(&["--data", ":memory:", "query", "g.V().nope()"]);
    uncomplained(&["--data", ":memory:", "import", "/nowhere"]);
    uncomplained(&["--set", "server.prot=1", "version"]);
}

#[test]
fn a_server_lives_on_when_nobody_reads_its_log() {
    let mut server = mangrove(&["--data", ":memory:", "--log-level", "trace", "serve", "--port", "0"])
        .stdout(closed())
        .stderr(closed())
        .spawn()
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert!(server.try_wait().unwrap().is_none(), "it has ended");
    let killed = Command::new("kill").args(["-TERM", &server.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert!(server.wait().unwrap().success(), "it stops when it is asked to");
}
