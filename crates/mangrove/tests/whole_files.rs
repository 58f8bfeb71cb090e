//! Files of whole graphs, imported: every sample of TinkerPop in every format that it comes in.

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use flate2::{Compression, write::GzEncoder};
use mangrove::{Database, Error, ImportFormat, formats::ImportOptions};

fn samples() -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data")
}

fn import(file: &Path, format: Option<ImportFormat>) -> Result<Database, Error> {
    let db = Database::in_memory()?;
    let summary = db.import(file, format, &ImportOptions::default(), &|_| {})?;
    assert_eq!(all(&db, "g.V().count()"), [summary.vertices.to_string()], "{}", file.display());
    assert_eq!(all(&db, "g.E().count()"), [summary.edges.to_string()], "{}", file.display());
    Ok(db)
}

fn all(db: &Database, query: &str) -> Vec<String> {
    db.query(query).unwrap().map(|value| value.unwrap().to_string()).collect()
}

/// All that a graph holds.
fn contents(db: &Database) -> Vec<String> {
    let vertices = "g.V().order().by(id).project('id','label','properties').by(id).by(label)\
                    .by(properties().project('k','v','m').by(key()).by(value()).by(valueMap()).order().by('k').by('v').fold())";
    let edges = "g.E().order().by(id).project('id','label','from','to','properties').by(id).by(label).by(outV().id()).by(inV().id())\
                 .by(valueMap())";
    [all(db, vertices), all(db, edges)].concat()
}

/// What GraphML can tell of it: its ids are texts.
fn contents_as_text(db: &Database) -> Vec<String> {
    let mut texts = contents(db);
    texts.sort();
    texts
}

fn gzip(content: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(content).unwrap();
    packed.finish().unwrap()
}

#[test]
fn every_sample_is_the_same_graph_in_every_format() {
    for (name, vertices, edges) in
        [("tinkerpop-classic", 6, 6), ("tinkerpop-modern", 6, 6), ("grateful-dead", 808, 8049)]
    {
        let expected = import(&samples().join(format!("{name}.json")), None).unwrap();
        assert_eq!(all(&expected, "g.V().count()"), [vertices.to_string()], "{name}");
        assert_eq!(all(&expected, "g.E().count()"), [edges.to_string()], "{name}");
        for ending in ["xml", "kryo"] {
            let file = samples().join(format!("{name}.{ending}"));
            if !file.exists() {
                continue;
            }
            let found = import(&file, None).unwrap();
            assert_eq!(contents_as_text(&found), contents_as_text(&expected), "{name}.{ending}");
        }
    }
}

#[test]
fn packed_wrapped_and_pretty_printed_files_are_told_from_their_content() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["tinkerpop-modern.json", "tinkerpop-crew.json"] {
        let lines = fs::read_to_string(samples().join(name)).unwrap();
        let expected = contents(&import(&samples().join(name), None).unwrap());
        let vertices: Vec<serde_json::Value> =
            lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let pretty: Vec<String> =
            vertices.iter().map(|vertex| serde_json::to_string_pretty(vertex).unwrap()).collect();
        let wrapped = serde_json::json!({"vertices": vertices}).to_string();
        let forms: [(&str, Vec<u8>); 6] = [
            ("lines.bin", lines.clone().into_bytes()),
            ("lines.gz", gzip(lines.as_bytes())),
            (
                "lines.zst",
                ruzstd::encoding::compress_to_vec(
                    lines.as_bytes(),
                    ruzstd::encoding::CompressionLevel::Fastest,
                ),
            ),
            ("pretty.json", pretty.join("\n").into_bytes()),
            ("wrapped.json", wrapped.clone().into_bytes()),
            ("wrapped.json.gz", gzip(wrapped.as_bytes())),
        ];
        for (form, content) in forms {
            let file = dir.path().join(form);
            fs::write(&file, content).unwrap();
            for format in [None, Some(ImportFormat::Graphson)] {
                let found = contents(&import(&file, format).unwrap());
                assert_eq!(found, expected, "{name} as {form}, {format:?}");
            }
        }
    }
    let packed = dir.path().join("modern.xml.gz");
    fs::write(&packed, gzip(&fs::read(samples().join("tinkerpop-modern.xml")).unwrap())).unwrap();
    assert_eq!(all(&import(&packed, None).unwrap(), "g.V().has('name','lop').in('created').count()"), ["3"]);
}

