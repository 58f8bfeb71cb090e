//! Importing LDBC social networks.

mod imported;

use std::num::NonZeroUsize;
use std::path::Path;

use formats::{BadRows, ImportError, ImportOptions, ImportPhase, ImportSummary, ldbc};
use graph::{Dir, Graph, GraphError, Value};
use imported::{Look, empty_graph, refusal, tiny_network, unpack, written};
use values::DateTime;

fn import(directory: &Path) -> Result<(Graph, ImportSummary), ImportError> {
    import_with(directory, &ImportOptions::default())
}

fn import_with(directory: &Path, options: &ImportOptions) -> Result<(Graph, ImportSummary), ImportError> {
    let graph = empty_graph();
    let summary = ldbc(directory, &graph, options, &|_| {})?;
    Ok((graph, summary))
}

/// The tiny network with one file changed.
fn with_file(name: &str, change: impl Fn(&str) -> String) -> tempfile::TempDir {
    let mut files = tiny_network();
    let (_, content) = files.iter_mut().find(|(file, _)| file.ends_with(name)).unwrap();
    *content = change(content);
    written(&files)
}

#[test]
fn a_network_in_csv_basic() {
    let directory = written(&tiny_network());
    let (graph, summary) = import(directory.path()).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.counts(), (8, 8));
    assert_eq!((summary.vertices, summary.edges, summary.skipped), (8, 8, 0));
    let ana = look.indexed("Person", "id", 10i64);
    assert_eq!(look.label(ana), "Person");
    assert_eq!(look.values(ana, "id"), [Value::Long(10)]);
    assert_eq!(look.values(ana, "birthday"), [Value::Long(628_646_400_000)]);
    assert_eq!(look.values(ana, "email"), [Value::str("a@x.example"), Value::str("b@x.example")]);
    assert_eq!(look.values(ana, "language"), [Value::str("pt"), Value::str("en")]);
    let bo = look.indexed("Person", "id", 20i64);
    assert_eq!(look.values(bo, "email"), []);
    let zoe = look.indexed("Person", "firstName", "Zoë");
    assert_eq!(look.values(zoe, "lastName"), [Value::str("Müller")]);
    assert_eq!(look.along(bo, "workAt", Dir::Out, "workFrom")[0].1, Some(Value::Int(2001)));
    assert_eq!(
        look.out(look.indexed("Tag", "name", "Jazz"), "hasType"),
        [look.indexed("TagClass", "name", "Music")]
    );
}

#[test]
fn an_empty_field_is_no_property_and_ids_are_unique_per_label_only() {
    let (graph, _) = import(written(&tiny_network()).path()).unwrap();
    let look = Look::at(&graph);
    let (text, photo) = (look.indexed("Post", "id", 10i64), look.indexed("Post", "id", 11i64));
    assert_eq!(look.values(text, "imageFile"), []);
    assert_eq!(look.values(text, "content"), [Value::str("About \"quotes\", and so on")]);
    assert_eq!(look.values(text, "length"), [Value::Int(24)]);
    assert_eq!((look.values(photo, "content"), look.values(photo, "language")), (vec![], vec![]));
    assert_eq!(look.values(photo, "imageFile"), [Value::str("photo11.jpg")]);
    assert_ne!(look.id(text), look.id(look.indexed("Person", "id", 10i64)));
}

#[test]
fn a_knows_row_becomes_an_edge_in_each_direction() {
    let (graph, _) = import(written(&tiny_network()).path()).unwrap();
    let look = Look::at(&graph);
    let person = |id: i64| look.indexed("Person", "id", id);
    let date = |ms| Some(Value::Long(ms));
    assert_eq!(look.edge_count("knows"), 4);
    for dir in [Dir::Out, Dir::In] {
        let mut around = look.along(person(20), "knows", dir, "creationDate");
        around.sort_by_key(|(_, date)| date.as_ref().and_then(Value::as_i64));
        assert_eq!(around, [(person(10), date(1_289_805_829_104)), (person(30), date(1_289_805_829_105))]);
        assert_eq!(
            look.along(person(10), "knows", dir, "creationDate"),
            [(person(20), date(1_289_805_829_104))]
        );
    }
}

