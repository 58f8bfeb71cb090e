//! What an import must not take for what it is not. Each entry is what users have tried.

use std::path::Path;

use mangrove::Database;
use mangrove::ImportFormat;
use mangrove::formats::{BadRows, ImportOptions, SeveralLabels};

type Files<'a> = &'a [(&'a str, &'a [u8])];

fn write(files: Files<'_>) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = dir.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
    dir
}

fn refusal(source: &Path, format: Option<ImportFormat>) -> String {
    let db = Database::in_memory().unwrap();
    let done = db.import(source, format, &ImportOptions::default(), &|_| {});
    let message = done.expect_err("the import was accepted").to_string();
    let left = db.query("g.V().count()").unwrap().next().unwrap().unwrap().to_string();
    assert_eq!(left, "0", "the graph stays empty");
    message
}

fn imported(source: &Path) -> Database {
    let db = Database::in_memory().unwrap();
    db.import(source, None, &ImportOptions::default(), &|_| {}).unwrap();
    db
}

fn texts(db: &Database, query: &str) -> Vec<String> {
    db.query(query).unwrap().map(|value| value.unwrap().to_string()).collect()
}

/// What is said of a file that begins as Parquet and is none.
const PARQUET: &str = match cfg!(feature = "parquet") {
    true => "g.parquet`: ",
    false => {
        "Parquet is not supported by this build; install one that reads it (`cargo install --path crates/mangrove --features \
              parquet`)"
    }
};

#[test]
fn a_file_of_another_format_is_refused_by_its_name_whatever_it_is_said_to_be() {
    for (name, content, expected) in [
        (
            "g.ttl",
            &b"@prefix ex: <http://example.org/> .\nex:a ex:knows ex:b .\n"[..],
            "Turtle is not supported; supported are",
        ),
        ("g.nt", b"<http://a> <http://b> <http://c> .\n", "N-Triples is not supported"),
        ("g.csv.gz", b"\x1f\x8b\x08\0\0\0\0\0\0\x03", "g.csv.gz`: "),
        ("g.csv.zst", b"\x28\xb5\x2f\xfd\x24", "g.csv.zst`: "),
        ("g.csv.bz2", b"BZh91AY", "bzip2 is not supported; unpack it first"),
        ("g.zip", b"PK\x03\x04\x14\0", "a zip archive (or a spreadsheet) is not supported; unpack it"),
        ("g.parquet", b"PAR1\x15\x04\x15", PARQUET),
        ("g.kryo", b"\0\xffGremlin\0", "not a text file, is not supported; supported are"),
        (
            "w.csv",
            b"\xff\xfei\0d\0:\0I\0D\0\n\0",
            "text in UTF-16 is not supported; convert it to UTF-8 first",
        ),
        ("l.csv", b"id:ID,Jos\xe9\n1,a\n", "a file that is not text in UTF-8 is not supported"),
        (
            "a.json",
            b"[{\"id\":1,\"label\":\"person\"}]",
            "a JSON array is not supported; GraphSON is supported with a vertex per line",
        ),
        ("b.json", b"{\"nodes\":[{\"id\":1}],\"links\":[]}", "JSON that is not GraphSON is not supported"),
        (
            "c.jsonl",
            b"{\"name\":\"ada\",\"id\":1}\n",
            "JSON lines of any kind with a mapping (docs/import.md)",
        ),
    ] {
        let dir = write(&[(name, content)]);
        let path = dir.path().join(name);
        for format in [None, Some(ImportFormat::Csv)] {
            let message = refusal(&path, format);
            assert!(message.contains(expected) && message.contains(name), "{name} as {format:?}: {message}");
        }
        let alone = refusal(dir.path(), None);
        assert!(alone.contains(expected), "{name} in its directory: {alone}");
    }
}

