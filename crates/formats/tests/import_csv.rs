//! Importing CSV files with typed headers.

mod imported;

use std::path::Path;

use formats::{
    BadRows, CsvOptions, CsvSource, ImportError, ImportOptions, ImportSummary, Present, PresentOptions,
    Target, csv, csv_stem,
};
use graph::{Dir, Graph, Value};
use imported::{Look, empty_graph, refusal};
use values::DateTime;

type Files<'a> = &'a [(&'a str, &'a str)];

fn import(files: Files<'_>) -> Result<(Graph, ImportSummary), ImportError> {
    import_with(files, CsvOptions::default(), BadRows::Stop)
}

fn import_with(
    files: Files<'_>,
    csv_options: CsvOptions,
    bad_rows: BadRows,
) -> Result<(Graph, ImportSummary), ImportError> {
    let graph = empty_graph();
    let summary = import_into(&graph, files, csv_options, bad_rows)?;
    Ok((graph, summary))
}

fn import_into(
    target: &dyn Target,
    files: Files<'_>,
    csv_options: CsvOptions,
    bad_rows: BadRows,
) -> Result<ImportSummary, ImportError> {
    let directory = tempfile::tempdir().unwrap();
    for (name, content) in files {
        std::fs::write(directory.path().join(name), content).unwrap();
    }
    let sources = CsvSource::in_directory(directory.path())?;
    csv(&sources, csv_options, target, &ImportOptions { bad_rows, ..Default::default() }, &|_| {})
}

const PEOPLE: (&str, &str) = (
    "people.csv",
    "id:ID{id-type:long},name,age:int,:LABEL\n1,marko,29,person\n2,vadas,27,person\n3,lop,,software\n",
);

#[test]
fn vertices_and_edges() {
    let knows = (
        "a_knows.csv",
        ":START_ID,:END_ID,:TYPE,since:date,weight:double\n1,2,knows,2010-05-01,0.5\n1,3,created,,\n",
    );
    let (graph, summary) = import(&[knows, PEOPLE]).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.counts(), (3, 2));
    assert_eq!((summary.vertices, summary.edges, summary.rows), (3, 2, 5));
    let (marko, vadas) = (look.vertex(1i64), look.vertex(2i64));
    assert_eq!(look.label(look.vertex(3i64)), "software");
    assert_eq!(look.values(marko, "age"), [Value::Int(29)]);
    assert_eq!(look.values(look.vertex(3i64), "age"), []);
    assert_eq!(look.values(marko, "id"), [Value::Long(1)], "a named id is a property, too");
    let date = Value::DateTime("2010-05-01".parse::<DateTime>().unwrap());
    assert_eq!(look.along(marko, "knows", Dir::Out, "since"), [(vadas, Some(date))]);
    assert_eq!(look.along(marko, "created", Dir::Out, "weight")[0].1, None);
}

#[test]
fn id_spaces_keep_equal_ids_apart() {
    let people = ("people.csv", "pid:ID(Person){label:person},name\n1,marko\n2,vadas\n");
    let cities = ("cities.csv", "cid:ID(City){label:city},name\n1,Paris\n");
    let lives = ("lives.csv", ":START_ID(Person),:END_ID(City),:TYPE\n1,1,livesIn\n");
    let (graph, _) = import(&[people, cities, lives]).unwrap();
    let look = Look::at(&graph);
    let (marko, paris) = (look.indexed("person", "pid", "1"), look.indexed("city", "cid", "1"));
    assert_eq!(look.out(marko, "livesIn"), [paris]);
}

#[test]
fn ids_of_a_space_get_an_index_for_each_label_that_they_have() {
    let all = ("all.csv", "pid:ID(All),name,:LABEL\n1,marko,person\n2,Paris,city\n");
    let (graph, _) = import(&[all]).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.label(look.indexed("person", "pid", "1")), "person");
    assert_eq!(look.label(look.indexed("city", "pid", "2")), "city");
    assert!(!look.has_index("person", "name"));
}

