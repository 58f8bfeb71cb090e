//! Importing GraphSON 3.

mod imported;

use std::path::Path;

use formats::{BadRows, GraphFormat, ImportError, ImportOptions, ImportSummary, graphson, whole};
use graph::{Dir, Graph, Value};
use imported::{Look, empty_graph, refusal, shared};

fn import(file: &Path) -> Result<(Graph, ImportSummary), ImportError> {
    let graph = empty_graph();
    // These tests look at what is stored, where an id that is kept stands among the meta-properties.
    let options = ImportOptions { keep_property_ids: false, ..Default::default() };
    let summary = graphson(file, &graph, &options, &|_| {})?;
    Ok((graph, summary))
}

/// Imports with the ids of vertices' properties.
fn with_property_ids(file: &Path) -> Result<Look, ImportError> {
    let graph = empty_graph();
    graphson(file, &graph, &ImportOptions::default(), &|_| {})?;
    Ok(Look::at(&graph))
}

fn tinkerpop(name: &str) -> Look {
    let (graph, summary) = import(&shared(&format!("tinkerpop/data/{name}.json"))).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.counts(), (summary.vertices, summary.edges));
    look
}

fn text(lines: &str) -> Result<(Graph, ImportSummary), ImportError> {
    in_file(lines, import)
}

fn in_file<R>(lines: &str, import: impl FnOnce(&Path) -> R) -> R {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("graph.json");
    std::fs::write(&file, lines).unwrap();
    import(&file)
}

#[test]
fn modern() {
    let look = tinkerpop("tinkerpop-modern");
    assert_eq!(look.counts(), (6, 6));
    let (marko, lop) = (look.vertex(1i32), look.vertex(3i32));
    assert_eq!((look.label(marko), look.label(lop)), ("person".to_owned(), "software".to_owned()));
    assert_eq!(look.id(marko), Value::Int(1));
    assert_eq!(look.values(marko, "age"), [Value::Int(29)]);
    assert_eq!(look.values(marko, "lang"), []);
    assert_eq!(look.out(marko, "created"), [lop]);
    assert_eq!(look.out(marko, "knows"), [look.vertex(2i32), look.vertex(4i32)]);
    let created = look.edge(9i32);
    assert_eq!((created.src, created.dst), (marko, lop));
    assert_eq!(look.edge_value(created, "weight"), Some(Value::Double(0.4)));
}

#[test]
fn classic_has_no_labels_of_its_own_and_floats() {
    let look = tinkerpop("tinkerpop-classic");
    assert_eq!(look.counts(), (6, 6));
    assert_eq!(look.vertex_count("vertex"), 6);
    assert_eq!(look.edge_value(look.edge(7i32), "weight"), Some(Value::Float(0.5)));
}

#[test]
fn crew_has_multi_and_meta_properties() {
    let look = tinkerpop("tinkerpop-crew");
    assert_eq!(look.counts(), (6, 14));
    let marko = look.vertex(1i32);
    let places = look.properties(marko, "location");
    let names: Vec<_> = places.iter().map(|place| place.value.clone()).collect();
    assert_eq!(names, ["san diego", "santa cruz", "brussels", "santa fe"].map(Value::from));
    let mut metas = look.metas(&places[0]);
    metas.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(metas, [("endTime".to_owned(), Value::Int(2001)), ("startTime".to_owned(), Value::Int(1997))]);
    assert_eq!(look.metas(&places[3]), [("startTime".to_owned(), Value::Int(2005))]);
    assert_eq!(look.values(marko, "name"), [Value::str("marko")]);
    assert_eq!(look.edge_value(look.edge(13i32), "since"), Some(Value::Int(2009)));
}

