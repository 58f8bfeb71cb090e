//! Imports into a graph that has data, as a user types them.

mod program;

use std::{fs, path::Path};

use mangrove::{
    Database, ImportIntoOptions, ImportSource, Imported,
    formats::{BadRows, ImportOptions, Merge, PresentOptions},
};
use program::{complaint, output};

type Files<'a> = &'a [(&'a str, &'a str)];

fn write(files: Files<'_>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(dir.path().join(name), content).unwrap();
    }
    dir
}

fn sample(name: &str) -> std::path::PathBuf {
    let samples = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../formats/tests/samples");
    samples.join(name)
}

/// TinkerPop's modern graph.
fn modern() -> Database {
    let db = Database::in_memory().unwrap();
    db.import(sample("tinkerpop-modern.json"), None, &ImportOptions::default(), &|_| {}).unwrap();
    db
}

fn texts(db: &Database, query: &str) -> Vec<String> {
    let results = db.query(query).unwrap_or_else(|error| panic!("{query}: {error}"));
    results.map(|value| value.unwrap().to_string()).collect()
}

fn options(merge: Merge) -> ImportIntoOptions {
    let writing = PresentOptions { merge, rows: 2.try_into().unwrap(), ..PresentOptions::default() };
    ImportIntoOptions { writing, ..ImportIntoOptions::default() }
}

fn import(db: &Database, source: &Path, options: &ImportIntoOptions) -> Result<String, String> {
    let imported = db.import_into(ImportSource::Path(source), options, &|_| {});
    match imported.map_err(|error| error.to_string())? {
        Imported::Now(summary) => Ok(format!(
            "{} {} added, {} {} merged, {} bad",
            summary.vertices, summary.edges, summary.merged_vertices, summary.merged_edges, summary.skipped
        )),
        Imported::Before(_) => Ok("before".into()),
    }
}

const ADD: Merge = Merge::Nothing;

#[test]
fn what_is_added_is_beside_what_there_was_and_edges_lead_to_both() {
    let db = modern();
    let dir = write(&[
        ("people.csv", ":ID{id-type:int},name,tags:string[],:LABEL\n7,ada,a;b,person\n8,bob,,person\n"),
        (
            "knows.csv",
            ":START_ID,:END_ID,:TYPE,weight:double\n7,8,knows,0.1\n7,1,knows,0.2\n1,8,likes,\n1,2,likes,\n",
        ),
    ]);
    assert_eq!(import(&db, dir.path(), &options(ADD)), Ok("2 4 added, 0 0 merged, 0 bad".into()));
    for (query, expected) in [
        ("g.V().count()", &["8"][..]),
        ("g.E().count()", &["10"]),
        ("g.V(7).out('knows').values('name').order()", &["bob", "marko"]),
        ("g.V(7).values('tags').order()", &["a", "b"]),
        ("g.V(1).out('likes').values('name').order()", &["bob", "vadas"]),
        ("g.V(7).outE('knows').values('weight').order()", &["0.1", "0.2"]),
        ("g.V(1).outE('likes').properties().count()", &["0"]),
        ("g.V(7).id().is(typeOf(GType.INT)).count()", &["1"]),
    ] {
        assert_eq!(texts(&db, query), expected, "{query}");
    }
    assert_eq!(import(&db, dir.path(), &options(ADD)), Ok("before".into()));
    let again = ImportIntoOptions { again: true, ..options(ADD) };
    let refused = import(&db, dir.path(), &again).unwrap_err();
    assert!(
        refused.contains("people.csv:2: column `id`: the id 7 is taken by a vertex `person`"),
        "{refused}"
    );
}

