//! `mangrove export`, as a user types it, and what comes back when its files are imported.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use mangrove::{Database, ExportFormat, ExportOptions, ExportSummary, formats::ImportOptions};

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
    assert!(again.contains("out.json cannot be written: it is there; add --overwrite"), "{again}");
    output(&["--data", &graph, "export", &path("out.json"), "--overwrite"]);
    let nowhere = complaint(&["--data", &graph, "export", &path("missing/out.json")]);
    let expected = format!("there is no folder {}; make it first", path("missing"));
    assert!(nowhere.contains(&expected) && !nowhere.contains("io_directory"), "{nowhere}");
    let unnamed = complaint(&["--data", &graph, "export", &path("out")]);
    assert!(unnamed.contains("its name does not say its format"), "{unnamed}");
    let said = output(&["--data", &graph, "export", &path("csv"), "--format", "neptune"]);
    assert!(
        said.contains("of 4 files\nnot all of the graph can be said so:\n  12 ids that are no texts"),
        "{said}"
    );
    let left: Vec<_> = fs::read_dir(path("")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
}

/// Everything in a graph but properties of properties, with the types of all values, and ids as this step makes them.
fn contents_with(db: &Database, id: &str) -> Vec<String> {
    let vertices = format!(
        "g.V().project('id','label','properties').by({id}).by(label)\
         .by(properties().project('k','v').by(key()).by(value()).order().by('k').by(select('v').asString()).fold())"
    );
    let edges = format!(
        "g.E().project('id','label','from','to','properties').by({id}).by(label).by(outV().{id}).by(inV().{id})\
         .by(properties().project('k','v').by(key()).by(value()).order().by('k').fold())"
    );
    let mut contents = [all(db, &vertices), all(db, &edges)].concat();
    contents.sort();
    contents
}

fn contents(db: &Database) -> Vec<String> {
    contents_with(db, "id()")
}

fn all(db: &Database, query: &str) -> Vec<String> {
    db.query(query).unwrap().map(|value| format!("{:?}", value.unwrap())).collect()
}

/// The first difference is enough.
fn assert_same(found: &[String], expected: &[String], what: &str) {
    let differ = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert_eq!((differ, found.len()), (None, expected.len()), "{what}");
}

fn opened(source: &Path) -> Database {
    let db = Database::in_memory().unwrap();
    db.import(source, None, &ImportOptions::default(), &|_| {}).unwrap();
    db
}

fn made(queries: &[&str]) -> Database {
    let db = Database::in_memory().unwrap();
    queries.iter().for_each(|query| _ = all(&db, query));
    db
}

/// Exports a graph and imports it again.
fn again(db: &Database, format: ExportFormat) -> (Database, ExportSummary, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("exported");
    let options = ExportOptions { format: Some(format), ..ExportOptions::default() };
    let summary = db.export(&target, &options).unwrap();
    let back = opened(&target);
    let written: u64 =
        fs::read_dir(&target).unwrap().map(|file| file.unwrap().metadata().unwrap().len()).sum();
    assert_eq!(written, summary.bytes);
    (back, summary, dir)
}

fn file(dir: &tempfile::TempDir, name: &str) -> String {
    fs::read_to_string(dir.path().join("exported").join(name)).unwrap()
}

#[test]
fn every_sample_comes_back_from_csv_as_it_was() {
    for name in ["tinkerpop-modern", "tinkerpop-classic", "tinkerpop-crew", "tinkerpop-sink", "grateful-dead"]
    {
        let db = opened(Path::new(&sample(&format!("{name}.json"))));
        let (back, summary, _dir) = again(&db, ExportFormat::Neo4j);
        assert_same(&contents(&back), &contents(&db), name);
        let metas = summary.losses.iter().filter(|loss| loss.contains("properties of properties")).count();
        assert_eq!(
            (summary.losses.len(), metas),
            if name == "tinkerpop-crew" { (1, 1) } else { (0, 0) },
            "{name}"
        );
        let (back, summary, _dir) = again(&db, ExportFormat::Neptune);
        assert_same(&contents(&back), &contents_with(&db, "id().asString()"), name);
        assert!(summary.losses[0].contains("ids that are no texts"), "{:?}", summary.losses);
    }
}

