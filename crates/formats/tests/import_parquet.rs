//! Parquet files that pyarrow has written (`parquet_files/`), whole and damaged, into graphs.

#![cfg(feature = "parquet")]

mod imported;

use std::fs;
use std::path::{Path, PathBuf};

use formats::{
    BadRows, CsvConvention, CsvOptions, CsvSource, CsvWriter, GraphFileWriter, ImportError, ImportOptions,
    ImportSummary, Table, TableEnd, TableId, TableLabel, TableProperty, TableRecords, csv, parquet, tables,
};
use graph::{Dir, Graph};
use imported::damage::fuzz;
use imported::{Look, empty_graph, refusal};
use values::{DateTime, Direction, Edge, Property, Value, Vertex, VertexProperty};

/// The files that hold the same people.
const PEOPLE: [&str; 6] = ["plain", "snappy", "zstd", "gzip", "delta", "old"];

fn file(name: &str) -> PathBuf {
    let beside = std::env::var("CARGO_MANIFEST_DIR").unwrap();
    Path::new(&beside).join("tests/parquet_files").join(format!("{name}.parquet"))
}

fn labelled(path: &Path) -> CsvSource {
    let label = path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned);
    CsvSource { label, ..CsvSource::new(path) }
}

fn import(paths: &[PathBuf], options: &ImportOptions) -> Result<(Graph, ImportSummary), ImportError> {
    let graph = empty_graph();
    let sources: Vec<_> = paths.iter().map(|path| labelled(path)).collect();
    let summary = parquet(&sources, &graph, options, &|_| {})?;
    Ok((graph, summary))
}

fn graph_of(names: &[&str]) -> Graph {
    let paths: Vec<_> = names.iter().map(|name| file(name)).collect();
    import(&paths, &ImportOptions::default()).unwrap().0
}

fn problem(paths: &[PathBuf]) -> String {
    refusal(import(paths, &ImportOptions::default())).to_string()
}

#[test]
fn columns_have_the_types_of_the_schema() {
    let look = Look::at(&graph_of(&["people-plain"]));
    assert_eq!((look.counts(), look.vertex_count("person"), look.vertex_count("robot")), ((40, 0), 39, 1));
    let [first, third] = [look.vertex(Value::Long(0)), look.vertex(Value::Long(60))];
    let time = |text: &str| Value::DateTime(text.parse::<DateTime>().unwrap());
    let big = |text: &str| Value::BigDecimal(std::sync::Arc::new(text.parse().unwrap()));
    for (key, of_first, of_third) in [
        ("pid", Value::Long(0), Value::Long(60)),
        ("name", "näme 0".into(), "näme 1".into()),
        ("empty", "".into(), "".into()),
        ("ok", true.into(), true.into()),
        ("byte", Value::Byte(-20), Value::Byte(-14)),
        ("short", Value::Short(0), Value::Short(-1_800)),
        ("int", Value::Int(0), Value::Int(420_000)),
        ("long", Value::Long(0), Value::Long(-30_000_000_000)),
        ("ubyte", Value::Short(255), Value::Short(249)),
        ("ushort", Value::Int(65_535), Value::Int(65_529)),
        ("uint", Value::Long(4_294_967_295), Value::Long(4_294_967_289)),
        ("ulong", values::BigInt::from(u64::MAX).into(), values::BigInt::from(u64::MAX - 6).into()),
        ("float", Value::Float(0.0), Value::Float(1.5)),
        ("double", Value::Double(1e300), Value::Double(1e300)),
        ("day", time("1969-12-31"), time("1970-01-06")),
        ("ms", time("2010-05-01T12:30:15Z"), time("2010-05-07T12:30:15.006Z")),
        ("us", time("2010-05-01T12:30:15Z"), time("2010-05-07T12:30:15.006Z")),
        ("ns", time("2010-05-01T12:30:15Z"), time("2010-05-07T12:30:15.006Z")),
        ("money", big("-1.00"), big("-0.58")),
        ("much", big("-10000000000000000000000000.00000"), big("-10000000000000000000000000.00006")),
        ("uuid", uuid(), uuid()),
        ("bytes", "b0".into(), "b6".into()),
    ] {
        assert_eq!(look.values(first, key), [of_first], "{key}");
        assert_eq!(look.values(third, key), [of_third], "{key}");
    }
    assert_eq!(look.values(first, "tags"), [], "an empty list is nothing");
    assert_eq!(look.values(look.vertex(Value::Long(30)), "tags"), ["a".into(), "".into()]);
    assert_eq!(look.values(third, "tags"), ["b".into(), "c;d".into()], "null in a list is nothing");
    assert_eq!(look.values(third, "counts"), [Value::Int(0), Value::Int(1)], "of the type in the name");
    let bare = look.vertex(Value::Long(20));
    let mut properties = Vec::new();
    let snapshot = graph_of(&["people-plain"]).snapshot();
    snapshot.reader().vertex_properties(bare, &[], &mut properties);
    assert_eq!(properties.len(), 1, "null is no property, and what is called :IGNORE is none");
}