#[test]
fn composite_and_basic_layouts_give_the_same_graph() {
    let mut files = tiny_network();
    files.retain(|(name, _)| !name.contains("email") && !name.contains("speaks"));
    files[0].1 = "id|firstName|lastName|gender|birthday|creationDate|locationIP|browserUsed|language|email\n\
                  10|Ana|Silva|female|628646400000|1266161530447|10.0.0.1|Firefox|pt;en|a@x.example;b@x.example\n\
                  20|Bo|Wang|male|410000000000|1266161530448|10.0.0.2|Opera|zh|\n\
                  30|Zoë|Müller|female|420000000000|1266161530449|10.0.0.3|Chrome||z@x.example\n"
        .to_owned();
    let (composite, _) = import(written(&files).path()).unwrap();
    let (basic, _) = import(written(&tiny_network()).path()).unwrap();
    assert_eq!(Look::at(&composite).everything(), Look::at(&basic).everything());
}

#[test]
fn the_official_test_data() {
    let directory = unpack("ldbc/test-data.tar.zst");
    let (graph, summary) = import(directory.path()).unwrap();
    let look = Look::at(&graph);
    // 70,842 rows, and the 825 friendships once more.
    assert_eq!(look.counts(), (34_735, 70_842 + 825));
    assert_eq!((summary.vertices, summary.edges), look.counts());
    for (label, count) in
        [("Person", 222), ("Forum", 805), ("Post", 5924), ("Comment", 2218), ("Place", 1460)]
    {
        assert_eq!(look.vertex_count(label), count, "{label}");
    }
    for (label, count) in [("Organisation", 7955), ("Tag", 16_080), ("TagClass", 71)] {
        assert_eq!(look.vertex_count(label), count, "{label}");
    }
    for (label, count) in [("knows", 1650), ("hasCreator", 8142), ("replyOf", 2218), ("likes", 1383)] {
        assert_eq!(look.edge_count(label), count, "{label}");
    }
    let jose = look.indexed("Person", "id", 8_796_093_022_220i64);
    assert_eq!(look.values(jose, "firstName"), [Value::str("Jose")]);
    assert_eq!(look.values(jose, "creationDate"), [Value::Long(1_284_620_040_602)]);
    assert_eq!(look.values(jose, "language"), [Value::str("es"), Value::str("en")]);
    assert_eq!(look.values(jose, "email").len(), 2);
    let study = look.along(jose, "studyAt", Dir::Out, "classYear");
    assert_eq!(study, [(look.indexed("Organisation", "id", 2435i64), Some(Value::Int(2008)))]);
}

#[test]
fn scale_factor_0_1() {
    let directory = unpack("ldbc/sf0.1.tar.zst");
    let (graph, summary) = import(directory.path()).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.counts(), (342_766, 1_572_307));
    assert_eq!((summary.vertices, summary.edges), look.counts());
    let mahinda = look.indexed("Person", "id", 933i64);
    assert_eq!(look.values(mahinda, "email")[0], Value::str("Mahinda933@boarderzone.com"));
    assert_eq!(look.out(mahinda, "isLocatedIn"), [look.indexed("Place", "id", 1353i64)]);
}

#[test]
fn names_and_ids_are_indexed() {
    let (graph, _) = import(written(&tiny_network()).path()).unwrap();
    let look = Look::at(&graph);
    for label in ["Person", "Post", "Tag", "TagClass", "Organisation"] {
        assert!(look.has_index(label, "id"), "{label}");
    }
    assert!(look.has_index("Tag", "name") && look.has_index("Organisation", "name"));
    assert!(!look.has_index("Person", "gender"));
}

#[test]
fn iso_dates_become_date_times() {
    let directory = with_file("person_knows_person_0_0.csv", |_| {
        "Person.id|Person.id|creationDate\n10|20|2010-11-15T07:23:49.104+0000\n".to_owned()
    });
    let (graph, _) = import(directory.path()).unwrap();
    let look = Look::at(&graph);
    let date = Value::DateTime(DateTime::from_epoch_millis(1_289_805_829_104));
    let ana = look.indexed("Person", "id", 10i64);
    assert_eq!(look.along(ana, "knows", Dir::Out, "creationDate")[0].1, Some(date));
}