#[test]
fn an_id_that_is_taken_is_told_with_its_place_before_anything_is_written() {
    let json = "{\"id\":70,\"label\":\"person\"}\n{\"id\":{\"@type\":\"g:Int64\",\"@value\":4},\"label\":\"person\"}\n";
    let edges = "{\"id\":71,\"label\":\"a\",\"outE\":{\"e\":[{\"id\":7,\"inV\":71}]}}\n";
    let pretty = "{\"vertices\":[\n{\"id\":70,\"label\":\"person\"},\n{\"id\":1,\"label\":\"person\"}]}";
    let xml = "<graphml>\n<key id=\"n\" for=\"node\" attr.name=\"n\" attr.type=\"string\"/>\n<graph><node id=\"x\"/>\n<node id=\"taken\"/>\n</graph></graphml>";
    let dir = write(&[
        ("a.json", json),
        ("b.json", edges),
        ("c.json", pretty),
        ("d.xml", xml),
        ("e.csv", ":ID{id-type:int}\n90\n91\n6\n"),
        ("f.txt", "# a\n1 2\n"),
    ]);
    for (file, place, id) in [
        (
            "a.json",
            "a.json:2: column `id`: ",
            "the id 4 is taken by a vertex `person` of the graph; --new-ids",
        ),
        ("b.json", "b.json:1: column `id`: ", "the id 7 is taken by an edge `knows` of the graph; --new-ids"),
        ("c.json", "c.json:3: column `id`: ", "the id 1 is taken"),
        ("d.xml", "d.xml:4: column `id`: ", "the id \"taken\" is taken by a vertex `thing`"),
        ("e.csv", "e.csv:4: column `id`: ", "the id 6 is taken"),
    ] {
        let db = modern();
        texts(&db, "g.addV('thing').property(id, 'taken')");
        let refused = import(&db, &dir.path().join(file), &options(ADD)).unwrap_err();
        assert!(refused.contains(place) && refused.contains(id), "{file}: {refused}");
        assert!(!refused.contains("by now"), "{refused}");
        assert_eq!(texts(&db, "g.V().count()"), ["7"], "{file}");
        let mut skipping = options(ADD);
        skipping.reading.bad_rows = BadRows::Skip { reports: 5 };
        let done = import(&db, &dir.path().join(file), &skipping).unwrap();
        assert!(done.ends_with("1 bad"), "{file}: {done}");
        let mut new = options(ADD);
        new.writing.new_ids = true;
        let done = import(&db, &dir.path().join(file), &new).unwrap();
        assert!(done.ends_with("0 bad"), "{file}: {done}");
    }
    let db = modern();
    let refused = import(&db, &sample("tinkerpop-modern.kryo"), &options(ADD)).unwrap_err();
    assert!(refused.contains("tinkerpop-modern.kryo: column `id`: byte 0: the id 1 is taken"), "{refused}");
    // An edge list names vertices, and describes none.
    assert_eq!(
        import(&db, &dir.path().join("f.txt"), &options(ADD)),
        Ok("0 1 added, 0 0 merged, 0 bad".into())
    );
    assert_eq!(texts(&db, "g.V(1).out('edge').id()"), ["2"]);
}

#[test]
fn new_ids_are_given_to_all_and_edges_follow() {
    let db = modern();
    let mut new = options(ADD);
    new.writing.new_ids = true;
    assert_eq!(
        import(&db, &sample("tinkerpop-modern.kryo"), &new),
        Ok("6 6 added, 0 0 merged, 0 bad".into())
    );
    assert_eq!(texts(&db, "g.V().has('name','lop').in('created').values('name').order()").len(), 6);
    assert_eq!(texts(&db, "g.V().has('name','marko').where(__.not(hasId(1))).out('knows').count()"), ["2"]);
    assert_eq!(texts(&db, "g.E().count()"), ["12"]);
    assert_eq!(texts(&db, "g.V(1).out().count()"), ["3"], "nothing leads from one graph to the other");
}

