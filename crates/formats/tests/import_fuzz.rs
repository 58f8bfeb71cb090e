//! Whatever the bytes, an import ends with a graph or with an error.

mod imported;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use formats::{
    BadRows, CsvOptions, CsvSource, GraphFormat, ImportError, ImportOptions, ImportSummary, Merge, Position,
    Present, PresentOptions, Table, TableEnd, TableId, TableLabel, TableProperty, TableRecords, Target, csv,
    edge_list, graphson, is_edge_list, ldbc, tables, whole, whole_format,
};
use graph::Value;
use imported::damage::{Random, fuzz};
use imported::{Look, empty_graph, shared, tiny_network, written};

/// Stop or skip, small parts or large ones.
fn options(random: &mut Random) -> ImportOptions {
    let bad_rows = if random.below(2) == 0 { BadRows::Stop } else { BadRows::Skip { reports: 3 } };
    ImportOptions { bad_rows, part_bytes: [5, 64, 1 << 20][random.below(3)], ..Default::default() }
}

/// An accepted import has to have put into the graph what it says; a refusal has to say something. In turns the graph is an empty one
/// and one that has data.
fn check(import: impl Fn(&dyn Target) -> Result<ImportSummary, ImportError>) -> bool {
    static TURNS: AtomicUsize = AtomicUsize::new(0);
    let turn = TURNS.fetch_add(1, Ordering::Relaxed);
    if turn.is_multiple_of(2) {
        return check_present(turn / 2, import);
    }
    let graph = empty_graph();
    match import(&graph) {
        Ok(summary) => {
            assert_eq!(Look::at(&graph).counts(), (summary.vertices, summary.edges));
            true
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(Look::at(&graph).counts(), (0, 0), "{error}");
            false
        }
    }
}

/// The same with a graph that has data, some of which has ids of the files.
fn check_present(turn: usize, import: impl Fn(&dyn Target) -> Result<ImportSummary, ImportError>) -> bool {
    let graph = empty_graph();
    let transaction = graph.begin();
    let ids = [Value::Int(1), Value::str("p-1"), Value::Long(9)];
    let [first, second, _] = ids.map(|id| transaction.add_vertex(Some(id), "person").unwrap());
    transaction.add_edge(Some(Value::Int(7)), "knows", first, second).unwrap();
    transaction.commit().unwrap();
    let (vertices, edges) = Look::at(&graph).counts();
    let merge = [Merge::Nothing, Merge::ById, Merge::ByKey("name".into())][turn % 3].clone();
    let bad_rows = if turn % 5 < 2 { BadRows::Stop } else { BadRows::Skip { reports: 3 } };
    let (new_ids, rows) = (turn.is_multiple_of(7), [1, 3, 1_000][turn % 3].try_into().unwrap());
    let options = PresentOptions { merge, new_ids, rows, bad_rows, ..PresentOptions::default() };
    let present = Present::new(&graph, &options, "fuzz");
    // Whether it finds anything or not, to look changes nothing.
    let looked = import(&present.looking_only()).map_err(|error| error.to_string());
    assert_eq!((Look::at(&graph).counts(), present.position().unwrap()), ((vertices, edges), Position::New));
    let imported = import(&present);
    let found = Look::at(&graph).counts();
    match (&imported, present.position().unwrap()) {
        (Ok(summary), Position::Done(tally)) => {
            assert_eq!((summary.vertices, summary.edges), (tally.vertices, tally.edges));
            assert_eq!(found, (vertices + tally.vertices, edges + tally.edges));
        }
        (Err(_), Position::UnderWay(tally)) => {
            assert_eq!(found, (vertices + tally.vertices, edges + tally.edges));
        }
        (Err(error), Position::New) => {
            assert!(!error.to_string().is_empty());
            assert_eq!(found, (vertices, edges));
        }
        (imported, position) => panic!("{imported:?}, but {position:?}"),
    }
    let skips = matches!(bad_rows, BadRows::Skip { .. });
    let refused = looked.err().filter(|_| imported.is_ok() && !skips);
    assert_eq!(refused, None, "it was taken all the same");
    imported.is_ok()
}