#[test]
fn graphson_of_older_versions_is_read_packed_or_not() {
    let two = r#"{"id":{"@type":"g:Int32","@value":1},"label":"p","properties":{"k":[{"id":{"@type":"g:Int64","@value":0},"value":["a",{"@type":"g:Int32","@value":2}]}]}}"#;
    let one = r#"{"@class":"java.util.HashMap","id":1,"label":"p","properties":{"@class":"java.util.HashMap","k":["java.util.ArrayList",[{"@class":"java.util.HashMap","id":["java.lang.Long",0],"value":["java.util.ArrayList",["a",2]]}]]}}"#;
    let dir = tempfile::tempdir().unwrap();
    for (version, lines) in [("two", two), ("one", one)] {
        for (form, content) in [("plain", lines.as_bytes().to_vec()), ("packed", gzip(lines.as_bytes()))] {
            let file = dir.path().join(form);
            fs::write(&file, content).unwrap();
            let db = import(&file, None).unwrap();
            assert_eq!(all(&db, "g.V(1).values('k')"), ["[a, 2]"], "{version} {form}");
        }
    }
    // Of lines, each is good or bad by itself, also if they are packed.
    let file = dir.path().join("lines.json.gz");
    fs::write(&file, gzip(format!("{two}\n{{\"id\":2,}}\n").as_bytes())).unwrap();
    let refused = import(&file, None).map(drop).unwrap_err().to_string();
    assert!(refused.contains("lines.json.gz:2:9: JSON expected"), "{refused}");
}

#[test]
fn a_bad_file_leaves_the_graph_empty_and_says_where_it_is_bad() {
    let dir = tempfile::tempdir().unwrap();
    let modern = fs::read_to_string(samples().join("tinkerpop-modern.xml")).unwrap();
    let cut = gzip(modern.as_bytes());
    for (name, content, expected) in [
        ("end.xml", modern.as_bytes()[..modern.len() / 2].to_vec(), "`: line 1, column "),
        (
            "edge.json",
            b"{\n\"id\":1,\"label\":\"a\",\"outE\":{\"knows\":[{\"id\":2,\"inV\":3}]}}".to_vec(),
            "`: line 2, column 37: an edge `knows` has an end 3, but there is no vertex of that id",
        ),
        (
            "two.xml",
            b"<graphml><graph><node id=\"1\"/>\n <node id=\"1\"/></graph></graphml>".to_vec(),
            "`: line 2, column 2: two vertices have the id 1",
        ),
        ("cut.xml.gz", cut[..cut.len() / 2].to_vec(), "cut.xml.gz"),
        ("empty.json", b"{\n}".to_vec(), "empty.json"),
    ] {
        let file = dir.path().join(name);
        fs::write(&file, content).unwrap();
        let db = Database::in_memory().unwrap();
        let error = db.import(&file, None, &ImportOptions::default(), &|_| {}).unwrap_err().to_string();
        assert!(error.contains(expected) && error.contains(name), "{name}: {error}");
        assert_eq!(all(&db, "g.V().count()"), ["0"], "{name}");
        db.import(samples().join("tinkerpop-modern.json"), None, &ImportOptions::default(), &|_| {}).unwrap();
    }
}

#[test]
fn a_graph_is_exported_and_imported_again() {
    let dir = tempfile::tempdir().unwrap();
    let directory = Some(dir.path().to_path_buf());
    for sample in ["tinkerpop-modern.json", "tinkerpop-crew.json"] {
        let options = mangrove::DatabaseOptions { io_directory: directory.clone(), ..Default::default() };
        let db = Database::in_memory_with(options).unwrap();
        db.import(samples().join(sample), None, &ImportOptions::default(), &|_| {}).unwrap();
        for name in ["out.json", "out.json.gz", "out.kryo", "out.kryo.gz"] {
            all(&db, &format!("g.io('{name}').write()"));
            let file = dir.path().join(name);
            assert_eq!(fs::read(&file).unwrap().starts_with(b"\x1f\x8b"), name.ends_with(".gz"), "{name}");
            assert_eq!(contents(&import(&file, None).unwrap()), contents(&db), "{sample} as {name}");
            let again = Database::in_memory_with(mangrove::DatabaseOptions {
                io_directory: directory.clone(),
                ..Default::default()
            })
            .unwrap();
            all(&again, &format!("g.io('{name}').read()"));
            assert_eq!(contents(&again), contents(&db), "{sample} as {name}, by io()");
        }
        let refused =
            db.query("g.io('out.json.zst').write()").and_then(Iterator::collect::<Result<Vec<_>, _>>);
        assert!(refused.unwrap_err().to_string().contains("zstd is read and not written"));
        assert!(!dir.path().join("out.json.zst").exists());
    }
}

