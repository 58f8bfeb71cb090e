//! Whatever the bytes, an import ends with a graph or with an error.

mod imported;

use std::path::Path;

use formats::{
    BadRows, CsvOptions, CsvSource, ImportError, ImportOptions, ImportSummary, csv, graphson, ldbc,
};
use graph::Graph;
use imported::damage::{Random, fuzz};
use imported::{Look, empty_graph, shared, tiny_network, written};

/// Stop or skip, small parts or large ones.
fn options(random: &mut Random) -> ImportOptions {
    let bad_rows = if random.below(2) == 0 { BadRows::Stop } else { BadRows::Skip { reports: 3 } };
    ImportOptions { bad_rows, part_bytes: [5, 64, 1 << 20][random.below(3)], ..Default::default() }
}

/// An accepted import has to have put into the graph what it says; a refusal has to say something.
fn check(import: impl FnOnce(&Graph) -> Result<ImportSummary, ImportError>) -> bool {
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

#[test]
fn damaged_csv() {
    let pieces: [&[u8]; 10] =
        [b",", b"\"", b"\n", b":ID", b"(x)", b"{label:x}", b"[]", b"\xff", b":START_ID", b":int"];
    let originals = [
        "id:ID{id-type:long},name,age:int,:LABEL\n1,marko,29,person\n2,vadas,27,person\n3,lop,,software\n",
        ":START_ID,:END_ID,:TYPE,since:date,tags:string[]\n1,2,knows,2010-05-01,\"a;b\"\n1,3,e,,\n",
    ];
    let directory = tempfile::tempdir().unwrap();
    let paths = ["vertices.csv", "edges.csv"].map(|name| directory.path().join(name));
    fuzz(|random| {
        for (path, original) in paths.iter().zip(originals) {
            let mut bytes = original.as_bytes().to_vec();
            if random.below(3) > 0 {
                random.damage(&mut bytes, &pieces);
            }
            std::fs::write(path, bytes).unwrap();
        }
        let sources = CsvSource::in_directory(directory.path()).unwrap();
        let options = options(random);
        check(|graph| csv(&sources, CsvOptions::default(), graph, &options, &|_| {}))
    });
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