#[test]
fn what_a_file_is_called_is_no_label_where_a_column_has_labels() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let ids = directory.path().join("ids.csv");
        std::fs::write(&ids, "id:ID\na\n").unwrap();
        let called = |path: &Path| CsvSource {
            label: path.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned),
            ..CsvSource::new(path)
        };
        let sources = [called(&ids), called(&path)];
        let graph = empty_graph();
        refusal(csv(&sources, CsvOptions::default(), &graph, &ImportOptions::default(), &|_| {})).to_string()
    };
    let vertices = refused("people.csv", "id:ID,:LABEL\nb,person\nc,\n");
    assert!(vertices.contains("people.csv:3:2: column `:LABEL`: a label expected"), "{vertices}");
    let edges = refused("knows.csv", ":START_ID,:END_ID,:TYPE\na,a,\n");
    assert!(edges.contains("knows.csv:2:3: column `:TYPE`: a label expected"), "{edges}");
}

#[test]
fn vertices_may_have_nothing_but_a_label() {
    let plain = ("plain.csv", ":LABEL\nperson\nperson\ncity\n");
    let spaced = ("spaced.csv", ":ID(X){label:thing}\na\nb\n");
    let edges = ("edges.csv", ":START_ID(X),:END_ID(X),:TYPE\na,b,e\n");
    let (graph, summary) = import(&[plain, spaced, edges]).unwrap();
    let look = Look::at(&graph);
    assert_eq!((look.counts(), summary.vertices), ((5, 1), 5));
    assert_eq!((look.vertex_count("person"), look.vertex_count("thing")), (2, 2));
}

#[test]
fn quoted_fields_may_hold_delimiters_quotes_and_line_ends() {
    let notes = ("notes.csv", "id:ID{label:note},text\r\na,\"one, \"\"two\"\"\r\nthree\"\r\nb,plain\r\n");
    let (graph, _) = import(&[notes]).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.values(look.vertex("a"), "text"), [Value::str("one, \"two\"\r\nthree")]);
    assert_eq!(look.values(look.vertex("b"), "text"), [Value::str("plain")]);
}

#[test]
fn an_empty_text_stands_in_quotes_and_what_is_not_there_does_not() {
    let notes =
        ("notes.csv", "\u{feff}\"id:ID{label:note}\",text,n:int,tags:string[]\na,\"\",\"\",\"\"\nb,,,\n");
    let (graph, _) = import(&[notes]).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.values(look.vertex("a"), "text"), [Value::str("")]);
    assert_eq!(look.values(look.vertex("a"), "n"), []);
    assert_eq!(look.values(look.vertex("a"), "tags"), []);
    assert_eq!(look.values(look.vertex("b"), "text"), []);
}

#[test]
fn several_files_may_have_one_header_in_a_file_of_its_own() {
    let header = ("movies-header.csv", "id:ID|title|year:int|:LABEL\n");
    let parts =
        [("movies-part1.csv", "a|\"One, two\"|1999|Movie\n"), ("movies-part2.csv", "b|Three||Movie\nc|x\n")];
    let refused = refusal(import(&[header, parts[0], parts[1]])).to_string();
    assert!(refused.contains("movies-part2.csv:2:2: column `title`: 4 fields expected"), "{refused}");
    let skip = BadRows::Skip { reports: 1 };
    let (graph, _) = import_with(&[header, parts[0], parts[1]], CsvOptions::default(), skip).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.counts(), (2, 0));
    assert_eq!(look.values(look.vertex("a"), "title"), [Value::str("One, two")]);
    let refused = refusal(import(&[("movies-header.csv", "id:ID,:LABEL\na,x\n"), parts[0]])).to_string();
    assert!(
        refused.contains("movies-header.csv`: a header alone expected, since movies-part1.csv has none"),
        "{refused}"
    );
    let refused = refusal(import(&[("movies-header.csv", "a,b\n"), parts[0]])).to_string();
    assert!(refused.contains("movies-header.csv`: no column of the first row says what it is"), "{refused}");
}

#[test]
fn packed_files_are_read_beside_others() {
    use std::io::Write;
    let directory = tempfile::tempdir().unwrap();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(PEOPLE.1.as_bytes()).unwrap();
    std::fs::write(directory.path().join("people.csv.gz"), packed.finish().unwrap()).unwrap();
    let edges = b":START_ID,:END_ID,:TYPE\n1,2,knows\n1,9,knows\n";
    let packed = ruzstd::encoding::compress_to_vec(&edges[..], ruzstd::encoding::CompressionLevel::Fastest);
    std::fs::write(directory.path().join("edges.csv.zst"), packed).unwrap();
    let graph = empty_graph();
    let sources = CsvSource::in_directory(directory.path()).unwrap();
    assert_eq!(
        sources.iter().map(|source| csv_stem(&source.path).unwrap()).collect::<Vec<_>>(),
        ["edges", "people"]
    );
    let skip = ImportOptions { bad_rows: BadRows::Skip { reports: 1 }, ..Default::default() };
    let summary = csv(&sources, CsvOptions::default(), &graph, &skip, &|_| {}).unwrap();
    assert_eq!(Look::at(&graph).counts(), (3, 1));
    assert!(summary.reports[0].to_string().contains("edges.csv.zst:3:2: column `:END_ID`"));
}

