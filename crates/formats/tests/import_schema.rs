//! Imports into graphs with a schema: what it refuses is a bad row, with its place, and nothing comes of the others unless they are
//! wanted.

mod imported;

use formats::{
    BadRows, CsvOptions, CsvSource, ImportError, ImportOptions, ImportSummary, Merge, Present,
    PresentOptions, Target, csv,
};
use graph::{Graph, IndexDescription, IndexKind, SchemaMode, Value, ValueType, VertexKeyDescription};
use imported::{Look, empty_graph};

/// People have a name, which is unique, and perhaps an age, an int; edges are not declared, which is an error if the schema is strict.
fn declared(mode: SchemaMode) -> Graph {
    let graph = empty_graph();
    let index =
        IndexDescription { label: "person".into(), keys: vec!["name".into()], kind: IndexKind::Unique };
    graph.declare_index(&index).unwrap();
    graph.await_index(&index).unwrap();
    let key = |value_type, required| VertexKeyDescription {
        value_type: Some(value_type),
        required,
        ..VertexKeyDescription::default()
    };
    let changed = graph.change_schema(|schema| {
        schema.mode = mode;
        let keys = &mut schema.vertices.entry("person".into()).or_default().keys;
        keys.insert("name".into(), key(ValueType::String, true));
        keys.insert("age".into(), key(ValueType::Int, false));
        Ok(())
    });
    changed.unwrap();
    graph
}

fn import(
    target: &dyn Target,
    files: &[(&str, &str)],
    bad_rows: BadRows,
) -> Result<ImportSummary, ImportError> {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    let options = ImportOptions { bad_rows, ..Default::default() };
    let sources = CsvSource::in_directory(directory.path()).unwrap();
    csv(&sources, CsvOptions::default(), target, &options, &|_| {})
}

const KNOWS: (&str, &str) = ("k.csv", ":START_ID,:END_ID,:TYPE\n1,2,knows\n2,3,knows\n1,3,knows\n");

/// Rows of which the second is bad, and what is said of it.
const BAD: [(&str, &str); 4] = [
    (
        ":ID,name,age,:LABEL\n1,a,,person\n2,b,x,person\n3,c,,person\n",
        "p.csv:3: the property \"age\" of the vertex label \"person\" is declared as",
    ),
    (
        ":ID,name,age:int,:LABEL\n1,a,1,person\n2,,2,person\n3,c,3,person\n",
        "p.csv:3: the vertex of this row has no property \"name\"",
    ),
    (
        ":ID,name,:LABEL\n1,a,person\n2,b,robot\n3,c,person\n",
        "p.csv:3: the schema is strict and declares no vertex label \"robot\"",
    ),
    (
        ":ID,name,:LABEL\n1,a,person\n2,a,person\n3,c,person\n",
        "p.csv:3: column `name`: values of \"name\" are unique among vertices \"person\", and an earlier row has \"a\", too",
    ),
];

fn mode_for(expected: &str) -> SchemaMode {
    if expected.contains("strict") { SchemaMode::Strict } else { SchemaMode::Open }
}

#[test]
fn an_empty_graph_says_which_row_it_refuses_and_does_without_such_rows_on_request() {
    for (rows, expected) in BAD {
        let files =
            if expected.contains("strict") { &[("p.csv", rows)][..] } else { &[("p.csv", rows), KNOWS] };
        let graph = declared(mode_for(expected));
        let refused = import(&graph, files, BadRows::Stop).unwrap_err();
        assert!(matches!(refused, ImportError::BadRow(_)), "{refused:?}");
        assert!(refused.to_string().contains(expected), "{refused}\nexpected {expected}");
        assert_eq!(Look::at(&graph).counts(), (0, 0));
        let summary = import(&graph, files, BadRows::Skip { reports: 5 }).unwrap();
        let edges = files.len() as u64 - 1;
        // With a vertex go the edges that it has.
        assert_eq!(
            (summary.vertices, summary.edges, summary.skipped),
            (2, edges, 1 + 2 * edges),
            "{expected}"
        );
        assert!(summary.reports[0].to_string().contains(expected));
        assert!(edges == 0 || summary.reports[1].to_string().contains("k.csv:2: a vertex that it connects"));
        assert_eq!(Look::at(&graph).counts(), (2, edges));
        let look = Look::at(&graph);
        assert_eq!(look.values(look.vertex("3"), "name"), [Value::str("c")]);
    }
}

