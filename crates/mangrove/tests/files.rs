//! `io()`: files below a directory become part of a graph, and a graph becomes a file.

use std::{fs, os::unix::fs::symlink, path::Path, time::Duration};

use mangrove::{Database, DatabaseOptions};
use values::Value;

fn options(directory: &Path) -> DatabaseOptions {
    DatabaseOptions { io_directory: Some(directory.into()), executors: 2, ..DatabaseOptions::default() }
}

fn database(directory: &Path) -> Database {
    Database::in_memory_with(options(directory)).unwrap()
}

fn all(db: &Database, query: &str) -> Vec<Value> {
    db.query(query).unwrap_or_else(|error| panic!("{query}: {error}")).collect::<Result<_, _>>().unwrap()
}

fn refused(db: &Database, query: &str) -> String {
    match db.query(query).and_then(|results| results.collect::<Result<Vec<_>, _>>()) {
        Ok(results) => panic!("{query}: {results:?}"),
        Err(error) => error.to_string(),
    }
}

fn counts(db: &Database) -> [Value; 2] {
    [all(db, "g.V().count()").remove(0), all(db, "g.E().count()").remove(0)]
}

/// What is in a graph, in words that do not depend on any order; ids of properties aside.
fn contents(db: &Database) -> Vec<String> {
    let mut contents: Vec<String> = all(db, "g.V().union(elementMap(), properties().as('p').valueMap().as('m').select('p','m').by(union(key(), value()).fold()).by(unfold().fold()))")
        .into_iter()
        .chain(all(db, "g.E().elementMap()"))
        .map(|value| format!("{value}"))
        .collect();
    contents.sort();
    contents
}

/// A directory with TinkerPop's samples.
fn samples() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let samples = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../formats/tests/samples");
    for sample in fs::read_dir(samples).unwrap() {
        let sample = sample.unwrap();
        fs::copy(sample.path(), directory.path().join(sample.file_name())).unwrap();
    }
    directory
}