#[test]
fn elements_with_the_ids_of_a_file_get_its_properties() {
    let db = modern();
    texts(&db, "g.V(1).property('city', 'Ulm').property(list, 'tag', 'old').property(list, 'tag', 'older')");
    let json = "{\"id\":1,\"label\":\"person\",\"properties\":{\"age\":[{\"id\":100,\"value\":30}],\"tag\":[{\"id\":101,\"value\":\"new\",\
        \"properties\":{\"since\":1}}]},\"outE\":{\"knows\":[{\"id\":7,\"inV\":2,\"properties\":{\"weight\":0.75}},{\"id\":70,\"inV\":9}]}}\n\
        {\"id\":9,\"label\":\"person\"}\n";
    let dir = write(&[("a.json", json), ("b.json", "{\"id\":2,\"label\":\"dog\"}\n")]);
    assert_eq!(
        import(&db, &dir.path().join("a.json"), &options(Merge::ById)),
        Ok("1 1 added, 1 1 merged, 0 bad".into())
    );
    for (query, expected) in [
        ("g.V(1).values('name','age','city')", &["marko", "30", "Ulm"][..]),
        ("g.V(1).values('tag')", &["new"]),
        ("g.V(1).properties('tag').values('since')", &["1"]),
        ("g.E(7).values('weight')", &["0.75"]),
        ("g.E(70).inV().id()", &["9"]),
        ("g.E().count()", &["7"]),
    ] {
        assert_eq!(texts(&db, query), expected, "{query}");
    }
    let refused = import(&db, &dir.path().join("b.json"), &options(Merge::ById)).unwrap_err();
    assert!(
        refused
            .contains("b.json:1: column `label`: the vertex 2 of the graph is a `person`, and not a `dog`"),
        "{refused}"
    );
    let moved =
        write(&[("c.json", "{\"id\":1,\"label\":\"person\",\"outE\":{\"knows\":[{\"id\":8,\"inV\":2}]}}\n")]);
    let refused = import(&db, &moved.path().join("c.json"), &options(Merge::ById)).unwrap_err();
    assert!(
        refused.contains("c.json:1:") && refused.contains("the edge 8 of the graph is a `knows` from 1 to 4"),
        "{refused}"
    );
}

#[test]
fn vertices_with_a_value_of_a_file_get_its_properties_and_edges_are_told_by_their_ends() {
    let db = modern();
    let dir = write(&[
        ("people.csv", "name:ID(P),age:int,:LABEL\nmarko,30,person\nada,36,person\n"),
        (
            "knows.csv",
            ":START_ID(P),:END_ID(P),:TYPE,weight:double\nmarko,ada,knows,0.5\nada,marko,knows,0.5\n",
        ),
    ]);
    let by_name = options(Merge::ByKey("name".into()));
    assert_eq!(import(&db, dir.path(), &by_name), Ok("1 2 added, 1 0 merged, 0 bad".into()));
    assert_eq!(texts(&db, "g.V(1).values('age')"), ["30"]);
    assert_eq!(texts(&db, "g.V().has('person','name','ada').out('knows').id()"), ["1"]);
    // The same once more, with other properties: nothing is new.
    let more = write(&[
        ("people.csv", "name:ID(P),age:int,:LABEL\nada,37,person\nmarko,31,person\n"),
        (
            "knows.csv",
            ":START_ID(P),:END_ID(P),:TYPE,weight:double\nmarko,ada,knows,0.75\nada,marko,knows,0.75\n",
        ),
    ]);
    assert_eq!(import(&db, more.path(), &by_name), Ok("0 0 added, 2 2 merged, 0 bad".into()));
    assert_eq!(texts(&db, "g.V(1).outE('knows').has('weight', 0.75d).count()"), ["1"]);
    assert_eq!(texts(&db, "g.V().count()"), ["7"]);
    let two = write(&[("people.csv", "name:string,age:int,:LABEL\nbob,1,person\njosh,2,person\n")]);
    texts(&db, "g.addV('person').property('name', 'josh')");
    let refused = import(&db, two.path(), &by_name).unwrap_err();
    assert!(
        refused
            .contains("people.csv:3: column `name`: one vertex `person` with this value expected, found 2"),
        "{refused}"
    );
    let twice = write(&[("e.csv", ":START_ID,:END_ID,:TYPE\n1,2,knows\n")]);
    texts(&db, "g.V(1).addE('knows').to(V(2))");
    let refused = import(&db, twice.path(), &by_name).unwrap_err();
    assert!(refused.contains("e.csv:2: one edge `knows` from 1 to 2 expected, found 2"), "{refused}");
}