#[test]
fn delimiters_and_quotes_can_be_chosen() {
    let options = CsvOptions { delimiter: Some(b'\t'), quote: None, array_delimiter: '/' };
    let file = ("x.csv", "id:ID{label:x}\ttags:int[]\tname\na\t1/2\t\"q\"\n");
    let (graph, _) = import_with(&[file], options, BadRows::Stop).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.values(look.vertex("a"), "tags"), [Value::Int(1), Value::Int(2)]);
    assert_eq!(look.values(look.vertex("a"), "name"), [Value::str("\"q\"")]);
}

#[test]
fn every_file_may_have_a_delimiter_of_its_own() {
    let vertices = ("v.csv", "id:ID{label:x}|name\na|Ana, Maria\nb|\n");
    let edges = ("e.csv", ":START_ID;:END_ID;:TYPE\na;b;e\n");
    let (graph, _) = import(&[vertices, edges]).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.values(look.vertex("a"), "name"), [Value::str("Ana, Maria")]);
    assert_eq!(look.out(look.vertex("a"), "e"), [look.vertex("b")]);
}

#[test]
fn every_type_is_read() {
    let file = (
        "x.csv",
        "\u{feff}id:ID{label:x},s:string,c:char,b:boolean,y:byte,h:short,i:int,l:long,bi:biginteger,f:float,d:double,\
         bd:bigdecimal,u:uuid,dt:datetime,du:duration,skip:IGNORE\n\
         a,text,é,TRUE,-1,300,-70000,5000000000,123456789012345678901234567890,0.5,2.5,1.10,\
         41d2e28a-20a4-4ab0-b379-d810dede3786,2018-03-22T00:35:44Z,PT5M,nothing\n",
    );
    let (graph, _) = import(&[file]).unwrap();
    let look = Look::at(&graph);
    let value = |key: &str| look.values(look.vertex("a"), key).pop().unwrap_or_default();
    assert_eq!(value("s"), Value::str("text"));
    assert_eq!(value("c"), Value::Char('é'));
    assert_eq!(value("b"), Value::Bool(true));
    assert_eq!(
        (value("y"), value("h"), value("i")),
        (Value::Byte(-1), Value::Short(300), Value::Int(-70_000))
    );
    assert_eq!(value("l"), Value::Long(5_000_000_000));
    assert!(matches!(value("bi"), Value::BigInteger(v) if v.to_string() == "123456789012345678901234567890"));
    assert_eq!((value("f"), value("d")), (Value::Float(0.5), Value::Double(2.5)));
    assert!(matches!(value("bd"), Value::BigDecimal(v) if v.to_string() == "1.10"));
    assert!(matches!(value("u"), Value::Uuid(_)));
    assert!(matches!(value("dt"), Value::DateTime(_)));
    assert!(matches!(value("du"), Value::Duration(d) if d.seconds == 300));
    assert_eq!(value("skip"), Value::Null);
}

#[test]
fn many_values_are_a_multi_property_of_a_vertex_and_a_list_on_an_edge() {
    let vertices = ("v.csv", "id:ID{label:x},tags:string[]\na,red;green\nb,\n");
    let edges = ("e.csv", ":START_ID,:END_ID,:TYPE,marks:int[],:ID{id-type:int}\na,b,e,1;2,77\n");
    let (graph, _) = import(&[vertices, edges]).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.values(look.vertex("a"), "tags"), [Value::str("red"), Value::str("green")]);
    assert_eq!(look.values(look.vertex("b"), "tags"), []);
    let list = Value::list(vec![Value::Int(1), Value::Int(2)]);
    assert_eq!(look.edge_value(look.edge(77i32), "marks"), Some(list));
}