#[test]
fn what_is_read_is_not_read_as_csv_and_is_told_to_come_by_itself() {
    for (name, content, expected) in [
        (
            "g.graphml",
            &b"<?xml version=\"1.0\"?><graphml xmlns=\"x\">"[..],
            "GraphML is not what was expected here; import it as",
        ),
        ("h.kryo", b"gio\0\0\0\0\0\0\0\0\0\0\0\0\0", "Gryo is not what was expected here; import it as"),
        (
            "c.json",
            b"{\n  \"id\": 1\n}\n",
            "JSON over several lines is not what was expected here; import it as",
        ),
        ("d.json", b"{\"vertices\":[]}", "(`wrapAdjacencyList`) is not what was expected here; import it as"),
        (
            "snap.txt",
            b"# Directed graph\n0\t1\n",
            "an edge list with comments is not what was expected here; import it as",
        ),
        (
            "snap.csv",
            b"# FromNodeId\tToNodeId\n0\t1\n",
            "an edge list with comments is not what was expected here; import it as",
        ),
    ] {
        let dir = write(&[(name, content)]);
        for (path, format) in
            [(dir.path().join(name), Some(ImportFormat::Csv)), (dir.path().to_path_buf(), None)]
        {
            let message = refusal(&path, format);
            assert!(message.contains(expected) && message.contains(name), "{name}: {message}");
        }
    }
}

#[test]
fn json_lines_that_begin_like_a_vertex_are_not_read_as_one_that_has_lost_the_rest() {
    let line: &[u8] = b"{\"id\":1,\"label\":\"p\",\"name\":\"ada\"}\n";
    let pretty: &[u8] = b"{\n\"id\":1,\n \"name\":\"ada\"}\n";
    let dir = write(&[("a.jsonl", line), ("b.json", pretty)]);
    let message = refusal(&dir.path().join("a.jsonl"), None);
    assert!(
        message.contains("a.jsonl:1:1: column `name`: `id`, `label`, `inE`")
            && message.contains("need a mapping"),
        "{message}"
    );
    let message = refusal(&dir.path().join("b.json"), None);
    assert!(message.contains("b.json`: line 3, column 9: `name`: `id`, `label`, `inE`"), "{message}");
}

#[test]
fn a_csv_file_without_a_header_is_refused_with_what_was_expected() {
    let follows: &[u8] = b"ann,bob,2020\nann,cy,2021\nbob,cy,2022\n";
    let dir = write(&[("follows.csv", follows), ("user.csv", b"ann,30\nbob,40\ncy,50\n")]);
    let message = refusal(dir.path(), None);
    assert!(message.contains("follows.csv") && message.contains("the row may be data"), "{message}");
    assert!(
        message.contains("`:START_ID,:END_ID,:TYPE` for edges") && message.contains("ann,bob,2020"),
        "{message}"
    );
    for (content, expected) in [
        (&b""[..], "empty"),
        (b"\n\n", "nor with a CSV header such as id:ID,name"),
        (b"a\n1\n", "the row may be data"),
        (b"12:30,x\n12:31,y\n", "is the first row a header?"),
        (b"http://a.example/x,1\n", "is the first row a header?"),
    ] {
        let dir = write(&[("x.csv", content)]);
        let message = refusal(&dir.path().join("x.csv"), None);
        assert!(message.contains(expected), "{content:?}: {message}");
    }
    let text = write(&[("x.txt", b"one,two\n1,2\n")]);
    let message = refusal(&text.path().join("x.txt"), None);
    assert!(message.contains("cannot tell what") && message.contains("id:ID,name"), "{message}");
}

#[test]
fn a_type_or_a_keyword_in_one_column_makes_a_header() {
    let dir = write(&[("user.csv", "\u{feff}name:string,age\nann,30\n".as_bytes())]);
    assert_eq!(texts(&imported(dir.path()), "g.V().valueMap().by(unfold())"), ["{name=ann, age=30}"]);
    let dir = write(&[("x.csv", b"id:ID{label:user},name\n1,ann\n")]);
    assert_eq!(
        texts(&imported(dir.path()), "g.V().label()"),
        ["user"],
        "the header's label, not the file's name"
    );
}

#[test]
fn several_labels_of_a_vertex_are_refused_with_their_line() {
    let content: &[u8] = b"id:ID,title,:LABEL\n1,One,Movie\n2,Two,Movie;Sequel\n";
    let dir = write(&[("m.csv", content)]);
    let message = refusal(&dir.path().join("m.csv"), None);
    assert!(message.contains("m.csv:3:3: column `:LABEL`: one label"), "{message}");
    assert!(message.contains("\"Movie;Sequel\""), "{message}");
    let db = Database::in_memory().unwrap();
    let options = ImportOptions { bad_rows: BadRows::Skip { reports: 1 }, ..ImportOptions::default() };
    let summary = db.import(dir.path(), None, &options, &|_| {}).unwrap();
    assert_eq!((summary.vertices, summary.skipped), (1, 1));
    for (several_labels, label) in [(SeveralLabels::First, "Movie"), (SeveralLabels::Join, "Movie::Sequel")] {
        let db = Database::in_memory().unwrap();
        let options = ImportOptions { several_labels, ..ImportOptions::default() };
        db.import(dir.path(), None, &options, &|_| {}).unwrap();
        assert_eq!(texts(&db, "g.V('2').label()"), [label]);
        assert_eq!(texts(&db, "g.V('1').label()"), ["Movie"]);
    }
    let edges = write(&[("v.csv", b":ID\na\n"), ("e.csv", b":START_ID,:END_ID,:TYPE\na,a,x;y\n")]);
    assert_eq!(
        texts(&imported(edges.path()), "g.E().label()"),
        ["x;y"],
        "a type is one for neo4j-admin, too"
    );
}