#[test]
fn the_outcome_does_not_depend_on_parts_and_threads() {
    let directory = written(&tiny_network());
    let expected = Look::at(&import(directory.path()).unwrap().0).everything();
    for (part_bytes, threads) in [(1, 1), (1, 3), (7, 2), (50, 2), (u64::MAX, 5), (0, 2)] {
        let options = ImportOptions { part_bytes, threads: NonZeroUsize::new(threads), ..Default::default() };
        let (graph, summary) = import_with(directory.path(), &options).unwrap();
        assert_eq!(Look::at(&graph).everything(), expected, "{part_bytes} bytes, {threads} threads");
        assert_eq!((summary.vertices, summary.edges), (8, 8));
    }
}

#[test]
fn carriage_returns_byte_order_marks_blank_lines_and_a_missing_last_line_end_do_not_matter() {
    let expected = Look::at(&import(written(&tiny_network()).path()).unwrap().0).everything();
    let mut files = tiny_network();
    for (_, content) in &mut files {
        *content = format!("\u{feff}{}", content.trim_end().replace('\n', "\r\n\r\n"));
    }
    let (graph, summary) = import(written(&files).path()).unwrap();
    assert_eq!(Look::at(&graph).everything(), expected);
    assert_eq!(summary.skipped, 0);
}

#[test]
fn files_with_nothing_but_a_header_are_empty_tables() {
    let mut files = tiny_network();
    for (_, content) in &mut files {
        *content = content.lines().next().unwrap().to_owned();
    }
    let (graph, summary) = import(written(&files).path()).unwrap();
    assert_eq!(Look::at(&graph).counts(), (0, 0));
    assert_eq!((summary.vertices, summary.edges, summary.rows), (0, 0, 0));
}