/// The names in a directory.
fn names(directory: &Path) -> Vec<String> {
    let mut names: Vec<_> =
        fs::read_dir(directory).unwrap().map(|it| it.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn samples_are_read_in_every_format() {
    let directory = samples();
    for script in [
        "g.io('tinkerpop-modern.kryo').read().iterate()",
        "g.io('tinkerpop-modern.json').read()",
        "g.io('./tinkerpop-modern.xml').read().iterate()",
        "g.io('tinkerpop-modern.kryo').with(IO.reader, IO.gryo).read()",
        "g.io('tinkerpop-modern.json').with(IO.reader, 'org.apache.tinkerpop.gremlin.structure.io.graphson.GraphSONReader').read()",
    ] {
        let db = database(directory.path());
        assert!(all(&db, script).is_empty(), "{script}");
        assert_eq!(counts(&db), [6.into(), 6.into()].map(|it: i64| it.into()), "{script}");
        let creators = all(&db, "g.V().has('name','lop').in('created').order().by('age').values('name')");
        assert_eq!(creators, ["marko", "josh", "peter"].map(Value::from), "{script}");
    }
    let db = database(directory.path());
    all(&db, "g.io('tinkerpop-crew.json').read()");
    assert_eq!(all(&db, "g.V().has('name','marko').values('location').count()"), [Value::from(4_i64)]);
    assert_eq!(
        all(&db, "g.V().has('name','marko').properties('location').has('endTime', 2005).value()"),
        ["brussels".into()]
    );
}

#[test]
fn what_is_written_is_read_again_and_the_ending_or_with_says_how() {
    let directory = samples();
    let path = directory.path();
    fs::create_dir(path.join("sub")).unwrap();
    let crew = database(path);
    all(&crew, "g.io('tinkerpop-crew.json').read()");
    all(&crew, "g.addV('loop').property('n', 1.5f).as('a').addE('self').to('a').property('k', ['a', 1])");
    let modern = database(path);
    all(&modern, "g.io('tinkerpop-modern.kryo').read()");
    for (db, name, with) in [
        (&crew, "sub/crew.json", ""),
        (&crew, "sub/crew.kryo", ""),
        (&modern, "modern.graphml", ""),
        (&modern, "modern.bin", ".with(IO.%, IO.graphson)"),
        (&modern, "gryo.xml", ".with(IO.%, IO.gryo)"),
    ] {
        assert!(all(db, &format!("g.io('{name}'){}.write()", with.replace('%', "writer"))).is_empty());
        let again = database(path);
        all(&again, &format!("g.io('{name}'){}.read().iterate()", with.replace('%', "reader")));
        let mut expected = contents(db);
        let mut found = contents(&again);
        if name == "modern.graphml" {
            // Ids are texts there.
            assert_eq!(counts(&again), counts(db));
            expected.clear();
            found.clear();
        }
        assert_eq!(found, expected, "{name}");
    }
    assert!(fs::read(path.join("modern.bin")).unwrap().starts_with(b"{\"id\":{\"@type\":\"g:Int32\""));
    assert!(fs::read(path.join("gryo.xml")).unwrap().starts_with(b"gio"));
}

#[test]
fn nothing_outside_of_the_directory_is_read_or_written() {
    let around = tempfile::tempdir().unwrap();
    let inside = around.path().join("io");
    fs::create_dir_all(inside.join("sub")).unwrap();
    fs::write(around.path().join("secret.json"), "{\"id\":1}\n").unwrap();
    symlink(around.path(), inside.join("out")).unwrap();
    symlink(around.path().join("secret.json"), inside.join("link.json")).unwrap();
    let status = std::process::Command::new("mkfifo").arg(inside.join("pipe.json")).status().unwrap();
    assert!(status.success());
    let db = database(&inside);
    let secret = around.path().join("secret.json");
    for (file, problem) in [
        ("../secret.json", "outside of `io_directory`"),
        ("sub/../../secret.json", "outside of `io_directory`"),
        (secret.to_str().unwrap(), "outside of `io_directory`"),
        ("/etc/passwd.json", "outside of `io_directory`"),
        ("out/secret.json", "symbolic link"),
        ("missing/a.json", "no folder \"missing\""),
        ("link.json/x.json", "no folder, or a symbolic link"),
        ("sub\\u0000x/a.json", "\\0"),
    ] {
        for mode in ["read", "write"] {
            let error = refused(&db, &format!("g.io('{file}').{mode}()"));
            assert!(error.contains(problem) || problem == "\\0", "{file}: {error}");
        }
    }
    assert!(refused(&db, "g.io('link.json').read()").contains("symbolic link"));
    assert!(refused(&db, "g.io('link.json').write()").contains("is no file"));
    assert!(refused(&db, "g.io('pipe.json').read()").contains("no file with a content"));
    assert!(refused(&db, "g.io('pipe.json').write()").contains("is no file"));
    fs::create_dir(inside.join("folder.json")).unwrap();
    assert!(refused(&db, "g.io('folder.json').read()").contains("no file with a content"));
    assert!(refused(&db, "g.io('folder.json').write()").contains("is no file"));
    assert!(refused(&db, "g.io('none.json').read()").contains("\"none.json\": does not exist"));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "{\"id\":1}\n");
    assert_eq!(names(&inside), ["folder.json", "link.json", "out", "pipe.json", "sub"]);
    // An absolute path may be one below.
    all(&db, &format!("g.io('{}').write()", inside.join("sub/a.json").display()));
    assert_eq!(names(&inside.join("sub")), ["a.json"]);
    let nowhere = Database::in_memory().unwrap();
    assert!(
        refused(&nowhere, "g.io('a.json').read()").contains("set `io_directory` (MANGROVE_IO_DIRECTORY)")
    );
}

#[test]
fn a_file_appears_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(directory.path());
    let file = directory.path().join("a.xml");
    all(&db, "g.addV('person').property('name', 'ada')");
    all(&db, "g.io('a.xml').write()");
    let before = fs::read(&file).unwrap();
    all(&db, "g.addV('person').property(list, 'name', 'a').property(list, 'name', 'b')");
    assert!(
        refused(&db, "g.io('a.xml').write()")
            .contains("Multiple properties exist for the provided key: [name]")
    );
    assert_eq!(fs::read(&file).unwrap(), before);
    assert_eq!(names(directory.path()), ["a.xml"]);
    all(&db, "g.io('a.xml').with(IO.writer, IO.graphson).write()");
    assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 2);
    assert_eq!(names(directory.path()), ["a.xml"]);
}