#[test]
fn properties_keep_their_ids_on_request_and_their_meta_properties_beside_them() {
    let file = shared("tinkerpop/data/tinkerpop-crew.json");
    let (kept, plain) = (with_property_ids(&file).unwrap(), tinkerpop("tinkerpop-crew"));
    let (marko, other) = (kept.vertex(1i32), plain.vertex(1i32));
    for (key, ids) in [("name", &[0][..]), ("location", &[6, 7, 8, 9])] {
        let (kept_ones, plain_ones) = (kept.properties(marko, key), plain.properties(other, key));
        assert_eq!(kept_ones.len(), ids.len());
        for ((kept_one, plain_one), id) in kept_ones.iter().zip(&plain_ones).zip(ids) {
            assert_eq!(kept_one.shown_id(), Value::Long(*id));
            assert_eq!((&plain_one.kept_id, plain_one.shown_id()), (&None, plain_one.id.to_value()));
            assert_eq!(kept_one.value, plain_one.value);
            assert_eq!(kept.metas(kept_one), plain.metas(plain_one));
        }
    }
}

#[test]
fn a_property_without_an_id_gets_one_even_if_ids_are_kept() {
    let lines = r#"{"id":1,"properties":{"k":[{"value":1},{"id":"b","value":2}]}}"#;
    let look = in_file(lines, with_property_ids).unwrap();
    let properties = look.properties(look.vertex(1i32), "k");
    assert_eq!(properties[0].kept_id, None);
    assert_eq!(properties[1].shown_id(), Value::str("b"));
}

#[test]
fn ids_of_properties_are_looked_at_only_if_they_are_kept() {
    for (properties, expected) in [
        (r#""k":[{"id":true,"value":1}]"#, "column `properties.k.id`: a truth value cannot be an element id"),
        (r#""k":[{"id":null,"value":1}]"#, "column `properties.k.id`: null cannot be an element id"),
        (
            r#""k":[{"id":7,"value":1}],"l":[{"id":7,"value":2}]"#,
            "column `properties.l.id`: an id of its own expected, but another property of the vertex has it",
        ),
    ] {
        let line = format!("{{\"id\":1,\"properties\":{{{properties}}}}}");
        let message = refusal(in_file(&line, with_property_ids)).to_string();
        assert!(message.contains(expected), "{line}\n{message}");
        text(&line).unwrap();
    }
}

#[test]
fn sink_has_loops() {
    let look = tinkerpop("tinkerpop-sink");
    assert_eq!(look.counts(), (3, 3));
    let looped = look.vertex(1000i32);
    assert_eq!(look.out(looped, "self"), [looped]);
    assert_eq!(look.along(looped, "self", Dir::In, ""), [(looped, None)]);
}

#[test]
fn grateful_dead() {
    let look = tinkerpop("grateful-dead");
    assert_eq!(look.counts(), (808, 8049));
    assert_eq!((look.vertex_count("song"), look.vertex_count("artist")), (584, 224));
    assert_eq!(
        (look.edge_count("followedBy"), look.edge_count("sungBy"), look.edge_count("writtenBy")),
        (7047, 501, 501)
    );
    let song = look.vertex(2i32);
    assert_eq!(look.values(song, "name"), [Value::str("IM A MAN")]);
    assert_eq!(look.values(song, "performances"), [Value::Int(1)]);
    assert_eq!(look.edge_value(look.edge(276i32), "weight"), Some(Value::Int(2)));
}

#[test]
fn ids_keep_their_types_and_edges_may_point_forwards() {
    let lines = r#"
{"id":"a","label":"x","outE":{"e":[{"id":{"@type":"g:UUID","@value":"41d2e28a-20a4-4ab0-b379-d810dede3786"},"inV":{"@type":"g:Int64","@value":5}}]}}
{"id":{"@type":"g:Int64","@value":5},"label":"x"}
"#;
    let (graph, _) = text(lines).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.id(look.vertex(5i64)), Value::Long(5));
    assert_eq!(look.out(look.vertex("a"), "e"), [look.vertex(5i64)]);
    let uuid: uuid::Uuid = "41d2e28a-20a4-4ab0-b379-d810dede3786".parse().unwrap();
    assert_eq!(look.edge(uuid).src, look.vertex("a"));
}

#[test]
fn edges_without_ids_among_edges_with_ids() {
    let lines = r#"{"id":1,"outE":{"e":[{"id":7,"inV":1},{"inV":1},{"id":8,"inV":1}]}}"#;
    let (graph, _) = text(lines).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.counts(), (1, 3));
    assert_eq!(look.edge(8i32).dst, look.vertex(1i32));
}