#[test]
fn damaged_ldbc_networks() {
    let pieces: [&[u8]; 10] = [
        b"|",
        b"\n",
        b"\r\n",
        b"\0",
        b"\xff",
        b"\xef\xbb\xbf",
        b"-1",
        b"99999999999999999999",
        b";;",
        b".id",
    ];
    let files = tiny_network();
    let directory = written(&files);
    fuzz(|random| {
        let mut damaged = Vec::new();
        for _ in 0..1 + random.below(3) {
            let (name, content) = &files[random.below(files.len())];
            let mut bytes = content.clone().into_bytes();
            random.damage(&mut bytes, &pieces);
            std::fs::write(directory.path().join(name), bytes).unwrap();
            damaged.push((name, content));
        }
        let options = options(random);
        let outcome = check(|graph| ldbc(directory.path(), graph, &options, &|_| {}));
        damaged
            .iter()
            .for_each(|(name, content)| std::fs::write(directory.path().join(name), content).unwrap());
        outcome
    });
}

/// Damages some of these CSV files, which lie in one directory.
fn fuzz_csv(originals: &[&str], pieces: &[&[u8]]) {
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<_> =
        (0..originals.len()).map(|number| directory.path().join(format!("{number}.csv"))).collect();
    fuzz(|random| {
        for (path, original) in paths.iter().zip(originals) {
            let mut bytes = original.as_bytes().to_vec();
            if random.below(3) > 0 {
                random.damage(&mut bytes, pieces);
            }
            std::fs::write(path, bytes).unwrap();
        }
        let sources = CsvSource::in_directory(directory.path()).unwrap();
        let options = options(random);
        check(|graph| csv(&sources, CsvOptions::default(), graph, &options, &|_| {}))
    });
}

#[test]
fn damaged_csv() {
    let originals = [
        "id:ID{id-type:long},name,age:int,:LABEL\n1,marko,29,person\n2,vadas,27,person\n3,lop,,software\n",
        ":START_ID,:END_ID,:TYPE,since:date,tags:string[]\n1,2,knows,2010-05-01,\"a;b\"\n1,3,e,,\n",
    ];
    let pieces: [&[u8]; 10] =
        [b",", b"\"", b"\n", b":ID", b"(x)", b"{label:x}", b"[]", b"\xff", b":START_ID", b":int"];
    fuzz_csv(&originals, &pieces);
}

#[test]
fn damaged_graphson() {
    let pieces: [&[u8]; 8] = [
        b"{",
        b"}",
        b"\"@value\"",
        b",",
        b"[[[[[[[[",
        b"\n",
        b"\xff",
        b"{\"@type\":\"g:Map\",\"@value\":[]}",
    ];
    let original = std::fs::read(shared("tinkerpop/data/tinkerpop-crew.json")).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("graph.json");
    fuzz(|random| {
        let mut bytes = original.clone();
        random.damage(&mut bytes, &pieces);
        std::fs::write(&file, bytes).unwrap();
        let options = options(random);
        check(|graph| graphson(Path::new(&file), graph, &options, &|_| {}))
    });
}

#[test]
fn damaged_neptune_files() {
    let originals = [
        "~id,~label,name:String,tags:String[],age:Int(single)\np-1,Person,ada,a;b,36\np-2,,bob,c\\;d,\n",
        "~id,~from,~to,~label,w:Double\ne-1,p-1,p-2,knows,0.5\n",
    ];
    let pieces: [&[u8]; 11] =
        [b",", b"\"", b"\n", b"~id", b"(set)", b"(single)", b"[]", b"\\:", b":Int", b"~from", b"\\;"];
    fuzz_csv(&originals, &pieces);
}