fn uuid() -> Value {
    Value::Uuid(values::Uuid::parse_str("6ba7b810-9dad-11d1-80b4-00c04fd430c8").unwrap())
}

#[test]
fn however_a_file_is_written_it_holds_the_same() {
    let expected = Look::at(&graph_of(&["people-plain"])).everything();
    for how in PEOPLE {
        let found = Look::at(&graph_of(&[&format!("people-{how}")])).everything();
        assert_eq!(found, expected, "{how}");
    }
}

#[test]
fn edges_find_their_ends_in_files_that_come_later() {
    let look = Look::at(&graph_of(&["knows", "people-gzip"]));
    assert_eq!((look.counts(), look.edge_count("knows")), ((40, 39), 39));
    let since = Value::DateTime("2010-01-01".parse().unwrap());
    let next = look.vertex(Value::Long(390));
    assert_eq!(look.along(look.vertex(Value::Long(380)), "knows", Dir::Out, "since"), [(next, Some(since))]);
    let weights = Value::list(vec![Value::Double(0.5), Value::Double(38.0)]);
    assert_eq!(
        look.along(look.vertex(Value::Long(380)), "knows", Dir::Out, "weights"),
        [(next, Some(weights))]
    );
}

#[test]
fn a_bad_row_is_told_by_its_number_and_column() {
    let twice = [file("people-plain"), file("people-snappy")];
    let told = problem(&twice);
    assert!(told.contains("people-snappy.parquet:1:1: column `pid:ID`: an id of its own expected"), "{told}");
    let options = ImportOptions { bad_rows: BadRows::Skip { reports: 3 }, ..ImportOptions::default() };
    let (graph, summary) = import(&twice, &options).unwrap();
    assert_eq!((Look::at(&graph).counts(), summary.skipped), ((40, 0), 40));
    assert_eq!(summary.reports[2].line, 3);
    let told = problem(&[file("knows")]);
    assert!(told.contains("no file has vertices"), "{told}");
}

#[test]
fn what_no_property_can_be_is_refused_by_its_name() {
    for (name, expected) in [
        ("odd-map", "column \"map\" is a MAP, which is not supported; leave it out, or call it `map:IGNORE`"),
        ("odd-struct", "column \"struct\" is a STRUCT"),
        ("odd-lists", "column \"lists\" is a LIST of what is no single value"),
        ("odd-time", "column \"time\" is a TIME of day"),
        ("odd-half", "column \"half\" is a FLOAT16"),
        (
            "odd-blob",
            "column \"blob\" is of bytes, and says nothing of them; if they are texts, call it `blob:string`",
        ),
        ("packed-lz4", "no file has vertices with ids"),
    ] {
        let told = problem(&[file(name)]);
        assert!(told.contains(expected) && told.contains(name), "{name}: {told}");
    }
    let told = problem(&[file("packed-lz4"), file("people-plain")]);
    assert!(told.contains("column `:START_ID` in row group 1: it is packed with LZ4"), "{told}");
}

#[test]
fn a_file_that_is_cut_off_or_none_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("cut.parquet");
    let whole = fs::read(file("people-zstd")).unwrap();
    for end in [4, 11, 12, 100, whole.len() / 2, whole.len() - 1] {
        fs::write(&path, &whole[..end]).unwrap();
        let told = problem(std::slice::from_ref(&path));
        assert!(told.contains("cut.parquet") && told.contains("has been cut off"), "{end}: {told}");
    }
    fs::write(&path, [&whole[..whole.len() - 8], b"\xff\xff\xff\x7fPAR1"].concat()).unwrap();
    assert!(problem(std::slice::from_ref(&path)).contains("its footer is said to have 2147483647 bytes"));
    fs::write(&path, [&whole[..whole.len() - 4], b"PARE"].concat()).unwrap();
    assert!(problem(std::slice::from_ref(&path)).contains("it is encrypted, which is not supported"));
    fs::write(&path, b":ID\n1\n").unwrap();
    assert!(
        problem(std::slice::from_ref(&path)).contains("a Parquet file expected, which begins with `PAR1`")
    );
    let graph = empty_graph();
    let sources = [labelled(&file("people-plain"))];
    let taken = csv(&sources, CsvOptions::default(), &graph, &ImportOptions::default(), &|_| {});
    assert!(refusal(taken).to_string().contains("Parquet is not what was expected here"));
}

