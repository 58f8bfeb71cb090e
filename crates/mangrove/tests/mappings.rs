//! Files that do not say themselves what they hold: mappings, and standard input.

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use mangrove::{
    Database, Error,
    formats::{BadRows, ImportOptions},
};

/// Kuzu's demo data (kuzudb/kuzu, `dataset/demo-db/csv`), as in docs/import.md.
const DEMO: [(&str, &str); 4] = [
    ("user.csv", "Adam,30\nKarissa,40\nZhang,50\nNoura,25\n"),
    ("city.csv", "Waterloo,150000\nKitchener,200000\nGuelph,75000\n"),
    ("follows.csv", "Adam,Karissa,2020\nAdam,Zhang,2020\nKarissa,Zhang,2021\nZhang,Noura,2022\n"),
    ("lives-in.csv", "Adam,Waterloo\nKarissa,Waterloo\nZhang,Kitchener\nNoura,Guelph\n"),
];

/// The mapping that docs/import.md shows.
fn shown_mapping() -> String {
    let docs = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../docs/import.md");
    let docs = fs::read_to_string(docs).unwrap();
    let (_, rest) = docs.split_once("```toml\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

fn written(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    files.iter().for_each(|(name, content)| fs::write(dir.path().join(name), content).unwrap());
    dir
}

fn imported(dir: &tempfile::TempDir, mapping: &str) -> Result<Database, Error> {
    fs::write(dir.path().join("mapping.toml"), mapping).unwrap();
    let db = Database::in_memory().unwrap();
    db.import(dir.path().join("mapping.toml"), None, &ImportOptions::default(), &|_| {})?;
    Ok(db)
}

fn refusal(dir: &tempfile::TempDir, mapping: &str) -> String {
    imported(dir, mapping).map(drop).unwrap_err().to_string()
}

fn texts(db: &Database, query: &str) -> Vec<String> {
    db.query(query).unwrap().map(|value| value.unwrap().to_string()).collect()
}

#[test]
fn kuzus_demo_data_is_imported_as_the_documentation_shows() {
    let db = imported(&written(&DEMO), &shown_mapping()).unwrap();
    assert_eq!(texts(&db, "g.V().groupCount().by(label).order(local).by(keys)"), ["{City=3, User=4}"]);
    assert_eq!(
        texts(&db, "g.V('Adam').out('Follows').order().by('age').values('name')"),
        ["Karissa", "Zhang"]
    );
    assert_eq!(texts(&db, "g.V('Karissa').outE('Follows').values('since')"), ["2021"]);
    assert_eq!(
        texts(&db, "g.V('Noura').out('LivesIn').values('population').is(typeOf(GType.LONG))"),
        ["75000"]
    );
    assert_eq!(texts(&db, "g.V('Adam').valueMap('name', 'age').by(unfold())"), ["{name=Adam, age=30}"]);
}

#[test]
fn json_lines_are_imported_by_the_names_of_their_members() {
    let people = r#"{"id": 1, "name": "ada", "born": 1815, "tags": ["x;y", "z"], "likes": "math", "kind": "Person"}

        {"kind": "Person", "id": "2", "name": null, "tags": "one", "more": {"not": "looked at"}}"#;
    let edges = r#"{"src": 1, "dst": 2, "since": "2020-01-01", "marks": [1, 2.5], "e": "7"}"#;
    let mapping = r#"
        [[vertices]]
        file = "people.jsonl"
        label-column = "kind"
        id = "id"
        id-type = "long"
        properties = { name = "string", year = { column = "born", type = "int" }, tags = "string[]", likes = { column = "likes" } }
        [[edges]]
        file = "knows.json.gz"
        label = "knows"
        from = "src"
        to = "dst"
        id = "e"
        id-type = "int"
        properties = { since = "date", marks = "double[]" }
    "#;
    let dir = written(&[("people.jsonl", people)]);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(edges.as_bytes()).unwrap();
    fs::write(dir.path().join("knows.json.gz"), packed.finish().unwrap()).unwrap();
    let db = imported(&dir, mapping).unwrap();
    assert_eq!(
        texts(&db, "g.V(1L).values('name', 'year', 'tags', 'likes')"),
        ["ada", "1815", "x;y", "z", "math"]
    );
    assert_eq!(texts(&db, "g.V(2L).valueMap()"), ["{tags=[one]}"]);
    assert_eq!(texts(&db, "g.E(7).values('marks')"), ["[1.0, 2.5]"]);
    assert_eq!(texts(&db, "g.V(1L).out('knows').id()"), ["2"]);
    for (line, expected) in [
        (
            r#"{"kind": "P", "id": "x"}"#,
            "people.jsonl:1:1: column `id`: an integer of 64 bits expected, found \"x\"",
        ),
        (r#"{"kind": "P", "id": [1]}"#, "people.jsonl:1:1: column `id`: one value expected, found an array"),
        (r#"{"kind": "P"}"#, "people.jsonl:1:1: column `id`: an integer of 64 bits expected, found \"\""),
        (
            r#"{"kind": "P", "id": 1, "name": {}}"#,
            "column `name`: a text, a number, a truth value, or an array of these expected, found \"{}\"",
        ),
        ("\n{\"id\": 1,}", "people.jsonl:2:10: JSON expected"),
        ("[1]", "people.jsonl:1:1: a JSON object expected, found \"[1]\""),
        (r#"{"id": 1}"#, "column `kind`: a label expected, found nothing"),
    ] {
        let refused =
            refusal(&written(&[("people.jsonl", line)]), mapping.split("[[edges]]").next().unwrap());
        assert!(refused.contains(expected), "{line}: {refused}");
    }
}

#[test]
fn ids_may_be_unique_in_a_space_of_their_own() {
    let dir = written(&[
        ("user.tsv", "key\tnick name\n1\tada\n2\tbob\n"),
        ("city.csv", "key,name\n1,\"Ely, Cambs\"\n"),
        ("lives.csv", "1,1\n2,1\n"),
    ]);
    let mapping = r#"
        [[vertices]]
        file = "user.tsv"
        label = "User"
        id = "key"
        id-type = "int"
        id-space = "users"
        [[vertices]]
        file = "city.csv"
        label = "City"
        id = "key"
        id-space = "cities"
        properties = { town = { column = "name" } }
        [[edges]]
        file = "lives.csv"
        columns = ["u", "c"]
        label = "livesIn"
        from = "u"
        from-space = "users"
        to = "c"
        to-space = "cities"
    "#;
    let db = imported(&dir, mapping).unwrap();
    assert_eq!(texts(&db, "g.V().has('User', 'key', 2).out('livesIn').values('town')"), ["Ely, Cambs"]);
    assert_eq!(texts(&db, "g.V().has('User', 'key', 1).values('nick name')"), ["ada"]);
    assert!(db.explain("g.V().has('User', 'key', 1)").unwrap().contains("IndexLookup"));
    fs::write(dir.path().join("lives.csv"), "1,1\n3,1\n").unwrap();
    let refused = refusal(&dir, mapping);
    assert!(
        refused.contains("lives.csv:2:1: column `u`: the id of a vertex expected, found \"3\""),
        "{refused}"
    );
    fs::write(dir.path().join("lives.csv"), "1,1,9\n").unwrap();
    let refused = refusal(&dir, mapping);
    assert!(
        refused.contains("lives.csv:1:2: column `c`: 2 fields expected, as in the header, found 3"),
        "{refused}"
    );
}

#[test]
fn what_is_wrong_with_a_mapping_is_said() {
    let dir = written(&[("v.csv", "a,b\n1,2\n"), ("e.csv", "1,1\n"), ("v.jsonl", "{}\n")]);
    let vertices = |more: &str| format!("[[vertices]]\nfile = \"v.csv\"\nlabel = \"x\"\n{more}\n");
    for (mapping, expected) in [
        ("", "a table `[[vertices]]` or `[[edges]]` expected"),
        ("[[vertices]\n", "TOML parse error at line 1"),
        (&vertices("ids = \"a\""), "unknown field `ids`"),
        (&vertices("id = \"c\""), "v.csv`: the mapping names a field \"c\", but the fields are `a`, `b`"),
        (&vertices("id = \"a\"\ncolumns = [\"a\", \"a\"]"), "there are two of that name"),
        (
            &vertices("id = \"a\"\nid-type = \"double\""),
            "an id is a `string`, `int`, `long` or `uuid`, not \"double\"",
        ),
        (&vertices("label-column = \"a\""), "the table of v.csv: one of `label` and `label-column` expected"),
        (&vertices("from = \"a\""), "`from` and `to` are of edges"),
        (&vertices("properties = { a = \"number\" }"), "property `a`: a type expected: string"),
        (&vertices("quote = \"ab\""), "`quote`: one character or none expected"),
        (&vertices("delimiter = \"é\""), "`delimiter`: a character of ASCII expected"),
        ("[[edges]]\nfile = \"e.csv\"\nlabel = \"x\"\nfrom = \"a\"", "edges need `from` and `to`"),
        (
            "[[edges]]\nfile = \"e.csv\"\ncolumns = [\"a\", \"b\"]\nlabel = \"x\"\nfrom = \"a\"\nto = \"b\"",
            "no file has vertices with ids",
        ),
        ("[[vertices]]\nfile = \"v.jsonl\"\nlabel = \"x\"", "v.jsonl`: `properties` expected in the mapping"),
        (
            "[[vertices]]\nfile = \"v.jsonl\"\nlabel = \"x\"\ndelimiter = \",\"",
            "are of CSV, and this is JSON lines",
        ),
        ("[[vertices]]\nfile = \"none.csv\"\nlabel = \"x\"", "none.csv"),
    ] {
        let refused = refusal(&dir, mapping);
        assert!(refused.contains(expected), "{mapping}\n{refused}");
    }
}

/// What `mangrove import -` makes of this input.
fn piped(input: &[u8], args: &[&str]) -> (Output, tempfile::TempDir) {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("graph").display().to_string();
    let mut command = Command::new(env!("CARGO_BIN_EXE_mangrove"));
    command.args(["--data", &data, "import", "-"]).args(args).env_remove("MANGROVE_CONFIG");
    command.env("HOME", dir.path()).env("TMPDIR", dir.path());
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may not read to the end.
    _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    let left = fs::read_dir(dir.path()).unwrap().flatten().filter(|file| file.file_name() != "graph");
    assert_eq!(left.count(), 0, "a temporary file is left");
    (output, dir)
}

#[test]
fn standard_input_may_have_any_format_that_is_one_file() {
    let samples =
        Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data");
    for name in ["tinkerpop-modern.json", "tinkerpop-modern.xml", "tinkerpop-modern.kryo"] {
        let (output, _dir) = piped(&fs::read(samples.join(name)).unwrap(), &[]);
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.starts_with("6 vertices and 6 edges"), "{name}: {output:?}");
    }
    for (input, args, expected) in [
        ("id:ID{label:x}\na\n", &[][..], Ok("1 vertices and 0 edges")),
        ("# x\n1 2\n", &[], Ok("2 vertices and 1 edges")),
        ("1 2\n", &["--format", "edge-list"], Ok("2 vertices and 1 edges")),
        ("id:ID,name\na,b\n", &[], Err("`-`: no label: a column `:LABEL`")),
        ("id:ID{label:x},n:int\na,b\n", &[], Err("-:2:2: column `n:int`: an integer of 32 bits expected")),
        ("nothing that is known", &[], Err("cannot tell what - holds")),
        ("x", &["--format", "ldbc"], Err("is several files")),
    ] {
        let (output, _dir) = piped(input.as_bytes(), args);
        let (stdout, stderr) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        match expected {
            Ok(said) => assert!(stdout.starts_with(said), "{input}: {output:?}"),
            Err(said) => assert!(stderr.contains(said) && !output.status.success(), "{input}: {stderr}"),
        }
    }
    let db = Database::in_memory().unwrap();
    let skip = ImportOptions { bad_rows: BadRows::Skip { reports: 3 }, ..ImportOptions::default() };
    let summary = db.import_from(&b"# x\n1 2\n3\n"[..], None, &skip, &|_| {}).unwrap();
    assert!(summary.to_string().contains("\n  -:3:2: two ids expected"), "{summary}");
}