#[test]
fn edges_are_refused_as_vertices_are() {
    let graph = declared(SchemaMode::Strict);
    let people = ("p.csv", ":ID,name,:LABEL\n1,a,person\n2,b,person\n3,c,person\n");
    let refused = import(&graph, &[people, KNOWS], BadRows::Stop).unwrap_err().to_string();
    assert!(
        refused.contains("k.csv:2: the schema is strict and declares no edge label \"knows\""),
        "{refused}"
    );
    let summary = import(&graph, &[people, KNOWS], BadRows::Skip { reports: 1 }).unwrap();
    assert_eq!((summary.vertices, summary.edges, summary.skipped), (3, 0, 3));
}

#[test]
fn a_graph_that_has_data_is_looked_at_before_anything_is_written() {
    let options = PresentOptions { rows: 1.try_into().unwrap(), ..PresentOptions::default() };
    for (rows, expected) in BAD {
        let graph = declared(mode_for(expected));
        let present = Present::new(&graph, &options, "file");
        let refused = import(&present.looking_only(), &[("p.csv", rows)], BadRows::Stop).unwrap_err();
        assert!(refused.to_string().contains(expected), "{refused}\nexpected {expected}");
        assert_eq!(Look::at(&graph).counts(), (0, 0));
    }
    let graph = declared(SchemaMode::Open);
    import(&graph, &[("p.csv", ":ID,name,:LABEL\n0,c,person\n")], BadRows::Stop).unwrap();
    let rows = ":ID,name,:LABEL\n1,a,person\n3,c,person\n";
    let present = Present::new(&graph, &options, "file");
    let refused = import(&present.looking_only(), &[("p.csv", rows)], BadRows::Stop).unwrap_err().to_string();
    let expected = "p.csv:3: column `name`: values of \"name\" are unique among vertices \"person\", and the vertex \"0\" of the graph has \"c\"";
    assert!(refused.contains(expected), "{refused}");
}

#[test]
fn what_a_transaction_finds_is_told_before_any_of_its_rows_is_committed() {
    for (rows, expected) in &BAD[1..] {
        let expected = &expected[.."p.csv:3: ".len()];
        let graph = declared(SchemaMode::Strict);
        // Nobody has looked at it before.
        let options = PresentOptions::default();
        let refused = import(&Present::new(&graph, &options, "file"), &[("p.csv", rows)], BadRows::Stop);
        let refused = refused.unwrap_err();
        assert!(matches!(refused, ImportError::BadRow(_)), "{refused:?}");
        assert!(refused.to_string().contains(expected), "{refused}\nexpected {expected}");
        assert_eq!(Look::at(&graph).counts(), (0, 0));
    }
}

#[test]
fn what_is_done_is_gone_on_with_as_it_is_said() {
    let graph = declared(SchemaMode::Open);
    import(&graph, &[("p.csv", ":ID,name,:LABEL\n0,c,person\n")], BadRows::Stop).unwrap();
    let rows = ":ID,name,:LABEL\n1,a,person\n2,b,person\n3,c,person\n4,d,person\n";
    let stops =
        PresentOptions { rows: 2.try_into().unwrap(), merge: Merge::ById, ..PresentOptions::default() };
    let refused = import(&Present::new(&graph, &stops, "file"), &[("p.csv", rows)], BadRows::Stop);
    let refused = refused.unwrap_err().to_string();
    let told = "2 of its vertices and 0 of its edges are in the graph by now; the same command with --skip-bad-rows goes on";
    assert!(refused.contains("p.csv:4: ") && refused.contains(told), "{refused}");
    assert_eq!(Look::at(&graph).counts(), (3, 0));
    let skips = PresentOptions { bad_rows: BadRows::Skip { reports: 5 }, ..stops.clone() };
    let summary =
        import(&Present::new(&graph, &skips, "file"), &[("p.csv", rows)], BadRows::Skip { reports: 5 });
    let summary = summary.unwrap();
    assert_eq!((summary.vertices, summary.before, summary.skipped), (3, 2, 1));
    // Corrected, it is another import: what is there is merged.
    let corrected = rows.replace("3,c", "3,e");
    let summary = import(&Present::new(&graph, &stops, "other"), &[("p.csv", &corrected)], BadRows::Stop);
    let summary = summary.unwrap();
    assert_eq!((summary.vertices, summary.merged_vertices), (1, 3));
    assert_eq!(Look::at(&graph).counts(), (5, 0));
}