#[test]
fn a_file_is_read_whole_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, content: &str| fs::write(directory.path().join(name), content).unwrap();
    write("bad.json", "{\"id\":1}\n{\"id\":2,\"inE\":{\"e\":[{\"id\":3,\"outV\":1}]}}\n{\"id\":}\n");
    write("twice.json", "{\"id\":1}\n{\"id\":{\"@type\":\"g:Int64\",\"@value\":1}}\n");
    write("nowhere.json", "{\"id\":1,\"inE\":{\"e\":[{\"id\":3,\"outV\":9}]}}\n");
    write("one.json", "{\"id\":1}\n");
    let db = database(directory.path());
    for (file, problem) in [
        ("bad.json", "the file \"bad.json\": line 3, column 7"),
        ("twice.json", "two vertices have the id 1"),
        ("nowhere.json", "Could not find outV with id [9] to create edge with id [3]"),
    ] {
        let error = refused(&db, &format!("g.io('{file}').read()"));
        assert!(error.contains(problem), "{error}");
        assert_eq!(counts(&db), [Value::from(0_i64), Value::from(0_i64)]);
    }
    all(&db, "g.io('one.json').read()");
    assert!(refused(&db, "g.io('one.json').read()").contains('1'), "its id is taken");
    assert!(refused(&db, "g.withStrategies(ReadOnlyStrategy).io('one.json').read()").contains("read"));
    let transaction = db.transaction();
    transaction.query("g.V().drop()").unwrap().for_each(drop);
    transaction.query("g.io('one.json').read()").unwrap().for_each(drop);
    let seen = transaction.query("g.V().count()").unwrap().collect::<Result<Vec<_>, _>>().unwrap();
    assert_eq!(seen, [Value::from(1_i64)]);
    transaction.query("g.io('seen.json').write()").unwrap().for_each(drop);
    drop(transaction);
    assert_eq!(names(directory.path()), ["bad.json", "nowhere.json", "one.json", "seen.json", "twice.json"]);
}

#[test]
fn what_is_asked_in_another_way_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(directory.path());
    for (script, problem) in [
        ("g.io('a.json')", "IO mode was not set to read() or write()"),
        ("g.io('').read()", "file cannot be null or empty"),
        ("g.io('a.csv').read()", "Could not detect the file format - specify the reader explicitly"),
        ("g.io('a.json').with(IO.registry, 'x.Y').read()", "IO.registry"),
        (
            "g.io('a.json').with(IO.reader, 'x.Y').read()",
            "Could not construct the specified GraphReader of x.Y",
        ),
        ("g.V().read()", "modulates nothing"),
    ] {
        let error = refused(&db, script);
        assert!(error.contains(problem), "{script}: {error}");
    }
    assert!(db.explain("g.io('a.json').read()").unwrap().contains("ReadFile(\"a.json\" as graphson)"));
}

/// A graph that takes a while to write, and to read.
fn large(db: &Database) {
    all(db, "g.addV('hub').property('name', 'x')");
    all(
        db,
        "g.inject(0).repeat(union(identity(), identity())).times(12).addV('leaf').property('text', 'some text').addE('to').to(V().hasLabel('hub'))",
    );
}

#[test]
fn long_work_ends_with_its_query_and_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let db = database(directory.path());
    large(&db);
    for format in ["json", "xml", "kryo"] {
        all(&db, &format!("g.io('whole.{format}').write()"));
        for (query, what) in [("write()", "written"), ("read()", "read")] {
            let began = std::time::Instant::now();
            let name = if what == "read" { "whole" } else { "late" };
            // Where the same vertices are already, a quick machine is told so before its time is over.
            let empty = database(directory.path());
            let on = if what == "read" { &empty } else { &db };
            let error =
                refused(on, &format!("g.with('evaluationTimeout', 10).io('{name}.{format}').{query}"));
            assert!(error.contains("evaluation timeout"), "{format} {what}: {error}");
            assert!(began.elapsed() < Duration::from_secs(5));
        }
    }
    assert_eq!(names(directory.path()), ["whole.json", "whole.kryo", "whole.xml"]);
    let small = Database::in_memory_with(DatabaseOptions {
        memory_per_query: 256 << 10,
        ..options(directory.path())
    });
    let small = small.unwrap();
    for format in ["json", "xml", "kryo"] {
        let error = refused(&small, &format!("g.io('whole.{format}').read()"));
        assert!(error.contains("memory"), "{format}: {error}");
    }
    assert_eq!(counts(&small), [Value::from(0_i64), Value::from(0_i64)]);
    for format in ["json", "kryo"] {
        let again = database(directory.path());
        all(&again, &format!("g.io('whole.{format}').read()"));
        assert_eq!(counts(&again), counts(&db), "{format}");
    }
}