#[test]
fn files_have_the_headers_of_their_convention() {
    let db = opened(Path::new(&sample("tinkerpop-modern.json")));
    let (_, summary, neo4j) = again(&db, ExportFormat::Neo4j);
    assert_eq!((summary.files, summary.vertices, summary.edges), (4, 6, 6));
    assert_eq!(
        file(&neo4j, "vertices-software.csv"),
        ":ID{id-type:int},:LABEL,name:string,lang:string\n3,software,lop,java\n5,software,ripple,java\n"
    );
    assert!(
        file(&neo4j, "edges-knows.csv")
            .starts_with(":START_ID,:END_ID,:TYPE,:ID{id-type:int},weight:double\n1,2,knows,7,0.5\n")
    );
    let (.., neptune) = again(&db, ExportFormat::Neptune);
    assert!(
        file(&neptune, "vertices-person.csv")
            .starts_with("~id,~label,name:String(single),age:Int(single)\n1,person,marko,29\n")
    );
    assert!(
        file(&neptune, "edges-knows.csv")
            .starts_with("~id,~from,~to,~label,weight:Double\n7,1,2,knows,0.5\n")
    );
    let bare = ExportOptions {
        format: Some(ExportFormat::Neo4j),
        edge_ids: false,
        overwrite: true,
        ..ExportOptions::default()
    };
    let target = neo4j.path().join("exported");
    let summary = db.export(&target, &bare).unwrap();
    assert!(file(&neo4j, "edges-knows.csv").starts_with(":START_ID,:END_ID,:TYPE,weight:double\n"));
    assert_eq!(summary.losses, ["6 ids of edges are left out"]);
    assert_eq!(opened(&target).query("g.E().count()").unwrap().count(), 1);
}

#[test]
fn all_types_of_values_come_back_and_what_is_lost_is_told() {
    let scalars = "g.addV('x').property(id, 'a,\"b\"').property('s', 'one, \"two\"\n;three').property('c', 'é'c)\
        .property('b', true).property('y', 1b).property('h', 2s).property('i', -3).property('l', 4L).property('n', 5n)\
        .property('f', 0.1f).property('d', 1.0E300d).property('m', 1.10m).property('nan', NaN).property('inf', -Infinity)\
        .property('u', UUID('41d2e28a-20a4-4ab0-b379-d810dede3786')).property('t', datetime('2018-03-22T00:35:44.001+02:00'))\
        .property('key with, comma|pipe;and:colon', 1).property(' space', 1)";
    let db = made(&[
        scalars,
        "g.addV('x').property(id, 'two').property(list, 's', 'a').property(list, 's', '').property(list, 's', 'b').property('i', 'a text here')",
        "g.addV('x').property(id, 'three').property(list, 'i', 1).property(list, 'i', 2).property('s', '')",
        "g.addV('y/../z').property(id, 'four').property(list, 's', 'p;q').property(list, 's', 'r')",
        "g.addE('e').from(V('two')).to(V('three')).property('l', [1, 2]).property('w', 1)",
        "g.addE('e').from(V('two')).to(V('three')).property('l', 3).property('w', 1.5d)",
        "g.addE('e;f').from(V('two')).to(V('two')).property(id, 'own')",
    ]);
    let [neo4j, neptune] = [ExportFormat::Neo4j, ExportFormat::Neptune].map(|format| again(&db, format));
    for (summary, whose) in [(&neo4j.1, "neo4j-admin"), (&neptune.1, "Neptune")] {
        let told = summary.losses.join("\n");
        for loss in [
            "`s`: 1 values are left out, null or empty texts among several",
            &format!("`u`: 1 values have the type uuid, which Mangrove reads and {whose} does not"),
            "` space`: 1 properties are left out, for this cannot be the name of a column",
        ] {
            assert!(told.contains(loss), "{told}");
        }
        let parted = "`s`: the values of 1 elements are left out, for one of several has the delimiter";
        assert_eq!(told.contains(parted), whose == "neo4j-admin", "{told}");
    }
    all(&db, "g.V('two').properties('s').hasValue('').drop()");
    all(&db, "g.V('a,\"b\"').properties(' space').drop()");
    assert_same(&contents(&neptune.0), &contents_with(&db, "id().asString()"), "Neptune");
    all(&db, "g.V('four').properties('s').drop()");
    assert_same(&contents(&neo4j.0), &contents(&db), "neo4j-admin");
}