#[test]
fn a_bad_row_is_named_with_file_line_and_column() {
    let edges = |row: &str| format!(":START_ID,:END_ID,:TYPE,since:int\n1,2,knows,2\n{row}\n");
    let people = |row: &str| format!("{}{row}\n", PEOPLE.1);
    for (people, edges, expected) in [
        (
            people("x,n,1,p"),
            edges("1,2,e,1"),
            "people.csv:5:1: column `id:ID{id-type:long}`: an integer of 64 bits expected, found \"x\"",
        ),
        (people(",n,1,p"), edges("1,2,e,1"), "people.csv:5:1:"),
        (
            people("4,n,old,p"),
            edges("1,2,e,1"),
            "people.csv:5:3: column `age:int`: an integer of 32 bits expected, found \"old\"",
        ),
        (people("4,n,1,"), edges("1,2,e,1"), "people.csv:5:4: column `:LABEL`: a label expected"),
        (
            people("4,n,1"),
            edges("1,2,e,1"),
            "people.csv:5:3: column `age:int`: 4 fields expected, as in the header, found 3",
        ),
        (
            people("1,n,1,p"),
            edges("1,2,e,1"),
            "people.csv:5:1: column `id:ID{id-type:long}`: an id of its own expected",
        ),
        (people("\"4\n\",n,1,p\n5,\"m\nm\",x,p"), edges("1,2,e,1"), "people.csv:5:1:"),
        (
            people("4,\"n,1,p"),
            edges("1,2,e,1"),
            "people.csv:5:2: column `name`: a quote that closes the field expected, but the file ends",
        ),
        (
            people("4,n,1,p"),
            edges("1,9,e,1"),
            "edges.csv:3:2: column `:END_ID`: the id of a vertex expected, found \"9\"",
        ),
    ] {
        let refused = refusal(import(&[("people.csv", &people), ("edges.csv", &edges)]));
        assert!(matches!(refused, ImportError::BadRow(_)), "{refused:?}");
        assert!(refused.to_string().contains(expected), "{refused}\nexpected {expected}");
    }
}

#[test]
fn bad_rows_are_skipped_and_counted_on_request() {
    let people = format!("{}4,x,y\n1,again,1,person\n5,ripple,,software\n", PEOPLE.1);
    let edges = ":START_ID,:END_ID,:TYPE\n1,4,e\n1,5,e\n";
    let options = BadRows::Skip { reports: 2 };
    let (graph, summary) =
        import_with(&[("people.csv", &people), ("edges.csv", edges)], CsvOptions::default(), options)
            .unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.counts(), (4, 1));
    assert_eq!((summary.vertices, summary.edges, summary.skipped), (4, 1, 3));
    assert_eq!(summary.reports.iter().map(|row| row.line).collect::<Vec<_>>(), [5, 6]);
    assert_eq!(look.values(look.vertex(1i64), "name"), [Value::str("marko")]);
}

#[test]
fn headers_that_do_not_fit_are_refused() {
    let ids = ("ids.csv", "id:ID(A){label:a}\n1\n");
    for (files, expected) in [
        (&[("x.csv", "")][..], "`: the file is empty"),
        (&[("x.csv", "id:ID,name\n1,a\n")], "a column `:LABEL`, the option `{label:…}`"),
        (&[("x.csv", ":START_ID,:END_ID\n1,1\n"), ids], "a column `:TYPE`"),
        (&[("x.csv", "a:what,:LABEL\n")], "a type expected: string, char"),
        (
            &[("x.csv", ":START_ID(B),:END_ID(A),:TYPE\n1,1,e\n"), ids],
            "no file has vertices with ids in the id space \"B\"",
        ),
        (
            &[("x.csv", "id:ID(A){label:b;id-type:int}\n1\n"), ids],
            "another file has ids of another type in the id space \"A\"",
        ),
    ] {
        let message = refusal(import(files)).to_string();
        assert!(message.contains(expected), "{message}\nexpected {expected}");
    }
    let directory = tempfile::tempdir().unwrap();
    assert!(CsvSource::in_directory(directory.path()).unwrap_err().to_string().contains("*.csv"));
    let source = CsvSource::new(Path::new("/no/such.csv"));
    let message = csv(&[source], CsvOptions::default(), &empty_graph(), &ImportOptions::default(), &|_| {});
    assert!(message.unwrap_err().to_string().contains("cannot read `/no/such.csv`"));
}