#[test]
fn a_damaged_page_is_told_by_its_column() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("damaged.parquet");
    let mut bytes = fs::read(file("people-zstd")).unwrap();
    // In the midst of the first page, which has a checksum.
    bytes[60] ^= 1;
    fs::write(&path, bytes).unwrap();
    let told = problem(std::slice::from_ref(&path));
    assert!(
        told.contains("column `pid:ID` in row group 1: the checksum of a page is not that of its bytes"),
        "{told}"
    );
}

fn property(key: &str, field: &str, value_type: &str) -> TableProperty {
    TableProperty { key: key.into(), field: field.into(), value_type: value_type.into() }
}

/// People and whom they know, by a mapping.
fn mapped(properties: Vec<TableProperty>) -> [Table; 2] {
    let end = |field: &str| TableEnd { field: field.into(), space: String::new() };
    let people = Table {
        path: file("people-delta"),
        records: TableRecords::Parquet,
        label: TableLabel::In(":LABEL".into()),
        id: Some(TableId { field: "pid:ID".into(), id_type: String::new(), space: String::new() }),
        ends: None,
        properties: Some(properties),
    };
    let knows = Table {
        path: file("knows"),
        label: TableLabel::Is("met".into()),
        id: None,
        ends: Some([end(":END_ID"), end(":START_ID")]),
        properties: None,
        ..people.clone()
    };
    [knows, people]
}

#[test]
fn a_mapping_says_what_columns_are_and_the_file_what_it_does_not_say() {
    let all = mapped(vec![
        property("called", "name", ""),
        property("size", "int", "long"),
        property("raw", "bytes:string", "string"),
        property("tags", "tags", ""),
    ]);
    let graph = empty_graph();
    tables(&all, &graph, &ImportOptions::default(), &|_| {}).unwrap();
    let look = Look::at(&graph);
    let (second, third) = (look.vertex(Value::Long(50)), look.vertex(Value::Long(60)));
    let values = |key| look.values(third, key);
    assert_eq!((values("called"), values("size")), (vec!["näme 1".into()], vec![Value::Long(420_000)]));
    assert_eq!((values("raw"), values("tags")), (vec!["b6".into()], vec!["b".into(), "c;d".into()]));
    let since = Value::DateTime("2010-01-01".parse().unwrap());
    assert_eq!(look.along(third, "met", Dir::Out, "since"), [(second, Some(since))], "the other way round");
    let weights = look.along(third, "met", Dir::Out, "weights");
    assert_eq!(weights[0].1, Some(Value::list(vec![Value::Double(0.5), Value::Double(5.0)])));
}

#[test]
fn a_mapping_of_what_is_not_there_or_fits_no_property_is_refused() {
    for (property, expected) in [
        (property("x", "nobody", ""), "the mapping names a field \"nobody\", but the fields are `pid:ID`"),
        (property("x", "left:IGNORE", ""), "column \"left:IGNORE\" is a STRUCT"),
        (
            property("x", "name", "int"),
            "people-delta.parquet:1:3: column `name`: an integer of 32 bits expected",
        ),
        (property("x", "name", "text"), "a type expected"),
    ] {
        let all = mapped(vec![property]);
        let refused = tables(&all, &empty_graph(), &ImportOptions::default(), &|_| {});
        let told = refusal(refused).to_string();
        assert!(told.contains(expected), "{told}");
    }
}