#[test]
fn what_the_schema_refuses_is_told_with_its_place_and_what_came_before_is_kept() {
    let rows = |bad: &str| {
        format!(
            ":ID{{id-type:int}},name,age:int,:LABEL\n10,a,1,person\n11,b,2,person\n12,c,3,person\n13,d,{bad},person\n14,e,5,person\n"
        )
    };
    let dir = write(&[("p.csv", &rows(""))]);
    let db = modern();
    texts(
        &db,
        "g.call('mangrove.schema.apply', [vertices: [person: [keys: [age: [type: 'int', required: true]]]]])",
    );
    let refused = import(&db, &dir.path().join("p.csv"), &options(ADD)).unwrap_err();
    assert!(refused.contains("p.csv:5: ") && refused.contains("requires"), "{refused}");
    assert_eq!(
        texts(&db, "g.V().hasId(between(10, 20)).count()"),
        ["0"],
        "it is found before anything is written"
    );
    // What is merged may have it already, so only a write finds that it has not: before its transaction is committed.
    let refused = import(&db, &dir.path().join("p.csv"), &options(Merge::ById)).unwrap_err();
    let told = "2 of its vertices and 0 of its edges are in the graph by now; the same command with --skip-bad-rows goes on behind them";
    assert!(refused.contains("p.csv:5: ") && refused.contains(told), "{refused}");
    assert_eq!(texts(&db, "g.V().hasId(between(10, 20)).id().order()"), ["10", "11"]);
    let mut skipping = options(Merge::ById);
    skipping.reading.bad_rows = BadRows::Skip { reports: 5 };
    assert_eq!(import(&db, &dir.path().join("p.csv"), &skipping), Ok("4 0 added, 0 0 merged, 1 bad".into()));
    assert_eq!(texts(&db, "g.V().hasId(between(10, 20)).id().order()"), ["10", "11", "12", "14"]);
}

#[test]
fn an_end_that_is_nowhere_is_told_with_its_line() {
    let db = modern();
    let dir = write(&[("e.csv", ":START_ID,:END_ID,:TYPE\n1,2,likes\n1,99,likes\n")]);
    let refused = import(&db, dir.path(), &options(ADD)).unwrap_err();
    assert!(
        refused.contains("e.csv:3:2: column `:END_ID`: the id of a vertex expected, found \"99\""),
        "{refused}"
    );
    assert_eq!(texts(&db, "g.E().count()"), ["6"]);
    let mut skipping = options(ADD);
    skipping.reading.bad_rows = BadRows::Skip { reports: 5 };
    assert_eq!(import(&db, dir.path(), &skipping), Ok("0 1 added, 0 0 merged, 1 bad".into()));
}

#[test]
fn what_would_be_too_large_for_one_transaction_goes_into_several() {
    let mut options = mangrove::DatabaseOptions::default();
    options.graph.transaction_writes = 12;
    let db = Database::in_memory_with(options).unwrap();
    let people: String = (0..100).map(|n| format!("{n},p{n},{n},person\n")).collect();
    let knows: String = (0..99).map(|n| format!("{n},{},knows,{n}\n", n + 1)).collect();
    let dir = write(&[
        ("p.csv", &format!(":ID,name,age:int,:LABEL\n{people}")),
        ("k.csv", &format!(":START_ID,:END_ID,:TYPE,n:int\n{knows}")),
    ]);
    let large = ImportIntoOptions::default();
    assert_eq!(import(&db, dir.path(), &large), Ok("100 99 added, 0 0 merged, 0 bad".into()));
    assert_eq!(texts(&db, "g.V('0').repeat(out()).until(__.not(out())).id()"), ["99"]);
    assert_eq!(texts(&db, "g.E().values('n').sum()"), [(0..99).sum::<i32>().to_string()]);
}

#[test]
fn the_command_adds_merges_and_says_what_is_wrong_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let (data, modern) = (path("graph"), sample("tinkerpop-modern.json").display().to_string());
    output(&["--data", &data, "import", &modern]);
    let refused = complaint(&["--data", &data, "import", &modern]);
    assert!(
        refused.contains(
            "holds 6 vertices; import into a new directory, or into this graph with --add or --merge"
        ),
        "{refused}"
    );
    for (args, expected) in [
        (&["--new-ids"][..], "--new-ids is for graphs that have data: say --add or --merge, too"),
        (&["--merge", "id", "--new-ids"], "leave out one of the two"),
        (
            &["--add"],
            "tinkerpop-modern.json:1: column `id`: the id 1 is taken by a vertex `person` of the graph",
        ),
    ] {
        let refused = complaint(&[&["--data", &data, "import", &modern], args].concat());
        assert!(refused.contains(expected), "{args:?}: {refused}");
    }
    let said = output(&["--data", &data, "import", &modern, "--add", "--new-ids", "--batch", "1"]);
    assert!(said.starts_with("6 vertices and 6 edges in "), "{said}");
    let said = output(&["--data", &data, "import", &modern, "--add", "--new-ids"]);
    assert!(
        said.contains(
            "nothing to do: these files were imported into this graph before (6 vertices and 6 edges added"
        ),
        "{said}"
    );
    let said = output(&["--data", &data, "import", &modern, "--merge", "id"]);
    assert!(said.contains("6 vertices and 6 edges that were there got properties"), "{said}");
    assert_eq!(output(&["--data", &data, "query", "g.V().count()", "--format", "plain"]).trim(), "12");
    fs::write(path("bad.csv"), ":ID\n1\n1\n").unwrap();
    complaint(&["--data", &path("new"), "import", &path("bad.csv"), "--add"]);
    assert!(!Path::new(&path("new")).exists(), "nothing is left of a graph that is empty");
}