#[test]
fn edge_lists_are_told_by_their_comments_or_named() {
    let dir = tempfile::tempdir().unwrap();
    let list = "# Nodes: 3 Edges: 4\n# FromNodeId\tToNodeId\n0\t1\n1\t2\n\n1\t2\n2 0 0.5\n";
    let without_comments: String =
        list.lines().filter(|line| !line.starts_with('#')).map(|line| format!("{line}\r\n")).collect();
    for (name, content, format) in [
        ("snap.txt", list.as_bytes().to_vec(), None),
        ("snap.txt.gz", gzip(list.as_bytes()), None),
        ("plain.txt", without_comments.clone().into_bytes(), Some(ImportFormat::EdgeList)),
        ("konect", list.replace('#', "%").into_bytes(), None),
    ] {
        let file = dir.path().join(name);
        fs::write(&file, content).unwrap();
        let db = import(&file, format).unwrap();
        assert_eq!(all(&db, "g.V().id().order()"), ["0", "1", "2"], "{name}");
        assert_eq!(all(&db, "g.V(1).out('edge').id()"), ["2", "2"], "{name}");
        assert_eq!(all(&db, "g.E().values('weight')"), ["0.5"], "{name}");
        assert_eq!(all(&db, "g.V().label().dedup()"), ["vertex"], "{name}");
    }
    let plain = import(&dir.path().join("plain.txt"), None).map(drop).unwrap_err().to_string();
    assert!(plain.contains("plain.txt"), "numbers alone may be anything: {plain}");
    let bad = dir.path().join("bad.txt");
    fs::write(&bad, "# x\n1 2\n3\n4 5 six\n").unwrap();
    let refused = import(&bad, None).map(drop).unwrap_err().to_string();
    assert!(refused.contains("bad.txt:3:2: two ids expected"), "{refused}");
    let db = Database::in_memory().unwrap();
    let skip = ImportOptions {
        bad_rows: mangrove::formats::BadRows::Skip { reports: 5 },
        ..ImportOptions::default()
    };
    let summary = db.import(&bad, None, &skip, &|_| {}).unwrap();
    assert_eq!((summary.edges, summary.skipped), (1, 2));
}

#[test]
fn an_element_that_takes_more_than_it_may_is_refused_with_the_way_out() {
    let dir = tempfile::tempdir().unwrap();
    let (node, star) = (dir.path().join("node.graphml"), dir.path().join("star.kryo"));
    let long = "x".repeat(1 << 20);
    let text = format!(
        "<graphml><key id='k' for='node' attr.name='k' attr.type='string'/><graph edgedefault='directed'>\
         <node id='1'><data key='k'>{long}</data></node></graph></graphml>"
    );
    fs::write(&node, text).unwrap();
    let hub = Database::in_memory().unwrap();
    all(&hub, "g.addV('hub')");
    let doubled = "repeat(__.union(identity(), identity())).times(11)";
    assert_eq!(all(&hub, &format!("g.V().as('h').{doubled}.addE('e').to('h').count()")), ["2048"]);
    hub.export(&star, &mangrove::ExportOptions::default()).unwrap();
    // What is held is told in steps of 64 KiB.
    let few = ImportOptions { element_bytes: 64 << 10, ..ImportOptions::default() };
    for (file, way_out) in [(node, "keep large values elsewhere"), (star, "as GraphSON or CSV")] {
        let db = Database::in_memory().unwrap();
        let refused = db.import(&file, None, &few, &|_| {}).unwrap_err().to_string();
        assert!(refused.contains(way_out), "{refused}");
        db.import(&file, None, &ImportOptions::default(), &|_| {}).unwrap();
    }
}
