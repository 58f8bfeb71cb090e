//! Graphs in Parquet files: written and read again, with all types.

#![cfg(feature = "parquet")]

use std::{
    fs,
    io::Cursor,
    path::{Path, PathBuf},
};

use mangrove::{Database, ExportFormat, ExportOptions, ExportSummary, ImportFormat, formats::ImportOptions};

fn made(queries: &[&str]) -> Database {
    let db = Database::in_memory().unwrap();
    queries.iter().for_each(|query| _ = all(&db, query));
    db
}

fn all(db: &Database, query: &str) -> Vec<String> {
    db.query(query).unwrap().map(|value| format!("{:?}", value.unwrap())).collect()
}

/// Exports a graph into a directory.
fn exported(db: &Database, query: Option<&str>) -> (tempfile::TempDir, PathBuf, ExportSummary) {
    let dir = tempfile::tempdir().unwrap();
    let target = dir.path().join("out");
    let query = query.map(str::to_owned);
    let options = ExportOptions { format: Some(ExportFormat::Parquet), query, ..ExportOptions::default() };
    let summary = db.export(&target, &options).unwrap();
    (dir, target, summary)
}

fn imported(source: &Path) -> Database {
    let db = Database::in_memory().unwrap();
    db.import(source, None, &ImportOptions::default(), &|_| {}).unwrap();
    db
}

/// Everything in a graph but properties of properties, with the types of all values.
fn contents(db: &Database) -> Vec<String> {
    let vertices = "g.V().project('id','label','properties').by(id).by(label)\
                    .by(properties().project('k','v').by(key()).by(value()).order().by('k').by(select('v').asString()).fold())";
    let edges = "g.E().project('id','label','from','to','properties').by(id).by(label).by(outV().id()).by(inV().id())\
                 .by(properties().project('k','v').by(key()).by(value()).order().by('k').fold())";
    let mut contents = [all(db, vertices), all(db, edges)].concat();
    contents.sort();
    contents
}

fn assert_same(found: &[String], expected: &[String]) {
    let differ = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert_eq!((differ, found.len()), (None, expected.len()));
}

#[test]
fn all_types_of_values_and_ids_come_back() {
    let scalars = "g.addV('x').property(id, 1L).property('s', 'one, \"two\"\n;three').property('c', 'é'c)\
        .property('b', true).property('y', 1b).property('h', 2s).property('i', -3).property('l', 4L).property('n', 5n)\
        .property('f', 0.1f).property('d', 1.0E300d).property('m', 1.10m).property('nan', NaN).property('inf', -Infinity)\
        .property('u', UUID('41d2e28a-20a4-4ab0-b379-d810dede3786')).property('t', datetime('2018-03-22T00:35:44.001+02:00'))\
        .property('z', datetime('2018-03-22T00:35:44.001Z')).property('fine', datetime('2018-03-22T00:35:44.000000001Z'))\
        .property('far', datetime('+200000000-01-01T00:00Z')).property('key:int', 1).property('a[]', 'b')\
        .property('a,b|c;d', 1)";
    let db = made(&[
        scalars,
        "g.addV('x').property(id, 2L).property(list, 's', 'a').property(list, 's', '').property(list, 's', 'b;c').property('i', 'a text')",
        "g.addV('x').property(id, 3L).property(list, 'i', 1).property(list, 'i', 2).property('s', '').property('t', datetime('2018-03-22T00:35Z'))",
        "g.addV('y/../z').property(id, 4L).property(list, 'u', UUID('41d2e28a-20a4-4ab0-b379-d810dede3786'))",
        "g.addE('e').from(V(2L)).to(V(3L)).property('l', [1, 2]).property('w', 1)",
        "g.addE('e').from(V(2L)).to(V(3L)).property('l', 3).property('w', 1.5d)",
        "g.addE('e;f').from(V(2L)).to(V(2L)).property(id, 'own')",
    ]);
    let (_dir, target, summary) = exported(&db, None);
    assert_eq!(summary.losses, [""; 0]);
    assert_same(&contents(&imported(&target)), &contents(&db));
}