#[test]
fn others_write_meanwhile_and_nobody_adds_twice_what_is_merged() {
    let db = Database::in_memory().unwrap();
    db.create_index("person", "name").unwrap();
    let rows: String = (0..400).map(|n| format!("n{n},{n},person\n")).collect();
    let knows: String = (0..399).map(|n| format!("n{n},n{},knows\n", n + 1)).collect();
    let dir = write(&[
        ("p.csv", &format!("name:ID(P),age:int,:LABEL\n{rows}")),
        ("k.csv", &format!(":START_ID(P),:END_ID(P),:TYPE\n{knows}")),
    ]);
    let by_name = options(Merge::ByKey("name".into()));
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for n in (0..400).rev() {
                let merged = format!("g.mergeV([(T.label): 'person', name: 'n{n}']).property('seen', true)");
                texts(&db, &merged);
            }
        });
        let done = import(&db, dir.path(), &by_name).unwrap();
        assert!(done.ends_with("0 bad"), "{done}");
        writer.join().unwrap();
    });
    for (query, expected) in [
        ("g.V().count()", "400"),
        ("g.V().has('seen', true).has('age', gte(0)).dedup().by('name').count()", "400"),
        ("g.E().count()", "399"),
    ] {
        assert_eq!(texts(&db, query), [expected], "{query}");
    }
}

#[test]
fn of_two_who_import_the_same_files_at_once_nobody_does_what_the_other_does() {
    let db = Database::in_memory().unwrap();
    let rows: String = (0..500).map(|n| format!("n{n},person\n")).collect();
    let dir = write(&[("p.csv", &format!("name:string,:LABEL\n{rows}"))]);
    let outcomes: Vec<_> = std::thread::scope(|scope| {
        let begun: Vec<_> = (0..3).map(|_| scope.spawn(|| import(&db, dir.path(), &options(ADD)))).collect();
        begun.into_iter().map(|import| import.join().unwrap()).collect()
    });
    for outcome in &outcomes {
        let refused = outcome.as_ref().err();
        assert!(
            refused.is_none_or(|refused| refused.contains("another import of the same files")),
            "{outcomes:?}"
        );
    }
    import(&db, dir.path(), &options(ADD)).unwrap();
    assert_eq!(texts(&db, "g.V().count()"), ["500"], "{outcomes:?}");
}

#[test]
fn an_import_that_is_stopped_goes_on() {
    let db = modern();
    let stop = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(true));
    let dir = write(&[("p.csv", "name:string,:LABEL\na,person\nb,person\nc,person\n")]);
    let mut stopped = options(ADD);
    stopped.writing.stop = Some(stop.clone());
    assert_eq!(import(&db, dir.path(), &stopped), Err("the import was stopped".into()));
    stop.store(false, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(import(&db, dir.path(), &stopped), Ok("3 0 added, 0 0 merged, 0 bad".into()));
}

#[test]
fn an_id_that_no_file_has_is_not_one_that_the_graph_has_given_meanwhile() {
    let db = Database::in_memory().unwrap();
    let dir = write(&[
        ("v.csv", ":ID{id-type:long}\n100\n101\n102\n"),
        ("e.csv", ":START_ID,:END_ID,:TYPE\n100,101,e\n100,0,e\n100,2,e\n"),
    ]);
    let mut new = options(ADD);
    new.writing.new_ids = true;
    new.reading.bad_rows = BadRows::Skip { reports: 5 };
    assert_eq!(import(&db, dir.path(), &new), Ok("3 1 added, 0 0 merged, 2 bad".into()));
    assert_eq!(texts(&db, "g.V().id().order()"), ["0", "1", "2"], "ids that the file's edges name by chance");
}
