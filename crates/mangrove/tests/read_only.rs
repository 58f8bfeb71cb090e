//! Graphs that are opened for reading alone.

mod program;

use std::{fs, path::Path};

use mangrove::{Database, DatabaseOptions, ErrorKind, ImportIntoOptions, ImportSource};
use program::{Serving, complaint, curl, output};

fn read_only() -> DatabaseOptions {
    DatabaseOptions::default().read_only(true)
}

#[test]
fn a_program_reads_and_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("g");
    assert!(Database::open_with(&path, read_only()).is_err());
    assert!(!path.exists(), "none is made");
    let db = Database::open(&path).unwrap();
    db.query("g.addV('person').property('name', 'ada')").unwrap();
    db.close().unwrap();

    let db = Database::open_with(&path, read_only()).unwrap();
    let count = |db: &Database| db.query("g.V().count()").unwrap().next().unwrap().unwrap();
    assert_eq!(count(&db), 1i64.into());
    let kind = |error: mangrove::Error| error.kind();
    for script in
        ["g.addV('x')", "g.V().drop()", "g.V().property('name', 'bob')", "g.mergeV([(T.label): 'y'])"]
    {
        assert_eq!(db.query(script).map(drop).map_err(kind), Err(ErrorKind::ReadOnly), "{script}");
    }
    let transaction = db.transaction();
    let written = transaction.query("g.addV('x')").map(drop);
    let committed = written.and_then(|()| transaction.commit());
    assert_eq!(committed.map_err(kind), Err(ErrorKind::ReadOnly));
    assert_eq!(db.create_index("person", "name").map_err(kind), Err(ErrorKind::ReadOnly));
    for call in [
        "index.create', ['label': 'person', 'key': 'name'])",
        "schema.declare', ['mode': 'strict'])",
        "analyze')",
    ] {
        assert!(db.query(&format!("g.call('mangrove.{call}")).is_err(), "{call}");
    }
    let mut csv: &[u8] = b"name:string,:LABEL\neve,person\n";
    let into = db.import_into(ImportSource::Stream(&mut csv), &ImportIntoOptions::default(), &|_| {});
    assert!(into.is_err());
    assert_eq!(count(&db), 1i64.into());
    db.close().unwrap();
    let db = Database::open(&path).unwrap();
    assert_eq!(count(&db), 1i64.into());
}

#[test]
fn a_server_and_commands_read_and_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let data = path("g");
    output(&["--data", &data, "--create", "query", "g.addV('person').property('name', 'ada')"]);
    fs::write(path("password"), "the password\n").unwrap();
    let query = |script: &str| complaint(&["--data", &data, "--read-only", "query", script]);
    assert!(query("g.addV('x')").contains("reading alone") || query("g.addV('x')").contains("read"));
    assert!(complaint(&["--data", &data, "--read-only", "graph", "create", "x"]).contains("read_only"));
    assert!(
        complaint(&["--data", &path("none"), "--read-only", "--create", "query", "g.V()"])
            .contains("no graph")
    );
    assert!(!Path::new(&path("none")).exists());

    let password = path("password");
    let args = ["--data", &data, "--read-only", "serve", "--port", "0", "--admin-password-file", &password];
    let serving = Serving::start(&args);
    let ask = |script: &str| curl(&serving, "admin:the password", script);
    assert!(ask("g.V().values('name')").contains("ada"));
    for script in [
        "g.addV('x')",
        "x = 1; g.addV('x'); g.V()",
        "g.tx().begin(); g.addV('x'); g.tx().commit()",
        "g.call('mangrove.index.create', ['label': 'person', 'key': 'name'])",
        "g.call('mangrove.graphs.create', ['name': 'x'])",
        "g.call('mangrove.transfer.begin')",
        "g.call('mangrove.analyze')",
    ] {
        let told = ask(script);
        assert!(told.contains("ReadOnlyError"), "{script}: {told}");
    }
    // What is about queries and users is no change of a graph.
    assert!(ask("g.call('mangrove.queries.stop', ['id': 'none'])").ends_with(" 200"));
    let user = "g.call('mangrove.users.add', ['name': 'bob', 'password': 'the password', 'role': 'read'])";
    assert!(ask(user).ends_with(" 200"));
    serving.stop("-TERM");
    let counted = output(&["--data", &data, "query", "g.V().count()", "--format", "plain"]);
    assert_eq!(counted.trim(), "1");
}