#[test]
fn a_bad_line_is_named() {
    for (lines, expected) in [
        ("{\"id\":1}\n{\"id\":2,}\n", ":2:9: JSON expected"),
        ("{\"id\":1}\n\n{\"label\":\"x\"}\n", ":3:1: column `id`: an id expected"),
        ("{\"id\":1}\n{\"id\":1}\n", ":2:1: column `id`: an id of its own expected"),
        ("{\"id\":true}\n", ":1:1: column `id`: a truth value cannot be an element id"),
        ("[1]\n", ":1:1: a vertex, a JSON object, expected"),
        ("{\"vertices\":[]}\n", "wrapAdjacencyList"),
        ("{\"id\":1,\"label\":7}\n", "column `label`: a string expected"),
        (
            "{\"id\":1,\"name\":\"ada\"}\n",
            ":1:1: column `name`: `id`, `label`, `inE`, `outE` or `properties` of a vertex",
        ),
        (
            "{\"id\":1,\"properties\":{\"k\":[{\"value\":{\"@type\":\"g:Int32\",\"@value\":\"x\"}}]}}\n",
            "column `properties.k`: an integer of 32 bits expected",
        ),
        (
            "{\"id\":1,\"outE\":{\"e\":[{\"id\":3,\"inV\":9}]}}\n",
            ":1:1: column `outE.e.inV`: the id of a vertex expected, but none has the id 9",
        ),
        ("{\"id\":1,\"outE\":{\"e\":[{\"id\":3}]}}\n", "column `outE.e.inV`"),
        ("{\"id\":1,\"outE\":5}\n", "column `outE`: a JSON object expected"),
        (
            "{\"id\":1,\"inE\":{\"e\":[{\"id\":3}]}}\n",
            "column `inE.e.outV`: the id of a vertex expected, found none",
        ),
    ] {
        let message = refusal(text(lines)).to_string();
        assert!(message.contains(expected), "{lines}{message}\nexpected {expected}");
    }
}

#[test]
fn bad_lines_are_skipped_and_counted_on_request() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("graph.json");
    let lines = "\u{feff}{\"id\":1,\"outE\":{\"e\":[{\"inV\":2},{\"inV\":9}]}}\r\nnonsense\r\n{\"id\":2}\r\n{\"id\":2,\"outE\":{\"e\":[{\"inV\":1}]}}\r\n";
    std::fs::write(&file, lines).unwrap();
    let graph = empty_graph();
    let options = ImportOptions { bad_rows: BadRows::Skip { reports: 10 }, ..Default::default() };
    let summary = graphson(&file, &graph, &options, &|_| {}).unwrap();
    // The line that repeats a vertex is left out whole, with its edge.
    assert_eq!(Look::at(&graph).counts(), (2, 1));
    let mut at: Vec<u64> = summary.reports.iter().map(|row| row.line).collect();
    at.sort_unstable();
    assert_eq!((summary.skipped, at), (3, vec![1, 2, 4]));
}

