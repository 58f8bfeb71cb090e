//! Each format is told from its content, taken for no other one, and comes back as it was.

use std::{
    fs,
    path::{Path, PathBuf},
};

use clap::ValueEnum;
use mangrove::{Database, ExportFormat, ExportOptions, ImportFormat, formats::ImportOptions};

fn sample(name: &str) -> PathBuf {
    Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../../../shared/tinkerpop/data").join(name)
}

fn import(source: &Path, format: Option<ImportFormat>) -> Result<Database, String> {
    let db = Database::in_memory().unwrap();
    let done = db.import(source, format, &ImportOptions::default(), &|_| {});
    match done {
        Ok(_) => Ok(db),
        Err(error) => {
            assert_eq!(db.query("g.V().count()").unwrap().next().unwrap().unwrap(), 0_i64.into(), "{error}");
            Err(error.to_string())
        }
    }
}

fn export(db: &Database, target: &Path, format: ExportFormat) -> Result<(), String> {
    let options = ExportOptions { format: Some(format), ..ExportOptions::default() };
    db.export(target, &options).map(drop).map_err(|error| error.to_string())
}

/// All that a graph holds, with the types of values.
fn contents(db: &Database) -> Vec<String> {
    let vertices = "g.V().project('id','label','properties').by(id).by(label)\
                    .by(properties().project('k','v','m').by(key()).by(value()).by(valueMap()).order().by('k').by('v').fold())";
    let edges = "g.E().project('id','label','from','to','properties').by(id).by(label).by(outV().id()).by(inV().id())\
                 .by(properties().project('k','v').by(key()).by(value()).order().by('k').fold())";
    let all =
        |query: &str| db.query(query).unwrap().map(|it| format!("{:?}", it.unwrap())).collect::<Vec<_>>();
    let mut contents = [all(vertices), all(edges)].concat();
    contents.sort();
    contents
}

/// The first difference is enough.
fn assert_same(found: &[String], expected: &[String], what: &str) {
    let differ = found.iter().zip(expected).find(|(found, expected)| found != expected);
    assert_eq!((differ, found.len()), (None, expected.len()), "{what}");
}

#[test]
fn every_sample_comes_back_from_the_formats_that_keep_all() {
    let dir = tempfile::tempdir().unwrap();
    for name in ["tinkerpop-modern", "tinkerpop-classic", "tinkerpop-crew", "tinkerpop-sink", "grateful-dead"]
    {
        let db = import(&sample(&format!("{name}.json")), None).unwrap();
        for (ending, format) in [(".json", ExportFormat::Graphson), (".kryo.gz", ExportFormat::Gryo)] {
            let file = dir.path().join(format!("{name}{ending}"));
            export(&db, &file, format).unwrap();
            assert_same(&contents(&import(&file, None).unwrap()), &contents(&db), &format!("{name}{ending}"));
        }
        // GraphML has ids that are texts; what it reads it writes as it was.
        let file = dir.path().join(format!("{name}.xml"));
        match export(&db, &file, ExportFormat::Graphml) {
            Err(refused) => {
                assert!(name == "tinkerpop-crew" && refused.contains("Multiple properties"), "{refused}")
            }
            Ok(()) => {
                let once = import(&file, None).unwrap();
                let twice = dir.path().join(format!("{name}-2.xml"));
                export(&once, &twice, ExportFormat::Graphml).unwrap();
                assert_same(
                    &contents(&import(&twice, None).unwrap()),
                    &contents(&once),
                    &format!("{name}.xml"),
                );
            }
        }
    }
}

/// Something of each format that can be imported.
fn one_of_each(dir: &Path) -> Vec<(PathBuf, ImportFormat)> {
    let db = import(&sample("tinkerpop-modern.json"), None).unwrap();
    let written = |name: &str, format| {
        let path = dir.join(name);
        export(&db, &path, format).unwrap();
        path
    };
    let text = |name: &str, content: &str| {
        let path = dir.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    };
    let whole = fs::read_to_string(sample("tinkerpop-modern.json")).unwrap();
    let wrapped = format!("{{\"vertices\":[{}]}}", whole.trim_end().replace('\n', ","));
    text(
        "ldbc/dynamic/person_0_0.csv",
        "id|firstName|lastName|gender|birthday|creationDate|locationIP|browserUsed\n",
    );
    text("people.csv", "ada,1\n");
    let mut all = vec![
        (written("lines.json.gz", ExportFormat::Graphson), ImportFormat::Graphson),
        (text("wrapped", &wrapped), ImportFormat::Graphson),
        (written("a.xml", ExportFormat::Graphml), ImportFormat::Graphml),
        (written("a.kryo", ExportFormat::Gryo), ImportFormat::Gryo),
        (written("neo4j", ExportFormat::Neo4j), ImportFormat::Csv),
        (written("neptune", ExportFormat::Neptune), ImportFormat::Csv),
        (dir.join("neptune/vertices-person.csv"), ImportFormat::Csv),
        (text("list", "# two ids\n1\t2\n"), ImportFormat::EdgeList),
        (
            text(
                "mapping",
                "[[vertices]]\nfile = \"people.csv\"\ncolumns = [\"name\", \"n\"]\nlabel = \"person\"\n",
            ),
            ImportFormat::Mapping,
        ),
        (dir.join("ldbc"), ImportFormat::Ldbc),
    ];
    if cfg!(feature = "parquet") {
        all.push((written("parquet", ExportFormat::Parquet), ImportFormat::Parquet));
        all.push((dir.join("parquet/vertices-person.parquet"), ImportFormat::Parquet));
    }
    all
}

#[test]
fn what_is_one_format_is_no_other_whatever_it_is_said_to_be() {
    let dir = tempfile::tempdir().unwrap();
    for (path, format) in one_of_each(dir.path()) {
        let shown = path.file_name().unwrap().to_string_lossy();
        assert_eq!(ImportFormat::detect(&path).unwrap(), format, "{shown}");
        import(&path, None).unwrap_or_else(|error| panic!("{shown}: {error}"));
        for other in ImportFormat::value_variants() {
            match import(&path, Some(*other)) {
                Ok(_) => assert_eq!(*other, format, "{shown} was read as {other:?}"),
                Err(error) => {
                    assert_ne!(*other, format, "{shown}: {error}");
                    assert!(error.contains(&*shown), "{shown} as {other:?}: {error}");
                }
            }
        }
    }
}