#[test]
fn what_no_column_can_say_is_told() {
    let db = made(&[
        "g.addV('x').property(id, 'a').property(' space', 1).property('{c}', 2).property('map', [a: 1]).property('name', 'ada', 'since', 2010)",
        "g.addV('x').property(id, 2)",
    ]);
    let (_dir, target, summary) = exported(&db, None);
    let told = summary.losses.join("\n");
    for loss in [
        "1 ids that are no texts are written as texts, for vertices have ids of several types",
        "`map`: 1 values are written as texts",
        "` space`: 1 properties are left out, for this cannot be the name of a column",
        "`{c}`: 1 properties are left out, for this cannot be the name of a column",
        "`name`: 1 properties of properties are left out",
    ] {
        assert!(told.contains(loss), "{told}");
    }
    assert_eq!(all(&imported(&target), "g.V('2').count()"), ["Long(1)"]);
}

#[test]
fn a_part_of_a_graph_is_what_a_traversal_yields() {
    let db = made(&[
        "g.addV('person').property(id, 1).as('a').addV('person').property(id, 2).as('b').addE('knows').from('a').to('b')",
        "g.addV('city').property(id, 3)",
    ]);
    let (_dir, target, summary) = exported(&db, Some("g.V().hasLabel('person')"));
    assert_eq!((summary.vertices, summary.edges, summary.files), (2, 1, 2));
    let mut names: Vec<_> = fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["edges-knows.parquet", "vertices-person.parquet"]);
    assert_eq!(all(&imported(&target), "g.V(1).out().id()"), ["Int(2)"]);
}

#[test]
fn more_rows_than_a_row_group_takes_come_back() {
    let db = made(&[
        "g.inject(1).repeat(union(identity(), identity())).times(14).addV('n').property('text', 'x')",
    ]);
    // What one row has is much, so that row groups are full before they have many rows.
    all(&db, &format!("g.V().limit(3000).property('long', '{}')", "y".repeat(10_000)));
    let (_dir, target, summary) = exported(&db, None);
    assert_eq!(summary.vertices, 1 << 14);
    let counts = |db: &Database| ["g.V().count()", "g.V().has('long').count()"].map(|query| all(db, query));
    assert_eq!(counts(&imported(&target)), counts(&db));
}

#[test]
fn a_file_comes_through_standard_input_and_a_mapping_names_others_beside_it() {
    let db = made(&["g.addV('person').property(id, 1).property('name', 'ada')"]);
    let (dir, target, _) = exported(&db, None);
    let file = target.join("vertices-person.parquet");
    let bytes = fs::read(&file).unwrap();
    for format in [None, Some(ImportFormat::Parquet)] {
        let sent = Database::in_memory().unwrap();
        sent.import_from(Cursor::new(&bytes), format, &ImportOptions::default(), &|_| {}).unwrap();
        assert_eq!(all(&sent, "g.V(1).values('name')"), ["String(\"ada\")"]);
    }
    let sent = Database::in_memory().unwrap();
    let cut = sent.import_from(Cursor::new(&bytes[..50]), None, &ImportOptions::default(), &|_| {});
    let told = cut.unwrap_err().to_string();
    assert!(told.contains("`-`: it begins as Parquet and does not end so"), "{told}");
    fs::write(dir.path().join("likes.csv"), "from,to\n1,1\n").unwrap();
    let mapping = "[[vertices]]\nfile = \"out/vertices-person.parquet\"\nlabel = \"human\"\nid = \":ID\"\nproperties = { called = { column = \"name\" } }\n\
                   [[edges]]\nfile = \"likes.csv\"\nlabel = \"likes\"\nfrom = \"from\"\nto = \"to\"\n";
    fs::write(dir.path().join("mapping.toml"), mapping).unwrap();
    let mapped = imported(&dir.path().join("mapping.toml"));
    assert_eq!(all(&mapped, "g.V(1).hasLabel('human').out('likes').values('called')"), ["String(\"ada\")"]);
}

#[test]
fn files_of_both_formats_in_one_directory_are_refused_by_name() {
    let (_dir, target, _) = exported(&made(&["g.addV('x')"]), None);
    fs::write(target.join("more.csv"), ":ID\n1\n").unwrap();
    for (format, expected) in [
        (None, "vertices-x.parquet`: Parquet is not what was expected here"),
        (
            Some(ImportFormat::Parquet),
            "more.csv`: it is beside Parquet files, and files of one format expected",
        ),
    ] {
        let db = Database::in_memory().unwrap();
        let told = db.import(&target, format, &ImportOptions::default(), &|_| {}).unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }
}