#[test]
fn neptunes_files_are_read_and_not_mixed_with_others() {
    let nodes: &[u8] =
        b"~id,~label,name:String,tags:String[],age:Int(single)\np-1,Person,ada,a;b,36\np-2,,bob,,\n";
    let edges: &[u8] = b"~id,~from,~to,~label,w:Double\ne-1,p-1,p-2,knows,0.5\n";
    let db = imported(write(&[("nodes.csv", nodes), ("edges.csv", edges)]).path());
    for (query, expected) in [
        ("g.V('p-1').label()", "Person"),
        ("g.V('p-2').label()", "vertex"),
        ("g.V('p-1').values('age').is(typeOf(GType.INT))", "36"),
        ("g.V('p-1').valueMap('name','tags')", "{name=[ada], tags=[a, b]}"),
        ("g.V('p-2').properties().count()", "1"),
        (
            "g.E('e-1').project('label','from','to','w').by(label).by(outV().id()).by(inV().id()).by('w')",
            "{label=knows, from=p-1, to=p-2, w=0.5}",
        ),
    ] {
        assert_eq!(texts(&db, query), [expected], "{query}");
    }
    let two = write(&[("nodes.csv", b"~id,~label\na,x;y\n")]);
    let message = refusal(two.path(), None);
    assert!(message.contains("nodes.csv:2:2: column `~label`: one label"), "{message}");
    let half: &[u8] = b":START_ID,:END_ID,:TYPE,~id\na,a,k,e9\n";
    let message = refusal(write(&[("v.csv", b":ID\na\n"), ("e.csv", half)]).path(), None);
    assert!(message.contains("Neptune's `~id` and `:START_ID`"), "{message}");
}

#[test]
fn data_beside_csv_files_is_not_passed_over() {
    let nodes: (&str, &[u8]) = ("nodes.csv", b":ID\na\n");
    for (other, content, expected) in [
        ("edges.gz", &b"\x1f\x8b\x08"[..], "edges.gz`: gzip is not supported here; unpack it first"),
        ("edges.parquet", b"PAR1", "edges.parquet`: Parquet is not "),
        (
            "edges.tsv",
            b":START_ID\t:END_ID\t:TYPE\na\ta\tk\n",
            "edges.tsv`: its name does not end in `.csv`; rename it",
        ),
        ("edges/part-0.csv", b":START_ID,:END_ID,:TYPE\na,a,k\n", "edges`: it is a directory"),
        ("graph.json", b"{\"id\":1}", "graph.json`: its name does not end in `.csv`"),
    ] {
        let message = refusal(write(&[nodes, (other, content)]).path(), None);
        assert!(message.contains(expected), "{other}: {message}");
    }
    let about: Files<'_> = &[
        nodes,
        ("README.md", b"# About"),
        (".DS_Store", b"\0"),
        ("_SUCCESS", b""),
        ("LICENSE.txt", b"MIT"),
        ("notes.md", b""),
    ];
    assert_eq!(texts(&imported(write(about).path()), "g.V().id()"), ["a"]);
}

#[test]
fn a_packed_table_of_a_network_is_not_passed_over() {
    let person: (&str, &[u8]) = ("dynamic/person_0_0.csv", b"id|firstName\n1|a\n");
    let message = refusal(write(&[person, ("dynamic/post_0_0.csv.gz", b"\x1f\x8b\x08")]).path(), None);
    assert!(message.contains("post_0_0.csv.gz`: gzip is not supported here"), "{message}");
    let wide = write(&[person, ("dynamic/tag_0_0.csv", b"\xff\xfei\0d\0")]);
    assert!(refusal(wide.path(), None).contains("tag_0_0.csv`: text in UTF-16"), "a table in UTF-16");
}