#[test]
fn ids_that_the_graph_makes_are_none_that_files_give_whatever_their_order() {
    let rows = |row: &dyn Fn(i64) -> String| (0..100).map(row).collect::<String>();
    let given = format!(":ID{{id-type:long}},:LABEL\n{}", rows(&|id| format!("{id},given\n")));
    let spaced = format!("key:ID(S),:LABEL\n{}", rows(&|id| format!("{id},made\n")));
    let bare = format!(":LABEL\n{}", rows(&|_| "bare\n".into()));
    // The ids that are made of edges of the first vertex are small, too.
    let with_ids =
        format!(":START_ID,:END_ID,:TYPE,:ID{{id-type:long}}\n{}", rows(&|id| format!("0,{id},e,{id}\n")));
    let without = format!(":START_ID,:END_ID,:TYPE\n{}", rows(&|id| format!("0,{id},e\n")));
    for (own, made) in [("a", "z"), ("z", "a")] {
        let names = [
            (own, "v", &given),
            (made, "s", &spaced),
            (made, "b", &bare),
            (own, "e", &with_ids),
            (made, "f", &without),
        ];
        let names = names.map(|(first, second, content)| (format!("{first}{second}.csv"), content));
        let files: Vec<_> = names.iter().map(|(name, content)| (name.as_str(), content.as_str())).collect();
        let (filled, added) = (empty_graph(), empty_graph());
        let options = PresentOptions { rows: 7.try_into().unwrap(), ..PresentOptions::default() };
        let present = Present::new(&added, &options, "files");
        for target in [&filled as &dyn Target, &present] {
            import_into(target, &files, CsvOptions::default(), BadRows::Stop).unwrap();
        }
        for graph in [filled, added] {
            let look = Look::at(&graph);
            assert_eq!(look.counts(), (300, 200), "{own} before {made}");
            for id in 0..100i64 {
                assert_eq!(look.label(look.vertex(id)), "given");
                assert_eq!(look.edge(id).src, look.vertex(0i64));
            }
            assert!(graph.snapshot().check().is_ok());
        }
    }
}

#[test]
fn what_is_no_value_of_its_type_is_not_taken_for_one_near_it() {
    for (name, bad, expected) in [
        ("f:float", "1e39", "2:2: column `f:float`: a number of 32 bits expected, found \"1e39\""),
        ("d:double", "-1e400", "2:2: column `d:double`: a number of 64 bits expected, found \"-1e400\""),
        ("f:float[]", "1;1e39", "2:2: column `f:float[]`: a number of 32 bits expected, found \"1e39\""),
        (
            "s:string",
            "\"a\"b",
            "2:2: column `s:string`: the end of the field expected behind the quote that closes it, found more text",
        ),
    ] {
        let file = format!(":ID{{label:x}},{name},b\n1,{bad},c\n2,,d\n");
        let refused = refusal(import(&[("x.csv", &file)])).to_string();
        assert!(refused.contains(expected), "{refused}\nexpected {expected}");
        let skip = BadRows::Skip { reports: 1 };
        let (graph, summary) = import_with(&[("x.csv", &file)], CsvOptions::default(), skip).unwrap();
        assert_eq!((Look::at(&graph).counts(), summary.skipped), ((1, 0), 1));
    }
    let (graph, _) = import(&[("x.csv", ":ID{label:x},f:float,d:double\n1,Infinity,1e39\n")]).unwrap();
    let look = Look::at(&graph);
    assert_eq!(look.values(look.vertex("1"), "f"), [Value::Float(f32::INFINITY)]);
    assert_eq!(look.values(look.vertex("1"), "d"), [Value::Double(1e39)]);
}

#[test]
fn a_damaged_file_is_named_and_leaves_nothing() {
    let people =
        format!("{}{}", PEOPLE.1, (9..2_000).map(|id| format!("{id},n,,person\n")).collect::<String>());
    let level = ruzstd::encoding::CompressionLevel::Fastest;
    let mut packed = ruzstd::encoding::compress_to_vec(people.as_bytes(), level);
    *packed.last_mut().unwrap() ^= 1;
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("people.csv.zst"), packed).unwrap();
    let graph = empty_graph();
    let sources = CsvSource::in_directory(directory.path()).unwrap();
    let done = csv(&sources, CsvOptions::default(), &graph, &ImportOptions::default(), &|_| {});
    let refused = refusal(done).to_string();
    assert!(refused.contains("people.csv.zst`: zstd: the file is damaged"), "{refused}");
    assert_eq!(Look::at(&graph).counts(), (0, 0));
}