#[test]
fn damaged_tables_of_a_mapping() {
    let people = r#"{"id":1,"name":"ada","tags":["x","y"],"kind":"person"}
{"id":"2","name":null,"age":7,"kind":"person"}
"#;
    let (cities, lives) = ("1,\"Ely, Cambs\"\n2,Ulm\n", "1;1;0.5\n2;2;\n");
    let pieces: [&[u8]; 9] = [b",", b"\"", b"\n", b"{", b"]", b"null", b"\xff", b";", b"\x1f\x8b"];
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let property = |key: &str, value_type: &str| TableProperty {
        key: key.into(),
        field: key.into(),
        value_type: value_type.into(),
    };
    let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
    let id = |space: &str| TableId { field: "id".into(), id_type: "int".into(), space: space.into() };
    let end = |field: &str, space: &str| TableEnd { field: field.into(), space: space.into() };
    let all = [
        Table {
            path: path("people.jsonl"),
            records: TableRecords::JsonLines,
            label: TableLabel::In("kind".into()),
            id: Some(id("")),
            ends: None,
            properties: Some(vec![
                property("name", "string"),
                property("tags", "string[]"),
                property("age", "int"),
            ]),
        },
        Table {
            path: path("cities.csv"),
            records: TableRecords::Csv(CsvOptions::default(), Some(names(&["id", "name"]))),
            label: TableLabel::Is("city".into()),
            id: Some(id("cities")),
            ends: None,
            properties: None,
        },
        Table {
            path: path("lives.csv"),
            records: TableRecords::Csv(CsvOptions::default(), Some(names(&["from", "to", "w"]))),
            label: TableLabel::Is("lives".into()),
            id: None,
            ends: Some([end("from", ""), end("to", "cities")]),
            properties: Some(vec![property("w", "double")]),
        },
    ];
    fuzz(|random| {
        for (table, original) in all.iter().zip([people, cities, lives]) {
            let mut bytes = original.as_bytes().to_vec();
            if random.below(3) > 0 {
                random.damage(&mut bytes, &pieces);
            }
            std::fs::write(&table.path, bytes).unwrap();
        }
        let options = options(random);
        check(|graph| tables(&all, graph, &options, &|_| {}))
    });
}

#[test]
fn damaged_edge_lists() {
    let pieces: [&[u8]; 8] =
        [b"#", b"%", b"\t", b"\n", b"\xff", b"1e400", b"99999999999999999999", b"\x1f\x8b"];
    let original = b"# Directed graph\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n2 0 0.5\nx y\n";
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("list.txt");
    fuzz(|random| {
        let mut bytes = original.to_vec();
        random.damage(&mut bytes, &pieces);
        std::fs::write(&file, bytes).unwrap();
        // Whatever it is taken for, it is told without an error.
        is_edge_list(&file).unwrap();
        let options = options(random);
        check(|graph| edge_list(&file, graph, &options, &|_| {}))
    });
}

#[test]
fn damaged_files_of_whole_graphs() {
    let pieces: [&[u8]; 10] = [
        b"<",
        b"/>",
        b"<node id=\"1\"/>",
        b"<edge source=\"1\" target=\"9\"/>",
        b"{\"vertices\":[",
        b"\"@type\"",
        b"\n",
        b"\xff",
        b"gio\0",
        b"\x28\xb5\x2f\xfd",
    ];
    let originals: Vec<(Vec<u8>, GraphFormat)> = [
        ("tinkerpop-modern.xml", GraphFormat::GraphMl),
        ("tinkerpop-modern.kryo", GraphFormat::Gryo),
        ("tinkerpop-crew.json", GraphFormat::GraphSon),
    ]
    .into_iter()
    .map(|(name, format)| (std::fs::read(shared(&format!("tinkerpop/data/{name}"))).unwrap(), format))
    .collect();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("graph");
    fuzz(|random| {
        let (original, format) = &originals[random.below(originals.len())];
        let mut bytes = original.clone();
        if random.below(4) > 0 {
            random.damage(&mut bytes, &pieces);
        }
        if random.below(3) == 0 {
            bytes =
                ruzstd::encoding::compress_to_vec(&bytes[..], ruzstd::encoding::CompressionLevel::Fastest);
            if random.below(2) == 0 {
                random.damage(&mut bytes, &pieces);
            }
        }
        std::fs::write(&file, bytes).unwrap();
        whole_format(&file).unwrap();
        let options = options(random);
        check(|graph| whole(&file, *format, graph, &options, &|_| {}))
    });
}