/// Writes two vertices and an edge into a directory.
fn write(directory: &Path) {
    let directory = directory.to_owned();
    let make = move |name: &str| {
        let file = fs::File::create_new(directory.join(name))?;
        Ok(Box::new(file) as Box<dyn std::io::Write + Send>)
    };
    let property = |(key, value): (&str, Value)| VertexProperty {
        id: Value::Null,
        key: key.into(),
        value,
        properties: Vec::new(),
        vertex: None,
        owner: None,
    };
    let values = [
        ("name", "ada, é".into()),
        ("age", Value::Int(36)),
        ("small", Value::Byte(-1)),
        ("score", Value::Double(0.5)),
        ("born", DateTime::from_epoch_millis(-4_854_556_799_999).into()),
        ("took", "PT1M".parse::<values::Duration>().unwrap().into()),
        ("tags", "a".into()),
        ("tags", "b;c".into()),
    ];
    let ada = Vertex {
        properties: values.into_iter().map(property).collect(),
        ..Vertex::reference(Value::Long(1), "person")
    };
    let bob = Vertex::reference(Value::Long(2), "person");
    let weights = Value::list(vec![Value::Float(0.25), Value::Float(4.0)]);
    let knows = Edge {
        id: "e".into(),
        label: "knows".into(),
        out_v: ada.clone(),
        in_v: bob.clone(),
        properties: vec![Property { key: "weights".into(), value: weights, owner: None }],
    };
    let mut writer = CsvWriter::new(CsvConvention::Parquet, true, Box::new(make));
    for pass in 0..writer.passes().len() {
        writer.begin(pass).unwrap();
        match pass % 2 {
            0 => [&ada, &bob].into_iter().for_each(|vertex| writer.vertex(vertex).unwrap()),
            _ => writer.edge(Direction::Out, &knows).unwrap(),
        }
    }
    writer.finish().unwrap();
}

/// What pyarrow makes of these.
const SEEN: &str = "\
edges-knows.parquet: :START_ID int64, :END_ID int64, :TYPE string, :ID string, weights list<element: float not null>
  1 | 2 | knows | e | [0.25, 4.0]
vertices-person.parquet: :ID int64, :LABEL string, name string, age int32, small int8, score double, born timestamp[us, tz=UTC], took:duration string, tags list<element: string not null>
  1 | person | ada, é | 36 | -1 | 0.5 | 1816-03-02 00:00:00.001000+00:00 | PT1M | ['a', 'b;c']
  2 | person | None | None | None | None | None | None | None
";

#[test]
fn what_is_written_is_read_by_pyarrow_where_there_is_one() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let look = Look::at(&{
        let graph = empty_graph();
        let sources = CsvSource::parquet_in_directory(dir.path()).unwrap();
        parquet(&sources, &graph, &ImportOptions::default(), &|_| {}).unwrap();
        graph
    });
    assert_eq!(look.values(look.vertex(Value::Long(1)), "tags"), ["a".into(), "b;c".into()]);
    let Some(python) = std::env::var_os("MANGROVE_PYARROW") else {
        println!("skipped: MANGROVE_PYARROW names no Python that has pyarrow");
        return;
    };
    let script = file("x").with_file_name("show.py");
    let shown = std::process::Command::new(python).arg(script).arg(dir.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&shown.stdout), SEEN, "{}", String::from_utf8_lossy(&shown.stderr));
}

#[test]
fn damaged_files_are_imported_or_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("rows.parquet");
    let originals: Vec<_> =
        PEOPLE.iter().map(|how| fs::read(file(&format!("people-{how}"))).unwrap()).collect();
    let pieces: [&[u8]; 8] = [
        b"PAR1",
        b"\0",
        b"\xff\xff\xff\xff\x0f",
        b"\x80\x80\x80\x80\x10",
        b"\x15",
        b"\x19\xfc",
        b"\x1c",
        b"\x28\xb5\x2f\xfd",
    ];
    fuzz(|random| {
        let mut bytes = originals[random.below(originals.len())].clone();
        match random.below(3) {
            // One byte, so that most of the file is as it was.
            0 => {
                let at = random.below(bytes.len());
                bytes[at] = random.below(256) as u8;
            }
            1 => random.damage(&mut bytes, &pieces),
            // In the footer, where a damage is seldom noticed by who looks at pages.
            _ => {
                let at = bytes.len() - 1 - random.below(bytes.len() / 3);
                bytes[at] ^= 1 << random.below(8);
            }
        }
        fs::write(&path, bytes).unwrap();
        let skips = random.below(2) == 0;
        let bad_rows = if skips { BadRows::Skip { reports: 1 } } else { BadRows::Stop };
        let graph = empty_graph();
        let options = ImportOptions { bad_rows, ..ImportOptions::default() };
        let done = parquet(&[labelled(&path)], &graph, &options, &|_| {});
        let counts = Look::at(&graph).counts();
        match done {
            Ok(summary) => assert_eq!(counts, (summary.vertices, summary.edges)),
            Err(error) => assert!(error.to_string().contains("rows.parquet") && counts == (0, 0), "{error}"),
        }
        counts.0 > 0
    });
}