#[test]
fn a_bad_row_is_named_with_file_line_and_column() {
    let cases = [
        (
            "person_0_0.csv",
            "20|Bo",
            "x20|Bo",
            ":3:1: column `id`: an id (an integer of 64 bits) expected, found \"x20\"",
        ),
        (
            "person_0_0.csv",
            "|male|",
            "|male",
            ":3:7: column `locationIP`: 8 fields expected, as in the header, found 7",
        ),
        (
            "person_0_0.csv",
            "|Opera",
            "|Opera|",
            ":3:8: column `browserUsed`: 8 fields expected, as in the header, found 9",
        ),
        (
            "person_0_0.csv",
            "410000000000",
            "1989-12-03",
            ":3:5: column `birthday`: a date in milliseconds since 1970",
        ),
        (
            "person_0_0.csv",
            "30|Zoë",
            "10|Zoë",
            ":4:1: column `id`: an id of its own expected, but an earlier row has the id 10",
        ),
        (
            "person_knows_person_0_0.csv",
            "20|30",
            "20|31",
            ":3:2: column `Person.id`: the id of a Person expected, but no Person has the id 31",
        ),
        (
            "person_email_emailaddress_0_0.csv",
            "30|z",
            "31|z",
            ":4:1: column `Person.id`: the id of a Person expected, but no Person has the id 31",
        ),
        (
            "person_workAt_organisation_0_0.csv",
            "2001",
            "99999999999",
            ":2:3: column `workFrom`: an integer of 32 bits expected, found \"99999999999\"",
        ),
    ];
    for (file, from, to, expected) in cases {
        let directory = with_file(file, |content| {
            assert!(content.contains(from), "{file} has no {from}");
            content.replacen(from, to, 1)
        });
        let refused = refusal(import(directory.path()));
        assert!(matches!(refused, ImportError::BadRow(_)), "{refused:?}");
        let message = refused.to_string();
        assert!(message.contains(&format!("{file}{expected}")), "{message}\nexpected {expected}");
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_a_bad_row() {
    let directory = written(&tiny_network());
    let path = directory.path().join("static/tag_0_0.csv");
    std::fs::write(&path, b"id|name|url\n1|Jazz|x\n2|Ja\xffzz|y\n").unwrap();
    let message = refusal(import(directory.path())).to_string();
    assert!(message.contains("tag_0_0.csv:3:2: column `name`: text in UTF-8 expected"), "{message}");
}

#[test]
fn bad_rows_are_skipped_and_counted_on_request() {
    let mut files = tiny_network();
    let content = |files: &mut Vec<(&str, String)>, name: &str, text: &str| {
        files.iter_mut().find(|(file, _)| file.ends_with(name)).unwrap().1.push_str(text);
    };
    content(&mut files, "person_0_0.csv", "10|Twice|x|x|1|1|x|x\nnonsense\n40|Last|x|male|1|1|x|x\n");
    content(&mut files, "person_knows_person_0_0.csv", "10|99|1\n40|10|5\n99|10|1\n");
    content(&mut files, "person_speaks_language_0_0.csv", "99|xx\n");
    for part_bytes in [1, 40, 1 << 20] {
        let options =
            ImportOptions { bad_rows: BadRows::Skip { reports: 4 }, part_bytes, ..Default::default() };
        let (graph, summary) = import_with(written(&files).path(), &options).unwrap();
        let look = Look::at(&graph);
        assert_eq!(look.counts(), (9, 10));
        assert_eq!((summary.vertices, summary.edges), (9, 10));
        assert_eq!(summary.skipped, 5);
        let mut lines: Vec<(String, u64)> = summary
            .reports
            .iter()
            .map(|row| (row.file.file_name().unwrap().to_str().unwrap().to_owned(), row.line))
            .collect();
        lines.sort();
        let report = |file: &str, line| (file.to_owned(), line);
        let expected = [
            report("person_0_0.csv", 5),
            report("person_0_0.csv", 6),
            report("person_knows_person_0_0.csv", 4),
            report("person_speaks_language_0_0.csv", 5),
        ];
        assert_eq!(lines, expected, "parts of {part_bytes} bytes");
        let ana = look.indexed("Person", "id", 10i64);
        assert_eq!(
            look.values(ana, "firstName"),
            [Value::str("Ana")],
            "the first of two rows with one id stays"
        );
        assert!(summary.to_string().contains("5 bad rows skipped"));
    }
}

#[test]
fn an_import_that_stops_leaves_the_graph_empty() {
    let directory = with_file("person_knows_person_0_0.csv", |content| format!("{content}10|99|1\n"));
    let graph = empty_graph();
    ldbc(directory.path(), &graph, &ImportOptions::default(), &|_| {}).unwrap_err();
    assert_eq!(Look::at(&graph).counts(), (0, 0));
    ldbc(written(&tiny_network()).path(), &graph, &ImportOptions::default(), &|_| {}).unwrap();
    assert_eq!(Look::at(&graph).counts(), (8, 8));
}

#[test]
fn a_graph_that_holds_something_is_refused() {
    let directory = written(&tiny_network());
    let (graph, _) = import(directory.path()).unwrap();
    let again = ldbc(directory.path(), &graph, &ImportOptions::default(), &|_| {});
    assert!(matches!(again, Err(ImportError::Graph(GraphError::NotEmpty { .. }))), "{again:?}");
}

#[test]
fn missing_files_and_directories_are_named() {
    let message = refusal(import(Path::new("/no/such/directory"))).to_string();
    assert!(message.contains("cannot read `/no/such/directory`"), "{message}");
    let message = refusal(import(tempfile::tempdir().unwrap().path())).to_string();
    assert!(message.contains("person_0_0.csv and others"), "{message}");
    let mut files = tiny_network();
    files.retain(|(name, _)| !name.contains("organisation_0_0") || name.contains("workAt"));
    let message = refusal(import(written(&files).path())).to_string();
    assert!(message.contains("person_workAt_organisation_0_0.csv`: it refers to Organisation"), "{message}");
}

#[test]
fn progress_reaches_the_end_of_both_phases() {
    let directory = written(&tiny_network());
    let calls = std::cell::RefCell::new(Vec::new());
    let options = ImportOptions { part_bytes: 30, ..Default::default() };
    ldbc(directory.path(), &empty_graph(), &options, &|progress| calls.borrow_mut().push(progress)).unwrap();
    let calls = calls.into_inner();
    for phase in [ImportPhase::Reading, ImportPhase::Building] {
        let calls: Vec<_> = calls.iter().filter(|call| call.phase == phase).collect();
        assert!(calls.is_sorted_by_key(|call| call.done) && calls.len() > 1, "{calls:?}");
        let last = calls.last().unwrap();
        assert_eq!(last.done, last.total, "{phase:?}");
        assert_eq!(last.rows, 20);
    }
}