#[test]
fn what_a_file_cannot_say_at_all_is_refused_and_nothing_is_left() {
    for (queries, problem) in [
        (&["g.addV('a;b')"][..], "the label \"a;b\" would be several"),
        (
            &["g.addV('a').property(id, 1)", "g.addV('a').property(id, '1')"],
            "the text \"1\", which would be one here",
        ),
        (&["g.addV('a').property(id, '')"], "is an empty text"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let options = ExportOptions { format: Some(ExportFormat::Neo4j), ..ExportOptions::default() };
        let refused = made(queries).export(&dir.path().join("out"), &options).unwrap_err().to_string();
        assert!(refused.contains(problem) && refused.contains("out cannot be written"), "{refused}");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "{problem}");
    }
    let mixed = made(&[
        "g.addV('a').property(id, 1)",
        "g.addV('a').property(id, 'x')",
        "g.addE('e').from(V(1)).to(V('x'))",
    ]);
    let (back, summary, _dir) = again(&mixed, ExportFormat::Neo4j);
    assert_eq!(all(&back, "g.V('1').out().id()"), ["String(\"x\")"]);
    assert!(
        summary.losses[0]
            .contains("1 ids that are no texts are written as texts, for vertices have ids of several types")
    );
}

#[test]
fn a_directory_is_replaced_only_if_it_holds_nothing_but_csv() {
    let db = made(&["g.addV('a')"]);
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    let export = |overwrite| {
        let options =
            ExportOptions { format: Some(ExportFormat::Neo4j), overwrite, ..ExportOptions::default() };
        db.export(&target, &options).map(|summary| summary.files).map_err(|error| error.to_string())
    };
    fs::create_dir(&target).unwrap();
    assert_eq!(export(false), Ok(1), "an empty directory is nothing");
    assert!(export(false).unwrap_err().contains("not empty; add --overwrite"));
    fs::write(target.join("vertices-old.csv"), "").unwrap();
    assert_eq!(export(true), Ok(1));
    assert!(!target.join("vertices-old.csv").exists());
    fs::write(target.join("thesis.txt"), "").unwrap();
    assert!(export(true).unwrap_err().contains("thesis.txt is in it, which is no file of CSV or Parquet"));
    fs::remove_dir_all(&target).unwrap();
    fs::write(&target, "").unwrap();
    assert!(export(true).unwrap_err().contains("no directory; files of CSV or Parquet are written into one"));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn an_empty_graph_is_a_header() {
    let parquet = cfg!(feature = "parquet").then_some(ExportFormat::Parquet);
    for format in [ExportFormat::Neo4j, ExportFormat::Neptune].into_iter().chain(parquet) {
        let (back, summary, _dir) = again(&made(&[]), format);
        assert_eq!((summary.files, summary.vertices), (1, 0));
        assert_eq!(contents(&back), [""; 0]);
    }
}

#[test]
fn a_part_of_a_graph_is_what_a_traversal_yields() {
    let db = opened(Path::new(&sample("tinkerpop-modern.json")));
    let dir = tempfile::tempdir().unwrap();
    for (query, vertices, edges) in [
        ("g.V().hasLabel('person')", "1 2 4 6", "7 8"),
        ("g.V().hasLabel('person').fold()", "1 2 4 6", "7 8"),
        ("g.E().hasLabel('created').has('weight', gt(0.3d))", "1 3 4 5", "9 10 11"),
        ("g.E(7).subgraph('x').cap('x')", "1 2", "7"),
        ("g.V(1).union(identity(), outE('knows'))", "1 2 4", "7 8"),
        ("g.V('nobody')", "", ""),
    ] {
        for (name, format) in
            [("part.json", None), ("part.xml.gz", None), ("part", Some(ExportFormat::Neptune))]
        {
            let target = dir.path().join(name);
            let options = ExportOptions {
                format,
                query: Some(query.into()),
                overwrite: true,
                ..ExportOptions::default()
            };
            let summary = db.export(&target, &options).unwrap();
            let ids =
                |of: &str| of.split_whitespace().map(|id| format!("String({id:?})")).collect::<Vec<_>>();
            if summary.vertices == 0 && name == "part.json" {
                assert_eq!(fs::read(&target).unwrap(), b"");
                continue;
            }
            let back = opened(&target);
            let mut found = [all(&back, "g.V().id().asString()"), all(&back, "g.E().id().asString()")];
            let mut expected = [ids(vertices), ids(edges)];
            found.iter_mut().chain(&mut expected).for_each(|ids| ids.sort());
            assert_eq!(found, expected, "{query} as {name}");
            assert_eq!(
                (summary.vertices as usize, summary.edges as usize),
                (expected[0].len(), expected[1].len()),
                "{query}"
            );
        }
    }
    for writes in ["g.V().drop()", "g.addV('x')", "g.V().property('z', 1)"] {
        let options = ExportOptions { query: Some(writes.into()), ..ExportOptions::default() };
        let target = dir.path().join("written.json");
        let refused = db.export(&target, &options).unwrap_err().to_string();
        assert!(refused.contains("read"), "{refused}");
        assert!(!target.exists());
    }
    let options = ExportOptions { query: Some("g.V().values('name')".into()), ..ExportOptions::default() };
    let refused = db.export(&dir.path().join("names.json"), &options).unwrap_err().to_string();
    assert!(
        refused.contains("the query yields")
            && refused.contains("vertices, edges or what subgraph() gathers"),
        "{refused}"
    );
    assert!(!dir.path().join("names.json").exists());
}

#[test]
fn an_empty_graph_comes_back_from_every_format() {
    let db = Database::in_memory().unwrap();
    let dir = tempfile::tempdir().unwrap();
    for (name, format) in [
        ("a.json", None),
        ("b.json.gz", None),
        ("c.kryo", None),
        ("d.kryo.gz", None),
        ("e.xml", None),
        ("f.graphml.gz", None),
        ("neo4j", Some(ExportFormat::Neo4j)),
        ("neptune", Some(ExportFormat::Neptune)),
    ] {
        let target = dir.path().join(name);
        db.export(&target, &ExportOptions { format, ..ExportOptions::default() }).unwrap();
        assert_eq!(all(&opened(&target), "g.V().count()"), ["Long(0)"], "{name}");
    }
    let unnamed = dir.path().join("something");
    fs::write(&unnamed, "").unwrap();
    let refused = db.import(&unnamed, None, &ImportOptions::default(), &|_| {}).unwrap_err().to_string();
    assert!(refused.contains("the file is empty, and its name does not end as one"), "{refused}");
}

#[test]
fn labels_that_end_as_names_of_headers_do_come_back() {
    let db = made(&[
        "g.addV('header').as('a').addV('person').as('b').addE('header').from('a').to('b').addE('knows').from('b').to('a')",
        "g.addV('person-header').as('a').addV('person_header').as('b').addE('knows_header').from('a').to('b')",
    ]);
    for format in [ExportFormat::Neo4j, ExportFormat::Neptune] {
        let (back, ..) = again(&db, format);
        assert_eq!(all(&back, "g.V().count()"), ["Long(4)"]);
        assert_eq!(all(&back, "g.E().hasLabel('header', 'knows_header').count()"), ["Long(2)"]);
    }
}

#[test]
fn graphml_says_what_it_does_not_say_of_the_graph() {
    let db = made(&[
        "g.addV('x').property(id, 5L).property('a', 'b', 'meta', 1).property('t', datetime('2018-03-22T00:35:44.001Z'))",
    ]);
    let dir = tempfile::tempdir().unwrap();
    let summary = db.export(&dir.path().join("g.xml"), &ExportOptions::default()).unwrap();
    let told = summary.to_string();
    for loss in [
        "1 ids of vertices that are no texts are written as texts",
        "`a`: 1 properties of properties are left out",
        "`t`: 1 values of vertices are written as texts",
    ] {
        assert!(told.contains(loss), "{told}");
    }
    let twins = made(&["g.addV('x').property(id, 1L)", "g.addV('x').property(id, '1')"]);
    let target = dir.path().join("twins.xml");
    let refused = twins.export(&target, &ExportOptions::default()).unwrap_err().to_string();
    assert!(refused.contains("two vertices have ids that are the text \"1\""), "{refused}");
    assert!(!target.exists());
    let bad = made(&["g.addV('x').property(id, 'v').property('k', 'a\\u0000b')"]);
    let refused = bad.export(&target, &ExportOptions::default()).unwrap_err().to_string();
    assert!(
        refused.contains("the vertex \"v\": the property `k`: the character U+0000 is none of XML"),
        "{refused}"
    );
}