#[test]
fn an_edge_may_be_at_one_of_its_ends_alone() {
    let edge = |id: u32, end: &str, other: u32| {
        format!(r#"{{"id":{id},"{end}":{other},"properties":{{"w":{id}}}}}"#)
    };
    let leaving = |edges: &[String]| format!(r#""outE":{{"e":[{}]}}"#, edges.join(","));
    let entering = |edges: &[String]| format!(r#""inE":{{"e":[{}]}}"#, edges.join(","));
    // Three edges between two vertices, and a loop.
    let out = [edge(7, "inV", 2), edge(8, "inV", 2), edge(10, "inV", 1)];
    let into = [edge(7, "outV", 1), edge(8, "outV", 1)];
    let (back, back_in, looped) = (edge(9, "inV", 1), edge(9, "outV", 2), edge(10, "outV", 1));
    let both = |of: &[&str]| of.join(",");
    for (first, second, what) in [
        (leaving(&out), leaving(std::slice::from_ref(&back)), "where they leave"),
        (entering(&[back_in.clone(), looped.clone()]), entering(&into), "where they enter"),
        (
            both(&[&leaving(&out), &entering(&[back_in.clone(), looped.clone()])]),
            both(&[&leaving(std::slice::from_ref(&back)), &entering(&into)]),
            "at both ends",
        ),
        (
            both(&[&entering(std::slice::from_ref(&looped)), &leaving(&out[..1])]),
            both(&[&leaving(&[back]), &entering(&into[1..])]),
            "at one each",
        ),
        (both(&[&leaving(&out), &entering(&[back_in])]), entering(&into), "some at both"),
    ] {
        let line = |id: u32, edges: &str| format!(r#"{{"id":{id},{edges}}}"#);
        let lines = format!("{}\n{}\n", line(1, &first), line(2, &second));
        let wrapped = format!(r#"{{"vertices":[{}]}}"#, lines.trim_end().replace('\n', ",\n"));
        let options = ImportOptions::default();
        let whole = in_file(&wrapped, |file| {
            let graph = empty_graph();
            whole(file, GraphFormat::GraphSon, &graph, &options, &|_| {}).map(|summary| (graph, summary))
        });
        for (graph, summary) in [text(&lines).unwrap(), whole.unwrap()] {
            let look = Look::at(&graph);
            assert_eq!((look.counts(), summary.edges), ((2, 4), 4), "{what}: {lines}");
            let (one, two) = (look.vertex(1i32), look.vertex(2i32));
            for (id, ends) in [(7, (one, two)), (8, (one, two)), (9, (two, one)), (10, (one, one))] {
                let edge = look.edge(id);
                assert_eq!((edge.src, edge.dst), ends, "{what}: {id} of {lines}");
                assert_eq!(look.edge_value(edge, "w"), Some(Value::Int(id)), "{what}");
            }
        }
    }
}

#[test]
fn an_edge_without_an_id_at_one_end_alone_is_told_by_its_label_and_its_ends() {
    let lines = r#"{"id":1,"outE":{"e":[{"inV":2},{"inV":2}]}}
{"id":2,"inE":{"e":[{"outV":1}],"f":[{"outV":1}]}}"#;
    let (graph, _) = text(lines).unwrap();
    let look = Look::at(&graph);
    assert_eq!((look.counts(), look.edge_count("e"), look.edge_count("f")), ((2, 3), 2, 1));
    let dangling = lines.replace(r#"[{"outV":1}]}}"#, r#"[{"outV":9}]}}"#);
    let refused = refusal(text(&dangling)).to_string();
    assert!(refused.contains(":2:1: column `inE.f.outV`: the id of a vertex expected"), "{refused}");
}

#[test]
fn an_empty_file_is_an_empty_graph() {
    let (graph, summary) = text("").unwrap();
    assert_eq!((Look::at(&graph).counts(), summary.rows), ((0, 0), 0));
}

#[test]
fn null_properties_are_taken_where_the_schema_allows_them() {
    let line = r#"{"id":1,"label":"p","properties":{"k":[{"value":null}],"j":[{"value":"x","properties":{"m":null}}]},
        "outE":{"e":[{"id":7,"inV":1,"properties":{"w":null}}]}}"#
        .replace('\n', "");
    for allowed in [false, true] {
        let graph = empty_graph();
        graph
            .change_schema(|schema| {
                schema.allow_null_values = allowed;
                Ok(())
            })
            .unwrap();
        in_file(&line, |file| graphson(file, &graph, &ImportOptions::default(), &|_| {})).unwrap();
        let snapshot = graph.snapshot();
        let reader = snapshot.reader();
        let (mut vertices, mut properties) = (Vec::new(), Vec::new());
        reader.scan_vertices(None, &mut graph::ScanCursor::default(), 9, &mut vertices);
        reader.vertex_properties(vertices[0], &[], &mut properties);
        let nulls = properties.iter().filter(|property| property.value.is_null()).count();
        assert_eq!((properties.len(), nulls), if allowed { (2, 1) } else { (1, 0) });
        let meta = properties.iter().map(|property| property.meta.len()).sum::<usize>();
        assert_eq!(meta, usize::from(allowed));
    }
}

/// A value of so many lists, or maps, inside one another.
fn nested(depth: usize, kind: &str) -> String {
    let begin = match kind {
        "g:Map" => r#"{"@type":"g:Map","@value":["k","#.to_owned(),
        _ => format!(r#"{{"@type":"{kind}","@value":["#),
    };
    format!("{}{{\"@type\":\"g:Int64\",\"@value\":7}}{}", begin.repeat(depth), "]}".repeat(depth))
}

#[test]
fn values_are_read_as_deep_as_they_can_be_stored() {
    let depth_of = |mut value: Value| {
        let mut depth = 0;
        while value != Value::Long(7) {
            value = match &value {
                Value::List(members) => members[0].clone(),
                Value::Map(map) => map.iter().next().unwrap().1.clone(),
                other => panic!("{other:?}"),
            };
            depth += 1;
        }
        depth
    };
    for kind in ["g:List", "g:Map"] {
        let line = |depth: usize| {
            let value = nested(depth, kind);
            format!(
                r#"{{"id":"a","outE":{{"e":[{{"id":"b","inV":"a","properties":{{"p":{value}}}}}]}},"properties":{{"p":[{{"value":{value},"properties":{{"m":{value}}}}}]}}}}"#
            )
        };
        for whole_file in [false, true] {
            let read = |depth: usize| {
                in_file(&line(depth), |file| {
                    let graph = empty_graph();
                    let options = ImportOptions { keep_property_ids: false, ..Default::default() };
                    match whole_file {
                        true => whole(file, GraphFormat::GraphSon, &graph, &options, &|_| {}),
                        false => graphson(file, &graph, &options, &|_| {}),
                    }
                    .map(|_| Look::at(&graph))
                    .map_err(|error| error.to_string())
                })
            };
            let look = read(64).unwrap();
            let property = look.properties(look.vertex("a"), "p").remove(0);
            let metas = look.metas(&property);
            assert_eq!(depth_of(property.value), 64);
            assert_eq!(depth_of(metas[0].1.clone()), 64);
            assert_eq!(depth_of(look.edge_value(look.edge("b"), "p").unwrap()), 64);
            assert!(read(65).err().unwrap().contains("nested more than 64 deep"));
            assert!(read(200).err().unwrap().contains("arrays and objects inside one another"));
        }
    }
}

#[test]
fn edges_without_ids_get_none_that_a_later_edge_has() {
    let edge = |id: Option<i64>| {
        let id = id.map_or(String::new(), |id| format!(r#""id":{{"@type":"g:Int64","@value":{id}}},"#));
        format!(r#"{{{id}"inV":1}}"#)
    };
    let edges: Vec<_> = (0..50).flat_map(|id| [edge(None), edge(Some(id))]).collect();
    let line = format!(r#"{{"id":1,"outE":{{"e":[{}]}}}}"#, edges.join(","));
    let options = ImportOptions::default();
    let graphs = [false, true].map(|whole_file| {
        let graph = empty_graph();
        in_file(&line, |file| match whole_file {
            true => whole(file, GraphFormat::GraphSon, &graph, &options, &|_| {}),
            false => graphson(file, &graph, &options, &|_| {}),
        })
        .unwrap();
        graph
    });
    let xml = {
        let edge = |id: Option<i64>| {
            let id = id.map_or(String::new(), |id| format!("id=\"{id}\" "));
            format!("<edge {id}source=\"1\" target=\"1\"/>")
        };
        let edges: String = (0..50).flat_map(|id| [edge(None), edge(Some(id))]).collect();
        let graph = empty_graph();
        let file = format!("<graphml><graph><node id=\"1\"/>{edges}</graph></graphml>");
        in_file(&file, |file| whole(file, GraphFormat::GraphMl, &graph, &options, &|_| {})).unwrap();
        graph
    };
    for graph in graphs.iter().chain([&xml]) {
        assert_eq!(Look::at(graph).counts(), (1, 100));
    }
    for look in graphs.iter().map(Look::at) {
        (0..50i64).for_each(|id| _ = look.edge(id));
    }
}
